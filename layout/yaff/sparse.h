/* Reading a Sparse message: only what is set is stored; a field's cell is found by rank.
 * spec/format.md, Sparse. */
#ifndef YAFF_SPARSE_H
#define YAFF_SPARSE_H

#include <yaff/lanes.h>
#include <yaff/value.h>

/* The three by-rank reads. `lanes0` is the message's first word, `lanes` that of the field's block
 * k (the same word when k is 0); the block is known to exist. 0 where the field is absent. */
YAFF_HELPER bool yaff_rank_get1(uint64_t lanes, unsigned bit)
{
    /* n8: a writer with another width. */
    return (yaff_lane_set(lanes) & ~(yaff_lane_n4(lanes) | yaff_lane_n8(lanes))) >> bit & 1u;
}

YAFF_HELPER uint32_t yaff_rank_get4(const void *p, uint64_t lanes0, uint64_t lanes, unsigned k,
                                    unsigned bit)
{
    unsigned n4 = yaff_lane_n4(lanes);
    unsigned rank = yaff_popcount16(n4 & ((1u << bit) - 1u));
    if (!(n4 >> bit & 1u)) return 0;
    if (k) rank += yaff_lane_top(lanes) >> 8;
    return yaff_load32((const char *)p + 8 * yaff_head_cells8(lanes0) + 4 * rank);
}

YAFF_HELPER uint64_t yaff_rank_get8(const void *p, uint64_t lanes, unsigned k, unsigned bit)
{
    unsigned n8 = yaff_lane_n8(lanes);
    unsigned rank = yaff_popcount16(n8 & ((1u << bit) - 1u));
    if (!(n8 >> bit & 1u)) return 0;
    if (k) rank += yaff_lane_top(lanes) & 0xffu;
    return yaff_load64((const char *)p + 8 * rank);
}

/* A block's n4 and n8 lanes in a Sparse message that has all fields, from those that tell widths (of
 * a shape, say): there a bool has both bits, here neither. */
YAFF_HELPER uint32_t yaff_sparse_widths(uint64_t widths)
{
    uint32_t w = (uint32_t)widths;
    return w & ~(w << 16 | w >> 16);
}

/* The by-rank reads of a field of block k, whose shape in my schema is given. In block 0, when just
 * the fields that I know are there up to this one, the rank is a constant: a predicted branch
 * instead of a count of bits between the lanes and the cell, and no more instructions. */
YAFF_HELPER uint32_t yaff_cell_get4(const void *p, uint64_t lanes0, uint64_t lanes, unsigned k,
                                    uint64_t shape, unsigned bit)
{
    uint32_t dense = yaff_sparse_widths(shape), below = (1u << bit) - 1u, up_to = below << 1 | 1u;
    if (k == 0 && YAFF_LIKELY((((uint32_t)lanes ^ dense) & up_to) == 0 && (dense >> bit & 1u))) {
        /* cells8 loaded by itself: shifting it out of the lanes takes two steps more */
        const char *cells4 = (const char *)p + 8 * (size_t)((const unsigned char *)p)[-2];
        return yaff_load32(cells4 + 4 * yaff_popcount16(dense & below));
    }
    return yaff_rank_get4(p, lanes0, lanes, k, bit);
}

YAFF_HELPER uint64_t yaff_cell_get8(const void *p, uint64_t lanes, unsigned k, uint64_t shape,
                                    unsigned bit)
{
    uint32_t dense = yaff_sparse_widths(shape) >> 16, below = (1u << bit) - 1u;
    uint32_t up_to = below << 1 | 1u;
    if (k == 0 && YAFF_LIKELY(((yaff_lane_n8(lanes) ^ dense) & up_to) == 0 && (dense >> bit & 1u)))
        return yaff_load64((const char *)p + 8 * yaff_popcount16(dense & below));
    return yaff_rank_get8(p, lanes, k, bit);
}

/* The accessors of a type pinned Sparse. */
YAFF_HELPER bool yaff_sparse_get1(const void *m, unsigned k, unsigned bit, const yaff_type *type,
                                  uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return false;
        return yaff_rank_get1(yaff_lanes(m, k), bit);
    }
    return yaff_find_get1(m, type, row);
}

YAFF_HELPER uint32_t yaff_sparse_get4(const void *m, unsigned k, uint64_t shape, unsigned bit,
                                      const yaff_type *type, uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return 0;
        return yaff_cell_get4(m, lanes0, yaff_lanes(m, k), k, shape, bit);
    }
    return yaff_find_get4(m, type, row);
}

YAFF_HELPER uint64_t yaff_sparse_get8(const void *m, unsigned k, uint64_t shape, unsigned bit,
                                      const yaff_type *type, uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return 0;
        return yaff_cell_get8(m, yaff_lanes(m, k), k, shape, bit);
    }
    return yaff_find_get8(m, type, row);
}

YAFF_HELPER const void *yaff_sparse_message(const void *m, unsigned k, uint64_t shape, unsigned bit,
                                            const yaff_type *type, uint32_t row,
                                            const void *instance)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return instance;
        return yaff_ref_message(m, yaff_cell_get4(m, lanes0, yaff_lanes(m, k), k, shape, bit),
                                instance);
    }
    return yaff_find_message(m, type, row);
}

/* See yaff_flat_has() for `group`. */
YAFF_HELPER bool yaff_sparse_has(const void *m, unsigned k, unsigned bit, unsigned group,
                                 const yaff_type *type, uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return false;
        return (yaff_lane_set(yaff_lanes(m, k)) & group) == 1u << bit;
    }
    return yaff_find_has(m, type, row);
}

/* See yaff_dynamic_case(). */
YAFF_HELPER uint32_t yaff_sparse_case(const void *m, unsigned k, unsigned group,
                                      const yaff_type *type, uint32_t oneof)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return 0;
        return yaff_lane_highest(yaff_lane_set(yaff_lanes(m, k)), group, k);
    }
    return yaff_find_case(m, type, oneof);
}

#endif
