/* The linked model of a set of .proto files: what descriptors say, with names resolved, defaults
 * parsed and every rule of the layouts checked. schema_read.c reads descriptors into it, schema.c
 * links it, tables.c adds the yaff_type of each message; names.c and the emitters only read it. */
#ifndef YAFF_SCHEMA_H
#define YAFF_SCHEMA_H

#include "pool.h"

#include <yaff/type.h>

typedef struct schema_file schema_file;
typedef struct schema_message schema_message;
typedef struct schema_enum schema_enum;
typedef struct schema_field schema_field;
typedef struct schema_oneof schema_oneof;

enum {
    SCHEMA_MAX_NUMBER = 536870911, /* Protobuf's highest field number */
    SCHEMA_MAX_NESTING = 100,      /* messages inside messages, in the file or inline in Fixed */
    SCHEMA_MAX_FIXED = 65528,      /* bytes of a Fixed struct */
    SCHEMA_MAX_NAME = 4095         /* bytes of a full name */
};

/* FieldDescriptorProto.Label */
typedef enum { LABEL_OPTIONAL = 1, LABEL_REQUIRED = 2, LABEL_REPEATED = 3 } schema_label;

typedef struct schema_value {
    const char *name;
    int32_t number;
    const char *comment; /* as in the source, NULL when there is none; so everywhere */
    bool deprecated;
    const char *symbol; /* of names.c; so everywhere */
} schema_value;

struct schema_enum {
    const char *name;
    const char *full_name; /* "pkg.Msg.Color" */
    const char *comment;
    schema_file *file;
    schema_message *parent; /* NULL at top level */
    schema_value *values;   /* as declared; at least one */
    size_t value_count;
    bool deprecated;
    const yaff_enum *table;
    struct {
        const char *type;
        const char *prefix; /* what its values begin with, without the underscore */
        const char *name;   /* the function from number to name */
        const char *table;
        const char *rows; /* array of the table */
    } symbols;
};

struct schema_oneof {
    const char *name;
    const char *comment;
    uint32_t member_count;            /* 0 for the synthetic oneof of a proto3 `optional` */
    const schema_field *first, *last; /* of its members, in number order */
    uint16_t index;                   /* among the message's real oneofs */
    struct {
        const char *stem;
        const char *which; /* the function that tells the member set */
        const char *none;
    } symbols;
};

struct schema_field {
    const char *name;
    const char *comment;
    schema_message *parent;
    int32_t number; /* 1 .. SCHEMA_MAX_NUMBER */
    uint32_t label; /* schema_label */
    uint32_t kind;  /* yaff_kind */
    const char *type_name;
    const char *default_text; /* NULL when the schema names no default; a NUL stands behind it */
    size_t default_text_size;
    int32_t oneof_index; /* as declared, -1 = none */
    int packed;          /* as declared: 0, 1, or -1 = not told */
    bool proto3_optional;
    bool deprecated;

    schema_message *message;    /* of a message, group or map field */
    schema_enum *enumeration;   /* of an enum field */
    schema_oneof *oneof;        /* the real oneof it is a member of */
    schema_value *default_name; /* of an enum: the value that is its default */
    uint16_t flags;             /* YAFF_FIELD_… */
    uint8_t width;              /* of its cell; 0 for a Fixed message inline in a Fixed struct */
    uint64_t default_bits;      /* as in yaff_field */
    const char *default_data;
    uint32_t row; /* in parent->table->fields */
    struct {
        const char *get; /* accessor; of a repeated field the raw array */
        const char *has;
        const char *size;
        const char *at;
        const char *find;
        const char *get_key; /* of a map: the value of a key */
        const char *span;    /* of a repeated field: its span's bits */
        const char *choice;  /* constant of a oneof member */
        const char *array;   /* of a repeated message: its elements for gathers */
        const char *gather;  /* of a singular field: it in many messages */
        const char *member;  /* of the C struct */
    } symbols;
};

/* A field that was removed with its place kept: option (yaff.message).removed. */
typedef struct schema_removed {
    uint32_t number;
    uint32_t width;
} schema_removed;

struct schema_message {
    const char *name;
    const char *full_name; /* "pkg.Msg.Nested" */
    const char *comment;
    schema_file *file;
    schema_message *parent; /* NULL at top level */
    schema_field *fields;   /* as declared */
    size_t field_count;
    schema_field **rows; /* the fields in ascending number */
    schema_message *messages;
    size_t message_count;
    schema_enum *enums;
    size_t enum_count;
    schema_oneof *oneofs; /* as declared, synthetic ones too */
    size_t oneof_count;
    schema_removed *removed; /* in ascending number */
    size_t removed_count;
    uint32_t layout; /* yaff_layout */
    bool map_entry;
    bool deprecated;

    uint32_t depth; /* of Fixed structs inline in it; 0 = not known yet */
    yaff_type *table;
    yaff_field *table_rows; /* table->fields */
    bool instance_is_zero;  /* of a Fixed message: all its defaults are zero */
    struct {
        const char *type;   /* the typedef and struct tag */
        const char *prefix; /* what its other symbols begin with, without the underscore */
        const char *table;
        const char *instance;
        const char *view, *open, *from_wire, *wire_size, *to_wire, *fields, *unknown;
        const char *body;                                  /* struct of the Flat body */
        const char *array;                                 /* struct of many of them, for gathers */
        const char *rows, *blocks, *oneofs, *index, *tags; /* arrays of the table */
    } symbols;
};

struct schema_file {
    const char *path; /* as protoc names it: "feed/v1/item.proto" */
    const char *package;
    const char *comment; /* above `syntax` or `package` */
    bool proto3;
    const char **imports;
    size_t import_count;
    bool *import_public;
    schema_message *messages; /* top level */
    size_t message_count;
    schema_enum *enums;
    size_t enum_count;
    schema_message **all_messages; /* nested ones too: parents before children, as declared */
    size_t all_message_count;
    schema_enum **all_enums;
    size_t all_enum_count;
    struct {
        const char *header; /* output paths */
        const char *source;
        const char *guard;
    } symbols;
};

/* An open hash table from full names to messages and enums. */
typedef struct schema_name {
    const char *name;
    schema_message *message;
    schema_enum *enumeration;
} schema_name;

struct Google__Protobuf__FileDescriptorProto;

typedef struct yaff_schema {
    yaff_pool pool;
    schema_file *files;
    size_t file_count;
    schema_name *names; /* name_slots of them, a power of two */
    size_t name_slots;
    const yaff_type **types; /* every message of every file, in their order */
    size_t type_count;
    const yaff_enum **enums;
    size_t enum_count;
} yaff_schema;

/* schema_read.c: reads `count` FileDescriptorProtos, which must live as long as the schema, into
 * schema->files. Leaves through the pool when one holds what none may. */
void yaff_schema_read(yaff_schema *schema,
                      struct Google__Protobuf__FileDescriptorProto *const *files, size_t count);

/* schema.c: resolves names, parses defaults, checks every rule. Leaves through the pool with
 * "file: element: sentence". */
void yaff_schema_link(yaff_schema *schema);

/* The message or enum of a full name (no leading dot), or NULL. */
const schema_name *yaff_schema_find(const yaff_schema *schema, const char *name, size_t size);

/* The file of a path, or NULL. */
schema_file *yaff_schema_file(const yaff_schema *schema, const char *path);

/* Whether the kind's cells hold a number (bool and enum included) and its arrays raw cells. */
static inline bool schema_is_scalar(uint32_t kind)
{
    return kind != YAFF_KIND_STRING && kind != YAFF_KIND_BYTES && kind != YAFF_KIND_MESSAGE &&
           kind != YAFF_KIND_GROUP;
}

static inline bool schema_is_text(uint32_t kind)
{
    return kind == YAFF_KIND_STRING || kind == YAFF_KIND_BYTES;
}

#endif
