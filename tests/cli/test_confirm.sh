#!/bin/sh
# confirm: what exploring finds is written down, and fresh seeds decide, to the same bytes whoever is killed,
# whatever works and wherever. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "fresh seeds decide"
cd "$dir" || exit 1
export HEADCOUNT_CHECKPOINT_S=0.05
sql() { sqlite3 "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run fresh.yaml --db "$db" "$@" 2>"$db.err" >"$db.out"
}
written="SELECT setting, explored, claim, trials, seen FROM confirmations ORDER BY 1"
same_export() { # db: equal to the undisturbed run's, and so is what was written down
    "$headcount" export results --db "$1" >"$1.jsonl" && cmp whole.jsonl "$1.jsonl" &&
        [ "$(sql "$1" "$written")" = "$(sql whole.db "$written")" ]
}
once_each() { # db: what completed did so once
    [ "$(sql "$1" "SELECT count(*) FROM trial WHERE state NOT IN ('completed', 'not_needed')")" = 0 ] &&
        [ "$(sql "$1" "SELECT count(*) FROM trial AS t WHERE (state = 'completed') <>
            (SELECT count(*) FROM attempt AS a WHERE a.trial_id = t.trial_id AND outcome = 'completed')")" = 0 ] &&
        "$headcount" check --db "$1"
}
runs_nothing() { # sweep file, db
    "$headcount" run "$1" --db "$2" 2>&1 >/dev/null | grep -q 'nothing to run'
}
value() { # file, path
    sql :memory: "SELECT readfile('$1') ->> '$2'"
}
copy() { # from, to
    cp "$1" "$2" && cp -r "$1.d" "$2.d"
}
says() { # db, sentence of the report, unwrapped: a pattern
    "$headcount" report fresh --db "$1" | tr -s '\n ' ' ' | grep -qE "$2"
}
confirmed='Confirmed on 6 fresh seeds: 2 heads are better than 16 \(difference in test accuracy \+[0-9.]+, p [=<] [0-9.]+\)'

# Two settings: after 4 steps nothing is learnt, and there is nothing to confirm; after 200 two heads are better.
cat >fresh.yaml <<'Y'
name: fresh
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [2, 16], layers: 1, d_ff: 32, dropout: 0}
train: {steps: [4, 200], batch: 32, lr: 1e-2, eval_every: 100, val_examples: 64, test_examples: 64}
seeds: 3
confirm: 6
Y

# Trials on two of the seeds that will be fresh, of another sweep.
sed 's/^name.*/name: other/; s/^seeds.*/seeds: [2000, 2001]/; /^confirm/d; s/\[4, 200\]/200/' fresh.yaml >other.yaml
check "another sweep runs first, on two of the fresh seeds" "$headcount" run other.yaml --db before.db -q

# ---- to the end ----
"$headcount" plan fresh.yaml --db whole.db >plan.txt
check "plan says that findings are confirmed on fresh seeds" \
    grep -qx "What each setting's trials speak for is then confirmed on 6 fresh seeds\." plan.txt
check "... and how many trials run at least and at most" grep -qE \
    '^12 to 36 trials would run: about .* to .*, by whether there is anything to confirm\.$' plan.txt
check "a sweep with confirm runs to its end" run whole.db -j 2
"$headcount" export results --db whole.db >whole.jsonl
check "... and says what is to be confirmed" grep -qx \
    'steps=200: 2 heads are tested against 16, on 6 fresh seeds (12 trials)' whole.db.err
check "... and where nothing is to be confirmed" grep -qx 'steps=4: nothing is to be confirmed (at_chance)' whole.db.err
check "... and the report says what is confirmed" \
    says whole.db "$confirmed; 2 heads were explored on 3 other seeds\."
check "... and where nothing could be confirmed" says whole.db \
    'Nothing is confirmed, as no head count was found that could be held against others.'
check "fresh seeds run only in the setting with a claim" \
    [ "$(sql whole.db "SELECT group_concat(steps || state || n, ' ') FROM (SELECT steps, state, count(*) AS n
    FROM trials WHERE confirms GROUP BY 1, 2)")" = "4not_needed12 200completed12" ]
check "... and none before the claim was written" \
    [ "$(sql whole.db "SELECT count(*) FROM trial AS t JOIN attempt USING (trial_id)
    JOIN confirmations AS c USING (setting) WHERE confirms AND started < written")" = 0 ]
check "means leave out the fresh seeds" [ "$(sql whole.db "SELECT group_concat(DISTINCT n) FROM by_heads")" = 3 ]
"$headcount" report --db whole.db --json >report.json
check "the JSON report has the confirmation" \
    [ "$(sql :memory: "SELECT group_concat(value -> '\$.verdict.confirmation.kind') FROM
    json_each(readfile('report.json'), '\$.settings') WHERE value -> '\$.verdict.confirmation.claim' IS NOT NULL")" = \
    '"claim_confirmed"' ]
check "show marks the trials that confirm" [ "$("$headcount" show --db whole.db | grep -c 'completed, confirming')" = 12 ]
check "export trials marks the trials that confirm" \
    [ "$("$headcount" export trials fresh --db whole.db | grep -c ',confirming,completed,')" = 12 ]
check "export results marks the trials that confirm" [ "$(grep -c '"confirms":true' whole.jsonl)" = 24 ]
"$headcount" plan fresh.yaml --db whole.db --json >plan.json
"$headcount" status --db whole.db --json >status.json
check "plan counts trials as status does" \
    [ "$(value plan.json '$.planned') $(value plan.json '$.not_needed') $(value plan.json '$.would_run')" = \
    "$(value status.json '$[0].planned') $(value status.json '$[0].not_needed') $(value status.json '$[0].queued')" ]
check "... and status counts those that confirm" [ "$(value status.json '$[0].confirm')" = '{"trials":12,"ended":12}' ]
check "... and says nothing of them as text once they have ended" sh -c "! '$headcount' status --db whole.db | grep confirming"
copy whole.db some.db
sql some.db "UPDATE trial SET state = 'queued' WHERE trial_id IN (SELECT trial_id FROM trial
    WHERE confirms = 1 AND choice = 'chosen' LIMIT 5)"
check "... but how far they are before that" sh -c "'$headcount' status --db some.db |
    grep -qx 'fresh: confirming: 7 of 12 trials on fresh seeds\.'"
check "status counts no such trials in a sweep without confirm" [ "$("$headcount" status --db before.db --json |
    sed 's/.*"confirm":\([^,]*\),.*/\1/')" = null ]
copy whole.db heads.db
check "heads measures a sweep with confirm" "$headcount" heads fresh --db heads.db -q
check "... but not the trials that confirm" [ "$(sql heads.db "SELECT count(*) || ' ' || sum(confirms) FROM study JOIN trial USING (trial_id)")" = "12 0" ]
check "a second run has nothing to run" runs_nothing fresh.yaml whole.db
check "check finds nothing wrong" "$headcount" check --db whole.db
check "... also when it tests the weights again" "$headcount" check --db whole.db --retest -q

# ---- another number of workers, interrupted, killed, elsewhere: the same trials, the same bytes ----
for workers in 1 4; do
    check "the sweep runs with -j $workers" run j$workers.db -j $workers
    check "... to the same bytes" same_export j$workers.db
done
for signal in TERM KILL TERM KILL KILL; do
    "$headcount" run fresh.yaml --db stop.db --quiet -j 2 2>>stop.err >/dev/null &
    pid=$!
    seen=$(sql stop.db 'SELECT count(*) FROM attempt' 2>/dev/null)
    wait_beside $pid sh -c "[ \"\$(sqlite3 stop.db 'SELECT count(*)
        FROM attempt' 2>/dev/null)\" -ge $((${seen:-0} + 4)) ]"
    kill -$signal $pid
    wait $pid 2>/dev/null
done
check "a run that was stopped and killed in turn goes on" run stop.db
check "... to the same bytes" same_export stop.db
check "... and each trial completed once" once_each stop.db
printf '#!/bin/sh\nshift\nexec "$@"\n' >join && chmod +x join
check "the sweep runs on two other hosts" run hosts.db --launch "$dir/join {host}" --hosts a:1,b:2
check "... to the same bytes" same_export hosts.db

# ---- the file changes ----
copy whole.db more.db
sed 's/seeds: 3/seeds: 4/' fresh.yaml >more.yaml
check "the sweep goes on with more seeds" sh -c "'$headcount' run more.yaml --db more.db -q 2>&1"
check "... and the report counts them as exploring" \
    says more.db "$confirmed; 2 heads were explored on 4 other seeds\."
check "... and the claim stays as it was written" [ "$(sql more.db "SELECT claim || trials FROM confirmations WHERE claim IS NOT NULL")" = \
    '{"best":2,"over":[16]}12' ]
"$headcount" run fresh.yaml --db whole.db --set confirm=8 >more.txt 2>&1
check "another number of fresh seeds is refused" [ $? = 2 ]
check "... with the reason" grep -q \
    'with 6 fresh seeds, which cannot change; put the old `confirm` back, or give the sweep another `name`' more.txt
check "a sweep runs to its end without confirm" "$headcount" run fresh.yaml --db late.db -q --set confirm=null
"$headcount" plan fresh.yaml --db late.db >late.txt
check "... and plan says that confirm may add trials" grep -q '^0 to 24 trials would run: about 0' late.txt
check "... and the run with confirm goes on" run late.db
check "... to the same bytes" same_export late.db
copy whole.db task.db
check "another task takes the place of a confirmed one" run task.db --replace --set task.slots=1
check "... and its report speaks of trials of its own" [ "$(sql task.db "SELECT group_concat(DISTINCT slots || in_plan || state) FROM trials
    WHERE confirms AND choice = 'chosen'")" = 20completed,11completed ]
check "... and check finds nothing wrong" "$headcount" check --db task.db
"$headcount" plan fresh.yaml --db task.db >task.txt
check "... and plan knows that the first task is confirmed where a claim was found" grep -q '^0 to 12 trials would run' task.txt
check "... and runs nothing for it" sh -c "'$headcount' run fresh.yaml --db task.db --replace 2>&1 >/dev/null | grep -q 'nothing to run'"
check "... and the report has its confirmation" says task.db "$confirmed; 2 heads were explored on 3 other seeds\."
copy whole.db axis.db
check "a confirmed sweep gets another axis" run axis.db --set 'task.slots=[1, 2]'
check "... and the claim stands, though its setting is called otherwise" \
    [ "$(sql axis.db "SELECT setting, written FROM confirmations WHERE best ORDER BY plan_change_id LIMIT 1")" = \
    "{\"task.slots\":2,\"train.steps\":200}|$(sql whole.db "SELECT written FROM confirmations WHERE best")" ]
check "... with no trial run again" [ "$(sql axis.db "SELECT count(*) FROM trials WHERE confirms AND slots = 2
    AND steps = 200 AND in_plan")" = 12 ]
check "the file without it is merged" "$headcount" merge --into axis.db whole.db -q
check "... and the claim is one" [ "$(sql axis.db "SELECT count(*) FROM plan_change WHERE by = 'confirm' AND claim IS NOT NULL
    AND setting = '{\"task.slots\":2,\"train.steps\":200}'")" = 1 ]
check "... with its trials" [ "$(sql axis.db "SELECT count(*) FROM trials WHERE confirms AND slots = 2 AND steps = 200 AND in_plan")" = 12 ]
check "a file with the axis is merged into one without it" "$headcount" merge --into both-axes.db whole.db axis.db -q
check "... and the claim is one there" [ "$(sql both-axes.db "SELECT setting FROM confirmations WHERE best AND written =
    (SELECT min(written) FROM confirmations WHERE best)")" = '{"task.slots":2,"train.steps":200}' ]
check "... and check finds nothing wrong" "$headcount" check --db both-axes.db
check "without the axis nothing has to run" runs_nothing fresh.yaml axis.db
check "... and the report has the confirmation" says axis.db "$confirmed; 2 heads were explored on 3 other seeds\."
copy whole.db none.db
check "a sweep that was confirmed runs without confirm" sh -c "'$headcount' run fresh.yaml --db none.db -q --set confirm=null"
check "... and its report says nothing of fresh seeds" sh -c "! '$headcount' report --db none.db | grep -qi 'fresh seeds'"
check "... and with confirm again nothing has to run" runs_nothing fresh.yaml none.db
check "... to the same bytes" same_export none.db
sed 's/^name.*/name: again/' fresh.yaml >again.yaml
copy whole.db again.db
check "the sweep runs again under another name" "$headcount" run again.yaml --db again.db -q
check "... and the report says that its seeds are not fresh" sh -c "'$headcount' report again --db again.db | tr -s '\n ' ' ' | grep -qF 'Not confirmed: the \
claim, 2 heads better than 16, was written down when 12 of the 12 trials on its seeds had ended, so that these are not \
fresh.'"
copy whole.db gone.db
"$headcount" sweep delete fresh --db gone.db --yes >/dev/null
check "a sweep that was deleted runs again" run gone.db
check "... and the report says that its seeds are not fresh" says gone.db 'so that these are not fresh.'

# ---- merged ----
check "a part of the sweep runs in a second file" "$headcount" run fresh.yaml --db part.db -q --set seeds=2
check "the two files are merged" "$headcount" merge --into both.db whole.db part.db -q
check "... also in the other order" "$headcount" merge --into other.db part.db whole.db -q
for db in both other; do
    check "nothing has to run in the merged file $db.db" runs_nothing fresh.yaml $db.db
    check "... and its report still has the confirmation" \
        says $db.db "$confirmed; 2 heads were explored on 3 other seeds\."
    check "... and check finds nothing wrong" "$headcount" check --db $db.db
done
copy whole.db known.db
check "a file with results from before the claim is merged" "$headcount" merge --into known.db before.db -q
check "... and the report says that the seeds are not fresh" says known.db \
    'was written down when 4 of the 12 trials on its seeds had ended, so that these are not fresh.'
copy whole.db since.db
"$headcount" run other.yaml --db later.db -q
check "a file with results from after the claim is merged" "$headcount" merge --into since.db later.db -q
check "... and the report still has the confirmation" \
    says since.db "$confirmed; 2 heads were explored on 3 other seeds\."
check "run --from takes over from a sweep with confirm" run taken.db --from whole.db
check "... and ends with the same bytes" same_export taken.db

# ---- what is refused ----
"$headcount" run fresh.yaml --db shard.db --shard 1/2 >shard.txt 2>&1
check "a shard of a sweep with confirm is refused" [ $? = 2 ]
check "... with the reason" grep -q 'a sweep with `confirm` cannot be cut into shards' shard.txt
"$headcount" submit fresh.yaml -n --array 4 >array.txt 2>&1
check "an array for a sweep with confirm is refused" [ $? = 2 ]
check "... with the reason" grep -q 'confirm, which needs the results of all shards; use --nodes' array.txt
finish
