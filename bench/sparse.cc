// Reading all of 50 mixed fields, of which a message has 5, 25, 50, 75 or 100 %: 1,000 different
// messages.
#include "sparse.h"
#include "bench.h"
#include "convert.h"

#if BENCH_PROTOBUF_C
#include <mixed.pb-c.h>
#endif
#if BENCH_PROTOBUF
#include <mixed.pb.h>
#endif
#if BENCH_FLATBUFFERS
#include <mixed_generated.h>
#endif
#if BENCH_CAPNP
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <mixed.capnp.h>
#endif

namespace sparse {
namespace {

using sparse::of_bytes; // to which peers add
using sparse::of_text;

constexpr size_t MESSAGES = 1000;

// Adds a case that reads one message after another: read(i) is the sum of message i.
template <class Read> void add(bench::Group &g, const char *name, Read read)
{
    g.add(name, [=](uint64_t n) {
        uint64_t s = 0;
        for (uint64_t done = 0; done < n; done += MESSAGES)
            for (size_t i = 0; i < MESSAGES; i++) s += read(i);
        return s;
    });
}

// ---- the raw struct

#define READ_str(k) of_text(GET(k).data)
#define READ_bytes(k) of_bytes(GET(k).data, GET(k).size)

#define GET(k) m->f##k
struct Text {
    const char *data;
    size_t size;
};
#define RAW_FIELD(type, k) RAW_##type f##k;
#define RAW_u64 uint64_t
#define RAW_i32 int32_t
#define RAW_str Text
#define RAW_f64 double
#define RAW_flag bool
#define RAW_i64 int64_t
#define RAW_f32 float
#define RAW_u32 uint32_t
#define RAW_bytes Text
struct Raw {
    MIXED_50(RAW_FIELD)
};
uint64_t read_raw(const Raw *m)
{
    return 0 MIXED_50(READ);
}
#undef GET

// The other forms are made from a Dynamic message, `from`.
#define GET(k) mixed_Mixed_f##k(from)
#define RAW_SET(type, k) RAW_SET_##type(k)
#define RAW_SET_u64(k) raw.f##k = GET(k);
#define RAW_SET_i32(k) raw.f##k = GET(k);
#define RAW_SET_str(k) raw.f##k = {GET(k).data, GET(k).size};
#define RAW_SET_f64(k) raw.f##k = GET(k);
#define RAW_SET_flag(k) raw.f##k = GET(k);
#define RAW_SET_i64(k) raw.f##k = GET(k);
#define RAW_SET_f32(k) raw.f##k = GET(k);
#define RAW_SET_u32(k) raw.f##k = GET(k);
#define RAW_SET_bytes(k) raw.f##k = {GET(k).data, GET(k).size};
Raw to_raw(const mixed_Mixed *from)
{
    Raw raw;
    MIXED_50(RAW_SET)
    return raw;
}

#if BENCH_FLATBUFFERS
bench::Buffer to_flatbuffer(const mixed_Mixed *from)
{
    flatbuffers::FlatBufferBuilder b;
    b.Finish(fb::mixed::CreateMixed(b MIXED_50(FB_ARG)));
    return bench::Buffer(b.GetBufferPointer(), b.GetSize());
}
#endif

#if BENCH_CAPNP
bench::Buffer to_capnp(const mixed_Mixed *from)
{
    capnp::MallocMessageBuilder b;
    auto m = b.initRoot<cp::mixed::Mixed>();
    MIXED_50(CAPNP_SET)
    auto bytes = b.getSegmentsForOutput()[0].asBytes();
    return bench::Buffer(bytes.begin(), bytes.size());
}
#endif
#undef GET
#undef READ_str
#undef READ_bytes

// ---- the peers

#if BENCH_PROTOBUF_C
#define GET(k) m->f##k
#define READ_str(k) of_text(GET(k))
#define READ_bytes(k) of_bytes(GET(k).data, GET(k).len)
#undef READ_flag
#define READ_flag(k) (m->f##k ? 1 : 0)
uint64_t read_pbc(const Mixed__Mixed *m)
{
    return 0 MIXED_50(READ);
}
#undef READ_flag
#define READ_flag(k) bits(GET(k))
#undef GET
#undef READ_str
#undef READ_bytes
#endif

#if BENCH_PROTOBUF
#define GET(k) m->f##k()
#define READ_str(k) of_text(GET(k).c_str())
#define READ_bytes(k) of_bytes(GET(k).data(), GET(k).size())
uint64_t read_pb(const mixed::Mixed *m)
{
    return 0 MIXED_50(READ);
}
#undef GET
#undef READ_str
#undef READ_bytes
#endif

#if BENCH_FLATBUFFERS
uint64_t of_text(const flatbuffers::String *s)
{
    return s ? of_text(s->c_str()) : 0;
}
uint64_t of_bytes(const flatbuffers::Vector<uint8_t> *v)
{
    return v ? of_bytes(v->data(), v->size()) : 0;
}
#define GET(k) m->f##k()
#define READ_str(k) of_text(GET(k))
#define READ_bytes(k) of_bytes(GET(k))
uint64_t read_fb(const fb::mixed::Mixed *m)
{
    return 0 MIXED_50(READ);
}
#undef GET
#undef READ_str
#undef READ_bytes
#endif

#if BENCH_CAPNP
uint64_t of_text(capnp::Text::Reader t)
{
    return of_text(t.begin());
}
uint64_t of_bytes(capnp::Data::Reader d)
{
    return of_bytes(d.begin(), d.size());
}
#define GET(k) m.getF##k()
#define READ_str(k) of_text(GET(k))
#define READ_bytes(k) of_bytes(GET(k))
uint64_t read_capnp(const char *p)
{
    auto m =
        capnp::readMessageUnchecked<cp::mixed::Mixed>(reinterpret_cast<const capnp::word *>(p));
    return 0 MIXED_50(READ);
}
#undef GET
#undef READ_str
#undef READ_bytes
#endif

// ---- the groups

template <class T> using Kept = std::shared_ptr<std::vector<T>>;

// One buffer per message of `type`.
Kept<bench::Buffer> buffers(const std::vector<std::string> &wires, const yaff_type &type)
{
    auto kept = std::make_shared<std::vector<bench::Buffer>>();
    bench::Converter converter;
    for (const std::string &wire : wires) {
        converter.convert(type, wire);
        kept->emplace_back(converter);
    }
    return kept;
}

void setup(bench::Group &g, unsigned percent)
{
    bench::Random random(percent);
    std::vector<std::string> wires(MESSAGES);
    for (std::string &wire : wires) wire = mixed_data::fifty(random, percent);
    g.rotation = MESSAGES;
    g.note =
        "All of 50 mixed fields are read; a message has " + std::to_string(percent) + " % of them.";

    auto dynamic = buffers(wires, mixed_Mixed_yaff_type);
    auto flat = buffers(wires, mixed_FlatMixed_yaff_type);
    auto sparse = buffers(wires, mixed_SparseMixed_yaff_type);
    auto raw = std::make_shared<std::vector<Raw>>();
    for (const bench::Buffer &b : *dynamic) raw->push_back(to_raw(mixed_Mixed_view(b.data())));

    // `dynamic` stays for the raw structs, whose text is in it.
    add(g, "raw struct", [raw, dynamic](size_t i) { return read_raw(&(*raw)[i]); });
    add(g, "yaff Flat",
        [flat](size_t i) { return read_flat(mixed_FlatMixed_view((*flat)[i].data())); });
    add(g, "yaff Sparse",
        [sparse](size_t i) { return read_sparse(mixed_SparseMixed_view((*sparse)[i].data())); });
    add(g, "yaff Dynamic",
        [dynamic](size_t i) { return read_dynamic(mixed_Mixed_view((*dynamic)[i].data())); });

#if BENCH_FLATBUFFERS
    auto fb = std::make_shared<std::vector<bench::Buffer>>();
    for (const bench::Buffer &b : *dynamic)
        fb->push_back(to_flatbuffer(mixed_Mixed_view(b.data())));
    add(g, "FlatBuffers", [fb](size_t i) {
        return read_fb(flatbuffers::GetRoot<fb::mixed::Mixed>((*fb)[i].data()));
    });
#endif
#if BENCH_CAPNP
    auto cp = std::make_shared<std::vector<bench::Buffer>>();
    for (const bench::Buffer &b : *dynamic) cp->push_back(to_capnp(mixed_Mixed_view(b.data())));
    add(g, "Cap'n Proto, unchecked", [cp](size_t i) { return read_capnp((*cp)[i].data()); });
#endif
#if BENCH_PROTOBUF_C
    auto pbc = std::make_shared<std::vector<std::shared_ptr<Mixed__Mixed>>>();
    for (const std::string &wire : wires)
        pbc->emplace_back(mixed__mixed__unpack(nullptr, wire.size(),
                                               reinterpret_cast<const uint8_t *>(wire.data())),
                          [](Mixed__Mixed *m) { mixed__mixed__free_unpacked(m, nullptr); });
    add(g, "protobuf-c, unpacked", [pbc](size_t i) { return read_pbc((*pbc)[i].get()); });
#endif
#if BENCH_PROTOBUF
    auto pb = std::make_shared<std::vector<mixed::Mixed>>(MESSAGES);
    for (size_t i = 0; i < MESSAGES; i++)
        bench::expect((*pb)[i].ParseFromString(wires[i]), "parsing");
    add(g, "protobuf C++, parsed", [pb](size_t i) { return read_pb(&(*pb)[i]); });
#endif
}

bool declare()
{
    for (const char *percent : {"005", "025", "050", "075", "100"})
        bench::declare(std::string("read/sparse/") + percent, [=](bench::Group &g) {
            setup(g, static_cast<unsigned>(std::atoi(percent)));
        });
    return true;
}

bool declared = declare();

} // namespace
} // namespace sparse
