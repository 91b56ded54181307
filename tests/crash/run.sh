#!/bin/sh
# The fault matrix (tests/README.md): kills, rungs, values that are added, looks, claims that are confirmed, edits of
# their sweeps, answers, studies, merges, folders, data, disks, memory, damage, locks, signals, hangs, limits, absurd
# rows, bad input, each injected for real, each run finished afterwards and held against an undisturbed one byte by
# byte; at last a sweep under valgrind.
# usage, from the repository root: run.sh [GROUP...]
#   HEADCOUNT=./headcount    the program
#   CRASH_FORM=long|short    every fault, or a sample of each kind in under a minute
#   CRASH_KILLS=1000         random kills, and as many random signals, in the long form
#   CRASH_EDITS=500          random edits of a confirmed sweep, in the long form
#   CRASH_SEED=1             of what is random; other seeds for more pieces of a long run
#   CRASH_BUILD=plain        nothing of it with a sanitized program
. tests/crash/harness.sh
[ "$CRASH_BUILD" != plain ] || not_sanitized "faults: $*"
export HEADCOUNT_CHECKPOINT_S=0 # a checkpoint at every step, so that every run does the same
kills=${CRASH_KILLS:-1000}
long || kills=5

all='calls kills rungs extend looks confirm edits ask studies merge folder data disk memory damage locks signals hangs limits rows input
    valgrind'
for group in ${*:-$all}; do
    . "tests/crash/$group.sh"
done
echo "# $injected faults injected; $failed of $cases cases failed"
finish
