#!/bin/sh
# What headcount merge takes from a shard's folder: the weights and checkpoints of its trials, whatever
# lies there under their names. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
export HEADCOUNT_CHECKPOINT_S=0
cat >s.yaml <<'Y'
# Which?
name: s
task: {name: gather, length: 8, vocab: 4, slots: 1}
model: {d_model: 8, heads: [1], d_ff: 8}
train: {steps: 20, batch: 8, eval_every: 5, val_examples: 32, test_examples: 32}
seeds: 2
Y
merge() { timeout -s KILL "$(seconds 20)" "$headcount" merge "$@" >said 2>&1 </dev/null; }
says() { grep -qF -- "$1" said || { cat said; return 1; }; }
sql() { sqlite3 "$1" "$2"; }
sha() { sha256sum <"$1" | cut -c 1-64; }
a_shard() { # bad.db, as the $sound one, with its files
    rm -rf all.db* bad.db*
    cp "$sound" bad.db && cp -r "$sound.d" bad.db.d
}
refused() { # words: all of it, and nothing was made of it
    merge --into all.db bad.db
    code=$?
    [ $code -eq 3 ] || { echo "status $code"; cat said; return 1; }
    says "bad.db.d/t1-a1.result is not the file of weights recorded for trial 1 (" && says "$1" && [ ! -e all.db ]
}
sound=sound.db
headcount run s.yaml --db $sound -q >said 2>&1 || trouble "$(cat said)"
weights=bad.db.d/t1-a1.result
umask 022

# ---- weights ----
a_shard
echo secret >private && chmod 600 private
rm $weights && ln -s ../private $weights
sql bad.db "UPDATE trial SET checkpoint_sha256 = '$(sha private)' WHERE trial_id = 1"
check "a link to a private file is refused, although its SHA-256 is in the row" refused "it is a link"
cp private $weights.2 && mv $weights.2 $weights
check "... and so is such a file itself" refused "short for a safetensors file"
a_shard
cp bad.db.d/t2-a1.result $weights
sql bad.db "UPDATE trial SET checkpoint_sha256 = '$(sha $weights)' WHERE trial_id = 1"
check "the weights of another trial are refused" refused "the result of another configuration or seed"
a_shard
truncate -s 1T $weights 2>said && check "a sparse file of a terabyte is refused" refused "bytes behind the last tensor" ||
    skip "a sparse file of a terabyte is refused" "a file system with such files"
a_shard
rm $weights && mkfifo $weights
check "a pipe that nobody writes to is refused" refused "a device or pipe"
rm $weights && mkdir $weights
check "a folder in the place of weights is refused" refused "a folder, not a file"

a_shard
mv bad.db.d elsewhere && ln -s elsewhere bad.db.d
check "a folder of weights behind a link is merged" merge --into all.db bad.db
check "... as copies" [ "$(find all.db.d -name '*.result' -type f -links 1 | wc -l)" = 2 ]
check "... and check finds nothing wrong" headcount check --db all.db
rm -rf bad.db* elsewhere

# ---- rows that are not what the result file says ----
untrue() { # words, options...: all of it is refused
    words=$1
    shift
    merge --into all.db bad.db "$@"
    code=$?
    [ $code -eq 3 ] || { echo "status $code"; cat said; return 1; }
    says "bad.db: trial 1 does not match its result file ($words)" &&
        says "headcount check --db bad.db" && [ ! -e all.db ]
}
a_shard
sql bad.db "UPDATE trial SET test_acc = .75 WHERE trial_id = 1"
check "an accuracy that was edited in its row is refused" untrue test_acc
check "... also without weights" untrue test_acc --no-weights
a_shard
sql bad.db "UPDATE curve SET val_loss = val_loss + 1e-3 WHERE trial_id = 1 AND step = 5"
check "an edited point of a curve is refused" untrue curve
a_shard
sql bad.db "UPDATE trial SET seed = 7 WHERE trial_id = 1"
check "an edited seed is refused" refused "the result of another configuration or seed"
check "... also without weights" untrue "the result of another configuration or seed" --no-weights
rm bad.db.d/t1-a1.result
check "a row counts where its result file is gone" merge --into all.db bad.db --no-weights

# ---- checkpoints ----
sound=half.db
headcount run s.yaml --db $sound -j1 --set train.steps=20000 -q >said 2>&1 &
pid=$!
wait_beside $pid sh -c 'ls half.db.d/*-1.ckpt' || trouble "no checkpoint"
kill -TERM $pid
wait $pid
pid=
checkpoint=$(basename "$(ls half.db.d/*-0.ckpt)") other=$(basename "$(ls half.db.d/*-1.ckpt)")
half() { # as a_shard, with one checkpoint only, which is called so
    a_shard && rm "bad.db.d/$other"
}
begins_anew() { # it is left behind, and merged without
    merge --into all.db bad.db || { cat said; return 1; }
    says "1 checkpoint was left behind: a link, or a file that is not a checkpoint of its trial, is not taken." &&
        [ -z "$(ls all.db.d | grep ckpt)" ] && headcount check --db all.db
}
half
check "a shard with a checkpoint is merged" merge --into all.db bad.db
check "... and its checkpoint comes along" sh -c "ls all.db.d/*.ckpt && ! grep 'left behind' said"
half
cp private "bad.db.d/$checkpoint"
check "a private file under the name of a checkpoint is left behind" begins_anew
half
mv "bad.db.d/$checkpoint" elsewhere && ln -s ../elsewhere "bad.db.d/$checkpoint"
check "a link to a checkpoint is left behind" begins_anew
half
rm "bad.db.d/$checkpoint" && mkfifo "bad.db.d/$checkpoint"
check "a pipe in the place of a checkpoint is left behind" begins_anew
half
truncate -s 1T "bad.db.d/$checkpoint" 2>said && check "a terabyte in the place of a checkpoint is left behind" begins_anew ||
    skip "a terabyte in the place of a checkpoint is left behind" "a file system with such files"
half
sql bad.db "UPDATE trial SET seed = 7 WHERE resume_step > 0"
check "the checkpoint of another trial is left behind" begins_anew
finish
