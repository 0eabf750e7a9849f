/* The out-of-line reader: a field of any kind of message, whoever wrote it. */
#include "find.h"

#include <yaff/value.h>

YAFF_ALIGN8 const uint64_t yaff_empty_message[2] = {0, 0};

static const uint8_t bool_cells[2] = {0, 1};

const uint8_t *yaff_sparse_cell(const uint8_t *p, uint64_t lanes0, uint64_t lanes,
                                const yaff_field *f)
{
    unsigned n4 = yaff_lane_n4(lanes), n8 = yaff_lane_n8(lanes);
    unsigned bit = yaff_number_bit(f->number), below = (1u << bit) - 1u;
    bool first = f->number <= YAFF_BLOCK_NUMBERS; /* block 0's top lane is the head, its ranks 0 */
    bool has4 = n4 >> bit & 1u, has8 = n8 >> bit & 1u;
    unsigned ranks = first ? 0 : yaff_lane_top(lanes);

    if (!(yaff_lane_set(lanes) >> bit & 1u)) return NULL;
    switch (f->width) {
    case 1:
        return has8 ? NULL : &bool_cells[!has4];
    case 4:
        if (!has4) return NULL;
        return p + 8 * yaff_head_cells8(lanes0) + 4 * ((ranks >> 8) + yaff_popcount16(n4 & below));
    default:
        if (!has8) return NULL;
        return p + 8 * ((ranks & 0xffu) + yaff_popcount16(n8 & below));
    }
}

const uint8_t *yaff_directory(const uint8_t *p, uint64_t lanes0, uint32_t *count)
{
    uint64_t span = yaff_load64(p - 8 * ((size_t)yaff_head_blocks(lanes0) + 1));
    *count = (uint32_t)(span >> 32);
    return p + (int32_t)(uint32_t)span;
}

static const uint8_t *directory_cell(const uint8_t *p, uint64_t lanes0, const yaff_field *f)
{
    uint32_t high, low = 0;
    const uint8_t *entries = yaff_directory(p, lanes0, &high), *entry;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        entry = entries + (size_t)YAFF_DIRECTORY_ENTRY * middle;
        if (yaff_load32(entry) < f->number) {
            low = middle + 1;
        } else if (yaff_load32(entry) > f->number) {
            high = middle;
        } else {
            if (yaff_load32(entry + YAFF_DIRECTORY_CLASS) != f->width) return NULL;
            return entry + YAFF_DIRECTORY_CELL;
        }
    }
    return NULL;
}

static const uint8_t *flat_lanes_cell(const uint8_t *p, uint64_t lanes, const yaff_block *block,
                                      const yaff_field *f)
{
    uint32_t place;
    if (!(yaff_lane_set(lanes) >> yaff_number_bit(f->number) & 1u)) return NULL;
    place = yaff_flat_lanes_place(lanes, block, f);
    return place == YAFF_NO_PLACE ? NULL : p + place;
}

static const uint8_t *flat_cell(const uint8_t *p, uint64_t lanes0, const yaff_type *type,
                                const yaff_field *f)
{
    if (f->number > yaff_flat_reach(type, yaff_head_limit(lanes0))) return NULL;
    if (yaff_flat_has_sets(lanes0)) {
        unsigned set = yaff_flat_set_lane(p, (f->number - 1) / YAFF_BLOCK_NUMBERS);
        return set >> yaff_number_bit(f->number) & 1u ? p + f->place : NULL;
    }
    return yaff_cell_is_zero(p + f->place, f->width) ? NULL : p + f->place;
}

/* yaff_find() without the rule for oneofs. */
static const uint8_t *find_cell(const uint8_t *p, const yaff_type *type, const yaff_field *f)
{
    uint64_t lanes0 = yaff_lanes(p, 0);
    uint32_t k = (f->number - 1) / YAFF_BLOCK_NUMBERS;
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT_LANES:
        if (f->number > yaff_head_limit(lanes0)) return NULL;
        return flat_lanes_cell(p, yaff_lanes(p, k), &type->blocks[f->block], f);
    case YAFF_HEAD_FLAT:
        return flat_cell(p, lanes0, type, f);
    default:
        if (k < yaff_head_blocks(lanes0)) return yaff_sparse_cell(p, lanes0, yaff_lanes(p, k), f);
        if (yaff_head_kind(lanes0) == YAFF_HEAD_SPARSE_DIRECTORY)
            return directory_cell(p, lanes0, f);
        return NULL;
    }
}

bool yaff_oneof_lost(const uint8_t *p, const yaff_type *type, const yaff_field *f)
{
    const yaff_oneof *oneof = &type->oneofs[f->oneof - 1];
    uint32_t row = (uint32_t)(f - type->fields), low = 0, high = oneof->member_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (oneof->members[middle] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < oneof->member_count; low++)
        if (find_cell(p, type, &type->fields[oneof->members[low]])) return true;
    return false;
}

const void *yaff_find(const void *p, const yaff_type *type, uint32_t row)
{
    const yaff_field *f = &type->fields[row];
    const uint8_t *cell = find_cell((const uint8_t *)p, type, f);
    if (cell && f->oneof && yaff_oneof_lost((const uint8_t *)p, type, f)) return NULL;
    return cell;
}

bool yaff_find_get1(const void *p, const yaff_type *type, uint32_t row)
{
    const uint8_t *cell = (const uint8_t *)yaff_find(p, type, row);
    return cell && *cell != 0;
}

uint32_t yaff_find_get4(const void *p, const yaff_type *type, uint32_t row)
{
    const void *cell = yaff_find(p, type, row);
    return cell ? yaff_load32(cell) : 0;
}

uint64_t yaff_find_get8(const void *p, const yaff_type *type, uint32_t row)
{
    const void *cell = yaff_find(p, type, row);
    return cell ? yaff_load64(cell) : 0;
}

const void *yaff_find_message(const void *p, const yaff_type *type, uint32_t row)
{
    return yaff_ref_message(p, yaff_find_get4(p, type, row), type->fields[row].type->instance);
}

bool yaff_find_has(const void *p, const yaff_type *type, uint32_t row)
{
    return yaff_find(p, type, row) != NULL;
}

uint32_t yaff_find_case(const void *p, const yaff_type *type, uint32_t oneof)
{
    const yaff_oneof *o = &type->oneofs[oneof];
    for (uint32_t i = o->member_count; i-- > 0;) {
        const yaff_field *f = &type->fields[o->members[i]];
        if (find_cell((const uint8_t *)p, type, f)) return f->number;
    }
    return 0;
}

yaff_str yaff_unknown(const void *p)
{
    yaff_str none = {"", 0}, found;
    uint64_t lanes0 = yaff_lanes(p, 0), span;
    uint32_t count;
    const uint8_t *entry;
    if (yaff_head_kind(lanes0) != YAFF_HEAD_SPARSE_DIRECTORY) return none;
    entry = yaff_directory((const uint8_t *)p, lanes0, &count);
    if (count == 0 || yaff_load32(entry) != 0) return none;
    span = yaff_load64(entry + YAFF_DIRECTORY_CELL);
    found.data = (const char *)p + (int32_t)(uint32_t)span;
    found.size = (size_t)(span >> 32);
    return found;
}
