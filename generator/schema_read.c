/* Decodes descriptors, google/protobuf/descriptor.proto in wire form, into the model of schema.h. Reads
 * only what yaff needs, and the option (yaff.message). Any bytes are safe: malformed ones leave through
 * the pool. */
#include "schema.h"

#include <string.h>

static const char malformed[] = "these bytes are not a valid descriptor";

/* Wire form: one field after the other. */

typedef struct {
    const unsigned char *at, *end;
    yaff_pool *pool;
} reader;

typedef struct {
    uint32_t number;
    unsigned wire_type;
    uint64_t value; /* of varints and fixed fields */
    reader bytes;   /* of length-delimited fields */
} wire_field;

static reader reader_of(yaff_pool *pool, const void *data, size_t size)
{
    static const unsigned char none[1] = {0};
    const unsigned char *start = size ? data : none;
    reader r = {start, start + size, pool};
    return r;
}

static uint64_t read_varint(reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end) yaff_pool_fail(r->pool, "%s", malformed);
        unsigned char byte = *r->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    yaff_pool_fail(r->pool, "%s", malformed);
}

static const unsigned char *take(reader *r, uint64_t size)
{
    const unsigned char *start = r->at;
    if (size > (size_t)(r->end - r->at)) yaff_pool_fail(r->pool, "%s", malformed);
    r->at += size;
    return start;
}

/* The next field that is no group (descriptors have none; an unknown one is skipped). */
static bool next_field(reader *r, wire_field *f)
{
    uint64_t depth = 0;
    while (r->at != r->end) {
        uint64_t tag = read_varint(r);
        f->number = (uint32_t)(tag >> 3);
        f->wire_type = (unsigned)tag & 7;
        f->value = 0;
        f->bytes = reader_of(r->pool, NULL, 0);
        if (tag > UINT32_MAX || f->number == 0) yaff_pool_fail(r->pool, "%s", malformed);
        switch (f->wire_type) {
        case 0: f->value = read_varint(r); break;
        case 1: f->value = yaff_load64(take(r, 8)); break;
        case 2: {
            uint64_t size = read_varint(r);
            const unsigned char *data = take(r, size);
            f->bytes = reader_of(r->pool, data, (size_t)size);
            break;
        }
        case 3: depth++; continue;
        case 4:
            if (depth-- == 0) yaff_pool_fail(r->pool, "%s", malformed);
            continue;
        case 5: f->value = yaff_load32(take(r, 4)); break;
        default: yaff_pool_fail(r->pool, "%s", malformed);
        }
        if (depth == 0) return true;
    }
    if (depth) yaff_pool_fail(r->pool, "%s", malformed);
    return false;
}

/* How often the length-delimited field `number` occurs. */
static size_t count_of(reader r, uint32_t number)
{
    size_t count = 0;
    wire_field f;
    while (next_field(&r, &f))
        if (f.number == number && f.wire_type == 2) count++;
    return count;
}

static size_t size_of(const wire_field *f)
{
    return (size_t)(f->bytes.end - f->bytes.at);
}

static const char *text_of(const wire_field *f)
{
    return yaff_pool_copy(f->bytes.pool, f->bytes.at, size_of(f));
}

/* Names end up in C source, so only what protoc accepts passes. `dotted` is for packages and type
 * names; `digits` allows a digit first (the entry type of a map called _1). */
static const char *name_of(const wire_field *f, bool dotted, bool digits)
{
    bool start = true;
    for (const unsigned char *p = f->bytes.at; p != f->bytes.end; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        bool dot = dotted && *p == '.' && (!start || p == f->bytes.at);
        if (!letter && !(digit && (!start || digits)) && !dot)
            yaff_pool_fail(f->bytes.pool, "the descriptor holds a name that is no identifier");
        start = dot;
    }
    if (start || size_of(f) > SCHEMA_MAX_NAME)
        yaff_pool_fail(f->bytes.pool, "the descriptor holds a name that is empty or too long");
    return text_of(f);
}

/* Options */

static void read_removed(reader r, schema_message *m)
{
    wire_field f;
    schema_removed *removed = &m->removed[m->removed_count++];
    while (next_field(&r, &f)) {
        if (f.wire_type != 0) continue;
        if (f.number == 1) removed->number = (uint32_t)f.value;
        if (f.number == 2) removed->width = (uint32_t)f.value;
    }
}

/* yaff.MessageLayout */
static void read_layout(reader r, schema_message *m)
{
    wire_field f;
    size_t count = count_of(r, 2);
    if (count) {
        schema_removed *all = YAFF_NEW(r.pool, schema_removed, m->removed_count + count);
        if (m->removed_count) memcpy(all, m->removed, m->removed_count * sizeof *all);
        m->removed = all;
    }
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.wire_type == 0) m->layout = (uint32_t)f.value;
        if (f.number == 2 && f.wire_type == 2) read_removed(f.bytes, m);
    }
}

/* MessageOptions */
static void read_message_options(reader r, schema_message *m)
{
    wire_field f;
    while (next_field(&r, &f)) {
        if (f.number == 3 && f.wire_type == 0) m->deprecated = f.value != 0;
        if (f.number == 7 && f.wire_type == 0) m->map_entry = f.value != 0;
        if (f.number == 73101 && f.wire_type == 2) read_layout(f.bytes, m);
    }
}

/* FieldOptions */
static void read_field_options(reader r, schema_field *field)
{
    wire_field f;
    while (next_field(&r, &f)) {
        if (f.wire_type != 0) continue;
        if (f.number == 2) field->packed = f.value != 0;
        if (f.number == 3) field->deprecated = f.value != 0;
    }
}

/* EnumOptions (deprecated = 3) and EnumValueOptions (deprecated = 1) */
static bool read_deprecated(reader r, uint32_t number, bool before)
{
    wire_field f;
    while (next_field(&r, &f))
        if (f.number == number && f.wire_type == 0) before = f.value != 0;
    return before;
}

/* Declarations */

/* EnumValueDescriptorProto */
static void read_value(reader r, schema_value *value)
{
    wire_field f;
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.wire_type == 2) value->name = name_of(&f, false, false);
        if (f.number == 2 && f.wire_type == 0) value->number = (int32_t)(uint32_t)f.value;
        if (f.number == 3 && f.wire_type == 2)
            value->deprecated = read_deprecated(f.bytes, 1, value->deprecated);
    }
    if (!value->name) yaff_pool_fail(r.pool, "the descriptor holds an enum value with no name");
}

/* EnumDescriptorProto */
static void read_enum(reader r, schema_enum *e)
{
    wire_field f;
    e->values = YAFF_NEW(r.pool, schema_value, count_of(r, 2));
    while (next_field(&r, &f)) {
        if (f.wire_type != 2) continue;
        if (f.number == 1) e->name = name_of(&f, false, false);
        if (f.number == 2) read_value(f.bytes, &e->values[e->value_count++]);
        if (f.number == 3) e->deprecated = read_deprecated(f.bytes, 3, e->deprecated);
    }
    if (!e->name) yaff_pool_fail(r.pool, "the descriptor holds an enum with no name");
}

/* FieldDescriptorProto */
static void read_field(reader r, schema_field *field, schema_message *parent)
{
    wire_field f;
    field->parent = parent;
    field->label = LABEL_OPTIONAL;
    field->oneof_index = -1;
    field->packed = -1;
    while (next_field(&r, &f)) {
        bool bytes = f.wire_type == 2;
        if (f.wire_type != 0 && !bytes) continue;
        if (f.number == 1 && bytes) field->name = name_of(&f, false, false);
        if (f.number == 3 && !bytes) field->number = (int32_t)(uint32_t)f.value;
        if (f.number == 4 && !bytes) field->label = (uint32_t)f.value;
        if (f.number == 5 && !bytes) field->kind = (uint32_t)f.value;
        if (f.number == 6 && bytes) field->type_name = name_of(&f, true, true);
        if (f.number == 7 && bytes) {
            field->default_text = text_of(&f);
            field->default_text_size = size_of(&f);
        }
        if (f.number == 8 && bytes) read_field_options(f.bytes, field);
        if (f.number == 9 && !bytes) field->oneof_index = (int32_t)(uint32_t)f.value;
        if (f.number == 17 && !bytes) field->proto3_optional = f.value != 0;
    }
    if (!field->name) yaff_pool_fail(r.pool, "the descriptor holds a field with no name");
}

/* OneofDescriptorProto */
static void read_oneof(reader r, schema_oneof *oneof)
{
    wire_field f;
    while (next_field(&r, &f))
        if (f.number == 1 && f.wire_type == 2) oneof->name = name_of(&f, false, false);
    if (!oneof->name) yaff_pool_fail(r.pool, "the descriptor holds a oneof with no name");
}

/* DescriptorProto */
static void read_message(reader r, schema_message *m, unsigned depth)
{
    wire_field f;
    if (depth > SCHEMA_MAX_NESTING)
        yaff_pool_fail(r.pool, "messages are declared inside messages more than %d deep",
                        SCHEMA_MAX_NESTING);
    m->fields = YAFF_NEW(r.pool, schema_field, count_of(r, 2));
    m->messages = YAFF_NEW(r.pool, schema_message, count_of(r, 3));
    m->enums = YAFF_NEW(r.pool, schema_enum, count_of(r, 4));
    m->oneofs = YAFF_NEW(r.pool, schema_oneof, count_of(r, 8));
    while (next_field(&r, &f)) {
        if (f.wire_type != 2) continue;
        if (f.number == 1) m->name = name_of(&f, false, true);
        if (f.number == 2) read_field(f.bytes, &m->fields[m->field_count++], m);
        if (f.number == 3) {
            schema_message *nested = &m->messages[m->message_count++];
            nested->parent = m;
            read_message(f.bytes, nested, depth + 1);
        }
        if (f.number == 4) {
            schema_enum *e = &m->enums[m->enum_count++];
            e->parent = m;
            read_enum(f.bytes, e);
        }
        if (f.number == 7) read_message_options(f.bytes, m);
        if (f.number == 8) read_oneof(f.bytes, &m->oneofs[m->oneof_count++]);
    }
    if (!m->name) yaff_pool_fail(r.pool, "the descriptor holds a message with no name");
}

/* Comments: each location names a declaration by the field numbers and indices that lead to it from
 * FileDescriptorProto. */

enum { PATH_MAX_LENGTH = 2 * SCHEMA_MAX_NESTING + 4 };

typedef struct {
    uint64_t step[PATH_MAX_LENGTH];
    size_t length;
} location_path;

static const char **comment_of_enum(schema_enum *enums, size_t count, const location_path *path,
                                    size_t at)
{
    uint64_t index = path->step[at];
    if (index >= count) return NULL;
    if (path->length == at + 1) return &enums[index].comment;
    if (path->length == at + 3 && path->step[at + 1] == 2 &&
        path->step[at + 2] < enums[index].value_count)
        return &enums[index].values[path->step[at + 2]].comment;
    return NULL;
}

/* The comment of what the path leads to, or NULL when it leads nowhere we keep comments. */
static const char **comment_at(schema_file *file, const location_path *path)
{
    if (path->length == 1 && (path->step[0] == 12 || path->step[0] == 2)) return &file->comment;
    if (path->length < 2) return NULL;
    if (path->step[0] == 5) return comment_of_enum(file->enums, file->enum_count, path, 1);
    if (path->step[0] != 4 || path->step[1] >= file->message_count) return NULL;
    schema_message *m = &file->messages[path->step[1]];
    for (size_t at = 2;; at += 2) {
        if (at == path->length) return &m->comment;
        if (at + 1 >= path->length) return NULL;
        uint64_t kind = path->step[at], index = path->step[at + 1];
        bool last = at + 2 == path->length;
        if (kind == 4) return comment_of_enum(m->enums, m->enum_count, path, at + 1);
        if (kind == 2 && last && index < m->field_count) return &m->fields[index].comment;
        if (kind == 8 && last && index < m->oneof_count) return &m->oneofs[index].comment;
        if (kind != 3 || index >= m->message_count) return NULL;
        m = &m->messages[index];
    }
}

/* SourceCodeInfo.Location */
static void read_location(reader r, schema_file *file)
{
    location_path path;
    wire_field f;
    const char *leading = NULL, *trailing = NULL;
    path.length = 0;
    while (next_field(&r, &f)) {
        if (f.number == 1 && f.wire_type == 2) {
            while (f.bytes.at != f.bytes.end) {
                if (path.length == PATH_MAX_LENGTH) return;
                path.step[path.length++] = read_varint(&f.bytes);
            }
        }
        if (f.number == 3 && f.wire_type == 2) leading = text_of(&f);
        if (f.number == 4 && f.wire_type == 2) trailing = text_of(&f);
    }
    if (!leading) leading = trailing;
    if (!leading) return;
    const char **comment = comment_at(file, &path);
    if (comment && !*comment) *comment = leading;
}

/* SourceCodeInfo */
static void read_source_code_info(reader r, schema_file *file)
{
    wire_field f;
    while (next_field(&r, &f))
        if (f.number == 1 && f.wire_type == 2) read_location(f.bytes, file);
}

/* A path is printed in comments and #include lines. */
static const char *path_of(const wire_field *f)
{
    for (const unsigned char *p = f->bytes.at; p != f->bytes.end; p++)
        if (*p < 0x20 || *p == 0x7f || *p == '"' || *p == '\\')
            yaff_pool_fail(f->bytes.pool, "the descriptor holds a file name that is no path");
    if (size_of(f) == 0 || size_of(f) > SCHEMA_MAX_NAME)
        yaff_pool_fail(f->bytes.pool, "the descriptor holds a file name that is empty or too long");
    return text_of(f);
}

/* FileDescriptorProto */
static void read_file(reader r, schema_file *file)
{
    wire_field f;
    const char *syntax = "proto2";
    reader again = r;
    file->package = "";
    file->messages = YAFF_NEW(r.pool, schema_message, count_of(r, 4));
    file->enums = YAFF_NEW(r.pool, schema_enum, count_of(r, 5));
    file->imports = YAFF_NEW(r.pool, const char *, count_of(r, 3));
    file->import_public = YAFF_NEW(r.pool, bool, count_of(r, 3));
    while (next_field(&r, &f)) {
        if (f.wire_type != 2) continue;
        if (f.number == 1) file->path = path_of(&f);
        if (f.number == 2 && size_of(&f)) file->package = name_of(&f, true, false);
        if (f.number == 3) file->imports[file->import_count++] = path_of(&f);
        if (f.number == 4) read_message(f.bytes, &file->messages[file->message_count++], 1);
        if (f.number == 5) read_enum(f.bytes, &file->enums[file->enum_count++]);
        if (f.number == 12) syntax = text_of(&f);
    }
    if (!file->path) yaff_pool_fail(r.pool, "the descriptor holds a file with no name");
    if (file->package[0] == '.')
        yaff_pool_fail(r.pool, "the descriptor holds a name that is no identifier");
    file->proto3 = strcmp(syntax, "proto3") == 0;
    if (!file->proto3 && syntax[0] && strcmp(syntax, "proto2") != 0)
        yaff_pool_fail(r.pool, "%s: only the syntaxes proto2 and proto3 are supported", file->path);

    /* Once more, for what refers to the declarations above. */
    while (next_field(&again, &f)) {
        if (f.number == 9 && f.wire_type == 2) read_source_code_info(f.bytes, file);
        if (f.number == 10 && f.wire_type == 0 && f.value < file->import_count)
            file->import_public[f.value] = true;
        if (f.number == 10 && f.wire_type == 2) {
            while (f.bytes.at != f.bytes.end) {
                uint64_t index = read_varint(&f.bytes);
                if (index < file->import_count) file->import_public[index] = true;
            }
        }
    }
}

void yaff_schema_read(yaff_schema *schema, const void *data, size_t size, uint32_t number)
{
    reader r = reader_of(&schema->pool, data, size);
    wire_field f;
    schema->files = YAFF_NEW(r.pool, schema_file, count_of(r, number));
    while (next_field(&r, &f))
        if (f.number == number && f.wire_type == 2)
            read_file(f.bytes, &schema->files[schema->file_count++]);
}

const char **yaff_schema_read_strings(yaff_pool *pool, const void *data, size_t size, uint32_t number,
                                      size_t *count)
{
    reader r = reader_of(pool, data, size);
    wire_field f;
    const char **strings = YAFF_NEW(pool, const char *, count_of(r, number));
    *count = 0;
    while (next_field(&r, &f))
        if (f.number == number && f.wire_type == 2) strings[(*count)++] = text_of(&f);
    return strings;
}
