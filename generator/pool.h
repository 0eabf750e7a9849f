/* Memory and the way out, for everything that handles schemas. All that is allocated lives in one
 * pool and is freed with it; a diagnosis (or memory running out) leaves through longjmp, so no
 * function in between has an error path. */
#ifndef YAFF_POOL_H
#define YAFF_POOL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct yaff_pool_chunk;

typedef struct yaff_pool {
    struct yaff_pool_chunk *chunks;
    char *at;
    size_t left;
    size_t budget; /* bytes that may still be taken from the system */
    char *error;   /* where a diagnosis goes; may be NULL when error_size is 0 */
    size_t error_size;
    jmp_buf escape; /* set by whoever owns the pool before anything can fail */
} yaff_pool;

#if defined(__GNUC__) || defined(__clang__)
#define YAFF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define YAFF_PRINTF(text, first)
#endif

void yaff_pool_init(yaff_pool *a, size_t budget, char *error, size_t error_size);
void yaff_pool_free(yaff_pool *a);

/* Writes the diagnosis and leaves. */
_Noreturn void yaff_pool_fail(yaff_pool *a, const char *format, ...) YAFF_PRINTF(2, 3);

/* `count` zeroed objects of `size` bytes, aligned to 16 bytes; never NULL. */
void *yaff_pool_array(yaff_pool *a, size_t count, size_t size);

/* A copy of `size` bytes with a NUL behind it. */
char *yaff_pool_copy(yaff_pool *a, const void *data, size_t size);

/* Formatted text. */
char *yaff_pool_format(yaff_pool *a, const char *format, ...) YAFF_PRINTF(2, 3);

#define YAFF_NEW(pool, type, count) ((type *)yaff_pool_array(pool, count, sizeof(type)))

#endif
