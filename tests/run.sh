#!/bin/sh
# usage: run.sh FILTER PROGRAM...   Runs test programs that speak TAP (cmocka's, and shell scripts), JOBS at a time
# (default: one per core), and tells in the order given what failed and how many seconds each took. Closes with
# how the first failures began, as the end of a log is often all that is read, and `N passed, N failed`.
# EMULATOR runs programs of another architecture.

# One of them: what it says stands in PLACE.log, and once it has ended its status and its seconds in PLACE.end.
if [ "$1" = --one ]; then
    place=$2 program=$3
    began=$(date +%s)
    case $program in
    *.sh) sh "$program" >"$place.log" 2>&1 ;;
    *) CMOCKA_MESSAGE_OUTPUT=TAP ${EMULATOR:-} "$program" >"$place.log" 2>&1 ;;
    esac
    echo "$? $(($(date +%s) - began))" >"$place.new"
    mv "$place.new" "$place.end"
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
# Beside the programs: each as soon as it and all before it have ended. The folder goes when all is over.
tell_all() { # program...
    passed=0 failed=0 skipped=0 culprits= n=0
    for program; do
        n=$((n + 1))
        until [ -e "$work/$n.end" ]; do
            [ -d "$work" ] && kill -0 $$ 2>/dev/null || exit 1 # the runner is gone, killed perhaps
            sleep 0.05
        done
        tell "$program" "$work/$n"
    done
    [ -n "$culprits" ] && { [ $n -eq 1 ] || head -n 16 "$work/why"; } && echo "failed:$culprits"
    if [ "$skipped" -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
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
tell_all "$@" &
teller=$!
# In the foreground: what runs in the background does not hear Ctrl-C, and there are tests of just that.
n=0
for program; do
    n=$((n + 1))
    printf '%s\n' "$work/$n" "$program"
done | xargs -r -P "${JOBS:-$(nproc)}" -n 2 sh "$0" --one
n=$#
while [ $n -gt 0 ]; do
    [ -e "$work/$n.end" ] || { echo "was killed" >>"$work/$n.log" && echo "137 0" >"$work/$n.end"; }
    n=$((n - 1))
done
wait "$teller"
