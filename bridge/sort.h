/* A stable bottom-up merge sort that allocates nothing: the spare room is the caller's. In line, so
 * that an item's size and the comparison are constants where it is used. Private to the library. */
#ifndef YAFF_BRIDGE_SORT_H
#define YAFF_BRIDGE_SORT_H

#include <yaff/base.h>

typedef int yaff_compare(const void *a, const void *b);

YAFF_HELPER bool yaff_sorted(const char *items, size_t count, size_t size, yaff_compare *compare)
{
    for (size_t i = 1; i < count; i++)
        if (compare(items + (i - 1) * size, items + i * size) > 0) return false;
    return true;
}

YAFF_HELPER void yaff_merge(const char *a, const char *a_end, const char *b, const char *b_end,
                            char *to, size_t size, yaff_compare *compare)
{
    while (a < a_end && b < b_end) {
        bool first = compare(a, b) <= 0;
        memcpy(to, first ? a : b, size);
        *(first ? &a : &b) += size;
        to += size;
    }
    for (; a < a_end; a += size, to += size) memcpy(to, a, size);
    for (; b < b_end; b += size, to += size) memcpy(to, b, size);
}

/* Sorts `count` items of `size` bytes at `items`; `spare` has room for as many. O(n log n), O(n)
 * when they are sorted already. */
YAFF_HELPER void yaff_sort(void *items, void *spare, size_t count, size_t size,
                           yaff_compare *compare)
{
    char *from = (char *)items, *to = (char *)spare;
    if (yaff_sorted(from, count, size, compare)) return;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t middle = i + width < count ? i + width : count;
            size_t last = i + 2 * width < count ? i + 2 * width : count;
            yaff_merge(from + i * size, from + middle * size, from + middle * size,
                       from + last * size, to + i * size, size, compare);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * size);
}

#endif
