// The rules of spec/format.md, Sparse and Dynamic, by brute force. See choice.h.
#include "judge/choice.h"

#include <yaff/lanes.h>
#include <yaff/value.h>
extern "C" {
#include "layout/placement.h"
#include "layout/walk.h"
}

namespace judge {

namespace {

struct Choice {
    unsigned kind;
    uint32_t blocks; // of lanes; not of pinned Flat
    uint32_t cells8; // Sparse only
};

uint32_t round8(uint32_t n)
{
    return (n + 7) / 8 * 8;
}

Choice choose(const yaff_type *type, const void *p)
{
    bool unknown = yaff_unknown(p).size > 0, placed = !unknown;
    uint32_t highest = 0, sparse = UINT32_MAX, widest = UINT32_MAX, least_entries = UINT32_MAX;
    Choice choice = {0, 0, 0}, wide = choice; // the smallest; the one that covers most fields
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (yaff_find(p, type, i) == nullptr) continue;
        highest = type->fields[i].number;
        placed = placed && highest <= YAFF_FLAT_MAX_NUMBER;
    }
    if (type->layout == YAFF_LAYOUT_FLAT && !unknown) return {YAFF_HEAD_FLAT, 0, 0};
    for (uint32_t blocks = 1; blocks <= YAFF_SPARSE_MAX_BLOCKS; blocks++) {
        uint32_t cells8 = 0, cells4 = 0, entries = unknown;
        for (uint32_t i = 0; i < type->field_count; i++) {
            const yaff_field *f = &type->fields[i];
            const void *cell = yaff_find(p, type, i);
            if (cell == nullptr) continue;
            if (f->number > 16 * blocks)
                entries++;
            else if (f->width == 8)
                cells8++;
            else if (f->width == 4 || *static_cast<const uint8_t *>(cell) == 0)
                cells4++;
        }
        if (cells8 > YAFF_SPARSE_MAX_CELLS || cells4 > YAFF_SPARSE_MAX_CELLS) break;
        uint32_t size =
            8 * blocks + round8(8 * cells8 + 4 * cells4) + (entries ? 8 + 16 * entries : 0);
        Choice candidate = {entries ? YAFF_HEAD_SPARSE_DIRECTORY : YAFF_HEAD_SPARSE, blocks,
                            cells8};
        if (size < sparse) {
            sparse = size;
            choice = candidate;
        }
        if (entries < least_entries) {
            least_entries = entries;
            widest = size;
            wide = candidate;
        }
    }
    if (4 * uint64_t{widest} <= 5 * uint64_t{sparse}) {
        sparse = widest;
        choice = wide;
    }
    if (type->layout != YAFF_LAYOUT_DYNAMIC || !placed || highest == 0) return choice;
    uint32_t blocks = (highest + 15) / 16, flat = 8 * blocks;
    for (uint32_t i = 0; i < type->block_count && type->blocks[i].k < blocks; i++)
        flat += yaff_block_size(type->blocks[i].n4, type->blocks[i].n8);
    if (4 * flat <= 5 * sparse) choice = {YAFF_HEAD_FLAT_LANES, blocks, 0};
    return choice;
}

std::string check_own(const yaff_type *type, const void *p)
{
    uint64_t lanes0 = yaff_lanes(p, 0);
    Choice right = choose(type, p);
    unsigned kind = yaff_head_kind(lanes0);
    bool same = kind == right.kind;
    if (kind == YAFF_HEAD_FLAT_LANES)
        same = same && (yaff_head_limit(lanes0) + 15) / 16 == right.blocks;
    else if (kind != YAFF_HEAD_FLAT)
        same = same && yaff_head_blocks(lanes0) == right.blocks &&
               yaff_head_cells8(lanes0) == right.cells8;
    if (same) return "";
    return std::string(type->name) + " has head " + std::to_string(yaff_lane_top(lanes0)) +
           ", and should be of kind " + std::to_string(right.kind) + " with " +
           std::to_string(right.blocks) + " blocks";
}

} // namespace

std::string wrong_choice(const yaff_type *type, const void *p)
{
    std::string wrong = type->layout == YAFF_LAYOUT_FIXED ? "" : check_own(type, p);
    yaff_walk w;
    yaff_walk_begin(&w, type, p);
    while (wrong.empty() && yaff_walk_next(&w)) {
        const yaff_type *child = w.field->type;
        if (child == nullptr) continue;
        if (w.field->width == 0) {
            wrong = wrong_choice(child, w.cell);
        } else if (w.field->flags & YAFF_FIELD_REPEATED) {
            uint64_t span = yaff_load64(w.cell);
            for (size_t i = 0; wrong.empty() && i < yaff_span_count(span); i++) {
                if (child->layout == YAFF_LAYOUT_FIXED)
                    wrong = wrong_choice(child,
                                         yaff_array_fixed(p, span, i, child->body_size, nullptr));
                else if (yaff_array_at4(p, span, i) != 0) // 0 is an empty one
                    wrong = wrong_choice(child, yaff_array_message(p, span, i, nullptr));
            }
        } else if (yaff_load32(w.cell) != 0) {
            wrong = wrong_choice(child, yaff_ref_message(p, yaff_load32(w.cell), nullptr));
        }
    }
    return wrong;
}

} // namespace judge
