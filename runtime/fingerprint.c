/* The schema's fingerprint. See yaff/frame.h; spec/format.md, Fingerprint. */
#include <yaff/frame.h>

#include "hash.h"
#include "layout/walk.h"
#include "libc_alloc.h"

enum { TYPES_ON_STACK = 257, NUMBER = 0, TEXT = 1, MESSAGE = 2, REPEATED = 1 << 8, MAP = 1 << 9 };

#define NONE 0xffffffffu

/* The types met so far, each once, in the order of their first mention. */
typedef struct type_list {
    const yaff_type **types;
    size_t count, capacity;
    const yaff_type *first[TYPES_ON_STACK];
    bool failed; /* memory ran out */
} type_list;

static bool grow(type_list *list)
{
    const yaff_alloc *a = &yaff_libc_alloc;
    bool on_stack = list->types == list->first;
    size_t old = list->capacity * sizeof(yaff_type *);
    void *more =
        a->resize(a->context, on_stack ? NULL : (void *)list->types, on_stack ? 0 : old, 2 * old);
    if (more == NULL) return false;
    if (on_stack) memcpy(more, list->first, old);
    list->types = more;
    list->capacity *= 2;
    return true;
}

static uint32_t index_of(type_list *list, const yaff_type *type)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->types[i] == type) return (uint32_t)i;
    if (list->count == list->capacity && !grow(list)) {
        list->failed = true;
        return NONE;
    }
    list->types[list->count] = type;
    return (uint32_t)list->count++;
}

/* What a field's cell and the elements behind it hold. */
static uint32_t form_of(const yaff_field *f)
{
    uint32_t form = NUMBER;
    if (f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES) form = TEXT;
    if (f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP) form = MESSAGE;
    if (f->flags & YAFF_FIELD_REPEATED) form |= REPEATED;
    if (f->flags & YAFF_FIELD_MAP) form |= MAP;
    return form;
}

static void add(XXH3_state_t *hash, const uint32_t *words, size_t count)
{
    uint8_t bytes[4 * 5];
    for (size_t i = 0; i < count; i++) yaff_store32(bytes + 4 * i, words[i]);
    (void)XXH3_64bits_update(hash, bytes, 4 * count);
}

static void add_type(XXH3_state_t *hash, const yaff_type *type, type_list *list)
{
    bool fixed = type->layout == YAFF_LAYOUT_FIXED, flat = type->layout == YAFF_LAYOUT_FLAT;
    uint32_t head[3] = {fixed ? 1 : flat ? 2 : 0, fixed ? type->body_size : 0, type->field_count};
    add(hash, head, 3);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaff_field *f = &type->fields[i];
        uint32_t row[5] = {f->number, form_of(f), yaff_kind_width(f->kind),
                           fixed || flat ? f->place : NONE,
                           f->type ? index_of(list, f->type) : NONE};
        add(hash, row, 5);
    }
}

uint64_t yaff_type_fingerprint(const yaff_type *type)
{
    XXH3_state_t hash;
    type_list list;
    list.types = list.first;
    list.capacity = TYPES_ON_STACK;
    list.count = 0;
    list.failed = false;
    (void)XXH3_64bits_reset(&hash);
    (void)index_of(&list, type);
    for (size_t i = 0; i < list.count && !list.failed; i++) add_type(&hash, list.types[i], &list);
    if (list.types != list.first) yaff_libc_alloc.free(yaff_libc_alloc.context, (void *)list.types);
    if (list.failed) return 0;
    uint64_t digest = XXH3_64bits_digest(&hash);
    return digest ? digest : 1;
}
