/* The part of Criterion that the tests use, for machines that Criterion does not exist for. Each test
 * runs in a process of its own, one after the other. See ../criterion.c. */
#ifndef CRITERION_PLAIN_H
#define CRITERION_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cr_plain_suite {
    void (*init)(void); /* before and after every test; may be NULL */
    void (*fini)(void);
    const char *name;
    struct cr_plain_suite *next;
} cr_plain_suite;

typedef struct cr_plain_test {
    const char *suite, *name;
    void (*run)(void);
    struct cr_plain_test *next;
} cr_plain_test;

void cr_plain_add_suite(cr_plain_suite *suite);
void cr_plain_add_test(cr_plain_test *test);

/* Says what is not true, and ends the test if that is fatal. `format` may be NULL. */
void cr_plain_failed(bool fatal, const char *file, int line, const char *what, const char *format,
                     ...);
void cr_log_info(const char *format, ...);

#ifdef __cplusplus
}
#endif

#define Test(suite, name)                                                                          \
    static void suite##_##name##_run(void);                                                        \
    __attribute__((constructor)) static void suite##_##name##_add(void)                            \
    {                                                                                              \
        static cr_plain_test test = {#suite, #name, suite##_##name##_run, NULL};                   \
        cr_plain_add_test(&test);                                                                  \
    }                                                                                              \
    static void suite##_##name##_run(void)

#define TestSuite(suite, ...)                                                                      \
    __attribute__((constructor)) static void suite##_add(void)                                     \
    {                                                                                              \
        static cr_plain_suite added = {.name = #suite, __VA_ARGS__};                               \
        cr_plain_add_suite(&added);                                                                \
    }                                                                                              \
    _Static_assert(1, "for the semicolon")

/* A NULL behind all arguments is the format where there is none, else one argument too many. */
#define CR_PLAIN_1(fatal, before, after, a, ...)                                                   \
    do {                                                                                           \
        if (!(before(a) after))                                                                    \
            cr_plain_failed(fatal, __FILE__, __LINE__, #before "(" #a ")" #after, __VA_ARGS__);    \
    } while (0)
#define CR_PLAIN_2(fatal, operator, a, b, ...)                                                     \
    do {                                                                                           \
        if (!((a) operator(b)))                                                                    \
            cr_plain_failed(fatal, __FILE__, __LINE__, #a " " #operator" " #b, __VA_ARGS__);       \
    } while (0)
#define CR_PLAIN_STRINGS(fatal, a, b, ...)                                                         \
    do {                                                                                           \
        if (strcmp(a, b) != 0)                                                                     \
            cr_plain_failed(fatal, __FILE__, __LINE__, #a " is " #b, __VA_ARGS__);                 \
    } while (0)

#define cr_assert(...)          CR_PLAIN_1(true, , , __VA_ARGS__, NULL)
#define cr_assert_not(...)      CR_PLAIN_1(true, !, , __VA_ARGS__, NULL)
#define cr_assert_null(...)     CR_PLAIN_1(true, , == NULL, __VA_ARGS__, NULL)
#define cr_assert_not_null(...) CR_PLAIN_1(true, , != NULL, __VA_ARGS__, NULL)
#define cr_assert_eq(...)       CR_PLAIN_2(true, ==, __VA_ARGS__, NULL)
#define cr_assert_neq(...)      CR_PLAIN_2(true, !=, __VA_ARGS__, NULL)
#define cr_assert_gt(...)       CR_PLAIN_2(true, >, __VA_ARGS__, NULL)
#define cr_assert_lt(...)       CR_PLAIN_2(true, <, __VA_ARGS__, NULL)
#define cr_assert_geq(...)      CR_PLAIN_2(true, >=, __VA_ARGS__, NULL)
#define cr_assert_leq(...)      CR_PLAIN_2(true, <=, __VA_ARGS__, NULL)
#define cr_assert_str_eq(...)   CR_PLAIN_STRINGS(true, __VA_ARGS__, NULL)
#define cr_assert_fail(...)     cr_plain_failed(true, __FILE__, __LINE__, "reached", __VA_ARGS__, NULL)

#define cr_expect(...)          CR_PLAIN_1(false, , , __VA_ARGS__, NULL)
#define cr_expect_not(...)      CR_PLAIN_1(false, !, , __VA_ARGS__, NULL)
#define cr_expect_null(...)     CR_PLAIN_1(false, , == NULL, __VA_ARGS__, NULL)
#define cr_expect_not_null(...) CR_PLAIN_1(false, , != NULL, __VA_ARGS__, NULL)
#define cr_expect_eq(...)       CR_PLAIN_2(false, ==, __VA_ARGS__, NULL)
#define cr_expect_neq(...)      CR_PLAIN_2(false, !=, __VA_ARGS__, NULL)
#define cr_expect_gt(...)       CR_PLAIN_2(false, >, __VA_ARGS__, NULL)
#define cr_expect_lt(...)       CR_PLAIN_2(false, <, __VA_ARGS__, NULL)
#define cr_expect_geq(...)      CR_PLAIN_2(false, >=, __VA_ARGS__, NULL)
#define cr_expect_leq(...)      CR_PLAIN_2(false, <=, __VA_ARGS__, NULL)
#define cr_expect_str_eq(...)   CR_PLAIN_STRINGS(false, __VA_ARGS__, NULL)

#endif
