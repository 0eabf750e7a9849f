/* YaFF -> Protobuf wire bytes. A message is written from its highest field number down, from the
 * back of the output to the front: so a length is known when its tag is written, and one pass does
 * it. spec/wire.md, Out.
 *
 * Every put and write function is given `p`, the first byte written so far, puts its bytes in front
 * of it and returns the new first byte; NULL when it failed, with o->status told. */
#include <yaff/sparse.h>
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layout/find.h"
#include "layout/walk.h"

#include "wire_list.h"
#include "wire_write.h"

/* Bytes of a field besides a string's own; bytes that short text is copied with; and both. */
enum {
    HEAD_MAX = YAFF_TAG_MAX_BYTES + YAFF_VARINT_MAX_BYTES,
    TEXT_COPIED = 32,
    SAFE_ROOM = HEAD_MAX + TEXT_COPIED
};

typedef struct {
    uint8_t *low;     /* the first byte that may be written */
    uint8_t *safe;    /* above this, p has SAFE_ROOM bytes before it */
    yaff_status full; /* what running into `low` means */
    yaff_status status;
    unsigned depth; /* messages around the one at hand */
} writer;

static YAFF_NOINLINE uint8_t *fail(writer *o, yaff_status status)
{
    o->status = status;
    return NULL;
}

/* ---- Tags, numbers and bytes ---- */

/* Where fewer than SAFE_ROOM bytes are left: written aside, copied if it fits. `width` is 8 or 4 for
 * a number of that many bytes, 0 for a varint. Without a tag when that is 0. */
static YAFF_NOINLINE uint8_t *put_tight(writer *o, uint8_t *p, uint32_t tag, uint64_t v,
                                        unsigned width)
{
    uint8_t bytes[8 + HEAD_MAX], *const end = bytes + 8 + HEAD_MAX, *first = end;
    size_t size;
    if (width == 8)
        yaff_store64(first -= 8, v);
    else if (width == 4)
        yaff_store32(first -= 4, (uint32_t)v);
    else
        first = yaff_put_varint(first, v);
    if (tag) first = yaff_put_varint(first, tag);
    size = (size_t)(end - first);
    if (size > (size_t)(p - o->low)) return fail(o, o->full);
    return (uint8_t *)memcpy(p - size, first, size);
}

/* A tag and a varint, most often one byte each. There is room. */
YAFF_HELPER uint8_t *put_head(uint8_t *p, uint32_t tag, uint64_t v)
{
    if (YAFF_LIKELY((tag | v) < 0x80)) {
        *--p = (uint8_t)v;
        *--p = (uint8_t)tag;
        return p;
    }
    return yaff_put_varint(yaff_put_varint(p, v), tag);
}

YAFF_HELPER uint8_t *put_varint(writer *o, uint8_t *p, uint32_t tag, uint64_t v)
{
    if (YAFF_UNLIKELY(p <= o->safe)) return put_tight(o, p, tag, v, 0);
    return put_head(p, tag, v);
}

/* A varint alone: an element of a packed field, or a tag. */
YAFF_HELPER uint8_t *put_bare(writer *o, uint8_t *p, uint64_t v)
{
    if (YAFF_UNLIKELY(p <= o->safe)) return put_tight(o, p, 0, v, 0);
    return yaff_put_varint(p, v);
}

YAFF_HELPER uint8_t *put_fixed32(writer *o, uint8_t *p, uint32_t tag, uint64_t v)
{
    if (YAFF_UNLIKELY(p <= o->safe)) return put_tight(o, p, tag, v, 4);
    yaff_store32(p -= 4, (uint32_t)v);
    return yaff_put_varint(p, tag);
}

YAFF_HELPER uint8_t *put_fixed64(writer *o, uint8_t *p, uint32_t tag, uint64_t v)
{
    if (YAFF_UNLIKELY(p <= o->safe)) return put_tight(o, p, tag, v, 8);
    yaff_store64(p -= 8, v);
    return yaff_put_varint(p, tag);
}

static uint8_t *put_bytes(writer *o, uint8_t *p, const void *data, size_t size)
{
    if (size > (size_t)(p - o->low)) return fail(o, o->full);
    return (uint8_t *)memcpy(p - size, data, size);
}

static YAFF_NOINLINE uint8_t *put_long_string(writer *o, uint8_t *p, uint32_t tag, const char *data,
                                              size_t size)
{
    p = put_bytes(o, p, data, size);
    return p ? put_varint(o, p, tag, size) : NULL;
}

/* Short text is copied together with what stands before it, two loads and two stores. In front of
 * an owner there are 8 bytes at least. */
YAFF_HELPER uint8_t *put_string(writer *o, uint8_t *p, uint32_t tag, const char *owner,
                                uint64_t span)
{
    const ptrdiff_t end = (int32_t)(uint32_t)span + (ptrdiff_t)(span >> 32);
    const size_t size = yaff_span_count(span);
    if (YAFF_UNLIKELY(size > TEXT_COPIED || end < TEXT_COPIED - 8 || p <= o->safe))
        return put_long_string(o, p, tag, owner + end - size, size);
    memcpy(p - TEXT_COPIED, owner + end - TEXT_COPIED, TEXT_COPIED);
    return put_head(p - size, tag, size);
}

/* ---- Fields ---- */

static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m);
static uint8_t *write_messages(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits);

/* A message with its tag and length. */
YAFF_HELPER uint8_t *write_child(writer *o, uint8_t *p, const yaff_field *f, const void *m)
{
    uint8_t *end = p;
    p = write_message(o, p, f->type, (const char *)m);
    return p ? put_varint(o, p, f->tag, (uint64_t)(end - p)) : NULL;
}

/* A message between two tags; the wire type of the second is one higher. */
static uint8_t *write_group(writer *o, uint8_t *p, const yaff_field *f, const void *m)
{
    p = put_bare(o, p, f->tag + 1);
    if (p) p = write_message(o, p, f->type, (const char *)m);
    return p ? put_bare(o, p, f->tag) : NULL;
}

static uint8_t *write_texts(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                            uint64_t bits)
{
    const char *spans = (const char *)yaff_span_data(owner, bits);
    for (size_t i = yaff_span_count(bits); p && i-- > 0;)
        p = put_string(o, p, f->tag, spans, yaff_load64(spans + 8 * i));
    return p;
}

/* The elements of a packed run; `kind` is constant where this is called. Two at once. */
YAFF_HELPER uint8_t *put_varints(writer *o, uint8_t *p, const uint8_t *array, size_t count,
                                 unsigned kind)
{
    const unsigned width = yaff_kind_width(kind);
    for (; count >= 2 && p > o->safe; count -= 2) {
        const uint8_t *const at = array + (count - 2) * width;
        uint64_t v[2] = {yaff_varint_of(kind, yaff_bits_at(at, width)),
                         yaff_varint_of(kind, yaff_bits_at(at + width, width))};
        if (YAFF_LIKELY((v[0] | v[1]) >> 56 == 0)) {
            yaff_split_groups(v);
            p = yaff_put_groups(yaff_put_groups(p, v[1]), v[0]);
        } else {
            p = yaff_put_varint(yaff_put_varint(p, v[1]), v[0]);
        }
    }
    while (p && count-- > 0)
        p = put_bare(o, p, yaff_varint_of(kind, yaff_bits_at(array + count * width, width)));
    return p;
}

static uint8_t *write_packed(writer *o, uint8_t *p, const yaff_field *f, const uint8_t *array,
                             size_t count)
{
    uint8_t *end = p;
    switch (f->kind) {
    case YAFF_KIND_INT32:
    case YAFF_KIND_ENUM:
        p = put_varints(o, p, array, count, YAFF_KIND_INT32);
        break;
    case YAFF_KIND_UINT32:
        p = put_varints(o, p, array, count, YAFF_KIND_UINT32);
        break;
    case YAFF_KIND_SINT32:
        p = put_varints(o, p, array, count, YAFF_KIND_SINT32);
        break;
    case YAFF_KIND_INT64:
    case YAFF_KIND_UINT64:
        p = put_varints(o, p, array, count, YAFF_KIND_UINT64);
        break;
    case YAFF_KIND_SINT64:
        p = put_varints(o, p, array, count, YAFF_KIND_SINT64);
        break;
    default: /* bool and fixed: the array is what the wire wants */
        p = put_bytes(o, p, array, count * yaff_kind_width(f->kind));
        break;
    }
    return p ? put_varint(o, p, f->tag, (uint64_t)(end - p)) : NULL;
}

static uint8_t *write_unpacked(writer *o, uint8_t *p, const yaff_field *f, const uint8_t *array,
                               size_t count)
{
    const unsigned width = yaff_kind_width(f->kind), fixed = yaff_wire_width(f->kind);
    while (p && count-- > 0) {
        uint64_t bits = yaff_bits_at(array + count * width, width);
        if (fixed == 8)
            p = put_fixed64(o, p, f->tag, bits);
        else if (fixed == 4)
            p = put_fixed32(o, p, f->tag, bits);
        else
            p = put_varint(o, p, f->tag, yaff_varint_of(f->kind, bits));
    }
    return p;
}

static uint8_t *write_scalars(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                              uint64_t bits)
{
    const uint8_t *array = (const uint8_t *)yaff_span_data(owner, bits);
    const size_t count = yaff_span_count(bits);
    if (count == 0) return p;
    return (f->flags & YAFF_FIELD_PACKED ? write_packed : write_unpacked)(o, p, f, array, count);
}

/* Where the cells of a message are taken from, the highest number first. */
typedef enum {
    GIVEN,  /* `bits` has been read before */
    PLACES, /* from where Flat puts them */
    PACKED  /* one behind the other, as in Sparse; these end at at8 and at4 */
} cell_source;

typedef struct {
    uint64_t bits;
    const char *at8, *at4;
    unsigned falses; /* PACKED: lane of the bools that have a cell, since they are false */
} cells;

YAFF_HELPER uint64_t take8(cells *c, const yaff_field *f, const char *m, cell_source from)
{
    if (from == GIVEN) return c->bits;
    return yaff_load64(from == PLACES ? m + f->place : (c->at8 -= 8));
}

YAFF_HELPER uint32_t take4(cells *c, const yaff_field *f, const char *m, cell_source from)
{
    if (from == GIVEN) return (uint32_t)c->bits;
    return yaff_load32(from == PLACES ? m + f->place : (c->at4 -= 4));
}

YAFF_HELPER bool take_bool(cells *c, const yaff_field *f, const char *m, cell_source from)
{
    if (from == GIVEN) return c->bits != 0;
    if (from == PLACES) return m[f->place] != 0;
    if (!(c->falses & f->bit)) return true;
    c->at4 -= 4;
    return false;
}

/* Writes one field of m. */
YAFF_HELPER uint8_t *write_field(writer *o, uint8_t *p, const yaff_field *f, const char *m,
                                 cells *c, cell_source from)
{
    uint32_t v;
    const yaff_op op = (yaff_op)f->op;
    switch (op) {
    case YAFF_OP_VARINT32:
    case YAFF_OP_CLOSED_ENUM:
        v = take4(c, f, m, from);
        if (v < 0x80) return put_varint(o, p, f->tag, v); /* whatever its sign */
        return put_varint(o, p, f->tag, yaff_varint_of(f->kind, v));
    case YAFF_OP_ZIGZAG32:
        v = take4(c, f, m, from);
        return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_SINT32, v));
    case YAFF_OP_VARINT64:
        return put_varint(o, p, f->tag, take8(c, f, m, from));
    case YAFF_OP_ZIGZAG64:
        return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_SINT64, take8(c, f, m, from)));
    case YAFF_OP_BOOL:
        return put_varint(o, p, f->tag, take_bool(c, f, m, from));
    case YAFF_OP_FIXED32:
        return put_fixed32(o, p, f->tag, take4(c, f, m, from));
    case YAFF_OP_FIXED64:
        return put_fixed64(o, p, f->tag, take8(c, f, m, from));
    case YAFF_OP_BYTES:
    case YAFF_OP_UTF8:
        return put_string(o, p, f->tag, m, take8(c, f, m, from));
    case YAFF_OP_MESSAGE:
        v = take4(c, f, m, from);
        return write_child(o, p, f, yaff_ref_message(m, v, f->type->instance));
    case YAFF_OP_GROUP:
        v = take4(c, f, m, from);
        return write_group(o, p, f, yaff_ref_message(m, v, f->type->instance));
    case YAFF_OP_INLINE:
        return write_child(o, p, f, m + f->place);
    case YAFF_OP_SCALARS:
        return write_scalars(o, p, f, m, take8(c, f, m, from));
    case YAFF_OP_TEXTS:
        return write_texts(o, p, f, m, take8(c, f, m, from));
    case YAFF_OP_MESSAGES:
    case YAFF_OP_MAP:
        return write_messages(o, p, f, m, take8(c, f, m, from));
    default:
        YAFF_UNREACHABLE();
    }
}

/* ---- Messages ---- */

/* Writes the listed fields of m, the last first. `seen` is NULL when none of them can be of a
 * oneof. */
static YAFF_NOINLINE uint8_t *write_list(writer *o, uint8_t *p, const yaff_type *type,
                                         const char *m, const yaff_item *list, const yaff_item *end,
                                         uint64_t *seen)
{
    while (p && end != list) {
        const yaff_field *f = (--end)->field;
        cells c = {end->bits, NULL, NULL, 0};
        if (!f->oneof || !yaff_list_lost(type, m, f, seen)) p = write_field(o, p, f, m, &c, GIVEN);
    }
    return p;
}

/* The 16 bits of a lane in the other order. */
YAFF_HELPER unsigned reversed(unsigned lane)
{
#define TWO_BITS(n) (n), (n) + 0x80, (n) + 0x40, (n) + 0xc0
#define FOUR_BITS(n) TWO_BITS(n), TWO_BITS((n) + 0x20), TWO_BITS((n) + 0x10), TWO_BITS((n) + 0x30)
#define SIX_BITS(n) FOUR_BITS(n), FOUR_BITS((n) + 8), FOUR_BITS((n) + 4), FOUR_BITS((n) + 12)
    static const uint8_t bytes[256] = {SIX_BITS(0), SIX_BITS(2), SIX_BITS(1), SIX_BITS(3)};
#undef TWO_BITS
#undef FOUR_BITS
#undef SIX_BITS
    return (unsigned)bytes[lane & 0xff] << 8 | bytes[lane >> 8 & 0xff];
}

/* Writes the fields `set` of a block whose cells are as this schema has them; rows[b] is 1 + the row
 * of bit b. `seen` is NULL when none of them can be of a oneof. The highest number is found as the
 * lowest bit of the reversed lane: the search for a highest bit (bsr) is slow on some x86-64, and
 * what is fast there (lzcnt) not on all. */
YAFF_HELPER uint8_t *write_set(writer *o, uint8_t *p, const yaff_type *type, const uint16_t *rows,
                               const char *m, uint64_t set, cells *c, cell_source from,
                               uint64_t *seen)
{
    const yaff_field *const fields = type->fields;
    for (unsigned left = reversed((unsigned)set); left; left &= left - 1) {
        const unsigned number = YAFF_BLOCK_NUMBERS - yaff_lowest_bit(left); /* 1 to 16 */
        const yaff_field *f = fields + rows[(size_t)number - 1] - 1;
        if (seen != NULL && YAFF_UNLIKELY(f->oneof) && yaff_list_lost(type, m, f, seen)) {
            if (from == PACKED) { /* its cell is passed over */
                if (f->width == 8) c->at8 -= 8;
                if (f->width == 4 || (f->width == 1 && c->falses & f->bit)) c->at4 -= 4;
            }
            continue;
        }
        p = write_field(o, p, f, m, c, from);
        if (YAFF_UNLIKELY(!p)) return NULL;
    }
    return p;
}

static YAFF_NOINLINE uint8_t *write_fixed(writer *o, uint8_t *p, const yaff_type *type,
                                          const char *m)
{
    yaff_item list[YAFF_LIST_MAX];
    for (uint32_t left = type->field_count; p && left;) {
        const yaff_item *end = yaff_list_fixed(list, type, m, &left);
        p = write_list(o, p, type, m, list, end, NULL);
    }
    return p;
}

/* What a Sparse message keeps beside its blocks: the unknown fields, which come last on the wire,
 * and the far numbers. */
static YAFF_NOINLINE uint8_t *write_directory(writer *o, uint8_t *p, const yaff_type *type,
                                              const char *m, uint64_t lanes0, uint64_t *seen)
{
    yaff_item list[YAFF_LIST_MAX];
    yaff_str unknown = yaff_unknown(m);
    uint32_t left;
    yaff_directory((const uint8_t *)m, lanes0, &left);
    p = put_bytes(o, p, unknown.data, unknown.size);
    while (p && left) {
        const yaff_item *end = yaff_list_directory(list, type, m, lanes0, &left);
        p = write_list(o, p, type, m, list, end, seen);
    }
    return p;
}

/* Writes a block stored in a way that is not the usual one for this schema. */
static YAFF_NOINLINE uint8_t *write_odd_block(writer *o, uint8_t *p, const yaff_type *type,
                                              const yaff_block *b, const char *m, uint64_t lanes0,
                                              uint64_t *seen)
{
    yaff_item list[YAFF_LIST_MAX];
    const yaff_item *end = yaff_list_block(list, type, b, m, lanes0);
    return write_list(o, p, type, m, list, end, seen);
}

/* Block k of a Sparse message, whose row is b; whether it is the `only` one. */
YAFF_HELPER uint8_t *write_sparse_block(writer *o, uint8_t *p, const yaff_type *type,
                                        const yaff_block *b, unsigned k, bool only, const char *m,
                                        uint64_t lanes0, uint64_t *seen)
{
    const uint64_t lanes = k ? yaff_lanes(m, k) : lanes0;
    const unsigned set = yaff_lane_set(lanes), bools = (unsigned)b->n4 & b->n8;
    const uint32_t mine = b->cells & (set | set << 16);
    const uint32_t others = (uint32_t)lanes ^ mine; /* my bools that are false, if nothing else */
    const uint16_t *rows = yaff_block_rows(type, b, k, set);
    if (YAFF_UNLIKELY(!rows || others & ~bools))
        return write_odd_block(o, p, type, b, m, lanes0, seen);
    const char *const middle = m + 8 * (size_t)yaff_head_cells8(lanes0);
    cells c = {0, middle, middle + 4 * yaff_popcount16(yaff_lane_n4(lanes)), others};
    if (!only) {
        const unsigned before = k ? yaff_lane_top(lanes) : 0; /* cells of the blocks below */
        c.at8 = m + 8 * ((before & 0xffu) + yaff_popcount16(yaff_lane_n8(lanes)));
        c.at4 += 4 * (before >> 8);
    }
    return write_set(o, p, type, rows, m, set, &c, PACKED, seen);
}

/* Block k of a Flat message with lanes, whose row is b. */
YAFF_HELPER uint8_t *write_flat_block(writer *o, uint8_t *p, const yaff_type *type,
                                      const yaff_block *b, unsigned k, const char *m,
                                      uint64_t lanes0, uint64_t *seen)
{
    cells c = {0, NULL, NULL, 0};
    const uint64_t lanes = k ? yaff_lanes(m, k) : lanes0;
    const unsigned set = yaff_lane_set(lanes) & b->known;
    const uint16_t *rows = yaff_block_rows(type, b, k, set);
    if (YAFF_UNLIKELY(!rows || (lanes & b->mask) != b->shape))
        return write_odd_block(o, p, type, b, m, lanes0, seen);
    return write_set(o, p, type, rows, m, set, &c, PLACES, seen);
}

/* A message of any kind. */
static YAFF_NOINLINE uint8_t *write_blocks(writer *o, uint8_t *p, const yaff_type *type,
                                           const char *m, uint64_t lanes0)
{
    uint64_t seen = 0;
    const unsigned kind = yaff_head_kind(lanes0);
    if (kind == YAFF_HEAD_SPARSE_DIRECTORY) p = write_directory(o, p, type, m, lanes0, &seen);
    for (uint32_t i = type->block_count; p && i-- > 0;) {
        const yaff_block *b = &type->blocks[i];
        if (kind == YAFF_HEAD_FLAT)
            p = write_odd_block(o, p, type, b, m, lanes0, &seen);
        else if (kind != YAFF_HEAD_FLAT_LANES && b->k < yaff_head_blocks(lanes0))
            p = write_sparse_block(o, p, type, b, b->k, false, m, lanes0, &seen);
        else if (kind == YAFF_HEAD_FLAT_LANES &&
                 (b->k == 0 || yaff_head_flat_has_block(lanes0, b->k)))
            p = write_flat_block(o, p, type, b, b->k, m, lanes0, &seen);
    }
    return p;
}

/* A message of a type that is not Fixed. */
static YAFF_NOINLINE uint8_t *write_any(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    const uint64_t lanes0 = yaff_lanes(m, 0);
    uint64_t seen = 0;
    if (type->dense && lanes0 >> 48 > YAFF_FLAT_LANES_HEAD &&
        lanes0 >> 48 <= YAFF_FLAT_LANES_HEAD + YAFF_BLOCK_NUMBERS)
        return write_flat_block(o, p, type, type->blocks, 0, m, lanes0, &seen);
    return write_blocks(o, p, type, m, lanes0);
}

/* A message of a type whose first block has a field, and that has `oneofs` or not: most often it is
 * Sparse and has that block only. */
YAFF_HELPER uint8_t *write_dense(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                 bool oneofs)
{
    const uint64_t lanes0 = yaff_lanes(m, 0);
    uint64_t seen = 0;
    if (YAFF_LIKELY(lanes0 >> 56 == 1))
        return write_sparse_block(o, p, type, type->blocks, 0, true, m, lanes0,
                                  oneofs ? &seen : NULL);
    return write_any(o, p, type, m);
}

static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    if (YAFF_UNLIKELY(o->depth > YAFF_MAX_DEPTH)) return fail(o, YAFF_TOO_DEEP);
    o->depth++;
    if (YAFF_LIKELY(type->dense))
        p = write_dense(o, p, type, m, true);
    else if (type->layout == YAFF_LAYOUT_FIXED)
        p = write_fixed(o, p, type, m);
    else
        p = write_any(o, p, type, m);
    o->depth--;
    return p;
}

/* What write_child() does, for an array of messages and without what is the same for all. */
YAFF_HELPER uint8_t *write_dense_array(writer *o, uint8_t *p, const yaff_field *f,
                                       const char *array, size_t count, bool oneofs)
{
    const yaff_type *type = f->type;
    if (YAFF_UNLIKELY(o->depth > YAFF_MAX_DEPTH)) return fail(o, YAFF_TOO_DEEP);
    o->depth++;
    for (const char *ref = array + 4 * count; p && ref > array;) {
        uint8_t *end = p;
        ref -= 4;
        const void *m = yaff_ref_message(array, yaff_load32(ref), type->instance);
        p = write_dense(o, p, type, (const char *)m, oneofs);
        if (YAFF_LIKELY(p)) p = put_varint(o, p, f->tag, (uint64_t)(end - p));
    }
    o->depth--;
    return p;
}

static YAFF_NOINLINE uint8_t *write_array(writer *o, uint8_t *p, const yaff_field *f,
                                          const char *array, size_t count)
{
    return write_dense_array(o, p, f, array, count, false);
}

static YAFF_NOINLINE uint8_t *write_array_with_oneofs(writer *o, uint8_t *p, const yaff_field *f,
                                                      const char *array, size_t count)
{
    return write_dense_array(o, p, f, array, count, true);
}

static uint8_t *write_messages(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits)
{
    const char *array = (const char *)yaff_span_data(owner, bits);
    const size_t count = yaff_span_count(bits);
    const bool group = f->kind == YAFF_KIND_GROUP;
    if (!group && count > 0 && f->type->dense)
        return (f->type->oneof_count ? write_array_with_oneofs : write_array)(o, p, f, array,
                                                                              count);
    for (size_t i = count; p && i-- > 0;) {
        const void *m = yaff_element(array, i, f->type);
        p = group ? write_group(o, p, f, m) : write_child(o, p, f, m);
    }
    return p;
}

yaff_status yaff_to_wire_back(const yaff_type *type, const void *m, void *out, size_t capacity,
                              const void **wire, size_t *written, yaff_error *err)
{
    uint8_t nothing[1], *const start = capacity ? (uint8_t *)out : nothing, *end, *first;
    writer o = {start, NULL, YAFF_TOO_SMALL, YAFF_OK, 0};
    if (capacity > YAFF_WIRE_MAX_SIZE) {
        capacity = YAFF_WIRE_MAX_SIZE;
        o.full = YAFF_TOO_LARGE;
    }
    end = start + capacity;
    o.safe = start + (capacity < SAFE_ROOM ? capacity : SAFE_ROOM - 1);
    first = write_message(&o, end, type, (const char *)m);
    *written = first ? (size_t)(end - first) : 0;
    *wire = first && capacity ? first : NULL;
    if (err) {
        err->status = o.status;
        err->offset = 0;
        err->path[0] = 0;
    }
    return o.status;
}

yaff_status yaff_to_wire(const yaff_type *type, const void *m, void *out, size_t capacity,
                         size_t *written, yaff_error *err)
{
    const void *first;
    yaff_status status = yaff_to_wire_back(type, m, out, capacity, &first, written, err);
    if (*written > 0 && first != out) memmove(out, first, *written);
    return status;
}
