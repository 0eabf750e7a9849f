/* A YaFF buffer: its head, and how to get from its bytes to the root message. spec/format.md, Buffer.
 *     0   'Y' 'F', version, flags
 *     4   u32 offset of the root's p; 0 = an empty root
 *     8.. objects; a multiple of 8 bytes in all */
#ifndef YAFF_BUFFER_H
#define YAFF_BUFFER_H

#include <yaff/base.h>
#include <yaff/status.h>
#include <yaff/type.h>
#include <yaff/verify.h>

YAFF_BEGIN_DECLS

enum {
    YAFF_BUFFER_VERSION = 1,
    YAFF_BUFFER_HEAD = 8,     /* bytes */
    YAFF_BUFFER_BORROWED = 1, /* flag: strings may have no NUL behind them */
    YAFF_BUFFER_ALIGN = 8,
    YAFF_BUFFER_USUAL_ROOT = 16
};

#define YAFF_BUFFER_MAX_SIZE ((size_t)0x7ffffff8) /* 2^31 - 8 */

/* The root of a trusted buffer (8-byte aligned), or `instance` when it is empty. O(1), checks
 * nothing; generated pkg_Msg_view() calls it. For bytes from elsewhere use yaff_open(). */
YAFF_HELPER const void *yaff_buffer_root(const void *buffer, const void *instance)
{
    const char *base = (const char *)buffer;
    uint32_t root = yaff_load32(base + 4);
    /* Children stand right behind their parents: a cold record comes in as one burst of misses. */
    YAFF_PREFETCH(base + 64);
    YAFF_PREFETCH(base + 128);
    /* The usual root, one block of lanes in front of it, is guessed rather than waited for. */
    if (YAFF_CERTAIN(root == YAFF_BUFFER_USUAL_ROOT)) return base + YAFF_BUFFER_USUAL_ROOT;
    return root ? base + root : instance;
}

/* Verifies `size` bytes at `buffer` as a message of `type` (yaff_verify() with default options),
 * then returns its root; NULL on failure, with `err` (may be NULL) told. Its strings have a NUL
 * behind them: NOT_TERMINATED at offset 3 for a buffer that says that it borrows its strings, which
 * yaff_verify() alone takes. Generated pkg_Msg_open() calls it. Linear in size; allocates nothing;
 * thread-safe. spec/format.md, Buffer. */
YAFF_API YAFF_MUST_CHECK const void *yaff_open(const yaff_type *type, const void *buffer,
                                               size_t size, yaff_error *err);

YAFF_END_DECLS

#endif
