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
check "ask without a file or a task is refused" gives 2 "give a file, or --task NAME"
check "a file and a task together are refused" gives 2 "ask about one of them" --task gather a.txt
check "--write and --yes together are refused" gives 2 "give one of them" --task gather --write --yes
check "--mode is refused for a toy task, as it is for files" gives 2 "are for files" --task gather --mode lm
for minutes in 0 -1 1x nan inf; do
    check "--minutes $minutes is refused" gives 2 "--minutes is '$minutes'; allowed: a number above 0 " --task gather --minutes=$minutes
done
check "half a worker is refused" gives 2 "--workers is '.5'; allowed: a whole number from 1 " --task gather -j .5
check "an option that the task lacks is refused" gives 2 "unknown option '--slotz'; did you mean '--slots'?" \
    --task gather --slotz 3
check "... also if it is given with --set" gives 2 "no option slotz; did you mean slots?" --task gather --set task.slotz=3
check "a key that ask sets itself is refused in --set" gives 2 "ask sets this itself" --task gather --set name=x
check "keys that make an impossible model together are refused" gives 2 "^headcount ask: with --set model.d_model=32 --set model.kv_heads=3: the point" \
    --task gather --set model.d_model=32 --set model.kv_heads=3
check "several values of a key are refused, as ask answers for one setting" gives 2 "model.layers has more than one value.*ask answers for one setting\. Set one value; or .* headcount run" \
    --task gather --set "model.layers=[1,2]"
check "... and so are several learning rates with tune=null" gives 2 "train.lr has more than one value" --task gather --set tune=null
check "a key within tune is refused, with the whole key to give" gives 2 "ask sets whole keys; give tune={...}" --task gather --set tune.seeds=3
check "--slots=3 after -- is a file's name" gives 2 "^headcount ask: --slots=3: .*No such file" -- --slots=3
check "... and so is --task=copy" gives 2 "about one of them" --task gather -- --task=copy
check "of two --task options the last one counts" gives 2 "no option slots" --task gather --task copy --set task.slots=3
check "... and options of the first one are unknown" gives 2 "unknown option '--slots'" --task gather --task copy --slots 3
check "shortened options are understood" gives 2 "task.slots is 99" --tas gather --slo 99
check "... as options of ask before those of the task" gives 2 "--minutes is 'x'" --task gather --mi x
check "the word after --task is its value, even if it looks like an option" gives 2 "--slots=3" --task --slots=3 --write
check "a missing file is refused" gives 2 "a.txt: .*No such file" a.txt
check "a folder is refused, with what to ask about instead" gives 2 "configs: is a folder; ask about one of its files" configs
echo short >short.txt
check "a file that is too short is refused, with the length that is needed" gives 2 "too short, with 6 bytes: .* Give a file of 10250 bytes or more" short.txt
printf 'id,body,stars\n1,good,5\n2,bad,1\n' >few.csv
check "rows that are too few to tell the label column are refused, with the option to name it" gives 2 "looks like a label.*are id, body, stars.*--label-column" few.csv
check "a missing --model file is refused" gives 2 "nix.yaml: cannot open" --task gather --model nix.yaml
echo "model: [" >bad.yaml
check "... and so is one that is not YAML" gives 2 "bad.yaml:2:1: " --task gather --model bad.yaml
echo "model: 1" >bad.yaml
check "... and so is one whose model is a single value" gives 2 "bad.yaml:1:8: model is a single value" --task gather --model bad.yaml
echo "seeds: 1" >bad.yaml
check "... and so is one without a section model or train" gives 2 "bad.yaml: has neither a section .model. nor one .train." --task gather --model bad.yaml
printf 'model:\n  d_modle: 8\n' >bad.yaml
check "... and so is one with an unknown key" gives 2 "did you mean d_model" --task gather --model bad.yaml
{ echo "model:" && seq -f "  key%g: 1" 80; } >bad.yaml
check "... and so is one with more keys than can be set" gives 2 "bad.yaml: it and the command line set more than 64 keys" --task gather --model bad.yaml
check "refused questions write no sweep file" sh -c '! ls | grep -q headcount'
check "... and make no results folder" [ ! -e results ]

# ---- a toy ----
check "--write writes the sweep file" gives 0 "copy.headcount.yaml: written" $toy --write
check "... which plan can read" headcount plan copy.headcount.yaml
check "... and which says that the length was given" grep -q '^  length: 4  *# as you said$' copy.headcount.yaml
check "... and why it has its learning rate" grep -q '^  lr: .* # ' copy.headcount.yaml
check "... and no trial begins" [ ! -e results ]
check "without a terminal ask only writes the sweep file and names --yes" gives 0 "no terminal to ask on; the same command with --yes begins" $toy
check "... and says that the file is as before" grep -q 'as it was written before' said
cp copy.headcount.yaml kept.yaml
check "--yes runs the sweep and names its page" gives 0 "Everything, as a page for a browser: copy.headcount.html" $toy --yes
check "... and says what is confirmed" grep -qE '(Confirmed|Not confirmed|Contradicted) on 6 fresh seeds|Nothing is confirmed' line
check "... and which task and models the answer is about" grep -q 'This is about this task and nets of d_model' line
check "... and leaves the full report out" sh -c '! grep -q "95% interval" said'
check "... and writes the page" grep -q '<html' copy.headcount.html
check "... and leaves the sweep file as it was" cmp copy.headcount.yaml kept.yaml
"$headcount" export results >before
check "asked again, it says that all trials have run" gives 0 "All of it has run\." $toy --yes
check "... and trains nothing" sh -c 'headcount export results | cmp - before'
check "... and headcount run has nothing to run either" runs_nothing copy.headcount.yaml results/headcount.db
check "more minutes than it can use change nothing, and ask says so" \
    gives 0 "20 minutes allow no more than there is: it goes on as it is\." $toy --minutes 20 --write
check "... and fewer minutes change nothing either" gives 0 "as it was written before" $toy --minutes 2 --write
check "the same options in another order ask the same question" gives 0 "as it was written before" --vocab=4 --length 4 --task copy $small --write
name=$(sed -n 's/^name: \([^ ]*\).*/\1/p' copy.headcount.yaml)
check "another option of the task makes another sweep, and ask says so" \
    gives 0 "Something else is asked now .* written again, for the sweep copy-[0-9a-f]*, under another name\." $toy --vocab 5 --write
check "... with another name" fails grep -q "^name: $name " copy.headcount.yaml
check "the first task again goes on with its sweep from the results file" \
    gives 0 "Something else is asked now .* written again, for the sweep $name, which was begun before and goes on\." $toy --write
check "... under its name" grep -q "^name: $name " copy.headcount.yaml
check "... and nothing has to run" runs_nothing copy.headcount.yaml results/headcount.db
cp copy.headcount.yaml kept.yaml
check "a sweep with more trials than run_cap is refused" gives 2 "^headcount ask: with .*--set run_cap=1.* more than run_cap 1" \
    $toy --set run_cap=1 --write
check "... and the sweep file that has run stays" cmp copy.headcount.yaml kept.yaml
check "other seeds or margins of the same trials go on with the same sweep" gives 0 "for the sweep $name, which was begun before" \
    $toy --set seeds=4 --set equivalence=.02 --write
check "... which the sweep file names" grep -q "^name: $name " copy.headcount.yaml
rm copy.headcount.yaml
check "a sweep file that is gone is written again for the same sweep" \
    gives 0 "The results file has a sweep of these trials, $name: it goes on\." $toy --write
check "... as it was" cmp copy.headcount.yaml kept.yaml

# What was found is confirmed once, whatever it was.
sql results/headcount.db "UPDATE plan_change SET claim = '{\"best\":2,\"over\":[1]}' WHERE by = 'confirm'"
check "without a number of confirming seeds, those stay that were written down with a finding" \
    gives 0 "for the sweep $name, which" --task copy --length 4 --vocab=4 ${small% --set confirm=6} --write
check "... and the sweep file has them" grep -q '^confirm: 6  *# on so many' copy.headcount.yaml
check "... and another number is refused" gives 2 "the confirmation of sweep \"$name\" was fixed at .* with 6 fresh seeds" \
    $toy --set confirm=7 --yes
check "... and the fixed number goes on" gives 0 "All of it has run\." $toy --yes

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
check "with --model, ask compares head counts of that model" gives 0 "d_model 16 with 1, 2, 4, 8 and 16 heads .*, each on" \
    --task gather --model my.yaml --minutes 1 --write
check "... and keeps its training schedule" grep -q '^  schedule: {name: cosine, warmup: 10}  *# as you said' gather.headcount.yaml
check "... and does not tune its one learning rate" fails grep -q '^tune' gather.headcount.yaml
check "... and chooses the number of seeds itself" fails grep -q '^seeds: 3 ' gather.headcount.yaml
check "... and leaves out head counts that rotary positions do not allow" gives 0 "d_model 16 with 1, 2, 4 and 8 heads" \
    --task gather --model my.yaml --set model.positions=rotary --minutes 1 --write
check "... and writes the given positions into the sweep file" grep -q '^  positions: rotary  *# as you said' gather.headcount.yaml
check "--set counts for more than the --model file" gives 0 "d_model 8 with 1, 2, 4 and 8 heads" \
    --task gather --model my.yaml --set model.d_model=8 --minutes 1 --write
rm gather.headcount.yaml
check "head counts follow the width that is set" gives 0 "d_model 48 with 1, 2, 4, 8, 16 and 48 heads" \
    --task gather --set model.d_model=48 --write
rm gather.headcount.yaml

# ---- more minutes ----
check "minutes may have a fraction" gives 0 "written, with a reason for each value" --task sort --minutes 1.3333333 --write
check "... which stays the same" gives 0 "as it was written before" --task sort --minutes 1.3333333 --write
check "... and is in the file" grep -q '^# headcount ask .*: 1.3333333 minutes, .* steps for 1.3333333 minutes' sort.headcount.yaml
large="--task gather --set model.d_model=256 --set model.heads=[1,2,256] --set model.layers=8"
check "for a long toy task in one minute, ask says that it is the smallest sweep" \
    gives 0 "That takes about .* It is the smallest sweep that ask writes\." --task induction --length 128 --vocab 40 --minutes 1 -j 1 --write
check "a large model gets a sweep file for one minute" gives 0 "for 200 steps" $large --minutes 1 --write
name=$(sed -n 's/^name: \([^ ]*\).*/\1/p' gather.headcount.yaml)
check "more minutes train longer, and ask says that another sweep begins" \
    gives 0 "allow a larger net or longer training.* another sweep takes their place, gather-[0-9a-f]*, under another name; .* for 800 steps" \
    $large --minutes 100000 --write
check "... with another name" fails grep -q "^name: $name " gather.headcount.yaml
check "fewer minutes change nothing, and ask says how to get them" \
    gives 0 "as it was written before.* written for 100000 minutes; move it away to ask for 1 minute\." $large --minutes 1 --write
rm gather.headcount.yaml
check "a sweep whose steps are given is written" gives 0 "the best one gets 5 seeds" $large --set train.steps=3000 --minutes 1 --write
name=$(sed -n 's/^name: \([^ ]*\).*/\1/p' gather.headcount.yaml)
check "... and more minutes give it more seeds" \
    gives 0 "allow more seeds: they are added, and the results that there are stay\..* the best one gets 24 seeds\. .* tested on 32 fresh ones" \
    $large --set train.steps=3000 --minutes 100000 --write
check "... and the name stays" grep -q "^name: $name " gather.headcount.yaml
rm gather.headcount.yaml
set="--set train.steps=3000 --set seeds=4 --set confirm=6 --set tune=null --set train.lr=1e-2"
check "a sweep whose steps, seeds and learning rate are given is written" gives 0 "" $large $set --minutes 1 --write
cp gather.headcount.yaml kept.yaml
check "... and more minutes allow no more" gives 0 "minutes allow no more than there is" $large $set --minutes 100000 --write
check "... and the sweep file stays as it was" cmp gather.headcount.yaml kept.yaml
rm gather.headcount.yaml

# ---- a file that a person has changed ----
sed 's/^seeds: 3/seeds: 4/' copy.headcount.yaml >changed.yaml && cp changed.yaml copy.headcount.yaml
check "a sweep file that a person has changed is refused" gives 2 "was changed since ask wrote it.*headcount run copy.headcount.yaml" $toy --yes
check "... also for another question" gives 2 "is left as it is" --task copy --length 5 --write
check "... and stays as it is" cmp copy.headcount.yaml changed.yaml
rm copy.headcount.yaml
mkdir copy.headcount.yaml
check "a folder in the place of the sweep file is refused" gives 2 "copy.headcount.yaml" $toy --write
rmdir copy.headcount.yaml


# ---- a name that leaves no room for what is written beside the file ----
name=$(printf '%0216d.txt' 0)
cp short.txt "$name"
check "a file's name is refused if those of the sweep file and its temporary file are too long" \
    gives 2 "$name: its name is too long: .* ask about a link of a shorter name (ln -s)" "$name" --write
name=$(printf '%0213d.txt' 0)
cp short.txt "$name"
check "... and one that leaves room is not" gives 2 "$name: too short, with 6 bytes" "$name" --write

# ---- a page that is not headcount's ----
echo "my own notes" >notes && cp notes copy.headcount.html
check "a page that headcount did not write is refused" gives 2 "copy.headcount.html: was not written by headcount" $toy --yes
check "... before anything is written" [ ! -e copy.headcount.yaml ]
check "... and stays as it is" cmp notes copy.headcount.html
check "... and does not matter to --write, which writes no page" gives 0 "copy.headcount.yaml: written" $toy --write
rm copy.headcount.html copy.headcount.yaml && mkdir copy.headcount.html
check "a folder in the place of the page is refused" gives 2 "was not written by headcount" $toy --yes
rmdir copy.headcount.html
mkfifo copy.headcount.html
refuses_pipe() {
    timeout -s KILL "$(seconds 60)" headcount ask $toy --yes >said 2>&1 </dev/null
    [ $? = 2 ] && grep -q 'was not written by headcount' said
}
check "... and so is a pipe, without waiting for it" refuses_pipe
rm copy.headcount.html

# ---- a text, and rows ----
cat "$root"/sweep/*.h "$root"/sweep/plan/*.h >"it's 1.txt" 2>/dev/null
tiny="--set model.d_model=8 --set model.heads=[1,2] --set train.batch=2 --set train.steps=8 --set seeds=2
    --set train.val_examples=8 --set train.test_examples=32 --set tune=null --set train.lr=1e-2 --set task.length=16"
check "a text file is taken for text, each byte to be predicted" gives 0 "bytes of text in [0-9,]* lines; each byte is to be predicted" \
    "it's 1.txt" $tiny --yes --db text.db
check "... and the answer is about this text" grep -q 'This is about this text' line
check "... and says that a simple byte model predicts better" grep -q 'A byte model of order 2, .* bits per byte, less than any net here' line
check "... and the page is written beside the file" [ -e "it's 1.txt.headcount.html" ]
echo more >>"it's 1.txt"
check "ask says that the data have changed and asks anew" gives 0 "the data have changed" "it's 1.txt" $tiny --write --db text.db
awk 'BEGIN { print "id;body;stars"; for (i = 0; i < 600; i++) print i ";\"row; number " i "\";" i % 3 }' >rows.csv
check "a CSV file is taken for rows, with its text and label columns" gives 0 "bytes of CSV with semicolons, 600 rows with 3 labels; the label, column stars, is to be told from the text, column body" \
    rows.csv $tiny --yes --db rows.db
check "... and the answer is about these rows" grep -q 'this split of these rows' line
check "... and the sweep file names their separator" grep -q '^  separator: semicolon ' rows.csv.headcount.yaml
awk 'BEGIN { print "date,review,rating"; for (i = 0; i < 600; i++) print i % 2 ",row number " i "," substr("pos pos", 1, 3 + i % 3 % 2) }' >guess.csv
check "of several columns that could be the label, one of a usual name is taken, and the others are named" \
    gives 0 "the label, column rating, is to be told from the text, column review. (The label could also be: date\." guess.csv $tiny --write
check "... and labels that look alike are remarked on" grep -q 'Note: the labels "pos" and "pos " differ only in white space or in capitals' line
awk 'BEGIN { print "a: b # c,null"; for (i = 0; i < 600; i++) print "row number " i "," i % 3 }' >odd.csv
check "columns whose names YAML would misread can be given with --set" gives 0 "column null, .* column a: b # c" odd.csv $tiny --write --set "task.text_column='a: b # c'" \
    --set 'task.label_column="null"'
check "... and plan reads the sweep file" headcount plan odd.csv.headcount.yaml
check "--mode lm predicts the bytes of a file of rows" gives 0 "each byte is to be predicted" rows.csv --mode lm --set task.length=16 --write
awk 'BEGIN { print "text,label"; for (i = 0; i < 600; i++) { s = ""; for (k = 0; k < 40; k++) s = s "word " i * k % 97 " "
    print i " " s "end," i % 3 } }' >long.csv
check "ask says that models see only the beginning of long texts" \
    gives 0 "the nets see the first 256 bytes, and one in ten has [0-9]* or more\." long.csv --minutes 1 --write
cp rows.csv "./-a b.csv"
check "a file name with a dash and a space is quoted in the command to run" gives 0 "headcount run './-a b.csv.headcount.yaml'" $tiny -- "-a b.csv"
check "... and simplified in the sweep's name" grep -q '^name: _a-b-[0-9a-f]* ' "./-a b.csv.headcount.yaml"
echo "# mine" >>"./-a b.csv.headcount.yaml"
check "... and quoted where its changed sweep file is refused" gives 2 "headcount run './-a b.csv.headcount.yaml'), or" $tiny -- "-a b.csv"
mkdir deeper
cp rows.csv deeper/other.csv
check "a file in another folder can be asked about" gives 0 "" deeper/other.csv $tiny --yes --db rows.db
check "... and its sweep file and page are written beside it" [ -e deeper/other.csv.headcount.yaml -a -e deeper/other.csv.headcount.html ]

# ---- a folder that cannot be written to ----
mkdir locked && cp rows.csv short.txt locked && chmod 555 locked && chmod 755 "$dir"
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid 65534 --regid 65534 --clear-groups'
refuses_folder() { # ...
    $as_user "$headcount" ask "$@" >"$dir/said" 2>&1 </dev/null
    [ $? = 2 ] && tr -s '\n ' ' ' <"$dir/said" | grep -q 'Permission denied; the sweep file and the page are written there\. Copy'
}
if $as_user test -x "$headcount" -a -r locked/rows.csv 2>/dev/null; then
    check "a file in a folder that cannot be written to is refused" refuses_folder locked/rows.csv --write
    check "... before the file itself is read" refuses_folder locked/short.txt --write
else
    skip "a file in a folder that cannot be written to is refused" "a program that others can reach"
fi
chmod 755 locked

# ---- asked on a terminal ----
if command -v script >/dev/null; then
    answer() { # word: what is said
        printf '%s\n' "$1" | TERM=xterm script -qec "headcount ask $(echo $toy) --db term.db" /dev/null | tr -d '\r'
    }
    answer n >said
    check "on a terminal, ask asks before it begins" grep -q 'Begin? \[y/N\]' said
    check "... and says after a no that nothing was begun" grep -q 'Nothing was begun' said
    check "... and makes no results file" [ ! -e term.db ]
    answer y >said
    check "... and runs the sweep after a yes" grep -q 'Everything, as a page for a browser' said
    late_yes() { # what happens while ask waits; arguments of ask
        : >said
        { wait_until grep -q 'Begin?' said && eval "$1" && echo y; } |
            TERM=xterm script -qec "headcount ask $(echo $2)" /dev/null >said
        tr -s '\r\n ' ' ' <said >line
    }
    cp copy.headcount.yaml kept.yaml && rm copy.headcount.html
    late_yes "sed -i 's/^seeds: 3/seeds: 4/' copy.headcount.yaml; cp notes copy.headcount.html" "$toy --db late.db"
    check "what ask has shown is what runs, even if its sweep file changes while it waits" \
        [ "$(sql late.db 'SELECT count(DISTINCT seed) FROM trial WHERE is_tuning = 0 AND confirms = 0')" = 3 ]
    check "a file that appears where the page goes stays as it is, and ask says so" \
        sh -c 'cmp notes copy.headcount.html && grep -q "html: was not written by headcount" line'
    mv kept.yaml copy.headcount.yaml && rm copy.headcount.html
    late_yes "sed -i 2d rows.csv" "rows.csv $tiny --db grown.db"
    check "data that change while ask waits are not trained on, and ask names them" \
        sh -c 'grep -q "rows.csv has changed since it was read, so nothing was planned" line &&
        [ "$(sqlite3 grown.db "SELECT count(*) FROM trial")" = 0 ]'
else
    skip "on a terminal, ask asks before it begins" script
fi
finish
