/* The emitters: print a file of the model as C. They decide nothing: names.c has chosen every name
 * and tables.c every place. spec/generated.md describes what comes out. */
#ifndef YAFF_EMIT_H
#define YAFF_EMIT_H

#include "emit_print.h"
#include "schema.h"

void yaff_emit_header(yaff_schema *schema, const schema_file *file, yaff_out *out);
void yaff_emit_source(yaff_schema *schema, const schema_file *file, yaff_out *out);

/* The banner both files begin with; `comment` (may be NULL) is a paragraph of it. */
void yaff_emit_banner(const schema_file *file, yaff_out *out, const char *what,
                      const char *comment);

/* Whether a type that is not Fixed has a struct of its Flat body, and the bytes of that struct: up
 * to the end of the last block with a field. */
bool yaff_emit_has_body(const schema_message *m);
uint32_t yaff_emit_body_size(const schema_message *m);

#endif
