/* Listing present fields: the less usual ways a message may be stored. See wire_list.h. */
#include "wire_list.h"

#include "layout/find.h"

yaff_item *yaff_list_found(yaff_item *list, const yaff_type *type, const yaff_block *b,
                           const char *m)
{
    const uint32_t last = b->first + yaff_popcount16(b->known);
    for (uint32_t row = b->first; row < last; row++) {
        const yaff_field *f = &type->fields[row];
        const void *cell = yaff_find(m, type, row);
        if (cell) list = yaff_append(list, f, yaff_bits_at(cell, f->width));
    }
    return list;
}

/* Without set lanes, what is not zero is present. */
yaff_item *yaff_list_flat(yaff_item *list, const yaff_type *type, const yaff_block *b,
                          const char *m, uint64_t lanes0)
{
    const uint32_t last = b->first + yaff_popcount16(b->known);
    if (type->layout != YAFF_LAYOUT_FLAT || yaff_head_limit(lanes0) < type->limit)
        return yaff_list_found(list, type, b, m);
    if (yaff_flat_has_sets(lanes0))
        return yaff_list_places(list, type, b, m,
                                b->known & yaff_flat_set_lane((const uint8_t *)m, b->k));
    for (uint32_t row = b->first; row < last; row++) {
        const yaff_field *f = &type->fields[row];
        uint64_t bits = yaff_bits_at(m + f->place, f->width);
        if (bits != 0) list = yaff_append(list, f, bits);
    }
    return list;
}

yaff_item *yaff_list_directory(yaff_item *list, const yaff_type *type, const char *m,
                               uint64_t lanes0, uint32_t *left)
{
    uint32_t count;
    const uint8_t *entry = yaff_directory((const uint8_t *)m, lanes0, &count);
    const uint32_t last = *left, first = last > YAFF_LIST_MAX ? last - YAFF_LIST_MAX : 0;
    for (uint32_t i = first; i < last; i++) {
        const uint8_t *at = entry + (size_t)YAFF_DIRECTORY_ENTRY * i;
        const yaff_field *f = yaff_type_field(type, yaff_load32(at));
        if (f && yaff_load32(at + YAFF_DIRECTORY_CLASS) == f->width)
            list = yaff_append(list, f, yaff_bits_at(at + YAFF_DIRECTORY_CELL, f->width));
    }
    *left = first;
    return list;
}

yaff_item *yaff_list_fixed(yaff_item *list, const yaff_type *type, const char *m, uint32_t *left)
{
    const bool entry = type->flags & YAFF_TYPE_MAP_ENTRY;
    const uint32_t last = *left, first = last > YAFF_LIST_MAX ? last - YAFF_LIST_MAX : 0;
    for (uint32_t row = first; row < last; row++) {
        const yaff_field *f = &type->fields[row];
        const char *cell = m + f->place;
        const bool always = entry || f->flags & YAFF_FIELD_REQUIRED;
        if (f->width != 0) {
            uint64_t bits = yaff_bits_at(cell, f->width);
            if (bits != 0 || always) list = yaff_append(list, f, bits);
        } else if (always || memcmp(cell, f->type->instance, f->type->body_size) != 0) {
            list = yaff_append(list, f, 0);
        }
    }
    *left = first;
    return list;
}

bool yaff_list_lost(const yaff_type *type, const char *m, const yaff_field *f, uint64_t *seen)
{
    const unsigned i = f->oneof - 1u;
    bool lost;
    if (i >= 64) return yaff_oneof_lost((const uint8_t *)m, type, f);
    lost = *seen >> i & 1u;
    *seen |= UINT64_C(1) << i;
    return lost;
}
