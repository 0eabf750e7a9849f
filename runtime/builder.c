/* The builder: output buffer and scratch. See yaff/builder.h and builder.h. */
#include "builder.h"

#include "libc_alloc.h"

yaff_builder *yaff_builder_new(const yaff_alloc *alloc)
{
    if (alloc == NULL) alloc = &yaff_libc_alloc;
    yaff_builder *b = alloc->resize(alloc->context, NULL, 0, sizeof *b);
    if (b == NULL) return NULL;
    memset(b, 0, sizeof *b);
    yaff_arena_init(&b->scratch, alloc);
    return b;
}

void yaff_builder_free(yaff_builder *b)
{
    if (b == NULL) return;
    yaff_alloc alloc = b->scratch.alloc;
    yaff_arena_free(&b->scratch);
    alloc.free(alloc.context, b->own);
    alloc.free(alloc.context, b);
}

void yaff_builder_use(yaff_builder *b, void *memory, size_t capacity)
{
    b->callers = memory != NULL;
    b->out = b->callers ? memory : b->own;
    b->capacity = b->callers ? capacity & ~(size_t)7 : b->own_capacity;
    if (b->capacity > YAFF_BUFFER_MAX_SIZE) b->capacity = YAFF_BUFFER_MAX_SIZE;
    b->size = b->result = 0;
    b->pinned = false; /* no input lies in other memory */
}

void *yaff_builder_wire(yaff_builder *b, size_t size)
{
    if (size > YAFF_BUFFER_MAX_SIZE || yaff_builder_start(b, yaff_builder_hint(size)) != YAFF_OK)
        return NULL;
    return yaff_builder_reserve(b, size) == YAFF_OK ? b->out + b->size : NULL;
}

const void *yaff_builder_data(const yaff_builder *b)
{
    return b->result == 0 ? NULL : b->out;
}

size_t yaff_builder_size(const yaff_builder *b)
{
    return b->result;
}

yaff_status yaff_builder_grow(yaff_builder *b, size_t more)
{
    if (more > YAFF_BUFFER_MAX_SIZE - b->size) return YAFF_TOO_LARGE;
    if (b->callers || b->pinned) return YAFF_TOO_SMALL;
    size_t want = b->capacity * 2;
    if (want < b->size + more) want = b->size + more;
    if (want > YAFF_BUFFER_MAX_SIZE) want = YAFF_BUFFER_MAX_SIZE;
    want = (want + 7) & ~(size_t)7;
    const yaff_alloc *a = &b->scratch.alloc;
    uint8_t *moved = a->resize(a->context, b->own, b->own_capacity, want);
    if (moved == NULL) return YAFF_NO_MEMORY;
    b->out = b->own = moved;
    b->capacity = b->own_capacity = want;
    return YAFF_OK;
}

yaff_status yaff_builder_start(yaff_builder *b, size_t hint)
{
    b->size = b->result = 0;
    if (hint > YAFF_BUFFER_MAX_SIZE) hint = YAFF_BUFFER_MAX_SIZE;
    if (hint < 256) hint = 256;
    if (b->callers ? b->capacity < YAFF_BUFFER_HEAD : b->capacity < hint) {
        yaff_status s = yaff_builder_grow(b, hint);
        if (s != YAFF_OK) return s;
    }
    static const uint8_t head[YAFF_BUFFER_HEAD] = {'Y', 'F', YAFF_BUFFER_VERSION, 0};
    memcpy(b->out, head, sizeof head);
    b->size = sizeof head;
    return YAFF_OK;
}

void yaff_builder_finish(yaff_builder *b, size_t root, unsigned flags)
{
    yaff_builder_align(b);
    b->out[3] = (uint8_t)flags;
    yaff_store32(b->out + 4, (uint32_t)root);
    b->result = b->size;
}
