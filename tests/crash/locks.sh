# Others at the same results file: a second coordinator, readers and writers that hold it for long,
# and files that are not results files at all.
choose_sweep small '[1, 2, 4]' 120 16
db=$dir/locks.db

second_coordinator() {
    fresh "$db"
    begin "$db" -j 1 --set train.steps=1000000
    first=$pid
    wait_until test -e "$db.d/t1-a1-0.ckpt" || trouble "the first did not start"
    run "$db"
    code=$?
    status_in "the second" 4
    tells "the second" "in use by process $first on"
    kill -TERM "$first"
    await "the first" "$first"
    status_in "the first" 75
    verdict "a second coordinator is told who holds the file, status 4"
}
second_coordinator

# Two names mean two locks and two logs: whoever writes is refused, whoever reads is not.
two_names() { # the other name
    run "$1"
    code=$?
    status_in "at $1" 2
    tells "at $1" "one of 2 names of the same file"
    "$headcount" report --db "$1" >"$dir/said" 2>&1 || trouble "$1 cannot be read: $(cat "$dir/said")"
}
links_and_copies() {
    fresh "$db"
    rm -rf "$dir/linked" "$dir/copied"
    mkdir "$dir/linked" "$dir/copied"
    run "$db" || trouble "the first run: status $?"
    ln "$db" "$dir/hard.db"
    two_names "$dir/hard.db"
    two_names "$db"
    rm "$dir/hard.db"
    cp -al "$db" "$db.d" "$dir/linked"
    two_names "$dir/linked/locks.db"
    rm -r "$dir/linked"
    cp -a "$db" "$db.d" "$dir/copied"
    for name in "$dir/copied/locks.db" "$db"; do
        run "$name" --set seeds=2 || trouble "one name again, $name: status $?"
        "$headcount" check --db "$name" >"$dir/said" || trouble "$(cat "$dir/said")"
    done
    verdict "a results file of two names (ln, cp -al) is written by nobody, a copy by whom it belongs to"
}
links_and_copies

# Mounted at another place: with its folder all is found, alone nothing but the file.
mounts() {
    fresh "$db"
    run "$db" || trouble "the first run: status $?"
    mkdir -p "$dir/there"
    touch "$dir/alone.db"
    unshare -rm sh -c '
        mount --bind "$2" "$3/alone.db" && mount --bind "$3" "$3/there" || exit 99
        "$0" run "$1" --db "$3/alone.db" --quiet && exit 98
        exec 9>>"$2.lock" && flock 9
        "$0" run "$1" --db "$3/there/locks.db" --quiet 9>&-
        [ $? = 4 ]' "$headcount" "$sweep" "$db" "$dir" >"$dir/said" 2>&1
    code=$?
    [ $code = 0 ] || trouble "status $code: $(cat "$dir/said")"
    tells "the file alone" "mounted by itself"
    tells "its folder" "is in use by"
    rm -rf "$dir/alone.db"
    verdict "a results file mounted by itself is refused; through a mounted folder its lock holds"
}
if unshare -rm true 2>/dev/null; then
    mounts
else
    skip "a results file that is mounted" "the right to mount in a namespace"
fi

reader_for_long() {
    fresh "$db"
    begin_paused "$db" 3 -- -j 1
    hold "$db" "BEGIN; SELECT count(*) FROM trials"
    kill -CONT "$worker"
    await "beside a reader" "$pid"
    status_in "beside a reader" 0
    same_results "beside a reader" "$db"
    touch "$dir/go"
    wait $holder || trouble "the reader was disturbed: $(cat "$dir/holder")"
    whole "after the reader" "$db"
    injected=$((injected + 1))
    verdict "a reader holds a transaction from the first trial to beyond the end: the sweep is done"
}

# While the first trial trains, somebody takes the write lock and keeps it beyond the trial's end:
# its end and the next claim have to wait.
writer_for_long() {
    fresh "$db"
    begin_paused "$db" 3 -- -j 1
    hold "$db" "BEGIN IMMEDIATE"
    kill -CONT "$worker"
    wait_until test -e "$db.d/t1-a1.result" || trouble "training did not go on to its end"
    pause 2000
    is_over "$pid" && trouble "the coordinator gave up: $(cat "$dir/said")"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM trial WHERE state = 'completed'")" = 0 ] ||
        trouble "somebody else's lock was passed"
    touch "$dir/go"
    wait $holder || trouble "the writer was disturbed: $(cat "$dir/holder")"
    await "beside a writer" "$pid"
    status_in "beside a writer" 0
    same_results "beside a writer" "$db"
    [ "$(sqlite3 "$db" "SELECT max(attempt) FROM trial")" = 1 ] || trouble "a trial ran twice"
    injected=$((injected + 1))
    verdict "a writer keeps its lock beyond a trial's end: training goes on, the commit succeeds later"
}
if can_inject; then
    reader_for_long
    writer_for_long
else
    skip "readers and writers that hold the file for long" "a plain build"
fi

# Already there when the run starts.
writer_at_start() {
    fresh "$db"
    run "$db" --set seeds=2 || trouble "the first run: status $?"
    run "$db" || trouble "the second run: status $?"
    hold "$db" "BEGIN IMMEDIATE"
    begin "$db" -j 1 --set seeds=3
    pause 1500
    touch "$dir/go"
    wait $holder
    await "started beside a writer" "$pid"
    status_in "started beside a writer" 0 4
    [ "$code" -eq 0 ] || tells "started beside a writer" 'locked|in use|busy'
    run "$db" || trouble "afterwards: status $?"
    injected=$((injected + 1))
    verdict "a writer holds its lock when a run starts: it waits or says so"
}
writer_at_start

refused() { # label, file, pattern: status 2, and not a byte of it changed
    before=$(cksum <"$2")
    for command in "run $sweep" status report "export results" gc; do
        limited "$headcount" $command --db "$2"
        code=$?
        status_in "$1, $command" 2
        tells "$1, $command" "$3"
    done
    [ "$(cksum <"$2")" = "$before" ] || trouble "$1: the file was changed"
}
foreign_files() {
    echo "these are my notes, not a database" >"$dir/notes.db"
    refused "a text file" "$dir/notes.db" 'notes.db is not a results file'
    rm -f "$dir/foreign.db"
    sqlite3 "$dir/foreign.db" "CREATE TABLE recipe (name TEXT)"
    refused "a foreign database" "$dir/foreign.db" 'database of another program'
    fresh "$db"
    run "$db" || trouble "status $?"
    cp "$db" "$dir/newer.db"
    sqlite3 "$dir/newer.db" "PRAGMA user_version = 99"
    refused "a newer version" "$dir/newer.db" 'format 99, of a newer headcount'
    verdict "a text file, a foreign database and a newer format as --db are refused and left alone"
}
foreign_files

# Where shared memory cannot be relied on there is no WAL, and kills do no more harm.
network_file_system() {
    original=$sweep original_reference=$reference fault_calls=
    choose_sweep tiny '[1, 2]' 8 8
    everywhere "a network file system: no WAL; coordinator and worker killed together at a call of either" 5 \
        all_fresh without_wal FAULT_NFS=1 FAULT_DO=crash run "$sweep" --db "$db" --quiet -j 1
    fresh "$db"
    faulty FAULT_NFS=1 FAULT_AT=0 -- run "$sweep" --db "$db" --quiet -j 1
    status_in "on NFS" 0
    same_results "on NFS" "$db"
    fresh "$db"
    fault_calls=flock
    faulty FAULT_AT=1 FAULT_DO=ENOLCK FAULT_LASTS=1 -- run "$sweep" --db "$db" --quiet
    status_in "without locks" 3
    tells "without locks" "has no locks"
    sweep=$original reference=$original_reference
    verdict "a network file system: the same results; none without locks"
}
without_wal() { # label
    [ ! -e "$db-wal" ] || trouble "$1: there is a WAL"
    whole "$1" "$db"
}
if can_inject; then
    network_file_system
else
    skip "a network file system" "a plain build"
fi

# New points are added; a point whose meaning changed is another point, and nothing is mixed.
changed_sweep() {
    fresh "$db"
    original=$sweep
    run "$db" || trouble "status $?"
    sed 's/heads: .*]/heads: [1, 2, 4, 8]/; s/layers: 1/layers: [1]/' "$original" >"$dir/changed.yaml"
    sweep=$dir/changed.yaml
    run "$db" || trouble "with a head count more: status $?"
    [ "$(sqlite3 "$db" "SELECT count(*), (SELECT count(*) FROM attempt) FROM trial")" = "4|4" ] ||
        trouble "not just the new point ran"
    sed 's/dropout: 0.1/dropout: 0.2/; s/heads: .*]/heads: [1, 2, 4]/' "$original" >"$dir/changed.yaml"
    run "$db"
    code=$?
    status_in "no point is left" 2
    tells "no point is left" '--replace'
    run "$db" --replace || trouble "--replace: status $?"
    [ "$(sqlite3 "$db" "SELECT count(*), sum(in_plan), count(DISTINCT config_id) FROM trial")" = "7|3|7" ] ||
        trouble "old and new meaning were mixed"
    sweep=$original
    verdict "a changed sweep file: new points are added, a changed meaning is a new point"
}
changed_sweep

# A partial sweep goes on with another binary's checkpoints only with a note.
other_build() {
    fresh "$db"
    fault_calls=rename
    faulty FAULT_WHO=worker FAULT_AT=7 FAULT_DO=crash -- run "$sweep" --db "$db" --quiet -j 1
    export OPENBLAS_CORETYPE=Haswell
    run "$db" || trouble "status $?: $(tail -n 3 "$dir/said")"
    unset OPENBLAS_CORETYPE
    [ "$(sqlite3 "$db" "SELECT count(*) FROM attempt WHERE note LIKE '%another build%'")" = 1 ] ||
        trouble "going on with other kernels is not noted"
    verdict "a checkpoint of other BLAS kernels is marked in its attempt"
}
if can_inject && [ "$(uname -m)" = x86_64 ]; then
    other_build
else
    skip "a checkpoint of other BLAS kernels" "x86-64 and a plain build"
fi
