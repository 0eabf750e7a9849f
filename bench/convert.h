// Wire bytes to a yaff buffer, for making data; ends the program when it fails.
#ifndef YAFF_BENCH_CONVERT_H
#define YAFF_BENCH_CONVERT_H

#include "bench.h"

#include <yaff/buffer.h>
#include <yaff/wire.h>

#include <cstring>

namespace bench {

class Converter {
  public:
    Converter() : b(yaff_builder_new(nullptr)) { expect(b, "a builder"); }
    ~Converter() { yaff_builder_free(b); }
    Converter(const Converter &) = delete;
    Converter &operator=(const Converter &) = delete;

    // Stays until the next call.
    void convert(const yaff_type &type, const std::string &wire)
    {
        yaff_error err;
        yaff_status status = yaff_from_wire(b, &type, wire.data(), wire.size(), nullptr, &err);
        if (status != YAFF_OK)
            std::fprintf(stderr, "%s: %s at %zu, %s\n", type.name, yaff_status_text(status),
                         err.offset, err.path);
        expect(status == YAFF_OK, "converting made-up data");
    }
    const char *data() const { return static_cast<const char *>(yaff_builder_data(b)); }
    size_t size() const { return yaff_builder_size(b); }

  private:
    yaff_builder *b;
};

// A buffer that is kept, 8-byte aligned.
class Buffer {
  public:
    Buffer() = default;
    Buffer(const void *data, size_t size) : words((size + 7) / 8), length(size)
    {
        std::memcpy(words.data(), data, size);
    }
    explicit Buffer(const Converter &c) : Buffer(c.data(), c.size()) {}
    const char *data() const { return reinterpret_cast<const char *>(words.data()); }
    size_t size() const { return length; }

  private:
    std::vector<uint64_t> words;
    size_t length = 0;
};

} // namespace bench

#endif
