#!/bin/sh
# The live page in a browser, beside a sweep that runs; else as test_page.sh. Pictures are left in $BUILD/page.
pictures=$PWD/${BUILD:-build}/page
. tests/tap.sh
settle
export HEADCOUNT="$headcount"

cat >running.yaml <<'END'
# Do four slots need four heads?
name: running
task: {name: gather, length: 16, vocab: 8, slots: 4}
model: {d_model: 64, heads: [1, 2, 4, 8], d_ff: 128}
train: {steps: 3000, batch: 64, lr: 1e-3, eval_every: 40}
seeds: 10
END
"$headcount" run configs/quick.yaml --db evil.db --quiet --set seeds=2 >said 2>&1 || trouble "$(cat said)"
"$headcount" run "$root/tests/page/both.yaml" --db both.db --quiet >said 2>&1 || trouble "$(cat said)"
"$headcount" heads --db both.db --quiet >said 2>&1 || trouble "$(cat said)"
cp evil.db many.db
for name in short long; do
    "$headcount" run configs/quick.yaml --db beside.db --quiet --set seeds=2 --set name=$name --set \
        train.steps=$([ $name = short ] && echo 20 || echo 40) >said 2>&1 || trouble "$(cat said)"
done
"$headcount" run configs/quick.yaml --db beside.db --quiet --set seeds=2 --set name=loss --set train.steps=20 \
    --set metric.name=val_loss >said 2>&1 || trouble "$(cat said)"
sqlite3 evil.db <"$root/tests/page/hostile.sql"
sqlite3 many.db "CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1
    FROM n WHERE i < 2100)
        SELECT trial.* FROM n JOIN trial ON trial_id = 1;
    UPDATE copies SET trial_id = 1000 + rowid, seed = 1000 + rowid;
    INSERT INTO trial SELECT * FROM copies"
"$headcount" run running.yaml --db running.db --quiet --workers 1 >/dev/null 2>&1 &
pid=$!
ended() { # how many trials, at least
    [ "$(sqlite3 running.db "SELECT count(*) FROM trial WHERE state = 'completed'")" -ge "$1" ]
}
wait_beside $pid ended 2
verdict "the sweeps to look at are made, and one of them runs"
python3 "$root/tests/page/live.py" "$cases" "$pictures" $pid
