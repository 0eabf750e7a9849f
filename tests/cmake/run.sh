# A user's project (consumer/) against an installed yaff that was moved after installing, against a
# shared-library build, with add_subdirectory(), and with plain pkg-config. Folders have a space in their
# name. Usage: run.sh SOURCE BUILD WORK
# SOURCE and BUILD are yaff's own; BUILD is installed from. WORK is emptied first.
set -eu
source=$1 build=$2 work="$3/a space"
here=$(cd "$(dirname "$0")" && pwd)

fail()
{
    echo "FAILED: $*"
    exit 1
}

# quietly COMMAND...: shows what it printed only when it fails.
quietly()
{
    "$@" > "$work/log" 2>&1 || {
        cat "$work/log"
        fail "$*"
    }
}

expect()
{
    wanted=$1
    shift
    got=$("$@") || fail "$* exits with $?"
    [ "$got" = "$wanted" ] || fail "$* prints $got, not $wanted"
}

# consume NAME CMAKE_ARGUMENTS...: configures and builds a copy of the project, runs it, changes an
# imported file, builds again.
consume()
{
    name=$1
    shift
    echo "== $name"
    project="$work/$name"
    out="$project/build"
    cp -R "$here/consumer" "$project"
    quietly cmake -S "$project" -B "$out" "$@"
    quietly cmake --build "$out" --parallel 4
    expect "5 6 7" "$out/app"
    for program in one two shared_one shared_two other/other other/shared_other; do
        expect 7 "$out/$program"
    done

    # Nothing changed: nothing is made. An imported file changed: its importers are made again.
    app="$out/yaff_generated/app/app.v1.yaff.h" item="$out/yaff_generated/app/item.yaff.h"
    touch "$work/stamp"
    sleep 1
    quietly cmake --build "$out" --parallel 4
    [ ! "$app" -nt "$work/stamp" ] || fail "app.v1.proto was generated again for no reason"
    echo 'message Another {}' >> "$project/proto/common/item.proto"
    quietly cmake --build "$out" --parallel 4
    [ "$app" -nt "$work/stamp" ] || fail "app.v1.proto was not generated again"
    [ ! "$item" -nt "$work/stamp" ] || fail "item.proto was generated again for no reason"
    expect "5 6 7" "$out/app"
}

rm -rf "$3"
mkdir -p "$work"
ninja=-GNinja
command -v ninja > /dev/null || ninja=

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/moved"
for tool in protoc-gen-yaff yaff; do
    [ -x "$work/moved/bin/$tool" ] || fail "bin/$tool is not installed"
done
consume package $ninja -DYAFF_FROM=package -DCMAKE_PREFIX_PATH="$work/moved"
if command -v make > /dev/null; then
    consume makefiles "-GUnix Makefiles" -DYAFF_FROM=package -DCMAKE_PREFIX_PATH="$work/moved"
fi

echo "== pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name yaff-bridge.pc)")
export PKG_CONFIG_PATH
mkdir "$work/pc"
quietly protoc "--plugin=protoc-gen-yaff=$work/moved/bin/protoc-gen-yaff" \
    "--yaff_out=$work/pc" "-I$here/consumer/proto" item.proto
# eval: pkg-config escapes the space for a shell.
eval "quietly ${CC:-cc} -std=c11 -I\"\$work/pc\" \"\$here/consumer/item.c\" \
    \"\$work/pc/item.yaff.c\" $(pkg-config --cflags --libs yaff-bridge) -o \"\$work/pc/item\""
expect 7 "$work/pc/item"

consume subdirectory $ninja -DYAFF_FROM="$source"

echo "== shared libraries"
quietly cmake -S "$source" -B "$work/shared build" $ninja -DBUILD_SHARED_LIBS=ON \
    -DYAFF_BUILD_EXAMPLES=OFF "-DCMAKE_INSTALL_PREFIX=$work/shared prefix"
quietly cmake --build "$work/shared build" --parallel 4
quietly cmake --install "$work/shared build"
quietly find "$work/shared prefix" -name 'libyaff-*.so' -exec \
    sh "$here/../check_symbols.sh" readelf {} +
consume "shared package" $ninja -DYAFF_FROM=package -DCMAKE_PREFIX_PATH="$work/shared prefix"
