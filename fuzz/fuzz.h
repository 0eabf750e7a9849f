/* What every fuzz target is: LLVMFuzzerTestOneInput(), which returns 0, and aborts when its
 * invariant does not hold. libFuzzer calls it, or replay.c with the files of corpus/. */
#ifndef YAFF_FUZZ_H
#define YAFF_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
