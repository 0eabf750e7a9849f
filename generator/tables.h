/* Type tables made at run time from descriptors: the same yaff_type values that protoc-gen-yaff
 * prints as C, so a program without generated code (the yaff command, a test, a reader of an index
 * file) can read, convert and verify any message. */
#ifndef YAFF_TABLES_H
#define YAFF_TABLES_H

#include <yaff/type.h>

YAFF_BEGIN_DECLS

typedef struct yaff_schema yaff_schema;

/* Loads a serialized google.protobuf.FileDescriptorSet (`protoc --include_imports
 * --descriptor_set_out`). Any bytes are safe. Returns NULL on failure and writes one line into
 * `error` (`error_size` bytes, NUL included; may be NULL and 0): "file: element: sentence". Time
 * and memory are linear in `size`. The set may be freed afterwards; the schema with
 * yaff_schema_free(). A schema never changes, so any number of threads may use it. */
yaff_schema *yaff_schema_load(const void *descriptor_set, size_t size, char *error,
                              size_t error_size);

/* Frees the schema and every table of it. NULL is allowed. */
void yaff_schema_free(yaff_schema *schema);

/* The type of a message, or the enum, by full name, "pkg.Msg" or ".pkg.Msg"; NULL when there is
 * none. Both belong to the schema. */
const yaff_type *yaff_schema_type(const yaff_schema *schema, const char *name);
const yaff_enum *yaff_schema_enum(const yaff_schema *schema, const char *name);

/* All of them, file by file as given, parents before children; map entries too
 * (YAFF_TYPE_MAP_ENTRY). NULL when i is past the end. */
size_t yaff_schema_type_count(const yaff_schema *schema);
const yaff_type *yaff_schema_type_at(const yaff_schema *schema, size_t i);
size_t yaff_schema_enum_count(const yaff_schema *schema);
const yaff_enum *yaff_schema_enum_at(const yaff_schema *schema, size_t i);

/* The two halves of loading, for protoc-gen-yaff. A new schema is empty, with a pool fit for
 * descriptors of `size` bytes, and NULL when memory runs out; yaff_schema_fill() gives it `count`
 * FileDescriptorProtos that live in its pool, and leaves through that. */
struct Google__Protobuf__FileDescriptorProto;
yaff_schema *yaff_schema_new(size_t size, char *error, size_t error_size);
void yaff_schema_fill(yaff_schema *schema,
                      struct Google__Protobuf__FileDescriptorProto *const *files, size_t count);

YAFF_END_DECLS

#endif
