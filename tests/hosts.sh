# What tests of `run --launch` share; sourced behind tap.sh. The machines are processes here, joined by
# scripts in the place of ssh. A sweep of six trials, far, has been run here: here.jsonl.
settle
cat >sweep.yaml <<YAML
name: far
task: {name: gather}
model: {d_model: 16, heads: [1, 2]}
train: {steps: $(steps 400), batch: 64}
seeds: 3
YAML
export HEADCOUNT_CHECKPOINT_S=.2
# join HOST PROGRAM agent: what ssh does, for any host. Its agent is $HOST.pid.
cat >join <<'SH'
#!/bin/sh
host=$1
shift
echo $$ >"$host.pid"
exec "$@"
SH
# The same for hosts each with a fault of its own; "$@" is the agent. Frames end with their line.
cat >faulty <<'SH'
#!/bin/sh
host=$1
shift
echo $$ >"$host.pid"
export LC_ALL=C
case $host in
banner) echo "Welcome to $host, the last login was yesterday." && exec "$@" ;;
chatter) yes "not an agent" | head -c 100000 ;;
old) "$@" | sed -u 's/^version=./version=9/' ;;
blind) sed -u 's|\.db\.d$|.db.x|' | "$@" ;;
terminal) "$@" | sed -u 's/\r$//' ;;
gone) exec /nowhere/headcount agent ;;
dead) echo "connect to host dead port 22: no route" >&2; exit 255 ;;
silent) exec sleep 100 ;;
tight) ulimit -n 14 && exec "$@" ;;
fileless) sed -u 's|here\.txt|gone.txt|' | "$@" ;;
losing) sed -u '0,/here\.txt/!s|here\.txt|gone.txt|' | "$@" ;;
apart) exec setsid "$@" ;;
*) exec "$@" ;;
esac
SH
chmod +x join faulty
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
works() { # host: its worker trains, and has saved something
    [ -n "$(workers_of "$(agent "$1")")" ] && ls "$db".db.d/*.ckpt
}
hold() { # host: its worker stands still, in the middle of its trial
    held=$(workers_of "$(agent "$1")")
    kill -STOP "$held" && sleep .1 && grep -q '^State:.T' "/proc/$held/status"
}
gone() { ! kill -0 "$1" 2>/dev/null; }

headcount run sweep.yaml --db here.db -q >/dev/null 2>&1
headcount export results far --db here.db >here.jsonl
check "six trials here" [ "$(wc -l <here.jsonl)" -ge 6 ]
