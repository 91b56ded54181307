#!/bin/sh
# headcount check --retest: weights are tested again, and a row or a result that they do not give is named,
# with place and remedy; what cannot be tested is named too. Speaks TAP. HEADCOUNT is the program; run from
# the repository's root.
. tests/tap.sh
settle
sql() { sqlite3 "$@"; }
retest() { # status, words..., with -- before arguments of the command: said contains each
    wanted=$1
    shift
    rm -f words
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>words
        shift
    done
    shift
    headcount check --retest --db r.db "$@" >said 2>lines
    code=$?
    [ $code -eq "$wanted" ] || { echo "status $code, not $wanted"; cat said lines; return 1; }
    while read -r line; do
        grep -qF -e "$line" said || { echo "not said: $line"; cat said lines; return 1; }
    done <words
}
fresh() { # name: r.db is a copy of it
    rm -rf r.db*
    cp "$1" r.db && cp -r "$1.d" r.db.d
}
all_is_well='everything is as it should be'
wrong='NOT as it should be'

cat >toy.yaml <<'Y'
# Who looks where?
name: toy
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2, 4], d_ff: 16}
train: {steps: 40, batch: 8, lr: [1e-2, 3e-3], eval_every: 10, val_examples: 64, test_examples: 64}
tune: {axes: [train.lr], seeds: 1}
seeds: 3
Y
check "a sweep with tuning trials runs" headcount run toy.yaml --db toy.db -q
all=$(sql toy.db "SELECT count(*) FROM trial WHERE state = 'completed'")
fresh toy.db
sha256sum r.db >before

# ---- as it should be ----
check "check --retest passes where all is well" retest 0 "15 tested again: $all_is_well" --
check "... with the tuning trials among the 15 tested" [ "$all" = 15 ]
check "... with a line for each trial on stderr" [ "$(grep -c '^ *[0-9]*/15  testing again heads=' lines)" = 15 ]
cp said alone
check "check --retest --quiet passes with one worker" retest 0 "$all_is_well" -- --quiet -j 1
check "... with the same answer" cmp said alone
check "... and no line on stderr" [ ! -s lines ]
check "check --retest leaves the file as it is" sha256sum -c before
check "check --retest works beside a run that holds the file" sh -c "exec 9>>r.db.lock; flock 9; headcount check --retest -q --db r.db 9>&-"
if [ "$(uname -m)" = x86_64 ]; then
    check "other kernels give the same, but for a rounding" env HEADCOUNT_KERNELS=sse2 OPENBLAS_CORETYPE=Prescott \
        headcount check --retest -q --db r.db
else
    skip "other kernels give the same, but for a rounding" "x86-64"
fi

# ---- a sample ----
check "--sample 5 tests five trials again" retest 0 "5 tested again: $all_is_well" -- --sample 5
sed -n 's/.*\(testing again.*seed=[0-9]*\).*/\1/p' lines | sort >first
check "... which are the same each time" sh -c "headcount check --retest --sample 5 --db r.db 2>&1 |
    sed -n 's/.*\(testing again.*seed=[0-9]*\).*/\1/p' | sort | cmp - first"
check "... and of every head count" [ "$(grep -o 'heads=[0-9]*' first | sort -u | wc -l)" = 3 ]
check "--sample of more than there are tests all" retest 0 '15 tested again' -- --sample 100
check "--sample 0 is refused" sh -c "headcount check --retest --sample 0 --db r.db 2>&1 | grep -q -e '--sample is .0.; allowed: a whole number from 1'"
for option in '--sample 3' '-j 1' -q; do
    check "$option without --retest is refused" sh -c "headcount check $option --db r.db 2>&1 |
        grep -qx 'headcount check: --[a-z]* needs --retest; give it too'"
done

# ---- edited, lost, exchanged ----
file() { sql r.db "SELECT checkpoint FROM trial WHERE trial_id = $1"; }
was=$(sql r.db "SELECT printf('%.6g', test_acc) FROM trial WHERE trial_id = 2")
sql r.db "UPDATE trial SET test_acc = .987654 WHERE trial_id = 2"
check "a row that was edited is named with its values and a remedy" retest 3 "trial 2 (" "its row is not what its weights give: test_acc is 0.987654 in the row, \
$was in the result, $was by the weights. Put the result's values into the row with sqlite3, or restore a copy of r.db" \
    "$wrong" --
check "... and no other row is" [ "$(grep -c 'by the weights' said)" = 1 ]
fresh toy.db
sql r.db "UPDATE trial SET test_loss = test_loss + .01, test_exact = 1, val_loss = val_loss * 1.001,
    test_acc_by_slot = '[1, 1]' WHERE trial_id = 3"
check "of many edited values three are shown" retest 3 'trial 3 (' 'test_exact is 1 in the row' '; and 2 more. Put' --
fresh toy.db
cp "r.db.d/$(file 5)" "r.db.d/$(file 4)"
check "weights of another trial are named" retest 3 "the weights of trial 4: r.db.d/$(file 4)" \
    'not tested again, as their weights are not as they should be: trial 4' "14 tested again: $wrong" --
fresh toy.db
rm "r.db.d/$(file 1)" "r.db.d/$(file 3)" "r.db.d/$(file 4)" "r.db.d/$(file 5)"
check "weights that are gone are named" retest 3 'the weights of trial 5: r.db.d/t5-a1.result: cannot open' \
    'not tested again, as their weights are not as they should be: trials 1, 3-5' "11 tested again: $wrong" --
fresh toy.db
sed 's/heads: .1, 2, 4./heads: [2, 4]/' toy.yaml >less.yaml
headcount run less.yaml --db r.db -q >/dev/null 2>&1
headcount gc --out-of-plan --db r.db >/dev/null 2>&1
gone=$(sql r.db "SELECT count(*) FROM trial WHERE state = 'completed' AND checkpoint IS NULL")
check "weights that were removed on purpose are no fault" retest 0 "not tested again, as their weights are gone: trials " \
    "$gone results whose file is gone, $((15 - gone)) tested again: $all_is_well" --
check "... and are those of one head count" [ "$gone" = 5 ]

# ---- files that trials learned from ----
cat >lm.yaml <<'Y'
task: {name: text, file: words.txt, length: 16}
model: {d_model: 8, heads: [1, 2], d_ff: 8, mask: causal}
train: {steps: 20, batch: 4, eval_every: 10, val_examples: 8, test_examples: 40}
metric: {name: val_loss}
seeds: 2
Y
cat >rows.yaml <<'Y'
task: {name: text, file: rows.csv, mode: classify, length: 16}
model: {d_model: 8, heads: [1, 2], d_ff: 8, pool: mean}
train: {steps: 20, batch: 4, eval_every: 10}
seeds: 2
Y
seq 2000 >words.txt
{ echo text,label; seq 60 | sed 's/.*/"row, &",odd/; n; s/.*/row &,even/'; } >rows.csv
for sweep in lm rows toy; do
    headcount run $sweep.yaml --db text.db -q >/dev/null 2>&1
done
fresh text.db
check "trials of a text and of rows with labels pass" retest 0 "23 tested again: $all_is_well" --
sql r.db "UPDATE block_loss SET loss = 9 WHERE trial_id = 1 AND block = 31;
    UPDATE label_acc SET acc = iif(acc > .5, 0, 1) WHERE trial_id = 5 AND label = 'odd'"
check "an edited block and an edited label are named" retest 3 'trial 1 (' 'block_loss 31 is 9 in the row' 'label_acc odd is ' --
fresh text.db
copy=r.db.d/data-$(sha256sum <words.txt | cut -c 1-64)
mv words.txt kept.txt
check "of a text that is gone the copy is read" retest 0 "23 tested again: $all_is_well" --
chmod u+w "$copy" && tr 1 7 <kept.txt >"$copy"
check "a copy that changed is named" retest 3 'trials 1-4: ' "$copy" "19 tested again: $wrong" --
check "... once for all of its trials" [ "$(grep -c "^trials .*$copy" said)" = 1 ]
rm "$copy"
check "a text that is gone is named with the remedy" retest 3 'trials 1-4: ' 'words.txt is missing, but trials learnt from it: put the old file back' \
    "19 tested again: $wrong" --
cp kept.txt words.txt
check "... and its trials pass once it is back" retest 0 "23 tested again: $all_is_well" --

# ---- stopped ----
fresh toy.db
env --default-signal=INT $(pausing middle start 4) setsid headcount check --retest --db r.db -j 1 >said 2>lines </dev/null &
pid=$!
started="$started $pid"
wait_beside "$pid" pauses "$pid"
kill -INT "$pid"
kill -CONT "$held"
wait "$pid"
code=$?
check "Ctrl-C ends check --retest with status 75" [ "$code" = 75 ]
check "... with a word on how far it came" \
    grep -qx 'headcount check: stopped (Interrupt) after 3 of 15; the same command starts over' lines
check "... and without a verdict" fails grep -q 'as it should be' said
check "a check --retest that is stopped leaves the file as it was" cmp r.db toy.db
finish
