#!/bin/sh
# usage: make.sh PROGRAM FOLDER
# Makes the kept results files anew: PROGRAM is that of the release that they stand for (1.0.0: format 8), FOLDER gets
# schema.sql, NAME.sql (its rows), NAME.yaml and, where commands read weights, NAME.db.d. All that depends on the
# machine is in them, and what commands say of them is not: a later release never makes them anew, it adds its own.
set -eu
program=$(realpath "$1") kept=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work"

small='length: 8, vocab: 4'
train='batch: 8, lr: 3e-2, eval_every: 20, val_examples: 64, test_examples: 64'
sweep() { # name, lines of the sweep file on stdin: runs it
    cat >"$1.yaml"
    status=0
    "$program" run "$1.yaml" --db "$1.db" -q -j 2 >/dev/null 2>"$1.err" || status=$?
    [ "$status" -le 1 ] || { cat "$1.err"; exit 1; }
}
rows() { # name: the schema is the same in all of them
    sqlite3 "$1.db" '.dump --data-only' >"$kept/$1.sql"
    sqlite3 "$1.db" "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL" >"$kept/schema.sql"
}
keep() { # name [weights]
    rows "$1"
    cp "$1.yaml" "$kept"
    [ $# -eq 1 ] || { rm -rf "$kept/$1.db.d" && cp -r "$1.db.d" "$kept" && rm -f "$kept/$1.db.d/owner"; }
}

# A claim, an equivalence margin, shifted test sets, measures, and all studies with the weights that they read.
sweep plain <<Y
name: plain
task: {name: gather, $small, slots: 2}
model: {d_model: 8, heads: [1, 2, 8], d_ff: 8, positions: sinusoidal}
train: {steps: 120, $train}
seeds: 5
equivalence: .05
claim: {best: 2, over: [1, 8]}
eval: {again: {}, longer: {length: 12}}
measure: evals
Y
"$program" heads plain --db plain.db -q >/dev/null
"$program" prune plain --db plain.db -q --keep 4,1 >/dev/null
"$program" prune plain --db plain.db -q --keep 1 --by random >/dev/null
"$program" ensemble plain --db plain.db -q --members 2 >/dev/null
"$program" sweep note plain 'kept of 1.0.0' --db plain.db
keep plain weights

# Chosen learning rates: rungs first, then values beyond the grid.
sweep rungs <<Y
name: rungs
task: {name: gather, $small, slots: 2}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 60, batch: 8, lr: [1e-3, 1e-2, 3e-2, 1e-1], eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 3
tune: {axes: [train.lr], seeds: 2, rungs: {min_steps: 20, eta: 2}}
Y
keep rungs
sweep extend <<Y
name: extend
task: {name: gather, $small, slots: 2}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 60, batch: 8, lr: [1e-4, 1e-3], eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 3
tune: {axes: [train.lr], seeds: 1, extend: 3}
Y
keep extend

# Seeds that depend on results: looks of two settings, fresh seeds of two more.
sweep looks <<Y
name: looks
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [2, 16], d_ff: 32}
train: {steps: [4, 200], batch: 32, lr: 1e-2, eval_every: 100, val_examples: 64, test_examples: 64}
looks: [3, 4, 6]
claim: {best: 2, over: [16]}
Y
keep looks
sweep confirm <<Y
name: confirm
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [2, 16], d_ff: 32}
train: {steps: [4, 200], batch: 32, lr: 1e-2, eval_every: 100, val_examples: 64, test_examples: 64}
seeds: 3
confirm: 6
Y
keep confirm

# n counts instances, or texts.
sweep instances <<Y
name: instances
task: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2, 3, 4]}
model: {d_model: 16, heads: [2, 16], d_ff: 16}
train: {steps: 60, batch: 16, lr: 1e-2, eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 2
replicate: [task.instance]
confirm: {instances: [5, 6, 7, 9, 10, 11]}
Y
keep instances
awk 'BEGIN { srand(3); for (i = 0; i < 600; i++) printf "%s ", substr("theseareallthewordsofit", 1 + int(rand() * 20), 2 + int(rand() * 3)) }' >one.txt
awk 'BEGIN { srand(4); for (i = 0; i < 700; i++) printf "%s\n", substr("anothertextofotherwords", 1 + int(rand() * 20), 2 + int(rand() * 3)) }' >two.txt
sweep texts <<Y
name: texts
task: {name: text, file: [one.txt, two.txt], length: 16}
model: {d_model: 8, heads: [1, 2], d_ff: 8, mask: causal}
train: {steps: 40, batch: 8, lr: 1e-2, eval_every: 20}
metric: {name: val_loss, goal: minimize}
seeds: 2
replicate: [task.file]
Y
keep texts
cp one.txt two.txt "$kept"
awk 'BEGIN { srand(5); print "text,label"; for (i = 0; i < 200; i++) { l = i % 3; printf "%s %s,%s\n", substr("abcabcabc", 1 + l, 4), int(rand() * 999), l == 0 ? "red" : l == 1 ? "green" : "blue" } }' >rows.csv
sweep rows <<Y
name: rows
task: {name: text, file: rows.csv, mode: classify, length: 16}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 8, pool: mean}
train: {steps: 60, batch: 8, lr: 1e-2, eval_every: 20}
seeds: 4
Y
keep rows
cp rows.csv "$kept"

# Settings against each other, and a map.
sweep settings <<Y
name: settings
task: {name: gather, $small, slots: 2}
model: {d_model: 8, heads: [2, 4], kv_heads: [1, 2], d_ff: [8, 16]}
train: {steps: 60, $train}
seeds: 3
claim: {better: {model.kv_heads: 2}, than: {model.kv_heads: 1}, heads: 4}
Y
keep settings
sweep map <<Y
name: map
task: {name: gather, $small, slots: [1, 2, 3]}
model: {d_model: [8, 16], heads: [1, 2, 4, 8], d_ff: 8}
train: {steps: 100, $train}
seeds: 3
equivalence: .1
Y
keep map

# Trials that complete, that diverge, and that fail whenever they are tried.
troubles() { # head counts, a line more
    sweep troubles <<Y
name: troubles
task: {name: gather, $small, slots: 2}
model: {d_model: 8, heads: $1, d_ff: 8}
train: {steps: 40, batch: 8, lr: [1e-2, 1000], weight_decay: 1, eval_every: 20, val_examples: 64, test_examples: 64}
seeds: 3
retries: 1
$2
Y
}
troubles '[1, 2]' ''
troubles '[1, 2, 4]' 'limits: {memory: 1MiB}'
keep troubles

# A sweep in two parts.
cp plain.yaml parts.yaml
for k in 1 2; do
    "$program" run parts.yaml --db "parts-$k-of-2.db" --shard $k/2 -q --set name=parts --set eval=null --set measure=null >/dev/null
    rows "parts-$k-of-2"
done
