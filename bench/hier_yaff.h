// The walks over yaff messages, for a translation unit that has chosen whether its views are
// immutable.
#include "hier.h"

#include <hier.yaff.h>
#include <hier_pinned.yaff.h>

#define dynamic_ROOT(p) reinterpret_cast<const hier_Root *>(p)
#define dynamic_LEAF(root) hier_Mid_child(hier_Root_child(root))
#define dynamic_F(leaf, k) hier_Leaf_f##k(leaf)

#define flat_ROOT(p) reinterpret_cast<const hier_FlatRoot *>(p)
#define flat_LEAF(root) hier_FlatMid_child(hier_FlatRoot_child(root))
#define flat_F(leaf, k) hier_FlatLeaf_f##k(leaf)

#define sparse_ROOT(p) reinterpret_cast<const hier_SparseRoot *>(p)
#define sparse_LEAF(root) hier_SparseMid_child(hier_SparseRoot_child(root))
#define sparse_F(leaf, k) hier_SparseLeaf_f##k(leaf)

#define wide_ROOT(p) reinterpret_cast<const hier_WideRoot *>(p)
#define wide_LEAF(root) hier_WideMid_child(hier_WideRoot_child(root))
#define wide_F(leaf, k) hier_WideLeaf_f##k(leaf)

WALKS(dynamic)
WALKS(flat)
WALKS(sparse)
WALKS(wide)
