/* Wire bytes in, out, and in again. Invariant: what from_wire accepts, to_wire writes in just
 * the bytes that wire_size says; reading those gives the same buffer, byte for byte, and writing
 * that the same wire bytes: nothing of the message's meaning is lost. Nor is it if the buffer
 * borrows its strings. Input: type, options, wire bytes. */
#include "subject.h"

#include <yaff/buffer.h>

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes to_wire(const yaff_type *type, const void *buffer)
{
    bytes wire;
    size_t written;
    const void *root = yaff_buffer_root(buffer, type->instance);
    FUZZ_CHECK(yaff_wire_size(type, root, &wire.size, NULL) == YAFF_OK);
    wire.data = malloc(wire.size ? wire.size : 1);
    FUZZ_CHECK(wire.data);
    FUZZ_CHECK(yaff_to_wire(type, root, wire.data, wire.size, &written, NULL) == YAFF_OK);
    FUZZ_CHECK(written == wire.size);
    return wire;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const yaff_type *type = subject_type(data[0]);
    yaff_wire_options options = subject_options(data[1]);
    yaff_builder *b = subject_builder();
    options.borrow = false;
    if (yaff_from_wire(b, type, data + 2, size - 2, &options, NULL) != YAFF_OK) return 0;

    size_t length = yaff_builder_size(b);
    void *first = malloc(length);
    FUZZ_CHECK(first);
    memcpy(first, yaff_builder_data(b), length);
    bytes wire = to_wire(type, first);
    FUZZ_CHECK(yaff_from_wire(b, type, wire.data, wire.size, &options, NULL) == YAFF_OK);
    FUZZ_CHECK(yaff_builder_size(b) == length && memcmp(yaff_builder_data(b), first, length) == 0);
    bytes again = to_wire(type, yaff_builder_data(b));
    FUZZ_CHECK(again.size == wire.size && memcmp(again.data, wire.data, wire.size) == 0);
    free(again.data);

    options.borrow = true;
    FUZZ_CHECK(yaff_from_wire(b, type, data + 2, size - 2, &options, NULL) == YAFF_OK);
    again = to_wire(type, yaff_builder_data(b));
    FUZZ_CHECK(again.size == wire.size && memcmp(again.data, wire.data, wire.size) == 0);
    free(again.data);
    free(wire.data);
    free(first);
    return 0;
}
