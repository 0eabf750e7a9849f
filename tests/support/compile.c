/* A schema from the text of a .proto. See compile.h. */
#include "support/compile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SET_SIZE = 1 << 20 };

static yaff_schema *compile(const char *folder, const char *name)
{
    char command[2048], error[1000] = "";
    snprintf(command, sizeof command,
             "'%s' '-I%s' '-I%s/../layout' '-I%s' --include_imports "
             "--descriptor_set_out=/dev/stdout '%s/%s'",
             PROTOC, folder, YAFF_TEST_SRC_DIR, PROTOBUF_INCLUDE_DIR, folder, name);
    char *set = malloc(SET_SIZE);
    FILE *pipe = popen(command, "r");
    cr_assert(set && pipe);
    size_t size = fread(set, 1, SET_SIZE, pipe);
    cr_assert(pclose(pipe) == 0 && size < SET_SIZE, "%s", command);
    yaff_schema *schema = yaff_schema_load(set, size, error, sizeof error);
    cr_assert_not_null(schema, "%s", error);
    free(set);
    return schema;
}

yaff_schema *compile_schema(const char *text)
{
    char folder[] = "/tmp/yaff-schema-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.proto", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    yaff_schema *schema = compile(folder, "s.proto");
    unlink(path);
    rmdir(folder);
    return schema;
}

yaff_schema *compile_file(const char *name)
{
    return compile(YAFF_TEST_SRC_DIR "/protos", name);
}
