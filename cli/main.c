/* The yaff command: its sub-commands, each a few calls of the library. They work on any message, by
 * tables made at run time from a descriptor set. */
#include <yaff/buffer.h>
#include <yaff/verify.h>
#include <yaff/wire.h>

#include <signal.h>
#include <stdlib.h>

#include "args.h"
#include "dump.h"
#include "file.h"
#include "generator/tables.h"
#include "layout_table.h"

/* ---- Errors of the library ---- */

/* Prints "yaff: INPUT: byte 24, items[7].author: sentence (YAFF_NAME)". Returns the exit status. */
static int data_error(const cli_args *args, const yaff_error *err)
{
    cli_error(cli_input_name(args->input), "byte %zu%s%s: %s (%s)", err->offset,
              err->path[0] ? ", " : "", err->path, yaff_status_text(err->status),
              yaff_status_name(err->status));
    return err->status == YAFF_NO_MEMORY ? CLI_FAILED : CLI_BAD_DATA;
}

static int memory_error(const cli_args *args)
{
    yaff_error err = {YAFF_NO_MEMORY, 0, ""};
    return data_error(args, &err);
}

/* ---- The sub-commands ---- */

/* Converts wire bytes; the buffer is in *b, which is to be freed in any case. */
static int convert(yaff_builder **b, const cli_args *args, const yaff_type *type, const void *wire,
                   size_t size)
{
    yaff_error err;
    *b = yaff_builder_new(NULL);
    if (!*b) return memory_error(args);
    if (yaff_from_wire(*b, type, wire, size, &args->wire, &err) != YAFF_OK)
        return data_error(args, &err);
    return CLI_OK;
}

static int run_encode(const cli_args *args, const yaff_type *type, const void *input, size_t size)
{
    yaff_builder *b;
    int result = convert(&b, args, type, input, size);
    if (result == CLI_OK)
        result = cli_write(args->output, yaff_builder_data(b), yaff_builder_size(b));
    yaff_builder_free(b);
    return result;
}

static int run_decode(const cli_args *args, const yaff_type *type, const void *input, size_t size)
{
    yaff_error err;
    size_t wire_size, written;
    if (yaff_verify(type, input, size, &args->verify, &err) != YAFF_OK)
        return data_error(args, &err);
    const void *message = yaff_buffer_root(input, type->instance);
    if (yaff_wire_size(type, message, &wire_size, &err) != YAFF_OK) return data_error(args, &err);
    void *wire = malloc(wire_size ? wire_size : 1);
    if (!wire) return memory_error(args);
    int result = yaff_to_wire(type, message, wire, wire_size, &written, &err) == YAFF_OK
                     ? cli_write(args->output, wire, written)
                     : data_error(args, &err);
    free(wire);
    return result;
}

static int run_verify(const cli_args *args, const yaff_type *type, const void *input, size_t size)
{
    yaff_error err;
    if (yaff_verify(type, input, size, &args->verify, &err) != YAFF_OK)
        return data_error(args, &err);
    if (!args->verbose) return CLI_OK;
    cli_output output;
    if (cli_output_open(&output, NULL) != CLI_OK) return CLI_FAILED;
    fprintf(output.file, "%s: ok, %s in %zu bytes\n", cli_input_name(args->input), type->name,
            size);
    return cli_output_close(&output);
}

static int run_dump(const cli_args *args, const yaff_type *type, const void *input, size_t size)
{
    yaff_builder *b = NULL;
    yaff_error err;
    cli_output output;
    int result = CLI_OK;
    if (args->from_wire) {
        result = convert(&b, args, type, input, size);
        input = yaff_builder_data(b);
        size = yaff_builder_size(b);
    }
    if (result == CLI_OK && yaff_verify(type, input, size, &args->verify, &err) != YAFF_OK)
        result = data_error(args, &err);
    if (result == CLI_OK) result = cli_output_open(&output, args->output);
    if (result == CLI_OK) {
        cli_dump(output.file, type, input, size, &args->dump);
        result = cli_output_close(&output);
    }
    yaff_builder_free(b);
    return result;
}

static int run_layout(const cli_args *args, const yaff_type *type, const void *input, size_t size)
{
    cli_output output;
    (void)input, (void)size;
    int result = cli_output_open(&output, args->output);
    if (result != CLI_OK) return result;
    if (!cli_layout_table(output.file, type)) {
        cli_output_discard(&output);
        return memory_error(args);
    }
    return cli_output_close(&output);
}

/* ---- The table of them ---- */

static const cli_option encode_options[] = {
    {"--partial", 0, NULL, "accept a message without its required fields",
     offsetof(cli_args, wire.partial)},
    {"--no-utf8-check", 0, NULL, "accept any bytes in proto3 strings",
     offsetof(cli_args, wire.no_utf8_check)},
    {"--drop-unknown", 0, NULL, "drop unknown fields instead of keeping them",
     offsetof(cli_args, wire.drop_unknown)},
    {"--drop-unknown-in-fixed", 0, NULL, "drop them where a Fixed message has no room",
     offsetof(cli_args, wire.drop_unknown_in_fixed)},
    {0},
};

static const cli_option verify_options[] = {
    {"--utf8", 0, NULL, "check that proto3 strings are UTF-8, too",
     offsetof(cli_args, verify.utf8)},
    {"--verbose", 'v', NULL, "say so when all is well", offsetof(cli_args, verbose)},
    {0},
};

static const cli_option dump_options[] = {
    {"--layouts", 0, NULL, "tell in comments how each message is stored (no JSON then)",
     offsetof(cli_args, dump.layouts)},
    {"--wire", 0, NULL, "INPUT is Protobuf wire bytes, with encode's options",
     offsetof(cli_args, from_wire)},
    {"--partial", 0, NULL, "as of encode", offsetof(cli_args, wire.partial)},
    {"--no-utf8-check", 0, NULL, "as of encode", offsetof(cli_args, wire.no_utf8_check)},
    {"--drop-unknown", 0, NULL, "as of encode", offsetof(cli_args, wire.drop_unknown)},
    {"--drop-unknown-in-fixed", 0, NULL, "as of encode",
     offsetof(cli_args, wire.drop_unknown_in_fixed)},
    {0},
};

static const cli_command commands[] = {
    {
        .name = "encode",
        .summary = "Protobuf wire bytes in, a YaFF buffer out",
        .description = "Converts Protobuf wire bytes into a YaFF buffer.",
        .input = true,
        .output = true,
        .options = encode_options,
        .run = run_encode,
    },
    {
        .name = "decode",
        .summary = "a YaFF buffer in, Protobuf wire bytes out",
        .description = "Verifies a YaFF buffer and converts it into Protobuf wire bytes.",
        .input = true,
        .output = true,
        .run = run_decode,
    },
    {
        .name = "verify",
        .summary = "check that a YaFF buffer is safe to read",
        .description =
            "Checks that a YaFF buffer is safe to read as the message. Says nothing when it is;\n"
            "else one line: byte offset, field path, what is wrong, and the status as C knows it.",
        .input = true,
        .options = verify_options,
        .run = run_verify,
    },
    {
        .name = "dump",
        .summary = "print a YaFF buffer, or wire bytes, as JSON",
        .description =
            "Verifies a YaFF buffer and prints it as JSON: what is present, in number order.\n"
            "  enums    their names; a number that has none as a number\n"
            "  floats   the fewest digits that read back the same; NaN, Infinity, -Infinity\n"
            "  bytes    a string; any byte that is not printable ASCII as \\u00HH\n"
            "  strings  a byte that is not UTF-8 as \\udcHH\n"
            "  unknown  fields under \"NUMBER:TYPE\" with the wire type's name, in wire order",
        .input = true,
        .output = true,
        .options = dump_options,
        .run = run_dump,
    },
    {
        .name = "layout",
        .summary = "print where the fields of a message lie",
        .description =
            "Prints the placement of a message as a table: each field's block and bit in the\n"
            "lanes, the width of its cell, its place in bytes from p (Flat body) or from the\n"
            "struct's start (Fixed), its default if that is not zero or empty; then what a\n"
            "message takes in each layout.",
        .output = true,
        .run = run_layout,
    },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* ---- Running one ---- */

static int print_help(const cli_command *command)
{
    cli_output output;
    if (cli_output_open(&output, NULL) != CLI_OK) return CLI_FAILED;
    if (command) {
        cli_args_help(output.file, command);
    } else {
        fputs("usage: yaff COMMAND --descriptor-set FILE --type NAME [options] [INPUT [OUTPUT]]\n\n"
              "Protobuf messages in a flat layout that is read in place.\n\ncommands:\n",
              output.file);
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            fprintf(output.file, "  %-8s  %s\n", commands[i].name, commands[i].summary);
        fputs("\nyaff COMMAND --help tells more; yaff --version tells the version.\n", output.file);
    }
    return cli_output_close(&output);
}

static int print_version(void)
{
    cli_output output;
    if (cli_output_open(&output, NULL) != CLI_OK) return CLI_FAILED;
    fputs("yaff " YAFF_VERSION "\n", output.file);
    return cli_output_close(&output);
}

static yaff_schema *load_schema(const char *path)
{
    cli_bytes set;
    char error[1024];
    if (cli_read(path, &set) != CLI_OK) return NULL;
    yaff_schema *schema = yaff_schema_load(set.data, set.size, error, sizeof error);
    if (!schema) cli_error(cli_input_name(path), "%s", error);
    free(set.data);
    return schema;
}

static int run_with_schema(const cli_command *command, const cli_args *args,
                           const yaff_schema *schema)
{
    cli_bytes input = {NULL, 0};
    const yaff_type *type = yaff_schema_type(schema, args->type);
    if (!type) {
        cli_error(cli_input_name(args->descriptor_set), "no message is called %s", args->type);
        return CLI_FAILED;
    }
    int result = command->input ? cli_read(args->input, &input) : CLI_OK;
    if (result == CLI_OK) result = command->run(args, type, input.data, input.size);
    free(input.data);
    return result;
}

static int run(const cli_command *command, int count, char **words)
{
    cli_args args;
    if (cli_args_read(&args, command, count, words) != CLI_OK) return CLI_FAILED;
    if (args.help) return print_help(command);
    yaff_schema *schema = load_schema(args.descriptor_set);
    if (!schema) return CLI_FAILED;
    int result = run_with_schema(command, &args, schema);
    yaff_schema_free(schema);
    return result;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is then a failed write, with its line on stderr */
#endif
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0) return run(&commands[i], argc - 2, argv + 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return print_help(NULL);
    if (strcmp(name, "--version") == 0) return print_version();
    if (argc > 1)
        cli_error(NULL, "unknown command %s; see yaff --help", name);
    else
        cli_error(NULL, "a command is missing; see yaff --help");
    return CLI_FAILED;
}
