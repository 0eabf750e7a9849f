// Sizes: 5 and 50 numbers and 40 mixed fields, of which a message has 5, 25, 50, 75 or 100 %; the
// mean of 1,000 messages, each alone and inside one list.
#include "bench.h"
#include "convert.h"
#include "mixed.h"
#include "peers.h"

#include <sizes.yaff.h>
#include <sizes_pinned.yaff.h>

#if BENCH_FLATBUFFERS
#include <sizes_generated.h>
#endif
#if BENCH_CAPNP
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <sizes.capnp.h>
#endif

namespace {

constexpr size_t MESSAGES = 1000;

// How each of the three messages is laid out by yaff, and made by the peers from a Dynamic message,
// `from`.
#define SHAPE(Name, FB_FIELDS, CAPNP_FIELDS)                                                       \
    struct Name {                                                                                  \
        using Message = sizes_##Name;                                                              \
        struct {                                                                                   \
            const char *layout;                                                                    \
            const yaff_type *alone, *list;                                                         \
        } types[3] = {                                                                             \
            {"yaff Flat", &sizes_Flat##Name##_yaff_type, &sizes_Flat##Name##List_yaff_type},       \
            {"yaff Sparse", &sizes_Sparse##Name##_yaff_type, &sizes_Sparse##Name##List_yaff_type}, \
            {"yaff Dynamic", &sizes_##Name##_yaff_type, &sizes_##Name##List_yaff_type},            \
        };                                                                                         \
        IF_FLATBUFFERS(                                                                            \
            static flatbuffers::Offset<fb::sizes::Name> to_fb(flatbuffers::FlatBufferBuilder &b,   \
                                                              const Message *from) {               \
                return fb::sizes::Create##Name(b FB_FIELDS);                                       \
            } static void finish(flatbuffers::FlatBufferBuilder &b,                                \
                                 const std::vector<flatbuffers::Offset<fb::sizes::Name>> &items) { \
                b.Finish(fb::sizes::Create##Name##List(b, b.CreateVector(items)));                 \
            })                                                                                     \
        IF_CAPNP(using Capnp = cp::sizes::Name; using CapnpList = cp::sizes::Name##List;           \
                 static void to_capnp(cp::sizes::Name::Builder m,                                  \
                                      const Message *from){CAPNP_FIELDS})                          \
    };

#define GET(k) sizes_U5_f##k(from)
SHAPE(U5, UP_TO_5(FB_ARG_u64), UP_TO_5(CAPNP_SET_u64))
#undef GET
#define GET(k) sizes_U50_f##k(from)
SHAPE(U50, UP_TO_50(FB_ARG_u64), UP_TO_50(CAPNP_SET_u64))
#undef GET
#define GET(k) sizes_Mixed40_f##k(from)
SHAPE(Mixed40, MIXED_40(FB_ARG), MIXED_40(CAPNP_SET))
#undef GET

// The messages in all forms; facts go to one row for messages alone and one for the list.
template <class Shape>
void measure(bench::Group &g, const std::string &row, const std::vector<std::string> &wires)
{
    const double count = static_cast<double>(wires.size());
    const std::string alone = row + ", alone", listed = row + ", in a list";
    auto mean = [&](size_t total) { return static_cast<double>(total) / count; };

    bench::Wire list;
    size_t total = 0;
    for (const std::string &w : wires) {
        total += w.size();
        list.str(1, w);
    }
    g.fact(alone, "Protobuf", mean(total));
    g.fact(listed, "Protobuf", mean(list.bytes.size()));

    bench::Converter converter;
    std::vector<bench::Buffer> dynamic;
    for (const auto &t : Shape().types) {
        total = 0;
        dynamic.clear();
        for (const std::string &w : wires) {
            converter.convert(*t.alone, w);
            total += converter.size();
            dynamic.emplace_back(converter);
        }
        g.fact(alone, t.layout, mean(total));
        converter.convert(*t.list, list.bytes);
        g.fact(listed, t.layout, mean(converter.size()));
    }
    // The last layout was Dynamic.
    std::vector<const typename Shape::Message *> messages;
    for (const bench::Buffer &b : dynamic)
        messages.push_back(static_cast<const typename Shape::Message *>(
            yaff_buffer_root(b.data(), Shape().types[2].alone->instance)));

#if BENCH_FLATBUFFERS
    total = 0;
    flatbuffers::FlatBufferBuilder all;
    std::vector<decltype(Shape::to_fb(all, nullptr))> items;
    for (auto m : messages) {
        flatbuffers::FlatBufferBuilder b;
        b.Finish(Shape::to_fb(b, m));
        total += b.GetSize();
        items.push_back(Shape::to_fb(all, m));
    }
    Shape::finish(all, items);
    g.fact(alone, "FlatBuffers", mean(total));
    g.fact(listed, "FlatBuffers", mean(all.GetSize()));
#endif
#if BENCH_CAPNP
    total = 0;
    capnp::MallocMessageBuilder one_list;
    auto elements = one_list.initRoot<typename Shape::CapnpList>().initItems(
        static_cast<unsigned>(messages.size()));
    for (unsigned i = 0; i < messages.size(); i++) {
        capnp::MallocMessageBuilder b;
        Shape::to_capnp(b.initRoot<typename Shape::Capnp>(), messages[i]);
        total += capnp::computeSerializedSizeInWords(b) * 8;
        Shape::to_capnp(elements[i], messages[i]);
    }
    g.fact(alone, "Cap'n Proto", mean(total));
    g.fact(listed, "Cap'n Proto", mean(capnp::computeSerializedSizeInWords(one_list) * 8));
#endif
}

void setup(bench::Group &g)
{
    g.note = "Bytes per message, mean of 1,000 messages; a list's own bytes are shared out among "
             "its elements.";
    for (unsigned percent : {5u, 25u, 50u, 75u, 100u}) {
        bench::Random random(percent);
        std::string density = ", " + std::to_string(percent) + " %";
        std::vector<std::string> five(MESSAGES), fifty(MESSAGES), forty(MESSAGES);
        for (std::string &w : five) w = mixed_data::numbers(random, percent, 5);
        for (std::string &w : fifty) w = mixed_data::numbers(random, percent, 50);
        for (std::string &w : forty) w = mixed_data::forty(random, percent);
        measure<U5>(g, "5 u64" + density, five);
        measure<U50>(g, "50 u64" + density, fifty);
        measure<Mixed40>(g, "40 mixed" + density, forty);
    }
}

bool declared = bench::declare("size", setup);

} // namespace
