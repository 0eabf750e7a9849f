// Data for mixed.proto and for the messages of sizes.proto: wire bytes with some of the fields.
#ifndef YAFF_BENCH_MIXED_H
#define YAFF_BENCH_MIXED_H

#include "bench.h"
#include "numbers.h"

namespace mixed_data {

inline void put_u64(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.u64(k, r.number() | 1);
}
inline void put_i32(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.u64(k, r.between(1, 3));
}
inline void put_str(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.str(k, r.text(1, 24));
}
inline void put_f64(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.fixed(k, r.real() + 1);
}
inline void put_flag(bench::Wire &w, bench::Random &, uint32_t k)
{
    w.u64(k, 1);
}
inline void put_i64(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.s64(k, static_cast<int64_t>(r.number() | 1));
}
inline void put_f32(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.fixed(k, static_cast<float>(r.real() + 1));
}
inline void put_u32(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.u64(k, (r.next() >> r.between(32, 60)) | 1);
}
inline void put_bytes(bench::Wire &w, bench::Random &r, uint32_t k)
{
    w.str(k, r.data(r.between(1, 24)));
}

// Each field is there with a chance of `percent`.
#define MIXED_PUT(type, k)                                                                         \
    if (r.chance(percent)) put_##type(w, r, k);
inline std::string fifty(bench::Random &r, unsigned percent)
{
    bench::Wire w;
    MIXED_50(MIXED_PUT)
    return w.bytes;
}
inline std::string forty(bench::Random &r, unsigned percent)
{
    bench::Wire w;
    MIXED_40(MIXED_PUT)
    return w.bytes;
}
#undef MIXED_PUT

inline std::string numbers(bench::Random &r, unsigned percent, uint32_t fields)
{
    bench::Wire w;
    for (uint32_t k = 1; k <= fields; k++)
        if (r.chance(percent)) w.u64(k, r.next() | 1);
    return w.bytes;
}

} // namespace mixed_data

// From a yaff message, whose field k is GET(k), to arguments of FlatBuffers' Create… and to calls
// of Cap'n Proto's setters on `m`.
#define FB_ARG(type, k) FB_ARG_##type(k)
#define FB_ARG_u64(k) , GET(k)
#define FB_ARG_i32(k) , GET(k)
#define FB_ARG_str(k)                                                                              \
    , GET(k).size ? b.CreateString(GET(k).data, GET(k).size)                                       \
                  : flatbuffers::Offset<flatbuffers::String>()
#define FB_ARG_f64(k) , GET(k)
#define FB_ARG_flag(k) , GET(k)
#define FB_ARG_i64(k) , GET(k)
#define FB_ARG_f32(k) , GET(k)
#define FB_ARG_u32(k) , GET(k)
#define FB_ARG_bytes(k)                                                                            \
    , GET(k).size ? b.CreateVector(reinterpret_cast<const uint8_t *>(GET(k).data), GET(k).size)    \
                  : flatbuffers::Offset<flatbuffers::Vector<uint8_t>>()

#define CAPNP_SET(type, k) CAPNP_SET_##type(k)
#define CAPNP_SET_u64(k) m.setF##k(GET(k));
#define CAPNP_SET_i32(k) m.setF##k(GET(k));
#define CAPNP_SET_str(k)                                                                           \
    if (GET(k).size) m.setF##k(capnp::Text::Reader(GET(k).data, GET(k).size));
#define CAPNP_SET_f64(k) m.setF##k(GET(k));
#define CAPNP_SET_flag(k) m.setF##k(GET(k));
#define CAPNP_SET_i64(k) m.setF##k(GET(k));
#define CAPNP_SET_f32(k) m.setF##k(GET(k));
#define CAPNP_SET_u32(k) m.setF##k(GET(k));
#define CAPNP_SET_bytes(k)                                                                         \
    if (GET(k).size)                                                                               \
        m.setF##k(                                                                                 \
            capnp::Data::Reader(reinterpret_cast<const kj::byte *>(GET(k).data), GET(k).size));

#endif
