// Random schemas: proto2 and proto3 files with every kind of field, any numbers, and yaff layouts
// pinned on a share of the messages.
#ifndef YAFF_TESTS_JUDGE_SCHEMA_RANDOM_H
#define YAFF_TESTS_JUDGE_SCHEMA_RANDOM_H

#include "judge/random.h"
#include "judge/schema.h"

namespace judge {

struct SchemaOptions {
    bool fixed = true;    // some messages are pinned Fixed
    bool flat = true;     // some messages are pinned Flat
    bool required = true; // proto2 files have some required fields outside of Fixed messages
};

// One or two files; the second one imports the first.
pb::FileDescriptorSet random_schema(Random &random, const SchemaOptions &options = {});

// What evolution needs of the maker.

// Sets the message's option (yaff.message).layout; the numbers are yaff_layout's.
void set_layout(pb::DescriptorProto *message, int layout);
int get_layout(const pb::DescriptorProto &message);

// Adds to the option (yaff.message).removed.
void add_removed(pb::DescriptorProto *message, uint32_t number, uint32_t width);

// A scalar, string, bytes or (when the file has one it may use) enum field with some label. Its
// name is "f" and the number. `enums` are full names with a leading dot.
pb::FieldDescriptorProto random_plain_field(Random &random, int number, bool proto3,
                                            const std::vector<std::string> &enums);

// "f" and the number.
std::string field_name(int number);

} // namespace judge

#endif
