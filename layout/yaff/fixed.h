/* Reading a Fixed message: a C struct with natural alignment, no head. spec/format.md, Fixed. */
#ifndef YAFF_FIXED_H
#define YAFF_FIXED_H

#include <yaff/base.h>

YAFF_HELPER bool yaff_fixed_get1(const void *m, uint32_t place)
{
    return ((const unsigned char *)m)[place] != 0;
}

YAFF_HELPER uint32_t yaff_fixed_get4(const void *m, uint32_t place)
{
    return yaff_load32((const char *)m + place);
}

YAFF_HELPER uint64_t yaff_fixed_get8(const void *m, uint32_t place)
{
    return yaff_load64((const char *)m + place);
}

#endif
