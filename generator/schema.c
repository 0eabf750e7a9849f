/* Links the model: resolves type names, parses defaults, and refuses with one sentence what cannot
 * be laid out. See schema.h. */
#include "schema.h"

#include "layout/walk.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Diagnoses: "feed.proto: feed.Item.author: sentence". */

#define FAIL_MESSAGE(schema, m, ...)                                                               \
    fail_message(schema, m, yaff_pool_format(&(schema)->pool, __VA_ARGS__))
#define FAIL_FIELD(schema, f, ...)                                                                 \
    fail_field(schema, f, yaff_pool_format(&(schema)->pool, __VA_ARGS__))

_Noreturn static void fail_message(yaff_schema *schema, const schema_message *m,
                                   const char *sentence)
{
    yaff_pool_fail(&schema->pool, "%s: %s: %s", m->file->path, m->full_name, sentence);
}

_Noreturn static void fail_field(yaff_schema *schema, const schema_field *f, const char *sentence)
{
    yaff_pool_fail(&schema->pool, "%s: %s.%s: %s", f->parent->file->path, f->parent->full_name,
                   f->name, sentence);
}

/* Full names */

static const char *join(yaff_schema *schema, const schema_file *file, const char *scope,
                        const char *name)
{
    size_t size = strlen(scope) + strlen(name) + 1;
    if (size > SCHEMA_MAX_NAME)
        yaff_pool_fail(&schema->pool, "%s: a full name is longer than %d bytes", file->path,
                       SCHEMA_MAX_NAME);
    return scope[0] ? yaff_pool_format(&schema->pool, "%s.%s", scope, name) : name;
}

static void name_enum(yaff_schema *schema, schema_file *file, schema_enum *e, const char *scope)
{
    e->file = file;
    e->full_name = join(schema, file, scope, e->name);
    if (e->value_count == 0)
        yaff_pool_fail(&schema->pool, "%s: %s: an enum needs at least one value", file->path,
                       e->full_name);
}

static void name_message(yaff_schema *schema, schema_file *file, schema_message *m,
                         const char *scope)
{
    m->file = file;
    m->full_name = join(schema, file, scope, m->name);
    file->all_message_count++;
    file->all_enum_count += m->enum_count;
    for (size_t i = 0; i < m->enum_count; i++) name_enum(schema, file, &m->enums[i], m->full_name);
    for (size_t i = 0; i < m->message_count; i++)
        name_message(schema, file, &m->messages[i], m->full_name);
}

static void list_messages(schema_file *file, schema_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        schema_message *m = &messages[i];
        file->all_messages[file->all_message_count++] = m;
        for (size_t j = 0; j < m->enum_count; j++)
            file->all_enums[file->all_enum_count++] = &m->enums[j];
        list_messages(file, m->messages, m->message_count);
    }
}

static void name_file(yaff_schema *schema, schema_file *file)
{
    file->all_enum_count = file->enum_count;
    for (size_t i = 0; i < file->enum_count; i++)
        name_enum(schema, file, &file->enums[i], file->package);
    for (size_t i = 0; i < file->message_count; i++)
        name_message(schema, file, &file->messages[i], file->package);

    file->all_messages = YAFF_NEW(&schema->pool, schema_message *, file->all_message_count);
    file->all_enums = YAFF_NEW(&schema->pool, schema_enum *, file->all_enum_count);
    file->all_message_count = 0;
    file->all_enum_count = 0;
    for (size_t i = 0; i < file->enum_count; i++)
        file->all_enums[file->all_enum_count++] = &file->enums[i];
    list_messages(file, file->messages, file->message_count);
}

/* The table of names: open addressing, FNV-1a, at most half full. */

static schema_name *slot_of(const yaff_schema *schema, const char *name, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    size_t i = (size_t)(hash ^ hash >> 32) & (schema->name_slots - 1);
    while (schema->names[i].name &&
           (strncmp(schema->names[i].name, name, size) != 0 || schema->names[i].name[size] != 0))
        i = (i + 1) & (schema->name_slots - 1);
    return &schema->names[i];
}

static schema_name *add_name(yaff_schema *schema, const schema_file *file, const char *name)
{
    schema_name *slot = slot_of(schema, name, strlen(name));
    if (slot->name) {
        const schema_file *other = slot->message ? slot->message->file : slot->enumeration->file;
        yaff_pool_fail(&schema->pool, "%s: %s: declared twice, here and in %s", file->path, name,
                       other->path);
    }
    slot->name = name;
    return slot;
}

const schema_name *yaff_schema_find(const yaff_schema *schema, const char *name, size_t size)
{
    if (size == 0 || memchr(name, 0, size)) return NULL;
    const schema_name *slot = slot_of(schema, name, size);
    return slot->name ? slot : NULL;
}

static void add_names(yaff_schema *schema)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->file_count; i++)
        count += schema->files[i].all_message_count + schema->files[i].all_enum_count;
    schema->name_slots = 8;
    while (schema->name_slots < 2 * count) schema->name_slots *= 2;
    schema->names = YAFF_NEW(&schema->pool, schema_name, schema->name_slots);
    for (size_t i = 0; i < schema->file_count; i++) {
        const schema_file *file = &schema->files[i];
        for (size_t j = 0; j < file->all_message_count; j++)
            add_name(schema, file, file->all_messages[j]->full_name)->message =
                file->all_messages[j];
        for (size_t j = 0; j < file->all_enum_count; j++)
            add_name(schema, file, file->all_enums[j]->full_name)->enumeration = file->all_enums[j];
    }
}

/* A type name as a field writes it: ".pkg.Msg" is a full name (protoc writes only these), others
 * are searched from the innermost scope outward. */
static const schema_name *resolve(yaff_schema *schema, const schema_field *f)
{
    const char *name = f->type_name, *scope = f->parent->full_name;
    char full[2 * SCHEMA_MAX_NAME + 2];
    size_t size = strlen(scope);
    if (name[0] == '.') return yaff_schema_find(schema, name + 1, strlen(name + 1));
    for (;;) {
        snprintf(full, sizeof full, "%.*s%s%s", (int)size, scope, size ? "." : "", name);
        const schema_name *found = yaff_schema_find(schema, full, strlen(full));
        if (found || size == 0) return found;
        do size--;
        while (size && scope[size] != '.');
    }
}

/* Defaults */

static bool parse_unsigned(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (digit > 9 || *value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* A decimal integer between min and max, as its two's complement bits. */
static bool parse_integer(const char *text, int64_t min, uint64_t max, uint64_t *bits)
{
    bool negative = text[0] == '-';
    uint64_t value;
    if (!parse_unsigned(text + negative, &value)) return false;
    if (value > (negative ? (uint64_t)0 - (uint64_t)min : max)) return false;
    *bits = negative ? (uint64_t)0 - value : value;
    return true;
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') text++;
    return text;
}

/* As protoc prints it: "inf", "-inf", "nan", or a decimal number with a point whatever the locale.
 */
static bool parse_double(yaff_schema *schema, const char *text, double *value)
{
    if (strcmp(text, "nan") == 0 || strcmp(text, "-nan") == 0) {
        *value = (double)NAN;
        return true;
    }
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *value = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    const char *whole = text + (text[0] == '-'), *point = skip_digits(whole), *end = point;
    if (*end == '.') end = skip_digits(end + 1);
    if (end - whole < 1 || (*point == '.' && end - whole < 2)) return false;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        end = skip_digits(exponent);
        if (end == exponent) return false;
    }
    if (*end) return false;
    if (*point == '.')
        text = yaff_pool_format(&schema->pool, "%.*s%s%s", (int)(point - text), text,
                                localeconv()->decimal_point, point + 1);
    *value = strtod(text, NULL);
    return true;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    if (isnan(value)) return UINT64_C(0x7ff8000000000000);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Rounded as Protobuf does: from the double; beyond float's range it is infinite. */
static uint64_t float_bits(double value)
{
    static const double limit = 3.4028235677973366e38; /* from here on a float rounds to infinity */
    uint32_t bits;
    float rounded;
    if (isnan(value)) return 0x7fc00000u;
    if (value >= limit)
        rounded = INFINITY;
    else if (value <= -limit)
        rounded = -INFINITY;
    else if (value > (double)FLT_MAX)
        rounded = FLT_MAX;
    else if (value < -(double)FLT_MAX)
        rounded = -FLT_MAX;
    else
        rounded = (float)value;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* Undoes the C escapes in which a descriptor holds a bytes default. */
static bool unescape(const char *text, size_t size, char *out, size_t *out_size)
{
    static const char plain[] = "nrtabfv\\'\"?", meant[] = "\n\r\t\a\b\f\v\\'\"?";
    const char *end = text + size;
    *out_size = 0;
    while (text < end) {
        char c = *text++;
        if (c == '\\') {
            int base = 0, most = 3;
            if (text == end) return false;
            const char *found = *text ? strchr(plain, *text) : NULL;
            if (found) {
                c = meant[found - plain];
                text++;
            } else if (*text == 'x' || *text == 'X') {
                base = 16, most = 2;
                text++;
            } else {
                base = 8;
            }
            if (base) {
                int value = 0, digits = 0;
                while (digits < most && text < end && digit_of(*text) < base) {
                    value = value * base + digit_of(*text++);
                    digits++;
                }
                if (digits == 0 || value > 255) return false;
                c = (char)(unsigned char)value;
            }
        }
        out[(*out_size)++] = c;
    }
    return true;
}

static bool parse_text_default(yaff_schema *schema, schema_field *f)
{
    char *data = yaff_pool_copy(&schema->pool, f->default_text, f->default_text_size);
    size_t size = f->default_text_size;
    if (f->kind == YAFF_KIND_BYTES) {
        if (!unescape(f->default_text, f->default_text_size, data, &size)) return false;
        data[size] = 0;
    }
    f->default_data = data;
    f->default_bits = size;
    return true;
}

static bool parse_enum_default(schema_field *f)
{
    schema_enum *e = f->enumeration;
    for (size_t i = 0; i < e->value_count; i++) {
        if (strcmp(e->values[i].name, f->default_text) != 0) continue;
        f->default_name = &e->values[i];
        f->default_bits = (uint32_t)e->values[i].number;
        return true;
    }
    return false;
}

static bool parse_default(yaff_schema *schema, schema_field *f)
{
    const char *text = f->default_text;
    uint64_t *bits = &f->default_bits;
    double number;
    bool ok;
    if (f->label == LABEL_REPEATED) return false;
    if (schema_is_text(f->kind)) return parse_text_default(schema, f);
    if (strlen(text) != f->default_text_size) return false;
    switch (f->kind) {
    case YAFF_KIND_DOUBLE:
        if (!parse_double(schema, text, &number)) return false;
        *bits = double_bits(number);
        return true;
    case YAFF_KIND_FLOAT:
        if (!parse_double(schema, text, &number)) return false;
        *bits = float_bits(number);
        return true;
    case YAFF_KIND_INT32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_SFIXED32:
        ok = parse_integer(text, INT32_MIN, INT32_MAX, bits);
        *bits &= UINT32_MAX;
        return ok;
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return parse_integer(text, 0, UINT32_MAX, bits);
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        return parse_integer(text, INT64_MIN, INT64_MAX, bits);
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        return parse_integer(text, 0, UINT64_MAX, bits);
    case YAFF_KIND_BOOL:
        *bits = strcmp(text, "true") == 0;
        return *bits || strcmp(text, "false") == 0;
    case YAFF_KIND_ENUM:
        return parse_enum_default(f);
    default:
        return false;
    }
}

static void link_default(yaff_schema *schema, schema_field *f)
{
    if (schema_is_text(f->kind)) f->default_data = "";
    if (f->kind == YAFF_KIND_ENUM && f->label != LABEL_REPEATED) {
        /* Without a default of its own, an enum field starts as the first value listed. */
        f->default_name = &f->enumeration->values[0];
        f->default_bits = (uint32_t)f->default_name->number;
    }
    if (f->default_text && !parse_default(schema, f))
        FAIL_FIELD(schema, f, "its default is not a value of its type");
    if (f->default_bits) f->flags |= YAFF_FIELD_DEFAULT;
}

/* Fields */

static uint8_t width_of(const schema_field *f)
{
    if (f->label == LABEL_REPEATED) return 8;
    if (f->message != NULL && f->parent->layout == YAFF_LAYOUT_FIXED &&
        f->message->layout == YAFF_LAYOUT_FIXED)
        return 0; /* inline */
    return (uint8_t)yaff_kind_width((unsigned)f->kind);
}

static void link_type(yaff_schema *schema, schema_field *f)
{
    bool message = f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP;
    bool wanted = message || f->kind == YAFF_KIND_ENUM || f->kind == 0;
    if (f->kind > YAFF_KIND_SINT64 || (wanted && !f->type_name))
        FAIL_FIELD(schema, f, "it has no known type");
    if (!wanted) return;
    const schema_name *found = resolve(schema, f);
    if (!found) FAIL_FIELD(schema, f, "its type %s is not defined", f->type_name);
    if (f->kind == 0) f->kind = found->message ? YAFF_KIND_MESSAGE : YAFF_KIND_ENUM;
    if ((f->kind == YAFF_KIND_ENUM) != (found->enumeration != NULL))
        FAIL_FIELD(schema, f, "its type %s is not %s", f->type_name,
                   f->kind == YAFF_KIND_ENUM ? "an enum" : "a message");
    f->message = found->message;
    f->enumeration = found->enumeration;
}

static void link_oneof(yaff_schema *schema, schema_field *f)
{
    schema_message *m = f->parent;
    if (f->oneof_index == -1) return;
    if (f->oneof_index < 0 || (size_t)f->oneof_index >= m->oneof_count)
        FAIL_FIELD(schema, f, "its oneof does not exist");
    if (f->label != LABEL_OPTIONAL) FAIL_FIELD(schema, f, "a oneof's member must be singular");
    if (f->proto3_optional) return; /* the oneof is synthetic */
    f->oneof = &m->oneofs[f->oneof_index];
    f->oneof->member_count++;
}

static bool has_presence(const schema_field *f)
{
    if (f->label == LABEL_REPEATED || f->parent->layout == YAFF_LAYOUT_FIXED) return false;
    return !f->parent->file->proto3 || f->proto3_optional || f->oneof || f->message ||
           f->label == LABEL_REQUIRED;
}

static void link_flags(yaff_schema *schema, schema_field *f)
{
    bool proto3 = f->parent->file->proto3;
    if (f->label == LABEL_REPEATED) {
        f->flags |= YAFF_FIELD_REPEATED;
        bool packed = f->packed < 0 ? proto3 : f->packed;
        if (packed && schema_is_scalar(f->kind)) f->flags |= YAFF_FIELD_PACKED;
    }
    if (f->message && f->message->map_entry) {
        if (f->label != LABEL_REPEATED || f->message->parent != f->parent ||
            f->kind != YAFF_KIND_MESSAGE)
            FAIL_FIELD(schema, f, "only a map field can have a map entry's type");
        f->flags |= YAFF_FIELD_MAP;
    }
    if (has_presence(f)) f->flags |= YAFF_FIELD_PRESENCE;
    if (f->label == LABEL_REQUIRED) f->flags |= YAFF_FIELD_REQUIRED;
    if (f->kind == YAFF_KIND_STRING && proto3) f->flags |= YAFF_FIELD_UTF8;
    if (f->enumeration && !proto3)
        f->flags |= YAFF_FIELD_CLOSED; /* by the field's file, as protobuf C++ */
    if (f->deprecated) f->flags |= YAFF_FIELD_DEPRECATED;
}

/* What a Fixed message may hold. */
static void check_fixed_field(yaff_schema *schema, const schema_field *f)
{
    if (f->parent->map_entry || f->label == LABEL_REPEATED) return;
    if (f->oneof) FAIL_FIELD(schema, f, "a Fixed message cannot have a oneof");
    if (schema_is_text(f->kind) && f->default_bits)
        FAIL_FIELD(schema, f, "a Fixed message cannot have a %s default",
                   f->kind == YAFF_KIND_STRING ? "string" : "bytes");
    if (f->proto3_optional || (!f->parent->file->proto3 && f->label == LABEL_OPTIONAL))
        FAIL_FIELD(schema, f, "a Fixed message cannot have an optional field");
    if (f->message && f->message->layout != YAFF_LAYOUT_FIXED)
        FAIL_FIELD(schema, f, "a singular message in a Fixed message must be Fixed, and %s is not",
                   f->message->full_name);
}

static void link_field(yaff_schema *schema, schema_field *f)
{
    if (f->number < 1 || f->number > SCHEMA_MAX_NUMBER)
        FAIL_FIELD(schema, f, "its number %ld is not between 1 and %d", (long)f->number,
                   SCHEMA_MAX_NUMBER);
    if (f->label < LABEL_OPTIONAL || f->label > LABEL_REPEATED)
        FAIL_FIELD(schema, f, "it is neither optional, required nor repeated");
    link_type(schema, f);
    link_oneof(schema, f);
    link_flags(schema, f);
    link_default(schema, f);
    f->width = width_of(f);
    if (f->parent->layout == YAFF_LAYOUT_FIXED) check_fixed_field(schema, f);
    if (f->parent->layout == YAFF_LAYOUT_FLAT && f->number > 8191)
        FAIL_FIELD(schema, f, "a Flat message cannot have numbers above 8191, and this is %ld",
                   (long)f->number);
}

/* Messages */

static int by_number(const void *a, const void *b)
{
    const schema_field *x = *(schema_field *const *)a, *y = *(schema_field *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(schema_field *const *)a)->name, (*(schema_field *const *)b)->name);
}

static int by_removed_number(const void *a, const void *b)
{
    const schema_removed *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_rows(yaff_schema *schema, schema_message *m)
{
    m->rows = YAFF_NEW(&schema->pool, schema_field *, m->field_count);
    for (size_t i = 0; i < m->field_count; i++) m->rows[i] = &m->fields[i];
    if (m->field_count == 0) return;
    qsort(m->rows, m->field_count, sizeof *m->rows, by_name);
    for (size_t i = 1; i < m->field_count; i++)
        if (strcmp(m->rows[i]->name, m->rows[i - 1]->name) == 0)
            FAIL_FIELD(schema, m->rows[i], "two fields have this name");
    qsort(m->rows, m->field_count, sizeof *m->rows, by_number);
    for (size_t i = 1; i < m->field_count; i++)
        if (m->rows[i]->number == m->rows[i - 1]->number)
            FAIL_FIELD(schema, m->rows[i], "it has number %ld, and so has %s",
                       (long)m->rows[i]->number, m->rows[i - 1]->name);
    for (uint32_t i = 0; i < m->field_count; i++) m->rows[i]->row = i;
}

static void check_removed(yaff_schema *schema, schema_message *m)
{
    if (m->removed_count)
        qsort(m->removed, m->removed_count, sizeof *m->removed, by_removed_number);
    size_t row = 0;
    for (size_t i = 0; i < m->removed_count; i++) {
        const schema_removed *r = &m->removed[i];
        if (r->number < 1 || r->number > SCHEMA_MAX_NUMBER)
            FAIL_MESSAGE(schema, m, "the removed number %lu is not between 1 and %d",
                         (unsigned long)r->number, SCHEMA_MAX_NUMBER);
        if (r->width != 1 && r->width != 4 && r->width != 8)
            FAIL_MESSAGE(schema, m, "the removed number %lu has width %lu, which is not 1, 4 or 8",
                         (unsigned long)r->number, (unsigned long)r->width);
        if (i && r->number == m->removed[i - 1].number)
            FAIL_MESSAGE(schema, m, "number %lu is removed twice", (unsigned long)r->number);
        if (m->layout == YAFF_LAYOUT_FLAT && r->number > 8191)
            FAIL_MESSAGE(schema, m,
                         "a Flat message cannot have numbers above 8191, and %lu is removed",
                         (unsigned long)r->number);
        while (row < m->field_count && (uint32_t)m->rows[row]->number < r->number) row++;
        if (row < m->field_count && (uint32_t)m->rows[row]->number == r->number)
            FAIL_FIELD(schema, m->rows[row], "its number %lu is also told to be removed",
                       (unsigned long)r->number);
    }
}

static void check_map_entry(yaff_schema *schema, const schema_message *m)
{
    bool shape = m->field_count == 2 && m->removed_count == 0 && m->rows[0]->number == 1 &&
                 m->rows[1]->number == 2;
    for (size_t i = 0; shape && i < 2; i++)
        shape = m->rows[i]->label == LABEL_OPTIONAL && !m->rows[i]->oneof &&
                !m->rows[i]->proto3_optional;
    if (!shape || m->rows[1]->kind == YAFF_KIND_GROUP)
        FAIL_MESSAGE(schema, m, "a map entry must be {key = 1; value = 2}");
    uint32_t key = m->rows[0]->kind;
    if (key == YAFF_KIND_DOUBLE || key == YAFF_KIND_FLOAT || key == YAFF_KIND_BYTES ||
        key == YAFF_KIND_ENUM || m->rows[0]->message)
        FAIL_MESSAGE(schema, m, "a map's key must be an integer, a bool or a string");
}

static void link_message(yaff_schema *schema, schema_message *m)
{
    if (m->oneof_count > UINT16_MAX - 1u || m->field_count > UINT16_MAX)
        FAIL_MESSAGE(schema, m, "too many fields or oneofs");
    for (size_t i = 0; i < m->field_count; i++) link_field(schema, &m->fields[i]);
    sort_rows(schema, m);
    check_removed(schema, m);
    if (m->map_entry) check_map_entry(schema, m);
    for (size_t i = 0; i < m->field_count; i++) {
        schema_oneof *o = m->rows[i]->oneof;
        if (!o) continue;
        if (!o->first) o->first = m->rows[i];
        o->last = m->rows[i];
    }
    uint16_t index = 0;
    for (size_t i = 0; i < m->oneof_count; i++)
        if (m->oneofs[i].member_count) m->oneofs[i].index = index++;
}

/* Fills m->depth: how deep Fixed messages stand inline in it. Only singular ones do. */
static void measure_fixed(yaff_schema *schema, schema_message *m, uint32_t above)
{
    static const uint32_t on_the_way = UINT32_MAX;
    uint32_t depth = 1;
    m->depth = on_the_way;
    for (size_t i = 0; i < m->field_count; i++) {
        const schema_field *f = &m->fields[i];
        if (f->width != 0) continue;
        if (f->message->depth == on_the_way)
            FAIL_FIELD(schema, f, "a Fixed message cannot contain itself, except repeated");
        if (f->message->depth == 0 && above < SCHEMA_MAX_NESTING)
            measure_fixed(schema, f->message, above + 1);
        if (f->message->depth == 0 || f->message->depth >= SCHEMA_MAX_NESTING)
            FAIL_FIELD(schema, f, "Fixed messages are nested more than %d deep",
                       SCHEMA_MAX_NESTING);
        if (f->message->depth >= depth) depth = f->message->depth + 1;
    }
    m->depth = depth;
}

schema_file *yaff_schema_file(const yaff_schema *schema, const char *path)
{
    for (size_t i = 0; i < schema->file_count; i++)
        if (strcmp(schema->files[i].path, path) == 0) return &schema->files[i];
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_files(yaff_schema *schema)
{
    const char **paths = YAFF_NEW(&schema->pool, const char *, schema->file_count);
    for (size_t i = 0; i < schema->file_count; i++) paths[i] = schema->files[i].path;
    if (schema->file_count) qsort(paths, schema->file_count, sizeof *paths, by_path);
    for (size_t i = 1; i < schema->file_count; i++)
        if (strcmp(paths[i], paths[i - 1]) == 0)
            yaff_pool_fail(&schema->pool, "%s: the file is given twice", paths[i]);
}

void yaff_schema_link(yaff_schema *schema)
{
    check_files(schema);
    for (size_t i = 0; i < schema->file_count; i++) name_file(schema, &schema->files[i]);
    add_names(schema);

    size_t count = 0;
    for (size_t i = 0; i < schema->file_count; i++) count += schema->files[i].all_message_count;
    schema_message **all = YAFF_NEW(&schema->pool, schema_message *, count);
    count = 0;
    for (size_t i = 0; i < schema->file_count; i++)
        for (size_t j = 0; j < schema->files[i].all_message_count; j++)
            all[count++] = schema->files[i].all_messages[j];

    for (size_t i = 0; i < count; i++) {
        if (all[i]->layout > YAFF_LAYOUT_SPARSE)
            FAIL_MESSAGE(schema, all[i], "its layout %lu does not exist",
                         (unsigned long)all[i]->layout);
        if (all[i]->map_entry) all[i]->layout = YAFF_LAYOUT_FIXED;
    }
    for (size_t i = 0; i < count; i++) link_message(schema, all[i]);
    for (size_t i = 0; i < count; i++)
        if (all[i]->layout == YAFF_LAYOUT_FIXED && all[i]->depth == 0)
            measure_fixed(schema, all[i], 0);
}
