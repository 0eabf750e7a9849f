/* The command line of a sub-command. See args.h. */
#include "args.h"

#include "file.h"

static const cli_option shared_options[] = {
    {"--descriptor-set", 0, "FILE", "the schema: what protoc --include_imports -o FILE writes",
     offsetof(cli_args, descriptor_set)},
    {"--type", 0, "NAME", "full name of the message, feed.FeedResponse say",
     offsetof(cli_args, type)},
    {"--help", 'h', NULL, "print this text", offsetof(cli_args, help)},
    {0},
};

static const cli_option output_options[] = {
    {"--output", 'o', "FILE", "the same as OUTPUT", offsetof(cli_args, output)},
    {0},
};

static const cli_option no_options[] = {{0}};

enum { OPTION_LISTS = 3 };

/* The lists of options that the command understands. */
static void option_lists(const cli_command *command, const cli_option *lists[OPTION_LISTS])
{
    lists[0] = command->options ? command->options : no_options;
    lists[1] = command->output ? output_options : no_options;
    lists[2] = shared_options;
}

/* The option that `word` names and, where the word goes on, what is behind "--name=" or "-o". */
static const cli_option *find_option(const cli_command *command, const char *word,
                                     const char **value)
{
    const cli_option *lists[OPTION_LISTS];
    option_lists(command, lists);
    *value = NULL;
    for (size_t i = 0; i < OPTION_LISTS; i++) {
        for (const cli_option *o = lists[i]; o->name; o++) {
            size_t length = strlen(o->name);
            if (strncmp(word, o->name, length) == 0 && (word[length] == '=' || !word[length])) {
                if (word[length]) *value = word + length + 1;
                return o;
            }
            if (word[1] != '-' && word[1] == o->letter && (o->argument || !word[2])) {
                if (word[2]) *value = word + 2;
                return o;
            }
        }
    }
    return NULL;
}

static int usage_error(const cli_command *command, const char *problem, const char *word)
{
    cli_error(command->name, "%s%s%s; see yaff %s --help", problem, word ? " " : "",
              word ? word : "", command->name);
    return CLI_FAILED;
}

static int read_operand(cli_args *args, const cli_command *command, const char *word)
{
    if (command->input && !args->input)
        args->input = word;
    else if (command->output && !args->output)
        args->output = word;
    else
        return usage_error(command, "one argument too many:", word);
    return CLI_OK;
}

int cli_args_read(cli_args *args, const cli_command *command, int count, char **words)
{
    bool options = true;
    memset(args, 0, sizeof *args);
    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value;
        if (!options || word[0] != '-' || !word[1]) {
            if (read_operand(args, command, word) != CLI_OK) return CLI_FAILED;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        const cli_option *option = find_option(command, word, &value);
        if (!option) return usage_error(command, "unknown option", word);
        if (!option->argument) {
            if (value) return usage_error(command, "no argument belongs to", option->name);
            *(bool *)((char *)args + option->offset) = true;
            if (args->help) return CLI_OK;
            continue;
        }
        if (!value && ++i == count)
            return usage_error(command, "an argument is missing after", option->name);
        *(const char **)((char *)args + option->offset) = value ? value : words[i];
    }
    if (!args->descriptor_set) return usage_error(command, "--descriptor-set is missing", NULL);
    if (!args->type) return usage_error(command, "--type is missing", NULL);
    if (command->input && cli_is_standard(args->input) && cli_is_standard(args->descriptor_set))
        return usage_error(command, "standard input cannot be both schema and INPUT", NULL);
    return CLI_OK;
}

void cli_args_help(FILE *out, const cli_command *command)
{
    const cli_option *lists[OPTION_LISTS];
    fprintf(out, "usage: yaff %s --descriptor-set FILE --type NAME [options]%s\n\n%s\n\noptions:\n",
            command->name,
            command->input    ? command->output ? " [INPUT [OUTPUT]]" : " [INPUT]"
            : command->output ? " [OUTPUT]"
                              : "",
            command->description);
    option_lists(command, lists);
    for (size_t i = 0; i < OPTION_LISTS; i++) {
        for (const cli_option *o = lists[i]; o->name; o++) {
            char names[64], letter[8] = "";
            if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
            snprintf(names, sizeof names, "%s%s%s%s", letter, o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "");
            fprintf(out, "  %-24s  %s\n", names, o->help);
        }
    }
    fprintf(out, "\nA file called \"-\", or none, is standard %s.\n",
            command->input ? command->output ? "input or output" : "input" : "output");
    fputs("Exit status: 0 done; 1 the data is bad; 2 usage, schema or file.\n", out);
}
