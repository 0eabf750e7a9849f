/* Reading against an executable model (support/model.h): messages of all kinds written under
 * one version of a schema and read under another, by yaff_find(), by the inline helpers that
 * accessors are made of, by the iterator and by map look-ups, and compared with what Protobuf's
 * rules say. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <yaff/buffer.h>
#include <yaff/map.h>
#include <yaff/value.h>
#include <yaff/verify.h>

#include "layout/walk.h"
#include "support/access.h"
#include "support/model.h"

/* ---- what must be read ---- */

/* The reader's side of a comparison. */
typedef struct reader {
    const model_schema *schema;
    const yaff_type *types;
    unsigned long reads;
} reader;

/* Whether the reader knows every number below this one, so that a foreign kind 10 body is
 * readable. */
static bool knows_below(const model_type *type, uint32_t number)
{
    for (uint32_t n = 1, i = 0; n < number; n++, i++)
        if (i >= type->count || type->fields[i].number != n) return false;
    return true;
}

static uint32_t flat_limit(const model_schema *writer, unsigned type)
{
    const model_type *t = &writer->types[type];
    return t->fields[t->count - 1].number;
}

/* Whether m is a kind 10 body in which the reader cannot place its field `number`. */
static bool out_of_reach(const reader *r, const model_message *m, uint32_t number)
{
    const model_type *mine = &r->schema->types[m->type];
    return m->form == MODEL_FLAT && mine->layout != YAFF_LAYOUT_FLAT && !knows_below(mine, number);
}

/* Whether somewhere in m a field that the writer may have stored is out of reach: verify
 * refuses. */
static bool hides_a_field(const reader *r, const model_schema *writer, const model_message *m)
{
    const model_type *mine = m ? &r->schema->types[m->type] : NULL;
    for (unsigned i = 0; m && i < mine->count; i++) {
        const model_field *f = &mine->fields[i];
        const model_value *value = model_value_of(m, f->number);
        if (f->removed) continue;
        if (out_of_reach(r, m, f->number) && f->number <= flat_limit(writer, m->type)) return true;
        for (size_t n = 0; value && n < value->count; n++)
            if (hides_a_field(r, writer, value->items[n].message)) return true;
    }
    return false;
}

/* The value of the reader's field in a message, before oneofs. */
static const model_value *stored(const reader *r, const model_message *m, const yaff_field *f)
{
    return m && !out_of_reach(r, m, f->number) ? model_value_of(m, f->number) : NULL;
}

static const model_value *expected(const reader *r, const model_message *m, const yaff_type *type,
                                   const yaff_field *f)
{
    const model_value *value = stored(r, m, f);
    for (uint32_t row = 0; value && f->oneof && row < type->field_count; row++) {
        const yaff_field *other = &type->fields[row];
        if (other->oneof == f->oneof && other->number > f->number && stored(r, m, other))
            return NULL;
    }
    return value;
}

static void check_message(reader *r, const yaff_type *type, const void *p, const model_message *m);

static void check_text(const model_item *item, yaff_str s)
{
    cr_assert_eq(s.size, item->size);
    cr_assert(s.size == 0 || memcmp(s.data, item->text, s.size) == 0);
    cr_assert_eq(s.data[s.size], '\0');
}

/* The look-ups that belong to the key's kind find this entry, and a key beside it finds none. */
static void check_key(const yaff_field *key, const void *entries, size_t count, size_t size,
                      const model_item *item, const void *entry)
{
    const void *found = NULL;
    if (key->kind == YAFF_KIND_STRING) {
        yaff_str s = {"", 0}, longer = {"k99zzzz", 7};
        if (item->size) s.data = item->text, s.size = item->size;
        found = yaff_map_find_str(entries, count, size, s);
        cr_assert_null(yaff_map_find_str(entries, count, size, longer));
    } else if (key->kind == YAFF_KIND_BOOL) {
        found = yaff_map_find_bool(entries, count, size, item->bits != 0);
        if (count == 1) cr_assert_null(yaff_map_find_bool(entries, count, size, !item->bits));
    } else {
        found = yaff_map_find_i32(entries, count, size, (int32_t)(uint32_t)item->bits);
        cr_assert_null(yaff_map_find_i32(entries, count, size, INT32_MIN));
        cr_assert_null(yaff_map_find_i32(entries, count, size, INT32_MAX));
    }
    cr_assert_eq(found, entry);
}

static void check_reference(reader *r, const yaff_type *type, const void *owner, uint32_t reference,
                            const model_message *m)
{
    if (model_is_empty(m))
        cr_assert_eq(reference, 0);
    else
        check_message(r, type, yaff_ref_message(owner, reference, type->instance), m);
}

static void check_value(reader *r, const void *owner, uint64_t bits, const yaff_field *f,
                        const model_value *value)
{
    size_t count = value ? value->count : 0;
    if (!(f->flags & YAFF_FIELD_REPEATED)) {
        if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) {
            model_item empty = {0, "", 0, NULL};
            check_text(value ? value->items : &empty, yaff_span_str(owner, bits));
        } else if (f->type) {
            check_reference(r, f->type, owner, (uint32_t)bits,
                            value ? value->items->message : NULL);
        } else {
            cr_assert_eq(bits, value ? value->items->bits : 0);
        }
        return;
    }
    cr_assert_eq(yaff_span_count(bits), count);
    for (size_t i = 0; i <= count; i++) {
        static const model_item past = {0, "", 0, NULL};
        const model_item *item = i < count ? &value->items[i] : &past;
        if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) {
            check_text(item, yaff_array_str(owner, bits, i));
        } else if (f->type && f->type->layout == YAFF_LAYOUT_FIXED) {
            const void *at =
                yaff_array_fixed(owner, bits, i, f->type->body_size, f->type->instance);
            cr_assert_eq((uintptr_t)at % f->type->align, 0);
            if (i < count) check_message(r, f->type, at, item->message);
            if (f->flags & YAFF_FIELD_MAP && i < count)
                check_key(&f->type->fields[0], yaff_span_data(owner, bits), count,
                          f->type->body_size, item->message->values[0].items, at);
        } else if (f->type) {
            cr_assert_eq(yaff_array_message(owner, bits, i, f->type->instance),
                         yaff_ref_message(yaff_span_data(owner, bits),
                                          yaff_array_at4(owner, bits, i), f->type->instance));
            check_reference(r, f->type, yaff_span_data(owner, bits), yaff_array_at4(owner, bits, i),
                            item->message);
        } else if (yaff_kind_width(f->kind) == 1) {
            cr_assert_eq(yaff_array_at1(owner, bits, i), item->bits);
        } else if (yaff_kind_width(f->kind) == 4) {
            cr_assert_eq(yaff_array_at4(owner, bits, i), item->bits);
        } else {
            cr_assert_eq(yaff_array_at8(owner, bits, i), item->bits);
        }
    }
}

static uint64_t load_cell(const uint8_t *cell, unsigned width)
{
    return width == 1 ? *cell : width == 4 ? yaff_load32(cell) : yaff_load64(cell);
}

static void check_fixed(reader *r, const yaff_type *type, const void *p, const model_message *m)
{
    yaff_walk walk;
    yaff_walk_begin(&walk, type, p);
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        const model_value *value = model_value_of(m, f->number);
        r->reads++;
        if (f->width == 0)
            check_message(r, f->type, (const uint8_t *)p + f->place,
                          value ? value->items->message : NULL);
        else
            check_value(r, p, inline_get(type, row, p), f, value);
        if (f->width == 0 || f->flags & YAFF_FIELD_REQUIRED || type->flags & YAFF_TYPE_MAP_ENTRY ||
            inline_get(type, row, p) != 0) {
            cr_assert(yaff_walk_next(&walk));
            cr_assert_eq(walk.field, f);
            cr_assert_eq(walk.cell, (const uint8_t *)p + f->place);
        }
    }
    cr_assert(!yaff_walk_next(&walk));
}

static void check_message(reader *r, const yaff_type *type, const void *p, const model_message *m)
{
    uint32_t cases[MODEL_ONEOFS] = {0};
    yaff_walk walk;
    yaff_str unknown;

    if (type->layout == YAFF_LAYOUT_FIXED) {
        check_fixed(r, type, p, m);
        return;
    }
    yaff_walk_begin(&walk, type, p);
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        const model_value *value = expected(r, m, type, f);
        const uint8_t *cell = (const uint8_t *)yaff_find(p, type, row);
        uint64_t bits = 0;

        cr_assert_eq(cell != NULL, value != NULL, "number %u form %d layout %d", f->number,
                     m ? (int)m->form : -1, type->layout);
        if (value) {
            bits = load_cell(cell, f->width);
            if (f->oneof) cases[f->oneof - 1] = f->number;
            cr_assert(yaff_walk_next(&walk));
            cr_assert_eq(walk.field, f);
            cr_assert_eq(load_cell(walk.cell, f->width), bits);
        }
        check_value(r, p, bits, f, value);

        if (!f->oneof || value) cr_assert_eq(inline_get(type, row, p), bits);
        if (f->flags & YAFF_FIELD_PRESENCE) cr_assert_eq(inline_has(type, row, p), value != NULL);
        cr_assert_eq(yaff_find_has(p, type, row), value != NULL);
        switch (f->width) {
        case 1:
            cr_assert_eq(yaff_find_get1(p, type, row), bits);
            break;
        case 4:
            cr_assert_eq(yaff_find_get4(p, type, row), bits);
            break;
        default:
            cr_assert_eq(yaff_find_get8(p, type, row), bits);
        }
        r->reads += 3;
    }
    cr_assert(!yaff_walk_next(&walk));
    for (uint32_t o = 0; o < type->oneof_count; o++)
        cr_assert_eq(yaff_find_case(p, type, o), cases[o]);
    unknown = yaff_unknown(p);
    cr_assert_eq(unknown.size, m ? m->unknown_size : 0);
    cr_assert(unknown.size == 0 || memcmp(unknown.data, m->unknown, unknown.size) == 0);
}

static unsigned long check_random(uint64_t seed, bool same_version, unsigned *refused)
{
    static model_schema universe, writer, mine;
    model_random random = {seed};
    unsigned long reads = 0;
    const yaff_type *types;

    model_random_universe(&random, &universe);
    model_random_version(&random, &universe, &writer, true);
    if (same_version)
        mine = writer;
    else
        model_random_version(&random, &universe, &mine, false);
    types = model_tables(&mine, model_below(&random, 40));
    for (unsigned i = 0; i < 4; i++) {
        unsigned root = model_below(&random, 7);
        model_message *m = model_random_message(&random, &writer, root, 3);
        model_buffer buffer = model_write(&writer, m);
        reader r = {&mine, types, 0};
        bool hidden = hides_a_field(&r, &writer, m);
        yaff_error err;
        yaff_status status;
        check_message(&r, &types[root], yaff_buffer_root(buffer.bytes, types[root].instance), m);
        status = yaff_verify(&types[root], buffer.bytes, buffer.size, NULL, &err);
        cr_assert_eq(status, hidden ? YAFF_SCHEMA_MISMATCH : YAFF_OK,
                     "seed %lu: %s at %zu, path %s", (unsigned long)seed, yaff_status_name(status),
                     err.offset, err.path);
        if (hidden) ++*refused;
        reads += r.reads;
    }
    model_free_all();
    return reads;
}

Test(read, other_versions_read_by_the_rules_of_protobuf)
{
    unsigned long reads = 0;
    unsigned refused = 0;
    for (uint64_t seed = 1; reads < 600000; seed++) reads += check_random(seed, false, &refused);
    cr_assert_gt(refused, 0);
}

Test(read, the_same_version_reads_everything)
{
    unsigned long reads = 0;
    unsigned refused = 0;
    for (uint64_t seed = 1000001; reads < 100000; seed++)
        reads += check_random(seed, true, &refused);
}

Test(read, an_empty_message_reads_as_absent)
{
    model_schema *schema = (model_schema *)model_alloc(sizeof *schema);
    model_random random = {7};
    for (unsigned i = 0; i < 50; i++) {
        model_random_universe(&random, schema);
        const yaff_type *types = model_tables(schema, 8);
        reader r = {schema, types, 0};
        for (unsigned t = 0; t < 7; t++) check_message(&r, &types[t], types[t].instance, NULL);
    }
    model_free_all();
}

/* ---- by hand: what chance hardly ever makes ---- */

static model_schema one_type(unsigned layout)
{
    model_schema s;
    memset(&s, 0, sizeof s);
    s.count = 1;
    s.types[0].layout = layout;
    return s;
}

static void add_field(model_schema *s, uint32_t number, unsigned kind)
{
    model_field *f = &s->types[0].fields[s->types[0].count++];
    f->number = number;
    f->kind = kind;
    f->flags = YAFF_FIELD_PRESENCE;
}

/* A message with every field of the type set to its number. */
static model_message *full_message(const model_schema *s, model_form form, unsigned blocks)
{
    model_message *m = (model_message *)model_alloc(sizeof *m);
    const model_type *t = &s->types[0];
    m->form = form;
    m->blocks = blocks;
    m->values = (model_value *)model_alloc(sizeof *m->values * MODEL_FIELDS);
    for (unsigned i = 0; i < t->count; i++) {
        if (t->fields[i].removed) continue;
        m->values[m->count].field = &t->fields[i];
        m->values[m->count].count = 1;
        m->values[m->count].items = (model_item *)model_alloc(sizeof(model_item));
        m->values[m->count].items->bits =
            t->fields[i].kind == YAFF_KIND_BOOL ? 1 : t->fields[i].number;
        m->count++;
    }
    return m;
}

/* A pinned Flat body read by a Dynamic schema in which a whole block is gone: what lies behind
 * it is absent when the numbers are reserved, and right when their places are kept. */
Test(read, a_whole_block_gone)
{
    for (unsigned kept = 0; kept < 2; kept++) {
        model_schema writer = one_type(YAFF_LAYOUT_FLAT), mine = one_type(YAFF_LAYOUT_DYNAMIC);
        for (uint32_t n = 1; n <= 70; n++) {
            add_field(&writer, n, n % 3 ? YAFF_KIND_UINT32 : YAFF_KIND_UINT64);
            if (n > 16 && n <= 32 && !kept) continue;
            add_field(&mine, n, n % 3 ? YAFF_KIND_UINT32 : YAFF_KIND_UINT64);
            mine.types[0].fields[mine.types[0].count - 1].removed = n > 16 && n <= 32;
        }
        model_message *m = full_message(&writer, MODEL_FLAT, 0);
        model_buffer b = model_write(&writer, m);
        const yaff_type *type = model_tables(&mine, 0);
        reader r = {&mine, type, 0};
        check_message(&r, type, yaff_buffer_root(b.bytes, NULL), m);
        cr_assert_eq(yaff_verify(type, b.bytes, b.size, NULL, NULL),
                     kept ? YAFF_OK : YAFF_SCHEMA_MISMATCH);
    }
    model_free_all();
}

/* Stored with another width than the reader's: absent, whatever the kind of message. A bool is the
 * exception that Sparse lanes cannot tell: behind a 4-byte cell it reads as false. */
Test(read, a_changed_width_reads_as_absent)
{
    static const unsigned kinds[] = {YAFF_KIND_BOOL, YAFF_KIND_UINT32, YAFF_KIND_UINT64};
    static const uint32_t numbers[] = {2, 20, 50};
    for (unsigned from = 0; from < 3; from++) {
        for (unsigned to = 0; to < 3; to++) {
            model_schema writer = one_type(YAFF_LAYOUT_DYNAMIC);
            model_schema mine = one_type(YAFF_LAYOUT_DYNAMIC);
            for (unsigned i = 0; i < 3; i++) {
                add_field(&writer, numbers[i], kinds[from]);
                add_field(&writer, numbers[i] + 1, YAFF_KIND_UINT32);
                add_field(&mine, numbers[i], kinds[to]);
                add_field(&mine, numbers[i] + 1, YAFF_KIND_UINT32);
            }
            const yaff_type *type = model_tables(&mine, 0);
            for (unsigned form = 0; form < 3; form++) {
                /* Sparse with a directory, Sparse with lanes alone, Flat with lanes. */
                model_message *m =
                    full_message(&writer, form == 2 ? MODEL_LANES : MODEL_SPARSE, form ? 4 : 1);
                model_buffer b = model_write(&writer, m);
                const void *p = yaff_buffer_root(b.bytes, NULL);
                for (uint32_t row = 0; row < type->field_count; row++) {
                    uint64_t expected = row % 2 || from == to;
                    bool lanes = form == 1 || (form == 0 && row == 0);
                    const void *cell = yaff_find(p, type, row);
                    if (!expected && lanes && kinds[to] == YAFF_KIND_BOOL &&
                        kinds[from] == YAFF_KIND_UINT32) {
                        cr_assert_not(yaff_find_get1(p, type, row));
                        continue;
                    }
                    cr_assert_eq(cell != NULL, (bool)expected);
                    cr_assert_eq(yaff_find_has(p, type, row), (bool)expected);
                    if (expected && row % 2)
                        cr_assert_eq(yaff_load32(cell), type->fields[row].number);
                    if (!expected && kinds[to] != YAFF_KIND_BOOL)
                        cr_assert_eq(inline_get(type, row, p), 0);
                }
            }
        }
    }
    model_free_all();
}
