/* The generator from descriptors to names and tables: what is accepted and how it is named,
 * defaults to the bit, numbers to the limit, and for everything else one diagnosis. The schemas in
 * protos/ are compiled into the test library in C, and their headers as C++; that they compile is a
 * test of its own. Schemas that protoc would refuse are written here as descriptors, field by
 * field. */
#include "generator/plugin.h"
#include "generator/tables.h"

#include <yaff/frame.h>
#include <yaff/lanes.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "defaults.yaff.h"
#include "fixed2.yaff.h"
#include "keywords.yaff.h"
#include "layouts.yaff.h"
#include "names.yaff.h"
#include "numbers.yaff.h"
#include "odd.yaff.h"
#include "public_user.yaff.h"

/* ---- Bytes ---- */

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size)
{
    b->data = realloc(b->data, b->size + size + 1);
    cr_assert_not_null(b->data);
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
}

static void add_varint(bytes *b, uint64_t value)
{
    do {
        char septet = (char)(value >= 0x80 ? (value & 0x7f) | 0x80 : value);
        add(b, &septet, 1);
        value >>= 7;
    } while (value);
}

static void add_number(bytes *b, unsigned number, uint64_t value)
{
    add_varint(b, number << 3);
    add_varint(b, value);
}

static void add_field(bytes *b, unsigned number, const void *data, size_t size)
{
    add_varint(b, number << 3 | 2);
    add_varint(b, size);
    add(b, data, size);
}

static void add_text(bytes *b, unsigned number, const char *text)
{
    add_field(b, number, text, strlen(text));
}

/* Adds and frees `part`. */
static void add_part(bytes *b, unsigned number, bytes part)
{
    add_field(b, number, part.data ? part.data : "", part.size);
    free(part.data);
}

/* The message without any field, where the compiler cannot see that it is: gcc would warn of the cells
 * that it has not, although no accessor goes there. */
static const void *volatile nothing = YAFF_EMPTY_MESSAGE;

static bytes slurp(const char *path)
{
    bytes b = {NULL, 0};
    char block[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    add(&b, "", 0);
    while ((size = fread(block, 1, sizeof block, file)) > 0) add(&b, block, size);
    fclose(file);
    return b;
}

/* ---- Memory that runs out: the linker sends every allocation of this program here ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long allocations_left = -1; /* before the one that fails; -1 = none does */

static bool fails(void)
{
    return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

/* ---- Descriptors, by hand ---- */

enum { OPTIONAL = 1, REQUIRED = 2, REPEATED = 3 };

/* A FieldDescriptorProto; `type_name` may be NULL. */
static bytes field(const char *name, int64_t number, int label, unsigned kind,
                   const char *type_name)
{
    bytes b = {NULL, 0};
    add_text(&b, 1, name);
    add_number(&b, 3, (uint64_t)number);
    add_number(&b, 4, (uint64_t)label);
    if (kind) add_number(&b, 5, kind);
    if (type_name) add_text(&b, 6, type_name);
    return b;
}

static bytes with_default(bytes f, const char *text)
{
    add_text(&f, 7, text);
    return f;
}

static bytes in_oneof(bytes f, unsigned index)
{
    add_number(&f, 9, index);
    return f;
}

static bytes message(const char *name)
{
    bytes b = {NULL, 0};
    add_text(&b, 1, name);
    return b;
}

static void add_oneof(bytes *m, const char *name)
{
    add_part(m, 8, message(name));
}

/* To MessageOptions: (yaff.message) = {layout: …, removed: {number: …, width: …}}; width 0 adds no
 * removed field. */
static void add_option(bytes *options, unsigned layout, uint32_t removed, uint32_t width)
{
    bytes option = {NULL, 0};
    add_number(&option, 1, layout);
    if (width) {
        bytes r = {NULL, 0};
        add_number(&r, 1, removed);
        add_number(&r, 2, width);
        add_part(&option, 2, r);
    }
    add_part(options, 73101, option);
}

static void add_layout(bytes *m, unsigned layout, uint32_t removed, uint32_t width)
{
    bytes options = {NULL, 0};
    add_option(&options, layout, removed, width);
    add_part(m, 7, options);
}

/* A FileDescriptorSet of one file "t.proto", package "t", with these messages (freed). */
static bytes set_of(const char *syntax, size_t count, const bytes *messages)
{
    bytes file = {NULL, 0}, set = {NULL, 0};
    add_text(&file, 1, "t.proto");
    add_text(&file, 2, "t");
    add_text(&file, 12, syntax);
    for (size_t i = 0; i < count; i++) add_part(&file, 4, messages[i]);
    add_part(&set, 1, file);
    return set;
}

static void expect_diagnosis(const char *syntax, size_t count, const bytes *messages,
                             const char *expected)
{
    char error[300];
    bytes set = set_of(syntax, count, messages);
    yaff_schema *schema = yaff_schema_load(set.data, set.size, error, sizeof error);
    cr_expect_null(schema, "accepted, and should be: %s", expected);
    if (!schema) cr_expect_str_eq(error, expected);
    yaff_schema_free(schema);
    free(set.data);
}

#define EXPECT_DIAGNOSIS(syntax, expected, ...)                                                    \
    expect_diagnosis(syntax, sizeof((bytes[]){__VA_ARGS__}) / sizeof(bytes),                       \
                     (bytes[]){__VA_ARGS__}, expected)

/* A message "M" of these fields (freed). */
#define MESSAGE(...)                                                                               \
    message_of("M", sizeof((bytes[]){__VA_ARGS__}) / sizeof(bytes), (bytes[]){__VA_ARGS__})

static bytes message_of(const char *name, size_t count, const bytes *fields)
{
    bytes m = message(name);
    for (size_t i = 0; i < count; i++) add_part(&m, 2, fields[i]);
    return m;
}

static bytes fixed(bytes m)
{
    add_layout(&m, YAFF_LAYOUT_FIXED, 0, 0);
    return m;
}

/* ---- Schemas, by protoc ---- */

/* The FileDescriptorSet of `text` as file t.proto; or of protos/`name` when text is NULL. */
static bytes compile(const char *text, const char *name)
{
    char directory[] = "/tmp/yaff-generator-XXXXXX", path[200], command[1000];
    cr_assert_not_null(mkdtemp(directory));
    if (text) {
        name = "t.proto";
        snprintf(path, sizeof path, "%s/t.proto", directory);
        FILE *file = fopen(path, "w");
        cr_assert_not_null(file);
        fputs(text, file);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/set", directory);
    snprintf(command, sizeof command,
             "%s -I%s -I%s/protos -I%s/../layout -I%s --include_imports --include_source_info "
             "--descriptor_set_out=%s %s",
             PROTOC, directory, YAFF_TEST_SRC_DIR, YAFF_TEST_SRC_DIR, PROTOBUF_INCLUDE_DIR, path,
             name);
    cr_assert_eq(system(command), 0, "%s", command);
    bytes set = slurp(path);
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_assert_eq(system(command), 0);
    return set;
}

static yaff_schema *load(bytes set)
{
    char error[300];
    yaff_schema *schema = yaff_schema_load(set.data, set.size, error, sizeof error);
    cr_assert_not_null(schema, "%s", error);
    free(set.data);
    return schema;
}

static uint64_t read_varint(const char **p)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= (uint64_t)(*(*p) & 0x7f) << shift;
        if (!(*(*p)++ & 0x80)) return value;
    }
}

/* The request that protoc would make of this set (freed), to generate `file`. */
static bytes request_of(bytes set, const char *file, const char *parameter)
{
    bytes request = {NULL, 0};
    add_text(&request, 1, file);
    if (parameter) add_text(&request, 2, parameter);
    for (const char *p = set.data, *end = p + set.size; p < end;) {
        cr_assert_eq(read_varint(&p), 1 << 3 | 2);
        size_t size = (size_t)read_varint(&p);
        add_field(&request, 15, p, size);
        p += size;
    }
    free(set.data);
    return request;
}

typedef struct answer {
    bytes error;
    bytes name[2]; /* of the header and the source */
    bytes content[2];
    uint64_t features;
} answer;

static answer run(bytes request)
{
    answer a;
    char error[300] = "", *response;
    size_t size, files = 0;
    memset(&a, 0, sizeof a);
    cr_assert(yaff_plugin_run(request.data, request.size, &response, &size, error, sizeof error),
              "%s", error);
    for (const char *p = response, *end = p + size; p < end;) {
        uint64_t tag = read_varint(&p);
        if (tag == 2 << 3) {
            a.features = read_varint(&p);
            continue;
        }
        size_t length = (size_t)read_varint(&p);
        if (tag == (1 << 3 | 2)) add(&a.error, p, length);
        if (tag == (15 << 3 | 2)) {
            cr_assert_lt(files, 2);
            for (const char *q = p, *file_end = p + length; q < file_end;) {
                tag = read_varint(&q);
                size_t part = (size_t)read_varint(&q);
                add(tag == (1 << 3 | 2) ? &a.name[files] : &a.content[files], q, part);
                q += part;
            }
            files++;
        }
        p += length;
    }
    free(response);
    free(request.data);
    return a;
}

static void free_answer(answer *a)
{
    free(a->error.data);
    for (int i = 0; i < 2; i++) {
        free(a->name[i].data);
        free(a->content[i].data);
    }
}

static bool contains(const bytes *b, const char *text)
{
    return b->data && strstr(b->data, text) != NULL;
}

/* ---- Generated tables are the run-time tables ---- */

static void expect_same_type(const yaff_type *a, const yaff_type *b)
{
    cr_assert_str_eq(a->name, b->name);
    cr_expect_eq(a->field_count, b->field_count, "%s", a->name);
    cr_expect_eq(a->block_count, b->block_count, "%s", a->name);
    cr_expect_eq(a->oneof_count, b->oneof_count, "%s", a->name);
    cr_expect_eq(a->index_size, b->index_size, "%s", a->name);
    cr_expect_eq(a->body_size, b->body_size, "%s", a->name);
    cr_expect_eq(a->limit, b->limit, "%s", a->name);
    cr_expect_eq(a->layout, b->layout, "%s", a->name);
    cr_expect_eq(a->flags, b->flags, "%s", a->name);
    cr_expect_eq(a->align, b->align, "%s", a->name);
    cr_expect_eq(memcmp(a->index, b->index, a->index_size * sizeof *a->index), 0, "%s", a->name);
    if (a->layout == YAFF_LAYOUT_FIXED)
        cr_expect_eq(memcmp(a->instance, b->instance, a->body_size), 0, "%s", a->name);
    else
        cr_expect_eq(a->instance, b->instance, "%s", a->name);
    for (uint32_t i = 0; i < a->field_count; i++) {
        const yaff_field *f = &a->fields[i], *g = &b->fields[i];
        cr_expect_str_eq(f->name, g->name);
        cr_expect_eq(memcmp(f, g, offsetof(yaff_field, type)), 0, "%s.%s", a->name, f->name);
        cr_expect_eq(f->default_bits, g->default_bits, "%s.%s", a->name, f->name);
        cr_expect_eq(f->default_data == NULL, g->default_data == NULL);
        if (f->default_data && g->default_data)
            cr_expect_eq(memcmp(f->default_data, g->default_data, (size_t)f->default_bits + 1), 0,
                         "%s.%s", a->name, f->name);
        cr_expect_eq(f->type == NULL, g->type == NULL, "%s.%s", a->name, f->name);
        if (f->type && g->type) cr_expect_str_eq(f->type->name, g->type->name);
        cr_expect_eq(f->enumeration == NULL, g->enumeration == NULL, "%s.%s", a->name, f->name);
        if (f->enumeration && g->enumeration) {
            cr_expect_str_eq(f->enumeration->name, g->enumeration->name);
            cr_expect_eq(f->enumeration->value_count, g->enumeration->value_count);
            cr_expect_eq(f->enumeration->run_first, g->enumeration->run_first);
            cr_expect_eq(f->enumeration->run_count, g->enumeration->run_count);
            for (uint32_t j = 0; j < f->enumeration->value_count; j++) {
                cr_expect_eq(f->enumeration->values[j].number, g->enumeration->values[j].number);
                cr_expect_str_eq(f->enumeration->values[j].name, g->enumeration->values[j].name);
            }
        }
    }
    for (uint32_t i = 0; i < a->block_count; i++)
        cr_expect_eq(memcmp(&a->blocks[i], &b->blocks[i], sizeof *a->blocks), 0, "%s", a->name);
    for (uint32_t i = 0; i < a->oneof_count; i++) {
        const yaff_oneof *o = &a->oneofs[i], *p = &b->oneofs[i];
        cr_expect_str_eq(o->name, p->name);
        cr_assert_eq(o->member_count, p->member_count);
        cr_expect_eq(memcmp(o->members, p->members, o->member_count * sizeof *o->members), 0);
    }
}

Test(generator, generated_tables_are_those_made_at_run_time)
{
    static const struct {
        const char *file;
        const yaff_type *type;
    } cases[] = {
        {"defaults.proto", &defaults_Texts_yaff_type},
        {"defaults.proto", &defaults_Numbers_yaff_type},
        {"defaults.proto", &defaults_Reals_yaff_type},
        {"defaults.proto", &defaults_Enums_yaff_type},
        {"fixed2.proto", &fixed2_Length_yaff_type},
        {"fixed2.proto", &fixed2_Box_yaff_type},
        {"layouts.proto", &layouts_Dynamic_yaff_type},
        {"layouts.proto", &layouts_Flat_yaff_type},
        {"layouts.proto", &layouts_FlatPlain_yaff_type},
        {"layouts.proto", &layouts_FlatRemoved_yaff_type},
        {"layouts.proto", &layouts_Sparse_yaff_type},
        {"layouts.proto", &layouts_Fixed_yaff_type},
        {"layouts.proto", &layouts_Inner_yaff_type},
        {"layouts.proto", &layouts_EmptyFixed_yaff_type},
        {"numbers.proto", &numbers_Edges_yaff_type},
        {"numbers.proto", &numbers_OnlyFar_yaff_type},
        {"numbers.proto", &numbers_Spread_yaff_type},
        {"odd.proto", &odd_Optionals_yaff_type},
        {"odd.proto", &odd_Maps_yaff_type},
        {"odd.proto", &odd_Maps_KindsEntry_yaff_type},
        {"public_user.proto", &public_user_User_yaff_type},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        yaff_schema *schema = load(compile(NULL, cases[i].file));
        const yaff_type *type = yaff_schema_type(schema, cases[i].type->name);
        cr_assert_not_null(type, "%s", cases[i].type->name);
        expect_same_type(type, cases[i].type);
        yaff_schema_free(schema);
    }
}

/* ---- Defaults ---- */

static void expect_text(const yaff_type *type, uint32_t number, const char *data, size_t size)
{
    const yaff_field *f = yaff_type_field(type, number);
    cr_expect_eq(f->default_bits, size, "%s", f->name);
    cr_expect_eq(memcmp(f->default_data, data, size + 1), 0, "%s", f->name);
    cr_expect_eq((f->flags & YAFF_FIELD_DEFAULT) != 0, size != 0, "%s", f->name);
}

#define EXPECT_TEXT(number, text)                                                                  \
    expect_text(&defaults_Texts_yaff_type, number, text, sizeof text - 1)

Test(generator, text_defaults_are_kept_byte_for_byte)
{
    EXPECT_TEXT(1, "hello");
    EXPECT_TEXT(2, "a\"b'c\\d\n\t\?");
    EXPECT_TEXT(3, "what\?\?/");
    EXPECT_TEXT(4, "\xc3\xa4\xe2\x82\xac");
    EXPECT_TEXT(5, "a\0b");
    EXPECT_TEXT(6, "");
    EXPECT_TEXT(7, "/* */ // \\");
    EXPECT_TEXT(8, "\x01"
                   "1\x01"
                   "2");
    EXPECT_TEXT(9, "\xfe\xff\x80");
    EXPECT_TEXT(10, "\0\0x\0");
    EXPECT_TEXT(11, "\?\?/\?\?=");
    EXPECT_TEXT(12, "\a\b\f\n\r\t\v\\'\"");
    EXPECT_TEXT(13, "");
    EXPECT_TEXT(14, "%s%n%d");
}

static uint64_t bits_of(const yaff_type *type, uint32_t number)
{
    return yaff_type_field(type, number)->default_bits;
}

Test(generator, numeric_defaults_are_exact)
{
    static const uint64_t expected[] = {0x80000000,
                                        0x7fffffff,
                                        UINT64_C(0x8000000000000000),
                                        INT64_MAX,
                                        0xffffffff,
                                        UINT64_MAX,
                                        0x80000000,
                                        UINT64_C(0x8000000000000000),
                                        0x80000000,
                                        UINT64_C(0x8000000000000000),
                                        0xffffffff,
                                        UINT64_MAX,
                                        1,
                                        0,
                                        0};
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(bits_of(&defaults_Numbers_yaff_type, i + 1), expected[i], "%u", i + 1);
}

Test(generator, floating_point_defaults_are_exact_to_the_bit)
{
    static const struct {
        uint32_t number;
        uint64_t bits;
    } expected[] = {
        {1, 0x2edbe6ff},
        {2, 0x3fc00000},
        {3, 0x80000000},
        {4, 0x7f800000},
        {5, 0xff800000},
        {6, 0x7fc00000},
        {7, 0x7f7fffff},
        {8, 0x00000001},
        {9, 0x3eaaaaab},
        {10, 0x4b800000},
        {11, 0x7f800000},
        {21, UINT64_C(0x3ddb7cdfd9d7bdbb)},
        {22, UINT64_C(0x400921fb54442d18)},
        {23, UINT64_C(0x8000000000000000)},
        {24, UINT64_C(0x7ff0000000000000)},
        {25, UINT64_C(0xfff0000000000000)},
        {26, UINT64_C(0x7ff8000000000000)},
        {27, UINT64_C(0x7fefffffffffffff)},
        {28, 1},
        {29, UINT64_C(0x3fb999999999999a)},
        {30, UINT64_C(0x4340000000000000)},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_eq(bits_of(&defaults_Reals_yaff_type, expected[i].number), expected[i].bits, "%u",
                     expected[i].number);
}

/* The accessors hold the defaults as C literals. */
Test(generator, accessors_of_an_absent_message_return_the_defaults)
{
    const defaults_Reals *r = (const defaults_Reals *)nothing;
    const defaults_Numbers *n = (const defaults_Numbers *)nothing;
    const defaults_Enums *e = (const defaults_Enums *)nothing;
    float f[] = {defaults_Reals_tiny(r),           defaults_Reals_half(r),
                 defaults_Reals_minus_zero(r),     defaults_Reals_infinite(r),
                 defaults_Reals_minus_infinite(r), defaults_Reals_not_a_number(r),
                 defaults_Reals_largest(r),        defaults_Reals_smallest(r),
                 defaults_Reals_third(r),          defaults_Reals_whole(r),
                 defaults_Reals_beyond(r)};
    double d[] = {defaults_Reals_d_tiny(r),           defaults_Reals_d_pi(r),
                  defaults_Reals_d_minus_zero(r),     defaults_Reals_d_infinite(r),
                  defaults_Reals_d_minus_infinite(r), defaults_Reals_d_not_a_number(r),
                  defaults_Reals_d_largest(r),        defaults_Reals_d_smallest(r),
                  defaults_Reals_d_tenth(r),          defaults_Reals_d_whole(r)};
    for (uint32_t i = 0; i < sizeof f / sizeof *f; i++) {
        uint32_t bits;
        memcpy(&bits, &f[i], sizeof bits);
        cr_expect_eq(bits, bits_of(&defaults_Reals_yaff_type, i + 1), "%u", i + 1);
    }
    for (uint32_t i = 0; i < sizeof d / sizeof *d; i++) {
        uint64_t bits;
        memcpy(&bits, &d[i], sizeof bits);
        cr_expect_eq(bits, bits_of(&defaults_Reals_yaff_type, i + 21), "%u", i + 21);
    }
    cr_expect_eq(defaults_Numbers_i32_min(n), INT32_MIN);
    cr_expect_eq(defaults_Numbers_i64_min(n), INT64_MIN);
    cr_expect_eq(defaults_Numbers_u64_max(n), UINT64_MAX);
    cr_expect_eq(defaults_Numbers_f64(n), UINT64_C(0x8000000000000000));
    cr_expect_eq(defaults_Numbers_sf32(n), -1);
    cr_expect(defaults_Numbers_yes(n));
    cr_expect_not(defaults_Numbers_no(n));
    cr_expect_eq(defaults_Enums_first(e), defaults_Order_FIVE);
    cr_expect_eq(defaults_Enums_least(e), INT32_MIN);
    cr_expect_eq(defaults_Enums_most(e), INT32_MAX);
    cr_expect_eq(defaults_Enums_alias(e), 0);
    cr_expect_eq(defaults_Enums_start(e), 0);
    cr_expect_eq(defaults_Enums_next(e), 1);
    cr_expect_eq(defaults_Enums_required_first(e), 5);
    cr_expect_eq(defaults_Enums_many_at(e, 0), 0);
    cr_expect_eq(defaults_Enums_in_oneof(e), 5);
    cr_expect_str_eq(defaults_Enums_text_in_oneof(e).data, "x");
    cr_expect(defaults_Enums_bool_in_oneof(e));
    cr_expect_eq(defaults_Enums_choice_case(e), defaults_Enums_choice_case_none);
}

Test(generator, an_enum_is_sorted_by_number_and_aliases_keep_their_order)
{
    const yaff_enum *e = &defaults_Order_yaff_enum;
    static const char *const names[] = {"LEAST", "ZERO", "NIL", "ONE", "FIVE", "MOST"};
    cr_assert_eq(e->value_count, 6);
    for (uint32_t i = 0; i < 6; i++) cr_expect_str_eq(e->values[i].name, names[i]);
    cr_expect_eq(e->run_first, 0); /* 0, its alias and 1 */
    cr_expect_eq(e->run_count, 2);
    cr_expect_str_eq(defaults_Order_name(0), "ZERO");
    cr_expect_str_eq(defaults_Order_name(INT32_MIN), "LEAST");
    cr_expect_null(defaults_Order_name(2));
}

Test(generator, a_default_reaches_through_a_public_import)
{
    const public_user_User *m = (const public_user_User *)nothing;
    cr_expect_eq(public_user_User_level(m), extended_Level_HIGH);
    cr_expect_eq(public_user_User_first(m), extended_Level_LOW);
}

Test(generator, a_fixed_default_instance_holds_the_defaults)
{
    const fixed2_Holder *m = (const fixed2_Holder *)nothing;
    const fixed2_Box *box = fixed2_Holder_box(m);
    cr_expect_not(fixed2_Holder_has_box(m));
    cr_expect_eq(fixed2_Box_count(box), -7);
    cr_expect_eq(fixed2_Length_value(fixed2_Box_height(box)), 1.0);
    cr_expect_eq(fixed2_Length_unit(fixed2_Box_width(box)), fixed2_Unit_METRE);
    cr_expect(fixed2_Length_exact(fixed2_Box_width(box)));
    cr_expect_eq(fixed2_Box_edges_size(box), 0);
    cr_expect(fixed2_Length_exact(fixed2_Box_edges_at(box, 3)));
    cr_expect_eq(fixed2_Box_name(box).size, 0);
}

Test(generator, a_default_that_is_no_value_is_refused)
{
    static const struct {
        unsigned kind;
        const char *text;
    } bad[] = {
        {YAFF_KIND_INT32, "2147483648"},
        {YAFF_KIND_INT32, "-2147483649"},
        {YAFF_KIND_INT32, ""},
        {YAFF_KIND_INT32, "-"},
        {YAFF_KIND_INT32, "1x"},
        {YAFF_KIND_INT32, "0x1"},
        {YAFF_KIND_UINT32, "-1"},
        {YAFF_KIND_UINT32, "4294967296"},
        {YAFF_KIND_INT64, "9223372036854775808"},
        {YAFF_KIND_INT64, "-9223372036854775809"},
        {YAFF_KIND_UINT64, "18446744073709551616"},
        {YAFF_KIND_UINT64, "99999999999999999999"},
        {YAFF_KIND_BOOL, "1"},
        {YAFF_KIND_BOOL, "True"},
        {YAFF_KIND_FLOAT, ""},
        {YAFF_KIND_FLOAT, "."},
        {YAFF_KIND_FLOAT, "1e"},
        {YAFF_KIND_FLOAT, "0x1p3"},
        {YAFF_KIND_DOUBLE, "infinity"},
        {YAFF_KIND_DOUBLE, "1,5"},
        {YAFF_KIND_DOUBLE, "- 1"},
        {YAFF_KIND_BYTES, "\\"},
        {YAFF_KIND_BYTES, "\\x"},
        {YAFF_KIND_BYTES, "\\400"},
        {YAFF_KIND_BYTES, "\\q"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_DIAGNOSIS(
            "proto2", "t.proto: t.M.f: its default is not a value of its type",
            MESSAGE(with_default(field("f", 1, OPTIONAL, bad[i].kind, NULL), bad[i].text)));
}

/* ---- Names ---- */

Test(generator, names_that_would_clash_are_told_apart)
{
    const names_Derived *m = (const names_Derived *)nothing;
    cr_expect_not(names_Derived_has_vote(m));       /* presence of vote */
    cr_expect_eq(names_Derived_has_vote_(m), 0);    /* the field has_vote */
    cr_expect_not(names_Derived_has_has_vote_(m));  /* its presence */
    cr_expect_eq(names_Derived_has_has_vote(m), 0); /* the field has_has_vote */
    cr_expect_eq(names_Derived_items_size(m), 0);
    cr_expect_null(names_Derived_attrs_find(m, yaff_str_of("x")));
    cr_expect_eq(names_Derived_body_at(m, 0).size, 0);
    cr_expect_eq(names_Derived_body_at_(m), 0);
    cr_expect_eq(names_Derived_size(m), 0);
    cr_expect_eq(names_Derived_case(m), 0);
    cr_expect_eq(names_Derived_yaff_type_(m), 0);
    cr_expect_eq(names_Derived_vote_gather_(m), 0);
    cr_expect_eq(names_Derived_gather_(m), 0); /* has_gather is that of the field has */
    cr_expect_eq(names_Derived_array(m), 0);
    names_Derived_yaff_array many = names_Derived_many_array(m); /* elements of many */
    cr_expect_eq(names_Derived_vote_gather(many, 0, 1, NULL), 0);
    cr_expect_eq(names_Derived_many_array__array(m).size, 0); /* those of many_array */
}

Test(generator, flattened_types_are_told_apart)
{
    cr_expect_str_eq(names_A_B_yaff_type.name, "names.A_B");
    cr_expect_str_eq(names_A_B2_yaff_type.name, "names.A.B");
    cr_expect_str_eq(names_A_B_C_yaff_type.name, "names.A_B_C");
    cr_expect_str_eq(names_Types_view2_yaff_type.name, "names.Types.view");
    cr_expect_str_eq(names_Types_open2_yaff_enum.name, "names.Types.open");
    cr_expect_str_eq(names_Inner1_Inner_yaff_type.name, "names.Inner1.Inner");
    cr_expect_str_eq(names_Inner2_Inner_yaff_type.name, "names.Inner2.Inner");
    const names_sensor *m = (const names_sensor *)nothing;
    cr_expect_eq(names_sensor_reading_time_(m), 0); /* sensor.reading_time */
    const names_sensor_reading *r = (const names_sensor_reading *)nothing;
    cr_expect_eq(names_sensor_reading_time(r), 0); /* sensor_reading.time */
}

Test(generator, keywords_are_only_escaped_where_they_would_stand_alone)
{
    const Words *m = (const Words *)nothing;
    cr_expect_eq(Words_int(m), 0);
    cr_expect_eq(Words_errno(m), 0);
    const int_ *i = (const int_ *)nothing;
    cr_expect_eq(int_short(i), 0);
    cr_expect_eq(size_t_((const size_ *)nothing), 0);
    cr_expect_eq(INT_MAX_((const INT *)nothing), 0);
    cr_expect_eq(SEEK_SET_, 0);
}

/* The lines of the accessors in a header, each from the return type on. */
static void expect_function(const answer *a, const char *name, bool expected)
{
    char text[200];
    snprintf(text, sizeof text, "%s(", name);
    cr_expect_eq(contains(&a->content[0], text), expected, "%s", name);
}

Test(generator, adding_a_field_never_renames_another)
{
    static const char *const fields[] = {
        "optional int32 vote = 11;",
        "optional int32 has_vote = 12;",
        "repeated int32 items = 13;",
        "optional int32 items_size = 14;",
        "repeated int32 items_at = 15;",
        "optional int32 has_has_vote = 16;",
        "map<int32, int32> get = 17;",
        "optional int32 get_find = 18;",
        "optional int32 view = 19;",
        "optional int32 B_x = 20;",
        "optional int32 _case = 21;",
        "optional int32 yaff_type = 22;",
        "repeated M many = 23;",
        "optional int32 many_array = 24;",
        "optional int32 vote_gather = 25;",
    };
    static const char *const symbols[] = {
        "t_M_vote",       "t_M_has_vote_",    "t_M_items_size",   "t_M_items_size_",
        "t_M_items_at_",  "t_M_has_has_vote", "t_M_get_find",     "t_M_get_find_",
        "t_M_view_",      "t_M_B_x_",         "t_M__case",        "t_M_yaff_type_",
        "t_M_many_array", "t_M_many_array_",  "t_M_vote_gather_",
    };
    enum { COUNT = sizeof fields / sizeof *fields };
    for (unsigned only = 0; only <= COUNT; only++) {
        char text[3000] = "package t; message M { message B { optional int32 x = 1; }";
        for (unsigned i = 0; i < COUNT; i++) {
            if (only < COUNT && only != i) continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", fields[i]);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), " }");
        char full[3100];
        snprintf(full, sizeof full, "syntax = \"proto2\"; %s", text);
        answer a = run(request_of(compile(full, NULL), "t.proto", NULL));
        cr_assert_null(a.error.data, "%s", a.error.data);
        for (unsigned i = 0; i < COUNT; i++)
            if (only == COUNT || only == i) expect_function(&a, symbols[i], true);
        free_answer(&a);
    }
}

Test(generator, two_files_that_need_one_name_are_a_diagnosis_naming_both)
{
    bytes request = {NULL, 0};
    add_text(&request, 1, "b.proto");
    for (int i = 0; i < 2; i++) {
        bytes file = {NULL, 0};
        add_text(&file, 1, i ? "b.proto" : "a.proto");
        add_text(&file, 2, i ? "a_b" : "a.b");
        add_part(&file, 4, message("M"));
        add_part(&request, 15, file);
    }
    answer a = run(request);
    cr_assert_not_null(a.error.data);
    cr_expect_str_eq(a.error.data,
                     "b.proto: a_b.M: its C name a_b_M is also that of a.b.M in a.proto");
    free_answer(&a);
}

/* ---- Numbers ---- */

Test(generator, numbers_above_flats_limit_have_no_place)
{
    const yaff_type *t = &numbers_Edges_yaff_type;
    cr_expect_eq(t->limit, 8191);
    cr_expect_eq(yaff_type_field(t, 8191)->place + 8, t->body_size);
    cr_expect_eq(yaff_type_field(t, 8192)->place, YAFF_NO_PLACE);
    cr_expect_eq(yaff_type_field(t, 8192)->block, yaff_type_field(t, 8191)->block);
    const yaff_block *shared = yaff_type_block(t, 511), *far = yaff_type_block(t, 512);
    cr_expect_eq(shared->known, 0xc001);
    cr_expect_eq(shared->n4 | shared->n8, 0x4001);
    cr_expect_eq(far->mask, 0);
    cr_expect_eq(far->shape, 1);
    const yaff_field *max = yaff_type_field(t, 536870911);
    cr_expect_str_eq(max->name, "max");
    cr_expect_eq(max->tag, 536870911u << 3 | 2);
    cr_expect_null(yaff_type_field(t, 536870910));
    cr_expect_str_eq(yaff_type_field(t, 65537)->name, "n65537");
    cr_expect_eq(t->index_size, 17);
}

Test(generator, a_oneof_may_spread_over_blocks)
{
    const numbers_Spread *m = (const numbers_Spread *)nothing;
    cr_expect_eq(numbers_Spread_choice_case(m), 0);
    cr_expect_eq(numbers_Spread_near_case(m), 0);
    cr_expect_eq(numbers_Spread_mixed_case_i, 8300);
    cr_expect_eq(numbers_OnlyFar_choice_case_d, 536870911);
}

/* The processor time for a message of so many fields, one after another or as far from one another as
 * can be. */
static double seconds_for(unsigned fields, bool far)
{
    bytes m = message("M");
    for (unsigned i = 0; i < fields; i++) {
        char name[20];
        int64_t number = far ? 536870911 - (int64_t)i * (536870911 / fields) : i + 1;
        snprintf(name, sizeof name, "f%u", i);
        add_part(&m, 2, field(name, number, OPTIONAL, YAFF_KIND_INT32, NULL));
    }
    clock_t start = clock();
    answer a = run(request_of(set_of("proto2", 1, &m), "t.proto", NULL));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_expect_null(a.error.data, "%s", a.error.data);
    cr_expect_lt(a.content[0].size, 1600u * fields);
    free_answer(&a);
    return seconds;
}

Test(generator, large_messages_take_bounded_time_and_memory)
{
    for (unsigned far = 0; far < 2; far++) {
        double few = 0, many = 0;
        bool linear = false; /* 8 times the fields; 64 would be square. One good pair is proof. */
        for (int i = 0; i < 5 && !linear; i++) {
            few = seconds_for(500, far);
            many = seconds_for(4000, far);
            linear = many < 30 * few + 0.05;
        }
        cr_expect(linear, "%g s and %g s", few, many);
    }
}

Test(generator, the_index_stays_small)
{
    bytes m = MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL),
                      field("b", 2, OPTIONAL, YAFF_KIND_INT32, NULL),
                      field("c", 40, OPTIONAL, YAFF_KIND_INT32, NULL),
                      field("d", 536870911, OPTIONAL, YAFF_KIND_INT32, NULL));
    yaff_schema *schema = load(set_of("proto2", 1, &m));
    const yaff_type *t = yaff_schema_type(schema, "t.M");
    cr_expect_eq(t->index_size, 17);
    cr_expect_eq(yaff_type_field(t, 40)->number, 40);
    cr_expect_eq(yaff_type_field(t, 536870911)->number, 536870911);
    cr_expect_null(yaff_type_field(t, 3));
    yaff_schema_free(schema);
}

/* ---- Layouts ---- */

Test(generator, places_are_first_fit_block_by_block)
{
    const yaff_type *t = &layouts_FlatPlain_yaff_type;
    static const uint32_t places[] = {0, 8, 4, 1, 16};
    for (uint32_t i = 0; i < 5; i++) cr_expect_eq(t->fields[i].place, places[i], "%u", i);
    cr_expect_eq(t->body_size, 24);
    cr_expect_eq(t->flags & YAFF_TYPE_SETS, 0);
    cr_expect_eq(layouts_Flat_yaff_type.flags & YAFF_TYPE_SETS, YAFF_TYPE_SETS);
}

Test(generator, a_removed_field_keeps_its_place)
{
    const yaff_type *t = &layouts_FlatRemoved_yaff_type;
    cr_expect_eq(t->field_count, 3);
    cr_expect_eq(t->block_count, 3); /* the middle one has nothing but a removed number */
    cr_expect_eq(t->fields[1].place, 4);
    cr_expect_eq(t->blocks[0].n8, 2);
    cr_expect_eq(t->blocks[1].known, 0);
    cr_expect_eq(t->blocks[1].n4, 8);
    cr_expect_eq(t->blocks[1].first, 2);
    cr_expect_eq(t->fields[2].place, 24);
    cr_expect_eq(t->limit, 36);
}

Test(generator, a_fixed_message_is_a_struct_in_number_order)
{
    cr_expect_eq(sizeof(layouts_Inner), 8);
    cr_expect_eq(offsetof(layouts_Inner, c), 2);
    cr_expect_eq(offsetof(layouts_Inner, d), 4);
    cr_expect_eq(offsetof(layouts_Fixed, inner), 4);
    cr_expect_eq(offsetof(layouts_Fixed, d), 16);
    cr_expect_eq(layouts_Fixed_yaff_type.body_size, sizeof(layouts_Fixed));
    cr_expect_eq(sizeof(layouts_EmptyFixed), 1);
    cr_expect_eq(layouts_EmptyFixed_yaff_type.align, 1);
}

Test(generator, maps_have_fixed_entries)
{
    const yaff_field *f = yaff_type_field(&layouts_Dynamic_yaff_type, 30);
    cr_expect_eq(f->flags, YAFF_FIELD_REPEATED | YAFF_FIELD_MAP);
    cr_expect_eq(f->type->flags, YAFF_TYPE_MAP_ENTRY);
    cr_expect_eq(f->type->layout, YAFF_LAYOUT_FIXED);
    cr_expect_eq(f->type->fields[1].width, 0); /* a Fixed value stands inline */
    cr_expect_eq(f->type->fields[1].flags, 0);
    f = yaff_type_field(&layouts_Dynamic_yaff_type, 29);
    cr_expect_eq(f->type->fields[1].width, 4);
}

Test(generator, flags_follow_the_syntax)
{
    yaff_schema *schema =
        load(compile("syntax = \"proto3\"; package t; enum E { Z = 0; }"
                     "message M { repeated int32 a = 1; repeated int32 b = 2 "
                     "[packed = false]; string c = 3; E d = 4; optional int32 e = 5;"
                     "M f = 6; repeated string g = 7; int32 h = 8; }",
                     NULL));
    const yaff_type *t = yaff_schema_type(schema, ".t.M");
    static const unsigned three[] = {YAFF_FIELD_REPEATED | YAFF_FIELD_PACKED,
                                     YAFF_FIELD_REPEATED,
                                     YAFF_FIELD_UTF8,
                                     0,
                                     YAFF_FIELD_PRESENCE,
                                     YAFF_FIELD_PRESENCE,
                                     YAFF_FIELD_REPEATED | YAFF_FIELD_UTF8,
                                     0};
    for (uint32_t i = 0; i < 8; i++) cr_expect_eq(t->fields[i].flags, three[i], "%u", i);
    cr_expect_eq(t->oneof_count, 0);
    cr_expect_eq(t->fields[0].tag, 1 << 3 | 2);
    cr_expect_eq(t->fields[1].tag, 2 << 3);
    yaff_schema_free(schema);

    schema = load(compile("syntax = \"proto2\"; package t; enum E { Z = 1; }"
                          "message M { repeated int32 a = 1; repeated E b = 2 [packed = true];"
                          "optional string c = 3; required E d = 4; optional group G = 5 {} }",
                          NULL));
    t = yaff_schema_type(schema, "t.M");
    static const unsigned two[] = {
        YAFF_FIELD_REPEATED, YAFF_FIELD_REPEATED | YAFF_FIELD_PACKED | YAFF_FIELD_CLOSED,
        YAFF_FIELD_PRESENCE,
        YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED | YAFF_FIELD_CLOSED | YAFF_FIELD_DEFAULT,
        YAFF_FIELD_PRESENCE};
    for (uint32_t i = 0; i < 5; i++) cr_expect_eq(t->fields[i].flags, two[i], "%u", i);
    cr_expect_eq(t->fields[4].tag, 5 << 3 | 3);
    cr_expect_str_eq(t->fields[4].name, "g");
    yaff_schema_free(schema);
}

/* ---- Diagnoses ---- */

Test(generator, numbers_that_protobuf_forbids_are_refused)
{
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: its number 0 is not between 1 and 536870911",
                     MESSAGE(field("a", 0, OPTIONAL, YAFF_KIND_INT32, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: its number -1 is not between 1 and 536870911",
                     MESSAGE(field("a", -1, OPTIONAL, YAFF_KIND_INT32, NULL)));
    EXPECT_DIAGNOSIS("proto3",
                     "t.proto: t.M.a: its number 536870912 is not between 1 and 536870911",
                     MESSAGE(field("a", 536870912, OPTIONAL, YAFF_KIND_INT32, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.b: it has number 7, and so has a",
                     MESSAGE(field("a", 7, OPTIONAL, YAFF_KIND_INT32, NULL),
                             field("b", 7, OPTIONAL, YAFF_KIND_INT32, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: two fields have this name",
                     MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL),
                             field("a", 2, OPTIONAL, YAFF_KIND_INT32, NULL)));
}

Test(generator, types_that_do_not_exist_are_refused)
{
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: its type .t.N is not defined",
                     MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.N")));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: its type .t.M is not an enum",
                     MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_ENUM, ".t.M")));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: it has no known type",
                     MESSAGE(field("a", 1, OPTIONAL, 19, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: it has no known type",
                     MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: it is neither optional, required nor repeated",
                     MESSAGE(field("a", 1, 4, YAFF_KIND_INT32, NULL)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: its oneof does not exist",
                     MESSAGE(in_oneof(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL), 0)));
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M: declared twice, here and in t.proto", message("M"),
                     message("M"));
    EXPECT_DIAGNOSIS("editions", "t.proto: only the syntaxes proto2 and proto3 are supported",
                     message("M"));
}

Test(generator, relative_type_names_are_searched_outward)
{
    bytes inner = message_of("N", 1, (bytes[]){field("a", 1, OPTIONAL, 0, "M")});
    bytes m = message("M");
    add_part(&m, 3, inner);
    yaff_schema *schema = load(set_of("proto3", 1, &m));
    cr_expect_str_eq(yaff_schema_type(schema, "t.M.N")->fields[0].type->name, "t.M");
    cr_expect_eq(yaff_schema_type(schema, "t.M.N")->fields[0].kind, YAFF_KIND_MESSAGE);
    yaff_schema_free(schema);
}

Test(generator, what_fixed_cannot_hold_is_refused)
{
    EXPECT_DIAGNOSIS("proto2", "t.proto: t.M.a: a Fixed message cannot have an optional field",
                     fixed(MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL))));
    bytes with_oneof = MESSAGE(in_oneof(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL), 0));
    add_oneof(&with_oneof, "o");
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: a Fixed message cannot have a oneof",
                     fixed(with_oneof));
    bytes optional = field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL);
    add_number(&optional, 17, 1);
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M.a: a Fixed message cannot have an optional field",
                     fixed(MESSAGE(optional)));
    EXPECT_DIAGNOSIS("proto3",
                     "t.proto: t.M.a: a singular message in a Fixed message must be Fixed, and "
                     "t.N is not",
                     fixed(MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.N"))),
                     message("N"));
    EXPECT_DIAGNOSIS(
        "proto2", "t.proto: t.M.a: a Fixed message cannot have a string default",
        fixed(MESSAGE(with_default(field("a", 1, REQUIRED, YAFF_KIND_STRING, NULL), "x"))));
}

Test(generator, fixed_messages_that_contain_themselves_are_refused)
{
    EXPECT_DIAGNOSIS("proto3",
                     "t.proto: t.M.a: a Fixed message cannot contain itself, except repeated",
                     fixed(MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.M"))));
    bytes n = message_of("N", 1, (bytes[]){field("b", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.M")});
    EXPECT_DIAGNOSIS("proto3",
                     "t.proto: t.N.b: a Fixed message cannot contain itself, except repeated",
                     fixed(MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.N"))), fixed(n));
    bytes repeated = fixed(MESSAGE(field("a", 1, REPEATED, YAFF_KIND_MESSAGE, ".t.M")));
    yaff_schema_free(load(set_of("proto3", 1, &repeated)));
}

/* Each doubles the one before: sizes grow to 2^30, depth to 200. */
Test(generator, fixed_messages_of_no_end_are_refused)
{
    enum { COUNT = 200 };
    for (unsigned copies = 1; copies <= 2; copies++) {
        bytes messages[COUNT];
        char error[300];
        for (unsigned i = 0; i < COUNT; i++) {
            char name[20], type[20];
            snprintf(name, sizeof name, "M%u", i);
            snprintf(type, sizeof type, ".t.M%u", i + 1);
            messages[i] = message(name);
            for (unsigned j = 1; j <= copies && i + 1 < COUNT; j++)
                add_part(&messages[i], 2,
                         field(j == 1 ? "a" : "b", j, OPTIONAL, YAFF_KIND_MESSAGE, type));
            messages[i] = fixed(messages[i]);
        }
        bytes set = set_of("proto3", copies == 1 ? COUNT : COUNT, messages);
        cr_expect_null(yaff_schema_load(set.data, set.size, error, sizeof error));
        cr_expect_not_null(strstr(error, "nested more than 100 deep"), "%s", error);
        free(set.data);
    }
    bytes messages[30];
    char error[300];
    for (unsigned i = 0; i < 30; i++) {
        char name[20], type[20];
        snprintf(name, sizeof name, "M%u", i);
        snprintf(type, sizeof type, ".t.M%u", i + 1);
        messages[i] = message(name);
        for (unsigned j = 1; j <= 2 && i + 1 < 30; j++)
            add_part(&messages[i], 2,
                     field(j == 1 ? "a" : "b", j, OPTIONAL, YAFF_KIND_MESSAGE, type));
        messages[i] = fixed(messages[i]);
    }
    bytes set = set_of("proto3", 30, messages);
    cr_expect_null(yaff_schema_load(set.data, set.size, error, sizeof error));
    cr_expect_not_null(strstr(error, "cannot take more than"), "%s", error);
    free(set.data);
}

Test(generator, layout_options_that_make_no_sense_are_refused)
{
    static const struct {
        unsigned layout;
        uint32_t removed, width;
        const char *sentence;
    } bad[] = {
        {4, 0, 0, "t.proto: t.M: its layout 4 does not exist"},
        {0, 2, 3, "t.proto: t.M: the removed number 2 has width 3, which is not 1, 4 or 8"},
        {0, 0, 4, "t.proto: t.M: the removed number 0 is not between 1 and 536870911"},
        {0, 1, 4, "t.proto: t.M.a: its number 1 is also told to be removed"},
        {2, 9000, 4,
         "t.proto: t.M: a Flat message cannot have numbers above 8191, and 9000 is removed"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes m = MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL));
        add_layout(&m, bad[i].layout, bad[i].removed, bad[i].width);
        EXPECT_DIAGNOSIS("proto3", bad[i].sentence, m);
    }
    bytes twice = message("M"), options = {NULL, 0};
    add_option(&options, 0, 5, 4);
    add_option(&options, 0, 5, 8);
    add_part(&twice, 7, options);
    EXPECT_DIAGNOSIS("proto3", "t.proto: t.M: number 5 is removed twice", twice);
    bytes far = MESSAGE(field("a", 8192, OPTIONAL, YAFF_KIND_INT32, NULL));
    add_layout(&far, YAFF_LAYOUT_FLAT, 0, 0);
    EXPECT_DIAGNOSIS(
        "proto3", "t.proto: t.M.a: a Flat message cannot have numbers above 8191, and this is 8192",
        far);
}

Test(generator, parts_of_the_layout_option_are_merged)
{
    bytes m = MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_INT32, NULL)), options = {NULL, 0};
    add_option(&options, YAFF_LAYOUT_SPARSE, 5, 4);
    add_number(&options, 3, 1);
    add_option(&options, YAFF_LAYOUT_FLAT, 6, 8);
    add_part(&m, 7, options);
    yaff_schema *schema = load(set_of("proto3", 1, &m));
    const yaff_type *t = yaff_schema_type(schema, "t.M");
    cr_expect_eq(t->layout, YAFF_LAYOUT_FLAT);
    cr_expect_eq(t->limit, 6);
    yaff_schema_free(schema);
}

/* `depth` messages "M", each inside the one before; written from the innermost, back to front. */
static bytes nested(unsigned depth)
{
    size_t capacity = depth * (size_t)10, at = capacity;
    char *data = malloc(capacity + 1);
    for (unsigned i = 0; i < depth; i++) {
        if (i) {
            bytes head = {NULL, 0};
            add_varint(&head, 3 << 3 | 2);
            add_varint(&head, capacity - at);
            at -= head.size;
            memcpy(data + at, head.data, head.size);
            free(head.data);
        }
        at -= 3;
        memcpy(data + at, "\x0a\x01M", 3);
    }
    bytes b = {NULL, 0};
    add(&b, data + at, capacity - at);
    free(data);
    return b;
}

Test(generator, messages_nested_without_end_are_refused)
{
    static const unsigned depths[] = {101, 103, 107, 200, 100000};
    bytes m = nested(100), options = {NULL, 0};
    add_number(&options, 3, 1);
    add_part(&m, 7, options);
    yaff_schema_free(load(set_of("proto3", 1, &m)));
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        m = nested(depths[i]);
        expect_diagnosis("proto3", 1, &m,
                         "messages are declared inside messages more than 100 deep");
    }
}

/* Starts and ends of groups around each other, of number 20000. */
static void add_groups(bytes *b, unsigned depth)
{
    char *tags = malloc(6 * (size_t)depth);
    for (unsigned i = 0; i < 2 * depth; i++)
        memcpy(tags + 3 * (size_t)i, i < depth ? "\x83\xe2\x09" : "\x84\xe2\x09", 3);
    add(b, tags, 6 * (size_t)depth);
    free(tags);
}

Test(generator, groups_are_allowed_as_custom_options)
{
    static const unsigned sizes[] = {0,   1,   116,   117,   118,   119,   120,   121,    122,
                                     123, 124, 16370, 16375, 16380, 16384, 16390, 2097150};
    yaff_schema *schema =
        load(compile("syntax = \"proto2\"; package t; import \"yaff/options.proto\";"
                     "import \"google/protobuf/descriptor.proto\";"
                     "extend google.protobuf.MessageOptions { optional group Extra = 20000 "
                     "{ optional string s = 1; optional group Inner = 2 { } } }"
                     "message M { option (extra) = { s: \"x\" Inner { } };"
                     "option (yaff.message) = { layout: LAYOUT_FLAT }; optional int32 a = 1; }",
                     NULL));
    cr_expect_eq(yaff_schema_type(schema, "t.M")->layout, YAFF_LAYOUT_FLAT);
    yaff_schema_free(schema);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *filler = calloc(1, sizes[i] + 1);
        bytes m = message("M"), options = {NULL, 0};
        add_varint(&options, 20000u << 3 | 3);
        add_field(&options, 1, filler, sizes[i]);
        add_groups(&options, 99);
        add_varint(&options, 20000u << 3 | 4);
        add_option(&options, YAFF_LAYOUT_SPARSE, 0, 0);
        add_part(&m, 7, options);
        schema = load(set_of("proto3", 1, &m));
        cr_expect_eq(yaff_schema_type(schema, "t.M")->layout, YAFF_LAYOUT_SPARSE, "%u", sizes[i]);
        yaff_schema_free(schema);
        free(filler);
    }
}

Test(generator, what_protobuf_c_would_take_wrong_is_refused)
{
    static const char malformed[] = "these bytes are not a valid descriptor";
    bytes m = message("M"), empty = {NULL, 0};
    add_groups(&m, 100000);
    EXPECT_DIAGNOSIS("proto3", malformed, m);
    m = message("M");
    add_varint(&m, 20000u << 3 | 3);
    EXPECT_DIAGNOSIS("proto3", malformed, m);
    m = message("M"); /* nested_type as a group, around what nests deep */
    bytes deep = nested(100000);
    add_varint(&m, 3 << 3 | 3);
    add_part(&m, 3, deep);
    add_varint(&m, 3 << 3 | 4);
    EXPECT_DIAGNOSIS("proto3", malformed, m);
    m = empty;
    add_field(&m, 1, "M\0N", 3);
    EXPECT_DIAGNOSIS("proto3", malformed, m);
    m = message("M");
    add_layout(&m, YAFF_LAYOUT_FLAT, 0, 0);
    add_part(&m, 7, empty);
    EXPECT_DIAGNOSIS("proto3", "the descriptor holds google.protobuf.DescriptorProto.options twice",
                     m);
    m = message("M");
    bytes options = {NULL, 0};
    add_number(&options, 73101, 2);
    add_part(&m, 7, options);
    EXPECT_DIAGNOSIS("proto3", malformed, m);
}

Test(generator, bytes_that_are_no_descriptor_are_refused)
{
    bytes set = compile(NULL, "layouts.proto");
    char error[300];
    for (size_t size = 0; size < set.size; size += 1 + size / 50) {
        char *copy = malloc(size + 1); /* exact, so that a sanitizer sees a read past the end */
        memcpy(copy, set.data, size);
        yaff_schema_free(yaff_schema_load(copy, size, error, sizeof error));
        free(copy);
    }
    for (size_t i = 0; i < set.size; i += 1 + i / 200) {
        set.data[i] ^= 0x15;
        yaff_schema_free(yaff_schema_load(set.data, set.size, error, 5));
        cr_expect_lt(strlen(error), 5);
        set.data[i] ^= 0x15;
    }
    cr_expect_null(yaff_schema_load("\x0a", 1, NULL, 0));
    free(set.data);
}

/* ---- The plugin ---- */

Test(generator, the_plugin_supports_proto3_optional)
{
    answer a = run(request_of(compile(NULL, "odd.proto"), "odd.proto", NULL));
    cr_assert_null(a.error.data, "%s", a.error.data);
    cr_expect_eq(a.features, 1);
    cr_expect_str_eq(a.name[0].data, "odd.yaff.h");
    cr_expect_str_eq(a.name[1].data, "odd.yaff.c");
    free_answer(&a);
}

Test(generator, an_unknown_parameter_is_an_error)
{
    answer a = run(request_of(compile(NULL, "odd.proto"), "odd.proto", "fast"));
    cr_expect_str_eq(a.error.data, "protoc-gen-yaff takes no parameters, and got \"fast\"");
    cr_expect_null(a.name[0].data);
    free_answer(&a);
}

Test(generator, a_diagnosis_reaches_protoc)
{
    bytes m = MESSAGE(field("a", 1, OPTIONAL, YAFF_KIND_MESSAGE, ".t.N"));
    answer a = run(request_of(set_of("proto3", 1, &m), "t.proto", NULL));
    cr_expect_str_eq(a.error.data, "t.proto: t.M.a: its type .t.N is not defined");
    cr_expect_eq(a.features, 1);
    free_answer(&a);
    a = run(request_of(compile(NULL, "odd.proto"), "even.proto", NULL));
    cr_expect_str_eq(a.error.data, "even.proto: the file is not in the request");
    free_answer(&a);
}

Test(generator, a_request_that_cannot_be_decoded_has_no_response)
{
    char error[100], *response = NULL;
    size_t size = 1;
    cr_expect_not(yaff_plugin_run("\xff", 1, &response, &size, error, sizeof error));
    cr_expect_null(response);
    cr_expect_eq(size, 0);
    cr_expect_str_eq(error, "these bytes are not a valid descriptor");
}

Test(generator, only_imports_whose_types_are_used_are_included)
{
    answer a = run(request_of(compile(NULL, "layouts.proto"), "layouts.proto", NULL));
    cr_expect_not(contains(&a.content[0], "options.yaff.h"));
    cr_expect_not(contains(&a.content[0], "descriptor.yaff.h"));
    free_answer(&a);
    a = run(request_of(compile(NULL, "public_user.proto"), "public_user.proto", NULL));
    cr_expect(contains(&a.content[0], "#include \"extended.yaff.h\""));
    free_answer(&a);
    a = run(request_of(compile(NULL, "public_import.proto"), "public_import.proto", NULL));
    cr_expect(contains(&a.content[0], "#include \"extended.yaff.h\""));
    free_answer(&a);
}

Test(generator, files_of_one_base_name_have_guards_of_their_own)
{
    answer a = run(request_of(compile(NULL, "two/same.proto"), "one/same.proto", NULL));
    answer b = run(request_of(compile(NULL, "two/same.proto"), "two/same.proto", NULL));
    cr_expect_str_eq(a.name[0].data, "one/same.yaff.h");
    cr_expect(contains(&a.content[0], "#ifndef ONE_SAME_YAFF_H\n"));
    cr_expect(contains(&b.content[0], "#ifndef TWO_SAME_YAFF_H\n"));
    cr_expect(contains(&b.content[0], "#include \"one/same.yaff.h\"\n"));
    free_answer(&a);
    free_answer(&b);
    a = run(request_of(compile(NULL, "o.v1.proto"), "o.v1.proto", NULL));
    cr_expect_str_eq(a.name[0].data, "o.v1.yaff.h");
    cr_expect_not(contains(&a.content[0], "#ifndef O_V1_YAFF_H\n")); /* o/v1.proto has this one */
    free_answer(&a);
}

Test(generator, comments_are_kept_and_cannot_end_early)
{
    answer a = run(request_of(compile(NULL, "odd.proto"), "odd.proto", NULL));
    cr_expect(contains(&a.content[0], "/* Deprecated hides nothing."));
    cr_expect(contains(&a.content[0], "/* * / / * and ? ?/ and a backslash \\"));
    cr_expect(contains(&a.content[0], "/* Behind the field."));
    cr_expect(contains(&a.content[0], "Umlauts äöü, an emoji"));
    free_answer(&a);
}

Test(generator, lines_are_at_most_a_hundred_columns)
{
    static const char *const files[] = {"odd.proto", "layouts.proto", "names.proto"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        answer a = run(request_of(compile(NULL, files[i]), files[i], NULL));
        for (int j = 0; j < 2; j++) {
            size_t columns = 0;
            for (const char *p = a.content[j].data; *p; p++) {
                if (*p == '\n')
                    columns = 0;
                else if ((*p & 0xc0) != 0x80)
                    columns++;
                cr_assert_leq(columns, 100, "%s: %.100s", a.name[j].data, p - 100);
                cr_assert(*p != ' ' || p[1] != '\n', "%s: a space at a line's end", a.name[j].data);
            }
        }
        free_answer(&a);
    }
}

/* ---- Memory ---- */

Test(generator, any_allocation_of_loading_may_fail)
{
    bytes set = compile(NULL, "layouts.proto");
    long n = 0;
    for (bool failed = true; failed; n++) {
        char error[100] = "";
        allocations_left = n;
        yaff_schema *schema = yaff_schema_load(set.data, set.size, error, sizeof error);
        failed = allocations_left < 0;
        allocations_left = -1;
        cr_assert_eq(schema == NULL, failed);
        cr_expect_str_eq(error, failed ? "out of memory" : "");
        yaff_schema_free(schema);
    }
    cr_expect_gt(n, 3);
    free(set.data);
}

/* A fingerprint needs memory for types beyond the 256th. */
Test(generator, any_allocation_of_a_fingerprint_may_fail)
{
    enum { TYPES = 1200 };
    bytes messages[TYPES];
    for (unsigned i = 0; i < TYPES; i++) {
        char name[20], next[20];
        snprintf(name, sizeof name, "M%u", i);
        snprintf(next, sizeof next, ".t.M%u", (i + 1) % TYPES);
        messages[i] = message(name);
        add_part(&messages[i], 2, field("next", 1, OPTIONAL, YAFF_KIND_MESSAGE, next));
    }
    yaff_schema *schema = load(set_of("proto2", TYPES, messages));
    const yaff_type *type = yaff_schema_type(schema, "t.M0");
    const uint64_t whole = yaff_type_fingerprint(type);
    long n = 0;
    for (bool failed = true; failed; n++) {
        allocations_left = n;
        uint64_t fingerprint = yaff_type_fingerprint(type);
        failed = allocations_left < 0;
        allocations_left = -1;
        cr_assert_eq(fingerprint, failed ? 0 : whole);
    }
    cr_expect_gt(n, 3);
    yaff_schema_free(schema);
}

/* Either there is no response, or it tells. */
Test(generator, any_allocation_of_the_plugin_may_fail)
{
    static const char told[] = "\x0a\x0dout of memory\x10\x01";
    bytes request = request_of(compile(NULL, "layouts.proto"), "layouts.proto", NULL);
    long n = 0;
    for (bool failed = true; failed; n++) {
        char error[100] = "", *response;
        size_t size;
        allocations_left = n;
        bool ok =
            yaff_plugin_run(request.data, request.size, &response, &size, error, sizeof error);
        failed = allocations_left < 0;
        allocations_left = -1;
        cr_assert_eq(response != NULL, ok);
        if (!ok)
            cr_expect_str_eq(error, "out of memory");
        else if (failed)
            cr_expect(size == sizeof told - 1 && memcmp(response, told, size) == 0);
        else
            cr_expect_gt(size, 10000);
        free(response);
    }
    cr_expect_gt(n, 15);
    free(request.data);
}
