#!/bin/sh
# ask: from a file, or a toy, to a sweep file with reasons, and to an answer: what it writes, what it never
# writes over, what it refuses; interrupted, it goes on. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
settle
gives() { # status, pattern, arguments of ask...
    wanted=$1 pattern=$2
    shift 2
    headcount ask "$@" >said 2>&1 </dev/null
    got=$?
    tr -s '\n ' ' ' <said >line
    [ "$got" -eq "$wanted" ] || { echo "status $got, expected $wanted"; cat said; return 1; }
    [ -z "$pattern" ] || grep -qe "$pattern" line || { echo "no '$pattern' in:"; cat said; return 1; }
}
sql() { sqlite3 "$1" "$2"; }
runs_nothing() { # sweep file, db
    headcount run "$1" --db "$2" 2>&1 >/dev/null | grep -q 'nothing to run'
}
# A toy that is learned in an instant; two heads count.
small="--set model.d_model=8 --set model.heads=[1,2] --set model.d_ff=8 --set train.batch=16 --set train.steps=16
    --set train.val_examples=64 --set train.test_examples=64 --set seeds=3 --set confirm=6"
toy="--task copy --length 4 --vocab=4 $small"

# ---- what it refuses ----
check "nothing to ask about" gives 2 "give a file, or --task NAME"
check "two things to ask about" gives 2 "ask about one of them" --task gather a.txt
check "writing and beginning" gives 2 "give one of them" --task gather --write --yes
check "how to read a toy" gives 2 "are for files" --task gather --mode lm
check "no minutes" gives 2 "minutes" --task gather --minutes 0
check "a task that there is not" gives 2 "did you mean 'gather'?" --task gahter
check "a task that is a file's" gives 2 "headcount ask FILE" --task text
check "an option that the task has not" gives 2 "unknown option '--slotz'; options of a task are those" \
    --task gather --slotz 3
check "... as a set" gives 2 "no option slotz; did you mean slots?" --task gather --set task.slotz=3
check "a value that it cannot have" gives 2 "task.slots is 99; allowed: 1 to 64" --task gather --slots 99
check "a key that there is not" gives 2 "^headcount ask: --set model.heds: unknown key" --task gather --set model.heds=2
check "a key that ask gives itself" gives 2 "ask sets this itself" --task gather --set name=x
check "a value that there is not" gives 2 "^headcount ask: --set model.layers: model.layers is 0" --task gather --set model.layers=0
check "what no net can be" gives 2 "^headcount ask: with --set model.d_model=32 --set model.kv_heads=3: the point" \
    --task gather --set model.d_model=32 --set model.kv_heads=3
check "several settings" gives 2 "model.layers has more than one value.*ask answers for one setting\. Set one value; or .* headcount run" \
    --task gather --set "model.layers=[1,2]"
check "... for want of what chooses among them" gives 2 "train.lr has more than one value" --task gather --set tune=null
check "part of a key" gives 2 "ask sets whole keys; give tune={...}" --task gather --set tune.seeds=3
check "a file that is called as an option is" gives 2 "^headcount ask: --slots=3: .*No such file" -- --slots=3
check "... with nothing before it" gives 2 "about one of them" --task gather -- --task=copy
check "the last task is asked about" gives 2 "no option slots" --task gather --task copy --set task.slots=3
check "... and has the options" gives 2 "unknown option '--slots'" --task gather --task copy --slots 3
check "beginnings of names are names" gives 2 "task.slots is 99" --tas gather --slo 99
check "... ask's own first" gives 2 "--minutes is 'x'" --task gather --mi x
check "a value is no option" gives 2 "--slots=3" --task --slots=3 --write
check "a file that is not there" gives 2 "a.txt: .*No such file" a.txt
check "a folder" gives 2 "folder" configs
: >empty.txt
check "an empty file" gives 2 "is empty" empty.txt
echo short >short.txt
check "a short one" gives 2 "too short, with 6 bytes: .* Give a file of 10250 bytes or more" short.txt
head -c 30000 /dev/zero >zeros
check "one without a text" gives 2 "nothing to predict" zeros
head -c 60000 /dev/urandom >random
check "one that nothing can be learned from" gives 2 "unpack it first" random
printf 'id,body,stars\n1,good,5\n2,bad,1\n' >few.csv
check "too few rows to know a label by" gives 2 "looks like a label.*are id, body, stars.*--label-column" few.csv
awk 'BEGIN { print "id,body,stars"; for (i = 0; i < 60; i++) print i ",row number " i "," i % 2 }' >few.csv
check "too few to test on" gives 2 "has 60 rows, of which only 6 can be tested on" few.csv
check "a column that there is not" gives 2 'no column "stras" (only id, body, stars); did you mean task.label_column: stars' few.csv --label-column stras
check "one column for both" gives 2 "are the same" few.csv --label-column body --text-column body
check "a mode that there is not" gives 2 "task.mode is both; allowed: lm, classify" few.csv --mode both
check "a model that is not there" gives 2 "nix.yaml: cannot open" --task gather --model nix.yaml
echo "model: [" >bad.yaml
check "... that is no YAML" gives 2 "bad.yaml:2:1: " --task gather --model bad.yaml
echo "model: 1" >bad.yaml
check "... that is no mapping" gives 2 "bad.yaml:1:8: model is a single value" --task gather --model bad.yaml
echo "seeds: 1" >bad.yaml
check "... that has no model" gives 2 "bad.yaml: has neither a section .model. nor one .train." --task gather --model bad.yaml
printf 'model:\n  d_modle: 8\n' >bad.yaml
check "... with a key that there is not" gives 2 "did you mean d_model" --task gather --model bad.yaml
{ echo "model:" && seq -f "  key%g: 1" 80; } >bad.yaml
check "... with more keys than can be set" gives 2 "bad.yaml: it and the command line set more than 64 keys" --task gather --model bad.yaml
check "nothing was written" sh -c '! ls | grep -q headcount'
check "... nor begun" [ ! -e results ]

# ---- a toy ----
check "--write writes" gives 0 "copy.headcount.yaml: written" $toy --write
check "... what plan can read" headcount plan copy.headcount.yaml
check "... with what was said" grep -q '^  length: 4  *# as you said$' copy.headcount.yaml
check "... and reasons" grep -q '^  lr: .* # ' copy.headcount.yaml
check "... and begins nothing" [ ! -e results ]
check "without a terminal it only writes" gives 0 "no terminal to ask on; the same command with --yes begins" $toy
check "... what it had written" grep -q 'as it was written before' said
cp copy.headcount.yaml kept.yaml
check "--yes begins" gives 0 "Everything, as a page for a browser: copy.headcount.html" $toy --yes
check "... says what is confirmed" grep -qE '(Confirmed|Not confirmed|Contradicted) on 6 fresh seeds|Nothing is confirmed' line
check "... what that is about" grep -q 'This is about this task and nets of d_model' line
check "... without the report" sh -c '! grep -q "95% interval" said'
check "... the page is there" grep -q '<html' copy.headcount.html
check "... the sweep file is as it was" cmp copy.headcount.yaml kept.yaml
"$headcount" export results >before
check "again it says the same" gives 0 "All of it has run\." $toy --yes
check "... and has trained nothing" sh -c 'headcount export results | cmp - before'
check "... as has run" runs_nothing copy.headcount.yaml results/headcount.db
check "more minutes than there is use for" gives 0 "More time would hardly show more: it goes on as it is" $toy --minutes 20 --write
check "... fewer" gives 0 "as it was written before" $toy --minutes 2 --write
check "in another order it is the same question" gives 0 "as it was written before" --vocab=4 --length 4 --task copy $small --write
name=$(sed -n 's/^name: \([^ ]*\).*/\1/p' copy.headcount.yaml)
check "more seeds are no other sweep" \
    gives 0 "Other keys are set than before: the results that there are stay, and each head count gets 4 seeds (before: 3)" \
    $toy --set seeds=4 --write
check "... as its file says" grep -q '^seeds: 4 ' copy.headcount.yaml
check "... under the same name" grep -q "^name: $name " copy.headcount.yaml
check "... nor is what does not matter" gives 0 "Other keys .* gets 3 seeds (before: 4)" $toy --set equivalence=.02 --write
check "... under the same name" grep -q "^name: $name " copy.headcount.yaml
check "... and back" gives 0 "Other keys are set than before: the results that there are stay[.;]" $toy --write
check "something else is another sweep" gives 0 "Something else is asked now" $toy --vocab 5 --write
check "... under another name" fails grep -q "^name: $name " copy.headcount.yaml
check "... and back" gives 0 "Something else is asked now .* written anew\. The results file has a sweep of these trials, $name: it goes on" \
    $toy --write
check "... under its own" grep -q "^name: $name " copy.headcount.yaml
check "... nothing of which has to run" runs_nothing copy.headcount.yaml results/headcount.db
check "what no sweep can have is refused" gives 2 "^headcount ask: with .*--set run_cap=1.* more than run_cap 1" \
    $toy --set run_cap=1 --write
check "... and leaves the sweep file that can be run" runs_nothing copy.headcount.yaml results/headcount.db
check "head counts join those that there are" gives 0 "Other keys are set than before" $toy --set "model.heads=[1, 2, 4]" --write
check "... under the same name" grep -q "^name: $name " copy.headcount.yaml
check "others alone are refused" gives 2 "sweep $name is of these trials, but none of its head counts .* another results file with --db" \
    $toy --set "model.heads=[4, 8]" --write
check "... and back" gives 0 "Other keys are set than before" $toy --write
mv copy.headcount.yaml kept.yaml
check "a sweep file that was moved away is written again for the same sweep" \
    gives 0 "The results file has a sweep of these trials, $name: it goes on, and keeps its seeds\." $toy --write
check "... really" grep -q "^name: $name " copy.headcount.yaml
mv kept.yaml copy.headcount.yaml

# What was found is confirmed once, whatever it was.
sql results/headcount.db "UPDATE plan_change SET claim = '{\"best\":2,\"over\":[1]}' WHERE by = 'confirm'"
cp copy.headcount.yaml kept.yaml
check "what is written down is not confirmed on other seeds" \
    gives 2 "confirm=7: what sweep $name found was written down, to be confirmed on 6 fresh seeds, .* set confirm=6, or leave it out" \
    $toy --set confirm=7 --write
check "... nothing is written" cmp copy.headcount.yaml kept.yaml
check "... without a number it keeps its own" gives 0 \
    "Other keys are set than before: the results that there are stay; the confirmation stays as it is\." \
    --task copy --length 4 --vocab=4 ${small% --set confirm=6} --write
check "... really" grep -q '^confirm: 6  *# on so many' copy.headcount.yaml
check "... under its name" grep -q "^name: $name " copy.headcount.yaml
check "... and with it" gives 0 "Other keys are set" $toy --write

# ---- heads ----
cat >my.yaml <<'END'
task: {name: copy}
model:
  heads: 4
  d_model: 16
  layers: 2
train:
  lr: 1e-2
  schedule: {name: cosine, warmup: 10}
seeds: 3
END
check "of a model that is given only heads are asked" gives 0 "d_model 16 with 1, 2, 4, 8 and 16 heads .*, each on" \
    --task gather --model my.yaml --minutes 1 --write
check "... its training stays" grep -q '^  schedule: {name: cosine, warmup: 10}  *# as you said' gather.headcount.yaml
check "... one learning rate is not tuned" fails grep -q '^tune' gather.headcount.yaml
check "... and seeds are ask's" fails grep -q '^seeds: 3 ' gather.headcount.yaml
check "... and none that it cannot have" gives 0 "d_model 16 with 1, 2, 4 and 8 heads" \
    --task gather --model my.yaml --set model.positions=rotary --minutes 1 --write
check "... nor is it forgotten" grep -q '^  positions: rotary  *# as you said' gather.headcount.yaml
check "what is set counts for more" gives 0 "d_model 8 with 1, 2, 4 and 8 heads" \
    --task gather --model my.yaml --set model.d_model=8 --minutes 1 --write
rm gather.headcount.yaml
check "head counts are those of the width that is set" gives 0 "d_model 48 with 1, 2, 4, 8, 16 and 48 heads" \
    --task gather --set model.d_model=48 --write
rm gather.headcount.yaml

# ---- more minutes ----
large="--task gather --set model.d_model=256 --set model.heads=[1,2,256] --set model.layers=8"
check "a minute is too little for a long toy" gives 0 "In less time nothing would show\." \
    --task induction --length 128 --vocab 40 --minutes 1 -j 1 --write
check "... and for a large net" gives 0 "That takes about" $large --minutes 1 --write
check "... but a smaller one would show something" fails grep -q 'In less time' line
check "more minutes train longer" gives 0 "allow more: steps 800 (before: 200)\..*begins anew" \
    $large --minutes 100000 --write
check "fewer minutes leave it as it is, and say so" \
    gives 0 "as it was written before.* written for 100000 minutes; move it away to ask for 1 minute\." $large --minutes 1 --write
check "... not that less would be nothing" fails grep -q 'In less time' line
rm gather.headcount.yaml
check "where the steps are given" gives 0 "" $large --set train.steps=3000 --minutes 1 --write
check "... fewer would show something" fails grep -q 'In less time' line
name=$(sed -n 's/^name: \([^ ]*\).*/\1/p' gather.headcount.yaml)
check "... they are for seeds" gives 0 "the results that there are stay, and each head count gets 24 seeds (before: 5), 32 fresh ones to confirm on (before: 6)" \
    $large --set train.steps=3000 --minutes 100000 --write
check "... under the same name" grep -q "^name: $name " gather.headcount.yaml
rm gather.headcount.yaml
set="--set train.steps=3000 --set seeds=4 --set confirm=6 --set tune=null --set train.lr=1e-2"
check "where all of it is set" gives 0 "" $large $set --minutes 1 --write
cp gather.headcount.yaml kept.yaml
check "... they change nothing" gives 0 "More time would hardly show more" $large $set --minutes 100000 --write
check "... really" cmp gather.headcount.yaml kept.yaml
rm gather.headcount.yaml

# ---- a file that a person has changed ----
sed 's/^seeds: 3/seeds: 4/' copy.headcount.yaml >changed.yaml && cp changed.yaml copy.headcount.yaml
check "a changed file is refused" gives 2 "was changed since ask wrote it.*headcount run copy.headcount.yaml" $toy --yes
check "... whatever is asked" gives 2 "is left as it is" --task copy --length 5 --write
check "... and stays" cmp copy.headcount.yaml changed.yaml
rm copy.headcount.yaml
mkdir copy.headcount.yaml
check "what is no file" gives 2 "copy.headcount.yaml" $toy --write
rmdir copy.headcount.yaml


# ---- a page that is not headcount's ----
echo "my own notes" >notes && cp notes copy.headcount.html
check "a page of somebody else's is refused" gives 2 "copy.headcount.html: was not written by headcount" $toy --yes
check "... before anything is written" [ ! -e copy.headcount.yaml ]
check "... and stays" cmp notes copy.headcount.html
check "... and does not matter where none is written" gives 0 "copy.headcount.yaml: written" $toy --write
rm copy.headcount.html copy.headcount.yaml && mkdir copy.headcount.html
check "... nor is a folder a page" gives 2 "was not written by headcount" $toy --yes
rmdir copy.headcount.html
mkfifo copy.headcount.html
refuses_pipe() {
    timeout -s KILL "$(seconds 60)" headcount ask $toy --yes >said 2>&1 </dev/null
    [ $? = 2 ] && grep -q 'was not written by headcount' said
}
check "... nor a pipe, for which it does not wait" refuses_pipe
rm copy.headcount.html

# ---- a text, and rows ----
cat "$root"/sweep/*.h "$root"/sweep/plan/*.h >"it's 1.txt" 2>/dev/null
tiny="--set model.d_model=8 --set model.heads=[1,2] --set train.batch=2 --set train.steps=8 --set seeds=2
    --set train.val_examples=8 --set train.test_examples=32 --set tune=null --set train.lr=1e-2 --set task.length=16"
check "a text is taken for one" gives 0 "bytes of text in [0-9,]* lines; each byte is to be predicted" \
    "it's 1.txt" $tiny --yes --db text.db
check "... and answered" grep -q 'This is about this text' line
check "... that counting does better is said" grep -q 'A byte model of order 2, .* bits per byte, less than any net here' line
check "... its page beside it" [ -e "it's 1.txt.headcount.html" ]
echo more >>"it's 1.txt"
check "once it has changed, it is asked anew" gives 0 "the data have changed" "it's 1.txt" $tiny --write --db text.db
awk 'BEGIN { print "id;body;stars"; for (i = 0; i < 600; i++) print i ";\"row; number " i "\";" i % 3 }' >rows.csv
check "rows are taken for rows" gives 0 "bytes of CSV with semicolons, 600 rows with 3 labels; the label, column stars, is to be told from the text, column body" \
    rows.csv $tiny --yes --db rows.db
check "... and answered" grep -q 'this split of these rows' line
check "... with their separator" grep -q '^  separator: semicolon ' rows.csv.headcount.yaml
awk 'BEGIN { print "a: b # c,null"; for (i = 0; i < 600; i++) print "row number " i "," i % 3 }' >odd.csv
check "columns with names that YAML takes for something else are guessed" gives 0 "column null, .* column a: b # c" \
    odd.csv $tiny --write
check "... and read by plan" headcount plan odd.csv.headcount.yaml
check "... or named" gives 0 "column null, .* column a: b # c" odd.csv $tiny --write --text-column "a: b # c" --label-column null
check "... and read by plan" headcount plan odd.csv.headcount.yaml
check "... or set, as YAML" gives 0 "column null, .* column a: b # c" odd.csv $tiny --write --set "task.text_column='a: b # c'" \
    --set 'task.label_column="null"'
check "... and read by plan" headcount plan odd.csv.headcount.yaml
check "no name of a column" gives 2 'task.label_column is "", which is too short' odd.csv --label-column ""
check "... too long a name" gives 2 "too long" odd.csv --label-column "$(printf %5000s | tr ' ' x)"
check "... or for bytes" gives 0 "each byte is to be predicted" rows.csv --mode lm --set task.length=16 --write
cp rows.csv tom.csv
check "the same file under another name is the same sweep" gives 0 "" tom.csv $tiny --write --db rows.db
check "... under its own name" grep -q '^name: rows-[0-9a-f]* ' tom.csv.headcount.yaml
awk 'BEGIN { print "text,label"; for (i = 0; i < 600; i++) { s = ""; for (k = 0; k < 40; k++) s = s "word " i * k % 97 " "
    print i " " s "end," i % 3 } }' >long.csv
check "what is not seen of long texts is said" \
    gives 0 "the nets see the first 256 bytes, and one in ten has [0-9]* or more\." long.csv --minutes 1 --write
cp rows.csv "./-a b.csv"
check "a name that the shell or an option would take apart" gives 0 "headcount run './-a b.csv.headcount.yaml'" $tiny -- "-a b.csv"
check "... is none as the sweep's" grep -q '^name: _a-b-[0-9a-f]* ' "./-a b.csv.headcount.yaml"
echo "# mine" >>"./-a b.csv.headcount.yaml"
check "... nor where it was changed" gives 2 "headcount run './-a b.csv.headcount.yaml'), or" $tiny -- "-a b.csv"
mkdir deeper
cp rows.csv deeper/other.csv
check "a file elsewhere has its own beside it" gives 0 "" deeper/other.csv $tiny --yes --db rows.db
check "... both" [ -e deeper/other.csv.headcount.yaml -a -e deeper/other.csv.headcount.html ]

# ---- a folder that cannot be written to ----
mkdir locked && cp rows.csv short.txt locked && chmod 555 locked && chmod 755 "$dir"
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
refuses_folder() { # ...
    $as_user "$headcount" ask "$@" >"$dir/said" 2>&1 </dev/null
    [ $? = 2 ] && tr -s '\n ' ' ' <"$dir/said" | grep -q 'Permission denied; the sweep file and the page are written there\. Copy'
}
if $as_user test -x "$headcount" -a -r locked/rows.csv 2>/dev/null; then
    check "a folder that nothing can be written to is refused" refuses_folder locked/rows.csv --write
    check "... before the file is read, which would be refused" refuses_folder locked/short.txt --write
else
    skip "a folder that nothing can be written to is refused" "a program that others can reach"
fi
chmod 755 locked

# ---- interrupted ----
long="--task copy --length 6 --set model.d_model=8 --set model.heads=[1,2] --set train.steps=$(steps 1500) --set seeds=2
    --set train.batch=8 --set confirm=null --set tune=null --set train.lr=1e-2"
mkdir stopped && cd stopped || exit 1
for signal in INT KILL TERM; do
    headcount ask $long --yes --db r.db >said 2>err </dev/null &
    pid=$!
    seen=$(sql r.db 'SELECT count(*) FROM attempt' 2>/dev/null)
    wait_beside $pid sh -c "[ \"\$(sqlite3 r.db 'SELECT count(*) FROM attempt' 2>/dev/null)\" -gt ${seen:-0} ]"
    [ -e first.yaml ] || cp copy.headcount.yaml first.yaml
    kill -$signal $pid
    wait $pid 2>/dev/null
    [ $? = 75 ] && stopped=yes
done
check "Ctrl-C stops it, with 75" [ "$stopped" = yes ]
check "... and it goes on" gives 0 "Everything, as a page" $long --yes --db r.db
check "... with the same sweep file" cmp copy.headcount.yaml first.yaml
headcount run copy.headcount.yaml --db whole.db -q >said 2>&1
headcount export results --db r.db >a && headcount export results --db whole.db >b
check "... to the same bytes as undisturbed" cmp a b
cd ..

# ---- asked on a terminal ----
if command -v script >/dev/null; then
    answer() { # word: what is said
        printf '%s\n' "$1" | TERM=xterm script -qec "headcount ask $(echo $toy) --db term.db" /dev/null | tr -d '\r'
    }
    answer n >said
    check "it asks" grep -q 'Begin? \[y/N\]' said
    check "... no is no" grep -q 'Nothing was begun' said
    check "... really" [ ! -e term.db ]
    answer y >said
    check "... yes is yes" grep -q 'Everything, as a page for a browser' said
else
    skip "it asks" script
fi
finish
