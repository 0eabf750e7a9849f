/* protoc-gen-yaff, the protoc plugin: `protoc --yaff_out=DIR feed.proto` writes feed.yaff.h and
 * feed.yaff.c. Reads a request on stdin and answers on stdout. */
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static char *read_all(FILE *in, size_t *size)
{
    char *data = NULL;
    size_t capacity = 0;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *more = realloc(data, capacity);
            if (!more) break;
            data = more;
        }
        size_t count = fread(data + *size, 1, capacity - *size, in);
        *size += count;
        if (count == 0 && !ferror(in)) return data;
        if (count == 0) break;
    }
    free(data);
    return NULL;
}

int main(int argc, char **argv)
{
    char error[1000] = "";
    char *response = NULL;
    size_t size, response_size;
    if (argc > 1) {
        if (strcmp(argv[1], "--version") == 0) {
            printf("protoc-gen-yaff %s\n", YAFF_VERSION);
            return 0;
        }
        fprintf(stderr, "protoc-gen-yaff: protoc calls this: protoc --yaff_out=DIR FILE.proto\n");
        return 1;
    }
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    char *request = read_all(stdin, &size);
    if (!request) {
        fprintf(stderr, "protoc-gen-yaff: the request could not be read\n");
        return 1;
    }
    bool ok = yaff_plugin_run(request, size, &response, &response_size, error, sizeof error);
    free(request);
    if (!ok) {
        fprintf(stderr, "protoc-gen-yaff: %s\n", error);
        return 1;
    }
    ok = fwrite(response, 1, response_size, stdout) == response_size && fflush(stdout) == 0;
    free(response);
    if (!ok) fprintf(stderr, "protoc-gen-yaff: the response could not be written\n");
    return ok ? 0 : 1;
}
