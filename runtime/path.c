/* Building an error's field path from the inside out. See path.h. */
#include "path.h"

#include <yaff/value.h>

#include <stdio.h>

#define CUT "\xe2\x80\xa6" /* "…" */

enum { CUT_SIZE = 3, PATH_MAX = YAFF_ERROR_PATH_SIZE - 1, KEY_SHOWN = 40 };

yaff_status yaff_fail(yaff_error *err, yaff_status status, size_t offset)
{
    if (err) {
        err->status = status;
        err->offset = offset;
        err->path[0] = '\0';
    }
    return status;
}

/* Puts `size` bytes of step in front. A '.' keeps it from a field name that follows. */
static void prepend(yaff_error *err, const char *step, size_t size)
{
    char *path = err->path;
    size_t old = strlen(path), dot = old > 0 && path[0] != '[', limit = PATH_MAX;
    bool cut = size + dot + old > PATH_MAX;

    if (cut) limit = PATH_MAX - CUT_SIZE;
    if (size > limit) size = limit;
    if (size + dot > limit) dot = 0, old = 0;
    if (size + dot + old > limit) old = limit - size - dot;
    memmove(path + size + dot, path, old);
    memcpy(path, step, size);
    if (dot) path[size] = '.';
    if (cut) {
        size_t end = size + dot + old;
        while (end > 0 && ((unsigned char)path[end - 1] & 0x80)) end--; /* an earlier "…" */
        memcpy(path + end, CUT, sizeof CUT);
    } else {
        path[size + dot + old] = '\0';
    }
}

void yaff_path_field(yaff_error *err, const yaff_field *field)
{
    if (err) prepend(err, field->name, strlen(field->name));
}

void yaff_path_index(yaff_error *err, size_t index)
{
    char step[32];
    if (!err) return;
    prepend(err, step, (size_t)snprintf(step, sizeof step, "[%zu]", index));
}

/* Writes ["text"], at most KEY_SHOWN bytes of it, and returns the length. */
static size_t quote(char *out, yaff_str text)
{
    size_t n = 0, shown = text.size < KEY_SHOWN ? text.size : KEY_SHOWN;
    out[n++] = '[';
    out[n++] = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c > 0x7e) {
            n += (size_t)snprintf(out + n, 5, "\\x%02x", c);
        } else {
            if (c == '"' || c == '\\') out[n++] = '\\';
            out[n++] = (char)c;
        }
    }
    if (shown < text.size) {
        memcpy(out + n, CUT, CUT_SIZE);
        n += CUT_SIZE;
    }
    out[n++] = '"';
    out[n++] = ']';
    return n;
}

void yaff_path_key(yaff_error *err, const yaff_field *key, const void *entry)
{
    char step[4 * KEY_SHOWN + 16];
    const char *cell = (const char *)entry + key->place;
    int n;
    if (!err) return;
    switch (key->kind) {
    case YAFF_KIND_STRING:
        prepend(err, step, quote(step, yaff_span_str(entry, yaff_load64(cell))));
        return;
    case YAFF_KIND_BOOL:
        n = snprintf(step, sizeof step, "[%s]", *cell ? "true" : "false");
        break;
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        n = snprintf(step, sizeof step, "[%lu]", (unsigned long)yaff_load32(cell));
        break;
    case YAFF_KIND_INT32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_SFIXED32:
        n = snprintf(step, sizeof step, "[%ld]", (long)(int32_t)yaff_load32(cell));
        break;
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        n = snprintf(step, sizeof step, "[%llu]", (unsigned long long)yaff_load64(cell));
        break;
    default:
        n = snprintf(step, sizeof step, "[%lld]", (long long)(int64_t)yaff_load64(cell));
        break;
    }
    prepend(err, step, (size_t)n);
}
