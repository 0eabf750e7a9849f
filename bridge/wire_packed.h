/* Packed runs: many numbers in one field. Private to the library. */
#ifndef YAFF_BRIDGE_WIRE_PACKED_H
#define YAFF_BRIDGE_WIRE_PACKED_H

#include <yaff/type.h>

/* Counts the varints that end in [p, end). False when the last one does not end. */
bool yaff_packed_count(const uint8_t *p, const uint8_t *end, uint32_t *count);

/* Makes an array of the `count` elements, of scalar kind `kind`, that the run [p, end) consists of.
 * False when one is no varint: it has more than ten bytes. */
bool yaff_packed_read(uint8_t *to, const uint8_t *p, const uint8_t *end, size_t count,
                      unsigned kind);

#endif
