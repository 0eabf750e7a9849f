/* From a CodeGeneratorRequest to a CodeGeneratorResponse. See plugin.h. */
#include "plugin.h"

#include "emit.h"
#include "names.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* Fields of google/protobuf/compiler/plugin.proto. */
enum {
    REQUEST_FILE_TO_GENERATE = 1,
    REQUEST_PARAMETER = 2,
    REQUEST_PROTO_FILE = 15,
    RESPONSE_ERROR = 1,
    RESPONSE_SUPPORTED_FEATURES = 2,
    RESPONSE_FILE = 15,
    FILE_NAME = 1,
    FILE_CONTENT = 15,
    FEATURE_PROTO3_OPTIONAL = 1
};

enum { ERROR_SIZE = 1000, BUDGET = 16 << 20 };

typedef struct {
    const void *request;
    size_t size;
    yaff_pool pool; /* of what the request itself holds */
    const char **files;
    size_t file_count;
    const char **parameters;
    size_t parameter_count;
    yaff_schema *schema;
    yaff_out response;
    yaff_out text; /* of the file being generated */
    char error[ERROR_SIZE];
} run;

/* Wire form */

static void put_varint(yaff_out *out, size_t value)
{
    unsigned char byte;
    for (; value >= 0x80; value >>= 7) {
        byte = (unsigned char)(value | 0x80);
        yaff_out_bytes(out, &byte, 1);
    }
    byte = (unsigned char)value;
    yaff_out_bytes(out, &byte, 1);
}

static size_t varint_size(size_t value)
{
    size_t size = 1;
    while (value >>= 7) size++;
    return size;
}

static void put_bytes(yaff_out *out, unsigned number, const void *data, size_t size)
{
    put_varint(out, number << 3 | 2);
    put_varint(out, size);
    yaff_out_bytes(out, data, size);
}

static void put_file(yaff_out *out, const char *name, const yaff_out *content)
{
    size_t name_size = strlen(name);
    put_varint(out, RESPONSE_FILE << 3 | 2);
    put_varint(out, 1 + varint_size(name_size) + name_size + 1 + varint_size(content->size) +
                        content->size);
    put_bytes(out, FILE_NAME, name, name_size);
    put_bytes(out, FILE_CONTENT, content->data, content->size);
}

static void put_features(yaff_out *out)
{
    put_varint(out, RESPONSE_SUPPORTED_FEATURES << 3);
    put_varint(out, FEATURE_PROTO3_OPTIONAL);
}

/* The steps; each leaves through the pool it works with. */

static void check_parameters(run *r)
{
    for (size_t i = 0; i < r->parameter_count; i++)
        if (r->parameters[i][0])
            yaff_pool_fail(&r->schema->pool, "protoc-gen-yaff takes no parameters, and got \"%s\"",
                           r->parameters[i]);
}

static void generate(run *r)
{
    yaff_schema *schema = r->schema;
    check_parameters(r);
    yaff_names(schema);
    for (size_t i = 0; i < r->file_count; i++) {
        const schema_file *file = yaff_schema_file(schema, r->files[i]);
        if (!file) yaff_pool_fail(&schema->pool, "%s: the file is not in the request", r->files[i]);
        r->text.size = 0;
        yaff_emit_header(schema, file, &r->text);
        put_file(&r->response, file->symbols.header, &r->text);
        r->text.size = 0;
        yaff_emit_source(schema, file, &r->text);
        put_file(&r->response, file->symbols.source, &r->text);
    }
    put_features(&r->response);
}

static bool decode_guarded(run *r)
{
    if (setjmp(r->pool.escape)) return false;
    r->files = yaff_schema_read_strings(&r->pool, r->request, r->size, REQUEST_FILE_TO_GENERATE,
                                        &r->file_count);
    r->parameters = yaff_schema_read_strings(&r->pool, r->request, r->size, REQUEST_PARAMETER,
                                             &r->parameter_count);
    return true;
}

static bool generate_guarded(run *r)
{
    yaff_pool *pool = &r->schema->pool;
    if (setjmp(pool->escape)) return false;
    pool->error = r->error;
    pool->error_size = sizeof r->error;
    r->response.pool = r->text.pool = pool;
    generate(r);
    return true;
}

static bool report_guarded(run *r)
{
    if (setjmp(r->pool.escape)) return false;
    r->response.pool = &r->pool;
    r->response.size = 0;
    put_bytes(&r->response, RESPONSE_ERROR, r->error, strlen(r->error));
    put_features(&r->response);
    return true;
}

bool yaff_plugin_run(const void *request, size_t size, char **response, size_t *response_size,
                     char *error, size_t error_size)
{
    run r;
    memset(&r, 0, sizeof r);
    r.request = request;
    r.size = size;
    yaff_pool_init(&r.pool, BUDGET + 4 * size, error, error_size);
    bool ok = decode_guarded(&r);
    if (ok) {
        r.schema = yaff_schema_load_field(request, size, REQUEST_PROTO_FILE, r.error, sizeof r.error);
        if (!r.schema || !generate_guarded(&r)) ok = report_guarded(&r);
    }
    yaff_schema_free(r.schema);
    yaff_pool_free(&r.pool);
    free(r.text.data);
    free(r.text.line);
    free(r.response.line);
    if (!ok) {
        free(r.response.data);
        r.response.data = NULL;
        r.response.size = 0;
    }
    *response = r.response.data;
    *response_size = r.response.size;
    return ok;
}
