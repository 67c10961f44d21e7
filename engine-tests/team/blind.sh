#!/bin/sh
# Klotz at a table of which it sees its own board only: blind.sh KLOTZ [clocks|own]. With `clocks` it is
# told all four clocks, with `own` those of its own board, else none. For `klotz arena -engine cmd=…`, to
# measure words and half-known tables.
AWK=awk
command -v mawk >/dev/null && AWK="mawk -W interactive"
$AWK -v clocks="$2" '
/name UCI_Seat/ { board = /A$/ ? 1 : 2 }
/^position fen .* \| / {
    split($0, part, / \| | clock /)
    sub(/^position fen /, "", part[1])
    print "position fen " part[board]
    # To a player of one board that is board A.
    if (clocks && split(part[3], c, " ") == 4) {
        if (board == 2) { c[1] = c[3]; c[2] = c[4]; split(part[3], d, " "); c[3] = d[1]; c[4] = d[2] }
        print "clock " c[1] " " c[2] " " (clocks == "own" ? "- -" : c[3] " " c[4])
    }
    fflush()
    next
}
/^pmove/ || /^pholding/ || /^clock/ { next }
{ print; fflush() }' | "$1"
