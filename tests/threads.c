/* What the headers call thread-safe, done by several threads at once to one buffer in a mapped
 * file, each with a builder of its own. ThreadSanitizer (the tsan preset) watches; without it the
 * results are compared. Not a Criterion program: Criterion does not run under ThreadSanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <yaff/verify.h>
#include <yaff/wire.h>

#include "layouts.yaff.h"

enum { THREADS = 4, ROUNDS = 100, COPIES = 20 };

/* One element of `rself` (field 26): a number, non-ASCII text of over 32 bytes, an inner message,
 * packed numbers, a map entry, an unknown field (1000). */
static const char element[] = "\x10\x85\x01"
                              "\x72\x26Gr\xc3\xbc\xc3\x9f aus einem l\xc3\xa4ngeren St\xc3\xbc"
                              "ck Text"
                              "\x8a\x01\x02\x10\x07"
                              "\xba\x01\x03\x01\x02\x03"
                              "\xea\x01\x08\x0a\x02"
                              "ab\x12\x02\x10\x09"
                              "\xc0\x3e\x2a";

static char wire[COPIES * (sizeof element + 3)];
static size_t wire_size;
static const void *shared; /* the buffer */
static size_t shared_size;

/* NULL, or what went wrong. */
static const char *round_trip(yaff_builder *b)
{
    char out[sizeof wire];
    size_t size, written;
    const layouts_Dynamic *m = layouts_Dynamic_open(shared, shared_size, NULL);
    if (m == NULL) return "open refuses the shared buffer";
    if (layouts_Dynamic_rself_size(m) != COPIES) return "rself has another size";
    for (size_t i = 0; i < COPIES; i++) {
        const layouts_Dynamic *e = layouts_Dynamic_rself_at(m, i);
        const layouts_Dynamic *in_map = layouts_Dynamic_m_self_get(e, yaff_str_of("ab"));
        if (layouts_Dynamic_i32(e) != 133 || layouts_Dynamic_i32(layouts_Dynamic_self(e)) != 7 ||
            layouts_Dynamic_i32(in_map) != 9)
            return "an accessor reads another value";
    }
    if (layouts_Dynamic_wire_size(m, &size, NULL) != YAFF_OK || size != wire_size)
        return "wire_size differs";
    if (layouts_Dynamic_to_wire(m, out, sizeof out, &written, NULL) != YAFF_OK ||
        written != wire_size || memcmp(out, wire, wire_size) != 0)
        return "to_wire writes other bytes";
    if (layouts_Dynamic_from_wire(b, out, written, NULL, NULL) != YAFF_OK ||
        yaff_builder_size(b) != shared_size ||
        memcmp(yaff_builder_data(b), shared, shared_size) != 0)
        return "from_wire writes other bytes";
    return NULL;
}

static void *run(void *unused)
{
    const char *wrong = "no memory";
    yaff_builder *b = yaff_builder_new(NULL);
    (void)unused;
    if (b != NULL) wrong = NULL;
    for (int i = 0; wrong == NULL && i < ROUNDS; i++) wrong = round_trip(b);
    yaff_builder_free(b);
    return (void *)(uintptr_t)wrong;
}

int main(void)
{
    pthread_t threads[THREADS];
    int failed = 0;
    yaff_builder *b = yaff_builder_new(NULL);
    for (int i = 0; i < COPIES; i++) {
        memcpy(wire + wire_size, "\xd2\x01", 2);
        wire[wire_size + 2] = (char)(sizeof element - 1);
        memcpy(wire + wire_size + 3, element, sizeof element - 1);
        wire_size += sizeof element + 2;
    }
    /* Converted with as little warming up as can be: whatever is set up late is set up by the
     * threads. */
    if (b == NULL || layouts_Dynamic_from_wire(b, wire, wire_size, NULL, NULL) != YAFF_OK) {
        fputs("threads: the wire bytes are refused\n", stderr);
        return 1;
    }
    shared_size = yaff_builder_size(b);
    FILE *file = tmpfile();
    if (file == NULL || fwrite(yaff_builder_data(b), shared_size, 1, file) != 1 ||
        fflush(file) != 0) {
        fputs("threads: no file\n", stderr);
        return 1;
    }
    shared = mmap(NULL, shared_size, PROT_READ, MAP_SHARED, fileno(file), 0);
    if (shared == MAP_FAILED) abort();
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, NULL) != 0) abort();
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong != NULL) {
            fprintf(stderr, "threads: %s\n", (const char *)wrong);
            failed = 1;
        }
    }
    fclose(file);
    yaff_builder_free(b);
    return failed;
}
