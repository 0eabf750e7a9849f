/* The builder's scratch memory. See arena.h. */
#include "arena.h"

enum { FIRST_CHUNK = 16 * 1024 };

struct yaff_chunk {
    YAFF_ALIGN8 yaff_chunk *next;
    size_t size; /* bytes behind this head */
};

static char *chunk_data(yaff_chunk *c)
{
    return (char *)(c + 1);
}

void yaff_arena_init(yaff_arena *a, const yaff_alloc *alloc)
{
    a->alloc = *alloc;
    a->first = a->current = NULL;
    a->at = a->end = NULL;
}

void yaff_arena_free(yaff_arena *a)
{
    for (yaff_chunk *c = a->first; c != NULL;) {
        yaff_chunk *next = c->next;
        a->alloc.free(a->alloc.context, c);
        c = next;
    }
    a->first = a->current = NULL;
    a->at = a->end = NULL;
}

static void enter(yaff_arena *a, yaff_chunk *c, char *at)
{
    a->current = c;
    a->at = at;
    a->end = c == NULL ? NULL : chunk_data(c) + c->size;
}

void *yaff_arena_more(yaff_arena *a, size_t size)
{
    yaff_chunk **link = a->current == NULL ? &a->first : &a->current->next;
    while (*link != NULL && (*link)->size < size) { /* kept from before, but too small now */
        yaff_chunk *small = *link;
        *link = small->next;
        a->alloc.free(a->alloc.context, small);
    }
    if (*link == NULL) {
        size_t want = a->current == NULL ? FIRST_CHUNK : a->current->size * 2;
        if (size > SIZE_MAX / 2 - sizeof(yaff_chunk)) return NULL;
        if (want < size) want = size;
        want = (want + 7) & ~(size_t)7;
        yaff_chunk *c = a->alloc.resize(a->alloc.context, NULL, 0, sizeof(yaff_chunk) + want);
        if (c == NULL) return NULL;
        c->next = NULL;
        c->size = want;
        *link = c;
    }
    enter(a, *link, chunk_data(*link));
    return yaff_arena_get(a, size);
}

void yaff_arena_rewind(yaff_arena *a, yaff_mark m)
{
    if (m.chunk != NULL)
        enter(a, m.chunk, m.at);
    else /* a mark from before the first allocation: all of the first chunk */
        enter(a, a->first, a->first == NULL ? NULL : chunk_data(a->first));
}
