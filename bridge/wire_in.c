/* Wire bytes -> YaFF, top-down: decode one level into scratch cells, choose the representation, make
 * room for lanes and body, append payloads and children depth-first in number order, then write the
 * lanes and the cells. Parents come before children and nothing is moved. spec/wire.md, In;
 * spec/format.md, Writing. */
#include <yaff/sparse.h>
#include <yaff/wire.h>

#include "../layout/choose.h"
#include "../layout/find.h"
#include "../layout/walk.h"
#include "../runtime/utf8.h"
#include "sort.h"
#include "wire_packed.h"
#include "wire_plain.h"

/* Everything in the output is addressed by offset from its start, since growing may move it. */

/* Converts the message [p, end) of `type`; returns its p, 0 when it is empty and so not stored,
 * FAILED with in->status told. */
#define FAILED SIZE_MAX
static size_t convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                              const uint8_t *end, uint32_t depth);
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at);
/* Appends the elements of a repeated message field that are no groups and for which there is small
 * room, `depth` levels below the root, and their array of references; *span gets where it lies,
 * counted from `owner`. */
static YAFF_NOINLINE yaff_status append_elements(yaff_wire_in *in, const yaff_level *level,
                                                 const yaff_payload *payload, uint32_t depth,
                                                 size_t owner, uint64_t *span);

/* ---- room for levels ---- */

/* Room for so many levels of small types is kept ready; those below are treated as large ones. */
enum { SMALL_LEVELS = 8 };

static size_t small_room(void)
{
    return (yaff_level_room(YAFF_SMALL_FIELDS, YAFF_SMALL_BLOCKS) + 7) & ~(size_t)7;
}

/* Room in the scratch for a level of any type; NULL when memory ran out. */
static void *large_room(yaff_wire_in *in, const yaff_type *type)
{
    return yaff_arena_get(&in->b->scratch, yaff_level_room(type->field_count, type->lane_count));
}

/* Whether a level of `type` can be converted in the room at in->small_room. */
YAFF_HELPER bool has_small_room(const yaff_wire_in *in, const yaff_type *type, uint32_t depth)
{
    return YAFF_LIKELY(type->flags & YAFF_TYPE_SMALL && in->small_room != in->small_end &&
                       depth <= in->options.max_depth);
}

/* ---- output ---- */

static yaff_status out_of_room(yaff_wire_in *in, yaff_status status)
{
    return yaff_wire_fail(in, in->wire, status);
}

/* Appends room for `size` bytes, aligned to `align` (at most 8); *at gets their offset. Only the
 * padding in front is written. */
YAFF_HELPER yaff_status append(yaff_wire_in *in, size_t size, size_t align, size_t *at)
{
    yaff_builder *b = in->b;
    size_t pad = (0 - b->size) & (align - 1);
    yaff_status status = yaff_builder_reserve(b, pad + size);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    for (size_t i = 0; i < pad; i++) b->out[b->size + i] = 0;
    *at = b->size + pad;
    b->size += pad + size;
    return YAFF_OK;
}

static yaff_status append_zeros(yaff_wire_in *in, size_t size, size_t align, size_t *at)
{
    yaff_status status = append(in, size, align, at);
    if (YAFF_LIKELY(status == YAFF_OK)) memset(in->b->out + *at, 0, size);
    return status;
}

/* A span of `count` bytes or elements at `data`, counted from `owner`. */
static inline uint64_t span_of(size_t owner, size_t data, size_t count)
{
    return (uint32_t)(data - owner) | (uint64_t)count << 32;
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

/* Whether text stays where it is. A normalised level is a copy elsewhere. */
static inline bool is_borrowed(const yaff_wire_in *in, const uint8_t *text)
{
    return in->options.borrow && (uintptr_t)text >= (uintptr_t)in->wire &&
           (uintptr_t)text < (uintptr_t)in->wire_end;
}

/* Appends the text and the NUL behind it; *span gets where it lies, counted from `owner`. */
static yaff_status append_text(yaff_wire_in *in, size_t owner, const uint8_t *text, size_t size,
                               uint64_t *span)
{
    yaff_builder *b = in->b;
    *span = 0;
    if (size == 0) return YAFF_OK;
    if (is_borrowed(in, text)) {
        *span = span_of(owner, (size_t)(text - b->out), size);
        return YAFF_OK;
    }
    yaff_status status = yaff_builder_reserve(b, size + 1);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return out_of_room(in, status);
    *span = span_of(owner, b->size, size);
    memcpy(b->out + b->size, text, size);
    b->out[b->size + size] = 0;
    b->size += size + 1;
    return YAFF_OK;
}

/* Copies short text, and what stands behind it, by a fixed number of loads and stores; adds the
 * NUL. It is in the slack, and there is room for YAFF_SHORT_TEXT bytes. */
YAFF_HELPER void copy_short(uint8_t *to, const uint8_t *text, size_t size)
{
    memcpy(to, text, YAFF_WIRE_SLACK);
    if (size >= YAFF_WIRE_SLACK)
        memcpy(to + size - YAFF_WIRE_SLACK, text + size - YAFF_WIRE_SLACK, YAFF_WIRE_SLACK);
    to[size] = 0;
}

/* What the texts of a level take at most, and what is copied beyond them: a text and its NUL have
 * fewer bytes than the text with its tag and its length on the wire. */
static inline size_t room_for_texts(const yaff_level *level)
{
    return (size_t)(level->end - level->start) + YAFF_SHORT_TEXT;
}

/* Payloads whose word is below this are short texts that there is room for. */
static inline uint64_t text_limit(const yaff_wire_in *in, const yaff_level *level)
{
    return in->b->capacity - in->b->size < room_for_texts(level) ? 0 : in->short_text;
}

/* append_text() for text that is short more often than not. */
YAFF_HELPER yaff_status append_short(yaff_wire_in *in, size_t owner, const uint8_t *text,
                                     size_t size, uint64_t *span)
{
    yaff_builder *b = in->b;
    if (size == 0 || size >= in->short_text || text >= in->plain_end ||
        b->capacity - b->size < YAFF_SHORT_TEXT)
        return append_text(in, owner, text, size, span);
    copy_short(b->out + b->size, text, size);
    *span = span_of(owner, b->size, size);
    b->size += size + 1;
    return YAFF_OK;
}

/* Appends a message; *ref gets where it lies, counted from `owner`. */
static yaff_status append_child(yaff_wire_in *in, const yaff_type *type, size_t owner,
                                const uint8_t *p, size_t size, uint32_t depth, uint64_t *ref)
{
    size_t child = convert_message(in, type, p, p + size, depth + 1);
    if (YAFF_UNLIKELY(child == FAILED)) return in->status;
    *ref = child ? (uint32_t)(child - owner) : 0;
    return YAFF_OK;
}

/* An element of a run, whose framing is known good, since it was stepped over before. */
typedef struct {
    const uint8_t *value, *value_end;
    const uint8_t *next; /* the tag behind it */
} element;

static YAFF_NOINLINE element element_slow(const yaff_wire_in *in, const yaff_field *f,
                                          const uint8_t *p, const uint8_t *end)
{
    yaff_status ignored;
    uint32_t tag, size;
    element e;
    e.value = p = yaff_read_tag(p, end, &tag, &ignored);
    if (f->kind == YAFF_KIND_GROUP) {
        e.next = yaff_skip_group(p, end, f->number, in->options.max_depth, &e.value_end, &ignored);
    } else {
        e.value = yaff_read_length(p, end, &size, &ignored);
        e.next = e.value_end = e.value + size;
    }
    return e;
}

/* The element whose tag stands at p, of a field that is no group. */
YAFF_HELPER element element_at(const yaff_wire_in *in, const yaff_field *f, const uint8_t *p,
                               const uint8_t *end)
{
    element e;
    const uint32_t head = yaff_load16(p);
    size_t size = head >> 8;
    e.value = p + 2;
    if (YAFF_UNLIKELY(head & 0x8080)) { /* a tag or a length of more than a byte */
        if (p[0] >= 0x80 || p[2] >= 0x80) return element_slow(in, f, p, end);
        size += ((size_t)p[2] << 7) - 0x80;
        e.value = p + 3;
    }
    e.next = e.value_end = e.value + size;
    return e;
}

/* The same, of any field. */
YAFF_HELPER element any_element_at(const yaff_wire_in *in, const yaff_field *f, const uint8_t *p,
                                   const uint8_t *end)
{
    if (f->kind == YAFF_KIND_GROUP) return element_slow(in, f, p, end);
    return element_at(in, f, p, end);
}

/* The functions of arrays and maps append what a payload of `level` says; *span gets where it lies,
 * counted from `owner`. */

static yaff_status append_scalars(yaff_wire_in *in, const yaff_level *level,
                                  const yaff_payload *payload, size_t owner, uint64_t *span)
{
    const yaff_field *f = payload->field;
    const uint8_t *p = payload->data, *end = level->end;
    unsigned wire = yaff_kind_wire(f->kind), width = yaff_kind_width(f->kind);
    size_t array, count = yaff_payload_count(payload);
    yaff_status status = append(in, count * width, width, &array);
    if (status != YAFF_OK) return status;
    *span = span_of(owner, array, count);
    if (yaff_payload_kind_of(payload) == YAFF_PAYLOAD_PACKED) {
        uint32_t size;
        p = yaff_read_length(p, end, &size, &status);
        if (yaff_packed_read(in->b->out + array, p, p + size, count, f->kind)) return YAFF_OK;
        return yaff_wire_fail(in, payload->data, YAFF_BAD_VARINT);
    }
    for (size_t i = 0; i < count; i++) { /* stepped over before: each is well formed */
        uint32_t tag;
        uint64_t value;
        p = yaff_read_tag(p, end, &tag, &status);
        p = yaff_read_scalar(p, end, wire, &value, &status);
        store_bits(in, array + i * width, width, yaff_kind_bits(f->kind, value));
    }
    return YAFF_OK;
}

static yaff_status append_texts(yaff_wire_in *in, const yaff_level *level,
                                const yaff_payload *payload, size_t owner, uint64_t *span)
{
    const uint8_t *p = payload->data;
    size_t array, count = yaff_payload_count(payload);
    yaff_status status = append(in, count * 8, 8, &array);
    if (status == YAFF_OK) *span = span_of(owner, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        uint64_t text;
        element e = element_at(in, payload->field, p, level->end);
        p = e.next;
        status = append_short(in, array, e.value, (size_t)(e.value_end - e.value), &text);
        if (status == YAFF_OK) yaff_store64(in->b->out + array + 8 * i, text);
    }
    return status;
}

static yaff_status append_structs(yaff_wire_in *in, const yaff_level *level,
                                  const yaff_payload *payload, uint32_t depth, size_t owner,
                                  uint64_t *span)
{
    const yaff_field *f = payload->field;
    const uint8_t *p = payload->data;
    size_t array, count = yaff_payload_count(payload), step = f->type->body_size;
    yaff_status status = append(in, count * step, f->type->align, &array);
    if (status == YAFF_OK) *span = span_of(owner, array, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        element e = any_element_at(in, f, p, level->end);
        p = e.next;
        status = convert_fixed(in, f->type, e.value, e.value_end, depth + 1, array + step * i);
    }
    return status;
}

static yaff_status append_messages(yaff_wire_in *in, const yaff_level *level,
                                   const yaff_payload *payload, uint32_t depth, size_t owner,
                                   uint64_t *span)
{
    const yaff_field *f = payload->field;
    const uint8_t *p = payload->data;
    size_t array, count = yaff_payload_count(payload);
    yaff_status status = append(in, count * 4, 4, &array);
    if (status != YAFF_OK) return status;
    *span = span_of(owner, array, count);
    for (size_t i = 0; i < count; i++) {
        element e = any_element_at(in, f, p, level->end);
        size_t child = convert_message(in, f->type, e.value, e.value_end, depth + 1);
        if (YAFF_UNLIKELY(child == FAILED)) return in->status;
        yaff_store32(in->b->out + array + 4 * i, child ? (uint32_t)(child - array) : 0);
        p = e.next;
    }
    return YAFF_OK;
}

/* ---- maps ---- */

typedef struct {
    uint64_t number; /* sorts as the key does: made of it, or of the first 8 bytes of a text */
    yaff_str text;   /* the whole text; empty when the key is none */
    const uint8_t *entry;
    size_t size;
    const uint8_t *value; /* of a plain entry; else NULL */
    uint64_t bits; /* of a plain entry: the value's cell, or the bytes of its text or message */
} map_item;

#define SIGN_BIT (UINT64_C(1) << 63)

/* So many at most are brought into order without a sort. */
enum { FEW_ITEMS = 32 };

/* The first 8 bytes of a text, and zeros behind them. */
static inline uint64_t text_number(const yaff_wire_in *in, yaff_str text)
{
    uint64_t number = 0;
    if (text.size > 0 && (const uint8_t *)text.data < in->plain_end) { /* all 8 can be read */
        number = __builtin_bswap64(yaff_load64(text.data));
        return text.size < 8 ? number & ~(UINT64_MAX >> 8 * text.size) : number;
    }
    for (size_t i = 0; i < 8; i++)
        number = number << 8 | (i < text.size ? (uint8_t)text.data[i] : 0);
    return number;
}

static inline int by_key(const void *a, const void *b)
{
    const map_item *x = (const map_item *)a, *y = (const map_item *)b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    size_t least = x->text.size < y->text.size ? x->text.size : y->text.size;
    int order = least > 8 ? memcmp(x->text.data + 8, y->text.data + 8, least - 8) : 0;
    return order ? order : (x->text.size > y->text.size) - (x->text.size < y->text.size);
}

static bool is_signed(unsigned kind)
{
    return kind == YAFF_KIND_INT32 || kind == YAFF_KIND_INT64 || kind == YAFF_KIND_SINT32 ||
           kind == YAFF_KIND_SINT64 || kind == YAFF_KIND_SFIXED32 || kind == YAFF_KIND_SFIXED64;
}

/* What the key whose cell holds `bits` sorts by. */
static inline uint64_t key_number(const yaff_field *key, uint64_t bits)
{
    if (!is_signed(key->kind)) return bits;
    if (key->width == 4) bits = (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    return bits ^ SIGN_BIT;
}

/* Finds the key in a map entry: the last one, zero or "" when there is none. */
static yaff_status read_key(yaff_wire_in *in, const yaff_field *key, uint32_t depth, map_item *item)
{
    const uint8_t *p = item->entry, *end = p + item->size;
    yaff_status status = YAFF_OK;
    uint64_t bits = 0;
    item->text = (yaff_str){"", 0};
    item->value = NULL;
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
    item->number = key->kind == YAFF_KIND_STRING ? text_number(in, item->text)
                                                 : key_number(key, yaff_kind_bits(key->kind, bits));
    return YAFF_OK;
}

/* The text or message at p, a length first, that ends before `end`, in the slack. NULL when that is
 * not so or it is to be valid UTF-8 and is not. */
YAFF_HELPER const uint8_t *plain_payload(const yaff_wire_in *in, const yaff_field *f,
                                         const uint8_t *p, const uint8_t *end, size_t *size)
{
    p = yaff_plain_length(p, end, size);
    if (p == NULL || f->op != YAFF_OP_UTF8 || in->options.no_utf8_check) return p;
    return yaff_plain_utf8(p, *size) ? p : NULL;
}

/* Reads an entry of a key, a value and nothing else, in the slack. False for what read_key() and
 * convert_fixed() are for. */
YAFF_HELPER bool read_plain_entry(const yaff_wire_in *in, const yaff_type *entry, map_item *item)
{
    const yaff_field *key = &entry->fields[0], *f = &entry->fields[entry->field_count - 1];
    const uint8_t *p = item->entry, *const end = p + item->size;
    yaff_status ignored;
    uint64_t bits;
    if (end > in->plain_end || *p++ != key->tag) return false;
    if (key->kind == YAFF_KIND_STRING) {
        p = plain_payload(in, key, p, end, &item->text.size);
        if (p == NULL) return false;
        item->text.data = (const char *)p;
        item->number = text_number(in, item->text);
        p += item->text.size;
    } else {
        p = yaff_read_scalar(p, end, key->tag & 7, &bits, &ignored);
        if (p == NULL) return false;
        item->text = (yaff_str){"", 0};
        item->number = key_number(key, yaff_kind_bits(key->kind, bits));
    }
    if (p == end || *p++ != f->tag || f->op == YAFF_OP_CLOSED_ENUM) return false;
    item->value = p;
    if (yaff_kind_has_length(f->kind)) {
        size_t size = 0;
        item->value = p = plain_payload(in, f, p, end, &size);
        item->bits = size;
        return p != NULL && p + size == end;
    }
    p = yaff_read_scalar(p, end, f->tag & 7, &bits, &ignored);
    item->bits = yaff_kind_bits(f->kind, bits);
    return p == end;
}

/* Keeps the last item of each key, and checks the ones before it. */
static yaff_status drop_duplicates(yaff_wire_in *in, const yaff_field *f, map_item *items,
                                   size_t *count, uint32_t depth)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (i + 1 < *count && by_key(&items[i], &items[i + 1]) == 0) {
            yaff_status status =
                yaff_value_check(in, f, items[i].entry, items[i].entry + items[i].size, depth);
            if (status != YAFF_OK) return status;
        } else {
            items[kept++] = items[i];
        }
    }
    *count = kept;
    return YAFF_OK;
}

/* The order of few items whose numbers are all different: the i-th is items[order[i]]. False when
 * two are equal. Each is compared with all others, since no branch of a sort could be guessed. */
static bool order_few(const map_item *items, size_t count, uint8_t *order)
{
    uint64_t numbers[FEW_ITEMS + 3];
    uint64_t taken = 0;
    for (size_t i = 0; i < count; i++) numbers[i] = items[i].number;
    for (size_t i = count; i < count + 3; i++) numbers[i] = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = numbers[i];
        unsigned before = 0;
        for (const uint64_t *n = numbers; n < numbers + count; n += 4)
            before +=
                (unsigned)(n[0] < number) + (n[1] < number) + (n[2] < number) + (n[3] < number);
        order[before] = (uint8_t)i;
        taken |= UINT64_C(1) << before;
    }
    return taken == (UINT64_C(1) << count) - 1;
}

/* Converts an entry into its struct, whose bytes stand at `at` and are zero, `depth` levels below the
 * root. */
static yaff_status convert_entry(yaff_wire_in *in, const yaff_type *entry, const map_item *item,
                                 uint32_t depth, size_t at)
{
    const yaff_field *key = &entry->fields[0], *f = &entry->fields[entry->field_count - 1];
    const uint8_t *const value = item->value;
    uint64_t bits = item->bits, key_bits = item->number;
    yaff_status status = YAFF_OK;
    if (value == NULL)
        return convert_fixed(in, entry, item->entry, item->entry + item->size, depth, at);

    if (key->kind == YAFF_KIND_STRING)
        status = append_short(in, at, (const uint8_t *)item->text.data, item->text.size, &key_bits);
    else if (is_signed(key->kind))
        key_bits ^= SIGN_BIT;
    if (status != YAFF_OK) return status;
    store_bits(in, at + key->place, key->width, key_bits);

    if (f->op == YAFF_OP_INLINE)
        return convert_fixed(in, f->type, value, value + bits, depth + 1, at + f->place);
    if (f->op == YAFF_OP_MESSAGE)
        status = append_child(in, f->type, at, value, (size_t)bits, depth, &bits);
    else if (yaff_kind_has_length(f->kind))
        status = append_short(in, at, value, (size_t)bits, &bits);
    if (status == YAFF_OK) store_bits(in, at + f->place, f->width, bits);
    return status;
}

/* append_text() for text in the slack, which is copied, and which there is room for as text_limit()
 * says. The span is counted from `owner`. */
YAFF_HELPER uint64_t copy_text(yaff_builder *b, const uint8_t *owner, const uint8_t *text,
                               size_t size)
{
    uint8_t *const to = b->out + b->size;
    if (YAFF_UNLIKELY(size >= YAFF_SHORT_TEXT)) {
        memcpy(to, text, size);
        to[size] = 0;
    } else if (size == 0) {
        return 0;
    } else {
        copy_short(to, text, size);
    }
    b->size += size + 1;
    return (uint32_t)(to - owner) | (uint64_t)size << 32;
}

static yaff_status append_map(yaff_wire_in *in, const yaff_level *level,
                              const yaff_payload *payload, uint32_t depth, size_t owner,
                              uint64_t *span)
{
    const yaff_field *f = payload->field;
    const yaff_type *entry = f->type;
    const uint8_t *p = payload->data;
    size_t count = yaff_payload_count(payload);
    const yaff_field *key = &entry->fields[0], *value = &entry->fields[entry->field_count - 1];
    if (depth >= in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    map_item *items = yaff_arena_get(&in->b->scratch, 2 * count * sizeof *items);
    if (items == NULL) return out_of_room(in, YAFF_NO_MEMORY);
    uint8_t order[FEW_ITEMS];
    yaff_status status = YAFF_OK;
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        element e = element_at(in, f, p, level->end);
        items[i].entry = e.value;
        items[i].size = (size_t)(e.value_end - e.value);
        p = e.next;
        if (!read_plain_entry(in, entry, &items[i])) status = read_key(in, key, depth, &items[i]);
    }
    const bool ordered = status == YAFF_OK && count <= FEW_ITEMS && order_few(items, count, order);
    if (status == YAFF_OK && !ordered) {
        yaff_sort(items, items + count, count, sizeof *items, by_key);
        status = drop_duplicates(in, f, items, &count, depth);
    }
    size_t array = 0;
    if (status == YAFF_OK)
        status = append_zeros(in, count * entry->body_size, entry->align, &array);
    if (status == YAFF_OK) *span = span_of(owner, array, count);
    /* string to string or bytes, all of them copied into room that is there */
    const bool texts = key->kind == YAFF_KIND_STRING &&
                       (value->kind == YAFF_KIND_STRING || value->kind == YAFF_KIND_BYTES) &&
                       text_limit(in, level) != 0;
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        const map_item *item = &items[ordered ? order[i] : i];
        const size_t at = array + i * entry->body_size;
        if (texts && item->value != NULL) {
            const uint8_t *const text = (const uint8_t *)item->text.data;
            uint8_t *const cells = in->b->out + at;
            yaff_store64(cells + key->place, copy_text(in->b, cells, text, item->text.size));
            yaff_store64(cells + value->place,
                         copy_text(in->b, cells, item->value, (size_t)item->bits));
        } else {
            status = convert_entry(in, entry, item, depth + 1, at);
        }
    }
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* ---- messages ---- */

/* Appends what a payload of `level` refers to; *bits gets what its cell is to hold. `owner` is the
 * message's p, or the struct. */
static YAFF_NOINLINE yaff_status append_payload(yaff_wire_in *in, const yaff_level *level,
                                                const yaff_payload *payload, uint32_t depth,
                                                size_t owner, uint64_t *bits)
{
    const yaff_field *f = payload->field;
    const uint8_t *data = payload->data;
    switch (yaff_payload_kind_of(payload)) {
    case YAFF_PAYLOAD_PLAIN:
    case YAFF_PAYLOAD_TEXT:
        return append_text(in, owner, data, yaff_payload_count(payload), bits);
    case YAFF_PAYLOAD_CHILD:
        return append_child(in, f->type, owner, data, yaff_payload_count(payload), depth, bits);
    case YAFF_PAYLOAD_INLINE:
        return convert_fixed(in, f->type, data, data + yaff_payload_count(payload), depth + 1,
                             owner + f->place);
    case YAFF_PAYLOAD_PACKED:
        return append_scalars(in, level, payload, owner, bits);
    case YAFF_PAYLOAD_ARRAY:
        break;
    }
    switch ((yaff_op)f->op) {
    case YAFF_OP_MESSAGES:
        return f->type->layout == YAFF_LAYOUT_FIXED
                   ? append_structs(in, level, payload, depth, owner, bits)
                   : append_messages(in, level, payload, depth, owner, bits);
    case YAFF_OP_MAP:
        return append_map(in, level, payload, depth, owner, bits);
    case YAFF_OP_TEXTS:
        return append_texts(in, level, payload, owner, bits);
    default:
        return append_scalars(in, level, payload, owner, bits);
    }
}

YAFF_HELPER size_t size_of_cells8(const yaff_found *found)
{
    return (size_t)((char *)found->end8 - (char *)found->cells8);
}
YAFF_HELPER size_t size_of_cells4(const yaff_found *found)
{
    return (size_t)((char *)found->end4 - (char *)found->cells4);
}

/* Where the cells of a level are while its payloads are appended: in the scratch, or, if `packed`,
 * in the output already, as a Sparse body; `body` is where the message's p is there. */
YAFF_HELPER uint8_t *home_of_cells8(const yaff_found *found, bool packed, uint8_t *body)
{
    return packed ? body : (uint8_t *)found->cells8;
}
YAFF_HELPER uint8_t *home_of_cells4(const yaff_found *found, bool packed, uint8_t *body)
{
    return packed ? body + size_of_cells8(found) : (uint8_t *)found->cells4;
}

/* How far a payload's cell is behind the first one of its width. */
static inline size_t cell8_offset(const yaff_found *found, const yaff_payload *payload)
{
    return (size_t)((char *)payload->cell - (char *)found->cells8);
}
static inline size_t cell4_offset(const yaff_found *found, const yaff_payload *payload)
{
    return (size_t)((char *)payload->cell - (char *)found->cells4);
}

/* Short texts, up to the first payload that is none or for which there may be no room. */
YAFF_HELPER const yaff_payload *copy_texts(yaff_wire_in *in, const yaff_found *found,
                                           const yaff_payload *payload, uint64_t limit, bool packed,
                                           size_t owner)
{
    yaff_builder *b = in->b;
    uint8_t *const body = b->out + owner, *const home = home_of_cells8(found, packed, body);
    uint8_t *to = b->out + b->size;
    for (; payload->word < limit; payload++) {
        const uint64_t count = payload->word;
        copy_short(to, payload->data, (size_t)count);
        yaff_store64(home + cell8_offset(found, payload), (uint32_t)(to - body) | count << 32);
        to += count + 1;
    }
    b->size = (size_t)(to - b->out);
    return payload;
}

static inline bool is_text(const yaff_payload *payload)
{
    return payload->word >> 32 <= YAFF_PAYLOAD_TEXT;
}

/* The same for texts that stay where they are, up to the first payload that is none or that was
 * copied. */
static YAFF_NOINLINE const yaff_payload *
borrow_texts(const yaff_wire_in *in, const yaff_payload *payload, const yaff_payload *end,
             const uint64_t *cells8, uint8_t *home, size_t owner)
{
    for (; payload < end && is_text(payload) && is_borrowed(in, payload->data); payload++)
        yaff_store64(
            home + ((const uint8_t *)payload->cell - (const uint8_t *)cells8),
            span_of(owner, (size_t)(payload->data - in->b->out), yaff_payload_count(payload)));
    return payload;
}

/* Whether a payload is a case for append_elements(). */
YAFF_HELPER bool is_small_run(const yaff_wire_in *in, const yaff_payload *payload, uint32_t depth)
{
    if (yaff_payload_kind_of(payload) != YAFF_PAYLOAD_ARRAY) return false;
    const yaff_field *f = payload->field;
    return f->op == YAFF_OP_MESSAGES && f->kind != YAFF_KIND_GROUP &&
           has_small_room(in, f->type, depth + 1);
}

/* Appends what the fields of a level refer to, in number order, and fills their cells, `packed` or
 * not. `owner` is the message's p, or the struct; `limit` what text_limit() says. */
YAFF_HELPER yaff_status append_payloads(yaff_wire_in *in, const yaff_level *level,
                                        const yaff_found *found, uint64_t limit, uint32_t depth,
                                        size_t owner, bool packed)
{
    const yaff_payload *payload = found->payloads;
    found->payload_end->word = UINT64_MAX; /* no text */
    while (payload < found->payload_end) {
        payload = copy_texts(in, found, payload, limit, packed, owner);
        if (payload == found->payload_end) break;
        if (YAFF_UNLIKELY(in->options.borrow)) {
            uint8_t *home = home_of_cells8(found, packed, in->b->out + owner);
            payload = borrow_texts(in, payload, found->payload_end, found->cells8, home, owner);
            if (payload == found->payload_end) break;
        }
        uint64_t bits;
        yaff_status status = is_small_run(in, payload, depth)
                                 ? append_elements(in, level, payload, depth + 1, owner, &bits)
                                 : append_payload(in, level, payload, depth, owner, &bits);
        if (YAFF_UNLIKELY(status != YAFF_OK)) return status;
        uint8_t *const body = in->b->out + owner;
        const yaff_payload_kind kind = yaff_payload_kind_of(payload);
        if (kind == YAFF_PAYLOAD_CHILD)
            yaff_store32(home_of_cells4(found, packed, body) + cell4_offset(found, payload),
                         (uint32_t)bits);
        else if (kind != YAFF_PAYLOAD_INLINE)
            yaff_store64(home_of_cells8(found, packed, body) + cell8_offset(found, payload), bits);
        payload++;
        limit = text_limit(in, level);
    }
    return YAFF_OK;
}

/* A present bool, stepping over the cell of a false one. */
static inline uint8_t take_bool(const yaff_level *level, const yaff_field *f,
                                const uint32_t **cell4)
{
    bool value = !(level->present[f->block].falses & f->bit);
    if (!value) ++*cell4;
    return value;
}

/* Puts the cells of a level at their places in a Flat body or Fixed struct. */
static void place_cells(const yaff_type *type, const yaff_level *level, const uint64_t *cell8,
                        const uint32_t *cell4, uint8_t *body)
{
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        if (!yaff_level_has(level, f)) continue;
        if (f->width == 8)
            memcpy(body + f->place, cell8++, 8);
        else if (f->width == 4)
            memcpy(body + f->place, cell4++, 4);
        else if (f->width == 1)
            body[f->place] = take_bool(level, f, &cell4);
    }
}

/* Puts the cells of a Sparse message, which has room for them and padding, one behind the other. */
static inline void pack_cells(uint8_t *body, const yaff_found *found)
{
    const size_t size8 = size_of_cells8(found), size4 = size_of_cells4(found);
    memcpy(body, found->cells8, size8);
    memcpy(body + size8, found->cells4, size4);
    if (size4 % 8 != 0) yaff_store32(body + size8 + size4, 0); /* the padding */
}

/* Takes the cells of the fields above number `last` off the end of the level, and makes the last of
 * the directory's entries of them, which end at `entry`. */
static void take_entries(const yaff_type *type, const yaff_level *level, yaff_found *found,
                         uint32_t last, uint8_t *entry)
{
    for (uint32_t row = type->field_count; row-- > 0 && type->fields[row].number > last;) {
        const yaff_field *f = &type->fields[row];
        uint64_t bits;
        if (!yaff_level_has(level, f)) continue;
        if (f->width == 8) {
            bits = yaff_load64(--found->end8);
        } else if (f->width == 4) {
            bits = yaff_load32(--found->end4);
        } else {
            bits = !(level->present[f->block].falses & f->bit);
            if (!bits) found->end4--;
        }
        entry -= YAFF_DIRECTORY_ENTRY;
        yaff_store32(entry, f->number);
        yaff_store32(entry + YAFF_DIRECTORY_CLASS, f->width);
        yaff_store64(entry + YAFF_DIRECTORY_CELL, bits);
    }
}

static yaff_status append_unknown(yaff_wire_in *in, const yaff_level *level, size_t owner,
                                  uint64_t *span)
{
    yaff_builder *b = in->b;
    if (level->unknown->next == NULL && is_borrowed(in, level->unknown->data)) {
        *span = span_of(owner, (size_t)(level->unknown->data - b->out), level->unknown_size);
        return YAFF_OK;
    }
    yaff_status status = yaff_builder_reserve(b, (size_t)level->unknown_size + 1);
    if (status != YAFF_OK) return out_of_room(in, status);
    *span = span_of(owner, b->size, level->unknown_size);
    for (const yaff_unknown_run *run = level->unknown; run != NULL; run = run->next) {
        memcpy(b->out + b->size, run->data, run->size);
        b->size += run->size;
    }
    b->out[b->size++] = 0;
    return YAFF_OK;
}

static bool is_empty(const yaff_type *type, const yaff_level *level)
{
    unsigned set = level->unknown_size;
    for (uint32_t i = 0; i < type->lane_count; i++) set |= level->present[i].set;
    return set == 0;
}

static size_t failed(yaff_wire_in *in, yaff_status status)
{
    in->status = status;
    return FAILED;
}

/* A message of any shape; like convert_message(). */
static YAFF_NOINLINE size_t write_planned(yaff_wire_in *in, const yaff_type *type,
                                          yaff_level *level, yaff_found *found, uint32_t depth)
{
    yaff_presence present = {level->present, level->unknown_size > 0};
    yaff_plan plan;
    size_t start;
    uint64_t unknown = 0;
    if (is_empty(type, level)) return 0;
    yaff_choose(type, &present, &plan);
    size_t entries = plan.body + YAFF_DIRECTORY_ENTRY * (size_t)plan.entries;
    yaff_status status = append(in, plan.before + entries, 8, &start);
    size_t p = start + plan.before;
    if (status == YAFF_OK && present.unknown) status = append_unknown(in, level, p, &unknown);
    if (status == YAFF_OK)
        status = append_payloads(in, level, found, text_limit(in, level), depth, p, false);
    if (status != YAFF_OK) return failed(in, status);

    uint8_t *body = in->b->out + p;
    if (plan.kind >= YAFF_HEAD_FLAT) {
        memset(body, 0, plan.body);
        place_cells(type, level, found->cells8, found->cells4, body);
        yaff_write_lanes(type, &present, &plan, body);
        return p;
    }
    if (plan.entries > 0) {
        yaff_store64(in->b->out + start, span_of(0, plan.body, plan.entries));
        if (present.unknown) {
            yaff_store64(body + plan.body, UINT64_C(8) << 32); /* number 0, class 8 */
            yaff_store64(body + plan.body + YAFF_DIRECTORY_CELL, unknown);
        }
        take_entries(type, level, found, plan.blocks * YAFF_BLOCK_NUMBERS, body + entries);
    }
    pack_cells(body, found);
    yaff_write_lanes(type, &present, &plan, body);
    return p;
}

/* The rest of convert_level() for what is not usual in its wire bytes, in its schema or in the room
 * there is. */
static YAFF_NOINLINE size_t convert_unusual(yaff_wire_in *in, const yaff_type *type,
                                            const uint8_t *p, uint32_t depth, yaff_level *level,
                                            yaff_found found)
{
    const uint8_t *plain_end = in->plain_end;
    yaff_status status = yaff_level_decode_rest(in, type, p, depth, level, &found);
    size_t at =
        status == YAFF_OK ? write_planned(in, type, level, &found, depth) : failed(in, status);
    in->plain_end = plain_end;
    return at;
}

/* Copies `size` bytes of cells, and what stands behind them, in steps of a fixed number of bytes;
 * most often the first is all. */
YAFF_HELPER void copy_cells(uint8_t *to, const void *cells, size_t size, const size_t first)
{
    memcpy(to, cells, first);
    for (size_t i = first; i < size; i += 16) memcpy(to + i, (const char *)cells + i, 16);
}

/* Clears `size` bytes of cells, in steps like copy_cells(). */
YAFF_HELPER void clear_cells(uint8_t *to, size_t size)
{
    memset(to, 0, 32);
    for (size_t i = 32; i < size; i += 16) memset(to + i, 0, 16);
}

/* The usual message: all that is present lies in the first block of numbers, nothing is unknown.
 * The choice is then one comparison. */

/* The lanes of such a message that is Sparse, with `size8` bytes of cells of 8 bytes. */
YAFF_HELPER uint64_t simple_lanes(const yaff_type *type, const yaff_level *level, size_t size8)
{
    const uint32_t set = level->present[0].set, head = 1u << 8 | (uint32_t)size8 / 8;
    const uint32_t falses = level->present[0].falses; /* bools that have a cell */
    const uint32_t widths = (type->blocks->cells & (set | set << 16)) | falses;
    return widths | (uint64_t)(set | head << 16) << 32;
}

/* And of one that is Flat. */
YAFF_HELPER uint64_t flat_lanes(const yaff_type *type, const yaff_level *level)
{
    const uint32_t limit = type->limit < YAFF_BLOCK_NUMBERS ? type->limit : YAFF_BLOCK_NUMBERS;
    return yaff_lanes_word(type->blocks->n4, type->blocks->n8, level->present[0].set,
                           YAFF_FLAT_LANES_HEAD | limit);
}

/* What the writer of simple messages asks for at once: padding, lanes, body, and what is copied or
 * cleared beyond it. */
enum { SIMPLE_ROOM = 7 + 8 + 8 * YAFF_BLOCK_NUMBERS + 32 };

static inline bool has_simple_room(const yaff_builder *b, const yaff_level *level)
{
    return YAFF_LIKELY(b->capacity - b->size >= SIMPLE_ROOM + room_for_texts(level));
}

/* Such a message, Sparse or Flat, if has_simple_room(); like convert_message(). The cells of a Sparse
 * one are copied at once, those of payloads filled there. Those of a Flat one get their places when
 * all are filled. */
YAFF_HELPER size_t write_simple(yaff_wire_in *in, const yaff_type *type, const yaff_level *level,
                                const yaff_found *found, uint32_t depth)
{
    yaff_builder *b = in->b;
    const size_t size8 = size_of_cells8(found), size4 = size_of_cells4(found);
    const size_t p = ((b->size + 7) & ~(size_t)7) + 8;
    uint8_t *to = b->out + p;
    size_t body = (size8 + size4 + 7) & ~(size_t)7;
    const bool flat = body >= type->dense;
    yaff_store64(b->out + b->size, 0); /* the padding */
    if (flat) {
        body = yaff_flat_body(type, 1);
        yaff_store64(to - 8, flat_lanes(type, level));
        clear_cells(to, body);
    } else {
        yaff_store64(to - 8, simple_lanes(type, level, size8));
        copy_cells(to, found->cells8, size8, 32);
        copy_cells(to + size8, found->cells4, size4, 16);
        yaff_store32(to + size8 + size4, 0); /* the padding, if there is some */
    }
    b->size = p + body;
    yaff_status status = append_payloads(in, level, found, in->short_text, depth, p, !flat);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return failed(in, status);
    if (flat) place_cells(type, level, found->cells8, found->cells4, b->out + p);
    if (p == 0) YAFF_UNREACHABLE(); /* so that no caller asks whether the message is empty */
    return p;
}

/* Converts into a Fixed struct whose bytes stand at `at`. */
static yaff_status convert_fixed(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, size_t at)
{
    if (depth > in->options.max_depth) return yaff_wire_fail(in, p, YAFF_TOO_DEEP);
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    const uint8_t *plain_end = in->plain_end;
    void *room = large_room(in, type);
    if (room == NULL) return yaff_wire_fail(in, p, YAFF_NO_MEMORY);
    yaff_found found;
    yaff_level *level = yaff_level_at(room, &found, type->field_count, type->lane_count);
    yaff_level_start(level, &found, type, p, end, type->lane_count);
    const uint8_t *stop = yaff_plain_fields(in, type, level, &found, p, end);
    yaff_status status = YAFF_OK;
    if (stop != end || type->flags & YAFF_TYPE_REQUIRED)
        status = yaff_level_decode_rest(in, type, stop, depth, level, &found);
    if (status == YAFF_OK) {
        memcpy(in->b->out + at, type->instance, type->body_size);
        status = append_payloads(in, level, &found, text_limit(in, level), depth, at, false);
        if (status == YAFF_OK)
            place_cells(type, level, found.cells8, found.cells4, in->b->out + at);
    }
    in->plain_end = plain_end;
    yaff_arena_release(&in->b->scratch, mark);
    return status;
}

/* Whether a Fixed message, or one inline in it, has required fields. These may have defaults, in
 * this schema or in a later one. */
static bool fixed_has_required(const yaff_type *type)
{
    if (type->flags & YAFF_TYPE_REQUIRED) return true;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].op == YAFF_OP_INLINE && fixed_has_required(type->fields[i].type))
            return true;
    return false;
}

/* Whether a Fixed message is not stored: it equals the default instance, which then is all zero in
 * every version of the schema. */
static bool fixed_is_default(const yaff_type *type, const uint8_t *p)
{
    return memcmp(p, type->instance, type->body_size) == 0 && !fixed_has_required(type);
}

/* Whether a Fixed message for which the caller's memory has no room needs none: OK or TOO_SMALL. */
static yaff_status convert_fixed_aside(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                       const uint8_t *end, uint32_t depth)
{
    yaff_builder *b = in->b, saved = *b;
    size_t at;
    yaff_builder_use(b, NULL, 0);
    yaff_status status = append_zeros(in, type->body_size, 8, &at);
    if (status == YAFF_OK) status = convert_fixed(in, type, p, end, depth, at);
    if (status == YAFF_OK && !fixed_is_default(type, b->out + at)) status = YAFF_TOO_SMALL;
    yaff_builder_use(b, saved.out, saved.capacity);
    b->size = saved.size;
    b->pinned = saved.pinned;
    return status;
}

/* A Fixed message behind a reference, or the root; like convert_message(). */
static YAFF_NOINLINE size_t convert_fixed_object(yaff_wire_in *in, const yaff_type *type,
                                                 const uint8_t *p, const uint8_t *end,
                                                 uint32_t depth)
{
    size_t before = in->b->size, at;
    yaff_status status = append_zeros(in, type->body_size, 8, &at);
    if (status == YAFF_TOO_SMALL && in->b->callers) {
        status = convert_fixed_aside(in, type, p, end, depth);
        return status == YAFF_OK ? 0 : failed(in, status);
    }
    if (status == YAFF_OK) status = convert_fixed(in, type, p, end, depth, at);
    if (status != YAFF_OK) return failed(in, status);
    if (!fixed_is_default(type, in->b->out + at)) return at;
    in->b->size = before;
    return 0;
}

/* Whether a message that was decoded to its end is a case for write_simple(). */
YAFF_HELPER bool is_simple(const yaff_type *type, const yaff_level *level, bool small)
{
    unsigned others = level->present[1].set; /* there, and 0, even if the type has one block */
    if (!small) {
        for (uint32_t i = 2; i < type->lane_count; i++) others |= level->present[i].set;
        if (!type->dense || type->flags & YAFF_TYPE_REQUIRED) return false;
    }
    return others == 0 && level->present[0].set != 0;
}

/* Like convert_message(), of a type that is not Fixed and is `small` or not. Of small ones, as most
 * are, the places in the room for the level are constants. */
YAFF_HELPER size_t convert_level(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, void *room, bool small)
{
    const size_t fields = small ? YAFF_SMALL_FIELDS : type->field_count;
    const size_t blocks = small ? YAFF_SMALL_BLOCKS : type->lane_count;
    yaff_found found;
    yaff_level *level = yaff_level_at(room, &found, fields, blocks);
    yaff_level_start(level, &found, type, p, end, blocks);
    const uint8_t *stop = yaff_plain_fields(in, type, level, &found, p, end);
    if (YAFF_UNLIKELY(stop != end || !is_simple(type, level, small) ||
                      !has_simple_room(in->b, level)))
        /* a copy, so that `found` itself need not be in memory */
        return convert_unusual(in, type, stop, depth, level,
                               (yaff_found){found.cells8, found.end8, found.cells4, found.end4,
                                            found.payloads, found.payload_end, found.next});
    return write_simple(in, type, level, &found, depth);
}

static YAFF_NOINLINE size_t convert_large(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                          const uint8_t *end, uint32_t depth)
{
    if (type->layout == YAFF_LAYOUT_FIXED) return convert_fixed_object(in, type, p, end, depth);
    if (depth > in->options.max_depth) return failed(in, yaff_wire_fail(in, p, YAFF_TOO_DEEP));
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    void *room = large_room(in, type);
    if (room == NULL) return failed(in, yaff_wire_fail(in, p, YAFF_NO_MEMORY));
    size_t at = convert_level(in, type, p, end, depth, room, false);
    yaff_arena_release(&in->b->scratch, mark);
    return at;
}

static size_t convert_message(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                              const uint8_t *end, uint32_t depth)
{
    char *room = in->small_room;
    if (!has_small_room(in, type, depth)) return convert_large(in, type, p, end, depth);
    in->small_room = room + small_room();
    size_t at = convert_level(in, type, p, end, depth, room, true);
    in->small_room = room;
    return at;
}

/* The same as convert_message() for each, without what is the same for all. */
static YAFF_NOINLINE yaff_status append_elements(yaff_wire_in *in, const yaff_level *level,
                                                 const yaff_payload *payload, uint32_t depth,
                                                 size_t owner, uint64_t *span)
{
    const yaff_field *f = payload->field;
    const yaff_type *type = f->type;
    const uint8_t *p = payload->data, *end = level->end;
    const size_t count = yaff_payload_count(payload);
    size_t array;
    yaff_status status = append(in, count * 4, 4, &array);
    if (YAFF_UNLIKELY(status != YAFF_OK)) return status;
    *span = span_of(owner, array, count);
    const size_t array_end = array + 4 * count;
    char *room = in->small_room;
    in->small_room = room + small_room();
    size_t child = 0;
    for (size_t cell = array; cell < array_end; cell += 4) {
        element e = element_at(in, f, p, end);
        p = e.next;
        child = convert_level(in, type, e.value, e.value_end, depth, room, true);
        if (YAFF_UNLIKELY(child == FAILED)) break;
        yaff_store32(in->b->out + cell, child ? (uint32_t)(child - array) : 0);
    }
    in->small_room = room;
    return child == FAILED ? in->status : YAFF_OK;
}

yaff_status yaff_value_check(yaff_wire_in *in, const yaff_field *f, const uint8_t *value,
                             const uint8_t *value_end, uint32_t depth)
{
    if (f->flags & YAFF_FIELD_UTF8 && !in->options.no_utf8_check &&
        !yaff_utf8_valid(value, (size_t)(value_end - value)))
        return yaff_wire_fail(in, value, YAFF_BAD_UTF8);
    if (f->type == NULL) return YAFF_OK;
    /* Convert it behind what is there, or in memory of our own where the caller's must not be used
     * up. */
    yaff_builder *b = in->b, saved = *b;
    bool dropping = in->dropping;
    yaff_status status;
    in->dropping = true;
    if (b->callers) {
        yaff_builder_use(b, NULL, 0);
        b->size = 0;
    }
    if (f->type->layout == YAFF_LAYOUT_FIXED) {
        size_t at;
        status = append_zeros(in, f->type->body_size, 8, &at);
        if (status == YAFF_OK) status = convert_fixed(in, f->type, value, value_end, depth + 1, at);
    } else {
        size_t at = convert_message(in, f->type, value, value_end, depth + 1);
        status = at == FAILED ? in->status : YAFF_OK;
    }
    in->dropping = dropping;
    if (saved.callers) yaff_builder_use(b, saved.out, saved.capacity);
    b->size = saved.size;
    b->pinned = saved.pinned;
    return status;
}

static uint32_t depth_limit(uint32_t wanted)
{
    if (wanted == 0) return YAFF_MAX_DEPTH;
    return wanted < YAFF_DEPTH_CEILING ? wanted : YAFF_DEPTH_CEILING;
}

/* Says what the input is. A short one is copied to where slack follows it, since the fields in its
 * last bytes would be a good part of it. One that is borrowed goes into the buffer, if it is not
 * there yet, and stays. */
static yaff_status begin_input(yaff_wire_in *in, const uint8_t *wire, size_t size)
{
    enum { SHORT = 1024 };
    yaff_builder *b = in->b;
    uint8_t *copy = NULL;
    bool slack = false; /* behind the input */
    if (in->options.borrow) {
        yaff_status status = yaff_builder_reserve(b, size);
        if (status != YAFF_OK) return status;
        copy = b->out + b->size;
        b->size += size;
        slack = b->capacity - b->size >= YAFF_WIRE_SLACK;
    } else if (size <= SHORT) {
        copy = yaff_arena_get(&b->scratch, size + YAFF_WIRE_SLACK);
        if (copy == NULL) return YAFF_NO_MEMORY;
        slack = true;
    }
    if (copy != NULL) {
        if (size > 0 && copy != wire) memmove(copy, wire, size);
        wire = copy;
    }
    in->short_text = in->options.borrow ? 0 : YAFF_SHORT_TEXT;
    in->wire = in->origin = in->fault = wire;
    in->wire_end = wire + size;
    if (slack)
        in->plain_end = in->wire_end + 1;
    else
        in->plain_end = size < YAFF_WIRE_SLACK + YAFF_PLAIN_HEAD
                            ? wire
                            : in->wire_end - (YAFF_WIRE_SLACK + YAFF_PLAIN_HEAD - 1);
    return YAFF_OK;
}

static yaff_status begin_levels(yaff_wire_in *in)
{
    in->small_room = (char *)yaff_arena_get(&in->b->scratch, SMALL_LEVELS * small_room());
    if (in->small_room == NULL) return YAFF_NO_MEMORY;
    in->small_end = in->small_room + SMALL_LEVELS * small_room();
    return YAFF_OK;
}

static yaff_status convert(yaff_builder *b, const yaff_type *type, const void *wire, size_t size,
                           const yaff_wire_options *options, yaff_error *err)
{
    yaff_wire_in in;
    memset(&in, 0, sizeof in);
    in.b = b;
    if (options != NULL) in.options = *options;
    in.options.max_depth = depth_limit(in.options.max_depth);
    yaff_mark mark = yaff_arena_mark(&b->scratch);
    size_t root = 0;
    yaff_status status =
        size > INT32_MAX ? YAFF_TOO_LARGE : yaff_builder_start(b, yaff_builder_hint(size));
    if (status == YAFF_OK) status = begin_levels(&in);
    if (status == YAFF_OK) status = begin_input(&in, wire, size);
    if (status == YAFF_OK) {
        b->pinned = in.options.borrow;
        root = convert_message(&in, type, in.wire, in.wire_end, 0);
        b->pinned = false;
        if (root == FAILED) status = in.status;
    }
    if (status == YAFF_OK) {
        yaff_builder_finish(b, root, in.options.borrow ? YAFF_BUFFER_BORROWED : 0);
    } else {
        b->size = 0;
        if (err != NULL) {
            bool in_input = (uintptr_t)in.fault >= (uintptr_t)in.wire &&
                            (uintptr_t)in.fault <= (uintptr_t)in.wire_end;
            err->status = status;
            err->offset = (size_t)((in_input ? in.fault : in.origin) - in.wire);
            err->path[0] = '\0';
        }
    }
    yaff_arena_release(&b->scratch, mark);
    return status;
}

yaff_status yaff_from_wire(yaff_builder *b, const yaff_type *type, const void *wire, size_t size,
                           const yaff_wire_options *options, yaff_error *err)
{
    yaff_status status = convert(b, type, wire, size, options, err);
    if (options == NULL || !options->borrow || b->callers) return status;
    /* Memory that the input lies in cannot be moved half-way: start again with more of it. */
    while (status == YAFF_TOO_SMALL) {
        bool inside = wire == b->out + YAFF_BUFFER_HEAD;
        b->size = inside ? YAFF_BUFFER_HEAD + size : 0;
        status = yaff_builder_grow(b, b->capacity);
        if (inside) wire = b->out + YAFF_BUFFER_HEAD;
        if (status == YAFF_OK)
            status = convert(b, type, wire, size, options, err);
        else if (err != NULL)
            err->status = status;
    }
    return status;
}
