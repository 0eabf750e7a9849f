/* A stable merge sort that allocates nothing: the spare room is the caller's. Private to the
 * library. */
#ifndef YAFF_BRIDGE_SORT_H
#define YAFF_BRIDGE_SORT_H

#include <stddef.h>

typedef int yaff_compare(const void *a, const void *b);

/* Sorts `count` items of `size` bytes at `items`; `spare` has room for as many. O(n log n), O(n)
 * when they are sorted already. */
void yaff_sort(void *items, void *spare, size_t count, size_t size, yaff_compare *compare);

#endif
