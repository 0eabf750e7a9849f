/* Any bytes as a buffer. Invariant: the verifier stays inside them, and when it says ok, every way of
 * reading, printing and converting does, with the buffer against a page without access on either
 * side. Input: type; mode; then
 *   mode 0            the buffer
 *   otherwise         wire bytes, which are converted, and behind them (mode & 15) edits of the buffer, 4
 *                     bytes each: u16 place, how (set a byte, add to a byte, a u16, a u32), what. Then
 *                     it is read as the type that stands mode >> 4 further: another schema. */
#include "subject.h"

#include <yaff/buffer.h>

enum { EDIT = 4 };

static void edit(uint8_t *buffer, size_t size, const uint8_t *e)
{
    size_t at = yaff_load16(e) % size;
    uint8_t what = e[3];
    uint32_t step = what < 128 ? what : what | 0xffffff00u; /* as a signed byte */
    switch (e[2] % 4) {
    case 0:
        buffer[at] = what;
        break;
    case 1:
        buffer[at] = (uint8_t)(buffer[at] + what);
        break;
    case 2:
        at &= ~(size_t)1;
        yaff_store16(buffer + at, (uint16_t)(yaff_load16(buffer + at) + step));
        break;
    default:
        at &= ~(size_t)3;
        yaff_store32(buffer + at, yaff_load32(buffer + at) + step);
        break;
    }
}

static void check(const yaff_type *type, const void *bytes, size_t size)
{
    yaff_error err;
    for (int front = 0; front < 2; front++) {
        const void *buffer = subject_guarded(bytes, size, front);
        yaff_verify_options strict = {.utf8 = true};
        yaff_status status = yaff_verify(type, buffer, size, NULL, &err);
        FUZZ_CHECK(err.status == status && err.offset <= size);
        if (yaff_verify(type, buffer, size, &strict, NULL) == YAFF_OK) FUZZ_CHECK(!status);
        if (status != YAFF_OK) return;
        subject_use(type, buffer, size, false);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yaff_wire_options lenient = {.partial = true, .drop_unknown_in_fixed = true};
    static uint64_t copy[SUBJECT_LARGEST / 8];
    if (size < 2) return 0;
    const yaff_type *writer = subject_type(data[0]);
    const yaff_type *reader = subject_type(data[0] + (data[1] >> 4));
    lenient.borrow = data[0] >> 7;
    size_t edits = data[1] & 15, length = size - 2;
    bool raw = data[1] == 0;
    data += 2;
    if (raw) {
        length &= ~(size_t)7;
        check(reader, data, length < SUBJECT_LARGEST ? length : SUBJECT_LARGEST);
        return 0;
    }
    if (length < EDIT * edits) return 0;
    yaff_builder *b = subject_builder();
    length -= EDIT * edits;
    if (yaff_from_wire(b, writer, data, length, &lenient, NULL) != YAFF_OK) return 0;
    size_t buffer_size = yaff_builder_size(b);
    if (buffer_size > SUBJECT_LARGEST) return 0;
    memcpy(copy, yaff_builder_data(b), buffer_size);
    for (size_t i = 0; i < edits; i++) edit((uint8_t *)copy, buffer_size, data + length + EDIT * i);
    check(reader, copy, buffer_size);
    return 0;
}
