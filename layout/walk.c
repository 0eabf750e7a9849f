/* The iterator over present fields. See walk.h. */
#include "walk.h"

#include "find.h"

void yaff_walk_begin(yaff_walk *w, const yaff_type *type, const void *p)
{
    w->field = NULL;
    w->cell = NULL;
    w->p = (const uint8_t *)p;
    w->type = type;
    w->lanes0 = w->lanes = 0;
    w->block = NULL;
    w->next_block = w->next = w->end = 0;
    w->bits = 0;
    w->kind = YAFF_HEAD_SPARSE;
    if (type->layout == YAFF_LAYOUT_FIXED) return;
    w->lanes0 = yaff_lanes(p, 0);
    w->kind = yaff_head_kind(w->lanes0);
    if (w->kind == YAFF_HEAD_FLAT_LANES)
        w->end = yaff_head_limit(w->lanes0);
    else if (w->kind == YAFF_HEAD_FLAT)
        w->end = yaff_flat_reach(type, yaff_head_limit(w->lanes0));
    else
        w->end = YAFF_BLOCK_NUMBERS * yaff_head_blocks(w->lanes0);
}

static bool next_fixed(yaff_walk *w)
{
    while (w->next < w->type->field_count) {
        const yaff_field *f = &w->type->fields[w->next++];
        const uint8_t *cell = w->p + f->place;
        if (f->width == 0 || f->flags & YAFF_FIELD_REQUIRED ||
            w->type->flags & YAFF_TYPE_MAP_ENTRY || !yaff_cell_is_zero(cell, f->width)) {
            w->field = f;
            w->cell = cell;
            return true;
        }
    }
    return false;
}

/* Enters the next block that both the type and the message have. */
static bool next_block(yaff_walk *w)
{
    const yaff_block *block;
    if (w->next_block == w->type->block_count) return false;
    block = &w->type->blocks[w->next_block];
    if (YAFF_BLOCK_NUMBERS * block->k >= w->end) return false;
    w->next_block++;
    w->block = block;
    w->bits = block->known;
    if (w->kind != YAFF_HEAD_FLAT) {
        w->lanes = yaff_lanes(w->p, block->k);
        w->bits &= yaff_lane_set(w->lanes);
    } else if (yaff_flat_has_sets(w->lanes0)) {
        w->bits &= yaff_flat_set_lane(w->p, block->k);
    }
    return true;
}

/* The cell of a field of the current block whose set bit, where there are any, is set. */
static const uint8_t *block_cell(const yaff_walk *w, const yaff_field *f)
{
    const uint8_t *cell;
    uint32_t place;
    if (f->number > w->end) return NULL;
    switch (w->kind) {
    case YAFF_HEAD_FLAT_LANES:
        place = yaff_flat_lanes_place(w->lanes, w->block, f);
        return place == YAFF_NO_PLACE ? NULL : w->p + place;
    case YAFF_HEAD_FLAT:
        cell = w->p + f->place;
        if (yaff_flat_has_sets(w->lanes0)) return cell;
        return yaff_cell_is_zero(cell, f->width) ? NULL : cell;
    default:
        return yaff_sparse_cell(w->p, w->lanes0, w->lanes, f);
    }
}

static bool next_in_directory(yaff_walk *w)
{
    uint32_t count;
    const uint8_t *entries;
    if (w->kind != YAFF_HEAD_SPARSE_DIRECTORY) return false;
    entries = yaff_directory(w->p, w->lanes0, &count);
    while (w->next < count) {
        const uint8_t *entry = entries + (size_t)YAFF_DIRECTORY_ENTRY * w->next++;
        const yaff_field *f = yaff_type_field(w->type, yaff_load32(entry));
        if (f && yaff_load32(entry + YAFF_DIRECTORY_CLASS) == f->width) {
            w->field = f;
            w->cell = entry + YAFF_DIRECTORY_CELL;
            return true;
        }
    }
    return false;
}

bool yaff_walk_next_member(yaff_walk *w)
{
    if (w->type->layout == YAFF_LAYOUT_FIXED) return next_fixed(w);
    do {
        while (w->bits) {
            unsigned bit = yaff_lowest_bit(w->bits);
            unsigned lower = w->block->known & ((1u << bit) - 1u);
            const yaff_field *f = &w->type->fields[w->block->first + yaff_popcount16(lower)];
            const uint8_t *cell = block_cell(w, f);
            w->bits &= w->bits - 1;
            if (cell) {
                w->field = f;
                w->cell = cell;
                return true;
            }
        }
    } while (next_block(w));
    return next_in_directory(w);
}

bool yaff_walk_next(yaff_walk *w)
{
    while (yaff_walk_next_member(w)) {
        if (!w->field->oneof || w->type->layout == YAFF_LAYOUT_FIXED ||
            !yaff_oneof_lost(w->p, w->type, w->field))
            return true;
    }
    return false;
}
