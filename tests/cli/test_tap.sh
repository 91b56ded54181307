#!/bin/sh
# The harness itself: tests/tap.sh tells what failed, and tests/run.sh counts it; a test that dies, ends
# before its plan or says nothing has failed. Speaks TAP.
. tests/tap.sh
not_sanitized "the harness counts tests and tells what failed"
# The shell test on stdin, run by run.sh: its last line is as given, and so is its status.
counts() { # name, last line, status, pattern of what is said
    { echo '. tests/tap.sh'; cat; } >"$dir/x.sh"
    sh tests/run.sh '' "$dir/x.sh" >"$dir/said" 2>&1
    code=$?
    [ $code -eq "$3" ] || trouble "status $code, not $3"
    [ "$(tail -n 1 "$dir/said")" = "$2" ] || trouble "not '$2'"
    grep -q -- "$4" "$dir/said" || trouble "nothing of '$4'"
    [ ! -s "$dir/.trouble" ] || trouble "$(cat "$dir/said")"
    verdict "$1"
}
counts "two checks that pass are counted" "2 passed, 0 failed" 0 "" <<'T'
check "one" true
check "two" fails false
finish
T
counts "a check that fails is counted, and what it said is shown" "1 passed, 1 failed" 1 "# why" <<'T'
check "one" true
check "two" sh -c 'echo why; false'
finish
T
counts "a case in trouble fails, and its trouble is shown" "0 passed, 1 failed" 1 "# it is wet" <<'T'
trouble "it is wet"
verdict "one"
finish
T
counts "trouble fails one case only" "1 passed, 1 failed" 1 "not ok 1 - one" <<'T'
trouble "it is wet"
verdict "one"
verdict "two"
finish
T
counts "a case that cannot be looked at is counted as skipped" "1 passed, 0 failed, 1 skipped" 0 "ok 2 - two # skip needs wings" <<'T'
check "one" true
skip "two" wings
finish
T
counts "a test that skips everything is no success" "0 passed, 0 failed, 1 skipped" 1 "needs wings" <<'T'
skip_all "one" wings
check "two" false
T
counts "a test that ends before its plan fails" "1 passed, 1 failed" 1 "" <<'T'
check "one" true
T
counts "a test that dies fails" "1 passed, 1 failed" 1 "" <<'T'
check "one" true
kill -KILL $$
T
counts "a test that says nothing fails" "0 passed, 1 failed" 1 "" <<'T'
finish
T
counts "escape sequences are shown, not obeyed" "0 passed, 1 failed" 1 '\^\[\[2J' <<'T'
check "one" sh -c 'printf "\033[2J\n"; false'
finish
T

# ---- several at a time ----
cat >"$dir/first.sh" <<T
. tests/tap.sh
check "the second runs beside it" wait_until test -e "$dir/second"
check "it is told of before this one ends" wait_until grep -q "second.sh " "$dir/said"
finish
T
cat >"$dir/second.sh" <<T
. tests/tap.sh
touch "$dir/second"
check "it runs" true
finish
T
JOBS=2 sh tests/run.sh '' "$dir/first.sh" "$dir/second.sh" >"$dir/said" 2>&1
check "run.sh runs two tests at a time" grep -qx "3 passed, 0 failed" "$dir/said"
check "... and tells of each as it ends" \
    [ "$(sed -n 's/^.*\(first\|second\).sh  .*/\1/p' "$dir/said" | tr '\n' ' ')" = "second first " ]
cat >"$dir/slow.sh" <<T
. tests/tap.sh
check "what runs is told" wait_until grep -q "s: 0 of 1 have ended, running: $dir/slow.sh\$" "$dir/said"
finish
T
sh tests/run.sh '' "$dir/slow.sh" >"$dir/said" 2>&1
check "a program that runs for long is told of" grep -qx "1 passed, 0 failed" "$dir/said"
cat >"$dir/first.sh" <<T
. tests/tap.sh
check "it stays dry" sh -c 'echo it is wet; false'
for n in \$(seq 80); do check "\$n" true; done
finish
T
sh tests/run.sh '' "$dir/first.sh" "$dir/second.sh" "$dir/second.sh" | tail -n 7 >"$dir/said"
check "the end of the report says what failed" [ "$(sed "s|$dir/||" "$dir/said" | tail -n 6 | tr '\n' '|')" = \
    "first.sh:|not ok 1 - it stays dry|# failed: sh -c echo it is wet; false|\
# it is wet|failed: first.sh|82 passed, 1 failed|" ]
counts "a test that kills its runner fails" "0 passed, 1 failed" 1 "was killed" <<'T'
kill -KILL $PPID
T
check "a filter that leaves no test is no success" fails sh tests/run.sh nothing "$dir/first.sh"

# ---- what a test leaves ----
cat >"$dir/leaves.sh" <<'T'
. tests/tap.sh
sleep 1000 &
started=$!
setsid sleep 1000 &
started="$started $!"
echo "$dir $started"
T
sh "$dir/leaves.sh" >"$dir/left" 2>/dev/null
read -r folder one group <"$dir/left"
check "the scratch folder of a test is removed" [ -n "$folder" -a ! -e "$folder" ]
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
check "... a process that it started is ended" wait_until gone "$one"
check "... and so is a group of processes" wait_until gone "$group"
harmless "an escape sequence" tasks "$(printf 'a\033[31m')"
verdict "what the program says on a terminal is harmless"
sleep 0.1 &
wait_beside $! false
check "a wait beside a process that has ended is given up" [ $tries -lt 3000 ]
printf '#!/bin/sh\nprintf "\\033[31m"' >"$dir/evil"
chmod +x "$dir/evil"
headcount=$dir/evil
harmless "an escape sequence" tasks
mv "$dir/.trouble" "$dir/noticed"
check "an escape sequence from the program would be noticed" grep -q 31m "$dir/noticed"
finish
