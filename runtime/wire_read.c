/* The slow halves of reading wire bytes. See wire_read.h. */
#include "wire_read.h"

static const uint8_t *fail(yaff_status *status, yaff_status why)
{
    *status = why;
    return NULL;
}

const uint8_t *yaff_read_varint_slow(const uint8_t *p, const uint8_t *end, uint64_t *value,
                                     yaff_status *status)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < YAFF_VARINT_MAX_BYTES; i++) {
        if (p == end) return fail(status, YAFF_TRUNCATED);
        uint8_t byte = *p++;
        v |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *value = v;
            return p;
        }
    }
    return fail(status, YAFF_BAD_VARINT);
}

const uint8_t *yaff_read_tag_slow(const uint8_t *p, const uint8_t *end, uint32_t *tag,
                                  yaff_status *status)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < YAFF_TAG_MAX_BYTES; i++) {
        if (p == end) return fail(status, YAFF_TRUNCATED);
        uint8_t byte = *p++;
        v |= (uint32_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            if (v >> 3 == 0) return fail(status, YAFF_BAD_TAG);
            *tag = v;
            return p;
        }
    }
    return fail(status, YAFF_BAD_TAG);
}

const uint8_t *yaff_read_length_slow(const uint8_t *p, const uint8_t *end, uint32_t *length,
                                     yaff_status *status)
{
    uint64_t v = 0;
    for (unsigned i = 0;; i++) {
        if (i == YAFF_TAG_MAX_BYTES) return fail(status, YAFF_BAD_LENGTH);
        if (p == end) return fail(status, YAFF_TRUNCATED);
        uint8_t byte = *p++;
        v |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) break;
    }
    if (v > INT32_MAX) return fail(status, YAFF_BAD_LENGTH);
    if (v > (size_t)(end - p)) return fail(status, YAFF_TRUNCATED);
    *length = (uint32_t)v;
    return p;
}

const uint8_t *yaff_skip_group(const uint8_t *p, const uint8_t *end, uint32_t number,
                               uint32_t depth, const uint8_t **contents_end, yaff_status *status)
{
    if (depth == 0) return fail(status, YAFF_TOO_DEEP);
    for (;;) {
        uint32_t tag;
        const uint8_t *field = p;
        if (p == end) return fail(status, YAFF_BAD_GROUP);
        p = yaff_read_tag(p, end, &tag, status);
        if (p == NULL) return NULL;
        if ((tag & 7) == YAFF_WIRE_GROUP_END) {
            if (tag >> 3 != number) return fail(status, YAFF_BAD_GROUP);
            *contents_end = field;
            return p;
        }
        p = yaff_skip_field(p, end, tag, depth - 1, status);
        if (p == NULL) return NULL;
    }
}

const uint8_t *yaff_skip_field(const uint8_t *p, const uint8_t *end, uint32_t tag, uint32_t depth,
                               yaff_status *status)
{
    uint64_t value;
    uint32_t length;
    switch (tag & 7) {
    case YAFF_WIRE_VARINT:
        return yaff_read_varint(p, end, &value, status);
    case YAFF_WIRE_FIXED64:
        return end - p < 8 ? fail(status, YAFF_TRUNCATED) : p + 8;
    case YAFF_WIRE_LENGTH:
        p = yaff_read_length(p, end, &length, status);
        return p == NULL ? NULL : p + length;
    case YAFF_WIRE_GROUP:
        return yaff_skip_group(p, end, tag >> 3, depth, &(const uint8_t *){NULL}, status);
    case YAFF_WIRE_GROUP_END:
        return fail(status, YAFF_BAD_GROUP);
    case YAFF_WIRE_FIXED32:
        return end - p < 4 ? fail(status, YAFF_TRUNCATED) : p + 4;
    default:
        return fail(status, YAFF_BAD_TAG);
    }
}

yaff_status yaff_check_fields(const uint8_t *p, const uint8_t *end, uint32_t depth,
                              const uint8_t **fault)
{
    yaff_status status = YAFF_OK;
    while (p < end) {
        uint32_t tag;
        *fault = p;
        p = yaff_read_tag(p, end, &tag, &status);
        if (p != NULL) p = yaff_skip_field(p, end, tag, depth, &status);
        if (p == NULL) break;
    }
    return status;
}
