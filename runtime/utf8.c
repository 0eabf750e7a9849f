/* Validation of UTF-8: whole words of ASCII are skipped, the rest is checked sixteen bytes at a
 * time on x86 (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2020),
 * else one character at a time. */
#include "utf8.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

static bool valid_scalar(const unsigned char *s, size_t size)
{
    const unsigned char *end = s + size;
    while (s != end) {
        unsigned lead = *s, low = 0x80, high = 0xbf;
        size_t length;
        if (lead < 0x80) {
            s++;
            continue;
        }
        if (lead < 0xc2) return false;
        if (lead < 0xe0) {
            length = 2;
        } else if (lead < 0xf0) {
            length = 3;
            if (lead == 0xe0) low = 0xa0;  /* below: overlong */
            if (lead == 0xed) high = 0x9f; /* above: surrogates */
        } else if (lead < 0xf5) {
            length = 4;
            if (lead == 0xf0) low = 0x90;  /* below: overlong */
            if (lead == 0xf4) high = 0x8f; /* above: beyond U+10FFFF */
        } else {
            return false;
        }
        if ((size_t)(end - s) < length) return false;
        if (s[1] < low || s[1] > high) return false;
        for (size_t i = 2; i < length; i++)
            if ((s[i] & 0xc0) != 0x80) return false;
        s += length;
    }
    return true;
}

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
#define YAFF_UTF8_SSSE3 1
#include <tmmintrin.h>

#define WITH_SSSE3 __attribute__((target("ssse3")))

/* What can be wrong with two neighbouring bytes. Three look-ups, by the first byte's high half, its
 * low half and the second byte's high half, each say which errors that half allows; an error that
 * all three allow is there. */
enum {
    TOO_SHORT = 0x01,  /* a lead or ASCII byte where a continuation is due */
    TOO_LONG = 0x02,   /* a continuation after ASCII */
    OVERLONG_3 = 0x04, /* E0 80..9F */
    TOO_LARGE = 0x08,  /* F4 90..BF, F5..FF 90..BF */
    SURROGATE = 0x10,  /* ED A0..BF */
    OVERLONG_2 = 0x20, /* C0, C1 */
    OVERLONG_4 = 0x40, /* F0 80..8F; also F5..FF 80..8F, which is too large */
    TWO_MORE = 0x80,   /* two continuations: right only in a character of three or four bytes */
    ANY_LOW = TOO_SHORT | TOO_LONG | TWO_MORE
};

#define C(x) (char)(x)

WITH_SSSE3 static inline __m128i pair_errors(__m128i first, __m128i second)
{
    const __m128i first_high = _mm_setr_epi8(
        TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, C(TWO_MORE),
        C(TWO_MORE), C(TWO_MORE), C(TWO_MORE), TOO_SHORT | OVERLONG_2, TOO_SHORT,
        TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | OVERLONG_4);
    const char large = C(ANY_LOW | TOO_LARGE | OVERLONG_4);
    const __m128i first_low = _mm_setr_epi8(
        C(ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4), C(ANY_LOW | OVERLONG_2), C(ANY_LOW),
        C(ANY_LOW), C(ANY_LOW | TOO_LARGE), large, large, large, large, large, large, large, large,
        C(ANY_LOW | TOO_LARGE | OVERLONG_4 | SURROGATE), large, large);
    const char more = C(TOO_LONG | OVERLONG_2 | TWO_MORE);
    const __m128i second_high =
        _mm_setr_epi8(TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
                      TOO_SHORT, C(more | OVERLONG_3 | OVERLONG_4),
                      C(more | OVERLONG_3 | TOO_LARGE), C(more | SURROGATE | TOO_LARGE),
                      C(more | SURROGATE | TOO_LARGE), TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT);
    const __m128i half = _mm_set1_epi8(0x0f);
    __m128i a = _mm_shuffle_epi8(first_high, _mm_and_si128(_mm_srli_epi16(first, 4), half));
    __m128i b = _mm_shuffle_epi8(first_low, _mm_and_si128(first, half));
    __m128i c = _mm_shuffle_epi8(second_high, _mm_and_si128(_mm_srli_epi16(second, 4), half));
    return _mm_and_si128(_mm_and_si128(a, b), c);
}

/* Non-zero where `bytes`, which follow `before`, are wrong. */
WITH_SSSE3 static inline __m128i errors_in(__m128i bytes, __m128i before)
{
    __m128i back1 = _mm_alignr_epi8(bytes, before, 15);
    __m128i back2 = _mm_alignr_epi8(bytes, before, 14);
    __m128i back3 = _mm_alignr_epi8(bytes, before, 13);
    /* bit 7: two back stands a lead of three or four bytes, or three back one of four: exactly
     * there must two continuations meet */
    __m128i third = _mm_subs_epu8(back2, _mm_set1_epi8(0xe0 - 0x80));
    __m128i fourth = _mm_subs_epu8(back3, _mm_set1_epi8(0xf0 - 0x80));
    __m128i due = _mm_and_si128(_mm_or_si128(third, fourth), _mm_set1_epi8(C(0x80)));
    return _mm_xor_si128(due, pair_errors(back1, bytes));
}

WITH_SSSE3 static inline __m128i load16(const unsigned char *s)
{
    __m128i v;
    memcpy(&v, s, sizeof v);
    return v;
}

WITH_SSSE3 static bool valid_ssse3(const unsigned char *s, size_t size)
{
    __m128i before = _mm_setzero_si128(), errors = before;
    unsigned char tail[16] = {0};
    for (; size >= 64; s += 64, size -= 64) {
        __m128i a = load16(s), b = load16(s + 16), c = load16(s + 32), d = load16(s + 48);
        errors = _mm_or_si128(errors, errors_in(a, before));
        if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)))) {
            errors = _mm_or_si128(errors, errors_in(b, a));
            errors = _mm_or_si128(errors, errors_in(c, b));
            errors = _mm_or_si128(errors, errors_in(d, c));
        }
        before = d;
    }
    for (; size >= 16; s += 16, size -= 16) {
        __m128i a = load16(s);
        errors = _mm_or_si128(errors, errors_in(a, before));
        before = a;
    }
    /* the zero behind the last byte, always there, tells a character cut short */
    memcpy(tail, s, size);
    errors = _mm_or_si128(errors, errors_in(load16(tail), before));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(errors, _mm_setzero_si128())) == 0xffff;
}
#endif

bool yaff_utf8_check(const void *data, size_t size)
{
    const unsigned char *s = (const unsigned char *)data;
    for (; size >= 32; s += 32, size -= 32) {
        uint64_t any =
            yaff_load64(s) | yaff_load64(s + 8) | yaff_load64(s + 16) | yaff_load64(s + 24);
        if (any & HIGH_BITS) break;
    }
    while (size >= 8 && !(yaff_load64(s) & HIGH_BITS)) {
        s += 8;
        size -= 8;
    }
#ifdef YAFF_UTF8_SSSE3
    if (size >= 8 && __builtin_cpu_supports("ssse3")) return valid_ssse3(s, size);
#endif
    return valid_scalar(s, size);
}
