# The sweep that the tests of faults run, sourced after bed.sh: twelve trials of a second or so.
sweep=$dir/faults.yaml
cat >"$sweep" <<'Y'
name: faults
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 32, heads: [1, 2, 4, 8], d_ff: 64, dropout: 0.1}
train: {steps: 1200, batch: 32, lr: 3e-3, eval_every: 300}
seeds: 3
Y
undisturbed
