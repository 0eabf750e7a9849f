/* The verifier: proves that a buffer is safe to read. spec/format.md, Verifying. */
#ifndef YAFF_VERIFY_H
#define YAFF_VERIFY_H

#include <yaff/base.h>
#include <yaff/status.h>
#include <yaff/type.h>

YAFF_BEGIN_DECLS

enum {
    YAFF_MAX_DEPTH = 100,     /* the default everywhere; Protobuf's own */
    YAFF_DEPTH_CEILING = 1000 /* a larger wish is cut to this, so that the stack stays bounded */
};

/* Zero-initialised means the defaults. */
typedef struct yaff_verify_options {
    uint32_t max_depth;  /* messages below the root, map entries counted; 0 = YAFF_MAX_DEPTH */
    uint32_t max_visits; /* messages, map and directory entries, and elements of arrays of strings,
                          * messages and structs; 0 = as many as fit in the buffer */
    bool utf8;           /* also check the strings that the schema declares as UTF-8 */
} yaff_verify_options;

/* Proves that every read a generated accessor, iterator, map look-up, converter or printer of
 * `type` can make stays inside buffer[0 .. size). Linear in size even when references are shared or
 * cyclic (then it fails); allocates nothing; stack bounded by max_depth, less than 1 KiB for each
 * level. `options` and `err` may be NULL. On failure err names the byte offset and the field path.
 * Thread-safe. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_verify(const yaff_type *type, const void *buffer,
                                                 size_t size, const yaff_verify_options *options,
                                                 yaff_error *err);

YAFF_END_DECLS

#endif
