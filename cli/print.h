/* Single values as text: what dump and layout print them with. Errors are left in the FILE.
 * The program must not have set a locale. */
#ifndef YAFF_CLI_PRINT_H
#define YAFF_CLI_PRINT_H

#include <yaff/type.h>

#include <stdio.h>

/* The text as a JSON string in UTF-8. Control characters and those that reorder or break a line are
 * escaped; a byte 0xHH that is not UTF-8 becomes \udcHH (which no valid text contains). */
void cli_print_text(FILE *out, yaff_str text);

/* The bytes as a JSON string: printable ASCII as it is, any other byte as the character \u00HH. */
void cli_print_bytes(FILE *out, yaff_str bytes);

/* A number of a scalar kind, given by its cell's bits (an enum's, too; not bool). A float or double
 * gets the fewest digits that read back as the same number, or NaN, Infinity, -Infinity. */
void cli_print_number(FILE *out, unsigned kind, uint64_t bits);

/* A cell of a scalar kind: a number; false or true; an enum's name in quotes, its number where the
 * enum does not list it. `enumeration` may be NULL. */
void cli_print_scalar(FILE *out, unsigned kind, const yaff_enum *enumeration, uint64_t bits);

#endif
