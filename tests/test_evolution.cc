// Old and new schemas read each other's data: seeded pairs of schemas, data converted with the
// writer's tables and read with the reader's in every way, judged by protobuf C++ parsing the
// writer's wire bytes with the reader's schema. YAFF_TEST_SEEDS=first:count in the environment
// chooses the pairs.
#include "judge/evolve.h"
#include "judge/message_random.h"
#include "judge/reader.h"
#include "judge/schema_random.h"
#include "judge/verdict.h"

#include <criterion/criterion.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>

#include <yaff/buffer.h>
#include <yaff/verify.h>

#include <stdio.h>
#include <stdlib.h>

using namespace judge;

namespace {

struct Counts {
    size_t pairs = 0, reads = 0, refused = 0;
};

class Pair {
  public:
    explicit Pair(uint64_t seed)
        : random_(seed), seed_(seed), old_(random_schema(random_)),
          evolution_(evolve(random_, old_.files())), new_(evolution_.files)
    {
    }

    bool all(Counts *counts);

  private:
    bool read(Schema &writer, Schema &reader, const std::string &name);
    std::string compare(Schema &reader, const pb::Descriptor *d, const pb::Message &expected,
                        const Conversion &c);
    void drop_broken(pb::Message *m);

    Random random_;
    uint64_t seed_;
    Schema old_;
    Evolution evolution_;
    Schema new_;
    Counts counts_;
};

// Fields whose width changed are no part of the comparison.
void Pair::drop_broken(pb::Message *m)
{
    const pb::Reflection *r = m->GetReflection();
    std::vector<const pb::FieldDescriptor *> fields;
    r->ListFields(*m, &fields);
    for (const pb::FieldDescriptor *f : fields) {
        std::string name = m->GetDescriptor()->full_name() + ":" + std::to_string(f->number());
        if (evolution_.broken.count(name) != 0) {
            r->ClearField(m, f);
        } else if (f->message_type() != nullptr && f->is_repeated()) {
            for (int i = 0, n = r->FieldSize(*m, f); i < n; i++)
                drop_broken(r->MutableRepeatedMessage(m, f, i));
        } else if (f->message_type() != nullptr) {
            drop_broken(r->MutableMessage(m, f));
        }
    }
}

std::string Pair::compare(Schema &reader, const pb::Descriptor *d, const pb::Message &expected,
                          const Conversion &c)
{
    const yaff_type *type = reader.type(d);
    const void *root = yaff_buffer_root(c.buffer(), type->instance);
    yaff_error error;
    yaff_status status = yaff_verify(type, c.buffer(), c.size, nullptr, &error);
    bool refused = status == YAFF_SCHEMA_MISMATCH && evolution_.may_refuse;
    if (status != YAFF_OK && !refused)
        return std::string("verify says ") + yaff_status_name(status) + " at " +
               std::to_string(error.offset) + " " + error.path;
    counts_.refused += refused;

    std::unique_ptr<pb::Message> want(expected.New()), got;
    want->CopyFrom(expected);
    drop_broken(want.get());
    settle(reader, want.get());
    for (int way = 0; way < 3; way++) {
        std::string problem;
        if (way < 2) {
            got = reader.make(d);
            read_message(type, root, way == 1, got.get());
            settle(reader, got.get());
        } else if (!refused) {
            std::string out = to_wire(type, c.buffer(), &problem);
            Verdict again = parse(reader, d, out);
            if (!problem.empty()) return problem;
            if (!again.parsed) return "protobuf cannot parse our wire bytes " + hex(out);
            got = std::move(again.message);
        } else {
            continue;
        }
        drop_unknown(got.get());
        drop_broken(got.get());
        settle(reader, got.get());
        bool right = serialize(*got) == serialize(*want);
        if (!right && refused) { // what it finds must be right all the same
            pb::util::MessageDifferencer part;
            pb::util::DefaultFieldComparator bits;
            bits.set_treat_nan_as_equal(true);
            part.set_field_comparator(&bits);
            part.set_scope(pb::util::MessageDifferencer::PARTIAL);
            right = part.Compare(*got, *want);
        }
        if (right) continue;
        static const char *const ways[] = {"yaff_find()", "the iterator", "to_wire"};
        return std::string(ways[way]) +
               " reads something else\n  ours: " + got->ShortDebugString() +
               "\n  its:  " + want->ShortDebugString();
    }
    return "";
}

bool Pair::read(Schema &writer, Schema &reader, const std::string &name)
{
    static const unsigned densities[] = {5, 30, 60, 100};
    MessageOptions options;
    options.density = densities[random_.below(4)];
    options.depth = static_cast<int>(random_.below(5));
    options.budget = 150;
    const pb::Descriptor *d = writer.descriptor(name), *to = reader.descriptor(name);
    std::unique_ptr<pb::Message> m = writer.make(d);
    fill(random_, writer, m.get(), options);
    settle(writer, m.get());
    std::string wire = serialize(*m);

    yaff_wire_options partial = {};
    partial.partial = true; // the values that map entries lack
    Conversion c = from_wire(writer.type(d), wire, partial);
    cr_assert(c.status == YAFF_OK, "seed %llu: %s", static_cast<unsigned long long>(seed_),
              yaff_status_name(c.status));
    Verdict expected = parse(reader, to, wire);
    if (!expected.parsed) return true; // bytes that became a string and are not UTF-8
    drop_unknown(expected.message.get());
    counts_.reads++;
    std::string problem = compare(reader, to, *expected.message, c);
    if (problem.empty()) return true;
    fprintf(stderr, "seed %llu, %s, wire %s\n%s\nWRITER\n%s\nREADER\n%s",
            static_cast<unsigned long long>(seed_), name.c_str(), hex(wire).c_str(),
            problem.c_str(), writer.text().c_str(), reader.text().c_str());
    return false;
}

bool Pair::all(Counts *counts)
{
    for (const pb::FileDescriptorProto &file : old_.files().file()) {
        std::string scope = file.package().empty() ? "" : file.package() + ".";
        for (const pb::DescriptorProto &m : file.message_type())
            if (!read(old_, new_, scope + m.name()) || !read(new_, old_, scope + m.name()))
                return false;
    }
    counts->pairs++;
    counts->reads += counts_.reads;
    counts->refused += counts_.refused;
    return true;
}

} // namespace

Test(evolution, random_pairs)
{
    uint64_t first = 1, count = 1000, failed = 0;
    pb::SetLogHandler(nullptr);
    const char *chosen = getenv("YAFF_TEST_SEEDS");
    unsigned long long from, number;
    if (chosen != nullptr && sscanf(chosen, "%llu:%llu", &from, &number) == 2) {
        first = from;
        count = number;
    }
    Counts counts;
    for (uint64_t seed = first; seed < first + count && failed < 3; seed++)
        failed += !Pair(seed).all(&counts);
    cr_log_info("%zu pairs of schemas, %zu messages read, %zu refused", counts.pairs, counts.reads,
                counts.refused);
    cr_assert(failed == 0);
}

// A value that equals the writer's default is stored all the same, also in a Fixed message.
Test(evolution, a_changed_default_does_not_change_fixed_values)
{
    auto schema = [](const char *enum_values, const char *default_value) {
        return Schema::parse(
            {std::string("syntax = \"proto2\"; import \"yaff/options.proto\"; enum E { ") +
             enum_values + R"( }
            message P {
              option (yaff.message) = { layout: LAYOUT_FIXED };
              required E e = 1; required int32 i = 2 [default = )" +
             default_value + R"(];
            }
            message M { optional P p = 1; repeated P r = 2; map<int32, P> m = 3; })"});
    };
    Schema old_one(schema("A = 127; B = 5;", "0")), new_one(schema("B = 5; A = 127;", "7"));
    for (const char *digits :
         {"0a04087f1000", "0a0408051007", "1204087f1000", "1a080800 1204087f1000"}) {
        std::string wire = unhex(digits), problem;
        for (Schema *writer : {&old_one, &new_one}) {
            Schema *reader = writer == &old_one ? &new_one : &old_one;
            Conversion c = from_wire(writer->type("M"), wire);
            cr_assert(c.status == YAFF_OK);
            std::string out = to_wire(reader->type("M"), c.buffer(), &problem);
            cr_expect(out == wire, "%s became %s", hex(wire).c_str(), hex(out).c_str());
        }
    }
    for (const char *digits : {"087f1000", "08051007"}) { // the root
        std::string wire = unhex(digits), problem;
        Conversion c = from_wire(old_one.type("P"), wire);
        cr_assert(c.status == YAFF_OK);
        cr_expect(to_wire(new_one.type("P"), c.buffer(), &problem) == wire);
    }
}
