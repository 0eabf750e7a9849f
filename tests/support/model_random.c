/* Random schemas, versions of them, and messages. See model.h. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t model_bits(model_random *r)
{
    uint64_t x = r->state ? r->state : 1;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->state = x;
    return x * UINT64_C(2685821657736338717);
}

uint32_t model_below(model_random *r, uint32_t n)
{
    return (uint32_t)((model_bits(r) >> 32) % n);
}

bool model_chance(model_random *r, unsigned percent)
{
    return model_below(r, 100) < percent;
}

/* ---- schemas ---- */

/* The universe's types by index. */
enum { PLAIN_TYPES = 5, FIXED_LEAF = 5, FIXED_NEST = 6, FIRST_ENTRY = 7, ENTRY_TYPES = 3 };

static unsigned scalar_kind(model_random *r)
{
    static const uint8_t kinds[] = {1,  2,  3,  4,  5,  6,  7,  8, 8, 8,
                                    13, 14, 15, 16, 17, 18, 13, 4, 8, 9};
    return kinds[model_below(r, sizeof kinds)];
}

static void random_plain_field(model_random *r, model_field *f)
{
    unsigned lot = model_below(r, 100);
    if (lot < 60) {
        f->kind = scalar_kind(r);
    } else if (lot < 72) {
        f->kind = model_chance(r, 50) ? YAFF_KIND_STRING : YAFF_KIND_BYTES;
    } else if (lot < 95) {
        f->kind = model_chance(r, 90) ? YAFF_KIND_MESSAGE : YAFF_KIND_GROUP;
        f->type = model_below(r, FIRST_ENTRY);
    } else {
        f->kind = YAFF_KIND_MESSAGE;
        f->flags = YAFF_FIELD_REPEATED | YAFF_FIELD_MAP;
        f->type = FIRST_ENTRY + model_below(r, ENTRY_TYPES);
        return;
    }
    if (model_chance(r, 20)) {
        f->flags |= YAFF_FIELD_REPEATED;
        return;
    }
    if (model_chance(r, 25)) f->oneof = 1 + model_below(r, MODEL_ONEOFS);
    if (f->oneof || f->type || f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP ||
        model_chance(r, 40))
        f->flags |= YAFF_FIELD_PRESENCE;
}

/* The next number by one of four habits: dense, with gaps, far apart, anything. */
static uint32_t next_number(model_random *r, uint32_t last, unsigned habit)
{
    switch (habit) {
    case 0:
        return last + 1;
    case 1:
        return last + 1 + (model_chance(r, 30) ? model_below(r, 4) : 0);
    case 2:
        return last + 1 + (model_chance(r, 30) ? model_below(r, 60) : model_below(r, 3));
    default:
        if (model_chance(r, 5)) return last + 1 + model_below(r, 8500);
        if (model_chance(r, 2)) return last + 1 + model_below(r, 100000000);
        if (model_chance(r, 5) && last < 8180) return 8175 + model_below(r, 12);
        return last + 1 + model_below(r, 6);
    }
}

static void random_plain_type(model_random *r, model_type *t)
{
    unsigned count = 1 + model_below(r, model_chance(r, 30) ? 40 : 12);
    unsigned habit = model_below(r, 4);
    uint32_t number = 0;
    t->kin = habit < 3 && model_chance(r, 50);
    t->layout = YAFF_LAYOUT_DYNAMIC;
    for (t->count = 0; t->count < count; t->count++) {
        number = next_number(r, number, habit);
        t->fields[t->count].number = number;
        random_plain_field(r, &t->fields[t->count]);
    }
}

static void add_fixed_field(model_type *t, uint32_t number, unsigned kind, unsigned flags,
                            unsigned type)
{
    model_field *f = &t->fields[t->count++];
    f->number = number;
    f->kind = kind;
    f->flags = flags;
    f->type = type;
}

void model_random_universe(model_random *r, model_schema *u)
{
    static const uint8_t keys[ENTRY_TYPES] = {YAFF_KIND_STRING, YAFF_KIND_SINT32, YAFF_KIND_BOOL};
    memset(u, 0, sizeof *u);
    u->count = MODEL_TYPES;
    for (unsigned t = 0; t < PLAIN_TYPES; t++) random_plain_type(r, &u->types[t]);
    for (unsigned t = PLAIN_TYPES; t < MODEL_TYPES; t++) u->types[t].layout = YAFF_LAYOUT_FIXED;

    unsigned count = model_below(r, 6);
    for (unsigned i = 0; i < count; i++)
        add_fixed_field(&u->types[FIXED_LEAF], i + 1, scalar_kind(r),
                        model_chance(r, 20) ? YAFF_FIELD_REPEATED : 0, 0);
    add_fixed_field(&u->types[FIXED_NEST], 1, YAFF_KIND_BOOL, 0, 0);
    add_fixed_field(&u->types[FIXED_NEST], 2, YAFF_KIND_MESSAGE, YAFF_FIELD_REQUIRED, FIXED_LEAF);
    add_fixed_field(&u->types[FIXED_NEST], 4, YAFF_KIND_INT32, YAFF_FIELD_REQUIRED, 0);
    add_fixed_field(&u->types[FIXED_NEST], 5, YAFF_KIND_MESSAGE, YAFF_FIELD_REPEATED, FIXED_NEST);
    add_fixed_field(&u->types[FIXED_NEST], 7, YAFF_KIND_MESSAGE,
                    YAFF_FIELD_REPEATED | YAFF_FIELD_MAP, FIRST_ENTRY);
    for (unsigned e = 0; e < ENTRY_TYPES; e++) {
        model_type *t = &u->types[FIRST_ENTRY + e];
        t->map_entry = true;
        add_fixed_field(t, 1, keys[e], 0, 0);
        if (e == 0)
            add_fixed_field(t, 2, YAFF_KIND_MESSAGE, 0, model_below(r, FIRST_ENTRY));
        else
            add_fixed_field(t, 2, scalar_kind(r), 0, 0);
    }
}

void model_random_version(model_random *r, const model_schema *u, model_schema *v, bool writer)
{
    *v = *u;
    for (unsigned t = 0; t < PLAIN_TYPES; t++) {
        model_type *type = &v->types[t];
        const model_type *all = &u->types[t];
        unsigned kept = type->kin ? 1 + model_below(r, all->count) : all->count;
        bool bare = !all->kin;
        type->layout = model_chance(r, 30) ? YAFF_LAYOUT_SPARSE : YAFF_LAYOUT_DYNAMIC;
        if (all->kin && model_chance(r, 60))
            type->layout = YAFF_LAYOUT_FLAT;
        else if (all->kin && !writer)
            bare = model_chance(r, 30); /* Dynamic now, and a field gone for good */
        else if (!all->kin && !writer && model_chance(r, 10) &&
                 all->fields[all->count - 1].number <= YAFF_FLAT_MAX_NUMBER)
            type->layout = YAFF_LAYOUT_FLAT; /* which this writer never was */
        unsigned absent = model_chance(r, 50) ? 0 : 20, removed = model_chance(r, 50) ? 0 : 15;
        type->count = 0;
        for (unsigned i = 0; i < kept; i++) {
            model_field f = all->fields[i];
            if (bare && model_chance(r, absent)) continue;
            if (f.number <= YAFF_FLAT_MAX_NUMBER) f.removed = model_chance(r, removed);
            type->fields[type->count++] = f;
        }
    }
}

/* ---- messages ---- */

static bool is_message(const model_field *f)
{
    return f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP;
}

static void random_text(model_random *r, model_item *item)
{
    item->size = model_below(r, model_chance(r, 10) ? 60 : 9);
    char *text = (char *)model_alloc(item->size + 1);
    for (size_t i = 0; i < item->size; i++) text[i] = (char)('a' + model_below(r, 26));
    item->text = text;
}

static void random_item(model_random *r, const model_schema *schema, const model_field *f,
                        unsigned depth, model_item *item)
{
    if (is_message(f)) {
        if (depth > 0 && model_chance(r, 85))
            item->message = model_random_message(r, schema, f->type, depth - 1);
    } else if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) {
        random_text(r, item);
    } else {
        item->bits = model_chance(r, 15) ? 0 : model_bits(r) >> model_below(r, 64);
        switch (f->kind) {
        case YAFF_KIND_BOOL:
            item->bits &= 1;
            break;
        case YAFF_KIND_DOUBLE:
        case YAFF_KIND_INT64:
        case YAFF_KIND_UINT64:
        case YAFF_KIND_FIXED64:
        case YAFF_KIND_SFIXED64:
        case YAFF_KIND_SINT64:
            break;
        default:
            item->bits &= 0xffffffffu;
        }
    }
}

/* Texts that rise with n: "", then keys of several lengths. */
static void key_text(unsigned n, model_item *item)
{
    char *text = (char *)model_alloc(16);
    snprintf(text, 16, "k%02uxyz", n % 100);
    item->text = text;
    item->size = n == 0 ? 0 : 3 + n % 4;
}

/* Entries with rising keys. */
static void random_map(model_random *r, const model_schema *schema, model_value *value,
                       unsigned depth)
{
    const model_type *entry = &schema->types[value->field->type];
    int32_t key = (int32_t)model_below(r, 20) - 10;
    if (entry->fields[0].kind == YAFF_KIND_BOOL) {
        key = value->count < 2 ? (int32_t)model_below(r, 2) : 0;
        if (value->count > 2) value->count = 2;
    }
    for (size_t i = 0; i < value->count; i++, key++) {
        if (entry->fields[0].kind == YAFF_KIND_SINT32) key += (int32_t)model_below(r, 9);
        model_message *m = (model_message *)model_alloc(sizeof *m);
        model_item *items = (model_item *)model_alloc(2 * sizeof *items);
        m->type = value->field->type;
        m->form = MODEL_FIXED;
        m->count = 2;
        m->values = (model_value *)model_alloc(2 * sizeof *m->values);
        for (unsigned f = 0; f < 2; f++) {
            m->values[f].field = &entry->fields[f];
            m->values[f].count = 1;
            m->values[f].items = &items[f];
        }
        items[0].bits = entry->fields[0].kind == YAFF_KIND_BOOL ? (uint64_t)key : (uint32_t)key;
        if (entry->fields[0].kind == YAFF_KIND_STRING) key_text((unsigned)i, &items[0]);
        random_item(r, schema, &entry->fields[1], depth, &items[1]);
        value->items[i].message = m;
    }
}

static bool default_value(const model_field *f, const model_item *item)
{
    if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) return item->size == 0;
    return item->bits == 0;
}

/* A field or two of every wire type. */
static void random_unknown(model_random *r, model_message *m)
{
    static const char *const fields[] = {
        "\xf8\xff\x07\x96\x01",     /* 16383: varint 150 */
        "\x09xxxxxxxx",             /* 1: eight bytes */
        "\x12\x03xyz",              /* 2: "xyz" */
        "\x1b\x08\x01\x23\x24\x1c", /* 3: a group with a field and an empty group */
        "\x2dxxxx",                 /* 5: four bytes */
    };
    static const uint8_t sizes[] = {5, 9, 5, 6, 5};
    unsigned count = 1 + model_below(r, 3);
    char *text = (char *)model_alloc(count * 16);
    for (unsigned i = 0; i < count; i++) {
        unsigned lot = model_below(r, sizeof sizes);
        memcpy(text + m->unknown_size, fields[lot], sizes[lot]);
        m->unknown_size += sizes[lot];
    }
    m->unknown = text;
}

static void choose_form(model_random *r, const model_type *type, model_message *m)
{
    uint32_t last = m->count ? m->values[m->count - 1].field->number : 0;
    bool flat = m->count > 0 && last <= YAFF_FLAT_MAX_NUMBER;
    m->form = MODEL_SPARSE;
    m->blocks = 1 + model_below(r, 4);
    if (model_chance(r, 20)) m->blocks = 1 + model_below(r, 63);
    if (model_chance(r, 40) && last && last <= 16 * 63) m->blocks = (last - 1) / 16 + 1;
    if (model_chance(r, 10)) random_unknown(r, m);
    if (m->unknown_size || !flat) return;
    if (type->layout == YAFF_LAYOUT_FLAT)
        m->form = MODEL_FLAT;
    else if (model_chance(r, 60))
        m->form = MODEL_LANES;
}

model_message *model_random_message(model_random *r, const model_schema *schema, unsigned type,
                                    unsigned depth)
{
    const model_type *t = &schema->types[type];
    model_message *m = (model_message *)model_alloc(sizeof *m);
    unsigned density = 10 + 10 * model_below(r, 10);
    m->type = type;
    m->values = (model_value *)model_alloc(sizeof *m->values * MODEL_FIELDS);
    for (unsigned i = 0; i < t->count; i++) {
        const model_field *f = &t->fields[i];
        model_value *value = &m->values[m->count];
        if (f->removed || !model_chance(r, density)) continue;
        value->field = f;
        value->count = 1;
        if (f->flags & YAFF_FIELD_REPEATED)
            value->count = 1 + model_below(r, model_chance(r, 5) ? 40 : 4);
        value->items = (model_item *)model_alloc(sizeof *value->items * value->count);
        if (f->flags & YAFF_FIELD_MAP) {
            random_map(r, schema, value, depth);
        } else {
            for (size_t n = 0; n < value->count; n++)
                random_item(r, schema, f, depth, &value->items[n]);
            if (!(f->flags & (YAFF_FIELD_REPEATED | YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED)) &&
                !is_message(f) && default_value(f, value->items))
                continue;
        }
        m->count++;
    }
    if (t->layout == YAFF_LAYOUT_FIXED)
        m->form = MODEL_FIXED;
    else
        choose_form(r, t, m);
    return m;
}
