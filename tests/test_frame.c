/* Frames: no damage goes unseen, streams carry on through whatever the system does to them, and the
 * fingerprint tells schemas apart where it must and only there. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <yaff/buffer.h>
#include <yaff/frame.h>
#include <yaff/wire.h>

#include <layouts.yaff.h>

#include "runtime/hash.h"
#include "support/compile.h"

enum { FRAME_ROOM = 4096 };

/* ---- a message, and its frame ---- */

#define TYPE (&layouts_Dynamic_yaff_type)

/* Wire bytes of layouts.Dynamic: i32 = 7, s = "hello", and `count` bytes in y. */
static yaff_builder *message(size_t count)
{
    yaff_builder *b = yaff_builder_new(NULL);
    uint8_t *wire = malloc(count + 32), *p = wire;
    static const uint8_t head[] = {0x10, 7, 0x72, 5, 'h', 'e', 'l', 'l', 'o', 0x7a};
    memcpy(p, head, sizeof head);
    p += sizeof head;
    for (size_t left = count;; left >>= 7) {
        *p++ = (uint8_t)(left < 128 ? left : (left & 127) | 128);
        if (left < 128) break;
    }
    for (size_t i = 0; i < count; i++) *p++ = (uint8_t)(i * 7 + (i >> 8));
    cr_assert_eq(yaff_from_wire(b, TYPE, wire, (size_t)(p - wire), NULL, NULL), YAFF_OK);
    free(wire);
    return b;
}

/* A block of exactly the frame's size, to be freed. */
static uint8_t *frame_of(size_t count, size_t *size)
{
    yaff_builder *b = message(count);
    *size = YAFF_FRAME_HEADER + yaff_builder_size(b);
    uint8_t *frame = malloc(*size);
    cr_assert_eq(yaff_frame_build(frame, *size, yaff_type_fingerprint(TYPE), yaff_builder_data(b),
                                  yaff_builder_size(b)),
                 YAFF_OK);
    yaff_builder_free(b);
    return frame;
}

static yaff_status opens(const uint8_t *frame, size_t size)
{
    yaff_error err = {YAFF_OK, 0, ""};
    const layouts_Dynamic *m =
        yaff_frame_open(TYPE, yaff_type_fingerprint(TYPE), frame, size, &err);
    cr_assert_eq(m == NULL, err.status != YAFF_OK);
    if (m) cr_assert_eq(layouts_Dynamic_i32(m), 7);
    return err.status;
}

/* ---- in memory ---- */

Test(frame, opens_in_place)
{
    size_t size;
    uint8_t *bytes = frame_of(100, &size);
    yaff_frame frame;
    cr_assert_eq(opens(bytes, size), YAFF_OK);
    cr_assert_eq(yaff_frame_check(bytes, size, &frame, NULL), YAFF_OK);
    cr_assert_eq(frame.buffer, (void *)(bytes + YAFF_FRAME_HEADER));
    cr_assert_eq(frame.size, size - YAFF_FRAME_HEADER);
    cr_assert_eq(frame.fingerprint, yaff_type_fingerprint(TYPE));
    free(bytes);
}

Test(frame, every_flipped_bit_is_reported)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        yaff_status want = bit < 8 * YAFF_FRAME_HEADER ? YAFF_BAD_FRAME : YAFF_BAD_CHECKSUM;
        cr_assert_eq(opens(bytes, size), want, "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_assert_eq(opens(bytes, size), YAFF_OK);
    free(bytes);
}

Test(frame, every_truncation_is_reported)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *part = malloc(cut ? cut : 1); /* exact, for sanitizers */
        memcpy(part, bytes, cut);
        cr_assert_eq(opens(part, cut), YAFF_TRUNCATED, "%zu bytes", cut);
        free(part);
    }
    free(bytes);
}

/* A million bits of a frame of several of XXH3's blocks; fewer where sanitizers make hashing slow. */
#if defined(__SANITIZE_ADDRESS__)
enum { FLIPS = 100000 };
#else
enum { FLIPS = 1000000 };
#endif

Test(frame, random_damage_of_a_large_frame_is_reported)
{
    size_t size;
    yaff_frame frame;
    uint8_t *bytes = frame_of(20000, &size);
    uint64_t state = 1;
    for (int i = 0; i < FLIPS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t bit = (size_t)((state >> 20) % (8 * size)), cut = (size_t)((state >> 33) % size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        yaff_status flipped = yaff_frame_check(bytes, size, &frame, NULL);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        yaff_status cut_short = yaff_frame_check(bytes, cut, &frame, NULL);
        if (flipped != YAFF_OK && cut_short == YAFF_TRUNCATED) continue; /* asserting is slower */
        cr_assert_neq(flipped, YAFF_OK, "bit %zu", bit);
        cr_assert_eq(cut_short, YAFF_TRUNCATED, "%zu bytes", cut);
    }
    cr_assert_eq(opens(bytes, size), YAFF_OK);
    free(bytes);
}

Test(frame, says_what_is_wrong_with_sizes_and_places)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    uint8_t *room = malloc(size + 8);
    const void *buffer = bytes + YAFF_FRAME_HEADER;
    size_t payload = size - YAFF_FRAME_HEADER;
    memcpy(room, bytes, size);
    memset(room + size, 0, 8);
    cr_expect_eq(opens(room, size + 8), YAFF_BAD_LENGTH, "something behind the frame");
    memmove(room + 4, room, size);
    cr_expect_eq(opens(room + 4, size), YAFF_MISALIGNED);
    for (size_t n = 0; n < size; n++)
        cr_assert_eq(yaff_frame_build(room, n, 1, buffer, payload), YAFF_TOO_SMALL);
    cr_expect_eq(yaff_frame_build(room, size, 1, buffer, payload), YAFF_OK);
    cr_expect_eq(yaff_frame_build(room, size, 1, buffer, 0), YAFF_BAD_LENGTH);
    cr_expect_eq(yaff_frame_build(room, size, 1, buffer, payload - 1), YAFF_BAD_LENGTH);
    cr_expect_eq(yaff_frame_header(room, 1, buffer, YAFF_BUFFER_MAX_SIZE + 8), YAFF_BAD_LENGTH);
    free(room);
    free(bytes);
}

Test(frame, an_undamaged_frame_is_still_verified)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    uint8_t *buffer = bytes + YAFF_FRAME_HEADER;
    buffer[4] = 0xff; /* the root */
    cr_assert_eq(yaff_frame_build(bytes, size, yaff_type_fingerprint(TYPE), buffer,
                                  size - YAFF_FRAME_HEADER),
                 YAFF_OK);
    cr_expect_neq(opens(bytes, size), YAFF_OK);
    free(bytes);
}

Test(frame, wrong_schema_names_both)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    yaff_error err;
    char both[200];
    uint64_t theirs = yaff_type_fingerprint(TYPE);
    uint64_t mine = yaff_type_fingerprint(&layouts_Sparse_yaff_type);
    cr_assert_null(yaff_frame_open(&layouts_Sparse_yaff_type, mine, bytes, size, &err));
    cr_expect_eq(err.status, YAFF_WRONG_SCHEMA);
    snprintf(both, sizeof both, "frame %016llx, reader %016llx (layouts.Sparse)",
             (unsigned long long)theirs, (unsigned long long)mine);
    cr_expect_str_eq(err.path, both);
    free(bytes);
}

Test(frame, all_of_a_fingerprint_counts)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    uint64_t own = yaff_type_fingerprint(TYPE);
    cr_assert_not_null(yaff_frame_open(TYPE, own, bytes, size, NULL));
    for (unsigned bit = 0; bit < 64; bit++)
        cr_assert_null(yaff_frame_open(TYPE, own ^ UINT64_C(1) << bit, bytes, size, NULL));
    free(bytes);
}

/* A header that is whole, but of a payload that no buffer can be. */
Test(frame, a_size_that_no_buffer_has_is_refused)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    const uint64_t sizes[] = {
        0, 1, 7, size - YAFF_FRAME_HEADER - 1, YAFF_BUFFER_MAX_SIZE + 8, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        yaff_error err;
        yaff_store64(bytes + 8, sizes[i]);
        if (sizes[i] < size) /* and the payload's hash is right, too */
            yaff_store64(bytes + 24, yaff_hash(bytes + YAFF_FRAME_HEADER, (size_t)sizes[i]));
        yaff_store64(bytes + 32, yaff_hash(bytes, 32));
        cr_assert_null(
            yaff_frame_open(TYPE, yaff_type_fingerprint(TYPE), bytes,
                            sizes[i] < size ? YAFF_FRAME_HEADER + (size_t)sizes[i] : size, &err));
        cr_assert_eq(err.status, YAFF_BAD_FRAME, "%zu: %s", i, yaff_status_name(err.status));
    }
    free(bytes);
}

/* Another magic or version, a flag, or bytes that are not zero, with the right hash. */
Test(frame, a_header_of_another_kind_is_refused)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    for (unsigned at = 0; at < 8; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            yaff_error err;
            bytes[at] ^= (uint8_t)(1 << bit);
            yaff_store64(bytes + 32, yaff_hash(bytes, 32));
            cr_assert_null(yaff_frame_open(TYPE, yaff_type_fingerprint(TYPE), bytes, size, &err));
            cr_assert_eq(err.status, YAFF_BAD_FRAME, "bit %u of byte %u", bit, at);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
    free(bytes);
}

/* The worked example of spec/format.md, Frame. */
Test(frame, specified_bytes)
{
    static const char fence[] = "```yaff-frame\n";
    char *text = malloc(1 << 20);
    FILE *file = fopen(YAFF_TEST_SRC_DIR "/../spec/format.md", "rb");
    cr_assert(text && file);
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    char *p = strstr(text, fence);
    cr_assert_not_null(p);
    uint8_t want[FRAME_ROOM];
    size_t n = 0;
    unsigned byte;
    for (p += strlen(fence); strncmp(p, "```", 3) != 0; p += strcspn(p, "\n") + 1)
        for (int used; sscanf(p, " %2x%n", &byte, &used) == 1 && byte < 256; p += used)
            want[n++] = (uint8_t)byte;
    free(text);

    YAFF_ALIGN8 uint8_t got[FRAME_ROOM];
    static const uint8_t wire[] = {0x08, 0x01};
    yaff_schema *schema = compile_schema("syntax = \"proto3\"; message M { int32 a = 1; }");
    const yaff_type *type = yaff_schema_type(schema, "M");
    yaff_builder *b = yaff_builder_new(NULL);
    cr_assert_eq(yaff_from_wire(b, type, wire, sizeof wire, NULL, NULL), YAFF_OK);
    size_t size = YAFF_FRAME_HEADER + yaff_builder_size(b);
    cr_assert_eq(yaff_frame_build(got, sizeof got, yaff_type_fingerprint(type),
                                  yaff_builder_data(b), yaff_builder_size(b)),
                 YAFF_OK);
    bool same = n == size && memcmp(want, got, n) == 0;
    for (size_t i = 0; !same && i < size; i++)
        fprintf(stderr, "%02x%s", got[i], i % 8 == 7 ? "\n" : " ");
    cr_expect(same, "specified are %zu bytes, got %zu", n, size);
    yaff_builder_free(b);
    yaff_schema_free(schema);
}

/* ---- streams ---- */

/* Writes `size` bytes into a pipe, `piece` at a time, from a thread of its own. */
typedef struct feed {
    int fd;
    const uint8_t *bytes;
    size_t size, piece;
    long pause; /* nanoseconds between them */
} feed;

static void *run_feed(void *context)
{
    feed *f = context;
    for (size_t done = 0; done < f->size;) {
        struct timespec pause = {0, f->pause};
        size_t n = f->size - done < f->piece ? f->size - done : f->piece;
        ssize_t got = write(f->fd, f->bytes + done, n);
        if (got > 0) done += (size_t)got;
        if (f->pause) nanosleep(&pause, NULL);
    }
    close(f->fd);
    return NULL;
}

/* Several frames one behind the other; sizes[i] bytes in y. */
static uint8_t *stream_of(const size_t *sizes, size_t count, size_t *size)
{
    uint8_t *all = NULL;
    *size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n;
        uint8_t *one = frame_of(sizes[i], &n);
        all = realloc(all, *size + n);
        memcpy(all + *size, one, n);
        *size += n;
        free(one);
    }
    return all;
}

static const size_t sizes[] = {0, 1, 100, 3000, 5};
enum { COUNT = sizeof sizes / sizeof *sizes };

/* Reads `count` whole frames, then expects `end`, twice. */
static void read_stream(int fd, size_t count, yaff_status end)
{
    yaff_error err;
    yaff_frame frame;
    yaff_frame_reader *r = yaff_frame_reader_new(fd, NULL);
    uint64_t fingerprint = yaff_type_fingerprint(TYPE);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(yaff_frame_reader_next(r, &frame, &err), YAFF_OK, "frame %zu: %s at %zu", i,
                     yaff_status_name(err.status), err.offset);
        const layouts_Dynamic *m = yaff_frame_root(&frame, TYPE, fingerprint, &err);
        cr_assert_not_null(m);
        cr_assert_eq(layouts_Dynamic_y(m).size, sizes[i]);
    }
    for (int i = 0; i < 2; i++) {
        yaff_status status = yaff_frame_reader_next(r, &frame, &err);
        cr_assert_eq(status, end, "%s", yaff_status_name(status));
        cr_assert_eq(err.status, end);
        cr_assert_null(frame.buffer);
    }
    yaff_frame_reader_free(r);
}

static void through_pipe(const uint8_t *bytes, size_t size, size_t piece, long pause, size_t count,
                         yaff_status end)
{
    int ends[2];
    pthread_t thread;
    cr_assert_eq(pipe(ends), 0);
    feed f = {ends[1], bytes, size, piece, pause};
    cr_assert_eq(pthread_create(&thread, NULL, run_feed, &f), 0);
    read_stream(ends[0], count, end);
    pthread_join(thread, NULL);
    close(ends[0]);
}

Test(frame_stream, one_byte_at_a_time)
{
    size_t size;
    uint8_t *bytes = stream_of(sizes, COUNT, &size);
    through_pipe(bytes, size, 1, 0, COUNT, YAFF_END);
    through_pipe(bytes, size, 41, 0, COUNT, YAFF_END);
    through_pipe(bytes, 0, 1, 0, 0, YAFF_END);
    free(bytes);
}

Test(frame_stream, every_truncation_is_reported)
{
    size_t size, first, second;
    uint8_t *bytes = stream_of(sizes, 2, &size);
    free(stream_of(sizes, 1, &first));
    second = size;
    for (size_t cut = 0; cut <= second; cut++) {
        bool whole = cut == 0 || cut == first || cut == second;
        size_t frames = (size_t)(cut >= first) + (cut >= second);
        FILE *file = tmpfile();
        cr_assert(file && fwrite(bytes, 1, cut, file) == cut && fflush(file) == 0);
        cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
        read_stream(fileno(file), frames, whole ? YAFF_END : YAFF_TRUNCATED);
        fclose(file);
    }
    free(bytes);
}

Test(frame_stream, never_goes_on_behind_damage)
{
    size_t size, first;
    uint8_t *bytes = stream_of(sizes, 3, &size);
    free(stream_of(sizes, 1, &first));
    bytes[first + 3] ^= 1; /* the second frame's header; the third is whole */
    through_pipe(bytes, size, size, 0, 1, YAFF_BAD_FRAME);
    bytes[first + 3] ^= 1;
    bytes[first + YAFF_FRAME_HEADER + 9] ^= 1;
    through_pipe(bytes, size, size, 0, 1, YAFF_BAD_CHECKSUM);
    free(bytes);
}

static void on_signal(int number)
{
    (void)number;
}

/* A target of signals without SA_RESTART: system calls of this thread fail with EINTR. */
typedef struct hammer {
    pthread_t target;
    int stop;
} hammer;

static void *run_hammer(void *context)
{
    hammer *h = context;
    struct timespec pause = {0, 200000};
    while (!__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE)) {
        pthread_kill(h->target, SIGUSR1);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void start_hammer(hammer *h, pthread_t *thread)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
    h->target = pthread_self();
    h->stop = 0;
    cr_assert_eq(pthread_create(thread, NULL, run_hammer, h), 0);
}

static void stop_hammer(hammer *h, pthread_t thread)
{
    __atomic_store_n(&h->stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

Test(frame_stream, reading_carries_on_through_signals)
{
    size_t size;
    hammer h;
    pthread_t thread;
    uint8_t *bytes = stream_of(sizes, COUNT, &size);
    start_hammer(&h, &thread);
    through_pipe(bytes, size, 7, 100000, COUNT, YAFF_END);
    stop_hammer(&h, thread);
    free(bytes);
}

/* Reads a pipe slowly into memory. */
typedef struct drain {
    int fd;
    uint8_t *bytes;
    size_t size, room;
} drain;

static void *run_drain(void *context)
{
    drain *d = context;
    struct timespec pause = {0, 300000};
    for (ssize_t n; (n = read(d->fd, d->bytes + d->size, d->room - d->size)) > 0;) {
        d->size += (size_t)n;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void write_through_pipe(bool blocking)
{
    size_t size;
    int ends[2];
    hammer h;
    pthread_t hammering, draining;
    uint8_t *bytes = frame_of(1 << 20, &size); /* many times what a pipe holds */
    drain d = {0, malloc(size + 1), 0, size + 1};
    yaff_frame frame;
    cr_assert_eq(pipe(ends), 0);
    if (!blocking) cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    d.fd = ends[0];
    cr_assert_eq(pthread_create(&draining, NULL, run_drain, &d), 0);
    start_hammer(&h, &hammering);
    cr_assert_eq(yaff_frame_check(bytes, size, &frame, NULL), YAFF_OK);
    cr_assert_eq(yaff_frame_write(ends[1], frame.fingerprint, frame.buffer, frame.size, NULL),
                 YAFF_OK);
    stop_hammer(&h, hammering);
    close(ends[1]);
    pthread_join(draining, NULL);
    close(ends[0]);
    cr_assert(d.size == size && memcmp(d.bytes, bytes, size) == 0);
    free(d.bytes);
    free(bytes);
}

Test(frame_stream, writing_carries_on_through_signals_and_short_writes)
{
    write_through_pipe(true);
}

Test(frame_stream, writing_waits_where_the_descriptor_does_not_block)
{
    write_through_pipe(false);
}

Test(frame_stream, reading_waits_where_the_descriptor_does_not_block)
{
    size_t size;
    int ends[2];
    pthread_t thread;
    uint8_t *bytes = stream_of(sizes, 2, &size);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    feed f = {ends[1], bytes, size, 16, 500000};
    cr_assert_eq(pthread_create(&thread, NULL, run_feed, &f), 0);
    read_stream(ends[0], 2, YAFF_END);
    pthread_join(thread, NULL);
    close(ends[0]);
    free(bytes);
}

Test(frame_stream, what_the_system_refuses_is_reported)
{
    size_t size;
    uint8_t *bytes = frame_of(100, &size);
    yaff_frame frame;
    yaff_error err;
    cr_assert_eq(yaff_frame_check(bytes, size, &frame, NULL), YAFF_OK);

    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        errno = 0;
        cr_expect_eq(yaff_frame_write(full, 1, frame.buffer, frame.size, &err), YAFF_IO);
        cr_expect_eq(errno, ENOSPC);
        close(full);
    }
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    cr_expect_eq(yaff_frame_write(ends[1], 1, frame.buffer, frame.size, &err), YAFF_IO);
    cr_expect_eq(errno, EPIPE);
    close(ends[1]);
    cr_expect_eq(yaff_frame_write(-1, 1, frame.buffer, frame.size, &err), YAFF_IO);
    cr_expect_eq(yaff_frame_write(-1, 1, frame.buffer, 4, &err), YAFF_BAD_LENGTH);
    read_stream(-1, 0, YAFF_IO);
    free(bytes);
}

/* ---- memory ---- */

/* Counts, and fails from the n-th allocation on. */
typedef struct budget {
    size_t left, largest;
} budget;

static void *budget_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    budget *b = context;
    (void)old_size;
    if (b->left == 0) return NULL;
    b->left--;
    if (new_size > b->largest) b->largest = new_size;
    return realloc(block, new_size);
}

static void budget_free(void *context, void *block)
{
    (void)context;
    free(block);
}

static int file_of(const uint8_t *bytes, size_t size, FILE **file)
{
    *file = tmpfile();
    cr_assert(*file && fwrite(bytes, 1, size, *file) == size && fflush(*file) == 0);
    cr_assert_eq(lseek(fileno(*file), 0, SEEK_SET), 0);
    return fileno(*file);
}

Test(frame_memory, limits_are_asked_before_memory_is)
{
    size_t size;
    uint8_t *bytes = frame_of(3000, &size);
    size_t payload = size - YAFF_FRAME_HEADER;
    for (int over = 0; over < 2; over++) {
        FILE *file;
        yaff_frame frame;
        budget b = {10, 0};
        yaff_alloc alloc = {&b, budget_resize, budget_free};
        yaff_frame_reader *r = yaff_frame_reader_new(file_of(bytes, size, &file), &alloc);
        size_t before = b.largest;
        yaff_frame_reader_limit(r, over ? payload - 1 : payload);
        cr_expect_eq(yaff_frame_reader_next(r, &frame, NULL), over ? YAFF_TOO_LARGE : YAFF_OK);
        if (over) cr_expect_eq(b.largest, before, "allocated for a frame above the limit");
        yaff_frame_reader_free(r);
        fclose(file);
    }
    free(bytes);
}

Test(frame_memory, a_header_that_promises_much_gets_little)
{
    YAFF_ALIGN8 uint8_t header[YAFF_FRAME_HEADER + 8] = {0};
    FILE *file;
    yaff_frame frame;
    budget b = {10, 0};
    yaff_alloc alloc = {&b, budget_resize, budget_free};
    void *huge = calloc(1, 64 << 20);
    cr_assert_eq(yaff_frame_header(header, 1, huge, 64 << 20), YAFF_OK);
    free(huge);
    yaff_frame_reader *r = yaff_frame_reader_new(file_of(header, sizeof header, &file), &alloc);
    cr_expect_eq(yaff_frame_reader_next(r, &frame, NULL), YAFF_TRUNCATED);
    cr_expect_leq(b.largest, 1 << 20);
    yaff_frame_reader_free(r);
    fclose(file);
}

Test(frame_memory, every_allocation_may_fail)
{
    size_t size, n = 0;
    uint8_t *bytes = frame_of(5 << 20, &size);
    yaff_status status;
    do {
        FILE *file;
        yaff_frame frame;
        budget b = {n, 0};
        yaff_alloc alloc = {&b, budget_resize, budget_free};
        yaff_frame_reader *r = yaff_frame_reader_new(file_of(bytes, size, &file), &alloc);
        status = r ? yaff_frame_reader_next(r, &frame, NULL) : YAFF_NO_MEMORY;
        cr_assert(status == YAFF_NO_MEMORY || status == YAFF_OK);
        yaff_frame_reader_free(r);
        fclose(file);
        n++;
    } while (status != YAFF_OK);
    cr_expect_gt(n, 4);
    free(bytes);
}

Test(frame_memory, callers_memory_of_every_size)
{
    size_t size;
    uint8_t *bytes = frame_of(20, &size);
    size_t payload = size - YAFF_FRAME_HEADER;
    for (size_t room = 0; room <= payload; room++) {
        FILE *file;
        yaff_frame frame;
        void *memory = malloc(room ? room : 1);
        yaff_frame_reader *r = yaff_frame_reader_new(file_of(bytes, size, &file), NULL);
        yaff_frame_reader_use(r, memory, room);
        cr_assert_eq(yaff_frame_reader_next(r, &frame, NULL),
                     room < payload ? YAFF_TOO_SMALL : YAFF_OK);
        if (room == payload) cr_assert_eq(frame.buffer, memory);
        yaff_frame_reader_free(r);
        free(memory);
        fclose(file);
    }
    free(bytes);
}

/* ---- fingerprints ---- */

static uint64_t fingerprint_of(const char *text)
{
    yaff_schema *schema = compile_schema(text);
    uint64_t fingerprint = yaff_type_fingerprint(yaff_schema_type(schema, "p.M"));
    yaff_schema_free(schema);
    return fingerprint;
}

/* The extra message keeps protoc from a warning that the import is not used. */
#define SCHEMA(body)                                                                               \
    "syntax = \"proto3\"; package p; import \"yaff/options.proto\"; "                              \
    "message User { option (yaff.message) = {layout: LAYOUT_SPARSE}; } " body
#define FIXED "option (yaff.message) = {layout: LAYOUT_FIXED}; "
#define FLAT "option (yaff.message) = {layout: LAYOUT_FLAT}; "

Test(fingerprint, generated_and_run_time_tables_agree)
{
    static const yaff_type *const types[] = {
        &layouts_Dynamic_yaff_type, &layouts_Flat_yaff_type,       &layouts_FlatPlain_yaff_type,
        &layouts_Sparse_yaff_type,  &layouts_Fixed_yaff_type,      &layouts_EmptyFixed_yaff_type,
        &layouts_Empty_yaff_type,   &layouts_FlatRemoved_yaff_type};
    yaff_schema *schema = compile_file("layouts.proto");
    enum { TYPES = sizeof types / sizeof *types };
    uint64_t seen[TYPES];
    for (size_t i = 0; i < TYPES; i++) {
        seen[i] = yaff_type_fingerprint(types[i]);
        cr_expect_eq(seen[i], yaff_type_fingerprint(yaff_schema_type(schema, types[i]->name)), "%s",
                     types[i]->name);
        cr_expect_neq(seen[i], 0);
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(seen[i], seen[j], "%s and %s", types[i]->name, types[j]->name);
    }
    yaff_schema_free(schema);
}

Test(fingerprint, differs_after_each_breaking_change)
{
    static const char *const variants[] = {
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { int32 x = 1; }"),
        /* another width, here or below */
        SCHEMA("message M { int64 a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { bool a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { string a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { N a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { double x = 1; }"),
        /* singular and repeated, and maps */
        SCHEMA("message M { repeated int32 a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { repeated bool a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { repeated int64 a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { repeated string a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; repeated N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { repeated int32 x = 1; }"),
        SCHEMA("message M { map<int32, int32> a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { map<int64, int32> a = 1; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { repeated E a = 1; N n = 2; } message N { int32 x = 1; } "
               "message E { int32 key = 1; int32 value = 2; }"),
        /* Fixed and anything, here or below */
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { " FIXED "int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; repeated N n = 2; } message N { " FIXED "int32 x = 1; }"),
        SCHEMA("message M { " FIXED "int32 a = 1; N n = 2; } message N { " FIXED "int32 x = 1; }"),
        /* other places in a frozen struct */
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FIXED removed: {number: 2 width: 4}}; int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FIXED removed: {number: 1 width: 4}}; int32 x = 2; }"),
        /* the same size, the same fields, and yet another place */
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FIXED removed: {number: 2 width: 4}}; int32 x = 1; int32 y = 3; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FIXED removed: {number: 4 width: 4}}; int32 x = 1; int32 y = 3; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FLAT removed: {number: 2 width: 4}}; int32 x = 1; int32 y = 3; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; } message N { option (yaff.message) = {layout: "
               "LAYOUT_FLAT removed: {number: 4 width: 4}}; int32 x = 1; int32 y = 3; }"),
        /* pinned Flat, whose head tells no widths */
        SCHEMA("message M { " FLAT "int32 a = 1; N n = 2; } message N { int32 x = 1; }"),
        /* other numbers, and another child */
        SCHEMA("message M { int32 a = 3; N n = 2; } message N { int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; N n = 2; int32 c = 3; } message N { int32 x = 1; }"),
        SCHEMA("message M { int32 a = 1; M n = 2; } message N { int32 x = 1; }"),
    };
    enum { VARIANTS = sizeof variants / sizeof *variants };
    uint64_t seen[VARIANTS];
    for (size_t i = 0; i < VARIANTS; i++) {
        seen[i] = fingerprint_of(variants[i]);
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(seen[i], seen[j], "%s\n%s", variants[i], variants[j]);
    }
}

Test(fingerprint, is_the_same_after_each_change_that_moves_nothing)
{
    static const char *const variants[] = {
        SCHEMA("message M { int32 a = 1; N n = 2; string s = 3; } message N { int32 x = 1; M m = "
               "2; }"),
        /* renamed: fields, messages; moved in the file */
        SCHEMA("message Other { int32 y = 1; M up = 2; } "
               "message M { string text = 3; Other o = 2; int32 renamed = 1; }"),
        /* presence, a oneof, types of the same width */
        SCHEMA("message M { optional int32 a = 1; N n = 2; bytes s = 3; } "
               "message N { oneof o { int32 x = 1; } M m = 2; }"),
        SCHEMA("message M { float a = 1; N n = 2; string s = 3; } "
               "message N { E x = 1; M m = 2; } enum E { ZERO = 0; }"),
        /* Dynamic and Sparse, with places kept for removed fields */
        SCHEMA("message M { option (yaff.message) = {layout: LAYOUT_SPARSE}; "
               "int32 a = 1; N n = 2; string s = 3; } message N { int32 x = 1; M m = 2; "
               "option (yaff.message) = {removed: {number: 3 width: 8}}; }"),
    };
    uint64_t first = fingerprint_of(variants[0]);
    for (size_t i = 1; i < sizeof variants / sizeof *variants; i++)
        cr_expect_eq(fingerprint_of(variants[i]), first, "%s", variants[i]);
}

/* More types than there is room for without allocating, each reached from the one before. */
Test(fingerprint, reaches_the_last_of_many_types)
{
    enum { MANY = 1000, ROOM = 100 * MANY };
    char *text = malloc(ROOM);
    uint64_t seen[2];
    for (int last = 0; last < 2; last++) {
        int n = snprintf(text, ROOM, SCHEMA("message M { M0 m = 1; } "));
        for (int i = 0; i < MANY; i++)
            n += snprintf(text + n, ROOM - (size_t)n, "message M%d { M%d a = 1; M b = 2; } ", i,
                          i + 1);
        snprintf(text + n, ROOM - (size_t)n, "message M%d { int%d x = 1; }", MANY, last ? 32 : 64);
        seen[last] = fingerprint_of(text);
    }
    cr_expect_neq(seen[0], seen[1]);
    free(text);
}
