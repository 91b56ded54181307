# What tests of `headcount submit` without Slurm share: sbatch, squeue and scontrol as scripts, and what a job
# would be given. Sourced behind tap.sh.
settle

# sbatch keeps its words, one a line, and its script; jobs count from 41. It refuses those with a word
# like that in $JOBS/refuses, and waits for one that ends with the status in $JOBS/ends.
cat >bin/sbatch <<'E'
#!/bin/sh
n=$(($(cat "$JOBS/last" 2>/dev/null || echo 40) + 1))
printf '%s\n' "$@" >"$JOBS/$n.words"
cat >"$JOBS/$n.sh"
[ ! -e "$JOBS/refuses" ] || ! grep -q -e "$(cat "$JOBS/refuses")" "$JOBS/$n.words" ||
    { echo "sbatch: error: Batch job submission failed" >&2; exit 1; }
echo "$n" >"$JOBS/last"
echo "$n;cluster"
case " $* " in *" --wait "*) exit "$(cat "$JOBS/ends")" ;; esac
E
# To a job's script its own state, to headcount the queue.
cat >bin/squeue <<'E'
#!/bin/sh
case "$*" in
*-j*)
    task=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}
    [ "$*" != "-h -t all -o %T -j $task" ] || cat "$JOBS/state"
    ;;
*) cat "$JOBS/queue" 2>/dev/null; [ ! -e "$JOBS/mute" ] ;;
esac
E
# scontrol keeps what it is asked for, and refuses what has the word in $JOBS/unwilling.
cat >bin/scontrol <<'E'
#!/bin/sh
echo "$*" >>"$JOBS/requeued"
[ ! -e "$JOBS/unwilling" ] || ! echo "$*" | grep -q -f "$JOBS/unwilling"
E
chmod +x bin/*
JOBS=$dir/jobs
export JOBS
mkdir "$JOBS"
words() { # job, words...: sbatch got these, in this order, perhaps with others between
    sed 's/^/ /; s/$/ /' "$JOBS/$1.words" >"$dir/words"
    shift
    for word; do
        grep -Fqx -e " $word " "$dir/words" || { echo "no $word in:"; cat "$dir/words"; return 1; }
    done
}
says() { # pattern, command...
    pattern=$1
    shift
    "$@" >out 2>&1
    code=$?
    grep -Eq -e "$pattern" out || { echo "status $code, no /$pattern/ in:"; cat out; return 1; }
}
refused() { # status, pattern, command...
    wanted=$1
    shift
    says "$@" && [ $code -eq "$wanted" ] || { echo "status $code"; return 1; }
}
same_as_shown() { # job, arguments...
    job=$1
    shift
    headcount submit -n "$@" >shown 2>&1 || { cat shown; return 1; }
    last=$(cat "$JOBS/last")
    sh shown >out 2>&1 || { cat out; return 1; }
    cmp "$JOBS/$job.sh" "$JOBS/$((last + 1)).sh" || return 1
    for side in "$job" $((last + 1)); do
        grep -vx -e --parsable "$JOBS/$side.words" >"$dir/words.$side"
    done
    cmp "$dir/words.$job" "$dir/words.$((last + 1))"
}
last_job() { cat "$JOBS/last"; }

# A program in the place of headcount keeps the words that it is given.
printf '#!/bin/sh\npwd >"$JOBS/pwd"; printf "%%s\\n" "$@" >>"$JOBS/words"; cat >"$JOBS/stdin"\n' \
    >keeper && chmod +x keeper
array=5 task=1
as_job() { # job, program: runs the script with this in the place of headcount
    sed "s#\(^\| \)$headcount #\1$2 #" "$JOBS/$1.sh" >job.sh && chmod +x job.sh
    rm -f "$JOBS/words"
    SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=$array SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=2 ./job.sh </dev/null
}
# A run that ends with this status, after its job has got this signal and waits again: bash loses the status of what
# ends while it obeys a signal.
cat >ender <<'E'
#!/bin/sh
trap '' USR1
waits() { grep -q '^State:.S' "/proc/$PPID/status" && ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$PPID/status"; }
if [ -e "$JOBS/signal" ]; then
    until waits; do sleep .01; done
    kill "-$(cat "$JOBS/signal")" "$PPID"
    until waits; do sleep .01; done
fi
exit "$(cat "$JOBS/status")"
E
chmod +x ender
# A run that tells of its signals and needs a moment to end.
cat >listener <<'E'
#!/bin/sh
trap 'echo USR1 >>"$JOBS/signals"; sleep .3; exit 75' USR1
trap 'echo TERM >>"$JOBS/signals"' TERM
: >"$JOBS/listens"
n=0; while [ $((n += 1)) -lt 12000 ]; do sleep .05; done
E
chmod +x listener
signalled_job=41
sleeps() { # process
    grep -q '^State:.S' "/proc/$1/status"
}
signalled() { # signals to the script...; what its run heard in $JOBS/signals
    rm -f "$JOBS/listens" "$JOBS/signals" "$JOBS/requeued"
    echo RUNNING >"$JOBS/state"
    sed "s#\(^\| \)$headcount #\1$dir/listener #; s/^cd .*/cd ./" "$JOBS/$signalled_job.sh" >job.sh && chmod +x job.sh
    SLURM_JOB_ID=7 ./job.sh &
    pid=$!
    wait_until test -e "$JOBS/listens"
    for signal; do
        wait_until sleeps "$pid" # bash hears a signal that comes just before its wait only when the wait has ended
        kill "-$signal" "$pid"
    done
    wait "$pid"
    code=$?
    pid=
    [ $code -eq 75 ] && grep -q requeue "$JOBS/requeued"
}
