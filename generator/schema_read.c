/* From protobuf-c's structs of descriptors to the model of schema.h. Reads only what yaff needs,
 * and the option (yaff.message). What no descriptor of protoc holds leaves through the pool.
 * Strings are not copied: the structs live in the schema's pool, too. */
#include "schema.h"

#include "descriptor.h"
#include "runtime/wire_read.h"

#include <google/protobuf/descriptor.pb-c.h>
#include <yaff/options.pb-c.h>

#include <string.h>

typedef Google__Protobuf__FileDescriptorProto file_proto;
typedef Google__Protobuf__DescriptorProto message_proto;
typedef Google__Protobuf__FieldDescriptorProto field_proto;
typedef Google__Protobuf__EnumDescriptorProto enum_proto;
typedef Google__Protobuf__EnumValueDescriptorProto value_proto;
typedef Google__Protobuf__SourceCodeInfo__Location location_proto;

enum { OPTION_MESSAGE = 73101 }; /* (yaff.message) among the fields of MessageOptions */

/* Names end up in C source, so only what protoc accepts passes. `dotted` is for packages and type
 * names; `digits` allows a digit first (the entry type of a map called _1). */
static const char *check_name(yaff_pool *pool, const char *name, bool dotted, bool digits)
{
    bool start = true;
    for (const char *p = name; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        bool dot = dotted && *p == '.' && (!start || p == name);
        if (!letter && !(digit && (!start || digits)) && !dot)
            yaff_pool_fail(pool, "the descriptor holds a name that is no identifier");
        start = dot;
    }
    if (start || strlen(name) > SCHEMA_MAX_NAME)
        yaff_pool_fail(pool, "the descriptor holds a name that is empty or too long");
    return name;
}

/* The name of `what`, "a field". */
static const char *name_of(yaff_pool *pool, const char *name, const char *what)
{
    if (!name) yaff_pool_fail(pool, "the descriptor holds %s with no name", what);
    return check_name(pool, name, false, false);
}

/* A path is printed in comments and #include lines. */
static const char *path_of(yaff_pool *pool, const char *path)
{
    if (!path) yaff_pool_fail(pool, "the descriptor holds a file with no name");
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '"' || *p == '\\')
            yaff_pool_fail(pool, "the descriptor holds a file name that is no path");
    if (!*path || strlen(path) > SCHEMA_MAX_NAME)
        yaff_pool_fail(pool, "the descriptor holds a file name that is empty or too long");
    return path;
}

/* Options */

/* protobuf-c knows no extensions, so (yaff.message) is among the unknown fields. The bytes of its
 * occurrences, one behind the other, are one message. */
static void read_layout(yaff_pool *pool, const ProtobufCMessage *options, schema_message *m)
{
    const ProtobufCMessageUnknownField *fields = options->unknown_fields;
    size_t capacity = 0, size = 0;
    for (size_t i = 0; i < options->n_unknown_fields; i++)
        if (fields[i].tag == OPTION_MESSAGE) capacity += fields[i].len;
    if (capacity == 0) return;
    char *bytes = YAFF_NEW(pool, char, capacity);
    for (size_t i = 0; i < options->n_unknown_fields; i++) {
        if (fields[i].tag != OPTION_MESSAGE) continue;
        uint32_t length;
        yaff_status status;
        const uint8_t *data = fields[i].data;
        if (fields[i].wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED ||
            !(data = yaff_read_length(data, data + fields[i].len, &length, &status)))
            yaff_descriptor_malformed(pool);
        memcpy(bytes + size, data, length);
        size += length;
    }
    const Yaff__MessageLayout *layout =
        yaff_descriptor_unpack(pool, &yaff__message_layout__descriptor, bytes, size);
    m->layout = (uint32_t)layout->layout;
    m->removed_count = layout->n_removed;
    m->removed = YAFF_NEW(pool, schema_removed, layout->n_removed);
    for (size_t i = 0; i < layout->n_removed; i++) {
        m->removed[i].number = layout->removed[i]->number;
        m->removed[i].width = layout->removed[i]->width;
    }
}

/* Declarations */

static void read_value(yaff_pool *pool, const value_proto *proto, schema_value *value)
{
    value->name = name_of(pool, proto->name, "an enum value");
    value->number = proto->number;
    value->deprecated = proto->options && proto->options->deprecated;
}

static void read_enum(yaff_pool *pool, const enum_proto *proto, schema_enum *e,
                      schema_message *parent)
{
    e->name = name_of(pool, proto->name, "an enum");
    e->parent = parent;
    e->deprecated = proto->options && proto->options->deprecated;
    e->value_count = proto->n_value;
    e->values = YAFF_NEW(pool, schema_value, proto->n_value);
    for (size_t i = 0; i < proto->n_value; i++) read_value(pool, proto->value[i], &e->values[i]);
}

static void read_field(yaff_pool *pool, const field_proto *proto, schema_field *field,
                       schema_message *parent)
{
    const Google__Protobuf__FieldOptions *options = proto->options;
    field->name = name_of(pool, proto->name, "a field");
    field->parent = parent;
    field->number = proto->number;
    field->label = proto->has_label ? (uint32_t)proto->label : LABEL_OPTIONAL;
    field->kind = proto->has_type ? (uint32_t)proto->type : 0;
    if (proto->type_name) field->type_name = check_name(pool, proto->type_name, true, true);
    if (proto->has_default_value) {
        field->default_text_size = proto->default_value.len;
        field->default_text =
            yaff_pool_copy(pool, proto->default_value.data, field->default_text_size);
    }
    field->oneof_index = proto->has_oneof_index ? proto->oneof_index : -1;
    field->proto3_optional = proto->proto3_optional;
    field->packed = options && options->has_packed ? options->packed != 0 : -1;
    field->deprecated = options && options->deprecated;
}

static void read_message(yaff_pool *pool, const message_proto *proto, schema_message *m,
                         schema_message *parent, unsigned depth)
{
    if (depth > SCHEMA_MAX_NESTING) yaff_descriptor_too_deep(pool);
    if (!proto->name) yaff_pool_fail(pool, "the descriptor holds a message with no name");
    m->name = check_name(pool, proto->name, false, true);
    m->parent = parent;
    m->field_count = proto->n_field;
    m->fields = YAFF_NEW(pool, schema_field, proto->n_field);
    for (size_t i = 0; i < proto->n_field; i++) read_field(pool, proto->field[i], &m->fields[i], m);
    m->message_count = proto->n_nested_type;
    m->messages = YAFF_NEW(pool, schema_message, proto->n_nested_type);
    for (size_t i = 0; i < proto->n_nested_type; i++)
        read_message(pool, proto->nested_type[i], &m->messages[i], m, depth + 1);
    m->enum_count = proto->n_enum_type;
    m->enums = YAFF_NEW(pool, schema_enum, proto->n_enum_type);
    for (size_t i = 0; i < proto->n_enum_type; i++)
        read_enum(pool, proto->enum_type[i], &m->enums[i], m);
    m->oneof_count = proto->n_oneof_decl;
    m->oneofs = YAFF_NEW(pool, schema_oneof, proto->n_oneof_decl);
    for (size_t i = 0; i < proto->n_oneof_decl; i++)
        m->oneofs[i].name = name_of(pool, proto->oneof_decl[i]->name, "a oneof");
    if (!proto->options) return;
    m->deprecated = proto->options->deprecated;
    m->map_entry = proto->options->map_entry;
    read_layout(pool, &proto->options->base, m);
}

/* Comments: each location names a declaration by the field numbers and indices that lead to it from
 * FileDescriptorProto. */

/* The i-th step; more than any count when it is negative. */
static size_t step_of(const location_proto *l, size_t i)
{
    return l->path[i] < 0 ? SIZE_MAX : (size_t)l->path[i];
}

static const char **comment_of_enum(schema_enum *enums, size_t count, const location_proto *l,
                                    size_t at)
{
    size_t index = step_of(l, at);
    if (index >= count) return NULL;
    if (l->n_path == at + 1) return &enums[index].comment;
    if (l->n_path == at + 3 && l->path[at + 1] == 2 &&
        step_of(l, at + 2) < enums[index].value_count)
        return &enums[index].values[step_of(l, at + 2)].comment;
    return NULL;
}

/* The comment of what the path leads to, or NULL when it leads nowhere we keep comments. */
static const char **comment_at(schema_file *file, const location_proto *l)
{
    if (l->n_path == 1 && (l->path[0] == 12 || l->path[0] == 2)) return &file->comment;
    if (l->n_path < 2) return NULL;
    if (l->path[0] == 5) return comment_of_enum(file->enums, file->enum_count, l, 1);
    if (l->path[0] != 4 || step_of(l, 1) >= file->message_count) return NULL;
    schema_message *m = &file->messages[step_of(l, 1)];
    for (size_t at = 2;; at += 2) {
        if (at == l->n_path) return &m->comment;
        if (at + 1 >= l->n_path) return NULL;
        size_t kind = step_of(l, at), index = step_of(l, at + 1);
        bool last = at + 2 == l->n_path;
        if (kind == 4) return comment_of_enum(m->enums, m->enum_count, l, at + 1);
        if (kind == 2 && last && index < m->field_count) return &m->fields[index].comment;
        if (kind == 8 && last && index < m->oneof_count) return &m->oneofs[index].comment;
        if (kind != 3 || index >= m->message_count) return NULL;
        m = &m->messages[index];
    }
}

static void read_location(const location_proto *l, schema_file *file)
{
    const char *text = l->leading_comments ? l->leading_comments : l->trailing_comments;
    const char **comment = text ? comment_at(file, l) : NULL;
    if (comment && !*comment) *comment = text;
}

/* Files */

static void read_imports(yaff_pool *pool, const file_proto *proto, schema_file *file)
{
    file->import_count = proto->n_dependency;
    file->imports = YAFF_NEW(pool, const char *, proto->n_dependency);
    file->import_public = YAFF_NEW(pool, bool, proto->n_dependency);
    for (size_t i = 0; i < proto->n_dependency; i++)
        file->imports[i] = path_of(pool, proto->dependency[i]);
    for (size_t i = 0; i < proto->n_public_dependency; i++) {
        int32_t index = proto->public_dependency[i];
        if (index >= 0 && (size_t)index < file->import_count) file->import_public[index] = true;
    }
}

static void read_file(yaff_pool *pool, const file_proto *proto, schema_file *file)
{
    const char *syntax = proto->syntax ? proto->syntax : "";
    file->path = path_of(pool, proto->name);
    file->proto3 = strcmp(syntax, "proto3") == 0;
    if (!file->proto3 && syntax[0] && strcmp(syntax, "proto2") != 0)
        yaff_pool_fail(pool, "%s: only the syntaxes proto2 and proto3 are supported", file->path);
    file->package = "";
    if (proto->package && proto->package[0])
        file->package = check_name(pool, proto->package, true, false);
    if (file->package[0] == '.')
        yaff_pool_fail(pool, "the descriptor holds a name that is no identifier");
    read_imports(pool, proto, file);
    file->message_count = proto->n_message_type;
    file->messages = YAFF_NEW(pool, schema_message, proto->n_message_type);
    for (size_t i = 0; i < proto->n_message_type; i++)
        read_message(pool, proto->message_type[i], &file->messages[i], NULL, 1);
    file->enum_count = proto->n_enum_type;
    file->enums = YAFF_NEW(pool, schema_enum, proto->n_enum_type);
    for (size_t i = 0; i < proto->n_enum_type; i++)
        read_enum(pool, proto->enum_type[i], &file->enums[i], NULL);
    if (!proto->source_code_info) return;
    for (size_t i = 0; i < proto->source_code_info->n_location; i++)
        read_location(proto->source_code_info->location[i], file);
}

void yaff_schema_read(yaff_schema *schema, file_proto *const *files, size_t count)
{
    schema->file_count = count;
    schema->files = YAFF_NEW(&schema->pool, schema_file, count);
    for (size_t i = 0; i < count; i++) read_file(&schema->pool, files[i], &schema->files[i]);
}
