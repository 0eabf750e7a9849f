// Proving a buffer safe to read, against the verifier of FlatBuffers on equal data: pages of a
// feed, and the hierarchy of three levels.
#include "bench.h"
#include "convert.h"
#include "feed_data.h"

#include <hier.yaff.h>
#include <yaff/verify.h>

#if BENCH_FLATBUFFERS
#include <hier_generated.h>
#endif

namespace {

using Buffers = std::shared_ptr<std::vector<bench::Buffer>>;

double mean_size(const Buffers &buffers)
{
    size_t total = 0;
    for (const bench::Buffer &b : *buffers) total += b.size();
    return static_cast<double>(total) / static_cast<double>(buffers->size());
}

// Buffers come one after another; check(buffer) says whether it is good.
template <class Check>
void add(bench::Group &g, const char *name, const Buffers &buffers, Check check)
{
    g.add(
        name,
        [=](uint64_t n) {
            uint64_t good = 0;
            for (uint64_t done = 0; done < n; done += buffers->size())
                for (const bench::Buffer &b : *buffers) good += check(b) ? 1 : 0;
            return good;
        },
        mean_size(buffers));
}

#if BENCH_FLATBUFFERS
template <class Root> void add_flatbuffers(bench::Group &g, const Buffers &buffers)
{
    add(g, "FlatBuffers", buffers, [](const bench::Buffer &b) {
        flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(b.data()), b.size());
        return verifier.VerifyBuffer<Root>(nullptr);
    });
}
#endif

void add_yaff(bench::Group &g, const Buffers &buffers, const yaff_type *type)
{
    auto verify = [=](const bench::Buffer &b, const yaff_verify_options *options) {
        return yaff_verify(type, b.data(), b.size(), options, nullptr) == YAFF_OK;
    };
    yaff_verify_options utf8 = {};
    utf8.utf8 = true;
    add(g, "yaff", buffers, [=](const bench::Buffer &b) { return verify(b, nullptr); });
    add(g, "yaff, UTF-8 checked too", buffers,
        [=](const bench::Buffer &b) { return verify(b, &utf8); });
}

Buffers convert(const yaff_type &type, const std::vector<std::string> &wires)
{
    auto buffers = std::make_shared<std::vector<bench::Buffer>>();
    bench::Converter converter;
    for (const std::string &w : wires) {
        converter.convert(type, w);
        buffers->emplace_back(converter);
    }
    return buffers;
}

void feed_group(bench::Group &g, size_t pages, size_t items)
{
    g.unit = "page";
    g.rotation = pages;
    g.note =
        "Pages of " + std::to_string(items) +
        " items. Both check offsets, alignment and the NUL of strings; yaff also that nothing is "
        "shared, that what is not set is zero, and the order of map keys.";
    std::vector<std::string> wires;
    for (size_t i = 0; i < pages; i++) wires.push_back(feed_data::page(i, items));
    Buffers yaff = convert(feed_Page_yaff_type, wires);
#if BENCH_FLATBUFFERS
    auto fb = std::make_shared<std::vector<bench::Buffer>>();
    for (const bench::Buffer &b : *yaff)
        fb->push_back(feed_data::to_flatbuffer(feed_Page_view(b.data())));
    add_flatbuffers<fb::feed::Page>(g, fb);
#endif
    add_yaff(g, yaff, &feed_Page_yaff_type);
}

void hierarchical_group(bench::Group &g)
{
    constexpr size_t MESSAGES = 64;
    g.rotation = MESSAGES;
    std::vector<std::string> wires;
    bench::Random random(1);
    for (size_t i = 0; i < MESSAGES; i++) {
        bench::Wire root, mid, leaf;
        for (uint32_t k = 1; k <= 9; k++) leaf.u64(k, random.next() | 1);
        for (uint32_t k = 1; k <= 8; k++) mid.u64(k, random.next() | 1);
        mid.message(9, leaf);
        for (uint32_t k = 1; k <= 8; k++) root.u64(k, random.next() | 1);
        root.message(9, mid);
        wires.push_back(root.bytes);
    }
    Buffers yaff = convert(hier_Root_yaff_type, wires);
#if BENCH_FLATBUFFERS
    auto fb = std::make_shared<std::vector<bench::Buffer>>();
    for (const bench::Buffer &buffer : *yaff) {
        flatbuffers::FlatBufferBuilder b;
        auto r = hier_Root_view(buffer.data());
        auto m = hier_Root_child(r);
        auto l = hier_Mid_child(m);
        auto leaf = fb::hier::CreateLeaf(b, hier_Leaf_f1(l), hier_Leaf_f2(l), hier_Leaf_f3(l),
                                         hier_Leaf_f4(l), hier_Leaf_f5(l), hier_Leaf_f6(l),
                                         hier_Leaf_f7(l), hier_Leaf_f8(l), hier_Leaf_f9(l));
        auto mid = fb::hier::CreateMid(b, hier_Mid_f1(m), hier_Mid_f2(m), hier_Mid_f3(m),
                                       hier_Mid_f4(m), hier_Mid_f5(m), hier_Mid_f6(m),
                                       hier_Mid_f7(m), hier_Mid_f8(m), leaf);
        b.Finish(fb::hier::CreateRoot(b, hier_Root_f1(r), hier_Root_f2(r), hier_Root_f3(r),
                                      hier_Root_f4(r), hier_Root_f5(r), hier_Root_f6(r),
                                      hier_Root_f7(r), hier_Root_f8(r), mid));
        fb->emplace_back(b.GetBufferPointer(), b.GetSize());
    }
    add_flatbuffers<fb::hier::Root>(g, fb);
#endif
    add_yaff(g, yaff, &hier_Root_yaff_type);
}

bool declared =
    bench::declare("verify/feed-1000", [](bench::Group &g) { feed_group(g, 4, 1000); }) &&
    bench::declare("verify/feed-10", [](bench::Group &g) { feed_group(g, 64, 10); }) &&
    bench::declare("verify/hierarchical", hierarchical_group);

} // namespace
