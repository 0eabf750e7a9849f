/* Which representation a message gets, from what is present in it: the fixed rule that makes the
 * same message always the same bytes. Private to the library. spec/format.md, Dynamic and
 * Sparse. */
#ifndef YAFF_LAYOUT_CHOOSE_H
#define YAFF_LAYOUT_CHOOSE_H

#include <yaff/lanes.h>

/* What is present of a row of type->blocks; bit b stands for number 16k+1+b. */
typedef struct yaff_present {
    uint16_t set;    /* present fields */
    uint16_t falses; /* of them, the bools whose value is false */
} yaff_present;

typedef struct yaff_presence {
    const yaff_present *blocks; /* one for each row of type->blocks */
    bool unknown;               /* there are unknown bytes to keep */
} yaff_presence;

/* Bytes of a Flat body that ends behind the first `rows` blocks of the type. */
static inline uint32_t yaff_flat_body(const yaff_type *type, uint32_t rows)
{
    return rows < type->block_count && type->blocks[rows].mask != 0 ? 8u * type->blocks[rows].start
                                                                    : type->body_size;
}

/* The word that tells a block's lanes. */
static inline uint64_t yaff_lanes_word(unsigned n4, unsigned n8, unsigned set, unsigned top)
{
    return n4 | (uint64_t)n8 << 16 | (uint64_t)set << 32 | (uint64_t)top << 48;
}

/* What type->dense must be; blocks, body_size and layout are known. */
YAFF_API uint32_t yaff_dense(const yaff_type *type);

enum { YAFF_SMALL_FIELDS = 32, YAFF_SMALL_BLOCKS = 2 };

/* Whether type->flags must have YAFF_TYPE_SMALL; all else is known. */
static inline bool yaff_is_small(const yaff_type *type)
{
    return type->dense && !(type->flags & YAFF_TYPE_REQUIRED) &&
           type->field_count <= YAFF_SMALL_FIELDS && type->block_count <= YAFF_SMALL_BLOCKS;
}

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
