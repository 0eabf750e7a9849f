/* Wire bytes -> YaFF, top-down: decode one level into scratch cells, choose the representation, allocate
 * exactly, write lanes and body, then payloads and children depth-first in number order. Parents come
 * before children and nothing is moved. spec/wire.md, In; spec/format.md, Writing. */
#include <yaff/wire.h>

#include "../layout/choose.h"
#include "../layout/walk.h"
#include "../runtime/utf8.h"
#include "sort.h"
#include "wire_level.h"

/* Everything in the output is addressed by offset from its start, since growing may move it. */
typedef struct {
    size_t owner; /* what spans and references count from */
    size_t cell;
} place;

static yaff_status convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                   const uint8_t *end, uint32_t depth, size_t *at);
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at);

/* ---- output ---- */

static yaff_status out_of_room(yaff_wire_in *in, yaff_status status)
{
    return yaff_wire_fail(in, in->wire, status);
}

/* Appends `size` zero bytes, aligned to `align` (at most 8); *at gets their offset. */
static yaff_status append_zeros(yaff_wire_in *in, size_t size, size_t align, size_t *at)
{
    yaff_builder *b = in->b;
    size_t pad = (0 - b->size) & (align - 1);
    yaff_status status = yaff_builder_reserve(b, pad + size);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    memset(b->out + b->size, 0, pad + size);
    *at = b->size + pad;
    b->size += pad + size;
    return YAFF_OK;
}

static void store_span(yaff_wire_in *in, place where, size_t data, size_t count)
{
    uint32_t offset = (uint32_t)(data - where.owner);
    yaff_store64(in->b->out + where.cell, offset | (uint64_t)count << 32);
}

static void store_ref(yaff_wire_in *in, place where, size_t target)
{
    yaff_store32(in->b->out + where.cell, target ? (uint32_t)(target - where.owner) : 0);
}

static void store_bits(yaff_wire_in *in, size_t at, unsigned width, uint64_t bits)
{
    uint8_t *cell = in->b->out + at;
    switch (width) {
    case 1:
        *cell = (uint8_t)bits;
        break;
    case 4:
        yaff_store32(cell, (uint32_t)bits);
        break;
    default:
        yaff_store64(cell, bits);
    }
}

/* ---- payloads ---- */

static yaff_status write_text(yaff_wire_in *in, place where, const uint8_t *text, size_t size)
{
    if (size == 0) return YAFF_OK;
    yaff_builder *b = in->b;
    yaff_status status = yaff_builder_reserve(b, size + 1);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    memcpy(b->out + b->size, text, size);
    b->out[b->size + size] = 0;
    store_span(in, where, b->size, size);
    b->size += size + 1;
    return YAFF_OK;
}

static yaff_status write_child(yaff_wire_in *in, const yaff_type *type, place where,
                               const uint8_t *p, size_t size, uint32_t depth)
{
    size_t child;
    yaff_status status = convert_message(in, type, p, p + size, depth + 1, &child);
    if (status == YAFF_OK) store_ref(in, where, child);
    return status;
}

/* The elements of a run, one after the other; each was stepped over before, so framing is known good. */
typedef struct {
    const uint8_t *next, *end;
    const uint8_t *value;
    uint32_t size;
} run_reader;

static void run_next(const yaff_wire_in *in, const yaff_field *f, run_reader *run)
{
    yaff_status ignored;
    uint32_t tag;
    const uint8_t *p = yaff_read_tag(run->next, run->end, &tag, &ignored), *contents_end;
    if (f->kind == YAFF_KIND_GROUP) {
        run->next = yaff_skip_group(p, run->end, f->number, in->options.max_depth, &contents_end,
                                    &ignored);
        run->size = (uint32_t)(contents_end - p);
    } else {
        p = yaff_read_length(p, run->end, &run->size, &ignored);
        run->next = p + run->size;
    }
    run->value = p;
}

static yaff_status write_scalars(yaff_wire_in *in, const yaff_field *f, place where,
                                 run_reader run, size_t count, bool packed)
{
    unsigned wire = yaff_kind_wire(f->kind);
    size_t width = yaff_kind_width(f->kind), array;
    yaff_status status = append_zeros(in, count * width, width, &array);
    if (status != YAFF_OK) return status;
    store_span(in, where, array, count);
    const uint8_t *p = run.next, *end = run.end;
    if (packed) {
        uint32_t size;
        p = yaff_read_length(p, end, &size, &status);
        end = p + size;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t tag;
        uint64_t value;
        if (!packed) p = yaff_read_tag(p, end, &tag, &status);
        const uint8_t *element = p;
        p = yaff_read_scalar(p, end, wire, &value, &status);
        if (YAFF_UNLIKELY(p == NULL)) return yaff_wire_fail(in, element, status);
        store_bits(in, array + i * width, (unsigned)width, yaff_kind_bits(f->kind, value));
    }
    return YAFF_OK;
}

static yaff_status write_texts(yaff_wire_in *in, const yaff_field *f, place where,
                               run_reader run, size_t count)
{
    size_t array;
    yaff_status status = append_zeros(in, count * 8, 8, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        run_next(in, f, &run);
        status = write_text(in, (place){array, array + 8 * i}, run.value, run.size);
    }
    return status;
}

static yaff_status write_messages(yaff_wire_in *in, const yaff_field *f, place where,
                                  run_reader run, size_t count, uint32_t depth)
{
    bool fixed = f->type->layout == YAFF_LAYOUT_FIXED;
    size_t step = fixed ? f->type->body_size : 4, array;
    yaff_status status = append_zeros(in, count * step, fixed ? f->type->align : 4, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        size_t at = array + step * i;
        run_next(in, f, &run);
        status = fixed ? convert_fixed(in, f->type, run.value, run.value + run.size, depth + 1, at)
                       : write_child(in, f->type, (place){array, at}, run.value, run.size, depth);
    }
    return status;
}

/* ---- maps ---- */

typedef struct {
    uint64_t number; /* key as a number that sorts as the key does */
    yaff_str text;   /* or as text */
    const uint8_t *entry;
    size_t size;
} map_item;

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const map_item *)a)->number, y = ((const map_item *)b)->number;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
    yaff_str x = ((const map_item *)a)->text, y = ((const map_item *)b)->text;
    int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

static bool is_signed(unsigned kind)
{
    return kind == YAFF_KIND_INT32 || kind == YAFF_KIND_INT64 || kind == YAFF_KIND_SINT32 ||
           kind == YAFF_KIND_SINT64 || kind == YAFF_KIND_SFIXED32 || kind == YAFF_KIND_SFIXED64;
}

/* Finds the key in a map entry: the last one, zero or "" when there is none. */
static yaff_status read_key(yaff_wire_in *in, const yaff_field *key, uint32_t depth, map_item *item)
{
    const uint8_t *p = item->entry, *end = p + item->size;
    yaff_status status = YAFF_OK;
    uint64_t bits = 0;
    item->text = (yaff_str){"", 0};
    while (p < end) {
        const uint8_t *field = p;
        uint32_t tag, size;
        p = yaff_read_tag(p, end, &tag, &status);
        if (p == NULL) return yaff_wire_fail(in, field, status);
        if (tag != key->tag) {
            p = yaff_skip_field(p, end, tag, in->options.max_depth - depth - 1, &status);
        } else if (key->kind == YAFF_KIND_STRING) {
            p = yaff_read_length(p, end, &size, &status);
            if (p != NULL) {
                item->text = (yaff_str){(const char *)p, size};
                p += size;
            }
        } else {
            p = yaff_read_scalar(p, end, tag & 7, &bits, &status);
        }
        if (p == NULL) return yaff_wire_fail(in, field, status);
    }
    bits = yaff_kind_bits(key->kind, bits);
    if (is_signed(key->kind)) {
        if (key->width == 4) bits = (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
        bits ^= UINT64_C(1) << 63;
    }
    item->number = bits;
    return YAFF_OK;
}

/* Keeps the last item of each key, and checks the ones before it. */
static yaff_status drop_duplicates(yaff_wire_in *in, const yaff_field *f, map_item *items,
                                   size_t *count, yaff_compare *compare, uint32_t depth)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (i + 1 < *count && compare(&items[i], &items[i + 1]) == 0) {
            yaff_status status = yaff_value_check(in, f, items[i].entry,
                                                  items[i].entry + items[i].size, depth);
            if (status != YAFF_OK) return status;
        } else {
            items[kept++] = items[i];
        }
    }
    *count = kept;
    return YAFF_OK;
}

static yaff_status write_map(yaff_wire_in *in, const yaff_field *f, place where,
                             run_reader run, size_t count, uint32_t depth)
{
    const yaff_type *entry = f->type;
    const yaff_field *key = &entry->fields[0];
    yaff_compare *compare = key->kind == YAFF_KIND_STRING ? by_text : by_number;
    if (depth >= in->options.max_depth) return yaff_wire_fail(in, run.next, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    map_item *items = yaff_arena_get(&in->b->scratch, 2 * count * sizeof *items);
    if (items == NULL) return out_of_room(in, YAFF_NO_MEMORY);
    yaff_status status = YAFF_OK;
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        run_next(in, f, &run);
        items[i].entry = run.value;
        items[i].size = run.size;
        status = read_key(in, key, depth, &items[i]);
    }
    if (status == YAFF_OK) {
        yaff_sort(items, items + count, count, sizeof *items, compare);
        status = drop_duplicates(in, f, items, &count, compare, depth);
    }
    size_t array = 0;
    if (status == YAFF_OK)
        status = append_zeros(in, count * entry->body_size, entry->align, &array);
    if (status == YAFF_OK) store_span(in, where, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++)
        status = convert_fixed(in, entry, items[i].entry, items[i].entry + items[i].size, depth + 1,
                               array + i * entry->body_size);
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* ---- messages ---- */

/* Writes the present field f of a level: its cell, and whatever the cell refers to. */
static yaff_status write_field(yaff_wire_in *in, const yaff_level *level, const yaff_type *type,
                               const yaff_field *f, uint32_t depth, place where)
{
    uint64_t cell = level->cells[f - type->fields];
    const uint8_t *data = level->base + ((uint32_t)cell & ~YAFF_LEVEL_PACKED);
    size_t count = (size_t)(cell >> 32);
    run_reader run = {data, level->end, NULL, 0};
    if (f->flags & YAFF_FIELD_REPEATED) {
        if (f->flags & YAFF_FIELD_MAP) return write_map(in, f, where, run, count, depth);
        if (f->type != NULL) return write_messages(in, f, where, run, count, depth);
        if (yaff_kind_has_length(f->kind)) return write_texts(in, f, where, run, count);
        return write_scalars(in, f, where, run, count, cell & YAFF_LEVEL_PACKED);
    }
    if (f->type != NULL && f->width == 0) /* Fixed inline in Fixed */
        return convert_fixed(in, f->type, data, data + count, depth + 1, where.cell);
    if (f->type != NULL) return write_child(in, f->type, where, data, count, depth);
    if (yaff_kind_has_length(f->kind)) return write_text(in, where, data, count);
    store_bits(in, where.cell, f->width, cell);
    return YAFF_OK;
}

/* Where the next present field's cell lies, going through a planned message in number order. */
typedef struct {
    const yaff_plan *plan;
    size_t p;
    size_t next8, next4; /* Sparse: next free cell of a width */
    size_t entry;        /* next free directory entry */
} cell_cursor;

static size_t next_cell(yaff_wire_in *in, cell_cursor *c, const yaff_field *f, bool is_false)
{
    if (c->plan->kind >= YAFF_HEAD_FLAT) return c->p + f->place;
    if ((f->number - 1) / 16 >= c->plan->blocks) {
        uint8_t *entry = in->b->out + c->entry;
        yaff_store32(entry, f->number);
        yaff_store32(entry + 4, f->width);
        c->entry += 16;
        return c->entry - 8;
    }
    size_t at = 0; /* a true bool has no cell */
    if (f->width == 8) {
        at = c->next8;
        c->next8 += 8;
    } else if (f->width == 4 || is_false) {
        at = c->next4;
        c->next4 += 4;
    }
    return at;
}

static yaff_status write_unknown(yaff_wire_in *in, const yaff_level *level, place where)
{
    yaff_builder *b = in->b;
    yaff_status status = yaff_builder_reserve(b, (size_t)level->unknown_size + 1);
    if (status != YAFF_OK) return out_of_room(in, status);
    store_span(in, where, b->size, level->unknown_size);
    for (const yaff_unknown_run *run = level->unknown; run != NULL; run = run->next) {
        memcpy(b->out + b->size, run->data, run->size);
        b->size += run->size;
    }
    b->out[b->size++] = 0;
    return YAFF_OK;
}

/* Writes a decoded level of a type that is not Fixed; *at gets its p. */
static yaff_status write_message(yaff_wire_in *in, const yaff_type *type, const yaff_level *level,
                                 uint32_t depth, size_t *at)
{
    yaff_presence present = {level->set, level->falses, level->unknown_size > 0};
    yaff_plan plan;
    size_t start;
    yaff_choose(type, &present, &plan);
    yaff_status status = append_zeros(in, plan.before + plan.body + 16 * plan.entries, 8, &start);
    if (status != YAFF_OK) return status;
    size_t p = start + plan.before, directory = p + plan.body;
    yaff_write_lanes(type, &present, &plan, in->b->out + p);
    cell_cursor cursor = {&plan, p, p, p + 8 * plan.cells8, directory};
    if (plan.entries > 0) store_span(in, (place){p, start}, directory, plan.entries);
    if (present.unknown) {
        yaff_store32(in->b->out + directory + 4, 8); /* entry number 0, class 8 */
        status = write_unknown(in, level, (place){p, directory + 8});
        cursor.entry += 16;
    }
    for (uint32_t i = 0; i < type->block_count; i++) {
        const yaff_block *block = &type->blocks[i];
        for (unsigned set = level->set[i]; set != 0 && status == YAFF_OK; set &= set - 1) {
            unsigned bit = (unsigned)__builtin_ctz(set);
            const yaff_field *f =
                &type->fields[block->first + yaff_popcount16(block->known & ((1u << bit) - 1))];
            bool is_false = level->falses[i] >> bit & 1;
            size_t cell = next_cell(in, &cursor, f, is_false);
            if (cell != 0) status = write_field(in, level, type, f, depth, (place){p, cell});
        }
    }
    *at = p;
    return status;
}

/* Converts into a Fixed struct whose (zero) bytes stand at `at`. */
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at)
{
    if (depth > in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    const uint8_t *origin = in->origin;
    yaff_level level;
    yaff_status status = yaff_level_decode(in, type, p, end, depth, &level);
    if (status == YAFF_OK) {
        memcpy(in->b->out + at, type->instance, type->body_size);
        for (uint32_t row = 0; row < type->field_count && status == YAFF_OK; row++)
            if (level.set[row / 16] >> row % 16 & 1)
                status = write_field(in, &level, type, &type->fields[row], depth,
                                     (place){at, at + type->fields[row].place});
    }
    if (status == YAFF_OK) in->origin = origin;
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* A Fixed message behind a reference, or the root: not stored when it equals the default instance. */
static yaff_status convert_fixed_object(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                        const uint8_t *end, uint32_t depth, size_t *at)
{
    size_t before = in->b->size;
    yaff_status status = append_zeros(in, type->body_size, 8, at);
    if (status == YAFF_OK) status = convert_fixed(in, type, p, end, depth, *at);
    if (status == YAFF_OK && memcmp(in->b->out + *at, type->instance, type->body_size) == 0) {
        in->b->size = before;
        *at = 0;
    }
    return status;
}

static bool level_is_empty(const yaff_type *type, const yaff_level *level)
{
    unsigned any = 0;
    for (uint32_t i = 0; i < type->block_count; i++) any |= level->set[i];
    return any == 0 && level->unknown_size == 0;
}

/* Converts the message [p, end) of `type`; *at gets its p, 0 when it is empty and so not stored. */
static yaff_status convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                   const uint8_t *end, uint32_t depth, size_t *at)
{
    *at = 0;
    if (type->layout == YAFF_LAYOUT_FIXED) return convert_fixed_object(in, type, p, end, depth, at);
    if (depth > in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    const uint8_t *origin = in->origin;
    yaff_level level;
    yaff_status status = yaff_level_decode(in, type, p, end, depth, &level);
    if (status == YAFF_OK && !level_is_empty(type, &level))
        status = write_message(in, type, &level, depth, at);
    if (status == YAFF_OK) in->origin = origin;
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

yaff_status yaff_value_check(yaff_wire_in *in, const yaff_field *f, const uint8_t *value,
                             const uint8_t *value_end, uint32_t depth)
{
    if (f->flags & YAFF_FIELD_UTF8 && !in->options.no_utf8_check &&
        !yaff_utf8_valid(value, (size_t)(value_end - value)))
        return yaff_wire_fail(in, value, YAFF_BAD_UTF8);
    if (f->type == NULL) return YAFF_OK;
    /* Convert it behind what is there, or in memory of our own where the caller's must not be used up. */
    yaff_builder *b = in->b, saved = *b;
    bool dropping = in->dropping;
    size_t at;
    in->dropping = true;
    if (b->callers) {
        yaff_builder_use(b, NULL, 0);
        b->size = 0;
    }
    yaff_status status = append_zeros(in, f->type->body_size, 8, &at);
    if (status == YAFF_OK)
        status = f->type->layout == YAFF_LAYOUT_FIXED
                     ? convert_fixed(in, f->type, value, value_end, depth + 1, at)
                     : convert_message(in, f->type, value, value_end, depth + 1, &at);
    in->dropping = dropping;
    if (saved.callers) yaff_builder_use(b, saved.out, saved.capacity);
    b->size = saved.size;
    return status;
}

static uint32_t depth_limit(uint32_t wanted)
{
    if (wanted == 0) return YAFF_MAX_DEPTH;
    return wanted < YAFF_DEPTH_CEILING ? wanted : YAFF_DEPTH_CEILING;
}

yaff_status yaff_from_wire(yaff_builder *b, const yaff_type *type, const void *wire, size_t size,
                           const yaff_wire_options *options, yaff_error *err)
{
    static const uint8_t nothing[1];
    yaff_wire_in in;
    memset(&in, 0, sizeof in);
    in.b = b;
    if (options != NULL) in.options = *options;
    in.options.max_depth = depth_limit(in.options.max_depth);
    in.wire = in.origin = in.fault = size ? wire : nothing;
    in.wire_end = in.wire + size;
    size_t root = 0;
    yaff_status status = size > INT32_MAX ? YAFF_TOO_LARGE : yaff_builder_start(b, 2 * size);
    if (status == YAFF_OK) status = convert_message(&in, type, in.wire, in.wire_end, 0, &root);
    if (status == YAFF_OK) {
        yaff_builder_finish(b, root);
        return YAFF_OK;
    }
    b->size = 0;
    if (err != NULL) {
        bool in_input = (uintptr_t)in.fault >= (uintptr_t)in.wire &&
                        (uintptr_t)in.fault <= (uintptr_t)in.wire_end;
        err->status = status;
        err->offset = (size_t)((in_input ? in.fault : in.origin) - in.wire);
        err->path[0] = '\0';
    }
    return status;
}
