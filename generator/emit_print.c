/* See emit_print.h. */
#include "emit_print.h"

#include <yaff/base.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, LARGEST_OUTPUT = 256 << 20 };

static char *reserve(yaff_out *out, size_t size)
{
    if (size > LARGEST_OUTPUT - out->size)
        yaff_pool_fail(out->pool, "the generated code would be too large");
    if (out->size + size > out->capacity) {
        size_t capacity = 2 * (out->size + size) + 1024;
        char *data = realloc(out->data, capacity);
        if (!data) yaff_pool_fail(out->pool, "out of memory");
        out->data = data;
        out->capacity = capacity;
    }
    return out->data + out->size;
}

void yaff_out_bytes(yaff_out *out, const void *data, size_t size)
{
    if (size == 0) return;
    memcpy(reserve(out, size), data, size);
    out->size += size;
}

static void print_args(yaff_out *out, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = format ? vsnprintf(NULL, 0, format, again) : -1;
    va_end(again);
    if (size < 0) yaff_pool_fail(out->pool, "out of memory");
    vsnprintf(reserve(out, (size_t)size + 1), (size_t)size + 1, format, args);
    out->size += (size_t)size;
}

void yaff_out_text(yaff_out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_args(out, format, args);
    va_end(args);
}

/* Lines */

/* The end of the piece that starts at `text`: behind it the line may break. `fine` pieces end
 * behind opening parentheses and some operators, too. */
static const char *piece_end(const char *text, bool fine)
{
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (*p == '\v')
            return p + 1;
        else if (*p == ',' && p[1] == ' ')
            return p + 2;
        else if (!fine)
            continue;
        else if (*p == '(' && p[1] != ')')
            return p + 1;
        else if ((*p == '=' || *p == '?' || *p == ')') && p[1] == ' ')
            return p + 2;
    }
    return text + strlen(text);
}

/* How many columns a piece takes without the space or mark that ends it. */
static size_t piece_width(const char *piece, const char *end)
{
    while (end > piece && (end[-1] == ' ' || end[-1] == '\v')) end--;
    return (size_t)(end - piece);
}

typedef struct {
    yaff_out *out;
    size_t column;
    size_t lead;     /* columns of space that the line starts with */
    size_t open[16]; /* columns behind the parentheses and braces that are open */
    size_t depth;
} open_line;

/* Where a continuation starts: under the innermost open parenthesis if `width` columns fit there,
 * otherwise four columns to the right of the line's start. */
static size_t continuation(const open_line *l, size_t width)
{
    if (l->depth && l->open[l->depth - 1] + width <= COLUMNS) return l->open[l->depth - 1];
    return l->depth || l->lead ? l->lead + 4 : 0;
}

static void trim(yaff_out *out)
{
    while (out->size && out->data[out->size - 1] == ' ') out->size--;
}

static void print_piece(open_line *l, const char *piece, const char *end)
{
    bool quoted = false;
    for (const char *p = piece; p < end; p++) {
        char c = *p;
        if (c == '\v') {
            char before = l->out->data[l->out->size - 1];
            if (before == '(' || before == ' ' || before == '*') continue;
            c = ' ';
        }
        yaff_out_bytes(l->out, &c, 1);
        l->column++;
        if (quoted && c == '\\' && p + 1 < end) {
            yaff_out_bytes(l->out, ++p, 1);
            l->column++;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '(' || c == '{') && l->depth < 16) {
            l->open[l->depth++] = l->column;
        } else if (!quoted && (c == ')' || c == '}') && l->depth) {
            l->depth--;
        }
    }
}

static void break_line(yaff_out *out, const char *text)
{
    open_line l = {out, 0, strspn(text, " "), {0}, 0};
    const char *fine_until = text; /* up to here pieces are fine, as the coarse one was too long */
    for (const char *piece = text, *end; *piece; piece = end) {
        end = piece_end(piece, piece < fine_until);
        size_t width = piece_width(piece, end), start = continuation(&l, width);
        if (l.column + width > COLUMNS && piece != text && start < l.column) {
            trim(out);
            yaff_out_text(out, "\n%*s", (int)start, "");
            l.column = start;
        }
        if (l.column + width > COLUMNS && piece >= fine_until) {
            fine_until = end;
            end = piece_end(piece, true);
        }
        print_piece(&l, piece, end);
    }
    trim(out);
    yaff_out_bytes(out, "\n", 1);
}

void yaff_out_line(yaff_out *out, const char *format, ...)
{
    va_list args;
    size_t start = out->size;
    va_start(args, format);
    print_args(out, format, args);
    va_end(args);
    /* The text as formatted stands at the end of `out`; take it from there and print it broken. */
    size_t size = out->size - start;
    if (size >= out->line_capacity) {
        char *text = realloc(out->line, 2 * size + 200);
        if (!text) yaff_pool_fail(out->pool, "out of memory");
        out->line = text;
        out->line_capacity = 2 * size + 200;
    }
    memcpy(out->line, out->data + start, size);
    out->line[size] = 0;
    out->size = start;
    break_line(out, out->line);
}

/* Comments */

/* Bytes of the UTF-8 sequence at p, 0 when it is none, or turns the direction of text around it. */
static size_t sequence(const unsigned char *p, const unsigned char *end)
{
    size_t size = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    if (size > (size_t)(end - p)) return 0;
    for (size_t i = 1; i < size; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (size == 3 && p[0] == 0xe0 && p[1] < 0xa0) return 0;
    if (size == 3 && p[0] == 0xed && p[1] >= 0xa0) return 0;
    if (size == 4 && p[0] == 0xf0 && p[1] < 0x90) return 0;
    if (size == 4 && p[0] == 0xf4 && p[1] >= 0x90) return 0;
    if (size == 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) return 0;
    if (size == 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) return 0;
    return size;
}

/* A copy of the text that cannot end the comment it stands in, nor draw a warning. */
static char *harmless(yaff_pool *pool, const char *text)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    char *copy = yaff_pool_array(pool, 2 * (size_t)(end - p) + 1, 1), *to = copy;
    while (p < end) {
        size_t size = sequence(p, end);
        char last = to > copy ? to[-1] : ' ';
        if (size == 0 || (*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f) {
            *to++ = *p == '\r' ? ' ' : '?';
            p++;
            continue;
        }
        if ((last == '*' && *p == '/') || (last == '/' && *p == '*') || (last == '?' && *p == '?'))
            *to++ = ' ';
        if (*p == '\t') {
            *to++ = ' ';
            p++;
            continue;
        }
        memcpy(to, p, size);
        to += size;
        p += size;
    }
    *to = 0;
    return copy;
}

static size_t columns_of(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) columns++;
    return columns;
}

typedef struct {
    yaff_out *out;
    const char *indent;
    size_t line_count;
    const char *line; /* the last one, not printed yet */
    size_t size;
} comment;

static void print_line(comment *c)
{
    yaff_out_text(c->out, "%s%s%s%.*s", c->indent, c->line_count == 1 ? "/*" : " *",
                  c->size ? " " : "", (int)c->size, c->line);
}

static void add_line(comment *c, const char *line, size_t size)
{
    while (size && line[size - 1] == ' ') size--;
    if (c->line_count) {
        print_line(c);
        yaff_out_text(c->out, "\n");
    }
    c->line_count++;
    c->line = line;
    c->size = size;
}

/* Adds a paragraph's lines, breaking those that are too long at spaces. */
static void add_text(comment *c, const char *text)
{
    const size_t width = COLUMNS - strlen(c->indent) - 3;
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' ')) length--;
    const char *end = text + length;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end) line_end = end;
        if (*text == ' ') text++; /* "// text" */
        while (columns_of(text, (size_t)(line_end - text)) > width) {
            size_t most = 0, cut = 0;
            for (size_t columns = 0; columns <= width; columns += columns_of(text + most++, 1))
                if (text[most] == ' ' && most) cut = most;
            if (cut == 0) {
                const char *space = memchr(text + most, ' ', (size_t)(line_end - text) - most);
                if (!space) break;
                cut = (size_t)(space - text);
            }
            add_line(c, text, cut);
            text += cut;
            while (text < line_end && *text == ' ') text++;
        }
        add_line(c, text, (size_t)(line_end - text));
        text = line_end + (line_end < end);
    }
}

void yaff_out_comment(yaff_out *out, const char *indent, const char *text, const char *facts)
{
    comment c = {out, indent, 0, "", 0};
    if (text) add_text(&c, harmless(out->pool, text));
    if (facts) {
        if (c.line_count) add_line(&c, "", 0);
        add_text(&c, harmless(out->pool, facts));
    }
    if (c.line_count == 0) return;
    print_line(&c);
    if (strlen(indent) + 6 + columns_of(c.line, c.size) > COLUMNS)
        yaff_out_text(out, "\n%s */\n", indent);
    else
        yaff_out_text(out, " */\n");
}

/* Literals */

char *yaff_literal(yaff_pool *pool, const char *data, size_t size)
{
    enum { PIECE = 48 };
    char *text = yaff_pool_array(pool, 4 * size + 3 * (size / PIECE + 1) + 3, 1), *to = text;
    *to++ = '"';
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)data[i];
        if (i && i % PIECE == 0) {
            memcpy(to, "\"\v\"", 3);
            to += 3;
        }
        if (c == '"' || c == '\\' || c == '?') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c >= ' ' && c < 0x7f) {
            *to++ = (char)c;
        } else {
            *to++ = '\\';
            *to++ = (char)('0' + (c >> 6));
            *to++ = (char)('0' + (c >> 3 & 7));
            *to++ = (char)('0' + (c & 7));
        }
    }
    *to++ = '"';
    *to = 0;
    return text;
}

char *yaff_literal_int(yaff_pool *pool, int64_t value, unsigned width)
{
    if (width == 4) {
        if (value == INT32_MIN) return yaff_pool_format(pool, "(-2147483647 - 1)");
        return yaff_pool_format(pool, "%" PRId64, value);
    }
    if (value == INT64_MIN) return yaff_pool_format(pool, "(-INT64_C(9223372036854775807) - 1)");
    if (value < 0) return yaff_pool_format(pool, "-INT64_C(%" PRId64 ")", -value);
    return yaff_pool_format(pool, "INT64_C(%" PRId64 ")", value);
}

char *yaff_literal_uint(yaff_pool *pool, uint64_t value, unsigned width)
{
    return yaff_pool_format(pool, width == 4 ? "UINT32_C(%" PRIu64 ")" : "UINT64_C(%" PRIu64 ")",
                            value);
}

/* "1" reads as an integer; "1.0" does not. */
static char *with_point(yaff_pool *pool, const char *digits, const char *suffix)
{
    return yaff_pool_format(pool, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", suffix);
}

char *yaff_literal_float(yaff_pool *pool, uint32_t bits)
{
    char digits[64];
    float value = yaff_float_of(bits);
    if (!isnormal(value))
        return yaff_pool_format(pool, "yaff_float_of(UINT32_C(0x%08" PRIx32 "))", bits);
    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        float again = strtof(digits, NULL);
        if (memcmp(&again, &value, sizeof value) == 0) break;
    }
    return with_point(pool, digits, "f");
}

char *yaff_literal_double(yaff_pool *pool, uint64_t bits)
{
    char digits[64];
    double value = yaff_double_of(bits);
    if (!isnormal(value))
        return yaff_pool_format(pool, "yaff_double_of(UINT64_C(0x%016" PRIx64 "))", bits);
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        double again = strtod(digits, NULL);
        if (memcmp(&again, &value, sizeof value) == 0) break;
    }
    return with_point(pool, digits, "");
}
