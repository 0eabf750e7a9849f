/* Looking a key up in a map: inline Fixed entries sorted by key, found by bisection.
 * spec/format.md, Maps. */
#ifndef YAFF_MAP_H
#define YAFF_MAP_H

#include <yaff/base.h>

YAFF_BEGIN_DECLS

/* The entry with the key among `count` entries of `size` bytes each at `entries` (the key lies at
 * their start), or NULL. Signed keys are sorted as signed numbers, bool false before true, strings
 * by their bytes as unsigned numbers, the shorter first. O(log count). Allocates nothing;
 * thread-safe. */
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_bool(const void *entries, size_t count,
                                                       size_t size, bool key);
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_i32(const void *entries, size_t count,
                                                      size_t size, int32_t key);
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_u32(const void *entries, size_t count,
                                                      size_t size, uint32_t key);
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_i64(const void *entries, size_t count,
                                                      size_t size, int64_t key);
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_u64(const void *entries, size_t count,
                                                      size_t size, uint64_t key);
YAFF_API YAFF_ATTR_PURE const void *yaff_map_find_str(const void *entries, size_t count,
                                                      size_t size, yaff_str key);

YAFF_END_DECLS

#endif
