/* Reading a Dynamic message, which its writer stored Flat-with-lanes or Sparse, whichever paid.
 *
 * The first test is the same for all fields of a block, so the compiler merges it: reading nine
 * fields of one message is one compare and nine loads.
 *     (lanes & mask) == shape    stored Flat by a schema that agrees up to my highest number in this
 *                                block: the cell is at its static place
 *     kind 00/01                 Sparse: by rank, inline
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

/* The same as a condition that most often holds. Of a block that is not the first gcc is told that it
 * nearly always does: what follows then becomes a function of its own, and is not counted when
 * accessors are inlined. A function that reads a hundred fields has room for no more than that. */
YAFF_HELPER bool yaff_dynamic_usual(const void *m, uint64_t lanes0, unsigned k, uint64_t mask,
                                    uint64_t shape)
{
    bool usual = yaff_dynamic_static(m, lanes0, k, mask, shape);
    return k ? YAFF_CERTAIN(usual) : YAFF_LIKELY(usual);
}

YAFF_HELPER bool yaff_dynamic_get1(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                   unsigned bit, uint32_t place, const yaff_type *type,
                                   uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (yaff_dynamic_usual(m, lanes0, k, mask, shape))
        return ((const unsigned char *)m)[place] != 0;
    if (YAFF_LIKELY(yaff_head_sparse_has_block(lanes0, k)))
        return yaff_rank_get1(k ? yaff_lanes(m, k) : lanes0, bit);
    if (yaff_head_sparse_lacks_block(lanes0, k)) return false;
    return yaff_find_get1(m, type, row);
}

YAFF_HELPER uint32_t yaff_dynamic_get4(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                       unsigned bit, uint32_t place, const yaff_type *type,
                                       uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (yaff_dynamic_usual(m, lanes0, k, mask, shape)) return yaff_load32((const char *)m + place);
    if (YAFF_LIKELY(yaff_head_sparse_has_block(lanes0, k)))
        return yaff_cell_get4(m, lanes0, k ? yaff_lanes(m, k) : lanes0, k, shape, bit);
    if (yaff_head_sparse_lacks_block(lanes0, k)) return 0;
    return yaff_find_get4(m, type, row);
}

YAFF_HELPER uint64_t yaff_dynamic_get8(const void *m, unsigned k, uint64_t mask, uint64_t shape,
                                       unsigned bit, uint32_t place, const yaff_type *type,
                                       uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (yaff_dynamic_usual(m, lanes0, k, mask, shape)) return yaff_load64((const char *)m + place);
    if (YAFF_LIKELY(yaff_head_sparse_has_block(lanes0, k)))
        return yaff_cell_get8(m, k ? yaff_lanes(m, k) : lanes0, k, shape, bit);
    if (yaff_head_sparse_lacks_block(lanes0, k)) return 0;
    return yaff_find_get8(m, type, row);
}

YAFF_HELPER const void *yaff_dynamic_message(const void *m, unsigned k, uint64_t mask,
                                             uint64_t shape, unsigned bit, uint32_t place,
                                             uint32_t near, const yaff_type *type, uint32_t row,
                                             const void *instance)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (yaff_dynamic_usual(m, lanes0, k, mask, shape))
        return yaff_ref_near(m, yaff_load32((const char *)m + place), near, instance);
    if (YAFF_LIKELY(yaff_head_sparse_has_block(lanes0, k)))
        return yaff_ref_message(
            m, yaff_cell_get4(m, lanes0, k ? yaff_lanes(m, k) : lanes0, k, shape, bit), instance);
    if (yaff_head_sparse_lacks_block(lanes0, k)) return instance;
    return yaff_find_message(m, type, row);
}

/* Presence: the set lane stands in the same place in Flat-with-lanes and Sparse. See
 * yaff_flat_has() for `group`. */
YAFF_HELPER bool yaff_dynamic_has(const void *m, unsigned k, unsigned bit, unsigned group,
                                  const yaff_type *type, uint32_t row)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (k == 0 ? YAFF_LIKELY(yaff_head_kind(lanes0) != YAFF_HEAD_FLAT)
               : yaff_head_flat_has_block(lanes0, k) || yaff_head_sparse_has_block(lanes0, k))
        return (yaff_lane_set(k ? yaff_lanes(m, k) : lanes0) & group) == 1u << bit;
    if (yaff_head_sparse_lacks_block(lanes0, k)) return false;
    return yaff_find_has(m, type, row);
}

/* The number of the member of type->oneofs[oneof] that is set, or 0; all members are in block k,
 * their bits are `group`. Of several the highest wins, as in yaff_flat_has(). */
YAFF_HELPER uint32_t yaff_dynamic_case(const void *m, unsigned k, unsigned group,
                                       const yaff_type *type, uint32_t oneof)
{
    uint64_t lanes0 = yaff_lanes(m, 0);
    if (k == 0 ? YAFF_LIKELY(yaff_head_kind(lanes0) != YAFF_HEAD_FLAT)
               : yaff_head_flat_has_block(lanes0, k) || yaff_head_sparse_has_block(lanes0, k))
        return yaff_lane_highest(yaff_lane_set(k ? yaff_lanes(m, k) : lanes0), group, k);
    if (yaff_head_sparse_lacks_block(lanes0, k)) return 0;
    return yaff_find_case(m, type, oneof);
}

/* Whether block k of m, Flat-with-lanes, has the places of my schema. See yaff_dynamic_static(). */
YAFF_HELPER bool yaff_dynamic_agrees(const void *m, unsigned k, uint64_t mask, uint64_t shape)
{
    return yaff_dynamic_static(m, yaff_lanes(m, 0), k, mask, shape);
}

#endif
