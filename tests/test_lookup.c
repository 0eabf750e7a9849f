/* Look-ups by bisection against a plain search from front to back: map keys of every kind, fields,
 * blocks, enum values. And that every status has a text and a name. */
#include <criterion/criterion.h>

#include <yaff/map.h>
#include <yaff/status.h>
#include <yaff/type.h>
#include <yaff/value.h>

enum { MOST = 20, STRIDE = 24 };

/* Entries of STRIDE bytes with these keys; every number of them from 0 on, every key and its
 * neighbours are looked up. */
#define CHECK_NUMBERS(Type, store, find, ...)                                                      \
    do {                                                                                           \
        static const Type keys[] = {__VA_ARGS__};                                                  \
        size_t all = sizeof keys / sizeof *keys;                                                   \
        _Alignas(8) uint8_t entries[MOST * STRIDE] = {0};                                          \
        cr_assert(all <= MOST);                                                                    \
        for (size_t i = 0; i < all; i++) store(entries + STRIDE * i, keys[i]);                     \
        for (size_t count = 0; count <= all; count++) {                                            \
            for (size_t k = 0; k < 3 * all; k++) {                                                 \
                Type key = (Type)(keys[k / 3] + (Type)(k % 3) - (Type)1);                          \
                const void *expected = NULL;                                                       \
                if (k % 3 == 0 && key > keys[k / 3]) continue;                                     \
                if (k % 3 == 2 && key < keys[k / 3]) continue;                                     \
                for (size_t i = 0; i < count; i++)                                                 \
                    if (keys[i] == key) expected = entries + STRIDE * i;                           \
                cr_assert_eq(find(entries, count, STRIDE, key), expected);                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static void store_i32(void *p, int32_t v)
{
    yaff_store32(p, (uint32_t)v);
}

Test(lookup, unsigned_keys)
{
    CHECK_NUMBERS(uint32_t, yaff_store32, yaff_map_find_u32, 0, 1, 5, 9, 0x7fffffff, 0x80000000,
                  0xfffffffe, 0xffffffff);
    CHECK_NUMBERS(uint64_t, yaff_store64, yaff_map_find_u64, 0, 3, 0x100000000, INT64_MAX,
                  UINT64_C(1) << 63, UINT64_MAX);
}

/* Key minus or plus one as unsigned: signed arithmetic would overflow at the ends. */
Test(lookup, signed_keys)
{
    static const int64_t keys[] = {INT64_MIN, -5000000000, INT32_MIN, -1,       0,
                                   1,         7,           INT32_MAX, INT64_MAX};
    enum { ALL = sizeof keys / sizeof *keys };
    _Alignas(8) uint8_t wide[ALL * STRIDE] = {0}, narrow[ALL * STRIDE] = {0};
    size_t narrows = 0;
    for (size_t i = 0; i < ALL; i++) {
        yaff_store64(wide + STRIDE * i, (uint64_t)keys[i]);
        if (keys[i] >= INT32_MIN && keys[i] <= INT32_MAX)
            store_i32(narrow + STRIDE * narrows++, (int32_t)keys[i]);
    }
    for (size_t i = 0, n = 0; i < ALL; i++) {
        cr_assert_eq(yaff_map_find_i64(wide, ALL, STRIDE, keys[i]), wide + STRIDE * i);
        cr_assert_null(yaff_map_find_i64(wide, i, STRIDE, keys[i]));
        if (keys[i] < INT32_MIN || keys[i] > INT32_MAX) continue;
        cr_assert_eq(yaff_map_find_i32(narrow, narrows, STRIDE, (int32_t)keys[i]),
                     narrow + STRIDE * n);
        cr_assert_null(yaff_map_find_i32(narrow, n, STRIDE, (int32_t)keys[i]));
        n++;
    }
    cr_assert_null(yaff_map_find_i64(wide, ALL, STRIDE, 2));
    cr_assert_null(yaff_map_find_i32(narrow, narrows, STRIDE, -2));
}

Test(lookup, bool_keys)
{
    _Alignas(8) uint8_t entries[2 * STRIDE] = {0};
    entries[STRIDE] = 1;
    cr_assert_eq(yaff_map_find_bool(entries, 2, STRIDE, false), entries);
    cr_assert_eq(yaff_map_find_bool(entries, 2, STRIDE, true), entries + STRIDE);
    cr_assert_null(yaff_map_find_bool(entries, 1, STRIDE, true));
    cr_assert_null(yaff_map_find_bool(entries + STRIDE, 1, STRIDE, false));
    cr_assert_null(yaff_map_find_bool(entries, 0, STRIDE, false));
}

Test(lookup, string_keys)
{
    static const char *const keys[] = {"", "a", "aa", "ab", "b", "ba", "z", "\xc3\xa4", "\xff"};
    static const char *const others[] = {"A", "aaa", "ac", "bb", "zz", "\xc3", "\xff\x01"};
    enum { ALL = sizeof keys / sizeof *keys, SIZE = ALL * STRIDE };
    _Alignas(8) uint8_t entries[SIZE + 64] = {0};
    size_t end = SIZE;
    for (size_t i = 0; i < ALL; i++) {
        size_t size = strlen(keys[i]);
        if (size == 0) continue;
        memcpy(entries + end, keys[i], size);
        yaff_store32(entries + STRIDE * i, (uint32_t)(end - STRIDE * i)); /* from the entry */
        yaff_store32(entries + STRIDE * i + 4, (uint32_t)size);
        end += size;
    }
    for (size_t count = 0; count <= ALL; count++) {
        for (size_t i = 0; i < ALL; i++)
            cr_assert_eq(yaff_map_find_str(entries, count, STRIDE, yaff_str_of(keys[i])),
                         i < count ? entries + STRIDE * i : NULL);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            cr_assert_null(yaff_map_find_str(entries, count, STRIDE, yaff_str_of(others[i])));
    }
}

Test(lookup, fields_by_number)
{
    static const uint32_t numbers[] = {1, 2, 5, 17, 18, 300, 536870911};
    enum { ALL = sizeof numbers / sizeof *numbers };
    yaff_field fields[ALL];
    uint16_t index[20] = {0};
    yaff_type type;
    memset(fields, 0, sizeof fields);
    memset(&type, 0, sizeof type);
    for (uint16_t i = 0; i < ALL; i++) {
        fields[i].number = numbers[i];
        if (numbers[i] < 20) index[numbers[i]] = (uint16_t)(i + 1);
    }
    type.fields = fields;
    type.field_count = ALL;
    for (uint32_t size = 0; size <= 20; size++) {
        type.index = index;
        type.index_size = size;
        for (uint32_t n = 0; n < 320; n++) {
            const yaff_field *expected = NULL;
            for (size_t i = 0; i < ALL; i++)
                if (numbers[i] == n) expected = &fields[i];
            cr_assert_eq(yaff_type_field(&type, n), expected);
        }
        cr_assert_eq(yaff_type_field(&type, 536870911), &fields[ALL - 1]);
        cr_assert_null(yaff_type_field(&type, UINT32_MAX));
    }
    type.field_count = 0;
    cr_assert_null(yaff_type_field(&type, 300));
}

Test(lookup, blocks_by_number)
{
    static const uint32_t ks[] = {0, 1, 2, 5, 9, 33554431};
    enum { ALL = sizeof ks / sizeof *ks };
    yaff_block blocks[ALL];
    yaff_type type;
    memset(blocks, 0, sizeof blocks);
    memset(&type, 0, sizeof type);
    for (size_t i = 0; i < ALL; i++) blocks[i].k = ks[i];
    type.blocks = blocks;
    for (type.block_count = 0; type.block_count <= ALL; type.block_count++) {
        for (uint32_t k = 0; k < 12; k++) {
            const yaff_block *expected = NULL;
            for (uint32_t i = 0; i < type.block_count; i++)
                if (ks[i] == k) expected = &blocks[i];
            cr_assert_eq(yaff_type_block(&type, k), expected);
        }
    }
}

Test(lookup, enum_values_by_number)
{
    static const yaff_enum_value values[] = {{INT32_MIN, "LOW"}, {-1, "MINUS"}, {0, "ZERO"},
                                             {0, "ALIAS"},       {0, "AGAIN"},  {7, "SEVEN"},
                                             {INT32_MAX, "TOP"}};
    static const yaff_enum e = {"Color", values, sizeof values / sizeof *values, 2, -1};
    static const yaff_enum none = {"None", NULL, 0, 0, 0};
    cr_assert_str_eq(yaff_enum_name(&e, INT32_MIN), "LOW");
    cr_assert_str_eq(yaff_enum_name(&e, -1), "MINUS");
    cr_assert_str_eq(yaff_enum_name(&e, 0), "ZERO");
    cr_assert_str_eq(yaff_enum_name(&e, 7), "SEVEN");
    cr_assert_str_eq(yaff_enum_name(&e, INT32_MAX), "TOP");
    cr_assert_null(yaff_enum_name(&e, 1));
    cr_assert(yaff_enum_lists(&e, 7));
    cr_assert_not(yaff_enum_lists(&e, 8));
    cr_assert_not(yaff_enum_lists(&none, 0));
}

Test(status, every_status_has_a_text_and_a_name)
{
    for (int i = 0; i < YAFF_STATUS_COUNT; i++) {
        cr_assert(strlen(yaff_status_text((yaff_status)i)) > 1);
        cr_assert(strncmp(yaff_status_name((yaff_status)i), "YAFF_", 5) == 0);
    }
    cr_assert_str_eq(yaff_status_name(YAFF_TRUNCATED), "YAFF_TRUNCATED");
    cr_assert_str_eq(yaff_status_text(YAFF_OK), "ok");
    cr_assert_not_null(yaff_status_text((yaff_status)1000));
    cr_assert_not_null(yaff_status_name((yaff_status)1000));
}
