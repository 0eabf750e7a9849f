// A YaFF message read field by field into a message of protobuf C++, without going through wire
// bytes.
#ifndef YAFF_TESTS_JUDGE_READER_H
#define YAFF_TESTS_JUDGE_READER_H

#include "judge/schema.h"

namespace judge {

// Sets in `out`, an empty message of `type`, what the view `p` holds: by asking yaff_find() for
// each field of the type, or with `walk` by the iterator of layout/walk.h.
void read_message(const yaff_type *type, const void *p, bool walk, pb::Message *out);

} // namespace judge

#endif
