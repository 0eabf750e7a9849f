/* The present fields of a message, a list at a time, with the bits of their cells: what the writer
 * and the sizer of wire bytes loop over. Lists come from the highest numbers down, as the writer
 * goes; within one, numbers ascend, as the cells lie. Private. spec/format.md, Finding a cell. */
#ifndef YAFF_BRIDGE_WIRE_LIST_H
#define YAFF_BRIDGE_WIRE_LIST_H

#include <yaff/lanes.h>

#include "layout/find.h"

typedef struct {
    const yaff_field *field;
    uint64_t bits; /* of its cell; 0 where a Fixed message lies inline, at the field's place */
} yaff_item;

enum { YAFF_LIST_MAX = YAFF_BLOCK_NUMBERS };

/* Each of these fills `list`, which has room for YAFF_LIST_MAX items, and returns its end. */

/* The fields of block b that need the out-of-line reader. */
yaff_item *yaff_list_found(yaff_item *list, const yaff_type *type, const yaff_block *b,
                           const char *m);

/* Those of kind 10. */
yaff_item *yaff_list_flat(yaff_item *list, const yaff_type *type, const yaff_block *b,
                          const char *m, uint64_t lanes0);

/* The far numbers of kind 01: takes entries off the end of the first *left of the directory. */
yaff_item *yaff_list_directory(yaff_item *list, const yaff_type *type, const char *m,
                               uint64_t lanes0, uint32_t *left);

/* A Fixed message: takes rows off the end of the first *left. Of it all fields are there; listed
 * are those that say something, the required ones, and both of a map entry. */
yaff_item *yaff_list_fixed(yaff_item *list, const yaff_type *type, const char *m, uint32_t *left);

/* Whether f, a listed member of a oneof, lost to one with a higher number, which was asked about
 * before it. `seen`, 0 at first, has a bit for each of the message's first 64 oneofs. */
bool yaff_list_lost(const yaff_type *type, const char *m, const yaff_field *f, uint64_t *seen);

YAFF_HELPER yaff_item *yaff_append(yaff_item *end, const yaff_field *f, uint64_t bits)
{
    end->field = f;
    end->bits = bits;
    return end + 1;
}

YAFF_HELPER uint64_t yaff_bits_at(const void *cell, unsigned width)
{
    if (width == 8) return yaff_load64(cell);
    return width == 4 ? yaff_load32(cell) : *(const uint8_t *)cell;
}

/* The index entries of block k by bit; NULL when the type or its index lacks some of `set`. */
YAFF_HELPER const uint16_t *yaff_block_rows(const yaff_type *type, const yaff_block *b, unsigned k,
                                            uint64_t set)
{
    const uint32_t first = YAFF_BLOCK_NUMBERS * k + 1;
    if (YAFF_UNLIKELY(set & ~(uint64_t)b->known)) return NULL;
    if (k && first + YAFF_BLOCK_NUMBERS > type->index_size)
        if (first > type->index_size || set >> (type->index_size - first)) return NULL;
    return type->index + first;
}

/* Cells lie in number order. A field that another writer stored with another width is absent. */
YAFF_HELPER yaff_item *yaff_list_sparse(yaff_item *end, const yaff_type *type, const yaff_block *b,
                                        const char *m, uint64_t lanes0)
{
    const uint64_t lanes = b->k ? yaff_lanes(m, b->k) : lanes0;
    const char *at8 = m, *at4 = m + 8 * (size_t)yaff_head_cells8(lanes0);
    uint64_t set = yaff_lane_set(lanes);
    const uint16_t *rows = yaff_block_rows(type, b, b->k, set);
    if (YAFF_UNLIKELY(!rows)) return yaff_list_found(end, type, b, m);
    if (b->k) {
        at8 += 8 * (yaff_lane_top(lanes) & 0xffu);
        at4 += 4 * (yaff_lane_top(lanes) >> 8);
    }
    for (; set; set &= set - 1) {
        const unsigned bit = yaff_lowest_bit((unsigned)set);
        const yaff_field *f = &type->fields[rows[bit] - 1u];
        if (lanes >> (bit + 16) & 1u) {
            if (f->width == 8) end = yaff_append(end, f, yaff_load64(at8));
            at8 += 8;
        } else if (lanes >> bit & 1u) {
            if (f->width == 4)
                end = yaff_append(end, f, yaff_load32(at4));
            else if (f->width == 1)
                end = yaff_append(end, f, 0); /* an explicit false */
            at4 += 4;
        } else if (f->width == 1) {
            end = yaff_append(end, f, 1);
        }
    }
    return end;
}

/* The fields `set` at their static places. */
YAFF_HELPER yaff_item *yaff_list_places(yaff_item *end, const yaff_type *type, const yaff_block *b,
                                        const char *m, uint64_t set)
{
    const uint16_t *rows = yaff_block_rows(type, b, b->k, set);
    if (YAFF_UNLIKELY(!rows)) return yaff_list_found(end, type, b, m);
    for (; set; set &= set - 1) {
        const yaff_field *f = &type->fields[rows[yaff_lowest_bit((unsigned)set)] - 1u];
        end = yaff_append(end, f, yaff_bits_at(m + f->place, f->width));
    }
    return end;
}

/* The present fields of block b of a message that is not Fixed. */
YAFF_HELPER yaff_item *yaff_list_block(yaff_item *list, const yaff_type *type, const yaff_block *b,
                                       const char *m, uint64_t lanes0)
{
    if (lanes0 >> 63 == 0)
        return b->k < yaff_head_blocks(lanes0) ? yaff_list_sparse(list, type, b, m, lanes0) : list;
    if (yaff_head_kind(lanes0) == YAFF_HEAD_FLAT) return yaff_list_flat(list, type, b, m, lanes0);
    if (b->k == 0 || yaff_head_flat_has_block(lanes0, b->k)) {
        const uint64_t lanes = b->k ? yaff_lanes(m, b->k) : lanes0;
        if (YAFF_UNLIKELY((lanes & b->mask) != b->shape)) return yaff_list_found(list, type, b, m);
        return yaff_list_places(list, type, b, m, yaff_lane_set(lanes) & b->known);
    }
    return list;
}

#endif
