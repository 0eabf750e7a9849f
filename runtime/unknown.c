/* A walk over wire bytes that nobody decodes. Limits are those of the wire reader:
 * spec/wire.md, In. */
#include "unknown.h"

enum { TAG_BYTES = 5, VARINT_BYTES = 10 };

typedef struct {
    const uint8_t *at, *end;
    const uint8_t *field; /* where the field being looked at begins */
} wire_reader;

/* A varint of at most `most` bytes; more is the error `too_long`. */
static yaff_status take_varint(wire_reader *r, unsigned most, yaff_status too_long, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < most; i++) {
        if (r->at == r->end) return YAFF_TRUNCATED;
        uint8_t byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7fu) << 7 * i;
        if (byte < 0x80) return YAFF_OK;
    }
    return too_long;
}

static yaff_status skip(wire_reader *r, uint64_t size)
{
    if (size > (size_t)(r->end - r->at)) return YAFF_TRUNCATED;
    r->at += size;
    return YAFF_OK;
}

/* Fields up to the end tag of `group`, or up to the end of the bytes when that is 0. */
static yaff_status take_fields(wire_reader *r, uint32_t group, uint32_t depth)
{
    yaff_status status;
    uint64_t value;
    for (;;) {
        uint32_t tag;
        r->field = r->at;
        if (r->at == r->end) return group ? YAFF_TRUNCATED : YAFF_OK;
        status = take_varint(r, TAG_BYTES, YAFF_BAD_TAG, &value);
        tag = (uint32_t)value;
        if (!status && tag >> 3 == 0) status = YAFF_BAD_TAG;
        if (status) return status;
        switch (tag & 7) {
        case 0:
            status = take_varint(r, VARINT_BYTES, YAFF_BAD_VARINT, &value);
            break;
        case 1:
            status = skip(r, 8);
            break;
        case 2:
            status = take_varint(r, TAG_BYTES, YAFF_BAD_LENGTH, &value);
            if (!status && value > INT32_MAX) status = YAFF_BAD_LENGTH;
            if (!status) status = skip(r, value);
            break;
        case 3:
            status = depth == 0 ? YAFF_TOO_DEEP : take_fields(r, tag >> 3, depth - 1);
            break;
        case 4:
            return tag >> 3 == group ? YAFF_OK : YAFF_BAD_GROUP;
        case 5:
            status = skip(r, 4);
            break;
        default:
            status = YAFF_BAD_TAG;
        }
        if (status) return status;
    }
}

yaff_status yaff_check_unknown(const void *wire, size_t size, uint32_t depth, size_t *offset)
{
    wire_reader r;
    yaff_status status;
    r.at = r.field = (const uint8_t *)wire;
    r.end = r.at + size;
    status = take_fields(&r, 0, depth);
    *offset = (size_t)(r.field - (const uint8_t *)wire);
    return status;
}
