#!/bin/sh
# A sweep on arm64, under QEMU, comes to the losses of this machine's. Speaks TAP. ARM64 is the program,
# EMULATOR what runs it.
. tests/tap.sh
kernel=$(dirname "$ARM64")/engine/kernels/simd_portable.o
neon() { aarch64-linux-gnu-objdump -d "$kernel" | grep -q 'fmla.*v[0-9]*\.4s'; }
check "its kernels are of NEON" neon
cd "$dir" || exit 1
sweep() { # db, program...
    db=$1
    shift
    "$@" run "$root/configs/quick.yaml" --db "$db" -q -j 2 --set seeds=1 --set train.steps=12 \
        --set train.schedule.warmup=2 --set train.eval_every=4 --set train.val_examples=64 --set train.test_examples=64
}
check "a sweep runs, in worker processes" sweep arm.db $EMULATOR "$ARM64"
check "... and here" sweep here.db "$headcount"
sql() { sqlite3 arm.db "ATTACH 'here.db' AS here; $1"; }
check "its trials are the same" [ "$(sql "SELECT count(*) FROM trial AS t JOIN config AS c USING (config_id)
    JOIN here.trial AS h USING (trial_id, seed) JOIN here.config AS d ON d.config_id = h.config_id
        AND d.config_sha256 = c.config_sha256
    WHERE t.state = 'completed' AND h.state = 'completed'")" = 3 ]
check "... with the same losses all along, but for rounding" \
    [ "$(sql "SELECT count(*) FROM curve AS t JOIN here.curve AS h USING (trial_id, step)
    WHERE abs(t.train_loss - h.train_loss) < 1e-5 * h.train_loss
        AND abs(t.val_loss - h.val_loss) < 1e-5 * h.val_loss")" = 9 ]
check "... to the end" [ "$(sql "SELECT count(*) FROM trial AS t JOIN here.trial AS h USING (trial_id)
    WHERE abs(t.test_loss - h.test_loss) < 1e-5 * h.test_loss")" = 3 ]
check "its results file is sound" $EMULATOR "$ARM64" check --db arm.db
check "... also to this machine" "$headcount" check --db arm.db
finish
