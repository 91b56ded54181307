#!/bin/sh
# usage: run.sh FILTER PROGRAM...   Runs test programs that speak TAP (cmocka's, and shell scripts),
# prints the failures, and closes with `N passed, N failed`.
filter=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0
for program; do
    case $program in *"$filter"*) ;; *) continue ;; esac
    case $program in
    *.sh) sh "$program" >"$log" 2>&1 ;;
    *) CMOCKA_MESSAGE_OUTPUT=TAP "$program" >"$log" 2>&1 ;;
    esac
    code=$?
    sed -i 's/^not ok \([0-9]* # SKIP\)/ok \1/' "$log" # cmocka's way to say it
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    skip=$(grep -ci '^ok .*# *skip' "$log")
    planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    # A program that dies, runs nothing or ends before its plan failed even if nothing said so.
    [ "$bad" -eq 0 ] && { [ "$code" -ne 0 ] || [ "$ok" -eq 0 ] || [ "$ok" -ne "$planned" ]; } && bad=1
    passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '%-40s %3d passed' "${program##*tests/}" $((ok - skip))
    [ "$skip" -gt 0 ] && printf ', %d skipped' "$skip"
    if [ "$bad" -gt 0 ]; then
        printf ', %d FAILED (status %d)\n' "$bad" "$code"
        grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/    /'
    else
        echo
    fi
    grep -i '^ok .*# *skip' "$log" | sed 's/^/    /'
done
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
