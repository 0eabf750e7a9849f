// UTF-8 validation, against the validator of protobuf C++: ASCII, Cyrillic and Chinese text of 1
// KB, and short ASCII.
#include "bench.h"

#include <yaff/base.h>

extern "C" {
#include "runtime/utf8.h" // not a public header, so not made for C++
}

#if BENCH_PROTOBUF
// Not in an installed header, but what every parse of a proto3 string calls.
namespace google::protobuf::internal {
bool IsStructurallyValidUTF8(const char *data, int size);
}
#endif

namespace {

constexpr size_t TEXTS = 64;

// Letters of one script with a space now and then, at most `size` bytes.
std::string text(bench::Random &r, uint32_t first, uint32_t last, size_t size)
{
    std::string s;
    for (;;) {
        uint32_t c = r.chance(15) ? ' ' : static_cast<uint32_t>(r.between(first, last));
        std::string letter;
        if (c < 0x80) {
            letter = {static_cast<char>(c)};
        } else if (c < 0x800) {
            letter = {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
        } else {
            letter = {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
                      static_cast<char>(0x80 | (c & 0x3f))};
        }
        if (s.size() + letter.size() > size) return s.append(size - s.size(), '.');
        s += letter;
    }
}

template <class Check>
void add(bench::Group &g, const char *name, std::shared_ptr<std::vector<std::string>> texts,
         Check check)
{
    g.add(name, [=](uint64_t n) {
        uint64_t valid = 0;
        for (uint64_t done = 0; done < n; done += TEXTS)
            for (const std::string &s : *texts) valid += check(s) ? 1 : 0;
        return valid;
    });
}

void declare(const char *script, uint32_t first, uint32_t last, size_t size)
{
    bench::declare(
        std::string("utf8/") + script + "-" + std::to_string(size), [=](bench::Group &g) {
            bench::Random random(first);
            auto texts = std::make_shared<std::vector<std::string>>(TEXTS);
            for (std::string &s : *texts) s = text(random, first, last, size);
            g.unit = "text";
            g.rotation = TEXTS;
            g.bytes = static_cast<double>(size);
#if BENCH_PROTOBUF
            add(g, "protobuf C++", texts, [](const std::string &s) {
                return google::protobuf::internal::IsStructurallyValidUTF8(
                    s.data(), static_cast<int>(s.size()));
            });
#endif
            add(g, "yaff", texts,
                [](const std::string &s) { return yaff_utf8_valid(s.data(), s.size()); });
        });
}

bool declare_all()
{
    for (size_t size : {size_t{16}, size_t{64}, size_t{1024}}) declare("ascii", 'a', 'z', size);
    declare("cyrillic", 0x430, 0x44f, 1024);
    declare("chinese", 0x4e00, 0x9fff, 1024);
    return true;
}

bool declared = declare_all();

} // namespace
