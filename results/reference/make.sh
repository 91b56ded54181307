#!/bin/sh
# Runs sweeps of configs/ and keeps what they found in this folder: NAME.csv (a line per head count and
# setting), NAME.trials.csv (a line per trial), NAME.chosen.csv (what tuning chose), NAME.md (the report), a line of
# runs.csv, and for some a figure and what was asked of the trained models: NAME.STUDY.csv, NAME.STUDY.md. Then
# fills in the numbers of the READMEs. Run from the repository's root:
#
#   sh results/reference/make.sh NAME...
#
# A sweep or study that was stopped goes on. HEADCOUNT is the program (./headcount), EVIDENCE the folder of the
# results files (build/evidence), one for each sweep.
set -eu
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
headcount=$(realpath "${HEADCOUNT:-./headcount}")
work=$(realpath -m "${EVIDENCE:-build/evidence}")
kept=results/reference
root=$PWD
figures=" gather-tuned map "
mkdir -p "$work"

# Who reads the numbers must find the program that made them: in a repository, a commit of its history.
commit=$("$headcount" --version | sed -n 's/^commit *//p')
if git rev-parse --quiet --verify HEAD >/dev/null 2>&1 &&
    ! git merge-base --is-ancestor "$commit" HEAD 2>/dev/null; then
    echo "make.sh: $headcount was built from '$commit', which is no commit of this history: commit, then make" >&2
    exit 2
fi

# What is planned, whatever the order: a hash of all configurations and seeds.
points() { # name
    given=$(sh $kept/data.sh "$1" "$work" anywhere)
    (cd "$work" && "$headcount" plan "$root/configs/$1.yaml" $given --db none.db --json) >"$work/plan.json"
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
                                    ', ' || openblas || ' ' || core_type, '; ')
                  FROM build WHERE build_id IN (SELECT build_id FROM attempt)),
               '$(points "$1")'
          FROM attempt;"
}
# The models of a sweep, asked: its report for people, and a table with a line per head count and setting, in the
# columns of NAME.csv that numbers.awk shows. The mean of the column `acc` of a query, with its 95% t interval:
means() { # name, SELECT setting_label, heads, acc ...
    sqlite3 -csv -header "$work/$1.db" "
        WITH one AS ($2),
             centred AS (SELECT *, avg(acc) OVER (PARTITION BY setting_label, heads) AS mean FROM one),
             spread AS (SELECT setting_label, heads, count(*) AS n, mean, min(acc) AS min_acc, max(acc) AS max_acc,
                               sqrt(sum((acc - mean) * (acc - mean)) / (count(*) - 1)) AS sd, min(rowid) AS place
                          FROM (SELECT row_number() OVER () AS rowid, * FROM centred) GROUP BY setting_label, heads)
        SELECT setting_label, heads, n, 0 AS n_bad, mean AS mean_acc, min_acc, max_acc,
               mean - sd / sqrt(n) * t AS ci95_low, mean + sd / sqrt(n) * t AS ci95_high
          FROM spread JOIN t_quantile ON level = 0.975 AND df = n - 1
         ORDER BY place"
}
ask() { # name, study, argument...: the last of several studies of one kind reports all
    of=$1 study=$2
    shift 2
    "$headcount" "$study" "$of" --db "$work/$of.db" --quiet --markdown "$@" >"$work/$of.$study.md"
    mv "$work/$of.$study.md" "$kept"
}
heads_of() { # name
    ask "$1" heads
    "$headcount" heads "$1" --db "$work/$1.db" --quiet --csv >"$kept/$1.heads.csv"
}
# Deeper shapes of as many heads x layers against the one of a single layer, at equal seeds.
shapes() { # name, what is compared
    means "$1" "
        WITH one AS (SELECT heads, layers, seed, $2 AS x FROM trials
                      WHERE in_plan = 1 AND is_tuning = 0 AND state = 'completed')
        SELECT 'shapes=' || b.heads || 'x' || b.layers || '-' || a.heads || 'x1' AS setting_label, a.heads AS heads,
               b.x - a.x AS acc
          FROM one AS a JOIN one AS b ON a.seed = b.seed AND a.heads = b.heads * b.layers
         WHERE a.layers = 1 AND b.layers > 1
         ORDER BY a.heads, b.layers" >"$kept/$1.shapes.csv"
}
studies() { # name
    case $1 in
    gather-tuned) heads_of "$1" ;;
    diversity)
        heads_of diversity
        means diversity "
            WITH t AS (SELECT *, setting ->> '\$.\"model.init\"' AS init,
                              setting ->> '\$.\"train.disagreement.weight\"' AS weight FROM trials)
            SELECT 'init=' || a.init AS setting_label, a.heads, b.test_acc - a.test_acc AS acc
              FROM t AS a JOIN t AS b ON (a.heads, a.seed, a.init) = (b.heads, b.seed, b.init)
             WHERE a.weight = 0 AND b.weight = 1
             ORDER BY 1, 2" >$kept/diversity.gain.csv
        ;;
    prune)
        ask prune prune --by ablation --keep 4,3 --finetune 150
        ask prune prune --by ablation --keep 4,3 --finetune 1500 --lr 1e-2 # those trained with so many: trained on
        for by in random ablation importance; do
            ask prune prune --by $by
        done
        means prune "
            SELECT t.setting_label || ', by=' || iif(p.method = 'none', 'training', p.method) ||
                       iif(p.finetuned_steps, '+' || p.finetuned_steps, '')
                       AS setting_label, p.kept AS heads, p.test_acc AS acc
              FROM pruning AS p JOIN trial AS t USING (trial_id) JOIN config AS c USING (config_id)
             WHERE t.in_plan = 1 AND
                   iif(p.method = 'none', c.heads = p.kept AND p.finetuned_steps = 1500, c.heads = 8)
             ORDER BY t.setting, p.finetuned_steps, p.method, p.kept" >$kept/prune.prune.csv
        ;;
    corpora) # four heads against each other number, text by text, at equal seeds
        means corpora "
            WITH t AS (SELECT *, 'file=' || (replicate ->> '\$.\"task.file\"') AS text FROM trials
                        WHERE in_plan = 1 AND is_tuning = 0 AND state = 'completed')
            SELECT a.text AS setting_label, b.heads AS heads, a.bits_per_byte - b.bits_per_byte AS acc
              FROM t AS a JOIN t AS b ON a.text = b.text AND a.seed = b.seed
             WHERE a.heads = 4 AND b.heads <> 4
             ORDER BY a.text, b.heads" >$kept/corpora.texts.csv
        ;;
    depth | depth-pointers) shapes "$1" test_acc ;;
    depth-text) shapes "$1" bits_per_byte ;;
    prune-text)
        ask prune-text prune --by importance --keep 8,4 --finetune 1500 --lr 1e-2
        for by in random ablation importance; do
            ask prune-text prune --by $by
        done
        means prune-text "
            WITH of AS (SELECT t.trial_id, t.seed, c.heads, p.method, p.kept, p.finetuned_steps AS more,
                               p.test_loss / ln(2) AS bits
                          FROM pruning AS p JOIN trial AS t USING (trial_id) JOIN config AS c USING (config_id)
                         WHERE t.in_plan = 1)
            SELECT 'by=' || a.method || iif(a.more, '+' || a.more, '') AS setting_label, a.kept AS heads,
                   a.bits - b.bits AS acc
              FROM of AS a JOIN of AS b
                ON a.seed = b.seed AND b.method = 'none' AND b.more = a.more AND b.kept = iif(a.more, a.kept, 16)
             WHERE a.heads = 8 AND a.method <> 'none'
             ORDER BY a.more, a.method, a.kept" >$kept/prune-text.prune.csv
        ;;
    key-width | kv-heads | segments | head-width | kv-text) "$headcount" report "$1" --db "$work/$1.db" --between --csv >"$kept/$1.between.csv" ;;
    ensemble)
        ask ensemble ensemble --heads 1 --members 8
        means ensemble "
            SELECT (SELECT t.setting_label FROM trial AS t
                     WHERE t.sweep_id = e.sweep_id AND t.setting = e.setting) AS setting_label,
                   heads, test_acc AS acc
              FROM ensemble AS e WHERE members = 8 ORDER BY setting" >$kept/ensemble.ensemble.csv
        ;;
    shift)
        means shift "
            SELECT setting_label || ', on=' || name AS setting_label, heads, acc
              FROM (SELECT setting, setting_label, heads, 'training' AS name, train_acc AS acc FROM trials
                     WHERE in_plan = 1 AND state = 'completed'
                     UNION ALL SELECT setting, setting_label, heads, name, acc FROM evaluations)
             ORDER BY setting, name = 'training' DESC, name, heads" >$kept/shift.shift.csv
        ;;
    esac
}

for name; do
    given=$(sh $kept/data.sh "$name" "$work")
    (cd "$work" && "$headcount" run "$root/configs/$name.yaml" $given --db "$name.db" --quiet >"$name.txt") ||
        [ $? -eq 1 ] # some diverged
    "$headcount" report "$name" --db "$work/$name.db" --csv >"$work/$name.csv"
    "$headcount" report "$name" --db "$work/$name.db" --markdown --explain >"$work/$name.md"
    "$headcount" export trials "$name" "$work/$name.trials.csv" --db "$work/$name.db"
    mv "$work/$name.csv" "$work/$name.trials.csv" "$work/$name.md" "$kept"
    sqlite3 -csv -header "$work/$name.db" "
        SELECT setting_label, heads, tuning, score, group_concat(value, ' ') AS tried,
               coalesce(group_concat(edge, ' '), '') AS edge
          FROM chosen JOIN (SELECT * FROM tried ORDER BY axis, value) USING (sweep, setting, setting_label, heads)
         GROUP BY setting, heads ORDER BY setting, heads" >"$kept/$name.chosen.csv"
    [ -s "$kept/$name.chosen.csv" ] || rm "$kept/$name.chosen.csv" # not tuned
    studies "$name"
    run_of "$name" >"$work/$name.run"
    {
        echo "name,date,trials,cpu_s,build,points"
        { grep -v -e '^name,' -e "^$name," "$kept/runs.csv" || true; cat "$work/$name.run"; } | sort
    } >"$work/runs.csv"
    mv "$work/runs.csv" "$kept"
    case $figures in
    *" $name "*)
        "$headcount" report "$name" --db "$work/$name.db" --svg "$kept/$name.svg"
        ;;
    esac
done
for readme in README.md configs/README.md $kept/README.md; do
    awk -v folder=$kept -f $kept/numbers.awk "$readme" >"$work/readme"
    cmp -s "$work/readme" "$readme" || cp "$work/readme" "$readme"
done
