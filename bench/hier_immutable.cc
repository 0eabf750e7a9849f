// The walks over yaff messages with accessors that promise that views do not change.
#define YAFF_IMMUTABLE_VIEWS
#include "hier_yaff.h"

namespace hierarchy {

const Immutable immutable = {
    WALKS_OF("yaff Flat, immutable views", flat),
    WALKS_OF("yaff Dynamic stored flat, immutable views", dynamic),
    WALKS_OF("yaff Sparse, immutable views", sparse),
    WALKS_OF("yaff Dynamic stored sparse, immutable views", wide),
};

} // namespace hierarchy
