# What tests of `run --launch` share; sourced behind tap.sh. The machines are processes here, joined by
# scripts in the place of ssh. A sweep of six trials, far, has been run here: here.jsonl.
settle
cat >sweep.yaml <<YAML
name: far
task: {name: gather}
model: {d_model: 16, heads: [1, 2]}
train: {steps: 30, batch: 16}
seeds: 3
YAML
export HEADCOUNT_CHECKPOINT_S=0 # a checkpoint at every step
# join HOST PROGRAM agent: what ssh does; "$@" is the agent, whose process is $HOST.pid. Some hosts have a
# fault of their own. Frames end with their line. gated begins its first trial when there is a file go;
# mounted sees the folder by way of a link *.link.
cat >join <<'SH'
#!/bin/sh
host=$1
shift
echo $$ >"$host.pid"
for pause in any "$host"; do
    [ ! -e "$pause.pause" ] || . "./$pause.pause"
done
export LC_ALL=C
agent() { sh -c 'echo $$ >"$0.pid"; exec "$@"' "$host" "$@"; }
case $host in
banner) echo "Welcome to $host, the last login was yesterday." && exec "$@" ;;
little) OPENBLAS_CORETYPE=Prescott HEADCOUNT_KERNELS=sse2 exec "$@" ;;
chatter) yes "not an agent" | head -c 100000 ;;
old) agent "$@" | sed -u 's/^sources=............/sources=0123456789ab/' ;;
blind) sed -u 's|\.db\.d$|.db.x|' | agent "$@" ;;
terminal) agent "$@" | sed -u 's/\r$//' ;;
gone) exec /nowhere/headcount agent ;;
dead) echo "connect to host dead port 22: no route" >&2; exit 255 ;;
silent) exec sleep 100 ;;
tight) ulimit -n 14 && exec "$@" ;;
fileless) sed -u 's|here\.txt|gone.txt|' | agent "$@" ;;
apart) exec setsid "$@" ;; # where the launcher's end does not reach the agent
readonly) ulimit -f 0 && exec "$@" ;;
broken) ulimit -f 1 && exec "$@" ;;
sick) # once gated has a trial, too
    sed -u '/trial=/e until [ -e gated.given ]; do sleep .02; done
    s/"gather"/"gathex"/' | agent "$@"
    ;;
sick*) sed -u 's/"gather"/"gathex"/' | agent "$@" ;;
deadly*) sed -u "/trial=2$/e echo $host >>deaths; kill -KILL 0" | agent "$@" ;;
garbled) agent "$@" | sed -u 's/\[{"step/[{!step/' ;;
few_files) ulimit -n 18 && exec "$@" ;;
last)
    sed -u '/trial=/e until [ -e died ]; do sleep .02; done
    /trial=6$/,/^config=/s/"gather"/"gathex"/' | agent "$@"
    ;;
lean) # has no memory for two at once, as is found out when they have begun
    [ ! -e lean.full ] || exec "$@"
    sed -u '/trial=/{x;s/^/x/;/xx/e touch lean.full; ./too_much
    x;}' | agent "$@"
    ;;
fat*) sed -u '/trial=2$/e ./too_much' | agent "$@" ;; # has none for trial 2
mortal)
    [ ! -e died ] || exit 255
    sed -u '/trial=/{x;s/^/x/;/xx/e touch died; kill -KILL 0
    x;}' | agent "$@"
    ;;
watched) tee -a watched.in | agent "$@" ;;
gated) sed -u '/trial=/e touch gated.given; until [ -e go ]; do sleep .02; done' | agent "$@" ;;
mounted) sed -u 's|\.db\.d$|.link|' | agent "$@" ;;
*) exec "$@" ;;
esac
SH
cat >too_much <<'SH'
#!/bin/sh
echo "slurmstepd: error: StepId=1.0 exceeded memory limit (2 > 1), being killed" >&2
echo "srun: error: n1: task 0: Killed" >&2
kill -KILL 0
SH
chmod +x join too_much
there="./join {host}"
run() { # db, arguments...: in the background; $pid, what it says in $1.out
    db=$1
    shift
    setsid headcount run sweep.yaml --db "$db.db" "$@" >"$db.out" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
}
ended_with() { # status
    wait "$pid"
    got=$?
    pid=
    [ "$got" -eq "$1" ] || { echo "status $got, not $1"; cat "$db.out"; return 1; }
}
says() { grep -q -e "$1" "$db.out" || { echo "nothing of '$1' in:"; cat "$db.out"; return 1; }; }
# The results are those of this machine alone, nothing is doubled, the file is sound.
as_here() { # db
    headcount export results far --db "$1.db" >"$1.jsonl" || return 1
    cmp here.jsonl "$1.jsonl" || return 1
    [ "$(sqlite3 "$1.db" "SELECT count(*) FROM attempt WHERE outcome = 'completed'")" = 6 ] || return 1
    headcount check --db "$1.db"
}
rows_say() { # db, question, answer
    answer=$(sqlite3 "$1.db" "$2")
    [ "$answer" = "$3" ] || { echo "$2: $answer, not $3"; sqlite3 -header "$1.db" "SELECT * FROM attempt"; return 1; }
}
agent() { cat "$1.pid" 2>/dev/null; }
workers_on() { # host, or any
    for process in $(if [ "$1" = any ]; then cat ./*.pid; else agent "$1"; fi 2>/dev/null); do
        workers_of "$process"
    done
}
# The next run is held: workers of a host (or of any, of all hosts together) pause, as pausing has it.
pause() { # host, start or rename, N, [all]
    echo "export $(pausing "$@")" >"$1.pause"
}
no_pauses() { rm -f ./*.pause; }
stands() { # host: a worker of it pauses; $held
    for held in $(workers_on "$1"); do
        grep -qs '^State:.T' "/proc/$held/status" && return
    done
    false
}
go_on() { # host
    kill -CONT $(workers_on "$1")
}
gone() { ! kill -0 "$1" 2>/dev/null; }

headcount run sweep.yaml --db here.db -q >/dev/null 2>&1
headcount export results far --db here.db >here.jsonl
check "six trials here" [ "$(wc -l <here.jsonl)" -ge 6 ]
