/* A plain runner for the tests: main() runs them all, or those whose suite::name contains an
 * argument. See criterion/criterion.h. */
#define _POSIX_C_SOURCE 200809L

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static cr_plain_suite *suites;
static cr_plain_test *tests, **last = &tests;
static size_t failures; /* of the test that runs */

void cr_plain_add_suite(cr_plain_suite *suite)
{
    suite->next = suites;
    suites = suite;
}

void cr_plain_add_test(cr_plain_test *test)
{
    *last = test;
    last = &test->next;
}

void cr_plain_failed(bool fatal, const char *file, int line, const char *what, const char *format,
                     ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: not true: %s", file, line, what);
    if (format) {
        va_start(arguments, format);
        fputs(": ", stderr);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
    }
    fputc('\n', stderr);
    failures++;
    if (!fatal) return;
    fflush(NULL);
    _exit(1);
}

void cr_log_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

static void run_in_child(const cr_plain_test *test)
{
    const cr_plain_suite *suite = suites;
    while (suite && strcmp(suite->name, test->suite) != 0) suite = suite->next;
    if (suite && suite->init) suite->init();
    test->run();
    if (suite && suite->fini) suite->fini();
    exit(failures ? 1 : 0);
}

static bool run(const cr_plain_test *test)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) run_in_child(test);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror(test->name);
        return false;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "FAILED %s::%s: signal %d\n", test->suite, test->name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "FAILED %s::%s\n", test->suite, test->name);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool wanted(const cr_plain_test *test, int argc, char **argv)
{
    char name[256];
    snprintf(name, sizeof name, "%s::%s", test->suite, test->name);
    for (int i = 1; i < argc; i++) {
        if (strstr(name, argv[i])) return true;
    }
    return argc < 2;
}

int main(int argc, char **argv)
{
    size_t count = 0, failed = 0;
    for (const cr_plain_test *test = tests; test; test = test->next) {
        if (!wanted(test, argc, argv)) continue;
        count++;
        failed += !run(test);
    }
    printf("%zu tests, %zu failed\n", count, failed);
    return failed || !count ? 1 : 0;
}
