/* The allocator a builder uses. */
#ifndef YAFF_ALLOC_H
#define YAFF_ALLOC_H

#include <yaff/base.h>

/* `resize` behaves as realloc: (NULL, 0, n) allocates, failing returns NULL and leaves the old
 * block alone; the result is aligned for any type. `free` takes what resize gave, or NULL. The
 * struct is copied; `context` must outlive what uses it. Functions that take a `const yaff_alloc *`
 * take NULL for the C library's. */
typedef struct yaff_alloc {
    void *context;
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void (*free)(void *context, void *block);
} yaff_alloc;

#endif
