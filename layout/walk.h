/* An iterator over the present fields of a message of any layout: what the verifier, the wire
 * writer and the printer are loops over. Unknown fields are not among them: see yaff_unknown(). */
#ifndef YAFF_WALK_H
#define YAFF_WALK_H

#include <yaff/lanes.h>

typedef struct yaff_walk {
    /* Where the iterator stands. `cell` has field->width bytes: the value, or the span or
     * reference, which count from the message's p (Fixed: from the struct's start). Of a bool
     * it is one byte; a Sparse message's lies outside the buffer. A Fixed message inline in a
     * Fixed one has width 0: the cell is the struct. */
    const yaff_field *field;
    const uint8_t *cell;

    /* The iterator's own. */
    const uint8_t *p;
    const yaff_type *type;
    uint64_t lanes0;         /* the word with the head, of a message that is not Fixed */
    uint64_t lanes;          /* the lanes of `block` (kind 00, 01, 11) */
    const yaff_block *block; /* the row being walked */
    uint32_t next_block;     /* index of the row after it */
    uint32_t next;           /* next row of a Fixed type, next entry of a directory */
    uint32_t end;            /* no field above this number is in lanes or body */
    unsigned bits;           /* fields of `block` still to come */
    unsigned kind;           /* YAFF_HEAD_… */
} yaff_walk;

/* Starts before the first present field of `p`, a message of `type`, trusted or verified.
 * Nothing is owned; the iterator may simply be dropped. */
YAFF_API void yaff_walk_begin(yaff_walk *w, const yaff_type *type, const void *p);

/* Steps to the next present field that the type knows, in ascending number; false at the end.
 * Present is what yaff_find() finds; of a oneof only the member that won. In a Fixed message:
 * required fields and inline messages always, both fields of a map entry always, others when
 * their cell is not zero. A whole walk costs O(stored lanes + cells), plus the members of a
 * oneof that has one set. */
YAFF_API bool yaff_walk_next(yaff_walk *w);

/* The same, but members of a oneof that lost are seen, too. */
bool yaff_walk_next_member(yaff_walk *w);

/* Bytes of an array's element, by yaff_kind: 1, 4 or 8; 4 for a message reference. */
static inline unsigned yaff_kind_width(unsigned kind)
{
    /* 0, double, float, int64, uint64, int32, fixed64, fixed32, bool, string, group, message,
     * bytes, uint32, enum, sfixed32, sfixed64, sint32, sint64 */
    static const uint8_t width[] = {0, 8, 4, 8, 8, 4, 8, 4, 1, 8, 4, 4, 8, 4, 4, 4, 8, 4, 8};
    return width[kind];
}

#endif
