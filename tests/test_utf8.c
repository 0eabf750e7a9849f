/* UTF-8 validation against a plain reading of RFC 3629: every sequence of one to four bytes
 * over all the bytes at which a rule changes, every place relative to the vectors, every cut. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/utf8.h"

/* Every byte where a rule of RFC 3629 begins or ends, and one inside each range. */
static const unsigned char edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                      0xc0, 0xc1, 0xc2, 0xd0, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                      0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
enum { EDGES = sizeof edges };

/* The reference: decode a code point, then ask whether it may be written like that. */
static bool reference(const unsigned char *s, size_t size)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t i = 0;
    while (i < size) {
        unsigned length = s[i] < 0x80             ? 1
                          : (s[i] & 0xe0) == 0xc0 ? 2
                          : (s[i] & 0xf0) == 0xe0 ? 3
                          : (s[i] & 0xf8) == 0xf0 ? 4
                                                  : 0;
        uint32_t point = length == 1 ? s[i] : s[i] & (0x7fu >> length);
        if (length == 0 || length > size - i) return false;
        for (unsigned k = 1; k < length; k++) {
            if ((s[i + k] & 0xc0) != 0x80) return false;
            point = point << 6 | (s[i + k] & 0x3fu);
        }
        if (point < least[length] || point > 0x10ffff) return false;
        if (point >= 0xd800 && point <= 0xdfff) return false;
        i += length;
    }
    return true;
}

/* Asks about an exact heap copy, so that a sanitizer sees every byte read too far. */
static void same(const unsigned char *s, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    bool want = reference(s, size), got, checked;
    memcpy(copy, s, size);
    got = yaff_utf8_valid(copy, size);
    checked = yaff_utf8_check(copy, size);
    if (got != want || checked != want) {
        for (size_t i = 0; i < size; i++) fprintf(stderr, "%02x ", s[i]);
        cr_assert_fail("%zu bytes: want %d, valid %d, check %d", size, want, got, checked);
    }
    free(copy);
}

static size_t sequence(unsigned char *out, uint32_t which, size_t length)
{
    for (size_t i = 0; i < length; i++, which /= EDGES) out[i] = edges[which % EDGES];
    return length;
}

static uint32_t power(size_t length)
{
    uint32_t n = 1;
    while (length-- > 0) n *= EDGES;
    return n;
}

Test(utf8, empty_and_null)
{
    cr_assert(yaff_utf8_valid(NULL, 0));
    cr_assert(yaff_utf8_valid("", 0));
}

Test(utf8, all_one_and_two_byte_sequences)
{
    unsigned char s[2];
    for (unsigned a = 0; a < 256; a++) {
        s[0] = (unsigned char)a;
        same(s, 1);
        for (unsigned b = 0; b < 256; b++) {
            s[1] = (unsigned char)b;
            same(s, 2);
        }
    }
}

/* Alone (the scalar path) and in a long ASCII text, at the end of a vector (the vector path). */
Test(utf8, all_edge_sequences_up_to_four_bytes)
{
    unsigned char text[64];
    for (size_t length = 1; length <= 4; length++) {
        for (uint32_t which = 0; which < power(length); which++) {
            size_t at = 48 + which % 16;
            unsigned char s[4];
            sequence(s, which, length);
            cr_assert_eq(yaff_utf8_valid(s, length), reference(s, length), "sequence %u of %zu",
                         which, length);
            if (at + length > sizeof text) at = sizeof text - length;
            memset(text, 'a', sizeof text);
            memcpy(text + 40, "\xc3\xa9", 2); /* keeps the ASCII skip from eating the first words */
            memcpy(text + at, s, length);
            cr_assert_eq(yaff_utf8_valid(text, sizeof text), reference(text, sizeof text),
                         "sequence %u of %zu at %zu", which, length, at);
        }
    }
}

/* All three-byte edge sequences across every boundary of a vector and of the 64-byte group. */
Test(utf8, every_offset)
{
    unsigned char text[160];
    for (size_t at = 0; at < 150; at++) {
        for (uint32_t which = 0; which<power(3); which += at % 16> 12 ? 1 : 7) {
            unsigned char s[4];
            size_t size = at + 4 + which % 7;
            memset(text, 'a', sizeof text);
            sequence(s, which, 3);
            s[3] = 0x80;
            memcpy(text + at, s, 3 + which % 2);
            cr_assert_eq(yaff_utf8_valid(text, size), reference(text, size),
                         "sequence %u at %zu of %zu", which, at, size);
        }
    }
}

/* Every code point, surrogates too, and its last byte cut off. */
Test(utf8, every_code_point)
{
    for (uint32_t point = 0; point <= 0x110000; point++) {
        unsigned char s[4];
        size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        for (size_t i = n; i-- > 1;)
            s[i] = (unsigned char)(0x80 | (point >> 6 * (n - 1 - i) & 0x3f));
        s[0] = (unsigned char)(n == 1 ? point : (0xf00u >> n & 0xff) | point >> 6 * (n - 1));
        cr_assert_eq(yaff_utf8_valid(s, n), point <= 0x10ffff && (point < 0xd800 || point > 0xdfff),
                     "U+%06X", point);
        if (n > 1) cr_assert_not(yaff_utf8_valid(s, n - 1), "U+%06X cut", point);
    }
}

Test(utf8, every_cut_of_a_mixed_text)
{
    static const char text[] =
        "plain ASCII, then "
        "\xd0\xba\xd0\xb8\xd1\x80\xd0\xb8\xd0\xbb\xd0\xbb\xd0\xb8\xd1\x86\xd0\xb0, "
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e, \xf0\x9f\x98\x80\xf0\x9f\x98\x80, "
        "\xed\x9f\xbf\xee\x80\x80"
        "\xf4\x8f\xbf\xbf and a long tail of ASCII that is more than one group of sixty-four "
        "bytes. ";
    for (size_t from = 0; from < sizeof text; from++)
        for (size_t size = 0; size <= sizeof text - 1 - from && from < sizeof text - 1; size++)
            same((const unsigned char *)text + from, size);
}

/* One wrong byte anywhere in long texts of each character length. */
Test(utf8, one_wrong_byte)
{
    static const char *const units[] = {"a", "\xd0\xb6", "\xe6\x97\xa5", "\xf0\x9f\x98\x80"};
    unsigned char text[192];
    for (size_t u = 0; u < 4; u++) {
        size_t length = strlen(units[u]), size = sizeof text / length * length;
        for (size_t i = 0; i < size; i += length) memcpy(text + i, units[u], length);
        same(text, size);
        for (size_t at = 0; at < size; at++) {
            unsigned char was = text[at];
            for (size_t e = 0; e < EDGES; e++) {
                text[at] = edges[e];
                same(text, size);
            }
            text[at] = was;
        }
    }
}
