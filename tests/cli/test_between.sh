#!/bin/sh
# Settings against each other: a claim of two of them, from the sweep file to every form of the report, and
# what is compared without one. Values are written into the results file, so that the t tests are known.
# Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
cd "$dir" || exit 1
CLAIM='claim: {better: {model.d_ff: 16}, than: {model.d_ff: 8}, heads: 2}'
# name, further lines
sweep() {
    cat >"$1.yaml" <<Y
name: $1
task: {name: gather, slots: 2, vocab: 4, length: 8}
model: {d_model: 8, heads: [1, 2], d_ff: [8, 16], layers: 1}
train: {steps: 4, batch: 4, eval_every: 2, val_examples: 16, test_examples: 16}
seeds: 5
$2
Y
}
headcount() { "$headcount" "$@"; }
run() { # name, options...
    name=$1
    shift
    headcount run "$name.yaml" --db "$name.db" -q "$@" >run.txt 2>&1 || trouble "$name: $(cat run.txt)"
}
# What wider nets of two heads gain: .09, .04, .13, .05 and .08 (t = 4.894, p = .00808); of one head nothing.
values() { # file
    sqlite3 "$1" "WITH v (heads, d_ff, x) AS (VALUES (2, 16, '[0.99, 0.97, 0.98, 1, 0.96]'),
            (2, 8, '[0.9, 0.93, 0.85, 0.95, 0.88]'), (1, 16, '[0.9, 0.91, 0.9, 0.92, 0.93]'),
            (1, 8, '[0.91, 0.9, 0.9, 0.92, 0.92]'))
        UPDATE trial SET test_acc = (SELECT x ->> ('\$[' || (seed % 5) || ']') FROM v JOIN config USING (heads)
            WHERE config_id = trial.config_id AND v.d_ff = setting ->> '\$.\"model.d_ff\"')
        WHERE state = 'completed'"
}
value() { # JSON file, path
    sqlite3 -batch :memory: "SELECT readfile('$1') ->> '$2'"
}
report() { # name, options...: into said
    name=$1
    shift
    headcount report --db "$name.db" "$@" >said || return 1
}
says() { # text, in one line
    tr -s ' \n' ' ' <said | grep -qF -- "$1"
}
gives() { # path, value
    got=$(value said "$1")
    [ "$got" = "$2" ] || { echo "$1 is $got, not $2" && false; }
}

# ---- a claim that was first ----

sweep first "$CLAIM"
run first
values first.db
verdict "a sweep with a claim of two settings runs"
CONFIRMED="Claim confirmed after 4 steps: d_ff=16 is better than d_ff=8 at 2 heads (difference in \
test accuracy +0.078, p = .00808), as predicted before the first trial"
report first
check "the report says that the claim is confirmed" says "$CONFIRMED"
check "... with the numbers of the paired t test" says "d_ff=16 against d_ff=8: +0.078 test accuracy, 95% interval +0.034 to \
+0.122, over 5 seeds (5 won, 0 lost); two-sided paired t test p = .00808."
check "... above the results of all settings" sh -c "grep -n 'Claim confirmed' said | cut -d: -f1 >a
    grep -nx ' *d_ff=8' said | cut -d: -f1 >b; [ \$(cat a) -lt \$(cat b) ]"
check "... and how many of the comparisons show a difference" says "Shown to be better: 1 of 2."
report first --markdown
check "the Markdown report says that the claim is confirmed" says "**Claim confirmed after 4 steps: d\\_ff=16 is better than d\\_ff=8 at 2 heads"
report first --json
check "the JSON report says that the claim is confirmed" gives '$.between.claims[0].kind' claim_confirmed
check "... and that it was written first" gives '$.between.claims[0].claim_proof.status' first
check "... and which setting it calls better" gives '$.between.claims[0].better' '{"model.d_ff":16}'
check "... and at which level it was tested" gives '$.between.claims[0].alpha' 0.05
check "... and has its comparison, corrected for no others" gives '$.between.comparisons[0].comparisons' 1
check "... and the comparison at the other head count" gives '$.between.comparisons[1].outcome' not_shown
check "... and the claim in the record of the plan" gives '$.plan_changes[0].claim.heads' 2
check "... and judges head counts without that claim" gives '$.settings[0].verdict.claim_proof' ''
report first --between --csv
check "the CSV of --between has a line for each pair of settings" [ "$(cut -d, -f1 said | tr '\n' ' ')" = "heads 2 1 " ]
report first --between
check "--between shows the table of compared settings" says 'd_ff=16 d_ff=8 5 +0.078 * [+0.034, +0.122] .00808'
check "--between with --svg is refused" sh -c "! '$headcount' report --db first.db --between --svg x.svg 2>said"
check "... and the formats to use are named" says "--between has neither page nor figure; use text, --csv, --json or --markdown"
check "--between with two sweeps is refused" sh -c "! '$headcount' report first first --db first.db --between 2>said"
check "... with the reason" says "--between shows one sweep, and 2 are named"
for beside in --json --csv --between "--html x.html" "--svg x.svg"; do
    # shellcheck disable=SC2086 # an option and its value
    check "--explain with $beside is refused" sh -c "! '$headcount' report --db first.db --explain $beside 2>said"
    check "... with the reason" says "--explain adds to the text and to --markdown only"
done
check "--explain with two sweeps is refused" sh -c "! '$headcount' report first first --db first.db --explain 2>said"
check "... with the reason" says "--explain shows one sweep, and 2 are named"
report first
check "the report names the command that explains more" says '`headcount report first --explain`: '
report first --explain
check "--explain adds the exact sign-flip test" says "The exact sign-flip test, which assumes no normal distribution, gives p = .0625"
check "... and does not name itself again" sh -c '! grep -q -e --explain said'
headcount report --db first.db --html page.html
check "the page has the claim" grep -q '"claims":\[{"heads":2,"better":{"model.d_ff":16}' page.html
check "... and the columns of the table of comparisons" grep -q '"between":\[{"title":"Heads"' page.html
check "check finds nothing wrong with the claim" sh -c "'$headcount' check --db first.db | grep -v 'not the result' >said; ! grep -q claim said"

# ---- other ends ----

run first
sqlite3 first.db "UPDATE trial SET test_acc = 1.5 - test_acc"
report first --json
check "a claim is contradicted if its rival is shown to be better" gives '$.between.claims[0].kind' claim_contradicted
sqlite3 first.db "UPDATE trial SET test_acc = .5 + seed / 10.0 + config_id % 2 * (seed - 1) / 100"
report first
check "a claim is not confirmed if its difference is not shown" says "Claim not confirmed after 4 steps: d_ff=16 is not shown to be better than d_ff=8 at 2 heads (difference"
sqlite3 first.db "UPDATE trial SET state = 'failed', limit_hit = 1 WHERE trial_id = (SELECT min(trial_id) FROM trial
    JOIN config USING (config_id) WHERE heads = 2)"
report first --json
check "a claim is undecided if a trial met a limit" gives '$.between.claims[0].kind' claim_undecided

# ---- a claim that came late ----

sweep late ""
run late
values late.db
report late --json
check "without a claim, a comparison still shows the better setting" gives '$.between.comparisons[1].kind' setting_better
check "... as the only comparison at its head count" gives '$.between.comparisons[1].comparisons' 1
check "... and the report has no claim" gives '$.between.claims' '[]'
sweep late "$CLAIM"
run late
values late.db
report late
check "a claim that was written after the trials is no prediction" says "The claim, d_ff=16 better than d_ff=8 at 2 heads, is no prediction: \
it was written after 20 of 20 trials had ended."
check "... and the report says when it was changed" says "The claim was changed on"
sweep late 'claim: {than: {model.d_ff: 16}, better: {model.d_ff: 8}, heads: 2}'
run late
report late --json
check "the opposite claim counts as a changed one" gives '$.between.claims[0].claim_proof.status' changed

# ---- preliminary, shards, replicates, tune ----

sweep shards "$CLAIM"
run shards --shard 1/2
report shards
check "the report of a shard is preliminary" says "Preliminary, with"
cp shards.yaml second.yaml
run second --shard 2/2
headcount merge --into whole.db shards.db second.db >said 2>&1 || trouble "$(cat said)"
values whole.db
report whole
check "merged shards confirm the claim as a whole sweep does" says "$CONFIRMED"
report whole --json
check "... as a prediction" gives '$.between.claims[0].prediction' 1

sweep instances "replicate: [task.instance]
$CLAIM"
sed -i 's/slots: 2/slots: 2, instance: [1, 2, 3]/; s/^seeds: 5/seeds: 2/' instances.yaml
run instances
values instances.db
report instances --json
check "under replicate, n counts the instances" gives '$.between.comparisons[0].n' 3
check "... and each is the mean of its seeds" gives '$.between.comparisons[0].seed_pairs' 6
check "... and the claim is a prediction" gives '$.between.claims[0].prediction' 1

sweep tuned "tune: {axes: [train.lr], seeds: 1}
$CLAIM"
sed -i 's/steps: 4/lr: [1e-3, 1e-2], steps: 4/' tuned.yaml
run tuned
values tuned.db
report tuned
check "under tune, each setting is judged at its own best value" says "each at its own best of lr 0.001 and 0.01"
check "... and a claim against a setting at an edge is undecided" says "Claim undecided after 4 steps: d_ff=16 did better than d_ff=8 at 2 heads"
check "... as the table shows" says "d_ff=16 d_ff=8 5 +0.078 edge [+0.034, +0.122] .00808"
check "... and the word edge is explained" says "edge: the same, but the one that did worse chose an edge of its grid"
report tuned --json
check "... and the JSON report says that the rival is at an edge" gives '$.between.claims[0].kind' rival_at_edge

# ---- refusals ----

sweep bad 'claim: {better: {model.d_ff: 12}, than: {model.d_ff: 8}, heads: 2}'
check "a claim about a value that the sweep lacks is refused" sh -c "! '$headcount' run bad.yaml --db bad.db 2>said"
check "... with its place in the sweep file" says "bad.yaml:6:30: model.d_ff 12 is not among the values of the sweep"
check "... and no results file is made" [ ! -e bad.db ]
sweep bad "$CLAIM"
sed -i 's/^seeds: 5/looks: [2, 4]/' bad.yaml
check "looks beside a claim of two settings are refused" sh -c "! '$headcount' plan bad.yaml --db bad.db 2>said"
check "... with what to write instead" says "write seeds in place of looks"
finish
