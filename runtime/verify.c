/* The verifier. Top-down: a message's head and lanes first, then what each present field points to.
 * spec/format.md, Verifying.
 *
 * A message whose lanes are just those that the reader's own schema would have written is the usual
 * case: one compare for a block tells all of them right, and only the cells that are more than a
 * number are looked at (yaff_block.checked). Every other message, of another schema, with unknown
 * fields or a directory, goes the general way: its lanes are interpreted (verify_lanes.c), and the
 * iterator finds the fields.
 *
 * On the usual way, what is right is settled by as few tests as will do. Where one of them fails, a
 * function out of the way, named …_fault or …_odd_…, finds out why. */
#include <yaff/verify.h>

#include <yaff/buffer.h>

#include "layout/find.h"
#include "layout/op.h"
#include "layout/walk.h"
#include "record.h"
#include "utf8.h"
#include "verifier.h"

enum {
    OWN_LIMIT = 8176, /* the block above has number 8192, which is without a place */
    SIGNED_KINDS = 1 << YAFF_KIND_INT32 | 1 << YAFF_KIND_INT64 | 1 << YAFF_KIND_SINT32 |
                   1 << YAFF_KIND_SINT64 | 1 << YAFF_KIND_SFIXED32 | 1 << YAFF_KIND_SFIXED64,
    SCANS_PER_BYTE = 8 /* bool arrays, map keys and checked strings may be looked at as often */
};

/* The rows of a block's fields, by bit. */
typedef struct block_rows {
    const yaff_field *first;
    unsigned known;
    bool dense; /* there is no gap below the highest field */
} block_rows;

static inline block_rows rows_of(const yaff_type *type, const yaff_block *block)
{
    block_rows rows;
    rows.first = &type->fields[block->first];
    rows.known = block->known;
    rows.dense = (rows.known & (rows.known + 1)) == 0;
    return rows;
}

static inline const yaff_field *row_at(block_rows rows, unsigned bit)
{
    if (YAFF_LIKELY(rows.dense)) return rows.first + bit;
    return rows.first + yaff_popcount16(rows.known & ((1u << bit) - 1u));
}

/* ---- text ---- */

/* Of a string that is otherwise in order. */
static YAFF_NOINLINE yaff_status verify_utf8(verifier *v, size_t owner, const uint8_t *cell)
{
    uint64_t span = yaff_load64(cell);
    size_t at = owner + (size_t)(int32_t)(uint32_t)span, count = yaff_span_count(span);
    yaff_status status = scan(v, at, count);
    if (!status && !yaff_utf8_valid(v->base + at, count))
        status = yaff_fail(v->err, YAFF_BAD_UTF8, at);
    return status;
}

/* A string that plain_text() does not let pass: it is borrowed, or wrong. */
static YAFF_NOINLINE yaff_status verify_odd_text(verifier *v, const yaff_field *f, size_t owner,
                                                 const uint8_t *cell)
{
    uint64_t span = yaff_load64(cell);
    size_t at;
    yaff_status status;
    if (yaff_span_count(span) == 0) return yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell));
    status = resolve(v, owner, span, offset_of(v, cell), 1, 1, &at);
    if (status) return status;
    if (!v->borrowed) return yaff_fail(v->err, YAFF_NOT_TERMINATED, at);
    return f->flags & v->utf8_flag ? verify_utf8(v, owner, cell) : YAFF_OK;
}

/* Whether a string or bytes is empty, or lies in the buffer with its NUL. Never so when strings are
 * borrowed. */
YAFF_HELPER bool plain_text(const verifier *v, size_t owner, uint64_t span)
{
    int64_t start = (int64_t)owner + (int32_t)(uint32_t)span, end = start + (int64_t)(span >> 32);
    if (span >> 32 == 0) return span == 0;
    /* One test for both signs: the start is not below 0, and the NUL not behind the buffer. */
    return (start | (v->last_nul - end)) >= 0 && v->base[end] == 0;
}

YAFF_HELPER yaff_status verify_text(verifier *v, const yaff_field *f, size_t owner,
                                    const uint8_t *cell)
{
    if (YAFF_UNLIKELY(!plain_text(v, owner, yaff_load64(cell))))
        return verify_odd_text(v, f, owner, cell);
    return YAFF_UNLIKELY(f->flags & v->utf8_flag) ? verify_utf8(v, owner, cell) : YAFF_OK;
}

/* ---- fields ---- */

static yaff_status verify_message(verifier *v, const yaff_type *type, size_t at, uint32_t depth);

/* One field of the message or struct at `owner`, which lies `depth` below the root. Inlined only
 * where it pays: verify_cell() is the same. */
YAFF_HELPER yaff_status verify_cell_inline(verifier *v, const yaff_field *f, size_t owner,
                                           const uint8_t *cell, uint32_t depth);
static yaff_status verify_cell(verifier *v, const yaff_field *f, size_t owner, const uint8_t *cell,
                               uint32_t depth);

static YAFF_NOINLINE yaff_status reference_fault(const verifier *v, int32_t distance,
                                                 uint64_t target, const uint8_t *cell)
{
    if (distance < 0) return yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell));
    if (target > v->size) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, offset_of(v, cell));
    return yaff_fail(v->err, YAFF_MISALIGNED, (size_t)target);
}

/* The target of a reference that is not 0 lies behind its owner, so it is never below the floor
 * and, as both are multiples of 8, has the 8 bytes with its head in the buffer. */
static inline yaff_status verify_reference(verifier *v, const yaff_type *type, size_t owner,
                                           const uint8_t *cell, uint32_t depth)
{
    uint32_t distance = yaff_load32(cell);
    uint64_t target = owner + (uint64_t)distance;
    if (distance == 0) return YAFF_OK;
    /* A negative distance is 2^31 or more as an unsigned one, more than any size. */
    if (YAFF_UNLIKELY(target > v->size || target % 8 != 0))
        return reference_fault(v, (int32_t)distance, target, cell);
    return verify_message(v, type, (size_t)target, depth + 1);
}

/* A struct whose own bytes are known to be in the buffer. */
static yaff_status verify_struct(verifier *v, const yaff_type *type, size_t at, uint32_t depth)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaff_field *f = &type->fields[i];
        yaff_status status;
        if (!yaff_op_checked(f->op)) continue;
        status = verify_cell(v, f, at, v->base + at + f->place, depth);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_field(v->err, f);
            return status;
        }
    }
    return YAFF_OK;
}

/* Whether all fields of a Fixed type are numbers, those of inline structs too. */
static bool holds_numbers(const yaff_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaff_field *f = &type->fields[i];
        if (f->op == YAFF_OP_INLINE ? !holds_numbers(f->type) : yaff_op_checked(f->op))
            return false;
    }
    return true;
}

/* Where the data of an array of strings, messages, structs or map entries lies. False where there
 * are no elements, or something is wrong: array_fault() tells. */
static inline bool resolve_array(verifier *v, size_t owner, const uint8_t *cell, uint64_t element,
                                 size_t align, size_t *at, size_t *count)
{
    uint64_t span = yaff_load64(cell), target = owner + (span & UINT32_MAX);
    uint64_t bytes = (span >> 32) * element;
    /* Negative where one of them is too large, as in claim(). A negative offset is 2^31 or more as
     * an unsigned one, more than any size. */
    int64_t room = (int64_t)(v->size - target - bytes);
    int64_t left = (int64_t)(v->objects - bytes), visits = (int64_t)(v->visits - (span >> 32));
    *at = (size_t)target;
    *count = yaff_span_count(span);
    if (YAFF_UNLIKELY(span >> 32 == 0 || (room | left | visits) < 0 || target & (align - 1)))
        return false;
    v->objects = (uint64_t)left;
    v->visits = (uint64_t)visits;
    return true;
}

static YAFF_NOINLINE yaff_status array_fault(const verifier *v, size_t owner, const uint8_t *cell,
                                             uint64_t element, size_t align)
{
    uint64_t span = yaff_load64(cell), target = owner + (span & UINT32_MAX);
    uint64_t bytes = (span >> 32) * element;
    yaff_status status = YAFF_BAD_CELL;
    size_t at = offset_of(v, cell);
    if (span == 0) return YAFF_OK;
    if (span >> 32 == 0 || (int32_t)(uint32_t)span < 0)
        status = YAFF_BAD_CELL;
    else if (target > v->size || bytes > v->size - target)
        status = YAFF_OUT_OF_BOUNDS;
    else if (target & (align - 1))
        status = YAFF_MISALIGNED;
    else if (at = (size_t)target, bytes > v->objects)
        status = YAFF_OVERLAP;
    else
        status = YAFF_TOO_LARGE;
    return yaff_fail(v->err, status, at);
}

static YAFF_NOINLINE yaff_status verify_structs(verifier *v, const yaff_field *f, size_t owner,
                                                const uint8_t *cell, uint32_t depth)
{
    const yaff_type *type = f->type;
    size_t at, count;
    yaff_status status;
    if (!resolve_array(v, owner, cell, type->body_size, type->align, &at, &count))
        return array_fault(v, owner, cell, type->body_size, type->align);
    if (depth + 1 > v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    if (holds_numbers(type)) return YAFF_OK;
    for (size_t i = 0; i < count; i++) {
        status = verify_struct(v, type, at + type->body_size * i, depth + 1);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_index(v->err, i);
            return status;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_messages(verifier *v, const yaff_field *f, size_t owner,
                                                 const uint8_t *cell, uint32_t depth)
{
    size_t at, count;
    yaff_status status;
    if (!resolve_array(v, owner, cell, 4, 4, &at, &count)) return array_fault(v, owner, cell, 4, 4);
    for (size_t i = 0; i < count; i++) {
        status = verify_reference(v, f->type, at, v->base + at + 4 * i, depth);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_index(v->err, i);
            return status;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_odd_texts(verifier *v, const yaff_field *f, size_t at,
                                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        yaff_status status = verify_text(v, f, at, v->base + at + 8 * i);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_index(v->err, i);
            return status;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_texts(verifier *v, const yaff_field *f, size_t owner,
                                              const uint8_t *cell)
{
    size_t at, count;
    if (!resolve_array(v, owner, cell, 8, 8, &at, &count)) return array_fault(v, owner, cell, 8, 8);
    if (f->flags & v->utf8_flag) return verify_odd_texts(v, f, at, count);
    for (size_t i = 0; i < count; i++)
        if (YAFF_UNLIKELY(!plain_text(v, at, yaff_load64(v->base + at + 8 * i))))
            return verify_odd_texts(v, f, at, count);
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

static YAFF_NOINLINE yaff_status verify_numbers(verifier *v, const yaff_field *f, size_t owner,
                                                const uint8_t *cell)
{
    uint64_t span = yaff_load64(cell);
    unsigned width = yaff_kind_width(f->kind);
    yaff_status status;
    size_t at;
    if (yaff_span_count(span) == 0)
        return span ? yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell)) : YAFF_OK;
    status = resolve(v, owner, span, offset_of(v, cell), width, width, &at);
    return status || width != 1 ? status : verify_bools(v, at, yaff_span_count(span));
}

/* ---- maps ---- */

/* That the string key of the entry at `a` sorts before that of the entry at `b`. Both keys are
 * verified, and lie at the start of their entries. */
static yaff_status verify_text_order(verifier *v, const uint8_t *a, const uint8_t *b)
{
    yaff_str s = yaff_span_str(a, yaff_load64(a)), t = yaff_span_str(b, yaff_load64(b));
    size_t common = s.size < t.size ? s.size : t.size;
    yaff_status status = scan(v, offset_of(v, b), common);
    int order = status ? 0 : memcmp(s.data, t.data, common);
    if (status) return status;
    if (order < 0 || (order == 0 && s.size < t.size)) return YAFF_OK;
    return yaff_fail(v->err, YAFF_BAD_MAP, offset_of(v, b));
}

/* How many entries from the first on have a good string key whose first seven bytes already sort
 * behind those of the key before. */
YAFF_HELPER size_t plain_text_keys(const verifier *v, size_t at, size_t count, size_t step)
{
    enum { BYTES = 7 };
    const uint8_t *base = v->base;
    int64_t last_word = (int64_t)v->size - 8, last_nul = v->last_nul;
    uint64_t last = 0;
    size_t i;
    for (i = 0; i < count; i++, at += step) {
        uint64_t span = yaff_load64(base + at), n = span >> 32, first;
        int64_t start = (int64_t)at + (int32_t)(uint32_t)span, end = start + (int64_t)n;
        unsigned unused;
        if ((start | (last_nul - end) | (last_word - start)) < 0 || base[end] != 0) break;
        unused = 8 * (BYTES - (unsigned)(n < BYTES ? n : BYTES));
        first = __builtin_bswap64(yaff_load64(base + start)) >> 8 >> unused << unused;
        if (first <= last) break; /* an empty key's is 0 */
        last = first;
    }
    return i;
}

static yaff_status verify_text_keys(verifier *v, const yaff_type *entry, size_t at, size_t count)
{
    const yaff_field *key = &entry->fields[0];
    size_t size = entry->body_size, plain = plain_text_keys(v, at, count, size);
    for (size_t i = key->flags & v->utf8_flag ? 0 : plain; i < count; i++) {
        const uint8_t *cell = v->base + at + size * i;
        yaff_status status = verify_text(v, key, at + size * i, cell);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_field(v->err, key);
            yaff_path_index(v->err, i);
            return status;
        }
        if (i < plain || i == 0) continue;
        status = verify_text_order(v, cell - size, cell);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_key(v->err, key, cell);
            return status;
        }
    }
    return YAFF_OK;
}

/* The number at a key's cell; `flip` has the sign bit of signed keys, so that it sorts as they
 * do. */
static inline uint64_t number_key(const uint8_t *cell, unsigned width, uint64_t flip)
{
    return (width == 4 ? yaff_load32(cell) : yaff_load64(cell)) ^ flip;
}

/* The index of the first key that is not above the one before, or count. */
static inline size_t first_falling(const uint8_t *cell, size_t count, size_t step, unsigned width,
                                   uint64_t flip)
{
    uint64_t last = number_key(cell, width, flip);
    for (size_t i = 1; i < count; i++) {
        uint64_t key = number_key(cell += step, width, flip);
        if (YAFF_UNLIKELY(key <= last)) return i;
        last = key;
    }
    return count;
}

YAFF_HELPER size_t plain_number_keys(const yaff_field *key, const uint8_t *cell, size_t count,
                                     size_t step)
{
    bool is_signed = (1u << key->kind & SIGNED_KINDS) != 0;
    if (key->width == 4)
        return first_falling(cell, count, step, 4, is_signed ? UINT64_C(1) << 31 : 0);
    return first_falling(cell, count, step, 8, is_signed ? UINT64_C(1) << 63 : 0);
}

static yaff_status verify_number_keys(verifier *v, const yaff_type *entry, size_t at, size_t count)
{
    const yaff_field *key = &entry->fields[0];
    size_t i = plain_number_keys(key, v->base + at, count, entry->body_size);
    if (i == count) return YAFF_OK;
    yaff_fail(v->err, YAFF_BAD_MAP, at + entry->body_size * i);
    yaff_path_key(v->err, key, v->base + at + entry->body_size * i);
    return YAFF_BAD_MAP;
}

static yaff_status verify_bool_keys(verifier *v, const yaff_type *entry, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t cell = at + entry->body_size * i;
        if (v->base[cell] > 1) {
            yaff_fail(v->err, YAFF_BAD_CELL, cell);
            yaff_path_field(v->err, &entry->fields[0]);
            yaff_path_index(v->err, i);
            return YAFF_BAD_CELL;
        }
        if (i > 0 && v->base[cell] <= v->base[cell - entry->body_size]) {
            yaff_fail(v->err, YAFF_BAD_MAP, cell);
            yaff_path_key(v->err, &entry->fields[0], v->base + cell);
            return YAFF_BAD_MAP;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_entries(verifier *v, const yaff_type *entry, size_t at,
                                                size_t count, uint32_t depth)
{
    const yaff_field *key = &entry->fields[0], *value = &entry->fields[1];
    yaff_status status;
    if (key->kind == YAFF_KIND_STRING)
        status = verify_text_keys(v, entry, at, count);
    else if (key->kind == YAFF_KIND_BOOL)
        status = verify_bool_keys(v, entry, at, count);
    else
        status = verify_number_keys(v, entry, at, count);
    if (status || !yaff_op_checked(value->op)) return status;
    for (size_t i = 0; i < count; i++, at += entry->body_size) {
        status = verify_cell(v, value, at, v->base + at + value->place, depth + 1);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_key(v->err, key, v->base + at);
            return status;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_map(verifier *v, const yaff_field *f, size_t owner,
                                            const uint8_t *cell, uint32_t depth)
{
    const yaff_type *entry = f->type;
    const yaff_field *key = &entry->fields[0], *value = &entry->fields[1];
    size_t at, count, plain = 0;

    if (!resolve_array(v, owner, cell, entry->body_size, entry->align, &at, &count))
        return array_fault(v, owner, cell, entry->body_size, entry->align);
    if (depth >= v->max_depth) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    /* Maps from strings or numbers to numbers are settled here. */
    if (!yaff_op_checked(value->op) && !(key->flags & v->utf8_flag)) {
        if (key->kind == YAFF_KIND_STRING)
            plain = plain_text_keys(v, at, count, entry->body_size);
        else if (key->kind != YAFF_KIND_BOOL)
            plain = plain_number_keys(key, v->base + at, count, entry->body_size);
        if (YAFF_LIKELY(plain == count)) return YAFF_OK;
    }
    return verify_entries(v, entry, at, count, depth);
}

/* ---- cells ---- */

static YAFF_NOINLINE yaff_status verify_inline(verifier *v, const yaff_type *type,
                                               const uint8_t *cell, uint32_t depth)
{
    /* It is there also where the converted message had none, which may be a level too deep. */
    if (depth + 1 > v->max_depth && memcmp(cell, type->instance, type->body_size) != 0)
        return yaff_fail(v->err, YAFF_TOO_DEEP, offset_of(v, cell));
    return verify_struct(v, type, offset_of(v, cell), depth + 1);
}

YAFF_HELPER yaff_status verify_cell_inline(verifier *v, const yaff_field *f, size_t owner,
                                           const uint8_t *cell, uint32_t depth)
{
    if (yaff_op_text(f->op)) return verify_text(v, f, owner, cell);
    switch (f->op) {
    case YAFF_OP_MESSAGE:
    case YAFF_OP_GROUP:
        if (YAFF_UNLIKELY(v->visits == 0)) return yaff_fail(v->err, YAFF_TOO_LARGE, owner);
        v->visits--;
        return verify_reference(v, f->type, owner, cell, depth);
    case YAFF_OP_BOOL:
        if (YAFF_LIKELY(*cell <= 1)) return YAFF_OK;
        return yaff_fail(v->err, YAFF_BAD_CELL, offset_of(v, cell));
    case YAFF_OP_INLINE:
        return verify_inline(v, f->type, cell, depth);
    case YAFF_OP_SCALARS:
        return verify_numbers(v, f, owner, cell);
    case YAFF_OP_TEXTS:
        return verify_texts(v, f, owner, cell);
    case YAFF_OP_MESSAGES:
        if (f->type->layout == YAFF_LAYOUT_FIXED) return verify_structs(v, f, owner, cell, depth);
        return verify_messages(v, f, owner, cell, depth);
    case YAFF_OP_MAP:
        return verify_map(v, f, owner, cell, depth);
    default:
        return YAFF_OK;
    }
}

static YAFF_NOINLINE yaff_status verify_cell(verifier *v, const yaff_field *f, size_t owner,
                                             const uint8_t *cell, uint32_t depth)
{
    return verify_cell_inline(v, f, owner, cell, depth);
}

/* ---- messages as my own schema writes them ---- */

/* The fields of a block in a Flat body, which stand at their static places. */
YAFF_HELPER yaff_status verify_own_cells(verifier *v, const yaff_type *type,
                                         const yaff_block *block, unsigned set, size_t at,
                                         uint32_t depth)
{
    const uint8_t *p = v->base + at;
    const block_rows rows = rows_of(type, block);
    unsigned bits;
    uint64_t stray = 0;

    for (bits = block->known & ~set; bits; bits &= bits - 1) {
        const yaff_field *f = row_at(rows, yaff_lowest_bit(bits));
        /* The 8 bytes that end with the cell: as many are there before the body, too. */
        stray |= yaff_load64(p + f->place + f->width - 8) >> (64 - 8 * f->width);
    }
    if (YAFF_UNLIKELY(stray != 0))
        return yaff_verify_unset(v, type, block, block->known & ~set, false, at);
    for (bits = set & block->checked; bits; bits &= bits - 1) {
        const yaff_field *f = row_at(rows, yaff_lowest_bit(bits));
        yaff_status status = verify_cell_inline(v, f, at, p + f->place, depth);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_field(v->err, f);
            return status;
        }
    }
    return YAFF_OK;
}

static YAFF_NOINLINE yaff_status verify_own_block(verifier *v, const yaff_type *type,
                                                  const yaff_block *block, unsigned set, size_t at,
                                                  uint32_t depth)
{
    return verify_own_cells(v, type, block, set, at, depth);
}

static uint64_t without_set(uint64_t lanes)
{
    return lanes & ~(UINT64_C(0xffff) << 32);
}

static bool sets_what_it_stores(uint64_t lanes)
{
    return (yaff_lane_set(lanes) & ~(yaff_lane_n4(lanes) | yaff_lane_n8(lanes))) == 0;
}

/* Kind 11: the number of blocks of a message with the head, widths and starts of my own schema; 0
 * when it has others, or is wrong. */
static inline uint32_t own_lanes(const verifier *v, const yaff_type *type, size_t at,
                                 uint64_t lanes0)
{
    uint32_t limit = yaff_head_limit(lanes0), k;
    uint32_t blocks = (limit + YAFF_BLOCK_NUMBERS - 1) / YAFF_BLOCK_NUMBERS;
    if (blocks - 1 >= type->block_count) return 0; /* none, or more than I have */
    if (without_set(lanes0) != (type->blocks[0].shape | (uint64_t)limit << 48)) return 0;
    if (limit != type->limit && limit != YAFF_BLOCK_NUMBERS * blocks) return 0;
    if (!sets_what_it_stores(lanes0) || type->blocks[blocks - 1].k != blocks - 1) return 0;
    if (limit > OWN_LIMIT) return 0;
    if (8 * (size_t)blocks > at - v->floor) return 0;
    for (k = 1; k < blocks; k++) {
        uint64_t lanes = yaff_lanes(v->base + at, k);
        if (without_set(lanes) != type->blocks[k].shape || !sets_what_it_stores(lanes)) return 0;
    }
    return blocks;
}

static inline yaff_status verify_own_lanes(verifier *v, const yaff_type *type, size_t at,
                                           uint32_t blocks, uint32_t depth)
{
    size_t body =
        blocks < type->block_count ? 8 * (size_t)type->blocks[blocks].start : type->body_size;
    yaff_status status = claim(v, at, 8 * (uint64_t)blocks, body);
    for (uint32_t k = 0; k < blocks && !status; k++)
        status = verify_own_block(v, type, &type->blocks[k],
                                  yaff_lane_set(yaff_lanes(v->base + at, k)), at, depth);
    return status;
}

/* Kind 00: whether all that is set are fields of mine, with my widths, and all counts are right. An
 * explicit false is left to the general way. */
static inline bool own_sparse(const verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                              unsigned *cells4)
{
    uint32_t blocks = yaff_head_blocks(lanes0), cells8 = 0, k;
    *cells4 = 0;
    if (blocks - 1 >= type->block_count || type->blocks[blocks - 1].k != blocks - 1) return false;
    if (8 * (size_t)blocks > at - v->floor) return false;
    for (k = 0; k < blocks; k++) {
        const yaff_block *block = &type->blocks[k];
        uint64_t lanes = yaff_lanes(v->base + at, k);
        unsigned set = yaff_lane_set(lanes), one = (unsigned)block->n4 & block->n8;
        if (set & ~(unsigned)block->known) return false;
        if (yaff_lane_n4(lanes) != (set & block->n4 & ~one)) return false;
        if (yaff_lane_n8(lanes) != (set & block->n8 & ~one)) return false;
        if (k > 0 && yaff_lane_top(lanes) != (cells8 | *cells4 << 8)) return false;
        cells8 += yaff_popcount16(yaff_lane_n8(lanes));
        *cells4 += yaff_popcount16(yaff_lane_n4(lanes));
    }
    return cells8 == yaff_head_cells8(lanes0) && *cells4 <= YAFF_SPARSE_MAX_CELLS;
}

/* The cells of one width, found by rank: `lane` has a bit for each. */
static inline yaff_status verify_ranked(verifier *v, const yaff_type *type, const yaff_block *block,
                                        unsigned lane, unsigned width, const uint8_t *cells,
                                        size_t at, uint32_t depth)
{
    const block_rows rows = rows_of(type, block);
    for (unsigned bits = lane & block->checked; bits; bits &= bits - 1) {
        unsigned bit = yaff_lowest_bit(bits);
        const yaff_field *f = row_at(rows, bit);
        const uint8_t *cell = cells + width * yaff_popcount16(lane & ((1u << bit) - 1u));
        yaff_status status =
            yaff_op_text(f->op) ? verify_text(v, f, at, cell) : verify_cell(v, f, at, cell, depth);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_field(v->err, f);
            return status;
        }
    }
    return YAFF_OK;
}

static yaff_status verify_own_sparse(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                                     unsigned cells4, uint32_t depth)
{
    uint32_t blocks = yaff_head_blocks(lanes0), k;
    const uint8_t *cell8 = v->base + at, *cell4 = cell8 + 8 * yaff_head_cells8(lanes0);
    yaff_status status = claim(v, at, 8 * (uint64_t)blocks,
                               8 * (uint64_t)yaff_head_cells8(lanes0) + (cells4 + 1) / 2 * 8);
    for (k = 0; k < blocks && !status; k++) {
        const yaff_block *block = &type->blocks[k];
        uint64_t lanes = yaff_lanes(v->base + at, k);
        unsigned n4 = yaff_lane_n4(lanes), n8 = yaff_lane_n8(lanes);
        status = verify_ranked(v, type, block, n8, 8, cell8, at, depth);
        if (!status) status = verify_ranked(v, type, block, n4, 4, cell4, at, depth);
        cell8 += 8 * yaff_popcount16(n8);
        cell4 += 4 * yaff_popcount16(n4);
    }
    return status;
}

/* Kind 10: whether the head is the one that my own pinned type writes. */
static inline bool own_flat(const yaff_type *type, uint64_t lanes0)
{
    unsigned sets = type->flags & YAFF_TYPE_SETS ? YAFF_FLAT_HEAD_SETS : 0;
    return type->layout == YAFF_LAYOUT_FLAT && type->limit > 0 && type->limit <= OWN_LIMIT &&
           yaff_lane_top(lanes0) == (YAFF_FLAT_HEAD | sets | type->limit);
}

static yaff_status verify_own_flat(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                                   uint32_t depth)
{
    const uint8_t *p = v->base + at;
    bool sets = yaff_flat_has_sets(lanes0);
    uint32_t blocks = (type->limit + YAFF_BLOCK_NUMBERS - 1u) / YAFF_BLOCK_NUMBERS, i;
    size_t before = sets ? (2 + 2 * (size_t)blocks + 7) / 8 * 8 : 8;
    yaff_status status;
    if (before > at - v->floor) return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, at - 2);
    if (sets && (yaff_flat_set_lane(p, blocks - 1) & ~bits_within(blocks - 1, type->limit)))
        return yaff_fail(v->err, YAFF_BAD_HEAD, at - 2);
    status = claim(v, at, before, type->body_size);
    for (i = 0; i < type->block_count && type->blocks[i].k < blocks && !status; i++) {
        const yaff_block *block = &type->blocks[i];
        unsigned set = sets ? yaff_flat_set_lane(p, block->k) : 0xffffu;
        status = verify_own_block(v, type, block, set, at, depth);
    }
    return status;
}

/* ---- messages ---- */

/* Whatever its writer's schema was. */
static YAFF_NOINLINE yaff_status verify_any(verifier *v, const yaff_type *type, size_t at,
                                            uint64_t lanes0, uint32_t depth)
{
    yaff_status status = yaff_verify_lanes(v, type, at, lanes0, depth);
    yaff_walk w;
    if (status) return status;
    yaff_walk_begin(&w, type, v->base + at);
    while (yaff_walk_next_member(&w)) {
        status = verify_cell(v, w.field, at, w.cell, depth);
        if (YAFF_UNLIKELY(status)) {
            yaff_path_field(v->err, w.field);
            return status;
        }
    }
    return YAFF_OK;
}

/* A message that is not of the most usual kind. */
static YAFF_NOINLINE yaff_status verify_less_usual(verifier *v, const yaff_type *type, size_t at,
                                                   uint32_t depth)
{
    yaff_status status;
    uint64_t lanes0;
    uint32_t blocks;
    unsigned cells4;

    if (type->layout == YAFF_LAYOUT_FIXED) {
        status = claim(v, at, 0, type->body_size);
        return status ? status : verify_struct(v, type, at, depth);
    }
    lanes0 = yaff_lanes(v->base + at, 0);
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT_LANES:
        blocks = own_lanes(v, type, at, lanes0);
        if (blocks) return verify_own_lanes(v, type, at, blocks, depth);
        break;
    case YAFF_HEAD_SPARSE:
        if (own_sparse(v, type, at, lanes0, &cells4))
            return verify_own_sparse(v, type, at, lanes0, cells4, depth);
        break;
    case YAFF_HEAD_FLAT:
        if (own_flat(type, lanes0)) return verify_own_flat(v, type, at, lanes0, depth);
        break;
    default:
        break;
    }
    return verify_any(v, type, at, lanes0, depth);
}

/* The message whose p is at `at`, a multiple of 8 in the buffer; with 8 bytes before it that are
 * not below the floor unless the type is Fixed. */
static yaff_status verify_message(verifier *v, const yaff_type *type, size_t at, uint32_t depth)
{
    const yaff_block *block = type->blocks;
    uint64_t lanes0;
    yaff_status status;

    if (YAFF_UNLIKELY(depth > v->max_depth)) return yaff_fail(v->err, YAFF_TOO_DEEP, at);
    /* A lone block that is not the first has its widths elsewhere, and perhaps no places at all. */
    if (YAFF_UNLIKELY(type->block_count != 1 || block->k != 0))
        return verify_less_usual(v, type, at, depth);
    lanes0 = yaff_lanes(v->base + at, 0);
    if (YAFF_UNLIKELY(without_set(lanes0) != (block->shape | (uint64_t)type->limit << 48) ||
                      !sets_what_it_stores(lanes0)))
        return verify_less_usual(v, type, at, depth);
    status = claim(v, at, 8, type->body_size);
    if (YAFF_UNLIKELY(status)) return status;
    return verify_own_cells(v, type, block, yaff_lane_set(lanes0), at, depth);
}

/* ---- entry points ---- */

static yaff_status verify_root(const yaff_type *type, const void *bytes, size_t size, size_t floor,
                               size_t root, bool borrowed, const yaff_verify_options *options,
                               yaff_error *err)
{
    static const yaff_verify_options defaults = {0};
    verifier v;
    yaff_status status;
    if (!options) options = &defaults;
    v.base = (const uint8_t *)bytes;
    v.size = size;
    v.floor = floor;
    v.objects = size - floor;
    v.scans = (uint64_t)SCANS_PER_BYTE * size;
    v.visits = options->max_visits ? options->max_visits : UINT32_MAX;
    v.last_nul = borrowed ? -1 : (int64_t)size - 1;
    v.max_depth = options->max_depth ? options->max_depth : YAFF_MAX_DEPTH;
    if (v.max_depth > YAFF_DEPTH_CEILING) v.max_depth = YAFF_DEPTH_CEILING;
    v.utf8_flag = options->utf8 ? YAFF_FIELD_UTF8 : 0;
    v.borrowed = borrowed;
    v.err = err;
    status = visit(&v, root, 1);
    if (status) return status;
    if (root % 8 != 0) return yaff_fail(err, YAFF_MISALIGNED, root);
    if (type->layout != YAFF_LAYOUT_FIXED && root - floor < 8)
        return yaff_fail(err, YAFF_OUT_OF_BOUNDS, root);
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
    if ((yaff_load32(head) & ~((uint32_t)YAFF_BUFFER_BORROWED << 24)) !=
        ('Y' | 'F' << 8 | YAFF_BUFFER_VERSION << 16))
        return yaff_fail(err, YAFF_BAD_MAGIC, 0);
    root = yaff_load32(head + 4);
    if (root == 0) return YAFF_OK;
    if (root < YAFF_BUFFER_HEAD || root > size) return yaff_fail(err, YAFF_OUT_OF_BOUNDS, 4);
    return verify_root(type, buffer, size, YAFF_BUFFER_HEAD, root, head[3] & YAFF_BUFFER_BORROWED,
                       options, err);
}
