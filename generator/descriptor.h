/* From bytes to protobuf-c's structs of descriptors: google/protobuf/descriptor.proto, plugin.proto
 * and yaff/options.proto, whose C code protoc-c makes during the build. */
#ifndef YAFF_DESCRIPTOR_H
#define YAFF_DESCRIPTOR_H

#include "pool.h"

#include <protobuf-c/protobuf-c.h>

/* Where hostile bytes, bytes that protobuf-c refuses, and messages nested too deep leave. */
_Noreturn void yaff_descriptor_malformed(yaff_pool *pool);
_Noreturn void yaff_descriptor_too_deep(yaff_pool *pool);

/* Unpacks a message of this type. Any bytes are safe; time and memory are linear in `size`. The
 * struct and all that it points at belong to the pool, and no string in it holds a NUL. */
void *yaff_descriptor_unpack(yaff_pool *pool, const ProtobufCMessageDescriptor *type,
                             const void *data, size_t size);

#endif
