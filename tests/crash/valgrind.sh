# A tiny sweep and the commands that read it under valgrind, coordinator and workers alike: no invalid
# access, nothing decided by an uninitialised value, no memory lost. (valgrind knows no AVX-512; the
# kernels and OpenBLAS then take AVX2. Slurm's squeue, which `status` asks, is not ours.)
choose_sweep tiny '[1, 2]' 8 8

watched() { # processes at least, arguments...
    processes=$1
    shift
    label="$1 under valgrind"
    rm -rf "$dir/valgrind"
    mkdir "$dir/valgrind"
    timeout -s KILL 300 valgrind --quiet --trace-children=yes --trace-children-skip='*/squeue' \
        --error-exitcode=99 --leak-check=full --log-file="$dir/valgrind/%p" env FAULT_PROGRAM="$headcount" \
        LD_PRELOAD="$inject" "$headcount" "$@" >"$dir/said" 2>&1 </dev/null
    code=$?
    status_in "$label" 0
    [ "$(ls "$dir/valgrind" | wc -l)" -ge "$processes" ] || trouble "$label: not all were watched"
    for log in "$dir/valgrind"/*; do
        [ -s "$log" ] && trouble "$label: $(head -n 20 "$log")"
    done
    verdict "$label"
}
if can_inject && valgrind --quiet true >/dev/null 2>&1; then
    fresh "$dir/watched.db"
    watched 3 run "$sweep" --db "$dir/watched.db" --quiet
    watched 1 report --db "$dir/watched.db"
    if long; then
        for command in "plan $sweep" status check 'show 1' 'export results'; do
            watched 1 $command --db "$dir/watched.db"
        done
    fi
else
    skip "a sweep under valgrind" "a plain build, and valgrind"
fi
