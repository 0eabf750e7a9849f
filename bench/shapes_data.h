// Made-up messages of shapes.proto and of descriptor.proto as wire bytes: fields in number order,
// as every Protobuf library writes them.
#ifndef YAFF_BENCH_SHAPES_DATA_H
#define YAFF_BENCH_SHAPES_DATA_H

#include "bench.h"

namespace shapes_data {

using bench::Random;
using bench::Wire;

inline std::string api(Random &r)
{
    Wire w;
    w.u64(1, r.number() | 1);
    w.str(2, r.text(10, 20));
    w.str(3, r.text(18, 30));
    if (r.chance(80)) w.u64(4, 1);
    w.fixed(5, r.real() * 1000);
    w.u64(6, r.between(1, 4));
    w.u64(7, 1700000000000 + r.below(1000000000));
    w.str(8, r.text(30, 46));
    return w.bytes;
}

inline std::string log(Random &r)
{
    Wire w;
    w.fixed(1, uint64_t{1700000000000000000} + r.below(1000000000000));
    w.u64(2, r.between(1, 4));
    w.str(3, r.text(6, 16));
    w.str(4, r.text(14, 26));
    w.str(5, r.text(120, 260));
    for (uint64_t i = r.between(5, 9); i > 0; i--) {
        Wire entry;
        entry.str(1, r.word(1) + std::to_string(i) + r.text(3, 12));
        entry.str(2, r.text(6, 36));
        w.message(6, entry);
    }
    w.str(7, r.word(32));
    w.u64(8, r.between(1, 100000));
    w.str(9, r.text(20, 50));
    return w.bytes;
}

inline Wire event_value(Random &r)
{
    Wire w;
    w.str(1, r.text(4, 12));
    switch (r.below(4)) {
    case 0:
        w.i64(2, static_cast<int64_t>(r.number()));
        break;
    case 1:
        w.fixed(3, r.real());
        break;
    case 2:
        w.str(4, r.text(2, 20));
        break;
    default:
        w.u64(5, r.below(2));
        break;
    }
    return w;
}

inline Wire event_step(Random &r)
{
    Wire w;
    w.u64(1, r.between(1, 200));
    w.s64(2, static_cast<int64_t>(r.below(100000)) - 50000);
    for (uint64_t i = r.between(1, 7); i > 0; i--) w.message(3, event_value(r));
    if (r.chance(60))
        w.str(4, r.text(20, 60));
    else
        w.u64(5, r.number());
    return w;
}

inline std::string event(Random &r)
{
    Wire w;
    w.u64(1, r.number() | 1);
    w.str(2, r.text(6, 18));
    for (uint64_t i = r.between(2, 6); i > 0; i--) {
        Wire session;
        session.u64(1, r.number() | 1);
        for (uint64_t k = r.between(2, 10); k > 0; k--) session.message(2, event_step(r));
        if (r.chance(50)) session.str(3, r.text(10, 40));
        w.message(3, session);
    }
    return w.bytes;
}

inline std::string media(Random &r)
{
    Wire w;
    w.u64(1, r.between(1, 1000));
    w.fixed(2, r.next() | 1);
    w.str(3, r.data(r.between(1024, 10240)));
    for (uint64_t i = 1, n = r.between(1, 4); i <= n; i++) {
        Wire chunk;
        chunk.u64(1, i);
        if (i == n) chunk.u64(2, 1);
        chunk.str(3, r.data(r.between(1024, 4096)));
        w.message(4, chunk);
    }
    for (uint64_t i = r.between(2, 4); i > 0; i--) {
        Wire entry;
        entry.str(1, std::to_string(i) + r.text(4, 10));
        entry.str(2, r.data(r.between(20, 200)));
        w.message(5, entry);
    }
    return w.bytes;
}

inline std::string columns(Random &r)
{
    Wire w, ids, deltas, prices, weights, hashes, flags;
    uint64_t rows = r.between(1000, 1100);
    for (uint64_t i = 0; i < rows; i++) {
        ids.varint(r.next() >> r.between(28, 57));
        deltas.varint(Wire::zigzag(static_cast<int64_t>(r.below(2000)) - 1000));
        prices.raw(r.real() * 100);
        weights.raw(static_cast<float>(r.real()));
        hashes.raw(static_cast<uint32_t>(r.next()));
        flags.varint(r.below(2));
    }
    w.message(1, ids);
    w.message(2, deltas);
    w.message(3, prices);
    w.message(4, weights);
    w.message(5, hashes);
    w.message(6, flags);
    return w.bytes;
}

inline std::string strings(Random &r)
{
    Wire w;
    for (uint32_t k = 1; k <= 12; k++) w.str(k, r.text(16, 46));
    for (uint32_t k = 13; k <= 24; k++) w.str(13, r.text(16, 46));
    return w.bytes;
}

inline std::string items(Random &r, size_t count)
{
    Wire w;
    for (size_t i = 0; i < count; i++) {
        Wire item;
        item.u64(1, r.between(1, 10000000));
        item.str(2, r.text(8, 20));
        item.fixed(3, r.real() * 100);
        item.u64(4, r.between(1, 300));
        if (r.chance(70)) item.u64(5, 1);
        if (r.chance(50)) item.u64(6, r.between(1, 4));
        if (r.chance(60)) item.s64(7, static_cast<int64_t>(r.below(4000)) - 2000);
        item.str(8, r.text(6, 10));
        w.message(1, item);
    }
    return w.bytes;
}

inline Wire descriptor_field(Random &r, uint32_t number, const std::string &package)
{
    Wire w;
    std::string name = r.text(3, 16);
    unsigned type = static_cast<unsigned>(r.between(1, 18));
    if (type == 10) type = 11; // no groups
    w.str(1, name);
    w.u64(3, number);
    w.u64(4, r.chance(25) ? 3 : 1);
    w.u64(5, type);
    if (type == 11 || type == 14) w.str(6, "." + package + "." + r.text(4, 18));
    if (r.chance(5)) w.str(7, r.text(1, 6));
    if (r.chance(10)) {
        Wire options;
        if (r.chance(50)) options.u64(2, 1);
        options.u64(3, r.below(2));
        w.message(8, options);
    }
    if (r.chance(10)) w.u64(9, 0);
    w.str(10, name);
    return w;
}

inline Wire descriptor_enum(Random &r)
{
    Wire w;
    std::string name = r.text(4, 12);
    w.str(1, name);
    for (uint32_t i = 0, n = static_cast<uint32_t>(r.between(2, 8)); i < n; i++) {
        Wire value;
        value.str(1, name + "_" + r.text(3, 10));
        value.u64(2, i);
        w.message(2, value);
    }
    return w;
}

inline Wire descriptor_message(Random &r, const std::string &package, unsigned depth)
{
    Wire w;
    w.str(1, r.text(4, 18));
    for (uint32_t i = 1, n = static_cast<uint32_t>(r.between(2, 14)); i <= n; i++)
        w.message(2, descriptor_field(r, i, package));
    if (depth > 0 && r.chance(30)) w.message(3, descriptor_message(r, package, depth - 1));
    if (r.chance(25)) w.message(4, descriptor_enum(r));
    if (r.chance(10)) {
        Wire range;
        range.u64(1, 1000);
        range.u64(2, 536870912);
        w.message(5, range);
    }
    if (r.chance(15)) {
        Wire oneof;
        oneof.str(1, r.text(4, 10));
        w.message(8, oneof);
    }
    return w;
}

// A FileDescriptorSet of one file, about as large as that of descriptor.proto.
inline std::string descriptor(Random &r)
{
    Wire set, file, options;
    std::string package = r.text(4, 10) + "." + r.text(3, 8);
    file.str(1, r.text(6, 14) + "/" + r.text(6, 14) + ".proto");
    file.str(2, package);
    for (uint64_t i = r.below(4); i > 0; i--) file.str(3, r.text(10, 30) + ".proto");
    for (uint64_t i = r.between(16, 24); i > 0; i--)
        file.message(4, descriptor_message(r, package, 2));
    for (uint64_t i = r.below(4); i > 0; i--) file.message(5, descriptor_enum(r));
    options.str(1, "com." + package);
    options.str(8, r.text(6, 14));
    options.str(11, "example.org/" + r.text(6, 20));
    file.message(8, options);
    file.str(12, "proto3");
    set.message(1, file);
    return set.bytes;
}

} // namespace shapes_data

#endif
