/* Standard Protobuf wire bytes in and out of YaFF, by the type tables alone. Semantics are those of
 * the Protobuf encoding document; spec/wire.md says how its open points are settled. */
#ifndef YAFF_WIRE_H
#define YAFF_WIRE_H

#include <yaff/base.h>
#include <yaff/builder.h>
#include <yaff/status.h>
#include <yaff/type.h>

YAFF_BEGIN_DECLS

/* Zero-initialised means the defaults. */
typedef struct yaff_wire_options {
    uint32_t max_depth; /* messages, groups and map entries below the root; 0 = YAFF_MAX_DEPTH */
    bool partial;       /* accept a message whose required fields are missing */
    bool no_utf8_check; /* accept any bytes in proto3 strings */
    bool drop_unknown;  /* drop unknown fields instead of keeping them */
    bool drop_unknown_in_fixed; /* drop, instead of refusing, where a Fixed message has no room */
    bool borrow; /* keep the wire bytes in the buffer and let strings and bytes point into them,
                  * without a NUL: nothing is copied if they are where yaff_builder_wire() said */
} yaff_wire_options;

/* Converts `size` wire bytes at `wire`, a message of `type`, into a YaFF buffer in `b`; fetch it
 * with yaff_builder_data() and yaff_builder_size(). `wire` may be NULL when size is 0 and need not
 * outlive the call. `options` and `err` may be NULL; on failure err->offset is a byte offset into
 * wire. Returns YAFF_OK, NO_MEMORY, TOO_SMALL (caller's buffer), TOO_LARGE, TOO_DEEP, TRUNCATED,
 * BAD_VARINT, BAD_TAG, BAD_LENGTH, BAD_GROUP, BAD_UTF8, MISSING_REQUIRED or UNKNOWN_IN_FIXED.
 * Linear in size times depth; a warm builder allocates nothing. One thread per builder.
 * spec/wire.md, In. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_from_wire(yaff_builder *b, const yaff_type *type,
                                                    const void *wire, size_t size,
                                                    const yaff_wire_options *options,
                                                    yaff_error *err);

/* The exact number of bytes yaff_to_wire() writes for the message `m`, a view of `type`. The
 * message must be trusted or verified. TOO_LARGE above 2^31 - 1 bytes; TOO_DEEP below 100 levels.
 * Allocates nothing; thread-safe. spec/wire.md, Out. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_wire_size(const yaff_type *type, const void *m,
                                                    size_t *size, yaff_error *err);

/* Writes the message as wire bytes, fields in number order, unknown fields last, into `out`, which
 * has `capacity` bytes; *written gets their number. TOO_SMALL when they do not fit, TOO_LARGE
 * above 2^31 - 1 bytes, TOO_DEEP below 100 levels; nothing useful is then in out. Allocates
 * nothing; thread-safe. spec/wire.md, Out. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_to_wire(const yaff_type *type, const void *m, void *out,
                                                  size_t capacity, size_t *written,
                                                  yaff_error *err);

/* The same, but leaves the bytes where they were written, at the end of `out`; *wire points to the
 * first, or is NULL on failure and where capacity is 0. Saves a copy where out is larger than
 * needed. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_to_wire_back(const yaff_type *type, const void *m,
                                                       void *out, size_t capacity,
                                                       const void **wire, size_t *written,
                                                       yaff_error *err);

YAFF_END_DECLS

#endif
