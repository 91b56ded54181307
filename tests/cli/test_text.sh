#!/bin/sh
# A sweep over files of the user's own: every bad file is refused at the command line, by name and
# place, before anything is written; a path means what its writer sees; a file is read with each
# plan, and one that changes under a sweep is no part of it. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
sql() { sqlite3 -cmd ".timeout 5000" "$1" "$2"; }

cat >lm.yaml <<'Y'
# Which byte comes next?
task: {name: text, file: data/words.txt, length: 16}
model: {d_model: 8, layers: 1, heads: [1, 2], d_ff: 8, mask: causal}
train: {steps: 20, batch: 4, eval_every: 10, val_examples: 8, test_examples: 8}
seeds: 2
metric: {name: val_loss}
Y
cat >rows.yaml <<'Y'
# Which label has the row?
task: {name: text, file: data/rows.csv, mode: classify, length: 16}
model: {d_model: 8, layers: 1, heads: [1, 2], d_ff: 8, pool: mean}
train: {steps: 20, batch: 4, eval_every: 10}
seeds: 2
Y
mkdir data
seq 1000 >data/words.txt
{ echo text,label; seq 30 | sed 's/.*/"row, &",odd/; n; s/.*/row &,even/'; } >data/rows.csv
seq 30 | sed 's/.*/{"text": "row &", "label": "odd"}/; n; s/.*/{"text": "row &", "label": 2}/' >data/rows.jsonl

# ---- bad files ----
# usage: refused SWEEP FILE TEXT: run and plan say so, with status 2, and leave no file behind.
refused() {
    for command in plan run; do
        "$headcount" $command "$1" --set "task.file=$2" --db new/results.db >out 2>err </dev/null
        [ $? -eq 2 ] || { echo "$command: not status 2"; cat out err; return 1; }
        grep -qF -- "headcount $command: --set task.file: $dir/$2$3" err ||
            { echo "$command says:"; cat err; return 1; }
        [ ! -s out ] || { echo "$command printed:"; cat out; return 1; }
        [ ! -e new ] || { echo "$command wrote:"; ls -R new; return 1; }
    done
}
bad() { # NAME, content as printf takes it
    printf "$2" >"$1"
}
check "a missing file is refused" refused lm.yaml none.txt ": cannot open: No such file or directory"
mkfifo pipe.txt
check "plan refuses a pipe, and does not wait for it" \
    timeout 300 sh -c "'$headcount' plan lm.yaml --set task.file=pipe.txt 2>&1 |
    grep -qF 'pipe.txt: is a device or pipe, not a file'"
check "... and so does run" refused lm.yaml pipe.txt ": is a device or pipe, not a file"
ln -s none.txt dangling.txt
check "a link to nothing is refused" refused lm.yaml dangling.txt ": cannot open: No such file or directory"
check "a file name that is too long is refused" refused lm.yaml "$(printf '%0300d' 0)" ": cannot open: File name too long"
bad one.csv 'text,label\nab,x\ncd\n'
check "a CSV row of too few fields is refused" \
    refused rows.yaml one.csv ", line 3, column 1: this row has 1 field, but line 1, the header, names 2 columns"
bad one.jsonl '{"text": "a", "label": "x"}\n{"text": "a", "label": }\n'
check "a line that is not JSON is refused" refused rows.yaml one.jsonl ", line 2, column 24: expected"
{ echo text,label; echo '"Really he asked,odd'; sed 1d data/rows.csv | tr -d '"' | sed 's/row, /row /'; echo 'so he said",even'; } >open.csv
check "a quote that is missing is noticed" refused rows.yaml open.csv \
    ", line 2, column 1: the field in quotes that begins here goes on for 32 lines, which look like rows: is a quote missing?"

check "params names plan where the shape depends on a file" \
    sh -c "'$headcount' params --task text 2>&1 | grep -q 'its shape depends on the file; .headcount plan'"
check "tasks says that the SHA-256 is read from the file" \
    sh -c "'$headcount' tasks text | grep -qx '  task.sha256  *read from the file'"

# ---- paths ----
mkdir -p deep/data
cp lm.yaml deep/lm.yaml
seq 2000 3000 >deep/data/words.txt
learns() { # DB, file
    [ "$(sql "$1" 'SELECT DISTINCT path FROM data_file')" = "$dir/$2" ] ||
        { sql "$1" 'SELECT path FROM data_file'; return 1; }
}
check "a path starts where the sweep file is" "$headcount" run deep/lm.yaml --db a.db -q
check "... and not where the command runs" learns a.db deep/data/words.txt
check "a path from --set starts where the command runs" "$headcount" run deep/lm.yaml --set task.file=data/words.txt --db b.db -q
check "... and not where the sweep file is" learns b.db data/words.txt
cp deep/data/words.txt "it's a copy.txt"
check "the name of a file may have spaces and quotes" "$headcount" run lm.yaml --set "task.file=it's a copy.txt" --db c.db -q
check "a copy of a file gives the same configurations" \
    [ "$(sql a.db 'SELECT config_sha256 FROM config ORDER BY 1')" = "$(sql c.db \
    'SELECT config_sha256 FROM config ORDER BY 1')" ]
check "... and the same results" \
    [ "$(sql a.db 'SELECT test_loss FROM trials ORDER BY heads, seed')" = "$(sql c.db \
    'SELECT test_loss FROM trials ORDER BY heads, seed')" ]
"$headcount" export results --db a.db >a.jsonl
check "no path is in what is exported" fails grep -q "words\|$dir" a.jsonl
check "show says where the file was" sh -c "'$headcount' show 1 --db c.db | grep -qxF \"  file   $dir/it's a copy.txt\""
check "... as JSON too" sh -c "'$headcount' show 1 --db a.db --json | grep -qF '\"file\":\"$dir/deep/data/words.txt\"'"
check "files may be an axis of a sweep" sh -c "'$headcount' plan lm.yaml --set 'task.file=[data/words.txt, deep/data/words.txt]' |
    grep -q 'file=deep/data/words.txt'"
check "... that runs to its end" \
    "$headcount" run lm.yaml --set 'task.file=[data/words.txt, deep/data/words.txt]' --db axis.db -q
check "... with settings called as they were written" \
    [ "$(sql axis.db 'SELECT group_concat(DISTINCT setting) FROM trials')" = \
    '{"task.file":"data/words.txt"},{"task.file":"deep/data/words.txt"}' ]
check "a sweep learns from rows in JSON Lines" "$headcount" run rows.yaml --set task.file=data/rows.jsonl --db rows.db -q
check "... with a number for a label" [ "$(sql rows.db 'SELECT group_concat(DISTINCT label) FROM label_acc')" = 2,odd ]

{ printf 'id\tis\tsays\n'; seq 30 | sed 's/.*/&\todd\trow, & "quoted"/; n; s/.*/&\teven\t"row "" &"/'; } >data/rows.tsv
sed 's/\t/|/g; s/row, \(.*\) "quoted"/"row, \1 ""quoted"""/' data/rows.tsv >pipes.txt
check "a sweep learns from TSV, with columns of other names" \
    "$headcount" run rows.yaml --set \
    'task={name: text, file: data/rows.tsv, mode: classify, length: 16, text_column: says, label_column: is}' --db \
    tsv.db -q
check "... and from fields between pipes" \
    "$headcount" run rows.yaml --db pipes.db -q --set "task={name: text, file: $dir/pipes.txt, \
mode: classify, length: 16, text_column: says, label_column: is, separator: pipe}"
check "... with the same results for the same rows" \
    [ "$(sql tsv.db 'SELECT test_loss FROM trials ORDER BY heads, seed')" = "$(sql pipes.db \
    'SELECT test_loss FROM trials ORDER BY heads, seed')" ]
check "... whose labels are those of the other column" \
    [ "$(sql tsv.db 'SELECT group_concat(DISTINCT label) FROM label_acc')" = even,odd ]
check "tasks shows a row of such a file" \
    sh -c "'$headcount' tasks text --set file=data/rows.tsv --set mode=classify --set text_column=says \
        --set label_column=is | grep -q '  | row'"
check "a column at its default is no part of a configuration" \
    [ "$(sql rows.db "SELECT count(*) FROM config
    WHERE config_json LIKE '%column%' OR config_json LIKE '%separator%'")" = 0 ]

{ cat data/rows.csv; printf 'same,odd\nsame,even\nsame,odd\n'; } >data/repeated.csv
note="3 rows of $dir/data/repeated.csv share their text with another row: they are only trained on, \
never validated or tested on"
check "plan tells of rows that repeat a text" sh -c "'$headcount' plan rows.yaml --set task.file=data/repeated.csv 2>&1 >out |
    grep -qF 'headcount plan: note: $note'"
"$headcount" run rows.yaml --set task.file=data/repeated.csv --db repeated.db >out 2>err
check "... and so does run" grep -qxF "headcount run: note: $note" err
check "... and so does report" \
    sh -c "tr -s '\n ' '  ' <out | grep -qF '33 rows, 2 labels (3 rows repeat a text and are only trained on)'"
check "... and so does tasks" sh -c "'$headcount' tasks text --set file=data/repeated.csv --set mode=classify |
    grep -qxF '  repeated    3 rows share their text with another row: only trained on'"
check "... but not where exclude leaves no point of that file" sh -c "'$headcount' plan rows.yaml \
    --set 'task.file=[data/rows.csv, data/repeated.csv]' --set 'exclude=[{task.file: data/repeated.csv}]' >out 2>&1 &&
    ! grep -q 'share their text' out"
check "the number of repeated rows is part of a configuration" \
    [ "$(sql repeated.db "SELECT DISTINCT config_json ->> '$.task.options.repeated' FROM config")" = 3 ]
check "... and not of one without such rows" \
    [ "$(sql rows.db "SELECT count(*) FROM config WHERE config_json LIKE '%repeated%'")" = 0 ]

check "plan says how a file is divided" sh -c "'$headcount' plan lm.yaml |
    grep -qxF 'File $dir/data/words.txt: 194 examples of length 16 to train on; validates on 8 of 24, \
tests on 8 of 24.'"
check "... and that a set is no larger than its part" sh -c "'$headcount' plan rows.yaml |
    grep -qF 'rows.csv: 22 examples of length 16 to train on; validates on 4 of 4, tests on 4 of 4.'"
check "... for each of several lengths" \
    [ "$("$headcount" plan lm.yaml --set 'task.length=[8, 16]' | grep -c '^File ')" = 2 ]

# ---- texts as units ----
seq 3000 -1 2000 >data/down.txt
seq 1 7 9000 | tr 0-9 a-j >data/letters.txt
yes 'the cat sat on the mat' | head -300 >data/mat.txt
texts='task.file=[data/words.txt, data/down.txt, data/letters.txt, data/mat.txt]'
check "plan warns that texts are not equally hard to guess by accuracy" \
    sh -c "'$headcount' plan lm.yaml --set '$texts' --set replicate=[task.file] --set metric=null 2>&1 |
    grep -qF 'at another value; use metric: {name: val_loss}, by which each file is compared only with itself'"
check "texts that are judged by their losses can be units" \
    "$headcount" run lm.yaml --set "$texts" --set 'replicate=[task.file]' --set train.lr=1e-2 --db texts.db -q
"$headcount" report lm --db texts.db | tr -s '\n ' '  ' >texts.txt
check "... and the finding goes over all of them" grep -qF ', over 4 texts' texts.txt
check "... each of them counts once" \
    [ "$("$headcount" report lm --db texts.db --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++)
    if ($i == "n") n = i } NR == 2 { print $n }')" = 4 ]
check "... and guessing is the mean over them" \
    [ "$("$headcount" report lm --db texts.db --json | sed 's/.*"guess":\([0-9.]*\).*/\1/' | cut -c1-8)" = \
    "$(sql texts.db "SELECT substr(avg(config_json ->> '$.task.options.entropy'), 1, 8) FROM trials")" ]

# ---- interleaved ----
"$headcount" run lm.yaml --set 'task.split=[contiguous, interleaved]' --set task.length=8 --db split.db -q
check "a sweep with an interleaved split runs to its end" \
    [ "$(sql split.db "SELECT count(*) || count(DISTINCT test_loss) FROM trials WHERE state = 'completed'")" = 88 ]
check "... an interleaved split is part of a configuration" \
    [ "$(sql split.db "SELECT group_concat(ifnull(config_json ->> '$.task.options.split', '-')) FROM
    (SELECT config_json FROM config ORDER BY config_id)")" = -,-,interleaved,interleaved ]
check "... and a contiguous one keeps its identity" \
    sh -c "'$headcount' run lm.yaml --set task.length=8 --db whole.db -q &&
    [ \"\$(sqlite3 whole.db 'SELECT config_sha256 FROM config ORDER BY 1')\" = \
    \"\$(sqlite3 split.db \"SELECT config_sha256 FROM config WHERE config_json NOT LIKE '%interleaved%' ORDER BY 1\")\" ]"
# Losses as of a text whose kinds last for eight blocks, in both settings; the best is in the middle.
"$headcount" run lm.yaml --set 'task.split=[contiguous, interleaved]' --set task.length=8 --set 'model.heads=[1, 2, 4]' \
    --set train.test_examples=32 --db kinds.db -q >said 2>&1
sql kinds.db "UPDATE block_loss SET loss = 1 + trial_id % 3 / 100.0 + (SELECT heads <> 2 FROM trial JOIN config
    USING (config_id) WHERE trial_id = block_loss.trial_id) * (.1 + (block / 8 % 2) / 2.0);
    UPDATE trial SET test_loss = (SELECT avg(loss) FROM block_loss AS b WHERE b.trial_id = trial.trial_id),
        val_loss = 1 + (SELECT abs(heads - 2) FROM config WHERE config_id = trial.config_id)"
check "the report advises an interleaved split where blocks are alike" sh -c "'$headcount' report --db kinds.db --json >kinds.json &&
    [ \"\$(sqlite3 :memory: \"SELECT json_extract(value, '\$.setting_label') FROM
    json_each(readfile('kinds.json') -> 'settings') WHERE value -> 'verdict' -> 'sentences'
    LIKE '%are alike, so that%split: interleaved%'\")\" = split=contiguous ]"
check "tasks counts the windows of an interleaved split" \
    sh -c "'$headcount' tasks text --set file=data/words.txt --set split=interleaved --set length=8 |
    grep -qxF '  test        32 windows'"
check "... and compares with models of the same parts" \
    sh -c "'$headcount' tasks text --set file=data/words.txt --set split=interleaved --set length=8 |
    grep -c '^  order' | grep -qx 6"

# ---- read with each plan ----
"$headcount" run lm.yaml --db once.db -q >/dev/null 2>&1
said=$(sql once.db 'SELECT read_ns FROM data_file')
touch data/words.txt
check "a file is read with each plan, and found to be the same" \
    sh -c "'$headcount' run lm.yaml --db once.db -q --set seeds=4 &&
    [ \"\$(sqlite3 once.db 'SELECT read_ns FROM data_file')\" -gt $said ]"
check "... so that all of its trials stand" \
    [ "$(sql once.db "SELECT count(*) || max(attempt) FROM trials WHERE in_plan AND state = 'completed'")" = 81 ]

check "plan says nothing of reading a small file" fails sh -c "'$headcount' plan lm.yaml 2>&1 | grep 'reading all'"
truncate -s 257M large.txt
check "... but says that it reads a large one" sh -c "'$headcount' plan lm.yaml --set task.file=large.txt 2>&1 >out |
    grep -qxF 'headcount plan: reading all 269 MB of $dir/large.txt'"

# ---- changed ----
sql once.db .dump >before
seq 1001 >data/words.txt
copy=$(echo once.db.d/data-*)
changed="$dir/data/words.txt changed since sweep \"lm\" was planned (8 of its trials learnt from the old one"
"$headcount" run lm.yaml --db once.db --set seeds=4 >out 2>err
check "run refuses a file that changed under a sweep" [ $? -eq 2 ]
check "... and says so" grep -qF "$changed, of which there is a copy: $copy)" err
sql once.db .dump >after
check "... and writes nothing" cmp before after
check "plan says that run refuses a file that changed" sh -c "'$headcount' plan lm.yaml --db once.db --set seeds=4 >out &&
    grep -qF 'run\` refuses this: lm.yaml: $changed' out"
check "with the copy of the old one nothing is left to run" \
    sh -c "'$headcount' run lm.yaml --db once.db --set seeds=4 --set task.file=$copy 2>&1 | grep -q 'nothing to run'"
check "a file that changed can be run as a sweep of another name" "$headcount" run lm.yaml --db once.db --set name=new -q
check "... of which there is a copy, too" [ "$(ls -l once.db.d | grep -c '^-r--r--r-- .* data-')" = 2 ]
check "--replace takes the old trials out of the plan" "$headcount" run lm.yaml --db once.db --set seeds=4 --replace -q
check "... and keeps their results" \
    [ "$(sql once.db "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM trials WHERE sweep = 'lm'
    AND state = 'completed' GROUP BY in_plan)")" = 8,8 ]
check "check finds nothing wrong after all that" "$headcount" check --db once.db

# ---- copies ----
uncopied() {
    "$headcount" run lm.yaml --db none.db -q -j1 --no-copy --set name=other --set train.steps=100000 >said 2>&1 &
    pid=$!
    wait_beside $pid test -e none.db.d/t5-a1-0.ckpt
    echo more >>data/words.txt
    wait $pid && return 1
    pid=
    cat said
    grep -F "words.txt has changed since it was first read (48899 bytes, not 48894): put the old file back" said &&
        [ "$(sql none.db "SELECT count(*) FROM trial WHERE state = 'completed'")" = 4 ]
}
# What becomes of the file while the first of four trials learns from its copy, all come to the same bytes.
export HEADCOUNT_CHECKPOINT_S=0
seq 1000 >data/words.txt
"$headcount" run lm.yaml --db calm.db -q -j1 --set train.steps=200 >said 2>&1 || trouble "$(cat said)"
"$headcount" export results --db calm.db >calm.jsonl
beside() { # name, command
    rm -rf beside.db*
    seq 1000 >data/words.txt
    "$headcount" run lm.yaml --db beside.db -q -j1 --set train.steps=200 >said 2>&1 &
    pid=$!
    wait_beside $pid test -e beside.db.d/t1-a1-0.ckpt
    eval "$2"
    wait $pid || trouble "status $?: $(cat said)"
    pid=
    "$headcount" export results --db beside.db >beside.jsonl
    cmp calm.jsonl beside.jsonl >>said || trouble "other results: $(cat said)"
    verdict "trials complete from the copy while their file is $1"
}
beside "overwritten in place" 'seq 2000 | dd of=data/words.txt conv=notrunc status=none'
beside "cut" ': >data/words.txt'
beside "replaced" 'seq 5 >new.txt && mv new.txt data/words.txt'
beside "removed" 'rm data/words.txt'

copy=$(echo beside.db.d/data-*)
damage() {
    cp "$copy" sound
    chmod u+w "$copy"
    printf x | dd of="$copy" bs=1 seek=100 conv=notrunc status=none
}
seq 1000 >data/words.txt
damage
check "check names a damaged copy" sh -c "! '$headcount' check --db beside.db >said && grep -F '$copy: this copy of a file that trials learn from is damaged' said"
"$headcount" run lm.yaml --db beside.db -q -j1 --set train.steps=200 --set seeds=3 >said 2>&1
check "run refuses a damaged copy by name" grep -F "/$copy has changed since it was first read (SHA-256" said
check "... with the way to mend it" grep -F "remove this copy, and the next \`headcount run\` makes it again" said
check "... and completes no trial" [ "$(sql beside.db "SELECT count(*) FROM trial WHERE state = 'completed'")" = 4 ]
check "a study refuses it, too" sh -c "! '$headcount' heads --db beside.db -q >said 2>&1 && grep -F 'remove this copy' said"
rm -f "$copy"
check "without it, studies learn from the file" "$headcount" heads --db beside.db -q
check "... and the next run makes it again" "$headcount" run lm.yaml --db beside.db -q -j1 --set train.steps=200 --set seeds=3
check "... as it was" cmp "$copy" sound

"$headcount" merge --into merged.db beside.db >said 2>&1
check "a merge brings the copy along" cmp "merged.db.d/${copy#*/}" sound
cp sound "merged.db.d/data-$(printf '%064d' 0)"
: >"merged.db.d/${copy#*/}.headcount-0badcafe.tmp"
"$headcount" gc --db merged.db >said 2>&1
check "gc removes a copy that no trial learns from" grep -q '^data-0*  .*  no trial learns from it$' said
check "... and one that was cut off, and keeps the other" [ "$(ls merged.db.d/data-*)" = "merged.db.d/${copy#*/}" ]
check "another sweep learns from the same copy" "$headcount" run lm.yaml --db merged.db -q -j1 --set name=other --set seeds=1 --set train.steps=20
"$headcount" sweep delete other --yes --db merged.db >said 2>&1
check "... which stays when that is deleted" cmp "merged.db.d/${copy#*/}" sound
"$headcount" sweep delete lm --yes --db merged.db >said 2>&1
check "a sweep takes its copy along" fails ls "merged.db.d/${copy#*/}"
check "--no-copy makes none" sh -c "'$headcount' run lm.yaml --db none.db -q --no-copy && ! ls none.db.d/data-*"
seq 10000 >data/words.txt
check "... and a file that changes under it completes no trial more" uncopied
finish
