// Another version of a schema: changes that Protobuf and spec/format.md (Evolution) allow between
// versions whose data both must be able to read.
#ifndef YAFF_TESTS_JUDGE_EVOLVE_H
#define YAFF_TESTS_JUDGE_EVOLVE_H

#include "judge/random.h"
#include "judge/schema.h"

#include <set>
#include <string>

namespace judge {

struct Evolution {
    pb::FileDescriptorSet files;
    // Fields whose width changed, a breaking change: "p.Msg:7". They read as absent, all else as
    // ever.
    std::set<std::string> broken;
    // A message is pinned Flat in one version and not in the other, which does not know all of its
    // numbers: that one may refuse the data, or find fields absent.
    bool may_refuse = false;
};

// Either version may be the older one.
Evolution evolve(Random &random, const pb::FileDescriptorSet &files);

} // namespace judge

#endif
