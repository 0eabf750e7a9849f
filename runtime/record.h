/* Verifying a message that stands in bytes without a buffer's head, as in an index file. Private to
 * the library. */
#ifndef YAFF_RUNTIME_RECORD_H
#define YAFF_RUNTIME_RECORD_H

#include <yaff/status.h>
#include <yaff/type.h>
#include <yaff/verify.h>

/* As yaff_verify(), for `size` bytes at `record` (8-byte aligned, a multiple of 8 bytes, at
 * most YAFF_BUFFER_MAX_SIZE) whose root is the message at record + root; root may be anything.
 * `borrowed` tells that strings have no NUL behind them. */
YAFF_MUST_CHECK yaff_status yaff_verify_record(const yaff_type *type, const void *record,
                                               size_t size, size_t root, bool borrowed,
                                               const yaff_verify_options *options, yaff_error *err);

#endif
