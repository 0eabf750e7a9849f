/* What generated gathers are made of: loops that read one field of many elements of an array of
 * messages. Each element is read by the field's ordinary accessor; what is added here is the range
 * and fetching elements from memory before they are needed. spec/generated.md, Many elements. */
#ifndef YAFF_GATHER_H
#define YAFF_GATHER_H

#include <yaff/lanes.h>
#include <yaff/value.h>

enum {
    YAFF_GATHER_AHEAD = 16, /* elements: some 200 ns of work, more than a cache miss takes */
    YAFF_GATHER_NEAR = 32   /* cells up to here are mostly in the cache line of the head */
};

/* How many of the elements first .. first + n - 1 an array of `size` has. */
YAFF_HELPER size_t yaff_gather_count(size_t size, size_t first, size_t n)
{
    if (first >= size) return 0;
    return n < size - first ? n : size - first;
}

/* Asks the processor for the head of a message, and for the cell at `place` when that is far. The
 * address may be of nothing: it is never read, so it is a number and not a pointer. */
YAFF_HELPER void yaff_gather_fetch(uintptr_t message, uint32_t place)
{
    YAFF_PREFETCH((const void *)(message - 8));
    if (place > YAFF_GATHER_NEAR) YAFF_PREFETCH((const void *)(message + place));
}

/* Element first + i of the array of references at `start`, i < n. On the way asks for the element
 * that a loop up to n needs a little later. */
YAFF_HELPER const void *yaff_gather_element(const void *start, size_t first, size_t i, size_t n,
                                            uint32_t place)
{
    const char *refs = (const char *)start + 4 * first;
    if (YAFF_LIKELY(i + YAFF_GATHER_AHEAD < n)) {
        int32_t ahead = (int32_t)yaff_load32(refs + 4 * (i + YAFF_GATHER_AHEAD));
        yaff_gather_fetch((uintptr_t)start + (uintptr_t)(intptr_t)ahead, place);
    }
    return yaff_ref_message(start, yaff_load32(refs + 4 * i), YAFF_EMPTY_MESSAGE);
}

#endif
