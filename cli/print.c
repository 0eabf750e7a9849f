/* Single values as text. See print.h. */
#include "print.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER_SIZE = 48 }; /* more than any number needs */

/* ---- Text ---- */

/* The length of the UTF-8 sequence at s, which has n >= 1 bytes, and its code point; 0 when s does
 * not begin with one. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *point)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > n || s[0] >= 0xf8) return 0;
    *point = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *point = *point << 6 | (s[i] & 0x3fu);
    }
    if (*point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
        return 0;
    return length;
}

/* Whether a terminal would not simply show the character: controls, line separators, and the marks
 * that reorder text around them. */
static bool is_unshowable(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

static void print_escaped(FILE *out, uint32_t point)
{
    static const char from[] = "\"\\\n\r\t", to[] = "\"\\nrt";
    const char *found = point > 0 && point < 0x80 ? strchr(from, (int)point) : NULL;
    if (found)
        fprintf(out, "\\%c", to[found - from]);
    else
        fprintf(out, "\\u%04" PRIx32, point);
}

static void print_string(FILE *out, yaff_str text, bool utf8)
{
    const unsigned char *s = (const unsigned char *)text.data;
    size_t done = 0, i = 0; /* what is before `done` is written, what is before i needs no escape */
    putc('"', out);
    while (i < text.size) {
        uint32_t point = s[i];
        size_t length = utf8 || point < 0x80 ? decode(s + i, text.size - i, &point) : 0;
        if (length > 0 && point != '"' && point != '\\' && !is_unshowable(point)) {
            i += length;
            continue;
        }
        if (length == 0) {
            point = utf8 ? 0xdc00u | s[i] : s[i];
            length = 1;
        }
        fwrite(s + done, 1, i - done, out);
        print_escaped(out, point);
        i += length;
        done = i;
    }
    fwrite(s + done, 1, i - done, out);
    putc('"', out);
}

void cli_print_text(FILE *out, yaff_str text)
{
    print_string(out, text, true);
}

void cli_print_bytes(FILE *out, yaff_str bytes)
{
    print_string(out, bytes, false);
}

/* ---- Numbers ---- */

/* From DBL_MIN (FLT_MIN) up any number keeps DBL_DIG (FLT_DIG) digits, so trying fewer is no use:
 * %g leaves out trailing zeros. Below, numbers have fewer. */

static void format_double(char text[NUMBER_SIZE], double value)
{
    int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    do snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < DBL_DECIMAL_DIG);
}

static void format_float(char text[NUMBER_SIZE], float value)
{
    int digits = fabsf(value) < FLT_MIN ? 1 : FLT_DIG;
    do snprintf(text, NUMBER_SIZE, "%.*g", digits, (double)value);
    while (strtof(text, NULL) != value && digits++ < FLT_DECIMAL_DIG);
}

static void print_real(FILE *out, unsigned kind, uint64_t bits)
{
    char text[NUMBER_SIZE];
    int saved = errno; /* strtod() sets it for tiny numbers; why a write failed must stay known */
    bool narrow = kind == YAFF_KIND_FLOAT;
    double value = narrow ? (double)yaff_float_of((uint32_t)bits) : yaff_double_of(bits);
    if (isnan(value)) {
        fputs("NaN", out);
    } else if (isinf(value)) {
        fputs(value < 0 ? "-Infinity" : "Infinity", out);
    } else {
        if (narrow)
            format_float(text, yaff_float_of((uint32_t)bits));
        else
            format_double(text, value);
        errno = saved;
        fputs(text, out);
    }
}

void cli_print_number(FILE *out, unsigned kind, uint64_t bits)
{
    switch (kind) {
    case YAFF_KIND_DOUBLE:
    case YAFF_KIND_FLOAT:
        print_real(out, kind, bits);
        break;
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        fprintf(out, "%" PRIu64, bits);
        break;
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        fprintf(out, "%" PRId64, (int64_t)bits);
        break;
    default:
        fprintf(out, "%" PRId32, (int32_t)(uint32_t)bits);
        break;
    }
}

void cli_print_scalar(FILE *out, unsigned kind, const yaff_enum *enumeration, uint64_t bits)
{
    const char *name;
    if (kind == YAFF_KIND_BOOL) {
        fputs(bits ? "true" : "false", out);
        return;
    }
    name = kind == YAFF_KIND_ENUM && enumeration
               ? yaff_enum_name(enumeration, (int32_t)(uint32_t)bits)
               : NULL;
    if (name)
        cli_print_text(out, yaff_str_of(name));
    else
        cli_print_number(out, kind, bits);
}
