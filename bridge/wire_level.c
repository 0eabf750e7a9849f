/* Decoding one level of wire bytes into scratch cells. See wire_level.h. */
#include "wire_level.h"

#include "../runtime/utf8.h"

/* The bytes are not in canonical order; normalise them and decode again. */
enum { OUT_OF_ORDER = YAFF_STATUS_COUNT };

static const yaff_field *find_field(const yaff_type *type, uint32_t number)
{
    if (YAFF_LIKELY(number < type->index_size)) {
        unsigned row = type->index[number];
        return row ? &type->fields[row - 1] : NULL;
    }
    return yaff_type_field(type, number);
}

static void set_field(const yaff_type *type, yaff_level *level, const yaff_field *f, uint64_t cell)
{
    uint32_t slot = yaff_level_slot(type, f);
    level->set[slot / 16] |= (uint16_t)(1u << slot % 16);
    level->cells[f - type->fields] = cell;
    if (f->kind == YAFF_KIND_BOOL && cell == 0)
        level->falses[slot / 16] |= (uint16_t)(1u << slot % 16);
}

static bool other_member_set(const yaff_type *type, yaff_level *level, const yaff_field *f)
{
    unsigned which = f->oneof - 1u;
    if (which < 64) {
        uint64_t bit = UINT64_C(1) << which, before = level->oneofs & bit;
        level->oneofs |= bit;
        return before != 0;
    }
    const yaff_oneof *oneof = &type->oneofs[which];
    for (uint32_t i = 0; i < oneof->member_count; i++)
        if (yaff_level_has(type, level, &type->fields[oneof->members[i]])) return true;
    return false;
}

static yaff_status keep_unknown(yaff_wire_in *in, const yaff_type *type, yaff_level *level,
                                const uint8_t *p, const uint8_t *end)
{
    uint32_t size = (uint32_t)(end - p);
    if (type->flags & YAFF_TYPE_MAP_ENTRY || in->options.drop_unknown) return YAFF_OK;
    if (type->layout == YAFF_LAYOUT_FIXED)
        return in->options.drop_unknown_in_fixed ? YAFF_OK : YAFF_UNKNOWN_IN_FIXED;
    level->unknown_size += size;
    yaff_unknown_run *last = level->unknown_last;
    if (last != NULL && last->data + last->size == p) {
        last->size += size;
        return YAFF_OK;
    }
    yaff_unknown_run *run = yaff_arena_get(&in->b->scratch, sizeof *run);
    if (run == NULL) return YAFF_NO_MEMORY;
    run->next = NULL;
    run->data = p;
    run->size = size;
    *(last ? &last->next : &level->unknown) = run;
    level->unknown_last = run;
    return YAFF_OK;
}

/* How many varints end in [p, end), and whether the last one does. */
static bool count_varints(const uint8_t *p, const uint8_t *end, uint32_t *count)
{
    uint32_t n = 0;
    if (p < end && end[-1] >= 0x80) return false;
    for (; p < end; p++) n += *p < 0x80;
    *count = n;
    return true;
}

static bool packed_unlisted(const yaff_field *f, const uint8_t *p, const uint8_t *end)
{
    yaff_status ignored;
    uint64_t value;
    while (p != NULL && p < end) {
        p = yaff_read_varint(p, end, &value, &ignored);
        if (p != NULL && yaff_enum_unlisted(f, value)) return true;
    }
    return false;
}

/* A packed run; p is behind its tag. */
static const uint8_t *packed_run(const yaff_type *type, yaff_level *level, const yaff_field *f,
                                 const uint8_t *p, const uint8_t *end, yaff_status *status)
{
    uint32_t offset = (uint32_t)(p - level->base), size, count;
    p = yaff_read_length(p, end, &size, status);
    if (p == NULL) return NULL;
    unsigned wire = yaff_kind_wire(f->kind);
    if (wire == YAFF_WIRE_VARINT) {
        if (!count_varints(p, p + size, &count)) {
            *status = YAFF_TRUNCATED;
            return NULL;
        }
        if (f->flags & YAFF_FIELD_CLOSED && packed_unlisted(f, p, p + size)) {
            *status = (yaff_status)OUT_OF_ORDER;
            return NULL;
        }
    } else {
        uint32_t width = wire == YAFF_WIRE_FIXED32 ? 4 : 8;
        count = size / width;
        if (size % width != 0) {
            *status = YAFF_BAD_LENGTH;
            return NULL;
        }
    }
    if (count > 0)
        set_field(type, level, f, offset | YAFF_LEVEL_PACKED | (uint64_t)count << 32);
    return p + size;
}

/* Steps over the value of a repeated field's element, checking what belongs to this level. */
static const uint8_t *step_element(yaff_wire_in *in, const yaff_field *f, const uint8_t *p,
                                   const uint8_t *end, uint32_t depth, yaff_status *status)
{
    uint32_t size;
    const uint8_t *contents_end;
    uint64_t value;
    switch (f->kind) {
    case YAFF_KIND_GROUP:
        return yaff_skip_group(p, end, f->number, in->options.max_depth - depth, &contents_end, status);
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
    case YAFF_KIND_MESSAGE:
        p = yaff_read_length(p, end, &size, status);
        if (p == NULL) return NULL;
        if (f->flags & YAFF_FIELD_UTF8 && !in->options.no_utf8_check && !yaff_utf8_valid(p, size)) {
            *status = YAFF_BAD_UTF8;
            return NULL;
        }
        return p + size;
    default:
        return yaff_read_scalar(p, end, yaff_kind_wire(f->kind), &value, status);
    }
}

/* Whether the element whose tag ends at p is to be kept as an unknown field. */
static bool element_unlisted(const yaff_field *f, const uint8_t *p, const uint8_t *end)
{
    yaff_status ignored;
    uint64_t value;
    uint32_t size;
    if (f->flags & YAFF_FIELD_MAP) {
        const yaff_field *v = &f->type->fields[f->type->field_count - 1];
        if (!(v->flags & YAFF_FIELD_CLOSED)) return false;
        p = yaff_read_length(p, end, &size, &ignored);
        return p != NULL && yaff_entry_unlisted(f->type, p, p + size);
    }
    if (!(f->flags & YAFF_FIELD_CLOSED)) return false;
    p = yaff_read_varint(p, end, &value, &ignored);
    return p != NULL && yaff_enum_unlisted(f, value);
}

/* A run of elements with one and the same tag; `first` is the first one's tag, p behind it. */
static const uint8_t *element_run(yaff_wire_in *in, const yaff_type *type, yaff_level *level,
                                  const yaff_field *f, uint32_t tag, const uint8_t *first,
                                  const uint8_t *p, const uint8_t *end, uint32_t depth,
                                  yaff_status *status)
{
    uint32_t count = 0, next;
    for (;;) {
        p = step_element(in, f, p, end, depth, status);
        if (p == NULL) return NULL;
        count++;
        if (p == end) break;
        yaff_status ignored;
        const uint8_t *value = yaff_read_tag(p, end, &next, &ignored);
        if (value == NULL || next != tag || element_unlisted(f, value, end)) break;
        p = value;
    }
    set_field(type, level, f, (uint32_t)(first - level->base) | (uint64_t)count << 32);
    return p;
}

/* A singular field's value. */
static const uint8_t *single(yaff_wire_in *in, const yaff_type *type, yaff_level *level,
                             const yaff_field *f, const uint8_t *p, const uint8_t *end,
                             uint32_t depth, yaff_status *status)
{
    uint64_t value;
    uint32_t size;
    const uint8_t *after;
    switch (f->kind) {
    case YAFF_KIND_GROUP:
        after = yaff_skip_group(p, end, f->number, in->options.max_depth - depth, &end, status);
        if (after == NULL) return NULL;
        size = (uint32_t)(end - p);
        break;
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
    case YAFF_KIND_MESSAGE:
        p = yaff_read_length(p, end, &size, status);
        if (p == NULL) return NULL;
        after = p + size;
        if (f->flags & YAFF_FIELD_UTF8 && !in->options.no_utf8_check && !yaff_utf8_valid(p, size)) {
            *status = YAFF_BAD_UTF8;
            return NULL;
        }
        if (size == 0 && !(f->flags & YAFF_FIELD_PRESENCE) && f->kind != YAFF_KIND_MESSAGE)
            return after;
        break;
    default:
        p = yaff_read_scalar(p, end, yaff_kind_wire(f->kind), &value, status);
        if (p == NULL) return NULL;
        value = yaff_kind_bits(f->kind, value);
        if (value != 0 || f->flags & (YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED))
            set_field(type, level, f, value);
        return p;
    }
    set_field(type, level, f, (uint32_t)(p - level->base) | (uint64_t)size << 32);
    return after;
}

static yaff_status check_required(yaff_wire_in *in, const yaff_type *type, const yaff_level *level)
{
    if (!(type->flags & YAFF_TYPE_REQUIRED) || in->options.partial || in->dropping) return YAFF_OK;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].flags & YAFF_FIELD_REQUIRED &&
            !yaff_level_has(type, level, &type->fields[i]))
            return YAFF_MISSING_REQUIRED;
    return YAFF_OK;
}

static yaff_status decode_pass(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                               const uint8_t *end, uint32_t depth, yaff_level *level)
{
    yaff_status status = YAFF_OK;
    const uint8_t *field = p;
    while (p < end) {
        uint32_t tag;
        field = p;
        p = yaff_read_tag(p, end, &tag, &status);
        if (p == NULL) goto failed;
        const yaff_field *f = find_field(type, tag >> 3);
        bool packed = false;
        if (f == NULL) goto unknown;
        if (YAFF_UNLIKELY(tag != f->tag || f->flags & YAFF_FIELD_REPEATED)) {
            bool packable = f->flags & YAFF_FIELD_REPEATED && !yaff_kind_has_length(f->kind);
            packed = packable && (tag & 7) == YAFF_WIRE_LENGTH;
            if (!packed && (tag & 7) != yaff_kind_wire(f->kind)) goto unknown;
        }
        if (!packed && f->flags & (YAFF_FIELD_CLOSED | YAFF_FIELD_MAP) &&
            element_unlisted(f, p, end))
            goto unknown;

        uint32_t row = (uint32_t)(f - type->fields) + 1;
        if (row <= level->last || (f->oneof && other_member_set(type, level, f))) {
            status = (yaff_status)OUT_OF_ORDER;
            goto failed;
        }
        level->last = row;
        if (packed)
            p = packed_run(type, level, f, p, end, &status);
        else if (f->flags & YAFF_FIELD_REPEATED)
            p = element_run(in, type, level, f, tag, field, p, end, depth, &status);
        else
            p = single(in, type, level, f, p, end, depth, &status);
        if (p == NULL) goto failed;
        continue;

    unknown:
        p = yaff_skip_field(p, end, tag, in->options.max_depth - depth, &status);
        if (p == NULL) goto failed;
        status = keep_unknown(in, type, level, field, p);
        if (status != YAFF_OK) goto failed;
    }
    field = end;
    status = check_required(in, type, level);
    if (status == YAFF_OK) return YAFF_OK;

failed:
    return yaff_wire_fail(in, field, status);
}

static yaff_status level_start(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                               const uint8_t *end, yaff_level *level)
{
    size_t lanes = yaff_level_lanes(type) * sizeof(uint16_t);
    uint64_t *cells =
        yaff_arena_get(&in->b->scratch, type->field_count * sizeof(uint64_t) + 2 * lanes);
    if (cells == NULL) return yaff_wire_fail(in, p, YAFF_NO_MEMORY);
    memset(level, 0, sizeof *level);
    level->base = p;
    level->end = end;
    level->cells = cells;
    level->set = (uint16_t *)(cells + type->field_count);
    level->falses = level->set + yaff_level_lanes(type);
    memset(level->set, 0, 2 * lanes);
    return YAFF_OK;
}

yaff_status yaff_level_decode(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                              const uint8_t *end, uint32_t depth, yaff_level *level)
{
    yaff_mark mark = yaff_arena_mark(&in->b->scratch);
    yaff_status status = level_start(in, type, p, end, level);
    if (status != YAFF_OK) return status;
    status = decode_pass(in, type, p, end, depth, level);
    if (YAFF_LIKELY((int)status != OUT_OF_ORDER)) return status;

    yaff_arena_release(&in->b->scratch, mark);
    status = yaff_level_normalise(in, type, p, end, depth, &p, &end);
    if (status != YAFF_OK) return status;
    status = level_start(in, type, p, end, level);
    if (status != YAFF_OK) return status;
    return decode_pass(in, type, p, end, depth, level);
}

bool yaff_entry_unlisted(const yaff_type *entry, const uint8_t *p, const uint8_t *end)
{
    const yaff_field *value = &entry->fields[entry->field_count - 1];
    bool unlisted = false;
    yaff_status ignored;
    while (p != NULL && p < end) {
        uint32_t tag;
        p = yaff_read_tag(p, end, &tag, &ignored);
        if (p == NULL) break;
        if (tag == value->tag) {
            uint64_t number;
            p = yaff_read_varint(p, end, &number, &ignored);
            if (p != NULL) unlisted = yaff_enum_unlisted(value, number);
        } else {
            p = yaff_skip_field(p, end, tag, YAFF_MAX_DEPTH, &ignored);
        }
    }
    return unlisted;
}
