// What sparse.cc and sparse_yaff.cc share: what a field adds to the answer, and the reads of yaff
// messages.
#ifndef YAFF_BENCH_SPARSE_H
#define YAFF_BENCH_SPARSE_H

#include "mixed.h"
#include "peers.h"

#include <mixed.yaff.h>
#include <mixed_pinned.yaff.h>

#include <cstdint>
#include <cstring>

namespace sparse {

// All fields of one message.
uint64_t read_flat(const mixed_FlatMixed *m);
uint64_t read_sparse(const mixed_SparseMixed *m);
uint64_t read_dynamic(const mixed_Mixed *m);

// What a field adds to the answer: a number its bits, text its first byte, bytes their length and
// first byte.
template <class T> uint64_t bits(T v)
{
    uint64_t b = 0;
    std::memcpy(&b, &v, sizeof v);
    return b;
}
inline uint64_t of_bytes(const void *data, size_t size)
{
    return size ? size + *static_cast<const unsigned char *>(data) : 0;
}
inline uint64_t of_text(const char *data)
{
    return static_cast<unsigned char>(data[0]);
}

// All fields of message m in one format, whose field k of a type is READ_type(k).
#define READ(type, k) +READ_##type(k)

#define READ_u64(k) bits(GET(k))
#define READ_i32(k) bits(GET(k))
#define READ_f64(k) bits(GET(k))
#define READ_flag(k) bits(GET(k))
#define READ_i64(k) bits(GET(k))
#define READ_f32(k) bits(GET(k))
#define READ_u32(k) bits(GET(k))

} // namespace sparse

#endif
