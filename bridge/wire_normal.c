/* Normalising a level: wire bytes in any order -> the same message in canonical order. Here live
 * Protobuf's rules for what occurs twice: the last scalar wins, messages merge, repeated fields
 * append, the last member of a oneof wins, unlisted values of closed enums are unknown fields. The
 * result is a fixed point: decoding it never asks for normalising again. spec/wire.md, In. */
#include "sort.h"
#include "wire_level.h"

#define UNKNOWN 0xffffffffu

/* One field as it stood on the wire, or one unlisted element taken out of a packed run. */
typedef struct {
    uint32_t row;                     /* of its field, or UNKNOWN; records are sorted by it */
    uint32_t wire;                    /* wire type */
    const uint8_t *field, *field_end; /* all of it */
    const uint8_t *value, *value_end; /* without tag, length, end tag */
} record;

typedef struct {
    yaff_wire_in *in;
    const yaff_type *type;
    uint32_t depth;
    record *records;
    size_t count, capacity;
    uint8_t *at; /* where the copy is written */
} normaliser;

static yaff_status add(normaliser *n, const record *r)
{
    if (n->count == n->capacity) {
        size_t capacity = n->capacity ? 2 * n->capacity : 32;
        record *grown = yaff_arena_get(&n->in->b->scratch, capacity * sizeof *grown);
        if (grown == NULL) return YAFF_NO_MEMORY;
        if (n->count) memcpy(grown, n->records, n->count * sizeof *grown);
        n->records = grown;
        n->capacity = capacity;
    }
    n->records[n->count++] = *r;
    return YAFF_OK;
}

static uint8_t *put_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static uint8_t *put_bytes(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    if (from != end) memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

/* Splits field p (its tag read) into value and end. */
static const uint8_t *split(const normaliser *n, uint32_t tag, const uint8_t *p, const uint8_t *end,
                            record *r, yaff_status *status)
{
    uint32_t more = n->in->options.max_depth - n->depth, size;
    r->wire = tag & 7;
    r->value = p;
    if (r->wire == YAFF_WIRE_GROUP) {
        p = yaff_skip_group(p, end, tag >> 3, more, &r->value_end, status);
    } else if (r->wire == YAFF_WIRE_LENGTH) {
        p = yaff_read_length(p, end, &size, status);
        if (p == NULL) return NULL;
        r->value = p;
        r->value_end = p = p + size;
    } else {
        r->value_end = p = yaff_skip_field(p, end, tag, more, status);
    }
    r->field_end = p;
    return p;
}

static bool unlisted(const normaliser *n, const yaff_field *f, const record *r)
{
    yaff_status ignored;
    uint64_t value;
    if (f->flags & YAFF_FIELD_MAP) {
        const yaff_type *entry = f->type;
        return entry->fields[entry->field_count - 1].flags & YAFF_FIELD_CLOSED &&
               yaff_entry_unlisted(entry, r->value, r->value_end,
                                   n->in->options.max_depth - n->depth);
    }
    return f->flags & YAFF_FIELD_CLOSED &&
           yaff_read_varint(r->value, r->value_end, &value, &ignored) != NULL &&
           yaff_enum_unlisted(f->enumeration, value);
}

static bool is_packed(const yaff_field *f, const record *r)
{
    return r->wire == YAFF_WIRE_LENGTH && f->flags & YAFF_FIELD_REPEATED &&
           !yaff_kind_has_length(f->kind);
}

/* Unlisted elements of a packed closed enum become records of their own, in their order. */
static yaff_status add_packed_unlisted(normaliser *n, const yaff_field *f, const record *r)
{
    yaff_status status = YAFF_OK;
    for (const uint8_t *p = r->value; p < r->value_end;) {
        record element = {UNKNOWN, YAFF_WIRE_VARINT, p, NULL, p, NULL};
        uint64_t value;
        p = yaff_read_varint(p, r->value_end, &value, &status);
        if (p == NULL) return status;
        if (!yaff_enum_unlisted(f->enumeration, value)) continue;
        uint8_t *field =
            yaff_arena_get(&n->in->b->scratch, YAFF_TAG_MAX_BYTES + YAFF_VARINT_MAX_BYTES);
        if (field == NULL) return YAFF_NO_MEMORY;
        element.field = field;
        field = put_varint(field, (uint64_t)f->number << 3 | YAFF_WIRE_VARINT);
        element.field_end = put_varint(field, value);
        status = add(n, &element);
        if (status != YAFF_OK) return status;
    }
    return YAFF_OK;
}

static yaff_status scan(normaliser *n, const uint8_t *p, const uint8_t *end)
{
    yaff_status status = YAFF_OK;
    while (p < end) {
        record r = {UNKNOWN, 0, p, NULL, NULL, NULL};
        uint32_t tag;
        p = yaff_read_tag(p, end, &tag, &status);
        if (p == NULL) goto failed;
        p = split(n, tag, p, end, &r, &status);
        if (p == NULL) goto failed;
        const yaff_field *f = yaff_type_field(n->type, tag >> 3);
        if (f != NULL && (r.wire == yaff_kind_wire(f->kind) || is_packed(f, &r))) {
            if (is_packed(f, &r)) {
                if (f->flags & YAFF_FIELD_CLOSED) {
                    status = add_packed_unlisted(n, f, &r);
                    if (status != YAFF_OK) goto failed;
                }
                r.row = (uint32_t)(f - n->type->fields);
            } else if (!unlisted(n, f, &r)) {
                r.row = (uint32_t)(f - n->type->fields);
            }
        }
        status = add(n, &r);
        if (status != YAFF_OK) goto failed;
        continue;
    failed:
        return yaff_wire_fail(n->in, r.field, status);
    }
    return YAFF_OK;
}

/* A value that Protobuf parses and then drops must still be well formed. */
static yaff_status drop(normaliser *n, record *r)
{
    const yaff_field *f = &n->type->fields[r->row];
    r->row = UNKNOWN;
    r->field_end = r->field; /* an unknown field of no bytes */
    return yaff_value_check(n->in, f, r->value, r->value_end, n->depth);
}

/* Of each oneof, only the last run of records of one and the same member counts. */
static yaff_status settle_oneofs(normaliser *n)
{
    enum { LOST = 1 };
    size_t count = n->type->oneof_count;
    uint32_t *winner = yaff_arena_get(&n->in->b->scratch, count * (sizeof *winner + 1));
    if (winner == NULL) return YAFF_NO_MEMORY;
    uint8_t *state = (uint8_t *)(winner + count);
    for (size_t o = 0; o < count; o++) {
        winner[o] = UNKNOWN;
        state[o] = 0;
    }
    for (size_t i = n->count; i-- > 0;) {
        record *r = &n->records[i];
        if (r->row == UNKNOWN || n->type->fields[r->row].oneof == 0) continue;
        unsigned o = n->type->fields[r->row].oneof - 1u;
        if (winner[o] == UNKNOWN) winner[o] = r->row;
        if (r->row != winner[o]) state[o] = LOST; /* and with it everything before */
        yaff_status status = state[o] == LOST ? drop(n, r) : YAFF_OK;
        if (status != YAFF_OK) return status;
    }
    return YAFF_OK;
}

static int by_row(const void *a, const void *b)
{
    uint32_t x = ((const record *)a)->row, y = ((const record *)b)->row;
    return (x > y) - (x < y);
}

static size_t element_width(const yaff_field *f)
{
    return yaff_kind_wire(f->kind) == YAFF_WIRE_FIXED32 ? 4 : 8;
}

/* Writes all elements of a numeric repeated field as one packed run. */
static yaff_status write_packed(normaliser *n, const yaff_field *f, const record *r, size_t count)
{
    uint64_t value;
    yaff_status status = YAFF_OK;
    uint8_t *start = n->at + YAFF_TAG_MAX_BYTES + YAFF_TAG_MAX_BYTES, *to = start;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = r[i].value;
        if (is_packed(f, &r[i]) && yaff_kind_wire(f->kind) != YAFF_WIRE_VARINT &&
            (size_t)(r[i].value_end - p) % element_width(f) != 0)
            return yaff_wire_fail(n->in, r[i].field, YAFF_BAD_LENGTH);
        while (p < r[i].value_end) {
            const uint8_t *element = p;
            p = yaff_read_scalar(p, r[i].value_end, yaff_kind_wire(f->kind), &value, &status);
            if (p == NULL) return yaff_wire_fail(n->in, r[i].field, status);
            if (!(f->flags & YAFF_FIELD_CLOSED && yaff_enum_unlisted(f->enumeration, value)))
                to = put_bytes(to, element, p);
        }
    }
    size_t size = (size_t)(to - start);
    if (size == 0) return YAFF_OK;
    n->at = put_varint(n->at, (uint64_t)f->number << 3 | YAFF_WIRE_LENGTH);
    n->at = put_varint(n->at, size);
    memmove(n->at, start, size);
    n->at += size;
    return YAFF_OK;
}

/* Whether each part of a message that is to be concatenated is well formed on its own. */
static yaff_status check_framing(normaliser *n, const record *r)
{
    uint32_t more = n->in->options.max_depth - n->depth;
    const uint8_t *fault = r->field;
    yaff_status status =
        more == 0 ? YAFF_TOO_DEEP : yaff_check_fields(r->value, r->value_end, more - 1, &fault);
    return status == YAFF_OK ? YAFF_OK : yaff_wire_fail(n->in, fault, status);
}

/* Writes one field made of all its records' values, one behind the other. */
static yaff_status write_joined(normaliser *n, const yaff_field *f, const record *r, size_t count)
{
    bool group = f->kind == YAFF_KIND_GROUP;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        yaff_status status = count > 1 ? check_framing(n, &r[i]) : YAFF_OK;
        if (status != YAFF_OK) return status;
        size += (size_t)(r[i].value_end - r[i].value);
    }
    n->at = put_varint(n->at, f->tag);
    if (!group) n->at = put_varint(n->at, size);
    for (size_t i = 0; i < count; i++) n->at = put_bytes(n->at, r[i].value, r[i].value_end);
    if (group) n->at = put_varint(n->at, (uint64_t)f->number << 3 | YAFF_WIRE_GROUP_END);
    return YAFF_OK;
}

/* Writes the records of one field. */
static yaff_status write_field(normaliser *n, const yaff_field *f, record *r, size_t count)
{
    bool repeated = f->flags & YAFF_FIELD_REPEATED;
    yaff_status status = YAFF_OK;
    if (repeated && !yaff_kind_has_length(f->kind)) return write_packed(n, f, r, count);
    if (!repeated && (f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP))
        return write_joined(n, f, r, count);
    for (size_t i = 0; i < count && status == YAFF_OK; i++) {
        if (!repeated && i + 1 < count)
            status = drop(n, &r[i]);
        else if (yaff_kind_has_length(f->kind))
            status = write_joined(n, f, &r[i], 1);
        else
            n->at = put_bytes(put_varint(n->at, f->tag), r[i].value, r[i].value_end);
    }
    return status;
}

static yaff_status write_all(normaliser *n)
{
    for (size_t i = 0; i < n->count;) {
        record *r = &n->records[i];
        size_t run = 1;
        if (r->row == UNKNOWN) {
            n->at = put_bytes(n->at, r->field, r->field_end);
        } else {
            while (i + run < n->count && n->records[i + run].row == r->row) run++;
            yaff_status status = write_field(n, &n->type->fields[r->row], r, run);
            if (status != YAFF_OK) return status;
        }
        i += run;
    }
    return YAFF_OK;
}

yaff_status yaff_level_normalise(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                 const uint8_t *end, uint32_t depth, const uint8_t **copy,
                                 const uint8_t **copy_end)
{
    normaliser n = {in, type, depth, NULL, 0, 0, NULL};
    yaff_status status = scan(&n, p, end);
    if (status != YAFF_OK) return status;
    status = settle_oneofs(&n);
    if (status != YAFF_OK) return status;

    size_t room = YAFF_TAG_MAX_BYTES + YAFF_TAG_MAX_BYTES + YAFF_WIRE_SLACK;
    for (size_t i = 0; i < n.count; i++)
        room += (size_t)(n.records[i].field_end - n.records[i].field) + 1;
    record *spare = yaff_arena_get(&in->b->scratch, n.count * sizeof *spare);
    uint8_t *start = n.at = yaff_arena_get(&in->b->scratch, room);
    if (spare == NULL || start == NULL) return yaff_wire_fail(in, p, YAFF_NO_MEMORY);
    yaff_sort(n.records, spare, n.count, sizeof *spare, by_row);
    status = write_all(&n);
    if (status != YAFF_OK) return status;
    if (p >= in->wire && p <= in->wire_end) in->origin = p;
    *copy = start;
    *copy_end = n.at;
    return YAFF_OK;
}
