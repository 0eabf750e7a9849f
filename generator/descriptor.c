/* Makes bytes fit for protobuf-c, and unpacks them. See descriptor.h.
 *
 * protobuf-c checks that bytes are well-formed, but trusts them otherwise: it recurses as deep as
 * they nest, ends a string at its first NUL, and merges a message given twice in quadratic time and
 * without its unknown fields. So these are refused before. It knows no groups either, and those may
 * stand in a valid descriptor: as the value of a custom option. */
#include "descriptor.h"

#include "runtime/wire_read.h"
#include "schema.h"

#include <string.h>

enum {
    /* FileDescriptorSet, FileDescriptorProto, and below the innermost message ExtensionRange,
     * ExtensionRangeOptions, UninterpretedOption and NamePart. */
    MAX_LEVELS = SCHEMA_MAX_NESTING + 6,
    MAX_GROUPS = 100
};

void yaff_descriptor_malformed(yaff_pool *pool)
{
    yaff_pool_fail(pool, "these bytes are not a valid descriptor");
}

void yaff_descriptor_too_deep(yaff_pool *pool)
{
    yaff_pool_fail(pool, "messages are declared inside messages more than %d deep",
                   SCHEMA_MAX_NESTING);
}

/* Rewrites a group as a length-delimited field of the same number and size. Its contents, start to
 * end, include its end tag; the length takes so many bytes that the rest is as long as it says. */
static void flatten_group(uint8_t *tag, uint8_t *start, const uint8_t *end)
{
    size_t size = (size_t)(end - start), digits = 1;
    while ((size - digits) >> 7 * digits) digits++;
    *tag ^= YAFF_WIRE_GROUP ^ YAFF_WIRE_LENGTH;
    for (size_t i = 0; i < digits; i++) {
        unsigned digit = (unsigned)((size - digits) >> 7 * i) & 0x7f;
        start[i] = (uint8_t)(i + 1 < digits ? digit | 0x80 : digit);
    }
}

/* Refuses what protobuf-c must not see in a message of this type, and flattens its groups. */
static void prepare(yaff_pool *pool, const ProtobufCMessageDescriptor *type, uint8_t *data,
                    size_t size, unsigned levels)
{
    const uint8_t *end = data + size;
    uint64_t seen = 0; /* singular messages, a bit each */
    if (levels == 0) yaff_descriptor_too_deep(pool);
    for (const uint8_t *p = data, *next; p < end; p = next) {
        uint32_t tag, length;
        yaff_status status;
        const uint8_t *value = yaff_read_tag(p, end, &tag, &status);
        next = value ? yaff_skip_field(value, end, tag, MAX_GROUPS, &status) : NULL;
        if (!next) yaff_descriptor_malformed(pool);
        unsigned wire_type = tag & 7;
        if (wire_type != YAFF_WIRE_LENGTH && wire_type != YAFF_WIRE_GROUP) continue;

        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, tag >> 3);
        if (wire_type == YAFF_WIRE_GROUP) {
            if (field) yaff_descriptor_malformed(pool);
            flatten_group(data + (p - data), data + (value - data), next);
            continue;
        }
        value = yaff_read_length(value, end, &length, &status);
        if (!field) continue;
        if (field->type == PROTOBUF_C_TYPE_STRING && memchr(value, 0, length))
            yaff_descriptor_malformed(pool);
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) continue;
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            uint64_t bit = UINT64_C(1) << (field - type->fields) % 64;
            if (seen & bit)
                yaff_pool_fail(pool, "the descriptor holds %s.%s twice", type->name, field->name);
            seen |= bit;
        }
        prepare(pool, field->descriptor, data + (value - data), length, levels - 1);
    }
}

static void *allocate(void *pool, size_t size)
{
    return yaff_pool_array(pool, size, 1);
}

static void release(void *pool, void *block)
{
    (void)pool, (void)block;
}

void *yaff_descriptor_unpack(yaff_pool *pool, const ProtobufCMessageDescriptor *type,
                             const void *data, size_t size)
{
    ProtobufCAllocator allocator = {allocate, release, pool};
    if (size > INT32_MAX) yaff_descriptor_malformed(pool);
    uint8_t *copy = (uint8_t *)yaff_pool_copy(pool, data, size);
    prepare(pool, type, copy, size, MAX_LEVELS);
    void *message = protobuf_c_message_unpack(type, &allocator, size, copy);
    if (!message) yaff_descriptor_malformed(pool);
    return message;
}
