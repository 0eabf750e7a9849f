// Wire -> YaFF -> wire, judged by protobuf C++: random schemas, random messages, and wire bytes
// that are reordered, rewritten, damaged and nested. protobuf C++ and yaff must agree on what is a
// message, on what it says, and on its canonical bytes. YAFF_TEST_SEEDS=first:count in the
// environment chooses the schemas; with YAFF_TEST_TRACE each message is told before it is tried, so
// that the last one told is the one that crashed.
#include "judge/message_random.h"
#include "judge/schema_random.h"
#include "judge/verdict.h"
#include "judge/wire_tree.h"

#include <criterion/criterion.h>
#include <google/protobuf/stubs/logging.h>

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

using namespace judge;

namespace {

struct Counts {
    size_t schemas = 0, messages = 0, wires = 0, accepted = 0;
};

class Run {
  public:
    explicit Run(uint64_t seed) : random_(seed), seed_(seed), schema_(random_schema(random_))
    {
    }

    // Returns false after telling the first difference.
    bool all(Counts *counts);

  private:
    bool message(const pb::Descriptor *d);
    bool check(const pb::Descriptor *d, const std::string &wire, Conversion *converted = nullptr);
    bool fail(const pb::Descriptor *d, const std::string &wire, const std::string &problem);

    Random random_;
    uint64_t seed_;
    Schema schema_;
    Counts counts_;
};

bool Run::fail(const pb::Descriptor *d, const std::string &wire, const std::string &problem)
{
    std::string text = schema_.text();
    fprintf(stderr, "seed %llu, %s, wire %s\n%s\n%s", static_cast<unsigned long long>(seed_),
            d->full_name().c_str(), hex(wire).c_str(), problem.c_str(),
            text.size() < 20000 ? text.c_str() : "(a large schema)\n");
    return false;
}

bool Run::check(const pb::Descriptor *d, const std::string &wire, Conversion *converted)
{
    static const bool trace = getenv("YAFF_TEST_TRACE") != nullptr;
    if (trace)
        fprintf(stderr, "%llu %s %s\n", static_cast<unsigned long long>(seed_),
                d->full_name().c_str(), hex(wire).c_str());
    counts_.wires++;
    Conversion c;
    std::string problem = compare(schema_, d, wire, &c);
    if (!problem.empty()) return fail(d, wire, problem);
    counts_.accepted += c.size > 0;
    if (converted != nullptr) *converted = std::move(c);
    return true;
}

bool Run::message(const pb::Descriptor *d)
{
    static const unsigned densities[] = {3, 20, 50, 80, 100};
    MessageOptions options;
    options.density = densities[random_.below(5)];
    options.unknown = random_.chance(40) ? 30 : 0;
    options.unlisted = random_.chance(20) ? 30 : 0;
    options.bad_utf8 = random_.chance(5) ? 10 : 0;
    options.depth = static_cast<int>(random_.below(6));
    std::unique_ptr<pb::Message> m = schema_.make(d);
    fill(random_, schema_, m.get(), options);
    counts_.messages++;

    std::string wire = m->SerializePartialAsString();
    Conversion first, other;
    if (!check(d, wire, &first)) return false;
    WireMessage tree, changed;
    if (!parse_wire(d, wire, &tree)) return fail(d, wire, "the test cannot parse the wire bytes");
    for (int i = 0; i < 4; i++) {
        changed = tree;
        rewrite(random_, schema_, d, &changed);
        std::string again = print_wire(changed);
        if (!check(d, again, &other)) return false;
        if (first.size > 0 && !(first == other))
            return fail(d, again,
                        (parse(schema_, d, wire).bytes == parse(schema_, d, again).bytes
                             ? "another form of this message gives another buffer: "
                             : "the test is wrong: this is not the same message as ") +
                            hex(wire));
    }
    for (int i = 0; i < 8; i++) {
        changed = tree;
        if (random_.chance(50)) rewrite(random_, schema_, d, &changed);
        damage(random_, schema_, d, &changed);
        std::string damaged = print_wire(changed);
        if (random_.chance(20)) damage_bytes(random_, &damaged);
        if (!check(d, damaged)) return false;
    }
    for (int i = 0; i < 4; i++) {
        std::string damaged = print_wire(i % 2 ? tree : changed);
        damage_bytes(random_, &damaged);
        if (!check(d, damaged)) return false;
    }
    return check(d, nest(random_, d, static_cast<int>(random_.between(97, 103)))) &&
           check(d, wire + nest(random_, d, static_cast<int>(random_.between(1, 12))));
}

bool Run::all(Counts *counts)
{
    counts_.schemas = 1;
    for (const pb::FileDescriptorProto &file : schema_.files().file()) {
        std::string scope = file.package().empty() ? "" : file.package() + ".";
        for (const pb::DescriptorProto &m : file.message_type()) {
            int rounds = m.field_size() > 100 ? 1 : 4;
            for (int i = 0; i < rounds; i++)
                if (!message(schema_.descriptor(scope + m.name()))) return false;
        }
    }
    counts->schemas += counts_.schemas;
    counts->messages += counts_.messages;
    counts->wires += counts_.wires;
    counts->accepted += counts_.accepted;
    return true;
}

void run(uint64_t first, uint64_t count)
{
    pb::SetLogHandler(nullptr);
    const char *chosen = getenv("YAFF_TEST_SEEDS");
    unsigned long long from, number;
    if (chosen != nullptr && sscanf(chosen, "%llu:%llu", &from, &number) == 2) {
        first = from;
        count = number;
    }
    Counts counts;
    uint64_t failed = 0;
    for (uint64_t seed = first; seed < first + count && failed < 3; seed++)
        failed += !Run(seed).all(&counts);
    cr_log_info("%zu schemas, %zu messages, %zu wires, %zu accepted", counts.schemas,
                counts.messages, counts.wires, counts.accepted);
    cr_assert(failed == 0);
}

} // namespace

Test(wire_diff, random_schemas_and_messages)
{
    run(1, 40);
}
