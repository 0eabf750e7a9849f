# Counts what trace.c saw: FILE1 is `objdump -d` of the program, FILE2 what it printed. Prints for
# each function "function branches compares loads calls instructions"; for a loop what one round
# takes. Code of the caller is left out, code that was called counts.
#     branches      conditional jumps, moves and sets
#     compares      cmp and test
#     loads         reads of memory other than the stack and constants beside the code
#     calls         also jumps to other functions

# ---- the program: op[address], args[address], owner[address]

FNR == NR && /^[0-9a-f]+ <.*>:$/ {
    symbol = $2
    gsub(/[<>:]/, "", symbol)
    next
}
FNR == NR && /^ *[0-9a-f]+:\t/ {
    split($0, part, "\t")
    address = part[1]
    gsub(/[ :]/, "", address)
    text = part[2]
    sub(/ *[#<].*/, "", text)
    sub(/^(bnd|notrack|repz|rep|cs|data16) +/, "", text)
    op[address] = text
    sub(/ .*/, "", op[address])
    args[address] = text
    if (!sub(/^[^ ]+ +/, "", args[address])) args[address] = ""
    owner[address] = symbol
    next
}
FNR == NR { next }

# ---- the trace

function report(    i, rounds) {
    if (name == "") return
    if (looped != name && name ~ /gather$/) { # the first of two: kept for the difference
        looped = name
        for (i = 1; i <= 5; i++) before[i] = sum[i]
        first = n
        return
    }
    rounds = name ~ /gather$/ ? n - first : 1
    printf "%s", name
    for (i = 1; i <= 5; i++)
        printf " %.4g", (rounds > 1 ? sum[i] - before[i] : sum[i]) / rounds
    printf "\n"
}

# Whether an instruction reads memory: it has a memory operand, which is not where a move goes to.
function reads_memory(op, args,    last) {
    if (args !~ /\(/ || args ~ /%[er]sp|%rip/ || op ~ /^(lea|nop|prefetch|set|call|jmp)/) return 0
    last = args # behind the last comma outside parentheses
    gsub(/\([^)]*\)/, "@", last)
    sub(/.*,/, "", last)
    return op !~ /^v?mov/ || last !~ /@/
}

NF == 2 {
    report()
    name = $1
    n = $2
    split("0 0 0 0 0", sum, " ")
    inside = ""
    next
}
owner[$1] != "traced" && $1 in op {
    if (op[$1] ~ /^(j|cmov|set)/ && op[$1] != "jmp") sum[1]++
    if (op[$1] ~ /^(cmp|test)/) sum[2]++
    if (reads_memory(op[$1], args[$1])) sum[3]++
    if (inside != "" && owner[$1] != inside) sum[4] += op[previous] !~ /^ret/
    sum[5]++
    inside = owner[$1]
    previous = $1
}
END { report() }
