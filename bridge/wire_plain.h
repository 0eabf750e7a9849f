/* The usual fields of wire bytes, decoded without a test for each byte: the hot loop of converting.
 * Private to the library. */
#ifndef YAFF_BRIDGE_WIRE_PLAIN_H
#define YAFF_BRIDGE_WIRE_PLAIN_H

#include "../runtime/utf8.h"
#include "wire_level.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Fields of which zero is a value like any other. (A required field of a Fixed message has no
 * explicit presence, but it must be seen to have come.) */
enum { YAFF_KEEPS_ZERO = YAFF_FIELD_PRESENCE | YAFF_FIELD_REQUIRED };

/* The bit in level->oneofs of the oneof that f is a member of; 0 for one of those that have none. */
static inline uint64_t yaff_oneof_bit(const yaff_field *f)
{
    return f->oneof <= 64 ? UINT64_C(1) << (f->oneof - 1) : 0;
}

/* Whether another member of f's oneof was set before; if not, f is the one. */
static inline bool yaff_other_member_set(const yaff_type *type, yaff_level *level,
                                         const yaff_field *f)
{
    uint64_t bit = yaff_oneof_bit(f), before = level->oneofs & bit;
    level->oneofs |= bit;
    if (YAFF_LIKELY(bit)) return before != 0;
    const yaff_oneof *oneof = &type->oneofs[f->oneof - 1];
    for (uint32_t i = 0; i < oneof->member_count; i++)
        if (yaff_level_has(level, &type->fields[oneof->members[i]])) return true;
    return false;
}

/* A varint in the slack; NULL when it has more than ten bytes. */
YAFF_HELPER const uint8_t *yaff_plain_varint(const uint8_t *p, uint64_t *value)
{
    uint64_t v = *p++;
    if (YAFF_UNLIKELY(v >= 0x80)) {
        v &= 0x7f;
        for (unsigned shift = 7;; shift += 7) {
            if (shift >= 7 * YAFF_VARINT_MAX_BYTES) return NULL;
            v |= (uint64_t)(*p & 0x7f) << shift;
            if (*p++ < 0x80) break;
        }
    }
    *value = v;
    return p;
}

/* A length of one or two bytes, which can be read, and proof that so many bytes follow; else
 * NULL. Zero is tested for where two bytes are, so that whoever asks for it need not test again. */
YAFF_HELPER const uint8_t *yaff_plain_length(const uint8_t *p, const uint8_t *end, size_t *length)
{
    size_t size = *p++;
    if (YAFF_UNLIKELY(size - 1 >= 0x7f) && size != 0) {
        if (*p >= 0x80) return NULL;
        size += ((size_t)*p++ << 7) - 0x80;
    }
    *length = size;
    /* 64 bits, so that nothing wraps at the end of a small address space */
    return YAFF_LIKELY((uint64_t)(uintptr_t)p + size <= (uintptr_t)end) ? p : NULL;
}

/* yaff_utf8_valid() of text in the slack. Up to YAFF_WIRE_SLACK bytes of ASCII, most texts, are one
 * test, which does not depend on how many they are. */
YAFF_HELPER bool yaff_plain_utf8(const uint8_t *text, size_t size)
{
#ifdef __SSE2__
    if (YAFF_LIKELY(size <= YAFF_WIRE_SLACK)) {
        const __m128i *at = (const __m128i *)(const void *)text;
        const uint64_t low = (uint32_t)_mm_movemask_epi8(_mm_loadu_si128(at));
        const uint64_t high = (uint32_t)_mm_movemask_epi8(_mm_loadu_si128(at + 1));
        if (YAFF_LIKELY((low | high << 16) << (63 - size) << 1 == 0)) return true;
    }
#endif
    return yaff_utf8_valid(text, size);
}

/* The row, counted from 1, of a field whose tag has two bytes, or which is a oneof's member and the
 * first one set. *p is stepped behind the tag. 0 for what is left to the general decoder. */
static inline uint32_t yaff_plain_row(const yaff_type *type, yaff_level *level, const uint8_t **p)
{
    size_t tag = *(*p)++;
    if (tag >= 0x80) {
        if (**p >= 0x80) return 0;
        tag += ((size_t) * (*p)++ << 7) - 0x80;
    }
    if (tag >> 3 >= type->index_size) return 0;
    uint32_t row = type->index[tag >> 3];
    if (row == 0 || type->fields[row - 1].tag != tag) return 0;
    const yaff_field *f = &type->fields[row - 1];
    return f->oneof && yaff_other_member_set(type, level, f) ? 0 : row;
}

/* A run of elements with a length: how many, and where it ends. */
typedef struct yaff_run {
    const uint8_t *end;
    size_t count;
} yaff_run;

/* The run whose first element's tag stands at p, and its length at q, if it is plain; else its end
 * is NULL. Of its own, so that the loop below keeps its registers. */
static YAFF_NOINLINE yaff_run yaff_plain_run(const uint8_t *p, const uint8_t *q, const uint8_t *end,
                                             bool utf8)
{
    const yaff_run none = {NULL, 0};
    const ptrdiff_t tag_size = q - p;
    const uint32_t mask = tag_size == 1 ? 0xff : 0xffff;
    size_t count = 0;
    if (end - q < 2) return none;
    const uint32_t tag = yaff_load16(p) & mask;
    for (;;) { /* at a length of which two bytes can be read */
        size_t size;
        q = yaff_plain_length(q, end, &size);
        if (q == NULL || (utf8 && !yaff_utf8_valid(q, size))) return none;
        q += size;
        count++;
        const ptrdiff_t left = end - q;
        if (left < tag_size + 2) {
            if (left >= tag_size && memcmp(p, q, (size_t)tag_size) == 0) return none;
            break;
        }
        if ((yaff_load16(q) & mask) != tag) break;
        q += tag_size;
    }
    return (yaff_run){q, count};
}

/* Decodes fields as long as they are of the plain kind: a tag of one or two bytes, in order, inside
 * the slack; numbers, text, messages and runs of those. Stops at a tag. It keeps what it is at in
 * registers; what it does not take, yaff_level_decode_rest() does. */
YAFF_HELPER const uint8_t *yaff_plain_fields(const yaff_wire_in *in, const yaff_type *type,
                                             yaff_level *level, yaff_found *found, const uint8_t *p,
                                             const uint8_t *end)
{
    const uint8_t *const plain_end = end < in->plain_end ? end : in->plain_end;
    const yaff_field *const fields = type->fields, *f;
    const uint8_t *const tags = type->tags;
    const yaff_field *next = found->next, *row; /* behind the last one and this one */
    uint64_t *end8 = found->end8;
    uint32_t *end4 = found->end4;
    yaff_payload *payload = found->payload_end;
    while (p < plain_end) {
        const uint8_t *q = p + 1;
        uint64_t value;
        size_t size;
        row = fields + tags[*p];
        if (YAFF_UNLIKELY(row <= next)) { /* out of order, or none by its first byte */
            q = p;
            row = fields + yaff_plain_row(type, level, &q);
            if (row <= next) goto leave;
        }
        f = row - 1;
        switch ((yaff_op)f->op) {
        case YAFF_OP_CLOSED_ENUM:
            q = yaff_plain_varint(q, &value);
            if (q == NULL || !yaff_enum_in_run(f->enumeration, value)) goto put_back;
            goto cell4;
        case YAFF_OP_FIXED32:
            value = yaff_load32(q);
            q += 4;
            goto cell4;
        case YAFF_OP_ZIGZAG32:
            q = yaff_plain_varint(q, &value);
            if (q == NULL) goto put_back;
            value = yaff_zigzag32((uint32_t)value);
            goto cell4;
        case YAFF_OP_VARINT32:
            q = yaff_plain_varint(q, &value);
            if (q == NULL) goto put_back;
        cell4:
            if (YAFF_UNLIKELY(q > level->end)) goto put_back;
            p = q;
            next = row;
            if ((uint32_t)value == 0 && !(f->flags & YAFF_KEEPS_ZERO)) continue;
            yaff_store32(end4++, (uint32_t)value);
            break;
        case YAFF_OP_FIXED64:
            value = yaff_load64(q);
            q += 8;
            goto cell8;
        case YAFF_OP_ZIGZAG64:
            q = yaff_plain_varint(q, &value);
            if (q == NULL) goto put_back;
            value = yaff_zigzag64(value);
            goto cell8;
        case YAFF_OP_VARINT64:
            q = yaff_plain_varint(q, &value);
            if (q == NULL) goto put_back;
        cell8:
            if (YAFF_UNLIKELY(q > level->end)) goto put_back;
            p = q;
            next = row;
            if (value == 0 && !(f->flags & YAFF_KEEPS_ZERO)) continue;
            yaff_store64(end8++, value);
            break;
        case YAFF_OP_BOOL:
            q = yaff_plain_varint(q, &value);
            if (YAFF_UNLIKELY(q == NULL || q > level->end)) goto put_back;
            p = q;
            next = row;
            if (value == 0) {
                if (!(f->flags & YAFF_KEEPS_ZERO)) continue;
                yaff_store32(end4++, 0);
                level->present[f->block].falses |= f->bit;
            }
            break;
        case YAFF_OP_UTF8:
            q = yaff_plain_length(q, level->end, &size);
            if (YAFF_UNLIKELY(q == NULL) || !yaff_plain_utf8(q, size)) goto put_back;
            goto text;
        case YAFF_OP_BYTES:
            q = yaff_plain_length(q, level->end, &size);
            if (YAFF_UNLIKELY(q == NULL)) goto put_back;
        text:
            p = q + size;
            next = row;
            if (YAFF_UNLIKELY(size == 0)) {
                if (!(f->flags & YAFF_KEEPS_ZERO)) continue;
                yaff_store64(end8++, 0);
                break;
            }
            payload->data = q;
            payload->cell = end8++;
            payload->word = yaff_payload_word(YAFF_PAYLOAD_PLAIN, (uint32_t)size);
            payload++;
            break;
        case YAFF_OP_MESSAGE:
            q = yaff_plain_length(q, level->end, &size);
            if (YAFF_UNLIKELY(q == NULL)) goto put_back;
            p = q + size;
            next = row;
            payload->word = yaff_payload_word(YAFF_PAYLOAD_CHILD, (uint32_t)size);
            payload->data = q;
            payload->cell = end4++;
            goto child;
        case YAFF_OP_MAP:
            if (f->type->fields[f->type->field_count - 1].op == YAFF_OP_CLOSED_ENUM) goto put_back;
            goto run;
        case YAFF_OP_TEXTS:
        case YAFF_OP_MESSAGES:
        run : {
            if (f->kind == YAFF_KIND_GROUP) goto put_back;
            const yaff_run run = yaff_plain_run(p, q, level->end, f->flags & YAFF_FIELD_UTF8);
            if (run.end == NULL) goto put_back;
            payload->word = yaff_payload_word(YAFF_PAYLOAD_ARRAY, (uint32_t)run.count);
            payload->data = p;
            payload->cell = end8++;
            p = run.end;
            next = row;
        child:
            payload->field = f;
            payload++;
            break;
        }
        case YAFF_OP_GROUP:
        case YAFF_OP_INLINE:
        case YAFF_OP_SCALARS:
            goto put_back;
        default:
            YAFF_UNREACHABLE();
        }
        level->present[f->block].set |= f->bit;
    }
    goto leave;
put_back: /* a field that was begun */
    if (f->oneof) level->oneofs &= ~yaff_oneof_bit(f);
leave:
    found->next = next;
    found->end8 = end8;
    found->end4 = end4;
    found->payload_end = payload;
    return p;
}

#endif
