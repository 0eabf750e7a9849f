/* Words that generated code must not use as they stand. */
#ifndef YAFF_RESERVED_H
#define YAFF_RESERVED_H

#include <stdbool.h>

/* Whether the word is a keyword or macro of C or C++, so that not even a struct's member may have
 * it. */
bool yaff_reserved_word(const char *word);

/* Whether it is that, or a function or type of the standard headers: no symbol at file scope may.
 */
bool yaff_reserved_global(const char *word);

#endif
