/* Placement of a block's cells: first fit for widths 1, 4 and 8. See placement.h. */
#include "placement.h"

/* Because the widths divide one another, at most one free 4-byte hole and one partly used 4-byte
 * chunk exist at any time, the chunk always below the hole. */
typedef struct {
    uint32_t end;   /* multiple of 8 */
    uint32_t hole4; /* a free 4-byte hole, 0 = none (offset 0 is never a hole) */
    uint32_t hole1; /* next free byte of a partly used chunk; a multiple of 4 = none */
} free_space;

static uint32_t take(free_space *s, unsigned width)
{
    uint32_t at;
    if (width == 1 && s->hole1 % 4 != 0) return s->hole1++;
    if (width < 8 && s->hole4 != 0) {
        at = s->hole4;
        s->hole4 = 0;
    } else {
        at = s->end;
        s->end += 8;
        if (width < 8) s->hole4 = at + 4;
    }
    if (width == 1) s->hole1 = at + 1;
    return at;
}

uint32_t yaff_block_offset(unsigned n4, unsigned n8, unsigned bit)
{
    free_space s = {0, 0, 0};
    for (unsigned b = 0; b < bit; b++) {
        unsigned width = yaff_lane_width(n4, n8, b);
        if (width) take(&s, width);
    }
    return take(&s, yaff_lane_width(n4, n8, bit));
}

/* What first fit comes to: groups of four bytes, a partly used one only for the last 1-byte
 * cells. */
uint32_t yaff_block_size(unsigned n4, unsigned n8)
{
    unsigned ones = yaff_popcount16(n4 & n8), fours = yaff_popcount16(n4 & ~n8);
    unsigned eights = yaff_popcount16(n8 & ~n4), groups = fours + (ones + 3) / 4;
    return 8 * (eights + (groups + 1) / 2);
}
