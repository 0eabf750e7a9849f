/* The specification against the code: every worked example of the files in spec/ is converted,
 * compared byte for byte, verified and converted back; every section that a comment names
 * exists; the C code in the README is real. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yaff/buffer.h>
#include <yaff/verify.h>
#include <yaff/wire.h>

#include "generator/tables.h"

#define ROOT YAFF_TEST_SRC_DIR "/.."

/* ---- files ---- */

/* The file's text with a NUL behind it; the caller frees it. NULL when it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, room = 0, got = 1;
    if (file == NULL) return NULL;
    while (got > 0) {
        if (used + 1 >= room) {
            room = room ? 2 * room : 65536;
            text = realloc(text, room);
            cr_assert_not_null(text);
        }
        got = fread(text + used, 1, room - used - 1, file);
        used += got;
    }
    fclose(file);
    text[used] = '\0';
    if (size) *size = used;
    return text;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Calls `each` with the path and text of every file of folder ROOT/dir that ends with `suffix`. */
static void for_each_file(const char *dir, const char *suffix,
                          void (*each)(const char *path, const char *text, void *context),
                          void *context)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", ROOT, dir);
    DIR *folder = opendir(path);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!ends_with(entry->d_name, suffix)) continue;
        snprintf(path, sizeof path, "%s/%s/%s", ROOT, dir, entry->d_name);
        char *text = read_file(path, NULL);
        cr_assert_not_null(text, "%s", path);
        each(path, text, context);
        free(text);
    }
    closedir(folder);
}

/* ---- examples ---- */

/* One fenced block; the parts are NUL-terminated, NULL when it does not have them. */
typedef struct example {
    const char *file;
    char *name;
    char *schema, *type, *wire, *yaff, *again, *error, *refused;
} example;

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

/* Hex with `#` comments. 8-byte aligned, in a block of exactly the size, so that a sanitizer sees
 * every byte read too far. */
static bytes parse_hex(const example *e, const char *text)
{
    unsigned char *data = malloc(strlen(text) / 2 + 1);
    bytes b = {NULL, 0};
    cr_assert_not_null(data);
    for (const char *p = text; *p;) {
        if (*p == '#') {
            while (*p && *p != '\n') p++;
        } else if (isspace((unsigned char)*p)) {
            p++;
        } else {
            unsigned byte;
            cr_assert(isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]),
                      "%s: not hex: %.20s", e->name, p);
            sscanf(p, "%2x", &byte);
            data[b.size++] = (unsigned char)byte;
            p += 2;
        }
    }
    b.data = malloc(b.size ? b.size : 1);
    cr_assert_not_null(b.data);
    memcpy(b.data, data, b.size);
    free(data);
    return b;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* Cuts the block's body into parts: a part begins with `word:` at the start of a line. */
static void split_parts(example *e, char *body)
{
    struct {
        const char *word;
        char **part;
    } parts[] = {{"schema:", &e->schema},  {"type:", &e->type},   {"wire:", &e->wire},
                 {"yaff:", &e->yaff},      {"again:", &e->again}, {"error:", &e->error},
                 {"refused:", &e->refused}};
    for (char *line = body; line && *line;) {
        char *next = strchr(line, '\n');
        if (!isspace((unsigned char)*line)) {
            size_t i = 0, count = sizeof parts / sizeof *parts;
            while (i < count && strncmp(line, parts[i].word, strlen(parts[i].word)) != 0) i++;
            cr_assert_lt(i, count, "%s: what is this? %.30s", e->name, line);
            *parts[i].part = line + strlen(parts[i].word);
            if (line > body) line[-1] = '\0';
        }
        line = next ? next + 1 : NULL;
    }
    cr_assert(e->schema && e->type, "%s: no schema or type", e->name);
    e->type = trimmed(e->type);
}

/* ---- schema ---- */

static char folder[] = "/tmp/yaff-spec-XXXXXX";

static void path_in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

/* protoc's FileDescriptorSet for the example's schema. */
static bytes compile(const example *e)
{
    char proto[256], set[256], command[2048];
    bytes b;
    path_in_folder(proto, sizeof proto, "example.proto");
    path_in_folder(set, sizeof set, "example.pb");
    FILE *file = fopen(proto, "w");
    cr_assert(file && fputs(e->schema, file) >= 0 && fclose(file) == 0, "%s", proto);
    snprintf(command, sizeof command,
             "'%s' '-I%s' '-I%s/layout' '-I%s' --include_imports '--descriptor_set_out=%s' '%s'",
             PROTOC, folder, ROOT, PROTOBUF_INCLUDE_DIR, set, proto);
    cr_assert_eq(system(command), 0, "%s: protoc refuses the schema", e->name);
    b.data = (unsigned char *)read_file(set, &b.size);
    cr_assert_not_null(b.data);
    unlink(proto);
    unlink(set);
    return b;
}

/* ---- running one ---- */

static void print_bytes(const char *title, const unsigned char *data, size_t size)
{
    fprintf(stderr, "  %s, %zu bytes:", title, size);
    for (size_t i = 0; i < size; i++) fprintf(stderr, "%s%02x", i % 8 ? " " : "\n    ", data[i]);
    fprintf(stderr, "\n");
}

static bool same_bytes(const example *e, const char *what, bytes want, const void *got, size_t size)
{
    if (want.size == size && (size == 0 || memcmp(want.data, got, size) == 0)) return true;
    fprintf(stderr, "%s: %s: %s differ\n", e->file, e->name, what);
    print_bytes("specified", want.data, want.size);
    print_bytes("got", got, size);
    return false;
}

/* Compares a failure with "STATUS [OFFSET]". */
static bool same_failure(const example *e, char *want, yaff_status status, const yaff_error *err)
{
    char *name = strtok(want, " \n"), *offset = strtok(NULL, " \n");
    if (strcmp(name, yaff_status_name(status)) == 0 &&
        (status == YAFF_OK || err->status == status) &&
        (offset == NULL || strtoul(offset, NULL, 10) == err->offset))
        return true;
    fprintf(stderr, "%s: %s: specified %s %s, got %s %zu (%s)\n", e->file, e->name, name,
            offset ? offset : "", yaff_status_name(status), err->offset, err->path);
    return false;
}

static bool run_refused(const example *e, const yaff_type *type)
{
    yaff_error err = {YAFF_OK, 0, ""};
    bytes yaff = parse_hex(e, e->yaff);
    yaff_status status = yaff_verify(type, yaff.data, yaff.size, NULL, &err);
    bool good = same_failure(e, e->refused, status, &err);
    free(yaff.data);
    return good;
}

static bool run_back(const example *e, const yaff_type *type, const void *root)
{
    yaff_error err = {YAFF_OK, 0, ""};
    bytes want = parse_hex(e, e->again ? e->again : e->wire);
    size_t size = 0, written = 0;
    yaff_status status = yaff_wire_size(type, root, &size, &err);
    cr_assert_eq(status, YAFF_OK, "%s: %s", e->name, yaff_status_name(status));
    unsigned char *out = malloc(size ? size : 1);
    cr_assert_not_null(out);
    status = yaff_to_wire(type, root, out, size, &written, &err);
    cr_assert_eq(status, YAFF_OK, "%s: %s", e->name, yaff_status_name(status));
    bool good = written == size && same_bytes(e, "the wire bytes that come back", want, out, size);
    free(out);
    free(want.data);
    return good;
}

static bool run_conversion(const example *e, const yaff_type *type)
{
    yaff_error err = {YAFF_OK, 0, ""};
    yaff_verify_options strict = {.utf8 = true};
    bytes wire = parse_hex(e, e->wire), want = {NULL, 0};
    yaff_builder *builder = yaff_builder_new(NULL);
    cr_assert_not_null(builder);
    yaff_wire_options options = {0};
    if (e->yaff) want = parse_hex(e, e->yaff);
    options.borrow = want.size > 3 && want.data[3] & YAFF_BUFFER_BORROWED;
    yaff_status status = yaff_from_wire(builder, type, wire.data, wire.size, &options, &err);
    bool good;
    if (e->error || status != YAFF_OK) {
        char fine[] = "YAFF_OK";
        good = same_failure(e, e->error ? e->error : fine, status, &err);
    } else {
        const void *data = yaff_builder_data(builder);
        size_t size = yaff_builder_size(builder);
        good = same_bytes(e, "the buffers", want, data, size);
        /* What the specification says is judged on its own, whatever the converter made of it. */
        status = yaff_verify(type, want.data, want.size, &strict, &err);
        if (status != YAFF_OK) {
            char fine[] = "YAFF_OK";
            good = same_failure(e, fine, status, &err);
        } else {
            good = run_back(e, type, yaff_buffer_root(want.data, type->instance)) && good;
        }
    }
    free(want.data);
    yaff_builder_free(builder);
    free(wire.data);
    return good;
}

static bool run_example(example *e)
{
    char message[1024] = "";
    bytes set = compile(e);
    yaff_schema *tables = yaff_schema_load(set.data, set.size, message, sizeof message);
    cr_assert_not_null(tables, "%s: %s", e->name, message);
    const yaff_type *type = yaff_schema_type(tables, e->type);
    cr_assert_not_null(type, "%s: no type %s", e->name, e->type);
    cr_assert(e->refused ? e->yaff && !e->wire : e->wire && (e->yaff || e->error),
              "%s: parts are missing", e->name);
    bool good = e->refused ? run_refused(e, type) : run_conversion(e, type);
    yaff_schema_free(tables);
    free(set.data);
    return good;
}

typedef struct tally {
    size_t run, failed;
} tally;

static void run_examples_of(const char *path, const char *text, void *context)
{
    static const char fence[] = "\n```yaff-example ";
    tally *t = context;
    for (const char *p = text; (p = strstr(p, fence)) != NULL;) {
        p += strlen(fence);
        const char *end = strstr(p, "\n```");
        cr_assert_not_null(end, "%s: a block without an end", path);
        size_t size = (size_t)(end - p);
        char *block = malloc(size + 1), *body;
        cr_assert_not_null(block);
        memcpy(block, p, size);
        block[size] = '\0';
        body = strchr(block, '\n');
        cr_assert_not_null(body, "%s: an empty block", path);
        *body++ = '\0';
        example e = {.file = path, .name = block};
        split_parts(&e, body);
        t->run++;
        t->failed += !run_example(&e);
        free(block);
        p = end;
    }
}

Test(spec, examples_hold)
{
    tally t = {0, 0};
    cr_assert_not_null(mkdtemp(folder));
    for_each_file("spec", ".md", run_examples_of, &t);
    rmdir(folder);
    cr_expect_eq(t.failed, 0, "%zu of %zu examples differ", t.failed, t.run);
    cr_expect_geq(t.run, 50, "only %zu examples were found", t.run);
}

/* ---- what comments and the README refer to ---- */

/* `text` with comment stars and runs of white space turned into single spaces. */
static void squeeze(char *to, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        char c = isspace((unsigned char)*text) || *text == '*' ? ' ' : *text;
        if (c != ' ' || (n > 0 && to[n - 1] != ' ')) to[n++] = c;
    }
    to[n] = '\0';
}

/* Whether a heading `## X` of the file is what `reference` begins with. */
static bool names_section(const char *markdown, const char *reference)
{
    for (const char *p = markdown; (p = strstr(p, "\n## ")) != NULL;) {
        p += 4;
        size_t n = strcspn(p, "\n");
        if (n > 0 && strncmp(reference, p, n) == 0 && !isalpha((unsigned char)reference[n]))
            return true;
    }
    return false;
}

static void check_references(const char *path, const char *text, void *context)
{
    tally *t = context;
    for (const char *p = text; (p = strstr(p, "spec/")) != NULL; p++) {
        char name[64], file[256], reference[80];
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz/");
        if (strncmp(p + n, ".md, ", 5) != 0 || n + 4 > sizeof name) continue;
        snprintf(name, sizeof name, "%.*s.md", (int)n, p);
        snprintf(file, sizeof file, "%s/%s", ROOT, name);
        squeeze(reference, sizeof reference, p + n + 5);
        char *markdown = read_file(file, NULL);
        bool found = markdown != NULL && names_section(markdown, reference);
        if (!found) fprintf(stderr, "%s: no section \"%.30s...\" in %s\n", path, reference, name);
        t->run++;
        t->failed += !found;
        free(markdown);
    }
}

Test(spec, sections_that_comments_name_exist)
{
    static const char *const folders[] = {"layout", "layout/yaff", "runtime",   "runtime/yaff",
                                          "bridge", "bridge/yaff", "generator", "cli"};
    tally t = {0, 0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for_each_file(folders[i], ".h", check_references, &t);
        for_each_file(folders[i], ".c", check_references, &t);
        for_each_file(folders[i], ".proto", check_references, &t);
    }
    cr_expect_eq(t.failed, 0);
    cr_expect_geq(t.run, 20, "only %zu references were found", t.run);
}

/* The first C block of the README stands, line by line, in the feed example. */
Test(spec, readme_code_is_from_the_feed_example)
{
    char *readme = read_file(ROOT "/README.md", NULL);
    char *program = read_file(ROOT "/examples/feed/main.c", NULL);
    cr_assert(readme && program);
    char *code = strstr(readme, "\n```c\n");
    cr_assert_not_null(code);
    code += strlen("\n```c\n");
    char *end = strstr(code, "\n```");
    cr_assert_not_null(end);
    end[1] = '\0';
    cr_expect_not_null(strstr(program, code), "the README shows code that is not in main.c");
    free(readme);
    free(program);
}
