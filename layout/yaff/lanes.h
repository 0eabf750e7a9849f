/* The words in front of a message: its head, its lanes, and which kind of message it is. p is the
 * address of the first body cell; block k's lanes are the 8-byte word at p - 8(k+1), lowest address
 * first n4, n8, set, top; block 0's top lane is the head. spec/format.md, Message. */
#ifndef YAFF_LANES_H
#define YAFF_LANES_H

#include <yaff/base.h>
#include <yaff/type.h>

enum {
    YAFF_FLAT_MAX_NUMBER = 8191, /* a Flat head's limit has 13 bits */
    YAFF_SPARSE_MAX_BLOCKS = 63, /* a Sparse head's block count has 6 bits */
    YAFF_SPARSE_MAX_CELLS = 255, /* and counts at most this many cells of a width */
    YAFF_BLOCK_NUMBERS = 16
};

/* The head's top two bits. */
enum {
    YAFF_HEAD_SPARSE = 0,
    YAFF_HEAD_SPARSE_DIRECTORY = 1,
    YAFF_HEAD_FLAT = 2,
    YAFF_HEAD_FLAT_LANES = 3
};

#define YAFF_FLAT_HEAD 0x8000u       /* kind 10 */
#define YAFF_FLAT_HEAD_SETS 0x2000u  /* kind 10: set lanes stand before the head */
#define YAFF_FLAT_LANES_HEAD 0xc000u /* kind 11 */
#define YAFF_FLAT_LIMIT 0x1fffu      /* both: highest number the body was placed for */

/* The word that holds block k's lanes. For k >= 1 it may be read only where the head says so. */
YAFF_HELPER uint64_t yaff_lanes(const void *p, unsigned k)
{
    return yaff_load64((const char *)p - 8 * ((size_t)k + 1));
}

YAFF_HELPER unsigned yaff_lane_n4(uint64_t lanes)
{
    return (unsigned)lanes & 0xffffu;
}

YAFF_HELPER unsigned yaff_lane_n8(uint64_t lanes)
{
    return (unsigned)(lanes >> 16) & 0xffffu;
}

YAFF_HELPER unsigned yaff_lane_set(uint64_t lanes)
{
    return (unsigned)(lanes >> 32) & 0xffffu;
}

YAFF_HELPER unsigned yaff_lane_top(uint64_t lanes)
{
    return (unsigned)(lanes >> 48);
}

YAFF_HELPER unsigned yaff_head_kind(uint64_t lanes0)
{
    return (unsigned)(lanes0 >> 62);
}

YAFF_HELPER unsigned yaff_head_limit(uint64_t lanes0)
{
    return yaff_lane_top(lanes0) & YAFF_FLAT_LIMIT;
}

/* Of a Sparse head: how many blocks of lanes there are, and how many 8-byte cells. */
YAFF_HELPER unsigned yaff_head_blocks(uint64_t lanes0)
{
    return (unsigned)(lanes0 >> 56) & 0x3fu;
}

YAFF_HELPER unsigned yaff_head_cells8(uint64_t lanes0)
{
    return (unsigned)(lanes0 >> 48) & 0xffu;
}

/* The field number of the highest bit in block k's set lane, of which `group` remains; 0 = none. */
YAFF_HELPER uint32_t yaff_lane_highest(unsigned set, unsigned group, unsigned k)
{
    unsigned bits = set & group;
    return bits ? YAFF_BLOCK_NUMBERS * k + 32 - (unsigned)__builtin_clz(bits) : 0;
}

/* Kind 11 and block k exists: one unsigned compare. */
YAFF_HELPER bool yaff_head_flat_has_block(uint64_t lanes0, unsigned k)
{
    if (k >= (YAFF_FLAT_MAX_NUMBER + 15) / 16) return false;
    return lanes0 >= ((uint64_t)(YAFF_FLAT_LANES_HEAD + 16 * k + 1) << 48);
}

/* Whether a Sparse message is read inline: in its first block any, in a further one only kind 00, which
 * has no field but in its lanes. The default instance, whose lanes are all zero, is one of them. */
YAFF_HELPER bool yaff_head_is_sparse(uint64_t lanes0, unsigned k)
{
    return lanes0 >> (k ? 62 : 63) == 0;
}

/* Of such a message: whether it ends before block k. */
YAFF_HELPER bool yaff_sparse_lacks_block(uint64_t lanes0, unsigned k)
{
    return k && lanes0 >> 56 <= k; /* kind 00, so this is the number of blocks */
}

YAFF_BEGIN_DECLS

/* p of the default instance of every message that is not Fixed: a Sparse head with no block, so
 * that every field reads as absent. */
YAFF_API extern const uint64_t yaff_empty_message[2];
#define YAFF_EMPTY_MESSAGE ((const void *)(yaff_empty_message + 1))

/* The out-of-line reader: any kind of message, any writer's schema. The cell of type->fields[row]
 * in the non-Fixed message p, or NULL when the field is absent or p's writer does not store it with
 * this width. The cell has the field's width; for a bool it is one byte. A oneof member that lost
 * to a later one is absent. Allocates nothing; thread-safe. spec/format.md, Finding a cell. */
YAFF_API YAFF_ATTR_PURE const void *yaff_find(const void *p, const yaff_type *type, uint32_t row);

/* yaff_find() and load; 0 where absent. What accessors call when their inline path does not
 * apply. */
YAFF_API YAFF_ATTR_PURE bool yaff_find_get1(const void *p, const yaff_type *type, uint32_t row);
YAFF_API YAFF_ATTR_PURE uint32_t yaff_find_get4(const void *p, const yaff_type *type, uint32_t row);
YAFF_API YAFF_ATTR_PURE uint64_t yaff_find_get8(const void *p, const yaff_type *type, uint32_t row);

/* The message that type->fields[row] refers to; its default instance where it is absent. */
YAFF_API YAFF_ATTR_PURE const void *yaff_find_message(const void *p, const yaff_type *type,
                                                      uint32_t row);

/* Whether the field is present, as `has_` means it. */
YAFF_API YAFF_ATTR_PURE bool yaff_find_has(const void *p, const yaff_type *type, uint32_t row);

/* The field number of the member of type->oneofs[oneof] that is set, or 0. O(members). */
YAFF_API YAFF_ATTR_PURE uint32_t yaff_find_case(const void *p, const yaff_type *type,
                                                uint32_t oneof);

/* The unknown fields that p keeps: their wire bytes in wire order, {"", 0} when there are none. */
YAFF_API YAFF_ATTR_PURE yaff_str yaff_unknown(const void *p);

YAFF_END_DECLS

#endif
