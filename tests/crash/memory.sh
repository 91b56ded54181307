# Memory that runs out: at each allocation of the program, and of SQLite and libyaml within it
# (OpenBLAS and the C library's own are left alone); trials over their limits.
choose_sweep tiny '[1, 2]' 8 8
db=$dir/memory.db
fault_calls=memory

# Commands that change nothing: an error, or what they print is whole.
starve_reader() { # name, whose allocations, points, arguments...
    starve_name=$1 from=$2 starve_points=$3
    shift 3
    faulty FAULT_AT=0 FAULT_FROM="$from" -- "$@"
    status_in "$starve_name, undisturbed" 0
    cp "$dir/said" "$dir/expected"
    total=$(matched)
    hits=0
    for at in $(points_of_many "$total" "$starve_points"); do
        faulty FAULT_DO=ENOMEM FAULT_AT="$at" FAULT_FROM="$from" -- "$@"
        label="$starve_name, $from allocation $at of $total ($(cat "$count.fired" 2>/dev/null))"
        [ $fired = 1 ] || ended_before "$at" "$total" || trouble "$label: did not happen"
        hits=$((hits + fired))
        no_crash "$label"
        [ "$code" -ne 0 ] || cmp -s "$dir/said" "$dir/expected" ||
            trouble "$label: status 0, but the output differs"
    done
    verdict "$starve_name without memory: $hits of $total allocations of $from"
}
if can_inject; then
    run "$db" || trouble "status $?"
    starve_reader plan program 4 plan "$sweep" --db "$dir/tiny.db"
    starve_reader plan yaml 3 plan "$sweep" --db "$dir/tiny.db"
    starve_reader report program 9 report --db "$dir/tiny.db"
    starve_reader report sqlite3 4 report --db "$dir/tiny.db"
    starve_reader "check --retest" program 9 check --retest -q -j 1 --db "$dir/tiny.db"
    starve_reader "check --retest" sqlite3 4 check --retest -q -j 1 --db "$dir/tiny.db"
    # a map, and two sweeps side by side
    sed -e 's/^name: .*/name: map/' -e 's/slots: 1/slots: [1, 2, 3]/' "$sweep" >"$dir/map.yaml"
    cp "$dir/tiny.db" "$dir/two.db"
    "$headcount" run "$dir/map.yaml" --db "$dir/two.db" --quiet >"$dir/said" 2>&1 ||
        trouble "the map: $(cat "$dir/said")"
    starve_reader "report of a map" program 9 report map --db "$dir/two.db"
    starve_reader "report of two" program 9 report tiny map --db "$dir/two.db"
    starve_reader "report of two as JSON" program 5 report tiny map --json --db "$dir/two.db"
    starve_run program 7
    starve_run sqlite3 4
else
    skip "plan, run and report without memory" "a plain build"
fi

# ---- limits of trials ----

limits() {
    fresh "$db"
    cat >"$dir/limits.yaml" <<Y
name: limits
task: {name: copy, length: 32, vocab: 4}
model: {d_model: 64, heads: [2, 4], layers: 2, d_ff: 128}
train: {steps: 1000000, batch: 64}
seeds: 1
retries: 0
$1
Y
    limited "$headcount" run "$dir/limits.yaml" --db "$db" --quiet -j 2
    code=$?
    status_in "$1" 1
    [ "$(sqlite3 "$db" "SELECT count(*) FROM trial WHERE state = 'failed' AND limit_hit")" = 2 ] ||
        trouble "$1: not every trial failed at a limit"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM attempt WHERE error LIKE '%$2%'")" = 2 ] ||
        trouble "$1: $2 is not named: $(sqlite3 "$db" "SELECT error FROM attempt")"
    verdict "$3"
}
HEADCOUNT_CHECKPOINT_S=10
limits "limits: {time: 1s}" limits.time "a trial over its time limit fails with the limit named"
limits "limits: {memory: 8MiB}" limits.memory "a trial over its memory limit fails with the limit named"
HEADCOUNT_CHECKPOINT_S=0
grows() {
    name="a trial that grows over its memory limit saves its step and fails with the limit named"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fresh "$db"
    fault_calls=rename
    faulty FAULT_WHO=worker FAULT_DO=grow FAULT_AT=5 -- run "$sweep" --db "$db" --quiet -j 1 \
        --set train.steps=1000000 --set train.eval_every=1000000 --set limits.memory=48MiB \
        --set model.heads=2
    status_in "growing" 1
    row=$(sqlite3 "$db" "SELECT resume_step > 0, error FROM trial JOIN attempt USING (trial_id)")
    case $row in
    "1|stopped at step "*" by limits.memory: "*" MiB are resident, 48 MiB allowed") ;;
    *) trouble "$row" ;;
    esac
    verdict "$name"
}
grows

# One point of the grid blows up at once; the others go on.
divergence() {
    fresh "$db"
    cat >"$dir/wild.yaml" <<Y
name: wild
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 16, heads: 2, d_ff: 16}
train: {steps: 200, lr: [1e-3, 1000], clip: 0, batch: 8, eval_every: 50, val_examples: 16, test_examples: 16}
seeds: 1
Y
    limited "$headcount" run "$dir/wild.yaml" --db "$db" --quiet
    code=$?
    status_in "divergence" 1
    [ "$(sqlite3 "$db" "SELECT state, count(*), count(bad_step), max(attempt) FROM trial GROUP BY 1" |
        tr '\n' ' ')" = "completed|1|0|1 diverged|1|1|1 " ] ||
        trouble "$(sqlite3 "$db" "SELECT * FROM trial")"
    verdict "a trial that diverges is a result with its step, is not tried again, and the others go on"
}
divergence
