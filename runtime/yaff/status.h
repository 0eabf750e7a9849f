/* What can go wrong, and where: yaff_status and yaff_error. */
#ifndef YAFF_STATUS_H
#define YAFF_STATUS_H

#include <yaff/base.h>

YAFF_BEGIN_DECLS

/* Number, name, sentence. The numbers are pinned: append, never renumber. */
#define YAFF_STATUS_LIST(X)                                                                        \
    X(0, OK, "ok")                                                                                 \
    X(1, NO_MEMORY, "out of memory")                                                               \
    X(2, TOO_SMALL, "the output buffer is too small")                                              \
    X(3, TOO_LARGE, "larger than the format or a limit allows")                                    \
    X(4, TOO_DEEP, "messages are nested too deeply")                                               \
    X(5, TRUNCATED, "the input ends inside a field")                                               \
    X(6, BAD_VARINT, "a varint is longer than ten bytes")                                          \
    X(7, BAD_TAG, "a tag with field number 0, wire type 6 or 7, or more than five bytes")          \
    X(8, BAD_LENGTH, "a length does not fit")                                                      \
    X(9, BAD_GROUP, "a group's start and end do not match")                                        \
    X(10, BAD_UTF8, "a string is not valid UTF-8")                                                 \
    X(11, MISSING_REQUIRED, "a required field is missing")                                         \
    X(12, UNKNOWN_IN_FIXED, "a Fixed message has no room for an unknown field")                    \
    X(13, BAD_MAGIC, "not a yaff buffer of this version")                                          \
    X(14, MISALIGNED, "not aligned to 8 bytes")                                                    \
    X(15, OUT_OF_BOUNDS, "an offset or count points outside the buffer")                           \
    X(16, BAD_HEAD, "a message head or its lanes contradict themselves")                           \
    X(17, BAD_CELL, "a cell holds what its field cannot")                                          \
    X(18, BAD_DIRECTORY, "a directory is not sorted or has an impossible entry")                   \
    X(19, BAD_MAP, "map keys are not sorted and unique")                                           \
    X(20, NOT_TERMINATED, "a string has no NUL behind it")                                         \
    X(21, OVERLAP, "messages overlap or are shared")                                               \
    X(22, SCHEMA_MISMATCH, "written by a schema that this one cannot read")                        \
    X(23, IO, "a file could not be read or written")                                               \
    X(24, BAD_SCHEMA, "the schema cannot be laid out")                                             \
    X(25, BAD_FRAME, "not a frame of this version, or its header is damaged")                      \
    X(26, BAD_CHECKSUM, "a frame's payload is damaged")                                            \
    X(27, WRONG_SCHEMA, "a frame was written with another schema")                                 \
    X(28, END, "no further frame")

typedef enum yaff_status {
#define YAFF_STATUS_ENUM(number, name, text) YAFF_##name = number,
    YAFF_STATUS_LIST(YAFF_STATUS_ENUM)
#undef YAFF_STATUS_ENUM
        YAFF_STATUS_COUNT
} yaff_status;

enum { YAFF_ERROR_PATH_SIZE = 200 };

/* Where an operation failed. A caller who wants it passes one; every function accepts NULL. */
typedef struct yaff_error {
    yaff_status status;
    size_t offset;                   /* bytes from the start of the input (wire bytes or buffer) */
    char path[YAFF_ERROR_PATH_SIZE]; /* "items[17].author.name"; cut short with "…" when longer;
                                      * "" when the root itself is at fault. WRONG_SCHEMA: both
                                      * fingerprints */
} yaff_error;

/* A sentence for a status, and its name as written in C ("YAFF_TRUNCATED"). Never NULL; static. */
YAFF_API const char *yaff_status_text(yaff_status status);
YAFF_API const char *yaff_status_name(yaff_status status);

YAFF_END_DECLS

#endif
