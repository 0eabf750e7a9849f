// Reading one field of many messages into an array, a thousand at a time: the first cell of a row
// and the last, hot (1,000 rows) and cold (some 100 MB of them, in the order in which they are
// stored).
#include "bench.h"
#include "convert.h"
#include "peers.h"

#include <gather.yaff.h>
#include <gather_pinned.yaff.h>

#if BENCH_FLATBUFFERS
#include <gather_generated.h>
#endif

#include <algorithm>

namespace {

constexpr size_t CHUNK = 1000;

// What a program has that keeps its rows as C structs: each with its text behind it, found by
// pointers.
struct RawRow {
    uint64_t id;
    int64_t at_ms;
    uint32_t kind;
    double score;
    bool live;
    float weight;
    const char *name;
    uint32_t tint;
    int64_t delta;
    uint64_t hash;
};

struct Data {
    std::vector<const RawRow *> raw;
    std::vector<uint64_t> raw_memory;
    bench::Buffer dynamic, flat, sparse, fixed;
#if BENCH_FLATBUFFERS
    bench::Buffer fb;
#endif

    explicit Data(size_t count)
    {
        bench::Random random(count);
        bench::Wire wire;
        size_t used = 0;
        IF_FLATBUFFERS(flatbuffers::FlatBufferBuilder b;
                       std::vector<flatbuffers::Offset<fb::gather::Row>> offsets;)
        raw_memory.resize(count * (sizeof(RawRow) / 8 + 10));
        for (size_t i = 0; i < count; i++) {
            std::string name = random.text(8, 64);
            auto *row = reinterpret_cast<RawRow *>(&raw_memory[used]);
            used += sizeof(RawRow) / 8 + (name.size() + 8) / 8;
            *row = {random.next() | 1,
                    1 + static_cast<int64_t>(i),
                    7,
                    random.real() + 1,
                    true,
                    2,
                    reinterpret_cast<char *>(row + 1),
                    9,
                    -3,
                    random.next() | 1};
            std::memcpy(row + 1, name.c_str(), name.size() + 1);
            raw.push_back(row);

            bench::Wire w;
            w.u64(1, row->id);
            w.i64(2, row->at_ms);
            w.u64(3, row->kind);
            w.fixed(4, row->score);
            w.u64(5, row->live);
            w.fixed(6, row->weight);
            w.str(7, name);
            w.fixed(8, row->tint);
            w.s64(9, row->delta);
            w.fixed(10, row->hash);
            wire.message(1, w);
            IF_FLATBUFFERS(offsets.push_back(fb::gather::CreateRow(
                b, row->id, row->at_ms, row->kind, row->score, row->live, row->weight,
                b.CreateString(name), row->tint, row->delta, row->hash));)
        }
        bench::Converter converter;
        auto keep = [&](const yaff_type &type) {
            converter.convert(type, wire.bytes);
            return bench::Buffer(converter);
        };
        dynamic = keep(gather_Rows_yaff_type);
        flat = keep(gather_FlatRows_yaff_type);
        sparse = keep(gather_SparseRows_yaff_type);
        fixed = keep(gather_FixedRows_yaff_type);
        IF_FLATBUFFERS(b.Finish(fb::gather::CreateRows(b, b.CreateVector(offsets)));
                       fb = bench::Buffer(b.GetBufferPointer(), b.GetSize());)
    }
};

// read(first, out) reads CHUNK rows into out.
template <class Read> bench::Run rows(size_t count, Read read)
{
    return [=](uint64_t n) {
        static uint64_t out[CHUNK];
        uint64_t answer = 0;
        for (uint64_t done = 0; done < n; done += CHUNK) {
            read(done % count, out);
            answer = 3 * answer + (out[0] ^ out[CHUNK / 2] ^ out[CHUNK - 1]);
        }
        return answer;
    };
}

// One by one, as a program does that has no gather.
template <class At> bench::Run one_by_one(size_t count, At at)
{
    return rows(count, [=](size_t first, uint64_t *__restrict out) {
        for (size_t i = 0; i < CHUNK; i++) out[i] = at(first + i);
    });
}

#define ADD(name, buffer, MANY, ONE, field)                                                        \
    do {                                                                                           \
        const MANY *m = MANY##_view((buffer).data());                                              \
        ONE##_yaff_array array = MANY##_rows_array(m);                                             \
        g.add(name ", gather", rows(count, [=](size_t first, uint64_t *out) {                      \
                  ONE##_##field##_gather(array, first, CHUNK, out);                                \
              }));                                                                                 \
        g.add(name ", accessor",                                                                   \
              one_by_one(count, [=](size_t i) { return ONE##_##field(MANY##_rows_at(m, i)); }));   \
    } while (0)

#define SETUP(field)                                                                               \
    g.add("raw structs by pointers", one_by_one(count, [=](size_t i) { return all[i]->field; }));  \
    ADD("yaff Fixed", data->fixed, gather_FixedRows, gather_FixedRow, field);                      \
    ADD("yaff Flat", data->flat, gather_FlatRows, gather_FlatRow, field);                          \
    ADD("yaff Dynamic", data->dynamic, gather_Rows, gather_Row, field);                            \
    ADD("yaff Sparse", data->sparse, gather_SparseRows, gather_SparseRow, field);                  \
    IF_FLATBUFFERS(g.add("FlatBuffers", one_by_one(count, [=](size_t i) {                          \
                             return fb_rows->Get(static_cast<flatbuffers::uoffset_t>(i))->field(); \
                         }));)

void setup(bench::Group &g, bool cold, bool last)
{
    static std::shared_ptr<Data> data; // of both fields, which run one after another
    static size_t count;
    size_t wanted =
        cold ? (bench::quick() || bench::counts_allocations() ? 100 : 800) * CHUNK : CHUNK;
    if (!data || count != wanted) {
        data.reset();
        count = wanted;
        data = std::make_shared<Data>(count);
    }
    g.unit = "row";
    g.rotation = count;
    g.note = std::string(last ? "The last" : "The first") + " number of " + std::to_string(count) +
             " rows.";
    const RawRow *const *all = data->raw.data();
    IF_FLATBUFFERS(const auto *fb_rows = fb::gather::GetRows(data->fb.data())->rows();)
    if (last) {
        SETUP(hash)
    } else {
        SETUP(id)
    }
}

bool declare(const char *name, bool cold, bool last)
{
    return bench::declare(name, [=](bench::Group &g) { setup(g, cold, last); });
}

bool declared = declare("read/gather/hot/first", false, false) &&
                declare("read/gather/hot/last", false, true) &&
                declare("read/gather/cold/first", true, false) &&
                declare("read/gather/cold/last", true, true);

} // namespace
