/* Building an error's field path from the inside out, as the recursion that found the error
 * returns: "name", then "author.name", "[17].author.name", "items[17].author.name". No memory
 * but the error's own; what does not fit is cut off at the end and replaced with "…". Private
 * to the library. */
#ifndef YAFF_RUNTIME_PATH_H
#define YAFF_RUNTIME_PATH_H

#include <yaff/base.h>
#include <yaff/status.h>
#include <yaff/type.h>

/* Records a failure, with an empty path, where err is not NULL. Returns status. */
yaff_status yaff_fail(yaff_error *err, yaff_status status, size_t offset);

/* Put one step in front of err's path. err may be NULL. The key of a map entry is given by its
 * cell in the entry, with which its bytes are addressed; what is not printable ASCII shows as
 * \xHH. */
void yaff_path_field(yaff_error *err, const yaff_field *field);
void yaff_path_index(yaff_error *err, size_t index);
void yaff_path_key(yaff_error *err, const yaff_field *key, const void *entry);

#endif
