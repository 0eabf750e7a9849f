/* Any bytes as a descriptor set, and the rest of the input as wire bytes of its types: what the
 * yaff command does. Invariant: loading fails with a sentence, or gives tables under which
 * from_wire's result verifies, reads, prints, and converts back; the same fingerprint each time;
 * and the layout table prints. Input: u16 size of the descriptor set, the set, wire bytes. */
#include "subject.h"

#include <yaff/buffer.h>
#include <yaff/frame.h>

#include "cli/layout_table.h"
#include "generator/tables.h"

enum { TYPES = 16 /* of a schema are tried */ };

static void use_type(const yaff_type *type, const uint8_t *wire, size_t size, FILE *null)
{
    static const yaff_wire_options lenient = {.partial = true, .no_utf8_check = true};
    yaff_builder *b = subject_builder();
    FUZZ_CHECK(cli_layout_table(null, type));
    FUZZ_CHECK(yaff_type_fingerprint(type) == yaff_type_fingerprint(type));
    if (yaff_from_wire(b, type, wire, size, &lenient, NULL) != YAFF_OK) return;
    size_t length = yaff_builder_size(b);
    if (length > SUBJECT_LARGEST) return;
    const void *buffer = subject_guarded(yaff_builder_data(b), length, false);
    FUZZ_CHECK(yaff_verify(type, buffer, length, NULL, NULL) == YAFF_OK);
    subject_use(type, buffer, length, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    char error[300] = "";
    if (!null) null = fopen("/dev/null", "w");
    FUZZ_CHECK(null);
    if (size < 2) return 0;
    size_t set_size = yaff_load16(data);
    data += 2;
    size -= 2;
    if (set_size > size) set_size = size;
    void *set = malloc(set_size ? set_size : 1); /* exact, for sanitizers */
    FUZZ_CHECK(set);
    memcpy(set, data, set_size);
    yaff_schema *schema = yaff_schema_load(set, set_size, error, sizeof error);
    free(set);
    FUZZ_CHECK(schema || error[0]);
    if (!schema) return 0;
    for (size_t i = 0; i < TYPES && i < yaff_schema_type_count(schema); i++) {
        const yaff_type *type = yaff_schema_type_at(schema, i);
        if (!(type->flags & YAFF_TYPE_MAP_ENTRY))
            use_type(type, data + set_size, size - set_size, null);
    }
    yaff_schema_free(schema);
    return 0;
}
