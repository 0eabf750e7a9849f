/* Looking things up in the type tables: a field by number, a block, an enum value. */
#include <yaff/type.h>

const yaff_field *yaff_type_field(const yaff_type *type, uint32_t number)
{
    if (number < type->index_size) {
        uint32_t row = type->index[number];
        return row ? &type->fields[row - 1] : NULL;
    }
    uint32_t low = 0, high = type->field_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (type->fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == type->field_count || type->fields[low].number != number) return NULL;
    return &type->fields[low];
}

const yaff_block *yaff_type_block(const yaff_type *type, uint32_t k)
{
    uint32_t low = 0, high = type->block_count;
    if (k < high && type->blocks[k].k == k) return &type->blocks[k]; /* no block left out below */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (type->blocks[middle].k < k)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == type->block_count || type->blocks[low].k != k) return NULL;
    return &type->blocks[low];
}

/* The first value not below `number`, so the first declared of those that share a number. */
static const yaff_enum_value *enum_value(const yaff_enum *e, int32_t number)
{
    uint32_t low = 0, high = e->value_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->values[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == e->value_count || e->values[low].number != number) return NULL;
    return &e->values[low];
}

const char *yaff_enum_name(const yaff_enum *e, int32_t number)
{
    const yaff_enum_value *value = enum_value(e, number);
    return value ? value->name : NULL;
}

bool yaff_enum_lists(const yaff_enum *e, int32_t number)
{
    return enum_value(e, number) != NULL;
}
