/* Which representation a message gets, from what is present in it: the fixed rule that makes the
 * same message always the same bytes. Private to the library. spec/format.md, Dynamic and
 * Sparse. */
#ifndef YAFF_LAYOUT_CHOOSE_H
#define YAFF_LAYOUT_CHOOSE_H

#include <yaff/lanes.h>

/* What is present, per row of type->blocks; bit b stands for number 16k+1+b. */
typedef struct yaff_presence {
    const uint16_t *set;    /* present fields */
    const uint16_t *falses; /* of them, the bools whose value is false */
    bool unknown;           /* there are unknown bytes to keep */
} yaff_presence;

typedef struct yaff_plan {
    unsigned kind;    /* YAFF_HEAD_… */
    uint32_t blocks;  /* blocks of lanes (kind 10: of set lanes) */
    uint32_t before;  /* bytes in front of p: lanes, head, directory span; a multiple of 8 */
    uint32_t body;    /* bytes from p on, without the directory; a multiple of 8 */
    uint32_t cells8;  /* Sparse: 8-byte cells that the lanes cover */
    uint32_t entries; /* Sparse: directory entries, the unknown bytes' included */
} yaff_plan;

/* Plans a message of a type that is not Fixed. O(blocks of the type). */
YAFF_API void yaff_choose(const yaff_type *type, const yaff_presence *present, yaff_plan *plan);

/* Writes everything in front of p (lanes, head; not the directory span) for the plan. */
YAFF_API void yaff_write_lanes(const yaff_type *type, const yaff_presence *present,
                               const yaff_plan *plan, uint8_t *p);

#endif
