/* Prints a .proto file's source: the tables that its header declares. See emit.h. */
#include "emit.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    yaff_schema *schema;
    yaff_pool *pool;
    yaff_out *out;
} emitter;

enum { LONGEST_LITERAL = 4000 }; /* C compilers need not take string literals above 4095 bytes */

static const char *array_or_null(const char *name, size_t count)
{
    return count ? name : "NULL";
}

/* Enums */

static void emit_enum(emitter *e, const schema_enum *en)
{
    const yaff_enum *t = en->table;
    yaff_out_text(e->out, "/* enum %s */\n", t->name);
    yaff_out_text(e->out, "static const yaff_enum_value %s[] = {\n", en->symbols.rows);
    for (uint32_t i = 0; i < t->value_count; i++)
        yaff_out_line(e->out, "    {%s, \"%s\"},",
                      yaff_literal_int(e->pool, t->values[i].number, 4), t->values[i].name);
    yaff_out_text(e->out, "};\n\n");
    yaff_out_line(e->out, "const yaff_enum %s = {%s, %s, %lu, %lu, %s};", en->symbols.table,
                  yaff_literal(e->pool, t->name, strlen(t->name)), en->symbols.rows,
                  (unsigned long)t->value_count, (unsigned long)t->run_count,
                  yaff_literal_int(e->pool, t->run_first, 4));
    yaff_out_text(e->out, "\n");
}

/* Messages */

static const char *kind_name(unsigned kind)
{
    static const char *const names[] = {"",         "DOUBLE",   "FLOAT",   "INT64",  "UINT64",
                                        "INT32",    "FIXED64",  "FIXED32", "BOOL",   "STRING",
                                        "GROUP",    "MESSAGE",  "BYTES",   "UINT32", "ENUM",
                                        "SFIXED32", "SFIXED64", "SINT32",  "SINT64"};
    return names[kind];
}

static const char *op_name(unsigned op)
{
    static const char *const names[] = {
        "VARINT32", "VARINT64",    "ZIGZAG32", "ZIGZAG64", "FIXED32", "FIXED64",
        "BOOL",     "CLOSED_ENUM", "BYTES",    "UTF8",     "MESSAGE", "GROUP",
        "INLINE",   "SCALARS",     "TEXTS",    "MESSAGES", "MAP"};
    return names[op];
}

static const char *flag_names(emitter *e, unsigned flags)
{
    static const char *const names[] = {"REPEATED", "MAP",    "PACKED",  "PRESENCE",  "REQUIRED",
                                        "UTF8",     "CLOSED", "DEFAULT", "DEPRECATED"};
    const char *text = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags >> i & 1)
            text = yaff_pool_format(e->pool, "%s%sYAFF_FIELD_%s", text ? text : "",
                                    text ? " |\v" : "", names[i]);
    return text ? text : "0";
}

static const char *layout_name(unsigned layout)
{
    static const char *const names[] = {"DYNAMIC", "FIXED", "FLAT", "SPARSE"};
    return names[layout];
}

/* A default of a length that no literal may have stands in an array of its own. */
static void emit_long_default(emitter *e, const schema_message *m, const schema_field *f)
{
    if (!schema_is_text(f->kind) || f->default_bits <= LONGEST_LITERAL) return;
    yaff_out_text(
        e->out, "static const char %s[] = {\n",
        yaff_names_numbered(e->schema, m->symbols.prefix, "default", (uint32_t)f->number));
    for (size_t i = 0; i <= f->default_bits; i++) {
        unsigned char c = (unsigned char)f->default_data[i];
        yaff_out_text(e->out, i % 12 ? " '\\%03o'," : "    '\\%03o',", c);
        if (i % 12 == 11 || i == f->default_bits) yaff_out_text(e->out, "\n");
    }
    yaff_out_text(e->out, "};\n\n");
}

static const char *default_data(emitter *e, const schema_message *m, const schema_field *f)
{
    if (!schema_is_text(f->kind)) return "NULL";
    if (f->default_bits > LONGEST_LITERAL)
        return yaff_names_numbered(e->schema, m->symbols.prefix, "default", (uint32_t)f->number);
    return yaff_literal(e->pool, f->default_data, (size_t)f->default_bits);
}

static void emit_row(emitter *e, const schema_message *m, const schema_field *f)
{
    const yaff_field *row = &m->table->fields[f->row];
    const char *place = row->place == YAFF_NO_PLACE
                            ? "YAFF_NO_PLACE"
                            : yaff_pool_format(e->pool, "%lu", (unsigned long)row->place);
    const char *type =
        f->message ? yaff_pool_format(e->pool, "&%s", f->message->symbols.table) : "NULL";
    const char *enumeration =
        f->enumeration ? yaff_pool_format(e->pool, "&%s", f->enumeration->symbols.table) : "NULL";
    const char *bits = row->default_bits ? yaff_literal_uint(e->pool, row->default_bits, 8) : "0";
    yaff_out_line(
        e->out,
        "    {%lu, %lu, %s, %u, 0x%04x, %s, %u, YAFF_KIND_%s, %u, YAFF_OP_%s, %s, %s, %s, "
        "%s, \"%s\"},",
        (unsigned long)row->number, (unsigned long)row->tag, place, row->block, row->bit,
        flag_names(e, row->flags), row->oneof, kind_name(row->kind), row->width, op_name(row->op),
        type, enumeration, bits, default_data(e, m, f), row->name);
}

static void emit_rows(emitter *e, const schema_message *m)
{
    for (size_t i = 0; i < m->field_count; i++) emit_long_default(e, m, m->rows[i]);
    yaff_out_text(e->out, "static const yaff_field %s[] = {\n", m->symbols.rows);
    for (size_t i = 0; i < m->field_count; i++) emit_row(e, m, m->rows[i]);
    if (m->field_count == 0) /* C has no array without elements */
        yaff_out_text(e->out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, NULL, NULL}, "
                              "/* no field */\n");
    yaff_out_text(e->out, "};\n\n");
}

static void emit_blocks(emitter *e, const schema_message *m)
{
    const yaff_type *t = m->table;
    if (t->block_count == 0) return;
    yaff_out_text(e->out, "static const yaff_block %s[] = {\n", m->symbols.blocks);
    for (uint32_t i = 0; i < t->block_count; i++) {
        const yaff_block *b = &t->blocks[i];
        const char *mask = "0", *shape = "1";
        if (b->mask) {
            mask = yaff_names_numbered(e->schema, m->symbols.prefix, "mask", b->k);
            shape = yaff_names_numbered(e->schema, m->symbols.prefix, "shape", b->k);
        }
        yaff_out_line(e->out,
                      "    {%s, %s, %lu, %lu, 0x%08lx, 0x%04x, 0x%04x, 0x%04x, %u, 0x%04x},", mask,
                      shape, (unsigned long)b->k, (unsigned long)b->first, (unsigned long)b->cells,
                      b->known, b->n4, b->n8, b->start, b->checked);
    }
    yaff_out_text(e->out, "};\n\n");
}

static void emit_oneofs(emitter *e, const schema_message *m)
{
    const yaff_type *t = m->table;
    if (t->oneof_count == 0) return;
    for (uint32_t i = 0; i < t->oneof_count; i++) {
        const yaff_oneof *o = &t->oneofs[i];
        yaff_out_text(e->out, "static const uint32_t %s[] = {\n",
                      yaff_names_numbered(e->schema, m->symbols.prefix, "members", i));
        for (uint32_t j = 0; j < o->member_count; j++)
            yaff_out_text(e->out, "%s%lu,%s", j % 12 ? " " : "    ", (unsigned long)o->members[j],
                          j % 12 == 11 || j + 1 == o->member_count ? "\n" : "");
        yaff_out_text(e->out, "};\n\n");
    }
    yaff_out_text(e->out, "static const yaff_oneof %s[] = {\n", m->symbols.oneofs);
    for (uint32_t i = 0; i < t->oneof_count; i++)
        yaff_out_line(e->out, "    {\"%s\", %s, %lu},", t->oneofs[i].name,
                      yaff_names_numbered(e->schema, m->symbols.prefix, "members", i),
                      (unsigned long)t->oneofs[i].member_count);
    yaff_out_text(e->out, "};\n\n");
}

static void emit_index(emitter *e, const schema_message *m)
{
    const yaff_type *t = m->table;
    yaff_out_text(e->out, "static const uint16_t %s[] = {\n", m->symbols.index);
    for (uint32_t i = 0; i < t->index_size; i++)
        yaff_out_text(e->out, "%s%u,%s", i % 16 ? " " : "    ", t->index[i],
                      i % 16 == 15 || i + 1 == t->index_size ? "\n" : "");
    yaff_out_text(e->out, "};\n\n");
}

static void emit_tags(emitter *e, const schema_message *m)
{
    yaff_out_text(e->out, "static const uint8_t %s[256] = {\n", m->symbols.tags);
    for (unsigned i = 0; i < 128; i++)
        yaff_out_text(e->out, "%s%u,%s", i % 16 ? " " : "    ", m->table->tags[i],
                      i % 16 == 15 ? "\n" : "");
    yaff_out_text(e->out, "};\n\n");
}

static void emit_instance(emitter *e, const schema_message *m)
{
    const unsigned char *image = m->table->instance;
    if (m->layout != YAFF_LAYOUT_FIXED) return;
    uint32_t size = m->table->body_size;
    yaff_out_text(e->out, "YAFF_ALIGN8 const unsigned char %s[%lu] = {", m->symbols.instance,
                  (unsigned long)size);
    if (m->instance_is_zero) {
        yaff_out_text(e->out, "0};\n\n");
        return;
    }
    yaff_out_text(e->out, "\n");
    for (uint32_t i = 0; i < size; i++)
        yaff_out_text(e->out, "%s0x%02x,%s", i % 16 ? " " : "    ", image[i],
                      i % 16 == 15 || i + 1 == size ? "\n" : "");
    yaff_out_text(e->out, "};\n\n");
}

/* That the compiler places struct members where the tables say. */
static void emit_checks(emitter *e, const schema_message *m)
{
    bool fixed = m->layout == YAFF_LAYOUT_FIXED;
    const char *name = fixed ? m->symbols.type : m->symbols.body;
    if (!fixed && !yaff_emit_has_body(m)) return;
    if (!fixed) yaff_out_text(e->out, "#if !YAFF_BIG_ENDIAN\n");
    yaff_out_line(e->out, "YAFF_STATIC_ASSERT(sizeof(struct %s) == %lu, \"size\");", name,
                  (unsigned long)(fixed ? m->table->body_size : yaff_emit_body_size(m)));
    for (size_t i = 0; i < m->field_count; i++) {
        const schema_field *f = m->rows[i];
        uint32_t place = m->table->fields[i].place;
        if (place == YAFF_NO_PLACE) continue;
        yaff_out_line(e->out, "YAFF_STATIC_ASSERT(offsetof(struct %s, %s) == %lu, \"place\");",
                      name, f->symbols.member, (unsigned long)place);
    }
    yaff_out_text(e->out, fixed ? "\n" : "#endif\n\n");
}

static const char *type_flags(emitter *e, unsigned flags)
{
    static const char *const names[] = {"MAP_ENTRY", "REQUIRED", "SETS", "SMALL"};
    const char *text = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags >> i & 1)
            text = yaff_pool_format(e->pool, "%s%sYAFF_TYPE_%s", text ? text : "",
                                    text ? " |\v" : "", names[i]);
    return text ? text : "0";
}

static void emit_type(emitter *e, const schema_message *m)
{
    const yaff_type *t = m->table;
    const char *instance =
        m->layout == YAFF_LAYOUT_FIXED ? m->symbols.instance : "YAFF_EMPTY_MESSAGE";
    yaff_out_text(e->out, "/* message %s */\n", t->name);
    emit_rows(e, m);
    emit_blocks(e, m);
    emit_oneofs(e, m);
    emit_index(e, m);
    emit_tags(e, m);
    emit_instance(e, m);
    yaff_out_text(e->out, "const yaff_type %s = {\n", m->symbols.table);
    yaff_out_line(e->out, "    %s,", yaff_literal(e->pool, t->name, strlen(t->name)));
    yaff_out_line(e->out, "    %s,", m->symbols.rows);
    yaff_out_line(e->out, "    %s,", array_or_null(m->symbols.blocks, t->block_count));
    yaff_out_line(e->out, "    %s,", array_or_null(m->symbols.oneofs, t->oneof_count));
    yaff_out_line(e->out, "    %s,", m->symbols.index);
    yaff_out_line(e->out, "    %s,", m->symbols.tags);
    yaff_out_line(e->out, "    %s,", instance);
    yaff_out_line(e->out, "    %lu, %lu, %lu, %lu, %lu, %u, YAFF_LAYOUT_%s, %s, %lu, %lu, %lu,",
                  (unsigned long)t->field_count, (unsigned long)t->block_count,
                  (unsigned long)t->oneof_count, (unsigned long)t->index_size,
                  (unsigned long)t->body_size, t->limit, layout_name(t->layout),
                  type_flags(e, t->flags), (unsigned long)t->align, (unsigned long)t->lane_count,
                  (unsigned long)t->dense);
    yaff_out_text(e->out, "};\n\n");
    emit_checks(e, m);
}

void yaff_emit_source(yaff_schema *schema, const schema_file *file, yaff_out *out)
{
    emitter e = {schema, &schema->pool, out};
    yaff_emit_banner(file, out, "Tables", NULL);
    yaff_out_text(out, "#include \"%s\"\n\n", file->symbols.header);
    yaff_out_text(out, "/* The columns are the members of yaff_field, yaff_block, yaff_oneof and "
                       "yaff_type, in the order\n"
                       " * of <yaff/type.h>. */\n\n");
    for (size_t i = 0; i < file->all_enum_count; i++) emit_enum(&e, file->all_enums[i]);
    for (size_t i = 0; i < file->all_message_count; i++) emit_type(&e, file->all_messages[i]);
    while (out->size > 1 && out->data[out->size - 1] == '\n' && out->data[out->size - 2] == '\n')
        out->size--;
}
