#!/bin/sh
# The command line: help and its examples, refusals, exit statuses, what goes where. Speaks TAP.
# HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
# Short trials, of whose examples pruning asks all, again and again.
sed -i \
    's/^  batch: 64$/  batch: 8/; s/^  eval_every: 100$/&\n  val_examples: 16\n  test_examples: 16/' configs/gather.yaml
# Runs a shell line; passes where it ends with the status and its stdout and stderr together match.
gives() { # status, pattern, line
    sh -c "$3" >"$dir/out" 2>&1
    got=$?
    [ "$got" -eq "$1" ] || { echo "status $got, expected $1"; cat "$dir/out"; return 1; }
    [ -z "$2" ] || grep -q -e "$2" "$dir/out" || { echo "no '$2' in:"; cat "$dir/out"; return 1; }
}
# What serves until Ctrl-C gets it once it says where.
mkdir -p "$dir/bin"
cat >"$dir/bin/until_it_serves" <<'S'
#!/bin/sh
rm -f serves
"$@" >serves &
for _ in $(seq 6000); do grep -qs http: serves || ! kill -0 $! && break; sleep .05; done
kill -TERM $!
wait $!
S
chmod +x "$dir/bin/until_it_serves"
silent() { # stream (1 or 2), line: nothing comes on that stream
    if [ "$1" = 1 ]; then sh -c "$2" 2>/dev/null >"$dir/out"; else sh -c "$2" 2>"$dir/out" >/dev/null; fi
    ! [ -s "$dir/out" ] || { cat "$dir/out"; return 1; }
}
is_json() { # line whose stdout must be one JSON document (json_valid is SQLite's)
    sh -c "$1" >"$dir/out.json" || return 1
    [ "$(sqlite3 :memory: "select json_valid(readfile('$dir/out.json'))")" = 1 ] ||
        { head -c 2000 "$dir/out.json"; return 1; }
}
commands=$(headcount --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')

# ---- help, version, refusals ----
check "help lists the commands" [ "$(echo "$commands" | wc -w)" -ge 9 ]
check "help does not list the worker" sh -c "! headcount --help | grep -q worker"
for c in $commands; do
    check "$c --help shows the usage" gives 0 "^Usage: headcount $c" "headcount $c --help"
    check "$c --help shows an example" gives 0 "^  headcount $c" "headcount $c --help"
    check "help $c shows the same as $c --help" sh -c "headcount help $c >a && headcount $c --help >b && cmp a b"
    check "$c refuses an unknown option" gives 2 "unknown option '--frobnicate'" "headcount $c --frobnicate"
    check "$c says nothing on stdout when refusing" silent 1 "headcount $c --frobnicate"
done
check "--version shows the version" gives 0 "^headcount [0-9]" "headcount --version"
for word in commit sources compiler OpenBLAS "core type" kernels; do
    check "--version names $word" gives 0 "$word" "headcount --version"
done
# On stdout, as git and cargo do; as git's, the status is no success: nothing was done.
check "help terms says what words mean" gives 0 '^judged trial$' "headcount help terms"
check "... in lines of at most 80 characters" sh -c '! headcount help terms | grep -E "^.{81}"'
check "headcount without a command shows the usage and exits with 2" gives 2 '^Usage: headcount COMMAND' headcount
check "... with the text of --help, on stdout" sh -c 'headcount >a 2>b; headcount --help >c && cmp a c && ! [ -s b ]'
check "a mistyped command is refused with a suggestion" gives 2 "did you mean 'report'" "headcount reprot"
check "unknown kernels are refused, with those that the CPU allows" \
    gives 2 "HEADCOUNT_KERNELS is 'avx3'; allowed on this CPU: reference," "HEADCOUNT_KERNELS=avx3 headcount tasks"
check "HEADCOUNT_KERNELS chooses the kernels" gives 0 "^kernels *reference\(-ftz\)*-3$" "HEADCOUNT_KERNELS=reference headcount --version"
check "a mistyped option of the program is refused with a suggestion" gives 2 "did you mean '--version'" "headcount --versoin"
check "a command with two letters exchanged is refused with a suggestion" gives 2 "did you mean 'run'" "headcount rnu"
check "an option before its command is refused, with the right order" \
    gives 2 "options follow the command: headcount status --db x$" "headcount --db x status"
check "an option without a command is refused" gives 2 "options of a command follow it" "headcount --db x"
check "another program's word for an option is refused with the word to use" gives 2 "did you mean '--workers'" "headcount run x.yaml --jobs 3"
check "... but without one where the command has no such option" gives 2 "unknown option '--jobs'$" "headcount show 1 --jobs 3"
check "plan reports an exclude that fits nothing" \
    gives 0 "^headcount plan: note: --set exclude: this item of exclude fits no point$" \
    "headcount plan configs/gather.yaml --set 'exclude=[{model.heads: 3}]'"
check "... and is silent about one that fits" \
    sh -c "! headcount plan configs/gather.yaml --set 'exclude=[{model.heads: 4}]' 2>&1 | grep note:"
check "a mistyped option of a command is refused with a suggestion" gives 2 "did you mean '--workers'" "headcount run x.yaml --worker-s 3"
check "a key of the sweep file as an option is refused, with the --set to give" \
    gives 2 "unknown option '--seeds'; keys of the sweep file are given as --set seeds=4$" \
    "headcount run x.yaml --seeds 4"
check "... also a key of a section, with its value after =" \
    gives 2 "'--lr'; .* --set train.lr=1e-3$" "headcount plan x.yaml --lr=1e-3"
check "... also in another program's words" \
    gives 2 "'--learning-rate'; .* --set train.lr=VALUE$" "headcount submit x.yaml --learning-rate"
check "... but without one where the command has no --set" gives 2 "unknown option '--d-model'$" "headcount status --d-model 3"
check "a mistyped sweep file is refused with a suggestion" \
    gives 2 "configs/gahter.yaml: No such file or directory; did you mean 'configs/gather.yaml'?$" \
    "headcount run configs/gahter.yaml"
check "... also if only its ending is missing" gives 2 "did you mean 'configs/gather.yaml'?$" "headcount run configs/gather"
check "... but without one if no file has a similar name" gives 2 "configs/x.yaml: No such file or directory$" "headcount plan configs/x.yaml"
check "an option without its value is refused" gives 2 "needs a value" "headcount run x.yaml --db"
check "a flag with a value is refused" gives 2 "takes no value" "headcount run x.yaml --quiet=yes"
check "an unknown part of bench is refused" gives 2 "allowed: step, attention" "headcount bench --part atention"
check "an unknown workload of bench is refused" gives 2 "'lage'; allowed: gather, .* large or long$" "headcount bench --workload lage"
for shape in large:64 long:8; do
    check "bench measures the workload ${shape%:*}" \
        gives 0 "\"d_head\":${shape#*:},.*\"peak_share\":[0-9.]*[1-9]" \
        "headcount bench --workload ${shape%:*} --heads 8 --batch 1 --length 8 --milliseconds 1 --json"
done
check "bench refuses a mask without --part attention" gives 2 "mask is for --part attention" "headcount bench --mask causal"
check "bench refuses key heads that do not divide the heads" \
    gives 2 "does not divide model.heads 4" "headcount bench --part attention --heads 4 --kv-heads 3"
check "bench measures attention by itself" \
    gives 0 "gather .* 4 .* 2 .* 8 .* causal" \
    "headcount bench --part attention --workload gather --heads 4 --kv-heads 2 --mask causal --milliseconds 1"
check "... and prints it as JSON" is_json "headcount bench --part attention --workload gather --heads 4 --milliseconds 1 --json"
check "a word as the number of workers is refused" gives 2 "'many'" "headcount run x.yaml -j many"
check "0 workers are refused" gives 2 "allowed" "headcount run x.yaml -j 0"
check "a missing argument is refused with its name" gives 2 "SWEEP.yaml" "headcount plan"
check "an argument too many is refused" gives 2 "too many" "headcount show 1 2"
check "two formats at once are refused" gives 2 "give only one" "headcount report --csv --json"
check "a mistyped kind of export is refused with a suggestion" gives 2 "did you mean 'weights'" "headcount export weigths 1 f"
check "export weights without a file is refused" gives 2 "TRIAL FILE" "headcount export weights 1"
check "a missing results file is refused" gives 2 "nowhere.db" "headcount status --db nowhere.db"
check "... and not created" [ ! -e nowhere.db ]
check "gc refuses a missing results file" gives 2 "there is no results file nowhere.db" "headcount gc --db nowhere.db"
check "... and creates nothing" sh -c "! ls nowhere* 2>/dev/null"
check "a missing sweep file is refused" gives 2 "nowhere.yaml" "headcount run nowhere.yaml"

# ---- params ----
check "the parts that params lists add up to the total" sh -c "headcount params --set model.layers=3 --task recall --heads 4 | tr -d , |
    awk 'NR == 2 { total = \$3 } /^  [a-z]/ { sum += \$2 } END { print sum, total; exit !(sum == total && total > 0) }'"
check "params --shapes shows the slices of heads that share keys and values" gives 0 '^3,0,2,8:12,12:16,16:20,8:12,0:6$' \
    "headcount params --shapes --set model.d_model=6 --heads 3 --set model.kv_heads=1 --set model.d_head=4 --csv"
check "... also for a list of head counts" \
    sh -c "headcount params --shapes --heads 1,2,4 --json | tr '{' '\n' | grep -c q_rows | grep -qx 7"
check "... also with --form cut" gives 0 '^  all     1  4:8     12:16   20:24   4:8          4:8$' \
    "headcount params --shapes --set model.d_model=8 --heads 2 --set model.form=cut --set model.layers=3"
segments='headcount params --shapes --set model.d_model=32 --heads 3 --set model.form=segments --set model.segment_width=9 --set model.layers=2 --csv'
check "... also with --form segments, for each layer" sh -c "$segments | cut -d, -f2- | grep -c '^[01],[012],' | grep -qx 6"
check "... which are the same for the same seed and differ for another" \
    sh -c "$segments >one; $segments --seed 0 | cmp - one && ! $segments --seed 1 | cmp -s - one"
check "params --shapes refuses a head count that does not divide the width" \
    gives 2 "model.heads is 3, which does not divide model.d_model 64" "headcount params --shapes --heads 4,3"
check "params refuses a seed that is not a number" gives 2 "seed is x, which is not a number" "headcount params --shapes --seed x"
check "params refuses 0 heads" gives 2 "model.heads is 0" "headcount params --heads 0"
check "params refuses an empty head count in a list" gives 2 "model.heads" "headcount params --heads 1,,2"
check "params refuses an unknown preset and names those that there are" gives 2 "roberta" "headcount params --preset bert"

# ---- tasks ----
tasks=$(headcount tasks | sed -n '2,/^$/s/^\([a-z_]*\) .*/\1/p')
check "tasks lists the tasks" [ "$(echo "$tasks" | wc -w)" -ge 5 ]
for t in $(echo "$tasks" | grep -vx text); do
    check "tasks $t shows its options, chance and an example" \
        sh -c "headcount tasks $t >t.txt && grep -q 'task.length .*default' t.txt &&
        grep -q '^Chance accuracy: 0*\.*[0-9]' t.txt && grep -q '^  target' t.txt"
done
check "tasks takes options that are lists" \
    gives 0 "^  target *11 13 12  3  1  6 11  6$" \
    "headcount tasks gather --set task.length=8 --set slots=1 --set offsets=[-1]"
check "tasks refuses options of the model" gives 2 "--set model.layers=1 is no option of the task; .headcount tasks gather. lists those" \
    "headcount tasks gather --set model.layers=1"
check "tasks text says that it needs a file" gives 0 "headcount tasks text --set file=PATH" "headcount tasks text"
seq 1000 3000 >"$dir/numbers.txt"
check "tasks text shows the parts of a file" \
    gives 0 "^  test  *100 windows$" "headcount tasks text --set file=$dir/numbers.txt --set length=10"
check "tasks text shows an example out of a file" gives 0 "^  | 2801$" "headcount tasks text --set file=$dir/numbers.txt --set length=10"
check "tasks text shows how well byte models predict a file" \
    gives 0 "^  order 0  *3.364$" "headcount tasks text --set file=$dir/numbers.txt --set length=10"
check "... up to order 5" \
    gives 0 "^  order 5  *[0-3]\.[0-9]*$" "headcount tasks text --set file=$dir/numbers.txt --set length=10"
check "tasks text refuses an example that a file does not have" \
    gives 2 "the test part has 100 examples" \
    "headcount tasks text --set file=$dir/numbers.txt --set length=10 --example 101"
{ echo text,label; for i in 1 2 3 4 5 6; do echo "a text that is cut $i,yes"; printf '"no, ""%s""\n",no\n' $i;
    done; } >"$dir/rows.csv"
check "tasks text shows the padding of a row" \
    gives 0 "^  padding  *2 positions$" \
    "headcount tasks text --set file=$dir/rows.csv --set mode=classify --set length=10 --example 2"
check "tasks text says how many rows are cut" \
    gives 0 "^  cut  *6 of the texts, at 10 bytes$" \
    "headcount tasks text --set file=$dir/rows.csv --set mode=classify --set length=10"
check "tasks text shows the labels of rows" gives 0 '^  1  *6 rows  "yes"$' "headcount tasks text --set file=$dir/rows.csv --set mode=classify"
echo 'x' >>"$dir/rows.csv"
check "tasks text names the place of a faulty row" \
    gives 2 "rows.csv, line 20, column 1: this row has 1 field" \
    "headcount tasks text --set file=$dir/rows.csv --set mode=classify"
check "an option that is read from the file cannot be set" \
    gives 2 "task.rows is read from the file; give task.file" "headcount tasks text --set rows=3"
for section in model train; do
    check "tasks $section shows its options and their defaults" gives 0 "$section.*default" "headcount tasks $section"
    check "tasks $section --json prints JSON" is_json "headcount tasks $section --json"
done
check "a mistyped task is refused with a suggestion" gives 2 "did you mean 'gather'" "headcount tasks gahter"
check "an unknown option of a task is refused" gives 2 "no option width" "headcount tasks gather --set width=3"
check "an option's value out of range is refused" gives 2 "task.slots is 99" "headcount tasks gather --set slots=99"

# ---- the examples that the help texts show, in an order in which they can work ----
examples() { headcount "$1" --help | sed -n '/^Examples:/,$s/^  \(headcount .*\)/\1/p'; }
one_core="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')"
check "plan says if there are fewer cores than trials at once" \
    gives 0 "with 5 at once on 1 core\.$" "$one_core headcount plan configs/gather.yaml -j 5"
check "... and not if they suffice" \
    gives 0 "with 1 at once\.$" "$one_core headcount plan configs/gather.yaml -j 1"
check "run says so, too" \
    gives 0 "^3 trials at once on 1 core: no faster than 1$" \
    "$one_core headcount run configs/quick.yaml --db cores.db --set train.steps=15 --set seeds=2 -j 3"
check "... except with -q" \
    silent 2 "$one_core headcount run configs/quick.yaml --db quiet.db --set train.steps=15 --set seeds=2 -j 3 -q"
check "plan works without a results file" gives 0 "new" "headcount plan configs/gather.yaml"
check "... and writes nothing" [ ! -e results ]
for c in run $(echo "$commands" | grep -v '^run$'); do
    examples "$c" >"lines.$c"
    if [ "$c" = report ]; then # it compares gather with a second sweep
        sed 's/^name: .*/name: gather-tuned/' configs/gather.yaml >second.yaml
        headcount run second.yaml --set train.steps=100 --set seeds=1 --set model.heads=[1,4] -q >second.txt
    fi
    shorter=$([ "$c" != bench ] || echo " --batch 2 --trained 1 --milliseconds 1")
    until=$([ "$c" != serve ] || echo "until_it_serves ")
    while read -r line; do
        case $line in *--svg*) command -v gnuplot >"$dir/gnuplot" ||
            { skip "example: $line" gnuplot; continue; } ;; esac
        check "example: $line" gives 0 '' "$until$line$shorter"
    done <"lines.$c"
    [ "$c" != report ] || headcount sweep delete gather-tuned --yes >second.txt
done
headcount --help | sed -n '/^Examples:/,$s/^  \(headcount .*\)/\1/p' >lines
while read -r line; do
    check "example: $line" gives 0 '' "$line"
done <lines

# ---- with results ----
sum() { find results -type f -exec cksum {} + | sort; }
sum >before
inference="headcount plan $root/tests/data/yaml/inference.yaml"
check "plan says how many trials looks leave open" \
    gives 0 \
    "^24 tuning trials would run, then 18 to 30 that are judged: about .* to .*, by the look that decides\.$" \
    "$inference"
check "... and how many steps rungs save" gives 0 "the best goes on from step 20: 1,440 of 2,400 tuning steps\.$" "$inference"
check "... also with several rungs" \
    gives 0 "the best 3, 2 and 1 go on from steps 10, 20 and 40: " \
    "$inference --set tune.rungs.min_steps=10 --set 'train.lr=[.001,.002,.003,.004,.005,.006]'"
check "... and what is replicated" gives 0 "^Replicates: 3 (task.instance); " "$inference"
check "... and has the same as JSON" \
    gives 0 \
    '"replicate": {"task.instance":2}, "tuning": {"train.lr":0.01}, "is_tuning": false, "look": 2' "$inference --json"
check "plan counts the trials that have completed" \
    gives 0 "^  completed  *12 " "headcount plan configs/gather.yaml --set train.steps=100 --set seeds=2"
check "... and says when nothing is left" \
    gives 0 "Nothing is left" "headcount plan configs/gather.yaml --set train.steps=100 --set seeds=2"
check "plan counts new trials" \
    gives 0 "^  new  *6 " "headcount plan configs/gather.yaml --set train.steps=100 --set seeds=3"
check "plan warns of another sweep's name" \
    gives 0 "replace" "headcount plan configs/gather.yaml --set task.length=9 --set train.steps=100"
check "plan sums up a large sweep in few lines" \
    sh \
    -c "[ \$(headcount plan configs/gather.yaml --set seeds=1 --set method=random --set samples=500 \
        --set 'train.lr={min: 1e-4, max: 1e-2, distribution: log_uniform_values}' | wc -l) -lt 40 ]"
sqlite3 results/headcount.db ".backup empty.db" &&
    sqlite3 empty.db "DELETE FROM curve; DELETE FROM attempt; DELETE FROM trial; DELETE FROM sweep"
check "status says that a file has no sweep yet" \
    gives 0 "^This file holds no sweep yet" "headcount status --db empty.db"
check "... and prints JSON for it, too" is_json "headcount status --db empty.db --json"
check "show draws the curve of a trial" gives 0 "^  1.0 |" "headcount show 1"
check "show without a trial lists the trials" gives 0 "^ *trial  heads  .*seed  state" "headcount show"
check "show refuses a mistyped sweep with a suggestion" \
    gives 2 "results/headcount.db holds no sweep \"gahter\"; did you mean \"gather\"" "headcount show gahter"
check "the command ls is refused with the suggestion show" gives 2 "did you mean 'show'" "headcount ls"
check "... and so is list" gives 2 "did you mean 'show'" "headcount list"
check "the command resume is refused with the suggestion run" gives 2 "did you mean 'run'" "headcount resume"
check "the option --dry-run is refused with the suggestion plan" gives 2 "headcount plan" "headcount run x.yaml --dry-run"
check "show gives accuracy by slot with three decimals" gives 0 "^  by slot  *0[.][0-9][0-9][0-9]\( .*\)*$" "headcount show 1"
check "show refuses a trial that is not there" gives 2 "99999" "headcount show 99999"
check "show refuses a word that names no sweep" gives 2 "first" "headcount show first"
sqlite3 results/headcount.db ".backup lost.db" && sqlite3 lost.db "UPDATE trial SET sweep_id = -1 WHERE trial_id = 1"
check "show --json fails for a trial that has lost its sweep" gives 3 "trial 1 has no sweep" "headcount show 1 --json --db lost.db"
check "... and so does show as text" gives 3 "trial 1 has no sweep" "headcount show 1 --db lost.db"
check "commands that only read leave the results as they were" sh -c "find results -type f -exec cksum {} + | sort | cmp - before"
check "weights are exported" \
    sh -c "headcount export weights 1 w.st && grep -q 'encoder.layers.0.self_attn.in_proj_weight' w.st"
check "a test set is exported" \
    sh -c "headcount export testset 1 t.st && grep -q predictions t.st && [ \$(wc -c <t.st) -gt 20000 ]"
check "an export into a missing folder fails with its name" gives 3 "nodir" "headcount export weights 1 nodir/w.st"
check "... with the same bytes into a file" \
    sh -c "headcount export trials gather t.csv && headcount export trials gather - | cmp - t.csv"
check "... with the same bytes into a file" \
    sh -c "headcount export curves gather c.csv && headcount export curves gather - | cmp - c.csv"
check "... but not over the results file" \
    gives 2 "results file itself" "headcount export curves gather results/headcount.db"
check "... nor of an unknown sweep" gives 2 "gather" "headcount export curves quack c.csv"
check "... nor without a sweep's name" \
    gives 2 "no SWEEP given; usage: headcount export curves SWEEP .FILE." "headcount export curves"
check "... nor into two files" gives 2 "one argument too many: 'd'" "headcount export curves gather c d"
check "export of a missing trial is refused" gives 2 "99999" "headcount export weights 99999 w.st"
touch results/headcount.db.d/t1-a1-0.ckpt results/headcount.db.d/t77-a1.result \
    results/headcount.db.d/t1-a1.result.42.tmp results/headcount.db.d/mine.txt
check "gc --dry-run counts the files that are not needed" gives 0 "would remove 3 files" "headcount gc --dry-run"
check "... and removes nothing" [ -e results/headcount.db.d/t1-a1-0.ckpt ]
check "gc removes the files that are not needed" gives 0 "^removed 3 files" "headcount gc"
check "... and keeps results and foreign files" \
    sh -c "ls results/headcount.db.d | grep -c 'result$' | grep -qx 12 && [ -e results/headcount.db.d/mine.txt ]"
exec 9>>results/headcount.db.lock
flock 9
check "gc is refused while the file is in use" gives 4 "headcount.db" "headcount gc 9>&-"
exec 9>&-

# ---- a system that lacks something ----
without() { # folder, status, pattern, line
    gives "$2" "$3" "unshare -rm sh -c 'mount -t tmpfs none $1 && $4'"
}
# shellcheck disable=SC2016
no_proc='/proc is not mounted; mount it (`mount -t proc proc /proc`)'
# shellcheck disable=SC2016
no_null='cannot start a worker: /dev/null is missing; make it (`mknod -m 666 /dev/null c 1 3`)'
if sanitized; then
    skip "commands name what the system lacks" "a build without sanitizers, which read /proc"
elif unshare -rm mount -t tmpfs none /dev 2>said; then
    for line in "run configs/quick.yaml --db bare.db" "run configs/quick.yaml --db bare.db --launch {host} --hosts a" \
        "submit configs/quick.yaml -n --nodes 1 --db bare.db"; do
        check "$line says that /proc is missing" without /proc 3 "$no_proc" "headcount $line"
    done
    check "run --serve says that /proc is missing" \
        without /proc 3 "no live page: $no_proc" "headcount run configs/quick.yaml --serve --db bare.db"
    check "check --retest says that /proc is missing" without /proc 3 "cannot start a worker: $no_proc" "headcount check --retest"
    check "... and that /dev/null is" without /dev 3 "$no_null" "headcount check --retest"
    check "run says that /dev/null is missing" without /dev 3 "$no_null" "headcount run configs/quick.yaml --db bare.db"
else
    skip "commands name what the system lacks" "the right to mount in a namespace"
fi

# ---- streams ----
for line in "tasks" "tasks gather" "params" "show 1" "--help" "--version" "report" "export results" \
    "export curves gather" "status" "plan configs/gather.yaml --json"; do
    check "$line > /dev/full is noticed" gives 3 "" "headcount $line >/dev/full"
    check "$line with stdout closed fails" gives 3 "" "headcount $line >&-"
    check "$line | head succeeds" gives 0 "" "headcount $line | head -n 1"
    check "$line says nothing when its reader is gone" silent 2 "{ sleep 0.1; headcount $line; } | :"
    check "$line succeeds when its reader is gone" \
        gives 0 "" "{ sleep 0.1; headcount $line; echo \$? >reader_gone; } | :; exit \$(cat reader_gone)"
done
check "help goes to stdout only" silent 2 "headcount --help"
# The lock would become descriptor 2, and progress would be written into it.
check "a run with stderr closed succeeds" gives 0 "" "headcount run configs/quick.yaml --set train.steps=100 --db closed.db 2>&-"
check "... and writes no progress into its lock file" sh -c "! grep -q heads= closed.db.lock"
escape=$(printf '\033')
check "a report into a pipe has no colour" sh -c "! headcount report | grep -q '$escape'"
if has_terminal; then
    in_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null; }
    in_terminal "headcount report" >tty.txt
    check "a report on a terminal has colour" grep -q "$escape\\[" tty.txt
    in_terminal "env NO_COLOR=1 headcount report" >tty.txt
    check "NO_COLOR turns colour off" sh -c "! grep -q '$escape' tty.txt"
    # no line is wider than the terminal, and what found no room is named
    narrow() { # command, the lines that are its table's
        in_terminal "stty cols 50; env NO_COLOR=1 headcount $1" | tr -d '\r' | sed -n "${2-p}" >tty.txt
        [ -z "$(awk 'length > 50' tty.txt)" ] && tr '\n' ' ' <tty.txt | grep -q "Left out for lack of room: "
    }
    check "status fits a narrow terminal" narrow status
    check "report fits a narrow terminal" narrow report
    check "the attempts in show fit a narrow terminal" narrow "show 1" '/^attempt/,/^$/p'
    in_terminal "headcount run configs/gather.yaml --set train.steps=100 --set seeds=3" >tty.txt
    check "progress is drawn in place on a terminal" grep -q "$escape\\[K" tty.txt
    in_terminal "env NO_COLOR=1 headcount run configs/gather.yaml --set train.steps=100 --set seeds=4" >tty.txt
    check "... without colour under NO_COLOR" sh -c "! grep -q '$escape\\[[0-9;]*m' tty.txt"
else
    skip "progress is drawn in place on a terminal" "script(1)"
fi
check "progress without a terminal is a line per trial" \
    sh -c "headcount run configs/gather.yaml --db plain.db --set train.steps=100 --set seeds=1 2>&1 >/dev/null |
    grep -c 'gather heads=.* val ' | grep -qx 6"
finish
