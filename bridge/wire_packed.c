/* Packed runs into arrays. See wire_packed.h. */
#include "wire_packed.h"

#include "../layout/walk.h"
#include "varints.h"
#include "wire_plain.h"

bool yaff_packed_count(const uint8_t *p, const uint8_t *end, uint32_t *count)
{
    uint32_t n = 0;
    if (p < end && end[-1] >= 0x80) return false;
    for (; end - p >= 8; p += 8) {
        const uint64_t more = (yaff_load64(p) & YAFF_HIGH_BITS) >> 7;
        n += 8 - (uint32_t)(more * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; p < end; p++) n += *p < 0x80;
    *count = n;
    return true;
}

/* Bytes of a run that are taken at once, and that must be readable then. */
enum { BLOCK = 64, BLOCK_READ = BLOCK + 7 };

/* In the functions below `kind` is constant where they are called. They return the end of what was
 * written, or NULL. */

YAFF_HELPER uint8_t *put_element(uint8_t *to, uint64_t varint, unsigned kind)
{
    const unsigned width = yaff_kind_width(kind);
    const uint64_t bits = yaff_kind_bits(kind, varint);
    if (width == 1)
        *to = (uint8_t)bits;
    else if (width == 4)
        yaff_store32(to, (uint32_t)bits);
    else
        yaff_store64(to, bits);
    return to + width;
}

/* Varints of a byte each. */
YAFF_HELPER uint8_t *read_bytes(uint8_t *to, const uint8_t *p, const uint8_t *end, unsigned kind)
{
    if (kind == YAFF_KIND_BOOL) { /* 1 for all that are not 0 */
        for (; end - p >= 8; p += 8, to += 8)
            yaff_store64(to, (yaff_load64(p) + ~YAFF_HIGH_BITS) >> 7 & YAFF_HIGH_BITS >> 7);
    }
    while (p < end) to = put_element(to, *p++, kind);
    return to;
}

/* One after the other, as it does where few are left. */
YAFF_HELPER uint8_t *read_singly(uint8_t *to, const uint8_t *p, const uint8_t *end, unsigned kind)
{
    while (p < end) {
        uint64_t value;
        p = yaff_plain_varint(p, &value);
        if (YAFF_UNLIKELY(p == NULL)) return NULL;
        to = put_element(to, value, kind);
    }
    return to;
}

YAFF_HELPER uint8_t *read_run(uint8_t *to, const uint8_t *p, const uint8_t *end, size_t count,
                              unsigned kind)
{
    /* the groups of a varint's first n + 1 bytes */
    static const uint64_t groups[8] = {
        0x7f,         0x7f7f,         0x7f7f7f,         0x7f7f7f7f,
        0x7f7f7f7f7f, 0x7f7f7f7f7f7f, 0x7f7f7f7f7f7f7f, 0x7f7f7f7f7f7f7f7f,
    };
    if ((size_t)(end - p) == count) return read_bytes(to, p, end, kind);
    while (end - p >= BLOCK_READ) { /* two varints at once, as long as two end in the block */
        const uint8_t *const block = p;
        uint64_t ends = yaff_varint_ends(p);
        while (ends & (ends - 1)) {
            const uint8_t *const last = block + (unsigned)__builtin_ctzll(ends);
            ends &= ends - 1;
            const uint8_t *const last2 = block + (unsigned)__builtin_ctzll(ends);
            ends &= ends - 1;
            const size_t more = (size_t)(last - p), more2 = (size_t)(last2 - last) - 1;
            if (YAFF_LIKELY((more | more2) < 8)) {
                uint64_t v[2] = {yaff_load64(p) & groups[more],
                                 yaff_load64(last + 1) & groups[more2]};
                yaff_join_groups(v);
                to = put_element(to, v[0], kind);
                to = put_element(to, v[1], kind);
            } else {
                to = read_singly(to, p, last2 + 1, kind);
                if (YAFF_UNLIKELY(to == NULL)) return NULL;
            }
            p = last2 + 1;
        }
        if (YAFF_UNLIKELY(p == block)) return NULL;
    }
    return read_singly(to, p, end, kind);
}

bool yaff_packed_read(uint8_t *to, const uint8_t *p, const uint8_t *end, size_t count,
                      unsigned kind)
{
    switch (kind) {
    case YAFF_KIND_INT32:
    case YAFF_KIND_UINT32:
    case YAFF_KIND_ENUM:
        return read_run(to, p, end, count, YAFF_KIND_UINT32) != NULL;
    case YAFF_KIND_INT64:
    case YAFF_KIND_UINT64:
        return read_run(to, p, end, count, YAFF_KIND_UINT64) != NULL;
    case YAFF_KIND_SINT32:
        return read_run(to, p, end, count, YAFF_KIND_SINT32) != NULL;
    case YAFF_KIND_SINT64:
        return read_run(to, p, end, count, YAFF_KIND_SINT64) != NULL;
    case YAFF_KIND_BOOL:
        return read_run(to, p, end, count, YAFF_KIND_BOOL) != NULL;
    default: /* fixed: the same bytes */
        memcpy(to, p, (size_t)(end - p));
        return true;
    }
}
