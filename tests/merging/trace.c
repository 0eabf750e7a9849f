/* Runs each function of reads.c on a message that is stored as its layout wants it, one instruction
 * at a time with the processor's trap flag, and prints the addresses of all that were executed:
 * "function answer n" and then one address a line. */
#define _GNU_SOURCE /* REG_RIP */
#include "reads.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

typedef uint64_t (*read_function)(const void *p, size_t n, uint64_t *out);

enum { MANY = 40, MOST_STEPS = 100000 };

static uintptr_t steps[MOST_STEPS];
static volatile size_t step_count;

static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (step_count < MOST_STEPS) steps[step_count++] = at;
}

/* The flag is set and cleared in the function that calls, below the red zone. */
#define FLAGS(change) "sub $128, %%rsp\n pushfq\n " change ", (%%rsp)\n popfq\n add $128, %%rsp\n"

__attribute__((noinline)) static uint64_t traced(read_function f, const void *p, size_t n,
                                                 uint64_t *out)
{
    uint64_t answer;
    __asm__ volatile(FLAGS("orq $0x100")::: "memory", "cc");
    answer = f(p, n, out);
    __asm__ volatile(FLAGS("andq $~0x100")::: "memory", "cc");
    return answer;
}

static void run(const char *name, read_function f, const void *p, size_t n, uint64_t expected)
{
    uint64_t out[MANY], answer;
    step_count = 0;
    answer = traced(f, p, n, out);
    if (answer != expected) {
        fprintf(stderr, "%s: %" PRIu64 " instead of %" PRIu64 "\n", name, answer, expected);
        exit(1);
    }
    printf("%s %zu\n", name, n);
    for (size_t i = 0; i < step_count; i++) printf("%" PRIxPTR "\n", steps[i]);
}

/* ---- Messages: all layouts have the same wire bytes. Lengths and values are below 128. ---- */

static size_t put_numbers(uint8_t *to, uint8_t count)
{
    uint8_t *p = to;
    for (uint8_t i = 1; i <= count; i++) {
        *p++ = (uint8_t)(i << 3 | (i < 16 ? 0 : 0x80));
        if (i >= 16) *p++ = i >> 4;
        *p++ = i;
    }
    return (size_t)(p - to);
}

static size_t put_parent(uint8_t *to, size_t child_size)
{
    memmove(to + 4, to, child_size);
    to[0] = 1 << 3;
    to[1] = 7;
    to[2] = 2 << 3 | 2;
    to[3] = (uint8_t)child_size;
    return child_size + 4;
}

static const void *message(const yaff_type *type, const uint8_t *wire, size_t size)
{
    yaff_builder *b = yaff_builder_new(NULL); /* kept: the message lies in it */
    if (!b || yaff_from_wire(b, type, wire, size, NULL, NULL) != YAFF_OK) {
        fprintf(stderr, "%s: not converted\n", type->name);
        exit(1);
    }
    return yaff_buffer_root(yaff_builder_data(b), type->instance);
}

static void run_all(const char *layout, const read_function functions[5], const void *root,
                    const void *ten, const void *many)
{
    char name[40];
    snprintf(name, sizeof name, "%s_chain", layout);
    run(name, functions[0], root, 0, 45);
    snprintf(name, sizeof name, "%s_chain_store", layout);
    run(name, functions[1], root, 0, 45);
    snprintf(name, sizeof name, "%s_chain_stores", layout);
    run(name, functions[2], root, 0, 9);
    snprintf(name, sizeof name, "%s_ten", layout);
    run(name, functions[3], ten, 0, 55);
    snprintf(name, sizeof name, "%s_gather", layout);
    run(name, functions[4], many, MANY / 2, MANY / 2);
    run(name, functions[4], many, MANY, MANY);
}

int main(void)
{
    static uint8_t root[64], ten[64], hundred[512], many[64 * MANY];
    size_t root_size = put_numbers(root, 9), ten_size = put_numbers(ten, 10), many_size = 0;
    size_t hundred_size = put_numbers(hundred, 100);
    for (int i = 0; i < MANY; i++) {
        uint8_t *to = many + many_size;
        to[0] = 1 << 3 | 2;
        to[1] = 18;
        many_size += 2 + put_numbers(to + 2, 9);
    }
    root_size = put_parent(root, root_size);
    root_size = put_parent(root, root_size);

    static const raws_leaf leaf = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const raws_mid mid = {7, &leaf};
    static const raws_root raw = {7, &mid};
    static const raws_ten raw_tens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static raws_many leaves;
    for (int i = 0; i < MANY; i++) leaves.leaves[i] = &leaf;

    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGTRAP, &action, NULL) != 0) return 1;

#define FUNCTIONS(X)                                                                               \
    (const read_function[]){X##_chain, X##_chain_store, X##_chain_stores, X##_ten, X##_gather}
#define LAYOUT(X, PREFIX)                                                                          \
    run_all(#X, FUNCTIONS(X), message(&PREFIX##Root_yaff_type, root, root_size),                   \
            message(&PREFIX##Ten_yaff_type, ten, ten_size),                                        \
            message(&PREFIX##Many_yaff_type, many, many_size))
    run_all("raw", FUNCTIONS(raw), &raw, &raw_tens, &leaves);
    LAYOUT(fixed, reads_Fixed);
    LAYOUT(dynamic, reads_Dynamic);
    LAYOUT(flat, reads_Flat);
    LAYOUT(sparse, reads_Sparse);
    run("dynamic_hundred", dynamic_hundred,
        message(&reads_DynamicHundred_yaff_type, hundred, hundred_size), 0, 5050);
    run("flat_hundred", flat_hundred, message(&reads_FlatHundred_yaff_type, hundred, hundred_size),
        0, 5050);
    return 0;
}
