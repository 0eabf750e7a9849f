/* Opening a buffer that comes from elsewhere. */
#include <yaff/buffer.h>

#include "path.h"

const void *yaff_open(const yaff_type *type, const void *buffer, size_t size, yaff_error *err)
{
    enum { FLAGS_AT = 3 };
    if (yaff_verify(type, buffer, size, NULL, err)) return NULL;
    if (((const uint8_t *)buffer)[FLAGS_AT] & YAFF_BUFFER_BORROWED) {
        (void)yaff_fail(err, YAFF_NOT_TERMINATED, FLAGS_AT);
        return NULL;
    }
    return yaff_buffer_root(buffer, type->instance);
}
