/* Looking a key up in a map: bisection that moves by a conditional add instead of a jump. */
#include <yaff/map.h>
#include <yaff/value.h>

/* The key of the entry at `entry` as an unsigned number that sorts as the keys do: `flip` is
 * the sign bit of signed keys, else 0. */
YAFF_HELPER uint64_t number_key(const char *entry, unsigned width, uint64_t flip)
{
    if (width == 1) return *(const unsigned char *)entry;
    if (width == 4) return yaff_load32(entry) ^ flip;
    return yaff_load64(entry) ^ flip;
}

/* Bisection for the last entry whose key is not above `key` (already flipped). */
YAFF_HELPER const void *find_number(const void *entries, size_t count, size_t size, unsigned width,
                                    uint64_t flip, uint64_t key)
{
    const char *entry = (const char *)entries;
    if (count == 0) return NULL;
    while (count > 1) {
        size_t half = count / 2;
        const char *middle = entry + half * size;
        entry = number_key(middle, width, flip) <= key ? middle : entry;
        count -= half;
    }
    return number_key(entry, width, flip) == key ? entry : NULL;
}

const void *yaff_map_find_bool(const void *entries, size_t count, size_t size, bool key)
{
    return find_number(entries, count, size, 1, 0, key);
}

const void *yaff_map_find_i32(const void *entries, size_t count, size_t size, int32_t key)
{
    return find_number(entries, count, size, 4, UINT32_C(1) << 31,
                       (uint32_t)key ^ UINT32_C(1) << 31);
}

const void *yaff_map_find_u32(const void *entries, size_t count, size_t size, uint32_t key)
{
    return find_number(entries, count, size, 4, 0, key);
}

const void *yaff_map_find_i64(const void *entries, size_t count, size_t size, int64_t key)
{
    return find_number(entries, count, size, 8, UINT64_C(1) << 63,
                       (uint64_t)key ^ UINT64_C(1) << 63);
}

const void *yaff_map_find_u64(const void *entries, size_t count, size_t size, uint64_t key)
{
    return find_number(entries, count, size, 8, 0, key);
}

/* Below zero, zero or above as the entry's key sorts before, with or after `key`. */
static int compare_text(const char *entry, yaff_str key)
{
    yaff_str own = yaff_span_str(entry, yaff_load64(entry));
    size_t common = own.size < key.size ? own.size : key.size;
    if (common > 0) {
        /* most keys differ in their first byte, which spares the call */
        int order = (unsigned char)own.data[0] - (unsigned char)key.data[0];
        if (order == 0) order = memcmp(own.data, key.data, common);
        if (order != 0) return order;
    }
    return (own.size > key.size) - (own.size < key.size);
}

const void *yaff_map_find_str(const void *entries, size_t count, size_t size, yaff_str key)
{
    const char *entry = (const char *)entries;
    if (count == 0) return NULL;
    while (count > 1) {
        size_t half = count / 2;
        const char *middle = entry + half * size;
        entry = compare_text(middle, key) <= 0 ? middle : entry;
        count -= half;
    }
    return compare_text(entry, key) == 0 ? entry : NULL;
}
