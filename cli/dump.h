/* Printing a message for people to read. What comes out is JSON: field names as in the .proto, only
 * what is present, in number order. See `yaff dump --help`. */
#ifndef YAFF_CLI_DUMP_H
#define YAFF_CLI_DUMP_H

#include <yaff/type.h>

#include <stdio.h>

/* Zero-initialised means the defaults. */
typedef struct cli_dump_options {
    bool layouts; /* tell in a comment behind each '{' how that message is stored (no JSON then) */
} cli_dump_options;

/* Prints the root of a trusted or verified buffer of `type`, `size` bytes, and a line end. Stops
 * early when `out` fails, which ferror() tells. Linear in what is printed; stack bounded by the
 * message's depth; allocates nothing. `options` may be NULL. */
void cli_dump(FILE *out, const yaff_type *type, const void *buffer, size_t size,
              const cli_dump_options *options);

#endif
