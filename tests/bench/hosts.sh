#!/bin/sh
# usage: hosts.sh HEADCOUNT [TRIALS PAIRS]
#
# What agents cost: TRIALS trials of one step each, through four agents with one slot and by four
# workers, all on this machine. The two runs of a pair follow each other, and every other pair begins
# with the agents. Says of each run the seconds of the whole command, start and report included, and
# its seconds of CPU, and of all pairs the median of the ratios.
set -eu
headcount=$(realpath "$1")
trials=${2:-2000}
pairs=${3:-5}
dir=$(mktemp -d "${TMPDIR:-/tmp}/headcount-hosts-XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP

cat >"$dir/hosts.yaml" <<Y
name: hosts
task: {name: gather, length: 4, vocab: 4, slots: 1}
model: {d_model: 4, layers: 1, d_ff: 4, heads: [1, 2]}
train: {steps: 1, batch: 2, eval_every: 1, val_examples: 2, test_examples: 2}
seeds: $((trials / 2))
Y
# "SECONDS CPU" of a command; `times` gives that of all it has waited for in its second line.
timed() {
    began=$(date +%s.%N)
    ("$@" >"$dir/out" 2>&1 && times >"$dir/cpu") || { cat "$dir/out" >&2 && exit 1; }
    awk -v began="$began" -v ended="$(date +%s.%N)" '{ split($0, t, /[ms ]+/); cpu = 60 * (t[1] + t[3]) + t[2] + t[4] }
        END { printf "%.2f %.2f\n", ended - began, cpu }' "$dir/cpu"
}
sweep() { # options of run
    rm -rf "$dir"/hosts.db*
    timed "$headcount" run -q "$dir/hosts.yaml" --db "$dir/hosts.db" "$@"
}
workers() { sweep -j4; }
agents() { sweep --launch 'env HOST={host}' --hosts a:1,b:1,c:1,d:1; }
median() { # of the column
    sort -n -k"$1,$1" "$dir/ratios" | awk -v c="$1" '{ v[NR] = $c }
        END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

echo "$trials trials of one step, $pairs pairs"
printf '%6s %8s %8s %14s %8s %13s %8s\n' pair -j4 CPU 'four agents' CPU 'ratio of time' 'of CPU'
pair=0
while [ $pair -lt "$pairs" ]; do
    pair=$((pair + 1))
    if [ $((pair % 2)) = 1 ]; then
        here=$(workers)
        there=$(agents)
    else
        there=$(agents)
        here=$(workers)
    fi
    echo "$here $there" | awk '{ print $3 / $1, $4 / $2 }' >>"$dir/ratios"
    echo "$pair $here $there $(tail -n 1 "$dir/ratios")" |
        awk '{ printf "%6d %8.2f %8.2f %14.2f %8.2f %13.2f %8.2f\n", $1, $2, $3, $4, $5, $6, $7 }'
done
printf 'four agents against -j4, median of %d: %.2f times the time, %.2f times the CPU\n' "$pairs" \
    "$(median 1)" "$(median 2)"
