/* What reads.c defines and trace.c calls: for each layout X and the raw structs below
 *     X_chain         sum of the nine numbers of a leaf, read through its root
 *     X_chain_store   the same; a store to *out between the fourth and the fifth
 *     X_chain_stores  the nine numbers, each stored to out before the next is read; the last one
 *     X_ten           sum of the ten numbers of one message
 *     X_gather        number 9 of the first n leaves into out
 * `p` is the message; n and out are for those that need them. */
#ifndef READS_H
#define READS_H

#include "reads.yaff.h"

#define READS_OF(X)                                                                                \
    uint64_t X##_chain(const void *p, size_t n, uint64_t *out);                                    \
    uint64_t X##_chain_store(const void *p, size_t n, uint64_t *out);                              \
    uint64_t X##_chain_stores(const void *p, size_t n, uint64_t *out);                             \
    uint64_t X##_ten(const void *p, size_t n, uint64_t *out);                                      \
    uint64_t X##_gather(const void *p, size_t n, uint64_t *out);
READS_OF(raw)
READS_OF(fixed)
READS_OF(dynamic)
READS_OF(flat)
READS_OF(sparse)

/* Sum of the hundred numbers of one message. */
uint64_t dynamic_hundred(const void *p, size_t n, uint64_t *out);
uint64_t flat_hundred(const void *p, size_t n, uint64_t *out);

typedef struct raws_leaf {
    uint64_t f1, f2, f3, f4, f5, f6, f7, f8, f9;
} raws_leaf;
typedef struct raws_mid {
    uint64_t id;
    const raws_leaf *child;
} raws_mid;
typedef struct raws_root {
    uint64_t id;
    const raws_mid *child;
} raws_root;
typedef struct raws_ten {
    uint64_t f1, f2, f3, f4, f5, f6, f7, f8, f9, f10;
} raws_ten;

typedef struct raws_many {
    const raws_leaf *leaves[40];
} raws_many;

#endif
