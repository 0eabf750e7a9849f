/* Generated gathers give what the field's accessor gives for each element, whatever the layout, the
 * kind of field, the element (not stored, stored in any way, by another schema) and the range. */
#include <criterion/criterion.h>

#include "after.yaff.h"
#include "before.yaff.h"
#include "layouts.yaff.h"

#include <stdlib.h>

enum { ELEMENTS = 3 * YAFF_GATHER_AHEAD + 5, UNKNOWN = 3000 };

/* ---- Wire bytes of any message, made from its table ---- */

typedef struct {
    uint8_t data[1 << 20];
    size_t size;
} bytes;

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state ^ random_state >> 29;
}

static void put(bytes *to, const void *data, size_t size)
{
    cr_assert_leq(size, sizeof to->data - to->size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void put_varint(bytes *to, uint64_t v)
{
    uint8_t byte;
    for (; v >= 0x80; v >>= 7) {
        byte = (uint8_t)(v | 0x80);
        put(to, &byte, 1);
    }
    byte = (uint8_t)v;
    put(to, &byte, 1);
}

static void put_length(bytes *to, uint32_t number, const void *data, size_t size)
{
    put_varint(to, number << 3 | 2);
    put_varint(to, size);
    put(to, data, size);
}

/* A message whose fields are set by lot, each with this chance; its children are empty
 * below `depth`. */
static void put_message(bytes *to, uint32_t number, const yaff_type *type, unsigned percent,
                        unsigned depth)
{
    bytes *body = (bytes *)malloc(sizeof *body);
    cr_assert_not_null(body);
    body->size = 0;
    for (uint32_t row = 0; row < type->field_count; row++) {
        const yaff_field *f = &type->fields[row];
        uint8_t bits[8];
        if (random_bits() % 100 >= percent) continue;
        yaff_store64(bits, random_bits());
        switch (f->tag & 7) {
        case 0:
            put_varint(body, f->tag);
            put_varint(body, f->kind == YAFF_KIND_ENUM ? 1 : random_bits() >> random_bits() % 64);
            break;
        case 1:
        case 5:
            /* i386 returns real numbers in registers that make every NaN a quiet one */
            if (f->kind == YAFF_KIND_FLOAT || f->kind == YAFF_KIND_DOUBLE)
                bits[f->width == 4 ? 2 : 6] |= f->width == 4 ? 0x40 : 0x08;
            put_varint(body, f->tag);
            put(body, bits, f->width);
            break;
        default:
            if (f->type)
                put_message(body, f->number, f->type, depth ? percent : 0, depth - (depth > 0));
            else
                put_length(body, f->number, "gathered", /* packed numbers, too */
                           f->flags & YAFF_FIELD_REPEATED ? 8 : (size_t)(random_bits() % 9));
        }
    }
    if (percent == 50 && type->layout != YAFF_LAYOUT_FIXED)
        put_length(body, UNKNOWN, "?", 1); /* so that there is a directory */
    put_length(to, number, body->data, body->size);
    free(body);
}

/* The repeated field `number` of a message of `owner`, its elements of every sort. */
static void *buffer_of(const yaff_type *owner, uint32_t number, size_t count)
{
    static const unsigned percents[] = {0, 100, 10, 50, 95};
    static bytes wire;
    const yaff_field *f = yaff_type_field(owner, number);
    yaff_builder *builder = yaff_builder_new(NULL);
    yaff_error err;
    wire.size = 0;
    random_state = 1;
    for (size_t i = 0; i < count; i++) put_message(&wire, number, f->type, percents[i % 5], 1);
    cr_assert_not_null(builder);
    cr_assert_eq(yaff_from_wire(builder, owner, wire.data, wire.size, NULL, &err), YAFF_OK, "%s %s",
                 yaff_status_name(err.status), err.path);
    size_t size = yaff_builder_size(builder);
    void *buffer = malloc(size); /* of exactly this size, for AddressSanitizer */
    cr_assert_not_null(buffer);
    memcpy(buffer, yaff_builder_data(builder), size);
    yaff_builder_free(builder);
    return buffer;
}

/* ---- Comparing ---- */

#define SAME_NUMBER(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0) /* NaN, too */
#define SAME_TEXT(a, b) yaff_str_equal(a, b)

/* Gathers M.f of every range that is of interest from OWNER.field in m, and compares. */
#define CHECK(SAME, T, OWNER, field, M, f)                                                         \
    do {                                                                                           \
        size_t size = OWNER##_##field##_size(m);                                                   \
        const size_t firsts[] = {0, 1, 17, size - 1, size, size + 1, SIZE_MAX};                    \
        const size_t lengths[] = {0, 1, 2, 16, 17, size - 1, size, size + 1, SIZE_MAX};            \
        for (size_t a = 0; a < sizeof firsts / sizeof *firsts; a++) {                              \
            for (size_t b = 0; b < sizeof lengths / sizeof *lengths; b++) {                        \
                size_t first = firsts[a], n = lengths[b];                                          \
                size_t there = first < size ? size - first : 0, read = n < there ? n : there;      \
                T out[ELEMENTS + 1];                                                               \
                memset(out, 0x5a, sizeof out);                                                     \
                cr_assert_eq(M##_##f##_gather(OWNER##_##field##_array(m), first, n, out), read);   \
                for (size_t i = 0; i < read; i++) {                                                \
                    T expected = M##_##f(OWNER##_##field##_at(m, first + i));                      \
                    cr_assert(SAME(out[i], expected), #M "." #f "[%zu]", first + i);               \
                }                                                                                  \
                cr_assert_eq(*(const uint8_t *)&out[read], 0x5a);                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define NUMBER(T, OWNER, field, M, f) CHECK(SAME_NUMBER, T, OWNER, field, M, f)
#define TEXT(OWNER, field, M, f) CHECK(SAME_TEXT, yaff_str, OWNER, field, M, f)

/* How the elements are stored: bit 4 for those that are not, else one for each kind of head. */
static unsigned kinds_of(const void *start, size_t size)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < size; i++) {
        const void *p = yaff_ref_message(start, yaff_load32((const char *)start + 4 * i), NULL);
        kinds |= p ? 1u << yaff_head_kind(yaff_lanes(p, 0)) : 1u << 4;
    }
    return kinds;
}

enum {
    NOT_STORED = 1 << 4,
    BY_RANK = 1 << YAFF_HEAD_SPARSE,
    DIRECTORY = 1 << YAFF_HEAD_SPARSE_DIRECTORY,
    PINNED_FLAT = 1 << YAFF_HEAD_FLAT,
    FLAT_LANES = 1 << YAFF_HEAD_FLAT_LANES
};

#define KINDS(OWNER, field)                                                                        \
    kinds_of(OWNER##_##field##_array(m).start, OWNER##_##field##_array(m).size)

static void dynamic(size_t count)
{
    void *buffer = buffer_of(&layouts_Dynamic_yaff_type, 26, count);
    const layouts_Dynamic *m = layouts_Dynamic_view(buffer);
    cr_assert_eq(layouts_Dynamic_rself_size(m), count);
    if (count == ELEMENTS)
        cr_assert_eq(KINDS(layouts_Dynamic, rself), NOT_STORED | BY_RANK | DIRECTORY | FLAT_LANES);
#define OF(T, f) NUMBER(T, layouts_Dynamic, rself, layouts_Dynamic, f)
    OF(bool, b);
    OF(int32_t, i32);
    OF(int64_t, i64);
    OF(uint32_t, u32);
    OF(uint64_t, u64);
    OF(int32_t, s32);
    OF(int64_t, s64);
    OF(uint32_t, f32);
    OF(uint64_t, f64);
    OF(int32_t, sf32);
    OF(int64_t, sf64);
    OF(float, f);
    OF(double, d);
    OF(layouts_Color, color);
    OF(const layouts_Dynamic *, self);
    OF(const layouts_Fixed *, fixed);
    OF(const layouts_Flat *, flat);
    OF(const layouts_Sparse *, sparse);
    OF(int32_t, opt);
    OF(int32_t, c_int);
    OF(const layouts_Dynamic *, c_self);
    OF(const layouts_Fixed *, c_fixed);
    OF(bool, c_bool);
    OF(const layouts_EmptyFixed *, empty_fixed);
    OF(const layouts_Empty *, empty);
#undef OF
    TEXT(layouts_Dynamic, rself, layouts_Dynamic, s);
    TEXT(layouts_Dynamic, rself, layouts_Dynamic, y);
    TEXT(layouts_Dynamic, rself, layouts_Dynamic, c_text);
    free(buffer);
}

static void flat(size_t count)
{
    void *buffer = buffer_of(&layouts_Flat_yaff_type, 12, count);
    const layouts_Flat *m = layouts_Flat_view(buffer);
    cr_assert_eq(layouts_Flat_rself_size(m), count);
    if (count == ELEMENTS)
        cr_assert_eq(KINDS(layouts_Flat, rself), NOT_STORED | PINNED_FLAT | DIRECTORY);
#define OF(T, f) NUMBER(T, layouts_Flat, rself, layouts_Flat, f)
    OF(bool, b);
    OF(int32_t, i32);
    OF(int64_t, i64);
    OF(double, d);
    OF(layouts_Color, color);
    OF(const layouts_Flat *, self);
    OF(const layouts_Fixed *, fixed);
    OF(int32_t, opt);
    OF(int32_t, c_int);
    OF(const layouts_Flat *, c_self);
    OF(int32_t, s_int);
#undef OF
    TEXT(layouts_Flat, rself, layouts_Flat, s);
    TEXT(layouts_Flat, rself, layouts_Flat, c_text);
    TEXT(layouts_Flat, rself, layouts_Flat, s_text);
    free(buffer);
}

static void sparse(size_t count)
{
    void *buffer = buffer_of(&layouts_Sparse_yaff_type, 12, count);
    const layouts_Sparse *m = layouts_Sparse_view(buffer);
    cr_assert_eq(layouts_Sparse_rself_size(m), count);
    if (count == ELEMENTS)
        cr_assert_eq(KINDS(layouts_Sparse, rself), NOT_STORED | BY_RANK | DIRECTORY);
#define OF(T, f) NUMBER(T, layouts_Sparse, rself, layouts_Sparse, f)
    OF(bool, b);
    OF(int32_t, i32);
    OF(int64_t, i64);
    OF(double, d);
    OF(layouts_Color, color);
    OF(const layouts_Sparse *, self);
    OF(const layouts_Fixed *, fixed);
    OF(int32_t, opt);
    OF(int32_t, c_int);
    OF(const layouts_Sparse *, c_self);
    OF(int32_t, far);
    OF(int32_t, farther);
#undef OF
    TEXT(layouts_Sparse, rself, layouts_Sparse, s);
    TEXT(layouts_Sparse, rself, layouts_Sparse, c_text);
    free(buffer);
}

static void fixed(size_t count)
{
    void *buffer = buffer_of(&layouts_Dynamic_yaff_type, 27, count);
    const layouts_Dynamic *m = layouts_Dynamic_view(buffer);
    cr_assert_eq(layouts_Dynamic_rfixed_size(m), count);
#define OF(T, f) NUMBER(T, layouts_Dynamic, rfixed, layouts_Fixed, f)
    OF(bool, b);
    OF(const layouts_Inner *, inner);
    OF(float, f);
    OF(double, d);
    OF(layouts_Color, color);
    OF(const layouts_EmptyFixed *, empty);
    OF(bool, last);
#undef OF
    TEXT(layouts_Dynamic, rfixed, layouts_Fixed, s);
    free(buffer);
}

static void map(size_t count)
{
    void *buffer = buffer_of(&layouts_Dynamic_yaff_type, 33, count);
    const layouts_Dynamic *m = layouts_Dynamic_view(buffer);
    NUMBER(uint64_t, layouts_Dynamic, m_u64, layouts_Dynamic_MU64Entry, key);
    NUMBER(double, layouts_Dynamic, m_u64, layouts_Dynamic_MU64Entry, value);
    free(buffer);
    buffer = buffer_of(&layouts_Dynamic_yaff_type, 29, count);
    m = layouts_Dynamic_view(buffer);
    TEXT(layouts_Dynamic, m_self, layouts_Dynamic_MSelfEntry, key);
    NUMBER(const layouts_Dynamic *, layouts_Dynamic, m_self, layouts_Dynamic_MSelfEntry, value);
    free(buffer);
}

/* What one version of the schema wrote, read by both. */
static void versions(const yaff_type *writer, size_t count)
{
    void *buffer = buffer_of(writer, 1, count);
    {
        const before_Log *m = before_Log_view(buffer);
#define OF(T, f) NUMBER(T, before_Log, records, before_Record, f)
        OF(uint64_t, id);
        OF(int32_t, kind);
        OF(bool, flag);
        OF(const before_Place *, place);
        OF(int32_t, level);
#undef OF
        TEXT(before_Log, records, before_Record, name);
        TEXT(before_Log, records, before_Record, note);
    }
    {
        const after_Log *m = after_Log_view(buffer);
#define OF(T, f) NUMBER(T, after_Log, records, after_Record, f)
        OF(uint64_t, id);
        OF(int32_t, rank);
        OF(bool, extra);
        OF(uint64_t, name_number);
        OF(bool, flag);
        OF(const after_Place *, place);
        OF(int32_t, level);
        OF(const after_Place *, second);
        OF(uint64_t, far);
#undef OF
        TEXT(after_Log, records, after_Record, name);
        TEXT(after_Log, records, after_Record, note);
    }
    free(buffer);
}

Test(gather, dynamic_elements)
{
    dynamic(ELEMENTS);
}

Test(gather, flat_elements)
{
    flat(ELEMENTS);
}

Test(gather, sparse_elements)
{
    sparse(ELEMENTS);
}

Test(gather, fixed_elements)
{
    fixed(ELEMENTS);
}

Test(gather, entries_of_a_map)
{
    map(ELEMENTS);
}

Test(gather, elements_of_another_version)
{
    versions(&before_Log_yaff_type, ELEMENTS);
    versions(&after_Log_yaff_type, ELEMENTS);
}

/* An empty array, and each number of elements around the distance that is fetched ahead. */
Test(gather, arrays_of_few)
{
    for (size_t count = 0; count <= YAFF_GATHER_AHEAD + 2; count++) {
        dynamic(count);
        flat(count);
        sparse(count);
        fixed(count);
        map(count);
        versions(&before_Log_yaff_type, count);
    }
}
