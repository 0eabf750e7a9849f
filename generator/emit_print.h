/* The printer behind the emitters: text that grows, lines that break at 100 columns, comments, and
 * C literals. */
#ifndef YAFF_EMIT_PRINT_H
#define YAFF_EMIT_PRINT_H

#include "pool.h"

#include <stdint.h>

/* Zero-initialise, set `pool` (diagnoses leave through it), free `data` and `line`. */
typedef struct yaff_out {
    char *data; /* what was printed */
    size_t size, capacity;
    char *line; /* scratch */
    size_t line_capacity;
    yaff_pool *pool;
} yaff_out;

/* `size` bytes as they stand. */
void yaff_out_bytes(yaff_out *out, const void *data, size_t size);

/* Formatted text as it stands. */
void yaff_out_text(yaff_out *out, const char *format, ...) YAFF_PRINTF(2, 3);

/* One line of code. Longer than 100 columns, it breaks behind a comma or where the text has a \v (a
 * space when the line does not break there, or nothing after an opening parenthesis). */
void yaff_out_line(yaff_out *out, const char *format, ...) YAFF_PRINTF(2, 3);

/* A comment: `text`, then `facts` as a paragraph of its own. Either may be NULL; nothing is printed
 * when both are. `text` comes from a schema and may hold anything: it is made harmless. */
void yaff_out_comment(yaff_out *out, const char *indent, const char *text, const char *facts);

/* A string literal of `size` bytes, in pieces with \v between them. */
char *yaff_literal(yaff_pool *pool, const char *data, size_t size);

/* C expressions of these values: shortest decimal form, bit patterns for what has none. */
char *yaff_literal_int(yaff_pool *pool, int64_t value, unsigned width);
char *yaff_literal_uint(yaff_pool *pool, uint64_t value, unsigned width);
char *yaff_literal_float(yaff_pool *pool, uint32_t bits);
char *yaff_literal_double(yaff_pool *pool, uint64_t bits);

#endif
