/* Whether kept unknown fields are well-formed wire bytes. Private to the library. */
#ifndef YAFF_RUNTIME_UNKNOWN_H
#define YAFF_RUNTIME_UNKNOWN_H

#include <yaff/base.h>
#include <yaff/status.h>

/* Checks that `size` bytes at `wire` are a sequence of whole fields whose groups are balanced
 * and nest at most `depth` deep. Returns YAFF_OK, TRUNCATED, BAD_VARINT, BAD_TAG, BAD_LENGTH,
 * BAD_GROUP or TOO_DEEP, with *offset told: the bytes before the faulty field. Linear in size;
 * stack bounded by depth; allocates nothing. */
yaff_status yaff_check_unknown(const void *wire, size_t size, uint32_t depth, size_t *offset);

#endif
