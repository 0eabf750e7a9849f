/* The executable model: tables and the slow, obvious writer. See model.h. */
#include "model.h"

#include "layout/choose.h"
#include "layout/op.h"
#include "layout/placement.h"

#include <stdlib.h>

/* ---- memory ---- */

typedef union chunk {
    union chunk *next;
    max_align_t align;
} chunk;

static chunk *chunks;

void *model_alloc(size_t size)
{
    chunk *c = (chunk *)calloc(1, sizeof *c + size + 1);
    if (!c) abort();
    c->next = chunks;
    chunks = c;
    return c + 1;
}

void model_free_all(void)
{
    while (chunks) {
        chunk *c = chunks;
        chunks = c->next;
        free(c);
    }
}

/* ---- what fields are ---- */

static bool is_message(const model_field *f)
{
    return f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP;
}

static bool is_text(const model_field *f)
{
    return f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES;
}

/* Bytes of one scalar, span or reference. */
static unsigned element_width(const model_field *f)
{
    switch (f->kind) {
    case YAFF_KIND_BOOL:
        return 1;
    case YAFF_KIND_FLOAT:
    case YAFF_KIND_INT32:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_UINT32:
    case YAFF_KIND_ENUM:
    case YAFF_KIND_SFIXED32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_GROUP:
    case YAFF_KIND_MESSAGE:
        return 4;
    default:
        return 8;
    }
}

unsigned model_width(const model_schema *schema, const model_type *owner, const model_field *f)
{
    if (f->flags & YAFF_FIELD_REPEATED) return 8;
    if (is_message(f) && owner->layout == YAFF_LAYOUT_FIXED &&
        schema->types[f->type].layout == YAFF_LAYOUT_FIXED)
        return 0; /* inline */
    return element_width(f);
}

const model_value *model_value_of(const model_message *m, uint32_t number)
{
    for (unsigned i = 0; m && i < m->count; i++)
        if (m->values[i].field->number == number) return &m->values[i];
    return NULL;
}

bool model_is_empty(const model_message *m)
{
    return !m || (m->count == 0 && m->unknown_size == 0);
}

static uint32_t round_up(uint32_t n, uint32_t align)
{
    return (n + align - 1) / align * align;
}

/* A Fixed type's size and alignment, and the place of its field `number` (0: don't care). */
static void fixed_struct(const model_schema *schema, const model_type *type, uint32_t number,
                         uint32_t *place, uint32_t *size, uint32_t *align)
{
    *size = 0;
    *align = 1;
    for (unsigned i = 0; i < type->count; i++) {
        const model_field *f = &type->fields[i];
        uint32_t width = model_width(schema, type, f), natural = width, ignored;
        if (width == 0)
            fixed_struct(schema, &schema->types[f->type], 0, &ignored, &width, &natural);
        *size = round_up(*size, natural);
        if (f->number == number) *place = *size;
        *size += width;
        if (natural > *align) *align = natural;
    }
    *size = round_up(*size, *align);
    if (*size == 0) *size = 1;
}

/* ---- tables ---- */

static void make_blocks(const model_schema *schema, const model_type *from, yaff_type *to,
                        yaff_field *fields)
{
    yaff_block *blocks = (yaff_block *)model_alloc(sizeof *blocks * MODEL_FIELDS);
    uint32_t row = 0, start = 0;
    for (unsigned i = 0; i < from->count;) {
        yaff_block *b = &blocks[to->block_count];
        unsigned hi = 0, first = i;
        b->k = (from->fields[i].number - 1) / 16;
        b->first = row;
        b->start = (uint16_t)(start / 8);
        for (; i < from->count && (from->fields[i].number - 1) / 16 == b->k; i++) {
            const model_field *f = &from->fields[i];
            unsigned width = model_width(schema, from, f), bit = (f->number - 1) % 16;
            if (!f->removed) b->known = (uint16_t)(b->known | 1u << bit);
            if (f->number > YAFF_FLAT_MAX_NUMBER) continue;
            if (width != 8) b->n4 = (uint16_t)(b->n4 | 1u << bit);
            if (width != 4) b->n8 = (uint16_t)(b->n8 | 1u << bit);
            to->limit = (uint16_t)f->number;
            hi = bit;
        }
        b->cells = (uint32_t)(b->n4 & ~b->n8) | (uint32_t)(b->n8 & ~b->n4) << 16;
        if (16 * b->k + 1 > YAFF_FLAT_MAX_NUMBER) {
            b->shape = 1;
        } else {
            uint64_t bits = (2u << hi) - 1u;
            b->mask = bits | bits << 16 | UINT64_C(0xffff) << 48;
            b->shape = b->n4 | (uint64_t)b->n8 << 16 | (uint64_t)b->start << 48;
            if (b->k == 0) {
                b->mask = bits | bits << 16 | UINT64_C(3) << 62;
                b->shape |= UINT64_C(3) << 62;
            }
        }
        for (unsigned j = first; j < i; j++) {
            const model_field *f = &from->fields[j];
            unsigned bit = (f->number - 1) % 16;
            if (f->removed) continue;
            fields[row].block = (uint16_t)to->block_count;
            fields[row].bit = (uint16_t)(1u << bit);
            if (yaff_op_checked(fields[row].op)) b->checked = (uint16_t)(b->checked | 1u << bit);
            fields[row].place = f->number > YAFF_FLAT_MAX_NUMBER
                                    ? YAFF_NO_PLACE
                                    : start + yaff_block_offset(b->n4, b->n8, bit);
            row++;
        }
        start += yaff_block_size(b->n4, b->n8);
        to->block_count++;
    }
    to->blocks = blocks;
    to->body_size = start;
    to->align = 8;
    to->lane_count = to->block_count;
    to->dense = yaff_dense(to);
    if (yaff_is_small(to)) to->flags |= YAFF_TYPE_SMALL;
}

static void make_oneofs(const model_type *from, yaff_type *to)
{
    static const char *const names[MODEL_ONEOFS] = {"one", "two", "three"};
    yaff_oneof *oneofs = (yaff_oneof *)model_alloc(sizeof *oneofs * MODEL_ONEOFS);
    to->oneofs = oneofs;
    to->oneof_count = MODEL_ONEOFS;
    for (unsigned o = 0; o < MODEL_ONEOFS; o++) {
        uint32_t row = 0, *members = (uint32_t *)model_alloc(sizeof *members * MODEL_FIELDS);
        oneofs[o].name = names[o];
        oneofs[o].members = members;
        for (unsigned i = 0; i < from->count; i++) {
            if (from->fields[i].removed) continue;
            if (from->fields[i].oneof == o + 1) members[oneofs[o].member_count++] = row;
            row++;
        }
    }
}

static char *field_name(uint32_t number)
{
    char digits[12], *name = (char *)model_alloc(16);
    unsigned n = 0, at = 0;
    for (; number; number /= 10) digits[n++] = (char)('0' + number % 10);
    name[at++] = 'f';
    while (n) name[at++] = digits[--n];
    return name;
}

yaff_type *model_tables(const model_schema *schema, uint32_t index_size)
{
    yaff_type *types = (yaff_type *)model_alloc(sizeof *types * MODEL_TYPES);
    if (index_size < 17) index_size = 17; /* as the generator does */
    for (unsigned t = 0; t < schema->count; t++) {
        const model_type *from = &schema->types[t];
        yaff_type *to = &types[t];
        yaff_field *fields = (yaff_field *)model_alloc(sizeof *fields * (MODEL_FIELDS + 1));
        uint16_t *index = (uint16_t *)model_alloc(2 * (size_t)index_size);
        to->name = "Model";
        to->layout = (uint8_t)from->layout;
        to->flags = from->map_entry ? YAFF_TYPE_MAP_ENTRY : 0;
        to->fields = fields;
        to->index = index;
        to->index_size = index_size;
        to->instance = YAFF_EMPTY_MESSAGE;
        for (unsigned i = 0; i < from->count; i++) {
            const model_field *f = &from->fields[i];
            yaff_field *field = &fields[to->field_count];
            if (f->removed) continue;
            field->number = f->number;
            field->kind = (uint8_t)f->kind;
            field->width = (uint8_t)model_width(schema, from, f);
            field->flags = (uint16_t)f->flags;
            field->oneof = (uint16_t)f->oneof;
            field->type = is_message(f) ? &types[f->type] : NULL;
            field->op = (uint8_t)yaff_op_of(f->kind, f->flags, field->width);
            field->block = (uint16_t)(to->field_count / 16); /* Fixed; else see make_blocks() */
            field->bit = (uint16_t)(1u << to->field_count % 16);
            field->name = field_name(f->number);
            if (f->flags & YAFF_FIELD_PRESENCE) to->flags |= YAFF_TYPE_SETS;
            to->field_count++;
            if (f->number < index_size) index[f->number] = (uint16_t)to->field_count;
        }
        make_oneofs(from, to);
        if (from->layout == YAFF_LAYOUT_FIXED) {
            uint32_t ignored;
            to->lane_count = (to->field_count + 15) / 16;
            for (uint32_t i = 0; i < to->field_count; i++)
                fixed_struct(schema, from, fields[i].number, &fields[i].place, &to->body_size,
                             &to->align);
            if (to->field_count == 0)
                fixed_struct(schema, from, 0, &ignored, &to->body_size, &to->align);
            to->instance = model_alloc(to->body_size);
        } else {
            make_blocks(schema, from, to, fields);
        }
    }
    return types;
}

/* ---- the writer ---- */

typedef struct writer {
    const model_schema *schema;
    uint8_t *bytes;
    size_t size, capacity;
} writer;

/* Appends zeros and returns where they begin. */
static size_t append(writer *w, size_t size, size_t align)
{
    size_t at = (w->size + align - 1) / align * align;
    while (at + size > w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 256;
        uint8_t *bytes = (uint8_t *)model_alloc(capacity);
        if (w->size) memcpy(bytes, w->bytes, w->size);
        w->bytes = bytes;
        w->capacity = capacity;
    }
    w->size = at + size;
    return at;
}

static void store(writer *w, size_t at, unsigned width, uint64_t bits)
{
    for (unsigned i = 0; i < width; i++) w->bytes[at + i] = (uint8_t)(bits >> (8 * i));
}

static void store_span(writer *w, size_t owner, size_t cell, size_t target, size_t count)
{
    if (count == 0) return;
    store(w, cell, 4, (uint32_t)(target - owner));
    store(w, cell + 4, 4, count);
}

static size_t write_message(writer *w, const model_message *m);
static void write_struct(writer *w, size_t at, const model_message *m);

static void write_text(writer *w, size_t owner, size_t cell, const model_item *item)
{
    size_t at;
    if (item->size == 0) return;
    at = append(w, item->size + 1, 1);
    memcpy(w->bytes + at, item->text, item->size);
    store_span(w, owner, cell, at, item->size);
}

static void write_reference(writer *w, size_t owner, size_t cell, const model_message *m)
{
    size_t p;
    if (model_is_empty(m)) return;
    p = write_message(w, m);
    store(w, cell, 4, (uint32_t)(p - owner));
}

/* Gives a value's cell its content and writes what the cell points to. */
static void write_value(writer *w, const model_type *type, size_t owner, size_t cell,
                        const model_value *value)
{
    const model_field *f = value->field;
    const model_type *child = is_message(f) ? &w->schema->types[f->type] : NULL;
    bool fixed = child && child->layout == YAFF_LAYOUT_FIXED;
    size_t array, count = value->count;

    if (!(f->flags & YAFF_FIELD_REPEATED)) {
        if (is_text(f))
            write_text(w, owner, cell, value->items);
        else if (fixed && type->layout == YAFF_LAYOUT_FIXED)
            write_struct(w, cell, value->items->message);
        else if (child)
            write_reference(w, owner, cell, value->items->message);
        else
            store(w, cell, element_width(f), value->items->bits);
        return;
    }
    if (count == 0) return;
    if (fixed) {
        uint32_t ignored, size, align;
        fixed_struct(w->schema, child, 0, &ignored, &size, &align);
        array = append(w, size * count, align);
        for (size_t i = 0; i < count; i++)
            write_struct(w, array + size * i, value->items[i].message);
    } else {
        unsigned width = element_width(f);
        array = append(w, width * count, width);
        for (size_t i = 0; i < count; i++) {
            if (is_text(f))
                write_text(w, array, array + 8 * i, &value->items[i]);
            else if (child)
                write_reference(w, array, array + 4 * i, value->items[i].message);
            else
                store(w, array + width * i, width, value->items[i].bits);
        }
    }
    store_span(w, owner, cell, array, count);
}

static void write_struct(writer *w, size_t at, const model_message *m)
{
    for (unsigned i = 0; m && i < m->count; i++) {
        const model_type *type = &w->schema->types[m->type];
        uint32_t place = 0, size, align;
        fixed_struct(w->schema, type, m->values[i].field->number, &place, &size, &align);
        write_value(w, type, at, at + place, &m->values[i]);
    }
}

/* The Flat body of one block: where each of its numbers lies from the block's start, and its
 * size. */
static uint32_t place_block(const model_schema *schema, const model_type *type, uint32_t k,
                            uint32_t places[16], unsigned widths[16])
{
    bool used[128] = {false};
    uint32_t end = 0;
    memset(widths, 0, 16 * sizeof *widths);
    for (unsigned i = 0; i < type->count; i++) {
        const model_field *f = &type->fields[i];
        if ((f->number - 1) / 16 == k && f->number <= YAFF_FLAT_MAX_NUMBER)
            widths[(f->number - 1) % 16] = model_width(schema, type, f);
    }
    for (unsigned b = 0; b < 16; b++) {
        uint32_t at = 0;
        if (widths[b] == 0) continue;
        for (;; at += widths[b]) {
            bool free_here = true;
            for (unsigned i = 0; i < widths[b]; i++)
                if (used[at + i]) free_here = false;
            if (free_here) break;
        }
        for (unsigned i = 0; i < widths[b]; i++) used[at + i] = true;
        places[b] = at;
        if (at + widths[b] > end) end = at + widths[b];
    }
    return round_up(end, 8);
}

static unsigned set_lane(const model_message *m, uint32_t k)
{
    unsigned set = 0;
    for (unsigned i = 0; i < m->count; i++) {
        uint32_t number = m->values[i].field->number;
        if ((number - 1) / 16 == k) set |= 1u << (number - 1) % 16;
    }
    return set;
}

static uint32_t type_limit(const model_type *type)
{
    uint32_t limit = 0;
    for (unsigned i = 0; i < type->count; i++)
        if (type->fields[i].number <= YAFF_FLAT_MAX_NUMBER) limit = type->fields[i].number;
    return limit;
}

/* Kinds 10 and 11. Returns p; cells[i] is that of m->values[i]. */
static size_t write_flat(writer *w, const model_message *m, size_t *cells)
{
    const model_type *type = &w->schema->types[m->type];
    uint32_t limit = type_limit(type), blocks = (limit + 15) / 16, k, start;
    uint32_t places[16];
    unsigned widths[16];
    bool sets = false;
    size_t before, p;

    for (unsigned i = 0; i < type->count; i++)
        if (!type->fields[i].removed && type->fields[i].flags & YAFF_FIELD_PRESENCE) sets = true;
    if (m->form == MODEL_LANES) {
        uint32_t last = m->values[m->count - 1].field->number;
        blocks = (last - 1) / 16 + 1;
        if (16 * blocks < limit) limit = 16 * blocks;
        before = 8 * (size_t)blocks;
    } else {
        before = 2 + (sets ? 2 * (size_t)blocks : 0);
        before = (before + 7) / 8 * 8;
    }
    for (k = 0, start = 0; k < blocks; k++)
        start += place_block(w->schema, type, k, places, widths);
    p = append(w, before + start, 8) + before;

    for (k = 0, start = 0; k < blocks; k++) {
        unsigned n4 = 0, n8 = 0;
        uint32_t size = place_block(w->schema, type, k, places, widths);
        for (unsigned b = 0; b < 16; b++) {
            if (widths[b] == 1 || widths[b] == 4) n4 |= 1u << b;
            if (widths[b] == 1 || widths[b] == 8) n8 |= 1u << b;
        }
        if (m->form == MODEL_LANES) {
            store(w, p - 8 * (k + 1), 2, n4);
            store(w, p - 8 * (k + 1) + 2, 2, n8);
            store(w, p - 8 * (k + 1) + 4, 2, set_lane(m, k));
            store(w, p - 8 * (k + 1) + 6, 2, start / 8);
        } else if (sets) {
            store(w, p - 4 - 2 * k, 2, set_lane(m, k));
        }
        for (unsigned i = 0; i < m->count; i++) {
            uint32_t number = m->values[i].field->number;
            if ((number - 1) / 16 == k) cells[i] = p + start + places[(number - 1) % 16];
        }
        start += size;
    }
    if (m->form == MODEL_LANES)
        store(w, p - 2, 2, YAFF_FLAT_LANES_HEAD | limit);
    else
        store(w, p - 2, 2, YAFF_FLAT_HEAD | (sets ? YAFF_FLAT_HEAD_SETS : 0) | limit);
    return p;
}

/* Kinds 00 and 01. Returns p; cells[i] is that of m->values[i], 0 for a bool that has none. */
static size_t write_sparse(writer *w, const model_message *m, size_t *cells)
{
    const model_type *type = &w->schema->types[m->type];
    unsigned cells8 = 0, cells4 = 0, entries = m->unknown_size ? 1 : 0, rank8 = 0, rank4 = 0;
    size_t p, directory = 0;
    bool has_directory;

    for (unsigned i = 0; i < m->count; i++) {
        const model_value *v = &m->values[i];
        unsigned width = model_width(w->schema, type, v->field);
        if (v->field->number > 16 * m->blocks)
            entries++;
        else if (width == 8)
            cells8++;
        else if (width == 4 || v->items->bits == 0)
            cells4++;
    }
    has_directory = entries > 0;
    p = append(w, 8 * (m->blocks + (size_t)has_directory) + 8 * cells8 + 8 * ((cells4 + 1) / 2), 8);
    p += 8 * (m->blocks + (size_t)has_directory);
    if (has_directory) {
        directory = append(w, 16 * (size_t)entries, 8);
        store_span(w, p, p - 8 * ((size_t)m->blocks + 1), directory, entries);
        if (m->unknown_size) {
            model_item unknown = {0, NULL, 0, NULL};
            unknown.text = m->unknown;
            unknown.size = m->unknown_size;
            store(w, directory + 4, 4, 8);
            write_text(w, p, directory + 8, &unknown);
            directory += 16;
        }
    }
    for (unsigned k = 0; k < m->blocks; k++) {
        unsigned n4 = 0, n8 = 0, top = rank8 | rank4 << 8;
        for (unsigned i = 0; i < m->count; i++) {
            const model_value *v = &m->values[i];
            unsigned bit = (v->field->number - 1) % 16;
            unsigned width = model_width(w->schema, type, v->field);
            if ((v->field->number - 1) / 16 != k) continue;
            cells[i] = 0;
            if (width == 8) {
                n8 |= 1u << bit;
                cells[i] = p + 8 * rank8++;
            } else if (width == 4 || v->items->bits == 0) {
                n4 |= 1u << bit;
                cells[i] = p + 8 * cells8 + 4 * rank4++;
            }
        }
        if (k == 0) top = (unsigned)has_directory << 14 | m->blocks << 8 | cells8;
        store(w, p - 8 * (k + 1), 2, n4);
        store(w, p - 8 * (k + 1) + 2, 2, n8);
        store(w, p - 8 * (k + 1) + 4, 2, set_lane(m, k));
        store(w, p - 8 * (k + 1) + 6, 2, top);
    }
    for (unsigned i = 0; i < m->count; i++) {
        const model_field *f = m->values[i].field;
        if (f->number <= 16 * m->blocks) continue;
        store(w, directory, 4, f->number);
        store(w, directory + 4, 4, model_width(w->schema, type, f));
        cells[i] = directory + 8;
        directory += 16;
    }
    return p;
}

static size_t write_message(writer *w, const model_message *m)
{
    const model_type *type = &w->schema->types[m->type];
    size_t p, cells[MODEL_FIELDS];
    if (m->form == MODEL_FIXED) {
        uint32_t ignored, size, align;
        fixed_struct(w->schema, type, 0, &ignored, &size, &align);
        p = append(w, size, 8);
        write_struct(w, p, m);
        return p;
    }
    p = m->form == MODEL_SPARSE ? write_sparse(w, m, cells) : write_flat(w, m, cells);
    for (unsigned i = 0; i < m->count; i++)
        if (cells[i]) write_value(w, type, p, cells[i], &m->values[i]);
    return p;
}

model_buffer model_write(const model_schema *schema, const model_message *root)
{
    writer w = {schema, NULL, 0, 0};
    model_buffer buffer;
    append(&w, 8, 8);
    w.bytes[0] = 'Y';
    w.bytes[1] = 'F';
    w.bytes[2] = 1;
    if (!model_is_empty(root)) {
        size_t p = write_message(&w, root);
        store(&w, 4, 4, p);
    }
    append(&w, 0, 8);
    buffer.bytes = w.bytes;
    buffer.size = w.size;
    return buffer;
}
