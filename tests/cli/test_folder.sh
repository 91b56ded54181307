#!/bin/sh
# The folder beside a results file belongs to that file: whoever reaches it by a copy of the file, by a link
# or by another file writes nothing to it and removes nothing. What gc and exports remove. Speaks TAP.
# HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
cat >s.yaml <<'Y'
# Which?
name: s
task: {name: gather, length: 8, vocab: 4, slots: 1}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 10, batch: 8, eval_every: 5, val_examples: 32, test_examples: 32}
seeds: 2
Y
refused() { # words, command...
    words=$1
    shift
    headcount "$@" >said 2>&1 </dev/null
    code=$?
    [ $code -eq 2 ] || { echo "status $code"; cat said; return 1; }
    grep -qF -- "$words" said && grep -qF -- "/owner: it then belongs to" said && ls -l head.db.d | cmp - before ||
        { cat said; return 1; }
}
every_writer() { # db, words
    for command in 'run s.yaml' 'run s.yaml --shard 1/2' 'sweep delete s --yes' gc 'gc -n' 'gc --out-of-plan' heads \
        'prune s --keep 1' 'ensemble s --heads 1 --members 2' 'submit s.yaml -n --nodes 1'; do
        check "$command refuses $1, whose folder is another's" refused "$2" $command --db "$1"
    done
    check "merge refuses $1, whose folder is another's" refused "$2" merge --into "$1" head.db
}
headcount run s.yaml --db head.db -q >said 2>&1 || trouble "$(cat said)"
headcount run s.yaml --db foreign.db -q --set train.steps=5 >said 2>&1 || trouble "$(cat said)"
verdict "two sweeps run, each in its own results file"
ls -l head.db.d >before

cp head.db copy.db && ln -s head.db.d copy.db.d
every_writer copy.db \
    "copy.db.d is a link to a folder that belongs to another copy of this results file, so nothing in it was changed"
rm -rf foreign.db.d && ln -s head.db.d foreign.db.d
every_writer foreign.db "foreign.db.d belongs to another results file, so nothing in it was changed"
ln -s head.db.d new.db.d
check "a new results file whose folder is another's is refused" refused "new.db.d belongs to another results file" run s.yaml --db new.db
check "... and not made" [ ! -e new.db ]
for command in report status show check 'plan s.yaml' 'export results' 'export weights 1 w.safetensors'; do
    check "$command reads copy.db, whose folder is another's" headcount $command --db copy.db
done
check "gc and sweep delete work in a folder that was copied along" sh -c 'rm copy.db.d && cp -a head.db.d copy.db.d &&
    headcount gc --db copy.db && headcount sweep delete s --yes --db copy.db && ! ls copy.db.d | grep result'
check "... and leave the first folder as it was" sh -c 'ls -l head.db.d | cmp - before && headcount check --db head.db'
check "a folder that was moved and linked on purpose is used" sh -c 'mkdir disk && mv head.db.d disk/head && ln -s disk/head head.db.d &&
    headcount run s.yaml --db head.db --set seeds=3 -q && headcount check --db head.db &&
    [ "$(ls disk/head | grep -c result)" = 6 ]'

# ---- modes ----
made_with() { # umask, words of find: no file that a command makes has them
    (umask "$1" && headcount run s.yaml --db team/one.db -q && headcount run s.yaml --db team/part.db --shard 1/2 -q &&
        headcount run s.yaml --db team/taken.db --from team/part.db -q && headcount heads s --db team/one.db &&
        headcount merge --into team/all.db team/part.db && headcount report s --db team/one.db --html team/page.html &&
        headcount export trials s team/trials.csv --db team/one.db) >said 2>&1 || { cat said; return 1; }
    shift
    find team \( -type f -o -type d \) "$@" -printf '%M %p\n' >wrong && [ ! -s wrong ] || { cat wrong; return 1; }
}
group=$(id -G | tr ' ' '\n' | tail -n 1)
mkdir team && chgrp "$group" team && chmod 2775 team
check "umask 002 in the folder of a group: all of the group may write all that is made" \
    made_with 002 \( ! -perm -664 -o ! -group "$group" \)
rm -rf team && mkdir -m 700 team
check "umask 077: nobody else may read any of it" made_with 077 -perm /077
rm -rf team /dev/shm/headcount-"$$"
if mkdir /dev/shm/headcount-"$$" 2>said; then
    elsewhere=/dev/shm/headcount-$$
    (umask 002 && headcount run s.yaml --db "$elsewhere/s.db" -q && headcount merge --into all.db "$elsewhere/s.db") >said 2>&1 ||
        trouble "$(cat said)"
    [ "$(find all.db.d -name '*.result' -perm 664 | wc -l)" = 4 ] || trouble "$(ls -l all.db.d)"
    verdict "weights from another file system are for as many eyes as they were"
    rm -rf "$elsewhere"
else
    skip "weights from another file system are for as many eyes as they were" "/dev/shm"
fi

# ---- gc ----
mkdir head.db.d/t1-a9.result && : >head.db.d/t9-a1.result && : >head.db.d/t1-a1.result.headcount-0badcafe.tmp
: >head.db.d/owner.headcount-0badcafe.tmp && : >head.db.d/mine.txt
headcount gc --db head.db >said 2>&1
code=$?
check "gc succeeds where a folder is named like a result" [ $code -eq 0 ]
check "... and names that folder" grep -qx "head.db.d/t1-a9.result is a folder, which headcount did not make: it stays" said
check "... and removes the files that are not needed" \
    sh -c '! ls head.db.d | grep -e tmp -e t9 && [ -e head.db.d/mine.txt ] && rmdir head.db.d/t1-a9.result'
check "... and counts files that headcount did not make" grep -qx "left 2 files in head.db.d that headcount did not make" said

# ---- exports ----
for target in w.safetensors c.csv page.html; do
    : >$target.headcount-0badcafe.tmp && : >$target.20240131.tmp && : >x$target.headcount-0badcafe.tmp
done
headcount export weights 1 w.safetensors --db head.db >said 2>&1 || trouble "$(cat said)"
headcount export curves s c.csv --db head.db >said 2>&1 || trouble "$(cat said)"
headcount report s --html page.html --db head.db >said 2>&1 || trouble "$(cat said)"
[ -z "$(ls w.safetensors.headcount* c.csv.headcount* page.html.headcount* 2>said)" ] || trouble "$(ls)"
verdict "an export removes what killed exports left"
check "... and nothing else" [ "$(ls ./*.20240131.tmp x*.headcount-0badcafe.tmp | wc -l)" = 6 ]
finish
