// Reading all fields of messages of 10 and of 100 numbers, hot (8 records). The sum of a record is
// the address of the next one.
#include "bench.h"
#include "convert.h"
#include "numbers.h"
#include "peers.h"

#include <flat.yaff.h>
#include <flat_pinned.yaff.h>

#if BENCH_PROTOBUF_C
#include <flat.pb-c.h>
#endif
#if BENCH_PROTOBUF
#include <flat.pb.h>
#endif
#if BENCH_FLATBUFFERS
#include <flat_generated.h>
#endif
#if BENCH_CAPNP
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <flat.capnp.h>
#endif

namespace {

constexpr size_t RECORDS = 8;

// One pass over n records by `step`, from the first on; the answer is the number of the last.
template <class Step> bench::Run walk(std::shared_ptr<std::vector<const char *>> where, Step step)
{
    return [=](uint64_t n) {
        const char *p = (*where)[0];
        for (uint64_t i = 0; i < n; i++) p = reinterpret_cast<const char *>(step(p));
        for (size_t i = 0; i < RECORDS; i++)
            if ((*where)[i] == p) return i;
        return RECORDS;
    };
}

// The numbers of record i; the last makes the sum `target`.
std::vector<uint64_t> values(size_t fields, size_t i, uint64_t target)
{
    bench::Random random(i);
    std::vector<uint64_t> v(fields);
    v.back() = target;
    for (size_t k = 0; k + 1 < fields; k++) v.back() -= v[k] = random.next() | 1;
    return v;
}

std::string wire(const std::vector<uint64_t> &v)
{
    bench::Wire w;
    for (uint32_t k = 0; k < v.size(); k++) w.u64(k + 1, v[k]);
    return w.bytes;
}

// Adds a case whose records are bytes in one block: make(values) gives a record's.
template <class Make, class Step>
void add_bytes(bench::Group &g, const char *name, size_t fields, size_t shift, Make make, Step step)
{
    struct Kept {
        std::vector<const char *> where;
        std::vector<bench::Buffer> records;
    };
    auto kept = std::make_shared<Kept>();
    for (size_t i = 0; i < RECORDS; i++) {
        std::string bytes = make(values(fields, i, 1));
        kept->records.emplace_back(bytes.data(), bytes.size());
        kept->where.push_back(kept->records[i].data() + shift);
    }
    for (size_t i = 0; i < RECORDS; i++) {
        auto next = reinterpret_cast<uint64_t>(kept->where[(i + 3) % RECORDS]);
        std::string bytes = make(values(fields, i, next));
        bench::expect(bytes.size() == kept->records[i].size(), "records of one size");
        std::memcpy(const_cast<char *>(kept->records[i].data()), bytes.data(), bytes.size());
    }
    g.add(name, walk({kept, &kept->where}, step));
}

// Adds a case whose records are objects: make(values) gives a shared pointer, set_last(object, v)
// changes the last number.
template <class Make, class Set, class Step>
void add_objects(bench::Group &g, const char *name, size_t fields, Make make, Set set_last,
                 Step step)
{
    auto first = make(values(fields, 0, 1));
    struct Kept {
        std::vector<const char *> where;
        std::vector<decltype(first)> records;
    };
    auto kept = std::make_shared<Kept>();
    for (size_t i = 0; i < RECORDS; i++) {
        kept->records.push_back(make(values(fields, i, 1)));
        kept->where.push_back(reinterpret_cast<const char *>(kept->records[i].get()));
    }
    for (size_t i = 0; i < RECORDS; i++) {
        auto next = reinterpret_cast<uint64_t>(kept->where[(i + 3) % RECORDS]);
        set_last(kept->records[i].get(), values(fields, i, next).back());
    }
    g.add(name, walk({kept, &kept->where}, step));
}

template <class Step>
void add_yaff(bench::Group &g, const char *name, size_t fields, const yaff_type &type, Step step)
{
    bench::Converter converter;
    auto make = [&](const std::vector<uint64_t> &v) {
        converter.convert(type, wire(v));
        return std::string(converter.data(), converter.size());
    };
    size_t shift = yaff_load32(make(values(fields, 0, 1)).data() + 4);
    add_bytes(g, name, fields, shift, make, step);
}

// A sum of all fields in four parts, so that the reads and not one chain of additions take the
// time; or in one.
struct Sum {
    uint64_t part[4] = {};
    template <bool parts> void add(unsigned k, uint64_t v) { part[parts ? k % 4 : 0] += v; }
    template <bool parts> uint64_t total()
    {
        // Opaque to the compiler, which would make one chain of them again.
        if (parts) asm("" : "+r"(part[0]), "+r"(part[1]), "+r"(part[2]), "+r"(part[3]));
        return part[0] + part[1] + part[2] + part[3];
    }
};

// The steps and cases for messages of N fields; UP_TO_N lists their numbers.
#define ADD_FIELD(k) sum.add<parts>(k, m->f##k);
#define ADD_METHOD(k) sum.add<parts>(k, m->f##k());
#define ADD_CAPNP(k) sum.add<parts>(k, m.getF##k());
#define ADD_10(k) sum.add<parts>(k, flat_U10_f##k(m));
#define ADD_100(k) sum.add<parts>(k, flat_U100_f##k(m));
#define ADD_FLAT_10(k) sum.add<parts>(k, flat_FlatU10_f##k(m));
#define ADD_FLAT_100(k) sum.add<parts>(k, flat_FlatU100_f##k(m));
#define SET_CAPNP(k) m.setF##k(v[k - 1]);
#define SET_FB(k) m.add_f##k(v[k - 1]);
#define DECLARE_FIELD(k) uint64_t f##k;

// From the address of a record to its sum: `open` gives m, a pointer or reader, from p.
#define STEP(open, fields)                                                                         \
    [](const char *p) -> uint64_t {                                                                \
        auto m = open;                                                                             \
        Sum sum;                                                                                   \
        fields return sum.total<parts>();                                                          \
    }
#define AS(type) reinterpret_cast<const type *>(p)

#define DEFINE_GROUP(N)                                                                            \
    struct Raw##N {                                                                                \
        UP_TO_##N(DECLARE_FIELD)                                                                   \
    };                                                                                             \
    template <bool parts> void own_##N(bench::Group &g)                                            \
    {                                                                                              \
        auto raw = [](const std::vector<uint64_t> &v) {                                            \
            return std::string(reinterpret_cast<const char *>(v.data()), sizeof(Raw##N));          \
        };                                                                                         \
        add_bytes(g, "raw struct", N, 0, raw, STEP(AS(Raw##N), UP_TO_##N(ADD_FIELD)));             \
        add_yaff(g, "yaff Flat", N, flat_FlatU##N##_yaff_type,                                     \
                 STEP(AS(flat_FlatU##N), UP_TO_##N(ADD_FLAT_##N)));                                \
        add_yaff(g, "yaff Dynamic", N, flat_U##N##_yaff_type,                                      \
                 STEP(AS(flat_U##N), UP_TO_##N(ADD_##N)));                                         \
        add_yaff(g, "yaff Dynamic, fields()", N, flat_U##N##_yaff_type,                            \
                 STEP(flat_U##N##_fields(AS(flat_U##N)); if (!m) return 0, UP_TO_##N(ADD_FIELD))); \
    }
DEFINE_GROUP(10)
DEFINE_GROUP(100)

#if BENCH_FLATBUFFERS
#define DEFINE_FB(N)                                                                               \
    template <bool parts> void fb_##N(bench::Group &g)                                             \
    {                                                                                              \
        auto make = [](const std::vector<uint64_t> &v) {                                           \
            flatbuffers::FlatBufferBuilder b;                                                      \
            fb::flat::U##N##Builder m(b);                                                          \
            UP_TO_##N(SET_FB) b.Finish(m.Finish());                                                \
            return std::string(reinterpret_cast<const char *>(b.GetBufferPointer()), b.GetSize()); \
        };                                                                                         \
        std::string first = make(values(N, 0, 1));                                                 \
        add_bytes(g, "FlatBuffers", N,                                                             \
                  flatbuffers::ReadScalar<flatbuffers::uoffset_t>(first.data()), make,             \
                  STEP(AS(fb::flat::U##N), UP_TO_##N(ADD_METHOD)));                                \
    }
DEFINE_FB(10)
DEFINE_FB(100)
#endif

#if BENCH_CAPNP
#define DEFINE_CAPNP(N)                                                                            \
    template <bool parts> void capnp_##N(bench::Group &g)                                          \
    {                                                                                              \
        auto make = [](const std::vector<uint64_t> &v) {                                           \
            capnp::MallocMessageBuilder b;                                                         \
            auto m = b.initRoot<cp::flat::U##N>();                                                 \
            UP_TO_##N(SET_CAPNP) auto bytes = b.getSegmentsForOutput()[0].asBytes();               \
            return std::string(reinterpret_cast<const char *>(bytes.begin()), bytes.size());       \
        };                                                                                         \
        add_bytes(g, "Cap'n Proto, unchecked", N, 0, make,                                         \
                  STEP(capnp::readMessageUnchecked<cp::flat::U##N>(AS(capnp::word)),               \
                       UP_TO_##N(ADD_CAPNP)));                                                     \
    }
DEFINE_CAPNP(10)
DEFINE_CAPNP(100)
#endif

#if BENCH_PROTOBUF_C
#define DEFINE_PBC(N, Type, prefix)                                                                \
    template <bool parts> void pbc_##N(bench::Group &g)                                            \
    {                                                                                              \
        auto make = [](const std::vector<uint64_t> &v) {                                           \
            std::string bytes = wire(v);                                                           \
            auto data = reinterpret_cast<const uint8_t *>(bytes.data());                           \
            return std::shared_ptr<Type>(prefix##__unpack(nullptr, bytes.size(), data),            \
                                         [](Type *m) { prefix##__free_unpacked(m, nullptr); });    \
        };                                                                                         \
        add_objects(                                                                               \
            g, "protobuf-c, unpacked", N, make, [](Type *m, uint64_t v) { m->f##N = v; },          \
            STEP(AS(Type), UP_TO_##N(ADD_FIELD)));                                                 \
    }
DEFINE_PBC(10, Flat__U10, flat__u10)
DEFINE_PBC(100, Flat__U100, flat__u100)
#endif

#if BENCH_PROTOBUF
#define DEFINE_PB(N)                                                                               \
    template <bool parts> void pb_##N(bench::Group &g)                                             \
    {                                                                                              \
        auto make = [](const std::vector<uint64_t> &v) {                                           \
            auto m = std::make_shared<flat::U##N>();                                               \
            bench::expect(m->ParseFromString(wire(v)), "parsing");                                 \
            return m;                                                                              \
        };                                                                                         \
        add_objects(                                                                               \
            g, "protobuf C++, parsed", N, make, [](flat::U##N *m, uint64_t v) { m->set_f##N(v); }, \
            STEP(AS(flat::U##N), UP_TO_##N(ADD_METHOD)));                                          \
    }
DEFINE_PB(10)
DEFINE_PB(100)
#endif

#define DECLARE(N, parts, name, how)                                                               \
    bench::declare("read/flat/" name, [](bench::Group &g) {                                        \
        g.note = "All " #N " uint64 fields are read and summed up in " how "; 8 records.";         \
        own_##N<parts>(g);                                                                         \
        IF_FLATBUFFERS(fb_##N<parts>(g);)                                                          \
        IF_CAPNP(capnp_##N<parts>(g);)                                                             \
        IF_PROTOBUF_C(pbc_##N<parts>(g);)                                                          \
        IF_PROTOBUF(pb_##N<parts>(g);)                                                             \
    })

bool declared = DECLARE(10, false, "10", "one chain of additions") &&
                DECLARE(10, true, "10-parts", "four parts") &&
                DECLARE(100, false, "100", "one chain of additions") &&
                DECLARE(100, true, "100-parts", "four parts");

} // namespace
