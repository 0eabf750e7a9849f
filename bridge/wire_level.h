/* One message of wire bytes, decoded one level deep: scalars lie in scratch cells, everything with
 * a length only notes where it stands. Between the wire and the writer of a layout. Private to the
 * library. */
#ifndef YAFF_BRIDGE_WIRE_LEVEL_H
#define YAFF_BRIDGE_WIRE_LEVEL_H

#include <yaff/wire.h>

#include "../runtime/builder.h"
#include "../runtime/wire_read.h"

/* One conversion. */
typedef struct yaff_wire_in {
    yaff_builder *b;
    yaff_wire_options options;
    const uint8_t *wire; /* the caller's input, [wire, wire_end) */
    const uint8_t *wire_end;
    const uint8_t
        *origin; /* where in it the level stands that was normalised last: what a fault in a
                            * copy is reported as */
    const uint8_t *fault; /* where an error was found, in the input or in a copy */
    bool dropping;        /* reading what will be thrown away: required fields may be missing */
} yaff_wire_in;

/* A run of unknown fields, as it stood. */
typedef struct yaff_unknown_run {
    struct yaff_unknown_run *next;
    const uint8_t *data;
    uint32_t size;
} yaff_unknown_run;

/* A present field. */
typedef struct yaff_item {
    const yaff_field *field;
    union {
        uint64_t bits; /* singular scalar: its cell's bits */
        const uint8_t
            *data; /* string, message, group: its bytes on the wire, without tags and length;
                              * repeated, map: the first element's tag;
                              * ... that came packed: the payload's length */
    };
    uint32_t count; /* bytes of a singular field, elements of a repeated one */
    bool packed;
} yaff_item;

typedef struct yaff_level {
    const uint8_t *end;      /* of the bytes it was decoded from */
    yaff_item *items, *item; /* the present fields in number order, and the end of them */
    const yaff_field *floor; /* the rows from here on may still come in canonical order */
    uint32_t cells8, cells4; /* bytes of their cells of each width, were all in Sparse lanes */
    uint32_t unknown_size;
    yaff_unknown_run *unknown, *unknown_last;
    uint64_t oneofs; /* oneofs (the first 64) of which a member is set */
} yaff_level;

static inline bool yaff_kind_has_length(unsigned kind)
{
    return kind == YAFF_KIND_STRING || kind == YAFF_KIND_BYTES || kind == YAFF_KIND_MESSAGE ||
           kind == YAFF_KIND_GROUP;
}

/* The wire type of one unpacked value. */
static inline unsigned yaff_kind_wire(unsigned kind)
{
    static const uint8_t wire[] = {0, 1, 5, 0, 0, 0, 1, 5, 0, 2, 3, 2, 2, 0, 0, 5, 1, 0, 0};
    return wire[kind];
}

/* A scalar's cell bits from what its wire form holds. */
static inline uint64_t yaff_kind_bits(unsigned kind, uint64_t wire)
{
    switch (kind) {
    case YAFF_KIND_INT32:
    case YAFF_KIND_UINT32:
    case YAFF_KIND_ENUM:
        return (uint32_t)wire;
    case YAFF_KIND_SINT32:
        return yaff_zigzag32((uint32_t)wire);
    case YAFF_KIND_SINT64:
        return yaff_zigzag64(wire);
    case YAFF_KIND_BOOL:
        return wire != 0;
    default:
        return wire;
    }
}

/* Reads one scalar of wire type `wire` (varint or fixed). */
static inline const uint8_t *yaff_read_scalar(const uint8_t *p, const uint8_t *end, unsigned wire,
                                              uint64_t *value, yaff_status *status)
{
    if (wire == YAFF_WIRE_VARINT) return yaff_read_varint(p, end, value, status);
    size_t width = wire == YAFF_WIRE_FIXED32 ? 4 : 8;
    if (YAFF_UNLIKELY((size_t)(end - p) < width)) {
        *status = YAFF_TRUNCATED;
        return NULL;
    }
    *value = width == 4 ? yaff_load32(p) : yaff_load64(p);
    return p + width;
}

static inline yaff_status yaff_wire_fail(yaff_wire_in *in, const uint8_t *at, yaff_status status)
{
    in->fault = at;
    return status;
}

/* Decodes fields as long as they are of the plain kind: one-byte tag, in order, no oneof, numbers,
 * messages, short ASCII or unchecked text. Stops at a tag. A leaf, so that everything it holds
 * stays in registers; what it does not take, yaff_level_decode_rest() does. */
const uint8_t *yaff_read_plain_fields(const yaff_type *type, yaff_level *level, const uint8_t *p,
                                      const uint8_t *end);

/* The rest [p, end) of a level that starts at `start`. */
YAFF_MUST_CHECK yaff_status yaff_level_decode_rest(yaff_wire_in *in, const yaff_type *type,
                                                   const uint8_t *start, const uint8_t *p,
                                                   const uint8_t *end, uint32_t depth,
                                                   yaff_level *level);

static inline void yaff_level_start(const yaff_type *type, const uint8_t *end, yaff_level *level)
{
    level->end = end;
    level->item = level->items;
    level->floor = type->fields;
    level->cells8 = level->cells4 = level->unknown_size = 0;
    level->unknown = level->unknown_last = NULL;
    level->oneofs = 0;
}

/* Decodes the message [p, end) of `type`, `depth` levels below the root, into *level, whose parts
 * lie in the builder's scratch. Bytes out of canonical order are normalised first; the items then
 * point into the copy. Fills in->fault on failure. */
static inline yaff_status yaff_level_decode(yaff_wire_in *in, const yaff_type *type,
                                            const uint8_t *p, const uint8_t *end, uint32_t depth,
                                            yaff_level *level)
{
    const uint8_t *start = p;
    /* one more than there can be: an item is begun before it is known to count */
    size_t room = (type->field_count + (size_t)1) * sizeof *level->items;
    level->items = yaff_arena_get(&in->b->scratch, room);
    if (YAFF_UNLIKELY(level->items == NULL)) return yaff_wire_fail(in, p, YAFF_NO_MEMORY);
    yaff_level_start(type, end, level);
    p = yaff_read_plain_fields(type, level, p, end);
    if (YAFF_LIKELY(p == end && !(type->flags & YAFF_TYPE_REQUIRED))) return YAFF_OK;
    return yaff_level_decode_rest(in, type, start, p, end, depth, level);
}

/* Rewrites the message [p, end) so that it says the same in canonical order: known fields in number
 * order, each once or in one run, losers of a oneof gone, then the unknown ones as they stood. The
 * copy lies in the builder's scratch. spec/wire.md, In. */
YAFF_MUST_CHECK yaff_status yaff_level_normalise(yaff_wire_in *in, const yaff_type *type,
                                                 const uint8_t *p, const uint8_t *end,
                                                 uint32_t depth, const uint8_t **copy,
                                                 const uint8_t **copy_end);

/* Whether a wire value is listed, for an enum that numbers its values without gaps, as most do: a
 * value is then its own index. */
static inline bool yaff_enum_is_index(const yaff_enum *e, uint64_t wire)
{
    uint32_t number = (uint32_t)wire, i = number - (uint32_t)e->values[0].number;
    return i < e->value_count && (uint32_t)e->values[i].number == number;
}

/* Whether a closed enum does not list a wire value, which then belongs to the unknown fields. */
static inline bool yaff_enum_unlisted(const yaff_enum *e, uint64_t wire)
{
    return !YAFF_LIKELY(yaff_enum_is_index(e, wire)) &&
           !yaff_enum_lists(e, (int32_t)(uint32_t)wire);
}

/* Whether a map entry [p, end) holds an unlisted value of a closed enum; the whole entry is then an
 * unknown field. False when it is malformed or opens more than `more` levels, itself counted: its
 * conversion then tells the error. */
bool yaff_entry_unlisted(const yaff_type *entry, const uint8_t *p, const uint8_t *end,
                         uint32_t more);

/* Checks and forgets what Protobuf would parse and then drop: `value` of field f, as on the wire
 * (without tag, length and end tag). Defined by the converter, which owns messages. */
YAFF_MUST_CHECK yaff_status yaff_value_check(yaff_wire_in *in, const yaff_field *f,
                                             const uint8_t *value, const uint8_t *value_end,
                                             uint32_t depth);

#endif
