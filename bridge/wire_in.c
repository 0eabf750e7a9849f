/* Wire bytes -> YaFF, top-down: decode one level into scratch cells, choose the representation,
 * allocate exactly, write lanes and body, then payloads and children depth-first in number order.
 * Parents come before children and nothing is moved. spec/wire.md, In; spec/format.md, Writing. */
#include <yaff/wire.h>

#include "../layout/choose.h"
#include "../layout/walk.h"
#include "../runtime/utf8.h"
#include "copy.h"
#include "sort.h"
#include "wire_level.h"

/* Everything in the output is addressed by offset from its start, since growing may move it. */
typedef struct {
    size_t owner; /* what spans and references count from */
    size_t cell;
} place;

static yaff_status convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                   const uint8_t *end, uint32_t depth, size_t *at);
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at);

/* ---- output ---- */

static yaff_status out_of_room(yaff_wire_in *in, yaff_status status)
{
    return yaff_wire_fail(in, in->wire, status);
}

/* Appends room for `size` bytes, aligned to `align` (at most 8); *at gets their offset. Only the
 * padding in front is written. */
static yaff_status append(yaff_wire_in *in, size_t size, size_t align, size_t *at)
{
    yaff_builder *b = in->b;
    size_t pad = (0 - b->size) & (align - 1);
    yaff_status status = yaff_builder_reserve(b, pad + size);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    memset(b->out + b->size, 0, pad);
    *at = b->size + pad;
    b->size += pad + size;
    return YAFF_OK;
}

static yaff_status append_zeros(yaff_wire_in *in, size_t size, size_t align, size_t *at)
{
    yaff_status status = append(in, size, align, at);
    if (YAFF_LIKELY(status == YAFF_OK)) memset(in->b->out + *at, 0, size);
    return status;
}

static void store_span(yaff_wire_in *in, place where, size_t data, size_t count)
{
    uint32_t offset = (uint32_t)(data - where.owner);
    yaff_store64(in->b->out + where.cell, offset | (uint64_t)count << 32);
}

static void store_ref(yaff_wire_in *in, place where, size_t target)
{
    yaff_store32(in->b->out + where.cell, target ? (uint32_t)(target - where.owner) : 0);
}

static void store_bits(yaff_wire_in *in, size_t at, unsigned width, uint64_t bits)
{
    uint8_t *cell = in->b->out + at;
    switch (width) {
    case 1:
        *cell = (uint8_t)bits;
        break;
    case 4:
        yaff_store32(cell, (uint32_t)bits);
        break;
    default:
        yaff_store64(cell, bits);
    }
}

/* ---- payloads ---- */

YAFF_HELPER yaff_status write_text(yaff_wire_in *in, place where, const uint8_t *text, size_t size)
{
    yaff_builder *b = in->b;
    if (size == 0) {
        yaff_store64(b->out + where.cell, 0);
        return YAFF_OK;
    }
    yaff_status status = yaff_builder_reserve(b, size + 1);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    uint8_t *to = b->out + b->size;
    yaff_copy_bytes(to, text, size);
    to[size] = 0;
    store_span(in, where, b->size, size);
    b->size += size + 1;
    return YAFF_OK;
}

static yaff_status write_child(yaff_wire_in *in, const yaff_type *type, place where,
                               const uint8_t *p, size_t size, uint32_t depth)
{
    size_t child;
    yaff_status status = convert_message(in, type, p, p + size, depth + 1, &child);
    if (status == YAFF_OK) store_ref(in, where, child);
    return status;
}

/* The elements of a run, one after the other; each was stepped over before, so framing is known
 * good. */
typedef struct {
    const uint8_t *next, *end;
    const uint8_t *value;
    uint32_t size;
} run_reader;

static YAFF_NOINLINE void run_next_slow(const yaff_wire_in *in, const yaff_field *f,
                                        run_reader *run)
{
    yaff_status ignored;
    uint32_t tag;
    const uint8_t *p = yaff_read_tag(run->next, run->end, &tag, &ignored), *contents_end;
    if (f->kind == YAFF_KIND_GROUP) {
        run->next =
            yaff_skip_group(p, run->end, f->number, in->options.max_depth, &contents_end, &ignored);
        run->size = (uint32_t)(contents_end - p);
    } else {
        p = yaff_read_length(p, run->end, &run->size, &ignored);
        run->next = p + run->size;
    }
    run->value = p;
}

static inline void run_next(const yaff_wire_in *in, const yaff_field *f, run_reader *run)
{
    const uint8_t *p = run->next;
    if (YAFF_LIKELY(p[0] < 0x80 && p[1] < 0x80 && f->kind != YAFF_KIND_GROUP)) {
        run->value = p + 2;
        run->size = p[1];
        run->next = p + 2 + p[1];
        return;
    }
    run_next_slow(in, f, run);
}

/* A varint that is known to end in the input; NULL when it has more than ten bytes. */
static inline const uint8_t *packed_varint(const uint8_t *p, uint64_t *value)
{
    uint64_t v = *p++;
    if (v >= 0x80) {
        v &= 0x7f;
        for (unsigned shift = 7;; shift += 7) {
            if (shift >= 7 * YAFF_VARINT_MAX_BYTES) return NULL;
            v |= (uint64_t)(*p & 0x7f) << shift;
            if (*p++ < 0x80) break;
        }
    }
    *value = v;
    return p;
}

/* The varints of a packed run into an array; `kind` is constant where this is called. */
YAFF_HELPER const uint8_t *unpack(uint8_t *to, const uint8_t *p, size_t count, yaff_kind kind)
{
    const unsigned width = yaff_kind_width(kind);
    for (uint8_t *end = to + count * width; to < end; to += width) {
        uint64_t value;
        p = packed_varint(p, &value);
        if (YAFF_UNLIKELY(p == NULL)) return NULL;
        value = yaff_kind_bits(kind, value);
        if (width == 1)
            *to = (uint8_t)value;
        else if (width == 4)
            yaff_store32(to, (uint32_t)value);
        else
            yaff_store64(to, value);
    }
    return p;
}

/* A packed run whose payload, known to hold `count` whole elements, is [p, end). */
static bool unpack_run(uint8_t *to, const uint8_t *p, const uint8_t *end, size_t count,
                       unsigned kind)
{
    switch (kind) {
    case YAFF_KIND_INT32:
    case YAFF_KIND_UINT32:
    case YAFF_KIND_ENUM:
        return unpack(to, p, count, YAFF_KIND_UINT32) != NULL;
    case YAFF_KIND_INT64:
    case YAFF_KIND_UINT64:
        return unpack(to, p, count, YAFF_KIND_UINT64) != NULL;
    case YAFF_KIND_SINT32:
        return unpack(to, p, count, YAFF_KIND_SINT32) != NULL;
    case YAFF_KIND_SINT64:
        return unpack(to, p, count, YAFF_KIND_SINT64) != NULL;
    case YAFF_KIND_BOOL:
        return unpack(to, p, count, YAFF_KIND_BOOL) != NULL;
    default: /* fixed: the same bytes */
        memcpy(to, p, (size_t)(end - p));
        return true;
    }
}

static yaff_status write_scalars(yaff_wire_in *in, const yaff_field *f, place where, run_reader run,
                                 size_t count, bool packed)
{
    unsigned wire = yaff_kind_wire(f->kind), width = yaff_kind_width(f->kind);
    size_t array;
    yaff_status status = append(in, count * width, width, &array);
    if (status != YAFF_OK) return status;
    store_span(in, where, array, count);
    const uint8_t *p = run.next;
    if (packed) {
        uint32_t size;
        p = yaff_read_length(p, run.end, &size, &status);
        if (unpack_run(in->b->out + array, p, p + size, count, f->kind)) return YAFF_OK;
        return yaff_wire_fail(in, run.next, YAFF_BAD_VARINT);
    }
    for (size_t i = 0; i < count; i++) { /* stepped over before: each is well formed */
        uint32_t tag;
        uint64_t value;
        p = yaff_read_tag(p, run.end, &tag, &status);
        p = yaff_read_scalar(p, run.end, wire, &value, &status);
        store_bits(in, array + i * width, width, yaff_kind_bits(f->kind, value));
    }
    return YAFF_OK;
}

static yaff_status write_texts(yaff_wire_in *in, const yaff_field *f, place where, run_reader run,
                               size_t count)
{
    size_t array;
    yaff_status status = append_zeros(in, count * 8, 8, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        run_next(in, f, &run);
        status = write_text(in, (place){array, array + 8 * i}, run.value, run.size);
    }
    return status;
}

static yaff_status write_messages(yaff_wire_in *in, const yaff_field *f, place where,
                                  run_reader run, size_t count, uint32_t depth)
{
    bool fixed = f->type->layout == YAFF_LAYOUT_FIXED;
    size_t step = fixed ? f->type->body_size : 4, array;
    yaff_status status = append_zeros(in, count * step, fixed ? f->type->align : 4, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        size_t at = array + step * i;
        run_next(in, f, &run);
        status = fixed ? convert_fixed(in, f->type, run.value, run.value + run.size, depth + 1, at)
                       : write_child(in, f->type, (place){array, at}, run.value, run.size, depth);
    }
    return status;
}

/* ---- maps ---- */

typedef struct {
    uint64_t number; /* key as a number that sorts as the key does */
    yaff_str text;   /* or as text */
    const uint8_t *entry;
    size_t size;
} map_item;

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const map_item *)a)->number, y = ((const map_item *)b)->number;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    yaff_str x = ((const map_item *)a)->text, y = ((const map_item *)b)->text;
    int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

static bool is_signed(unsigned kind)
{
    return kind == YAFF_KIND_INT32 || kind == YAFF_KIND_INT64 || kind == YAFF_KIND_SINT32 ||
           kind == YAFF_KIND_SINT64 || kind == YAFF_KIND_SFIXED32 || kind == YAFF_KIND_SFIXED64;
}

/* Finds the key in a map entry: the last one, zero or "" when there is none. */
static yaff_status read_key(yaff_wire_in *in, const yaff_field *key, uint32_t depth, map_item *item)
{
    const uint8_t *p = item->entry, *end = p + item->size;
    yaff_status status = YAFF_OK;
    uint64_t bits = 0;
    item->text = (yaff_str){"", 0};
    while (p < end) {
        const uint8_t *field = p;
        uint32_t tag, size;
        p = yaff_read_tag(p, end, &tag, &status);
        if (p == NULL) return yaff_wire_fail(in, field, status);
        if (tag != key->tag) {
            p = yaff_skip_field(p, end, tag, in->options.max_depth - depth - 1, &status);
        } else if (key->kind == YAFF_KIND_STRING) {
            p = yaff_read_length(p, end, &size, &status);
            if (p != NULL) {
                item->text = (yaff_str){(const char *)p, size};
                p += size;
            }
        } else {
            p = yaff_read_scalar(p, end, tag & 7, &bits, &status);
        }
        if (p == NULL) return yaff_wire_fail(in, field, status);
    }
    bits = yaff_kind_bits(key->kind, bits);
    if (is_signed(key->kind)) {
        if (key->width == 4) bits = (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
        bits ^= UINT64_C(1) << 63;
    }
    item->number = bits;
    return YAFF_OK;
}

/* Keeps the last item of each key, and checks the ones before it. */
static yaff_status drop_duplicates(yaff_wire_in *in, const yaff_field *f, map_item *items,
                                   size_t *count, yaff_compare *compare, uint32_t depth)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (i + 1 < *count && compare(&items[i], &items[i + 1]) == 0) {
            yaff_status status =
                yaff_value_check(in, f, items[i].entry, items[i].entry + items[i].size, depth);
            if (status != YAFF_OK) return status;
        } else {
            items[kept++] = items[i];
        }
    }
    *count = kept;
    return YAFF_OK;
}

static yaff_status write_map(yaff_wire_in *in, const yaff_field *f, place where, run_reader run,
                             size_t count, uint32_t depth)
{
    const yaff_type *entry = f->type;
    const yaff_field *key = &entry->fields[0];
    yaff_compare *compare = key->kind == YAFF_KIND_STRING ? by_text : by_number;
    if (depth >= in->options.max_depth) return yaff_wire_fail(in, run.next, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    map_item *items = yaff_arena_get(&in->b->scratch, 2 * count * sizeof *items);
    if (items == NULL) return out_of_room(in, YAFF_NO_MEMORY);
    yaff_status status = YAFF_OK;
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        run_next(in, f, &run);
        items[i].entry = run.value;
        items[i].size = run.size;
        status = read_key(in, key, depth, &items[i]);
    }
    if (status == YAFF_OK) {
        yaff_sort(items, items + count, count, sizeof *items, compare);
        status = drop_duplicates(in, f, items, &count, compare, depth);
    }
    size_t array = 0;
    if (status == YAFF_OK)
        status = append_zeros(in, count * entry->body_size, entry->align, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++)
        status = convert_fixed(in, entry, items[i].entry, items[i].entry + items[i].size, depth + 1,
                               array + i * entry->body_size);
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* ---- messages ---- */

/* Writes a repeated field: its cell, and what the cell refers to. */
static YAFF_NOINLINE yaff_status write_repeated(yaff_wire_in *in, const yaff_level *level,
                                                const yaff_item *item, uint32_t depth, place where)
{
    const yaff_field *f = item->field;
    run_reader run = {item->data, level->end, NULL, 0};
    if (f->flags & YAFF_FIELD_MAP) return write_map(in, f, where, run, item->count, depth);
    if (f->type != NULL) return write_messages(in, f, where, run, item->count, depth);
    if (yaff_kind_has_length(f->kind)) return write_texts(in, f, where, run, item->count);
    return write_scalars(in, f, where, run, item->count, item->packed);
}

/* Where cells lie, going through a message in number order. */
typedef struct {
    size_t p;
    size_t next8, next4;  /* Sparse: next free cell of a width */
    size_t entry;         /* next free directory entry */
    uint32_t blocks;      /* fields beyond these blocks of lanes are in the directory */
    unsigned set, falses; /* lanes of what was written, for a message of one block */
} cell_cursor;

typedef enum { FLAT, SPARSE, SPARSE_DIRECTORY } cell_mode;

static size_t next_entry(yaff_wire_in *in, cell_cursor *c, const yaff_field *f)
{
    uint8_t *entry = in->b->out + c->entry;
    yaff_store32(entry, f->number);
    yaff_store32(entry + 4, f->width);
    c->entry += 16;
    return c->entry - 8;
}

/* The cell of the next present field, which has `width` bytes. */
YAFF_HELPER place next_cell(yaff_wire_in *in, cell_cursor *c, const yaff_field *f, unsigned width,
                            cell_mode mode)
{
    place where = {c->p, c->p + f->place};
    if (mode == FLAT) return where;
    if (mode == SPARSE_DIRECTORY && (f->number - 1) / 16 >= c->blocks) {
        where.cell = next_entry(in, c, f);
    } else if (width == 8) {
        where.cell = c->next8;
        c->next8 += 8;
    } else {
        where.cell = c->next4;
        c->next4 += 4;
    }
    return where;
}

/* A bool: in a Sparse message a true one has no cell, a false one a zero cell of 4 bytes. */
YAFF_HELPER void write_bool(yaff_wire_in *in, cell_cursor *c, const yaff_item *item, cell_mode mode)
{
    const yaff_field *f = item->field;
    if (mode == FLAT) {
        in->b->out[c->p + f->place] = (uint8_t)item->bits;
    } else if (mode == SPARSE_DIRECTORY && (f->number - 1) / 16 >= c->blocks) {
        yaff_store64(in->b->out + next_entry(in, c, f), item->bits);
    } else if (item->bits == 0) {
        yaff_store32(in->b->out + c->next4, 0);
        c->next4 += 4;
        c->falses |= 1u << f->bit;
    }
}

/* Writes one item: its cell, and whatever the cell refers to. */
YAFF_HELPER yaff_status write_item(yaff_wire_in *in, const yaff_level *level, const yaff_item *item,
                                   uint32_t depth, cell_cursor *c, cell_mode mode)
{
    const yaff_field *f = item->field;
    c->set |= 1u << f->bit;
    switch ((yaff_op)f->op) {
    case YAFF_OP_VARINT32:
    case YAFF_OP_ZIGZAG32:
    case YAFF_OP_FIXED32:
    case YAFF_OP_CLOSED_ENUM:
        yaff_store32(in->b->out + next_cell(in, c, f, 4, mode).cell, (uint32_t)item->bits);
        return YAFF_OK;
    case YAFF_OP_VARINT64:
    case YAFF_OP_ZIGZAG64:
    case YAFF_OP_FIXED64:
        yaff_store64(in->b->out + next_cell(in, c, f, 8, mode).cell, item->bits);
        return YAFF_OK;
    case YAFF_OP_BOOL:
        write_bool(in, c, item, mode);
        return YAFF_OK;
    case YAFF_OP_BYTES:
    case YAFF_OP_UTF8:
        return write_text(in, next_cell(in, c, f, 8, mode), item->data, item->count);
    case YAFF_OP_MESSAGE:
    case YAFF_OP_GROUP:
        return write_child(in, f->type, next_cell(in, c, f, 4, mode), item->data, item->count,
                           depth);
    case YAFF_OP_INLINE:
        return convert_fixed(in, f->type, item->data, item->data + item->count, depth + 1,
                             c->p + f->place);
    case YAFF_OP_SCALARS:
    case YAFF_OP_TEXTS:
    case YAFF_OP_MESSAGES:
    case YAFF_OP_MAP:
        break;
    }
    return write_repeated(in, level, item, depth, next_cell(in, c, f, 8, mode));
}

/* Writes items as long as they are numbers or short text that fits: a leaf, like
 * read_plain_fields(). */
YAFF_HELPER const yaff_item *write_plain_items(yaff_builder *b, cell_cursor *c,
                                               const yaff_item *item, const yaff_item *end,
                                               cell_mode mode)
{
    uint8_t *out = b->out, *base = out + c->p, *next8 = out + c->next8, *next4 = out + c->next4;
    uint8_t *to = out + b->size, *room = out + b->capacity, *cell;
    unsigned set = c->set;
    for (; item < end; item++) {
        const yaff_field *f = item->field;
        switch ((yaff_op)f->op) {
        case YAFF_OP_VARINT32:
        case YAFF_OP_ZIGZAG32:
        case YAFF_OP_FIXED32:
        case YAFF_OP_CLOSED_ENUM:
            cell = mode == FLAT ? base + f->place : next4;
            next4 += 4;
            set |= 1u << f->bit;
            yaff_store32(cell, (uint32_t)item->bits);
            continue;
        case YAFF_OP_VARINT64:
        case YAFF_OP_ZIGZAG64:
        case YAFF_OP_FIXED64:
            cell = mode == FLAT ? base + f->place : next8;
            next8 += 8;
            set |= 1u << f->bit;
            yaff_store64(cell, item->bits);
            continue;
        case YAFF_OP_BYTES:
        case YAFF_OP_UTF8: {
            uint32_t size = item->count;
            if (size > 32 || size >= (size_t)(room - to)) goto leave;
            cell = mode == FLAT ? base + f->place : next8;
            next8 += 8;
            set |= 1u << f->bit;
            yaff_store64(cell, size ? (uint32_t)(to - base) | (uint64_t)size << 32 : 0);
            yaff_copy_bytes(to, item->data, size);
            to[size] = 0;
            to += size + (size != 0);
            continue;
        }
        case YAFF_OP_BOOL:
            if (item->bits == 0) goto leave;
            set |= 1u << f->bit;
            if (mode == FLAT) base[f->place] = 1;
            continue;
        case YAFF_OP_MESSAGE:
        case YAFF_OP_GROUP:
        case YAFF_OP_INLINE:
        case YAFF_OP_SCALARS:
        case YAFF_OP_TEXTS:
        case YAFF_OP_MESSAGES:
        case YAFF_OP_MAP:
            goto leave;
        default:
            YAFF_UNREACHABLE();
        }
    }
leave:
    c->next8 = (size_t)(next8 - out);
    c->next4 = (size_t)(next4 - out);
    c->set = set;
    b->size = (size_t)(to - out);
    return item;
}

/* Writes all cells of a message, and whatever they refer to. */
YAFF_HELPER yaff_status write_items(yaff_wire_in *in, const yaff_level *level, uint32_t depth,
                                    cell_cursor *c, cell_mode mode)
{
    const yaff_item *item = level->items;
    for (;; item++) {
        if (mode != SPARSE_DIRECTORY) item = write_plain_items(in->b, c, item, level->item, mode);
        if (item == level->item) return YAFF_OK;
        yaff_status status = write_item(in, level, item, depth, c, mode);
        if (YAFF_UNLIKELY(status != YAFF_OK)) return status;
    }
}

static yaff_status write_unknown(yaff_wire_in *in, const yaff_level *level, place where)
{
    yaff_builder *b = in->b;
    yaff_status status = yaff_builder_reserve(b, (size_t)level->unknown_size + 1);
    if (status != YAFF_OK) return out_of_room(in, status);
    store_span(in, where, b->size, level->unknown_size);
    for (const yaff_unknown_run *run = level->unknown; run != NULL; run = run->next) {
        memcpy(b->out + b->size, run->data, run->size);
        b->size += run->size;
    }
    b->out[b->size++] = 0;
    return YAFF_OK;
}

/* A message of any shape. */
static YAFF_NOINLINE yaff_status write_planned(yaff_wire_in *in, const yaff_type *type,
                                               const yaff_level *level, uint32_t depth, size_t *at)
{
    size_t lanes = type->block_count * sizeof(uint16_t), start;
    uint16_t *set = yaff_arena_get(&in->b->scratch, 2 * lanes), *falses = set + type->block_count;
    if (set == NULL) return out_of_room(in, YAFF_NO_MEMORY);
    memset(set, 0, 2 * lanes);
    for (const yaff_item *item = level->items; item < level->item; item++) {
        const yaff_field *f = item->field;
        unsigned bit = 1u << f->bit;
        set[f->block] |= (uint16_t)bit;
        if (f->op == YAFF_OP_BOOL && item->bits == 0) falses[f->block] |= (uint16_t)bit;
    }
    yaff_presence present = {set, falses, level->unknown_size > 0};
    yaff_plan plan;
    yaff_choose(type, &present, &plan);
    yaff_status status = append_zeros(in, plan.before + plan.body + 16 * plan.entries, 8, &start);
    if (status != YAFF_OK) return status;
    size_t p = *at = start + plan.before, directory = p + plan.body;
    yaff_write_lanes(type, &present, &plan, in->b->out + p);
    cell_cursor c = {p, p, p + 8 * plan.cells8, directory, plan.blocks, 0, 0};
    if (plan.kind >= YAFF_HEAD_FLAT) return write_items(in, level, depth, &c, FLAT);
    if (plan.entries > 0) store_span(in, (place){p, start}, directory, plan.entries);
    if (present.unknown) {
        yaff_store32(in->b->out + directory + 4, 8); /* entry number 0, class 8 */
        status = write_unknown(in, level, (place){p, directory + 8});
        if (status != YAFF_OK) return status;
        c.entry += 16;
    }
    return write_items(in, level, depth, &c, SPARSE_DIRECTORY);
}

static void zero_words(uint8_t *p, uint32_t size)
{
    for (uint32_t i = 0; i < size; i += 8) yaff_store64(p + i, 0);
}

/* The usual message: Dynamic, all that is present lies in the first block of numbers, nothing is
 * unknown. The choice is then one comparison. */
static yaff_status write_simple(yaff_wire_in *in, const yaff_type *type, const yaff_level *level,
                                uint32_t depth, size_t *at)
{
    yaff_builder *b = in->b;
    const yaff_block *block = type->blocks;
    uint32_t flat_body =
        type->block_count > 1 && block[1].mask != 0 ? 8u * block[1].start : type->body_size;
    uint32_t sparse_body = (level->cells8 + level->cells4 + 7) & ~7u;
    bool flat = 4 * (8 + flat_body) <= 5 * (8 + sparse_body);
    size_t pad = (0 - b->size) & 7;
    yaff_status status = yaff_builder_reserve(b, pad + 8 + (flat ? flat_body : sparse_body));
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    yaff_store64(b->out + b->size, 0); /* the padding */
    size_t p = *at = b->size + pad + 8;
    cell_cursor c = {p, p, p + level->cells8, 0, 1, 0, 0};
    uint64_t n4 = block->n4, n8 = block->n8, head;
    if (flat) {
        zero_words(b->out + p, flat_body);
        b->size = p + flat_body;
        status = write_items(in, level, depth, &c, FLAT);
        head = YAFF_FLAT_LANES_HEAD | (type->limit < 16 ? type->limit : 16u);
    } else {
        if (sparse_body) yaff_store64(b->out + p + sparse_body - 8, 0);
        b->size = p + sparse_body;
        status = write_items(in, level, depth, &c, SPARSE);
        uint64_t only8 = c.set & n8 & ~n4;
        n4 = (c.set & n4 & ~n8) | c.falses;
        n8 = only8;
        head = 1u << 8 | level->cells8 / 8;
    }
    yaff_store64(b->out + p - 8, n4 | n8 << 16 | (uint64_t)c.set << 32 | head << 48);
    return status;
}

/* Converts into a Fixed struct whose bytes stand at `at`. */
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at)
{
    if (depth > in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    yaff_level level;
    yaff_status status = yaff_level_decode(in, type, p, end, depth, &level);
    if (status == YAFF_OK) {
        memcpy(in->b->out + at, type->instance, type->body_size);
        cell_cursor c = {at, 0, 0, 0, 0, 0, 0};
        status = write_items(in, &level, depth, &c, FLAT);
    }
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* Whether a Fixed message, or one inline in it, has required fields. These may have defaults, in
 * this schema or in a later one. */
static bool fixed_has_required(const yaff_type *type)
{
    if (type->flags & YAFF_TYPE_REQUIRED) return true;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].op == YAFF_OP_INLINE && fixed_has_required(type->fields[i].type))
            return true;
    return false;
}

/* Whether a Fixed message is not stored: it equals the default instance, which then is all zero in
 * every version of the schema. */
static bool fixed_is_default(const yaff_type *type, const uint8_t *p)
{
    return memcmp(p, type->instance, type->body_size) == 0 && !fixed_has_required(type);
}

/* Whether a Fixed message for which the caller's memory has no room needs none: OK or TOO_SMALL. */
static yaff_status convert_fixed_aside(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                       const uint8_t *end, uint32_t depth)
{
    yaff_builder *b = in->b, saved = *b;
    size_t at;
    yaff_builder_use(b, NULL, 0);
    yaff_status status = append_zeros(in, type->body_size, 8, &at);
    if (status == YAFF_OK) status = convert_fixed(in, type, p, end, depth, at);
    if (status == YAFF_OK && !fixed_is_default(type, b->out + at)) status = YAFF_TOO_SMALL;
    yaff_builder_use(b, saved.out, saved.capacity);
    b->size = saved.size;
    return status;
}

/* A Fixed message behind a reference, or the root. */
static yaff_status convert_fixed_object(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                        const uint8_t *end, uint32_t depth, size_t *at)
{
    size_t before = in->b->size;
    yaff_status status = append_zeros(in, type->body_size, 8, at);
    if (status == YAFF_TOO_SMALL) {
        *at = 0;
        return convert_fixed_aside(in, type, p, end, depth);
    }
    if (status == YAFF_OK) status = convert_fixed(in, type, p, end, depth, *at);
    if (status == YAFF_OK && fixed_is_default(type, in->b->out + *at)) {
        in->b->size = before;
        *at = 0;
    }
    return status;
}

/* Converts the message [p, end) of `type`; *at gets its p, 0 when it is empty and so not stored. */
static yaff_status convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                   const uint8_t *end, uint32_t depth, size_t *at)
{
    *at = 0;
    if (type->layout == YAFF_LAYOUT_FIXED) return convert_fixed_object(in, type, p, end, depth, at);
    if (depth > in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    yaff_level level;
    yaff_status status = yaff_level_decode(in, type, p, end, depth, &level);
    if (status == YAFF_OK && (level.item > level.items || level.unknown_size > 0)) {
        bool simple = type->layout == YAFF_LAYOUT_DYNAMIC && level.unknown_size == 0 &&
                      level.item[-1].field->number <= 16;
        status = simple ? write_simple(in, type, &level, depth, at)
                        : write_planned(in, type, &level, depth, at);
    }
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

yaff_status yaff_value_check(yaff_wire_in *in, const yaff_field *f, const uint8_t *value,
                             const uint8_t *value_end, uint32_t depth)
{
    if (f->flags & YAFF_FIELD_UTF8 && !in->options.no_utf8_check &&
        !yaff_utf8_valid(value, (size_t)(value_end - value)))
        return yaff_wire_fail(in, value, YAFF_BAD_UTF8);
    if (f->type == NULL) return YAFF_OK;
    /* Convert it behind what is there, or in memory of our own where the caller's must not be used
     * up. */
    yaff_builder *b = in->b, saved = *b;
    bool dropping = in->dropping;
    size_t at;
    in->dropping = true;
    if (b->callers) {
        yaff_builder_use(b, NULL, 0);
        b->size = 0;
    }
    yaff_status status = append_zeros(in, f->type->body_size, 8, &at);
    if (status == YAFF_OK)
        status = f->type->layout == YAFF_LAYOUT_FIXED
                     ? convert_fixed(in, f->type, value, value_end, depth + 1, at)
                     : convert_message(in, f->type, value, value_end, depth + 1, &at);
    in->dropping = dropping;
    if (saved.callers) yaff_builder_use(b, saved.out, saved.capacity);
    b->size = saved.size;
    return status;
}

static uint32_t depth_limit(uint32_t wanted)
{
    if (wanted == 0) return YAFF_MAX_DEPTH;
    return wanted < YAFF_DEPTH_CEILING ? wanted : YAFF_DEPTH_CEILING;
}

yaff_status yaff_from_wire(yaff_builder *b, const yaff_type *type, const void *wire, size_t size,
                           const yaff_wire_options *options, yaff_error *err)
{
    static const uint8_t nothing[1];
    yaff_wire_in in;
    memset(&in, 0, sizeof in);
    in.b = b;
    if (options != NULL) in.options = *options;
    in.options.max_depth = depth_limit(in.options.max_depth);
    in.wire = in.origin = in.fault = size ? wire : nothing;
    in.wire_end = in.wire + size;
    size_t root = 0;
    yaff_status status = size > INT32_MAX ? YAFF_TOO_LARGE : yaff_builder_start(b, 2 * size);
    if (status == YAFF_OK) status = convert_message(&in, type, in.wire, in.wire_end, 0, &root);
    if (status == YAFF_OK) {
        yaff_builder_finish(b, root);
        return YAFF_OK;
    }
    b->size = 0;
    if (err != NULL) {
        bool in_input = (uintptr_t)in.fault >= (uintptr_t)in.wire &&
                        (uintptr_t)in.fault <= (uintptr_t)in.wire_end;
        err->status = status;
        err->offset = (size_t)((in_input ? in.fault : in.origin) - in.wire);
        err->path[0] = '\0';
    }
    return status;
}
