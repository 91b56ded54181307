#!/bin/sh
# A drawn sweep: its trials run as they were drawn, and whatever lists its settings has them by their values.
# Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
cd "$dir" || exit 1
cat >drawn.yaml <<'Y'
name: drawn
method: random
samples: 5
sampler_seed: 7
task: {name: gather, slots: 2, vocab: 4, length: {min: 4, max: 30}}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, norm: [post, pre]}
train: {steps: 4, batch: 4, eval_every: 2, val_examples: 16, test_examples: 16}
seeds: 2
Y
"$headcount" run drawn.yaml --db r.db -q >run.txt 2>&1 || trouble "$(cat run.txt)"
sqlite3 r.db "SELECT setting_label FROM trial GROUP BY setting ORDER BY min(plan_order)" >as_drawn
sort -t= -k2n as_drawn >by_value
sort as_drawn >by_bytes
check "drawn settings are in no order" sh -c "! cmp -s as_drawn by_value && ! cmp -s by_bytes by_value"
check "trials run in the order in which they were drawn" [ "$(sqlite3 r.db "SELECT count(*) FROM (SELECT trial_id - lag(trial_id)
    OVER (ORDER BY plan_order) AS step FROM trial) WHERE step <= 0")" = 0 ]
# The settings in a file's lines, each where it comes first.
by_values() { # what says them...
    "$@" >said 2>err || { cat err; return 1; }
    grep -o 'length=[0-9]*, norm=[a-z]*' said | awk '!seen[$0]++' >listed
    diff by_value listed
}
for form in markdown csv json; do
    check "the report as $form lists settings by value" by_values "$headcount" report drawn --db r.db --$form
    check "heads as $form lists settings by value" by_values "$headcount" heads drawn --db r.db -q --$form
    check "prune as $form lists settings by value" by_values "$headcount" prune drawn --db r.db -q --$form
    check "ensemble as $form lists settings by value" by_values "$headcount" ensemble drawn --members 2 --db r.db -q --$form
done
check "the report as text lists settings by value" by_values "$headcount" report drawn --db r.db
"$headcount" merge --into other.db r.db >said 2>&1 || trouble "$(cat said)"
check "the report of a merged file lists settings by value" by_values "$headcount" report drawn --db other.db --csv
sed '/method\|sampl/d; s/{min: 4, max: 30}/[9, 30, 4, 10]/; s/\[post, pre\]/post/; s/drawn/grid/' drawn.yaml >grid.yaml
"$headcount" run grid.yaml --db r.db -q >run.txt 2>&1 || trouble "$(cat run.txt)"
as_written() {
    "$headcount" report grid --db r.db --json >said || return 1
    [ "$(grep -o '"setting_label":"length=[0-9]*' said | grep -o '[0-9]*$' | uniq | tr '\n' ' ')" = '9 30 4 10 ' ]
}
check "settings of a grid stay in the order of their file" as_written
finish
