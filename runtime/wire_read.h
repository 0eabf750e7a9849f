/* Reading Protobuf wire bytes: varints, tags, lengths, and stepping over a field. Every function
 * takes the range [p, end) and returns the byte behind what it read, or NULL with *status told. The
 * limits are those of protobuf C++ (spec/wire.md, In). Private to the library. */
#ifndef YAFF_RUNTIME_WIRE_READ_H
#define YAFF_RUNTIME_WIRE_READ_H

#include <yaff/base.h>
#include <yaff/status.h>

enum {
    YAFF_WIRE_VARINT = 0,
    YAFF_WIRE_FIXED64 = 1,
    YAFF_WIRE_LENGTH = 2,
    YAFF_WIRE_GROUP = 3,
    YAFF_WIRE_GROUP_END = 4,
    YAFF_WIRE_FIXED32 = 5
};

enum { YAFF_TAG_MAX_BYTES = 5, YAFF_VARINT_MAX_BYTES = 10 };

YAFF_API YAFF_NOINLINE const uint8_t *yaff_read_varint_slow(const uint8_t *p, const uint8_t *end,
                                                            uint64_t *value, yaff_status *status);
YAFF_API YAFF_NOINLINE const uint8_t *yaff_read_tag_slow(const uint8_t *p, const uint8_t *end,
                                                         uint32_t *tag, yaff_status *status);
YAFF_API YAFF_NOINLINE const uint8_t *yaff_read_length_slow(const uint8_t *p, const uint8_t *end,
                                                            uint32_t *length, yaff_status *status);

/* A varint of up to ten bytes; bits above the 64th are dropped. */
static inline const uint8_t *yaff_read_varint(const uint8_t *p, const uint8_t *end, uint64_t *value,
                                              yaff_status *status)
{
    if (YAFF_LIKELY(p < end && *p < 0x80)) {
        *value = *p;
        return p + 1;
    }
    return yaff_read_varint_slow(p, end, value, status);
}

/* A tag whose field number is not 0. Wire types 6 and 7 are left to yaff_skip_field(). */
static inline const uint8_t *yaff_read_tag(const uint8_t *p, const uint8_t *end, uint32_t *tag,
                                           yaff_status *status)
{
    if (YAFF_LIKELY(p < end && *p < 0x80 && *p >= 8)) {
        *tag = *p;
        return p + 1;
    }
    return yaff_read_tag_slow(p, end, tag, status);
}

/* A length, and proof that so many bytes follow. */
static inline const uint8_t *yaff_read_length(const uint8_t *p, const uint8_t *end,
                                              uint32_t *length, yaff_status *status)
{
    if (YAFF_LIKELY(p < end && *p < 0x80 && *p <= end - p - 1)) {
        *length = *p;
        return p + 1;
    }
    return yaff_read_length_slow(p, end, length, status);
}

/* Steps over the value of a field whose tag has been read; a group to behind its end tag. `depth`
 * is how many more levels may be opened. */
YAFF_API const uint8_t *yaff_skip_field(const uint8_t *p, const uint8_t *end, uint32_t tag,
                                        uint32_t depth, yaff_status *status);

/* Finds the end tag of group `number` whose start tag has been read: returns the byte behind it,
 * and the contents' end in *contents_end. */
YAFF_API const uint8_t *yaff_skip_group(const uint8_t *p, const uint8_t *end, uint32_t number,
                                        uint32_t depth, const uint8_t **contents_end,
                                        yaff_status *status);

/* Checks that [p, end) is a sequence of whole fields whose groups are balanced and nest at most
 * `depth` deep; on failure *fault is the start of the faulty field. */
YAFF_API yaff_status yaff_check_fields(const uint8_t *p, const uint8_t *end, uint32_t depth,
                                       const uint8_t **fault);

static inline uint64_t yaff_zigzag64(uint64_t n)
{
    return (n >> 1) ^ (0 - (n & 1));
}

static inline uint32_t yaff_zigzag32(uint32_t n)
{
    return (n >> 1) ^ (0 - (n & 1));
}

#endif
