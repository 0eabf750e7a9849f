/* Reading a Dynamic message, which its writer stored Flat-with-lanes or Sparse, whichever paid.
 *
 * The first test is the same for all fields of a block, so the compiler merges it: reading nine
 * fields of one message is one compare and nine loads.
 *     (lanes & mask) == shape    stored Flat by a schema that agrees up to my highest number in this
 *                                block: the cell is at its static place
 *     kind 00                    Sparse: by rank, inline; in the first block of kind 01 too
 *     otherwise                  out of line (another schema; pinned Flat; a directory)
 * spec/format.md, Dynamic. */
#ifndef YAFF_DYNAMIC_H
#define YAFF_DYNAMIC_H

#include <yaff/lanes.h>
#include <yaff/sparse.h>

/* Whether block k of m is stored Flat with static places. `lanes0` is m's first word. */
YAFF_HELPER bool yaff_dynamic_static(const void *m, uint64_t lanes0, unsigned k, uint64_t mask,
                                     uint64_t shape)
{
    if (k == 0) return (lanes0 & mask) == shape;
    /* Zero, which is no shape, is read where there is no block k: so one branch tests the block and
     * compilers merge it; two in a row they did not merge. */
    const char *at = (const char *)m - 8 - 8 * (size_t)k;
    if (!yaff_head_flat_has_block(lanes0, k)) at = (const char *)yaff_empty_message;
    return (yaff_load64(at) & mask) == shape;
}

YAFF_HELPER bool yaff_dynamic_get1(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                   unsigned bit, uint32_t place, const yaff_type *type,
                                   uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_dynamic_static(m, lanes0, k, mask, shape)))
        return ((const unsigned char *)m)[place] != 0;
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return false;
        return yaff_rank_get1(yaff_lanes(m, k), bit);
    }
    return yaff_find_get1(m, type, row);
}

YAFF_HELPER uint32_t yaff_dynamic_get4(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                       unsigned bit, uint32_t place, const yaff_type *type,
                                       uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_dynamic_static(m, lanes0, k, mask, shape)))
        return yaff_load32((const char *)m + place);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return 0;
        return yaff_cell_get4(m, lanes0, yaff_lanes(m, k), k, shape, bit);
    }
    return yaff_find_get4(m, type, row);
}

YAFF_HELPER uint64_t yaff_dynamic_get8(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                       unsigned bit, uint32_t place, const yaff_type *type,
                                       uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_dynamic_static(m, lanes0, k, mask, shape)))
        return yaff_load64((const char *)m + place);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return 0;
        return yaff_cell_get8(m, yaff_lanes(m, k), k, shape, bit);
    }
    return yaff_find_get8(m, type, row);
}

YAFF_HELPER const void *yaff_dynamic_message(const void *m, unsigned k, uint64_t mask,
                                             uint64_t shape, unsigned bit, uint32_t place,
                                             uint32_t near, const yaff_type *type, uint32_t row,
                                             const void *instance)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (YAFF_LIKELY(yaff_dynamic_static(m, lanes0, k, mask, shape)))
        return yaff_ref_near(m, yaff_load32((const char *)m + place), near, instance);
    if (YAFF_LIKELY(yaff_head_is_sparse(lanes0, k))) {
        if (yaff_sparse_lacks_block(lanes0, k)) return instance;
        return yaff_ref_message(m, yaff_cell_get4(m, lanes0, yaff_lanes(m, k), k, shape, bit),
                                instance);
    }
    return yaff_find_message(m, type, row);
}

/* The set lane of block k, which stands in the same place in Flat-with-lanes and Sparse; false where
 * presence is left to the out-of-line reader. */
YAFF_HELPER bool yaff_dynamic_set(const void *m, unsigned k, unsigned *set)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    bool flat = k ? yaff_head_flat_has_block(lanes0, k) : yaff_head_kind(lanes0) != YAFF_HEAD_FLAT;
    if (YAFF_LIKELY(flat)) {
        *set = yaff_lane_set(k ? yaff_lanes(m, k) : lanes0);
        return true;
    }
    if (k == 0 || !yaff_head_is_sparse(lanes0, k)) return false;
    *set = yaff_sparse_lacks_block(lanes0, k) ? 0 : yaff_lane_set(yaff_lanes(m, k));
    return true;
}

/* Presence. See yaff_flat_has() for `group`. */
YAFF_HELPER bool yaff_dynamic_has(const void *m, unsigned k, unsigned bit, unsigned group,
                                  const yaff_type *type, uint32_t row)
{
    unsigned set;
    if (yaff_dynamic_set(m, k, &set)) return (set & group) == 1u << bit;
    return yaff_find_has(m, type, row);
}

/* The number of the member of type->oneofs[oneof] that is set, or 0; all members are in block k,
 * their bits are `group`. Of several the highest wins, as in yaff_flat_has(). */
YAFF_HELPER uint32_t yaff_dynamic_case(const void *m, unsigned k, unsigned group,
                                       const yaff_type *type, uint32_t oneof)
{
    unsigned set;
    if (yaff_dynamic_set(m, k, &set)) return yaff_lane_highest(set, group, k);
    return yaff_find_case(m, type, oneof);
}

/* Whether block k of m, Flat-with-lanes, has the places of my schema. See yaff_dynamic_static(). */
YAFF_HELPER bool yaff_dynamic_agrees(const void *m, unsigned k, uint64_t mask, uint64_t shape)
{
    return yaff_dynamic_static(m, yaff_lanes(m, 0), k, mask, shape);
}

#endif
