#!/bin/sh
# headcount submit without Slurm: what it prints, what sbatch is given, and what the job's script does
# with the end of its run. What it carries: test_submit_script.sh. With Slurm: tests/cluster.
# Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/submit.sh

# ---- what is submitted ----

check "a job on four nodes is submitted" says '^Submitted job 41: 12 trials on 4 nodes$' \
    headcount submit configs/quick.yaml --set seeds=4 --nodes 4 --db "r/x.db" -- --time=10 --account="a b"
check "... with its options, the user's behind them" \
    words 41 --parsable --job-name=quick --nodes=4 --ntasks-per-node=1 --exclusive \
    --no-kill --signal=B:USR1@60 "--comment=headcount $dir/r/x.db" --requeue --open-mode=append \
    --time=10 "--account=a b"
check "... with a script that runs the sweep" grep -Fqx "$headcount run --set seeds=4 --db \"\$db\" --from-shards r/x.db --launch slurm \
--as $dir/configs/quick.yaml - <<'END_OF_SWEEP' &" "$JOBS/41.sh"
check "... into the results file" grep -Fqx "db=r/x.db" "$JOBS/41.sh"
check "submit takes one node by default" says '^Submitted job 42: 6 trials on 1 node$' headcount submit configs/quick.yaml -c 2
check "... with as many cores as -c says" words 42 --nodes=1 --cpus-per-task=2
check "... and not the whole node" fails grep -q exclusive "$JOBS/42.words"
check "an array is submitted" \
    says '^Submitted job 43: 6 trials in 3 shards$' headcount submit configs/quick.yaml --array 3 --db \
    "r/it's.db" -- -p long
check "... with its number of shards in the comment" \
    words 43 --array=1-3 "--comment=headcount $dir/r/it's.db (3 shards)" -p long
check "... with a job that merges it" grep -Fqx "Submitted job 44: merges them into r/it's.db when they have ended" out
check "... and waits for it" \
    words 44 --job-name=quick-merge --ntasks=1 "--comment=headcount $dir/r/it's.db" -p long --dependency=afterany:43
check "... and each task runs its shard" grep -Fq -e "--db \"\$db\" --from-shards 'r/it'\\''s.db' \
--shard \"\$SLURM_ARRAY_TASK_ID/3\" -j \"\$SLURM_CPUS_ON_NODE\" --as $dir/configs/quick.yaml - <<" "$JOBS/43.sh"
check "... into a file of its own" grep -Fqx "db='r/it'\\''s'-\"\$SLURM_ARRAY_TASK_ID\"-of-3.db" "$JOBS/43.sh"
check "... and the merge takes all of these files" grep -Fqx "program merge --whole --into \"\$db\" -- \"\$@\"" "$JOBS/44.sh"
check "... into the one results file" grep -Fqx "db='r/it'\\''s.db'" "$JOBS/44.sh"

# ---- what is shown is what is submitted ----

check "-n prints a script that submits the same" \
    same_as_shown 41 configs/quick.yaml --set seeds=4 --nodes 4 --db r/x.db -- --time=10 --account="a b"
before=$(last_job)
check "... also of an array" same_as_shown 43 configs/quick.yaml --array 3 --db "r/it's.db" -- -p long
check "... and of its merge" cmp "$JOBS/44.sh" "$JOBS/$((before + 2)).sh"
check "... which waits for the array" words $((before + 2)) "--dependency=afterany:$((before + 1))"
before=$(last_job)
check "submit -n succeeds" headcount submit -n configs/quick.yaml
check "... and submits nothing" [ "$(last_job)" = "$before" ]

# ---- jobs on the same results file ----

last_words() { # words that sbatch got with the last job
    words "$(last_job)" "$@"
}
echo "17|17|N/A|RUNNING|None|quick|headcount $dir/r/x.db" >"$JOBS/queue"
check "a job that works on the results file is named" says '^Job 17 works on r/x.db: this one begins when it has ended\.$' \
    headcount submit configs/quick.yaml --db r/x.db
check "... and waited for" last_words --dependency=afterany:17
check "a --dependency of the user's own is taken beside it" \
    headcount submit configs/quick.yaml --db r/x.db -- --dep=afterok:5,singleton -p long
check "... and both are in one list" last_words -p long --dependency=afterok:5,singleton,afterany:17
check "a --dependency in two words is taken" headcount submit configs/quick.yaml --db r/x.db -- --dependency afterok:5 -d after:6
check "... and the last of several counts" last_words --dependency=after:6,afterany:17
check "a --dependency of alternatives is taken" headcount submit configs/quick.yaml --db r/x.db -- '-dafterok:5?afterok:6'
check "... and stays as it is" last_words '--dependency=afterok:5?afterok:6'
check "-n names the job beside the script" sh -c 'headcount submit -n configs/quick.yaml --db r/x.db 2>said >shown &&
    grep -q "^Job 17 works" said && grep -q -e "^sbatch .* --dependency=afterany:17 <<" shown'
check "a job on another results file is submitted" headcount submit configs/quick.yaml --db r/y.db
check "... and waits for nothing" fails grep -q -e dependency "$JOBS/$(last_job).words"
cat >"$JOBS/queue" <<Q
21|21|N/A|PENDING|Dependency|quick-merge|headcount $dir/r/x.db
20_1|20|1|RUNNING|None|quick|headcount $dir/r/x.db (2 shards)
20_2|20|2|RUNNING|None|quick|headcount $dir/r/x.db (2 shards)
19|19|N/A|RUNNING|None|quick|headcount $dir/r/x.db
Q
check "an array names all jobs that work on the results file" says '^Jobs 19, 20 and 21 work on r/x.db: this one begins when they have ended\.$' \
    headcount submit configs/quick.yaml --array 2 --db r/x.db -- --dependency=singleton
check "... and waits for them and the merge of the other array" words $(($(last_job) - 1)) --dependency=singleton,afterany:19:20:21
check "... and its own merge waits for it" last_words "--dependency=afterany:$(($(last_job) - 1))"
seq 100 120 | sed "s#.*#&|&|N/A|PENDING|None|quick|headcount $dir/r/x.db#" >"$JOBS/queue"
check "of many jobs some are named and the rest are counted" says '^Jobs 100, 101, .*, 107 and 13 more work on r/x.db' headcount submit configs/quick.yaml --db r/x.db
: >"$JOBS/mute"
check "submit says so where squeue fails" \
    says '^headcount submit: squeue does not tell .*; a job that finds the results file in use goes back' \
    headcount submit configs/quick.yaml --db r/x.db
rm "$JOBS/mute" "$JOBS/queue"
mkdir r
held() { # words of the lock, command...
    echo "$1" >r/x.db.lock
    shift
    flock r/x.db.lock "$@"
}
check "a job that holds the results file's lock is named" \
    says '^Job 33 works on r/x.db' held "process 12 on n1, job 33 of Slurm" headcount submit \
    configs/quick.yaml --db r/x.db
check "... and waited for" last_words --dependency=afterany:33
check "a process outside Slurm that holds the results file is named" \
    says '^r/x.db is in use by process 12 on n1: a job that finds it so goes back into the queue for five minutes' \
    held "process 12 on n1" headcount submit configs/quick.yaml --db r/x.db
check "... and not waited for" fails grep -q -e dependency "$JOBS/$(last_job).words"
rm -r r

# ---- for other programs ----

number() { # what stands on stdout is the number of the last job and nothing else
    headcount submit "$@" --parsable >number 2>said && [ "$(cat number)" = "$(last_job)" ] &&
        grep -q '^Submitted job' said ||
        { cat number said; return 1; }
}
check "--parsable prints one number alone" number configs/quick.yaml --nodes 2
check "... that of the merge of an array" number configs/quick.yaml --array 2
check "... also from what -n prints of an array" \
    sh -c 'headcount submit -n --parsable configs/quick.yaml --array 2 2>/dev/null | sh | grep -qx "[0-9]*;cluster"'
check "... and of one job" \
    sh -c 'headcount submit -n --parsable configs/quick.yaml 2>/dev/null | sh | grep -qx "[0-9]*;cluster"'
echo 7 >"$JOBS/ends"
check "--wait ends with the job's own status" \
    refused 7 '^Submitted job [0-9]*: 6 trials on 1 node$' headcount submit configs/quick.yaml -- --wait
check "... with that of the merge of an array" \
    refused 7 '^Submitted job [0-9]*: merges' headcount submit configs/quick.yaml --array 2 -- -p long -W
check "... for which alone sbatch waits" fails grep -q -e --wait -e -W "$JOBS/$(($(last_job) - 1)).words"
check "... and the array gets all other words" words $(($(last_job) - 1)) -p long
check "--wait works in what -n prints" \
    sh -c 'headcount submit -n configs/quick.yaml --array 2 -- --wait 2>/dev/null | sh >/dev/null; [ $? -eq 7 ]'
check "... which does not wait for the array itself" fails grep -q -e --wait "$JOBS/$(($(last_job) - 1)).words"
check "--wait-all-nodes is taken" sh -c 'headcount submit configs/quick.yaml -- --wait-all-nodes=1'
check "... and handed to sbatch" last_words --wait-all-nodes=1
check "--constraint and --container are taken" headcount submit configs/quick.yaml -- --constraint=avx --container=x

# ---- an array and its merge ----

check "--array 3%2 runs two shards at a time" \
    says '^Submitted job [0-9]*: 6 trials in 3 shards, 2 at a time$' headcount submit configs/quick.yaml --array 3%2
check "... as Slurm is told" words $(($(last_job) - 1)) --array=1-3%2
check "--merge-options are taken" \
    headcount submit configs/quick.yaml --array 3 --merge-options "--mem=4G  --account='a \"b'" \
    --merge-options '-p "sho\$rt"\ q --dependency=afterok:5' -- -p long --mem=8G
check "... and given to the merge" \
    last_words --mem=4G '--account=a "b' -p 'sho$rt q' "--dependency=afterany:$(($(last_job) - 1)),afterok:5"
check "... instead of those of the array" fails grep -qx -e long -e --mem=8G "$JOBS/$(last_job).words"
check "... which keeps its own" words $(($(last_job) - 1)) -p long --mem=8G
check "--merge-options work in what -n prints" \
    sh -c 'headcount submit -n configs/quick.yaml --array 3 --merge-options "-p short -d afterok:5\;6" | sh >/dev/null'
check "... to the word" last_words -p short "--dependency=afterany:$(($(last_job) - 1)),afterok:5;6"
check "an array of a sweep with confirm is refused" \
    refused 2 'confirm, which needs the results of all shards; use --nodes' headcount submit configs/quick.yaml --array 2 \
    --set confirm=6
check "--merge-options without an array are refused" \
    refused 2 'merge-options is for the job that merges an --array' headcount submit configs/quick.yaml \
    --merge-options -pshort
for odd in '--mem=$X' '"$X"' '`touch hacked`' 'a;b' '>hacked' '*' '~(x)'; do
    check "--merge-options with $odd are refused" \
        refused 2 'means something to a shell' headcount submit configs/quick.yaml --array 2 --merge-options "$odd"
done
check "--merge-options with half a quote are refused" \
    refused 2 "a ' in the options .* has no end" headcount submit configs/quick.yaml --array 2 --merge-options "-p 'x"
echo afterany >"$JOBS/refuses"
check "a merge that Slurm refuses is told, with status 1" \
    refused 1 'the job that would merge the shards could not be submitted' headcount submit configs/quick.yaml \
    --array 3 --db "r/it's.db"
check "... in Slurm's words" grep -q '^sbatch: error' out
check "... with the array that runs without it" grep -q "Job $(last_job) runs without it" out
check "... and the command that merges" \
    grep -Fqx "    headcount merge --into 'r/it'\\''s.db' -- 'r/it'\\''s'-[0-9]*-of-3.db" out
check "--parsable prints no number where the merge is refused" sh -c 'headcount submit configs/quick.yaml --array 3 --parsable >number 2>/dev/null;
    [ $? -eq 1 ] && [ ! -s number ]'
rm "$JOBS/refuses"

# ---- what trials are taken over from ----

mkdir -p q
echo text >q/z-1-of-9.db
check "a shard file that is no results file is refused" \
    refused 2 'q/z-1-of-9.db is not a results file' headcount submit configs/quick.yaml --db q/z.db --array 2
: >q/z-1-of-9.db
check "... but an empty one, which is about to be made, is not" headcount submit configs/quick.yaml --db q/z.db --array 2
rm q/z-1-of-9.db
headcount run configs/quick.yaml --set train.steps=15 --set metric.name=val_loss --shard 1/9 --db q/z-1-of-9.db -q \
    >out 2>&1 || cat out
check "a shard whose best steps another metric chose is refused" \
    refused 2 'q/z-1-of-9.db: its sweep "quick" chose its best steps by a metric other than' headcount submit \
    configs/quick.yaml --set train.steps=15 --db q/z.db --nodes 2

# ---- once ----

check "--retry-failed and --replace are taken" headcount submit configs/quick.yaml --retry-failed --replace --db r/x.db
once=$JOBS/$(last_job).sh
check "... and handed to the run" grep -Fq "$headcount run \$once --db \"\$db\"" "$once"

# ---- hostile names ----

array=5 task=1
hostile='$(touch hacked) `touch hacked`; "x" \ '\''y'\'' & *
END_OF_JOB
-n'
mkdir -p "$hostile/results"
cp configs/quick.yaml "$hostile/-s p.yaml"
sed -i '1i name: .--json' "$hostile/-s p.yaml"
# Of more than a pipe takes, with letters whose bytes mean something to dash; lines end as on Windows.
{
    printf \
        '# END_OF_SWEEP\nEND_OF_SWEEP\n#$(touch hacked) `touch hacked` \\ \ta\xc4\x81 \xc2\xab \\\n' | sed 's/^END/# &/'
    seq -f '# %.0f %% END_OF_SWEEP_ END_OF_JOB' 3000
} >>"$hostile/-s p.yaml"
cp "$hostile/-s p.yaml" plain.yaml
sed 's/$/\r/' plain.yaml | head -c -2 >"$hostile/-s p.yaml"
before=$(last_job)
(cd "$hostile" && headcount submit "./-s p.yaml" --set "train.steps=20" --array 2 --db \
    "-r \$(touch hacked)/x'.db" >/dev/null 2>&1)
check "an array with hostile names is submitted" [ "$(last_job)" -eq $((before + 2)) ]
check "... in a script that sh can read" sh -n "$JOBS/$((before + 1)).sh"
check "... and -n shows it" sh -c 'cd "$0" &&
    headcount submit -n "./-s p.yaml" --set "train.steps=20" --array 2 \
        --db "-r \$(touch hacked)/x'\''.db" >"$1/shown" && sh "$1/shown" >/dev/null' "$hostile" "$dir"
check "... to the same byte" sh -c 'cmp "$JOBS/$0.sh" "$JOBS/$1.sh" &&
    cmp "$JOBS/$2.sh" "$JOBS/$3.sh"' $((before + 1)) $((before + 3)) $((before + 2)) $((before + 4))
as_job $((before + 1)) "$dir/keeper"
printf '%s\n' run --set train.steps=20 --db "-r \$(touch hacked)/x'-1-of-2.db" --from-shards \
    "-r \$(touch hacked)/x'.db" --shard 1/2 -j 2 --as "$dir/$hostile/-s p.yaml" - >wanted
check "... the run gets the words that were meant" cmp wanted "$JOBS/words"
check "... with the sweep file as it was" cmp plain.yaml "$JOBS/stdin"
printf '%s\n' "$dir/$hostile" >wanted
check "... in the folder that was meant" cmp wanted "$JOBS/pwd"
shards="$hostile/-r \$(touch hacked)"
mkdir -p "$shards"
: >"$shards/x'-1-of-2.db"
: >"$shards/x'-2-of-2.db"
: >"$shards/x'-other-1-of-2.db"
as_job $((before + 2)) "$dir/keeper"
printf '%s\n' merge --whole --into "-r \$(touch hacked)/x'.db" -- "-r \$(touch hacked)/x'-1-of-2.db" \
    "-r \$(touch hacked)/x'-2-of-2.db" report --db "-r \$(touch hacked)/x'.db" -- .--json >wanted
check "... and the merge takes these shards and no other sweep's" cmp wanted "$JOBS/words"
cat >merger <<'E'
#!/bin/sh
echo "$1" >>"$JOBS/words"
[ "$1" = report ] || exit "$(cat "$JOBS/status")"
exit "$(cat "$JOBS/reported")"
E
chmod +x merger
merges() { # status of merge, of report, of the job; the commands
    echo "$1" >"$JOBS/status"
    echo "$2" >"$JOBS/reported"
    as_job $((before + 2)) "$dir/merger" >out 2>&1
    code=$?
    [ $code -eq "$3" ] && [ "$(tr '\n' ' ' <"$JOBS/words")" = "$4 " ] ||
        { echo "status $code"; cat "$JOBS/words"; return 1; }
}
check "a merge of all shards is reported, and its job ends with status 0" merges 0 0 0 "merge report"
check "a merge whose report fails ends with the report's status" merges 0 3 3 "merge report"
check "a merge of a part is reported, and its job ends with status 1" merges 1 0 1 "merge report"
check "a merge of nothing is not reported" merges 2 0 2 merge
rm "$shards/x'-2-of-2.db"
as_job $((before + 2)) "$dir/keeper" >out 2>&1
check "a shard that left no file is named" grep -q "^Shard 2 has left no .*-2-of-2.db" out
check "... and the others are merged" \
    sh -c 'grep -q -e "-1-of-2.db$" "$JOBS/words" && ! grep -q -e "-2-of-2.db$" "$JOBS/words"'
once() { # restarts of the job; what of --retry-failed and --replace its run gets
    cp "$once" "$JOBS/once.sh"
    SLURM_RESTART_COUNT=$1
    export SLURM_RESTART_COUNT
    as_job once "$dir/keeper" >out 2>&1
    unset SLURM_RESTART_COUNT
    grep -e --re "$JOBS/words" | tr '\n' ' '
}
check "failed trials are tried again and a sweep is replaced at the first start" \
    [ "$(once 0)" = "--retry-failed --replace " ]
check "... and not when the job comes back from the queue" [ "$(once 1)" = "" ]
check "... nor where it was not asked for" fails grep -q -e --re[tp] "$JOBS/43.sh"
check "no hostile name was obeyed" [ -z "$(find . -name hacked)" ]

# ---- the end of a job ----

array= task=
echo USR1 >"$JOBS/signal"
requeues() { # status of the run, state of the job; true if it went back into the queue
    rm -f "$JOBS/requeued"
    echo "$1" >"$JOBS/status"
    echo "$2" >"$JOBS/state"
    as_job 41 "$dir/ender" >ends 2>&1
    code=$?
    [ $code -eq "$1" ] || trouble "the job of a run that exits with $1 exits with $code"
    [ -e "$JOBS/requeued" ] && grep -qx "requeue 7" "$JOBS/requeued"
}
check "a job whose run was stopped goes back into the queue" requeues 75 RUNNING
check "... also where it was stopped before it had begun" requeues 138 RUNNING
check "a job that Slurm ends does not go back by itself" fails requeues 75 COMPLETING
check "a job that is gone does not go back" fails requeues 75 ""
for status in 0 1 2 3; do
    check "a job whose run ends with status $status does not go back" fails requeues $status RUNNING
done
echo TERM >"$JOBS/signal"
check "a job that SIGTERM stops, which the run gets too, goes back into the queue" requeues 75 RUNNING
check "... without a word" [ ! -s ends ]
rm "$JOBS/signal"
check "a job whose run stopped by itself, as on a full disk, does not go back" fails requeues 75 RUNNING
check "... and says so" grep -q '^The run stopped by itself, most likely because the disk is full' ends

# ---- a results file that another process holds ----

# What the script of this job asks of Slurm when its run ends with 4, and the lock file says this.
mkdir -p r
waits() { # job, its number for Slurm, its results file, the lock's words, what is asked...
    waits_job=$1 waits_id=$2
    printf '%s\n' "$4" >"$3.lock"
    shift 4
    printf '%s\n' "$@" >wanted
    rm -f "$JOBS/requeued"
    echo 4 >"$JOBS/status"
    echo RUNNING >"$JOBS/state"
    as_job "$waits_job" "$dir/ender" >ends 2>&1
    code=$?
    [ $code -eq 4 ] && cmp wanted "$JOBS/requeued" || { echo "status $code"; cat ends "$JOBS/requeued"; return 1; }
}
by="process 12 on n1"
check "a job goes back until the job that holds its results file has ended" waits 41 7 r/x.db "$by, job 17 of Slurm" \
    "requeue 7" "update jobid=7 dependency=afterany:17"
check "... and says so" grep -q '^This job begins again when job 17 has ended' ends
echo dependency >"$JOBS/unwilling"
check "... after a pause, where Slurm does not take that" waits 41 7 r/x.db "$by, job 17 of Slurm" \
    "requeue 7" "update jobid=7 dependency=afterany:17" "update jobid=7 starttime=now+300"
echo requeue >"$JOBS/unwilling"
check "... but not where Slurm takes nothing" waits 41 7 r/x.db "$by, job 17 of Slurm" "requeue 7"
rm "$JOBS/unwilling"
check "a job goes back for five minutes where a process outside Slurm holds its file" waits 41 7 r/x.db "$by" "requeue 7" "update jobid=7 starttime=now+300"
check "... and says so, with the limit" grep -q '^This job is tried again in 5 minutes, 288 times at most' ends
for odd in "$by, job 17; touch hacked of Slurm" "$by, job of Slurm" "$by, job -j of Slurm" "$by, job 7 of Slurm" \
    "$by, job 17 of Slurm for \$(touch hacked)" ''; do
    check "... also where the lock says '$odd'" waits 41 7 r/x.db "$odd" "requeue 7" "update jobid=7 starttime=now+300"
done
rm r/x.db.lock
mkfifo r/x.db.lock
no_lock() { # as waits, with what lies there
    rm -f "$JOBS/requeued"
    as_job 41 "$dir/ender" >ends 2>&1
    grep -q starttime "$JOBS/requeued"
}
check "... also where the lock is no file" no_lock
rm r/x.db.lock
check "... also where the lock is gone" no_lock
SLURM_RESTART_COUNT=288
export SLURM_RESTART_COUNT
rm -f "$JOBS/requeued"
check "a job that came back 288 times does not go back again" fails no_lock
check "... asks nothing of Slurm" [ ! -e "$JOBS/requeued" ]
check "... and says so" grep -q '^This job has come back 288 times' ends
unset SLURM_RESTART_COUNT
: >"r/it's-1-of-3.db"
check "a merge goes back until the job that holds its results file has ended" \
    waits 44 7 "r/it's.db" "$by, job 17 of Slurm" "requeue 7" "update jobid=7 dependency=afterany:17"
array=5 task=2
check "a task of an array goes back by its own number" waits 43 5_2 "r/it's-2-of-3.db" "$by, job 17 of Slurm" \
    "requeue 5_2" "update jobid=5_2 dependency=afterany:17"
array= task=
check "no word of a lock was obeyed" [ -z "$(find . -name hacked)" ]
rm -r r

check "the signal before the limit reaches the run" signalled USR1
check "... once" [ "$(cat "$JOBS/signals")" = USR1 ]
check "SIGTERM does not end the job's script" signalled TERM USR1 TERM
check "... and is not passed on to the run, which gets it from Slurm" [ "$(cat "$JOBS/signals")" = USR1 ]

# ---- what is refused ----

before=$(last_job)
check "a wrong sweep file is refused" refused 2 'train.stepz: unknown key' headcount submit configs/quick.yaml --set train.stepz=3
check "... also with -n" refused 2 'stepz' headcount submit -n configs/quick.yaml --set train.stepz=3
check "a missing sweep file is refused" refused 2 'nothing.yaml' headcount submit nothing.yaml
check "submit without a sweep file is refused" refused 2 'no SWEEP.yaml given' headcount submit --nodes 3
check "options of sbatch without -- are refused" \
    refused 2 "unknown option '--time'; options of sbatch stand behind --" headcount submit configs/quick.yaml --time=3
check "... also short ones" \
    refused 2 "unknown option '-p'; options of sbatch stand behind --" headcount submit configs/quick.yaml -p long
check "a second sweep file is refused" refused 2 'one argument too many' headcount submit configs/quick.yaml x.yaml -- --time=3
check "--nodes and --array together are refused" refused 2 'give either --nodes' headcount submit configs/quick.yaml --nodes 2 --array 2
check "--agent with an array is refused" refused 2 'one job' headcount submit configs/quick.yaml --array 2 --agent x
for array in --array=1-3 --arr=3 -a1-3 -a --array; do
    check "sbatch's own $array is refused" \
        refused 2 'every task would run the whole sweep; use .headcount submit --array N.' headcount submit \
        configs/quick.yaml -- $array 3
done
for own in --job-name=mine --job-n=mine -Jmine '-J mine' '--job-name mine'; do
    check "sbatch's own $own is refused" \
        refused 2 'sbatch.s --job-name cannot be given, because headcount uses it to find its own jobs; .*--set name=NAME' \
        headcount submit configs/quick.yaml -- $own
done
check "sbatch's own --comment is refused" \
    refused 2 'sbatch.s --comment cannot be given, because headcount uses it to find its own jobs; leave' headcount submit \
    configs/quick.yaml --array 2 --merge-options --com=mine
for array in 0 -1 x 3%0 3% 3%x %2 3%2x 1000001 99999999999999999999 ''; do
    check "--array '$array' is refused" \
        refused 2 "--array is '$array'; allowed: a whole number from 1 to 1000000, and perhaps how many at a time" headcount \
        submit configs/quick.yaml --array "$array"
done
check "more shards than there are trials are told" \
    says 'note: 4,994 of the 5,000 shards have nothing to run, because .* into 6 at most; --array 6 is enough$' \
    headcount submit configs/quick.yaml --array 5000 -n
check "... with tune, more than there are head counts" says 'note: 1 of the 4 shards has nothing .* into 3 at most' \
    headcount submit configs/quick.yaml --array 4 -n --set "tune=[train.lr]" --set "train.lr=[1e-3, 1e-2]"
check "... and no fewer" fails says 'nothing to run' headcount submit configs/quick.yaml --array 6 -n
check "--nodes 0 is refused" refused 2 '--nodes is .0.' headcount submit configs/quick.yaml --nodes 0
sed 's/^seeds:.*/looks: [2, 4]/' configs/quick.yaml >looks.yaml
headcount run configs/quick.yaml --set seeds=1 --set train.steps=20 --db here.db -q >out 2>&1
cp here.db here-2-of-2.db
stranger="configs/quick.yaml --set seeds=1 --set train.steps=30"
check "a results file with another sweep of that name is refused" \
    refused 2 'already holds a different sweep .quick. .no points in common.; use' headcount submit $stranger --db here.db
check "... unless that is to be replaced" headcount submit -n $stranger --db here.db --replace
check "... and for an array even then, as its shards could not be merged into it" \
    refused 2 'could not be merged into it' headcount submit $stranger --db here.db --array 2 --replace
mv here.db away.db
check "a shard's file with another sweep of that name is refused" refused 2 'here-2-of-2.db already holds' headcount submit $stranger --db here.db --array 2
check "... unless that is to be replaced" headcount submit -n $stranger --db here.db --array 2 --replace
echo text >text.db
check "a file that is no results file is refused" refused 2 'text.db is not a results file' headcount submit configs/quick.yaml --db text.db
check "an array of a sweep with looks is refused" refused 2 'use --nodes' headcount submit looks.yaml --array 2
check "... but a job on nodes is not" headcount submit -n looks.yaml --nodes 2
check "nothing that is refused is submitted" [ "$(last_job)" = "$before" ]
check "an array of one shard is submitted" \
    says '^Submitted job [0-9]*: 6 trials in 1 shard$' headcount submit configs/quick.yaml --array 1 --db one.db
: >"$JOBS/refuses"
check "a job that Slurm refuses ends submit with status 3" \
    refused 3 'sbatch refused the job; see its message above' headcount submit configs/quick.yaml
check "... and Slurm's own words" grep -q '^sbatch: error: Batch job' out
rm "$JOBS/refuses" bin/sbatch
if ! command -v sbatch >/dev/null; then
    check "submit without sbatch is refused" refused 3 'no sbatch in PATH' headcount submit configs/quick.yaml
fi
check "submit -n works without sbatch" headcount submit configs/quick.yaml -n
finish
