#!/bin/sh
# usage: run.sh FILTER PROGRAM...   Runs test programs that speak TAP (cmocka's, and shell scripts), JOBS at a time
# (default: two more than cores, as many wait), and tells of each as it ends what failed and how many seconds it
# took. Where none ends for ten seconds, a line says which run. Closes with how the first failures began, as the
# end of a log is often all that is read, and `N passed, N failed`. EMULATOR runs programs of another architecture.

# One of them: what it says stands in PLACE.log, and once it has ended its status and its seconds in PLACE.end, of
# which file 9 is told. It hears Ctrl-C also where this runs in the background, and a hang-up under nohup: there are
# tests of just that.
if [ "$1" = --one ]; then
    place=$2 program=$3
    began=$(date +%s)
    case $program in
    *.sh) set -- sh "$program" ;;
    *) set -- ${EMULATOR:-} "$program" ;;
    esac
    CMOCKA_MESSAGE_OUTPUT=TAP env --default-signal=HUP,INT,QUIT "$@" >"$place.log" 2>&1 9>&-
    echo "$? $(($(date +%s) - began))" >"$place.new"
    mv "$place.new" "$place.end"
    echo "$place $program" >&9
    exit 0
fi

why() { # program, its log: how its failure begins
    echo "${1##*tests/}:"
    { grep -A 3 '^not ok ' "$2" || tail -n 4 "$2"; } | grep -v '^ok \|^--$' | head -n 8 | cut -c 1-200
}
tell() { # program, its place
    read -r code took <"$2.end"
    log=$2.log
    sed -i 's/^not ok \([0-9]* # SKIP\)/ok \1/' "$log" # cmocka's way to say it
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    skip=$(grep -ci '^ok .*# *skip' "$log")
    planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    # A program that dies, runs nothing or ends before its plan failed even if nothing said so.
    [ "$bad" -eq 0 ] && { [ "$code" -ne 0 ] || [ "$ok" -eq 0 ] || [ "$ok" -ne "$planned" ]; } && bad=1
    [ "$bad" -gt 0 ] && culprits="$culprits ${1##*tests/}"
    passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '%-40s %4d s %4d passed' "${1##*tests/}" "$took" $((ok - skip))
    [ "$skip" -gt 0 ] && printf ', %d skipped' "$skip"
    if [ "$bad" -gt 0 ]; then
        printf ', %d FAILED (status %d)\n' "$bad" "$code"
        grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
        why "$1" "$log" >>"$work/why"
    else
        echo
    fi
    grep -i '^ok .*# *skip' "$log" | sed 's/^/    /'
}
running() { # program...
    n=0
    for program; do
        n=$((n + 1))
        [ ! -e "$work/$n.log" ] || [ -e "$work/$n.end" ] || printf ' %s' "${program##*tests/}"
    done
}
# Beside the programs, with what they tell of as its stdin. The folder goes when all is over.
tell_all() { # program...
    passed=0 failed=0 skipped=0 culprits= told=0 told_before=0 from=$(date +%s)
    while [ $told -lt $# ]; do
        read -r place program || exit 1 # the runner is gone, killed perhaps
        if [ -n "$place" ]; then
            told=$((told + 1))
            tell "$program" "$place"
        elif [ $told -eq $told_before ]; then # ten seconds without an end
            echo "    $(($(date +%s) - from)) s: $told of $# have ended, running:$(running "$@")"
        else
            told_before=$told
        fi
    done
    [ -n "$culprits" ] && { [ $# -eq 1 ] || head -n 16 "$work/why"; } && echo "failed:$culprits"
    if [ "$skipped" -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
# An empty line to file 9 every ten seconds. No `sleep` outlives it: make would wait for its open files.
tick() {
    nap=
    trap '[ -z "$nap" ] || kill $nap; exit' TERM
    while kill -0 $$; do
        sleep 10 9>&- &
        nap=$!
        wait $nap
        echo >&9
    done
}

filter=$1
shift
for program; do
    shift
    case $program in *"$filter"*) set -- "$@" "$program" ;; esac
done
export ASAN_OPTIONS="print_legend=0:${ASAN_OPTIONS:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkfifo "$work/ends"
tell_all "$@" <"$work/ends" &
teller=$!
exec 9>"$work/ends"
tick >/dev/null 2>&1 &
trap 'kill '$!' 2>/dev/null; exec 9>&-; wait "$teller"; rm -rf "$work"' EXIT
n=0
for program; do
    n=$((n + 1))
    printf '%s\n' "$work/$n" "$program"
done | xargs -r -P "${JOBS:-$(($(nproc) + 2))}" -n 2 sh "$0" --one
n=0
for program; do
    n=$((n + 1))
    [ -e "$work/$n.end" ] || { echo "was killed" >>"$work/$n.log" && echo "137 0" >"$work/$n.end" &&
        echo "$work/$n $program" >&9; }
done
wait "$teller"
