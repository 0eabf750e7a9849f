// The reads of yaff messages. Apart from what else is made of them: gcc inlines less the more a
// translation unit has grown by inlining.
#include "sparse.h"

namespace sparse {

#define READ_str(k) of_text(GET(k).data)
#define READ_bytes(k) of_bytes(GET(k).data, GET(k).size)

#define GET(k) mixed_FlatMixed_f##k(m)
uint64_t read_flat(const mixed_FlatMixed *m)
{
    return 0 MIXED_50(READ);
}
#undef GET

#define GET(k) mixed_SparseMixed_f##k(m)
uint64_t read_sparse(const mixed_SparseMixed *m)
{
    return 0 MIXED_50(READ);
}
#undef GET

#define GET(k) mixed_Mixed_f##k(m)
uint64_t read_dynamic(const mixed_Mixed *m)
{
    return 0 MIXED_50(READ);
}

} // namespace sparse
