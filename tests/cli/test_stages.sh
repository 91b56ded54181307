#!/bin/sh
# A sweep that decides on its way what to train: rungs, values beyond the listed ones, looks, a confirmation. It comes to
# the same bytes whoever is killed, whatever works and wherever, and to those of trials that nothing interrupts. What is
# decided, and how it is said: tests/scenarios. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
export HEADCOUNT_CHECKPOINT_S=0.05
sql() { sqlite3 "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run stages.yaml --db "$db" --quiet "$@" 2>>said
}
decided="SELECT 'look', setting, look, kind, decided FROM look
    UNION ALL SELECT 'claim', setting, claim, trials, seen FROM confirmations ORDER BY 1, 2, 3"
same_bytes() { # db: those of the undisturbed run, which decided the same
    "$headcount" export results --db "$1" | cmp whole.jsonl && [ "$(sql "$1" "$decided")" = "$(sql whole.db "$decided")" ]
}
once_each() { # db: what completed did so once, the rest is not needed, and nothing is left over
    [ "$(sql "$1" "SELECT count(*) FROM trial WHERE state NOT IN ('completed', 'not_needed')")" = 0 ] &&
        [ "$(sql "$1" "SELECT count(*) FROM trial AS t WHERE (state = 'completed') <>
            (SELECT count(*) FROM attempt AS a WHERE a.trial_id = t.trial_id AND outcome = 'completed')")" = 0 ] &&
        [ "$(sql "$1" "SELECT count(*) FROM attempt WHERE ended IS NULL")" = 0 ] &&
        "$headcount" check --db "$1" && ! ls "$1.d" | grep -q ckpt
}
goes_on_alike() { # db
    check "$2, it goes on" run "$1"
    # A kill between the writing of a result and the removal of its checkpoints leaves these to gc.
    "$headcount" gc --db "$1" >/dev/null
    check "... to the same bytes" same_bytes "$1"
    check "... and what completed did so once" once_each "$1"
}
# A run in the background, with its group, until it has begun four attempts more, and one of its workers pauses.
begin() { # db, workers
    seen=$(sql "$1" 'SELECT count(*) FROM attempt' 2>/dev/null)
    env $(pausing stop start 4 all) setsid "$headcount" run stages.yaml --db "$1" --quiet -j "$2" 2>>said >&2 &
    pid=$!
    wait_beside $pid sh -c "[ \"\$(sqlite3 '$1' 'SELECT count(*) FROM attempt' 2>/dev/null)\" -ge $((${seen:-0} + 4)) ]"
    wait_beside $pid pauses $pid
}

cat >stages.yaml <<Y
name: stages
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: 16, heads: [2, 16], layers: 1, d_ff: 32, dropout: 0.1}
train: {steps: 60, batch: 16, lr: [3e-4, 3e-3, 1e-2], eval_every: 10, val_examples: 64, test_examples: 64}
tune: {axes: [train.lr], seeds: 2, rungs: {eta: 2, min_steps: 20}, extend: 3}
looks: [3, 4]
confirm: 6
Y
check "the sweep runs to its end" run whole.db -j 2
"$headcount" export results --db whole.db >whole.jsonl
check "... by rungs, values added, looks and a claim on fresh seeds" [ "$(sql whole.db "SELECT
    max(is_tuning AND choice = 'eliminated' AND steps_done < 60 AND steps_done > 0), max(added > 0), max(look),
    max(confirms AND state = 'completed') FROM trial")" = "1|1|2|1" ]
check "... each trial once" once_each whole.db
check "... and then has nothing to run" sh -c "'$headcount' run stages.yaml --db whole.db 2>&1 >/dev/null | grep 'nothing to run'"
check "... and gc has nothing to remove" sh -c "'$headcount' gc --db whole.db | grep -qx 'removed 0 files, 0 B'"
check "the weights give what is recorded" "$headcount" check --db whole.db --retest -q

# ---- against the same trials, each a setting, which nothing interrupts ----
rates=$(sql whole.db "SELECT '[' || group_concat(DISTINCT lr) || ']' FROM trials WHERE steps_done > 0")
seeds=$(sql whole.db "SELECT '[' || group_concat(DISTINCT seed) || ']' FROM trials WHERE steps_done > 0")
check "the same trials run without all that" "$headcount" run stages.yaml --db grid.db -q --set "train.lr=$rates" \
    --set "seeds=$seeds" --set tune=null --set looks=null --set confirm=null
both="ATTACH 'grid.db' AS grid; SELECT count(*) FROM trials AS t JOIN grid.trials AS g USING (config_sha256, seed)"
check "... to the same results" [ "$(sql whole.db "$both WHERE t.state = 'completed' AND
    (t.test_acc, t.test_loss, t.val_acc, t.best_step) = (g.test_acc, g.test_loss, g.val_acc, g.best_step)")" = \
    "$(sql whole.db "SELECT count(*) FROM trial WHERE state = 'completed'")" ]
check "... and curves of those that stopped at a rung begin alike" [ "$(sql whole.db "$both
    JOIN curve AS a ON a.trial_id = t.trial_id JOIN grid.curve AS b ON b.trial_id = g.trial_id AND b.step = a.step
    WHERE (a.train_loss, a.val_loss, a.val_acc, a.grad_norm, a.lr) = (b.train_loss, b.val_loss, b.val_acc, b.grad_norm,
    b.lr)")" = "$(sql whole.db 'SELECT count(*) FROM curve')" ]

# ---- with others, interrupted, killed, elsewhere ----
for workers in 1 4; do
    check "with $workers workers it runs" run $workers.db -j $workers
    check "... to the same bytes" same_bytes $workers.db
done
stops=
for workers in 1 3 2 4; do
    begin stop.db $workers
    kill -TERM -$pid
    wait $pid
    stops="$stops $?"
done
check "a run that is stopped ends with status 75" [ "$stops" = " 75 75 75 75" ]
goes_on_alike stop.db "stopped four times, with another number of workers each time"
for workers in 2 3 1 2 3; do
    begin kill.db $workers
    kill -KILL $pid
    wait $pid 2>/dev/null
done
goes_on_alike kill.db "after kill -9 of the coordinator"
printf '#!/bin/sh\nshift\nexec "$@"\n' >join && chmod +x join
check "on two other hosts it runs" run hosts.db --launch "$dir/join {host}" --hosts a:1,b:2
check "... to the same bytes" same_bytes hosts.db
check "a run takes over all of it from another file" run taken.db --from whole.db
check "... without training" [ "$(sql taken.db 'SELECT count(*) FROM attempt')" = "$(sql whole.db 'SELECT count(*) FROM attempt')" ]
check "... to the same bytes" same_bytes taken.db
check "half of it runs in a file of its own, with a seed less" run half.db --set 'looks=[2, 3]' --set confirm=null
check "... and the whole is merged into that" "$headcount" merge --into half.db whole.db -q
goes_on_alike half.db "merged"
finish
