/* Decoding one level of wire bytes into scratch cells. See wire_level.h. */
#include "wire_packed.h"
#include "wire_plain.h"

#include "../runtime/utf8.h"

/* The bytes are not in canonical order; normalise them and decode again. */
enum { OUT_OF_ORDER = YAFF_STATUS_COUNT };

static yaff_status keep_unknown(yaff_wire_in *in, const yaff_type *type, yaff_level *level,
                                const uint8_t *p, const uint8_t *end)
{
    uint32_t size = (uint32_t)(end - p);
    if (type->flags & YAFF_TYPE_MAP_ENTRY || in->options.drop_unknown) return YAFF_OK;
    if (type->layout == YAFF_LAYOUT_FIXED)
        return in->options.drop_unknown_in_fixed ? YAFF_OK : YAFF_UNKNOWN_IN_FIXED;
    yaff_unknown_run *last = level->unknown_size ? level->unknown_last : NULL;
    level->unknown_size += size;
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

static bool packed_unlisted(const yaff_field *f, const uint8_t *p, const uint8_t *end)
{
    yaff_status ignored;
    uint64_t value;
    while (p != NULL && p < end) {
        p = yaff_read_varint(p, end, &value, &ignored);
        if (p != NULL && yaff_enum_unlisted(f->enumeration, value)) return true;
    }
    return false;
}

/* A packed run; p is behind its tag. */
static const uint8_t *packed_run(yaff_payload *item, const uint8_t *p, const uint8_t *end,
                                 yaff_status *status)
{
    const yaff_field *f = item->field;
    uint32_t size, count;
    item->data = p;
    p = yaff_read_length(p, end, &size, status);
    if (p == NULL) return NULL;
    unsigned wire = yaff_kind_wire(f->kind);
    if (wire == YAFF_WIRE_VARINT) {
        if (!yaff_packed_count(p, p + size, &count)) {
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
    item->word = yaff_payload_word(YAFF_PAYLOAD_PACKED, count);
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
        return yaff_skip_group(p, end, f->number, in->options.max_depth - depth, &contents_end,
                               status);
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
static bool element_unlisted(const yaff_field *f, const uint8_t *p, const uint8_t *end,
                             uint32_t more)
{
    yaff_status ignored;
    uint64_t value;
    uint32_t size;
    if (f->flags & YAFF_FIELD_MAP) {
        const yaff_field *v = &f->type->fields[f->type->field_count - 1];
        if (!(v->flags & YAFF_FIELD_CLOSED)) return false;
        p = yaff_read_length(p, end, &size, &ignored);
        return p != NULL && yaff_entry_unlisted(f->type, p, p + size, more);
    }
    if (!(f->flags & YAFF_FIELD_CLOSED)) return false;
    p = yaff_read_varint(p, end, &value, &ignored);
    return p != NULL && yaff_enum_unlisted(f->enumeration, value);
}

/* A run of elements with one and the same tag; `first` is the first one's tag, p behind it. */
static const uint8_t *element_run(yaff_wire_in *in, yaff_payload *item, uint32_t tag,
                                  const uint8_t *first, const uint8_t *p, const uint8_t *end,
                                  uint32_t depth, yaff_status *status)
{
    uint32_t count = 0, next;
    for (;;) {
        p = step_element(in, item->field, p, end, depth, status);
        if (p == NULL) return NULL;
        count++;
        if (p == end) break;
        yaff_status ignored;
        const uint8_t *value = yaff_read_tag(p, end, &next, &ignored);
        if (value == NULL || next != tag ||
            element_unlisted(item->field, value, end, in->options.max_depth - depth))
            break;
        in->fault = p;
        p = value;
    }
    item->data = first;
    item->word = yaff_payload_word(YAFF_PAYLOAD_ARRAY, count);
    return p;
}

/* Whether field f must be there. The value of a map entry is not, but a missing one is an
 * empty message. */
static bool is_required(const yaff_type *type, const yaff_field *f)
{
    if (type->flags & YAFF_TYPE_MAP_ENTRY)
        return f->type != NULL && f->type->flags & YAFF_TYPE_REQUIRED;
    return f->flags & YAFF_FIELD_REQUIRED;
}

static yaff_status check_required(const yaff_wire_in *in, const yaff_type *type,
                                  const yaff_level *level)
{
    if (in->options.partial || in->dropping) return YAFF_OK;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaff_field *f = &type->fields[i];
        if (is_required(type, f) && !yaff_level_has(level, f)) return YAFF_MISSING_REQUIRED;
    }
    return YAFF_OK;
}

/* Whether a field comes as wire type `wire`: as declared, or a repeated number either way. */
static bool takes_wire_type(const yaff_field *f, unsigned wire)
{
    return wire == yaff_kind_wire(f->kind) ||
           (f->op == YAFF_OP_SCALARS && wire == YAFF_WIRE_LENGTH);
}

/* Adds the cell of a number, a bool or an empty text. */
static void add_number(yaff_level *level, yaff_found *found, const yaff_field *f, uint64_t bits)
{
    if (bits == 0 && !(f->flags & YAFF_KEEPS_ZERO)) return;
    level->present[f->block].set |= f->bit;
    if (f->width == 8) {
        yaff_store64(found->end8++, bits);
    } else if (f->width == 4) {
        yaff_store32(found->end4++, (uint32_t)bits);
    } else if (bits == 0) {
        yaff_store32(found->end4++, 0);
        level->present[f->block].falses |= f->bit;
    }
}

/* Adds a payload that was begun at the end of the list, with its cell. */
static void add_payload(yaff_level *level, yaff_found *found, const yaff_field *f)
{
    level->present[f->block].set |= f->bit;
    if (f->width == 8)
        found->payload_end->cell = found->end8++;
    else if (f->width == 4)
        found->payload_end->cell = found->end4++;
    found->payload_end++;
}

/* Decodes one field of any kind; returns the byte behind it, NULL on failure. in->fault points to
 * the field, and in a run of elements goes on with them. */
static YAFF_NOINLINE const uint8_t *read_field(yaff_wire_in *in, const yaff_type *type,
                                               yaff_level *level, yaff_found *found,
                                               const uint8_t *p, const uint8_t *end, uint32_t depth,
                                               yaff_status *status)
{
    const uint8_t *field = p, *contents_end;
    uint32_t tag, size;
    uint64_t value;
    p = yaff_read_tag(p, end, &tag, status);
    if (p == NULL) return NULL;
    const yaff_field *f = yaff_type_field(type, tag >> 3);
    if (f == NULL || !takes_wire_type(f, tag & 7)) goto unknown;
    bool packed = f->op == YAFF_OP_SCALARS && (tag & 7) == YAFF_WIRE_LENGTH;
    if (!packed && element_unlisted(f, p, end, in->options.max_depth - depth)) goto unknown;
    if (f < found->next || (f->oneof && yaff_other_member_set(type, level, f))) {
        *status = (yaff_status)OUT_OF_ORDER;
        return NULL;
    }
    found->next = f + 1;
    yaff_payload *payload; /* where to begin one */
    switch ((yaff_op)f->op) {
    case YAFF_OP_VARINT32:
    case YAFF_OP_VARINT64:
    case YAFF_OP_ZIGZAG32:
    case YAFF_OP_ZIGZAG64:
    case YAFF_OP_FIXED32:
    case YAFF_OP_FIXED64:
    case YAFF_OP_BOOL:
    case YAFF_OP_CLOSED_ENUM:
        p = yaff_read_scalar(p, end, tag & 7, &value, status);
        if (p != NULL) add_number(level, found, f, yaff_kind_bits(f->kind, value));
        return p;
    case YAFF_OP_BYTES:
    case YAFF_OP_UTF8:
    case YAFF_OP_MESSAGE:
    case YAFF_OP_GROUP:
    case YAFF_OP_INLINE:
        payload = found->payload_end;
        payload->field = f;
        if (f->kind == YAFF_KIND_GROUP) {
            payload->data = p;
            p = yaff_skip_group(p, end, f->number, in->options.max_depth - depth, &contents_end,
                                status);
            if (p == NULL) return NULL;
            size = (uint32_t)(contents_end - payload->data);
        } else {
            p = yaff_read_length(p, end, &size, status);
            if (p == NULL) return NULL;
            payload->data = p;
            p += size;
        }
        if (f->op == YAFF_OP_UTF8 && !in->options.no_utf8_check &&
            !yaff_utf8_valid(payload->data, size)) {
            *status = YAFF_BAD_UTF8;
            return NULL;
        }
        payload->word = yaff_payload_word(f->type == NULL           ? YAFF_PAYLOAD_TEXT
                                          : f->op == YAFF_OP_INLINE ? YAFF_PAYLOAD_INLINE
                                                                    : YAFF_PAYLOAD_CHILD,
                                          size);
        if (size > 0 || f->type != NULL)
            add_payload(level, found, f);
        else
            add_number(level, found, f, 0);
        return p;
    case YAFF_OP_SCALARS:
    case YAFF_OP_TEXTS:
    case YAFF_OP_MESSAGES:
    case YAFF_OP_MAP:
        payload = found->payload_end;
        payload->field = f;
        p = packed ? packed_run(payload, p, end, status)
                   : element_run(in, payload, tag, field, p, end, depth, status);
        if (p != NULL && yaff_payload_count(payload) > 0)
            add_payload(level, found, f); /* else an empty packed run */
        return p;
    }

unknown:
    p = yaff_skip_field(p, end, tag, in->options.max_depth - depth, status);
    if (p == NULL) return NULL;
    *status = keep_unknown(in, type, level, field, p);
    return *status == YAFF_OK ? p : NULL;
}

yaff_status yaff_level_decode_rest(yaff_wire_in *in, const yaff_type *type, const uint8_t *p,
                                   uint32_t depth, yaff_level *level, yaff_found *found)
{
    const uint8_t *end = level->end;
    yaff_status status = YAFF_OK;
    for (; p != end; p = yaff_plain_fields(in, type, level, found, p, end)) {
        in->fault = p;
        p = read_field(in, type, level, found, p, end, depth, &status);
        if (YAFF_LIKELY(p != NULL)) continue;
        if ((int)status != OUT_OF_ORDER) return status;

        status = yaff_level_normalise(in, type, level->start, end, depth, &p, &end);
        if (status != YAFF_OK) return status;
        in->plain_end = end + 1; /* there is slack */
        yaff_level_start(level, found, type, p, end, type->lane_count);
    }
    if (!(type->flags & YAFF_TYPE_REQUIRED)) return YAFF_OK;
    status = check_required(in, type, level);
    return status == YAFF_OK ? YAFF_OK : yaff_wire_fail(in, end, status);
}

bool yaff_entry_unlisted(const yaff_type *entry, const uint8_t *p, const uint8_t *end,
                         uint32_t more)
{
    const yaff_field *value = &entry->fields[entry->field_count - 1];
    bool unlisted = false;
    yaff_status ignored;
    if (more == 0) return false;
    while (p < end) {
        uint32_t tag;
        uint64_t number;
        p = yaff_read_tag(p, end, &tag, &ignored);
        if (p == NULL) return false;
        if (tag == value->tag) {
            p = yaff_read_varint(p, end, &number, &ignored);
            unlisted = p != NULL && yaff_enum_unlisted(value->enumeration, number);
        } else {
            p = yaff_skip_field(p, end, tag, more - 1, &ignored);
        }
        if (p == NULL) return false;
    }
    return unlisted;
}
