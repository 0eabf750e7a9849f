# No room includes upward (layout: nothing of ours; runtime: layout; bridge: runtime, layout;
# generator: layout, runtime; cli: all), whether it names a private header by its room or a public one as
# <yaff/....h>. Usage: check_includes.sh REPOSITORY
set -u
cd "$1" || exit 2
bad=0

# The room of the header that `#include` line $1 in a file of room $2 names; nothing if not ours.
room_of()
{
    name=$(printf '%s\n' "$1" | sed -n 's/.*#[[:space:]]*include[[:space:]]*[<"]\([^>"]*\)[>"].*/\1/p')
    while :; do
        case $name in ../*) name=${name#../} ;; *) break ;; esac
    done
    case $name in
    layout/* | runtime/* | bridge/* | generator/* | cli/*) echo "${name%%/*}" ;;
    yaff/*)
        for room in layout runtime bridge generator cli; do
            [ ! -f "$room/$name" ] || echo $room
        done
        ;;
    *) [ ! -f "$2/$name" ] || echo "$2" ;;
    esac
}

check()
{
    room=$1 allowed=" $1 $2 "
    for file in "$room"/*.[ch] "$room"/yaff/*.h; do
        [ -f "$file" ] || continue
        grep '^[[:space:]]*#[[:space:]]*include' "$file" > "$list" || true
        while IFS= read -r line; do
            for target in $(room_of "$line" "$room"); do
                case $allowed in
                *" $target "*) ;;
                *)
                    echo "$file: $line: $room must not include $target"
                    bad=1
                    ;;
                esac
            done
        done < "$list"
    done
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
check layout ""
check runtime "layout"
check bridge "runtime layout"
check generator "layout runtime"
check cli "layout runtime bridge generator"
exit $bad
