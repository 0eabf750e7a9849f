/* Reads one Item that two bytes of wire make. */
#include <stdio.h>

#include "item.yaff.h"
#include <yaff/wire.h>

int main(void)
{
    static const unsigned char wire[] = {0x08, 0x07};
    yaff_builder *b = yaff_builder_new(NULL);
    const Item *item;
    yaff_error err;
    if (b == NULL || Item_from_wire(b, wire, sizeof wire, &item, &err) != YAFF_OK) return 1;
    printf("%u\n", (unsigned)Item_id(item));
    yaff_builder_free(b);
    return 0;
}
