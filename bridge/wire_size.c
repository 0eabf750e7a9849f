/* How many bytes yaff_to_wire() will write: a forward sum. spec/wire.md, Out. */
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layout/walk.h"
#include "wire_write.h"

/* The sum so far runs through the whole tree, so that reaching the limit ends the work, however often
 * a hostile message refers to the same array. */
typedef struct {
    uint64_t total;
    unsigned depth; /* of the message at hand; the root's is 0 */
} sizer;

static yaff_status add(sizer *s, uint64_t size)
{
    s->total += size;
    return s->total <= YAFF_WIRE_MAX_SIZE ? YAFF_OK : YAFF_TOO_LARGE;
}

/* A tag and a length, and what they announce. */
static uint64_t delimited_size(uint32_t tag, uint64_t size)
{
    return yaff_varint_size(tag) + yaff_varint_size(size) + size;
}

static yaff_status size_message(sizer *s, const yaff_type *type, const void *m);

static yaff_status size_child(sizer *s, const yaff_field *f, const void *m)
{
    uint64_t before = s->total, size;
    yaff_status status;
    if (s->depth == YAFF_MAX_DEPTH) return YAFF_TOO_DEEP;
    s->depth++;
    status = size_message(s, f->type, m);
    s->depth--;
    if (status != YAFF_OK) return status;
    if (f->kind == YAFF_KIND_GROUP) return add(s, 2 * (uint64_t)yaff_varint_size(f->tag));
    size = s->total - before;
    return add(s, delimited_size(f->tag, size) - size);
}

/* Bytes of an array's scalars, without tags. */
static uint64_t scalars_size(const yaff_field *f, const uint8_t *array, size_t count)
{
    unsigned width = yaff_kind_width(f->kind);
    uint64_t size = 0;
    if (yaff_wire_width(f->kind) || f->kind == YAFF_KIND_BOOL) return (uint64_t)count * width;
    for (size_t i = 0; i < count; i++)
        size += yaff_varint_size(yaff_varint_of(f->kind, yaff_bits_at(array + i * width, width)));
    return size;
}

static yaff_status size_repeated(sizer *s, const yaff_field *f, const void *owner, uint64_t span)
{
    size_t count = yaff_span_count(span);
    const uint8_t *array = (const uint8_t *)yaff_span_data(owner, span);
    yaff_status status = YAFF_OK;
    uint64_t size = 0;
    if (count == 0) return YAFF_OK;
    switch (f->kind) {
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
        for (size_t i = 0; i < count; i++)
            size += delimited_size(f->tag, yaff_span_count(yaff_load64(array + 8 * i)));
        return add(s, size);
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        for (size_t i = 0; i < count && status == YAFF_OK; i++)
            status = size_child(s, f, yaff_element(array, i, f->type));
        return status;
    default: break;
    }
    size = scalars_size(f, array, count);
    if (f->flags & YAFF_FIELD_PACKED) return add(s, delimited_size(f->tag, size));
    return add(s, size + (uint64_t)count * yaff_varint_size(f->tag));
}

static yaff_status size_field(sizer *s, const yaff_field *f, const void *owner, const uint8_t *cell)
{
    uint64_t bits = yaff_bits_at(cell, f->width);
    unsigned size;
    if (f->flags & YAFF_FIELD_REPEATED) return size_repeated(s, f, owner, bits);
    switch (f->kind) {
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES: return add(s, delimited_size(f->tag, yaff_span_count(bits)));
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        if (f->width == 0) return size_child(s, f, cell);
        return size_child(s, f, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
    default: break;
    }
    size = yaff_wire_width(f->kind);
    if (size == 0) size = yaff_varint_size(yaff_varint_of(f->kind, bits));
    return add(s, (uint64_t)yaff_varint_size(f->tag) + size);
}

static yaff_status size_message(sizer *s, const yaff_type *type, const void *m)
{
    yaff_status status = YAFF_OK;
    yaff_walk w;
    yaff_walk_begin(&w, type, m);
    while (status == YAFF_OK && yaff_walk_next(&w))
        if (w.field->width != 0 || !yaff_inline_is_empty(type, w.field, w.cell))
            status = size_field(s, w.field, m, w.cell);
    if (status != YAFF_OK || type->layout == YAFF_LAYOUT_FIXED) return status;
    return add(s, yaff_unknown(m).size);
}

yaff_status yaff_wire_size(const yaff_type *type, const void *m, size_t *size, yaff_error *err)
{
    sizer s = {0, 0};
    yaff_status status = size_message(&s, type, m);
    *size = status == YAFF_OK ? (size_t)s.total : 0;
    if (err) {
        err->status = status;
        err->offset = 0;
        err->path[0] = 0;
    }
    return status;
}
