/* Is a run of bytes well-formed UTF-8? Exact: no surrogates, no overlong forms, nothing above
 * U+10FFFF. */
#ifndef YAFF_UTF8_H
#define YAFF_UTF8_H

#include <yaff/base.h>

/* The whole answer, for any bytes. Linear in size; allocates nothing; thread-safe. */
YAFF_API bool yaff_utf8_check(const void *data, size_t size);

/* Whether at most 64 bytes are all ASCII, by loads that overlap. */
static inline bool yaff_ascii_short(const unsigned char *s, size_t size)
{
    uint64_t any;
    if (size >= 8) {
        any = yaff_load64(s) | yaff_load64(s + size - 8);
        if (size > 16) any |= yaff_load64(s + 8) | yaff_load64(s + size - 16);
        if (size > 32) {
            any |= yaff_load64(s + 16) | yaff_load64(s + 24);
            any |= yaff_load64(s + size - 24) | yaff_load64(s + size - 32);
        }
    } else if (size >= 4) {
        any = yaff_load32(s) | yaff_load32(s + size - 4);
    } else if (size > 0) {
        any = (uint64_t)s[0] | s[size / 2] | s[size - 1];
    } else {
        return true;
    }
    return (any & UINT64_C(0x8080808080808080)) == 0;
}

/* The same answer. Short ASCII, the usual case, is settled inline; the rest goes to
 * yaff_utf8_check(). `data` may be NULL when size is 0. */
static inline bool yaff_utf8_valid(const void *data, size_t size)
{
    if (YAFF_LIKELY(size <= 64 && yaff_ascii_short((const unsigned char *)data, size))) return true;
    return yaff_utf8_check(data, size);
}

#endif
