/* Decoding one level of wire bytes into scratch cells. See wire_level.h. */
#include "wire_level.h"

#include "../runtime/utf8.h"

/* The bytes are not in canonical order; normalise them and decode again. */
enum { OUT_OF_ORDER = YAFF_STATUS_COUNT };

/* Fields of which zero is a value like any other. (A required field of a Fixed message has no
 * explicit presence, but it must be seen to have come.) */
enum { KEEPS_ZERO = YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED };

static bool other_member_set(yaff_level *level, const yaff_field *f)
{
    unsigned which = f->oneof - 1u;
    if (which < 64) {
        uint64_t bit = UINT64_C(1) << which, before = level->oneofs & bit;
        level->oneofs |= bit;
        return before != 0;
    }
    for (const yaff_item *other = level->items; other < level->item; other++)
        if (other->field->oneof == f->oneof) return true;
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
    for (; end - p >= 8; p += 8) {
        uint64_t going_on = yaff_load64(p) & UINT64_C(0x8080808080808080);
        n += 8 - (uint32_t)__builtin_popcountll(going_on);
    }
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
        if (p != NULL && yaff_enum_unlisted(f->enumeration, value)) return true;
    }
    return false;
}

/* A packed run; p is behind its tag. */
static const uint8_t *packed_run(yaff_item *item, const uint8_t *p, const uint8_t *end,
                                 yaff_status *status)
{
    const yaff_field *f = item->field;
    uint32_t size;
    item->data = p;
    item->packed = true;
    p = yaff_read_length(p, end, &size, status);
    if (p == NULL) return NULL;
    unsigned wire = yaff_kind_wire(f->kind);
    if (wire == YAFF_WIRE_VARINT) {
        if (!count_varints(p, p + size, &item->count)) {
            *status = YAFF_TRUNCATED;
            return NULL;
        }
        if (f->flags & YAFF_FIELD_CLOSED && packed_unlisted(f, p, p + size)) {
            *status = (yaff_status)OUT_OF_ORDER;
            return NULL;
        }
    } else {
        uint32_t width = wire == YAFF_WIRE_FIXED32 ? 4 : 8;
        item->count = size / width;
        if (size % width != 0) {
            *status = YAFF_BAD_LENGTH;
            return NULL;
        }
    }
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
static const uint8_t *element_run(yaff_wire_in *in, yaff_item *item, uint32_t tag,
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
    item->count = count;
    item->packed = false;
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
    const yaff_item *item = level->items, *end = level->item;
    if (in->options.partial || in->dropping) return YAFF_OK;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const yaff_field *f = &type->fields[i];
        while (item < end && item->field < f) item++;
        if (is_required(type, f) && (item == end || item->field != f)) return YAFF_MISSING_REQUIRED;
    }
    return YAFF_OK;
}

/* A varint at q, in a function that has q, end and the label leave; one whose last byte has a shift
 * above `most` is left to read_field(), as is one that is cut short. */
#define TAKE_VARINT(value, most)                                                                   \
    do {                                                                                           \
        if (YAFF_UNLIKELY(q == end)) goto leave;                                                   \
        (value) = *q++;                                                                            \
        if ((value) < 0x80) break;                                                                 \
        (value) &= 0x7f;                                                                           \
        for (unsigned shift = 7;; shift += 7) {                                                    \
            if (q == end || shift > (most)) goto leave;                                            \
            (value) |= (uint64_t)(*q & 0x7f) << shift;                                             \
            if (*q++ < 0x80) break;                                                                \
        }                                                                                          \
    } while (0)

const uint8_t *yaff_read_plain_fields(const yaff_type *type, yaff_level *level, const uint8_t *p,
                                      const uint8_t *end)
{
    const yaff_field *floor = level->floor, *const rows = type->fields;
    const uint16_t *const index = type->index;
    yaff_item *item = level->item;
    uint32_t cells8 = level->cells8, cells4 = level->cells4;
    while (p < end) {
        uint32_t tag = *p;
        const uint8_t *q = p + 1;
        if (YAFF_UNLIKELY(tag >= 0x80)) break;
        size_t row = index[tag >> 3];
        if (YAFF_UNLIKELY(row == 0)) break;
        const yaff_field *f = rows + (row - 1);
        if (YAFF_UNLIKELY(tag != f->tag || f < floor || f->oneof)) break;
        uint64_t value;
        switch ((yaff_op)f->op) {
        case YAFF_OP_CLOSED_ENUM:
            TAKE_VARINT(value, 63);
            if (!yaff_enum_is_index(f->enumeration, value)) goto leave;
            goto cell4;
        case YAFF_OP_FIXED32:
            if (end - q < 4) goto leave;
            value = yaff_load32(q);
            q += 4;
            goto cell4;
        case YAFF_OP_ZIGZAG32:
            TAKE_VARINT(value, 63);
            value = yaff_zigzag32((uint32_t)value);
            goto cell4;
        case YAFF_OP_VARINT32:
            TAKE_VARINT(value, 63);
        cell4:
            p = q;
            floor = f + 1;
            if ((uint32_t)value == 0 && !(f->flags & KEEPS_ZERO)) continue;
            item->field = f;
            item++->bits = value;
            cells4 += 4;
            continue;
        case YAFF_OP_FIXED64:
            if (end - q < 8) goto leave;
            value = yaff_load64(q);
            q += 8;
            goto cell8;
        case YAFF_OP_ZIGZAG64:
            TAKE_VARINT(value, 63);
            value = yaff_zigzag64(value);
            goto cell8;
        case YAFF_OP_VARINT64:
            TAKE_VARINT(value, 63);
        cell8:
            p = q;
            floor = f + 1;
            if (value == 0 && !(f->flags & KEEPS_ZERO)) continue;
            item->field = f;
            item++->bits = value;
            cells8 += 8;
            continue;
        case YAFF_OP_BOOL:
            TAKE_VARINT(value, 63);
            p = q;
            floor = f + 1;
            if (value == 0 && !(f->flags & KEEPS_ZERO)) continue;
            item->field = f;
            item++->bits = value != 0;
            cells4 += value ? 0 : 4; /* an explicit false has a cell */
            continue;
        case YAFF_OP_UTF8:
            TAKE_VARINT(value, 7);
            if (value > 32 || value > (size_t)(end - q) || !yaff_ascii_short(q, value)) goto leave;
            goto text;
        case YAFF_OP_BYTES:
            TAKE_VARINT(value, 21);
            if (value > (size_t)(end - q)) goto leave;
        text:
            p = q + value;
            floor = f + 1;
            if (value == 0 && !(f->flags & KEEPS_ZERO)) continue;
            cells8 += 8;
            item->field = f;
            item->data = q;
            item++->count = (uint32_t)value;
            continue;
        case YAFF_OP_MESSAGE:
            TAKE_VARINT(value, 21);
            if (value > (size_t)(end - q)) goto leave;
            p = q + value;
            floor = f + 1;
            cells4 += 4;
            item->field = f;
            item->data = q;
            item++->count = (uint32_t)value;
            continue;
        case YAFF_OP_MESSAGES: {
            uint32_t count = 0;
            if (f->kind == YAFF_KIND_GROUP) goto leave;
            q = p;
            do { /* each element's length in one or two bytes; a longer one is for read_field() */
                if (end - ++q < 2) goto leave;
                uint32_t size = *q++;
                if (size >= 0x80) {
                    if (*q >= 0x80) goto leave;
                    size = (size & 0x7f) | (uint32_t)*q++ << 7;
                }
                if (size > (size_t)(end - q)) goto leave;
                q += size;
                count++;
            } while (q < end && *q == tag);
            item->field = f;
            item->data = p;
            item++->count = count;
            p = q;
            floor = f + 1;
            cells8 += 8;
            continue;
        }
        case YAFF_OP_GROUP:
        case YAFF_OP_INLINE:
        case YAFF_OP_SCALARS:
        case YAFF_OP_TEXTS:
        case YAFF_OP_MAP:
            goto leave;
        default:
            YAFF_UNREACHABLE();
        }
    }
leave:
    level->floor = floor;
    level->item = item;
    level->cells8 = cells8;
    level->cells4 = cells4;
    return p;
}

/* Whether a field comes as wire type `wire`: as declared, or a repeated number either way. */
static bool takes_wire_type(const yaff_field *f, unsigned wire)
{
    return wire == yaff_kind_wire(f->kind) ||
           (f->op == YAFF_OP_SCALARS && wire == YAFF_WIRE_LENGTH);
}

/* Decodes one field of any kind; returns the byte behind it, NULL on failure. in->fault points to
 * the field, and in a run of elements goes on with them. */
static YAFF_NOINLINE const uint8_t *read_field(yaff_wire_in *in, const yaff_type *type,
                                               yaff_level *level, const uint8_t *p,
                                               const uint8_t *end, uint32_t depth,
                                               yaff_status *status)
{
    const uint8_t *field = p, *contents_end;
    yaff_item *item = level->item;
    uint32_t tag, size;
    uint64_t value;
    p = yaff_read_tag(p, end, &tag, status);
    if (p == NULL) return NULL;
    const yaff_field *f = yaff_type_field(type, tag >> 3);
    if (f == NULL || !takes_wire_type(f, tag & 7)) goto unknown;
    bool packed = f->op == YAFF_OP_SCALARS && (tag & 7) == YAFF_WIRE_LENGTH;
    if (!packed && element_unlisted(f, p, end, in->options.max_depth - depth)) goto unknown;
    if (f < level->floor || (f->oneof && other_member_set(level, f))) {
        *status = (yaff_status)OUT_OF_ORDER;
        return NULL;
    }
    level->floor = f + 1;
    item->field = f;
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
        if (p == NULL) return NULL;
        item->bits = yaff_kind_bits(f->kind, value);
        if (item->bits == 0 && !(f->flags & KEEPS_ZERO)) return p;
        if (f->width == 8)
            level->cells8 += 8;
        else if (f->width == 4 || item->bits == 0) /* a true bool has no cell */
            level->cells4 += 4;
        level->item++;
        return p;
    case YAFF_OP_BYTES:
    case YAFF_OP_UTF8:
    case YAFF_OP_MESSAGE:
    case YAFF_OP_GROUP:
    case YAFF_OP_INLINE:
        if (f->kind == YAFF_KIND_GROUP) {
            item->data = p;
            p = yaff_skip_group(p, end, f->number, in->options.max_depth - depth, &contents_end,
                                status);
            if (p == NULL) return NULL;
            item->count = (uint32_t)(contents_end - item->data);
        } else {
            p = yaff_read_length(p, end, &size, status);
            if (p == NULL) return NULL;
            item->data = p;
            item->count = size;
            p += size;
        }
        if (f->op == YAFF_OP_UTF8 && !in->options.no_utf8_check &&
            !yaff_utf8_valid(item->data, item->count)) {
            *status = YAFF_BAD_UTF8;
            return NULL;
        }
        if (item->count == 0 && f->type == NULL && !(f->flags & KEEPS_ZERO)) return p;
        *(f->width == 8 ? &level->cells8 : &level->cells4) += f->width;
        level->item++;
        return p;
    case YAFF_OP_SCALARS:
    case YAFF_OP_TEXTS:
    case YAFF_OP_MESSAGES:
    case YAFF_OP_MAP:
        p = packed ? packed_run(item, p, end, status)
                   : element_run(in, item, tag, field, p, end, depth, status);
        if (p == NULL || item->count == 0) return p; /* none: an empty packed run */
        level->cells8 += 8;
        level->item++;
        return p;
    }

unknown:
    p = yaff_skip_field(p, end, tag, in->options.max_depth - depth, status);
    if (p == NULL) return NULL;
    *status = keep_unknown(in, type, level, field, p);
    return *status == YAFF_OK ? p : NULL;
}

yaff_status yaff_level_decode_rest(yaff_wire_in *in, const yaff_type *type, const uint8_t *start,
                                   const uint8_t *p, const uint8_t *end, uint32_t depth,
                                   yaff_level *level)
{
    yaff_status status = YAFF_OK;
    for (; p != end; p = yaff_read_plain_fields(type, level, p, end)) {
        in->fault = p;
        p = read_field(in, type, level, p, end, depth, &status);
        if (YAFF_LIKELY(p != NULL)) continue;
        if ((int)status != OUT_OF_ORDER) return status;

        status = yaff_level_normalise(in, type, start, end, depth, &p, &end);
        if (status != YAFF_OK) return status;
        yaff_level_start(type, end, level);
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
