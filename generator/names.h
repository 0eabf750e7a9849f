/* Every name that generated code contains. spec/generated.md, Names. */
#ifndef YAFF_NAMES_H
#define YAFF_NAMES_H

#include "schema.h"

/* Fills the `symbols` of every file, message, field, oneof, enum and value of the schema. A file's
 * names depend on nothing but that file. Leaves through the pool when two files need the same name.
 */
void yaff_names(yaff_schema *schema);

/* A symbol of a message that has several of a kind: "<prefix>_yaff_<word><number>". */
char *yaff_names_numbered(yaff_schema *schema, const char *prefix, const char *word,
                          uint32_t number);

#endif
