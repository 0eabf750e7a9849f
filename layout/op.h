/* The op of a field's row, from its kind, flags and width. Private to the library and the
 * generator. */
#ifndef YAFF_LAYOUT_OP_H
#define YAFF_LAYOUT_OP_H

#include <yaff/type.h>

static inline yaff_op yaff_op_of(unsigned kind, unsigned flags, unsigned width)
{
    static const uint8_t singular[] = {
        [YAFF_KIND_DOUBLE] = YAFF_OP_FIXED64,   [YAFF_KIND_FLOAT] = YAFF_OP_FIXED32,
        [YAFF_KIND_INT64] = YAFF_OP_VARINT64,   [YAFF_KIND_UINT64] = YAFF_OP_VARINT64,
        [YAFF_KIND_INT32] = YAFF_OP_VARINT32,   [YAFF_KIND_FIXED64] = YAFF_OP_FIXED64,
        [YAFF_KIND_FIXED32] = YAFF_OP_FIXED32,  [YAFF_KIND_BOOL] = YAFF_OP_BOOL,
        [YAFF_KIND_STRING] = YAFF_OP_BYTES,     [YAFF_KIND_GROUP] = YAFF_OP_GROUP,
        [YAFF_KIND_MESSAGE] = YAFF_OP_MESSAGE,  [YAFF_KIND_BYTES] = YAFF_OP_BYTES,
        [YAFF_KIND_UINT32] = YAFF_OP_VARINT32,  [YAFF_KIND_ENUM] = YAFF_OP_VARINT32,
        [YAFF_KIND_SFIXED32] = YAFF_OP_FIXED32, [YAFF_KIND_SFIXED64] = YAFF_OP_FIXED64,
        [YAFF_KIND_SINT32] = YAFF_OP_ZIGZAG32,  [YAFF_KIND_SINT64] = YAFF_OP_ZIGZAG64,
    };
    unsigned op = singular[kind];
    if (flags & YAFF_FIELD_REPEATED) {
        if (flags & YAFF_FIELD_MAP) return YAFF_OP_MAP;
        if (op == YAFF_OP_MESSAGE || op == YAFF_OP_GROUP) return YAFF_OP_MESSAGES;
        return op == YAFF_OP_BYTES ? YAFF_OP_TEXTS : YAFF_OP_SCALARS;
    }
    if (width == 0) return YAFF_OP_INLINE;
    if (flags & YAFF_FIELD_UTF8) return YAFF_OP_UTF8;
    if (flags & YAFF_FIELD_CLOSED) return YAFF_OP_CLOSED_ENUM;
    return (yaff_op)op;
}

/* Whether it is of a singular string or bytes field. */
static inline bool yaff_op_text(unsigned op)
{
    return op == YAFF_OP_BYTES || op == YAFF_OP_UTF8;
}

/* Whether a cell can hold something that is wrong: it is a bool, a span, a reference or a struct
 * that may hold them, not a number. */
static inline bool yaff_op_checked(unsigned op)
{
    return op == YAFF_OP_BOOL || op > YAFF_OP_CLOSED_ENUM;
}

#endif
