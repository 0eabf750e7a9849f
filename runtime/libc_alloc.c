/* The C library's allocator. See libc_alloc.h. */
#include "libc_alloc.h"

#include <stdlib.h>

static void *libc_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    return realloc(block, new_size);
}

static void libc_free(void *context, void *block)
{
    (void)context;
    free(block);
}

const yaff_alloc yaff_libc_alloc = {NULL, libc_resize, libc_free};
