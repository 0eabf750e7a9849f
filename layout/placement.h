/* Where a field's cell lies in a Flat body. Placement goes block by block: inside a block of
 * sixteen numbers each field, in number order, takes the lowest free position that fits its width
 * and alignment. The widths are told as lanes (n4 only = 4 bytes, n8 only = 8, both = 1, none = no
 * field), which is what a stored message carries, so the generator and a reader of foreign data
 * share this code. spec/format.md, Placement. */
#ifndef YAFF_PLACEMENT_H
#define YAFF_PLACEMENT_H

#include <yaff/base.h>

/* Bytes from the block's start to the cell of the block's number `bit`, which must have a width. */
YAFF_API uint32_t yaff_block_offset(unsigned n4, unsigned n8, unsigned bit);

/* Bytes the whole block takes: a multiple of 8. */
YAFF_API uint32_t yaff_block_size(unsigned n4, unsigned n8);

/* The width that lane bits tell for number `bit`: 0, 1, 4 or 8. */
static inline unsigned yaff_lane_width(unsigned n4, unsigned n8, unsigned bit)
{
    static const unsigned char width[4] = {0, 4, 8, 1};
    return width[(n4 >> bit & 1u) | (n8 >> bit & 1u) << 1];
}

#endif
