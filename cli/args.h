/* The command line of a sub-command: what it may say, reading it, and the help text about it. */
#ifndef YAFF_CLI_ARGS_H
#define YAFF_CLI_ARGS_H

#include <yaff/verify.h>
#include <yaff/wire.h>

#include <stdio.h>

#include "dump.h"

/* Everything that any sub-command can be told. */
typedef struct cli_args {
    const char *descriptor_set; /* never NULL after reading */
    const char *type;           /* never NULL after reading */
    const char *input;          /* NULL or "-" = standard input */
    const char *output;         /* NULL or "-" = standard output */
    yaff_wire_options wire;
    yaff_verify_options verify;
    cli_dump_options dump;
    bool from_wire; /* dump: the input is wire bytes */
    bool verbose;
    bool help;
} cli_args;

typedef struct cli_option {
    const char *name;     /* "--partial"; NULL ends a list */
    char letter;          /* 'v' for -v, 0 when it has none */
    const char *argument; /* what the help calls its argument; NULL for a switch */
    const char *help;
    size_t offset; /* in cli_args: of a const char *, or for a switch of a bool */
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *description;   /* lines for its help */
    bool input, output;        /* whether it takes INPUT, and OUTPUT */
    const cli_option *options; /* its own; those that all have are added */
    int (*run)(const cli_args *args, const yaff_type *type, const void *input, size_t size);
} cli_command;

/* Reads the words behind the sub-command's name. Returns CLI_FAILED after printing an error.
 * When args->help is set nothing else in it counts. */
int cli_args_read(cli_args *args, const cli_command *command, int count, char **words);

void cli_args_help(FILE *out, const cli_command *command);

#endif
