/* Generated accessors on data of another version of their schema, both ways: what the run-time
 * tables are tested for by the thousand (test_evolution.cc) must hold for the inline paths as
 * well. */
#include <criterion/criterion.h>

#include "after.yaff.h"
#include "before.yaff.h"

/* What both versions know, all of it set. */
#define COMMON                                                                                     \
    0x2a, 2, 'a', 'b',                   /* name */                                                \
        0x30, 1,                         /* flag */                                                \
        0x38, 1, 0x38, 0xac, 0x02,       /* scores 1, 300 */                                       \
        0x4a, 5, 0x0d, 0, 0, 0x80, 0x3f, /* place.x 1.0 */                                         \
        0x88, 0x01, 4,                   /* level */                                               \
        0xa2, 0x01, 1, 'n'               /* note */

static const uint8_t old_full[] = {0x08, 7, 0x10, 5, COMMON};
static const uint8_t new_full[] = {
    0x08, 7,    0x18, 5, 0x20, 1, COMMON, 0xaa, 0x01, 5, 0x15, 0, 0, 0, 0x40, /* second.y 2.0 */
    0x81, 0x4b, 1,    0, 0,    0, 0,      0,    0,    0,                      /* far 1 */
};
static const uint8_t almost_empty[] = {0x08, 7};

static yaff_builder *builder;

static void setup(void)
{
    builder = yaff_builder_new(NULL);
    cr_assert_not_null(builder);
}

static void teardown(void)
{
    yaff_builder_free(builder);
}

TestSuite(generated, .init = setup, .fini = teardown);

static void write_before(const uint8_t *wire, size_t size)
{
    cr_assert_eq(before_Record_from_wire(builder, wire, size, NULL, NULL), YAFF_OK);
}

static void write_after(const uint8_t *wire, size_t size)
{
    cr_assert_eq(after_Record_from_wire(builder, wire, size, NULL, NULL), YAFF_OK);
}

static const before_Record *read_before(void)
{
    yaff_error err;
    const before_Record *m =
        before_Record_open(yaff_builder_data(builder), yaff_builder_size(builder), &err);
    cr_assert_not_null(m, "%s", yaff_status_text(err.status));
    return m;
}

static const after_Record *read_after(void)
{
    yaff_error err;
    const after_Record *m =
        after_Record_open(yaff_builder_data(builder), yaff_builder_size(builder), &err);
    cr_assert_not_null(m, "%s", yaff_status_text(err.status));
    return m;
}

static void common_before(const before_Record *m)
{
    cr_assert_eq(before_Record_id(m), 7);
    cr_assert_str_eq(before_Record_name(m).data, "ab");
    cr_assert(before_Record_has_name(m));
    cr_assert(before_Record_flag(m));
    cr_assert_eq(before_Record_scores_size(m), 2);
    cr_assert_eq(before_Record_scores_at(m, 1), 300);
    cr_assert_eq(before_Place_x(before_Record_place(m)), 1.0f);
    cr_assert_eq(before_Record_level(m), 4);
    cr_assert_str_eq(before_Record_note(m).data, "n");
}

static void common_after(const after_Record *m)
{
    cr_assert_eq(after_Record_id(m), 7);
    cr_assert_eq(after_Record_title_case(m), after_Record_title_case_name);
    cr_assert_str_eq(after_Record_name(m).data, "ab");
    cr_assert_eq(after_Record_name_number(m), 0);
    cr_assert(after_Record_flag(m));
    cr_assert_eq(after_Record_scores_size(m), 2);
    cr_assert_eq(after_Record_scores_at(m, 1), 300);
    cr_assert_eq(after_Place_x(after_Record_place(m)), 1.0f);
    cr_assert_eq(after_Record_level(m), 4);
    cr_assert_str_eq(after_Record_note(m).data, "n");
}

Test(generated, each_version_reads_its_own)
{
    write_before(old_full, sizeof old_full);
    common_before(read_before());
    cr_assert_eq(before_Record_kind(read_before()), 5);
    write_after(new_full, sizeof new_full);
    common_after(read_after());
    cr_assert_eq(after_Record_rank(read_after()), -3);
    cr_assert_eq(after_Place_y(after_Record_second(read_after())), 2.0f);
    cr_assert_eq(after_Record_far(read_after()), 1);
}

Test(generated, the_newer_reads_the_older)
{
    write_before(old_full, sizeof old_full);
    const after_Record *m = read_after();
    common_after(m);
    cr_assert(!after_Record_has_rank(m));
    cr_assert_eq(after_Record_rank(m), 0);
    cr_assert(!after_Record_has_extra(m));
    cr_assert(!after_Record_has_second(m));
    cr_assert_eq(after_Place_y(after_Record_second(m)), 0.0f);
    cr_assert_eq(after_Record_far(m), 0);
}

Test(generated, the_older_reads_the_newer)
{
    write_after(new_full, sizeof new_full);
    const before_Record *m = read_before();
    common_before(m);
    cr_assert(!before_Record_has_kind(m));
    cr_assert_eq(before_Record_kind(m), 0);
}

Test(generated, a_default_is_the_readers)
{
    write_before(almost_empty, sizeof almost_empty);
    cr_assert_eq(before_Record_level(read_before()), 3);
    cr_assert_eq(after_Record_level(read_after()), 9);
    cr_assert_str_eq(after_Record_name(read_after()).data, "none");
    cr_assert_eq(after_Record_title_case(read_after()), after_Record_title_case_none);
}

Test(generated, bodies_are_structs_where_the_writer_agrees)
{
    write_before(old_full, sizeof old_full);
#if !YAFF_BIG_ENDIAN
    const before_Record_yaff_body *body = before_Record_fields(read_before());
    if (body != NULL) { /* stored Flat */
        cr_assert_eq(body->id, 7);
        cr_assert_eq(body->level, 4);
    }
    cr_assert_null(after_Record_fields(read_after()));
#endif
}
