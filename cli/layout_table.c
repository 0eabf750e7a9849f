/* The placement of a message as a table. See layout_table.h. */
#include "layout_table.h"

#include <yaff/lanes.h>

#include <inttypes.h>
#include <stdlib.h>

#include "layout/choose.h"
#include "layout/placement.h"
#include "print.h"

#define CUT "\xe2\x80\xa6" /* "…" */

/* Longer names and defaults are cut. */
enum { NAME_SHOWN = 60, DEFAULT_SHOWN = 40 };

/* Bytes for a name, a value's type ("sfixed64", "group NAME"), a field's ("map<TYPE, TYPE>"). */
enum {
    NAME_SIZE = NAME_SHOWN + sizeof CUT,
    VALUE_SIZE = NAME_SIZE + 16,
    TYPE_SIZE = 2 * VALUE_SIZE + 16
};

/* ---- One line of the table, as text ---- */

typedef struct row {
    char number[12];
    char name[NAME_SIZE];
    char type[TYPE_SIZE];
    char bit[16];
    char width[12];
    char place[12];
} row;

/* These columns are as wide as their widest text. */
typedef struct widths {
    int name, type, bit;
} widths;

/* Copies a name; one from a descriptor that no compiler made may hold anything. */
static void copy_name(char out[NAME_SIZE], const char *name)
{
    size_t n = 0;
    for (; name[n] && n < NAME_SHOWN; n++) {
        bool shown = name[n] > 0x20 && name[n] < 0x7f;
        out[n] = shown ? name[n] : '?';
    }
    memcpy(out + n, name[n] ? CUT : "", name[n] ? sizeof CUT : 1);
}

/* How a .proto writes a kind, by yaff_kind; messages and enums go by their own names. */
static const char *const kind_names[] = {
    "?",       "double",   "float",    "int64",  "uint64", "int32", "fixed64",
    "fixed32", "bool",     "string",   "group",  "",       "bytes", "uint32",
    "",        "sfixed32", "sfixed64", "sint32", "sint64",
};

static void value_type(char out[VALUE_SIZE], const yaff_field *f)
{
    char name[NAME_SIZE] = "";
    if (f->type)
        copy_name(name, f->type->name);
    else if (f->enumeration)
        copy_name(name, f->enumeration->name);
    const char *kind = kind_names[f->kind];
    snprintf(out, VALUE_SIZE, "%s%s%s", kind, kind[0] && name[0] ? " " : "", name);
}

static void field_type(char out[TYPE_SIZE], const yaff_type *type, const yaff_field *f)
{
    char value[VALUE_SIZE], name[NAME_SIZE];
    value_type(value, f);
    if (f->flags & YAFF_FIELD_MAP) {
        char key[VALUE_SIZE];
        value_type(key, &f->type->fields[0]);
        value_type(value, &f->type->fields[1]);
        snprintf(out, TYPE_SIZE, "map<%s, %s>", key, value);
    } else if (f->oneof) {
        copy_name(name, type->oneofs[f->oneof - 1].name);
        snprintf(out, TYPE_SIZE, "%s in oneof %s", value, name);
    } else {
        const char *label = f->flags & YAFF_FIELD_REPEATED   ? "repeated "
                            : f->flags & YAFF_FIELD_REQUIRED ? "required "
                            : f->flags & YAFF_FIELD_PRESENCE && f->kind != YAFF_KIND_MESSAGE
                                ? "optional "
                                : "";
        snprintf(out, TYPE_SIZE, "%s%s", label, value);
    }
}

static uint32_t field_bit(const yaff_field *f)
{
    return (f->number - 1) % YAFF_BLOCK_NUMBERS;
}

static void field_row(row *r, const yaff_type *type, const yaff_field *f)
{
    uint32_t width = f->width ? f->width : f->type->body_size;
    snprintf(r->number, sizeof r->number, "%" PRIu32, f->number);
    copy_name(r->name, f->name);
    field_type(r->type, type, f);
    snprintf(r->width, sizeof r->width, "%" PRIu32, width);
    snprintf(r->bit, sizeof r->bit, "%" PRIu32 ".%" PRIu32, (f->number - 1) / YAFF_BLOCK_NUMBERS,
             field_bit(f));
    if (f->place == YAFF_NO_PLACE)
        strcpy(r->place, "-");
    else
        snprintf(r->place, sizeof r->place, "%" PRIu32, f->place);
}

/* A number that was removed and keeps its place: only lanes and placement know it. */
static void removed_row(row *r, const yaff_block *block, unsigned bit)
{
    snprintf(r->number, sizeof r->number, "%" PRIu32, YAFF_BLOCK_NUMBERS * block->k + 1 + bit);
    strcpy(r->name, "(removed)");
    strcpy(r->type, "");
    snprintf(r->bit, sizeof r->bit, "%" PRIu32 ".%u", block->k, bit);
    snprintf(r->width, sizeof r->width, "%u", yaff_lane_width(block->n4, block->n8, bit));
    snprintf(r->place, sizeof r->place, "%" PRIu32,
             8u * block->start + yaff_block_offset(block->n4, block->n8, bit));
}

/* ---- The table ---- */

typedef struct table {
    FILE *out;
    const yaff_type *type;
    widths widths;
} table;

/* Columns the text takes; a cut name has a three-byte character. */
static int columns(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void widen(int *width, const char *text)
{
    if (columns(text) > *width) *width = columns(text);
}

static void pad(FILE *out, const char *text, int width)
{
    fprintf(out, "  %s%*s", text, width - columns(text), "");
}

static void print_row(const table *t, const row *r)
{
    fprintf(t->out, "%9s", r->number);
    pad(t->out, r->name, t->widths.name);
    pad(t->out, r->type, t->widths.type);
    if (t->type->layout != YAFF_LAYOUT_FIXED) fprintf(t->out, "  %*s", t->widths.bit, r->bit);
    fprintf(t->out, "  %5s  %6s", r->width, r->place);
}

static void print_default(FILE *out, const yaff_field *f)
{
    yaff_str text;
    if (!(f->flags & YAFF_FIELD_DEFAULT)) return;
    fputs("  ", out);
    if (f->kind != YAFF_KIND_STRING && f->kind != YAFF_KIND_BYTES) {
        cli_print_scalar(out, f->kind, f->enumeration, f->default_bits);
        return;
    }
    text.data = f->default_data;
    text.size = f->default_bits < DEFAULT_SHOWN ? (size_t)f->default_bits : DEFAULT_SHOWN;
    if (f->kind == YAFF_KIND_STRING)
        cli_print_text(out, text);
    else
        cli_print_bytes(out, text);
    if (text.size < f->default_bits) fprintf(out, CUT " (%" PRIu64 " bytes)", f->default_bits);
}

static void print_fields(const table *t, const yaff_block *block)
{
    const yaff_field *f = block ? &t->type->fields[block->first] : t->type->fields;
    const yaff_field *end = t->type->fields + t->type->field_count;
    row r;
    for (unsigned bit = 0; block ? bit < YAFF_BLOCK_NUMBERS : f < end; bit++) {
        if (!block || block->known >> bit & 1u) {
            field_row(&r, t->type, f);
            print_row(t, &r);
            print_default(t->out, f++);
            putc('\n', t->out);
        } else if ((block->n4 | block->n8) >> bit & 1) {
            removed_row(&r, block, bit);
            print_row(t, &r);
            putc('\n', t->out);
        }
    }
}

static void print_block(const table *t, const yaff_block *block)
{
    uint32_t first = YAFF_BLOCK_NUMBERS * block->k + 1;
    fprintf(t->out, "block %" PRIu32 ": numbers %" PRIu32 " to %" PRIu32 ", ", block->k, first,
            first + YAFF_BLOCK_NUMBERS - 1);
    if (block->mask)
        fprintf(t->out, "starts at %u, %" PRIu32 " bytes\n", 8u * block->start,
                yaff_block_size(block->n4, block->n8));
    else
        fputs("beyond what Flat can place\n", t->out);
    print_fields(t, block);
}

static void print_table(FILE *out, const yaff_type *type)
{
    static const row titles = {"number", "field", "type", "block.bit", "width", "place"};
    table t = {out, type, {0, 0, 0}};
    row r;
    widen(&t.widths.name, "(removed)");
    widen(&t.widths.type, titles.type);
    widen(&t.widths.bit, titles.bit);
    for (uint32_t i = 0; i < type->field_count; i++) {
        field_row(&r, type, &type->fields[i]);
        widen(&t.widths.name, r.name);
        widen(&t.widths.type, r.type);
        widen(&t.widths.bit, r.bit);
    }
    print_row(&t, &titles);
    fputs("  default\n", out);
    if (type->layout == YAFF_LAYOUT_FIXED)
        print_fields(&t, NULL);
    else
        for (uint32_t i = 0; i < type->block_count && !ferror(out); i++)
            print_block(&t, &type->blocks[i]);
}

/* ---- What is around the table ---- */

static void print_summary(FILE *out, const yaff_type *type)
{
    static const char *const layouts[] = {
        "Dynamic: a message is Flat with lanes or Sparse, as its content suggests",
        "Fixed: a C struct, frozen",
        "Flat: every message whole, new fields at the end",
        "Sparse: only what is set is stored",
    };
    char name[NAME_SIZE];
    copy_name(name, type->name);
    fprintf(out, "message  %s\nlayout   %s\nfields   %" PRIu32, name, layouts[type->layout],
            type->field_count);
    if (type->field_count > 0)
        fprintf(out, ", numbers %" PRIu32 " to %" PRIu32, type->fields[0].number,
                type->fields[type->field_count - 1].number);
    if (type->oneof_count > 0) fprintf(out, ", oneofs %" PRIu32, type->oneof_count);
    if (type->layout == YAFF_LAYOUT_FIXED)
        fprintf(out, "\nstruct   %" PRIu32 " bytes, aligned to %" PRIu32 "\n", type->body_size,
                type->align);
    else
        fprintf(out, "\nbody     %" PRIu32 " bytes when Flat; limit %u (Flat places up to %d)\n",
                type->body_size, (unsigned)type->limit, YAFF_FLAT_MAX_NUMBER);
}

static void print_size(FILE *out, const char *name, uint32_t before, uint32_t behind)
{
    fprintf(out, "  %-23s  %8" PRIu32 "  %9" PRIu32 "  %8" PRIu32 "\n", name, before, behind,
            before + behind);
}

/* Plans a message with every field set as if the type were pinned to `layout`. */
static yaff_plan plan_full(const yaff_type *type, yaff_layout layout, const yaff_present *blocks)
{
    yaff_type pinned = *type;
    yaff_presence present = {blocks, false};
    yaff_plan plan;
    pinned.layout = (uint8_t)layout;
    yaff_choose(&pinned, &present, &plan);
    return plan;
}

static bool print_sizes(FILE *out, const yaff_type *type)
{
    yaff_present *present = calloc((size_t)type->block_count + 1, sizeof *present);
    yaff_plan flat, sparse, dynamic;
    bool placeable = type->fields[type->field_count - 1].number <= YAFF_FLAT_MAX_NUMBER;
    if (!present) return false;
    for (uint32_t i = 0; i < type->block_count; i++) present[i].set = type->blocks[i].known;
    flat = plan_full(type, YAFF_LAYOUT_FLAT, present);
    sparse = plan_full(type, YAFF_LAYOUT_SPARSE, present);
    dynamic = plan_full(type, YAFF_LAYOUT_DYNAMIC, present);
    free(present);

    fputs("\nA message with all fields set (bools true), without what strings, arrays and messages "
          "hold:\n"
          "  stored as                before p  from p on     bytes\n",
          out);
    if (placeable) {
        uint32_t blocks = type->blocks[type->block_count - 1].k + 1;
        print_size(out, "Flat", flat.before, flat.body);
        print_size(out, "Flat with lanes", 8 * blocks, type->body_size);
    }
    print_size(out, sparse.entries > 0 ? "Sparse with a directory" : "Sparse", sparse.before,
               sparse.body + 16 * sparse.entries);
    fprintf(out, "Dynamic stores that message as %s.\n",
            dynamic.kind == YAFF_HEAD_FLAT_LANES ? "Flat with lanes" : "Sparse");
    return true;
}

bool cli_layout_table(FILE *out, const yaff_type *type)
{
    print_summary(out, type);
    if (type->field_count == 0) return true;
    putc('\n', out);
    print_table(out, type);
    return type->layout == YAFF_LAYOUT_FIXED || print_sizes(out, type);
}
