/* What the writer and the sizer of Protobuf wire bytes share: varints, and how a cell's bits go
 * onto the wire. Bytes are written from the back to the front: a yaff_put function is given the
 * address behind the last byte it shall write and returns the address of the first one. Private. */
#ifndef YAFF_WIRE_WRITE_H
#define YAFF_WIRE_WRITE_H

#include <yaff/type.h>
#include <yaff/value.h>

#include "../runtime/wire_read.h"
#include "varints.h"

#define YAFF_WIRE_MAX_SIZE ((size_t)0x7fffffff) /* of a message: 2^31 - 1 bytes */

static inline unsigned yaff_varint_size(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
    return (9 * bits + 64) / 64;
#else
    unsigned n = 1;
    while (v >>= 7) n++;
    return n;
#endif
}

/* The functions below may overwrite the eight bytes in front of p. */

static inline uint8_t *yaff_put_long_varint(uint8_t *p, uint64_t v)
{
    if (YAFF_LIKELY(v >> 56 == 0)) {
        uint64_t numbers[2] = {v, 0};
        yaff_split_groups(numbers);
        return yaff_put_groups(p, numbers[0]);
    }
    uint8_t *first = p - yaff_varint_size(v), *at = first;
    for (; v >= 0x80; v >>= 7) *at++ = (uint8_t)(v | 0x80);
    *at = (uint8_t)v;
    return first;
}

YAFF_HELPER uint8_t *yaff_put_varint(uint8_t *p, uint64_t v)
{
    if (YAFF_LIKELY(v < 0x80)) {
        *--p = (uint8_t)v;
        return p;
    }
    if (v < 0x4000) {
        *--p = (uint8_t)(v >> 7);
        *--p = (uint8_t)(v | 0x80);
        return p;
    }
    return yaff_put_long_varint(p, v);
}

/* How a scalar goes onto the wire: its bytes there when that number is constant, 0 for a varint. */
static inline unsigned yaff_wire_width(unsigned kind)
{
    switch (kind) {
    case YAFF_KIND_DOUBLE:
    case YAFF_KIND_FIXED64:
    case YAFF_KIND_SFIXED64:
        return 8;
    case YAFF_KIND_FLOAT:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_SFIXED32:
        return 4;
    default:
        return 0;
    }
}

/* The varint for the bits of a cell. */
YAFF_HELPER uint64_t yaff_varint_of(unsigned kind, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    switch (kind) {
    case YAFF_KIND_INT32:
    case YAFF_KIND_ENUM:
        return (uint64_t)(int64_t)(int32_t)low; /* negative ones take ten bytes */
    case YAFF_KIND_SINT32:
        return (low << 1) ^ (0u - (low >> 31));
    case YAFF_KIND_SINT64:
        return (bits << 1) ^ (0u - (bits >> 63));
    default:
        return bits; /* bool, uint32, int64, uint64 */
    }
}

/* Element i of an array of messages. */
static inline const void *yaff_element(const void *array, size_t i, const yaff_type *type)
{
    const char *at = (const char *)array;
    if (type->layout == YAFF_LAYOUT_FIXED) return at + i * type->body_size;
    return yaff_ref_message(at, yaff_load32(at + 4 * i), type->instance);
}

#endif
