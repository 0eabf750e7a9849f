// Reading a hierarchy of three levels: hot (8 records) and cold (512 MB in a random cycle), the
// chain written out or cached by hand, with and without stores between the reads.
#include "hier.h"
#include "bench.h"
#include "convert.h"

#include <hier.yaff.h>
#include <hier_pinned.yaff.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#if BENCH_PROTOBUF_C
#include <hier.pb-c.h>
#endif
#if BENCH_PROTOBUF
#include <google/protobuf/arena.h>
#include <hier.pb.h>
#endif
#if BENCH_FLATBUFFERS
#include <hier_generated.h>
#endif
#if BENCH_CAPNP
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <hier.capnp.h>
#endif

namespace hierarchy {
namespace {

// ---- the walks; those over yaff messages are in hier_yaff.h

struct RawLeaf {
    uint64_t f1, f2, f3, f4, f5, f6, f7, f8, f9;
};
struct RawMid {
    uint64_t f1, f2, f3, f4, f5, f6, f7, f8;
    const RawLeaf *child;
};
struct RawRoot {
    uint64_t f1, f2, f3, f4, f5, f6, f7, f8;
    const RawMid *child;
};

#define raw_ROOT(p) reinterpret_cast<const RawRoot *>(p)
#define raw_LEAF(root) (root)->child->child
#define raw_F(leaf, k) (leaf)->f##k
WALKS(raw)

#if BENCH_FLATBUFFERS
#define fb_ROOT(p) reinterpret_cast<const fb::hier::Root *>(p)
#define fb_LEAF(root) (root)->child()->child()
#define fb_F(leaf, k) (leaf)->f##k()
WALKS(fb)

#define fb_root_ROOT(p) flatbuffers::GetRoot<fb::hier::Root>(p)
#define fb_root_LEAF(root) (root)->child()->child()
#define fb_root_F(leaf, k) (leaf)->f##k()
WALKS(fb_root)
#endif

#if BENCH_CAPNP
#define capnp_ROOT(p)                                                                              \
    capnp::readMessageUnchecked<cp::hier::Root>(reinterpret_cast<const capnp::word *>(p))
#define capnp_LEAF(root) (root).getChild().getChild()
#define capnp_F(leaf, k) (leaf).getF##k()
WALKS(capnp)
#endif

#if BENCH_PROTOBUF_C
#define pbc_ROOT(p) reinterpret_cast<const Hier__Root *>(p)
#define pbc_LEAF(root) (root)->child->child
#define pbc_F(leaf, k) (leaf)->f##k
WALKS(pbc)
#endif

#if BENCH_PROTOBUF
#define pb_ROOT(p) reinterpret_cast<const hier::Root *>(p)
#define pb_LEAF(root) (&(root)->child().child())
#define pb_F(leaf, k) (leaf)->f##k()
WALKS(pb)
#endif

// ---- the data

// The numbers of record i: eight, eight, and the leaf's nine of which the last makes the sum
// `target`.
struct Values {
    std::array<uint64_t, 8> root, mid;
    std::array<uint64_t, 9> leaf;

    Values(uint64_t i, uint64_t target)
    {
        bench::Random random(i);
        for (auto &v : root) v = random.next() | 1;
        for (auto &v : mid) v = random.next() | 1;
        for (auto &v : leaf) v = random.next() | 1;
        leaf[8] = target - std::accumulate(leaf.begin(), leaf.end() - 1, uint64_t{0});
    }

    std::string wire() const
    {
        bench::Wire r, m, l;
        for (uint32_t k = 0; k < 9; k++) l.u64(k + 1, leaf[k]);
        for (uint32_t k = 0; k < 8; k++) m.u64(k + 1, mid[k]);
        m.message(9, l);
        for (uint32_t k = 0; k < 8; k++) r.u64(k + 1, root[k]);
        r.message(9, m);
        return r.bytes;
    }
};

// The memory that the records of all formats lie in. It is touched two megabytes for each format in
// turn, so that no format gets the better part of the machine's pages.
class Memory {
  public:
    Memory(size_t formats, size_t bytes)
        : part((bytes + TURN - 1) / TURN * TURN), size(formats * part)
    {
        void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        bench::expect(p != MAP_FAILED, "memory for the records");
        start = static_cast<char *>(p);
        for (size_t turn = 0; turn < part; turn += TURN)
            for (size_t f = 0; f < formats; f++) std::memset(start + f * part + turn, 0, TURN);
    }
    ~Memory() { munmap(start, size); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    // The part of the next format, which needs so many bytes.
    char *take(size_t bytes)
    {
        bench::expect(bytes <= part && taken + part <= size, "room for the records");
        taken += part;
        return start + taken - part;
    }

  private:
    static constexpr size_t TURN = size_t{2} << 20;
    size_t part, size, taken = 0;
    char *start;
};

// The records of one format: where each is, and what keeps it alive if it is not in Memory.
struct Records {
    std::vector<const char *> where;
    std::shared_ptr<void> owner;
};

// The order in which records follow each other: one cycle through all.
struct Cycle {
    std::vector<uint32_t> order, next;

    explicit Cycle(size_t count) : order(count), next(count)
    {
        bench::Random random(count);
        std::iota(order.begin(), order.end(), 0u);
        for (size_t i = count - 1; i > 0; i--) std::swap(order[i], order[random.below(i + 1)]);
        for (size_t i = 0; i < count; i++) next[order[i]] = order[(i + 1) % count];
    }
};

// Formats whose records are bytes of one size: `make(values)` returns a record's bytes; its address
// for the walk is `shift` bytes into them.
template <class Make>
Records records_of_bytes(Memory &memory, const Cycle &cycle, size_t shift, Make make)
{
    size_t count = cycle.order.size(), stride = make(Values(0, 1)).size();
    bench::expect(stride % 8 == 0, "records of whole words");
    char *bytes_of_all = memory.take(count * stride);
    Records r;
    for (size_t i = 0; i < count; i++) r.where.push_back(bytes_of_all + i * stride + shift);
    for (size_t i = 0; i < count; i++) {
        uint64_t target = reinterpret_cast<uint64_t>(r.where[cycle.next[i]]);
        std::string bytes = make(Values(i, target));
        bench::expect(bytes.size() == stride, "records of one size");
        std::memcpy(bytes_of_all + i * stride, bytes.data(), stride);
    }
    return r;
}

struct RawRecord { // as a program leaves them that allocates one after another
    RawRoot root;
    RawMid mid;
    RawLeaf leaf;
};

Records raw_records(Memory &memory, const Cycle &cycle)
{
    size_t count = cycle.order.size();
    auto *all = reinterpret_cast<RawRecord *>(memory.take(count * sizeof(RawRecord)));
    Records r;
    for (size_t i = 0; i < count; i++) r.where.push_back(reinterpret_cast<char *>(&all[i].root));
    for (size_t i = 0; i < count; i++) {
        Values v(i, reinterpret_cast<uint64_t>(r.where[cycle.next[i]]));
        std::memcpy(&all[i].root, v.root.data(), sizeof v.root);
        std::memcpy(&all[i].mid, v.mid.data(), sizeof v.mid);
        std::memcpy(&all[i].leaf, v.leaf.data(), sizeof v.leaf);
        all[i].root.child = &all[i].mid;
        all[i].mid.child = &all[i].leaf;
    }
    return r;
}

// The same structs as a program leaves them that keeps each kind in a pool of its own and has freed
// and allocated for a while: no two of a record are neighbours.
Records scattered_records(Memory &memory, const Cycle &cycle)
{
    size_t count = cycle.order.size();
    auto *root = reinterpret_cast<RawRoot *>(memory.take(count * sizeof(RawRecord)));
    auto *mid = reinterpret_cast<RawMid *>(root + count);
    auto *leaf = reinterpret_cast<RawLeaf *>(mid + count);
    Records r;
    for (size_t i = 0; i < count; i++) r.where.push_back(reinterpret_cast<char *>(&root[i]));
    for (size_t i = 0; i < count; i++) {
        Values v(i, reinterpret_cast<uint64_t>(r.where[cycle.next[i]]));
        RawMid *m = &mid[cycle.order[i]];
        RawLeaf *l = &leaf[cycle.next[i]];
        std::memcpy(&root[i], v.root.data(), sizeof v.root);
        std::memcpy(m, v.mid.data(), sizeof v.mid);
        std::memcpy(l, v.leaf.data(), sizeof v.leaf);
        root[i].child = m;
        m->child = l;
    }
    return r;
}

// Records of the same size of which one word is read. It is the next record's address: a walk that
// waits for nothing but one miss in memory, and in the page tables, for each record.
Records word_records(Memory &memory, const Cycle &cycle)
{
    size_t count = cycle.order.size();
    auto *all = reinterpret_cast<RawRecord *>(memory.take(count * sizeof(RawRecord)));
    Records r;
    for (size_t i = 0; i < count; i++) r.where.push_back(reinterpret_cast<char *>(&all[i]));
    for (size_t i = 0; i < count; i++)
        all[i].root.f1 = reinterpret_cast<uint64_t>(r.where[cycle.next[i]]);
    return r;
}

uint64_t word_step(const char *p, uint64_t *)
{
    return reinterpret_cast<const RawRoot *>(p)->f1;
}

Records yaff_records(Memory &memory, const Cycle &cycle, const yaff_type &type)
{
    bench::Converter converter;
    return records_of_bytes(memory, cycle, 0, [&](const Values &v) {
        converter.convert(type, v.wire());
        return std::string(converter.data(), converter.size());
    });
}

// The same records, for walks that hold the root's address instead of opening the buffer: both
// address forms need data of their own, as the sum is the address.
Records yaff_roots(Memory &memory, const Cycle &cycle, const yaff_type &type, unsigned kind)
{
    bench::Converter converter;
    converter.convert(type, Values(0, 1).wire());
    size_t shift = yaff_load32(converter.data() + 4);
    bench::expect(yaff_head_kind(yaff_lanes(converter.data() + shift, 0)) == kind, "the layout");
    return records_of_bytes(memory, cycle, shift, [&](const Values &v) {
        converter.convert(type, v.wire());
        return std::string(converter.data(), converter.size());
    });
}

#if BENCH_FLATBUFFERS
std::string flatbuffer(const Values &v)
{
    namespace h = fb::hier;
    flatbuffers::FlatBufferBuilder b;
    auto leaf = h::CreateLeaf(b, v.leaf[0], v.leaf[1], v.leaf[2], v.leaf[3], v.leaf[4], v.leaf[5],
                              v.leaf[6], v.leaf[7], v.leaf[8]);
    auto mid = h::CreateMid(b, v.mid[0], v.mid[1], v.mid[2], v.mid[3], v.mid[4], v.mid[5], v.mid[6],
                            v.mid[7], leaf);
    b.Finish(h::CreateRoot(b, v.root[0], v.root[1], v.root[2], v.root[3], v.root[4], v.root[5],
                           v.root[6], v.root[7], mid));
    std::string bytes(reinterpret_cast<const char *>(b.GetBufferPointer()), b.GetSize());
    return bytes.append((8 - bytes.size() % 8) % 8, '\0');
}

Records fb_records(Memory &memory, const Cycle &cycle, bool roots)
{
    size_t shift = 0;
    if (roots)
        shift = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(flatbuffer(Values(0, 1)).data());
    return records_of_bytes(memory, cycle, shift, flatbuffer);
}
#endif

#if BENCH_CAPNP
Records capnp_records(Memory &memory, const Cycle &cycle)
{
    return records_of_bytes(memory, cycle, 0, [](const Values &v) {
        capnp::MallocMessageBuilder b;
        auto root = b.initRoot<cp::hier::Root>();
        auto mid = root.initChild();
        auto leaf = mid.initChild();
#define SET(k) root.setF##k(v.root[k - 1]), mid.setF##k(v.mid[k - 1]), leaf.setF##k(v.leaf[k - 1])
        SET(1), SET(2), SET(3), SET(4), SET(5), SET(6), SET(7), SET(8), leaf.setF9(v.leaf[8]);
#undef SET
        auto segments = b.getSegmentsForOutput();
        bench::expect(segments.size() == 1, "one segment");
        auto bytes = segments[0].asBytes();
        return std::string(reinterpret_cast<const char *>(bytes.begin()), bytes.size());
    });
}
#endif

#if BENCH_PROTOBUF_C
Records pbc_records(const Cycle &cycle)
{
    size_t count = cycle.order.size();
    auto all = std::shared_ptr<std::vector<Hier__Root *>>(
        new std::vector<Hier__Root *>(count), [](std::vector<Hier__Root *> *v) {
            for (Hier__Root *m : *v) hier__root__free_unpacked(m, nullptr);
            delete v;
        });
    Records r;
    for (size_t i = 0; i < count; i++) {
        std::string wire = Values(i, 0).wire();
        (*all)[i] = hier__root__unpack(nullptr, wire.size(),
                                       reinterpret_cast<const uint8_t *>(wire.data()));
        r.where.push_back(reinterpret_cast<char *>((*all)[i]));
    }
    for (size_t i = 0; i < count; i++)
        (*all)[i]->child->child->f9 += reinterpret_cast<uint64_t>(r.where[cycle.next[i]]);
    r.owner = all;
    return r;
}
#endif

#if BENCH_PROTOBUF
Records pb_records(const Cycle &cycle)
{
    size_t count = cycle.order.size();
    auto arena = std::make_shared<google::protobuf::Arena>();
    std::vector<hier::Root *> all;
    Records r;
    for (size_t i = 0; i < count; i++) {
        all.push_back(google::protobuf::Arena::CreateMessage<hier::Root>(arena.get()));
        bench::expect(all[i]->ParseFromString(Values(i, 0).wire()), "parsing");
        r.where.push_back(reinterpret_cast<char *>(all[i]));
    }
    for (size_t i = 0; i < count; i++) {
        hier::Leaf *leaf = all[i]->mutable_child()->mutable_child();
        leaf->set_f9(leaf->f9() + reinterpret_cast<uint64_t>(r.where[cycle.next[i]]));
    }
    r.owner = arena;
    return r;
}
#endif

// ---- the groups

struct Entry {
    Walks walks;
    const Records *records;
};

constexpr size_t HOT_COUNT = 8, LARGEST_RECORD = 320, FORMATS = 11;

struct Data {
    Cycle cycle;
    Memory memory;
    Records raw, scattered, word, flat, dynamic, sparse, wide, view, fb, fb_root, capnp, pbc, pb;
    std::vector<Entry> entries;

    explicit Data(size_t count) : cycle(count), memory(FORMATS, count * LARGEST_RECORD)
    {
        raw = raw_records(memory, cycle);
        scattered = scattered_records(memory, cycle);
        flat = yaff_roots(memory, cycle, hier_FlatRoot_yaff_type, YAFF_HEAD_FLAT);
        dynamic = yaff_roots(memory, cycle, hier_Root_yaff_type, YAFF_HEAD_FLAT_LANES);
        sparse = yaff_roots(memory, cycle, hier_SparseRoot_yaff_type, YAFF_HEAD_SPARSE);
        wide = yaff_roots(memory, cycle, hier_WideRoot_yaff_type, YAFF_HEAD_SPARSE);
        view = yaff_records(memory, cycle, hier_Root_yaff_type);
        entries = {
            {WALKS_OF("raw structs linked by pointers", raw), &raw},
            {WALKS_OF("raw structs, each kind in a pool", raw), &scattered},
            {plain.flat, &flat},
            {plain.dynamic, &dynamic},
            {plain.view, &view},
            {plain.fields, &dynamic},
            {plain.sparse, &sparse},
            {plain.wide, &wide},
            {immutable.flat, &flat},
            {immutable.dynamic, &dynamic},
            {immutable.sparse, &sparse},
            {immutable.wide, &wide},
        };
        if (count != HOT_COUNT) {
            word = word_records(memory, cycle);
            Walk step = walk<word_step>;
            entries.push_back({{"one word of each record", {step, step, step, step, step}}, &word});
        }
#if BENCH_FLATBUFFERS
        fb = fb_records(memory, cycle, true);
        fb_root = fb_records(memory, cycle, false);
        entries.push_back({WALKS_OF("FlatBuffers", fb), &fb});
        entries.push_back({WALKS_OF("FlatBuffers, opened by GetRoot()", fb_root), &fb_root});
#endif
#if BENCH_CAPNP
        capnp = capnp_records(memory, cycle);
        entries.push_back({WALKS_OF("Cap'n Proto, unchecked", capnp), &capnp});
#endif
#if BENCH_PROTOBUF_C
        pbc = pbc_records(cycle);
        entries.push_back({WALKS_OF("protobuf-c, unpacked", pbc), &pbc});
#endif
#if BENCH_PROTOBUF
        pb = pb_records(cycle);
        entries.push_back({WALKS_OF("protobuf C++, parsed into an arena", pb), &pb});
#endif
    }
};

size_t cold_count()
{
    size_t memory =
        static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t bytes =
        bench::quick() || bench::counts_allocations() ? size_t{32} << 20 : size_t{512} << 20;
    return std::min(bytes, memory / 24) / (sizeof(RawRoot) + sizeof(RawMid) + sizeof(RawLeaf));
}

void add_cases(bench::Group &g, std::shared_ptr<Data> data, Way way)
{
    static uint64_t out[9];
    for (size_t e = 0; e < data->entries.size(); e++) {
        // Each case starts elsewhere, so that none walks through lines another has just fetched.
        size_t at = data->cycle.order.size() / data->entries.size() * e;
        g.add(data->entries[e].walks.name, [=](uint64_t n) mutable {
            const Entry &entry = data->entries[e];
            const std::vector<uint32_t> &order = data->cycle.order;
            const char *end = entry.walks.ways[way](entry.records->where[order[at]], n, out);
            at = (at + n) % order.size();
            bench::expect(end == entry.records->where[order[at]], "the walk ends where it should");
            return n;
        });
    }
}

const char *const way_names[WAYS] = {"chain", "chain-store", "chain-stores", "cached",
                                     "cached-stores"};
const char *const way_notes[WAYS] = {
    "The chain root, child, child is written out for each of the nine fields.",
    "The chain is written out for each field; one uint64 is stored to memory half-way.",
    "The chain is written out for each field; each is stored to memory before the next is read.",
    "The leaf is kept in a variable.",
    "The leaf is kept in a variable; each field is stored to memory before the next is read.",
};

void declare(bool cold)
{
    for (unsigned way = 0; way < WAYS; way++) {
        std::string name =
            std::string("read/hierarchical/") + (cold ? "cold/" : "hot/") + way_names[way];
        bench::declare(name, [=](bench::Group &g) {
            static std::shared_ptr<Data> data; // of all ways, which run one after another
            static bool data_cold;
            if (!data || data_cold != cold) {
                data.reset();
                data = std::make_shared<Data>(cold ? cold_count() : HOT_COUNT);
                data_cold = cold;
            }
            g.note = std::string(way_notes[way]) + " " + std::to_string(data->cycle.order.size()) +
                     " records in a random cycle.";
            add_cases(g, data, static_cast<Way>(way));
        });
    }
}

bool declared = (declare(true), declare(false), true);

} // namespace
} // namespace hierarchy
