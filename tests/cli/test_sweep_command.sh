#!/bin/sh
# headcount sweep: renaming, deleting, noting; what stays, what goes, what is refused. Speaks TAP.
# HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
cd "$dir" || exit 1
gives() { # status, pattern, arguments of headcount...
    status=$1 pattern=$2
    shift 2
    "$headcount" "$@" </dev/null >said 2>&1
    code=$?
    cat said
    [ $code -eq "$status" ] && grep -q -- "$pattern" said
}
sql() { sqlite3 "$1" "$2"; }
files() { find r.db.d -name "t$1-*" | grep -c .; }
for name in one two; do
    cat >$name.yaml <<Y
name: $name
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 20, batch: 4, eval_every: 10, val_examples: 16, test_examples: 16}
seeds: 2
Y
done
edit() { gives "$1" "$2" sweep "$3" "$4" "$5" --db r.db; }

check "a missing results file is named" \
    gives 2 'no results file nowhere/r.db' sweep rename a b --db nowhere/r.db
check "... and not made, nor its folder" [ ! -e nowhere ]
"$headcount" run one.yaml --db r.db -q >/dev/null && "$headcount" run two.yaml --db r.db -q >/dev/null
check "an unknown action is refused with those allowed" \
    gives 2 "there is no 'remove'; allowed: rename, delete, note" sweep remove one --db r.db
check "a misspelt action is refused with the right one" gives 2 "did you mean 'rename'" sweep renam one --db r.db
check "rename without a new name is refused" gives 2 'no NEW given; usage: headcount sweep rename OLD NEW' sweep rename one --db r.db
check "delete with two names is refused" gives 2 'one argument too many' sweep delete one two --db r.db --yes

# ---- rename ----
check "a new name that is taken is refused" edit 2 'already holds a sweep "two"; choose another name' rename one two
check "a new name that cannot be one is refused" edit 2 "'a/b' cannot be the name of a sweep" rename one a/b
check "a name that would be taken for a trial is refused" edit 2 "'7' cannot be the name of a sweep: it is a number" rename one 7
check "... and for an option, too" gives 2 "'--db' cannot be the name of a sweep: it begins with '-'" \
    sweep rename --db r.db -- one --db
for name in 7 -x --db; do
    sed "s/^name: one/name: '$name'/" one.yaml >mistaken.yaml
    sed '/^name: one/d' one.yaml >"./$name.yaml"
    for command in run plan 'submit -n'; do
        for file in mistaken.yaml "./$name.yaml"; do
            # shellcheck disable=SC2086 # words
            check "$command of $file, named $name, is refused" \
                gives 2 "$file: the sweep's name '$name' .*; give it another with the key name, and .* rename -- $name NEW" \
                $command $file --db r.db
        done
    done
    sql r.db "UPDATE sweep SET name = '$name' WHERE name = 'one'"
    check "a sweep named $name that is there is reported" gives 0 'ended":4,' report --json --db r.db -- "$name"
    check "... and merged" gives 0 '4 of 4 trials' merge --into m.db r.db
    check "... and renamed" gives 0 'name: one' sweep rename --db r.db -- "$name" one
    rm -rf m.db*
done
check "an unknown sweep is refused with those that there are" edit 2 'holds no sweep "thirteenth"; it holds: ' rename thirteenth other
check "a sweep is renamed, and the change that its file needs is told" edit 0 'name: first' rename one first
check "... and keeps its results" gives 0 '"sweep":"first".*"ended":4,' report first --json --db r.db
sed -i 's/^name: one/name: first/' one.yaml
check "a sweep file with the new name has nothing left to run" gives 0 'Nothing is left to run' plan one.yaml --db r.db

# ---- note ----
check "a note on a sweep is taken" edit 0 'Noted on sweep first' note first 'größer, bitte'
check "a note on a trial is taken" edit 0 'Noted on trial 2' note 2 'loud fan'
check "... and shown by show" gives 0 '^Note: loud fan$' show 2 --db r.db
check "... also in JSON" gives 0 '"remark":"loud fan"' show 2 --json --db r.db
check "a note of two lines is refused" edit 2 'byte 4 of the note is a line break' note 2 "two
lines"
check "a note on an unknown trial is refused" edit 2 'holds no trial 99' note 99 text
check "an empty note removes the note of a trial" edit 0 'Removed the note from trial 2' note 2 ''
check "... which show then leaves out" sh -c "! '$headcount' show 2 --db r.db | grep Note:"

# ---- delete ----
check "delete without a terminal asks for --yes" gives 2 'no terminal to ask on; use --yes' sweep delete first --db r.db
check "... and deletes nothing" [ "$(sql r.db 'SELECT count(*) FROM trial')" = 8 ]
check "... but first names a sweep that does not exist" \
    gives 2 'holds no sweep "frist"; did you mean "first"? It holds: ' sweep delete frist --db r.db
if has_terminal; then
    check "delete does nothing if the answer is no" sh -c "echo n | script -qec \"'$headcount' sweep delete first --db r.db\" /dev/null |
        grep 'Nothing was deleted'"
    check "... and keeps every trial" [ "$(sql r.db 'SELECT count(*) FROM trial')" = 8 ]
else
    skip "delete does nothing if the answer is no" "script(1)"
fi
exec 9>>r.db.lock
flock 9
check "rename is refused while a run holds the file" edit 4 'r.db' rename first other 9>&-
exec 9>&-
cp r.db.d/t1-a1.result kept
check "delete --yes deletes a sweep" gives 0 'Deleted sweep first: 4 trials, of which 4 ended' sweep delete first --yes --db r.db
check "... with the files of its trials" sh -c '! ls r.db.d | grep "^t[1-4]-"'
check "... and nothing else" \
    [ "$(sql r.db 'SELECT count(*) FROM trial')$(find r.db.d -name 't[5-8]-*.result' | grep -c .)" = 44 ]
check "check finds nothing wrong after delete" gives 0 'everything is as it should be' check --db r.db
check "a sweep that is deleted already is refused" gives 2 'holds no sweep "first"; it holds: two' sweep delete first --yes --db r.db
cp kept r.db.d/t1-a1.result # as if it had been cut off before the files
check "a deleted sweep runs again" "$headcount" run one.yaml --db r.db -q
check "gc finds what a cut-off deletion left" gives 0 't1-a1.result .* its trial is not in the database' gc --db r.db
check "... and the file is as it should be" gives 0 'everything is as it should be' check --db r.db
if can_strace; then
    strace -f -o trace -e trace=unlink,unlinkat -e inject=unlink,unlinkat:signal=KILL:when=3 \
        "$headcount" sweep delete first --yes --db r.db >/dev/null 2>&1
    check "delete is killed between rows and files" grep -q 'killed by SIGKILL' trace
    check "... and all of the sweep's rows are there, or none" \
        sh -c "case \$(sqlite3 r.db \"SELECT count(*) FROM trial JOIN sweep USING (sweep_id)
        WHERE name = 'first'\") in 0 | 4) ;; *) false ;; esac"
    "$headcount" sweep delete first --yes --db r.db >/dev/null 2>&1
    "$headcount" gc --db r.db >/dev/null
    check "... and after another delete and gc nothing of the sweep is left" \
        sh -c '! ls r.db.d | grep -v -e "^t[5-8]-" -e "^owner$" && ls r.db.d | grep -c result | grep -qx 4'
    check "... but all other trials are there" gives 0 '4 trials, 4 files of weights: everything' check --db r.db
else
    skip "delete is killed between rows and files" strace
fi
finish
