#!/bin/sh
# Runs sweeps of configs/ and keeps what they found in this folder: NAME.csv (a line per head count and
# setting), NAME.chosen.csv (what tuning chose), NAME.md (the report), a line of runs.csv, and for some a
# figure. Then fills in the numbers of the READMEs. Run from the repository's root:
#
#   sh results/reference/make.sh NAME...
#
# A sweep that was stopped goes on. HEADCOUNT is the program (./headcount), EVIDENCE the folder of the
# results files (build/evidence), one for each sweep.
set -eu
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
headcount=${HEADCOUNT:-./headcount}
work=${EVIDENCE:-build/evidence}
kept=results/reference
figures=" gather-tuned "
mkdir -p "$work"

# What is planned, whatever the order: a hash of all configurations and seeds.
points() { # config
    "$headcount" plan "$1" --db "$work/none.db" --json >"$work/plan.json"
    sqlite3 -separator ' ' :memory: "
        SELECT value ->> 'config_sha256', value ->> 'seed', value ->> 'is_tuning'
          FROM json_each(readfile('$work/plan.json'), '\$.trials') ORDER BY 1, 2, 3" | sha256sum | cut -d' ' -f1
}
# Its line of runs.csv: trials that were executed, and the CPU time of all of them in seconds.
run_of() { # name
    sqlite3 -csv "$work/$1.db" "
        SELECT '$1', substr(min(started), 1, 10), count(DISTINCT trial_id),
               CAST(round(sum(cpu_s)) AS INTEGER),
               (SELECT group_concat(version || ' (' || substr(git_commit, 1, 7) || '), ' || cpu || ', ' || kernels ||
                                    ', ' || openblas || ' ' || core_type, '; ') FROM build WHERE build_id IN (SELECT build_id FROM attempt)),
               '$(points "configs/$1.yaml")'
          FROM attempt;"
}

for name; do
    "$headcount" run "configs/$name.yaml" --db "$work/$name.db" --quiet >"$work/$name.txt" || [ $? -eq 1 ] # some diverged
    "$headcount" report "$name" --db "$work/$name.db" --csv >"$work/$name.csv"
    "$headcount" report "$name" --db "$work/$name.db" --markdown >"$work/$name.md"
    mv "$work/$name.csv" "$work/$name.md" "$kept"
    sqlite3 -csv -header "$work/$name.db" "
        SELECT setting_label, heads, tuning, score FROM chosen ORDER BY setting, heads" >"$kept/$name.chosen.csv"
    [ -s "$kept/$name.chosen.csv" ] || rm "$kept/$name.chosen.csv" # not tuned
    run_of "$name" >"$work/$name.run"
    {
        echo "name,date,trials,cpu_s,build,points"
        { grep -v -e '^name,' -e "^$name," "$kept/runs.csv" || true; cat "$work/$name.run"; } | sort
    } >"$work/runs.csv"
    mv "$work/runs.csv" "$kept"
    case $figures in
    *" $name "*)
        sqlite3 -csv -header "$work/$name.db" "
            SELECT setting_label, heads, seed, coalesce(test_acc, chance) AS test_acc
              FROM trials WHERE in_plan = 1 AND is_tuning = 0 AND choice = 'chosen'
                            AND state IN ('completed', 'diverged', 'failed')
             ORDER BY setting, heads, seed" >"$kept/$name.trials.csv"
        "$headcount" report "$name" --db "$work/$name.db" --json >"$work/$name.json"
        plateau=$(sqlite3 -separator ' ' :memory: "
            SELECT j ->> '\$.plateau_low', j ->> '\$.plateau_high'
              FROM (SELECT readfile('$work/$name.json') -> '\$.settings[0].verdict' AS j)")
        gnuplot -e "csv='$kept/$name.csv'; trials='$kept/$name.trials.csv'; plateau='$plateau';
                     svg='$kept/$name.svg'" $kept/figure.gp
        ;;
    esac
done
for readme in README.md configs/README.md $kept/README.md; do
    awk -v folder=$kept -f $kept/numbers.awk "$readme" >"$work/readme"
    cmp -s "$work/readme" "$readme" || cp "$work/readme" "$readme"
done
