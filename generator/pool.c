/* A pool of doubling chunks. See pool.h. */
#include "pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, ALIGNMENT = 16 };

struct yaff_pool_chunk {
    struct yaff_pool_chunk *next;
    size_t size;
    alignas(ALIGNMENT) char data[];
};

void yaff_pool_init(yaff_pool *a, size_t budget, char *error, size_t error_size)
{
    memset(a, 0, sizeof *a);
    a->budget = budget;
    a->error = error;
    a->error_size = error_size;
    if (error_size) error[0] = 0;
}

void yaff_pool_free(yaff_pool *a)
{
    while (a->chunks) {
        struct yaff_pool_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    a->left = 0;
}

void yaff_pool_fail(yaff_pool *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (a->error_size) vsnprintf(a->error, a->error_size, format, args);
    va_end(args);
    longjmp(a->escape, 1);
}

static void grow(yaff_pool *a, size_t need)
{
    size_t size = a->chunks ? 2 * a->chunks->size : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    if (size < need) size = need;
    if (size > a->budget) size = need;
    if (size > a->budget) yaff_pool_fail(a, "the schema needs too much memory");
    struct yaff_pool_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk) yaff_pool_fail(a, "out of memory");
    a->budget -= size;
    chunk->next = a->chunks;
    chunk->size = size;
    a->chunks = chunk;
    a->at = chunk->data;
    a->left = size;
}

void *yaff_pool_array(yaff_pool *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) yaff_pool_fail(a, "out of memory");
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) bytes = ALIGNMENT;
    if (bytes > a->left) grow(a, bytes);
    void *block = a->at;
    a->at += bytes;
    a->left -= bytes;
    return memset(block, 0, bytes);
}

char *yaff_pool_copy(yaff_pool *a, const void *data, size_t size)
{
    char *text = yaff_pool_array(a, size + 1, 1);
    if (size) memcpy(text, data, size);
    return text;
}

char *yaff_pool_format(yaff_pool *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char *text = NULL;
    int size = format ? vsnprintf(NULL, 0, format, args) : -1;
    va_end(args);
    if (size >= 0) {
        text = yaff_pool_array(a, (size_t)size + 1, 1);
        vsnprintf(text, (size_t)size + 1, format, again);
    }
    va_end(again);
    if (!text) yaff_pool_fail(a, "out of memory");
    return text;
}
