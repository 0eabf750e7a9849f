/* The verifier: what it refuses and why, what it must not refuse, that its work stays linear,
 * and, by mutation in front of guard pages, that whatever it accepts can be read to the last
 * byte. */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <yaff/buffer.h>
#include <yaff/map.h>
#include <yaff/value.h>
#include <yaff/verify.h>

#include "layout/walk.h"
#include "runtime/record.h"
#include "support/access.h"
#include "support/model.h"

/* ---- a schema and buffers made by hand ---- */

enum { NODE, TEXT_ENTRY, NUMBER_ENTRY, POINT, FLAT, EMPTY, WIDE, WIDE_FLAT, HAND_TYPES };

/* Node's fields. The model calls field n "f<n>". */
enum {
    ID = 1,       /* uint64 */
    NAME = 2,     /* string, UTF-8 */
    NEXT = 3,     /* Node */
    NODES = 4,    /* repeated Node */
    BY_NAME = 5,  /* map<string, Node> */
    FLAG = 6,     /* optional bool */
    FLAGS = 7,    /* repeated bool */
    NAMES = 8,    /* repeated string */
    DOUBLES = 9,  /* repeated double */
    COUNTS = 10,  /* map<int32, uint32> */
    POINTS = 11,  /* repeated Point, Fixed */
    COLOR = 12,   /* enum */
    PINNED = 13,  /* Flat */
    EMPTIES = 14, /* repeated Empty, Fixed without fields: one byte each */
    FAR_ID = 300, /* uint64 */
    FAR_NODE = 301
};

static const yaff_type *types;
static model_schema schema;

static void field(model_type *t, uint32_t number, unsigned kind, unsigned flags, unsigned type)
{
    model_field *f = &t->fields[t->count++];
    f->number = number;
    f->kind = kind;
    f->flags = flags;
    f->type = type;
}

static void setup(void)
{
    enum { MANY = YAFF_FIELD_REPEATED, MAP = YAFF_FIELD_REPEATED | YAFF_FIELD_MAP };
    model_type *node = &schema.types[NODE], *entry, *point = &schema.types[POINT];
    model_type *flat = &schema.types[FLAT];
    memset(&schema, 0, sizeof schema);
    schema.count = HAND_TYPES;
    field(node, ID, YAFF_KIND_UINT64, 0, 0);
    field(node, NAME, YAFF_KIND_STRING, YAFF_FIELD_PRESENCE | YAFF_FIELD_UTF8, 0);
    field(node, NEXT, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, NODE);
    field(node, NODES, YAFF_KIND_MESSAGE, MANY, NODE);
    field(node, BY_NAME, YAFF_KIND_MESSAGE, MAP, TEXT_ENTRY);
    field(node, FLAG, YAFF_KIND_BOOL, YAFF_FIELD_PRESENCE, 0);
    field(node, FLAGS, YAFF_KIND_BOOL, MANY, 0);
    field(node, NAMES, YAFF_KIND_STRING, MANY | YAFF_FIELD_UTF8, 0);
    field(node, DOUBLES, YAFF_KIND_DOUBLE, MANY, 0);
    field(node, COUNTS, YAFF_KIND_MESSAGE, MAP, NUMBER_ENTRY);
    field(node, POINTS, YAFF_KIND_MESSAGE, MANY, POINT);
    field(node, COLOR, YAFF_KIND_ENUM, 0, 0);
    field(node, PINNED, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, FLAT);
    field(node, EMPTIES, YAFF_KIND_MESSAGE, MANY, EMPTY);
    field(node, FAR_ID, YAFF_KIND_UINT64, 0, 0);
    field(node, FAR_NODE, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, NODE);
    for (entry = &schema.types[TEXT_ENTRY]; entry <= &schema.types[NUMBER_ENTRY]; entry++) {
        entry->layout = YAFF_LAYOUT_FIXED;
        entry->map_entry = true;
    }
    field(&schema.types[TEXT_ENTRY], 1, YAFF_KIND_STRING, YAFF_FIELD_UTF8, 0);
    field(&schema.types[TEXT_ENTRY], 2, YAFF_KIND_MESSAGE, 0, NODE);
    field(&schema.types[NUMBER_ENTRY], 1, YAFF_KIND_INT32, 0, 0);
    field(&schema.types[NUMBER_ENTRY], 2, YAFF_KIND_UINT32, 0, 0);
    point->layout = YAFF_LAYOUT_FIXED;
    field(point, 1, YAFF_KIND_FLOAT, 0, 0);
    field(point, 2, YAFF_KIND_BOOL, 0, 0);
    schema.types[EMPTY].layout = YAFF_LAYOUT_FIXED;
    flat->layout = YAFF_LAYOUT_FLAT;
    field(flat, 1, YAFF_KIND_UINT64, YAFF_FIELD_PRESENCE, 0);
    field(flat, 2, YAFF_KIND_BOOL, 0, 0);
    field(flat, 4, YAFF_KIND_STRING, 0, 0);
    schema.types[WIDE_FLAT].layout = YAFF_LAYOUT_FLAT;
    for (unsigned t = WIDE; t <= WIDE_FLAT; t++) { /* a field or two in each of seven blocks */
        for (uint32_t number = 1; number <= 97; number += 16)
            field(&schema.types[t], number, YAFF_KIND_UINT64, YAFF_FIELD_PRESENCE, 0);
        field(&schema.types[t], 112, YAFF_KIND_UINT64, YAFF_FIELD_PRESENCE, 0);
    }
    types = model_tables(&schema, 16);
}

static void teardown(void)
{
    model_free_all();
}

TestSuite(verify, .init = setup, .fini = teardown);

static model_message *message(unsigned type, model_form form)
{
    model_message *m = (model_message *)model_alloc(sizeof *m);
    m->type = type;
    m->form = form;
    m->blocks = 1;
    m->values = (model_value *)model_alloc(sizeof *m->values * MODEL_FIELDS);
    return m;
}

/* Adds a field of `count` items (numbers must rise) and returns the items. */
static model_item *add(model_message *m, uint32_t number, size_t count)
{
    const model_type *t = &schema.types[m->type];
    model_value *value = &m->values[m->count++];
    for (unsigned i = 0; i < t->count; i++)
        if (t->fields[i].number == number) value->field = &t->fields[i];
    value->count = count;
    value->items = (model_item *)model_alloc(sizeof *value->items * count);
    return value->items;
}

static void set_text(model_item *item, const char *text)
{
    item->text = text;
    item->size = strlen(text);
}

static model_message *node_with_id(uint64_t id)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    add(m, ID, 1)->bits = id;
    return m;
}

/* A map entry with a text or number key. */
static model_message *entry_of(const char *text, int32_t number, model_message *value)
{
    model_message *m = message(text ? TEXT_ENTRY : NUMBER_ENTRY, MODEL_FIXED);
    model_item *key = add(m, 1, 1), *item = add(m, 2, 1);
    if (text)
        set_text(key, text);
    else
        key->bits = (uint32_t)number;
    item->message = value;
    return m;
}

static const uint8_t *root_of(model_buffer b)
{
    return (const uint8_t *)yaff_buffer_root(b.bytes, NULL);
}

static uint32_t row_of(const yaff_type *type, uint32_t number)
{
    return (uint32_t)(yaff_type_field(type, number) - type->fields);
}

/* The cell of a field of the root, to be spoilt. */
static uint8_t *cell_of(model_buffer b, uint32_t number)
{
    const void *cell = yaff_find(root_of(b), &types[NODE], row_of(&types[NODE], number));
    cr_assert_not_null(cell);
    return b.bytes + ((const uint8_t *)cell - b.bytes);
}

static void expect(model_buffer b, yaff_status status, const char *path)
{
    yaff_error err;
    yaff_status got = yaff_verify(&types[NODE], b.bytes, b.size, NULL, &err);
    cr_assert_eq(got, status, "%s at %zu, path \"%s\"", yaff_status_name(got), err.offset,
                 err.path);
    cr_assert_eq(err.status, status);
    cr_assert(err.offset <= b.size);
    if (path) cr_assert_str_eq(err.path, path);
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, NULL, NULL), status);
    bool borrowed = b.size > 3 && b.bytes[3] & YAFF_BUFFER_BORROWED;
    cr_assert_eq(yaff_open(&types[NODE], b.bytes, b.size, NULL) != NULL,
                 status == YAFF_OK && !borrowed);
}

/* ---- the buffer's head ---- */

Test(verify, a_buffer_has_a_size_and_an_alignment)
{
    model_buffer b = model_write(&schema, node_with_id(5));
    uint64_t copy[16];
    expect(b, YAFF_OK, "");
    cr_assert_eq(yaff_verify(&types[NODE], NULL, 8, NULL, NULL), YAFF_TRUNCATED);
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, 0, NULL, NULL), YAFF_TRUNCATED);
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, YAFF_BUFFER_MAX_SIZE + 8, NULL, NULL),
                 YAFF_TOO_LARGE);
    for (size_t size = 0; size < b.size; size++)
        cr_assert_neq(yaff_verify(&types[NODE], b.bytes, size, NULL, NULL), YAFF_OK);
    memcpy(copy, b.bytes, b.size);
    for (size_t more = 1; more < 8; more++)
        cr_assert_eq(yaff_verify(&types[NODE], copy, b.size + more, NULL, NULL), YAFF_TRUNCATED);
    for (size_t shift = 1; shift < 8; shift++) {
        memcpy((char *)copy + shift, b.bytes, b.size);
        cr_assert_eq(yaff_verify(&types[NODE], (char *)copy + shift, b.size, NULL, NULL),
                     YAFF_MISALIGNED);
    }
}

Test(verify, a_buffer_begins_with_magic_version_and_known_flags)
{
    for (unsigned byte = 0; byte < 4; byte++) {
        model_buffer b = model_write(&schema, node_with_id(5));
        b.bytes[byte] = (uint8_t)(b.bytes[byte] + 2);
        expect(b, YAFF_BAD_MAGIC, "");
    }
}

Test(verify, the_root_lies_in_the_buffer)
{
    static const uint32_t roots[] = {1, 8, 15, 32, 0x7ffffff8, 0x80000000, 0xfffffff8};
    model_buffer b = model_write(&schema, node_with_id(5));
    cr_assert_eq(b.size, 24);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        yaff_store32(b.bytes + 4, roots[i]);
        expect(b, roots[i] == 15 ? YAFF_MISALIGNED : YAFF_OUT_OF_BOUNDS, "");
    }
    yaff_store32(b.bytes + 4, 20);
    expect(b, YAFF_MISALIGNED, "");
    yaff_store32(b.bytes + 4, 0);
    expect(b, YAFF_OK, "");
}

Test(verify, a_record_needs_no_head)
{
    model_buffer b = model_write(&schema, node_with_id(5));
    yaff_error err;
    cr_assert_eq(yaff_verify_record(&types[NODE], b.bytes + 8, b.size - 8, 8, false, NULL, &err),
                 YAFF_OK);
    cr_assert_eq(yaff_verify_record(&types[NODE], b.bytes + 8, b.size - 8, 0, false, NULL, &err),
                 YAFF_OUT_OF_BOUNDS);
    cr_assert_eq(
        yaff_verify_record(&types[NODE], b.bytes + 8, b.size - 8, SIZE_MAX, false, NULL, &err),
        YAFF_OUT_OF_BOUNDS);
}

/* ---- heads and lanes ---- */

/* The words before a message count only if they are in the record, be they ever so right. */
Test(verify, lanes_lie_in_the_record)
{
    static const model_form forms[] = {MODEL_SPARSE, MODEL_LANES, MODEL_FLAT};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const unsigned type = forms[i] == MODEL_FLAT ? WIDE_FLAT : WIDE;
        model_message *m = message(type, forms[i]);
        const size_t before = forms[i] == MODEL_FLAT ? 16 : 56;
        m->blocks = 7;
        add(m, 1, 1)->bits = 5;
        add(m, 112, 1)->bits = 6;
        model_buffer b = model_write(&schema, m);
        const size_t p = yaff_load32(b.bytes + 4);
        cr_assert_eq(yaff_verify(&types[type], b.bytes, b.size, NULL, NULL), YAFF_OK);
        for (size_t kept = 8; kept <= before; kept += 8) {
            yaff_status status = yaff_verify_record(&types[type], b.bytes + p - kept,
                                                    b.size - (p - kept), kept, false, NULL, NULL);
            cr_assert_eq(status, kept < before ? YAFF_OUT_OF_BOUNDS : YAFF_OK,
                         "form %u, %zu bytes: %s", (unsigned)i, kept, yaff_status_name(status));
        }
    }
}

/* Sets one bit of the word in front of the root after the other; none may be read past the
 * buffer, and those listed in `legal` alone may pass. */
static void flip_lanes(model_message *m, uint64_t legal)
{
    model_buffer b = model_write(&schema, m);
    size_t at = yaff_load32(b.bytes + 4) - 8;
    uint64_t word = yaff_load64(b.bytes + at);
    expect(b, YAFF_OK, "");
    for (unsigned bit = 0; bit < 64; bit++) {
        bool ok;
        yaff_store64(b.bytes + at, word ^ UINT64_C(1) << bit);
        ok = yaff_verify(&types[NODE], b.bytes, b.size, NULL, NULL) == YAFF_OK;
        cr_assert_eq(ok, (bool)(legal >> bit & 1), "bit %u", bit);
    }
}

Test(verify, lanes_of_a_sparse_message_agree_with_one_another)
{
    /* A set bit without a cell is a bool that is true, whoever has such a field. */
    flip_lanes(node_with_id(5), UINT64_C(0xfffe) << 32);
}

Test(verify, no_sparse_field_has_two_cells)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_buffer b;
    add(m, ID, 1)->bits = 5;
    set_text(add(m, NAME, 1), "room for one cell more");
    b = model_write(&schema, m);
    b.bytes[yaff_load32(b.bytes + 4) - 8] = 2; /* n4 of the name, which has an 8-byte cell */
    expect(b, YAFF_BAD_HEAD, "");
}

Test(verify, a_sparse_message_has_blocks_and_right_ranks)
{
    model_message *m = node_with_id(5);
    model_buffer b;
    uint8_t *p;
    add(m, FAR_ID, 1)->bits = 6;
    m->blocks = 19;
    b = model_write(&schema, m);
    p = b.bytes + yaff_load32(b.bytes + 4);
    expect(b, YAFF_OK, "");
    p[-8 * 19 + 6]++; /* r8 of the last block */
    expect(b, YAFF_BAD_HEAD, "");
    p[-8 * 19 + 6]--;
    p[-8 * 19 + 7]++; /* r4 */
    expect(b, YAFF_BAD_HEAD, "");
    p[-8 * 19 + 7]--;
    p[-1] = 0; /* no blocks */
    expect(b, YAFF_BAD_HEAD, "");
    p[-1] = 63;
    expect(b, YAFF_OUT_OF_BOUNDS, "");
}

Test(verify, lanes_of_a_flat_message_agree_with_one_another)
{
    model_message *m = message(NODE, MODEL_LANES);
    model_buffer b;
    uint8_t *p;
    add(m, ID, 1)->bits = 5;
    add(m, FAR_ID, 1)->bits = 6;
    b = model_write(&schema, m);
    p = b.bytes + yaff_load32(b.bytes + 4);
    expect(b, YAFF_OK, "");
    p[-1] |= 0x20; /* a bit of the head that means nothing */
    expect(b, YAFF_BAD_HEAD, "");
    p[-1] &= 0xdf;
    p[-2]--; /* limit 300: the lanes have 301 */
    expect(b, YAFF_BAD_HEAD, "");
    p[-2]++;
    p[-8 * 5 + 6]++; /* where the fifth block starts */
    expect(b, YAFF_BAD_HEAD, "");
    p[-8 * 5 + 6]--;
    p[-8 * 5 + 4] = 1; /* sets what the writer does not have */
    expect(b, YAFF_BAD_HEAD, "");
    p[-8 * 5 + 4] = 0;
    yaff_store16(p - 2, YAFF_FLAT_LANES_HEAD);
    expect(b, YAFF_BAD_HEAD, "");
    yaff_store16(p - 2, YAFF_FLAT_LANES_HEAD | 8191);
    expect(b, YAFF_OUT_OF_BOUNDS, "");
}

Test(verify, a_pinned_flat_message_sets_nothing_above_its_limit)
{
    model_message *m = message(WIDE_FLAT, MODEL_FLAT);
    add(m, 1, 1)->bits = 5;
    add(m, 112, 1)->bits = 6;
    model_buffer b = model_write(&schema, m);
    uint8_t *p = b.bytes + yaff_load32(b.bytes + 4);
    cr_assert_eq(yaff_verify(&types[WIDE_FLAT], b.bytes, b.size, NULL, NULL), YAFF_OK);
    yaff_store16(p - 2, (uint16_t)(yaff_load16(p - 2) - 1));
    cr_assert_eq(yaff_verify(&types[WIDE_FLAT], b.bytes, b.size, NULL, NULL), YAFF_BAD_HEAD);
    yaff_store16(p - 2, (uint16_t)(yaff_load16(p - 2) + 1));
    yaff_store16(p - 4, yaff_load16(p - 4) | 2); /* number 2, which the schema does not have */
    cr_assert_eq(yaff_verify(&types[WIDE_FLAT], b.bytes, b.size, NULL, NULL), YAFF_OK);
}

Test(verify, unset_cells_of_flat_messages_are_zero)
{
    model_message *m = message(NODE, MODEL_LANES), *flat = message(FLAT, MODEL_FLAT);
    model_buffer b;
    uint8_t *p;
    add(m, COLOR, 1)->bits = 5;
    add(flat, 2, 1)->bits = 1;
    add(m, PINNED, 1)->message = flat;
    b = model_write(&schema, m);
    p = b.bytes + yaff_load32(b.bytes + 4);
    expect(b, YAFF_OK, "");
    p[0] = 1;
    expect(b, YAFF_BAD_CELL, "f1");
    p[0] = 0;
    p += yaff_load32(cell_of(b, PINNED));
    p[7] = 1;
    expect(b, YAFF_BAD_CELL, "f13.f1");
    p[7] = 0;
    p[8] = 2; /* the bool */
    expect(b, YAFF_BAD_CELL, "f13.f2");
    p[8] = 1;
    p[-3] = 0x80; /* set lane: a number above the limit */
    expect(b, YAFF_BAD_HEAD, "f13");
    p[-3] = 0;
    p[-2] = 0; /* limit 0 */
    expect(b, YAFF_BAD_HEAD, "f13");
    p[-2] = 2; /* an older writer: it did not have field 4 */
    expect(b, YAFF_OK, "");
}

Test(verify, a_pinned_flat_body_behind_an_unknown_number_is_refused)
{
    model_schema other = schema;
    model_message *m = message(NODE, MODEL_SPARSE), *flat = message(FLAT, MODEL_FLAT);
    model_buffer b;
    const yaff_type *dynamic;
    yaff_error err;
    add(flat, 1, 1)->bits = 7;
    add(m, PINNED, 1)->message = flat;
    b = model_write(&schema, m);
    other.types[FLAT].layout = YAFF_LAYOUT_DYNAMIC; /* its number 3 is anybody's guess */
    dynamic = model_tables(&other, 0);
    cr_assert_eq(yaff_verify(&dynamic[NODE], b.bytes, b.size, NULL, &err), YAFF_SCHEMA_MISMATCH);
    cr_assert_str_eq(err.path, "f13.f4");
    other.types[FLAT].fields[1].number = 3; /* a bool, removed with its place kept */
    other.types[FLAT].fields[1].removed = true;
    dynamic = model_tables(&other, 0);
    cr_assert_eq(yaff_verify(&dynamic[NODE], b.bytes, b.size, NULL, &err), YAFF_SCHEMA_MISMATCH);
    other.types[FLAT].count = 1;
    dynamic = model_tables(&other, 0);
    cr_assert_eq(yaff_verify(&dynamic[NODE], b.bytes, b.size, NULL, &err), YAFF_OK);
}

/* Behind the first unknown number nothing of the body is the reader's, removed numbers neither. */
Test(verify, a_pinned_flat_body_is_only_as_long_as_the_reader_knows)
{
    model_schema writer = {.count = 1}, reader = {.count = 1};
    model_message *m = message(0, MODEL_FLAT);
    writer.types[0].layout = YAFF_LAYOUT_FLAT;
    field(&writer.types[0], 1, YAFF_KIND_UINT32, 0, 0);
    field(&writer.types[0], 40, YAFF_KIND_BOOL, 0, 0);
    field(&reader.types[0], 1, YAFF_KIND_UINT32, 0, 0);
    for (uint32_t number = 3; number <= 32; number++) {
        field(&reader.types[0], number, YAFF_KIND_UINT64, 0, 0);
        reader.types[0].fields[reader.types[0].count - 1].removed = true;
    }
    m->count = 1;
    m->values[0] = (model_value){&writer.types[0].fields[0], 1, &(model_item){.bits = 5}};
    model_buffer b = model_write(&writer, m);
    for (uint32_t above = 0; above <= 20; above += 20) { /* whose limit is lower, whose higher */
        const yaff_type *type;
        reader.types[0].fields[reader.types[0].count - 1].number = 32 + above;
        type = model_tables(&reader, 0);
        cr_assert_eq(yaff_verify(type, b.bytes, b.size, NULL, NULL), YAFF_OK);
        cr_assert_eq(yaff_find_get4(root_of(b), type, 0), 5);
    }
}

/* The lanes of block 0 say nothing about a type whose only fields lie in another block. */
Test(verify, the_only_block_of_a_type_need_not_be_the_first)
{
    static const uint32_t numbers[] = {17,    32,    255,   256,    257,     300,      1009,
                                       8176,  8177,  8191,  8192,   8193,    16384,    19999,
                                       20000, 65536, 65537, 100000, 1000000, 536870911};
    static const unsigned kinds[] = {YAFF_KIND_BOOL, YAFF_KIND_INT32, YAFF_KIND_UINT64,
                                     YAFF_KIND_STRING, YAFF_KIND_MESSAGE};
    YAFF_ALIGN8 uint8_t bytes[32] = {'Y', 'F', YAFF_BUFFER_VERSION, 0, 16};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            model_schema lone = {.count = 1};
            const yaff_type *type;
            field(&lone.types[0], numbers[i], kinds[kind], YAFF_FIELD_PRESENCE, 0);
            type = model_tables(&lone, 0);
            cr_assert_eq(type->block_count, 1);
            /* Its own widths, in the wrong block, with each head that has its limit. */
            for (uint64_t head = 0; head <= YAFF_FLAT_LANES_HEAD; head += YAFF_FLAT_LANES_HEAD) {
                yaff_error err;
                yaff_store64(bytes + 8, type->blocks[0].shape | (head | type->limit) << 48);
                cr_assert_neq(yaff_verify(type, bytes, sizeof bytes, NULL, &err), YAFF_OK,
                              "number %u, kind %u", numbers[i], kinds[kind]);
                cr_assert(err.status == YAFF_BAD_HEAD || err.status == YAFF_OUT_OF_BOUNDS);
            }
        }
}

/* A number of the writer's whose lanes look like mine, 256 numbers above. */
Test(verify, an_unknown_first_block_is_not_taken_for_a_later_one)
{
    model_schema writer = {.count = 1}, reader = {.count = 1};
    model_message *m = message(0, MODEL_SPARSE);
    field(&writer.types[0], 1, YAFF_KIND_UINT64, YAFF_FIELD_PRESENCE, 0);
    field(&reader.types[0], 257, YAFF_KIND_STRING, YAFF_FIELD_PRESENCE, 0);
    m->count = 1;
    m->values[0] = (model_value){&writer.types[0].fields[0], 1, &(model_item){.bits = 5}};
    model_buffer b = model_write(&writer, m);
    cr_assert_eq(yaff_verify(model_tables(&writer, 0), b.bytes, b.size, NULL, NULL), YAFF_OK);
    cr_assert_eq(yaff_verify(model_tables(&reader, 0), b.bytes, b.size, NULL, NULL), YAFF_OK);
}

Test(verify, a_false_bool_of_a_sparse_message_holds_nothing)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_buffer b;
    add(m, FLAG, 1)->bits = 0;
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    b.bytes[yaff_load32(b.bytes + 4)] = 1;
    expect(b, YAFF_BAD_CELL, "f6");
}

/* ---- the directory and unknown fields ---- */

Test(verify, a_directory_is_sorted_and_its_entries_possible)
{
    model_message *m = node_with_id(5);
    model_buffer b;
    uint8_t *entry;
    add(m, FAR_ID, 1)->bits = 6;
    add(m, FAR_NODE, 1)->message = node_with_id(7);
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    entry = cell_of(b, FAR_ID) - 8;

    static const uint32_t numbers[] = {0, 1, 16, 301, 302, 0xffffffff};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        yaff_store32(entry, numbers[i]);
        expect(b, YAFF_BAD_DIRECTORY, "");
    }
    yaff_store32(entry, 299); /* somebody else's field */
    expect(b, YAFF_OK, "");
    yaff_store32(entry, FAR_ID);
    for (uint32_t width = 0; width < 20; width++) {
        yaff_store32(entry + 4, width);
        expect(b, width == 8 || width == 4 ? YAFF_OK : YAFF_BAD_DIRECTORY, "");
    }
    yaff_store32(entry + 4, 4);
    entry[12] = 1; /* more than four bytes */
    expect(b, YAFF_BAD_DIRECTORY, "");
    entry[12] = 0;
    yaff_store32(entry + 4, 1);
    entry[8] = 1;
    expect(b, YAFF_OK, "");
    entry[15] = 1;
    expect(b, YAFF_BAD_DIRECTORY, "");
    yaff_store32(entry + 4, 8);
    yaff_store32(entry + 24, 0x7ffffff0);
    expect(b, YAFF_OUT_OF_BOUNDS, "f301");

    b = model_write(&schema, m);
    entry = b.bytes + yaff_load32(b.bytes + 4) - 16; /* the directory's span */
    yaff_store32(entry + 4, 0);
    expect(b, YAFF_BAD_DIRECTORY, "");
    yaff_store32(entry + 4, 0x10000002);
    expect(b, YAFF_OUT_OF_BOUNDS, "");
    yaff_store32(entry + 4, 2);
    yaff_store32(entry, yaff_load32(entry) + 4);
    expect(b, YAFF_MISALIGNED, "");
    yaff_store32(entry, (uint32_t)-16);
    expect(b, YAFF_BAD_CELL, "");
}

Test(verify, unknown_bytes_are_whole_fields)
{
    static const struct {
        const char *bytes;
        size_t size;
        yaff_status status;
    } cases[] = {
        {"\x08\x01", 2, YAFF_OK},
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, YAFF_OK},
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, YAFF_BAD_VARINT},
        {"\x08", 1, YAFF_TRUNCATED},
        {"\x08\x80", 2, YAFF_TRUNCATED},
        {"\x00\x01", 2, YAFF_BAD_TAG},
        {"\x0e\x01", 2, YAFF_BAD_TAG},
        {"\x0f\x01", 2, YAFF_BAD_TAG},
        {"\x88\x80\x80\x80\x80\x00\x01", 7, YAFF_BAD_TAG},
        {"\x09"
         "1234567",
         8, YAFF_TRUNCATED},
        {"\x0d"
         "123",
         4, YAFF_TRUNCATED},
        {"\x0a\x02"
         "1",
         3, YAFF_TRUNCATED},
        {"\x0a\xff\xff\xff\xff\x0f", 6, YAFF_BAD_LENGTH},
        {"\x0a\x80\x80\x80\x80\x80\x00", 7, YAFF_BAD_LENGTH},
        {"\x0b\x0c", 2, YAFF_OK},
        {"\x0b\x08\x01\x13\x14\x0c", 6, YAFF_OK},
        {"\x0b", 1, YAFF_BAD_GROUP},
        {"\x0b\x14", 2, YAFF_BAD_GROUP},
        {"\x0c", 1, YAFF_BAD_GROUP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_message *m = node_with_id(5);
        m->unknown = cases[i].bytes;
        m->unknown_size = cases[i].size;
        expect(model_write(&schema, m), cases[i].status, "");
    }
}

Test(verify, unknown_bytes_end_with_nul_unless_borrowed)
{
    /* The second: together with its NUL whole fields, up to the buffer's end. */
    static const char *const cases[] = {"\x08\x01", "\x08\x01\x08\x01\x08\x01\x08"};
    for (size_t i = 0; i < 2; i++) {
        model_message *m = node_with_id(5);
        model_buffer b;
        uint8_t *behind;
        m->unknown = cases[i];
        m->unknown_size = strlen(cases[i]);
        b = model_write(&schema, m);
        behind = b.bytes + ((const uint8_t *)yaff_unknown(root_of(b)).data - b.bytes);
        behind += m->unknown_size;
        if (i == 0) {
            expect(b, YAFF_OK, "");
            *behind = 1;
        } else {
            cr_assert_eq((size_t)(behind + 1 - b.bytes), b.size);
            behind[-11]++; /* the span's count, before these seven bytes */
        }
        expect(b, YAFF_NOT_TERMINATED, "");
        b.bytes[3] = YAFF_BUFFER_BORROWED;
        expect(b, YAFF_OK, "");
    }
}

Test(verify, groups_in_unknown_bytes_count_as_levels)
{
    static char groups[202];
    for (unsigned depth = 99; depth <= 101; depth++) {
        model_message *m = node_with_id(5), *root = node_with_id(6);
        memset(groups, 0x0b, depth);
        memset(groups + depth, 0x0c, depth);
        m->unknown = groups;
        m->unknown_size = 2 * (size_t)depth;
        expect(model_write(&schema, m), depth <= 100 ? YAFF_OK : YAFF_TOO_DEEP, "");
        add(root, NEXT, 1)->message = m;
        expect(model_write(&schema, root), depth <= 99 ? YAFF_OK : YAFF_TOO_DEEP, NULL);
    }
}

/* ---- strings and arrays ---- */

Test(verify, spans_stay_in_the_buffer)
{
    static const struct {
        int32_t offset;
        uint32_t count;
    } wild[] = {{-1000, 1},      {INT32_MIN, 1},   {INT32_MAX, 1},
                {0, UINT32_MAX}, {0, 0x80000000u}, {-24, UINT32_MAX - 10},
                {0, 0x20000001}, {1 << 20, 1},     {0x7ffffff8, 1u << 31}};
    static const uint32_t fields[] = {NAME, NODES, BY_NAME, FLAGS, NAMES, DOUBLES, COUNTS, POINTS};
    model_message *m = message(NODE, MODEL_SPARSE);
    set_text(add(m, NAME, 1), "name");
    add(m, NODES, 2)->message = node_with_id(1);
    add(m, BY_NAME, 1)->message = entry_of("key", 0, node_with_id(2));
    add(m, FLAGS, 3)->bits = 1;
    set_text(add(m, NAMES, 1), "names");
    add(m, DOUBLES, 1)->bits = 1;
    add(m, COUNTS, 1)->message = entry_of(NULL, 1, NULL);
    add(m, POINTS, 1);
    expect(model_write(&schema, m), YAFF_OK, "");
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        char path[8];
        snprintf(path, sizeof path, "f%u", fields[f]);
        for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
            model_buffer b = model_write(&schema, m);
            uint8_t *cell = cell_of(b, fields[f]);
            yaff_error err;
            yaff_store32(cell, (uint32_t)wild[i].offset);
            yaff_store32(cell + 4, wild[i].count);
            cr_assert_neq(yaff_verify(&types[NODE], b.bytes, b.size, NULL, &err), YAFF_OK);
            cr_assert(err.status == YAFF_OUT_OF_BOUNDS || err.status == YAFF_BAD_CELL);
            cr_assert_str_eq(err.path, path);
        }
        model_buffer b = model_write(&schema, m);
        yaff_store32(cell_of(b, fields[f]) + 4, 0); /* empty, and yet somewhere */
        expect(b, YAFF_BAD_CELL, path);
    }
}

Test(verify, arrays_are_aligned_to_their_elements)
{
    static const uint32_t fields[] = {NODES, BY_NAME, NAMES, DOUBLES, COUNTS, POINTS};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        model_message *m = message(NODE, MODEL_SPARSE);
        model_item *item = add(m, fields[f], 1);
        if (fields[f] == NODES) item->message = node_with_id(4);
        if (fields[f] == BY_NAME) item->message = entry_of("key", 0, node_with_id(2));
        if (fields[f] == COUNTS) item->message = entry_of(NULL, 1, NULL);
        bool wide = fields[f] == BY_NAME || fields[f] == NAMES || fields[f] == DOUBLES;
        for (uint32_t shift = 1; shift < (wide ? 8 : 4); shift++) {
            model_buffer b = model_write(&schema, m);
            uint8_t *cell = cell_of(b, fields[f]);
            yaff_store32(cell, yaff_load32(cell) - shift);
            expect(b, YAFF_MISALIGNED, NULL);
        }
    }
}

Test(verify, strings_end_with_nul_unless_borrowed)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_buffer b;
    set_text(add(m, NAME, 1), "sevenchs"); /* eight, and the NUL */
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    yaff_store32(cell_of(b, NAME) + 4, 7);
    expect(b, YAFF_NOT_TERMINATED, "f2");
    b.bytes[3] = YAFF_BUFFER_BORROWED;
    expect(b, YAFF_OK, "");
    yaff_store32(cell_of(b, NAME) + 4, 16); /* up to the end */
    expect(b, YAFF_OK, "");
    b.bytes[3] = 0;
    expect(b, YAFF_NOT_TERMINATED, "f2");
    yaff_store32(cell_of(b, NAME) + 4, 17);
    expect(b, YAFF_OUT_OF_BOUNDS, "f2");
}

/* What a stranger's flag cannot change. */
Test(verify, opened_strings_end_with_nul)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    yaff_error err;
    set_text(add(m, NAME, 1), "sevench");
    model_buffer b = model_write(&schema, m);
    cr_assert_not_null(yaff_open(&types[NODE], b.bytes, b.size, &err));
    b.bytes[3] = YAFF_BUFFER_BORROWED;
    yaff_store32(cell_of(b, NAME) + 4, 3);
    expect(b, YAFF_OK, "");
    cr_assert_null(yaff_open(&types[NODE], b.bytes, b.size, &err));
    cr_assert_eq(err.status, YAFF_NOT_TERMINATED);
    cr_assert_eq(err.offset, 3);
    cr_assert_str_eq(err.path, "");
}

Test(verify, strings_may_be_shared_and_lie_behind)
{
    model_message *m = message(NODE, MODEL_SPARSE), *child = message(NODE, MODEL_SPARSE);
    model_buffer b;
    uint8_t *p, *cell;
    set_text(add(m, NAME, 1), "shared");
    set_text(add(child, NAME, 1), "");
    add(m, NEXT, 1)->message = child;
    b = model_write(&schema, m);
    p = b.bytes + yaff_load32(b.bytes + 4);
    cell = p + yaff_load32(cell_of(b, NEXT));
    yaff_store32(cell, (uint32_t)(p + yaff_load32(cell_of(b, NAME)) - cell));
    yaff_store32(cell + 4, 6);
    cr_assert((int32_t)yaff_load32(cell) < 0);
    expect(b, YAFF_OK, "");
}

Test(verify, utf8_is_checked_when_asked_for)
{
    yaff_verify_options options = {.utf8 = true};
    yaff_error err;
    model_message *m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, NAMES, 2);
    model_buffer b;
    set_text(&items[0], "gr\xc3\xbcn");
    set_text(&items[1], "\xff");
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &options, &err), YAFF_BAD_UTF8);
    cr_assert_str_eq(err.path, "f8[1]");
    set_text(&items[1], "x");
    b = model_write(&schema, m);
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &options, &err), YAFF_OK);
}

Test(verify, bools_are_0_or_1)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_buffer b;
    uint8_t *p;
    add(m, FLAGS, 20)->bits = 1;
    add(m, POINTS, 3);
    b = model_write(&schema, m);
    p = b.bytes + yaff_load32(b.bytes + 4);
    expect(b, YAFF_OK, "");
    p[yaff_load32(cell_of(b, FLAGS)) + 17] = 2;
    expect(b, YAFF_BAD_CELL, "f7[17]");
    p[yaff_load32(cell_of(b, FLAGS)) + 17] = 0;
    p[yaff_load32(cell_of(b, POINTS)) + 20] = 0xff;
    expect(b, YAFF_BAD_CELL, "f11[2].f2");
}

/* ---- maps ---- */

Test(verify, map_keys_are_sorted_and_unique)
{
    static const struct {
        const char *a, *b;
        int32_t m, n;
        bool ok;
    } cases[] = {{"a", "b", 0, 0, true},
                 {"a", "aa", 0, 0, true},
                 {"", "a", 0, 0, true},
                 {"z", "\xc3\xa4", 0, 0, true}, /* bytes are unsigned */
                 {"b", "a", 0, 0, false},
                 {"a", "a", 0, 0, false},
                 {"aa", "a", 0, 0, false},
                 {"", "", 0, 0, false},
                 {NULL, NULL, -1, 0, true}, /* numbers are signed */
                 {NULL, NULL, INT32_MIN, INT32_MAX, true},
                 {NULL, NULL, 0, -1, false},
                 {NULL, NULL, 7, 7, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_message *m = message(NODE, MODEL_SPARSE);
        model_item *items = add(m, cases[i].a ? BY_NAME : COUNTS, 2);
        items[0].message = entry_of(cases[i].a, cases[i].m, NULL);
        items[1].message = entry_of(cases[i].b, cases[i].n, NULL);
        expect(model_write(&schema, m), cases[i].ok ? YAFF_OK : YAFF_BAD_MAP, NULL);
    }
}

Test(verify, every_kind_of_number_key_has_its_order)
{
    static const struct {
        unsigned kind;
        uint64_t low, high;
        const char *path;
    } cases[] = {{YAFF_KIND_BOOL, 0, 1, "f10[false]"},
                 {YAFF_KIND_INT32, UINT32_MAX, 0, "f10[-1]"},
                 {YAFF_KIND_SINT32, UINT32_MAX, 0, "f10[-1]"},
                 {YAFF_KIND_SFIXED32, UINT32_MAX, 0, "f10[-1]"},
                 {YAFF_KIND_UINT32, 7, UINT32_MAX, "f10[7]"},
                 {YAFF_KIND_FIXED32, 0, UINT32_MAX, "f10[0]"},
                 {YAFF_KIND_INT64, UINT64_MAX, 0, "f10[-1]"},
                 {YAFF_KIND_SINT64, UINT64_MAX, 0, "f10[-1]"},
                 {YAFF_KIND_SFIXED64, UINT64_C(1) << 63, 0, "f10[-9223372036854775808]"},
                 {YAFF_KIND_UINT64, 9, UINT64_MAX, "f10[9]"},
                 {YAFF_KIND_FIXED64, 0, UINT64_C(1) << 63, "f10[0]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_message *m = message(NODE, MODEL_SPARSE);
        model_item *items = add(m, COUNTS, 2);
        schema.types[NUMBER_ENTRY].fields[0].kind = cases[i].kind;
        types = model_tables(&schema, 16);
        for (unsigned swapped = 0; swapped < 2; swapped++) {
            items[swapped].message = entry_of(NULL, 0, NULL);
            items[!swapped].message = entry_of(NULL, 0, NULL);
            items[swapped].message->values[0].items->bits = cases[i].low;
            items[!swapped].message->values[0].items->bits = cases[i].high;
            expect(model_write(&schema, m), swapped ? YAFF_BAD_MAP : YAFF_OK,
                   swapped ? cases[i].path : "");
        }
    }
}

Test(verify, bool_keys_are_0_or_1)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, COUNTS, 2);
    schema.types[NUMBER_ENTRY].fields[0].kind = YAFF_KIND_BOOL;
    types = model_tables(&schema, 16);
    items[0].message = entry_of(NULL, 0, NULL);
    items[1].message = entry_of(NULL, 1, NULL);
    model_buffer b = model_write(&schema, m);
    uint8_t *entries = b.bytes + (root_of(b) - b.bytes) + yaff_load32(cell_of(b, COUNTS));
    expect(b, YAFF_OK, "");
    cr_assert_eq(entries[8], 1);
    for (unsigned key = 2; key < 256; key++) {
        entries[8] = (uint8_t)key;
        expect(b, YAFF_BAD_CELL, NULL);
    }
}

/* ---- references ---- */

Test(verify, references_point_ahead_to_aligned_messages)
{
    static const int32_t wild[] = {-8, -16, INT32_MIN, 4, 12, 8, 1 << 20, INT32_MAX};
    static const yaff_status why[] = {YAFF_BAD_CELL,      YAFF_BAD_CELL,     YAFF_BAD_CELL,
                                      YAFF_MISALIGNED,    YAFF_MISALIGNED,   YAFF_BAD_HEAD,
                                      YAFF_OUT_OF_BOUNDS, YAFF_OUT_OF_BOUNDS};
    model_message *m = message(NODE, MODEL_SPARSE);
    add(m, NEXT, 1)->message = node_with_id(1);
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        model_buffer b = model_write(&schema, m);
        yaff_store32(cell_of(b, NEXT), (uint32_t)wild[i]);
        expect(b, why[i], "f3");
    }
}

Test(verify, a_child_has_one_parent)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, NODES, 1000);
    model_buffer b;
    uint8_t *array;
    for (int i = 0; i < 1000; i++) items[i].message = node_with_id(1);
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    array = b.bytes + yaff_load32(b.bytes + 4) + yaff_load32(cell_of(b, NODES));
    for (size_t i = 0; i < 1000; i++) yaff_store32(array + 4 * i, yaff_load32(array));
    expect(b, YAFF_OK, ""); /* no more visits than the buffer has room for */
    b.size -= 16;
    expect(b, YAFF_OVERLAP, NULL);
}

/* Levels of two references each, both to the next level: 2^90 visits for who does not count. */
Test(verify, sharing_through_depth_stays_linear)
{
    enum { LEVELS = 90, WORDS = 4 }; /* lanes, cell, array of two references */
    static uint64_t words[1 + WORDS * LEVELS + 2];
    uint8_t *bytes = (uint8_t *)words;
    model_buffer b = {bytes, sizeof words};
    memcpy(bytes, "YF\1", 4);
    yaff_store32(bytes + 4, 16);
    for (size_t level = 0; level < LEVELS; level++) {
        uint8_t *p = bytes + 16 + 8 * WORDS * level;
        yaff_store64(p - 8, UINT64_C(0x0101000800080000)); /* field 4, one 8-byte cell */
        yaff_store32(p, 8);
        yaff_store32(p + 4, 2);
        yaff_store32(p + 8, 8 * WORDS - 8);
        yaff_store32(p + 12, 8 * WORDS - 8);
    }
    yaff_store64(bytes + 8 + 8 * WORDS * LEVELS, UINT64_C(0x0101000100010000));
    expect(b, YAFF_OVERLAP, NULL);
}

/* The same with messages that are as my own schema writes them, and as another would. */
Test(verify, sharing_through_depth_stays_linear_in_every_form)
{
    enum { LEVELS = 60 };
    static const model_form forms[] = {MODEL_SPARSE, MODEL_LANES};
    for (unsigned kept = 0; kept < 2; kept++) {
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            model_message *m = node_with_id(1);
            model_buffer b;
            const uint8_t *p;
            for (size_t level = 0; level < LEVELS; level++) {
                model_message *parent = message(NODE, kept ? MODEL_SPARSE : forms[f]);
                add(parent, NODES, 2)->message = m;
                if (kept) parent->unknown = "\xf8\x7f\x01", parent->unknown_size = 3;
                m = parent;
            }
            b = model_write(&schema, m);
            expect(b, YAFF_OK, "");
            p = root_of(b);
            for (size_t level = 0; level < LEVELS; level++) {
                const void *cell = yaff_find(p, &types[NODE], row_of(&types[NODE], NODES));
                uint8_t *array = b.bytes + (p - b.bytes) + yaff_load32(cell);
                yaff_store32(array + 4, yaff_load32(array));
                p = array + yaff_load32(array);
            }
            expect(b, YAFF_OVERLAP, NULL);
        }
    }
}

/* Hundreds of messages whose arrays or maps are one and the same long one. */
Test(verify, elements_that_are_visited_have_one_array)
{
    enum { MESSAGES = 300, LONG = 5000 };
    static const uint32_t fields[] = {NODES, BY_NAME, FLAGS, NAMES, COUNTS, POINTS, EMPTIES};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        for (unsigned form = 0; form < 2; form++) {
            model_message *root = message(NODE, MODEL_SPARSE);
            model_item *items = add(root, NODES, MESSAGES);
            const yaff_type *type = &types[NODE];
            uint32_t row = row_of(type, fields[f]);
            for (size_t i = 0; i < MESSAGES; i++) {
                model_message *m = message(NODE, form ? MODEL_LANES : MODEL_SPARSE);
                size_t count = i == MESSAGES - 1 ? LONG : 1;
                model_item *elements = add(m, fields[f], count);
                for (size_t k = 0; k < count; k++) {
                    char *key = (char *)model_alloc(8);
                    snprintf(key, 8, "%06u", (unsigned)k);
                    if (fields[f] == BY_NAME) elements[k].message = entry_of(key, 0, NULL);
                    if (fields[f] == COUNTS) elements[k].message = entry_of(NULL, (int)k, NULL);
                }
                items[i].message = m;
            }
            model_buffer b = model_write(&schema, root);
            expect(b, YAFF_OK, "");
            uint8_t *array = b.bytes + (root_of(b) - b.bytes) + yaff_load32(cell_of(b, NODES));
            uint8_t *last = array + (size_t)4 * (MESSAGES - 1), *end;
            last += yaff_load32(last) - (size_t)4 * (MESSAGES - 1);
            const void *found = yaff_find(last, type, row);
            end = last + yaff_load32(found);
            for (size_t i = 0; i < MESSAGES - 1; i++) {
                uint8_t *p = array + yaff_load32(array + 4 * i);
                uint8_t *cell = p + ((const uint8_t *)yaff_find(p, type, row) - p);
                yaff_store32(cell, (uint32_t)(end - p));
                yaff_store32(cell + 4, LONG);
            }
            expect(b, YAFF_OVERLAP, NULL);
            yaff_store32(last + ((const uint8_t *)found - last) + 4, UINT32_MAX);
            cr_assert_neq(yaff_verify(type, b.bytes, b.size, NULL, NULL), YAFF_OK);
        }
    }
}

/* Two arrays of one message, both of nothing but absent things, in the same bytes. */
Test(verify, arrays_of_one_message_are_not_shared)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    add(m, NODES, 200);
    add(m, NAMES, 100);
    model_buffer b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    uint8_t *names = cell_of(b, NAMES), *nodes = cell_of(b, NODES);
    memset(b.bytes + (root_of(b) - b.bytes) + yaff_load32(names), 0, 800);
    expect(b, YAFF_OK, "");
    b.size -= 800; /* only one of them is there */
    yaff_store32(names, yaff_load32(nodes));
    expect(b, YAFF_OVERLAP, NULL);
}

static yaff_status with_visits(model_buffer b, uint32_t max_visits)
{
    yaff_verify_options options = {.max_visits = max_visits};
    return yaff_verify(&types[NODE], b.bytes, b.size, &options, NULL);
}

Test(verify, visits_can_be_limited)
{
    /* the root, and what is said here */
    static const struct {
        uint32_t field, visits;
    } cases[] = {{ID, 1},     {NAME, 1},   {NEXT, 2},    {NODES, 11},  {BY_NAME, 21},
                 {FLAGS, 1},  {NAMES, 11}, {DOUBLES, 1}, {COUNTS, 11}, {POINTS, 11},
                 {PINNED, 2}, {FAR_ID, 2}, {EMPTIES, 11}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        model_message *m = message(NODE, MODEL_SPARSE);
        model_item *items = add(m, cases[c].field, cases[c].visits < 10 ? 1 : 10);
        for (size_t i = 0; i < (cases[c].visits < 10 ? 1 : 10); i++) {
            char *key = (char *)model_alloc(2);
            key[0] = (char)('0' + i);
            items[i].bits = 1;
            if (cases[c].field == NAME || cases[c].field == NAMES) set_text(&items[i], key);
            if (cases[c].field == NEXT || cases[c].field == NODES)
                items[i].message = node_with_id(1);
            if (cases[c].field == BY_NAME) items[i].message = entry_of(key, 0, node_with_id(1));
            if (cases[c].field == COUNTS) items[i].message = entry_of(NULL, (int)i, NULL);
            if (cases[c].field == PINNED) {
                items[i].message = message(FLAT, MODEL_FLAT);
                add(items[i].message, 1, 1)->bits = 1;
            }
        }
        model_buffer b = model_write(&schema, m);
        cr_assert_eq(with_visits(b, cases[c].visits), YAFF_OK, "field %u", cases[c].field);
        for (uint32_t less = 1; less < cases[c].visits; less++)
            cr_assert_eq(with_visits(b, less), YAFF_TOO_LARGE, "field %u", cases[c].field);
    }
}

Test(verify, scanning_shared_bytes_stays_linear)
{
    /* 40,000 names that share 100,000 bytes. */
    enum { NAMES_COUNT = 40000, TEXT = 100000 };
    yaff_verify_options options = {.utf8 = true};
    model_message *m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, NAMES, NAMES_COUNT);
    char *text = (char *)model_alloc(TEXT + 1);
    model_buffer b;
    uint8_t *array;
    memset(text, 'x', TEXT);
    set_text(&items[0], text);
    b = model_write(&schema, m);
    array = b.bytes + yaff_load32(b.bytes + 4) + yaff_load32(cell_of(b, NAMES));
    for (size_t i = 1; i < NAMES_COUNT; i++) yaff_store64(array + 8 * i, yaff_load64(array));
    for (size_t i = 1; i < NAMES_COUNT; i++)
        yaff_store32(array + 8 * i, yaff_load32(array)); /* from the array's start */
    expect(b, YAFF_OK, "");
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &options, NULL), YAFF_OVERLAP);
}

/* Each key is the one before and a byte more, and all are the same bytes. */
Test(verify, comparing_shared_keys_stays_linear)
{
    enum { KEYS = 4000 };
    model_message *m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, BY_NAME, KEYS);
    char *text = (char *)model_alloc(KEYS + 1);
    memset(text, 'x', KEYS);
    for (size_t i = 0; i < KEYS; i++) items[i].message = entry_of(i ? "x" : text, 0, NULL);
    model_buffer b = model_write(&schema, m);
    uint8_t *entries = b.bytes + (root_of(b) - b.bytes) + yaff_load32(cell_of(b, BY_NAME));
    const uint32_t size = types[TEXT_ENTRY].body_size, first = yaff_load32(entries);
    for (uint32_t i = 0; i < KEYS; i++) {
        yaff_store32(entries + i * size, first - i * size); /* from the entry */
        yaff_store32(entries + i * size + 4, i + 1);
    }
    b.bytes[3] = YAFF_BUFFER_BORROWED;
    expect(b, YAFF_OVERLAP, NULL);
}

/* A thousand messages that claim the same unknown bytes, each of which would be parsed. */
Test(verify, unknown_bytes_are_not_shared)
{
    enum { COUNT = 1000, BYTES = 40000 };
    model_message *m = message(NODE, MODEL_SPARSE), *unknown = node_with_id(1);
    model_item *items = add(m, NODES, COUNT);
    char *fields = (char *)model_alloc(BYTES);
    model_buffer b;
    uint8_t *array, *first;
    for (size_t i = 0; i < BYTES; i += 2) memcpy(fields + i, "\x08\x01", 2);
    unknown->unknown = fields;
    unknown->unknown_size = BYTES;
    items[0].message = unknown;
    for (size_t i = 1; i < COUNT; i++) {
        items[i].message = node_with_id(1);
        items[i].message->unknown = fields;
        items[i].message->unknown_size = 2;
    }
    b = model_write(&schema, m);
    expect(b, YAFF_OK, "");
    array = b.bytes + yaff_load32(b.bytes + 4) + yaff_load32(cell_of(b, NODES));
    first = array + yaff_load32(array);
    for (size_t i = 1; i < COUNT; i++) {
        uint8_t *p = array + yaff_load32(array + 4 * i);
        uint8_t *cell = p + 8 + 8; /* of the directory's only entry, behind the body */
        uint32_t bytes = yaff_load32(first + 8 + 8);
        yaff_store32(cell, (uint32_t)(first + bytes - p));
        yaff_store32(cell + 4, BYTES);
    }
    expect(b, YAFF_OVERLAP, NULL);
}

/* ---- depth ---- */

static model_message *chain(unsigned depth, bool maps)
{
    model_message *m = node_with_id(1);
    for (unsigned i = 0; i < depth; i++) {
        model_message *parent = message(NODE, MODEL_SPARSE);
        if (maps)
            add(parent, BY_NAME, 1)->message = entry_of("k", 0, m);
        else
            add(parent, NEXT, 1)->message = m;
        m = parent;
    }
    return m;
}

Test(verify, depth_is_limited)
{
    yaff_verify_options deeper = {.max_depth = 1000};
    model_buffer b;
    expect(model_write(&schema, chain(100, false)), YAFF_OK, "");
    expect(model_write(&schema, chain(101, false)), YAFF_TOO_DEEP, NULL);
    expect(model_write(&schema, chain(50, true)), YAFF_OK, "");
    expect(model_write(&schema, chain(51, true)), YAFF_TOO_DEEP, NULL);
    b = model_write(&schema, chain(1000, false));
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &deeper, NULL), YAFF_OK);
    b = model_write(&schema, chain(1001, false));
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &deeper, NULL), YAFF_TOO_DEEP);
    static const uint32_t fields[] = {NEXT, NODES, BY_NAME, COUNTS, POINTS, EMPTIES};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) { /* each opens a level */
        model_message *m = message(NODE, MODEL_SPARSE), *child = message(NODE, MODEL_SPARSE);
        model_item *item = add(child, fields[f], 1);
        if (fields[f] == NEXT || fields[f] == NODES) item->message = node_with_id(1);
        if (fields[f] == BY_NAME) item->message = entry_of("key", 0, NULL);
        if (fields[f] == COUNTS) item->message = entry_of(NULL, 1, NULL);
        add(m, NEXT, 1)->message = child;
        model_buffer nested = model_write(&schema, m);
        for (uint32_t depth = 1; depth <= 2; depth++) {
            yaff_verify_options options = {.max_depth = depth};
            cr_assert_eq(yaff_verify(&types[NODE], nested.bytes, nested.size, &options, NULL),
                         depth == 1 ? YAFF_TOO_DEEP : YAFF_OK, "f%u", (unsigned)fields[f]);
        }
    }
    deeper.max_depth = UINT32_MAX; /* YAFF_DEPTH_CEILING holds all the same */
    cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &deeper, NULL), YAFF_TOO_DEEP);
}

#if !defined(__SANITIZE_ADDRESS__) /* whose frames are larger */

static void *verify_deeply(void *buffer)
{
    const model_buffer *b = (const model_buffer *)buffer;
    yaff_verify_options options = {.max_depth = UINT32_MAX};
    cr_expect_eq(yaff_verify(&types[NODE], b->bytes, b->size, &options, NULL), YAFF_OK);
    return NULL;
}

/* As <yaff/verify.h> says: less than 1 KiB for each level. Beyond it there is no memory. */
Test(verify, its_stack_is_bounded)
{
    const size_t room = YAFF_DEPTH_CEILING * 1024 + 64 * 1024; /* and what a thread needs */
    for (unsigned maps = 0; maps < 2; maps++) {
        model_buffer b =
            model_write(&schema, chain(maps ? YAFF_DEPTH_CEILING / 2 : YAFF_DEPTH_CEILING, maps));
        pthread_attr_t attributes;
        pthread_t thread;
        cr_assert_eq(pthread_attr_init(&attributes), 0);
        cr_assert_eq(pthread_attr_setstacksize(&attributes, room), 0);
        cr_assert_eq(pthread_create(&thread, &attributes, verify_deeply, &b), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attributes);
    }
}

#endif

/* ---- the path ---- */

/* A node whose name has no NUL. */
static model_message *bad_node(void)
{
    model_message *m = message(NODE, MODEL_SPARSE);
    set_text(add(m, NAME, 1), "spoilme");
    return m;
}

static void expect_path(model_message *root, const char *path)
{
    model_buffer b = model_write(&schema, root);
    for (size_t i = 0; i + 8 <= b.size; i++)
        if (memcmp(b.bytes + i, "spoilme", 8) == 0) b.bytes[i + 7] = '!';
    expect(b, YAFF_NOT_TERMINATED, path);
}

Test(verify, the_path_names_fields_elements_and_keys)
{
    model_message *m = message(NODE, MODEL_SPARSE), *child = message(NODE, MODEL_SPARSE);
    add(child, NEXT, 1)->message = bad_node();
    add(m, NODES, 18)[17].message = child;
    expect_path(m, "f4[17].f3.f2");

    m = message(NODE, MODEL_SPARSE);
    add(m, BY_NAME, 1)->message = entry_of("a\"\\\n\xff", 0, bad_node());
    expect_path(m, "f5[\"a\\\"\\\\\\x0a\\xff\"].f2");

    m = message(NODE, MODEL_SPARSE);
    add(m, BY_NAME, 1)->message = entry_of("spoilme", 0, NULL);
    expect_path(m, "f5[0].f1");

    m = message(NODE, MODEL_SPARSE);
    add(m, BY_NAME, 1)->message =
        entry_of("0123456789012345678901234567890123456789x", 0, bad_node());
    expect_path(m, "f5[\"0123456789012345678901234567890123456789\xe2\x80\xa6\"].f2");

    m = message(NODE, MODEL_SPARSE);
    model_item *items = add(m, COUNTS, 2);
    items[0].message = entry_of(NULL, 43, NULL);
    items[1].message = entry_of(NULL, -42, NULL);
    expect(model_write(&schema, m), YAFF_BAD_MAP, "f10[-42]");
}

Test(verify, a_long_path_is_cut)
{
    yaff_error err;
    for (unsigned depth = 60; depth < 100; depth++) {
        model_message *m = bad_node();
        char full[400] = "";
        model_buffer b;
        for (unsigned i = 0; i < depth; i++) {
            model_message *parent = message(NODE, MODEL_SPARSE);
            add(parent, NEXT, 1)->message = m;
            m = parent;
            memcpy(full + 3 * i, "f3.", 4);
        }
        memcpy(full + 3 * depth, "f2", 3);
        b = model_write(&schema, m);
        b.bytes[b.size - 1] = '!';
        cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, NULL, &err), YAFF_NOT_TERMINATED);
        if (strlen(full) >= YAFF_ERROR_PATH_SIZE) memcpy(full + 196, "\xe2\x80\xa6", 4);
        cr_assert_str_eq(err.path, full);
    }
}

/* ---- large and valid ---- */

Test(verify, a_million_elements_pass)
{
    enum { MILLION = 1000000 };
    yaff_verify_options options = {.utf8 = true};
    static const uint32_t fields[] = {NODES, BY_NAME, FLAGS, NAMES, DOUBLES, COUNTS, POINTS};
    model_message *node = message(NODE, MODEL_SPARSE), *lanes = message(NODE, MODEL_LANES);
    add(node, ID, 1)->bits = 9;
    set_text(add(node, NAME, 1), "name");
    add(lanes, COLOR, 1)->bits = 9;
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        model_message *m = message(NODE, MODEL_SPARSE);
        size_t count = fields[f] == BY_NAME || fields[f] == COUNTS ? MILLION / 10 : MILLION;
        model_item *items = add(m, fields[f], count);
        model_buffer b;
        for (size_t i = 0; i < count; i++) {
            char *key = NULL;
            switch (fields[f]) {
            case NODES:
                items[i].message = i % 2 ? node : lanes;
                break;
            case BY_NAME:
                key = (char *)model_alloc(8);
                snprintf(key, 8, "%07u", (unsigned)i);
                items[i].message = entry_of(key, 0, node);
                break;
            case NAMES:
                set_text(&items[i], "text");
                break;
            case COUNTS:
                items[i].message = entry_of(NULL, (int32_t)i, NULL);
                break;
            case POINTS:
                break;
            default:
                items[i].bits = 1;
            }
        }
        b = model_write(&schema, m);
        cr_assert_eq(yaff_verify(&types[NODE], b.bytes, b.size, &options, NULL), YAFF_OK);
        model_free_all();
        setup();
        node = message(NODE, MODEL_SPARSE);
        add(node, ID, 1)->bits = 9;
        set_text(add(node, NAME, 1), "name");
    }
}

/* ---- what is accepted can be read ---- */

static volatile uint64_t sink;

static void touch(const void *bytes, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) sum += ((const uint8_t *)bytes)[i];
    sink += sum;
}

static void visit(const yaff_type *type, const void *p, bool borrowed);

static void visit_text(yaff_str s, bool borrowed)
{
    touch(s.data, s.size);
    if (!borrowed) cr_assert_eq(s.data[s.size], '\0');
}

static void visit_map(const yaff_type *entry, const uint8_t *entries, size_t count)
{
    const yaff_field *key = &entry->fields[0];
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = entries + entry->body_size * i;
        const void *found;
        switch (key->kind) {
        case YAFF_KIND_STRING:
            found = yaff_map_find_str(entries, count, entry->body_size,
                                      yaff_span_str(at, yaff_load64(at)));
            break;
        case YAFF_KIND_BOOL:
            found = yaff_map_find_bool(entries, count, entry->body_size, *at != 0);
            break;
        default:
            found = yaff_map_find_i32(entries, count, entry->body_size, (int32_t)yaff_load32(at));
            break;
        }
        cr_assert_eq(found, at);
    }
}

static void visit_value(const yaff_field *f, const void *owner, uint64_t bits, bool borrowed)
{
    size_t count = yaff_span_count(bits);
    const uint8_t *data;
    if (!(f->flags & YAFF_FIELD_REPEATED)) {
        if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES)
            visit_text(yaff_span_str(owner, bits), borrowed);
        else if (f->type && (uint32_t)bits)
            visit(f->type, yaff_ref_message(owner, (uint32_t)bits, NULL), borrowed);
        return;
    }
    if (count == 0) return;
    data = (const uint8_t *)yaff_span_data(owner, bits);
    for (size_t i = 0; i < count; i++) {
        if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES)
            visit_text(yaff_array_str(owner, bits, i), borrowed);
        else if (f->type && f->type->layout == YAFF_LAYOUT_FIXED)
            visit(f->type, data + f->type->body_size * i, borrowed);
        else if (f->type && yaff_array_at4(owner, bits, i))
            visit(f->type, yaff_array_message(owner, bits, i, NULL), borrowed);
    }
    if (f->flags & YAFF_FIELD_MAP)
        visit_map(f->type, data, count);
    else if (!f->type)
        touch(data, count * yaff_kind_width(f->kind));
}

static void visit(const yaff_type *type, const void *p, bool borrowed)
{
    yaff_walk w;
    yaff_str unknown;
    yaff_walk_begin(&w, type, p);
    while (yaff_walk_next_member(&w)) touch(w.cell, w.field->width);
    yaff_walk_begin(&w, type, p);
    while (yaff_walk_next(&w)) touch(w.cell, w.field->width);
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        if (f->width == 0) {
            visit(f->type, (const uint8_t *)p + f->place, borrowed);
            continue;
        }
        uint64_t bits = inline_get(type, row, p);
        visit_value(f, p, bits, borrowed);
        if (type->layout == YAFF_LAYOUT_FIXED) continue;
        sink += inline_has(type, row, p) + yaff_find_has(p, type, row);
        /* Nobody sees two values, unless the width has changed, which is another schema. */
        if (f->width == 8 && !f->oneof) cr_assert_eq(yaff_find_get8(p, type, row), bits);
        if (f->width == 4 && !f->oneof) cr_assert_eq(yaff_find_get4(p, type, row), bits);
        sink += yaff_find_get1(p, type, row);
    }
    if (type->layout == YAFF_LAYOUT_FIXED) {
        touch(p, type->body_size);
        return;
    }
    if (inline_fields(type, p)) touch(p, type->body_size);
    for (uint32_t o = 0; o < type->oneof_count; o++) sink += yaff_find_case(p, type, o);
    unknown = yaff_unknown(p);
    touch(unknown.data, unknown.size);
}

static uint32_t interesting(model_random *r)
{
    static const uint32_t values[] = {0,      1,          7,          8,          0x7f,  0xff,
                                      0x8000, 0xc010,     0x4000,     0x7fffffff, 16,    0xffff,
                                      0x100,  0x80000000, 0xfffffff8, 0xffffffff, 0xa001};
    return model_chance(r, 50) ? values[model_below(r, sizeof values / sizeof *values)]
                               : model_below(r, 400);
}

static void mutate(model_random *r, uint8_t *bytes, size_t size)
{
    size_t at = 4 + model_below(r, (uint32_t)size - 4);
    switch (model_below(r, 6)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << model_below(r, 8));
        break;
    case 1:
        bytes[at] = (uint8_t)model_bits(r);
        break;
    case 2:
        yaff_store16(bytes + (at & ~(size_t)1), (uint16_t)interesting(r));
        break;
    case 3:
        yaff_store32(bytes + (at & ~(size_t)3), interesting(r));
        break;
    case 4:
        at &= ~(size_t)3;
        yaff_store32(bytes + at, yaff_load32(bytes + at) + model_below(r, 65) - 32);
        break;
    default:
        at &= ~(size_t)7;
        if (at) memcpy(bytes + at, bytes + model_below(r, (uint32_t)size / 8) * 8, 8);
        break;
    }
}

/* Pages with a forbidden one on either side. */
static uint8_t *guarded(size_t pages, size_t *room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map =
        (uint8_t *)mmap(NULL, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)map, MAP_FAILED);
    cr_assert_eq(mprotect(map + page, pages * page, PROT_READ | PROT_WRITE), 0);
    *room = pages * page;
    return map + page;
}

static void fuzz(uint64_t seed, unsigned long iterations, bool related)
{
    static model_schema universe, other, writer, mine;
    unsigned long done = 0, accepted = 0;
    size_t room;
    uint8_t *pages = guarded(16, &room);
    for (; done < iterations; seed++) {
        model_random random = {seed};
        model_random_universe(&random, &universe);
        model_random_version(&random, &universe, &writer, true);
        if (related) {
            if (model_chance(&random, 40))
                mine = writer;
            else
                model_random_version(&random, &universe, &mine, false);
        } else {
            model_random_universe(&random, &other);
            model_random_version(&random, &other, &mine, false);
        }
        const yaff_type *tables = model_tables(&mine, 20);
        unsigned root = model_below(&random, 7);
        model_buffer b = model_write(&writer, model_random_message(&random, &writer, root, 2));
        for (unsigned i = 0; i < 100 && b.size > 8 && b.size <= room; i++, done++) {
            uint8_t *bytes = model_chance(&random, 70) ? pages + room - b.size : pages;
            memcpy(bytes, b.bytes, b.size);
            if (model_chance(&random, 10)) bytes[3] = YAFF_BUFFER_BORROWED;
            for (unsigned n = model_below(&random, 4) + (related && i > 0); n-- > 0;)
                mutate(&random, bytes, b.size);
            if (yaff_verify(&tables[root], bytes, b.size, NULL, NULL) != YAFF_OK) continue;
            accepted++;
            uint32_t p = yaff_load32(bytes + 4);
            if (p) visit(&tables[root], bytes + p, bytes[3] != 0);
        }
        model_free_all();
    }
    cr_assert_gt(accepted, iterations / 50, "only %lu accepted", accepted);
}

Test(verify, mutated_buffers_are_refused_or_safe)
{
    fuzz(1, 250000, true);
}

Test(verify, buffers_of_another_schema_are_refused_or_safe)
{
    fuzz(5000000, 100000, false);
}
