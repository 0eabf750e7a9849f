/* Wire in, read across three generated files, wire out. */
#include <stdio.h>
#include <string.h>

#include "app.v1.yaff.h"

int main(void)
{
    static const unsigned char wire[] = {0x0a, 0x02, 0x08, 0x05, 0x12, 0x04, 0x0a,
                                         0x02, 0x08, 0x06, 0x1a, 0x02, 0x08, 0x07};
    unsigned char out[sizeof wire];
    size_t size = 0;
    yaff_builder *b = yaff_builder_new(NULL);
    const app_v1_App *app;
    if (b == NULL || app_v1_App_from_wire(b, wire, sizeof wire, &app, NULL) != YAFF_OK) return 1;
    app = app_v1_App_open(yaff_builder_data(b), yaff_builder_size(b), NULL);
    if (app == NULL || app_v1_App_to_wire(app, out, sizeof out, &size, NULL) != YAFF_OK) return 1;
    printf("%u %u %d\n", (unsigned)common_Item_id(app_v1_App_common(app)),
           (unsigned)Item_id(app_v1_App_Item_item(app_v1_App_item(app))),
           (int)google_protobuf_Timestamp_seconds(app_v1_App_at(app)));
    yaff_builder_free(b);
    return size == sizeof wire && memcmp(out, wire, size) == 0 ? 0 : 1;
}
