/* Scratch memory of a builder: a stack of chunks that is marked and released, never moved.
 * Private. */
#ifndef YAFF_RUNTIME_ARENA_H
#define YAFF_RUNTIME_ARENA_H

#include <yaff/alloc.h>
#include <yaff/base.h>

typedef struct yaff_chunk yaff_chunk;

typedef struct yaff_arena {
    yaff_alloc alloc;
    yaff_chunk *first;
    yaff_chunk *current; /* NULL before the first allocation */
    char *at;            /* free room in the current chunk: [at, end) */
    char *end;
} yaff_arena;

typedef struct yaff_mark {
    yaff_chunk *chunk;
    char *at;
} yaff_mark;

void yaff_arena_init(yaff_arena *a, const yaff_alloc *alloc);
void yaff_arena_free(yaff_arena *a);

/* The slow half of yaff_arena_get(): moves on to a chunk with room for `size` bytes. */
YAFF_API YAFF_NOINLINE void *yaff_arena_more(yaff_arena *a, size_t size);

/* `size` bytes, 8-byte aligned, not initialised; NULL when memory ran out. */
static inline void *yaff_arena_get(yaff_arena *a, size_t size)
{
    if (YAFF_UNLIKELY(size > (size_t)(a->end - a->at))) return yaff_arena_more(a, size);
    void *block = a->at;
    a->at += (size + 7) & ~(size_t)7; /* the room is a multiple of 8 */
    return block;
}

/* Everything allocated after a mark is given back by releasing it; the chunks stay for reuse. */
static inline yaff_mark yaff_arena_mark(const yaff_arena *a)
{
    yaff_mark m = {a->current, a->at};
    return m;
}

YAFF_API void yaff_arena_rewind(yaff_arena *a, yaff_mark m);

static inline void yaff_arena_release(yaff_arena *a, yaff_mark m)
{
    if (YAFF_LIKELY(m.chunk == a->current))
        a->at = m.at;
    else
        yaff_arena_rewind(a, m);
}

#endif
