// The walks over yaff messages with accessors as they are without a promise. Apart from those of
// the other formats: gcc inlines less the more a translation unit has grown by inlining, and all
// these walks together are more than it would allow.
#include "hier_yaff.h"

namespace hierarchy {

#define struct_ROOT(p) dynamic_ROOT(p)
#define struct_LEAF(root) hier_Leaf_fields(dynamic_LEAF(root))
#define struct_F(leaf, k) (leaf)->f##k
WALKS(struct)

#define view_ROOT(p) hier_Root_view(p)
#define view_LEAF(root) dynamic_LEAF(root)
#define view_F(leaf, k) hier_Leaf_f##k(leaf)
WALKS(view)

const Plain plain = {
    WALKS_OF("yaff Flat", flat),
    WALKS_OF("yaff Dynamic stored flat", dynamic),
    WALKS_OF("yaff Dynamic stored flat, opened by view()", view),
    WALKS_OF("yaff Dynamic stored flat, fields() of the leaf", struct),
    WALKS_OF("yaff Sparse", sparse),
    WALKS_OF("yaff Dynamic stored sparse", wide),
};

} // namespace hierarchy
