# What all groups of the fault matrix share beside tests/tap.sh; sourced by run.sh from the repository
# root. A case is one line, however many faults it injects, and says how many of them happened.
. tests/tap.sh
form=${CRASH_FORM:-long}
seed=${CRASH_SEED:-1}
count=$dir/count
injected=0
trap 'umount "$dir/disk" 2>/dev/null; clean_up' EXIT

# ---- cases ----

long() {
    [ "$form" = long ]
}
# The numbers from 1 to $1 that are hit: all in the long form, about $2 of them in the short one.
points() {
    if long || [ "$1" -le "$2" ]; then
        seq 1 "$1"
    else
        seq 1 $((($1 - 1) / ($2 - 1))) "$1"
    fi
}
random() { # below $1; the same sequence for the same CRASH_SEED
    seed=$(((seed * 1103515245 + 12345) & 2147483647))
    drawn=$(((seed >> 8) % $1))
}

# ---- what this machine can do ----

can_mount() {
    mkdir -p "$dir/disk" && mount -t tmpfs -o size=1m none "$dir/disk" 2>/dev/null &&
        umount "$dir/disk"
}

# Words in front of a command that an ordinary user is to run, in $as_user: none where that is who runs
# this. False where root cannot become the user nobody, or where nobody can reach the program.
can_be_ordinary() {
    as_user=
    [ "$(id -u)" = 0 ] || return 0
    as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
    $as_user test -x "$headcount" 2>/dev/null
}

# ---- processes ----

state_of() { # pid: R, S, Z, ...; nothing if there is none
    state=
    read -r line 2>/dev/null <"/proc/$1/stat" || return 0
    state=${line##*) }
    state=${state%% *}
}
is_over() { # pid
    state_of "$1"
    [ -z "$state" ] || [ "$state" = Z ]
}
is_paused() { # pid
    state_of "$1"
    [ "$state" = T ]
}
# Waits for a process started here. Its status is in $code; one that hangs is killed and is trouble.
await() { # label, pid
    if ! wait_until is_over "$2"; then
        trouble "$1: hangs (pid $2)"
        kill -KILL "-$2" 2>/dev/null
    fi
    wait "$2" 2>/dev/null
    code=$?
}
members_of() { # group: "pid state" of those that run; the dead that init has not met yet are dead
    for stat in /proc/[0-9]*/stat; do
        read -r line 2>/dev/null <"$stat" || continue
        rest=${line##*) }
        case $rest in
        [ZX]*) ;;
        "${rest%% *} "*" $1 "*)
            set -- "$1" $rest
            [ "$4" = "$1" ] && echo "${line%% *} $2"
            ;;
        esac
    done
}
no_orphans() { # label, group: all its processes are gone within a second
    tries=0
    while left=$(members_of "$2") && [ -n "$left" ]; do
        tries=$((tries + 1))
        if [ $tries -gt "$(seconds 20)" ]; then
            trouble "$1: processes of the run are left:" $left
            kill -KILL "-$2" 2>/dev/null
            return
        fi
        sleep 0.05
    done
}
# Of the run $pid; false where there is nothing to kill.
one_kill() { # victim: coordinator, agent, worker, workers or group
    case $1 in
    agent)
        victims=$(agent_of "$pid")
        [ -n "$victims" ] && kill -KILL $victims 2>/dev/null
        ;;
    coordinator) kill -KILL "$pid" 2>/dev/null ;;
    group) kill -KILL "-$pid" 2>/dev/null ;;
    worker | workers)
        victims=$(workers_of "$pid")
        [ "$1" = worker ] && victims=${victims%%
*}
        [ -n "$victims" ] && kill -KILL $victims 2>/dev/null
        ;;
    esac
}
pause() { # milliseconds
    sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
}

# ---- running ----

limited() { # command...: status 137 if it hangs; its output in $dir/said
    timeout -s KILL "$(seconds 60)" "$@" >"$dir/said" 2>&1 </dev/null
}
run() { # db, arguments...
    run_db=$1
    shift
    limited "$headcount" run "$sweep" --db "$run_db" --quiet "$@"
}
begin() { # db, arguments...: in the background, in a process group of its own; $pid
    run_db=$1
    shift
    env --default-signal=INT setsid "$headcount" run "$sweep" --db "$run_db" --quiet "$@" >"$dir/said" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
}
# As begin, with the injector: the worker pauses before its Nth change of a file's name, which is the
# end of a checkpoint or a result. $pid, and $worker, which is to be sent SIGCONT.
begin_paused() { # db, N, FAULT_X=... -- arguments...
    rm -f "$count" "$count.fired"
    run_db=$1 nth=$2 settings=
    shift 2
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    setsid env $settings FAULT_WHO=worker FAULT_CALLS=rename FAULT_DO=stop FAULT_AT="$nth" \
        FAULT_COUNT="$count" LD_PRELOAD="$inject" \
        "$headcount" run "$sweep" --db "$run_db" --quiet "$@" >"$dir/said" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    wait_until test -s "$count.fired" || trouble "no worker came to rename $nth"
    worker=
    wait_until paused_worker_of "$pid" || trouble "no worker is paused"
}
# Kills a run between its worker's Nth change of a file's name and the moment when its coordinator hears of it: that
# file is durable, and it is for the next run to take it in. False where nothing can be injected.
kill_unheard() { # name, db, N, the file
    if ! can_inject; then
        skip "$1" "a plain build"
        return 1
    fi
    db=$2
    fresh "$db"
    begin_paused "$db" "$3" -- -j 1
    kill -STOP "$pid"
    kill -CONT "$worker"
    wait_until is_over "$worker" || trouble "the worker did not end"
    kill -KILL "$pid"
    await "$1" "$pid"
    no_orphans "$1" "$pid"
    [ -e "$db.d/$4" ] || trouble "$4 is not there: $(ls "$db.d")"
    injected=$((injected + 1))
}
paused_worker_of() { # pid of the coordinator
    for worker in $(workers_of "$1"); do
        is_paused "$worker" && return
    done
    return 1
}
# Runs the program with the injector: faulty FAULT_X=... -- arguments of headcount. $code, $fired.
faulty() {
    rm -f "$count" "$count.fired"
    settings=
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    # $settings: words without spaces, but for FAULT_CALLS, which is a variable of its own
    limited env $settings FAULT_CALLS="$fault_calls" FAULT_COUNT="$count" LD_PRELOAD="$inject" \
        "$headcount" "$@"
    code=$?
    fired=0
    [ -s "$count.fired" ] && fired=1
    injected=$((injected + fired))
}
matched() { # how many calls matched in the last faulty run
    od -An -tu8 -N8 "$count" | tr -d ' '
}
# The last faulty run had fewer calls than one before it: how workers' messages fall into reads changes their number
# a little.
ended_before() { # call, how many there were
    [ "$(matched)" -lt "$1" ] && [ "$1" -gt $(($2 - 12)) ]
}
fresh() { # db: without a trace of an earlier one
    rm -rf "$1" "$1".d "$1"-* "$1".lock
}

# sqlite3 as a person uses it, holding what "$2" begins until the file $dir/go is there.
hold() { # db, SQL
    rm -f "$dir/go" "$dir/held"
    sqlite3 -bail "$1" ".timeout 10000" "$2" ".shell touch $dir/held" \
        ".shell until [ -e $dir/go ]; do sleep 0.05; done" "COMMIT" >"$dir/holder" 2>&1 &
    holder=$!
    wait_until test -e "$dir/held" || trouble "sqlite3 could not hold the file: $(cat "$dir/holder")"
}

# ---- judging ----

# The trials that are acknowledged as completed in the state a crash left, looked at in a copy: a
# look would recover the file, which is the program's business.
acknowledged() { # db
    rm -f "$dir"/copy.db*
    for suffix in '' -wal -journal; do
        [ -e "$1$suffix" ] && cp "$1$suffix" "$dir/copy.db$suffix"
    done
    [ -s "$dir/copy.db" ] || return 0
    sqlite3 "$dir/copy.db" "SELECT trial_id, attempt FROM trial WHERE state = 'completed'" 2>/dev/null
}
# Finishes a run that was disturbed and holds it against the undisturbed one: nothing lost, nothing
# doubled, nothing acknowledged done again.
whole() { # label, db
    before=$(acknowledged "$2")
    run "$2" || trouble "$1: finishing it gave status $?: $(tail -n 3 "$dir/said")"
    same_results "$1" "$2"
    for row in $before; do
        sqlite3 "$2" "SELECT trial_id, attempt FROM trial WHERE state = 'completed'" |
            grep -qx "$row" || trouble "$1: the acknowledged trial|attempt $row is not there"
    done
}
same_results() { # label, db
    "$headcount" export results --db "$2" >"$dir/got.jsonl" 2>"$dir/said" ||
        trouble "$1: export: $(cat "$dir/said")"
    cmp "$reference" "$dir/got.jsonl" >"$dir/said" 2>&1 || trouble "$1: $(cat "$dir/said")"
    [ ! -e "$reference.looks" ] || [ "$(looks_of "$2")" = "$(cat "$reference.looks")" ] ||
        trouble "$1: looks: $(looks_of "$2")"
    state=$(sqlite3 "$2" "PRAGMA integrity_check; PRAGMA foreign_key_check;
        SELECT count(*) FROM trial WHERE state NOT IN ('completed', 'not_needed');
        SELECT count(*) FROM trial AS t WHERE (state = 'completed') <>
            (SELECT count(*) FROM attempt AS a
             WHERE a.trial_id = t.trial_id AND a.outcome = 'completed');
        SELECT count(*) FROM attempt WHERE ended IS NULL;" 2>&1 | tr '\n' ' ')
    [ "$state" = "ok 0 0 0 " ] ||
        trouble "$1: integrity, unfinished trials, trials not completed once, open attempts: $state"
}
looks_of() { # db: what looks came to
    sqlite3 "$1" "SELECT setting, look, kind, decided FROM look ORDER BY 1, 2"
}
tells() { # label, pattern: what the last command said
    grep -Eqi -- "$2" "$dir/said" || trouble "$1: does not say /$2/: $(tail -n 3 "$dir/said")"
}
status_in() { # label, status..., for $code
    status_label=$1
    shift
    for status; do
        [ "$code" -eq "$status" ] && return 0
    done
    trouble "$status_label: status $code, expected $*: $(tail -n 3 "$dir/said")"
    return 1
}

# A sweep of the given length and what it comes to undisturbed; $sweep, $reference.
choose_sweep() { # name, heads, steps, model width
    sweep=$dir/$1.yaml
    reference=$dir/$1.jsonl
    [ -e "$sweep" ] && return
    cat >"$sweep" <<Y
name: $1
task: {name: gather, length: 8, vocab: 8, slots: 1}
model: {d_model: $4, heads: $2, layers: 1, d_ff: 8, dropout: 0.1}
train: {steps: $3, batch: 4, lr: 3e-3, eval_every: $((($3 + 3) / 4)), val_examples: 8, test_examples: 8}
seeds: 1
Y
    run "$dir/$1.db" || trouble "the undisturbed run of $1: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/$1.db" >"$reference"
    [ -s "$reference" ] || trouble "the undisturbed run of $1 has no results"
}

# ---- a fault at every call ----

# A fault at every call of a command that is one of $fault_calls (every Nth in the short form). Each time
# PREPARE makes what the command works on, and JUDGE, which gets a label and the command, looks at what
# became of it, at $code too.
everywhere() {
    # name, points in the short form, PREPARE, JUDGE, FAULT_ settings of all runs, of the disturbed, command...
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    name=$1 of=$2 prepare=$3 judge=$4 always=$5 fault=$6
    shift 6
    $prepare
    faulty $always FAULT_AT=0 -- "$@"
    status_in "$name, undisturbed" 0
    total=$(matched)
    hits=0
    for at in $(points "$total" "$of"); do
        $prepare
        faulty $always FAULT_AT="$at" $fault -- "$@"
        label="$name $at of $total ($(head -n 1 "$count.fired" 2>/dev/null))"
        if [ "$fired" = 0 ]; then
            ended_before "$at" "$total" || trouble "$label: did not happen"
            continue
        fi
        hits=$((hits + 1))
        $judge "$label" "$@"
    done
    [ "$hits" -gt 0 ] || trouble "$name: nothing happened"
    verdict "$name: $hits of $total calls"
}
all_fresh() {
    fresh "$db"
}
kill_everywhere() { # name, who ('' both), how, points in the short form
    db=$dir/everywhere.db fault_calls= killed=$2
    everywhere "$1" "$4" all_fresh recovers "FAULT_WHO=$2" "FAULT_DO=$3" run "$sweep" --db "$db" --quiet -j 1
}
recovers() { # label
    [ "$killed" != worker ] || status_in "$1" 0
    whole "$1" "$db"
}
# A call of a kind fails once or from then on; the run must not claim success, must say why, and must go on
# afterwards.
fail_everywhere() { # name, calls, FAULT_ settings, pattern of the message, points, status...
    db=$dir/everywhere.db
    fail_name=$1 fault_calls=$2 fail_settings=$3 pattern=$4 fail_points=$5
    shift 5
    allowed=$*
    everywhere "$fail_name" "$fail_points" all_fresh fails_well "" "$fail_settings" run "$sweep" --db "$db" --quiet -j 1
}
fails_well() { # label
    case $(cat "$count.fired" 2>/dev/null) in
    # SQLite hides why it could not make or remove a file: it says "unable to open" of a later attempt.
    "coordinator open"* | "coordinator unlink"*) status_in "$1" 3 $allowed &&
        tells_failure "$1" "$pattern|unable to open" ;;
    *) status_in "$1" $allowed && tells_failure "$1" "$pattern" ;;
    esac
    [ "$code" -ne 0 ] || same_results "$1, status 0" "$db"
    whole "$1" "$db"
}
# A command that changes files is killed, finds the disk full, or cannot sync; then JUDGE as above.
changes="open mkdir write sync rename unlink truncate"
change_fails_everywhere() { # what it does, PREPARE, JUDGE, FAULT_ settings, command...
    doing=$1 before_each=$2 judge_change=$3 whose=$4
    shift 4
    fault_calls=$changes pattern=
    everywhere "$doing, killed at a call that changes a file" 10 "$before_each" change_failed \
        "$whose" FAULT_DO=kill "$@"
    fault_calls=write pattern='full|No space'
    everywhere "$doing, a call that changes a file finds the disk full" 5 "$before_each" change_failed "$whose" \
        FAULT_DO=ENOSPC "$@"
    fault_calls=sync pattern='sync|disk I/O|Input/output'
    everywhere "$doing, a sync fails" 6 "$before_each" change_failed "$whose" FAULT_DO=EIO "$@"
}
change_failed() { # label
    [ -z "$pattern" ] || { status_in "$1" 0 3 75 && tells_failure "$1" "$pattern|unable to open"; }
    $judge_change "$1"
}
tells_failure() { # label, pattern
    [ "$code" -eq 0 ] || tells "$1" "$2"
}
no_crash() { # label: no signal, and a word about it
    if [ "$code" -gt 128 ]; then
        trouble "$1: ended by signal $((code - 128)): $(tail -n 3 "$dir/said")"
    elif [ "$code" -ne 0 ]; then
        # "is not a result": SQLite's json_valid() says no where it had no memory to look
        tells "$1" "memory|could not be written|is not a result"
    fi
}
starve_run() { # whose allocations, points
    if ! can_inject; then
        skip "run without memory: allocations of $1" "a plain build"
        return
    fi
    db=$dir/everywhere.db
    fault_calls=memory
    fresh "$db"
    faulty FAULT_AT=0 FAULT_FROM="$1" -- run "$sweep" --db "$db" --quiet -j 1
    total=$(matched)
    hits=0
    for at in $(points_of_many "$total" "$2"); do
        fresh "$db"
        faulty FAULT_DO=ENOMEM FAULT_AT="$at" FAULT_FROM="$1" -- run "$sweep" --db "$db" --quiet -j 1
        label="run, $1 allocation $at of $total ($(cat "$count.fired" 2>/dev/null))"
        # SQLite's count varies with times and process ids
        [ $fired = 1 ] || [ "$1" = sqlite3 ] || ended_before "$at" "$total" || trouble "$label: did not happen"
        hits=$((hits + fired))
        no_crash "$label"
        whole "$label" "$db"
    done
    [ "$hits" -gt 0 ] || trouble "run without memory: nothing happened"
    verdict "run without memory: $hits of $total allocations of $1, all finished later"
}
# SQLite allocates by the ten thousand: about 300 of them in the long form.
points_of_many() {
    if long && [ "$1" -gt 2000 ]; then
        seq 1 $(($1 / 300)) "$1"
    else
        points "$1" "$2"
    fi
}
