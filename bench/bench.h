// The harness that all groups of benchmarks share. A group compares cases that do the same work;
// the first case is the baseline. Each round runs every case of the group once, one after another,
// so a ratio compares two measurements that were taken within the same fraction of a second.
#ifndef YAFF_BENCH_H
#define YAFF_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// Does the work n times; returns an answer that depends on the data and on n alone, so that all
// cases of a group must agree. n is a multiple of the group's rotation.
using Run = std::function<uint64_t(uint64_t n)>;

struct Case {
    std::string name;
    Run run;
    double bytes; // its own bytes per unit; 0 = the group's
};

// A figure that is not a time: a size, say.
struct Fact {
    std::string row, column;
    double value;
};

class Group {
  public:
    explicit Group(std::string group_name) : name(std::move(group_name)) {}

    // The first case is the baseline. What `run` captures lives as long as the group.
    void add(std::string case_name, Run run, double own_bytes = 0)
    {
        cases.push_back({std::move(case_name), std::move(run), own_bytes});
    }
    void fact(std::string row, std::string column, double value)
    {
        facts.push_back({std::move(row), std::move(column), value});
    }

    std::string name;
    std::string unit = "message"; // what one of the n is
    std::string note;             // a sentence for the report
    double bytes = 0;             // bytes per unit; 0 = a rate says nothing here
    uint64_t rotation = 1;        // different messages in a full turn
    std::vector<Case> cases;
    std::vector<Fact> facts;
};

// Makes the group's data and adds its cases. Called only when the group is wanted.
using Setup = std::function<void(Group &)>;

// Declares a group, from a static initialiser: static bool unused = bench::declare("read/x",
// setup);
bool declare(std::string name, Setup setup);

// Whether the run is a fast look (smaller data).
bool quick();

// Ends the program when something that must hold does not: a wrong answer is worse than none.
void expect(bool condition, const char *what);

// Allocations so far: counted in the program that is linked with count_alloc.cc, else zero.
struct Allocations {
    uint64_t mallocs = 0, reallocs = 0, bytes = 0;
};
Allocations allocations();
bool counts_allocations();

// A small random generator: the same data on every machine.
class Random {
  public:
    explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint64_t next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15u; // splitmix64
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t n) { return next() % n; }
    uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
    bool chance(unsigned percent) { return below(100) < percent; }
    double real() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }
    // A number whose varint has any length, as often short as long.
    uint64_t number() { return next() >> between(1, 63); }
    std::string word(uint64_t size)
    {
        std::string s(size, ' ');
        for (char &c : s) c = static_cast<char>('a' + below(26));
        return s;
    }
    std::string text(uint64_t low, uint64_t high) { return word(between(low, high)); }
    std::string data(uint64_t size)
    {
        std::string s(size, ' ');
        for (char &c : s) c = static_cast<char>(next());
        return s;
    }

  private:
    uint64_t state;
};

// Writes Protobuf wire bytes, so that the data need no peer to be made.
class Wire {
  public:
    std::string bytes;

    void varint(uint64_t v)
    {
        for (; v >= 0x80; v >>= 7) bytes += static_cast<char>(v | 0x80);
        bytes += static_cast<char>(v);
    }
    void tag(uint32_t number, unsigned type) { varint(uint64_t{number} << 3 | type); }
    void u64(uint32_t number, uint64_t v)
    {
        tag(number, 0);
        varint(v);
    }
    void i64(uint32_t number, int64_t v) { u64(number, static_cast<uint64_t>(v)); }
    static uint64_t zigzag(int64_t v)
    {
        return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63);
    }
    void s64(uint32_t number, int64_t v) { u64(number, zigzag(v)); }
    template <class T> void raw(T v) { bytes.append(reinterpret_cast<const char *>(&v), sizeof v); }
    template <class T> void fixed(uint32_t number, T v) // float, double, fixed32, fixed64
    {
        static_assert(sizeof v == 4 || sizeof v == 8, "no wire type has this width");
        tag(number, sizeof v == 8 ? 1 : 5);
        raw(v);
    }
    void str(uint32_t number, const std::string &s)
    {
        tag(number, 2);
        varint(s.size());
        bytes += s;
    }
    void message(uint32_t number, const Wire &w) { str(number, w.bytes); }
};

} // namespace bench

#endif
