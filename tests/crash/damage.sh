# Damaged checkpoints and results, as a bad disk or a careless hand leaves them: noticed, the older
# checkpoint is used, the results come out the same. That every length and every bit is noticed is
# shown by tests/unit/test_checkpoint_damage.c on the readers themselves.
choose_sweep small '[1, 2, 4]' 120 16
db=$dir/damage.db

truncated() { # file, per cent
    size=$(wc -c <"$1")
    head -c $((size * $2 / 100)) "$1" >"$1.cut" && mv "$1.cut" "$1"
}
flipped() { # file, per cent: one bit there
    at=$((($(wc -c <"$1") - 1) * $2 / 100))
    byte=$(od -An -tu1 -j $at -N1 "$1" | tr -d ' ')
    printf "\\$(printf %o $((byte ^ 16)))" | dd of="$1" bs=1 seek=$at conv=notrunc 2>/dev/null
}
# A run that was cut off with two checkpoints of its first trial.
cut_off() {
    fresh "$db"
    fault_calls=rename
    faulty FAULT_WHO=worker FAULT_AT=7 FAULT_DO=crash -- run "$sweep" --db "$db" --quiet -j 1
    [ "$(ls "$db".d/t1-a1-?.ckpt | wc -l)" = 2 ] || trouble "there are no two checkpoints"
}
attempts() {
    sqlite3 "$db" "SELECT attempt, outcome, resumed_from_step, note, error FROM attempt WHERE trial_id = 1"
}
damaged_checkpoints() { # how: truncated or flipped
    hits=0
    cut_off
    rm -rf "$dir/cut"
    mkdir "$dir/cut"
    cp -a "$db"* "$dir/cut"
    # The first byte may be above 127, which is no letter of UTF-8.
    newest=$(for file in "$db".d/t1-a1-?.ckpt; do
        echo "$(head -c 200 "$file" | LC_ALL=C sed 's/.*"step":"\([0-9]*\)".*/\1/;q') $file"
    done | sort -n | tail -n 1 | cut -d ' ' -f 2)
    for where in $(long && seq 0 4 99 || echo 0 60); do
        for which in newest both; do
            fresh "$db"
            cp -a "$dir"/cut/* "$dir"
            for file in "$db".d/t1-a1-?.ckpt; do
                [ $which = both ] || [ "$file" = "$newest" ] || continue
                $1 "$file" "$where"
                hits=$((hits + 1))
            done
            label="$which $1 at $where%"
            whole "$label" "$db"
            note=$(sqlite3 "$db" "SELECT note FROM attempt WHERE trial_id = 1 AND attempt = 2")
            expected=$([ $which = both ] && echo "starts again from step 0" || echo "an older one is used")
            case $note in *"$expected"*) ;; *) trouble "$label: the note is '$note' of $(attempts)" ;; esac
            from=$(sqlite3 "$db" "SELECT resumed_from_step FROM attempt WHERE trial_id = 1 AND attempt = 2")
            [ $which = newest ] && [ "$from" -eq 0 ] && trouble "$label: the older one was not used"
            [ $which = both ] && [ "$from" -ne 0 ] && trouble "$label: resumed from step $from"
        done
    done
    injected=$((injected + hits))
    verdict "$hits checkpoints $1: noticed, the older one is used, or step 0"
}

# A worker has written its result, and the coordinator dies before that is committed, as it has to
# wait for somebody's lock.
result_without_commit() {
    fresh "$db"
    begin_paused "$db" 3 -- -j 1
    hold "$db" "BEGIN IMMEDIATE"
    kill -CONT "$worker"
    wait_until test -e "$db.d/t1-a1.result" || trouble "no result came"
    kill -KILL "$pid"
    await "the run" "$pid"
    no_orphans "the run" "$pid"
    touch "$dir/go"
    wait $holder
}
damaged_results() {
    hits=0
    for how in whole truncated flipped; do
        for where in $(long && seq 0 9 99 || echo 60); do
            result_without_commit
            [ $how = whole ] || $how "$db.d/t1-a1.result" "$where"
            hits=$((hits + 1))
            whole "result $how at $where%" "$db"
            attempts=$(sqlite3 "$db" "SELECT attempt FROM trial WHERE trial_id = 1")
            expected=$([ $how = whole ] && echo 1 || echo 2)
            [ "$attempts" -eq "$expected" ] || trouble "result $how at $where%: $attempts attempts"
        done
    done
    injected=$((injected + hits))
    verdict "$hits durable results without a commit: taken in if whole, made again if damaged"
}

if can_inject; then
    damaged_checkpoints truncated
    damaged_checkpoints flipped
    damaged_results
else
    skip "damaged checkpoints and results" "a plain build"
fi
