#!/bin/sh
# headcount merge, and run --shard: shards in any order, twice, with overlaps and half done come to the
# file of an undisturbed run; what contradicts is refused and changes nothing. Speaks TAP. HEADCOUNT is
# the program; run from the repository's root.
. tests/tap.sh
not_sanitized "shards come to the undisturbed file"
settle
export HEADCOUNT_CHECKPOINT_S=0
run() { # db, arguments...
    run_db=$1
    shift
    headcount run s.yaml --db "$run_db" --quiet "$@" >said 2>&1 </dev/null
}
merge() { headcount merge "$@" >said 2>&1 </dev/null; }
sql() { sqlite3 "$1" "$2"; }
status_is() { # status, command...
    wanted=$1
    shift
    "$@"
    code=$?
    [ $code -eq "$wanted" ] || { echo "status $code, expected $wanted"; cat said; return 1; }
}
says() { grep -qF -- "$1" said || { cat said; return 1; }; }
# The file is what an undisturbed run makes: results, report, every promise, weights.
whole() { # db
    headcount export results --db "$1" >got.jsonl && cmp got.jsonl whole.jsonl &&
        headcount report --db "$1" >got.txt && diff whole.txt got.txt && headcount check --db "$1"
}
undisturbed() {
    rm -rf whole.db*
    run whole.db || { cat said; return 1; }
    headcount export results --db whole.db >whole.jsonl && headcount report --db whole.db >whole.txt
}
shards() { # of: N.db each
    rm -rf [0-9]*.db* all.db*
    for shard in $(seq "$1"); do
        run "$shard.db" --shard "$shard/$1" || { cat said; return 1; }
    done
}

# ---- shards of a sweep with a claim and further test sets ----
cat >s.yaml <<'Y'
# Which?
name: s
task: {name: gather, length: 8, vocab: 4, slots: 1}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 8}
train: {steps: 20, batch: 8, eval_every: 5, val_examples: 32, test_examples: 32}
claim: {best: 2, over: [1]}
eval: {other: {instance: 1}}
measure: evals
seeds: 4
Y
plans() { # shard, words that its plan has
    headcount plan s.yaml --shard "$1" --db none.db >said 2>&1 || { cat said; return 1; }
    says "$2"
}
check "a shard is planned" plans 2/3 "Sweep s: 3 points, 12 trials; shard 2 of 3 has 4 of them"
check "... and the trials of other shards are counted as elsewhere" says "  elsewhere          8  of other shards"
check "... and a plan has its number of trials and their time" says "4 trials would run: about"
check "... also in JSON" sh -c '[ "$(headcount plan s.yaml --shard 2/3 --db none.db --json |
    grep -c "\"state\": \"new\", \"would_run\": true")" = 4 ] &&
    headcount plan s.yaml --shard 2/3 --db none.db --json | grep -F "\"shard\": {\"number\": 2, \"of\": 3}"'
check "a shard beyond the last trial has nothing to run" plans 13/13 "Nothing is left to run."
check "a shard number above the count of shards is refused" status_is 2 headcount plan s.yaml --shard 4/3 --db none.db
check "the undisturbed run of a sweep completes" undisturbed
check "... and so do its three shards" shards 3
check "status counts the trials of other shards" sh -c "headcount status --db 2.db | grep -F 's: 8 more trials are of other shards.'"
merge --into all.db 3.db 1.db 2.db
check "shards are merged into the undisturbed run" whole all.db
cp all.db before.db
merge --into all.db 2.db 1.db
check "a second merge takes nothing over" says "2.db: 0 of 12 trials taken over."
check "... and leaves the undisturbed run" whole all.db
check "... with the same rows as before" sh -c 'for f in all before; do sqlite3 $f.db .dump |
    grep -v "^INSERT INTO sweep" >$f.sql; done; cmp all.sql before.sql'
check "merged weights are copies" sh -c 'cmp 1.db.d/t1-a1.result all.db.d/t1-a1.result && ! [ 1.db.d/t1-a1.result -ef all.db.d/t1-a1.result ]'
check "a merged file has the head measures of its shards" \
    [ "$(sql all.db 'SELECT count(*) FROM head_metric')" = "$(sql whole.db 'SELECT count(*) FROM head_metric')" ]
check "... and their further test sets" [ "$(sql all.db 'SELECT count(*) FROM evaluations')" = 12 ]
check "... and no mark of being a shard" \
    [ "$(sql all.db 'SELECT count(*) FROM trial WHERE NOT in_shard; SELECT shards FROM sweep')" = 0 ]
check "run has nothing to do in a merged file" \
    sh -c 'headcount run s.yaml --db all.db 2>&1 | grep -F "nothing to run: all 12 trials have ended"'
rm -rf all.db*
sed 's/^name: s/name: part/' s.yaml >part.yaml
headcount run part.yaml --db part.db --shard 1/2 --quiet
check "merge --whole of a part of a sweep ends with status 1" status_is 1 merge --whole --into all.db part.db
check "... and so does that of an empty file" sh -c ': >empty.db; headcount merge --whole --into of-empty.db empty.db; [ $? -eq 1 ]'
check "a part of a sweep is merged all the same, and said to be a part" says "all.db: sweep part: 6 of 12 trials have ended; missing of 2 shards: 2."
check "merge --whole of a whole sweep ends with status 0" status_is 0 merge --whole --into all.db whole.db
check "merge --whole of shards one by one ends with status 0 at the last" \
    sh -c 'rm -rf all.db*; cp part.db all.db; for n in 3 1; do headcount merge --whole --into all.db $n.db;
    [ $? -eq 1 ] || exit; done; headcount merge --whole --into all.db 2.db'
failed_one() { # as what
    rm -rf all.db* bad.db*
    cp 3.db bad.db && cp -r 3.db.d bad.db.d
    sql bad.db "UPDATE trial SET state = '$1' WHERE trial_id = (SELECT min(trial_id) FROM trial
        WHERE state = 'completed')"
    status_is 1 merge --whole --into all.db 1.db 2.db bad.db
}
check "merge --whole ends with status 1 where a trial failed" failed_one failed
check "... and where one still waits" failed_one queued
rm -rf all.db* bad.db*
merge --into all.db 1.db 3.db
check "run does the rest of a sweep of which a shard is missing" run all.db
check "... and comes to the undisturbed run" whole all.db
rm -rf all.db*
check "a whole file and shards of it are merged" merge --into all.db whole.db 1.db 2.db
check "... into the undisturbed run" whole all.db
check "merge leaves out its target where it is among the files" \
    sh -c 'headcount merge --into all.db *.db | grep -F "all.db: left out, because it is what is merged into."'
merge --into 1.db 2.db 3.db --quiet
check "merge --quiet says nothing" [ ! -s said ]
check "shards merged into another shard are the undisturbed run" whole 1.db
check "shards of another cut run in a merged file and beside it" \
    sh -c 'headcount run s.yaml --db 1.db --shard 2/5 -q && headcount run s.yaml --db x.db --shard 2/5 -q'
rm -rf all.db*
merge --into all.db x.db 2.db 3.db
check "shards of two cuts of one sweep are merged" \
    [ "$(sql all.db "SELECT count(*) FROM trial WHERE state = 'completed'")" -ge 8 ]
check "... and no shard is said to be missing" [ -z "$(sql all.db 'SELECT shards FROM sweep')" ]

# ---- refusals ----
(
    flock 9
    merge --into 2.db 3.db
    echo $? >held
) 9>2.db.lock
check "a target that a run holds is refused with status 4" [ "$(cat held)" = 4 ]

# ---- weights ----
shards 3
mv 3.db.d away
check "a shard whose weights were left behind is refused" status_is 2 merge --into all.db 1.db 3.db
check "... with --no-weights as the way out" says "--no-weights"
check "... and nothing is made" [ ! -e all.db ]
merge --into all.db 1.db 2.db 3.db --no-weights
check "--no-weights counts the weights that it leaves behind" says "The weights of 4 were left behind."
check "... and has the same results" \
    sh -c 'headcount export results --db all.db | cmp - whole.jsonl && headcount check --db all.db'
mv away 3.db.d
check "weights that were left behind are taken by a later merge" merge --into all.db 1.db 2.db 3.db
check "... for every trial" [ "$(sql all.db 'SELECT count(checkpoint) FROM trial')" = 12 ]
check "... as they were recorded" whole all.db
rm -rf all.db*
cp -r 3.db.d sound.d
printf x | dd of="$(ls 3.db.d/*.result | head -n 1)" bs=1 seek=900 conv=notrunc 2>dd
check "damaged weights are refused" status_is 3 merge --into all.db 1.db 3.db
check "... and named" says "is not the file of weights recorded for trial"
rm -rf 3.db.d && mv sound.d 3.db.d

# What a merge that was killed left half written goes with the next one, and with gc.
merge --into all.db 1.db
: >all.db.d/t1-a1.result.0badcafe.tmp
: >all.db.d/t77-a1-0.ckpt.0badcafe.tmp
: >all.db.d/mine.tmp
check "a merge works after one that was killed" merge --into all.db 1.db
check "... and removes what that left half written" sh -c '! ls all.db.d | grep "^t.*tmp"'
check "... but no file of somebody else's" [ -e all.db.d/mine.tmp ]
: >all.db.d/t77-a1.result.0badcafe.tmp
headcount gc --db all.db >said 2>&1
check "gc removes what a killed merge left half written too" sh -c '! ls all.db.d | grep "^t.*tmp" && rm all.db.d/mine.tmp'
rm -rf all.db* link.db*
cp 1.db link.db && mkdir link.db.d
for file in 1.db.d/*; do ln -s "../$file" link.db.d; done
check "weights that are symbolic links are refused" status_is 3 merge --into all.db link.db
check "... which says so" says "(it is a link)"

# Large weights pass through memory piece by piece: the last tensor of a result is made to have 400 MB.
enlarge() { # the result, to
    header=$(($(od -An -tu8 -N8 "$1")))
    head -c $((8 + header)) "$1" | tail -c "$header" >header
    begin=$(sed 's/.*"data_offsets":\[\([0-9]*\),[0-9]*\]}} *$/\1/' header)
    numbers=$(((begin + 400000000) / 4))
    shape='"shape":[100000000],"data_offsets":['$begin,$((4 * numbers))]}}
    sed -i 's/"shape":\[[0-9]*\],"data_offsets":\[[0-9]*,[0-9]*\]}} *$/'"$shape/" header
    while header=$(wc -c <header) && [ $((header % 8)) -ne 0 ]; do printf ' ' >>header; done
    for byte in 0 1 2 3 4 5 6 7; do printf "\\$(printf %03o $((header >> 8 * byte & 255)))"; done >"$2"
    cat header >>"$2"
    truncate -s $((8 + header + 4 * numbers)) "$2"
}
large() { # merges it with less memory than it has bytes
    rm -rf all.db* large.db*
    cp 1.db large.db && mkdir large.db.d
    file=$(cd 1.db.d && ls ./*.result | head -n 1)
    enlarge "1.db.d/$file" "large.db.d/$file"
    sql large.db "UPDATE config SET n_params = $numbers;
        UPDATE trial SET checkpoint = NULL WHERE checkpoint <> '${file#./}';
        UPDATE trial SET checkpoint_sha256 = '$(sha256sum <"large.db.d/$file" |
        cut -c 1-64)' WHERE checkpoint = '${file#./}'"
    (ulimit -v 300000 && merge --into all.db large.db) || { cat said; return 1; }
    cmp "large.db.d/$file" "all.db.d/$file"
}
if plain; then
    check "weights larger than the memory are merged" large
else
    skip "weights larger than the memory are merged" "a plain build"
fi
rm -rf large.db*

# ---- looks; studies; remarks; the ledger; files of several people ----
cat >s.yaml <<'Y'
# Which?
name: looked
task: {name: hist, length: 8, vocab: 4}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 20, batch: 8, eval_every: 10, val_examples: 32, test_examples: 32}
looks: [2, 3, 4]
Y
check "a sweep with looks runs undisturbed" undisturbed
for study in heads prune 'ensemble looked --heads 2 --members 2'; do
    headcount $study --db whole.db -q >said 2>&1 || trouble "$study: $(cat said)"
done
headcount sweep note looked "a sweep of mine" --db whole.db >said
headcount sweep note 1 "a trial of mine" --db whole.db >said
sed 's/looked/gone/' s.yaml >gone.yaml
headcount run gone.yaml --db whole.db -q >said 2>&1
headcount sweep delete gone --yes --db whole.db >said
headcount export results --db whole.db >whole.jsonl
headcount report --db whole.db >whole.txt
rm -rf all.db* first.db*
sed 's/looked/other/' s.yaml >first.yaml
headcount run first.yaml --db first.db -q >said 2>&1
check "a sweep is merged behind another one" merge --into all.db first.db whole.db
headcount export results looked --db all.db >got.jsonl
check "... with the same results, whatever the numbers of its trials" cmp got.jsonl whole.jsonl
check "... with the same report" sh -c 'headcount report looked --db all.db | diff - whole.txt'
for table in study head_metric pruning ensemble look deleted evaluation; do
    check "... with the rows of both files in table $table" \
        [ "$(sql all.db "SELECT count(*) FROM $table")" = $(($(sql whole.db "SELECT count(*) FROM $table") + $(sql \
        first.db "SELECT count(*) FROM $table"))) ]
done
check "... with its notes" [ "$(sql all.db "SELECT remark FROM sweep WHERE name = 'looked';
    SELECT remark FROM trial WHERE remark IS NOT NULL")" = "a sweep of mine
a trial of mine" ]
check "... and check finds nothing wrong" headcount check --db all.db
check "studies of a merged sweep have nothing more to measure" \
    sh -c "for study in heads prune 'ensemble --heads 2 --members 2'; do
        headcount \$study looked --db all.db -q >said 2>&1
    done
    [ \"\$(sqlite3 all.db 'SELECT count(*) FROM study')\" = $(sql whole.db 'SELECT count(*) FROM study') ] &&
        [ \"\$(sqlite3 all.db 'SELECT count(*) FROM ensemble')\" = 2 ]"

finish
