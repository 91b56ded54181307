#!/bin/sh
# headcount status of shards that lie beside the results file: their sum, what each is at, jobs of Slurm that
# wait, with squeue as a script; which of it is said when all is merged. With Slurm: cluster/test_submit.sh.
# Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
cat >s.yaml <<'Y'
name: s
task: {name: copy, length: 4, vocab: 4}
model: {d_model: 8, heads: [1, 2, 4, 8], d_ff: 8}
train: {steps: 20, batch: 4, lr: 1e-2, eval_every: 10}
seeds: 3
Y
sed 's/^name: s/name: other/' s.yaml >other.yaml

# squeue prints $dir/queue; without that file it fails.
printf '%s\n' '#!/bin/sh' "exec cat '$dir/queue'" >bin/squeue
chmod +x bin/squeue
queued() { # jobs as ID STATE REASON NAME [SHARDS]; ID: 17 or 17_2
    : >queue
    for job; do
        set -- $job
        task=N/A
        case $1 in *_*) task=${1#*_} ;; esac
        echo "$1|${1%_*}|$task|$2|$3|$4|headcount $dir/x.db${5:+ ($5 shards)}" >>queue
    done
}
says() { # pattern, arguments of status...
    pattern=$1
    shift
    headcount status --db x.db "$@" >out 2>err </dev/null
    code=$?
    [ $code -eq 0 ] && [ ! -s err ] && tr '\n' ' ' <out | sed 's/  */ /g' | grep -Eq -e "$pattern" ||
        { echo "status $code, no /$pattern/ in:"; cat out err; return 1; }
}
says_not() { # pattern
    headcount status --db x.db >out 2>&1
    ! grep -Eq -e "$1" out || { cat out; return 1; }
}
json() { # expression of SQL on the first row of status --json, `value`, and how many there are, `n`
    headcount status --db x.db --json >out 2>err || return
    [ "$(sqlite3 :memory: "SELECT $1 FROM (SELECT value, count(*) OVER () AS n
        FROM json_each(readfile('out'))) LIMIT 1")" = 1 ] ||
        { cat out; return 1; }
}
shard() { # number, of, file of the sweep
    headcount run "${3:-s.yaml}" --shard "$1/$2" --db "x-$1-of-$2.db" -q >said 2>&1 ||
        trouble "shard $1/$2: $(cat said)"
}
refused() { # pattern, command...
    pattern=$1
    shift
    "$@" >out 2>&1
    code=$?
    [ $code -eq 2 ] && tr '\n' ' ' <out | grep -Eq -e "$pattern" || { echo "status $code"; cat out; return 1; }
}
host=$(hostname)

# ---- before there is a file ----

check "status without a file and without a job is refused" refused 'there is no results file x.db \(`headcount run` makes it' headcount status --db x.db
queued "17 PENDING Resources s"
check "status tells of a waiting job that will make the file" says '^x.db is not there yet. s: job 17 waits \(Resources\). $'
check "... also in JSON" \
    json "n = 1 AND value ->> 'sweep' IS NULL AND value ->> '$.jobs[0].job' = '17'
        AND value ->> '$.jobs[0].reason' = 'Resources'"
queued "17 RUNNING None s"
check "... of one that has just begun" says '^x.db is not there yet. s: job 17 has begun. $'
exec 8>x.db.lock
flock 8
check "... and of one that holds the lock already" says '^x.db is not there yet. s: job 17 has begun. $'
exec 8>&-
rm -f x.db.lock
queued "17_1 PENDING Priority s 3" "17_2 PENDING Priority s 3" "17_3 PENDING Dependency s 3" \
    "18 PENDING Dependency s-merge"
merges='s: job 18 merges the shards when they have ended \(Dependency\). '
check "status tells why the shards of an array wait" \
    says "s: all 3 shards wait \(job 17: Priority 2, Dependency 1\). $merges\$"
queued "17_1 PENDING Priority s 1"
check "... also in an array of one shard" says 's: the only shard waits \(job 17: Priority\). $'
echo "17|17|N/A|PENDING|Resources|s|headcount $dir/xx.db" >queue
check "jobs of another results file are not told" refused 'there is no results file x.db' headcount status --db x.db
printf '17|17|N/A|PENDING|Res\033[2J|s\033]0;x|headcount %s/x.db\n' "$dir" >queue
harmless "what Slurm says" status --db x.db
verdict "a terminal obeys nothing of what Slurm says"

# ---- shards by hand: nobody knows of a queue ----

rm queue
shard 1 3
check "status counts a shard that has ended" \
    says '^sweep .* s 4/12 0 8 0 0 0 unknown 20.* s: of 3 shards 1 has ended, 2 have not begun \(shards 2 and 3\). $'
check "... also in JSON" \
    json "value ->> 'planned' = 12 AND value ->> 'completed' = 4 AND value ->> '$.shard_states[0].state' = 'ended'
        AND value ->> '$.shard_states[2].state' = 'not_begun' AND json_array_length(value, '$.jobs') = 0"
check "report without a merged file names status and merge" \
    refused "there is no results file x.db yet, but 1 file of its shards \(x-1-of-3.db\): \`headcount status\` \
sums them, \`headcount merge --into\` makes it" headcount report --db x.db
check "show says as well that there is no results file yet" refused 'no results file x.db yet' headcount show --db x.db
env $(pausing held start 3) headcount run s.yaml --shard 2/3 --db x-2-of-3.db -j 1 -q >said 2>&1 &
pid=$!
wait_until pauses $pid || trouble "no worker pauses: $(cat said)"
verdict "a shard is held while it runs"
check "status names a shard that runs, and its host" \
    says "^sweep .* s 6/12 1 5 .* s: of 3 shards 1 runs \(shard 2 on $host\), 1 has ended, 1 has not begun \
\(shard 3\). running of shard .* 2/3 s "
check "... also in JSON" \
    json "value ->> 'running' = 1 AND value ->> '$.shard_states[1].state' = 'runs'
        AND value ->> '$.shard_states[1].trials_left' = 2
        AND value ->> '$.shard_states[1].holder' LIKE 'process $pid on $host%'"
queued "17_2 RUNNING None s 3" "17_3 PENDING JobArrayTaskLimit s 3" "18 PENDING Dependency s-merge"
check "... as a task of Slurm where it is one" \
    says "s: of 3 shards 1 runs \(17_2 on $host\), 1 waits \(job 17: JobArrayTaskLimit\), 1 has ended. \
${merges}running "
cp x-1-of-3.db copy.db
headcount merge --into x.db x-1-of-3.db -q
check "trials that are merged already count once" \
    says "^sweep .* s 6/12 1 5 .* s: of 3 shards 1 runs \(17_2 on $host\), 1 waits .*, 1 has ended. "
rm -rf x.db*

kill -KILL $pid
kill -KILL $held
wait $pid 2>/dev/null
pid=
check "a run that was cut off is told" says "s: of 3 shards 1 runs \(17_2\), 1 waits"

# ---- left alone ----

rm queue
check "status names a shard that nobody works on" \
    says "^sweep .* s 6/12 0 6 .* s: of 3 shards 1 has ended, 1 has not begun \(shard 3\), 1 stopped before its end \
\(shard 2, 2 trials left: nobody works on it\). \$"
queued
check "... as lost where it is not in the queue either" \
    says "s: of 3 shards 1 has ended, 2 are lost \(shards 2 and 3: nobody works on them, and they are not in the \
queue; the same submit goes on\). \$"
queued "17_2 PENDING BeginTime s 3" "17_3 PENDING Resources s 3"
check "... and as waiting where it is" says 's: of 3 shards 2 wait \(job 17: BeginTime 1, Resources 1\), 1 has ended. $'
queued "17_3 RUNNING None s 3"
check "a shard that is about to begin counts as running" \
    says "s: of 3 shards 1 runs \(17_3\), 1 has ended, 1 is lost \(shard 2, 2 trials left: nobody works on it, and it \
is not in the queue; the same submit goes on\). \$"
queued "19 PENDING Priority s"
check "status tells of another job that does what is left" says ' s: job 19 waits \(Priority\). $'
check "... and calls nothing lost then" says_not lost
printf '%s\n' '#!/bin/sh' 'kill -STOP $$' >bin/squeue
check "status does without a squeue that does not answer" timeout 300 sh -c 'headcount status --db x.db >out 2>&1 &&
    grep -q "stopped before its end" out && ! grep -q squeue out'
printf '%s\n' '#!/bin/sh' 'echo "squeue: error: no controller" >&2' 'exit 1' >bin/squeue
check "... and without one that fails" says 'stopped before its end'
printf '%s\n' '#!/bin/sh' "cat '$dir/queue'" >bin/squeue

# ---- other files ----

echo text >x-1-of-9.db
sqlite3 x-2-of-9.db "CREATE TABLE t (x)"
cp copy.db x-3-of-9.db && sqlite3 x-3-of-9.db "PRAGMA ignore_check_constraints = 1; UPDATE trial
    SET seed = -1 WHERE trial_id = 1"
mkdir x-4-of-9.db
queued
check "files beside it that are no results files are named" \
    says "s 6/12 0 6 .*Passed over: x-1-of-9.db is not a results file.*Passed over: x-2-of-9.db is an SQLite database \
of another program"
check "... and so is one with impossible rows" says 'Passed over: x-3-of-9.db has a row'
check "... and nothing of them counts" \
    json "value ->> 'completed' = 6 AND json_array_length(value, '$.shard_states') = 3"
rm -rf x-?-of-9.db*
shard 1 2 other.yaml
check "shards of another sweep are summed apart" \
    says "other 6/12 0 6 .* s 6/12 0 6 .* other: of 2 shards 1 has ended, 1 is lost \(shard 2: .* s: of 3 shards \
1 has ended, 2 are lost"
rm -rf x-1-of-2.db*

headcount run s.yaml --set train.steps=30 --shard 3/3 --db x-3-of-3.db -q >said 2>&1 ||
    trouble "an edited sweep: $(cat said)"
check "after an edit, shards of the plan before count as lost" \
    says 's 4/12 0 8 .* s: of 3 shards 1 has ended, 2 are lost \(shards 1 and 2: '
rm -rf x-3-of-3.db*

# ---- an array with another number of shards ----

shard 1 2
both=$(sqlite3 x-1-of-2.db "ATTACH 'x-1-of-3.db' AS a; ATTACH 'x-2-of-3.db' AS b;
    SELECT count(*) FROM (SELECT config_sha256, seed FROM main.trial JOIN main.config USING (config_id)
        WHERE state = 'completed'
    UNION SELECT config_sha256, seed FROM a.trial JOIN a.config USING (config_id) WHERE state = 'completed'
    UNION SELECT config_sha256, seed FROM b.trial JOIN b.config USING (config_id) WHERE state = 'completed')")
check "a trial that two arrays have counts once" json "value ->> 'completed' = ${both:-0}"
check "... and status tells of the last array" says 's: of 2 shards 1 has ended, 1 is lost'
queued "21_3 PENDING Resources s 3"
check "... or of the one in the queue, with what both have done" \
    says 's: of 3 shards 1 waits \(job 21: Resources\), 2 have ended. $'

# ---- all is merged ----

queued
shard 2 3
shard 3 3
check "status says when all shards have ended" says 's 12/12 0 0 0 0 0 - .* s: all [23] shards have ended. $'
headcount merge --into x.db x-?-of-?.db -q
check "once all is merged status says nothing more of shards" says_not shard
mkdir alone && cp x.db alone
check "... its table is that of the file alone" \
    sh -c "headcount status --db x.db >with; headcount status --db alone/x.db >without; cmp with without"
check "... also in JSON" json "value ->> 'shard_states' IS NULL AND value ->> 'completed' = 12"
finish
