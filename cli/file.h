/* Files in and out, and the one line that every error is. */
#ifndef YAFF_CLI_FILE_H
#define YAFF_CLI_FILE_H

#include <yaff/base.h>

#include <stdio.h>

/* What the command exits with. */
enum { CLI_OK = 0, CLI_BAD_DATA = 1, CLI_FAILED = 2 /* usage, schema, memory, a file */ };

#if defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Prints "yaff: WHERE: MESSAGE" on stderr as one line: control characters show as \xHH, what is
 * longer than a few thousand bytes is cut. `where` is a file or sub-command; NULL leaves it out. */
void cli_error(const char *where, const char *format, ...) CLI_PRINTF(2, 3);

/* A whole file in memory, aligned for any type. `data` is never NULL after a successful read. */
typedef struct cli_bytes {
    void *data;
    size_t size;
} cli_bytes;

/* Whether `path` means standard input or output: NULL or "-". */
bool cli_is_standard(const char *path);

/* The name of an input as errors tell it: the path, or "standard input". */
const char *cli_input_name(const char *path);

/* Reads all of a file or of standard input. Free the bytes with free(). On failure prints the error
 * and returns CLI_FAILED, or CLI_BAD_DATA when the file is larger than any message or buffer. */
int cli_read(const char *path, cli_bytes *bytes);

/* An output being written. A regular file, or one that does not exist yet, appears under its name
 * only when it is complete: until then it is a temporary file beside it. */
typedef struct cli_output {
    FILE *file; /* to write to */
    const char *name;
    char *target;
    char *temporary; /* NULL when `file` is standard output, a device or a pipe */
} cli_output;

/* Opens `path` for writing. On failure prints the error and returns CLI_FAILED. */
int cli_output_open(cli_output *output, const char *path);

/* Completes the output. On failure (of any write before, too) removes what was written, prints the
 * error and returns CLI_FAILED. */
int cli_output_close(cli_output *output);

/* Removes what was written. */
void cli_output_discard(cli_output *output);

/* Writes `size` bytes as the whole output `path`: open, write, close. */
int cli_write(const char *path, const void *data, size_t size);

#endif
