#!/bin/sh
# A grid that is too low: tune.extend goes on beyond it, to the same bytes whoever is killed, whatever works and
# wherever, in shards, and where a later file lists the values. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
sweep=far.yaml
. "$root/tests/interrupt.sh"
rates() { # db: what each head count tried, * what it chose
    sql "$1" "SELECT group_concat(rates, '; ') FROM (SELECT heads || ': ' || group_concat(rate, ' ') AS rates FROM
        (SELECT heads, format('%g', tuning ->> '\$.\"train.lr\"') || iif(rank = 1, '*', '') AS rate FROM tuning
            ORDER BY heads, CAST(rate AS REAL)) GROUP BY heads)"
}
runs_nothing() { # sweep file, db
    "$headcount" run "$1" --db "$2" 2>&1 >/dev/null | grep -q 'nothing to run'
}
value() { # file, path
    sql :memory: "SELECT readfile('$1') ->> '$2'"
}

# Both head counts learn best at .01, far above what they were given.
cat >far.yaml <<'Y'
name: far
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2], layers: 1, d_ff: 32, dropout: 0.1}
train: {steps: 120, batch: 8, lr: [1e-5, 1e-4, 1e-3], eval_every: 20, val_examples: 64, test_examples: 64}
tune: {axes: [train.lr], seeds: 2, extend: 4}
exclude: [{model.heads: 1, train.lr: 1e-5}]
seeds: 2
claim: {best: 2, over: [1]}
Y

# ---- to the end ----
"$headcount" plan far.yaml --db whole.db >plan.txt
check "plan says how many trials would run at least and at most" grep -qE \
    '^10 to 26 tuning trials would run, then 4 that are judged: about .* to .*, by what tuning chooses\.$' plan.txt
check "a grid that is too low is extended" sh -c "'$headcount' run far.yaml --db whole.db -j 1 2>whole.err >whole.txt"
check "... and the run says so" \
    grep -qx 'heads=1: its outermost value was chosen, so lr=0.01 is added (2 tuning trials)' whole.err
"$headcount" export results --db whole.db >whole.jsonl
check "... until each choice lies inside" \
    [ "$(rates whole.db)" = "1: 0.0001 0.001 0.01* 0.1; 2: 1e-05 0.0001 0.001 0.01* 0.1" ]
check "... and only the chosen value is judged" \
    [ "$(sql whole.db "SELECT group_concat(heads || ' ' || lr || ' ' || n, ', ') FROM (SELECT heads, lr, count(*) AS n
        FROM trials WHERE NOT is_tuning AND state = 'completed' GROUP BY 1, 2)")" = "1 0.01 2, 2 0.01 2" ]
check "judged trials begin when the choice is final" \
    [ "$(sql whole.db "SELECT count(*) FROM trials AS t WHERE NOT is_tuning AND started < (SELECT max(ended) FROM
        trials AS k WHERE k.is_tuning AND k.heads = t.heads)")" = 0 ]
check "no trial completes twice, and nothing is left over" once_each whole.db
"$headcount" report far --db whole.db --json >report.json
check "the claim is still a prediction" grep -q '"prediction": *true' report.json
check "running the sweep again runs nothing" runs_nothing far.yaml whole.db
"$headcount" status --db whole.db >status.txt
check "status says how many points were added" \
    grep -qx 'far: 4 points with 16 trials were added beyond the listed values\.' status.txt
"$headcount" plan far.yaml --db whole.db --json >plan.json
"$headcount" status --db whole.db --json >status.json
check "plan counts as status does" \
    [ "$(value plan.json '$.planned') $(value plan.json '$.not_needed') $(value plan.json '$.would_run')" = \
    "$(value status.json '$[0].planned') $(value status.json '$[0].not_needed') 0" ]
"$headcount" plan far.yaml --db whole.db >plan.txt
check "plan has a line for each value" grep -qE '^ +1  lr=0.1 .* 2     2       0       0 ' plan.txt
check "gc finds nothing to remove" sh -c "'$headcount' gc --db whole.db | grep -qx 'removed 0 files, 0 B'"

# ---- with others, interrupted, killed, elsewhere: the same bytes ----
for workers in 2 4; do
    check "$workers workers come to the same bytes" sh -c "'$headcount' run far.yaml --db $workers.db -q -j $workers &&
        '$headcount' export results --db $workers.db | cmp whole.jsonl"
done
stop_and_resume stop.db 4 4
"$headcount" plan far.yaml --db stop.db --json >plan.json
"$headcount" status --db stop.db --json >status.json
check "half way, plan counts as status does" \
    [ "$(value plan.json '$.planned') $(value plan.json '$.not_needed') $(value plan.json '$.would_run')" = \
    "$(value status.json '$[0].planned') $(value status.json '$[0].not_needed') $(value status.json '$[0].queued')" ]
check "run goes on after the stops" run stop.db
goes_on_alike stop.db
kill_and_resume kill.db 4
printf '#!/bin/sh\nshift\nexec "$@"\n' >join && chmod +x join
check "the sweep runs on two other hosts" run hosts.db --launch "$dir/join {host}" --hosts a:1,b:2
check "... to the same bytes" same_export hosts.db

# ---- in shards ----
for k in 1 2; do
    check "shard $k of 2 runs" run shard-$k-of-2.db --shard $k/2
done
check "shard 1 adds values of its own head counts only" \
    [ "$(sql shard-1-of-2.db "SELECT group_concat(DISTINCT heads) FROM trials WHERE added")" = 1 ]
"$headcount" status --db shard.db --json >sum.json
check "status sums the shards" [ "$(value sum.json '$[0].planned') $(value sum.json '$[0].completed')" = "22 22" ]
check "the shards are merged" "$headcount" merge --into merged.db shard-1-of-2.db shard-2-of-2.db
check "... to the same bytes" same_export merged.db
check "the shards are merged in the other order" "$headcount" merge --into again.db shard-2-of-2.db shard-1-of-2.db
check "... to the same bytes" same_export again.db
check "... and nothing is left to run" runs_nothing far.yaml again.db
"$headcount" run far.yaml --db taken.db --from shard-2-of-2.db --from shard-1-of-2.db 2>taken.err >/dev/null
check "a run takes over what others have of values that it is yet to add" grep -q 'nothing to run' taken.err
check "... to the same bytes" same_export taken.db

# ---- the file changes ----
cp whole.db listed.db && cp -r whole.db.d listed.db.d
sed 's/1e-3\], eval/1e-3, .01, .1], eval/; s/, extend: 4//' far.yaml >listed.yaml
"$headcount" plan listed.yaml --db listed.db >plan.txt
check "a file that lists the values has nothing left, as plan says" grep -qx 'Nothing is left to run\.' plan.txt
check "... and runs nothing" runs_nothing listed.yaml listed.db
check "... and has the same trials" sh -c "'$headcount' export results --db listed.db | cmp whole.jsonl"
cp whole.db newer.db && cp -r whole.db.d newer.db.d
check "a file whose newer plan lists the values is merged" "$headcount" merge --into newer.db listed.db
check "... and its values count as listed" [ "$(sql newer.db 'SELECT sum(added) FROM trial WHERE in_plan')" = 0 ]
check "... with the same trials" sh -c "'$headcount' export results --db newer.db | cmp whole.jsonl"
check "a run of that file alone comes to the same bytes" sh -c "'$headcount' run listed.yaml --db alone.db -q &&
    '$headcount' export results --db alone.db | cmp whole.jsonl"
sed 's/, extend: 4//' far.yaml >short.yaml
"$headcount" plan short.yaml --db whole.db >plan.txt
check "without extend plan says that other values may be judged" grep -qE '^0 to 4 trials would run: ' plan.txt
check "a run without extend succeeds" sh -c "cp whole.db short.db && cp -r whole.db.d short.db.d &&
    '$headcount' run short.yaml --db short.db -q"
check "... takes added trials out of the plan and keeps their results" [ "$(sql short.db "SELECT count(*) FROM trials WHERE added AND NOT in_plan
    AND state = 'completed'")" = "$(sql whole.db "SELECT count(*) FROM trials WHERE added AND state = 'completed'")" ]
"$headcount" plan far.yaml --db short.db >plan.txt
check "plan says that added values come back with extend" \
    grep -qx 'heads=1: its outermost value was chosen, so lr=0.01 comes back' plan.txt
check "... and they are back with nothing to run" runs_nothing far.yaml short.db
"$headcount" run short.yaml --db raised.db -q || trouble "a sweep without extend"
"$headcount" plan far.yaml --db raised.db >plan.txt
check "where extend is new, plan says what the run will add" \
    grep -qx 'heads=1: its outermost value was chosen, so lr=0.01 will be added' plan.txt
check "... and how many trials that makes" grep -qE \
    '^4 to 16 tuning trials would run, then 0 to 4 that are judged: about .* to .*, by what tuning chooses\.$' plan.txt
"$headcount" plan far.yaml --db raised.db --json >plan.json
check "... also in JSON" [ "$(value plan.json '$.to_add[1].heads') $(value plan.json '$.to_add[1].tuning') $(value \
    plan.json '$.will_add')" = '2 {"train.lr":0.01} 4' ]
"$headcount" run far.yaml --db raised.db 2>raised.err >raised.txt
check "the run says what its planning has added" \
    grep -qx 'heads=1: its outermost value was chosen, so lr=0.01 is added (2 tuning trials)' raised.err
check "... and comes to the same choices" [ "$(rates raised.db)" = "$(rates whole.db)" ]
check "tune.extend from --set comes to the same bytes" sh -c "'$headcount' run short.yaml --db set.db -q --set tune.extend=4 \
    --set train.batch=8 && '$headcount' export results --db set.db | cmp whole.jsonl"
check "a constraint from --set is taken with values that are added" sh -c "'$headcount' run far.yaml --db held.db -q \
    --set 'constraints=[\"train.lr < .02\"]'"
check "... which end there" [ "$(rates held.db)" = "1: 0.0001 0.001 0.01*; 2: 1e-05 0.0001 0.001 0.01*" ]

# ---- with rungs, and what is refused ----
sed 's/extend: 4/rungs: {min_steps: 40, eta: 2}, extend: 4/' far.yaml >rungs.yaml
check "a sweep with extend and rungs runs" "$headcount" run rungs.yaml --db rungs.db -q
check "... and what is added trains to its end" \
    [ "$(sql rungs.db "SELECT group_concat(DISTINCT steps_done) FROM trials WHERE added AND is_tuning")" = 120 ]
check "... and the choice lies inside the values" [ "$(sql rungs.db "SELECT sum(n_outer) FROM tuning WHERE rank = 1")" = 0 ]
"$headcount" plan far.yaml --set run_cap=12 >cap.txt 2>&1
check "run_cap counts what may be added" grep -q 'the sweep has 5 points, and tune.extend may add 8' cap.txt
finish
