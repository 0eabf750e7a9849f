/* From the linked model to yaff_type and yaff_enum. See tables.h. */
#include "tables.h"

#include "descriptor.h"
#include "layout/choose.h"
#include "layout/op.h"
#include "layout/placement.h"
#include "schema.h"

#include <google/protobuf/descriptor.pb-c.h>
#include <yaff/sparse.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = YAFF_BLOCK_NUMBERS };

/* Enums */

static int by_value(const void *a, const void *b)
{
    const schema_value *x = *(schema_value *const *)a, *y = *(schema_value *const *)b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x < y ? -1 : x > y; /* as declared */
}

/* Finds the longest run of numbers without a gap among the sorted values. */
static void find_run(yaff_enum *e)
{
    uint32_t count = 0;
    e->run_count = 0;
    for (uint32_t i = 0; i < e->value_count; i++) {
        int64_t step = i ? (int64_t)e->values[i].number - e->values[i - 1].number : 2;
        count = step > 1 ? 1 : count + (uint32_t)step; /* an alias has step 0 */
        if (count <= e->run_count) continue;
        e->run_count = count;
        e->run_first = (int32_t)(e->values[i].number - (int64_t)(count - 1));
    }
}

static void make_enum(yaff_schema *schema, schema_enum *e)
{
    schema_value **sorted = YAFF_NEW(&schema->pool, schema_value *, e->value_count);
    yaff_enum_value *values = YAFF_NEW(&schema->pool, yaff_enum_value, e->value_count);
    yaff_enum *table = YAFF_NEW(&schema->pool, yaff_enum, 1);
    for (size_t i = 0; i < e->value_count; i++) sorted[i] = &e->values[i];
    qsort(sorted, e->value_count, sizeof *sorted, by_value);
    for (size_t i = 0; i < e->value_count; i++) {
        values[i].number = sorted[i]->number;
        values[i].name = sorted[i]->name;
    }
    table->name = e->full_name;
    table->values = values;
    table->value_count = (uint32_t)e->value_count;
    find_run(table);
    e->table = table;
}

/* Placement of Fixed structs: natural alignment in number order, removed numbers among them. */

static uint32_t place_next(yaff_schema *schema, const schema_message *m, uint32_t size,
                           uint32_t align)
{
    yaff_type *t = m->table;
    uint32_t place = (t->body_size + align - 1) / align * align;
    if (place > SCHEMA_MAX_FIXED - size)
        yaff_pool_fail(&schema->pool, "%s: %s: a Fixed message cannot take more than %d bytes",
                       m->file->path, m->full_name, SCHEMA_MAX_FIXED);
    t->body_size = place + size;
    if (align > t->align) t->align = align;
    return place;
}

/* Default instances of Fixed types: a struct of the defaults. */

static void fill_instance(const schema_message *m, char *image)
{
    for (size_t i = 0; i < m->field_count; i++) {
        const schema_field *f = m->rows[i];
        char *at = image + m->table->fields[i].place;
        if (f->width == 0)
            memcpy(at, f->message->table->instance, f->message->table->body_size);
        else if (f->default_bits == 0)
            continue;
        else if (f->width == 1)
            *at = 1;
        else if (f->width == 4)
            yaff_store32(at, (uint32_t)f->default_bits);
        else
            yaff_store64(at, f->default_bits);
    }
}

static bool is_zero(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Inner messages are copied from their own instance, which place_fixed() made before. */
static void make_instance(yaff_schema *schema, schema_message *m)
{
    char *image = yaff_pool_array(&schema->pool, m->table->body_size, 1);
    fill_instance(m, image);
    m->table->instance = image;
    m->instance_is_zero = is_zero(image, m->table->body_size);
}

static void place_fixed(yaff_schema *schema, schema_message *m)
{
    yaff_type *t = m->table;
    size_t removed = 0;
    if (t->align) return; /* done already */
    t->align = 1;
    for (size_t i = 0; i < m->field_count; i++) {
        const schema_field *f = m->rows[i];
        uint32_t size = f->width, align = f->width;
        if (f->width == 0) {
            place_fixed(schema, f->message);
            size = f->message->table->body_size;
            align = f->message->table->align;
        }
        for (; removed < m->removed_count && m->removed[removed].number < (uint32_t)f->number;
             removed++)
            place_next(schema, m, m->removed[removed].width, m->removed[removed].width);
        m->table_rows[i].block = (uint16_t)(i / BLOCK);
        m->table_rows[i].bit = (uint16_t)(1u << i % BLOCK);
        m->table_rows[i].place = place_next(schema, m, size, align);
    }
    for (; removed < m->removed_count; removed++)
        place_next(schema, m, m->removed[removed].width, m->removed[removed].width);
    t->lane_count = (t->field_count + BLOCK - 1) / BLOCK;
    if (t->body_size == 0) t->body_size = 1;
    t->body_size = (t->body_size + t->align - 1) / t->align * t->align;
    make_instance(schema, m);
}

/* Placement of the other layouts, block by block. */

static void add_width(unsigned *n4, unsigned *n8, unsigned bit, unsigned width)
{
    if (width != 8) *n4 |= 1u << bit;
    if (width != 4) *n8 |= 1u << bit;
}

static void shape_of_block(yaff_block *b)
{
    unsigned placed = b->n4 | b->n8, known = 0;
    if (placed == 0) { /* none of its numbers has a place in Flat */
        b->mask = 0;
        b->shape = 1;
        return;
    }
    while (placed >> known) known++; /* my highest number, and all below it */
    uint64_t bits = (UINT64_C(1) << known) - 1;
    b->mask = bits | bits << 16 | (b->k ? UINT64_C(0xffff) : UINT64_C(0xc000)) << 48;
    b->shape = b->n4 | (uint64_t)b->n8 << 16 |
               (b->k ? (uint64_t)b->start : (uint64_t)YAFF_FLAT_LANES_HEAD) << 48;
}

static uint32_t block_of(uint32_t number)
{
    return (number - 1) / BLOCK;
}

/* The block that the lower of these two numbers is in. */
static uint32_t next_block(const schema_message *m, size_t row, size_t removed)
{
    uint32_t next = UINT32_MAX;
    if (row < m->field_count) next = (uint32_t)m->rows[row]->number;
    if (removed < m->removed_count && m->removed[removed].number < next)
        next = m->removed[removed].number;
    return block_of(next);
}

static size_t count_blocks(const schema_message *m)
{
    size_t row = 0, removed = 0, count = 0;
    while (row < m->field_count || removed < m->removed_count) {
        uint32_t k = next_block(m, row, removed);
        while (row < m->field_count && block_of((uint32_t)m->rows[row]->number) == k) row++;
        while (removed < m->removed_count && block_of(m->removed[removed].number) == k) removed++;
        count++;
    }
    return count;
}

static void place_blocks(yaff_schema *schema, schema_message *m)
{
    yaff_type *t = m->table;
    yaff_field *fields = m->table_rows;
    size_t row = 0, removed = 0;
    uint32_t start = 0; /* of the block, in bytes */
    yaff_block *blocks = YAFF_NEW(&schema->pool, yaff_block, count_blocks(m));
    while (row < m->field_count || removed < m->removed_count) {
        uint32_t k = next_block(m, row, removed), first = (uint32_t)row;
        unsigned n4 = 0, n8 = 0, known = 0, checked = 0;
        for (; row < m->field_count && block_of(fields[row].number) == k; row++) {
            unsigned bit = (fields[row].number - 1) % BLOCK;
            known |= 1u << bit;
            if (yaff_op_checked(fields[row].op)) checked |= 1u << bit;
            if (fields[row].number > YAFF_FLAT_MAX_NUMBER) continue;
            add_width(&n4, &n8, bit, fields[row].width);
            if (fields[row].number > t->limit) t->limit = (uint16_t)fields[row].number;
        }
        for (; removed < m->removed_count && block_of(m->removed[removed].number) == k; removed++) {
            const schema_removed *r = &m->removed[removed];
            if (r->number > YAFF_FLAT_MAX_NUMBER) continue;
            add_width(&n4, &n8, (r->number - 1) % BLOCK, r->width);
            if (r->number > t->limit) t->limit = (uint16_t)r->number;
        }
        yaff_block *b = &blocks[t->block_count];
        b->k = k;
        b->first = first;
        b->known = (uint16_t)known;
        b->n4 = (uint16_t)n4;
        b->n8 = (uint16_t)n8;
        b->start = (uint16_t)(start / 8);
        b->checked = (uint16_t)checked;
        b->cells = yaff_sparse_widths(n4 | n8 << 16);
        shape_of_block(b);
        for (size_t i = first; i < row; i++) {
            unsigned bit = (fields[i].number - 1) % BLOCK;
            fields[i].block = (uint16_t)t->block_count;
            fields[i].bit = (uint16_t)(1u << bit);
            fields[i].place = fields[i].number > YAFF_FLAT_MAX_NUMBER
                                  ? YAFF_NO_PLACE
                                  : start + yaff_block_offset(n4, n8, bit);
        }
        t->block_count++;
        start += yaff_block_size(n4, n8);
    }
    t->blocks = blocks;
    t->body_size = start;
    t->align = 8;
    t->lane_count = t->block_count;
    t->dense = yaff_dense(t);
    if (yaff_is_small(t)) t->flags |= YAFF_TYPE_SMALL;
}

/* Types */

static uint32_t wire_type_of(const schema_field *f)
{
    if (f->flags & YAFF_FIELD_PACKED) return 2;
    switch (f->kind) {
    case YAFF_KIND_DOUBLE:
    case YAFF_KIND_FIXED64:
    case YAFF_KIND_SFIXED64:
        return 1;
    case YAFF_KIND_STRING:
    case YAFF_KIND_BYTES:
    case YAFF_KIND_MESSAGE:
        return 2;
    case YAFF_KIND_GROUP:
        return 3;
    case YAFF_KIND_FLOAT:
    case YAFF_KIND_FIXED32:
    case YAFF_KIND_SFIXED32:
        return 5;
    default:
        return 0;
    }
}

static void make_field(yaff_field *row, const schema_field *f)
{
    row->number = (uint32_t)f->number;
    row->tag = row->number << 3 | wire_type_of(f);
    row->kind = (uint8_t)f->kind;
    row->width = f->width;
    row->flags = f->flags;
    row->oneof = f->oneof ? (uint16_t)(f->oneof->index + 1) : 0;
    row->op = (uint8_t)yaff_op_of(f->kind, f->flags, f->width);
    row->type = f->message ? f->message->table : NULL;
    row->enumeration = f->enumeration ? f->enumeration->table : NULL;
    row->default_bits = f->default_bits;
    row->default_data = f->default_data;
    row->name = f->name;
}

static void make_oneofs(yaff_schema *schema, const schema_message *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->oneof_count; i++)
        if (m->oneofs[i].member_count) count++;
    if (count == 0) return;
    yaff_oneof *oneofs = YAFF_NEW(&schema->pool, yaff_oneof, count);
    uint32_t **members = YAFF_NEW(&schema->pool, uint32_t *, count);
    for (size_t i = 0; i < m->oneof_count; i++) {
        const schema_oneof *o = &m->oneofs[i];
        if (o->member_count == 0) continue;
        members[o->index] = YAFF_NEW(&schema->pool, uint32_t, o->member_count);
        oneofs[o->index].name = o->name;
        oneofs[o->index].members = members[o->index];
    }
    for (size_t i = 0; i < m->field_count; i++) {
        const schema_oneof *o = m->rows[i]->oneof;
        if (o) members[o->index][oneofs[o->index].member_count++] = (uint32_t)i;
    }
    m->table->oneofs = oneofs;
    m->table->oneof_count = (uint32_t)count;
}

/* The index covers the numbers of the first block, and beyond while at least half of them are fields. */
static void make_index(yaff_schema *schema, const schema_message *m)
{
    yaff_type *t = m->table;
    uint32_t highest = BLOCK;
    for (uint32_t i = 0; i < t->field_count && i < UINT16_MAX; i++) {
        uint32_t number = t->fields[i].number;
        if (number > highest && number <= 2 * (i + 1)) highest = number;
    }
    uint16_t *index = YAFF_NEW(&schema->pool, uint16_t, (size_t)highest + 1);
    for (uint32_t i = 0; i < t->field_count && t->fields[i].number <= highest; i++)
        index[t->fields[i].number] = (uint16_t)(i + 1);
    t->index = index;
    t->index_size = highest + 1;
}

static void make_tags(yaff_schema *schema, yaff_type *t)
{
    uint8_t *tags = YAFF_NEW(&schema->pool, uint8_t, 256);
    for (uint32_t i = 0; i < t->field_count && t->fields[i].tag < 0x80; i++)
        if (t->fields[i].oneof == 0) tags[t->fields[i].tag] = (uint8_t)(i + 1);
    t->tags = tags;
}

static void make_type(yaff_schema *schema, schema_message *m)
{
    yaff_type *t = m->table;
    yaff_field *fields = YAFF_NEW(&schema->pool, yaff_field, m->field_count);
    t->name = m->full_name;
    t->fields = m->table_rows = fields;
    t->field_count = (uint32_t)m->field_count;
    t->layout = (uint8_t)m->layout;
    if (m->map_entry) t->flags |= YAFF_TYPE_MAP_ENTRY;
    for (size_t i = 0; i < m->field_count; i++) {
        make_field(&fields[i], m->rows[i]);
        if (fields[i].flags & YAFF_FIELD_REQUIRED) t->flags |= YAFF_TYPE_REQUIRED;
        if (fields[i].flags & YAFF_FIELD_PRESENCE) t->flags |= YAFF_TYPE_SETS;
    }
    make_oneofs(schema, m);
    make_index(schema, m);
    make_tags(schema, t);
}

/* A map entry's missing value is an empty message, which is not allowed where that has required
 * fields: then the entry requires its value. */
static void require_value(yaff_type *entry)
{
    const yaff_type *value = entry->fields[entry->field_count - 1].type;
    if (value && value->flags & YAFF_TYPE_REQUIRED) entry->flags |= YAFF_TYPE_REQUIRED;
}

static void make_tables(yaff_schema *schema)
{
    size_t types = 0, enums = 0;
    for (size_t i = 0; i < schema->file_count; i++) {
        types += schema->files[i].all_message_count;
        enums += schema->files[i].all_enum_count;
    }
    schema_message **all = YAFF_NEW(&schema->pool, schema_message *, types);
    schema->types = YAFF_NEW(&schema->pool, const yaff_type *, types);
    schema->enums = YAFF_NEW(&schema->pool, const yaff_enum *, enums);
    for (size_t i = 0; i < schema->file_count; i++) {
        const schema_file *file = &schema->files[i];
        for (size_t j = 0; j < file->all_enum_count; j++) {
            make_enum(schema, file->all_enums[j]);
            schema->enums[schema->enum_count++] = file->all_enums[j]->table;
        }
        for (size_t j = 0; j < file->all_message_count; j++) {
            schema_message *m = file->all_messages[j];
            m->table = YAFF_NEW(&schema->pool, yaff_type, 1);
            all[schema->type_count] = m;
            schema->types[schema->type_count++] = m->table;
        }
    }
    for (size_t i = 0; i < types; i++) make_type(schema, all[i]);
    for (size_t i = 0; i < types; i++) {
        if (all[i]->map_entry) require_value(all[i]->table);
        if (all[i]->layout == YAFF_LAYOUT_FIXED) {
            place_fixed(schema, all[i]);
        } else {
            all[i]->table->instance = YAFF_EMPTY_MESSAGE;
            place_blocks(schema, all[i]);
        }
    }
}

/* The public face. */

enum { BUDGET = 32 << 20, BUDGET_PER_BYTE = 256 };

yaff_schema *yaff_schema_new(size_t size, char *error, size_t error_size)
{
    yaff_schema *schema = calloc(1, sizeof *schema);
    size_t budget =
        size < (SIZE_MAX - BUDGET) / BUDGET_PER_BYTE ? BUDGET + BUDGET_PER_BYTE * size : SIZE_MAX;
    if (schema) {
        yaff_pool_init(&schema->pool, budget, error, error_size);
    } else if (error_size) {
        snprintf(error, error_size, "out of memory");
    }
    return schema;
}

void yaff_schema_fill(yaff_schema *schema, Google__Protobuf__FileDescriptorProto *const *files,
                      size_t count)
{
    yaff_schema_read(schema, files, count);
    yaff_schema_link(schema);
    make_tables(schema);
}

static bool load_guarded(yaff_schema *schema, const void *data, size_t size)
{
    if (setjmp(schema->pool.escape)) return false;
    const Google__Protobuf__FileDescriptorSet *set = yaff_descriptor_unpack(
        &schema->pool, &google__protobuf__file_descriptor_set__descriptor, data, size);
    yaff_schema_fill(schema, set->file, set->n_file);
    return true;
}

yaff_schema *yaff_schema_load(const void *descriptor_set, size_t size, char *error,
                              size_t error_size)
{
    yaff_schema *schema = yaff_schema_new(size, error, error_size);
    if (!schema) return NULL;
    if (!load_guarded(schema, descriptor_set, size)) {
        yaff_schema_free(schema);
        return NULL;
    }
    schema->pool.error = NULL;
    schema->pool.error_size = 0;
    return schema;
}

void yaff_schema_free(yaff_schema *schema)
{
    if (!schema) return;
    yaff_pool_free(&schema->pool);
    free(schema);
}

static const schema_name *find(const yaff_schema *schema, const char *name)
{
    if (*name == '.') name++;
    return yaff_schema_find(schema, name, strlen(name));
}

const yaff_type *yaff_schema_type(const yaff_schema *schema, const char *name)
{
    const schema_name *found = find(schema, name);
    return found && found->message ? found->message->table : NULL;
}

const yaff_enum *yaff_schema_enum(const yaff_schema *schema, const char *name)
{
    const schema_name *found = find(schema, name);
    return found && found->enumeration ? found->enumeration->table : NULL;
}

size_t yaff_schema_type_count(const yaff_schema *schema)
{
    return schema->type_count;
}

const yaff_type *yaff_schema_type_at(const yaff_schema *schema, size_t i)
{
    return i < schema->type_count ? schema->types[i] : NULL;
}

size_t yaff_schema_enum_count(const yaff_schema *schema)
{
    return schema->enum_count;
}

const yaff_enum *yaff_schema_enum_at(const yaff_schema *schema, size_t i)
{
    return i < schema->enum_count ? schema->enums[i] : NULL;
}
