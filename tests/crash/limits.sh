# Every command under every limit that a shell or a batch system sets, at several sizes: it does its
# work or says why not, within 5 s, and nothing is lost; models larger than the memory there is.
choose_sweep tiny '[1, 2]' 8 8
done_db=$dir/tiny.db
db=$dir/limits.db

# One command a line; $1 is a file with results, $2 one that the limited runs share.
commands() {
    cat <<C
--help
--version
plan $sweep --db $1
run $sweep --db $2 --quiet -j 2
status --db $1
show 1 --db $1
report --db $1
check --db $1
export results --db $1
export weights 1 $dir/limits.weights --db $1
export testset 1 $dir/limits.testset --db $1
gc --dry-run --db $1
tasks gather
bench --workload gather --heads 1 --trained 0 --milliseconds 1
C
}

# A command that ends in time with 0, or says why it does not. Exits by signals are faults, except
# where the limit itself is one.
limited_command() { # name of the limit, prlimit's option, command...
    label=$* given=$2
    shift 2
    said=$(timeout -s KILL "$(seconds 5)" $as_user prlimit "$given" "$headcount" "$@" 2>&1 </dev/null)
    code=$?
    echo "$said" >"$dir/said"
    [ $code -eq 0 ] && return
    refused=$((refused + 1))
    [ -n "$said" ] || [ "$limit_name" = "CPU" ] || trouble "$label: status $code without a word"
    case $limit_name:$code in
    *:[1-4] | *:75 | *:127) ;; # 127: the program loader's
    CPU:137) ;;
    *) trouble "$label: status $code: $(tail -n 3 "$dir/said")" ;;
    esac
}
limit() { # name, prlimit's option, sizes...
    limit_name=$1 option=$2
    shift 2
    tried=0 refused=0
    for size; do
        commands "$done_db" "$db" >"$dir/commands"
        while read -r line; do
            limited_command "$limit_name" "--$option=$size" $line
            tried=$((tried + 1))
        done <"$dir/commands"
    done
    # No command is sure to need a second of CPU time.
    [ "$refused" -gt 0 ] || [ "$option" = cpu ] || trouble "no limit was felt"
    whole "$limit_name" "$db"
    injected=$((injected + tried))
    verdict "$limit_name: $tried commands under limits, $refused refused by name, no hang, nothing lost"
}
sizes() { # the first ones, in the long form all
    if long; then echo "$@"; else echo "$1 $2"; fi
}

as_user= # words in front of prlimit
if ! plain || ! command -v prlimit >/dev/null; then
    skip "commands under the shell's limits" "a plain build, and prlimit"
else
    fresh "$db"
    limit "address space" as $(sizes 100000000 60000000 8000000 20000000 150000000 200000000 300000000)
    limit "stack" stack $(sizes 65536 600000 131072 262144 524288 1048576)
    limit "file size" fsize $(sizes 0 65536 1 4096 8192 131072)
    limit "CPU" cpu $(sizes 1)
    limit "open files" nofile $(sizes 4 8 3 5 6 7 10 14 20)
    # Root is not counted: the user nobody must be able to read the program and write the folder.
    chmod 777 "$dir"
    fresh "$db"
    if [ "$(id -u)" = 0 ] && can_be_ordinary; then
        done_before=$done_db done_db=$dir/nobody.db
        fresh "$done_db"
        $as_user "$headcount" run "$sweep" --db "$done_db" --quiet >"$dir/said" 2>&1 </dev/null
        limit "processes" nproc 0
        done_db=$done_before
    else
        skip "processes: commands under limits" "root, and a program that others can reach"
    fi
    as_user=
fi

# ---- CPU time ----

cpu_time() {
    timeout -s KILL "$(seconds 60)" prlimit --cpu=2 "$headcount" bench --workload gather --heads 1 \
        --milliseconds 50000 >"$dir/said" 2>&1 </dev/null
    code=$?
    status_in "bench" 3
    tells "bench" "ulimit -t"
    if long; then
        fresh "$db"
        HEADCOUNT_CHECKPOINT_S=100 limited prlimit --cpu=3 "$headcount" run "$sweep" --db "$db" \
            --quiet -j 2 --set train.steps=100000000 --set train.eval_every=100000000
        code=$?
        status_in "run" 1
        [ "$(sqlite3 "$db" "SELECT count(*) FROM trial JOIN attempt USING (trial_id) WHERE resume_step > 0
            AND state = 'failed' AND error LIKE 'stopped at step %ulimit -t%'")" = 2 ] ||
            trouble "run: $(sqlite3 "$db" "SELECT * FROM attempt")"
    fi
    verdict "who has used up its CPU time says so; a trial saves its step"
}
if plain && command -v prlimit >/dev/null; then
    cpu_time
else
    skip "who has used up its CPU time says so" "a plain build, and prlimit"
fi

# ---- memory that is not there ----

large_model() {
    cat >"$dir/large.yaml" <<Y
name: large
task: {name: copy, length: 32, vocab: 4}
model: {d_model: 2048, heads: 2, layers: 4}
train: {steps: 10, batch: 8}
seeds: 1
limits: {memory: 64MiB}
Y
    large=$dir/large.db
    fresh "$large"
    limited timeout -s KILL "$(seconds 5)" "$headcount" run "$dir/large.yaml" --db "$large" --quiet
    code=$?
    status_in "a large model" 1
    row=$(sqlite3 "$large" "SELECT outcome, error, max_rss_kib < 65536 FROM attempt")
    case $row in
    "failed|not started: it would take about "*" MiB, and limits.memory allows 64 MiB|1") ;;
    *) trouble "not refused before its first step: $row" ;;
    esac
    verdict "a model larger than limits.memory is refused before its memory is touched"
}
if plain; then
    large_model
else
    skip "a model larger than limits.memory is refused before its memory is touched" "a plain build"
fi

make_group() { # bytes; $group has a folder of a control group with this limit
    for mount in /sys/fs/cgroup/memory:memory.limit_in_bytes /sys/fs/cgroup:memory.max; do
        group=${mount%:*}/headcount-test-$$
        [ -e "${mount%:*}/cgroup.procs" ] && mkdir "$group" 2>/dev/null || continue
        echo "$1" 2>/dev/null >"$group/${mount#*:}" && return
        rmdir "$group"
    done
    return 1
}
larger_than_group() {
    name="a model larger than the control group's memory is refused at plan time"
    if ! plain || ! make_group 209715200 2>/dev/null; then
        skip "$name" "the right to make a control group"
        return
    fi
    for command in plan run; do
        limited timeout -s KILL "$(seconds 5)" sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" \
            "$headcount" $command "$dir/large.yaml" --db "$dir/group.db" --set limits.memory=64GiB
        code=$?
        status_in "$command" 2
        tells "$command" "large.yaml:3:.*more than the .* GiB that this process's control group may take"
        [ ! -e "$dir/group.db" ] || trouble "$command: wrote a results file"
    done
    wait_until rmdir "$group" || trouble "the group cannot be removed"
    verdict "$name"
}
larger_than_group
