/* Files in and out, and the one line that every error is. See file.h. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    LINE_SIZE = 4096,
    FIRST_READ = 1 << 16,
    WRITE_BUFFER = 1 << 16,
    TEMPORARY_TRIES = 100 /* other processes may be writing in the same directory */
};

/* No message and no buffer is larger. */
static const size_t max_input = 0x7fffffff;

/* ---- Errors ---- */

/* Appends text to a line of LINE_SIZE bytes that holds *n. */
static void append(char *line, size_t *n, const char *text)
{
    for (; *text && *n < LINE_SIZE - 8; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            *n += (size_t)snprintf(line + *n, 5, "\\x%02x", c);
        else
            line[(*n)++] = (char)c;
    }
}

void cli_error(const char *where, const char *format, ...)
{
    char message[LINE_SIZE], line[LINE_SIZE];
    size_t n = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    append(line, &n, "yaff: ");
    if (where) {
        append(line, &n, where);
        append(line, &n, ": ");
    }
    append(line, &n, message);
    line[n++] = '\n';
    line[n] = '\0';
    fputs(line, stderr);
}

/* ---- Input ---- */

bool cli_is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return cli_is_standard(path) ? "standard input" : path;
}

/* Reads to the end of the file into one growing block: then pipes, and files that change while they
 * are read, are no special case. */
static int read_all(FILE *file, const char *name, cli_bytes *bytes)
{
    size_t capacity = 0;
    bytes->data = NULL;
    bytes->size = 0;
    for (;;) {
        if (bytes->size == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_READ;
            void *larger = realloc(bytes->data, capacity);
            if (!larger) {
                cli_error(name, "out of memory");
                return CLI_FAILED;
            }
            bytes->data = larger;
        }
        size_t n = fread((char *)bytes->data + bytes->size, 1, capacity - bytes->size, file);
        bytes->size += n;
        if (bytes->size > max_input) {
            cli_error(name, "larger than 2 GiB, which no message is");
            return CLI_BAD_DATA;
        }
        if (n == 0) break;
    }
    if (ferror(file)) {
        cli_error(name, "cannot read: %s", strerror(errno));
        return CLI_FAILED;
    }
    return CLI_OK;
}

int cli_read(const char *path, cli_bytes *bytes)
{
    const char *name = cli_input_name(path);
    FILE *file = cli_is_standard(path) ? stdin : fopen(path, "rb");
    if (!file) {
        cli_error(name, "cannot open: %s", strerror(errno));
        return CLI_FAILED;
    }
    int result = read_all(file, name, bytes);
    if (file != stdin) fclose(file);
    if (result != CLI_OK) {
        free(bytes->data);
        bytes->data = NULL;
    }
    return result;
}

/* ---- Output ---- */

/* Whether the path stands for a file that is open already, which others may be writing to. */
static bool is_open_file(const char *path)
{
    return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

/* Whether a complete file should take the path's place: not that of a pipe or device. */
static bool is_replaceable(const char *path, mode_t *mode)
{
    struct stat status;
    *mode = 0;
    if (is_open_file(path)) return false;
    if (stat(path, &status) != 0) return errno == ENOENT;
    *mode = status.st_mode & 0777;
    return S_ISREG(status.st_mode);
}

/* Creates a new file in the target's directory. */
static FILE *open_temporary(cli_output *output)
{
    static const char pattern[] = ".yaff-%d.tmp";
    const char *slash = strrchr(output->target, '/');
    size_t directory = slash ? (size_t)(slash - output->target) + 1 : 0;
    size_t size = directory + sizeof pattern + 8;
    FILE *file = NULL;
    output->temporary = malloc(size);
    if (!output->temporary) return NULL;
    memcpy(output->temporary, output->target, directory);
    for (int i = 0; !file && i < TEMPORARY_TRIES; i++) {
        snprintf(output->temporary + directory, size - directory, pattern, i);
        file = fopen(output->temporary, "wbx");
        if (!file && errno != EEXIST) break;
    }
    return file;
}

static void output_free(cli_output *output)
{
    free(output->temporary);
    free(output->target);
    output->temporary = output->target = NULL;
    output->file = NULL;
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *result = malloc(size);
    if (result) memcpy(result, text, size);
    return result;
}

int cli_output_open(cli_output *output, const char *path)
{
    mode_t mode;
    output->target = output->temporary = NULL;
    if (cli_is_standard(path)) {
        output->name = "standard output";
        output->file = stdout;
    } else {
        output->name = path;
        output->target = realpath(path, NULL); /* a symbolic link stays one */
        if (!output->target) output->target = copy(path);
        if (!output->target)
            output->file = NULL;
        else if (is_replaceable(path, &mode))
            output->file = open_temporary(output);
        else
            output->file = fopen(path, is_open_file(path) ? "ab" : "wb");
        if (output->file && output->temporary && mode) (void)chmod(output->temporary, mode);
    }
    if (!output->file) {
        cli_error(output->name, "cannot create: %s", strerror(errno));
        output_free(output);
        return CLI_FAILED;
    }
    setvbuf(output->file, NULL, _IOFBF, WRITE_BUFFER);
    errno = 0;
    return CLI_OK;
}

int cli_output_close(cli_output *output)
{
    bool failed = ferror(output->file) != 0;
    int reason = errno; /* of the write that failed, if one did */
    if (fclose(output->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed && output->temporary && rename(output->temporary, output->target) != 0) {
        failed = true;
        reason = errno;
    }
    if (failed) {
        cli_error(output->name, "cannot write: %s", strerror(reason ? reason : EIO));
        if (output->temporary) remove(output->temporary);
    }
    output_free(output);
    return failed ? CLI_FAILED : CLI_OK;
}

void cli_output_discard(cli_output *output)
{
    fclose(output->file);
    if (output->temporary) remove(output->temporary);
    output_free(output);
}

int cli_write(const char *path, const void *data, size_t size)
{
    cli_output output;
    int result = cli_output_open(&output, path);
    if (result != CLI_OK) return result;
    fwrite(data, 1, size, output.file);
    return cli_output_close(&output);
}
