#!/bin/sh
# Trials that differ in their seeds answer together: disjoint groups, numbers that another program finds
# too, models beside them, and what is refused. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
python=${PYTHON:-/usr/bin/python3}
sql() { sqlite3 "$1" "$2"; }
gives() { # status, pattern, arguments...: what the program says on both streams
    expected=$1 pattern=$2
    shift 2
    "$headcount" "$@" >said 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$expected" ] || { echo "status $got, expected $expected"; cat said; return 1; }
    [ -z "$pattern" ] || grep -qe "$pattern" said || { echo "no '$pattern' in:"; cat said; return 1; }
}
none() { # db, query: it gives no rows
    [ -z "$(sql "$1" "$2")" ] || { sql "$1" "$2" | head; return 1; }
}

cat >together.yaml <<'Y'
# Are four heads an ensemble?
name: together
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: [8, 16], heads: [1, 4], layers: 1, d_ff: 16}
train: {steps: 100, batch: 32, lr: 1e-2, eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 5
Y
"$headcount" run together.yaml --db e.db --quiet >run.txt 2>&1

# ---- groups ----
check "ensembles of two members answer" "$headcount" ensemble together --members 2 --db e.db -q
check "each setting has as many groups as its seeds allow" \
    [ "$(sql e.db "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM ensemble GROUP BY setting)")" = 2,2 ]
check "no trial is in two groups" none e.db "SELECT value FROM ensemble, json_each(trials) GROUP BY value HAVING count(*) > 1"
check "members have one head, one setting and different seeds" \
    none e.db "SELECT trials FROM ensemble AS e, json_each(trials) AS m
    JOIN trial AS t ON t.trial_id = m.value JOIN config AS c USING (config_id)
        GROUP BY trials HAVING count(DISTINCT c.config_id) > 1 OR count(DISTINCT t.seed) < 2 OR max(c.heads) > 1
            OR min(t.setting = e.setting) = 0"
check "what members do alone is the mean over their trials" \
    none e.db "SELECT trials FROM ensemble AS e, json_each(trials) AS m JOIN trial AS t ON t.trial_id = m.value
    GROUP BY trials HAVING abs(avg(t.test_acc) - mean_member_acc) > 1e-12"
check "parameters and FLOPs are summed over the members" \
    none e.db "SELECT trials FROM ensemble AS e, json_each(trials) AS m JOIN trial AS t ON t.trial_id = m.value
    JOIN config AS c USING (config_id)
        GROUP BY trials HAVING sum(c.n_params) <> e.n_params
            OR sum(c.flops_per_step / 3 / c.batch) <> e.flops_per_example"
check "a second call computes nothing" \
    sh -c "'$headcount' ensemble together --members 2 --db e.db 2>err >/dev/null && ! grep . err"
cp e.db again.db && cp -r e.db.d again.db.d
sql again.db "DELETE FROM ensemble; DELETE FROM study"
check "deleted ensembles are computed again" sh -c "'$headcount' ensemble together --members 2 --db again.db -j 3 -q >/dev/null"
sql e.db "SELECT * FROM ensemble ORDER BY setting, trials" >one.txt
sql again.db "SELECT * FROM ensemble ORDER BY setting, trials" >two.txt
check "... with the same digits" cmp one.txt two.txt
check "ensembles of four members answer" "$headcount" ensemble together --members 4 --db e.db -q
check "... and have rows beside those of two" \
    [ "$(sql e.db "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM ensemble GROUP BY members)")" = 4,2 ]
check "members with several heads answer, too" "$headcount" ensemble together --heads 4 --members 2 --db e.db -q
check "check finds nothing wrong" "$headcount" check --db e.db

# ---- another seed makes other groups ----
cp e.db more.db && cp -r e.db.d more.db.d
"$headcount" run together.yaml --set seeds=6 --db more.db --quiet >run.txt 2>&1
check "with one more seed ensembles answer again" "$headcount" ensemble together --members 2 --db more.db -q
check "... with a third group beside the first two" \
    [ "$(sql more.db "SELECT count(*) FROM ensemble WHERE members = 2 AND heads = 1")" = 6 ]

# ---- groups of one instance are one sample of what `replicate` asks for ----
cat >instances.yaml <<'Y'
name: instances
task: {name: gather, instance: [2, 10, 1], length: 8, vocab: 8, slots: 2}
model: {d_model: [8, 16], heads: [1, 4], layers: 1, d_ff: 16}
train: {steps: 100, batch: 32, lr: 1e-2, eval_every: 20, val_examples: 64, test_examples: 64}
replicate: [task.instance]
seeds: 4
Y
"$headcount" run instances.yaml --db i.db --quiet >run.txt 2>&1
check "ensembles answer under replicate" \
    sh -c "'$headcount' ensemble instances --members 2 --db i.db -q --json >instances.json"
"$headcount" ensemble instances --members 2 --db i.db >report.txt
sql i.db "CREATE TABLE told AS SELECT value ->> 'setting' AS setting, value AS r
    FROM json_each(readfile('instances.json') -> 'rows')"
check "... two rows for each setting" \
    [ "$(sql i.db "SELECT group_concat(setting || n, ' ') FROM (SELECT setting, count(*) AS n FROM told
    GROUP BY setting)")" = '{"model.d_model":16}2 {"model.d_model":8}2' ]
check "... each over all groups of its setting" \
    none i.db "SELECT setting, m.value FROM told JOIN json_each(r -> 'trials') AS g JOIN json_each(g.value) AS m
    JOIN trial AS t ON t.trial_id = m.value
        GROUP BY told.rowid HAVING count(DISTINCT t.trial_id) <> 12 OR max(t.setting <> told.setting)"
check "... where n counts the instances" none i.db "SELECT r FROM told WHERE r ->> 'n' <> 3"
check "... paired with a model that has as many" \
    none i.db "SELECT r FROM told WHERE (r ->> 'model_heads', r ->> 'model_n', r ->> 'test') IS NOT (4, 3, 'paired')"
check "... with mean and interval over means of instances" \
    none i.db "WITH unit AS (SELECT e.setting, avg(e.test_acc) AS acc FROM ensemble AS e
      JOIN trial AS t ON t.trial_id = trials ->> 0 GROUP BY e.setting, replicate),
    want AS (SELECT setting, avg(acc) AS mean, max(acc) - min(acc) AS span FROM unit GROUP BY setting)
    SELECT r FROM told JOIN want USING (setting)
        WHERE abs((r ->> 'mean_acc') - mean) > 1e-12 OR (r ->> 'ci95_high') - (r ->> 'ci95_low') < 2 * span"
check "... and the text report has these numbers" sh -c "tr '\n' ' ' <report.txt | grep -q '6 groups of d_model=8, 6 groups of d_model=16' &&
    grep -qE '^d_model=8 +[.0-9]+ +3 ' report.txt && grep -q 'n instances' report.txt"

# ---- of a text, by its losses ----
seq 100 900 >words.txt
cat >text.yaml <<'Y'
# Do models of one head guess the next byte better together?
name: text
task: {name: text, file: words.txt, length: 16}
model: {d_model: 8, layers: 1, heads: [1, 2], d_ff: 8, mask: causal}
train: {steps: 60, batch: 8, lr: 1e-2, eval_every: 20, val_examples: 16, test_examples: 16}
seeds: 4
metric: {name: val_loss}
Y
"$headcount" run text.yaml --db text.db --quiet >run.txt 2>&1
"$headcount" ensemble text --members 2 --db text.db --quiet >report.txt
"$headcount" ensemble text --members 2 --db text.db --quiet --json >out.json
"$headcount" ensemble text --members 2 --db text.db --quiet --csv >out.csv
check "models of a text are judged by their losses, with bits per byte beside them" sh -c \
    "grep -qE '^each alone .* together .*bits/byte ' report.txt &&
    tr -s '\n ' '  ' <report.txt | grep -q 'Test loss in nats, less is better, with 95% t intervals' &&
    ! grep -qi accuracy report.txt && ! grep -q '_acc' out.json out.csv"
check "the JSON names the loss, to be minimized" [ "$(sql :memory: "SELECT (readfile('out.json') ->> 'metric') || ' ' ||
    (readfile('out.json') ->> 'goal')")" = "test_loss minimize" ]
sql text.db "CREATE TABLE told AS SELECT value AS r FROM json_each(readfile('out.json') -> 'rows')"
check "... and has the mean test loss of members, ensembles and model" none text.db "SELECT r FROM told WHERE
    NOT coalesce(abs((r ->> 'mean_loss') - (SELECT avg(test_loss) FROM ensemble)) < 1e-9
    AND abs((r ->> 'mean_bits') - (r ->> 'mean_loss') / ln(2)) < 1e-9
    AND abs((r ->> 'mean_member_loss') - (SELECT avg(test_loss) FROM trials WHERE heads = 1)) < 1e-9
    AND abs((r ->> 'model_loss') - (SELECT avg(test_loss) FROM trials WHERE heads = 2)) < 1e-9
    AND abs((r ->> 'model_bits') - (r ->> 'model_loss') / ln(2)) < 1e-9
    AND abs((r ->> 'mean_diff') - (r ->> 'mean_loss') + (r ->> 'model_loss')) < 1e-9, 0)"

# ---- another axis gives settings other names ----
cp e.db axis.db && cp -r e.db.d axis.db.d
sed 's/vocab: 8/vocab: [8, 9]/' together.yaml >axis.yaml
"$headcount" run axis.yaml --db axis.db --quiet >run.txt 2>&1
check "groups that have answered are known after an axis is added" \
    sh -c "'$headcount' ensemble together --members 2 --db axis.db -q --json >out.json"
check "... and none is missing" \
    [ "$(sql :memory: \
    "SELECT (readfile('out.json') ->> 'groups') || ' ' || (readfile('out.json') ->> 'unanswered')")" = "8 0" ]
check "... and check finds nothing wrong" "$headcount" check --db axis.db

# ---- what is shown ----
"$headcount" ensemble together --members 2 --db e.db >report.txt 2>&1
check "the report says how many groups there are" \
    sh -c "tr '\\n' ' ' <report.txt | grep -q '2 groups of d_model=8, 2 groups of d_model=16'"
check "... and the models with more heads that cost about as much" \
    grep -qE '^d_model=8 .* params +.* 4 ' report.txt
"$headcount" ensemble together --members 2 --db e.db --json >out.json
"$headcount" ensemble together --members 2 --db e.db --csv >out.csv
check "the model beside an ensemble is the nearest in parameters" \
    none e.db "WITH row AS (SELECT value AS r FROM json_each(readfile('out.json') -> 'rows'))
    SELECT * FROM row JOIN config AS c ON c.heads = 4 WHERE r ->> 'nearest_in' = 'params'
    AND abs(ln(1.0 * (r ->> 'n_params') / c.n_params)) < abs(ln(r ->> 'params_ratio')) - 1e-9"
check "... and has more heads than the members" \
    none e.db "SELECT 1 FROM json_each(readfile('out.json') -> 'rows') WHERE value ->> 'model_heads' <> 4"
check "the Markdown says which trials are in each group" sh -c "'$headcount' ensemble together --members 2 --db e.db --markdown |
    tr -d '\\\\' | grep -qE '^. d_model=8 . \[\[[0-9]+,[0-9]+\],\[[0-9]+,[0-9]+\]\] .'"

# ---- another program finds the same ----
if "$python" -c 'import numpy, torch' 2>/dev/null; then
    for trial in $(sql e.db "SELECT value FROM (SELECT trials FROM ensemble WHERE members = 4
        ORDER BY setting LIMIT 1), json_each(trials)"); do
        "$headcount" export weights "$trial" "w$trial.safetensors" --db e.db
        "$headcount" export testset "$trial" testset.safetensors --db e.db
    done
    check "PyTorch's mean of softmax has the same accuracy and loss" "$python" "$root/tests/interop/torch_ensemble.py" \
        $(sql e.db "SELECT test_acc, test_loss FROM ensemble WHERE members = 4 ORDER BY setting LIMIT 1" |
        tr '|' ' ') testset.safetensors w*.safetensors
else
    skip "PyTorch's mean of softmax has the same accuracy and loss" "python3-torch"
fi

# ---- what is refused ----
check "too few seeds are refused, with the number that is missing" \
    gives 2 \
    "^headcount ensemble: 8 members need 8 completed trials of one configuration, with different seeds; with 1 head \
there are 5 of d_model=8, 5 of d_model=16, so 3 more are needed" ensemble together --db e.db
check "a head count that was not trained is refused" \
    gives 2 "no trial with 2 heads has completed" ensemble together --heads 2 --members 2 --db e.db
check "an ensemble of one member is refused" gives 2 "is 1; allowed: 2 to" ensemble together --members 1 --db e.db
check "0 heads are refused" gives 2 "allowed" ensemble together --heads 0 --db e.db
rm "again.db.d/$(sql again.db 'SELECT checkpoint FROM trial WHERE trial_id = (SELECT min(value)
    FROM ensemble, json_each(trials))')"
sql again.db "DELETE FROM ensemble; DELETE FROM study"
check "a group whose weights are missing is named" \
    gives 1 "^trial 1 .*weights" ensemble together --members 2 --db again.db
check "... and all others answer" [ "$(sql again.db "SELECT count(*) FROM ensemble")" = 3 ]
check "... and the report says that one is missing" \
    gives 1 "1 group has not answered" ensemble together --members 2 --db again.db
finish
