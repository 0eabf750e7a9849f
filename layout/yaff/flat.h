/* Reading a message of a type pinned Flat: a two-byte head, every cell at its static place.
 * Whatever is not kind 10 with all of my numbers (unknown fields were kept; another writer) goes to
 * the out-of-line reader. spec/format.md, Flat. */
#ifndef YAFF_FLAT_H
#define YAFF_FLAT_H

#include <yaff/lanes.h>
#include <yaff/value.h>

/* Kind 10 and written by a schema that reaches `limit`: one compare of a 32-bit word that ends with
 * the head (a 16-bit compare with a 16-bit constant stalls x86-64 decoders).
 *
 * Accessors pass the type's own limit, not their field's number: the test is then the same for all
 * fields of a type, and both compilers merge it. Clang did not merge the nested ranges of numbers:
 * a hundred fields took a hundred tests. */
YAFF_HELPER bool yaff_flat_reaches(const void *m, unsigned limit)
{
    uint32_t word = yaff_load32((const char *)m - 4) & ~((uint32_t)YAFF_FLAT_HEAD_SETS << 16);
    uint32_t least = (uint32_t)(YAFF_FLAT_HEAD + limit) << 16;
    return word - least <= ((uint32_t)(YAFF_FLAT_LIMIT - limit) << 16 | 0xffffu);
}

YAFF_HELPER bool yaff_flat_get1(const void *m, unsigned limit, uint32_t place,
                                const yaff_type *type, uint32_t row)
{
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit))) return ((const unsigned char *)m)[place] != 0;
    return yaff_find_get1(m, type, row);
}

YAFF_HELPER uint32_t yaff_flat_get4(const void *m, unsigned limit, uint32_t place,
                                    const yaff_type *type, uint32_t row)
{
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit))) return yaff_load32((const char *)m + place);
    return yaff_find_get4(m, type, row);
}

YAFF_HELPER uint64_t yaff_flat_get8(const void *m, unsigned limit, uint32_t place,
                                    const yaff_type *type, uint32_t row)
{
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit))) return yaff_load64((const char *)m + place);
    return yaff_find_get8(m, type, row);
}

YAFF_HELPER const void *yaff_flat_message(const void *m, unsigned limit, uint32_t place,
                                          uint32_t near, const yaff_type *type, uint32_t row,
                                          const void *instance)
{
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit)))
        return yaff_ref_near(m, yaff_load32((const char *)m + place), near, instance);
    return yaff_find_message(m, type, row);
}

/* Presence by the set lane of block k. `group` holds the field's bit and, for a oneof member, the
 * bits of the members with higher numbers in the same block: the highest one set wins. */
YAFF_HELPER bool yaff_flat_has(const void *m, unsigned limit, unsigned k, unsigned bit,
                               unsigned group, const yaff_type *type, uint32_t row)
{
    uint32_t word = yaff_load32((const char *)m - 4);
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit) && (word >> 29 & 1u)))
        return (yaff_load16((const char *)m - 4 - 2 * (size_t)k) & group) == 1u << bit;
    return yaff_find_has(m, type, row);
}

/* See yaff_dynamic_case(). */
YAFF_HELPER uint32_t yaff_flat_case(const void *m, unsigned limit, unsigned k, unsigned group,
                                    const yaff_type *type, uint32_t oneof)
{
    uint32_t word = yaff_load32((const char *)m - 4);
    if (YAFF_LIKELY(yaff_flat_reaches(m, limit) && (word >> 29 & 1u)))
        return yaff_lane_highest(yaff_load16((const char *)m - 4 - 2 * (size_t)k), group, k);
    return yaff_find_case(m, type, oneof);
}

#endif
