/* The yaff command as a user meets it: the program is run by the shell, in a directory of its own,
 * with descriptor sets and messages that protoc makes. Looked at: what it writes, its exit status,
 * and that an error is exactly one line, whatever it is given.
 *
 * The goldens are what yaff prints for tests/golden/kinds.proto and kinds.txt, read by a person. To
 * renew them after a change that is meant: run a dump or layout test with YAFF_TEST_KEEP=1 and copy
 * from the directory that is then told. */
#define _XOPEN_SOURCE 700

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GOLDEN YAFF_TEST_SRC_DIR "/golden"
#define FEED YAFF_TEST_SRC_DIR "/../examples/feed"

static char directory[] = "/tmp/yaff-cli-XXXXXX";

/* ---- Running commands ---- */

typedef struct text {
    char *data; /* a NUL behind it */
    size_t size;
} text;

static text slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    text t = {NULL, 0};
    size_t n, capacity = 0;
    cr_assert_not_null(file, "%s", path);
    do {
        if (t.size == capacity) t.data = realloc(t.data, (capacity = 2 * capacity + 4096) + 1);
        cr_assert_not_null(t.data);
        n = fread(t.data + t.size, 1, capacity - t.size, file);
        t.size += n;
    } while (n > 0);
    fclose(file);
    t.data[t.size] = '\0';
    return t;
}

static void spit(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

/* Runs a shell command with its output in the files `out` and `err`; returns its exit status,
 * or 128 + n when signal n killed it. In commands $yaff is the program; $feed, $item and $all
 * are the options that name a type. */
static int sh(const char *command)
{
    char line[2048];
    int n = snprintf(line, sizeof line, "{ %s\n} >out 2>err", command);
    cr_assert(n > 0 && (size_t)n < sizeof line);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show_err(const char *command, int status)
{
    text err = slurp("err");
    fprintf(stderr, "%s\nexit status %d\n%s", command, status, err.data);
    free(err.data);
}

/* Whether stderr holds just one line, "yaff: " at its start and `part` in it. */
static bool err_is_one_line(const char *part)
{
    text err = slurp("err");
    char *end = memchr(err.data, '\n', err.size);
    bool good = end && end + 1 == err.data + err.size && strncmp(err.data, "yaff: ", 6) == 0 &&
                strstr(err.data, part) && strlen(err.data) == err.size;
    free(err.data);
    return good;
}

static void succeeds(const char *command)
{
    int status = sh(command);
    struct stat err;
    cr_assert_eq(stat("err", &err), 0);
    if (status || err.st_size) show_err(command, status);
    cr_assert(status == 0 && err.st_size == 0, "%s", command);
}

/* Exits with `status`, writes nothing, and says why in one line that contains `part`. */
static void fails(int status, const char *part, const char *command)
{
    int got = sh(command);
    text out = slurp("out");
    bool good = got == status && err_is_one_line(part);
    if (!good) show_err(command, got);
    cr_assert(good, "%s: wanted status %d and \"%s\"", command, status, part);
    cr_assert_eq(out.size, 0, "%s wrote %zu bytes", command, out.size);
    free(out.data);
}

static void same_files(const char *a, const char *b)
{
    text x = slurp(a), y = slurp(b);
    size_t i = 0, line = 1;
    while (i < x.size && i < y.size && x.data[i] == y.data[i]) line += x.data[i++] == '\n';
    cr_assert(i == x.size && i == y.size, "%s and %s differ in line %zu (byte %zu)", a, b, line, i);
    free(x.data);
    free(y.data);
}

static void same_text(const char *path, const char *wanted)
{
    text t = slurp(path);
    cr_assert_str_eq(t.data, wanted, "%s", path);
    free(t.data);
}

/* ---- Every test has a directory with schemas and messages ---- */

static void variable(const char *name, const char *value)
{
    cr_assert_eq(setenv(name, value, 1), 0);
}

static void enter(void)
{
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    variable("yaff", YAFF_TEST_EMULATOR " " YAFF_TEST_BIN_DIR "/yaff");
    variable("kinds", PROTOC " -I" GOLDEN " -I" YAFF_TEST_SRC_DIR
                             "/../layout -I" PROTOBUF_INCLUDE_DIR " kinds.proto");
    variable("feeds", PROTOC " -I" FEED " feed.proto");
    variable("all", "--descriptor-set kinds.pb --type kinds.All");
    variable("feed", "--descriptor-set feed.pb --type feed.FeedResponse");
    variable("item", "--descriptor-set feed.pb --type feed.FeedItem");
    /* protoc warns about bytes in proto2 strings that are not UTF-8 */
    cr_assert_eq(sh("$kinds --include_imports -o kinds.pb &&"
                    "$feeds --include_imports -o feed.pb &&"
                    "$kinds --encode=kinds.All < " GOLDEN "/kinds.txt > all.wire &&"
                    "$kinds --encode=kinds.Newer < " GOLDEN "/newer.txt > newer.wire &&"
                    "cat newer.wire >> all.wire &&"
                    "$feeds --encode=feed.FeedResponse < " FEED "/feed.txt > feed.wire &&"
                    "echo 'id: 7 title: \"seven\"' | $feeds --encode=feed.FeedItem > item.wire"),
                 0);
    succeeds("$yaff encode $all all.wire all.yaff");
    succeeds("$yaff encode $item item.wire item.yaff");
}

static void leave(void)
{
    char command[64];
    if (getenv("YAFF_TEST_KEEP")) {
        fprintf(stderr, "%s is kept\n", directory);
        return;
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(system(command), 0);
}

TestSuite(cli, .init = enter, .fini = leave);

/* ---- Help and usage ---- */

Test(cli, tells_version_and_help)
{
    static const char *const commands[] = {"encode", "decode", "verify", "dump", "layout"};
    succeeds("$yaff --version");
    text version = slurp("out");
    cr_assert_eq(strncmp(version.data, "yaff ", 5), 0);
    free(version.data);
    succeeds("$yaff -h");
    succeeds("$yaff --help");
    text help = slurp("out");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[64], usage[64];
        cr_assert_not_null(strstr(help.data, commands[i]));
        snprintf(command, sizeof command, "$yaff %s --help", commands[i]);
        snprintf(usage, sizeof usage, "usage: yaff %s ", commands[i]);
        succeeds(command);
        text out = slurp("out");
        cr_assert_eq(strncmp(out.data, usage, strlen(usage)), 0);
        free(out.data);
    }
    free(help.data);
    succeeds("$yaff dump --layouts -h --type");
}

Test(cli, refuses_wrong_usage)
{
    fails(2, "a command is missing", "$yaff");
    fails(2, "unknown command", "$yaff enc");
    fails(2, "unknown command", "$yaff ''");
    fails(2, "unknown command", "$yaff --all");
    fails(2, "--descriptor-set is missing", "$yaff encode --type feed.FeedItem item.wire");
    fails(2, "--type is missing", "$yaff encode --descriptor-set feed.pb item.wire");
    fails(2, "an argument is missing after --type", "$yaff encode --type");
    fails(2, "an argument is missing after --output", "$yaff encode $item -o");
    fails(2, "unknown option --parti", "$yaff encode $item --parti item.wire");
    fails(2, "unknown option --partially", "$yaff encode $item --partially item.wire");
    fails(2, "unknown option -x", "$yaff encode $item -x item.wire");
    fails(2, "unknown option -vx", "$yaff verify $item -vx item.yaff");
    fails(2, "unknown option --partial", "$yaff decode $item --partial item.yaff");
    fails(2, "unknown option -o", "$yaff verify $item -o x item.yaff");
    fails(2, "no argument belongs to --partial", "$yaff encode $item --partial=1 item.wire");
    fails(2, "one argument too many: c", "$yaff encode $item a b c");
    fails(2, "one argument too many: b", "$yaff encode $item -oa item.wire b");
    fails(2, "one argument too many: b", "$yaff verify $item item.yaff b");
    fails(2, "one argument too many: b", "$yaff layout $item a b");
    fails(2, "standard input", "$yaff encode --descriptor-set - --type feed.FeedItem < feed.pb");
    cr_assert_neq(access("a", F_OK), 0);
}

Test(cli, refuses_schemas_it_cannot_use)
{
    fails(2, "no message is called feed.Nothing",
          "$yaff layout --descriptor-set feed.pb --type feed.Nothing");
    fails(2, "no message is called feed.Kind",
          "$yaff layout --descriptor-set feed.pb --type feed.Kind");
    fails(2, "no message is called", "$yaff layout --descriptor-set feed.pb --type ''");
    fails(2, "no message is called a\\x0ab\\x1b[1m",
          "$yaff layout --descriptor-set feed.pb --type \"$(printf 'a\\nb\\033[1m')\"");
    fails(2, "missing.pb: cannot open", "$yaff layout --descriptor-set missing.pb --type a");
    fails(2, "feed.wire: ", "$yaff layout --descriptor-set feed.wire --type feed.FeedItem");
    fails(2, "no message is called",
          "$yaff layout --descriptor-set /dev/null --type feed.FeedItem");
    fails(2, ".: cannot read", "$yaff layout --descriptor-set . --type feed.FeedItem");
}

/* ---- Files and streams ---- */

Test(cli, converts_there_and_back)
{
    succeeds("$yaff encode $feed feed.wire feed.yaff");
    succeeds("$yaff decode $feed feed.yaff back.wire");
    succeeds("$yaff dump --wire $feed feed.wire one.json");
    succeeds("$yaff dump --wire $feed back.wire two.json");
    same_files("one.json", "two.json");
    succeeds("$yaff decode $item item.yaff back.wire");
    same_files("item.wire", "back.wire");
    succeeds("$yaff decode $all all.yaff all.back");
    succeeds("$yaff dump --wire $all all.back one.json");
    succeeds("$yaff dump $all all.yaff two.json");
    same_files("one.json", "two.json");
    /* protoc's own text of a message is the same before and after; maps are printed in key order */
    cr_assert_eq(sh("$kinds --decode=kinds.All < all.wire > one.txt &&"
                    "$kinds --decode=kinds.All < all.back > two.txt &&"
                    "$feeds --decode=feed.FeedResponse < feed.wire | sort > three.txt &&"
                    "$yaff decode $feed feed.yaff |"
                    "$feeds --decode=feed.FeedResponse | sort > four.txt"),
                 0);
    same_files("one.txt", "two.txt");
    same_files("three.txt", "four.txt");
}

Test(cli, takes_files_and_streams_in_every_form)
{
    static const char *const forms[] = {
        "$yaff encode $item item.wire x",
        "$yaff encode $item item.wire -o x",
        "$yaff encode -ox $item item.wire",
        "$yaff encode $item item.wire --output=x",
        "$yaff encode $item < item.wire > x",
        "$yaff encode $item - - < item.wire > x",
        "$yaff encode $item - x < item.wire",
        "cat item.wire | $yaff encode $item | cat > x",
        "$yaff encode --descriptor-set=feed.pb --type=.feed.FeedItem -- item.wire x",
        "$yaff encode --descriptor-set - --type feed.FeedItem item.wire x < feed.pb",
        "cp item.wire ./-w; $yaff encode $item -o x -- -w",
        "$yaff encode $item ./item.wire /dev/stdout > x",
        "cp item.wire x; $yaff encode $item x x",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        succeeds(forms[i]);
        same_files("x", "item.yaff");
        cr_assert_eq(remove("x"), 0);
    }
}

Test(cli, reads_what_arrives_in_pieces)
{
    /* concatenated messages are one merged message */
    succeeds("for i in 1 2 3 4 5 6 7 8 9 10; do cat feed.wire; done > many.wire");
    succeeds("$yaff encode $feed many.wire a");
    succeeds("for i in 1 2 3 4 5 6 7 8 9 10; do cat feed.wire; done | $yaff encode $feed > b");
    same_files("a", "b");
    succeeds("{ head -c 1 item.wire; sleep 0.2; tail -c +2 item.wire; } | $yaff encode $item > c");
    same_files("c", "item.yaff");
    succeeds("$yaff encode $item /dev/null empty.yaff && $yaff dump $item empty.yaff");
    same_text("out", "{}\n");
    succeeds("$yaff decode $item empty.yaff empty.wire");
    same_text("empty.wire", "");
}

Test(cli, reports_files_it_cannot_read_or_write)
{
    fails(2, "missing: cannot open", "$yaff encode $item missing");
    fails(2, ".: cannot read", "$yaff encode $item .");
    fails(2, "standard input: cannot read", "$yaff encode $item <&-");
    fails(2, "nowhere/x: cannot create", "$yaff encode $item item.wire nowhere/x");
    fails(2, ".: cannot create", "$yaff encode $item item.wire .");
    fails(2, "standard output: cannot write", "$yaff encode $item item.wire >&-");
    fails(2, "standard output: cannot write", "$yaff --help >&-");
}

Test(cli, reports_a_full_disk_and_a_closed_pipe)
{
    static const char *const commands[] = {
        "encode $feed feed.wire",
        "decode $item item.yaff",
        "dump $item item.yaff",
        "dump $all all.yaff",
        "dump --wire $feed feed.wire",
        "layout $item",
        "verify -v $item item.yaff",
        "--help",
        "--version",
        "dump --help",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[256];
        if (access("/dev/full", W_OK) == 0) {
            snprintf(line, sizeof line, "$yaff %s > /dev/full", commands[i]);
            fails(2, "standard output: cannot write: No space left on device", line);
        }
        /* the reader is gone before yaff starts */
        snprintf(
            line, sizeof line,
            "rm -f code; { { sleep 0.1; $yaff %s; echo $? >code; } | true; }; exit $(cat code)",
            commands[i]);
        fails(2, "standard output: cannot write: Broken pipe", line);
    }
    if (access("/dev/full", W_OK) == 0)
        fails(2, "/dev/full: cannot write", "$yaff dump $all all.yaff /dev/full");
}

Test(cli, leaves_no_partial_output)
{
    text before = slurp("item.wire");
    spit("cut.wire", before.data, before.size - 1);
    free(before.data);
    spit("kept", "before", 6);
    fails(1, "cut.wire", "$yaff encode $item cut.wire kept");
    fails(1, "item.wire", "$yaff decode $item item.wire kept");
    fails(1, "item.wire", "$yaff dump $item item.wire kept");
    fails(1, "cut.wire", "$yaff encode $item cut.wire new");
    same_text("kept", "before");
    cr_assert_neq(access("new", F_OK), 0);
    /* the disk is full: files may not grow beyond 512 bytes */
    fails(2, "kept: cannot write", "trap '' XFSZ; ulimit -f 1; $yaff dump $all all.yaff kept");
    fails(2, "new: cannot write", "trap '' XFSZ; ulimit -f 1; $yaff dump $all all.yaff new");
    same_text("kept", "before");
    cr_assert_neq(access("new", F_OK), 0);
    succeeds("ls -A | grep tmp || true");
    same_text("out", "");
}

Test(cli, replaces_files_as_they_are)
{
    struct stat status;
    succeeds("mkdir d; echo old > d/real; chmod 640 d/real; ln -s d/real link");
    succeeds("$yaff encode $item item.wire link");
    same_files("d/real", "item.yaff");
    cr_assert_eq(lstat("link", &status), 0);
    cr_assert(S_ISLNK(status.st_mode));
    cr_assert_eq(stat("d/real", &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0640);
    succeeds("umask 027; $yaff encode $item item.wire fresh");
    cr_assert_eq(stat("fresh", &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0640);
    succeeds("mkfifo pipe; cat pipe > x & $yaff encode $item item.wire pipe; wait");
    same_files("x", "item.yaff");
    cr_assert_eq(stat("pipe", &status), 0);
    cr_assert(S_ISFIFO(status.st_mode));
    succeeds("$yaff encode $item item.wire /dev/null");
    cr_assert_eq(stat("/dev/null", &status), 0);
    cr_assert(S_ISCHR(status.st_mode));
    succeeds("echo first > x; { $yaff dump $item item.yaff /dev/stdout; } >> x; head -1 x");
    same_text("out", "first\n");
}

/* ---- The sub-commands ---- */

Test(cli, encode_has_its_options)
{
    spit("bad.wire", "\x12\x01\xff", 3); /* title */
    fails(1, "bad.wire: byte 0: a string is not valid UTF-8 (YAFF_BAD_UTF8)",
          "$yaff encode $item bad.wire x");
    succeeds("$yaff encode --no-utf8-check $item bad.wire x && $yaff dump $item x");
    same_text("out", "{\n  \"title\": \"\\udcff\"\n}\n");

    variable("sparse", "--descriptor-set kinds.pb --type kinds.Sparse");
    fails(1, "standard input: byte 0: a required field is missing (YAFF_MISSING_REQUIRED)",
          "$yaff encode $sparse < /dev/null");
    succeeds("$yaff encode --partial $sparse < /dev/null | $yaff dump $sparse");
    same_text("out", "{}\n");

    succeeds("$yaff encode --drop-unknown $all newer.wire | $yaff dump $all");
    same_text("out", "{}\n");

    variable("point", "--descriptor-set kinds.pb --type kinds.Point");
    spit("point.wire", "\x08\x02\x10\x03\x18\x04", 6);
    fails(1, "YAFF_UNKNOWN_IN_FIXED", "$yaff encode $point point.wire");
    succeeds("$yaff encode --drop-unknown-in-fixed $point point.wire | $yaff dump $point");
    same_text("out", "{\n  \"x\": 1,\n  \"y\": -2\n}\n");
}

Test(cli, encode_tells_where_the_wire_is_bad)
{
    spit("varint.wire", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12);
    fails(1, "varint.wire: byte 0: a varint is longer than ten bytes (YAFF_BAD_VARINT)",
          "$yaff encode $item varint.wire x");
    spit("tag.wire", "\x08\x01\x07", 3);
    fails(1, "tag.wire: byte 2: ", "$yaff encode $item tag.wire x");
    spit("length.wire", "\x22\x80\x80\x80\x80\x08", 6);
    fails(1, "YAFF_BAD_LENGTH", "$yaff encode $item length.wire x");
    cr_assert_neq(access("x", F_OK), 0);
}

Test(cli, verify_is_quiet_or_says_what_is_wrong)
{
    succeeds("$yaff verify $all all.yaff");
    same_text("out", "");
    succeeds("$yaff verify -v $item < item.yaff");
    text item = slurp("item.yaff");
    char line[100];
    snprintf(line, sizeof line, "standard input: ok, feed.FeedItem in %zu bytes\n", item.size);
    same_text("out", line);

    item.data[0] = 'y';
    spit("bad.yaff", item.data, item.size);
    free(item.data);
    fails(1, "bad.yaff: byte 0: not a yaff buffer of this version (YAFF_BAD_MAGIC)",
          "$yaff verify $item bad.yaff");
    fails(1, "bad.yaff: byte 0: ", "$yaff decode $item bad.yaff");
    fails(1, "bad.yaff: byte 0: ", "$yaff dump $item bad.yaff");
    fails(1, "(YAFF_", "$yaff verify $item /dev/null");
    fails(1, "(YAFF_", "$yaff verify $item feed.wire");

    /* two ways to see bytes that are not UTF-8 */
    spit("bad.wire", "\x12\x01\xff", 3);
    succeeds("$yaff encode --no-utf8-check $item bad.wire x && $yaff verify $item x");
    fails(1, ", title: a string is not valid UTF-8", "$yaff verify --utf8 $item x");
}

Test(cli, dump_prints_every_type)
{
    succeeds("$yaff dump $all all.yaff > kinds.json");
    same_files("kinds.json", GOLDEN "/kinds.json");
    succeeds("$yaff dump --wire $all all.wire > kinds.json");
    same_files("kinds.json", GOLDEN "/kinds.json");
}

Test(cli, dump_tells_layouts)
{
    succeeds("$yaff dump --layouts $all all.yaff > kinds.layouts");
    same_files("kinds.layouts", GOLDEN "/kinds.layouts");
    succeeds("$yaff encode $item /dev/null | $yaff dump --layouts $item");
    same_text("out", "{ /* not stored */ }\n");
}

Test(cli, dump_shows_enum_values_without_a_name)
{
    spit("enum.wire", "\x30\x02\x30\x63", 4); /* kind: 2, then 99; open, so the last one wins */
    succeeds("$yaff encode $item enum.wire | $yaff dump $item");
    same_text("out", "{\n  \"kind\": 99\n}\n");
}

Test(cli, layout_prints_every_layout)
{
    succeeds("for t in All Singular Repeated Maps Shape Point Flat Sparse Empty; do"
             "  $yaff layout --descriptor-set kinds.pb --type kinds.$t; echo;"
             "done > kinds.layout");
    same_files("kinds.layout", GOLDEN "/kinds.layout");
    succeeds("$yaff layout $item x && $yaff layout $item -o y");
    same_files("x", "y");
}

/* ---- Hostile input: an exit status of 0, 1 or 2 and at most one line, always ---- */

static void survives(const char *command, int worst)
{
    int status = sh(command);
    text err = slurp("err");
    bool good = status <= worst && (status == 0) == (err.size == 0);
    if (status) good = good && err_is_one_line("");
    free(err.data);
    if (!good) show_err(command, status);
    cr_assert(good, "%s", command);
}

/* Runs the commands on versions of a file, each cut short or with a byte changed. */
static void damage(const char *path, int versions, int worst, const char *const commands[])
{
    text t = slurp(path);
    uint32_t random = 12345;
    for (int i = 0; i < versions; i++) {
        random = random * 1664525u + 1013904223u;
        size_t at = (size_t)(((uint64_t)random * t.size) >> 32);
        char kept = t.data[at];
        t.data[at] = (char)(i % 4 == 1 ? 0xff : kept ^ (1 << i % 8));
        spit("damaged", t.data, i % 4 == 0 ? at : t.size);
        for (const char *const *c = commands; *c; c++) survives(*c, worst);
        t.data[at] = kept;
    }
    free(t.data);
}

Test(cli, survives_damaged_buffers)
{
    static const char *const commands[] = {"$yaff verify $all damaged", "$yaff dump $all damaged x",
                                           "$yaff decode $all damaged x", NULL};
    damage("all.yaff", 40, 1, commands);
}

Test(cli, survives_damaged_wire_bytes)
{
    static const char *const commands[] = {"$yaff encode --partial $all damaged x",
                                           "$yaff dump --wire --layouts $all damaged x", NULL};
    damage("all.wire", 40, 1, commands);
}

Test(cli, survives_damaged_descriptor_sets)
{
    static const char *const commands[] = {
        "$yaff layout --descriptor-set damaged --type kinds.Flat x",
        "$yaff dump --descriptor-set damaged --type kinds.All --wire --partial all.wire x", NULL};
    damage("kinds.pb", 60, 2, commands);
}

Test(cli, survives_the_wrong_schema)
{
    survives("$yaff dump $feed all.yaff x", 1);
    survives("$yaff decode $feed all.yaff x", 1);
    survives("$yaff dump --wire $feed all.wire x", 1);
    survives("$yaff encode $all feed.wire x", 1);
    survives("$yaff encode $all kinds.pb x", 1);
    survives("head -c 100000 /dev/zero | $yaff dump $all - x", 1);
    survives("head -c 100000 /dev/zero | $yaff encode $all - x", 1);
}
