/* Varints without a branch that depends on how long they are: a processor cannot guess the lengths
 * of numbers, and a wrong guess costs more than all the rest. Private to the library. */
#ifndef YAFF_BRIDGE_VARINTS_H
#define YAFF_BRIDGE_VARINTS_H

#include <yaff/base.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define YAFF_HIGH_BITS UINT64_C(0x8080808080808080)

/* Two numbers at once, which most machines have instructions for. */
typedef uint64_t yaff_two __attribute__((vector_size(16)));

/* Of two times eight bytes: their low seven bits, one behind the other. The high bits are 0. */
YAFF_HELPER void yaff_join_groups(uint64_t numbers[2])
{
    yaff_two v = {numbers[0], numbers[1]};
    v -= (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    v = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    numbers[0] = v[0];
    numbers[1] = v[1];
}

/* The way back: two numbers below 2^56, each in groups of seven bits. */
YAFF_HELPER void yaff_split_groups(uint64_t numbers[2])
{
    yaff_two v = {numbers[0], numbers[1]};
    v = (v & UINT64_C(0x000000000fffffff)) | (v << 4 & UINT64_C(0x0fffffff00000000));
    v = (v & UINT64_C(0x00003fff00003fff)) | (v << 2 & UINT64_C(0x3fff00003fff0000));
    v += v & UINT64_C(0x3f803f803f803f80);
    numbers[0] = v[0];
    numbers[1] = v[1];
}

/* Writes a number in groups as a varint that ends at p, and returns its first byte. The eight bytes
 * in front of p are overwritten. */
YAFF_HELPER uint8_t *yaff_put_groups(uint8_t *p, uint64_t groups)
{
    const unsigned unused = (unsigned)__builtin_clzll(groups | 1) & 56; /* bits, of whole bytes */
    yaff_store64(p - 8, (groups | YAFF_HIGH_BITS) << unused & ~(UINT64_C(1) << 63));
    return p - 8 + unused / 8;
}

/* Bit i: p[i] is the last byte of a varint; of 64 bytes. */
YAFF_HELPER uint64_t yaff_varint_ends(const uint8_t *p)
{
    uint64_t more = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < 64; i += 16) {
        const __m128i *at = (const __m128i *)(const void *)(p + i);
        more |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_loadu_si128(at)) << i;
    }
#else
    for (unsigned i = 0; i < 64; i += 8) {
        const uint64_t high = yaff_load64(p + i) & YAFF_HIGH_BITS;
        more |= ((high >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
#endif
    return ~more;
}

#endif
