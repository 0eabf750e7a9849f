/* What the targets have in common. See subject.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "subject.h"

#include <yaff/buffer.h>
#include <yaff/map.h>
#include <yaff/value.h>

#include <defaults.yaff.h>
#include <fixed2.yaff.h>
#include <groups.yaff.h>
#include <layouts.yaff.h>
#include <numbers.yaff.h>
#include <odd.yaff.h>

#include <sys/mman.h>
#include <unistd.h>

#include "cli/dump.h"
#include "layout/walk.h"
#include "tests/support/access.h"

/* Inputs of the corpus choose by index: append only. */
static const yaff_type *const types[] = {
    &layouts_Dynamic_yaff_type,
    &layouts_Flat_yaff_type,
    &layouts_FlatPlain_yaff_type,
    &layouts_FlatRemoved_yaff_type,
    &layouts_Sparse_yaff_type,
    &layouts_Fixed_yaff_type,
    &layouts_Inner_yaff_type,
    &layouts_Empty_yaff_type,
    &groups_Outer_yaff_type,
    &fixed2_Holder_yaff_type,
    &fixed2_Box_yaff_type,
    &defaults_Texts_yaff_type,
    &defaults_Numbers_yaff_type,
    &defaults_Enums_yaff_type,
    &numbers_Edges_yaff_type,
    &numbers_OnlyFar_yaff_type,
    &numbers_Spread_yaff_type,
    &odd_Optionals_yaff_type,
    &odd_Tree_yaff_type,
    &odd_Maps_yaff_type,
    &odd_Old_yaff_type,
    &layouts_EmptyFixed_yaff_type,
    &numbers_SecondBlock_yaff_type,
    &numbers_LastBlock_yaff_type,
    &numbers_FlatFar_yaff_type,
};

const yaff_type *subject_type(unsigned choice)
{
    return types[choice % (sizeof types / sizeof *types)];
}

yaff_wire_options subject_options(unsigned bits)
{
    yaff_wire_options options = {0};
    options.partial = bits & 1;
    options.no_utf8_check = bits & 2;
    options.drop_unknown = bits & 4;
    options.drop_unknown_in_fixed = bits & 8;
    options.borrow = bits & 16;
    return options;
}

yaff_builder *subject_builder(void)
{
    static yaff_builder *builder;
    if (!builder) builder = yaff_builder_new(NULL);
    FUZZ_CHECK(builder);
    return builder;
}

const void *subject_guarded(const void *buffer, size_t size, bool front)
{
    static char *room;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!room) {
        room =
            mmap(NULL, SUBJECT_LARGEST + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        FUZZ_CHECK(room != MAP_FAILED);
        room += page;
        FUZZ_CHECK(mprotect(room, SUBJECT_LARGEST, PROT_READ | PROT_WRITE) == 0);
    }
    FUZZ_CHECK(size <= SUBJECT_LARGEST && size % 8 == 0);
    return memcpy(front ? room : room + SUBJECT_LARGEST - size, buffer, size);
}

/* ---- reading everything ---- */

static uint64_t read_bytes(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t sum = size;
    for (size_t i = 0; i < size; i++) sum += bytes[i];
    return sum;
}

static uint64_t load(const void *cell, unsigned width)
{
    if (width == 8) return yaff_load64(cell);
    return width == 4 ? yaff_load32(cell) : *(const uint8_t *)cell;
}

static bool is_text(const yaff_field *f)
{
    return f->kind == YAFF_KIND_STRING || f->kind == YAFF_KIND_BYTES;
}

static uint64_t read_text(yaff_str s, bool terminated)
{
    FUZZ_CHECK(!terminated || s.data[s.size] == '\0');
    return read_bytes(s.data, s.size);
}

/* Of the buffer at hand. */
static bool terminated; /* it does not borrow its strings */
static bool own;        /* written with the type it is read with */

static const void *look_up(const yaff_field *key, const void *entry, const void *entries,
                           size_t count, size_t size)
{
    uint64_t bits = load(entry, key->width);
    switch (key->kind) {
    case YAFF_KIND_STRING:
        return yaff_map_find_str(entries, count, size, yaff_span_str(entry, bits));
    case YAFF_KIND_BOOL:
        return yaff_map_find_bool(entries, count, size, bits != 0);
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return yaff_map_find_u32(entries, count, size, (uint32_t)bits);
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        return yaff_map_find_u64(entries, count, size, bits);
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        return yaff_map_find_i64(entries, count, size, (int64_t)bits);
    default:
        return yaff_map_find_i32(entries, count, size, (int32_t)(uint32_t)bits);
    }
}

static uint64_t read_array(const yaff_field *f, const void *owner, uint64_t span)
{
    size_t count = yaff_span_count(span);
    const void *array = yaff_span_data(owner, span);
    uint64_t sum = count;
    for (size_t i = 0; i <= count; i++) { /* the one behind the end, too */
        if (is_text(f)) {
            sum += read_text(yaff_array_str(owner, span, i), terminated && i < count);
        } else if (f->type && f->type->layout == YAFF_LAYOUT_FIXED) {
            const void *at =
                yaff_array_fixed(owner, span, i, f->type->body_size, f->type->instance);
            if (i < count) sum += subject_read(f->type, at);
            if (i < count && f->flags & YAFF_FIELD_MAP)
                FUZZ_CHECK(look_up(f->type->fields, at, array, count, f->type->body_size) == at);
        } else if (f->type) {
            const void *at = yaff_array_message(owner, span, i, f->type->instance);
            if (i < count) sum += subject_read(f->type, at);
        } else {
            switch (yaff_kind_width(f->kind)) {
            case 1:
                sum += yaff_array_at1(owner, span, i);
                break;
            case 4:
                sum += yaff_array_at4(owner, span, i);
                break;
            default:
                sum += yaff_array_at8(owner, span, i);
                break;
            }
        }
    }
    return sum;
}

static uint64_t read_value(const yaff_field *f, const void *owner, const uint8_t *cell)
{
    uint64_t bits;
    if (f->width == 0) return subject_read(f->type, cell);
    bits = load(cell, f->width);
    if (f->flags & YAFF_FIELD_REPEATED) return read_array(f, owner, bits);
    if (is_text(f)) return read_text(yaff_span_str(owner, bits), terminated);
    if (f->type)
        return subject_read(f->type, yaff_ref_message(owner, (uint32_t)bits, f->type->instance));
    FUZZ_CHECK(f->width != 1 || bits <= 1);
    return bits;
}

static uint64_t find_bits(const yaff_type *type, uint32_t row, const void *p)
{
    switch (type->fields[row].width) {
    case 1:
        return yaff_find_get1(p, type, row);
    case 4:
        return yaff_find_get4(p, type, row);
    default:
        return yaff_find_get8(p, type, row);
    }
}

/* A message with a head: row by row, in step with the iterator. */
static uint64_t read_rows(const yaff_type *type, const void *p)
{
    uint64_t sum = inline_fields(type, p);
    yaff_walk walk;
    yaff_walk_begin(&walk, type, p);
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        const uint8_t *cell = yaff_find(p, type, row);
        uint64_t bits = cell ? load(cell, f->width) : 0;
        FUZZ_CHECK(yaff_find_has(p, type, row) == (cell != NULL));
        FUZZ_CHECK(find_bits(type, row, p) == bits);
        if (!f->oneof || cell) FUZZ_CHECK(inline_get(type, row, p) == bits);
        if (own && f->flags & YAFF_FIELD_PRESENCE)
            FUZZ_CHECK(inline_has(type, row, p) == (cell != NULL));
        if (cell) {
            FUZZ_CHECK(yaff_walk_next(&walk) && walk.field == f);
            FUZZ_CHECK(load(walk.cell, f->width) == bits);
        }
    }
    FUZZ_CHECK(!yaff_walk_next(&walk));
    for (uint32_t i = 0; i < type->oneof_count; i++) sum += yaff_find_case(p, type, i);
    return sum + read_text(yaff_unknown(p), terminated);
}

uint64_t subject_read(const yaff_type *type, const void *message)
{
    bool fixed = type->layout == YAFF_LAYOUT_FIXED;
    uint64_t sum = fixed ? read_bytes(message, type->body_size) : read_rows(type, message);
    yaff_walk walk;
    yaff_walk_begin(&walk, type, message);
    while (yaff_walk_next(&walk)) sum += read_value(walk.field, message, walk.cell);
    return sum;
}

/* ---- using it ---- */

static void dump(const yaff_type *type, const void *buffer, size_t size)
{
    static FILE *null;
    static const cli_dump_options layouts = {.layouts = true};
    if (!null) null = fopen("/dev/null", "w");
    FUZZ_CHECK(null);
    cli_dump(null, type, buffer, size, &layouts);
}

void subject_use(const yaff_type *type, const void *buffer, size_t size, bool written_with_type)
{
    /* A closed enum's cell may hold what the schema does not list; on the wire that is an unknown
     * field. */
    static const yaff_wire_options lenient = {
        .partial = true, .no_utf8_check = true, .drop_unknown_in_fixed = true};
    const void *root = yaff_buffer_root(buffer, type->instance);
    size_t wire_size, written;
    terminated = !(((const uint8_t *)buffer)[3] & YAFF_BUFFER_BORROWED);
    own = written_with_type;
    subject_read(type, root);
    dump(type, buffer, size);

    FUZZ_CHECK(yaff_wire_size(type, root, &wire_size, NULL) == YAFF_OK);
    uint8_t *wire = malloc(wire_size ? wire_size : 1); /* exact, for sanitizers */
    FUZZ_CHECK(wire);
    if (wire_size > 0)
        FUZZ_CHECK(yaff_to_wire(type, root, wire, wire_size - 1, &written, NULL) == YAFF_TOO_SMALL);
    FUZZ_CHECK(yaff_to_wire(type, root, wire, wire_size, &written, NULL) == YAFF_OK);
    FUZZ_CHECK(written == wire_size);
    /* Unknown fields kept by another schema's writer may have numbers that this one knows, and be
     * malformed under it. */
    yaff_status back = yaff_from_wire(subject_builder(), type, wire, wire_size, &lenient, NULL);
    FUZZ_CHECK(!own || back == YAFF_OK);
    free(wire);
}
