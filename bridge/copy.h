/* Copying short byte strings without a call: two overlapping copies of a power of two. Private. */
#ifndef YAFF_BRIDGE_COPY_H
#define YAFF_BRIDGE_COPY_H

#include <yaff/base.h>

/* memcpy for `size` bytes that usually are few. `from` may be NULL when size is 0. */
YAFF_HELPER void yaff_copy_bytes(uint8_t *to, const void *data, size_t size)
{
    const uint8_t *from = (const uint8_t *)data;
    if (size > 32) {
        memcpy(to, from, size);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

#endif
