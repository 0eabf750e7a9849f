/* Where a field's cell lies in a message of each kind: the rules that yaff_find(), the iterator
 * (walk.h) and the verifier share. All of them are told a field of a reader's type and look at what
 * the writer stored. spec/format.md, Finding a cell. */
#ifndef YAFF_FIND_H
#define YAFF_FIND_H

#include <yaff/lanes.h>

#include "placement.h"

/* An entry of a Sparse message's directory, 16 bytes: number, class, cell. */
enum { YAFF_DIRECTORY_ENTRY = 16, YAFF_DIRECTORY_CLASS = 4, YAFF_DIRECTORY_CELL = 8 };

static inline unsigned yaff_number_bit(uint32_t number)
{
    return (number - 1) % YAFF_BLOCK_NUMBERS;
}

/* The lane bits of a block's numbers up to and including `bit`. */
static inline unsigned yaff_bits_through(unsigned bit)
{
    return (2u << bit) - 1u;
}

/* The position of the lowest set bit of a lane, which has one. */
static inline unsigned yaff_lowest_bit(unsigned lane)
{
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctz(lane);
#else
    return yaff_popcount16((lane & (0u - lane)) - 1u);
#endif
}

/* Kind 11: the place of f's cell, set or not, from the lanes of its block as stored; YAFF_NO_PLACE
 * when the writer does not store this number with f's width. `block` is the reader's row: where its
 * numbers up to f's are the stored ones, f stands at its static place. */
static inline uint32_t yaff_flat_lanes_place(uint64_t lanes, const yaff_block *block,
                                             const yaff_field *f)
{
    unsigned n4 = yaff_lane_n4(lanes), n8 = yaff_lane_n8(lanes), bit = yaff_number_bit(f->number);
    uint32_t start = block->k ? yaff_lane_top(lanes) : 0;
    if (yaff_lane_width(n4, n8, bit) != f->width) return YAFF_NO_PLACE;
    if (start == block->start &&
        (((n4 ^ block->n4) | (n8 ^ block->n8)) & yaff_bits_through(bit)) == 0)
        return f->place;
    return 8 * start + yaff_block_offset(n4, n8, bit);
}

/* Kind 10: whether set lanes stand before the head, and the lane of block k. */
static inline bool yaff_flat_has_sets(uint64_t lanes0)
{
    return (yaff_lane_top(lanes0) & YAFF_FLAT_HEAD_SETS) != 0;
}

static inline unsigned yaff_flat_set_lane(const uint8_t *p, uint32_t k)
{
    return yaff_load16(p - 4 - 2 * (size_t)k);
}

/* Kind 10: the highest number up to which the reader's places hold. A type pinned Flat trusts the
 * writer to be its own kin; any other must know every lower number, as a field or a removed one. */
static inline uint32_t yaff_flat_reach(const yaff_type *type, uint32_t limit)
{
    uint32_t i, known;
    if (type->layout == YAFF_LAYOUT_FLAT) return limit;
    for (i = 0, known = 0; i < type->block_count && known == 16 * i && known < limit; i++) {
        const yaff_block *block = &type->blocks[i];
        unsigned gaps = ~((unsigned)block->n4 | block->n8) & 0xffffu;
        if (block->k == i) known += gaps ? yaff_lowest_bit(gaps) : 16;
    }
    return known < limit ? known : limit;
}

static inline bool yaff_cell_is_zero(const uint8_t *cell, unsigned width)
{
    if (width == 1) return *cell == 0;
    if (width == 4) return yaff_load32(cell) == 0;
    return yaff_load64(cell) == 0;
}

/* Sparse: the cell of f from the lanes of its block, NULL when absent or stored with another
 * width. A bool has no byte of its own: the result is then one of two constants. */
const uint8_t *yaff_sparse_cell(const uint8_t *p, uint64_t lanes0, uint64_t lanes,
                                const yaff_field *f);

/* Kind 01: the directory's entries, ascending by number, and how many. */
YAFF_API const uint8_t *yaff_directory(const uint8_t *p, uint64_t lanes0, uint32_t *count);

/* Whether f, a present member of a oneof, lost to a member with a higher number. */
YAFF_API bool yaff_oneof_lost(const uint8_t *p, const yaff_type *type, const yaff_field *f);

#endif
