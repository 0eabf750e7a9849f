/* The inline helpers of layout/yaff, called with a table's values as a generated accessor of
 * the type's layout calls them with constants. */
#ifndef YAFF_TESTS_ACCESS_H
#define YAFF_TESTS_ACCESS_H

#include <yaff/dynamic.h>
#include <yaff/fixed.h>
#include <yaff/flat.h>
#include <yaff/sparse.h>

/* A field's bits; not for a Fixed message inline in another. */
static inline uint64_t inline_get(const yaff_type *type, uint32_t row, const void *p)
{
    const yaff_field *f = &type->fields[row];
    const yaff_block *b = type->blocks ? &type->blocks[f->block] : NULL;
    unsigned k = b ? b->k : 0, bit = (f->number - 1) % 16;
    bool placed = f->place != YAFF_NO_PLACE; /* 8192 has none, though others of its block do */
    uint64_t mask = b && placed ? b->mask : 0, shape = b && placed ? b->shape : 1;
    switch (type->layout) {
    case YAFF_LAYOUT_FIXED:
        if (f->width == 1) return yaff_fixed_get1(p, f->place);
        if (f->width == 4) return yaff_fixed_get4(p, f->place);
        return yaff_fixed_get8(p, f->place);
    case YAFF_LAYOUT_FLAT:
        if (f->width == 1) return yaff_flat_get1(p, type->limit, f->place, type, row);
        if (f->width == 4) return yaff_flat_get4(p, type->limit, f->place, type, row);
        return yaff_flat_get8(p, type->limit, f->place, type, row);
    case YAFF_LAYOUT_SPARSE:
        if (f->width == 1) return yaff_sparse_get1(p, k, bit, type, row);
        if (f->width == 4) return yaff_sparse_get4(p, k, shape, bit, type, row);
        return yaff_sparse_get8(p, k, shape, bit, type, row);
    default:
        if (f->width == 1) return yaff_dynamic_get1(p, k, mask, shape, bit, f->place, type, row);
        if (f->width == 4) return yaff_dynamic_get4(p, k, mask, shape, bit, f->place, type, row);
        return yaff_dynamic_get8(p, k, mask, shape, bit, f->place, type, row);
    }
}

/* Presence; not in Fixed messages. */
static inline bool inline_has(const yaff_type *type, uint32_t row, const void *p)
{
    const yaff_field *f = &type->fields[row];
    unsigned bit = (f->number - 1) % 16, group = 1u << bit;
    uint32_t k = type->blocks[f->block].k;
    if (f->oneof) {
        const yaff_oneof *oneof = &type->oneofs[f->oneof - 1];
        for (uint32_t i = 0; i < oneof->member_count; i++) {
            const yaff_field *member = &type->fields[oneof->members[i]];
            if (member->block != f->block) return yaff_find_has(p, type, row);
            if (member->number > f->number) group |= 1u << (member->number - 1) % 16;
        }
    }
    switch (type->layout) {
    case YAFF_LAYOUT_FLAT:
        return yaff_flat_has(p, type->limit, k, bit, group, type, row);
    case YAFF_LAYOUT_SPARSE:
        return yaff_sparse_has(p, k, bit, group, type, row);
    default:
        return yaff_dynamic_has(p, k, bit, group, type, row);
    }
}

/* What pkg_Msg_fields() asks: may the body be read as a C struct? */
static inline bool inline_fields(const yaff_type *type, const void *p)
{
    uint64_t lanes0 = yaff_lanes(p, 0);
    bool all = type->block_count > 0;
    if (yaff_head_kind(lanes0) == YAFF_HEAD_FLAT) return yaff_head_limit(lanes0) >= type->limit;
    for (uint32_t i = 0; all && i < type->block_count; i++) {
        const yaff_block *b = &type->blocks[i];
        all = yaff_dynamic_static(p, lanes0, b->k, b->mask, b->shape);
    }
    return all;
}

#endif
