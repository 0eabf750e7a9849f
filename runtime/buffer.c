/* Opening a buffer that comes from elsewhere. */
#include <yaff/buffer.h>

const void *yaff_open(const yaff_type *type, const void *buffer, size_t size, yaff_error *err)
{
    if (yaff_verify(type, buffer, size, NULL, err)) return NULL;
    return yaff_buffer_root(buffer, type->instance);
}
