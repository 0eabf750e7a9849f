/* Any bytes as a stream of frames. Invariant: the reader in memory and that of a descriptor say the
 * same; an accepted frame, built anew, has the same bytes; one flipped bit or a cut makes it
 * refused. Input: mode; then mode 0: the stream; otherwise one payload, which is framed, and mode
 * chooses the bit that is flipped and the length that is cut off. */
#define _POSIX_C_SOURCE 200809L

#include "subject.h"

#include <yaff/buffer.h>
#include <yaff/frame.h>

#include <unistd.h>

enum { LARGEST = 32768 /* bytes that a pipe takes at once */ };

/* What the descriptor's reader makes of the stream, frame by frame, against memory's. */
static void check_stream(const uint8_t *data, size_t size)
{
    int ends[2];
    size_t at = 0;
    yaff_status in_memory = YAFF_OK, in_stream;
    yaff_frame memory, stream;
    yaff_error err;
    FUZZ_CHECK(pipe(ends) == 0);
    FUZZ_CHECK(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    yaff_frame_reader *r = yaff_frame_reader_new(ends[0], NULL);
    FUZZ_CHECK(r);
    while (in_memory == YAFF_OK) {
        in_memory = at == size ? YAFF_END : yaff_frame_check(data + at, size - at, &memory, &err);
        in_stream = yaff_frame_reader_next(r, &stream, &err);
        FUZZ_CHECK(in_stream == in_memory && err.offset <= size);
        if (in_memory != YAFF_OK) break;
        FUZZ_CHECK(stream.size == memory.size && stream.fingerprint == memory.fingerprint);
        FUZZ_CHECK(memcmp(stream.buffer, memory.buffer, memory.size) == 0);
        at += YAFF_FRAME_HEADER + memory.size;
    }
    yaff_frame_reader_free(r);
    close(ends[0]);
}

static uint8_t *check_frame(const void *payload, size_t size)
{
    yaff_frame frame;
    size_t total = YAFF_FRAME_HEADER + size;
    uint8_t *built = malloc(total);
    FUZZ_CHECK(built);
    FUZZ_CHECK(yaff_frame_build(built, total, 7, payload, size) == YAFF_OK);
    FUZZ_CHECK(yaff_frame_check(built, total, &frame, NULL) == YAFF_OK);
    FUZZ_CHECK(frame.size == size && frame.fingerprint == 7);
    FUZZ_CHECK(memcmp(frame.buffer, payload, size) == 0);
    return built;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > LARGEST) return 0;
    unsigned mode = data[0];
    uint8_t *copy = malloc(size); /* aligned */
    FUZZ_CHECK(copy);
    memcpy(copy, data + 1, --size);
    if (mode == 0) {
        check_stream(copy, size);
    } else if ((size &= ~(size_t)7) >= YAFF_BUFFER_HEAD) {
        uint8_t *frame = check_frame(copy, size);
        size_t total = YAFF_FRAME_HEADER + size, bit = mode * 8191u % (8 * total);
        yaff_frame whole;
        const yaff_type *type = subject_type(mode);
        if (yaff_frame_open(type, 7, frame, total, NULL)) subject_use(type, copy, size, false);
        check_stream(frame, total - mode % total);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        FUZZ_CHECK(yaff_frame_check(frame, total, &whole, NULL) != YAFF_OK);
        check_stream(frame, total);
        free(frame);
    }
    free(copy);
    return 0;
}
