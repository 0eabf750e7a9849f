/* Choosing a representation and writing the lanes that tell it. See choose.h. */
#include "choose.h"

enum { DIRECTORY_ENTRY = 16, DIRECTORY_SPAN = 8 };

static uint32_t round8(uint32_t n)
{
    return (n + 7u) & ~7u;
}

/* How many cells of each width the present fields of one block take in a Sparse message. */
static void count_cells(const yaff_block *block, unsigned set, unsigned falses, uint32_t *cells8,
                        uint32_t *cells4)
{
    unsigned n8 = block->n8 & ~(unsigned)block->n4, n4 = block->n4 & ~(unsigned)block->n8;
    *cells8 += yaff_popcount16(set & n8);
    *cells4 += yaff_popcount16((set & n4) | falses);
}

static uint32_t sparse_size(const yaff_plan *plan)
{
    return plan->before + plan->body + DIRECTORY_ENTRY * plan->entries;
}

/* Whether a form that is read faster is worth its size: up to 5/4 of the smallest one's. */
static bool is_worth(uint32_t size, uint32_t smallest)
{
    return 4 * size <= 5 * smallest;
}

/* As many blocks as present fields ask for, or else the smallest number of blocks among those that
 * make the message smallest. */
static void plan_sparse(const yaff_type *type, const yaff_presence *present, yaff_plan *plan)
{
    uint32_t outside = present->unknown ? 1 : 0; /* entries if only the blocks so far had lanes */
    for (uint32_t i = 0; i < type->block_count; i++)
        outside += yaff_popcount16(present->blocks[i].set);

    uint32_t cells8 = 0, cells4 = 0, least = UINT32_MAX;
    yaff_plan candidate;
    for (uint32_t i = 0; i <= type->block_count; i++) {
        uint32_t blocks = 1;
        if (i > 0) { /* candidate 0 is one block of lanes, even where the type has no field in it */
            const yaff_block *block = &type->blocks[i - 1];
            unsigned set = present->blocks[i - 1].set;
            if (set == 0) continue;
            count_cells(block, set, present->blocks[i - 1].falses, &cells8, &cells4);
            if (block->k >= YAFF_SPARSE_MAX_BLOCKS || cells8 > YAFF_SPARSE_MAX_CELLS ||
                cells4 > YAFF_SPARSE_MAX_CELLS)
                break;
            outside -= yaff_popcount16(set);
            blocks = block->k + 1;
        } else if (type->block_count > 0 && type->blocks[0].k == 0 && present->blocks[0].set != 0) {
            continue;
        }
        candidate.kind = outside ? YAFF_HEAD_SPARSE_DIRECTORY : YAFF_HEAD_SPARSE;
        candidate.blocks = blocks;
        candidate.cells8 = cells8;
        candidate.entries = outside;
        candidate.before = 8 * blocks + (outside ? DIRECTORY_SPAN : 0);
        candidate.body = round8(8 * cells8 + 4 * cells4);
        if (sparse_size(&candidate) < least) {
            least = sparse_size(&candidate);
            *plan = candidate;
        }
    }
    if (is_worth(sparse_size(&candidate), least)) *plan = candidate; /* the last one */
}

/* The Flat-with-lanes plan, without trailing blocks that hold nothing; false when a present field
 * has no place in Flat. */
static bool plan_flat_lanes(const yaff_type *type, const yaff_presence *present, yaff_plan *plan)
{
    uint32_t i = type->block_count;
    while (i > 0 && present->blocks[i - 1].set == 0) i--;
    if (i == 0) return false;
    const yaff_block *last = &type->blocks[i - 1];
    unsigned unplaced = present->blocks[i - 1].set & ~((unsigned)last->n4 | last->n8);
    if (last->mask == 0 || unplaced != 0) return false;
    plan->kind = YAFF_HEAD_FLAT_LANES;
    plan->blocks = last->k + 1;
    plan->before = 8 * plan->blocks;
    plan->body = yaff_flat_body(type, i);
    plan->cells8 = plan->entries = 0;
    return true;
}

uint32_t yaff_dense(const yaff_type *type)
{
    if (type->block_count == 0 || type->blocks[0].k != 0) return 0;
    if (type->layout == YAFF_LAYOUT_SPARSE) return UINT32_MAX;
    if (type->layout != YAFF_LAYOUT_DYNAMIC) return 0;
    uint32_t sparse = 0;
    while (!is_worth(8 + yaff_flat_body(type, 1), 8 + sparse)) sparse += 4;
    return sparse; /* not 0: a block's Flat body has 8 bytes or more */
}

static void plan_flat(const yaff_type *type, yaff_plan *plan)
{
    plan->kind = YAFF_HEAD_FLAT;
    plan->blocks = type->flags & YAFF_TYPE_SETS ? (type->limit + 15u) / 16u : 0;
    plan->before = round8(2 + 2 * plan->blocks);
    plan->body = type->body_size;
    plan->cells8 = plan->entries = 0;
}

void yaff_choose(const yaff_type *type, const yaff_presence *present, yaff_plan *plan)
{
    if (type->layout == YAFF_LAYOUT_FLAT && !present->unknown) {
        plan_flat(type, plan);
        return;
    }
    plan_sparse(type, present, plan);
    yaff_plan flat;
    if (type->layout == YAFF_LAYOUT_DYNAMIC && !present->unknown &&
        plan_flat_lanes(type, present, &flat) &&
        is_worth(flat.before + flat.body, sparse_size(plan)))
        *plan = flat;
}

static unsigned head(const yaff_type *type, const yaff_plan *plan)
{
    switch (plan->kind) {
    case YAFF_HEAD_FLAT_LANES: {
        unsigned limit = 16 * plan->blocks;
        return YAFF_FLAT_LANES_HEAD | (limit < type->limit ? limit : type->limit);
    }
    case YAFF_HEAD_FLAT:
        return YAFF_FLAT_HEAD | (plan->blocks ? YAFF_FLAT_HEAD_SETS : 0) | type->limit;
    default:
        return plan->kind << 14 | plan->blocks << 8 | plan->cells8;
    }
}

static void write_sets(const yaff_type *type, const yaff_presence *present, const yaff_plan *plan,
                       uint8_t *p)
{
    memset(p - plan->before, 0, plan->before);
    for (uint32_t i = 0; i < type->block_count && type->blocks[i].k < plan->blocks; i++)
        yaff_store16(p - 4 - 2 * (size_t)type->blocks[i].k, present->blocks[i].set);
    yaff_store16(p - 2, (uint16_t)head(type, plan));
}

void yaff_write_lanes(const yaff_type *type, const yaff_presence *present, const yaff_plan *plan,
                      uint8_t *p)
{
    if (plan->kind == YAFF_HEAD_FLAT) {
        write_sets(type, present, plan, p);
        return;
    }
    bool flat = plan->kind == YAFF_HEAD_FLAT_LANES;
    uint32_t i = 0, rank8 = 0, rank4 = 0;
    for (uint32_t k = 0; k < plan->blocks; k++) {
        bool mine = i < type->block_count && type->blocks[i].k == k;
        const yaff_block *block = mine ? &type->blocks[i] : NULL;
        unsigned set = mine ? present->blocks[i].set : 0, n4 = 0, n8 = 0, top;
        if (flat) {
            if (mine) {
                n4 = block->n4;
                n8 = block->n8;
            }
            top = i < type->block_count ? type->blocks[i].start : type->body_size / 8;
        } else {
            top = rank8 | rank4 << 8;
            if (mine) {
                n4 = (set & block->n4 & ~(unsigned)block->n8) | present->blocks[i].falses;
                n8 = set & block->n8 & ~(unsigned)block->n4;
                count_cells(block, set, present->blocks[i].falses, &rank8, &rank4);
            }
        }
        if (k == 0) top = head(type, plan);
        yaff_store64(p - 8 * ((size_t)k + 1), yaff_lanes_word(n4, n8, set, top));
        if (mine) i++;
    }
}
