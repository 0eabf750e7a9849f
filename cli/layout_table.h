/* The placement of a message as a table: what `yaff layout` prints. */
#ifndef YAFF_CLI_LAYOUT_TABLE_H
#define YAFF_CLI_LAYOUT_TABLE_H

#include <yaff/type.h>

#include <stdio.h>

/* Prints where each field of `type` lies, the blocks, the removed numbers that keep their places,
 * and what a message takes in each layout. Returns false when memory ran out; a failure of `out` is
 * left to ferror(). */
bool cli_layout_table(FILE *out, const yaff_type *type);

#endif
