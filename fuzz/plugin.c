/* Any bytes as a CodeGeneratorRequest. Invariant: either a sentence that says what is wrong, or a
 * well-formed CodeGeneratorResponse; the same one each time. Input: the request. */
#include "fuzz.h"

#include "generator/plugin.h"

#include <google/protobuf/compiler/plugin.pb-c.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[300] = "", *first = NULL, *again = NULL;
    size_t first_size = 0, again_size = 0;
    if (!yaff_plugin_run(data, size, &first, &first_size, error, sizeof error)) {
        FUZZ_CHECK(error[0] && first == NULL);
        return 0;
    }
    Google__Protobuf__Compiler__CodeGeneratorResponse *response =
        google__protobuf__compiler__code_generator_response__unpack(NULL, first_size,
                                                                    (const uint8_t *)first);
    FUZZ_CHECK(response);
    FUZZ_CHECK(!response->error || (response->error[0] && response->n_file == 0));
    for (size_t i = 0; i < response->n_file; i++) {
        const char *text = response->file[i]->content;
        FUZZ_CHECK(text && text[0] && text[strlen(text) - 1] == '\n');
    }
    google__protobuf__compiler__code_generator_response__free_unpacked(response, NULL);

    FUZZ_CHECK(yaff_plugin_run(data, size, &again, &again_size, error, sizeof error));
    FUZZ_CHECK(again_size == first_size && memcmp(again, first, first_size) == 0);
    free(first);
    free(again);
    return 0;
}
