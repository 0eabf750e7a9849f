/* One message of wire bytes, decoded one level deep: numbers lie in scratch cells, everything with
 * a length only notes where it stands. Between the wire and the writer of a layout. Private to the
 * library. */
#ifndef YAFF_BRIDGE_WIRE_LEVEL_H
#define YAFF_BRIDGE_WIRE_LEVEL_H

#include <yaff/wire.h>

#include "../layout/choose.h"
#include "../runtime/builder.h"
#include "../runtime/wire_read.h"

/* From every address below in->plain_end, and from a text whose field starts there, so many bytes of
 * the input can be read, which spares the usual field a test for each of its bytes. */
enum {
    YAFF_WIRE_SLACK = 32,
    YAFF_PLAIN_HEAD = 4, /* a tag and a length of at most two bytes each */
    YAFF_SHORT_TEXT = 2 * YAFF_WIRE_SLACK
};

/* One conversion. */
typedef struct yaff_wire_in {
    yaff_builder *b;
    yaff_wire_options options;
    uint32_t short_text; /* payloads of fewer bytes that are PLAIN are copied by copies of a fixed
                          * size; 0 when text is borrowed */
    const uint8_t *wire; /* the caller's input, or a copy of it: [wire, wire_end) */
    const uint8_t *wire_end;
    const uint8_t *plain_end; /* of the input, or of the copy of a level that is at work */
    const uint8_t
        *origin; /* where in the input the level stands that was normalised last: what a fault in
                            * a copy is reported as */
    const uint8_t *fault; /* where an error was found, in the input or in a copy */
    yaff_status status;   /* and what it is, when a function that returns an offset failed */
    bool dropping;        /* reading what will be thrown away: required fields may be missing */
    char *small_room, *small_end; /* the free room for levels of small types */
} yaff_wire_in;

/* A run of unknown fields, as it stood. */
typedef struct yaff_unknown_run {
    struct yaff_unknown_run *next;
    const uint8_t *data;
    uint32_t size;
} yaff_unknown_run;

/* Of a payload: what the writer asks first. */
typedef enum yaff_payload_kind {
    YAFF_PAYLOAD_PLAIN,  /* string, bytes; not empty, and with slack behind its first byte */
    YAFF_PAYLOAD_TEXT,   /* string, bytes; not empty */
    YAFF_PAYLOAD_ARRAY,  /* repeated, map */
    YAFF_PAYLOAD_PACKED, /* repeated, and came packed */
    YAFF_PAYLOAD_CHILD,  /* message, group; its cell has 4 bytes */
    YAFF_PAYLOAD_INLINE  /* message without a cell */
} yaff_payload_kind;

/* What a present field's cell refers to: text, a message, an array. */
typedef struct yaff_payload {
    uint64_t word; /* yaff_payload_word(): one comparison then tells whether it is short text */
    const uint8_t *data; /* string, message, group: its bytes on the wire, without tags and length;
                          * repeated, map: the first element's tag;
                          * ... that came packed: the payload's length */
    void *cell; /* that its span or reference goes into; not filled for an inline message */
    const yaff_field *field; /* not filled for text */
} yaff_payload;

/* `count` is of the bytes of a singular field, of the elements of a repeated one. */
static inline uint64_t yaff_payload_word(yaff_payload_kind kind, uint32_t count)
{
    return (uint64_t)kind << 32 | count;
}
static inline yaff_payload_kind yaff_payload_kind_of(const yaff_payload *payload)
{
    return (yaff_payload_kind)(payload->word >> 32);
}
static inline uint32_t yaff_payload_count(const yaff_payload *payload)
{
    return (uint32_t)payload->word;
}

/* The present fields, in number order. Their cells of either width lie one behind the other, as
 * they do in a Sparse message; those of payloads are still to be filled. A true bool has none, a
 * false one a zero cell of 4 bytes, an inline message none. What is in a cell is little-endian
 * already. A value of this type is kept in registers while the usual fields are decoded. */
typedef struct yaff_found {
    uint64_t *cells8, *end8;
    uint32_t *cells4, *end4;
    yaff_payload *payloads, *payload_end; /* and room for one more behind them */
    const yaff_field *next; /* behind the last field's row: those before it came already */
} yaff_found;

/* What else is known of a level. The arrays of yaff_found lie behind it. */
typedef struct yaff_level {
    const uint8_t *end;                       /* of the bytes it was decoded from */
    yaff_unknown_run *unknown, *unknown_last; /* if unknown_size is not 0 */
    const uint8_t *start;                     /* of the bytes it was decoded from */
    uint32_t unknown_size;
    uint64_t oneofs;        /* oneofs (the first 64) of which a member is set */
    yaff_present present[]; /* by block; of a Fixed type, which has none, by sixteen rows */
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

static inline bool yaff_level_has(const yaff_level *level, const yaff_field *f)
{
    return level->present[f->block].set & f->bit;
}

/* Nothing has been found yet in the level [start, end) of a type with `blocks` lanes at most. */
YAFF_HELPER void yaff_level_start(yaff_level *level, yaff_found *found, const yaff_type *type,
                                  const uint8_t *start, const uint8_t *end, size_t blocks)
{
    found->end8 = found->cells8;
    found->end4 = found->cells4;
    found->payload_end = found->payloads;
    found->next = type->fields;
    level->start = start;
    level->end = end;
    level->unknown_size = 0;
    level->oneofs = 0;
    memset(level->present, 0, (blocks > 2 ? blocks : 2) * sizeof *level->present);
}

/* The lanes of a level of a type with `blocks` lanes at most: two at least, and an even number. */
YAFF_HELPER size_t yaff_level_lanes(size_t blocks)
{
    return (blocks + 3) / 2 * 2;
}

/* How many bytes the level of a type with at most so many fields and lanes takes. */
YAFF_HELPER size_t yaff_level_room(size_t fields, size_t blocks)
{
    enum { BEYOND = 16 }; /* what is copied with the last cell */
    return sizeof(yaff_level) + yaff_level_lanes(blocks) * sizeof(yaff_present) + BEYOND +
           fields * (sizeof(yaff_payload) + sizeof(uint64_t) + sizeof(uint32_t)) +
           sizeof(yaff_payload);
}

/* Such a level in that room, to be started. */
YAFF_HELPER yaff_level *yaff_level_at(void *room, yaff_found *found, size_t fields, size_t blocks)
{
    yaff_level *level = (yaff_level *)room;
    found->cells8 = (uint64_t *)(void *)(level->present + yaff_level_lanes(blocks));
    found->payloads = (yaff_payload *)(void *)(found->cells8 + fields);
    found->cells4 = (uint32_t *)(void *)(found->payloads + fields + 1);
    return level;
}

/* Decodes the rest of a level from p on, `depth` levels below the root. Bytes out of canonical order
 * are normalised first; the payloads then point into the copy, and in->plain_end is the copy's.
 * Fills in->fault on failure. */
YAFF_MUST_CHECK yaff_status yaff_level_decode_rest(yaff_wire_in *in, const yaff_type *type,
                                                   const uint8_t *p, uint32_t depth,
                                                   yaff_level *level, yaff_found *found);

/* Rewrites the message [p, end) so that it says the same in canonical order: known fields in number
 * order, each once or in one run, losers of a oneof gone, then the unknown ones as they stood. The
 * copy lies in the builder's scratch. spec/wire.md, In. */
YAFF_MUST_CHECK yaff_status yaff_level_normalise(yaff_wire_in *in, const yaff_type *type,
                                                 const uint8_t *p, const uint8_t *end,
                                                 uint32_t depth, const uint8_t **copy,
                                                 const uint8_t **copy_end);

/* Whether a wire value is one of the enum's longest run, which in most enums is all there are. */
static inline bool yaff_enum_in_run(const yaff_enum *e, uint64_t wire)
{
    return (uint32_t)wire - (uint32_t)e->run_first < e->run_count;
}

/* Whether a closed enum does not list a wire value, which then belongs to the unknown fields. */
static inline bool yaff_enum_unlisted(const yaff_enum *e, uint64_t wire)
{
    return !YAFF_LIKELY(yaff_enum_in_run(e, wire)) && !yaff_enum_lists(e, (int32_t)(uint32_t)wire);
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
