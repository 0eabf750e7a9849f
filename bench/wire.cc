// Protobuf wire bytes in and out: each shape over 100 different messages in rotation (one message
// alone would be memorised by the branch predictor), and descriptor.proto's own descriptor.
#include "bench.h"
#include "convert.h"
#include "shapes_data.h"

#include <bench_descriptor.yaff.h>
#include <shapes.yaff.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>

#if BENCH_PROTOBUF_C
#include <bench_descriptor.pb-c.h>
#include <shapes.pb-c.h>
#endif
#if BENCH_PROTOBUF
#include <bench_descriptor.pb.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <shapes.pb.h>
#endif

namespace {

// A message type as each library knows it.
struct Type {
    const yaff_type *yaff;
#if BENCH_PROTOBUF_C
    const ProtobufCMessageDescriptor *protobuf_c;
#endif
#if BENCH_PROTOBUF
    const google::protobuf::MessageLite *protobuf;
#endif
};

#if BENCH_PROTOBUF_C
#define TYPE_PROTOBUF_C(x) &x,
#else
#define TYPE_PROTOBUF_C(x)
#endif
#if BENCH_PROTOBUF
#define TYPE_PROTOBUF(x) &x::default_instance(),
#else
#define TYPE_PROTOBUF(x)
#endif
#define SHAPES(Name, name)                                                                         \
    Type                                                                                           \
    {                                                                                              \
        &shapes_##Name##_yaff_type,                                                                \
            TYPE_PROTOBUF_C(shapes__##name##__descriptor) TYPE_PROTOBUF(shapes::Name)              \
    }
#define DESCRIPTOR                                                                                 \
    Type                                                                                           \
    {                                                                                              \
        &descriptor_FileDescriptorSet_yaff_type,                                                   \
            TYPE_PROTOBUF_C(descriptor__file_descriptor_set__descriptor)                           \
                TYPE_PROTOBUF(descriptor::FileDescriptorSet)                                       \
    }

using Wires = std::shared_ptr<const std::vector<std::string>>;

size_t longest(const Wires &wires)
{
    size_t size = 0;
    for (const std::string &w : *wires) size = std::max(size, w.size());
    return size;
}

// What one message after another gives: do_one(i) is message i's part of the answer.
template <class One> void add(bench::Group &g, const char *name, const Wires &wires, One do_one)
{
    g.add(name, [=](uint64_t n) mutable {
        uint64_t answer = 0;
        for (uint64_t done = 0; done < n; done += wires->size())
            for (size_t i = 0; i < wires->size(); i++) answer += static_cast<uint64_t>(do_one(i));
        return answer;
    });
}

const uint8_t *bytes(const std::string &s)
{
    return reinterpret_cast<const uint8_t *>(s.data());
}

std::shared_ptr<yaff_builder> new_builder()
{
    return {yaff_builder_new(nullptr), yaff_builder_free};
}

void describe(bench::Group &g, const Wires &wires)
{
    size_t total = 0;
    for (const std::string &w : *wires) total += w.size();
    g.rotation = wires->size();
    g.bytes = static_cast<double>(total) / static_cast<double>(wires->size());
    g.note = std::to_string(wires->size()) + " different message(s) in rotation, " +
             std::to_string(total / wires->size()) + " wire bytes each on average.";
}

// yaff's bytes, read by protobuf C++, mean what the originals mean.
void check_meaning(const Type &type, const Wires &wires)
{
#if BENCH_PROTOBUF
    auto canonical = [&](const std::string &wire) {
        std::unique_ptr<google::protobuf::MessageLite> m(type.protobuf->New());
        bench::expect(m->ParseFromString(wire), "protobuf C++ reads the wire bytes");
        std::string out;
        google::protobuf::io::StringOutputStream stream(&out);
        google::protobuf::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        m->SerializeToCodedStream(&coded);
        coded.Trim();
        return out;
    };
    bench::Converter converter;
    for (const std::string &wire : *wires) {
        converter.convert(*type.yaff, wire);
        std::string out(wire.size(), '\0');
        size_t written = 0;
        yaff_status status =
            yaff_to_wire(type.yaff, yaff_buffer_root(converter.data(), type.yaff->instance),
                         &out[0], out.size(), &written, nullptr);
        bench::expect(status == YAFF_OK && written == out.size(), "yaff writes as many bytes");
        bench::expect(canonical(out) == canonical(wire), "yaff's wire bytes mean the same");
    }
#else
    (void)type, (void)wires;
#endif
}

// ---- in

#if BENCH_PROTOBUF_C
// An allocator for protobuf-c that only moves a pointer, and is emptied for each message.
struct Bump {
    std::vector<std::max_align_t> memory;
    size_t used = 0;
    ProtobufCAllocator allocator = {allocate, release, this};

    explicit Bump(size_t size) : memory(size / sizeof(std::max_align_t) + 1) {}
    static void *allocate(void *data, size_t size)
    {
        auto *b = static_cast<Bump *>(data);
        size_t units = (size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
        if (units > b->memory.size() - b->used) return nullptr;
        void *p = &b->memory[b->used];
        b->used += units;
        return p;
    }
    static void release(void *, void *) {}
};
#endif

void add_in(bench::Group &g, const Type &type, const Wires &wires, bool counting_lists)
{
    const std::vector<std::string> &w = *wires;
#if BENCH_PROTOBUF
    std::shared_ptr<google::protobuf::MessageLite> reused(type.protobuf->New());
    add(g, "protobuf C++, object reused", wires, [=, &w](size_t i) {
        return reused->ParseFromArray(w[i].data(), static_cast<int>(w[i].size())) ? 1 : 0;
    });
#endif

    auto from_wire = [](yaff_builder *b, const yaff_type *t, const std::string &wire,
                        const yaff_wire_options *options) {
        return yaff_from_wire(b, t, wire.data(), wire.size(), options, nullptr) == YAFF_OK ? 1 : 0;
    };
    auto builder = new_builder(), builder_unchecked = new_builder();
    add(g, "yaff, builder reused", wires,
        [=, &w](size_t i) { return from_wire(builder.get(), type.yaff, w[i], nullptr); });
    yaff_wire_options no_check = {};
    no_check.no_utf8_check = true;
    add(g, "yaff, builder reused, no UTF-8 check", wires, [=, &w](size_t i) {
        return from_wire(builder_unchecked.get(), type.yaff, w[i], &no_check);
    });
    // Each message stands in memory of its own, as if just received there, with room behind it for
    // the buffer; one builder converts them all.
    yaff_wire_options borrow = {};
    borrow.borrow = true;
    struct Received {
        std::vector<uint64_t> memory;
        void *wire;
    };
    auto received = std::make_shared<std::vector<Received>>();
    auto borrower = new_builder();
    for (const std::string &wire : w) {
        bench::expect(from_wire(borrower.get(), type.yaff, wire, &borrow) == 1, "converting");
        received->push_back(
            {std::vector<uint64_t>(yaff_builder_size(borrower.get()) / 8), nullptr});
        Received &r = received->back();
        yaff_builder_use(borrower.get(), r.memory.data(), r.memory.size() * 8);
        r.wire = yaff_builder_wire(borrower.get(), wire.size());
        bench::expect(r.wire != nullptr, "room for the wire bytes");
        std::memcpy(r.wire, wire.data(), wire.size());
        yaff_builder_use(borrower.get(), nullptr, 0);
    }
    add(g, "yaff, builder reused, strings borrowed", wires, [=, &w](size_t i) {
        Received &r = (*received)[i];
        yaff_builder_use(borrower.get(), r.memory.data(), r.memory.size() * 8);
        return yaff_from_wire(borrower.get(), type.yaff, r.wire, w[i].size(), &borrow, nullptr) ==
                       YAFF_OK
                   ? 1
                   : 0;
    });
    if (counting_lists)
        add(g, "yaff, new builder", wires,
            [=, &w](size_t i) { return from_wire(new_builder().get(), type.yaff, w[i], nullptr); });

#if BENCH_PROTOBUF
    add(g, "protobuf C++, new object", wires, [=, &w](size_t i) {
        std::unique_ptr<google::protobuf::MessageLite> m(type.protobuf->New());
        return m->ParseFromArray(w[i].data(), static_cast<int>(w[i].size())) ? 1 : 0;
    });
    add(g, "protobuf C++, new arena", wires, [=, &w](size_t i) {
        google::protobuf::Arena arena;
        google::protobuf::MessageLite *m = type.protobuf->New(&arena);
        return m->ParseFromArray(w[i].data(), static_cast<int>(w[i].size())) ? 1 : 0;
    });
#endif
#if BENCH_PROTOBUF_C
    add(g, "protobuf-c", wires, [=, &w](size_t i) {
        ProtobufCMessage *m =
            protobuf_c_message_unpack(type.protobuf_c, nullptr, w[i].size(), bytes(w[i]));
        protobuf_c_message_free_unpacked(m, nullptr);
        return m ? 1 : 0;
    });
    auto bump = std::make_shared<Bump>(longest(wires) * 32 + 4096);
    add(g, "protobuf-c, bump allocator", wires, [=, &w](size_t i) {
        bump->used = 0;
        return protobuf_c_message_unpack(type.protobuf_c, &bump->allocator, w[i].size(),
                                         bytes(w[i]))
                   ? 1
                   : 0;
    });
#endif
}

// ---- out

void add_out(bench::Group &g, const Type &type, const Wires &wires)
{
    auto out = std::make_shared<std::vector<char>>(longest(wires));
#if BENCH_PROTOBUF
    auto objects = std::make_shared<std::vector<std::unique_ptr<google::protobuf::MessageLite>>>();
    for (const std::string &w : *wires) {
        objects->emplace_back(type.protobuf->New());
        bench::expect(objects->back()->ParseFromString(w), "parsing");
    }
    add(g, "protobuf C++", wires, [=](size_t i) {
        const google::protobuf::MessageLite &m = *(*objects)[i];
        bool good = m.SerializeToArray(out->data(), static_cast<int>(out->size()));
        return good ? static_cast<uint64_t>(m.GetCachedSize()) : 0;
    });
#endif

    auto buffers = std::make_shared<std::vector<bench::Buffer>>();
    bench::Converter converter;
    for (const std::string &w : *wires) {
        converter.convert(*type.yaff, w);
        buffers->emplace_back(converter);
    }
    // Like the others' results, the bytes lie in one piece in `out`.
    add(g, "yaff", wires, [=](size_t i) {
        const void *first;
        size_t written = 0;
        yaff_status status = yaff_to_wire_back(
            type.yaff, yaff_buffer_root((*buffers)[i].data(), type.yaff->instance), out->data(),
            out->size(), &first, &written, nullptr);
        return status == YAFF_OK ? uint64_t{written} : 0;
    });
    add(g, "yaff, moved to the front", wires, [=](size_t i) {
        size_t written = 0;
        yaff_status status =
            yaff_to_wire(type.yaff, yaff_buffer_root((*buffers)[i].data(), type.yaff->instance),
                         out->data(), out->size(), &written, nullptr);
        return status == YAFF_OK ? uint64_t{written} : 0;
    });

#if BENCH_PROTOBUF_C
    auto structs = std::make_shared<std::vector<std::shared_ptr<ProtobufCMessage>>>();
    for (const std::string &w : *wires)
        structs->emplace_back(
            protobuf_c_message_unpack(type.protobuf_c, nullptr, w.size(), bytes(w)),
            [](ProtobufCMessage *m) { protobuf_c_message_free_unpacked(m, nullptr); });
    add(g, "protobuf-c", wires, [=](size_t i) {
        return uint64_t{
            protobuf_c_message_pack((*structs)[i].get(), reinterpret_cast<uint8_t *>(out->data()))};
    });
    add(g, "protobuf-c, its size first", wires, [=](size_t i) {
        const ProtobufCMessage *m = (*structs)[i].get();
        if (protobuf_c_message_get_packed_size(m) > out->size()) return uint64_t{0};
        return uint64_t{protobuf_c_message_pack(m, reinterpret_cast<uint8_t *>(out->data()))};
    });
#endif
}

// ---- the groups

template <class Make> Wires make_wires(size_t count, Make make)
{
    auto wires = std::make_shared<std::vector<std::string>>(count);
    bench::Random random(count);
    for (std::string &w : *wires) w = make(random);
    return wires;
}

Wires own_descriptor()
{
    std::ifstream file(BENCH_DESCRIPTOR_SET, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    bench::expect(!content.empty(), "reading " BENCH_DESCRIPTOR_SET);
    return std::make_shared<std::vector<std::string>>(1, content);
}

template <class Make> void declare(const std::string &shape, const Type &type, Make make)
{
    bench::declare("wire/in/" + shape, [=](bench::Group &g) {
        Wires wires = make();
        check_meaning(type, wires);
        describe(g, wires);
        add_in(g, type, wires, false);
    });
    bench::declare("wire/out/" + shape, [=](bench::Group &g) {
        Wires wires = make();
        describe(g, wires);
        add_out(g, type, wires);
    });
}

bool declare_all()
{
    namespace data = shapes_data;
    declare("api", SHAPES(Api, api), [] { return make_wires(100, data::api); });
    declare("log", SHAPES(Log, log), [] { return make_wires(100, data::log); });
    declare("event", SHAPES(Event, event), [] { return make_wires(100, data::event); });
    declare("media", SHAPES(Media, media), [] { return make_wires(100, data::media); });
    declare("columns", SHAPES(Columns, columns), [] { return make_wires(100, data::columns); });
    declare("strings", SHAPES(Strings, strings), [] { return make_wires(100, data::strings); });
    declare("items", SHAPES(Items, items),
            [] { return make_wires(100, [](bench::Random &r) { return data::items(r, 64); }); });
    declare("descriptors", DESCRIPTOR, [] { return make_wires(100, data::descriptor); });
    declare("descriptor.proto", DESCRIPTOR, own_descriptor);
    for (size_t count : {size_t{64}, size_t{4096}})
        bench::declare("repeated/" + std::to_string(count), [=](bench::Group &g) {
            Wires wires = make_wires(4, [=](bench::Random &r) { return data::items(r, count); });
            describe(g, wires);
            add_in(g, SHAPES(Items, items), wires, true);
        });
    return true;
}

bool declared = declare_all();

} // namespace
