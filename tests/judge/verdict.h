// What protobuf C++ says about wire bytes, and whether yaff's conversion there and back agrees.
#ifndef YAFF_TESTS_JUDGE_VERDICT_H
#define YAFF_TESTS_JUDGE_VERDICT_H

#include "judge/schema.h"

#include <yaff/wire.h>

#include <memory>
#include <string>

namespace judge {

struct Verdict {
    bool parsed = false;
    bool initialized = false;
    bool unknown = false;          // some message keeps unknown fields
    bool unknown_in_fixed = false; // some Fixed message had unknown fields; they are dropped
    std::unique_ptr<pb::Message> message;
    std::string bytes; // serialised deterministically, partial or not
};

// Parses as protobuf's generated code would, then settles what yaff does not keep: see settle().
Verdict parse(Schema &schema, const pb::Descriptor *descriptor, const std::string &wire);

// Brings a dynamic message into the form in which both sides are compared: of the entries of a map
// with one key only the last, with key and value; entries with an unlisted value of a closed enum
// among the unknown fields, and unlisted values there as an int32 would be written; Fixed messages
// without unknown fields, with their required fields, and without inline messages that say nothing.
void settle(const Schema &schema, pb::Message *message, bool *unknown_in_fixed = nullptr);

std::string serialize(const pb::Message &message);

bool has_unknown(const pb::Message &message);
void drop_unknown(pb::Message *message);

// One yaff_from_wire() by the tables.
struct Conversion {
    yaff_status status = YAFF_OK;
    yaff_error error = {};
    // The buffer, in memory of exactly its size, so that a sanitizer sees every read outside of it.
    std::unique_ptr<uint64_t[]> words;
    size_t size = 0;

    const void *buffer() const
    {
        return words.get();
    }
    bool operator==(const Conversion &other) const;
};

constexpr size_t OWN_MEMORY = SIZE_MAX;

// Into memory of `capacity` bytes, a multiple of 8, or the builder's own.
Conversion from_wire(const yaff_type *type, const std::string &wire,
                     const yaff_wire_options &options = {}, size_t capacity = OWN_MEMORY);

// yaff_wire_size() and yaff_to_wire() of a verified buffer; an empty `problem` means that they
// agree.
std::string to_wire(const yaff_type *type, const void *buffer, std::string *problem);

// Converts `wire` by yaff in every way that the tests know and compares each result with what
// protobuf C++ says. Returns "" or a sentence telling the difference. `converted` (may be NULL)
// gets the buffer.
std::string compare(Schema &schema, const pb::Descriptor *descriptor, const std::string &wire,
                    Conversion *converted = nullptr);

std::string hex(const std::string &bytes);
std::string unhex(const std::string &digits); // blanks are skipped

} // namespace judge

#endif
