#!/bin/sh
# Heads are removed: rows that are true, orders that are the same every time, nothing computed twice, smaller models for
# other programs, and what is refused. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "heads are removed"
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
prune() { # db, arguments...
    db=$1
    shift
    "$headcount" prune --db "$db" --quiet "$@"
}
# All that an answer says but how long it took.
rows() { # db
    sql "$1" "SELECT trial_id, method, kept, finetuned_steps, lr, removed, val_acc, test_acc, test_loss, n_params,
        flops_per_example FROM pruning ORDER BY trial_id, method, kept, finetuned_steps, lr"
}
none() { # db, query: it gives no rows
    [ -z "$(sql "$1" "$2")" ] || { sql "$1" "$2" | head; return 1; }
}

cat >slots.yaml <<'Y'
# Which heads are needed?
name: slots
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2, 4], layers: 2, d_ff: 32}
train: {steps: 120, batch: 32, lr: 1e-2, eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 3
Y
"$headcount" run slots.yaml --db slots.db --quiet >run.txt 2>&1

# ---- every head count ----
cp -r slots.db.d ablation.db.d && cp slots.db ablation.db
cp -r slots.db.d again.db.d && cp slots.db again.db
check "a sweep is pruned" prune slots.db slots
check "every head count of every trial has a row" \
    [ "$(sql slots.db 'SELECT count(*) FROM pruning')" = $((3 * (2 + 4 + 8))) ]
check "the unpruned model has its trial's own numbers" none slots.db "SELECT * FROM pruning AS p JOIN trial AS t USING (trial_id)
    JOIN config AS c USING (config_id) WHERE kept = heads * layers AND NOT (method = 'none' AND removed = '[]' AND
    p.test_acc = t.test_acc AND p.val_acc = t.val_acc AND p.test_loss = t.test_loss AND p.n_params = c.n_params AND
    flops_per_example = flops_per_step / 3 / batch)"
check "each row lists as many removed heads as are missing" none slots.db "SELECT * FROM pruning JOIN trial USING (trial_id)
    JOIN config USING (config_id) WHERE json_array_length(removed) <> heads * layers - kept"
check "each removal goes on from the one before" none slots.db "SELECT * FROM pruning AS a JOIN pruning AS b
    USING (trial_id) WHERE b.kept = a.kept - 1 AND a.kept < (SELECT max(kept) FROM pruning AS c
        WHERE c.trial_id = a.trial_id)
    AND substr(b.removed, 1, length(a.removed) - 1) <> substr(a.removed, 1, length(a.removed) - 1)"
check "fewer heads mean fewer parameters and FLOPs" \
    none slots.db "SELECT * FROM pruning AS a JOIN pruning AS b USING (trial_id)
    WHERE b.kept < a.kept AND NOT (b.n_params < a.n_params AND b.flops_per_example < a.flops_per_example)"
check "every row has the time of its answers" none slots.db "SELECT * FROM pruning WHERE NOT coalesce(infer_ms > 0, 0)"
check "a second prune computes nothing" sh -c "'$headcount' prune slots --db slots.db 2>err >/dev/null && ! grep . err"
check "three workers prune a copy of the sweep" \
    sh -c "'$headcount' prune slots --db again.db -q -j 3 >/dev/null"
rows slots.db >one.txt
rows again.db >two.txt
check "... to the same digits" cmp one.txt two.txt
check "check finds nothing wrong" "$headcount" check --db slots.db

# ---- other orders ----
check "--by random prunes a sweep" prune slots.db slots --by random
check "... also a copy of it with one worker" prune again.db slots --by random -j 1
rows slots.db >one.txt
rows again.db >two.txt
check "... in the same order every time" cmp one.txt two.txt
check "... but in another order for another seed" \
    [ "$(sql slots.db "SELECT count(DISTINCT removed) FROM pruning JOIN trial USING (trial_id)
    JOIN config USING (config_id) WHERE method = 'random' AND heads = 4 AND kept = 1")" = 3 ]
check "--by ablation prunes a sweep" prune ablation.db slots --by ablation
check "... and removes first the head without which the loss is least" sh -c "
    '$headcount' heads slots --db ablation.db -q >/dev/null && [ -z \"\$(sqlite3 ablation.db \"
        SELECT * FROM pruning AS p JOIN head_metric AS h USING (trial_id) WHERE method = 'ablation'
            AND json_array_length(removed) = 1
        AND ablation_loss < (SELECT ablation_loss FROM head_metric AS x
            WHERE x.trial_id = p.trial_id AND x.split = 'val'
            AND x.layer = removed ->> '\$[0][0]' AND x.head = removed ->> '\$[0][1]') AND h.split = 'val'\")\" ]"

# ---- chosen head counts, fine-tuning ----
check "--keep prunes to the head counts that it names" prune again.db 3 --keep 3,1 --by ablation
check "... and to no others" \
    [ "$(sql again.db "SELECT group_concat(kept) FROM (SELECT kept FROM pruning WHERE method = 'ablation'
    ORDER BY kept)")" = 1,3 ]
check "--keep takes a head count that only some models have" prune again.db slots --keep 8 --by ablation
check "... and passes over the others" [ "$(sql again.db "SELECT count(*) FROM pruning WHERE kept = 8")" = 3 ]
check "--finetune trains pruned models on" prune slots.db slots --keep 4,2 --finetune 40
check "... at a tenth of the trial's rate" \
    none slots.db "SELECT * FROM pruning
    WHERE finetuned_steps NOT IN (0, 40) OR abs(lr - CASE finetuned_steps WHEN 0 THEN 0 ELSE 1e-3 END) > 1e-12"
check "... which are never worse on the validation set than before" \
    none slots.db "SELECT * FROM pruning AS a JOIN pruning AS b USING (trial_id, method, kept)
    WHERE a.finetuned_steps = 40 AND b.finetuned_steps = 0 AND a.val_acc < b.val_acc"
check "... and better in most cases" \
    [ "$(sql slots.db "SELECT sum(a.val_acc > b.val_acc) > count(*) / 2 FROM pruning AS a
    JOIN pruning AS b USING (trial_id, method, kept)
    WHERE a.finetuned_steps = 40 AND b.finetuned_steps = 0 AND method <> 'none'")" = 1 ]
check "--lr fine-tunes at another rate" prune slots.db 3 --keep 2 --finetune 40 --lr 2e-3
check "... and its row stands beside the first" \
    [ "$(sql slots.db "SELECT count(*) FROM pruning WHERE trial_id = 3 AND kept = 2 AND finetuned_steps = 40
    AND method = 'importance'")" = 2 ]
check "a copy is fine-tuned in the same way" \
    sh -c "'$headcount' prune 3 --db again.db -q --keep 2 --finetune 40 --lr 2e-3 >/dev/null"
check "... to the same digits" \
    [ "$(rows slots.db | grep '^3|importance|2|40|0.002|')" = "$(rows again.db | grep '^3|importance|2|40|0.002|')" ]

# ---- what is shown ----
prune slots.db slots >report.txt
check "the report has a row for each head count, order and length of fine-tuning" \
    grep -qE '^heads +[+]steps +by +kept +n +acc +95% interval +- trained' report.txt
check "... has fine-tuned models in rows of their own" grep -qE '^ +4 +40 +importance +2 ' report.txt
check "... and puts models trained with as few heads beside those pruned to it" \
    grep -qE "^ +4 +0 +importance +4 .*\] +[-+][.0-9]+ +\[[^[]*\]$" report.txt
check "prune shows one trial with its fine-tuned rows" gives 0 '^importance  *40  *2 ' prune 3 --db slots.db --keep 2 --finetune 40

# ---- of a text, by its losses ----
seq 100 900 >words.txt
cat >text.yaml <<'Y'
# How few heads still guess the next byte?
name: text
task: {name: text, file: words.txt, length: 16}
model: {d_model: 8, layers: 1, heads: [1, 2, 4], d_ff: 8, mask: causal}
train: {steps: 60, batch: 8, lr: 1e-2, eval_every: 20, val_examples: 16, test_examples: 16}
seeds: 3
metric: {name: val_loss}
Y
"$headcount" run text.yaml --db text.db --quiet >run.txt 2>&1
check "a text's models are pruned" prune text.db text --by random
prune text.db text >report.txt
prune text.db text --json >out.json
prune text.db text --csv >out.csv
prune text.db text --markdown >out.markdown
check "the report of a text has losses with bits per byte beside them" \
    grep -qE '^heads +by +kept +n +loss .*bits/byte' report.txt
check "... says that they are in nats, less is better, over the seeds alone" sh -c "tr -s '\n ' '  ' <report.txt |
    grep -q 'loss: test loss in nats, less is better, .* over the seeds alone, on this text. heads:'"
check "... has no accuracy" sh -c "! grep -w acc report.txt out.json out.csv out.markdown"
check "JSON says what a text is judged by" [ "$(sql :memory: "SELECT (readfile('out.json') ->> 'metric') || ' ' ||
    (readfile('out.json') ->> 'goal')")" = "test_loss minimize" ]
sql text.db "CREATE TABLE told AS SELECT value AS r FROM json_each(readfile('out.json') -> 'rows')"
check "... has the mean test loss of each pruned model, in nats and in bits" none text.db "SELECT r FROM told WHERE
    abs((r ->> 'mean_loss') - (SELECT avg(p.test_loss) FROM pruning AS p JOIN trial USING (trial_id)
        JOIN config USING (config_id) WHERE (heads, kept, method) = (r ->> 'heads', r ->> 'kept', r ->> 'method')))
            > 1e-9
    OR abs((r ->> 'mean_bits') - (r ->> 'mean_loss') / ln(2)) > 1e-9 OR (r ->> 'ci95_low') < 0 OR r ->> 'n' <> 3"
check "... and that of models trained with as few heads" none text.db "SELECT r FROM told WHERE r ->> 'method' = 'importance'
    AND r ->> 'kept' IN (1, 2) AND NOT coalesce(abs((r ->> 'trained_loss') - (SELECT avg(test_loss) FROM trials
        WHERE heads = r ->> 'kept')) < 1e-9 AND abs((r ->> 'trained_bits') - (r ->> 'trained_loss') / ln(2)) < 1e-9
    AND abs((r ->> 'minus_trained') - (r ->> 'mean_loss') + (r ->> 'trained_loss')) < 1e-9, 0)"
check "CSV has the same losses and bits" [ "$(sed 1q out.csv | tr , '\n' | grep -cx \
    'mean_loss\|mean_bits\|trained_loss\|trained_bits')" = 4 ]
check "prune shows one trial of a text with its loss and bits per byte" gives 0 '^method  *fine-tuned  *kept  *loss  *bits/byte  *params' prune 3 --db text.db
check "heads of a text are told by the loss without them, not by places" sh -c \
    "'$headcount' heads text --db text.db --quiet | grep -qE '^heads +n +loss [+] ' &&
    ! '$headcount' heads text --db text.db --quiet | grep -qw sharp"
"$headcount" run text.yaml --db plain.db --quiet --set metric=null >run.txt 2>&1
prune plain.db text --keep 4,1 >report.txt
check "a text that is judged by accuracy is reported by accuracy" sh -c \
    "grep -qw acc report.txt && ! grep -q 'bits/byte' report.txt"

# ---- smaller models for other programs ----
size_of() { wc -c <"$1"; }
check "the smaller model is exported" "$headcount" export weights 3 smaller.safetensors --keep 3 --db slots.db
check "... and what it answers is exported" "$headcount" export testset 3 testset.safetensors --keep 3 --db slots.db
check "... and the whole model is exported" "$headcount" export weights 3 whole.safetensors --db slots.db
check "the smaller model is smaller on disk" [ "$(size_of smaller.safetensors)" -lt "$(size_of whole.safetensors)" ]
kept=$(sql slots.db "WITH head AS (SELECT l.value AS layer, h.value AS head
    FROM json_each('[0,1]') AS l, json_each('[0,1,2,3]') AS h)
    SELECT '[' || group_concat(list) || ']' FROM (SELECT layer, '[' || coalesce(group_concat(head)
        FILTER (WHERE NOT EXISTS (
        SELECT 1 FROM pruning, json_each(removed) AS r WHERE trial_id = 3 AND method = 'importance' AND kept = 3
            AND finetuned_steps = 0
        AND r.value ->> 0 = layer AND r.value ->> 1 = head)), '') || ']' AS list FROM head
            GROUP BY layer ORDER BY layer)")
check "the smaller model's metadata says which heads are left" grep -aqF "\"heads\":\"$kept\"" smaller.safetensors
check "... and what its accuracy is" \
    grep -aqF "\"test_acc\":\"$(sql slots.db "SELECT printf('%.17g', test_acc) FROM pruning WHERE trial_id = 3
    AND method = 'importance' AND kept = 3 AND finetuned_steps = 0")\"" smaller.safetensors
check "a second export has the same bytes" \
    sh -c "'$headcount' export weights 3 twice.safetensors --keep 3 --db slots.db &&
    cmp smaller.safetensors twice.safetensors"
check "a model pruned in random order is exported" "$headcount" export weights 3 random.safetensors --keep 3 --by random --db slots.db
check "... with other bytes" fails cmp -s smaller.safetensors random.safetensors
check "a fine-tuned model is exported" "$headcount" export weights 3 tuned.safetensors --keep 2 --finetune 40 --db slots.db
check "... with its accuracy" \
    grep -aqF "\"test_acc\":\"$(sql slots.db "SELECT printf('%.17g', test_acc) FROM pruning WHERE trial_id = 3
    AND kept = 2 AND finetuned_steps = 40 AND abs(lr - 1e-3) < 1e-12")\"" tuned.safetensors
if "$python" -c 'import numpy, torch' 2>/dev/null; then
    check "PyTorch answers the same with the smaller model" \
        "$python" "$root/tests/interop/torch_pruned.py" smaller.safetensors testset.safetensors whole.safetensors
else
    skip "PyTorch answers the same with the smaller model" "python3-torch"
fi

# ---- rotary positions ----
"$headcount" run slots.yaml --db rotary.db --quiet --set 'model={d_model: 16, heads: 4, kv_heads: 2, d_k: 6, layers: 2,
    d_ff: 32, positions: rotary}' --set name=rotary --set seeds=1 >rotary.txt 2>&1
check "heads measures a model with rotary positions" "$headcount" heads rotary --db rotary.db --quiet
check "... and prune removes its heads" prune rotary.db rotary
check "... down to one, with a row for each" [ "$(sql rotary.db 'SELECT count(*) FROM pruning')" = 8 ]
check "... and the unpruned model has its trial's own loss" none rotary.db "SELECT * FROM pruning JOIN trial AS t USING (trial_id)
    WHERE kept = 8 AND pruning.test_loss <> t.test_loss"
check "the attention of heads with rotary positions is exported" "$headcount" export attention 1 attention.safetensors --db rotary.db
"$headcount" export weights 1 rotary.safetensors --keep 3 --db rotary.db &&
    "$headcount" export testset 1 rotary-testset.safetensors --keep 3 --db rotary.db
if "$python" -c 'import numpy, torch' 2>/dev/null; then
    check "PyTorch answers the same with a pruned model of rotary positions" \
        "$python" "$root/tests/interop/torch_pruned.py" rotary.safetensors rotary-testset.safetensors
else
    skip "PyTorch answers the same with a pruned model of rotary positions" "python3-torch"
fi

# ---- what is refused ----
check "--keep above the heads of a trial is refused" \
    gives 2 "^headcount prune: --keep 9: trial 3 has only 8 heads; keep fewer$" prune 3 --keep 9 --db slots.db
check "--keep above the heads of every model is refused" \
    gives 2 "^headcount prune: --keep 9: no model of slots has more than 8 heads; keep fewer$" prune slots \
    --keep 9,1 --db slots.db
check "export --keep above the heads of a trial is refused" \
    gives 2 "^headcount export: --keep 9: trial 3 has only 8 heads; keep fewer$" export weights 3 no.safetensors \
    --keep 9 --db slots.db
check "--keep 0 is refused" gives 2 "'0' is not a number of heads to keep; give 1 or more" prune slots --keep 0 --db slots.db
check "a head count named twice is refused" gives 2 "names 2 twice" prune slots --keep 2,1,2 --db slots.db
check "an unknown method is refused" \
    gives 2 "is 'size'; allowed: importance, ablation, random" prune slots --by size --db slots.db
check "--lr without --finetune is refused" gives 2 "finetune STEPS" prune slots --lr 0.1 --db slots.db
check "a rate that is not above 0 is refused" gives 2 "must be a number above 0" prune slots --finetune 5 --lr -1 --db slots.db
check "--keep is refused for an export of results" gives 2 "weights and testset" export results --keep 3 --db slots.db
check "--by without --keep is refused for an export" gives 2 "needs --keep" export weights 3 no.safetensors --by random --db slots.db
check "several head counts are refused for an export" \
    gives 2 "one head count" export weights 3 no.safetensors --keep 3,2 --db slots.db
check "... and nothing is written" [ ! -e no.safetensors ]
cp -r slots.db.d stop.db.d && cp slots.db stop.db
sql stop.db "DELETE FROM pruning; DELETE FROM study"
rm "stop.db.d/$(sql stop.db 'SELECT checkpoint FROM trial WHERE trial_id = 2')"
check "a trial whose weights are gone is named, with status 1" \
    gives 1 "heads=2" prune slots --by random --db stop.db
check "... and all others are pruned" \
    [ "$(sql stop.db "SELECT count(DISTINCT trial_id) FROM pruning WHERE method = 'random' OR kept = 2
    AND method = 'none'")" = 8 ]
finish
