/* Memory that runs out at every allocation, and output that is too small by any number of bytes:
 * always a status, nothing lost, and the next use gives the same bytes as ever. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaff/buffer.h>
#include <yaff/frame.h>
#include <yaff/wire.h>

#include <groups.yaff.h>
#include <layouts.yaff.h>

/* ---- an allocator that fails once ---- */

typedef struct faults {
    size_t calls, fail_at; /* the call with this number fails; 0 = none */
    bool from_then_on;
    size_t blocks; /* in use */
} faults;

static void *fault_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    faults *f = context;
    f->calls++;
    if (f->calls == f->fail_at || (f->from_then_on && f->fail_at && f->calls > f->fail_at))
        return NULL;
    /* Always elsewhere, so that a stale pointer shows. */
    void *moved = malloc(new_size);
    cr_assert_not_null(moved);
    if (block) memcpy(moved, block, old_size < new_size ? old_size : new_size);
    free(block);
    f->blocks += block == NULL;
    return moved;
}

static void fault_free(void *context, void *block)
{
    faults *f = context;
    if (block) f->blocks--;
    free(block);
}

/* ---- wire bytes ---- */

typedef struct wire {
    const char *name;
    const yaff_type *type;
    uint8_t *data;
    size_t size;
} wire;

enum { WIRES = 11 };

static void add(wire *w, const void *data, size_t size)
{
    w->data = realloc(w->data, w->size + size);
    cr_assert_not_null(w->data);
    memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void add_hex(wire *w, const char *hex)
{
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        uint8_t b = (uint8_t)byte;
        add(w, &b, 1);
    }
}

static void add_many(wire *w, const char *hex, size_t times)
{
    wire one = {0};
    add_hex(&one, hex);
    for (size_t i = 0; i < times; i++) add(w, one.data, one.size);
    free(one.data);
}

/* A field of length-delimited bytes that holds another wire. */
static void add_inside(wire *w, const char *tag, const wire *inner)
{
    add_hex(w, tag);
    for (size_t left = inner->size;; left >>= 7) {
        uint8_t b = (uint8_t)(left < 128 ? left : (left & 127) | 128);
        add(w, &b, 1);
        if (left < 128) break;
    }
    add(w, inner->data, inner->size);
}

static void make_wires(wire *w)
{
    memset(w, 0, WIRES * sizeof *w);
    for (int i = 0; i < WIRES; i++) w[i].type = &layouts_Dynamic_yaff_type;

    w[0].name = "scalars, strings, children of every layout";
    add_hex(&w[0], "08011001180220032804300538064507000000490800000000000000550900000059");
    add_hex(&w[0], "0a000000000000006500008040690000000000001440720568656c6c6f7a03000102");
    add_hex(&w[0], "8001018a010210079201051d0000803f9a010408011002a2010408011002a80100");

    w[1].name = "arrays and maps, unpacked, keys out of order and twice";
    add_many(&w[1], "b00101b80105c101000000000000f83fca0103616263d2010210018a0100", 40);
    add_many(&w[1], "ea01070a017a12021001ea01070a016112021002ea01070a017a12021003", 40);
    add_many(&w[1], "f20109080512051d0000803ffa010508011201788202040807100182020408061000", 40);
    add_many(&w[1], "8a021209090000000000000011000000000000f03f9202050809120161", 20);

    w[2].name = "in descending order";
    add_many(&w[2], "a03e05", 10);
    add_hex(&w[2], "d20200ca0200c20200b80201a2020161980205a80100a201020801800101");
    add_hex(&w[2], "7a016172016210010800");

    w[3].name = "a child and strings given many times: merged";
    add_many(&w[3], "8a010a1001b2010101ca010161", 50);
    add_many(&w[3], "7a03616263", 50);
    add_many(&w[3], "aa0205100172016ba801019a010508012a0161", 20);

    w[4].name = "unknown fields everywhere";
    add_many(&w[4], "a03e05a23e03616263a33e0801a43ea53e01020304", 30);
    add_many(&w[4], "8a0104c0bb0101", 5);

    w[5].name = "many children, nested";
    {
        wire inner = {0}, outer = {0};
        add_hex(&inner, "1001720161");
        for (int depth = 0; depth < 60; depth++) {
            outer.data = NULL;
            outer.size = 0;
            add_inside(&outer, "8a01", &inner);
            add_inside(&outer, "d201", &inner);
            free(inner.data);
            inner = outer;
            if (inner.size > 200000) break;
        }
        add(&w[5], inner.data, inner.size);
        free(inner.data);
    }

    w[6].name = "groups";
    w[6].type = &groups_Outer_yaff_type;
    add_many(&w[6], "0b08010c", 5);
    add_many(&w[6], "130a017814", 50);
    add_many(&w[6], "1b08021c2b2c", 3);

    w[7].name = "a long string and a long packed array";
    w[7].type = &layouts_Flat_yaff_type;
    {
        wire inner = {0};
        add_many(&inner, "61", 100000);
        add_inside(&w[7], "2a", &inner);
        inner.size = 0;
        add_many(&inner, "ffff03", 30000);
        add_inside(&w[7], "52", &inner);
        free(inner.data);
    }

    w[8].name = "far numbers, pinned Sparse";
    w[8].type = &layouts_Sparse_yaff_type;
    add_many(&w[8], "c03e05807d0608011001180221000000000000f03f2a0173c2bb01017a", 5);
    add_many(&w[8], "6a070a016b120208016200", 30);

    w[9].name = "a child that equals its default instance: written, then taken back";
    add_hex(&w[9], "1001c202009201020800");

    w[10].name = "such a root";
    w[10].type = &layouts_Fixed_yaff_type;
    add_hex(&w[10], "0800");
}

static void free_wires(wire *w)
{
    for (int i = 0; i < WIRES; i++) free(w[i].data);
}

static const yaff_wire_options lenient = {.partial = true, .drop_unknown_in_fixed = true};

/* How the input is handed over: its strings copied; borrowed; borrowed, and it lies where it will. */
typedef enum handing { COPIED, BORROWED, BORROWED_INSIDE, HANDINGS } handing;

static yaff_status convert_as(yaff_builder *b, const wire *w, handing how, yaff_error *err)
{
    yaff_wire_options options = lenient;
    const void *data = w->data;
    options.borrow = how != COPIED;
    if (how == BORROWED_INSIDE) {
        void *inside = yaff_builder_wire(b, w->size);
        if (inside == NULL) {
            if (err) err->status = YAFF_NO_MEMORY;
            return YAFF_NO_MEMORY;
        }
        data = memcpy(inside, w->data, w->size);
    }
    return yaff_from_wire(b, w->type, data, w->size, &options, err);
}

static yaff_status convert(yaff_builder *b, const wire *w, yaff_error *err)
{
    return convert_as(b, w, COPIED, err);
}

/* The right answer, to be freed. */
static void *expected(const wire *w, handing how, size_t *size)
{
    yaff_error err = {YAFF_OK, 0, ""};
    yaff_builder *b = yaff_builder_new(NULL);
    cr_assert_eq(convert_as(b, w, how, &err), YAFF_OK, "%s: %s at %zu (%s)", w->name,
                 yaff_status_name(err.status), err.offset, err.path);
    *size = yaff_builder_size(b);
    void *copy = malloc(*size);
    memcpy(copy, yaff_builder_data(b), *size);
    yaff_builder_free(b);
    return copy;
}

/* ---- tests ---- */

static void fail_each(const wire *w, handing how, bool from_then_on)
{
    size_t size, n = 0;
    void *want = expected(w, how, &size);
    bool passed = false;
    while (!passed) {
        faults f = {0, ++n, from_then_on, 0};
        yaff_alloc alloc = {&f, fault_resize, fault_free};
        yaff_builder *b = yaff_builder_new(&alloc);
        cr_assert_eq(b == NULL, n == 1);
        if (b) {
            yaff_error err;
            yaff_status status = convert_as(b, w, how, &err);
            passed = f.calls < n;
            cr_assert_eq(status, passed ? YAFF_OK : YAFF_NO_MEMORY, "%s: call %zu: %s", w->name, n,
                         yaff_status_name(status));
            if (!passed) {
                cr_assert_eq(err.status, status);
                cr_assert_null(yaff_builder_data(b));
                cr_assert_eq(yaff_builder_size(b), 0);
            }
            f.fail_at = 0;
            for (int again = 0; again < 2; again++) {
                cr_assert_eq(convert_as(b, w, how, NULL), YAFF_OK);
                cr_assert(yaff_builder_size(b) == size &&
                              memcmp(yaff_builder_data(b), want, size) == 0,
                          "%s: other bytes after call %zu failed", w->name, n);
            }
            yaff_builder_free(b);
        }
        cr_assert_eq(f.blocks, 0, "%s: %zu blocks lost", w->name, f.blocks);
    }
    cr_assert_gt(n, 2, "%s: nothing was allocated", w->name);
    free(want);
}

Test(faults, every_allocation_of_a_conversion_may_fail)
{
    wire wires[WIRES];
    make_wires(wires);
    for (int i = 0; i < WIRES; i++) {
        for (int how = COPIED; how < HANDINGS; how++) {
            fail_each(&wires[i], (handing)how, false);
            fail_each(&wires[i], (handing)how, true);
        }
    }
    free_wires(wires);
}

/* A builder that has been used for something else, and has memory of it. */
Test(faults, a_used_builder_survives_too)
{
    wire wires[WIRES];
    make_wires(wires);
    faults f = {0};
    yaff_alloc alloc = {&f, fault_resize, fault_free};
    yaff_builder *b = yaff_builder_new(&alloc);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < WIRES; i++) {
            size_t size;
            handing how = (handing)((round + i) % HANDINGS);
            void *want = expected(&wires[i], how, &size);
            f.calls = 0;
            f.fail_at = (size_t)round + 1;
            yaff_status status = convert_as(b, &wires[i], how, NULL);
            cr_assert(status == YAFF_OK || status == YAFF_NO_MEMORY);
            f.fail_at = 0;
            cr_assert_eq(convert_as(b, &wires[i], how, NULL), YAFF_OK);
            cr_assert(yaff_builder_size(b) == size &&
                      memcmp(yaff_builder_data(b), want, size) == 0);
            free(want);
        }
    }
    f.calls = 0;
    for (int i = 0; i < WIRES; i++) cr_assert_eq(convert(b, &wires[i], NULL), YAFF_OK);
    cr_expect_eq(f.calls, 0, "a warm builder allocated %zu times", f.calls);
    yaff_builder_free(b);
    cr_assert_eq(f.blocks, 0);
    free_wires(wires);
}

/* The sizes to try: all of them up to 3000 bytes, some of the larger ones, and the last few. */
static size_t next_size(size_t size, size_t exact)
{
    if (size < 3000 || size + 40 >= exact) return size + 1;
    size += 1 + exact / 64;
    return size < exact - 40 ? size : exact - 40;
}

static void fill_each_size(const wire *w, handing how)
{
    size_t size;
    void *want = expected(w, how, &size);
    yaff_builder *b = yaff_builder_new(NULL);
    for (size_t room = 0; room <= size; room = next_size(room, size)) {
        void *memory = malloc(room ? room : 1); /* exact, for sanitizers */
        yaff_builder_use(b, memory, room);
        yaff_status status = convert_as(b, w, how, NULL);
        cr_assert_eq(status, room < size ? YAFF_TOO_SMALL : YAFF_OK, "%s: %zu of %zu: %s", w->name,
                     room, size, yaff_status_name(status));
        if (room == size) cr_assert_eq(memcmp(memory, want, size), 0);
        yaff_builder_use(b, NULL, 0);
        free(memory);
    }
    cr_assert_eq(convert_as(b, w, how, NULL), YAFF_OK);
    cr_assert(yaff_builder_size(b) == size && memcmp(yaff_builder_data(b), want, size) == 0);
    yaff_builder_free(b);
    free(want);
}

Test(faults, from_wire_into_every_smaller_size)
{
    wire wires[WIRES];
    make_wires(wires);
    for (int i = 0; i < WIRES; i++) {
        fill_each_size(&wires[i], COPIED);
        fill_each_size(&wires[i], BORROWED);
    }
    free_wires(wires);
}

/* The place for the input is the caller's memory, too. */
Test(faults, the_place_for_wire_bytes_is_there_or_not)
{
    yaff_builder *b = yaff_builder_new(NULL);
    wire wires[WIRES];
    make_wires(wires);
    size_t size, least = SIZE_MAX;
    void *want = expected(&wires[0], BORROWED_INSIDE, &size);
    for (size_t room = 0; room <= size; room++) {
        void *memory = malloc(room ? room : 1);
        yaff_builder_use(b, memory, room);
        void *inside = yaff_builder_wire(b, wires[0].size);
        if (inside == NULL) {
            cr_assert_eq(least, SIZE_MAX, "%zu bytes have no room, %zu have", room, least);
        } else {
            if (room < least) least = room;
            yaff_wire_options options = lenient;
            options.borrow = true;
            memcpy(inside, wires[0].data, wires[0].size);
            cr_assert_eq(yaff_from_wire(b, wires[0].type, inside, wires[0].size, &options, NULL),
                         room < size ? YAFF_TOO_SMALL : YAFF_OK);
        }
        if (room == size) cr_assert_eq(memcmp(memory, want, size), 0);
        yaff_builder_use(b, NULL, 0);
        free(memory);
    }
    cr_assert_lt(least, size);
    yaff_builder_free(b);
    free(want);
    free_wires(wires);
}

Test(faults, to_wire_into_every_smaller_size)
{
    wire wires[WIRES];
    make_wires(wires);
    for (int i = 0; i < WIRES; i++) {
        size_t size, exact, written;
        void *buffer = expected(&wires[i], i % 2 ? BORROWED : COPIED, &size);
        const yaff_type *type = wires[i].type;
        const void *root = yaff_buffer_root(buffer, type->instance);
        cr_assert_eq(yaff_wire_size(type, root, &exact, NULL), YAFF_OK);
        for (size_t room = 0; room <= exact; room = next_size(room, exact)) {
            void *memory = malloc(room ? room : 1);
            yaff_status status = yaff_to_wire(type, root, memory, room, &written, NULL);
            cr_assert_eq(status, room < exact ? YAFF_TOO_SMALL : YAFF_OK, "%s: %zu of %zu: %s",
                         wires[i].name, room, exact, yaff_status_name(status));
            if (room == exact) cr_assert_eq(written, exact);
            const void *first = memory;
            cr_assert_eq(yaff_to_wire_back(type, root, memory, room, &first, &written, NULL),
                         status);
            cr_assert(first == (room < exact || room == 0 ? NULL : memory));
            free(memory);
        }
        free(buffer);
    }
    free_wires(wires);
}
