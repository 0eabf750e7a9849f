/* Any bytes as wire bytes of any type, with any options. Invariant: either an error that names a
 * place in the input, or a buffer that verifies and in which everything reads; and the same bytes
 * again from the same builder, and into a caller's memory of exactly their size, but TOO_SMALL one
 * cell below. Input: type, options, wire bytes. */
#include "subject.h"

#include <yaff/buffer.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const yaff_type *type = subject_type(data[0]);
    yaff_wire_options options = subject_options(data[1]);
    yaff_verify_options verify = {.utf8 = !options.no_utf8_check};
    yaff_builder *b = subject_builder();
    yaff_error err;
    data += 2;
    size -= 2;
    yaff_status status = yaff_from_wire(b, type, data, size, &options, &err);
    if (status != YAFF_OK) {
        FUZZ_CHECK(err.status == status && err.offset <= size);
        FUZZ_CHECK(yaff_builder_data(b) == NULL && yaff_builder_size(b) == 0);
        FUZZ_CHECK(yaff_from_wire(b, type, data, size, &options, NULL) == status);
        return 0;
    }
    size_t length = yaff_builder_size(b);
    if (length > SUBJECT_LARGEST) return 0;
    FUZZ_CHECK(yaff_verify(type, yaff_builder_data(b), length, &verify, NULL) == YAFF_OK);
    const void *first = subject_guarded(yaff_builder_data(b), length, false);

    FUZZ_CHECK(yaff_from_wire(b, type, data, size, &options, NULL) == YAFF_OK);
    FUZZ_CHECK(yaff_builder_size(b) == length && memcmp(yaff_builder_data(b), first, length) == 0);

    void *exact = malloc(length);
    FUZZ_CHECK(exact);
    yaff_builder_use(b, exact, length);
    FUZZ_CHECK(yaff_from_wire(b, type, data, size, &options, NULL) == YAFF_OK);
    FUZZ_CHECK(yaff_builder_size(b) == length && memcmp(exact, first, length) == 0);
    yaff_builder_use(b, exact, length - 8);
    FUZZ_CHECK(yaff_from_wire(b, type, data, size, &options, NULL) == YAFF_TOO_SMALL);
    yaff_builder_use(b, NULL, 0);
    free(exact);

    subject_use(type, first, length, true);
    return 0;
}
