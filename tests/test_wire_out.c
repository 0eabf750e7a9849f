/* YaFF to wire bytes: exact bytes for each kind of field in each way a message may be stored,
 * against a plain forward writer for random messages and other writers' schemas, and all the
 * limits: every capacity, depth, size. Messages and tables come from the model (support/model.h).
 * */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include <yaff/buffer.h>
#include <yaff/value.h>
#include <yaff/wire.h>

#include "support/model.h"

/* ---- schemas, tables and messages by hand ---- */

static unsigned wire_type(const yaff_field *f)
{
    if (f->flags & YAFF_FIELD_PACKED) return 2;
    switch (f->kind) {
    case YAFF_KIND_DOUBLE:
    case YAFF_KIND_FIXED64:
    case YAFF_KIND_SFIXED64:
        return 1;
    case YAFF_KIND_FLOAT:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_SFIXED32:
        return 5;
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
    case YAFF_KIND_MESSAGE:
        return 2;
    case YAFF_KIND_GROUP:
        return 3;
    default:
        return 0;
    }
}

static yaff_type *tables(const model_schema *schema, uint32_t index_size)
{
    yaff_type *types = model_tables(schema, index_size);
    for (unsigned t = 0; t < schema->count; t++)
        for (uint32_t i = 0; i < types[t].field_count; i++) {
            yaff_field *f = (yaff_field *)(uintptr_t)&types[t].fields[i];
            f->tag = f->number << 3 | wire_type(f);
        }
    return types;
}

static model_schema *new_schema(unsigned types)
{
    model_schema *schema = (model_schema *)model_alloc(sizeof *schema);
    schema->count = types;
    return schema;
}

static model_field *field(model_schema *schema, unsigned type, uint32_t number, unsigned kind,
                          unsigned flags, unsigned child)
{
    model_type *t = &schema->types[type];
    model_field *f = &t->fields[t->count++];
    f->number = number;
    f->kind = kind;
    f->flags = flags;
    f->type = child;
    return f;
}

static model_message *message(unsigned type, model_form form)
{
    model_message *m = (model_message *)model_alloc(sizeof *m);
    m->type = type;
    m->form = form;
    m->blocks = 1;
    m->values = (model_value *)model_alloc(sizeof *m->values * MODEL_FIELDS);
    return m;
}

/* Fields are to be set in ascending order. */
static model_item *set(const model_schema *schema, model_message *m, uint32_t number, size_t count)
{
    const model_type *t = &schema->types[m->type];
    model_value *value = &m->values[m->count++];
    for (unsigned i = 0; i < t->count; i++)
        if (t->fields[i].number == number) value->field = &t->fields[i];
    cr_assert_not_null(value->field);
    value->count = count;
    value->items = (model_item *)model_alloc(sizeof *value->items * (count ? count : 1));
    return value->items;
}

static void set_bits(const model_schema *schema, model_message *m, uint32_t number, uint64_t bits)
{
    set(schema, m, number, 1)->bits = bits;
}

static void give_text(model_item *item, const char *text, size_t size)
{
    item->text = text;
    item->size = size;
}

static void set_text(const model_schema *schema, model_message *m, uint32_t number,
                     const char *text)
{
    give_text(set(schema, m, number, 1), text, strlen(text));
}

static void set_message(const model_schema *schema, model_message *m, uint32_t number,
                        model_message *child)
{
    set(schema, m, number, 1)->message = child;
}

/* ---- what is compared ---- */

enum { GUARD = 32 };

static const char *hex(const uint8_t *bytes, size_t size)
{
    char *text = (char *)model_alloc(2 * size + 1);
    for (size_t i = 0; i < size; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
    return text;
}

/* Writes into exactly `capacity` bytes and looks at what lies around them. */
static yaff_status write_guarded(const yaff_type *type, const void *m, size_t capacity,
                                 uint8_t *copy, size_t *written)
{
    uint8_t *block = (uint8_t *)malloc(capacity + 2 * GUARD);
    yaff_error err;
    yaff_status status;
    memset(block, 0xa5, capacity + 2 * GUARD);
    status = yaff_to_wire(type, m, block + GUARD, capacity, written, &err);
    cr_assert_eq(err.status, status);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(block[i] == 0xa5 && block[GUARD + capacity + i] == 0xa5, "wrote outside");
    if (status == YAFF_OK && copy) memcpy(copy, block + GUARD, *written);
    free(block);
    return status;
}

/* m must come out as these bytes: at exactly this capacity and at some more, and not at any less.
 * */
static void check_wire(const yaff_type *type, const void *m, const uint8_t *want, size_t size)
{
    uint8_t *got = (uint8_t *)malloc(size + 64);
    size_t told = 99, written = 99;
    cr_assert_eq(yaff_wire_size(type, m, &told, NULL), YAFF_OK);
    cr_assert_eq(told, size, "size %zu, want %zu: %s", told, size, hex(want, size));
    for (size_t more = 0; more < 40; more += more < 20 ? 1 : 7) {
        cr_assert_eq(write_guarded(type, m, size + more, got, &written), YAFF_OK);
        cr_assert_eq(written, size);
        cr_assert(memcmp(got, want, size) == 0, "%s, want %s", hex(got, size), hex(want, size));
    }
    for (size_t capacity = 0; capacity < size; capacity += size < 2000 ? 1 : 97)
        cr_assert_eq(write_guarded(type, m, capacity, NULL, &written), YAFF_TOO_SMALL,
                     "capacity %zu of %zu", capacity, size);
    free(got);
}

static void expect(const model_schema *schema, const model_message *m, const char *want)
{
    uint8_t bytes[2048];
    size_t size = strlen(want) / 2;
    model_buffer b = model_write(schema, m);
    for (size_t i = 0; i < size; i++) {
        char pair[3] = {want[2 * i], want[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    /* with the fields in the type's index, and without */
    for (uint32_t index_size = 0; index_size < 3000; index_size += 2999) {
        const yaff_type *type = &tables(schema, index_size)[m->type];
        check_wire(type, yaff_buffer_root(b.bytes, type->instance), bytes, size);
    }
}

static const model_form forms[] = {MODEL_SPARSE, MODEL_FLAT, MODEL_LANES};

/* Sets the layout that goes with a form. */
static void pin(model_schema *schema, unsigned type, model_form form)
{
    schema->types[type].layout = form == MODEL_FLAT     ? YAFF_LAYOUT_FLAT
                                 : form == MODEL_FIXED  ? YAFF_LAYOUT_FIXED
                                 : form == MODEL_SPARSE ? YAFF_LAYOUT_SPARSE
                                                        : YAFF_LAYOUT_DYNAMIC;
}

/* ---- kinds of fields ---- */

static const struct {
    unsigned kind;
    uint64_t bits;
    const char *value;
} numbers[] = {
    {YAFF_KIND_DOUBLE, 0x8000000000000000, "0000000000000080"}, /* minus zero */
    {YAFF_KIND_FLOAT, 0x3fc00000, "0000c03f"},
    {YAFF_KIND_INT64, 1, "01"},
    {YAFF_KIND_INT64, 0xffffffffffffffff, "ffffffffffffffffff01"},
    {YAFF_KIND_UINT64, 0x7f, "7f"},
    {YAFF_KIND_UINT64, 0x80, "8001"},
    {YAFF_KIND_UINT64, 0x3fff, "ff7f"},
    {YAFF_KIND_UINT64, 0x4000, "808001"},
    {YAFF_KIND_UINT64, 0x1fffff, "ffff7f"},
    {YAFF_KIND_UINT64, 0xffffffff, "ffffffff0f"},
    {YAFF_KIND_UINT64, 0x00ffffffffffffff, "ffffffffffffff7f"},
    {YAFF_KIND_UINT64, 0x7fffffffffffffff, "ffffffffffffffff7f"},
    {YAFF_KIND_INT32, 0xffffffff, "ffffffffffffffffff01"},
    {YAFF_KIND_INT32, 0x7fffffff, "ffffffff07"},
    {YAFF_KIND_INT32, 0x80000000, "80808080f8ffffffff01"},
    {YAFF_KIND_FIXED64, 0x0102030405060708, "0807060504030201"},
    {YAFF_KIND_FIXED32, 0x01020304, "04030201"},
    {YAFF_KIND_BOOL, 1, "01"},
    {YAFF_KIND_UINT32, 0xffffffff, "ffffffff0f"},
    {YAFF_KIND_ENUM, 0xfffffffe, "feffffffffffffffff01"},
    {YAFF_KIND_ENUM, 300, "ac02"},
    {YAFF_KIND_SFIXED32, 0xffffffff, "ffffffff"},
    {YAFF_KIND_SFIXED64, 0xffffffffffffffff, "ffffffffffffffff"},
    {YAFF_KIND_SINT32, 0xffffffff, "01"},
    {YAFF_KIND_SINT32, 0x80000000, "ffffffff0f"},
    {YAFF_KIND_SINT32, 0x7fffffff, "feffffff0f"},
    {YAFF_KIND_SINT64, 0xffffffffffffffff, "01"},
    {YAFF_KIND_SINT64, 0x8000000000000000, "ffffffffffffffffff01"},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const char *zero_of(unsigned kind)
{
    yaff_field f = {.kind = (uint8_t)kind};
    return wire_type(&f) == 1 ? "0000000000000000" : wire_type(&f) == 5 ? "00000000" : "00";
}

/* Tags of one, two, three and five bytes. The last two stand in a directory when Sparse, and too
 * far for Flat the last one. */
static const struct {
    uint32_t number;
    const char *tags[6]; /* by wire type */
} places[] = {
    {3, {"18", "19", "1a", "1b", "1c", "1d"}},
    {16, {"8001", "8101", "8201", "8301", "8401", "8501"}},
    {2048, {"808001", "818001", "828001", "838001", "848001", "858001"}},
    {536870911,
     {"f8ffffff0f", "f9ffffff0f", "faffffff0f", "fbffffff0f", "fcffffff0f", "fdffffff0f"}},
};

static const char *tag_of(unsigned place, unsigned kind, unsigned flags)
{
    yaff_field f = {.kind = (uint8_t)kind, .flags = (uint16_t)flags};
    return places[place].tags[wire_type(&f)];
}

Test(wire_out, every_kind_of_number)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        for (unsigned place = 0; place < 4; place++)
            for (unsigned form = 0; form < 3; form++)
                for (unsigned flags = 0; flags <= YAFF_FIELD_PRESENCE;
                     flags += YAFF_FIELD_PRESENCE) {
                    char want[64];
                    model_schema *s = new_schema(1);
                    model_message *m = message(0, forms[form]);
                    if (places[place].number > YAFF_FLAT_MAX_NUMBER && form) continue;
                    pin(s, 0, forms[form]);
                    field(s, 0, places[place].number, numbers[i].kind, flags, 0);
                    set_bits(s, m, places[place].number, numbers[i].bits);
                    sprintf(want, "%s%s", tag_of(place, numbers[i].kind, 0), numbers[i].value);
                    expect(s, m, want);
                    model_free_all();
                }
}

/* The longest tag and varint, with every number of bytes left. */
Test(wire_out, the_longest_fields_at_the_edge)
{
    model_schema *s = new_schema(1);
    model_message *m = message(0, MODEL_SPARSE);
    for (uint32_t n = 536870909; n <= 536870911; n++) {
        field(s, 0, n, n % 2 ? YAFF_KIND_INT64 : YAFF_KIND_SFIXED64, 0, 0);
        set_bits(s, m, n, n % 2 ? 0xffffffffffffffff : 1);
    }
    expect(s, m,
           "e8ffffff0fffffffffffffffffff01"
           "f1ffffff0f0100000000000000"
           "f8ffffff0fffffffffffffffffff01");
    model_free_all();
}

/* Zero is written when its field has a presence of its own; a false bool in Sparse has a 4-byte
 * cell. */
Test(wire_out, explicit_zero)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        for (unsigned form = 0; form < 3; form++) {
            char want[64];
            model_schema *s = new_schema(1);
            model_message *m = message(0, forms[form]);
            pin(s, 0, forms[form]);
            field(s, 0, 3, numbers[i].kind, YAFF_FIELD_PRESENCE, 0);
            field(s, 0, 4, YAFF_KIND_UINT32, YAFF_FIELD_PRESENCE, 0);
            field(s, 0, 5, numbers[i].kind, YAFF_FIELD_PRESENCE, 0);
            set_bits(s, m, 3, 0);
            set_bits(s, m, 4, 7);
            sprintf(want, "%s%s2007", tag_of(0, numbers[i].kind, 0), zero_of(numbers[i].kind));
            expect(s, m, want);
            model_free_all();
        }
}

Test(wire_out, repeated_numbers_packed_and_not)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        for (unsigned packed = 0; packed < 2; packed++)
            for (unsigned form = 0; form < 3; form++) {
                char want[256], *end = want;
                const char *value = numbers[i].value, *zero = zero_of(numbers[i].kind);
                unsigned flags = YAFF_FIELD_REPEATED | (packed ? YAFF_FIELD_PACKED : 0);
                const char *tag = tag_of(1, numbers[i].kind, flags);
                model_schema *s = new_schema(1);
                model_message *m = message(0, forms[form]);
                model_item *items;
                pin(s, 0, forms[form]);
                field(s, 0, 16, numbers[i].kind, flags, 0);
                items = set(s, m, 16, 3);
                items[0].bits = items[2].bits = numbers[i].bits;
                if (packed)
                    end +=
                        sprintf(end, "%s%02x", tag, (unsigned)(strlen(value) + strlen(zero) / 2));
                for (unsigned n = 0; n < 3; n++)
                    end += sprintf(end, "%s%s", packed ? "" : tag, n == 1 ? zero : value);
                expect(s, m, want);
                model_free_all();
            }
}

Test(wire_out, an_empty_array_is_nothing)
{
    model_schema *s = new_schema(1);
    model_message *m = message(0, MODEL_LANES);
    field(s, 0, 1, YAFF_KIND_INT32, YAFF_FIELD_REPEATED | YAFF_FIELD_PACKED, 0);
    field(s, 0, 2, YAFF_KIND_STRING, YAFF_FIELD_REPEATED, 0);
    field(s, 0, 3, YAFF_KIND_INT32, 0, 0);
    set(s, m, 1, 0);
    set(s, m, 2, 0);
    set_bits(s, m, 3, 1);
    expect(s, m, "1801");
    model_free_all();
}

/* Every length around those that are copied differently. */
Test(wire_out, texts_of_every_length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
                                  "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
                                  "0123456789";
    for (unsigned size = 0; size < sizeof letters; size++) {
        char want[1000], *end = want;
        model_schema *s = new_schema(1);
        model_message *m = message(0, MODEL_SPARSE);
        model_item *items;
        field(s, 0, 1, YAFF_KIND_STRING, YAFF_FIELD_PRESENCE, 0);
        field(s, 0, 2, YAFF_KIND_BYTES, YAFF_FIELD_REPEATED, 0);
        give_text(set(s, m, 1, 1), letters, size);
        items = set(s, m, 2, 2);
        give_text(&items[0], letters + 1, size ? size - 1 : 0);
        give_text(&items[1], letters, size);
        for (unsigned n = 0; n < 3; n++) {
            const char *text = n == 1 ? letters + 1 : letters;
            unsigned length = n == 1 && size ? size - 1 : size;
            end += sprintf(end, "%s", n ? "12" : "0a");
            if (length >= 128)
                end += sprintf(end, "%02x%02x", length % 128 + 128, length / 128);
            else
                end += sprintf(end, "%02x", length);
            for (unsigned i = 0; i < length; i++) end += sprintf(end, "%02x", (unsigned)text[i]);
        }
        expect(s, m, want);
        model_free_all();
    }
}

/* ---- messages in messages ---- */

/* Type 0: message 1, group 2, messages 3, groups 4, int32 5; all of type 0. */
static model_schema *node_schema(model_form form)
{
    model_schema *s = new_schema(1);
    pin(s, 0, form);
    field(s, 0, 1, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, 0);
    field(s, 0, 2, YAFF_KIND_GROUP, YAFF_FIELD_PRESENCE, 0);
    field(s, 0, 3, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED, 0);
    field(s, 0, 4, YAFF_KIND_GROUP, YAFF_FIELD_REPEATED, 0);
    field(s, 0, 5, YAFF_KIND_INT32, 0, 0);
    return s;
}

static model_message *leaf(const model_schema *s, model_form form, uint64_t value)
{
    model_message *m = message(0, form);
    set_bits(s, m, 5, value);
    return m;
}

Test(wire_out, messages_and_groups)
{
    for (unsigned form = 0; form < 3; form++) {
        model_schema *s = node_schema(forms[form]);
        model_message *m = message(0, forms[form]);
        model_item *items;
        set_message(s, m, 1, leaf(s, forms[form], 1));
        set_message(s, m, 2, leaf(s, forms[form], 300));
        items = set(s, m, 3, 3);
        items[0].message = leaf(s, forms[form], 2); /* the one between is empty, and not stored */
        items[2].message = leaf(s, forms[form], 3);
        items = set(s, m, 4, 2);
        items[1].message = leaf(s, forms[form], 4);
        set_bits(s, m, 5, 5);
        expect(s, m,
               "0a022801"
               "1328ac0214"
               "1a022802"
               "1a00"
               "1a022803"
               "2324"
               "23280424"
               "2805");
        model_free_all();
    }
}

Test(wire_out, an_empty_root_and_empty_children)
{
    for (unsigned form = 0; form < 3; form++) {
        model_schema *s = node_schema(forms[form]);
        model_message *m = message(0, forms[form]);
        expect(s, m, "");
        set_message(s, m, 1, NULL);
        set_message(s, m, 2, NULL);
        expect(s, m, "0a001314");
        model_free_all();
    }
}

/* A chain of `depth` messages below the root, through field 1, 2, 3 or 4. */
static void check_depth(uint32_t number, unsigned depth, bool content, yaff_status want)
{
    model_schema *s = node_schema(MODEL_LANES);
    model_message *m = content ? leaf(s, MODEL_SPARSE, 1) : NULL;
    static uint8_t out[4096];
    const yaff_type *type = tables(s, 0);
    size_t size, written;
    yaff_error err;
    for (unsigned i = 0; i < depth; i++) {
        model_message *parent = message(0, i % 2 ? MODEL_LANES : MODEL_SPARSE);
        set(s, parent, number, 1)->message = m;
        m = parent;
    }
    const void *root = yaff_buffer_root(model_write(s, m).bytes, type->instance);
    cr_assert_eq(yaff_wire_size(type, root, &size, NULL), want);
    cr_assert_eq(yaff_to_wire(type, root, out, sizeof out, &written, &err), want);
    cr_assert_eq(err.status, want);
    if (want == YAFF_OK) cr_assert_eq(size, written);
    model_free_all();
}

Test(wire_out, depth)
{
    for (uint32_t number = 1; number <= 4; number++)
        for (unsigned content = 0; content < 2; content++) {
            check_depth(number, 100, content, YAFF_OK);
            check_depth(number, 101, content, YAFF_TOO_DEEP);
        }
}

/* Type 0: map 1 from string to type 0, map 2 from int32 to string, map 3 from bool to a Fixed
 * message. */
static model_schema *map_schema(model_form form)
{
    model_schema *s = new_schema(5);
    pin(s, 0, form);
    field(s, 0, 1, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED | YAFF_FIELD_MAP, 1);
    field(s, 0, 2, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED | YAFF_FIELD_MAP, 2);
    field(s, 0, 3, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED | YAFF_FIELD_MAP, 3);
    for (unsigned entry = 1; entry <= 3; entry++) {
        s->types[entry].map_entry = true;
        s->types[entry].layout = YAFF_LAYOUT_FIXED;
    }
    field(s, 1, 1, YAFF_KIND_STRING, 0, 0);
    field(s, 1, 2, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, 0);
    field(s, 2, 1, YAFF_KIND_INT32, 0, 0);
    field(s, 2, 2, YAFF_KIND_STRING, 0, 0);
    field(s, 3, 1, YAFF_KIND_BOOL, 0, 0);
    field(s, 3, 2, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, 4);
    s->types[4].layout = YAFF_LAYOUT_FIXED;
    field(s, 4, 1, YAFF_KIND_SINT32, 0, 0);
    return s;
}

Test(wire_out, map_entries_have_key_and_value)
{
    for (unsigned form = 0; form < 3; form++) {
        model_schema *s = map_schema(forms[form]);
        model_message *m = message(0, forms[form]), *child = message(0, forms[form]), *entry;
        model_item *items = set(s, m, 1, 2);
        items[0].message = message(1, MODEL_FIXED); /* "" and an empty message */
        items[1].message = entry = message(1, MODEL_FIXED);
        set_text(s, entry, 1, "k");
        set_message(s, entry, 2, child);
        set(s, child, 2, 1)->message = entry = message(2, MODEL_FIXED);
        set_bits(s, entry, 1, 0xffffffff);
        set_text(s, entry, 2, "v");
        items = set(s, m, 2, 1);
        items[0].message = message(2, MODEL_FIXED); /* 0 and "" */
        items = set(s, m, 3, 2);
        items[0].message = message(3, MODEL_FIXED);
        items[1].message = entry = message(3, MODEL_FIXED);
        set_bits(s, entry, 1, 1);
        set_message(s, entry, 2, child = message(4, MODEL_FIXED));
        set_bits(s, child, 1, 1);
        expect(s, m,
               "0a04"
               "0a00"
               "1200"
               "0a15"
               "0a016b"
               "1210"
               "120e"
               "08ffffffffffffffffff01"
               "120176"
               "1204"
               "0800"
               "1200"
               "1a04"
               "0800"
               "1200"
               "1a06"
               "0801"
               "1202"
               "0802");
        model_free_all();
    }
}

/* ---- Fixed ---- */

/* Type 0: int32 1, required int32 2, inline type 1 as 3 and, required, as 4, type 1 repeated 5,
 * string 6, packed 7. Type 1: bool 1, double 2. Type 2 has a type 0 behind a reference. */
static model_schema *fixed_schema(void)
{
    model_schema *s = new_schema(3);
    s->types[0].layout = s->types[1].layout = YAFF_LAYOUT_FIXED;
    field(s, 0, 1, YAFF_KIND_INT32, 0, 0);
    field(s, 0, 2, YAFF_KIND_INT32, YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED, 0);
    field(s, 0, 3, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, 1);
    field(s, 0, 4, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED, 1);
    field(s, 0, 5, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED, 1);
    field(s, 0, 6, YAFF_KIND_STRING, 0, 0);
    field(s, 0, 7, YAFF_KIND_SINT32, YAFF_FIELD_REPEATED | YAFF_FIELD_PACKED, 0);
    field(s, 1, 1, YAFF_KIND_BOOL, 0, 0);
    field(s, 1, 2, YAFF_KIND_DOUBLE, 0, 0);
    field(s, 2, 1, YAFF_KIND_MESSAGE, YAFF_FIELD_PRESENCE, 0);
    return s;
}

Test(wire_out, fixed)
{
    model_schema *s = fixed_schema();
    model_message *m = message(0, MODEL_FIXED), *child, *holder;
    model_item *items;
    expect(s, m, "10002200"); /* what is required, even so */
    set_bits(s, m, 1, 0xffffffff);
    set_bits(s, m, 2, 2);
    set_message(s, m, 3, child = message(1, MODEL_FIXED));
    set_bits(s, child, 1, 1);
    set_message(s, m, 4, child = message(1, MODEL_FIXED));
    set_bits(s, child, 2, 0x8000000000000000);
    items = set(s, m, 5, 2);
    items[1].message = child;
    set_text(s, m, 6, "abc");
    items = set(s, m, 7, 2);
    items[0].bits = 0xffffffff;
    expect(s, m,
           "08ffffffffffffffffff01"
           "1002"
           "1a020801"
           "2209110000000000000080"
           "2a00"
           "2a09110000000000000080"
           "3203616263"
           "3a020100");
    for (unsigned form = 0; form < 3; form++) {
        holder = message(2, forms[form]);
        pin(s, 2, forms[form]);
        set_message(s, holder, 1, NULL);
        expect(s, holder, "0a0410002200"); /* not stored: its default instance */
    }
    model_free_all();
}

/* More fields than are listed at a time. */
Test(wire_out, fixed_with_many_fields)
{
    model_schema *s = new_schema(1);
    model_message *m = message(0, MODEL_FIXED);
    char want[512], *end = want;
    s->types[0].layout = YAFF_LAYOUT_FIXED;
    for (uint32_t n = 1; n <= 70; n++) field(s, 0, n, YAFF_KIND_UINT32, 0, 0);
    for (uint32_t n = 1; n <= 70; n += 3) {
        set_bits(s, m, n, n);
        if (n < 16)
            end += sprintf(end, "%02x%02x", n << 3, n);
        else
            end += sprintf(end, "%02x%02x%02x", (n << 3 & 0x7f) | 0x80, n >> 4, n);
    }
    expect(s, m, want);
    model_free_all();
}

/* ---- oneofs, unknown fields, directories ---- */

/* Of two members set by an old writer the one with the higher number is written: in one block,
 * across blocks, and with one of them in a directory. */
Test(wire_out, oneof_losers)
{
    static const uint32_t highest[] = {7, 20, 3000};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned form = 0; form < 3; form++) {
            char want[64];
            model_schema *s = new_schema(1);
            model_message *m = message(0, forms[form]);
            pin(s, 0, forms[form]);
            field(s, 0, 1, YAFF_KIND_INT32, YAFF_FIELD_PRESENCE, 0)->oneof = 1;
            field(s, 0, 2, YAFF_KIND_STRING, YAFF_FIELD_PRESENCE, 0)->oneof = 2;
            field(s, 0, 3, YAFF_KIND_BOOL, YAFF_FIELD_PRESENCE, 0)->oneof = 1;
            field(s, 0, highest[i], YAFF_KIND_INT64, YAFF_FIELD_PRESENCE, 0)->oneof = 1;
            set_bits(s, m, 1, 1);
            set_text(s, m, 2, "x");
            set_bits(s, m, 3, 0);
            expect(s, m, "1201781800");
            set_bits(s, m, highest[i], 9);
            sprintf(want, "120178%s09", i == 0 ? "38" : i == 1 ? "a001" : "c0bb01");
            expect(s, m, want);
            model_free_all();
        }
}

/* Fields by number, from lanes and directory, then the unknown bytes as they were. */
Test(wire_out, directory_and_unknown_fields)
{
    for (unsigned blocks = 1; blocks <= 4; blocks++) {
        model_schema *s = new_schema(1);
        model_message *m = message(0, MODEL_SPARSE);
        uint32_t n = 0;
        char want[512], *end = want;
        m->blocks = blocks;
        for (uint32_t number = 2; number < 250; number += 9, n++) {
            static const unsigned kinds[] = {YAFF_KIND_UINT32, YAFF_KIND_BOOL, YAFF_KIND_STRING};
            unsigned kind = kinds[n % 3], tag = number << 3 | (kind == YAFF_KIND_STRING ? 2 : 0);
            field(s, 0, number, kind, YAFF_FIELD_PRESENCE, 0);
            if (number < 16)
                end += sprintf(end, "%02x", tag);
            else
                end += sprintf(end, "%02x%02x", (tag & 0x7f) | 0x80, tag >> 7);
            if (kind == YAFF_KIND_STRING)
                set_text(s, m, number, "ab"), end += sprintf(end, "026162");
            else
                set_bits(s, m, number, n & 1), end += sprintf(end, "%02x", n & 1);
        }
        expect(s, m, want);
        m->unknown = "\x08\x01\x12\x01z";
        m->unknown_size = 5;
        sprintf(end, "080112017a");
        expect(s, m, want);
        model_free_all();
    }
}

/* ---- messages by another writer ---- */

/* A plain forward writer over yaff_find(). */
typedef struct plain {
    uint8_t *bytes;
    size_t size, capacity;
} plain;

static void emit(plain *w, const void *data, size_t size)
{
    while (w->size + size > w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 4096;
        w->bytes = (uint8_t *)realloc(w->bytes, w->capacity);
    }
    if (size) memcpy(w->bytes + w->size, data, size);
    w->size += size;
}

static void emit_varint(plain *w, uint64_t v)
{
    do {
        uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        emit(w, &byte, 1);
    } while (v >>= 7);
}

static uint64_t cell_bits(const void *cell, unsigned width)
{
    return width == 8 ? yaff_load64(cell) : width == 4 ? yaff_load32(cell) : *(const uint8_t *)cell;
}

static void emit_number(plain *w, unsigned kind, uint64_t bits)
{
    yaff_field f = {.kind = (uint8_t)kind};
    uint8_t bytes[8];
    yaff_store64(bytes, bits);
    if (wire_type(&f) == 1)
        emit(w, bytes, 8);
    else if (wire_type(&f) == 5)
        emit(w, bytes, 4);
    else if (kind == YAFF_KIND_INT32 || kind == YAFF_KIND_ENUM)
        emit_varint(w, bits & 0x80000000 ? bits | 0xffffffff00000000 : bits);
    else if (kind == YAFF_KIND_SINT32)
        emit_varint(w, bits & 0x80000000 ? 2 * (0xffffffff - bits) + 1 : 2 * bits);
    else if (kind == YAFF_KIND_SINT64)
        emit_varint(w, bits >> 63 ? 2 * ~bits + 1 : 2 * bits);
    else
        emit_varint(w, bits);
}

static void emit_message(plain *w, const yaff_type *type, const char *m);

static void emit_delimited(plain *w, uint32_t number, const void *data, size_t size)
{
    emit_varint(w, (uint64_t)number << 3 | 2);
    emit_varint(w, size);
    emit(w, data, size);
}

static void emit_child(plain *w, const yaff_field *f, const char *m)
{
    plain inner = {NULL, 0, 0};
    emit_message(&inner, f->type, m);
    if (f->kind == YAFF_KIND_GROUP) {
        emit_varint(w, (uint64_t)f->number << 3 | 3);
        emit(w, inner.bytes, inner.size);
        emit_varint(w, (uint64_t)f->number << 3 | 4);
    } else {
        emit_delimited(w, f->number, inner.bytes, inner.size);
    }
    free(inner.bytes);
}

static void emit_repeated(plain *w, const yaff_field *f, const char *owner, uint64_t span)
{
    const char *array = (const char *)yaff_span_data(owner, span);
    size_t count = yaff_span_count(span);
    plain packed = {NULL, 0, 0};
    yaff_field one = *f;
    one.flags = 0;
    for (size_t i = 0; i < count; i++) {
        if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) {
            yaff_str s = yaff_array_str(owner, span, i);
            emit_delimited(w, f->number, s.data, s.size);
        } else if (f->type) {
            emit_child(
                w, f,
                (const char *)(f->type->layout == YAFF_LAYOUT_FIXED
                                   ? yaff_array_fixed(owner, span, i, f->type->body_size, NULL)
                                   : yaff_array_message(owner, span, i, f->type->instance)));
        } else {
            unsigned width = f->kind == YAFF_KIND_BOOL ? 1
                             : wire_type(&one) == 1 || f->kind == YAFF_KIND_INT64 ||
                                     f->kind == YAFF_KIND_UINT64 || f->kind == YAFF_KIND_SINT64
                                 ? 8
                                 : 4;
            if (!(f->flags & YAFF_FIELD_PACKED))
                emit_varint(w, (uint64_t)f->number << 3 | wire_type(&one));
            emit_number(f->flags & YAFF_FIELD_PACKED ? &packed : w, f->kind,
                        cell_bits(array + i * width, width));
        }
    }
    if (f->flags & YAFF_FIELD_PACKED && count)
        emit_delimited(w, f->number, packed.bytes, packed.size);
    free(packed.bytes);
}

static void emit_field(plain *w, const yaff_field *f, const char *owner, const char *cell)
{
    uint64_t bits = f->width ? cell_bits(cell, f->width) : 0;
    if (f->flags & YAFF_FIELD_REPEATED) {
        emit_repeated(w, f, owner, bits);
    } else if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) {
        yaff_str s = yaff_span_str(owner, bits);
        emit_delimited(w, f->number, s.data, s.size);
    } else if (f->type) {
        emit_child(w, f,
                   f->width
                       ? (const char *)yaff_ref_message(owner, (uint32_t)bits, f->type->instance)
                       : cell);
    } else {
        emit_varint(w, (uint64_t)f->number << 3 | wire_type(f));
        emit_number(w, f->kind, bits);
    }
}

static void emit_message(plain *w, const yaff_type *type, const char *m)
{
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        const char *cell = m + f->place;
        if (type->layout == YAFF_LAYOUT_FIXED) {
            size_t size = f->width ? f->width : f->type->body_size;
            const char *standard = f->width ? "\0\0\0\0\0\0\0" : (const char *)f->type->instance;
            if (memcmp(cell, standard, size) == 0 && !(f->flags & YAFF_FIELD_REQUIRED) &&
                !(type->flags & YAFF_TYPE_MAP_ENTRY))
                continue;
        } else {
            cell = (const char *)yaff_find(m, type, row);
        }
        if (cell) emit_field(w, f, m, cell);
    }
    if (type->layout != YAFF_LAYOUT_FIXED) {
        yaff_str unknown = yaff_unknown(m);
        emit(w, unknown.data, unknown.size);
    }
}

/* Random messages of random schemas, read under the writer's version and under another. */
static size_t check_random(uint64_t seed, bool same_version)
{
    static model_schema universe, writer, mine;
    model_random random = {seed};
    const yaff_type *types;
    size_t bytes = 0;
    model_random_universe(&random, &universe);
    for (unsigned t = 0; t < universe.count; t++)
        for (unsigned i = 0; i < universe.types[t].count; i++) {
            model_field *f = &universe.types[t].fields[i];
            bool number = f->kind != YAFF_KIND_STRING && f->kind != YAFF_KIND_BYTES &&
                          f->kind != YAFF_KIND_MESSAGE && f->kind != YAFF_KIND_GROUP;
            if (f->flags & YAFF_FIELD_REPEATED && number && model_chance(&random, 50))
                f->flags |= YAFF_FIELD_PACKED;
        }
    model_random_version(&random, &universe, &writer, true);
    if (same_version)
        mine = writer;
    else
        model_random_version(&random, &universe, &mine, false);
    types = tables(&mine, model_below(&random, 200));
    for (unsigned i = 0; i < 4; i++) {
        unsigned root = model_below(&random, 7);
        model_message *m = model_random_message(&random, &writer, root, 3);
        model_buffer b = model_write(&writer, m);
        const yaff_type *type = &types[root];
        const void *p = yaff_buffer_root(b.bytes, type->instance);
        plain want = {NULL, 0, 0};
        size_t size, written;
        uint8_t *got;
        if (yaff_verify(type, b.bytes, b.size, NULL, NULL) != YAFF_OK) continue;
        emit_message(&want, type, (const char *)p);
        cr_assert_eq(yaff_wire_size(type, p, &size, NULL), YAFF_OK);
        cr_assert_eq(size, want.size, "seed %lu", (unsigned long)seed);
        got = (uint8_t *)malloc(size + 1);
        cr_assert_eq(write_guarded(type, p, size, got, &written), YAFF_OK);
        cr_assert(written == size && (size == 0 || memcmp(got, want.bytes, size) == 0),
                  "seed %lu\n%s\n%s", (unsigned long)seed, hex(got, size), hex(want.bytes, size));
        for (unsigned n = 0; n < 6 && size; n++)
            cr_assert_eq(write_guarded(type, p, n ? model_below(&random, (uint32_t)size) : size - 1,
                                       NULL, &written),
                         YAFF_TOO_SMALL);
        bytes += size;
        free(got);
        free(want.bytes);
    }
    model_free_all();
    return bytes;
}

Test(wire_out, random_messages)
{
    size_t bytes = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) bytes += check_random(seed, true);
    cr_assert_gt(bytes, 100000);
}

Test(wire_out, messages_by_other_writers)
{
    size_t bytes = 0;
    for (uint64_t seed = 1000001; seed <= 1001500; seed++) bytes += check_random(seed, false);
    cr_assert_gt(bytes, 100000);
}

/* Stored with another width than the reader's: absent. */
Test(wire_out, a_changed_width)
{
    static const unsigned kinds[] = {YAFF_KIND_BOOL, YAFF_KIND_UINT32, YAFF_KIND_UINT64};
    static const uint32_t numbers_used[] = {2, 20, 50};
    for (unsigned from = 0; from < 3; from++)
        for (unsigned to = 0; to < 3; to++)
            for (unsigned form = 0; form < 3; form++) {
                model_schema *writer = new_schema(1), *mine = new_schema(1);
                model_message *m = message(0, form == 2 ? MODEL_LANES : MODEL_SPARSE);
                plain want = {NULL, 0, 0};
                const yaff_type *type;
                const void *p;
                m->blocks = form ? 4 : 1;
                for (unsigned i = 0; i < 3; i++) {
                    uint32_t number = numbers_used[i];
                    field(writer, 0, number, kinds[from], YAFF_FIELD_PRESENCE, 0)->oneof = i == 1;
                    field(writer, 0, number + 1, YAFF_KIND_UINT32, YAFF_FIELD_PRESENCE, 0);
                    field(mine, 0, number, kinds[to], YAFF_FIELD_PRESENCE, 0)->oneof = i == 1;
                    field(mine, 0, number + 1, YAFF_KIND_UINT32, YAFF_FIELD_PRESENCE, 0);
                    set_bits(writer, m, number, 1);
                    set_bits(writer, m, number + 1, 1);
                }
                type = tables(mine, 0);
                p = yaff_buffer_root(model_write(writer, m).bytes, NULL);
                emit_message(&want, type, (const char *)p);
                check_wire(type, p, want.bytes, want.size);
                free(want.bytes);
                model_free_all();
            }
}

/* ---- size ---- */

/* A small verified buffer that says four gigabytes: 4096 strings that are all the same megabyte.
 * The work stays bounded. */
Test(wire_out, too_large)
{
    enum { STRINGS = 4096, TEXT = 1 << 20, ARRAY = 24, DATA = ARRAY + 8 * STRINGS };
    model_schema *s = new_schema(1);
    size_t size = 1, written = 1, capacity = 3 * TEXT;
    uint8_t *bytes = (uint8_t *)calloc(1, DATA + TEXT + 8), *out = (uint8_t *)malloc(capacity);
    const yaff_type *type;
    yaff_error err;
    pin(s, 0, MODEL_SPARSE);
    field(s, 0, 1, YAFF_KIND_STRING, YAFF_FIELD_REPEATED, 0);
    type = tables(s, 0);
    memcpy(bytes, "YF\1", 3);
    yaff_store32(bytes + 4, 16);
    yaff_store16(bytes + 10, 1);          /* n8 */
    yaff_store16(bytes + 12, 1);          /* set */
    yaff_store16(bytes + 14, 1 << 8 | 1); /* one block, one 8-byte cell */
    yaff_store32(bytes + 16, ARRAY - 16);
    yaff_store32(bytes + 20, STRINGS);
    for (uint32_t i = 0; i < STRINGS; i++) {
        yaff_store32(bytes + ARRAY + 8 * i, DATA - ARRAY);
        yaff_store32(bytes + ARRAY + 8 * i + 4, TEXT);
    }
    cr_assert_eq(yaff_verify(type, bytes, DATA + TEXT + 8, NULL, NULL), YAFF_OK);
    cr_assert_eq(yaff_wire_size(type, bytes + 16, &size, &err), YAFF_TOO_LARGE);
    cr_assert_eq(err.status, YAFF_TOO_LARGE);
    cr_assert_eq(size, 0);
    cr_assert_eq(yaff_to_wire(type, bytes + 16, out, capacity, &written, NULL), YAFF_TOO_SMALL);
    cr_assert_eq(written, 0);
    free(out);
    free(bytes);
    model_free_all();
}

Test(wire_out, no_room_at_all)
{
    model_schema *s = node_schema(MODEL_LANES);
    const yaff_type *type = tables(s, 0);
    size_t written = 9;
    cr_assert_eq(yaff_to_wire(type, type->instance, NULL, 0, &written, NULL), YAFF_OK);
    cr_assert_eq(written, 0);
    model_free_all();
}
