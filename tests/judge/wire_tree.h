// Wire bytes as a tree of fields that can be changed and printed again: other orders, other forms
// of the same values, and damage.
#ifndef YAFF_TESTS_JUDGE_WIRE_TREE_H
#define YAFF_TESTS_JUDGE_WIRE_TREE_H

#include "judge/random.h"
#include "judge/schema.h"

#include <string>
#include <vector>

namespace judge {

enum Wire { VARINT = 0, FIXED64 = 1, LENGTH = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5 };

struct WireField;
typedef std::vector<WireField> WireMessage;

struct WireField {
    uint32_t number = 0;
    unsigned wire = VARINT;
    uint64_t value = 0; // varint, fixed
    std::string bytes;  // length-delimited, when not a message
    bool message = false;
    WireMessage inner; // of a message or group
    // The field of the schema that this is a value of, packed or not; NULL when it is an unknown
    // field.
    const pb::FieldDescriptor *field = nullptr;
    // Superfluous bytes: zeros added to varints.
    unsigned tag_padding = 0, value_padding = 0, end_padding = 0;
    // Damage.
    int64_t length_error = 0; // added to the length
    bool no_end = false;      // the group's end tag is left out
    std::string instead;      // printed in place of everything, when not empty
};

// False when the bytes are malformed.
bool parse_wire(const pb::Descriptor *descriptor, const std::string &bytes, WireMessage *message);

std::string print_wire(const WireMessage &message);
void put_varint(std::string *out, uint64_t value, unsigned padding = 0);

// The wire type of one unpacked value.
unsigned wire_of(const pb::FieldDescriptor *field);

// Another wire form of the same message: fields reordered (unknown ones keep their order), messages
// split in two, packed and unpacked mixed, padded varints, values that lose added before the ones
// that win, zeros spelled out. Unknown fields are left as they are, byte for byte.
void rewrite(Random &random, const Schema &schema, const pb::Descriptor *descriptor,
             WireMessage *message);

// A few changes at random places that may change what the message says, or break it.
void damage(Random &random, const Schema &schema, const pb::Descriptor *descriptor,
            WireMessage *message);

// A change of the bytes themselves: cut short, flipped, inserted, removed.
void damage_bytes(Random &random, std::string *bytes);

// A message of `descriptor` with exactly `depth` levels below it: messages, groups, map entries,
// and unknown groups where the schema does not recurse.
std::string nest(Random &random, const pb::Descriptor *descriptor, int depth);

} // namespace judge

#endif
