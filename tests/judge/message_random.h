// Random messages of any schema, filled in through reflection.
#ifndef YAFF_TESTS_JUDGE_MESSAGE_RANDOM_H
#define YAFF_TESTS_JUDGE_MESSAGE_RANDOM_H

#include "judge/random.h"
#include "judge/schema.h"

namespace judge {

struct MessageOptions {
    unsigned density = 50; // percent of the fields that are set
    unsigned unknown = 0;  // percent of the messages that get unknown fields
    unsigned unlisted = 0; // percent of the closed enum values of maps that are not listed
    unsigned bad_utf8 = 0; // percent of the proto3 strings that are not UTF-8
    int depth = 4;         // levels of messages below this one
    int budget = 400;      // values in all, about
};

// Sets fields of `message` at random, required ones always. Map keys may come twice.
void fill(Random &random, const Schema &schema, pb::Message *message, MessageOptions options);

// A value that a varint may carry: small ones, limits, negative ones.
uint64_t random_integer(Random &random);

// Text; UTF-8 when asked for.
std::string random_text(Random &random, bool utf8);

// Unknown fields of every wire type, numbers that `descriptor` does not have; groups nest.
void add_unknown(Random &random, const pb::Descriptor *descriptor, pb::UnknownFieldSet *set,
                 int depth);

} // namespace judge

#endif
