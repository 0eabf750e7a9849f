/* A schema from the text of a .proto, with protoc, for tests of run-time tables. */
#ifndef YAFF_TESTS_COMPILE_H
#define YAFF_TESTS_COMPILE_H

#include "generator/tables.h"

/* Free with yaff_schema_free(). Fails the test when protoc or the loader refuses. */
yaff_schema *compile_schema(const char *text);

/* One of the .proto files in tests/protos. */
yaff_schema *compile_file(const char *name);

#endif
