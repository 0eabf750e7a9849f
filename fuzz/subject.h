/* What the targets have in common: the types they run on, memory between guard pages, and reading
 * everything that can be read in a message. */
#ifndef YAFF_FUZZ_SUBJECT_H
#define YAFF_FUZZ_SUBJECT_H

#include <yaff/type.h>
#include <yaff/wire.h>

#include "fuzz.h"

enum { SUBJECT_LARGEST = 1 << 20 /* bytes of a buffer that fits between the guard pages */ };

/* One of the types, chosen by any number. They have every layout, proto2 and proto3, groups, maps,
 * far numbers, defaults. */
const yaff_type *subject_type(unsigned choice);

/* The options in a byte: bit 0 partial, 1 no_utf8_check, 2 drop_unknown, 3
 * drop_unknown_in_fixed. */
yaff_wire_options subject_options(unsigned bits);

/* A builder to use in every run. */
yaff_builder *subject_builder(void);

/* A copy of the buffer (8-byte aligned, a multiple of 8 bytes) that ends where a page without
 * access begins, or (`front`) begins where one ends. One at a time. */
const void *subject_guarded(const void *buffer, size_t size, bool front);

/* Reads all of a verified message by every way there is: iterator, yaff_find_…(), the inline
 * helpers that accessors are made of, map look-ups, unknown fields; and checks that they agree.
 * Returns a sum of what was read. */
uint64_t subject_read(const yaff_type *type, const void *message);

/* All that, then prints and converts it, forth and back. `own` tells that the library wrote the
 * buffer, with this type: then presence is compared, too, and the wire bytes must convert back.
 * (Where a cell is stored with another width than the type's, which is a breaking change, accessors
 * see its set bit and yaff_find_has() does not.) */
void subject_use(const yaff_type *type, const void *buffer, size_t size, bool own);

#endif
