/* Bottom-up merge sort. See sort.h. */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

static bool sorted(const char *items, size_t count, size_t size, yaff_compare *compare)
{
    for (size_t i = 1; i < count; i++)
        if (compare(items + (i - 1) * size, items + i * size) > 0) return false;
    return true;
}

static void merge(const char *a, const char *a_end, const char *b, const char *b_end, char *to,
                  size_t size, yaff_compare *compare)
{
    while (a < a_end && b < b_end) {
        const char **from = compare(a, b) <= 0 ? &a : &b;
        memcpy(to, *from, size);
        *from += size;
        to += size;
    }
    memcpy(to, a, (size_t)(a_end - a));
    memcpy(to + (a_end - a), b, (size_t)(b_end - b));
}

void yaff_sort(void *items, void *spare, size_t count, size_t size, yaff_compare *compare)
{
    char *from = items, *to = spare;
    if (sorted(from, count, size, compare)) return;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            size_t middle = i + width < count ? i + width : count;
            size_t last = i + 2 * width < count ? i + 2 * width : count;
            merge(from + i * size, from + middle * size, from + middle * size, from + last * size,
                  to + i * size, size, compare);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * size);
}
