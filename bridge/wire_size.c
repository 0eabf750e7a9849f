/* How many bytes yaff_to_wire() will write. spec/wire.md, Out. */
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layout/find.h"
#include "layout/walk.h"

#include "wire_list.h"
#include "wire_write.h"

/* The sum runs through the whole tree, so that reaching the limit ends the work, however often a
 * hostile message refers to the same array. */
typedef struct {
    uint64_t total;
    unsigned depth; /* messages around the one at hand */
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

static yaff_status size_message(sizer *s, const yaff_type *type, const char *m);

static yaff_status size_child(sizer *s, const yaff_field *f, const void *m)
{
    uint64_t before = s->total, size;
    yaff_status status = size_message(s, f->type, (const char *)m);
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
    default:
        break;
    }
    size = scalars_size(f, array, count);
    if (f->flags & YAFF_FIELD_PACKED) return add(s, delimited_size(f->tag, size));
    return add(s, size + (uint64_t)count * yaff_varint_size(f->tag));
}

static yaff_status size_field(sizer *s, const yaff_field *f, const char *owner, uint64_t bits)
{
    unsigned size;
    switch ((yaff_op)f->op) {
    case YAFF_OP_BYTES:
    case YAFF_OP_UTF8:
        return add(s, delimited_size(f->tag, yaff_span_count(bits)));
    case YAFF_OP_MESSAGE:
    case YAFF_OP_GROUP:
        return size_child(s, f, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
    case YAFF_OP_INLINE:
        return size_child(s, f, owner + f->place);
    case YAFF_OP_SCALARS:
    case YAFF_OP_TEXTS:
    case YAFF_OP_MESSAGES:
    case YAFF_OP_MAP:
        return size_repeated(s, f, owner, bits);
    default:
        break;
    }
    size = yaff_wire_width(f->kind);
    if (size == 0) size = yaff_varint_size(yaff_varint_of(f->kind, bits));
    return add(s, (uint64_t)yaff_varint_size(f->tag) + size);
}

static inline yaff_status size_list(sizer *s, const yaff_type *type, const char *m,
                                    const yaff_item *list, const yaff_item *end, uint64_t *seen)
{
    while (end != list) {
        yaff_status status;
        end--;
        if (end->field->oneof && yaff_list_lost(type, m, end->field, seen)) continue;
        status = size_field(s, end->field, m, end->bits);
        if (status != YAFF_OK) return status;
    }
    return YAFF_OK;
}

static yaff_status size_fixed(sizer *s, const yaff_type *type, const char *m)
{
    yaff_item list[YAFF_LIST_MAX];
    yaff_status status = YAFF_OK;
    for (uint32_t left = type->field_count; left && status == YAFF_OK;) {
        const yaff_item *end = yaff_list_fixed(list, type, m, &left);
        status = size_list(s, type, m, list, end, NULL); /* Fixed messages have no oneofs */
    }
    return status;
}

static yaff_status size_directory(sizer *s, const yaff_type *type, const char *m, uint64_t lanes0,
                                  uint64_t *seen)
{
    yaff_item list[YAFF_LIST_MAX];
    yaff_status status = add(s, yaff_unknown(m).size);
    uint32_t left;
    yaff_directory((const uint8_t *)m, lanes0, &left);
    while (left && status == YAFF_OK) {
        const yaff_item *end = yaff_list_directory(list, type, m, lanes0, &left);
        status = size_list(s, type, m, list, end, seen);
    }
    return status;
}

static yaff_status size_blocks(sizer *s, const yaff_type *type, const char *m)
{
    yaff_item list[YAFF_LIST_MAX];
    uint64_t lanes0 = yaff_lanes(m, 0), seen = 0;
    yaff_status status = YAFF_OK;
    if (yaff_head_kind(lanes0) == YAFF_HEAD_SPARSE_DIRECTORY)
        status = size_directory(s, type, m, lanes0, &seen);
    for (uint32_t i = type->block_count; i-- > 0 && status == YAFF_OK;) {
        const yaff_item *end = yaff_list_block(list, type, &type->blocks[i], m, lanes0);
        status = size_list(s, type, m, list, end, &seen);
    }
    return status;
}

static yaff_status size_message(sizer *s, const yaff_type *type, const char *m)
{
    yaff_status status;
    if (s->depth > YAFF_MAX_DEPTH) return YAFF_TOO_DEEP;
    s->depth++;
    status = type->layout == YAFF_LAYOUT_FIXED ? size_fixed(s, type, m) : size_blocks(s, type, m);
    s->depth--;
    return status;
}

yaff_status yaff_wire_size(const yaff_type *type, const void *m, size_t *size, yaff_error *err)
{
    sizer s = {0, 0};
    yaff_status status = size_message(&s, type, (const char *)m);
    *size = status == YAFF_OK ? (size_t)s.total : 0;
    if (err) {
        err->status = status;
        err->offset = 0;
        err->path[0] = 0;
    }
    return status;
}
