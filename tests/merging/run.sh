# Whether compilers merge what repeated reads have in common: one shape test for each message and not one
# for each field. Compiles reads.c with gcc and with clang at -O2, runs it one instruction at a time and
# compares what was executed with the bounds. Prints the table; exits with 77 where that cannot be done.
# Usage: run.sh REPOSITORY PROTOC PLUGIN WORKING_DIRECTORY LIBRARY...
set -eu
repository=$1 protoc=$2 plugin=$3 work=$4
shift 4
here=$repository/tests/merging
mkdir -p "$work"
cd "$work"

skip()
{
    echo "skipped: $1"
    exit 77
}
[ "$(uname -m)" = x86_64 ] || skip "this is for x86-64"
command -v objdump > /dev/null || skip "no objdump"

"$protoc" "--plugin=protoc-gen-yaff=$plugin" "-I$here" "-I$repository/layout" --yaff_out=. reads.proto
: > counts
for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null; then
        echo "skipped: no $compiler"
        continue
    fi
    for views in plain immutable; do
        define=
        [ $views = plain ] || define=-DYAFF_IMMUTABLE_VIEWS
        "$compiler" -std=c11 -O2 -mpopcnt -fno-pie -no-pie ${define:+"$define"} -I. -I"$here" \
            -I"$repository/layout" -I"$repository/runtime" -I"$repository/bridge" \
            -o trace "$here/reads.c" "$here/trace.c" reads.yaff.c "$@"
        objdump -d --no-show-raw-insn trace > code
        ./trace > steps
        awk -f "$here/count.awk" code steps | sed "s/^/$compiler $views /" >> counts
    done
done
[ -s counts ] || skip "neither gcc nor clang"

awk '
    FNR == NR {
        if (/^[a-z]/) {
            bound[$1 " " $2] = 1
            most[$1 " " $2, 1] = $3
            most[$1 " " $2, 2] = $4
            most[$1 " " $2, 3] = $5
        }
        next
    }
    FNR == 1 {
        printf "%-6s %-10s %-20s", "by", "views", "read"
        print " branches    loads    calls  (most)      compares instructions"
    }
    {
        key = $2 " " $3
        wrong = ""
        if (key in bound) {
            seen[key] = 1
            if ($4 > most[key, 1] || $6 > most[key, 2] || $7 > most[key, 3]) wrong = "  TOO MANY"
            limits = most[key, 1] "/" most[key, 2] "/" most[key, 3]
        } else {
            limits = "-"
        }
        printf "%-6s %-10s %-20s %8s %8s %8s  %-12s %7s %12s%s\n", $1, $2, $3, $4, $6, $7, limits, \
            $5, $8, wrong
        if (wrong != "") failed = 1
    }
    END {
        for (key in bound) {
            if (key in seen) continue
            print "no such read: " key
            failed = 1
        }
        exit failed
    }
' "$here/bounds" counts
