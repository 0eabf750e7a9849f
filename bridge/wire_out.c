/* YaFF -> Protobuf wire bytes. A message is written from its highest field number down, from the
 * back of the output to the front: so a length is known when its tag is written, and one pass does
 * it. spec/wire.md, Out.
 *
 * Every put and write function is given `p`, the first byte written so far, puts its bytes in front
 * of it and returns the new first byte; NULL when it failed, with o->status told. */
#include <yaff/lanes.h>
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layout/find.h"
#include "layout/walk.h"

#include "copy.h"
#include "wire_list.h"
#include "wire_write.h"

/* Bytes of a field besides a string's own. */
enum { HEAD_MAX = YAFF_TAG_MAX_BYTES + YAFF_VARINT_MAX_BYTES };

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

/* Where fewer than HEAD_MAX bytes are left: written aside, copied if it fits. `width` is 8 or 4 for
 * a number of that many bytes, 0 for a varint. Without a tag when that is 0. */
static YAFF_NOINLINE uint8_t *put_tight(writer *o, uint8_t *p, uint32_t tag, uint64_t v,
                                        unsigned width)
{
    uint8_t bytes[HEAD_MAX], *const end = bytes + HEAD_MAX, *first = end;
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

YAFF_HELPER uint8_t *put_string(writer *o, uint8_t *p, uint32_t tag, const char *owner,
                                uint64_t span)
{
    const char *data = (const char *)yaff_span_data(owner, span);
    size_t size = yaff_span_count(span); /* below 2^31 */
    if (YAFF_UNLIKELY(size > 32 || p - o->safe <= (ptrdiff_t)size))
        return put_long_string(o, p, tag, data, size);
    yaff_copy_bytes(p - size, data, size);
    return put_head(p - size, tag, size);
}

/* ---- Fields ---- */

static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m);

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

/* One way to write a field whose cell holds `bits`; spans and references count from `owner`. */
typedef uint8_t *write_op(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                          uint64_t bits);

static uint8_t *write_varint32(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, yaff_varint_of(f->kind, bits));
}

static uint8_t *write_varint64(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, bits);
}

static uint8_t *write_zigzag64(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits)
{
    (void)owner;
    return put_varint(o, p, f->tag, yaff_varint_of(YAFF_KIND_SINT64, bits));
}

static uint8_t *write_fixed32(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                              uint64_t bits)
{
    (void)owner;
    return put_fixed32(o, p, f->tag, bits);
}

static uint8_t *write_fixed64(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                              uint64_t bits)
{
    (void)owner;
    return put_fixed64(o, p, f->tag, bits);
}

static uint8_t *write_text(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                           uint64_t bits)
{
    return put_string(o, p, f->tag, owner, bits);
}

static uint8_t *write_reference(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                                uint64_t bits)
{
    return write_child(o, p, f, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
}

static uint8_t *write_group_reference(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                                      uint64_t bits)
{
    return write_group(o, p, f, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
}

/* `bits` is the place of a Fixed message inside `owner`. */
static uint8_t *write_inline(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                             uint64_t bits)
{
    return write_child(o, p, f, owner + bits);
}

static uint8_t *write_texts(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                            uint64_t bits)
{
    const char *spans = (const char *)yaff_span_data(owner, bits);
    for (size_t i = yaff_span_count(bits); p && i-- > 0;)
        p = put_string(o, p, f->tag, spans, yaff_load64(spans + 8 * i));
    return p;
}

static uint8_t *write_messages(writer *o, uint8_t *p, const yaff_field *f, const char *owner,
                               uint64_t bits)
{
    const void *array = yaff_span_data(owner, bits);
    const bool group = f->kind == YAFF_KIND_GROUP;
    for (size_t i = yaff_span_count(bits); p && i-- > 0;) {
        const void *m = yaff_element(array, i, f->type);
        p = group ? write_group(o, p, f, m) : write_child(o, p, f, m);
    }
    return p;
}

YAFF_HELPER uint8_t *put_varints(writer *o, uint8_t *p, const uint8_t *array, size_t count,
                                 unsigned kind)
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

static write_op *const write_by_op[] = {
    [YAFF_OP_VARINT32] = write_varint32, [YAFF_OP_VARINT64] = write_varint64,
    [YAFF_OP_ZIGZAG32] = write_varint32, [YAFF_OP_ZIGZAG64] = write_zigzag64,
    [YAFF_OP_FIXED32] = write_fixed32,   [YAFF_OP_FIXED64] = write_fixed64,
    [YAFF_OP_BOOL] = write_varint64,     [YAFF_OP_CLOSED_ENUM] = write_varint32,
    [YAFF_OP_BYTES] = write_text,        [YAFF_OP_UTF8] = write_text,
    [YAFF_OP_MESSAGE] = write_reference, [YAFF_OP_GROUP] = write_group_reference,
    [YAFF_OP_INLINE] = write_inline,     [YAFF_OP_SCALARS] = write_scalars,
    [YAFF_OP_TEXTS] = write_texts,       [YAFF_OP_MESSAGES] = write_messages,
    [YAFF_OP_MAP] = write_messages,
};

/* ---- Messages ---- */

/* Of the varints that are not zigzag. */
static inline bool signed32(const yaff_field *f)
{
    return f->kind == YAFF_KIND_INT32 || f->kind == YAFF_KIND_ENUM;
}

/* Writes the listed fields of m, the last first. What most fields are is written in line. */
YAFF_HELPER uint8_t *write_list(writer *o, uint8_t *p, const yaff_type *type, const char *m,
                                const yaff_item *list, const yaff_item *end, uint64_t *seen)
{
    while (end != list) {
        const yaff_field *f = (--end)->field;
        const uint64_t bits = end->bits;
        if (f->oneof && yaff_list_lost(type, m, f, seen)) continue;
        if (f->op == YAFF_OP_BYTES || f->op == YAFF_OP_UTF8)
            p = put_string(o, p, f->tag, m, bits);
        else if (f->op == YAFF_OP_VARINT32 || f->op == YAFF_OP_VARINT64)
            p = put_varint(o, p, f->tag,
                           signed32(f) ? yaff_varint_of(YAFF_KIND_INT32, bits) : bits);
        else
            p = write_by_op[f->op](o, p, f, m, bits);
        if (!p) return NULL;
    }
    return p;
}

static YAFF_NOINLINE uint8_t *write_fixed(writer *o, uint8_t *p, const yaff_type *type,
                                          const char *m)
{
    yaff_item list[YAFF_LIST_MAX];
    for (uint32_t left = type->field_count; p && left;) {
        const yaff_item *end = yaff_list_fixed(list, type, m, &left);
        p = write_list(o, p, type, m, list, end, NULL); /* Fixed messages have no oneofs */
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

static uint8_t *write_blocks(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    yaff_item list[YAFF_LIST_MAX];
    uint64_t lanes0 = yaff_lanes(m, 0), seen = 0;
    if (yaff_head_kind(lanes0) == YAFF_HEAD_SPARSE_DIRECTORY)
        p = write_directory(o, p, type, m, lanes0, &seen);
    for (uint32_t i = type->block_count; p && i-- > 0;) {
        const yaff_item *end = yaff_list_block(list, type, &type->blocks[i], m, lanes0);
        p = write_list(o, p, type, m, list, end, &seen);
    }
    return p;
}

static uint8_t *write_message(writer *o, uint8_t *p, const yaff_type *type, const char *m)
{
    if (o->depth > YAFF_MAX_DEPTH) return fail(o, YAFF_TOO_DEEP);
    o->depth++;
    p = type->layout == YAFF_LAYOUT_FIXED ? write_fixed(o, p, type, m)
                                          : write_blocks(o, p, type, m);
    o->depth--;
    return p;
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
    first = write_message(&o, end, type, (const char *)m);
    *written = first ? (size_t)(end - first) : 0;
    if (first && first != start) memmove(start, first, *written);
    if (err) {
        err->status = o.status;
        err->offset = 0;
        err->path[0] = 0;
    }
    return o.status;
}
