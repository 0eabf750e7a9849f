// Linked into the second program, bench_count: counts what malloc and its kin are asked for. The
// first program does not pay for it. Needs glibc.
#include "bench.h"

#include <cstddef>

extern "C" {
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *block, std::size_t size);
void *__libc_memalign(std::size_t align, std::size_t size);

static bench::Allocations so_far;

static void count(std::size_t size)
{
    so_far.mallocs++;
    so_far.bytes += size;
}

void *malloc(std::size_t size) noexcept
{
    count(size);
    return __libc_malloc(size);
}

void *calloc(std::size_t n, std::size_t size) noexcept
{
    count(n * size);
    return __libc_calloc(n, size);
}

void *realloc(void *block, std::size_t size) noexcept
{
    if (block) {
        so_far.reallocs++;
        so_far.bytes += size;
    } else {
        count(size);
    }
    return __libc_realloc(block, size);
}

void *aligned_alloc(std::size_t align, std::size_t size) noexcept
{
    count(size);
    return __libc_memalign(align, size);
}
}

namespace bench {

Allocations allocations()
{
    return so_far;
}

bool counts_allocations()
{
    return true;
}

} // namespace bench
