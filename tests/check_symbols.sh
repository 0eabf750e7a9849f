# What the installed libraries define: every global symbol starts with yaff_, the exported ones (not
# hidden) are exactly those in symbols.txt, and none is a variable that can be written to. Names with two
# leading underscores are the compiler's (sanitizers). Usage: check_symbols.sh READELF LIBRARY...
set -eu
readelf=$1
shift
wanted=$(dirname "$0")/symbols.txt
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Lines "visibility name" of the defined global symbols.
"$readelf" -sW "$@" |
    awk '($5 == "GLOBAL" || $5 == "WEAK") && $7 != "UND" && $8 !~ /^__/ { print $6, $8 }' |
    sort -u > "$dir/defined"
if [ ! -s "$dir/defined" ]; then
    echo "no symbols found"
    exit 1
fi
if grep -v ' yaff_' "$dir/defined"; then
    echo "these are global but don't start with yaff_"
    exit 1
fi
sed -n 's/^DEFAULT //p' "$dir/defined" | LC_ALL=C sort > "$dir/exported"
sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$wanted" | LC_ALL=C sort > "$dir/wanted"
if ! diff "$dir/wanted" "$dir/exported"; then
    echo "exported symbols differ from $wanted (< missing, > not listed there)"
    exit 1
fi

# The objects in each member's writable sections. Constants that hold addresses (.data.rel.ro) are
# written to by the loader alone; `completed` belongs to the start-up code of shared libraries.
"$readelf" -SsW "$@" |
    awk '/^File: / { delete writable }
        /^ *\[/ {
            sub(/^ *\[ */, ""); sub(/\]/, " ")
            if ($8 ~ /W/ && $2 !~ /^\.data\.rel\.ro/) writable[$1] = 1
        }
        $4 == "OBJECT" && $3 > 0 && ($7 in writable) && $8 !~ /^(__|completed)/ { print $8 }' > "$dir/writable"
if [ -s "$dir/writable" ]; then
    cat "$dir/writable"
    echo "these can be written to, but the library has no state of its own"
    exit 1
fi
