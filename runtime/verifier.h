/* What the parts of the verifier share: what it knows of the buffer, and its budgets. Private to the
 * library. spec/format.md, Verifying.
 *
 * Why it is linear: every object visited (lanes and body, directory, arrays of references,
 * spans, structs and map entries, unknown bytes) is charged to a budget of as many bytes as the
 * buffer has, so what is visited twice soon is too much. Strings, bytes and arrays of numbers
 * may be shared; they cost O(1) each, or, where their bytes are looked at, a charge to a second
 * budget.
 *
 * Offsets are kept as size_t from the buffer's start; they never exceed its size, 2^31 - 8. */
#ifndef YAFF_RUNTIME_VERIFIER_H
#define YAFF_RUNTIME_VERIFIER_H

#include <yaff/lanes.h>
#include <yaff/status.h>
#include <yaff/value.h>

#include "path.h"

typedef struct verifier {
    const uint8_t *base;
    uint64_t size;
    size_t floor;     /* no object begins below */
    uint64_t objects; /* bytes that further objects may take */
    uint64_t scans;   /* bytes of possibly shared data that may still be looked at */
    uint64_t visits;  /* messages and elements that may still be looked at */
    int64_t last_nul; /* the last byte, where a string may have its NUL; -1 when they have none */
    uint32_t max_depth;
    unsigned utf8_flag; /* YAFF_FIELD_UTF8 where strings are to be checked, else 0 */
    bool borrowed;
    yaff_error *err;
} verifier;

static inline size_t offset_of(const verifier *v, const uint8_t *cell)
{
    return (size_t)(cell - v->base);
}

/* Records why claim() refuses. */
yaff_status yaff_claim_fault(const verifier *v, size_t at, uint64_t size);

/* An object of `before` bytes below `at`, known to be there, and `size` bytes from `at` on: is
 * it in the buffer, and not more than the buffer can hold? `at` lies in the buffer. */
static inline yaff_status claim(verifier *v, size_t at, uint64_t before, uint64_t size)
{
    /* Negative where one of them is too large: nothing here comes near 2^63. */
    int64_t room = (int64_t)(v->size - at - size);
    int64_t left = (int64_t)(v->objects - before - size);
    if (YAFF_UNLIKELY((room | left) < 0)) return yaff_claim_fault(v, at, size);
    v->objects = (uint64_t)left;
    return YAFF_OK;
}

static inline yaff_status visit(verifier *v, size_t at, size_t count)
{
    if (YAFF_UNLIKELY(count > v->visits)) return yaff_fail(v->err, YAFF_TOO_LARGE, at);
    v->visits -= count;
    return YAFF_OK;
}

static inline yaff_status scan(verifier *v, size_t at, uint64_t size)
{
    if (YAFF_UNLIKELY(size > v->scans)) return yaff_fail(v->err, YAFF_OVERLAP, at);
    v->scans -= size;
    return YAFF_OK;
}

/* Where the data of a span with count > 0 lies: `element` bytes each, all inside the buffer.
 * `cell` is for the error. */
static inline yaff_status resolve(const verifier *v, size_t owner, uint64_t span, size_t cell,
                                  uint64_t element, size_t align, size_t *at)
{
    /* Negative ones become too large. */
    uint64_t target = (uint64_t)((int64_t)owner + (int32_t)(uint32_t)span);
    *at = (size_t)target;
    if (YAFF_UNLIKELY(target > v->size || yaff_span_count(span) * element > v->size - target))
        return yaff_fail(v->err, YAFF_OUT_OF_BOUNDS, cell);
    if (YAFF_UNLIKELY(target & (align - 1))) return yaff_fail(v->err, YAFF_MISALIGNED, cell);
    return YAFF_OK;
}

/* Bits of block k's numbers that are not above `limit`. */
static inline unsigned bits_within(uint32_t k, uint32_t limit)
{
    uint32_t numbers = limit - YAFF_BLOCK_NUMBERS * k;
    return numbers >= YAFF_BLOCK_NUMBERS ? 0xffffu : (1u << numbers) - 1u;
}

/* ---- heads and lanes, whoever wrote them (verify_lanes.c) ---- */

/* The head and lanes of the message whose p is at `at`, of any kind, by any schema; `lanes0` is its
 * first word. Afterwards the iterator may walk it; what its fields hold is not looked at. */
yaff_status yaff_verify_lanes(verifier *v, const yaff_type *type, size_t at, uint64_t lanes0,
                              uint32_t depth);

/* The fields of mine that a Flat message has a cell for but does not set must read as zero:
 * accessors load them without asking. `absent` has their bits. */
yaff_status yaff_verify_unset(const verifier *v, const yaff_type *type, const yaff_block *block,
                              unsigned absent, bool has_lanes, size_t at);

#endif
