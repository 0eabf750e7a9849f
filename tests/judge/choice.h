// Whether every message of a buffer is stored in the representation that spec/format.md prescribes.
#ifndef YAFF_TESTS_JUDGE_CHOICE_H
#define YAFF_TESTS_JUDGE_CHOICE_H

#include <yaff/type.h>

#include <string>

namespace judge {

// "" or a sentence about the first message below `p`, a view of its writer's `type`, that is stored
// otherwise.
std::string wrong_choice(const yaff_type *type, const void *p);

} // namespace judge

#endif
