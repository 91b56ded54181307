#!/bin/sh
# What the job's script of headcount submit carries: the sweep file as it was, and lines before the program. Without
# Slurm. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/submit.sh
array= task=

# ---- the sweep file as it was ----

mkdir away
tr 'a-z' 'b-za' <"$headcount" | head -c 4000 >away/letters.bin
cat >away/its.yaml <<'Y'
task: {name: text, file: letters.bin, length: 8}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, mask: causal}
train: {steps: 4, batch: 4, lr: 3e-3, eval_every: 4, val_examples: 4, test_examples: 4}
Y
recorded() { # results file, what it is to say of its sweep
    sqlite3 "$1" "SELECT name, yaml, yaml_sha256, overrides, path, config_id, seed
        FROM sweep, data_file, trial" >recorded
    cmp recorded "$2"
}
mkdir here
(cd here && headcount run ../away/its.yaml --set seeds=1 --db local.db -q) >out 2>&1
: >local
recorded here/local.db local >out 2>&1
mv recorded local
submitted() { # sweep file, as a shell has it: submits it as an array of one, from the folder here/
    (cd here && headcount submit "$1" --set seeds=1 --array 1 --db its.db) >out 2>&1 && job=$(($(last_job) - 1))
}
starts() { # words...: what the job says has one of them
    says "$@" env SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 SLURM_CPUS_ON_NODE=1 sh "$JOBS/$job.sh"
}
check "a sweep file is submitted" submitted ../away/its.yaml
sed -i 's/2/4/' away/its.yaml
check "... and runs as it was, although it is edited since" starts '^Task text[.] '
check "... and its record in the results file is that of a run here" recorded here/its-1-of-1.db local
rm away/its.yaml
check "a job that comes back runs without the sweep file" starts 'nothing to run: all 2 trials have ended'
rm away/letters.bin
check "... and its messages name it" starts "^headcount run: $dir/here/../away/its.yaml:1:26: .*away/letters.bin"
cp configs/quick.yaml ./-
sed -i '1i name: dash' ./-
check "a sweep file called - is submitted" says '^Submitted job' headcount submit ./- --array 1 --db dash.db
check "... and not taken for standard input" grep -qF -e "--as $dir/- - <<" "$JOBS/$(($(last_job) - 1)).sh"
check "a sweep on standard input is submitted" sh -c 'headcount submit - --array 1 --db dash.db <./-'
check "... and stands in the job's script" sh -c 'grep -q -e "SLURM_CPUS_ON_NODE\" - <<" "$1" && grep -qx "name: dash" "$1"' - \
    "$JOBS/$(($(last_job) - 1)).sh"

# ---- lines before the program ----

array=5 task=1
# A module system, as a function that others export; a word that would be lost without quotes.
cat >setup.sh <<'E'
# "quotes" and 'quotes'
module() { loaded="$loaded<$1 it's>" && export loaded; }
module load
E
sed -i 's/$/\r/' setup.sh
with_setup() { # words...: submits it with those; $job is the first
    before=$(last_job)
    headcount submit configs/quick.yaml --db lines.db "$@" >out 2>&1 && job=$((before + 1))
}
cat >teller <<'E'
#!/bin/sh
echo "$1: ${loaded-none} ${LAST-} ${PREFIX-}" >>"$JOBS/told"
echo "in $PWD" >>"$JOBS/told"
cat >>"$JOBS/told"
E
chmod +x teller
tells() { # status of the job, what its programs see
    rm -f "$JOBS/told"
    as_job "$job" "$dir/teller" >out 2>&1
    code=$?
    cat "$JOBS/told" >>out 2>/dev/null
    [ $code -eq "$1" ] || { echo "status $code"; cat out; return 1; }
    grep -Eq -e "$2" out || { echo "no /$2/ in:"; cat out; return 1; }
}
check "lines of a file and on the command line are taken" \
    with_setup --setup setup.sh --setup-line 'module "more"' --setup-line 'env PREFIX=here \'
check "... and shown by -n" \
    same_as_shown $job configs/quick.yaml --db lines.db --setup setup.sh --setup-line 'module "more"' \
    --setup-line 'env PREFIX=here \'
check "... and read by bash" [ "$(head -n 1 "$JOBS/$job.sh")" = "#!/bin/bash" ]
check "... and the run sees what they set" tells 0 "^run: <load it's><more it's>  here"
check "... and its sweep file" grep -qx "seeds: 2" "$JOBS/told"
# In the place of headcount a program that keeps how its agents are called.
printf '#!/bin/sh\nwhile [ "$1" != --agent ]; do shift; done; printf "%%s\\n" "$2" >"$JOBS/agent"\n' \
    >agents && chmod +x agents
answers() { # job, what its agents see, words that are handed to a second shell; they get their standard input whole
    sed "s# $headcount run # $dir/agents #" "$JOBS/$1.sh" >job.sh && bash job.sh </dev/null >out 2>&1
    sed "s#$headcount#$dir/teller#" "$JOBS/agent" >agent.sh
    [ "$3" ] && (eval "set -- $(cat agent.sh)" && printf '%s\n' "$*" >over_there) && cp over_there agent.sh
    rm -f "$JOBS/told"
    echo "from the coordinator" | sh agent.sh >out 2>&1
    grep -Eq -e "$2" "$JOBS/told" && grep -qx "from the coordinator" "$JOBS/told" ||
        { cat out agent.sh "$JOBS/told"; return 1; }
}
check "... and so does an agent" answers $job "^agent: <load it's><more it's>  here"
signalled_job=$job
sed -i '/^env PREFIX/d' "$JOBS/$job.sh"
check "a signal reaches the run behind such lines" signalled USR1
check "... once" [ "$(cat "$JOBS/signals")" = USR1 ]
check "SIGTERM does not end a script with such lines" signalled TERM USR1 TERM
check "an agent in the user's words is taken" \
    with_setup --setup-line cat --setup-line "module() { loaded=\$1; export loaded; }; module x" \
    --agent "$headcount agent"
check "... and what it is told is not read by the lines" answers $job "^agent: x"
check "an array with such lines is submitted" \
    with_setup --array 2 --setup setup.sh --setup-line 'LAST="$# $*"; export LAST; set -- x; IFS=x' \
    --setup-line 'env PREFIX=y \'
check "... and its tasks see what they set" tells 0 "^run: <load it's> 0  y"
: >lines-1-of-2.db
: >lines-2-of-2.db
job=$((job + 1))
check "... and so does its merge" tells 0 "^merge: <load it's> 0  y"
check "... and so does the report" grep -q "^report: <load it's> 0  y" "$JOBS/told"
check "the merge behind such lines takes both files" \
    sh -c "grep -c '^lines-[12]-of-2.db$' '$JOBS/words' | grep -qx 2" "$(as_job "$job" "$dir/keeper")"
rm lines-*.db
ends_as() { # status of run or merge, and of its job
    echo "$1" >"$JOBS/status"
    as_job "$job" "$dir/ender" >out 2>&1
    code=$?
    [ $code -eq "$1" ] || { echo "status $code"; cat out; return 1; }
}
echo RUNNING >"$JOBS/state"
rm -f "$JOBS/requeued" "$JOBS/signal"
array= task=
check "lines with set -eu are taken" with_setup --setup-line "set -eu"
check "... and a run that succeeds ends its job with status 0" ends_as 0
check "... and one that fails with its own status" ends_as 2
check "... and one that finds the results file in use with status 4" ends_as 4
check "... after which its job goes back into the queue" grep -qx "requeue 7" "$JOBS/requeued"
signalled_job=$job
check "... as does the job of a run that is stopped" signalled USR1
with_setup --array 1 --setup-line "set -eu"
job=$((job + 1))
: >lines-1-of-1.db
check "a merge that fails behind set -eu ends its job with its own status" ends_as 3
check "... and so does one that finds the results file in use" ends_as 4
rm lines-1-of-1.db
check "lines that change the folder are taken" with_setup --setup-line "cd /"
check "... and the program runs in its own folder" tells 0 "^in $(pwd -P)$"
with_setup --setup-line "echo over; exit 3"
check "lines that exit end the job with their status" tells 3 over
check "... and nothing is run" [ ! -e "$JOBS/told" ]
with_setup --setup-line "set -e" --setup-line "no_such_module load x"
check "lines that fail under set -e end the job with their status" tells 127 'no_such_module: command not found'
check "... and nothing is run" [ ! -e "$JOBS/told" ]
check "a launcher is taken with lines" \
    with_setup --nodes 2 --launch 'ssh -x {host}' --setup-line "module() { loaded=\"it's\"; export loaded; }; module"
check "... and handed to the run" grep -Fq -e "--launch 'ssh -x {host}' --agent " "$JOBS/$job.sh"
check "... and its agents see what the lines set over there" answers $job "^agent: it's" twice

# ---- what is refused ----

before=$(last_job)
check "--setup with a missing file is refused" \
    refused 2 '^headcount submit: --setup: none.sh: No such file' headcount submit configs/quick.yaml --setup none.sh
check "--setup with a folder is refused" refused 2 'configs' headcount submit configs/quick.yaml --setup configs
printf 'a\0b' >nul.sh
check "--setup with a NUL byte is refused" refused 2 'nul.sh has a NUL byte' headcount submit configs/quick.yaml --setup nul.sh
check "lines that bash cannot read are refused" \
    refused 2 'bash cannot read these lines' headcount submit configs/quick.yaml --setup-line "echo 'x"
check "... in bash's words" grep -q "unexpected EOF while looking for matching" out
check "lines that would swallow the program are refused" \
    refused 2 'bash cannot read these lines' headcount submit configs/quick.yaml --setup-line 'cat <<X'
check "too many lines are refused" \
    refused 2 'the lines have 20001 bytes, and a job carries at most 16384; keep them in a file' headcount submit \
    configs/quick.yaml --setup-line "$(printf '%20000s' :)"
check "a launcher without {host} is refused" \
    refused 2 "put {host}, which stands for the name of each host, into 'ssh'" headcount submit configs/quick.yaml --launch ssh
check "a launcher for an array is refused" \
    refused 2 'for the machines of one job' headcount submit configs/quick.yaml --array 2 --launch 'ssh {host}'
check "an agent for an array is refused" \
    refused 2 'for the machines of one job' headcount submit configs/quick.yaml --array 2 --agent x
check "nothing that is refused is submitted" [ "$(last_job)" = "$before" ]
finish
