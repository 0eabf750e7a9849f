/* From a CodeGeneratorRequest to a CodeGeneratorResponse. See plugin.h. */
#include "plugin.h"

#include "descriptor.h"
#include "emit.h"
#include "names.h"
#include "tables.h"

#include <google/protobuf/compiler/plugin.pb-c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 1000, LARGEST_RESPONSE = 256 << 20 };

typedef Google__Protobuf__Compiler__CodeGeneratorRequest request_proto;
typedef Google__Protobuf__Compiler__CodeGeneratorResponse response_proto;
typedef Google__Protobuf__Compiler__CodeGeneratorResponse__File output_proto;

typedef struct {
    yaff_schema *schema; /* the request lives in its pool */
    const request_proto *request;
    response_proto response;
    yaff_out *texts; /* of response.file */
    size_t text_count;
    char error[ERROR_SIZE];
} run;

/* The steps; each leaves through the schema's pool. */

/* The text of a further file of the response. */
static yaff_out *add_file(run *r, const char *path)
{
    yaff_pool *pool = &r->schema->pool;
    yaff_out *text = &r->texts[r->text_count++];
    output_proto *file = YAFF_NEW(pool, output_proto, 1);
    google__protobuf__compiler__code_generator_response__file__init(file);
    file->name = yaff_pool_copy(pool, path, strlen(path));
    r->response.file[r->response.n_file++] = file;
    text->pool = pool;
    return text;
}

static void end_file(run *r)
{
    yaff_out *text = &r->texts[r->text_count - 1];
    yaff_out_bytes(text, "", 1);
    r->response.file[r->text_count - 1]->content = text->data;
}

static void generate(run *r)
{
    yaff_schema *schema = r->schema;
    yaff_pool *pool = &schema->pool;
    const request_proto *request = r->request;
    yaff_schema_fill(schema, request->proto_file, request->n_proto_file);
    if (request->parameter && request->parameter[0])
        yaff_pool_fail(pool, "protoc-gen-yaff takes no parameters, and got \"%s\"",
                       request->parameter);
    yaff_names(schema);
    r->texts = YAFF_NEW(pool, yaff_out, 2 * request->n_file_to_generate);
    r->response.file = YAFF_NEW(pool, output_proto *, 2 * request->n_file_to_generate);
    for (size_t i = 0; i < request->n_file_to_generate; i++) {
        const schema_file *file = yaff_schema_file(schema, request->file_to_generate[i]);
        if (!file)
            yaff_pool_fail(pool, "%s: the file is not in the request",
                           request->file_to_generate[i]);
        yaff_emit_header(schema, file, add_file(r, file->symbols.header));
        end_file(r);
        yaff_emit_source(schema, file, add_file(r, file->symbols.source));
        end_file(r);
    }
}

static bool decode_guarded(run *r, const void *request, size_t size)
{
    yaff_pool *pool = &r->schema->pool;
    if (setjmp(pool->escape)) return false;
    r->request = yaff_descriptor_unpack(
        pool, &google__protobuf__compiler__code_generator_request__descriptor, request, size);
    return true;
}

static bool generate_guarded(run *r)
{
    yaff_pool *pool = &r->schema->pool;
    pool->error = r->error;
    pool->error_size = sizeof r->error;
    if (setjmp(pool->escape)) return false;
    generate(r);
    if (google__protobuf__compiler__code_generator_response__get_packed_size(&r->response) >
        LARGEST_RESPONSE)
        yaff_pool_fail(pool, "the generated code would be too large");
    return true;
}

/* The response in wire form, or NULL when memory runs out. */
static char *pack(const response_proto *response, size_t *size)
{
    *size = google__protobuf__compiler__code_generator_response__get_packed_size(response);
    char *data = malloc(*size);
    if (data)
        google__protobuf__compiler__code_generator_response__pack(response, (uint8_t *)data);
    else
        *size = 0;
    return data;
}

static void start_response(response_proto *response)
{
    google__protobuf__compiler__code_generator_response__init(response);
    response->has_supported_features = true;
    response->supported_features =
        GOOGLE__PROTOBUF__COMPILER__CODE_GENERATOR_RESPONSE__FEATURE__FEATURE_PROTO3_OPTIONAL;
}

bool yaff_plugin_run(const void *request, size_t size, char **response, size_t *response_size,
                     char *error, size_t error_size)
{
    run r;
    memset(&r, 0, sizeof r);
    *response = NULL;
    *response_size = 0;
    r.schema = yaff_schema_new(size, error, error_size);
    if (!r.schema) return false;
    if (decode_guarded(&r, request, size)) {
        start_response(&r.response);
        if (!generate_guarded(&r)) {
            start_response(&r.response);
            r.response.error = r.error;
        }
        *response = pack(&r.response, response_size);
        if (!*response && error_size) snprintf(error, error_size, "out of memory");
    }
    for (size_t i = 0; i < r.text_count; i++) {
        free(r.texts[i].data);
        free(r.texts[i].line);
    }
    yaff_schema_free(r.schema);
    return *response != NULL;
}
