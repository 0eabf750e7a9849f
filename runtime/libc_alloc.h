/* The C library's allocator, for who gave none. Private to the library. */
#ifndef YAFF_RUNTIME_LIBC_ALLOC_H
#define YAFF_RUNTIME_LIBC_ALLOC_H

#include <yaff/alloc.h>

extern const yaff_alloc yaff_libc_alloc;

#endif
