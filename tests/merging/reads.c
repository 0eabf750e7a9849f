/* The reads that trace.c traces, once for raw structs and once for each layout. X_LEAF(root) is the
 * whole chain from a root to its leaf, written out for every field as code without local variables
 * does. */
#include "reads.h"

#define raw_LEAF(root) (root)->child->child
#define raw_F(leaf, k) (leaf)->f##k
#define raw_T(m, k) (m)->f##k
#define raw_MANY(m, n, out) raw_gather_f9(m, n, out)

static size_t raw_gather_f9(const raws_many *m, size_t n, uint64_t *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = m->leaves[i]->f9;
    return n;
}

#define dynamic_LEAF(root) reads_DynamicMid_child(reads_DynamicRoot_child(root))
#define dynamic_F(leaf, k) reads_DynamicLeaf_f##k(leaf)
#define dynamic_T(m, k) reads_DynamicTen_f##k(m)
#define dynamic_MANY(m, n, out)                                                                    \
    reads_DynamicLeaf_f9_gather(reads_DynamicMany_leaves_array(m), 0, n, out)

#define flat_LEAF(root) reads_FlatMid_child(reads_FlatRoot_child(root))
#define flat_F(leaf, k) reads_FlatLeaf_f##k(leaf)
#define flat_T(m, k) reads_FlatTen_f##k(m)
#define flat_MANY(m, n, out) reads_FlatLeaf_f9_gather(reads_FlatMany_leaves_array(m), 0, n, out)

#define sparse_LEAF(root) reads_SparseMid_child(reads_SparseRoot_child(root))
#define sparse_F(leaf, k) reads_SparseLeaf_f##k(leaf)
#define sparse_T(m, k) reads_SparseTen_f##k(m)
#define sparse_MANY(m, n, out)                                                                     \
    reads_SparseLeaf_f9_gather(reads_SparseMany_leaves_array(m), 0, n, out)

#define fixed_LEAF(root) reads_FixedMid_child(reads_FixedRoot_child(root))
#define fixed_F(leaf, k) reads_FixedLeaf_f##k(leaf)
#define fixed_T(m, k) reads_FixedTen_f##k(m)
#define fixed_MANY(m, n, out) reads_FixedLeaf_f9_gather(reads_FixedMany_leaves_array(m), 0, n, out)

#define READS(X, ROOT, TEN, MANY)                                                                  \
    uint64_t X##_chain(const void *p, size_t n, uint64_t *out)                                     \
    {                                                                                              \
        const ROOT *root = (const ROOT *)p;                                                        \
        (void)n, (void)out;                                                                        \
        return X##_F(X##_LEAF(root), 1) + X##_F(X##_LEAF(root), 2) + X##_F(X##_LEAF(root), 3) +    \
               X##_F(X##_LEAF(root), 4) + X##_F(X##_LEAF(root), 5) + X##_F(X##_LEAF(root), 6) +    \
               X##_F(X##_LEAF(root), 7) + X##_F(X##_LEAF(root), 8) + X##_F(X##_LEAF(root), 9);     \
    }                                                                                              \
    uint64_t X##_chain_store(const void *p, size_t n, uint64_t *out)                               \
    {                                                                                              \
        const ROOT *root = (const ROOT *)p;                                                        \
        uint64_t sum = X##_F(X##_LEAF(root), 1) + X##_F(X##_LEAF(root), 2) +                       \
                       X##_F(X##_LEAF(root), 3) + X##_F(X##_LEAF(root), 4);                        \
        (void)n;                                                                                   \
        *out = sum;                                                                                \
        return sum + X##_F(X##_LEAF(root), 5) + X##_F(X##_LEAF(root), 6) +                         \
               X##_F(X##_LEAF(root), 7) + X##_F(X##_LEAF(root), 8) + X##_F(X##_LEAF(root), 9);     \
    }                                                                                              \
    uint64_t X##_chain_stores(const void *p, size_t n, uint64_t *out)                              \
    {                                                                                              \
        const ROOT *root = (const ROOT *)p;                                                        \
        (void)n;                                                                                   \
        out[0] = X##_F(X##_LEAF(root), 1), out[1] = X##_F(X##_LEAF(root), 2);                      \
        out[2] = X##_F(X##_LEAF(root), 3), out[3] = X##_F(X##_LEAF(root), 4);                      \
        out[4] = X##_F(X##_LEAF(root), 5), out[5] = X##_F(X##_LEAF(root), 6);                      \
        out[6] = X##_F(X##_LEAF(root), 7), out[7] = X##_F(X##_LEAF(root), 8);                      \
        return out[8] = X##_F(X##_LEAF(root), 9);                                                  \
    }                                                                                              \
    uint64_t X##_ten(const void *p, size_t n, uint64_t *out)                                       \
    {                                                                                              \
        const TEN *m = (const TEN *)p;                                                             \
        (void)n, (void)out;                                                                        \
        return X##_T(m, 1) + X##_T(m, 2) + X##_T(m, 3) + X##_T(m, 4) + X##_T(m, 5) + X##_T(m, 6) + \
               X##_T(m, 7) + X##_T(m, 8) + X##_T(m, 9) + X##_T(m, 10);                             \
    }                                                                                              \
    uint64_t X##_gather(const void *p, size_t n, uint64_t *out)                                    \
    {                                                                                              \
        return X##_MANY((const MANY *)p, n, out);                                                  \
    }

READS(raw, raws_root, raws_ten, raws_many)
READS(fixed, reads_FixedRoot, reads_FixedTen, reads_FixedMany)
READS(dynamic, reads_DynamicRoot, reads_DynamicTen, reads_DynamicMany)
READS(flat, reads_FlatRoot, reads_FlatTen, reads_FlatMany)
READS(sparse, reads_SparseRoot, reads_SparseTen, reads_SparseMany)

/* A hundred in one function, which is more than a compiler cares to inline if each is long. */
#define TENTH(F, i)                                                                                \
    F(i##1) + F(i##2) + F(i##3) + F(i##4) + F(i##5) + F(i##6) + F(i##7) + F(i##8) + F(i##9)
#define HUNDRED(F)                                                                                 \
    TENTH(F, ) + F(10) + TENTH(F, 1) + F(20) + TENTH(F, 2) + F(30) + TENTH(F, 3) + F(40) +         \
        TENTH(F, 4) + F(50) + TENTH(F, 5) + F(60) + TENTH(F, 6) + F(70) + TENTH(F, 7) + F(80) +    \
        TENTH(F, 8) + F(90) + TENTH(F, 9) + F(100)

uint64_t dynamic_hundred(const void *p, size_t n, uint64_t *out)
{
    (void)n, (void)out;
#define F(k) reads_DynamicHundred_f##k((const reads_DynamicHundred *)p)
    return HUNDRED(F);
#undef F
}

uint64_t flat_hundred(const void *p, size_t n, uint64_t *out)
{
    (void)n, (void)out;
#define F(k) reads_FlatHundred_f##k((const reads_FlatHundred *)p)
    return HUNDRED(F);
#undef F
}
