#!/bin/sh
# The page in a browser: Debian's Chromium, driven by tests/page/chromium.py. Pictures of it, and the
# page printed, are left in $BUILD/page. Speaks TAP. HEADCOUNT is the program.
pictures=$PWD/${BUILD:-build}/page
. tests/tap.sh
settle

run() {
    "$headcount" "$@" >said 2>&1 || trouble "$*: $(cat said)"
}
page() { # name, results file: NAME.html, NAME.json
    run report --db "$2" --html "$1.html"
    "$headcount" report --db "$2" --json >"$1.json"
    "$headcount" show --db "$2" --json >"$1.trials.json"
}
cat >grid.yaml <<'END'
# Does what follows slots follow d_model too?
name: grid
task: {name: gather, length: 8, vocab: 4, slots: [1, 2]}
model: {d_model: [8, 16], heads: [1, 2, 4], d_ff: 16}
train: {steps: 60, batch: 16, lr: 1e-2, eval_every: 20}
metric: {name: val_loss}
claim: {better: {model.d_model: 16}, than: {model.d_model: 8}, heads: 2}
seeds: 2
END
cat >tuned.yaml <<'END'
# Which rate does each head count choose?
name: tuned
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 16}
train: {steps: 40, batch: 16, lr: [1e-3, 1e-2], eval_every: 20}
exclude: [{model.heads: 4, train.lr: 1e-2}]
tune: {axes: [train.lr], seeds: 1}
seeds: 2
END
cat >extended.yaml <<'END'
# Which rates and how much decay, beyond the list?
name: extended
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 16}
train: {steps: 40, batch: 16, lr: [1e-4, 1e-3], weight_decay: [0.01, 0.1], eval_every: 20}
tune: {axes: [train.lr, train.weight_decay], seeds: 1, extend: 2}
seeds: 2
END
cat >rungs.yaml <<'END'
# Which of four rates does each head count choose, on rungs?
name: rungs
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 16}
train: {steps: 40, batch: 16, lr: [1e-4, 1e-3, 3e-3, 1e-2], eval_every: 10}
tune: {axes: [train.lr], seeds: 1, rungs: {eta: 2, min_steps: 10}}
seeds: 2
END
seq 100 400 | sed "s/4/$(printf '\001')/; s/\$/ and_/" >back.txt
cat >text.yaml <<'END'
# What do heads look at in a text?
name: text
task: {name: text, file: back.txt, length: 20}
model: {d_model: 8, heads: [1, 2], d_ff: 16, mask: causal}
train: {steps: 20, batch: 4, eval_every: 10, val_examples: 4, test_examples: 4}
metric: {name: val_loss}
seeds: 2
END
run run text.yaml --db text.db --quiet
run prune --db text.db --quiet
for trial in 1 2 3 4; do
    run export attention $trial text.$trial.maps --examples 2 --db text.db
done
cat >dense.yaml <<'END'
# Is there room for twelve head counts?
name: dense
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 60, heads: [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60], d_ff: 16}
train: {steps: 20, batch: 16, lr: 1e-2, eval_every: 10}
seeds: 2
END
cat >steps.yaml <<'END'
# What do curves of twelve points look like?
name: steps
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 16}
train: {steps: 120, batch: 16, lr: 1e-2, eval_every: 10}
seeds: 3
END
cat >alone.yaml <<'END'
# Does h* fall with the width of a head?
name: alone
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 16, d_head: [2, 4, 8, 16], heads: [1, 2, 4, 8], d_ff: 16}
train: {steps: 40, batch: 16, lr: 1e-2, eval_every: 20}
exclude: [{model.d_head: 8, model.heads: 1}, {model.d_head: 16, model.heads: 2}, {model.d_head: 16, model.heads: 4},
          {model.d_head: 16, model.heads: 8}]
metric: {name: val_loss}
seeds: 2
END
cat >lead.yaml <<'END'
# Do two heads beat one?
name: lead
task: {name: gather, length: 8, vocab: 4, slots: 2}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 16}
train: {steps: 20, batch: 16, lr: 1e-2, eval_every: 20}
claim: {best: 2, over: [1]}
equivalence: .01
seeds: 4
END
run run configs/quick.yaml --db one.db --quiet --set seeds=3
for name in one text; do
    run heads --db $name.db --quiet
done
run prune --db one.db --quiet --by random
run prune --db one.db --quiet
run run grid.yaml --db grid.db --quiet
for name in tuned extended rungs dense steps alone lead; do
    run run $name.yaml --db $name.db --quiet
done
cp one.db evil.db
sqlite3 evil.db <"$root/tests/page/hostile.sql"
sqlite3 lead.db "UPDATE trial SET test_acc = .98 + .001 * seed + iif(heads = 2, .0002 + .00001 * seed, 0), val_acc = .98
    FROM config AS c WHERE c.config_id = trial.config_id"
cp one.db blind.db
sqlite3 blind.db "UPDATE trial SET checkpoint = NULL, val_acc = iif(heads = 32, .99, .5) FROM config AS c
    WHERE c.config_id = trial.config_id"
cp tuned.db many.db
sqlite3 many.db "CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1
    FROM n WHERE i < 5000)
        SELECT trial.* FROM n JOIN trial ON is_tuning = 0;
    UPDATE copies SET trial_id = 1000 + rowid, seed = 1000 + rowid, val_acc = (rowid * 7919 % 10007) / 10007.0,
        test_acc = (rowid * 104729 % 10007) / 10007.0;
    INSERT INTO trial SELECT * FROM copies"
cp tuned.db drawn.db
sqlite3 drawn.db "CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1
    FROM n WHERE i < 209)
        SELECT trial.* FROM n JOIN trial ON trial_id = (SELECT min(trial_id) FROM trial JOIN config USING (config_id)
            WHERE is_tuning = 1 AND heads = iif(i <= 200, 1, iif(i <= 206, 2, 4))) ORDER BY i;
    UPDATE copies SET trial_id = 1000 + rowid, seed = 1000 + rowid, val_acc = (rowid * 104729 % 10007) / 10007.0,
        tuning = CASE WHEN rowid <= 200
            THEN json_object('train.lr', (1 + rowid * 7919 % 10007) / 1e5, 'train.schedule.name', 'cosine')
            ELSE json_object('train.lr', iif(rowid <= 206, 1 + rowid % 2, rowid) / 1000.0,
                'train.schedule.name', json_extract('[\"linear\",\"cosine\",\"constant\"]', '$[' || (rowid % 3) || ']')) END;
    DELETE FROM trial WHERE is_tuning = 1;
    INSERT INTO trial SELECT * FROM copies"
cp one.db early.db
sqlite3 early.db "UPDATE trial SET state = 'queued', best_step = NULL; DELETE FROM curve; DELETE FROM head_metric;
    DELETE FROM study; DELETE FROM pruning"
cp grid.db half.db
sqlite3 half.db "UPDATE sweep SET claim = NULL; DELETE FROM plan_change;
    UPDATE trial SET state = 'queued', best_step = NULL WHERE trial_id = (SELECT max(trial_id) FROM trial);
    DELETE FROM curve WHERE trial_id = (SELECT max(trial_id) FROM trial)"
cp grid.db chance.db
sqlite3 chance.db "UPDATE sweep SET claim = NULL, metric = 'val_acc', goal = 'maximize'; DELETE FROM plan_change;
    UPDATE trial SET test_acc = chance + (trial_id % 2) / 1000.0"
run run "$root/tests/page/both.yaml" --db both.db --quiet
run heads --db both.db --quiet
for name in one grid tuned extended rungs text dense steps both many drawn evil early half chance alone lead blind; do
    page $name $name.db
done
cp steps.db beside.db
run run steps.yaml --db beside.db --quiet --set name=longer --set train.steps=240 --set model.heads=[2,4,8]
run run steps.yaml --db beside.db --quiet --set name=wide --set model.d_model=[8,16] --set train.steps=20 --set seeds=2
beside() { # name, sweeps...
    page=$1
    shift
    run report "$@" --db beside.db --html "$page.html"
    "$headcount" report "$@" --db beside.db --json >"$page.json"
    for sweep; do "$headcount" report "$sweep" --db beside.db --json >"$page.$sweep.json"; done
}
beside two steps longer
beside three steps longer wide
run run text.yaml --db beside.db --quiet
run run text.yaml --db beside.db --quiet --set name=reread --set train.steps=40
run run steps.yaml --db beside.db --quiet --set name=loss --set metric.name=val_loss
run run steps.yaml --db beside.db --quiet --set name=eight --set model.heads=[8]
run run steps.yaml --db beside.db --quiet --set name=waits --set seeds=1
sqlite3 beside.db "UPDATE trial SET state = 'queued', best_step = NULL WHERE sweep_id =
    (SELECT sweep_id FROM sweep WHERE name = 'waits')"
beside bits text reread
beside units text loss
beside strangers steps eight
run run steps.yaml --db beside.db --quiet --set name=wider --set model.d_model=[12,20] --set train.steps=20 --set seeds=2
beside foreigners wide wider
beside waiting steps waits
{ echo text,label && seq 100 300 | awk '{print $1 "," $1 % 2}'; } >rows.csv
sed 's/^name.*/name: modes/; s/file: .*/file: rows.csv, length: 8, mode: [classify, lm]}/
    s/causal}/causal, pool: [none, mean]}/' text.yaml >modes.yaml
echo 'exclude: [{task.mode: classify, model.pool: none}, {task.mode: lm, model.pool: mean}]' >>modes.yaml
run run modes.yaml --db modes.db --quiet
page modes modes.db
"$headcount" heads --db one.db --json >one.heads.json
for name in one text; do
    "$headcount" prune --db $name.db --json --quiet >$name.prune.json
done
"$headcount" show --db one.db 7 --json >one.trial.json
verdict "the sweeps to look at have their pages"
python3 "$root/tests/page/handling.py" "$cases" "$pictures" one grid tuned extended rungs text dense both evil early
code=$?
[ $code -eq 0 ] || exit $code
