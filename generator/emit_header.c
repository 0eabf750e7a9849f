/* Prints a .proto file's header: types, accessors and what they are made of. See emit.h. */
#include "emit.h"
#include "layout/placement.h"
#include "names.h"

#include <yaff/lanes.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifndef YAFF_VERSION
#define YAFF_VERSION "(development)"
#endif

typedef struct {
    yaff_schema *schema;
    yaff_pool *pool;
    yaff_out *out;
    const schema_file *file;
} emitter;

#define FORMAT(e, ...) yaff_pool_format((e)->pool, __VA_ARGS__)

/* How things look in C */

static const char *scalar_type(const schema_field *f)
{
    switch (f->kind) {
    case YAFF_KIND_DOUBLE:
        return "double";
    case YAFF_KIND_FLOAT:
        return "float";
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        return "int64_t";
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        return "uint64_t";
    case YAFF_KIND_INT32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_SFIXED32:
        return "int32_t";
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return "uint32_t";
    case YAFF_KIND_BOOL:
        return "bool";
    case YAFF_KIND_ENUM:
        return f->enumeration->symbols.type;
    default:
        return "yaff_str";
    }
}

/* The type of a value as an accessor returns it, ready for a name behind it. */
static const char *value_type(emitter *e, const schema_field *f)
{
    return f->message ? FORMAT(e, "const %s *", f->message->symbols.type)
                      : FORMAT(e, "%s ", scalar_type(f));
}

/* The width of the value itself, where a repeated field's cell is a span. */
static unsigned value_width(const schema_field *f)
{
    static const unsigned char width[] = {0, 8, 4, 8, 8, 4, 8, 4, 1, 8, 4, 4, 8, 4, 4, 4, 8, 4, 8};
    return width[f->kind];
}

/* A value made of the bits of its cell. */
static const char *value_of_bits(emitter *e, const schema_field *f, const char *bits)
{
    switch (f->kind) {
    case YAFF_KIND_DOUBLE:
        return FORMAT(e, "yaff_double_of(\v%s)", bits);
    case YAFF_KIND_FLOAT:
        return FORMAT(e, "yaff_float_of(\v%s)", bits);
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_BOOL:
        return bits;
    default:
        return FORMAT(e, "(%s)%s", scalar_type(f), bits);
    }
}

static bool is_fixed(const schema_message *m)
{
    return m && m->layout == YAFF_LAYOUT_FIXED;
}

/* What an absent message of the type reads as. */
static const char *instance_of(const schema_message *m)
{
    return m->layout == YAFF_LAYOUT_FIXED ? m->symbols.instance : "YAFF_EMPTY_MESSAGE";
}

static const char *default_value(emitter *e, const schema_field *f)
{
    uint64_t bits = f->default_bits;
    switch (f->kind) {
    case YAFF_KIND_MESSAGE:
    case YAFF_KIND_GROUP:
        return FORMAT(e, "(const %s *)%s%s", f->message->symbols.type,
                      is_fixed(f->message) ? "(const void *)" : "", instance_of(f->message));
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
        return FORMAT(e, "yaff_default_str(&%s, %lu)", f->parent->symbols.table,
                      (unsigned long)f->row);
    case YAFF_KIND_DOUBLE:
        return bits ? yaff_literal_double(e->pool, bits) : "0";
    case YAFF_KIND_FLOAT:
        return bits ? yaff_literal_float(e->pool, (uint32_t)bits) : "0";
    case YAFF_KIND_BOOL:
        return bits ? "true" : "false";
    case YAFF_KIND_ENUM:
        return f->default_name->symbol;
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        return yaff_literal_int(e->pool, (int64_t)bits, 8);
    case YAFF_KIND_UINT64:
    case YAFF_KIND_FIXED64:
        return yaff_literal_uint(e->pool, bits, 8);
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return yaff_literal_uint(e->pool, bits, 4);
    default:
        return yaff_literal_int(e->pool, (int32_t)(uint32_t)bits, 4);
    }
}

/* How things look in the schema, for comments */

static const char *declared_type(const schema_field *f)
{
    static const char *const names[] = {"",         "double",   "float",   "int64",  "uint64",
                                        "int32",    "fixed64",  "fixed32", "bool",   "string",
                                        "group",    "",         "bytes",   "uint32", "",
                                        "sfixed32", "sfixed64", "sint32",  "sint64"};
    if (f->enumeration) return f->enumeration->full_name;
    if (f->kind == YAFF_KIND_MESSAGE) return f->message->full_name;
    return names[f->kind];
}

static const char *declaration(emitter *e, const schema_field *f)
{
    const char *label = "", *type = declared_type(f), *oneof = "", *value = "";
    bool optional = f->proto3_optional || (!f->parent->file->proto3 && !f->parent->map_entry);
    if (f->flags & YAFF_FIELD_MAP)
        type = FORMAT(e, "map<%s, %s>", declared_type(f->message->rows[0]),
                      declared_type(f->message->rows[1]));
    else if (f->flags & YAFF_FIELD_REPEATED)
        label = "repeated ";
    else if (f->flags & YAFF_FIELD_REQUIRED)
        label = "required ";
    else if (f->oneof)
        oneof = FORMAT(e, " in oneof %s", f->oneof->name);
    else if (optional)
        label = "optional ";
    if (f->default_text)
        value = FORMAT(e, schema_is_text(f->kind) ? " [default = \"%.*s\"]" : " [default = %.*s]",
                       f->default_text_size < 60 ? (int)f->default_text_size : 60, f->default_text);
    else if (f->default_bits)
        value = FORMAT(e, " (default %s)", f->default_name->name);
    return FORMAT(e, "%s%s %s = %ld%s%s%s", label, type, f->name, (long)f->number, value, oneof,
                  f->flags & YAFF_FIELD_DEPRECATED ? ", deprecated" : "");
}

static const yaff_field *row_of(const schema_field *f)
{
    return &f->parent->table->fields[f->row];
}

static unsigned block_of(const schema_field *f)
{
    return ((unsigned)f->number - 1) / YAFF_BLOCK_NUMBERS;
}

static unsigned bit_of(const schema_field *f)
{
    return ((unsigned)f->number - 1) % YAFF_BLOCK_NUMBERS;
}

static const char *field_facts(emitter *e, const schema_field *f)
{
    const char *text = declaration(e, f);
    unsigned long place = row_of(f)->place;
    if (row_of(f)->place == YAFF_NO_PLACE) return FORMAT(e, "%s; no place in Flat", text);
    switch (f->parent->layout) {
    case YAFF_LAYOUT_FIXED:
    case YAFF_LAYOUT_FLAT:
        return FORMAT(e, "%s; place %lu", text, place);
    case YAFF_LAYOUT_SPARSE:
        return FORMAT(e, "%s; block %u bit %u", text, block_of(f), bit_of(f));
    default:
        return FORMAT(e, "%s; block %u bit %u, place %lu", text, block_of(f), bit_of(f), place);
    }
}

/* Reading a cell */

/* Whether the inline helpers can read the field: its number must be one they have a place for. */
static bool is_inline(const schema_field *f)
{
    if (f->parent->layout == YAFF_LAYOUT_SPARSE) return block_of(f) < YAFF_SPARSE_MAX_BLOCKS;
    return f->number <= YAFF_FLAT_MAX_NUMBER;
}

static const char *mask(emitter *e, const schema_message *m, uint32_t k)
{
    return yaff_names_numbered(e->schema, m->symbols.prefix, "mask", k);
}

static const char *shape(emitter *e, const schema_message *m, uint32_t k)
{
    return yaff_names_numbered(e->schema, m->symbols.prefix, "shape", k);
}

/* "yaff_LAYOUT_WHAT(m, where the field is": the helper's call up to what is the same for all. */
static const char *cell_call(emitter *e, const schema_field *f, const char *what)
{
    const schema_message *m = f->parent;
    unsigned k = block_of(f), bit = bit_of(f);
    unsigned long place = row_of(f)->place;
    if (!is_inline(f)) return FORMAT(e, "yaff_find_%s(m", what);
    if (m->layout == YAFF_LAYOUT_FLAT)
        return FORMAT(e, "yaff_flat_%s(m, %u, %lu", what, m->table->limit, place);
    if (m->layout == YAFF_LAYOUT_SPARSE && f->width == 1)
        return FORMAT(e, "yaff_sparse_%s(m, %u, %u", what, k, bit);
    if (m->layout == YAFF_LAYOUT_SPARSE)
        return FORMAT(e, "yaff_sparse_%s(m, %u, %s, %u", what, k, shape(e, m, k), bit);
    return FORMAT(e, "yaff_dynamic_%s(m, %u, %s, %s, %u, %lu", what, k, mask(e, m, k),
                  shape(e, m, k), bit, place);
}

/* The bits of the field's cell; zero where it is absent. */
static const char *cell(emitter *e, const schema_field *f)
{
    const schema_message *m = f->parent;
    if (m->layout == YAFF_LAYOUT_FIXED)
        return FORMAT(e, "yaff_fixed_get%u(m, %lu)", f->width, (unsigned long)row_of(f)->place);
    return FORMAT(e, "%s, &%s, %lu)", cell_call(e, f, FORMAT(e, "get%u", f->width)),
                  m->symbols.table, (unsigned long)f->row);
}

/* How far behind m a writer puts the message of field f of a Flat m: right behind the body when
 * nothing can be stored in between. 0 = that is not known, as where a size depends on how many
 * blocks of lanes there are. */
static unsigned long near_place(const schema_field *f)
{
    const schema_message *m = f->parent, *child = f->message;
    unsigned long prefix = 8; /* one block of lanes; a pinned Flat head and set lanes of a block */
    if (m->layout == YAFF_LAYOUT_DYNAMIC && m->table->limit > YAFF_BLOCK_NUMBERS) return 0;
    if (child->table->limit > YAFF_BLOCK_NUMBERS) return 0;
    if (is_fixed(child)) prefix = 0;
    for (size_t i = 0; i < f->row; i++) {
        const schema_field *other = m->rows[i];
        bool stored_behind =
            other->message || schema_is_text(other->kind) || (other->flags & YAFF_FIELD_REPEATED);
        if (stored_behind && !(f->oneof && other->oneof == f->oneof)) return 0;
    }
    return m->table->body_size + prefix;
}

/* The message that the field refers to. */
static const char *message_cell(emitter *e, const schema_field *f)
{
    const schema_message *m = f->parent;
    const char *instance = instance_of(f->message), *near = "";
    if (m->layout == YAFF_LAYOUT_FIXED)
        return FORMAT(e, "yaff_ref_message(\vm, %s, %s)", cell(e, f), instance);
    if (is_inline(f) && m->layout != YAFF_LAYOUT_SPARSE) near = FORMAT(e, ", %lu", near_place(f));
    return FORMAT(e, "%s%s, &%s, %lu%s%s)", cell_call(e, f, "message"), near, m->symbols.table,
                  (unsigned long)f->row, is_inline(f) ? ", " : "", is_inline(f) ? instance : "");
}

/* The bits of the oneof's members from number `least` on; all are in one block. */
static unsigned group_of(const schema_message *m, const schema_oneof *o, int32_t least)
{
    unsigned group = 0;
    for (size_t i = o->first->row; i <= o->last->row; i++)
        if (m->rows[i]->oneof == o && m->rows[i]->number >= least)
            group |= 1u << bit_of(m->rows[i]);
    return group;
}

/* Whether the inline helpers can tell the oneof's member: all are in one block. */
static bool is_inline_oneof(const schema_oneof *o)
{
    return is_inline(o->last) && block_of(o->first) == block_of(o->last);
}

static const char *presence(emitter *e, const schema_field *f)
{
    const schema_message *m = f->parent;
    unsigned k = block_of(f), bit = bit_of(f), group = 1u << bit;
    unsigned long row = f->row;
    if (!is_inline(f) || (f->oneof && !is_inline_oneof(f->oneof)))
        return FORMAT(e, "yaff_find_has(m, &%s, %lu)", m->symbols.table, row);
    if (f->oneof) group = group_of(m, f->oneof, f->number);
    if (m->layout == YAFF_LAYOUT_FLAT)
        return FORMAT(e, "yaff_flat_has(m, %u, %u, %u, 0x%x, &%s, %lu)", m->table->limit, k, bit,
                      group, m->symbols.table, row);
    return FORMAT(e, "yaff_%s_has(m, %u, %u, 0x%x, &%s, %lu)",
                  m->layout == YAFF_LAYOUT_SPARSE ? "sparse" : "dynamic", k, bit, group,
                  m->symbols.table, row);
}

/* Functions */

/* "static inline T name(const M *m…)" and the opening brace. */
static void begin_accessor(emitter *e, const schema_message *m, const char *type, const char *name,
                           const char *more)
{
    yaff_out_line(e->out, "YAFF_ACCESSOR %s\v%s(const %s *m%s)", type, name, m->symbols.type, more);
    yaff_out_text(e->out, "{\n");
}

static void end_function(emitter *e)
{
    yaff_out_text(e->out, "}\n\n");
}

static void emit_has(emitter *e, const schema_field *f)
{
    begin_accessor(e, f->parent, "bool ", f->symbols.has, "");
    yaff_out_line(e->out, "    return %s;", presence(e, f));
    end_function(e);
}

static void emit_inline_fixed(emitter *e, const schema_field *f)
{
    begin_accessor(e, f->parent, value_type(e, f), f->symbols.get, "");
    yaff_out_line(e->out, "    return &m->%s;", f->symbols.member);
    end_function(e);
}

static void emit_singular(emitter *e, const schema_field *f)
{
    const char *type = value_type(e, f);
    if (f->width == 0) {
        emit_inline_fixed(e, f);
        return;
    }
    begin_accessor(e, f->parent, type, f->symbols.get, "");
    /* Elsewhere an absent field has a zero cell, which reads as its default. */
    if (f->oneof || (f->flags & YAFF_FIELD_PRESENCE && f->flags & YAFF_FIELD_DEFAULT))
        yaff_out_line(e->out, "    if (!%s(m))\vreturn %s;", f->symbols.has, default_value(e, f));
    if (f->message) {
        yaff_out_line(e->out, "    return (%s)%s;", type, message_cell(e, f));
    } else if (schema_is_text(f->kind)) {
        yaff_out_line(e->out, "    return yaff_span_str(m, %s);", cell(e, f));
    } else {
        yaff_out_line(e->out, "    return %s;", value_of_bits(e, f, cell(e, f)));
    }
    end_function(e);
}

/* The one function that knows where a repeated field's span is. */
static void emit_span(emitter *e, const schema_field *f)
{
    begin_accessor(e, f->parent, "uint64_t ", f->symbols.span, "");
    yaff_out_line(e->out, "    return %s;", cell(e, f));
    end_function(e);
}

static void emit_size(emitter *e, const schema_field *f, const char *what)
{
    yaff_out_comment(e->out, "", FORMAT(e, "The number of %s in %s.", what, f->name), NULL);
    begin_accessor(e, f->parent, "size_t ", f->symbols.size, "");
    yaff_out_line(e->out, "    return yaff_span_count(%s(m));", f->symbols.span);
    end_function(e);
}

static void emit_at(emitter *e, const schema_field *f)
{
    const char *past = f->message                ? "the default instance"
                       : schema_is_text(f->kind) ? "\"\""
                                                 : "zero";
    if (f->kind == YAFF_KIND_BOOL) past = "false";
    yaff_out_comment(e->out, "", FORMAT(e, "Element i of %s; past the end %s.", f->name, past),
                     NULL);
    begin_accessor(e, f->parent, value_type(e, f), f->symbols.at, ", size_t i");
    if (is_fixed(f->message)) {
        yaff_out_line(e->out,
                      "    return (const %s *)yaff_array_fixed(\vm, %s(m), i, sizeof(%s), %s);",
                      f->message->symbols.type, f->symbols.span, f->message->symbols.type,
                      f->message->symbols.instance);
    } else if (f->message) {
        yaff_out_line(e->out, "    return (const %s *)yaff_array_message(\vm, %s(m), i, %s);",
                      f->message->symbols.type, f->symbols.span, instance_of(f->message));
    } else if (schema_is_text(f->kind)) {
        yaff_out_line(e->out, "    return yaff_array_str(m, %s(m), i);", f->symbols.span);
    } else {
        const char *bits =
            FORMAT(e, "yaff_array_at%u(m, %s(m), i)", value_width(f), f->symbols.span);
        yaff_out_line(e->out, "    return %s;", value_of_bits(e, f, bits));
    }
    end_function(e);
}

/* The elements as a C array, where they are one. */
static void emit_array(emitter *e, const schema_field *f)
{
    const char *type = f->kind == YAFF_KIND_BOOL ? "uint8_t" : scalar_type(f);
    bool guarded = !f->message && value_width(f) > 1;
    if (f->message) type = f->message->symbols.type;
    if (schema_is_text(f->kind) || (f->message && !is_fixed(f->message))) return;
    if (guarded) yaff_out_text(e->out, "#if !YAFF_BIG_ENDIAN\n");
    yaff_out_comment(e->out, "", FORMAT(e, "All elements of %s as an array; never NULL.", f->name),
                     NULL);
    begin_accessor(e, f->parent, FORMAT(e, "const %s *", type), f->symbols.get, "");
    yaff_out_line(e->out, "    return (const %s *)yaff_span_data(m, %s(m));", type,
                  f->symbols.span);
    yaff_out_text(e->out, "}\n%s\n", guarded ? "#endif\n" : "");
}

/* The elements of a repeated message, as gathers take them. */
static void emit_message_array(emitter *e, const schema_field *f)
{
    const char *type = f->message->symbols.array;
    yaff_out_comment(e->out, "",
                     FORMAT(e, "The %s of %s, for gathers.",
                            f->flags & YAFF_FIELD_MAP ? "entries" : "elements", f->name),
                     NULL);
    begin_accessor(e, f->parent, FORMAT(e, "%s ", type), f->symbols.array, "");
    yaff_out_line(e->out, "    uint64_t span = %s(m);", f->symbols.span);
    yaff_out_line(e->out, "    %s array;", type);
    yaff_out_line(e->out, "    array.start = yaff_span_data(m, span);");
    yaff_out_line(e->out, "    array.size = yaff_span_count(span);");
    yaff_out_line(e->out, "    return array;");
    end_function(e);
}

/* The field's accessor in a loop. */
static void emit_gather(emitter *e, const schema_field *f)
{
    const schema_message *m = f->parent;
    bool placed = m->layout == YAFF_LAYOUT_FLAT || m->layout == YAFF_LAYOUT_DYNAMIC;
    unsigned long place = placed && is_inline(f) ? row_of(f)->place : 0;
    yaff_out_comment(e->out, "", FORMAT(e, "%s of many; see yaff/gather.h.", f->name), NULL);
    yaff_out_line(e->out,
                  "static inline size_t\v%s(%s array, size_t first, size_t n, "
                  "%s*YAFF_RESTRICT out)",
                  f->symbols.gather, m->symbols.array, value_type(e, f));
    yaff_out_text(e->out, "{\n    n = yaff_gather_count(array.size, first, n);\n"
                          "    for (size_t i = 0; i < n; i++) {\n");
    if (is_fixed(m))
        yaff_out_line(e->out, "        const %s *m =\v(const %s *)array.start + first + i;",
                      m->symbols.type, m->symbols.type);
    else
        yaff_out_line(
            e->out,
            "        const %s *m =\v(const %s *)yaff_gather_element(array.start, first, i, n, "
            "%lu);",
            m->symbols.type, m->symbols.type, place);
    yaff_out_line(e->out, "        out[i] = %s(m);", f->symbols.get);
    yaff_out_text(e->out, "    }\n    return n;\n");
    end_function(e);
}

static const char *map_search(const schema_field *key)
{
    switch (key->kind) {
    case YAFF_KIND_BOOL:
        return "bool";
    case YAFF_KIND_STRING:
        return "str";
    case YAFF_KIND_INT32:
    case YAFF_KIND_SINT32:
    case YAFF_KIND_SFIXED32:
        return "i32";
    case YAFF_KIND_UINT32:
    case YAFF_KIND_FIXED32:
        return "u32";
    case YAFF_KIND_INT64:
    case YAFF_KIND_SINT64:
    case YAFF_KIND_SFIXED64:
        return "i64";
    default:
        return "u64";
    }
}

static void emit_look_up(emitter *e, const schema_field *f)
{
    const schema_message *entry = f->message;
    const schema_field *key = entry->rows[0], *value = entry->rows[1];
    const char *more = FORMAT(e, ", %s key", scalar_type(key));
    yaff_out_comment(e->out, "", FORMAT(e, "The entry of a key in %s, or NULL.", f->name), NULL);
    begin_accessor(e, f->parent, value_type(e, f), f->symbols.find, more);
    yaff_out_line(e->out, "    uint64_t span = %s(m);", f->symbols.span);
    yaff_out_line(e->out,
                  "    return (const %s *)yaff_map_find_%s(\vyaff_span_data(m, span), "
                  "yaff_span_count(span), sizeof(%s), key);",
                  entry->symbols.type, map_search(key), entry->symbols.type);
    end_function(e);

    yaff_out_comment(
        e->out, "",
        FORMAT(e, "The value of a key in %s, or what an absent value reads as.", f->name), NULL);
    begin_accessor(e, f->parent, value_type(e, value), f->symbols.get_key, more);
    yaff_out_line(e->out, "    const %s *entry = %s(m, key);", entry->symbols.type,
                  f->symbols.find);
    yaff_out_line(e->out, "    if (!entry)\ventry = (const %s *)(const void *)%s;",
                  entry->symbols.type, entry->symbols.instance);
    yaff_out_line(e->out, "    return %s(entry);", value->symbols.get);
    end_function(e);
}

static void emit_field(emitter *e, const schema_field *f)
{
    yaff_out_comment(e->out, "", f->comment, field_facts(e, f));
    if (f->flags & YAFF_FIELD_PRESENCE) emit_has(e, f);
    if (!(f->flags & YAFF_FIELD_REPEATED)) {
        emit_singular(e, f);
        emit_gather(e, f);
        return;
    }
    emit_span(e, f);
    emit_size(e, f, f->flags & YAFF_FIELD_MAP ? "entries" : "elements");
    emit_at(e, f);
    if (f->message) emit_message_array(e, f);
    if (f->flags & YAFF_FIELD_MAP)
        emit_look_up(e, f);
    else
        emit_array(e, f);
}

static void emit_oneof(emitter *e, const schema_message *m, const schema_oneof *o)
{
    yaff_out_comment(e->out, "", o->comment, FORMAT(e, "oneof %s", o->name));
    yaff_out_line(e->out, "enum {");
    yaff_out_text(e->out, "    %s = 0", o->symbols.none);
    for (size_t i = o->first->row; i <= o->last->row; i++) {
        const schema_field *f = m->rows[i];
        if (f->oneof == o)
            yaff_out_text(e->out, ",\n    %s = %ld", f->symbols.choice, (long)f->number);
    }
    yaff_out_text(e->out, "\n};\n\n");

    yaff_out_comment(e->out, "",
                     FORMAT(e, "The number of the field in %s that is set, or 0.", o->name), NULL);
    begin_accessor(e, m, "uint32_t ", o->symbols.which, "");
    bool simple = is_inline_oneof(o);
    unsigned k = block_of(o->last), group = simple ? group_of(m, o, 0) : 0;
    if (!simple)
        yaff_out_line(e->out, "    return yaff_find_case(m, &%s, %u);", m->symbols.table, o->index);
    else if (m->layout == YAFF_LAYOUT_FLAT)
        yaff_out_line(e->out, "    return yaff_flat_case(m, %u, %u, 0x%x, &%s, %u);",
                      m->table->limit, k, group, m->symbols.table, o->index);
    else
        yaff_out_line(e->out, "    return yaff_%s_case(m, %u, 0x%x, &%s, %u);",
                      m->layout == YAFF_LAYOUT_SPARSE ? "sparse" : "dynamic", k, group,
                      m->symbols.table, o->index);
    end_function(e);
}

/* What every message has */

static void emit_whole_message(emitter *e, const schema_message *m)
{
    const char *type = m->symbols.type, *table = m->symbols.table;
    yaff_out_text(e->out, "/* The root of a trusted buffer. */\n");
    yaff_out_line(e->out, "static inline const %s *\v%s(const void *buffer)", type,
                  m->symbols.view);
    yaff_out_line(e->out, "{");
    yaff_out_line(e->out, "    return (const %s *)yaff_buffer_root(buffer, %s);", type,
                  instance_of(m));
    end_function(e);

    yaff_out_text(e->out,
                  "/* The root of a buffer from elsewhere, verified first; NULL on failure. */\n");
    yaff_out_line(e->out,
                  "YAFF_MUST_CHECK static inline const %s *\v%s(const void *buffer, size_t size, "
                  "yaff_error *err)",
                  type, m->symbols.open);
    yaff_out_line(e->out, "{");
    yaff_out_line(e->out, "    return (const %s *)yaff_open(&%s, buffer, size, err);", type, table);
    end_function(e);

    yaff_out_text(
        e->out, "/* From Protobuf wire bytes into a buffer of the builder; see yaff_from_wire().\n"
                " * `out` (may be NULL) gets the root. */\n");
    yaff_out_line(
        e->out,
        "YAFF_MUST_CHECK static inline yaff_status\v%s(yaff_builder *b, const void *wire, "
        "size_t size, const %s **out, yaff_error *err)",
        m->symbols.from_wire, type);
    yaff_out_line(e->out, "{");
    yaff_out_line(e->out, "    yaff_status status = yaff_from_wire(b, &%s, wire, size, NULL, err);",
                  table);
    yaff_out_line(e->out,
                  "    if (out) *out = status == YAFF_OK ? %s(yaff_builder_data(b)) : NULL;",
                  m->symbols.view);
    yaff_out_line(e->out, "    return status;");
    end_function(e);

    yaff_out_text(e->out,
                  "/* How many Protobuf wire bytes the message takes, and writing them. */\n");
    yaff_out_line(e->out,
                  "YAFF_MUST_CHECK static inline yaff_status\v%s(const %s *m, size_t *size, "
                  "yaff_error *err)",
                  m->symbols.wire_size, type);
    yaff_out_line(e->out, "{");
    yaff_out_line(e->out, "    return yaff_wire_size(&%s, m, size, err);", table);
    end_function(e);
    yaff_out_line(e->out,
                  "YAFF_MUST_CHECK static inline yaff_status\v%s(const %s *m, void *out, "
                  "size_t capacity, size_t *written, yaff_error *err)",
                  m->symbols.to_wire, type);
    yaff_out_line(e->out, "{");
    yaff_out_line(e->out, "    return yaff_to_wire(&%s, m, out, capacity, written, err);", table);
    end_function(e);

    if (m->layout == YAFF_LAYOUT_FIXED) return;
    yaff_out_text(e->out, "/* The wire bytes of the fields that the schema does not know. */\n");
    begin_accessor(e, m, "yaff_str ", m->symbols.unknown, "");
    yaff_out_line(e->out, "    return yaff_unknown(m);");
    end_function(e);
}

/* The body as a C struct */

static const char *member_type(emitter *e, const schema_field *f)
{
    if (f->width == 0) return FORMAT(e, "struct %s", f->message->symbols.type);
    if ((f->flags & YAFF_FIELD_REPEATED) || schema_is_text(f->kind)) return "yaff_span";
    if (f->kind == YAFF_KIND_BOOL) return "uint8_t";
    if (f->message || f->enumeration) return "int32_t";
    return FORMAT(e, "%s%s", f->width == 8 ? "YAFF_ALIGN8 " : "", scalar_type(f));
}

static uint32_t member_size(const schema_field *f)
{
    return f->width ? f->width : f->message->table->body_size;
}

static void emit_padding(emitter *e, uint32_t from, uint32_t to)
{
    if (from < to)
        yaff_out_line(e->out, "    uint8_t yaff_pad%lu[%lu];", (unsigned long)from,
                      (unsigned long)(to - from));
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = row_of(*(schema_field *const *)a)->place;
    uint32_t y = row_of(*(schema_field *const *)b)->place;
    return x < y ? -1 : x > y;
}

static void emit_members(emitter *e, const schema_message *m, uint32_t size)
{
    schema_field **order = YAFF_NEW(e->pool, schema_field *, m->field_count);
    uint32_t end = 0;
    if (m->field_count) {
        memcpy(order, m->rows, m->field_count * sizeof *order);
        qsort(order, m->field_count, sizeof *order, by_place);
    }
    for (size_t i = 0; i < m->field_count && row_of(order[i])->place != YAFF_NO_PLACE; i++) {
        const schema_field *f = order[i];
        emit_padding(e, end, row_of(f)->place);
        yaff_out_line(e->out, "    %s %s; /* %s = %ld */", member_type(e, f), f->symbols.member,
                      f->flags & YAFF_FIELD_MAP ? "map" : declared_type(f), (long)f->number);
        end = row_of(f)->place + member_size(f);
    }
    emit_padding(e, end, size);
}

static void emit_fixed_struct(emitter *e, const schema_message *m)
{
    yaff_out_comment(e->out, "", m->map_entry ? NULL : m->comment,
                     FORMAT(e, "message %s, Fixed", m->full_name));
    yaff_out_line(e->out, "struct %s {", m->symbols.type);
    emit_members(e, m, m->table->body_size);
    yaff_out_text(e->out, "};\n\n");
}

bool yaff_emit_has_body(const schema_message *m)
{
    return m->layout != YAFF_LAYOUT_FIXED && m->field_count &&
           m->table->fields[0].number <= YAFF_FLAT_MAX_NUMBER;
}

/* A block that has fields with places. The last of these ends the struct. */
static bool is_in_body(const yaff_block *b)
{
    return b->known && (b->n4 | b->n8);
}

uint32_t yaff_emit_body_size(const schema_message *m)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < m->table->block_count; i++) {
        const yaff_block *b = &m->table->blocks[i];
        if (is_in_body(b)) size = 8u * b->start + yaff_block_size(b->n4, b->n8);
    }
    return size;
}

/* Whether all numbers up to the limit are known, so that a pinned Flat body of whatever writer has
 * no field in between that this schema doesn't know. */
static bool is_gapless(const schema_message *m)
{
    size_t known = m->removed_count;
    for (size_t i = 0; i < m->field_count; i++)
        if (m->rows[i]->number <= YAFF_FLAT_MAX_NUMBER) known++;
    for (size_t i = 0; i < m->removed_count; i++)
        if (m->removed[i].number > YAFF_FLAT_MAX_NUMBER) known--;
    return known == m->table->limit;
}

static void emit_fields(emitter *e, const schema_message *m)
{
    if (is_fixed(m)) {
        yaff_out_text(e->out, "#if !YAFF_BIG_ENDIAN\n/* The message is a C struct. */\n");
        begin_accessor(e, m, FORMAT(e, "const %s *", m->symbols.type), m->symbols.fields, "");
        yaff_out_text(e->out, "    return m;\n}\n#endif\n\n");
        return;
    }
    if (!yaff_emit_has_body(m)) return;
    yaff_out_text(e->out, "#if !YAFF_BIG_ENDIAN\n"
                          "/* The Flat body. Spans and references in it count from its start; "
                          "fields that are not set\n"
                          " * hold zero, also where the schema has another default. */\n");
    yaff_out_line(e->out, "typedef struct %s {", m->symbols.body);
    emit_members(e, m, yaff_emit_body_size(m));
    yaff_out_text(e->out, "} %s;\n\n", m->symbols.body);
    yaff_out_text(e->out, "/* The message as this struct, or NULL when it is not stored so. */\n");
    begin_accessor(e, m, FORMAT(e, "const %s *", m->symbols.body), m->symbols.fields, "");
    bool flat = m->layout == YAFF_LAYOUT_FLAT;
    const char *first = flat ? "if (!whole) whole =" : "bool whole =", *call = "";
    if (flat) yaff_out_line(e->out, "    bool whole = yaff_flat_reaches(m, %u);", m->table->limit);
    for (uint32_t i = 0; i < m->table->block_count; i++) {
        const yaff_block *b = &m->table->blocks[i];
        if (!is_in_body(b)) continue;
        if (*call) yaff_out_line(e->out, "%s &&", call);
        call = FORMAT(e, "    %*s yaff_dynamic_agrees(m, %lu, %s, %s)", (int)strlen(first),
                      *call ? "" : first, (unsigned long)b->k, mask(e, m, b->k), shape(e, m, b->k));
    }
    yaff_out_line(e->out, "%s;", call);
    if (!flat && is_gapless(m))
        yaff_out_line(e->out, "    if (!whole) whole = yaff_flat_reaches(m, %u);", m->table->limit);
    yaff_out_line(e->out, "    return whole ? (const %s *)(const void *)m : NULL;",
                  m->symbols.body);
    yaff_out_text(e->out, "}\n#endif\n\n");
}

/* Sections */

static const char *layout_name(const schema_message *m)
{
    static const char *const names[] = {"", ", Fixed", ", pinned Flat", ", pinned Sparse"};
    return names[m->layout];
}

static void emit_define(emitter *e, const char *name, uint64_t value)
{
    const char *space = strlen(name) > 60 ? " \\\n    " : " ";
    yaff_out_text(e->out, "#define %s%sUINT64_C(0x%016" PRIx64 ")\n", name, space, value);
}

static void emit_shapes(emitter *e, const schema_message *m)
{
    for (uint32_t i = 0; i < m->table->block_count; i++) {
        const yaff_block *b = &m->table->blocks[i];
        if (!(b->n4 | b->n8)) continue;
        emit_define(e, yaff_names_numbered(e->schema, m->symbols.prefix, "mask", b->k), b->mask);
        emit_define(e, yaff_names_numbered(e->schema, m->symbols.prefix, "shape", b->k), b->shape);
    }
    if (m->table->block_count) yaff_out_text(e->out, "\n");
}

static void emit_message(emitter *e, const schema_message *m)
{
    yaff_out_comment(e->out, "", is_fixed(m) ? NULL : m->comment,
                     FORMAT(e, "message %s%s%s", m->full_name,
                            m->map_entry ? ", a map's entry" : layout_name(m),
                            m->deprecated ? ", deprecated" : ""));
    yaff_out_text(e->out, "\n");
    emit_shapes(e, m);
    if (!m->map_entry) emit_whole_message(e, m);
    for (size_t i = 0; i < m->oneof_count; i++)
        if (m->oneofs[i].member_count) emit_oneof(e, m, &m->oneofs[i]);
    for (size_t i = 0; i < m->field_count; i++) emit_field(e, m->rows[i]);
    if (!m->map_entry) emit_fields(e, m);
}

static void emit_enum(emitter *e, const schema_enum *en)
{
    yaff_out_comment(e->out, "", en->comment,
                     FORMAT(e, "enum %s%s", en->full_name, en->deprecated ? ", deprecated" : ""));
    yaff_out_text(e->out, "typedef int32_t %s;\nenum {\n", en->symbols.type);
    for (size_t i = 0; i < en->value_count; i++) {
        const schema_value *v = &en->values[i];
        yaff_out_comment(e->out, "    ", v->comment, v->deprecated ? "Deprecated." : NULL);
        yaff_out_text(e->out, "    %s = %s%s\n", v->symbol, yaff_literal_int(e->pool, v->number, 4),
                      i + 1 < en->value_count ? "," : "");
    }
    yaff_out_text(e->out, "};\n\nextern const yaff_enum %s;\n\n", en->symbols.table);
    yaff_out_text(e->out, "/* A value's name, or NULL when the enum does not list it. */\n");
    yaff_out_line(e->out, "static inline const char *\v%s(int32_t value)", en->symbols.name);
    yaff_out_text(e->out, "{\n    return yaff_enum_name(&%s, value);\n}\n\n", en->symbols.table);
}

static void emit_declarations(emitter *e)
{
    const schema_file *file = e->file;
    for (size_t i = 0; i < file->all_message_count; i++) {
        const schema_message *m = file->all_messages[i];
        yaff_out_line(e->out, "typedef struct %s\v%s;", m->symbols.type, m->symbols.type);
    }
    if (file->all_message_count)
        yaff_out_text(e->out,
                      "\n/* Many of them, for gathers: the elements of a repeated field. */\n");
    for (size_t i = 0; i < file->all_message_count; i++) {
        const schema_message *m = file->all_messages[i];
        yaff_out_line(e->out, "typedef struct %s {", m->symbols.array);
        yaff_out_text(e->out, "    const void *start;\n    size_t size;\n} %s;\n",
                      m->symbols.array);
    }
    if (file->all_message_count) yaff_out_text(e->out, "\n");
    for (size_t i = 0; i < file->all_message_count; i++) {
        const schema_message *m = file->all_messages[i];
        yaff_out_text(e->out, "extern const yaff_type %s;\n", m->symbols.table);
        if (is_fixed(m))
            yaff_out_text(e->out, "YAFF_ALIGN8 extern const unsigned char %s[%lu];\n",
                          m->symbols.instance, (unsigned long)m->table->body_size);
    }
    if (file->all_message_count) yaff_out_text(e->out, "\n");
}

/* The header of a file whose types this one uses, or imports publicly. */
static void emit_includes(emitter *e)
{
    const schema_file *file = e->file;
    bool *used = YAFF_NEW(e->pool, bool, e->schema->file_count), any = false;
    for (size_t i = 0; i < file->import_count; i++) {
        const schema_file *other = yaff_schema_file(e->schema, file->imports[i]);
        if (other && file->import_public[i] && strcmp(other->path, "yaff/options.proto") != 0)
            used[other - e->schema->files] = true;
    }
    for (size_t i = 0; i < file->all_message_count; i++) {
        const schema_message *m = file->all_messages[i];
        for (size_t j = 0; j < m->field_count; j++) {
            const schema_field *f = &m->fields[j];
            if (f->message) used[f->message->file - e->schema->files] = true;
            if (f->enumeration) used[f->enumeration->file - e->schema->files] = true;
        }
    }
    yaff_out_text(e->out, "#include <yaff/message.h>\n#include <yaff/wire.h>\n");
    for (size_t i = 0; i < e->schema->file_count; i++) {
        const schema_file *other = &e->schema->files[i];
        if (!used[i] || other == file) continue;
        yaff_out_text(e->out, "%s#include \"%s\"\n", any ? "" : "\n", other->symbols.header);
        any = true;
    }
    yaff_out_text(e->out, "\n");
}

void yaff_emit_banner(const schema_file *file, yaff_out *out, const char *what, const char *comment)
{
    char *text = yaff_pool_format(out->pool,
                                  "%s of %s, generated by protoc-gen-yaff %s.\n"
                                  "Do not edit: change the .proto and generate again.",
                                  what, file->path, YAFF_VERSION);
    yaff_out_comment(out, "", text, comment);
}

void yaff_emit_header(yaff_schema *schema, const schema_file *file, yaff_out *out)
{
    emitter e = {schema, &schema->pool, out, file};
    yaff_emit_banner(file, out, "Types and accessors", file->comment);
    yaff_out_text(out, "#ifndef %s\n#define %s\n\n", file->symbols.guard, file->symbols.guard);
    emit_includes(&e);
    yaff_out_text(out,
                  "#if YAFF_GENERATED_VERSION != 1\n"
                  "#error \"This file was made for another version of yaff. Generate it again.\"\n"
                  "#endif\n\nYAFF_BEGIN_DECLS\n\n");
    emit_declarations(&e);
    for (size_t i = 0; i < file->all_enum_count; i++) emit_enum(&e, file->all_enums[i]);

    /* Fixed structs, each behind those that stand inline in it. */
    for (uint32_t depth = 1, more = 1; more; depth++) {
        more = 0;
        for (size_t i = 0; i < file->all_message_count; i++) {
            const schema_message *m = file->all_messages[i];
            if (is_fixed(m) && m->depth == depth) emit_fixed_struct(&e, m);
            if (is_fixed(m) && m->depth > depth) more = 1;
        }
    }
    /* Map entries first: maps call their accessors. */
    for (size_t i = 0; i < file->all_message_count; i++)
        if (file->all_messages[i]->map_entry) emit_message(&e, file->all_messages[i]);
    for (size_t i = 0; i < file->all_message_count; i++)
        if (!file->all_messages[i]->map_entry) emit_message(&e, file->all_messages[i]);
    yaff_out_text(out, "YAFF_END_DECLS\n\n#endif\n");
}
