/* Frames: a buffer behind a header with checksums and the schema's fingerprint, for files and
 * networks. spec/format.md, Frame.
 *     0   'Y' 'F' 'R' 'M', version, flags, two zero bytes
 *     8   u64 bytes of the payload, a buffer
 *    16   u64 fingerprint of the schema
 *    24   u64 XXH3-64 of the payload
 *    32   u64 XXH3-64 of the 32 bytes above
 *    40.. the payload
 * Checksums find accidents, not attackers: whoever can write a frame can write its checksums. So
 * yaff_frame_open() and yaff_frame_root() verify the payload as well. */
#ifndef YAFF_FRAME_H
#define YAFF_FRAME_H

#include <yaff/alloc.h>
#include <yaff/base.h>
#include <yaff/status.h>
#include <yaff/type.h>

YAFF_BEGIN_DECLS

enum { YAFF_FRAME_VERSION = 1, YAFF_FRAME_HEADER = 40 /* bytes, a multiple of 8 */ };

/* A frame whose checksums are right. */
typedef struct yaff_frame {
    const void *buffer; /* the payload, 8-byte aligned; it belongs to who holds the frame's bytes */
    size_t size;        /* its bytes; the frame has YAFF_FRAME_HEADER more */
    uint64_t fingerprint; /* of the schema it was written with */
} yaff_frame;

/* A number for what `type` and all types below it look like in a buffer: field numbers, widths,
 * what is repeated, which types are Fixed, and their places in Fixed and pinned Flat types. Names,
 * defaults, presence and enum values have no part in it, so it is the same after a rename; after a
 * change that spec/format.md, Evolution calls breaking it is another one. It is the same for
 * generated tables and for those made at run time, on every machine. Never 0, but for a type that
 * reaches over 256 others memory is needed, and 0 means that there was none. Goes through all
 * tables: call it once and keep the number. Thread-safe. spec/format.md, Fingerprint. */
YAFF_API uint64_t yaff_type_fingerprint(const yaff_type *type);

/* ---- In memory ---- */

/* Fills in the YAFF_FRAME_HEADER bytes that stand before `buffer`, `size` bytes, in a frame. They
 * need not lie together. BAD_LENGTH when size is no buffer's. Linear in size; thread-safe. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_header(void *header, uint64_t fingerprint,
                                                       const void *buffer, size_t size);

/* Writes a whole frame, header and a copy of `buffer`, into `out`, which has `capacity` bytes.
 * BAD_LENGTH as above; TOO_SMALL below YAFF_FRAME_HEADER + size bytes (nothing is then written). */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_build(void *out, size_t capacity,
                                                      uint64_t fingerprint, const void *buffer,
                                                      size_t size);

/* Checks the frame at the start of `bytes` (8-byte aligned); `size` may reach beyond it, where the
 * next one stands. *frame then points into bytes. MISALIGNED; TRUNCATED when the frame goes on
 * behind `size`; BAD_FRAME when the header is none or damaged; BAD_CHECKSUM when the payload is.
 * Tells nothing about who wrote it or whether it is safe to read. `err` may be NULL. Linear in the
 * frame's size; allocates nothing; thread-safe. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_check(const void *bytes, size_t size,
                                                      yaff_frame *frame, yaff_error *err);

/* WRONG_SCHEMA unless the frame was written with this fingerprint; err->path then names both, and
 * `type`, whose fingerprint it is. A reader that accepts older schemas compares frame->fingerprint
 * with theirs. O(1). */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_match(const yaff_frame *frame,
                                                      const yaff_type *type, uint64_t fingerprint,
                                                      yaff_error *err);

/* The root of a checked frame, a message of `type`: yaff_frame_match(), then yaff_open(). NULL on
 * failure, with `err` (may be NULL) told; offsets count from the payload's start. */
YAFF_API YAFF_MUST_CHECK const void *yaff_frame_root(const yaff_frame *frame, const yaff_type *type,
                                                     uint64_t fingerprint, yaff_error *err);

/* All in one: `bytes` is one frame and nothing else (BAD_LENGTH when more follows), undamaged, of
 * this schema, and safe to read. Returns its root or NULL. */
YAFF_API YAFF_MUST_CHECK const void *yaff_frame_open(const yaff_type *type, uint64_t fingerprint,
                                                     const void *bytes, size_t size,
                                                     yaff_error *err);

/* ---- Streams (POSIX): frames one behind the other in a file, pipe or socket ---- */

/* Writes a frame at the descriptor's position, without a copy. Carries on after short writes and
 * signals, and waits where the descriptor does not block. BAD_LENGTH as above; IO when the system
 * refuses, with errno telling why (ENOSPC, EPIPE …): part of the frame may then have been written.
 * Thread-safe, but not for one descriptor at a time. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_write(int fd, uint64_t fingerprint,
                                                      const void *buffer, size_t size,
                                                      yaff_error *err);

/* Reads frames from a descriptor, which stays the caller's. One thread at a time. */
typedef struct yaff_frame_reader yaff_frame_reader;

/* A new reader, or NULL when memory ran out. `alloc` may be NULL. */
YAFF_API YAFF_MUST_CHECK yaff_frame_reader *yaff_frame_reader_new(int fd, const yaff_alloc *alloc);

/* Frees the reader and the frame in it. NULL is allowed. */
YAFF_API void yaff_frame_reader_free(yaff_frame_reader *r);

/* The largest payload to accept, in bytes; without it, the format's (2^31 - 8). It is asked before
 * memory is. Even without it never more than twice the bytes that have arrived, or 1 MiB, is
 * allocated. */
YAFF_API void yaff_frame_reader_limit(yaff_frame_reader *r, size_t max_size);

/* Makes the reader put payloads into the caller's memory, `capacity` bytes at `memory` (8-byte
 * aligned); (NULL, 0) returns to memory of its own. */
YAFF_API void yaff_frame_reader_use(yaff_frame_reader *r, void *memory, size_t capacity);

/* Reads the next frame; it is in the reader's memory until the next call. Returns OK; END when the
 * stream ends behind a whole frame (or is empty); TRUNCATED when it ends inside one; BAD_FRAME and
 * BAD_CHECKSUM as yaff_frame_check(); TOO_LARGE above the limit; TOO_SMALL above the caller's
 * memory; NO_MEMORY; or IO, errno telling why. After anything but OK, every further call returns
 * the same: the reader never looks for a place to go on. err->offset counts from where the reader
 * began. */
YAFF_API YAFF_MUST_CHECK yaff_status yaff_frame_reader_next(yaff_frame_reader *r, yaff_frame *frame,
                                                            yaff_error *err);

YAFF_END_DECLS

#endif
