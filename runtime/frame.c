/* Frames in memory. See yaff/frame.h; spec/format.md, Frame. */
#include "frame.h"

#include <yaff/buffer.h>

#include <inttypes.h>
#include <stdio.h>

#include "hash.h"
#include "path.h"

enum { SIZE_AT = 8, FINGERPRINT_AT = 16, PAYLOAD_HASH_AT = 24, HEADER_HASH_AT = 32 };

static const uint8_t start[SIZE_AT] = {'Y', 'F', 'R', 'M', YAFF_FRAME_VERSION, 0, 0, 0};

static bool is_buffer_size(uint64_t size)
{
    return size >= YAFF_BUFFER_HEAD && size <= YAFF_BUFFER_MAX_SIZE && size % 8 == 0;
}

yaff_status yaff_frame_header(void *header, uint64_t fingerprint, const void *buffer, size_t size)
{
    uint8_t *bytes = header;
    if (!is_buffer_size(size)) return YAFF_BAD_LENGTH;
    memcpy(bytes, start, sizeof start);
    yaff_store64(bytes + SIZE_AT, size);
    yaff_store64(bytes + FINGERPRINT_AT, fingerprint);
    yaff_store64(bytes + PAYLOAD_HASH_AT, yaff_hash(buffer, size));
    yaff_store64(bytes + HEADER_HASH_AT, yaff_hash(bytes, HEADER_HASH_AT));
    return YAFF_OK;
}

yaff_status yaff_frame_build(void *out, size_t capacity, uint64_t fingerprint, const void *buffer,
                             size_t size)
{
    if (!is_buffer_size(size)) return YAFF_BAD_LENGTH;
    if (capacity < YAFF_FRAME_HEADER || capacity - YAFF_FRAME_HEADER < size) return YAFF_TOO_SMALL;
    memcpy((uint8_t *)out + YAFF_FRAME_HEADER, buffer, size);
    return yaff_frame_header(out, fingerprint, buffer, size);
}

bool yaff_frame_head_read(const uint8_t *bytes, yaff_frame_head *head)
{
    uint64_t size = yaff_load64(bytes + SIZE_AT);
    if (memcmp(bytes, start, sizeof start) != 0) return false;
    if (yaff_load64(bytes + HEADER_HASH_AT) != yaff_hash(bytes, HEADER_HASH_AT)) return false;
    if (!is_buffer_size(size)) return false;
    head->size = (size_t)size;
    head->fingerprint = yaff_load64(bytes + FINGERPRINT_AT);
    head->checksum = yaff_load64(bytes + PAYLOAD_HASH_AT);
    return true;
}

yaff_status yaff_frame_check(const void *bytes, size_t size, yaff_frame *frame, yaff_error *err)
{
    yaff_frame_head head;
    const uint8_t *payload = (const uint8_t *)bytes + YAFF_FRAME_HEADER;
    if ((uintptr_t)bytes % YAFF_BUFFER_ALIGN != 0) return yaff_fail(err, YAFF_MISALIGNED, 0);
    if (size < YAFF_FRAME_HEADER) return yaff_fail(err, YAFF_TRUNCATED, size);
    if (!yaff_frame_head_read(bytes, &head)) return yaff_fail(err, YAFF_BAD_FRAME, 0);
    if (size - YAFF_FRAME_HEADER < head.size) return yaff_fail(err, YAFF_TRUNCATED, size);
    if (yaff_hash(payload, head.size) != head.checksum)
        return yaff_fail(err, YAFF_BAD_CHECKSUM, YAFF_FRAME_HEADER);
    frame->buffer = payload;
    frame->size = head.size;
    frame->fingerprint = head.fingerprint;
    return yaff_fail(err, YAFF_OK, 0);
}

yaff_status yaff_frame_match(const yaff_frame *frame, const yaff_type *type, uint64_t fingerprint,
                             yaff_error *err)
{
    if (frame->fingerprint == fingerprint) return yaff_fail(err, YAFF_OK, 0);
    if (err) {
        (void)yaff_fail(err, YAFF_WRONG_SCHEMA, 0);
        /* The name comes last: it may be longer than the room for it. */
        snprintf(err->path, sizeof err->path, "frame %016" PRIx64 ", reader %016" PRIx64 " (%s)",
                 frame->fingerprint, fingerprint, type->name);
    }
    return YAFF_WRONG_SCHEMA;
}

const void *yaff_frame_root(const yaff_frame *frame, const yaff_type *type, uint64_t fingerprint,
                            yaff_error *err)
{
    if (yaff_frame_match(frame, type, fingerprint, err) != YAFF_OK) return NULL;
    return yaff_open(type, frame->buffer, frame->size, err);
}

const void *yaff_frame_open(const yaff_type *type, uint64_t fingerprint, const void *bytes,
                            size_t size, yaff_error *err)
{
    yaff_frame frame;
    if (yaff_frame_check(bytes, size, &frame, err) != YAFF_OK) return NULL;
    if (size - YAFF_FRAME_HEADER != frame.size) {
        (void)yaff_fail(err, YAFF_BAD_LENGTH, YAFF_FRAME_HEADER + frame.size);
        return NULL;
    }
    return yaff_frame_root(&frame, type, fingerprint, err);
}
