/* YaFF -> Protobuf wire bytes. A message is walked from its highest field number down and written from
 * the back of the output to the front: so a length is known when its tag is written, and one pass does
 * it. spec/wire.md, Out.
 *
 * Every write function is given `p`, the first byte written so far, puts its bytes in front of it and
 * returns the new first byte; NULL when it failed, with o->status told. */
#include <yaff/lanes.h>
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layout/find.h"
#include "layout/walk.h"
#include "wire_write.h"

enum { HEAD_MAX = YAFF_TAG_MAX + YAFF_VARINT_MAX }; /* bytes of a field besides a string's own */

typedef struct {
    uint8_t *low;     /* the first byte that may be written */
    uint8_t *safe;    /* above this, p has HEAD_MAX bytes before it */
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

/* Where fewer than HEAD_MAX bytes are left: written aside, copied if it fits. `width` is 8 or 4 for a
 * number of that many bytes, 0 for a varint. Without a tag when that is 0. */
static YAFF_NOINLINE uint8_t *put_tight(writer *o, uint8_t *p, uint32_t tag, uint64_t v, unsigned width)
{
    uint8_t bytes[HEAD_MAX], *const end = bytes + HEAD_MAX, *first = end;
    size_t size;
    if (width == 8) yaff_store64(first -= 8, v);
    else if (width == 4) yaff_store32(first -= 4, (uint32_t)v);
    else first = yaff_put_varint(first, v);
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

/* Short strings are copied in two pieces that overlap. */
YAFF_HELPER uint8_t *put_string(writer *o, uint8_t *p, uint32_t tag, const char *owner, uint64_t span)
{
    const char *data = (const char *)yaff_span_data(owner, span);
    size_t size = yaff_span_count(span); /* below 2^31 */
    uint8_t *to;
    if (YAFF_UNLIKELY(size > 32 || p - o->safe <= (ptrdiff_t)size))
        return put_long_string(o, p, tag, data, size);
    to = p - size;
    if (size >= 16) {
        memcpy(to, data, 16);
        memcpy(p - 16, data + size - 16, 16);
    } else if (size >= 8) {
        memcpy(to, data, 8);
        memcpy(p - 8, data + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, data, 4);
        memcpy(p - 4, data + size - 4, 4);
    } else if (size > 0) {
        memcpy(to, data, 1);
        memcpy(to + size / 2, data + size / 2, 1);
        memcpy(p - 1, data + size - 1, 1);
    }
    return put_head(to, tag, size);
}

/* ---- Fields ---- */

static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                              const yaff_field *f);

/* A message with its tag. */
YAFF_HELPER uint8_t *write_child(writer *o, uint8_t *p, const yaff_field *f, const void *m)
{
    return write_message(o, p, f->type, (const char *)m, f);
}

/* One singular field, whose cell holds `bits`; what these count is counted from `owner`. */
typedef uint8_t *write_one(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits);

static uint8_t *write_uint(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, bits);
}

static uint8_t *write_int32(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_INT32, bits));
}

static uint8_t *write_sint32(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_SINT32, bits));
}

static uint8_t *write_sint64(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_SINT64, bits));
}

static uint8_t *write_fixed32(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_fixed32(o, p, f->tag, bits);
}

static uint8_t *write_fixed64(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    (void)owner;
    return put_fixed64(o, p, f->tag, bits);
}

static uint8_t *write_string(writer *o, uint8_t *p, const yaff_field *f, const char *owner, uint64_t bits)
{
    return put_string(o, p, f->tag, owner, bits);
}

static uint8_t *write_reference(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                                uint64_t bits)
{
    return write_child(o, p, f, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
}

static write_one *const write_by_kind[] = {
    [YAFF_KIND_DOUBLE] = write_fixed64,  [YAFF_KIND_FLOAT] = write_fixed32,
    [YAFF_KIND_INT64] = write_uint,      [YAFF_KIND_UINT64] = write_uint,
    [YAFF_KIND_INT32] = write_int32,     [YAFF_KIND_FIXED64] = write_fixed64,
    [YAFF_KIND_FIXED32] = write_fixed32, [YAFF_KIND_BOOL] = write_uint,
    [YAFF_KIND_STRING] = write_string,   [YAFF_KIND_GROUP] = write_reference,
    [YAFF_KIND_MESSAGE] = write_reference, [YAFF_KIND_BYTES] = write_string,
    [YAFF_KIND_UINT32] = write_uint,     [YAFF_KIND_ENUM] = write_int32,
    [YAFF_KIND_SFIXED32] = write_fixed32, [YAFF_KIND_SFIXED64] = write_fixed64,
    [YAFF_KIND_SINT32] = write_sint32,   [YAFF_KIND_SINT64] = write_sint64,
};

YAFF_HELPER uint8_t *put_varints(writer *o, uint8_t *p, const uint8_t *array, size_t count, unsigned kind)
{
    const unsigned width = yaff_kind_width(kind);
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
    case YAFF_KIND_ENUM: p = put_varints(o, p, array, count, YAFF_KIND_INT32); break;
    case YAFF_KIND_UINT32: p = put_varints(o, p, array, count, YAFF_KIND_UINT32); break;
    case YAFF_KIND_SINT32: p = put_varints(o, p, array, count, YAFF_KIND_SINT32); break;
    case YAFF_KIND_INT64:
    case YAFF_KIND_UINT64: p = put_varints(o, p, array, count, YAFF_KIND_UINT64); break;
    case YAFF_KIND_SINT64: p = put_varints(o, p, array, count, YAFF_KIND_SINT64); break;
    default: /* bool and fixed: the array is what the wire wants */
        p = put_bytes(o, p, array, count * yaff_kind_width(f->kind));
        break;
    }
    return p ? put_varint(o, p, f->tag, (uint64_t)(end - p)) : NULL;
}

static uint8_t *write_scalars(writer *o, uint8_t *p, const yaff_field *f, const uint8_t *array,
                              size_t count)
{
    const unsigned width = yaff_kind_width(f->kind), fixed = yaff_wire_width(f->kind);
    while (p && count-- > 0) {
        uint64_t bits = yaff_bits_at(array + count * width, width);
        if (fixed == 8) p = put_fixed64(o, p, f->tag, bits);
        else if (fixed == 4) p = put_fixed32(o, p, f->tag, bits);
        else p = put_varint(o, p, f->tag, yaff_varint_of(f->kind, bits));
    }
    return p;
}

static YAFF_NOINLINE uint8_t *write_repeated(writer *o, uint8_t *p, const yaff_field *f,
                                             const char *owner, uint64_t span)
{
    size_t count = yaff_span_count(span);
    const uint8_t *array = (const uint8_t *)yaff_span_data(owner, span);
    if (count == 0) return p;
    switch (f->kind) {
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
        while (p && count-- > 0)
            p = put_string(o, p, f->tag, (const char *)array, yaff_load64(array + 8 * count));
        return p;
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        while (p && count-- > 0) p = write_child(o, p, f, yaff_element(array, count, f->type));
        return p;
    default: break;
    }
    if (f->flags & YAFF_FIELD_PACKED) return write_packed(o, p, f, array, count);
    return write_scalars(o, p, f, array, count);
}

/* Of a oneof only the member with the highest number counts, and that one comes first. `seen` has a bit
 * for each of the message's first 64 oneofs. */
static YAFF_NOINLINE bool lost_oneof(const yaff_type *type, const char *m, const yaff_field *f,
                                     uint64_t *seen)
{
    unsigned i = f->oneof - 1u;
    bool lost;
    if (i >= 64) return yaff_oneof_lost((const uint8_t *)m, type, f);
    lost = *seen >> i & 1u;
    *seen |= UINT64_C(1) << i;
    return lost;
}

/* A present field of m, singular or repeated, that has its own width. */
YAFF_HELPER uint8_t *write_field(writer *o, uint8_t *p, const yaff_type *type, const yaff_field *f,
                                 const char *m, uint64_t bits, uint64_t *seen)
{
    if (f->oneof && lost_oneof(type, m, f, seen)) return p;
    if (f->flags & YAFF_FIELD_REPEATED) return write_repeated(o, p, f, m, bits);
    return write_by_kind[f->kind](o, p, f, m, bits);
}

/* ---- Messages: one walk for each way to store one, from the highest number down ---- */

static inline unsigned top_bit(unsigned v)
{
#if defined(__GNUC__) || defined(__clang__)
    return 31u ^ (unsigned)__builtin_clz(v);
#else
    unsigned bit = 0;
    while (v >>= 1) bit++;
    return bit;
#endif
}

/* Any message, any writer's schema: ask the out-of-line reader for `count` of my fields. */
static YAFF_NOINLINE uint8_t *write_found(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                          uint32_t first, uint32_t count, uint64_t *seen)
{
    for (uint32_t row = first + count; p && row-- > first;) {
        const yaff_field *f = &type->fields[row];
        const void *cell = yaff_find(m, type, row);
        if (cell) p = write_field(o, p, type, f, m, yaff_bits_at(cell, f->width), seen);
    }
    return p;
}

static YAFF_NOINLINE uint8_t *write_block(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                          const yaff_block *b, uint64_t *seen)
{
    return write_found(o, p, type, m, b->first, yaff_popcount16(b->known), seen);
}

/* Index entries of block b's fields, by bit; NULL when some of `set` are not in the type or its index. */
YAFF_HELPER const uint16_t *block_rows(const yaff_type *type, const yaff_block *b, unsigned set)
{
    uint32_t first = YAFF_BLOCK_NUMBERS * b->k + 1;
    if (set & ~(unsigned)b->known || first + top_bit(b->known) >= type->index_size) return NULL;
    return type->index + first;
}

/* How many 4-byte and 8-byte cells a Sparse block's lanes tell: both bit counts at once. */
YAFF_HELPER void count_cells(uint64_t lanes, unsigned *cells4, unsigned *cells8)
{
    uint32_t v = (uint32_t)lanes;
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    v += v >> 8;
    *cells4 = v & 0x1fu;
    *cells8 = v >> 16 & 0x1fu;
}

YAFF_HELPER uint8_t *write_sparse(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                  uint64_t lanes0, uint64_t *seen)
{
    const unsigned blocks = yaff_head_blocks(lanes0);
    for (const yaff_block *b = type->blocks + type->block_count; b-- != type->blocks;) {
        const char *at8, *at4; /* the cells still to come end here */
        const uint16_t *rows;
        uint64_t lanes;
        uint32_t n4_n8;
        unsigned cells4, cells8, set, bit;
        if (b->k >= blocks) continue;
        lanes = b->k ? yaff_lanes(m, b->k) : lanes0;
        set = yaff_lane_set(lanes);
        rows = block_rows(type, b, set);
        if (YAFF_UNLIKELY(!rows)) {
            p = write_block(o, p, type, m, b, seen);
            if (!p) return NULL;
            continue;
        }
        count_cells(lanes, &cells4, &cells8);
        if (b->k) {
            cells8 += yaff_lane_top(lanes) & 0xffu;
            cells4 += yaff_lane_top(lanes) >> 8;
        }
        at8 = m + 8 * cells8;
        at4 = m + 8 * yaff_head_cells8(lanes0) + 4 * cells4;
        for (n4_n8 = (uint32_t)lanes; set; set &= ~(1u << bit)) {
            const yaff_field *f;
            uint64_t bits;
            bit = top_bit(set);
            f = &type->fields[rows[bit] - 1u];
            if (n4_n8 >> (bit + 16) & 1u) {
                at8 -= 8;
                if (f->width != 8) continue;
                bits = yaff_load64(at8);
            } else if (n4_n8 >> bit & 1u) {
                at4 -= 4;
                bits = yaff_load32(at4);
                if (f->width != 4) {
                    if (f->width != 1) continue;
                    bits = 0; /* an explicit false */
                }
            } else {
                if (f->width != 1) continue;
                bits = 1;
            }
            p = write_field(o, p, type, f, m, bits, seen);
            if (!p) return NULL;
        }
    }
    return p;
}

/* What a Sparse message keeps beside its blocks: the far numbers and, at the very end, unknown fields. */
static YAFF_NOINLINE uint8_t *write_directory(writer *o, uint8_t *p, const yaff_type *type,
                                              const char *m, uint64_t lanes0, uint64_t *seen)
{
    uint32_t count;
    const uint8_t *entries = yaff_directory((const uint8_t *)m, lanes0, &count);
    yaff_str unknown = yaff_unknown(m);
    p = put_bytes(o, p, unknown.data, unknown.size);
    while (p && count-- > 0) {
        const uint8_t *entry = entries + (size_t)YAFF_DIRECTORY_ENTRY * count;
        const yaff_field *f = yaff_type_field(type, yaff_load32(entry));
        if (!f || yaff_load32(entry + YAFF_DIRECTORY_CLASS) != f->width) continue;
        p = write_field(o, p, type, f, m, yaff_bits_at(entry + YAFF_DIRECTORY_CELL, f->width), seen);
    }
    return p;
}

YAFF_HELPER uint8_t *write_flat_lanes(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                      uint64_t lanes0, uint64_t *seen)
{
    for (const yaff_block *b = type->blocks + type->block_count; b-- != type->blocks;) {
        const uint16_t *rows;
        uint64_t lanes;
        unsigned set, bit;
        if (b->k && !yaff_head_flat_has_block(lanes0, b->k)) continue;
        lanes = b->k ? yaff_lanes(m, b->k) : lanes0;
        set = yaff_lane_set(lanes) & b->known;
        rows = block_rows(type, b, set);
        if (YAFF_UNLIKELY((lanes & b->mask) != b->shape || !rows)) {
            p = write_block(o, p, type, m, b, seen);
            if (!p) return NULL;
            continue;
        }
        for (; set; set &= ~(1u << bit)) {
            const yaff_field *f;
            bit = top_bit(set);
            f = &type->fields[rows[bit] - 1u];
            p = write_field(o, p, type, f, m, yaff_bits_at(m + f->place, f->width), seen);
            if (!p) return NULL;
        }
    }
    return p;
}

/* Kind 10. Without set lanes, what is not zero is present. */
static YAFF_NOINLINE uint8_t *write_flat(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                         uint64_t lanes0, uint64_t *seen)
{
    bool sets = yaff_flat_has_sets(lanes0);
    if (type->layout != YAFF_LAYOUT_FLAT || yaff_head_limit(lanes0) < type->limit)
        return write_found(o, p, type, m, 0, type->field_count, seen);
    for (const yaff_block *b = type->blocks + type->block_count; b-- != type->blocks;) {
        unsigned set = b->known, bit;
        const uint16_t *rows = block_rows(type, b, set);
        if (YAFF_UNLIKELY(!rows)) {
            p = write_block(o, p, type, m, b, seen);
            if (!p) return NULL;
            continue;
        }
        if (sets) set &= yaff_flat_set_lane((const uint8_t *)m, b->k);
        for (; set; set &= ~(1u << bit)) {
            const yaff_field *f;
            uint64_t bits;
            bit = top_bit(set);
            f = &type->fields[rows[bit] - 1u];
            bits = yaff_bits_at(m + f->place, f->width);
            if (bits == 0 && !sets) continue;
            p = write_field(o, p, type, f, m, bits, seen);
            if (!p) return NULL;
        }
    }
    return p;
}

static YAFF_NOINLINE uint8_t *write_fixed(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    const bool entry = type->flags & YAFF_TYPE_MAP_ENTRY;
    for (const yaff_field *f = type->fields + type->field_count; p && f-- != type->fields;) {
        const char *cell = m + f->place;
        uint64_t bits;
        if (f->width == 0) {
            if (!yaff_inline_is_empty(type, f, cell)) p = write_child(o, p, f, cell);
            continue;
        }
        bits = yaff_bits_at(cell, f->width);
        if (bits == 0 && !entry && !(f->flags & YAFF_FIELD_REQUIRED)) continue;
        if (f->flags & YAFF_FIELD_REPEATED) p = write_repeated(o, p, f, m, bits);
        else p = write_by_kind[f->kind](o, p, f, m, bits);
    }
    return p;
}

YAFF_HELPER uint8_t *write_fields(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    uint64_t lanes0, seen = 0;
    if (type->layout == YAFF_LAYOUT_FIXED) return write_fixed(o, p, type, m);
    lanes0 = yaff_lanes(m, 0);
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT_LANES: return write_flat_lanes(o, p, type, m, lanes0, &seen);
    case YAFF_HEAD_FLAT: return write_flat(o, p, type, m, lanes0, &seen);
    case YAFF_HEAD_SPARSE_DIRECTORY:
        p = write_directory(o, p, type, m, lanes0, &seen);
        if (!p) return NULL;
        break;
    default: break;
    }
    return write_sparse(o, p, type, m, lanes0, &seen);
}

/* The message m, and before it the tag and length of the field f that it is, NULL for the root. */
static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                              const yaff_field *f)
{
    uint8_t *end = p;
    bool group = f && f->kind == YAFF_KIND_GROUP;
    if (o->depth > YAFF_MAX_DEPTH) return fail(o, YAFF_TOO_DEEP);
    if (group) p = put_bare(o, p, f->tag + 1); /* the wire type of a group's end */
    o->depth++;
    if (p) p = write_fields(o, p, type, m);
    o->depth--;
    if (!p || !f) return p;
    return group ? put_bare(o, p, f->tag) : put_varint(o, p, f->tag, (uint64_t)(end - p));
}

yaff_status yaff_to_wire(const yaff_type *type, const void *m, void *out, size_t capacity,
                         size_t *written, yaff_error *err)
{
    uint8_t nothing[1], *const start = capacity ? (uint8_t *)out : nothing, *end, *first;
    writer o = {start, NULL, YAFF_TOO_SMALL, YAFF_OK, 0};
    if (capacity > YAFF_WIRE_MAX_SIZE) {
        capacity = YAFF_WIRE_MAX_SIZE;
        o.full = YAFF_TOO_LARGE;
    }
    end = start + capacity;
    o.safe = start + (capacity < HEAD_MAX ? capacity : HEAD_MAX - 1);
    first = write_message(&o, end, type, (const char *)m, NULL);
    *written = first ? (size_t)(end - first) : 0;
    if (first && first != start) memmove(start, first, *written);
    if (err) {
        err->status = o.status;
        err->offset = 0;
        err->path[0] = 0;
    }
    return o.status;
}
