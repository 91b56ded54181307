#!/bin/sh
# The order of the house is proved, not hoped for: one include against it, anywhere, and `make
# check-deps` fails and names it. Speaks TAP.
. tests/tap.sh
not_sanitized "an include against the order of layers is refused"
cp -a engine datasets sweep tests "$dir/"
cd "$dir" || exit 1
order() { sh tests/check_deps.sh "$root/${BUILD:-build}/libengine.a"; }
refused() { # file, line: with the line added the check fails and shows it; without it, it passes again
    cp "$1" kept
    echo "$2" >>"$1"
    order >said 2>&1 && { cp kept "$1"; return 1; }
    cp kept "$1"
    grep -qF "$1:" said && grep -qF "$2" said || { cat said; return 1; }
}

check "the tree as it stands passes the check" order
for pair in base/status.h:engine/kernels/blas.h kernels/kernels.h:engine/ops/op.h ops/op_gelu.c:engine/graph.h \
    train.c:datasets/task.h train.h:sweep/plan/point.h; do
    check "engine/${pair%%:*} may not include ${pair#*:}" refused "engine/${pair%%:*}" "#include \"${pair#*:}\""
done
check "datasets may include only the base of the engine" \
    refused datasets/task.h '#include "engine/ops/op.h"'
for pair in plan/plan.c:db/store.h judge/verdict.c:db/store.h db/store.c:trials/trials.h \
    trials/study.c:evidence/evidence.h evidence/evidence.c:merge/merge.h merge/merge.c:worker/trial.h \
    worker/trial.c:hosts/host.h hosts/host.c:run/runner.h run/runner.c:study/study.h \
    study/study.c:report/report.h report/report.c:export/export_results.h report/report.c:cli/command.h; do
    check "sweep/${pair%%:*} may not include sweep/${pair#*:}" \
        refused "sweep/${pair%%:*}" "#include \"sweep/${pair#*:}\""
done
check "only the store may include SQLite" refused sweep/report/report.c '#include <sqlite3.h>'
check "only the store's files may include what they share" \
    refused sweep/export/export_results.c '#include "sweep/db/store_internal.h"'
check "only the plan may include YAML" refused sweep/worker/worker.c '#include <yaml.h>'
check "only blas.c may include OpenBLAS" refused engine/train.c '#include <cblas.h>'
check "an include without its path from the root is refused" refused sweep/cli/main.c '#include "command.h"'
echo 'int astray;' >sweep/astray.c
check "a source file outside all layers is noticed" sh -c '! sh tests/check_deps.sh "$1" &&
    ! sh tests/check_deps.sh "$1" 2>&1 | grep -v astray | grep -q "^    "' - "$root/${BUILD:-build}/libengine.a"
finish
