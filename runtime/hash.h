/* XXH3-64, of xxhash's header alone: nothing is linked, and no symbol of it leaves the library.
 * Private to the library. */
#ifndef YAFF_RUNTIME_HASH_H
#define YAFF_RUNTIME_HASH_H

#include <yaff/base.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The number is the same on machines of either byte order. */
static inline uint64_t yaff_hash(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

#endif
