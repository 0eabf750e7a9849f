/* Inside of a builder: output that grows, addressed by offset, and scratch. Private to the
 * library. */
#ifndef YAFF_RUNTIME_BUILDER_H
#define YAFF_RUNTIME_BUILDER_H

#include <yaff/buffer.h>
#include <yaff/builder.h>

#include "arena.h"

struct yaff_builder {
    uint8_t *out;    /* where the buffer is built: own or the caller's memory, 8-byte aligned */
    size_t size;     /* bytes of it in use */
    size_t capacity; /* bytes there are */
    size_t result;   /* size of the last finished buffer; 0 = none */
    bool callers;    /* out belongs to the caller and cannot grow */
    bool pinned;     /* nor must it, since input lies in it */
    uint8_t *own;    /* the builder's own memory, kept while the caller's is used */
    size_t own_capacity;
    yaff_arena scratch;
};

/* Makes room for `more` bytes at the end of out; may move out. NO_MEMORY, TOO_SMALL, TOO_LARGE. */
YAFF_API YAFF_NOINLINE yaff_status yaff_builder_grow(yaff_builder *b, size_t more);

static inline yaff_status yaff_builder_reserve(yaff_builder *b, size_t more)
{
    if (YAFF_LIKELY(more <= b->capacity - b->size)) return YAFF_OK;
    return yaff_builder_grow(b, more);
}

/* Appends zero bytes up to a multiple of 8; there is always room, since capacity is one. */
static inline void yaff_builder_align(yaff_builder *b)
{
    while (b->size % 8 != 0) b->out[b->size++] = 0;
}

/* How much room a conversion of so many wire bytes begins with: more than most need, so that the
 * writers that ask for more than they fill have it. Input that is to lie in the buffer waits there
 * with as much, and so is not moved. */
static inline size_t yaff_builder_hint(size_t wire_size)
{
    return wire_size < YAFF_BUFFER_MAX_SIZE / 2 ? 2 * wire_size + 512 : YAFF_BUFFER_MAX_SIZE;
}

/* Starts a new buffer: room for `hint` bytes if that can be had, and the head. */
YAFF_API yaff_status yaff_builder_start(yaff_builder *b, size_t hint);

/* Finishes it: p of the root (0 = empty), YAFF_BUFFER_… flags, padding. */
YAFF_API void yaff_builder_finish(yaff_builder *b, size_t root, unsigned flags);

#endif
