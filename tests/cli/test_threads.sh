#!/bin/sh
# Threads within a trial: idle cores go to those that run, and no byte depends on it, whoever is stopped or
# killed. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
[ "$(nproc)" -ge 2 ] || skip_all "idle cores go to trials that run" "two cores"
two=$(taskset -cp $$ | sed 's/.*: *//; s/\([0-9]*\)[-,]\([0-9]*\).*/\1,\2/')
sql() { sqlite3 "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run three.yaml --db "$db" --quiet "$@" 2>>run.err >/dev/null
}
held_run() { # what pausing is told, db, arguments...: in the background; $pid
    words=$1
    shift
    # shellcheck disable=SC2046,SC2086
    env $(pausing held $words) setsid "$headcount" run three.yaml --quiet --db "$@" 2>>run.err >/dev/null &
    pid=$!
}
completed() { # db, N
    [ "$(sql "$1" "SELECT count(*) FROM trial WHERE state = 'completed'")" -ge "$2" ]
}
threads_of() { ls "/proc/$1/task" | wc -l; }
hears() { # pid of a coordinator, threads: the worker that pauses has so many
    wait_beside "$1" pauses "$1" && [ "$(threads_of "$held")" = "$2" ] || {
        echo "$(threads_of "$held") threads"
        return 1
    }
}
same_export() { # db: equal to that of one thread
    "$headcount" export results --db "$1" >"$1.jsonl" && cmp one.jsonl "$1.jsonl"
}

cat >three.yaml <<'Y'
name: three
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 32, heads: 2, layers: 1, dropout: 0.1}
train: {steps: 120, batch: 64, eval_every: 40, val_examples: 64, test_examples: 64}
seeds: 3
Y
check "a sweep runs with one thread for each trial" run one.db -t 1
"$headcount" export results --db one.db >one.jsonl

# ---- the last one hears that a core is idle ----
export HEADCOUNT_CHECKPOINT_S=1000 # the only name that a worker gives is that of its result
held_run "start,rename 2 all" auto.db -j 2
begun() { # the first that paused before it began, which may be after the other paused before its result
    second=$(sed -n '/^worker start / { s///; p; q; }' held.count.fired 2>/dev/null)
    [ -n "$second" ] && grep -qs '^State:.T' "/proc/$second/status"
}
wait_beside $pid begun
others() { # those that pause besides the second
    for held in $(workers_of "$pid"); do
        [ "$held" != "$second" ] && grep -qs '^State:.T' "/proc/$held/status" && return
    done
    false
}
wait_beside $pid others
check "the first of two trials on two cores has one thread" [ "$(threads_of "$held")" = 1 ]
kill -CONT "$held"
wait_beside $pid completed auto.db 1
wait_beside $pid others # the third, before it begins
third=$held
kill -CONT "$second"
result_of() { # pid: it pauses again, and has trained
    grep -qs '^State:.T' "/proc/$1/status" && [ "$(grep -c rename held.count.fired)" -ge "$2" ]
}
wait_beside $pid result_of "$second" 2
check "... and so has the second" [ "$(threads_of "$second")" = 1 ]
kill -CONT "$second"
wait_beside $pid completed auto.db 2
kill -CONT "$third"
wait_beside $pid result_of "$third" 3
check "the last of three trials is given two threads" [ "$(threads_of "$third")" = 2 ]
kill -CONT "$third"
wait $pid
check "... and all three complete" completed auto.db 3
check "... with the bytes of one thread" same_export auto.db

# ---- a number ----
held_run "rename 1 all" each.db -t 3 -j 1
check "-t 3 -j 1 gives a trial three threads" hears $pid 3
kill -KILL -$pid
wait $pid 2>/dev/null
held_run "start 1 all" few.db -t 2 -j 2
both() { [ "$(workers_of "$pid" | wc -l)" = 2 ]; }
check "-t 2 -j 2 runs two trials at once" wait_beside $pid both
kill -KILL -$pid
wait $pid 2>/dev/null
check "-t 2 on two cores plans one trial at once" \
    sh -c "taskset -c $two '$headcount' plan three.yaml --db no.db -t 2 | grep -q 'with 1 at once of 2 threads\\.\$'"

# ---- interrupted and killed, with other numbers: the same bytes ----
export HEADCOUNT_CHECKPOINT_S=0.05
for threads in 2 auto 3 1; do
    held_run "rename 2 all" stop.db -t $threads -j 2
    wait_beside $pid pauses $pid
    kill -TERM $pid
    for held in $(workers_of $pid); do kill -CONT "$held"; done
    wait $pid
    stopped=$?
done
check "a run is stopped with another number of threads each time" [ $stopped -eq 75 ]
check "... and goes on" run stop.db
check "... to the same bytes" same_export stop.db
check "... and without a word of another build" [ "$(grep -c 'another build' run.err)" = 0 ]
check "... also in its attempts" [ "$(sql stop.db "SELECT count(*) FROM attempt WHERE note LIKE '%build%'")" = 0 ]
for threads in auto 2 3; do
    held_run "rename 3 all" kill.db -t $threads -j 1
    wait_beside $pid pauses $pid
    kill -KILL $pid
    wait $pid 2>/dev/null
done
check "a sweep goes on after kill -9 with other numbers of threads" run kill.db -t 2
check "... to the same bytes" same_export kill.db

# ---- on another machine ----
export HEADCOUNT_CHECKPOINT_S=1000
cat >join <<'J'
#!/bin/sh
shift
echo $$ >agent.pid
. ./held.env
exec "$@"
J
chmod +x join
echo "export $(pausing far rename 1)" >held.env
"$headcount" run three.yaml --set seeds=1 --db far.db --launch './join {host}' --hosts a:2 >/dev/null 2>far.err &
pid=$!
wait_beside $pid test -s agent.pid
agent=$(cat agent.pid)
far() { pauses "$agent"; }
wait_beside $pid far
check "the only trial of an agent is given two threads" [ "$(threads_of "$held")" = 2 ]
kill -CONT "$held"
wait $pid
check "... and completes" completed far.db 1

# ---- what cannot be ----
refused() { # words, arguments...
    words=$1
    shift
    "$headcount" run three.yaml --db none.db "$@" >none.out 2>&1
    code=$?
    [ $code -eq 2 ] && grep -qF -e "$words" none.out || { echo "status $code"; cat none.out; return 1; }
}
check "--threads 0 is refused" refused "--threads is '0'; allowed: auto, 1 to 64" -t 0
check "--threads above 64 is refused" refused "--threads is '65'; allowed: auto, 1 to 64" --threads 65
check "--threads with a word is refused" refused "--threads is 'all'; allowed: auto, 1 to 64" -t all
check "half a thread in the sweep file is refused" refused "--set threads: threads is 1.5, but must be a whole number" --set threads=1.5
check "a refused run makes no results file" [ ! -e none.db ]
finish
