// What hier.cc, hier_plain.cc and hier_immutable.cc share: the ways to read the nine numbers of a
// leaf that lies three levels down, written once for all formats. The sum of the nine is the
// address of the next record, so no two records overlap in time.
#ifndef YAFF_BENCH_HIER_H
#define YAFF_BENCH_HIER_H

#include <cstdint>

namespace hierarchy {

enum Way { CHAIN, CHAIN_STORE, CHAIN_STORES, CACHED, CACHED_STORES, WAYS };

// Walks n records from p on; `out` takes the stores.
using Walk = const char *(*)(const char *p, uint64_t n, uint64_t *out);

struct Walks {
    const char *name;
    Walk ways[WAYS];
};

template <uint64_t (*step)(const char *, uint64_t *)>
const char *walk(const char *p, uint64_t n, uint64_t *out)
{
    for (; n; n--) p = reinterpret_cast<const char *>(step(p, out));
    return p;
}

// For each format X: X_ROOT(p), the root at a record's address; X_LEAF(root), the chain from the
// root to its leaf; and X_F(leaf, k), number k of a leaf. WALKS(X) writes the chain out nine times,
// as code without local variables does; the cached ways keep the leaf in a variable; the ways with
// a store write a number to memory that could be anywhere, once half-way or before each further
// read.
#define SUM(F, L)                                                                                  \
    (F(L, 1) + F(L, 2) + F(L, 3) + F(L, 4) + F(L, 5) + F(L, 6) + F(L, 7) + F(L, 8) + F(L, 9))
#define SUM_STORES(F, L)                                                                           \
    uint64_t s = 0;                                                                                \
    s += out[0] = F(L, 1), s += out[1] = F(L, 2), s += out[2] = F(L, 3), s += out[3] = F(L, 4);    \
    s += out[4] = F(L, 5), s += out[5] = F(L, 6), s += out[6] = F(L, 7), s += out[7] = F(L, 8);    \
    s += out[8] = F(L, 9);                                                                         \
    return s
#define SUM_STORE(F, L)                                                                            \
    uint64_t s = F(L, 1) + F(L, 2) + F(L, 3) + F(L, 4);                                            \
    out[0] = s;                                                                                    \
    return s + F(L, 5) + F(L, 6) + F(L, 7) + F(L, 8) + F(L, 9)
#define WALKS(X)                                                                                   \
    static uint64_t X##_chain(const char *p, uint64_t *)                                           \
    {                                                                                              \
        auto root = X##_ROOT(p);                                                                   \
        return SUM(X##_F, X##_LEAF(root));                                                         \
    }                                                                                              \
    static uint64_t X##_chain_store(const char *p, uint64_t *out)                                  \
    {                                                                                              \
        auto root = X##_ROOT(p);                                                                   \
        SUM_STORE(X##_F, X##_LEAF(root));                                                          \
    }                                                                                              \
    static uint64_t X##_chain_stores(const char *p, uint64_t *out)                                 \
    {                                                                                              \
        auto root = X##_ROOT(p);                                                                   \
        SUM_STORES(X##_F, X##_LEAF(root));                                                         \
    }                                                                                              \
    static uint64_t X##_cached(const char *p, uint64_t *)                                          \
    {                                                                                              \
        auto root = X##_ROOT(p);                                                                   \
        auto leaf = X##_LEAF(root);                                                                \
        return SUM(X##_F, leaf);                                                                   \
    }                                                                                              \
    static uint64_t X##_cached_stores(const char *p, uint64_t *out)                                \
    {                                                                                              \
        auto root = X##_ROOT(p);                                                                   \
        auto leaf = X##_LEAF(root);                                                                \
        SUM_STORES(X##_F, leaf);                                                                   \
    }
#define WALKS_OF(name, X)                                                                          \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            walk<X##_chain>, walk<X##_chain_store>, walk<X##_chain_stores>, walk<X##_cached>,      \
                walk<X##_cached_stores>                                                            \
        }                                                                                          \
    }

// The walks that hier_plain.cc compiles, and hier_immutable.cc with YAFF_IMMUTABLE_VIEWS.
struct Plain {
    Walks flat, dynamic, view, fields, sparse, wide;
};
extern const Plain plain;
struct Immutable {
    Walks flat, dynamic, sparse, wide;
};
extern const Immutable immutable;

} // namespace hierarchy

#endif
