# Killed at every call that changes a file: the coordinator by strace, which sees the system calls
# themselves; the coordinator and its workers by the injector, which also tears writes in two.
choose_sweep tiny '[1, 2]' 8 8

kill_everywhere "the coordinator killed at a call that changes a file" coordinator kill 5
kill_everywhere "the coordinator killed in the middle of a write" coordinator torn 4
kill_everywhere "coordinator and worker killed together at a call of either" '' crash 5
kill_everywhere "a worker killed at a call that changes a file" worker kill 5
kill_everywhere "a worker killed in the middle of a write" worker torn 3

# ---- strace ----

changing=openat,mkdir,write,pwrite64,writev,fsync,fdatasync,rename,unlink,ftruncate

# The calls of the coordinator's main thread as "NAME N" lines, N counting calls of that name; openat
# only where it may create, write only where it goes to a file.
traced_calls() {
    fresh "$dir/calls.db"
    limited strace -y -o "$dir/trace" -e trace=$changing "$headcount" run "$sweep" \
        --db "$dir/calls.db" --quiet -j 1
    awk -F'(' '/^[a-z0-9]+\(/ { n[$1]++
        if ($1 == "openat" && !/O_CREAT/) next
        if ($1 == "write" && !/^write\([0-9]+<\//) next
        print $1, n[$1] }' "$dir/trace"
}
kill_traced() {
    name="the coordinator killed by strace at a system call that changes a file"
    if ! can_strace; then
        skip "$name" "strace"
        return
    fi
    db=$dir/calls.db
    traced_calls >"$dir/calls"
    total=$(wc -l <"$dir/calls")
    [ "$total" -gt 50 ] || trouble "strace saw only $total calls"
    hits=0
    for at in $(points "$total" 4); do
        read -r call n <<E
$(sed -n "${at}p" "$dir/calls")
E
        fresh "$db"
        limited strace -o "$dir/trace" -e trace="$call" -e inject="$call:signal=KILL:when=$n" \
            "$headcount" run "$sweep" --db "$db" --quiet -j 1
        if grep -q '+++ killed by SIGKILL +++' "$dir/trace"; then
            hits=$((hits + 1))
        else
            trouble "$call $n: strace did not kill: $(tail -n 2 "$dir/trace")"
        fi
        whole "$call $n" "$db"
    done
    injected=$((injected + hits))
    verdict "$name: $hits of $total calls, all recovered"
}
kill_traced

# Every worker dies at its Nth call, and those after it, which have saved more by then, do too: the
# run ends by itself. Only workers make these calls. (Two syncs belong to each file.)
kill_traced_workers() {
    name="every worker killed by strace at its Nth such call"
    if ! can_strace; then
        skip "$name" "strace"
        return
    fi
    db=$dir/calls.db
    hits=0
    for call in $(long && echo writev fsync rename || echo rename); do
        for n in $(long && echo 3 4 5 6 7 8 || echo 3); do
            fresh "$db"
            limited strace -f -o "$dir/trace" -e trace=$call -e inject=$call:signal=KILL:when="$n" \
                "$headcount" run "$sweep" --db "$db" --quiet -j 2
            [ $? -eq 0 ] || trouble "$call $n: status $?: $(tail -n 3 "$dir/said")"
            here=$(grep -c '+++ killed by SIGKILL +++' "$dir/trace")
            [ "$here" -gt 0 ] || trouble "$call $n: strace did not kill"
            hits=$((hits + here))
            same_results "$call $n" "$db"
        done
    done
    injected=$((injected + hits))
    verdict "$name: $hits killed, the run goes on"
}
kill_traced_workers
