/* Printing a message for people to read. See dump.h. */
#include "dump.h"

#include <yaff/buffer.h>
#include <yaff/lanes.h>
#include <yaff/value.h>

#include <inttypes.h>

#include "layout/find.h"
#include "layout/walk.h"
#include "print.h"
#include "runtime/wire_read.h"

enum { INDENT = 2, NUMBERS_IN_A_LINE = 16 };

typedef struct dump {
    FILE *out;
    const void *buffer;
    size_t size;
    bool layouts;
    int indent;
} dump;

static void print_message(dump *d, const yaff_type *type, const void *message);

/* ---- Braces, commas, line ends ---- */

static void line(const dump *d)
{
    fprintf(d->out, "\n%*s", d->indent, "");
}

static void begin(dump *d, char bracket)
{
    putc(bracket, d->out);
    d->indent += INDENT;
}

/* Goes to the place of the next member on a line of its own; *any tells whether one came before. */
static void next(const dump *d, bool *any)
{
    if (*any) putc(',', d->out);
    line(d);
    *any = true;
}

static void end(dump *d, char bracket, bool any)
{
    d->indent -= INDENT;
    if (any) line(d);
    putc(bracket, d->out);
}

/* ---- How a message is stored ---- */

static void print_layout(const dump *d, const yaff_type *type, const void *message)
{
    uint64_t lanes0;
    uint32_t entries = 0;
    uintptr_t at = (uintptr_t)message - (uintptr_t)d->buffer;
    if (at >= d->size) { /* a default instance, or inline in one */
        fputs(" /* not stored */", d->out);
        return;
    }
    fprintf(d->out, " /* at %zu: ", (size_t)at);
    if (type->layout == YAFF_LAYOUT_FIXED) {
        fprintf(d->out, "Fixed, %" PRIu32 " bytes */", type->body_size);
        return;
    }
    lanes0 = yaff_lanes(message, 0);
    switch (yaff_head_kind(lanes0)) {
    case YAFF_HEAD_FLAT:
        fprintf(d->out, "Flat, limit %u%s */", yaff_head_limit(lanes0),
                yaff_flat_has_sets(lanes0) ? ", set lanes" : "");
        return;
    case YAFF_HEAD_FLAT_LANES:
        fprintf(d->out, "Flat with lanes, limit %u */", yaff_head_limit(lanes0));
        return;
    case YAFF_HEAD_SPARSE_DIRECTORY:
        (void)yaff_directory(message, lanes0, &entries);
        break;
    default:
        break;
    }
    fprintf(d->out, "Sparse, blocks %u, 8-byte cells %u", yaff_head_blocks(lanes0),
            yaff_head_cells8(lanes0));
    if (entries > 0) fprintf(d->out, ", directory entries %" PRIu32, entries);
    fputs(" */", d->out);
}

/* ---- Values ---- */

static uint64_t load(const void *cell, unsigned width)
{
    if (width == 8) return yaff_load64(cell);
    return width == 4 ? yaff_load32(cell) : *(const uint8_t *)cell;
}

/* One value of the field: a singular one's cell, or an element of an array. Spans and references in
 * the cell count from `owner`. */
static void print_value(dump *d, const yaff_field *f, const void *owner, const void *cell)
{
    switch (f->kind) {
    case YAFF_KIND_STRING:
        cli_print_text(d->out, yaff_span_str(owner, yaff_load64(cell)));
        break;
    case YAFF_KIND_BYTES:
        cli_print_bytes(d->out, yaff_span_str(owner, yaff_load64(cell)));
        break;
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        print_message(d, f->type, yaff_ref_message(owner, yaff_load32(cell), f->type->instance));
        break;
    default:
        cli_print_scalar(d->out, f->kind, f->enumeration, load(cell, yaff_kind_width(f->kind)));
        break;
    }
}

static bool is_message(const yaff_field *f)
{
    return f->kind == YAFF_KIND_MESSAGE || f->kind == YAFF_KIND_GROUP;
}

static bool is_scalar(const yaff_field *f)
{
    return !is_message(f) && f->kind != YAFF_KIND_STRING && f->kind != YAFF_KIND_BYTES;
}

/* A singular field. */
static void print_singular(dump *d, const yaff_field *f, const void *owner, const void *cell)
{
    if (f->width == 0)
        print_message(d, f->type, cell);
    else
        print_value(d, f, owner, cell);
}

/* Numbers share lines; anything else has one of its own. */
static void print_array(dump *d, const yaff_field *f, const void *array, size_t count)
{
    bool fixed = is_message(f) && f->type->layout == YAFF_LAYOUT_FIXED, any = false;
    size_t size = fixed ? f->type->body_size : yaff_kind_width(f->kind);
    size_t in_a_line = is_scalar(f) ? NUMBERS_IN_A_LINE : 1;
    bool one_line = is_scalar(f) && count <= in_a_line;
    begin(d, '[');
    for (size_t i = 0; i < count && !ferror(d->out); i++) {
        const char *element = (const char *)array + size * i;
        if (!one_line && i % in_a_line == 0)
            next(d, &any);
        else if (i > 0)
            fputs(", ", d->out);
        if (fixed)
            print_message(d, f->type, element);
        else
            print_value(d, f, array, element);
    }
    end(d, ']', any);
}

/* Keys that are no strings are put in quotes, as JSON asks for. */
static void print_map(dump *d, const yaff_type *entry_type, const void *entries, size_t count)
{
    const yaff_field *key = &entry_type->fields[0], *value = &entry_type->fields[1];
    const char *quote = key->kind == YAFF_KIND_STRING ? "" : "\"";
    bool any = false;
    begin(d, '{');
    for (size_t i = 0; i < count && !ferror(d->out); i++) {
        const char *entry = (const char *)entries + (size_t)entry_type->body_size * i;
        next(d, &any);
        fputs(quote, d->out);
        print_singular(d, key, entry, entry + key->place);
        fprintf(d->out, "%s: ", quote);
        print_singular(d, value, entry, entry + value->place);
    }
    end(d, '}', any);
}

static void print_field(dump *d, const yaff_field *f, const void *owner, const void *cell)
{
    cli_print_text(d->out, yaff_str_of(f->name));
    fputs(": ", d->out);
    if (f->flags & YAFF_FIELD_REPEATED) {
        uint64_t span = yaff_load64(cell);
        const void *array = yaff_span_data(owner, span);
        if (f->flags & YAFF_FIELD_MAP)
            print_map(d, f->type, array, yaff_span_count(span));
        else
            print_array(d, f, array, yaff_span_count(span));
    } else {
        print_singular(d, f, owner, cell);
    }
}

/* ---- Unknown fields ---- */

static void print_unknown_key(const dump *d, uint32_t tag)
{
    static const char *const names[8] = {"varint",    "fixed64", "bytes", "group",
                                         "end group", "fixed32", "?",     "?"};
    fprintf(d->out, "\"%" PRIu32 ":%s\": ", tag >> 3, names[tag & 7]);
}

/* Prints wire fields up to the end, in a group up to its end tag; returns the byte behind. Out of a
 * verified message they are well-formed; if they are not, returns NULL and leaves out the rest. */
static const uint8_t *print_unknown(dump *d, const uint8_t *p, const uint8_t *end_of_wire,
                                    uint32_t depth, bool *any)
{
    yaff_status status;
    while (p && p < end_of_wire && !ferror(d->out)) {
        uint32_t tag, length;
        uint64_t varint;
        yaff_str bytes;
        bool inner = false;
        p = yaff_read_tag(p, end_of_wire, &tag, &status);
        if (!p || (tag & 7) == YAFF_WIRE_GROUP_END) return p;
        next(d, any);
        print_unknown_key(d, tag);
        switch (tag & 7) {
        case YAFF_WIRE_VARINT:
            p = yaff_read_varint(p, end_of_wire, &varint, &status);
            fprintf(d->out, "%" PRIu64, p ? varint : 0);
            break;
        case YAFF_WIRE_LENGTH:
            p = yaff_read_length(p, end_of_wire, &length, &status);
            bytes.data = (const char *)p;
            bytes.size = p ? length : 0;
            cli_print_bytes(d->out, bytes);
            if (p) p += length;
            break;
        case YAFF_WIRE_GROUP:
            begin(d, '{');
            p = depth > 0 ? print_unknown(d, p, end_of_wire, depth - 1, &inner) : NULL;
            end(d, '}', inner);
            break;
        case YAFF_WIRE_FIXED32:
        case YAFF_WIRE_FIXED64:
            length = (tag & 7) == YAFF_WIRE_FIXED32 ? 4 : 8;
            if ((size_t)(end_of_wire - p) < length) p = NULL;
            fprintf(d->out, "%" PRIu64, p ? load(p, length) : 0);
            if (p) p += length;
            break;
        default:
            fputs("null", d->out);
            return NULL;
        }
    }
    return p;
}

/* ---- Messages ---- */

static void print_message(dump *d, const yaff_type *type, const void *message)
{
    yaff_walk walk;
    bool any = false;
    begin(d, '{');
    if (d->layouts) print_layout(d, type, message);
    yaff_walk_begin(&walk, type, message);
    while (!ferror(d->out) && yaff_walk_next(&walk)) {
        next(d, &any);
        print_field(d, walk.field, message, walk.cell);
    }
    if (type->layout != YAFF_LAYOUT_FIXED) {
        yaff_str unknown = yaff_unknown(message);
        const uint8_t *wire = (const uint8_t *)unknown.data;
        (void)print_unknown(d, wire, wire + unknown.size, YAFF_DEPTH_CEILING, &any);
    }
    if (d->layouts && !any) putc(' ', d->out);
    end(d, '}', any);
}

void cli_dump(FILE *out, const yaff_type *type, const void *buffer, size_t size,
              const cli_dump_options *options)
{
    dump d = {out, buffer, size, options && options->layouts, 0};
    print_message(&d, type, yaff_buffer_root(buffer, type->instance));
    putc('\n', out);
}
