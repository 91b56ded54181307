#!/bin/sh
# Tuning trials that pause at rungs: what goes on does so exactly, whoever is killed, and losers leave
# nothing behind. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
sweep=rungs.yaml
. "$root/tests/interrupt.sh"
exports_no_other() { # rungs.jsonl grid.jsonl: each completed trial of the one is in the other
    for file in "$1" "$2"; do
        sed -n '/"state":"completed"/s/"setting":{[^}]*},"tuning":{[^}]*},"is_tuning":[a-z]*//p' "$file" \
            | sort >"$file.plain"
    done
    [ -s "$1.plain" ] && [ -z "$(comm -23 "$1.plain" "$2.plain")" ]
}
# In both files: the curves of trials that stopped early are the beginnings of those that did not.
curves_begin_alike() { # db, db of the grid
    [ "$(sql "$1" "ATTACH '$2' AS grid; SELECT count(*) FROM trials AS t JOIN curve AS a USING (trial_id)
        JOIN grid.trials AS g ON g.config_sha256 = t.config_sha256 AND g.seed = t.seed
        JOIN grid.curve AS b ON b.trial_id = g.trial_id AND b.step = a.step
        WHERE (a.train_loss, a.train_acc, a.val_loss, a.val_acc, a.grad_norm, a.lr)
            = (b.train_loss, b.train_acc, b.val_loss, b.val_acc, b.grad_norm, b.lr)")" = \
        "$(sql "$1" 'SELECT count(*) FROM curve')" ]
}

# Rungs at 60, 100 and 200: 50 and what comes of it, each at the next evaluation.
cat >rungs.yaml <<'Y'
name: halving
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2], layers: 1, d_ff: 32, dropout: 0.1}
train: {steps: 240, batch: 8, lr: [1e-4, 1e-3, 3e-3, 1e-2], eval_every: 20, val_examples: 64, test_examples: 64}
tune: {axes: [train.lr], seeds: 2, rungs: {eta: 2, min_steps: 50}}
seeds: 2
Y
sed '/^tune/d; s/^seeds.*/seeds: [0, 1, 1000, 1001]/' rungs.yaml >grid.yaml

# ---- to the end ----
check "a sweep with rungs runs to its end" sh -c "'$headcount' run rungs.yaml --db whole.db -j 2 2>whole.err >/dev/null"
check "... and says where trials paused" \
    grep -qE '^[0-9]+/20  halving heads=1 lr=0.0001 seed=1000  paused at step 60  val ' whole.err
"$headcount" export results --db whole.db >whole.jsonl
check "no trial completes twice, and nothing is left over" once_each whole.db
check "of four candidates two go on from the first rung, one from the second" \
    [ "$(sql whole.db "SELECT group_concat(steps_done || ':' || n, ' ') FROM (SELECT steps_done, count(*) AS n
    FROM trial WHERE is_tuning GROUP BY steps_done ORDER BY 1)")" = "60:8 100:4 240:4" ]
check "a candidate that goes to the end pauses twice" \
    [ "$(sql whole.db "SELECT min(n) || max(n) FROM (SELECT count(*) AS n FROM attempt JOIN trial USING (trial_id)
    WHERE is_tuning AND state = 'completed' GROUP BY trial_id)")" = 33 ]
check "... and goes on where it paused" \
    [ "$(sql whole.db "SELECT group_concat(resumed_from_step) FROM attempt WHERE trial_id = (SELECT min(trial_id)
    FROM trial WHERE is_tuning AND state = 'completed')")" = 0,60,100 ]
check "the losers' curves end at their rung" \
    [ "$(sql whole.db "SELECT count(*) FROM trial AS t WHERE state = 'not_needed' AND is_tuning
    AND steps_done IS NOT (SELECT max(step) FROM curve AS c WHERE c.trial_id = t.trial_id)")" = 0 ]
check "running the sweep again runs nothing" \
    sh -c "'$headcount' run rungs.yaml --db whole.db 2>&1 >/dev/null | grep -q 'nothing to run'"
check "check finds nothing wrong" "$headcount" check --db whole.db
check "gc finds nothing to remove" sh -c "'$headcount' gc --db whole.db | grep -qx 'removed 0 files, 0 B'"

# ---- against the same trials without rungs ----
check "the same trials run without rungs" \
    sh -c "'$headcount' run grid.yaml --db grid.db --quiet && '$headcount' export results --db grid.db >grid.jsonl"
check "... and those that went through rungs are equal to the byte" exports_no_other whole.jsonl grid.jsonl
check "... and the curves of those that stopped at a rung begin alike" curves_begin_alike whole.db grid.db

# ---- another number of workers, interrupted, killed: the same bytes ----
check "a sweep with rungs runs with three workers" run three.db -j 3
check "... to the same bytes" same_export three.db
stop_and_resume stop.db 6 5
check "status says how many trials wait at a rung" sh -c "'$headcount' status --db stop.db |
    grep -qxE 'halving: 16 tuning trials, of which [0-9]+ wait at a rung and [0-9]+ were eliminated\\.'"
check "... as JSON too" sh -c "'$headcount' status --db whole.db --json |
    grep -qF '\"rungs\":{\"eta\":2,\"min_steps\":50,\"trials\":16,\"waiting\":0,\"eliminated\":12}'"
check "run goes on after the stops" run stop.db
goes_on_alike stop.db
kill_and_resume kill.db 3

# ---- the file changes between rungs ----
check "without rungs the losers are trained to the end" sh -c "cp whole.db open.db && cp -r whole.db.d open.db.d &&
    sed 's/, rungs: {.*}}/}/' rungs.yaml >norungs.yaml && '$headcount' run norungs.yaml --db open.db --quiet"
check "... so that every tuning trial completes" \
    sh -c "[ \"\$(sqlite3 open.db \"SELECT count(*) FROM trial WHERE is_tuning AND state = 'completed'\")\" = 16 ] &&
    '$headcount' export results --db open.db >open.jsonl"
check "... to the same bytes" exports_no_other open.jsonl grid.jsonl
finish
