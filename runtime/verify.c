/* The verifier. Top-down: a message's head and lanes first, so that the iterator may walk it,
 * then what each present field points to. spec/format.md, Verifying.
 *
 * Why it is linear: every object visited (lanes and body, directory, arrays of references,
 * spans, structs and map entries, unknown bytes) is charged to a budget of as many bytes as the
 * buffer has, so what is visited twice soon is too much. Strings, bytes and arrays of numbers
 * may be shared; they cost O(1) each, or, where their bytes are looked at, a charge to a second
 * budget.
 *
 * Offsets are kept as size_t from the buffer's start; they never exceed its size, 2^31 - 8. */
#include <yaff/verify.h>

#include <yaff/buffer.h>
#include <yaff/sparse.h>
#include <yaff/value.h>

#include "layout/find.h"
#include "layout/walk.h"
#include "path.h"
#include "record.h"
#include "utf8.h"
#include "wire_read.h"

enum {
    MAX_FIELD_NUMBER = 536870911,
    SCANS_PER_BYTE = 8 /* bool arrays, map keys and checked strings may be looked at as often */
};

typedef struct verifier {
    const uint8_t *base;
    size_t size;
    size_t floor;   /* no object begins below */
    size_t objects; /* bytes that further objects may take */
    uint64_t scans; /* bytes of possibly shared data that may still be looked at */
    uint32_t max_depth;
    bool utf8;
    bool borrowed;
    yaff_error *err;
} verifier;

static yaff_status verify_message(verifier *v, const yaff_type *type, size_t at, uint32_t depth);
static yaff_status verify_fields(verifier *v, const yaff_type *type, size_t at, uint32_t depth);

static size_t offset_of(const verifier *v, const uint8_t *cell)
{
    return (size_t)(cell - v->base);
}

/* An object of `before` bytes below `at`, known to be there, and `size` bytes from `at` on: is
 * it in the buffer, and not more than the buffer can hold? `at` lies in the buffer. */
static yaff_status claim(verifier *v, size_t at, uint64_t before, uint64_t size)
{
    if (size > v->size - at) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at);
    if (before + size > v->objects) return yaff_fail(v->err, YAFF_OVERLAP, at);
    v->objects -= (size_t)(before + size);
    return YAFF_OK;
}

static yaff_status scan(verifier *v, size_t at, uint64_t size)
{
    if (size > v->scans) return yaff_fail(v->err, YAFF_OVERLAP, at);
    v->scans -= size;
    return YAFF_OK;
}

/* Where the data of a span with count > 0 lies: `element` bytes each, all inside the buffer.
 * `cell` is for the error. */
static yaff_status resolve(const verifier *v, size_t owner, uint64_t span, size_t cell,
                           uint64_t element, size_t align, size_t *at)
{
    /* Negative ones become too large. */
    uint64_t target = (uint64_t)((int64_t)owner + (int32_t)(uint32_t)span);
    *at = 0;
    if (target > v->size || yaff_span_count(span) * element > v->size - target)
        return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, cell);
    if (target % align != 0) return yaff_fail(v->err, YAFF_MISALIGNED, cell);
    *at = (size_t)target;
    return YAFF_OK;
}

/* The same for what may not be shared: it must not lie behind, and its bytes are charged. (The
 * directory of a message without a body stands at p.) */
static yaff_status resolve_object(verifier *v, size_t owner, uint64_t span, size_t cell,
                                  uint64_t element, size_t align, size_t *at)
{
    yaff_status status;
    *at = 0;
    if ((int32_t)(uint32_t)span < 0) return yaff_fail(v->err, YAFF_BAD_CELL, cell);
    status = resolve(v, owner, span, cell, element, align, at);
    return status ? status : claim(v, *at, 0, yaff_span_count(span) * element);
}

/* ---- heads and lanes ---- */

/* The fields of mine that the message has a cell for but does not set must read as zero:
 * accessors load them without asking. `absent` has their bits. */
static yaff_status verify_unset(const verifier *v, const yaff_type *type, const yaff_block *block,
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

/* Bits of block k's numbers that are not above `limit`. */
static unsigned bits_within(uint32_t k, uint32_t limit)
{
    uint32_t numbers = limit - YAFF_BLOCK_NUMBERS * k;
    return numbers >= YAFF_BLOCK_NUMBERS ? 0xffffu : (1u << numbers) - 1u;
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
        status = verify_unset(v, type, block, absent, true, at);
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

    if (limit >= type->limit) {
        body = type->body_size;
    } else {
        for (k = 0; k < type->block_count && type->blocks[k].k < blocks; k++) {
            const yaff_block *block = &type->blocks[k];
            unsigned within = bits_within(block->k, limit);
            body =
                8 * (size_t)block->start + yaff_block_size(block->n4 & within, block->n8 & within);
        }
    }
    status = claim(v, at, before, body);
    for (k = 0; !status && k < type->block_count && 16 * type->blocks[k].k < reach; k++) {
        const yaff_block *block = &type->blocks[k];
        unsigned set = yaff_flat_has_sets(lanes0) ? yaff_flat_set_lane(p, block->k) : 0xffffu;
        unsigned absent = block->known & ~set & bits_within(block->k, reach);
        status = verify_unset(v, type, block, absent, false, at);
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
        const uint8_t *wire = v->base + bytes, *fault;
        status =
            yaff_check_fields(wire, wire + yaff_span_count(cell), v->max_depth - depth, &fault);
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

/* ---- fields ---- */

static yaff_status verify_text(verifier *v, const yaff_field *f, size_t owner, const uint8_t *cell)
{
    uint64_t span = yaff_load64(cell);
    size_t at, count = yaff_span_count(span);
    yaff_status status;

    if (count == 0) return span ? yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell)) : YAFF_OK;
    status = resolve(v, owner, span, offset_of(v, cell), 1, 1, &at);
    if (status) return status;
    if (!v->borrowed && (count == v->size - at || v->base[at + count] != 0))
        return yaff_fail(v->err, YAFF_NOT_TERMINATED, at);
    if (v->utf8 && f->flags & YAFF_FIELD_UTF8) {
        status = scan(v, at, count);
        if (!status && !yaff_utf8_valid(v->base + at, count))
            status = yaff_fail(v->err, YAFF_BAD_UTF8, at);
    }
    return status;
}

static yaff_status verify_reference(verifier *v, const yaff_type *type, size_t owner,
                                    const uint8_t *cell, uint32_t depth)
{
    int32_t distance = (int32_t)yaff_load32(cell);
    if (distance == 0) return YAFF_OK;
    if (distance < 0) return yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell));
    if ((size_t)distance > v->size - owner)
        return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, offset_of(v, cell));
    return verify_message(v, type, owner + (size_t)distance, depth + 1);
}

/* A number or bool key as an unsigned number that sorts as the keys do. */
static uint64_t number_key(const yaff_field *key, const uint8_t *cell)
{
    switch (key->kind) {
    case YAFF_KIND_BOOL:
        return *cell;
    case YAFF_KIND_INT32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_SFIXED32:
        return yaff_load32(cell) ^ UINT32_C(1) << 31;
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return yaff_load32(cell);
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        return yaff_load64(cell);
    default:
        return yaff_load64(cell) ^ UINT64_C(1) << 63;
    }
}

/* That the key of the entry at `a` sorts before that of the entry at `b`. Both keys are
 * verified. */
static yaff_status verify_order(verifier *v, const yaff_field *key, size_t a, size_t b)
{
    const uint8_t *x = v->base + a, *y = v->base + b;
    bool rising;
    if (key->kind == YAFF_KIND_STRING) {
        yaff_str s = yaff_span_str(x, yaff_load64(x + key->place));
        yaff_str t = yaff_span_str(y, yaff_load64(y + key->place));
        size_t common = s.size < t.size ? s.size : t.size;
        yaff_status status = scan(v, b, common);
        int order = status ? 0 : memcmp(s.data, t.data, common);
        if (status) return status;
        rising = order < 0 || (order == 0 && s.size < t.size);
    } else {
        rising = number_key(key, x + key->place) < number_key(key, y + key->place);
    }
    return rising ? YAFF_OK : yaff_fail(v->err, YAFF_BAD_MAP, b);
}

static yaff_status verify_cell(verifier *v, const yaff_field *f, size_t owner, const uint8_t *cell,
                               uint32_t depth);

static yaff_status verify_map(verifier *v, const yaff_type *entry, size_t at, size_t count,
                              uint32_t depth)
{
    const yaff_field *key = &entry->fields[0], *value = &entry->fields[1];
    size_t size = entry->body_size;
    yaff_status status = YAFF_OK;

    if (depth + 1 > v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    for (size_t i = 0; i < count; i++, at += size) {
        status = verify_cell(v, key, at, v->base + at + key->place, depth + 1);
        if (status) {
            yaff_path_field(v->err, key);
            yaff_path_index(v->err, i);
            return status;
        }
        if (i > 0) status = verify_order(v, key, at - size, at);
        if (!status) status = verify_cell(v, value, at, v->base + at + value->place, depth + 1);
        if (status) {
            yaff_path_key(v->err, key, v->base + at);
            return status;
        }
    }
    return YAFF_OK;
}

static yaff_status verify_bools(verifier *v, size_t at, size_t count)
{
    const uint8_t *bytes = v->base + at;
    unsigned any = 0;
    yaff_status status = scan(v, at, count);
    if (status) return status;
    for (size_t i = 0; i < count; i++) any |= bytes[i];
    if (any <= 1) return YAFF_OK;
    while (*bytes <= 1) bytes++;
    status = yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, bytes));
    yaff_path_index(v->err, offset_of(v, bytes) - at);
    return status;
}

/* The elements of an array of strings, references or Fixed structs. */
static yaff_status verify_elements(verifier *v, const yaff_field *f, size_t at, size_t count,
                                   uint32_t depth)
{
    bool fixed = f->type && f->type->layout == YAFF_LAYOUT_FIXED;
    if (fixed && depth + 1 > v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    for (size_t i = 0; i < count; i++) {
        yaff_status status;
        if (fixed)
            status = verify_fields(v, f->type, at + f->type->body_size * i, depth + 1);
        else if (f->type)
            status = verify_reference(v, f->type, at, v->base + at + 4 * i, depth);
        else
            status = verify_text(v, f, at, v->base + at + 8 * i);
        if (status) {
            yaff_path_index(v->err, i);
            return status;
        }
    }
    return YAFF_OK;
}

static yaff_status verify_array(verifier *v, const yaff_field *f, size_t owner, const uint8_t *cell,
                                uint32_t depth)
{
    uint64_t span = yaff_load64(cell);
    size_t at, cell_at = offset_of(v, cell), count = yaff_span_count(span);
    unsigned width = yaff_kind_width(f->kind);
    yaff_status status;

    if (count == 0) return span ? yaff_fail(v->err, YAFF_BAD_CELL, cell_at) : YAFF_OK;
    if (f->type && f->type->layout == YAFF_LAYOUT_FIXED)
        status = resolve_object(v, owner, span, cell_at, f->type->body_size, f->type->align, &at);
    else if (f->type || f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES)
        status = resolve_object(v, owner, span, cell_at, width, width, &at);
    else
        status = resolve(v, owner, span, cell_at, width, width, &at);
    if (status) return status;
    if (f->flags & YAFF_FIELD_MAP) return verify_map(v, f->type, at, count, depth);
    if (f->kind == YAFF_KIND_BOOL) return verify_bools(v, at, count);
    if (f->type || f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES)
        return verify_elements(v, f, at, count, depth);
    return YAFF_OK;
}

/* One field of the message or struct at `owner`, which lies `depth` below the root. */
static yaff_status verify_cell(verifier *v, const yaff_field *f, size_t owner, const uint8_t *cell,
                               uint32_t depth)
{
    if (f->flags & YAFF_FIELD_REPEATED) return verify_array(v, f, owner, cell, depth);
    switch (f->kind) {
    case YAFF_KIND_BOOL:
        return *cell <= 1 ? YAFF_OK : yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell));
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
        return verify_text(v, f, owner, cell);
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        if (f->width != 0) return verify_reference(v, f->type, owner, cell, depth);
        /* It is there also where the converted message had none, which may be a level too deep. */
        if (memcmp(cell, f->type->instance, f->type->body_size) == 0) return YAFF_OK;
        if (depth + 1 > v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, offset_of(v, cell));
        return verify_fields(v, f->type, offset_of(v, cell), depth + 1);
    default:
        return YAFF_OK;
    }
}

/* The fields of a message whose own bytes are known to be in the buffer, and what they point to. */
static yaff_status verify_fields(verifier *v, const yaff_type *type, size_t at, uint32_t depth)
{
    yaff_walk w;
    yaff_walk_begin(&w, type, v->base + at);
    while (yaff_walk_next_member(&w)) {
        yaff_status status = verify_cell(v, w.field, at, w.cell, depth);
        if (status) {
            yaff_path_field(v->err, w.field);
            return status;
        }
    }
    return YAFF_OK;
}

/* The message whose p is at `at`, inside the buffer and not below its floor. */
static yaff_status verify_message(verifier *v, const yaff_type *type, size_t at, uint32_t depth)
{
    yaff_status status;
    uint64_t lanes0;

    if (depth > v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    if (at % 8 != 0) return yaff_fail(v->err, YAFF_MISALIGNED, at);
    if (type->layout == YAFF_LAYOUT_FIXED) {
        status = claim(v, at, 0, type->body_size);
        return status ? status : verify_fields(v, type, at, depth);
    }
    if (at - v->floor < 8) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at);
    lanes0 = yaff_lanes(v->base + at, 0);
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT_LANES:
        status = verify_flat_lanes(v, type, at, lanes0);
        break;
    case YAFF_HEAD_FLAT:
        status = verify_flat(v, type, at, lanes0);
        break;
    default:
        status = verify_sparse(v, type, at, lanes0, depth);
        break;
    }
    return status ? status : verify_fields(v, type, at, depth);
}

/* ---- entry points ---- */

static yaff_status verify_root(const yaff_type *type, const void *bytes, size_t size, size_t floor,
                               size_t root, bool borrowed, const yaff_verify_options *options,
                               yaff_error *err)
{
    verifier v;
    v.base = (const uint8_t *)bytes;
    v.size = size;
    v.floor = floor;
    v.objects = size - floor;
    v.scans = (uint64_t)SCANS_PER_BYTE * size;
    v.max_depth = options && options->max_depth ? options->max_depth : YAFF_MAX_DEPTH;
    v.utf8 = options && options->utf8;
    v.borrowed = borrowed;
    v.err = err;
    return verify_message(&v, type, root, 0);
}

/* What buffers and records have in common. */
static yaff_status verify_bytes(const void *bytes, size_t size, yaff_error *err)
{
    if (size > YAFF_BUFFER_MAX_SIZE) return yaff_fail(err, YAFF_TOO_LARGE, 0);
    if (bytes == NULL || size < YAFF_BUFFER_HEAD) return yaff_fail(err, YAFF_TRUNCATED, 0);
    if ((uintptr_t)bytes % YAFF_BUFFER_ALIGN != 0) return yaff_fail(err, YAFF_MISALIGNED, 0);
    if (size % YAFF_BUFFER_ALIGN != 0) return yaff_fail(err, YAFF_TRUNCATED, size);
    return yaff_fail(err, YAFF_OK, 0);
}

yaff_status yaff_verify_record(const yaff_type *type, const void *record, size_t size, size_t root,
                               bool borrowed, const yaff_verify_options *options, yaff_error *err)
{
    yaff_status status = verify_bytes(record, size, err);
    if (status) return status;
    if (root > size) return yaff_fail(err, YAFF_OUT_OF_BOUNDS, 0);
    return verify_root(type, record, size, 0, root, borrowed, options, err);
}

yaff_status yaff_verify(const yaff_type *type, const void *buffer, size_t size,
                        const yaff_verify_options *options, yaff_error *err)
{
    const uint8_t *head = (const uint8_t *)buffer;
    yaff_status status = verify_bytes(buffer, size, err);
    uint32_t root;
    if (status) return status;
    if (head[0] != 'Y' || head[1] != 'F' || head[2] != YAFF_BUFFER_VERSION ||
        (head[3] & ~YAFF_BUFFER_BORROWED) != 0)
        return yaff_fail(err, YAFF_BAD_MAGIC, 0);
    root = yaff_load32(head + 4);
    if (root == 0) return YAFF_OK;
    if (root < YAFF_BUFFER_HEAD || root > size) return yaff_fail(err, YAFF_OUT_OF_BOUNDS, 4);
    return verify_root(type, buffer, size, YAFF_BUFFER_HEAD, root, head[3] & YAFF_BUFFER_BORROWED,
                       options, err);
}
