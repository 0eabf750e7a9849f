/* The heads and lanes of messages, whoever wrote them: whether they agree with themselves, and where the
 * writer had another schema, with mine. See verifier.h. */
#include "verifier.h"

#include <yaff/sparse.h>

#include "layout/find.h"
#include "wire_read.h"

enum { MAX_FIELD_NUMBER = 536870911 };

yaff_status yaff_claim_fault(const verifier *v, size_t at, uint64_t size)
{
    bool outside = size > v->size - at;
    return yaff_fail(v->err, outside ? YAFF_OUT_OF_BOUNDS : YAFF_OVERLAP, at);
}

/* As resolve(), of what may not be shared: it must not lie behind, and its bytes and elements are
 * charged. (The directory of a message without a body stands at p.) */
static yaff_status resolve_object(verifier *v, size_t owner, uint64_t span, size_t cell,
                                  uint64_t element, size_t align, size_t *at)
{
    yaff_status status;
    *at = 0;
    if ((int32_t)(uint32_t)span < 0) return yaff_fail(v->err, YAFF_BAD_CELL, cell);
    status = resolve(v, owner, span, cell, element, align, at);
    if (!status) status = claim(v, *at, 0, yaff_span_count(span) * element);
    return status ? status : visit(v, *at, yaff_span_count(span));
}

yaff_status yaff_verify_unset(const verifier *v, const yaff_type *type, const yaff_block *block,
                              unsigned absent, bool has_lanes, size_t at)
{
    for (; absent; absent &= absent - 1) {
        unsigned lower = block->known & ((1u << yaff_lowest_bit(absent)) - 1u);
        const yaff_field *f = &type->fields[block->first + yaff_popcount16(lower)];
        uint64_t lanes = has_lanes ? yaff_lanes(v->base + at, block->k) : 0;
        uint32_t place = has_lanes ? yaff_flat_lanes_place(lanes, block, f) : f->place;
        if (place == YAFF_NO_PLACE || yaff_cell_is_zero(v->base + at + place, f->width)) continue;
        yaff_fail(v->err, YAFF_BAD_CELL, at + place);
        yaff_path_field(v->err, f);
        return YAFF_BAD_CELL;
    }
    return YAFF_OK;
}

/* Kind 11. Each block starts where the one before ends, so one pass finds the body's size. */
static yaff_status verify_flat_lanes(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0)
{
    const uint8_t *p = v->base + at;
    uint32_t limit = yaff_head_limit(lanes0), start = 0, k;
    uint32_t blocks = (limit + YAFF_BLOCK_NUMBERS - 1) / YAFF_BLOCK_NUMBERS;
    yaff_status status;

    if (limit == 0 || yaff_lane_top(lanes0) & 0x2000u)
        return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);
    if (8 * (size_t)blocks > at - v->floor) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at - 2);
    for (k = 0; k < blocks; k++) {
        uint64_t lanes = yaff_lanes(p, k);
        unsigned n4 = yaff_lane_n4(lanes), n8 = yaff_lane_n8(lanes);
        if ((k > 0 && yaff_lane_top(lanes) != start) || (yaff_lane_set(lanes) & ~(n4 | n8)) ||
            ((n4 | n8) & ~bits_within(k, limit)))
            return yaff_fail(v->err, YAFF_BAD_HEAD, at - 8 * ((size_t)k + 1));
        start += yaff_block_size(n4, n8) / 8;
    }
    status = claim(v, at, 8 * (uint64_t)blocks, 8 * (uint64_t)start);
    for (k = 0; !status && k < type->block_count && type->blocks[k].k < blocks; k++) {
        const yaff_block *block = &type->blocks[k];
        unsigned set = yaff_lane_set(yaff_lanes(p, block->k));
        unsigned absent = block->known & ~set & bits_within(block->k, limit);
        status = yaff_verify_unset(v, type, block, absent, true, at);
    }
    return status;
}

/* Kind 10. The writer's body is whole but only my part of it is known to me. */
static yaff_status verify_flat(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0)
{
    const uint8_t *p = v->base + at;
    uint32_t limit = yaff_head_limit(lanes0), reach, k;
    uint32_t blocks = (limit + YAFF_BLOCK_NUMBERS - 1) / YAFF_BLOCK_NUMBERS;
    size_t before = 2, body = 0;
    yaff_status status;

    if (limit == 0) return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);
    if (yaff_flat_has_sets(lanes0)) before += 2 * (size_t)blocks;
    before = (before + 7) / 8 * 8;
    if (before > at - v->floor) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at - 2);
    if (yaff_flat_has_sets(lanes0) &&
        (yaff_flat_set_lane(p, blocks - 1) & ~bits_within(blocks - 1, limit)))
        return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);

    /* A field of mine that the writer may have stored, behind a number whose width is unknown
     * to me. */
    reach = yaff_flat_reach(type, limit);
    for (k = 0; reach < limit && k < type->block_count && type->blocks[k].k < blocks; k++) {
        const yaff_block *block = &type->blocks[k];
        unsigned hidden = block->known & bits_within(block->k, limit);
        if (16 * block->k < reach) hidden &= ~bits_within(block->k, reach);
        if (hidden) {
            yaff_fail(v->err, YAFF_SCHEMA_MISMATCH, at - 2);
            hidden = block->known & ((1u << yaff_lowest_bit(hidden)) - 1u);
            yaff_path_field(v->err, &type->fields[block->first + yaff_popcount16(hidden)]);
            return YAFF_SCHEMA_MISMATCH;
        }
    }

    /* Nothing behind reach is read, and how much of it there is, I can't tell. */
    if (reach >= type->limit) {
        body = type->body_size;
    } else {
        for (k = 0; k < type->block_count && 16 * type->blocks[k].k < reach; k++) {
            const yaff_block *block = &type->blocks[k];
            unsigned within = bits_within(block->k, reach);
            body =
                8 * (size_t)block->start + yaff_block_size(block->n4 & within, block->n8 & within);
        }
    }
    status = claim(v, at, before, body);
    for (k = 0; !status && k < type->block_count && 16 * type->blocks[k].k < reach; k++) {
        const yaff_block *block = &type->blocks[k];
        unsigned set = yaff_flat_has_sets(lanes0) ? yaff_flat_set_lane(p, block->k) : 0xffffu;
        unsigned absent = block->known & ~set & bits_within(block->k, reach);
        status = yaff_verify_unset(v, type, block, absent, false, at);
    }
    return status;
}

static yaff_status verify_directory(verifier *v, size_t at, uint64_t lanes0, uint32_t depth)
{
    size_t span_at = at - 8 * ((size_t)yaff_head_blocks(lanes0) + 1), entry, end, bytes;
    uint64_t span = yaff_load64(v->base + span_at);
    uint32_t covered = YAFF_BLOCK_NUMBERS * yaff_head_blocks(lanes0), last = 0;
    yaff_status status;

    if (yaff_span_count(span) == 0) return yaff_fail(v->err, YAFF_BAD_DIRECTORY, span_at);
    status = resolve_object(v, at, span, span_at, YAFF_DIRECTORY_ENTRY, 8, &entry);
    if (status) return status;
    end = entry + YAFF_DIRECTORY_ENTRY * yaff_span_count(span);
    for (bool first = true; entry < end; first = false, entry += YAFF_DIRECTORY_ENTRY) {
        uint32_t number = yaff_load32(v->base + entry);
        uint32_t width = yaff_load32(v->base + entry + YAFF_DIRECTORY_CLASS);
        uint64_t cell = yaff_load64(v->base + entry + YAFF_DIRECTORY_CELL);
        bool legal = width == 8 || (width == 4 && cell >> 32 == 0) || (width == 1 && cell <= 1);
        if (number == 0)
            legal = first && width == 8 && yaff_span_count(cell) > 0;
        else if (number <= covered || number > MAX_FIELD_NUMBER || number <= last)
            legal = false;
        if (!legal) return yaff_fail(v->err, YAFF_BAD_DIRECTORY, entry);
        last = number;
        if (number != 0) continue;
        status = resolve(v, at, cell, entry + YAFF_DIRECTORY_CELL, 1, 1, &bytes);
        if (!status) status = claim(v, bytes, 0, yaff_span_count(cell));
        if (status) return status;
        const uint8_t *wire = v->base + bytes, *behind = wire + yaff_span_count(cell), *fault;
        if (!v->borrowed && (behind == v->base + v->size || *behind != 0))
            return yaff_fail(v->err, YAFF_NOT_TERMINATED, bytes);
        status = yaff_check_fields(wire, behind, v->max_depth - depth, &fault);
        if (status) return yaff_fail(v->err, status, (size_t)(fault - v->base));
    }
    return YAFF_OK;
}

/* Kinds 00 and 01. */
static yaff_status verify_sparse(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                                 uint32_t depth)
{
    const uint8_t *p = v->base + at;
    bool directory = yaff_head_kind(lanes0) == YAFF_HEAD_SPARSE_DIRECTORY;
    uint32_t blocks = yaff_head_blocks(lanes0), cells8 = 0, cells4 = 0, k;
    uint64_t before = 8 * ((uint64_t)blocks + directory);
    yaff_status status;

    if (blocks == 0) return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);
    if (before > at - v->floor) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at - 2);
    for (k = 0; k < blocks; k++) {
        uint64_t lanes = yaff_lanes(p, k);
        unsigned n4 = yaff_lane_n4(lanes), n8 = yaff_lane_n8(lanes);
        bool wrong = (n4 & n8) != 0 || ((n4 | n8) & ~yaff_lane_set(lanes)) != 0;
        if (k > 0 && yaff_lane_top(lanes) != (cells8 | cells4 << 8)) wrong = true;
        cells8 += yaff_popcount16(n8);
        cells4 += yaff_popcount16(n4);
        if (wrong || cells8 > YAFF_SPARSE_MAX_CELLS || cells4 > YAFF_SPARSE_MAX_CELLS)
            return yaff_fail(v->err, YAFF_BAD_HEAD, at - 8 * ((size_t)k + 1));
    }
    if (cells8 != yaff_head_cells8(lanes0)) return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);
    status = claim(v, at, before, 8 * (uint64_t)cells8 + 8 * ((uint64_t)(cells4 + 1) / 2));

    /* A cell behind a bool means false and holds nothing. */
    for (k = 0; !status && k < type->block_count && type->blocks[k].k < blocks; k++) {
        const yaff_block *block = &type->blocks[k];
        uint64_t lanes = yaff_lanes(p, block->k);
        unsigned falses = block->known & block->n4 & block->n8 & yaff_lane_n4(lanes);
        for (; falses; falses &= falses - 1) {
            unsigned bit = yaff_lowest_bit(falses), lower = block->known & ((1u << bit) - 1u);
            if (yaff_rank_get4(p, lanes0, lanes, block->k, bit) == 0) continue;
            yaff_fail(v->err, YAFF_BAD_CELL, at);
            yaff_path_field(v->err, &type->fields[block->first + yaff_popcount16(lower)]);
            return YAFF_BAD_CELL;
        }
    }
    if (!status && directory) status = verify_directory(v, at, lanes0, depth);
    return status;
}

yaff_status yaff_verify_lanes(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                              uint32_t depth)
{
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT_LANES:
        return verify_flat_lanes(v, type, at, lanes0);
    case YAFF_HEAD_FLAT:
        return verify_flat(v, type, at, lanes0);
    default:
        return verify_sparse(v, type, at, lanes0, depth);
    }
}
