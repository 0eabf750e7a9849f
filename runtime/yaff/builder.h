/* A builder owns the memory that converting into YaFF needs: the output buffer and the scratch.
 * Used again and again it stops allocating. One builder serves one thread at a time. */
#ifndef YAFF_BUILDER_H
#define YAFF_BUILDER_H

#include <yaff/alloc.h>
#include <yaff/base.h>
#include <yaff/status.h>

YAFF_BEGIN_DECLS

typedef struct yaff_builder yaff_builder;

/* A new builder, or NULL when memory ran out. `alloc` may be NULL. Free with
 * yaff_builder_free(). */
YAFF_API YAFF_MUST_CHECK yaff_builder *yaff_builder_new(const yaff_alloc *alloc);

/* Frees the builder and the buffer in it. NULL is allowed. */
YAFF_API void yaff_builder_free(yaff_builder *b);

/* Makes the builder write into the caller's memory, `capacity` bytes at `memory` (8-byte aligned),
 * until called again; (NULL, 0) returns to memory of its own. A conversion that does not fit
 * returns YAFF_TOO_SMALL. Scratch still belongs to the builder. */
YAFF_API void yaff_builder_use(yaff_builder *b, void *memory, size_t capacity);

/* Where to put (read from a socket, a file) `size` wire bytes that the next conversion shall borrow
 * its strings from (yaff_wire_options.borrow): inside the buffer that will be built. The memory
 * belongs to the builder, is uninitialised, and stays until that conversion, yaff_builder_use() or
 * free. Ends the life of the finished buffer. NULL when memory ran out, the caller's has no room, or
 * size is too large for a buffer (YAFF_BUFFER_MAX_SIZE). spec/wire.md, Borrowing. */
YAFF_API YAFF_MUST_CHECK void *yaff_builder_wire(yaff_builder *b, size_t size);

/* The finished buffer of the last successful conversion: 8-byte aligned, yaff_builder_size() bytes
 * (a multiple of 8). It lies in the memory that the builder was told to use, its own unless the
 * caller gave some, and stays until the next conversion, yaff_builder_use() or free. NULL and 0
 * before the first success, after a failure and after yaff_builder_use(). */
YAFF_API const void *yaff_builder_data(const yaff_builder *b);
YAFF_API size_t yaff_builder_size(const yaff_builder *b);

YAFF_END_DECLS

#endif
