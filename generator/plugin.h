/* What protoc-gen-yaff does, as a function from bytes to bytes. */
#ifndef YAFF_PLUGIN_H
#define YAFF_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

/* Answers a serialized google.protobuf.compiler.CodeGeneratorRequest. Any bytes are safe. *response
 * gets a serialized CodeGeneratorResponse of *response_size bytes, to be freed with free(); what is
 * wrong with a schema is told in it. False when there is no response because the request cannot be
 * decoded or memory ran out; `error` (`error_size` bytes) then says why. */
bool yaff_plugin_run(const void *request, size_t size, char **response, size_t *response_size,
                     char *error, size_t error_size);

#endif
