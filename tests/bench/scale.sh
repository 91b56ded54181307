#!/bin/sh
# usage: scale.sh HEADCOUNT SCRIPTED_AGENT [HOSTS SLOTS TRIALS SECONDS]
#
# What the coordinator makes of HOSTS machines of SLOTS slots that are one process each and do not
# train (scenarios/scripted_agent.c): trials of SECONDS each, 0 for as fast as it can. Says how many trials a second
# came to be in the results file, what the coordinator took, and how the trials were spread.
#
# Agents and coordinator share this machine: what else it does at the time changes the numbers.
set -eu
headcount=$(realpath "$1")
agent=$2
shift 2
dir=$(mktemp -d "${TMPDIR:-/tmp}/headcount-scale-XXXXXX")
run=
clean_up() {
    trap - EXIT
    if [ -n "$run" ] && kill "$run" 2>/dev/null; then
        wait "$run" || :
    fi
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

sweep() { # trials: twice as many as rates and seeds
    seeds=$(($1 < 2000 ? $1 / 2 : 1000))
    awk -v rates=$(($1 / 2 / seeds)) -v seeds=$seeds 'BEGIN {
        print "name: scale\ntask: {name: gather, length: 4, vocab: 4, slots: 1}"
        print "model: {d_model: 4, layers: 1, d_ff: 4, heads: [1, 2]}"
        printf "train: {steps: 1, batch: 2, eval_every: 1, val_examples: 2, test_examples: 2, lr: ["
        for (i = 1; i <= rates; i++) printf "%s%.6f", (i > 1 ? ", " : ""), i / 1e5
        print "]}\nseeds: " seeds "\nrun_cap: 10000000" }' >"$dir/scale.yaml"
}
ask() {
    sqlite3 -separator ' ' "$dir/scale.db" "$1"
}
hosts() { # number, slots
    awk -v n="$1" -v slots="$2" 'BEGIN { for (i = 1; i <= n; i++) printf "%sh%d:%d", (i > 1 ? "," : ""), i, slots }'
}

agent=$(realpath "$agent")
hosts=${1:-1000} slots=${2:-16} trials=${3:-32000} seconds=${4:-0}
sweep "$trials"
echo "seconds: $seconds" >"$dir/script"
"$headcount" run -q "$dir/scale.yaml" --db "$dir/scale.db" --launch "$agent $dir/script {host}" \
    --hosts "$(hosts "$hosts" "$slots")" >"$dir/out" &
run=$!
peak=0 cpu=0
while kill -0 $run 2>/dev/null; do
    now=$(awk '/^VmHWM/ { print $2 }' /proc/$run/status 2>/dev/null) || :
    peak=${now:-$peak}
    now=$(awk '{ print $14 + $15 }' /proc/$run/stat 2>/dev/null) || :
    cpu=${now:-$cpu}
    sleep .2
done
status=0
wait $run || status=$?
run=
[ $status -eq 0 ] || { echo "headcount run ended with status $status"; exit 1; }
echo "$hosts machines of $slots slots, $trials trials of $seconds s"
ask "SELECT count(*) / s, s FROM (SELECT 86400 * (julianday(max(ended)) - julianday(min(ended))) AS s FROM attempt),
            attempt WHERE outcome = 'completed'" |
                awk -v cpu=$cpu -v ticks="$(getconf CLK_TCK)" -v peak=$peak -v n="$trials" '{
    printf "trials a second      %.0f, over %.1f s\n", $1, $2
    printf "the coordinator took %.2f ms of CPU a trial (start and report included), %.0f MiB\n",
        1e3 * cpu / ticks / n, peak / 1024 }'
ask "SELECT min(n), avg(n), max(n), count(*) FROM (SELECT count(*) AS n FROM attempt GROUP BY host)" |
    awk '{ printf "trials a machine     %d to %d, mean %.1f, on %d\n", $1, $3, $2, $4 }'
