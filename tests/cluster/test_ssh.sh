#!/bin/sh
# A sweep on two hosts by ssh, which are this machine under two names: what they say before the agent
# does, what they lack, what dies in between. Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short:
# a sample. Run from the repository's root.
. tests/cluster/bed.sh
can_ssh || skip_all "a sweep over ssh outlives what happens to its hosts" "sshd and ssh"
ssh_up || skip_all "a sweep over ssh outlives what happens to its hosts" "a machine on which sshd starts: $(tail -n 2 "$bed/ssh/log" 2>&1 | tr '\n' ' ')"
. tests/cluster/sweep.sh
db=$dir/ssh.db

# What becomes of the commands that come to host b.
on_b() { # lines of the shell
    printf '#!/bin/sh\nif [ "$BED_HOST" = b ]; then\n%s\nfi\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n' \
        "$1" >"$bed/login.new"
    chmod 755 "$bed/login.new"
    mv "$bed/login.new" "$bed/login"
}
ends() { # label, status
    await "$1" "$pid"
    pid=
    [ "$code" = "$2" ] || trouble "$1: status $code: $(tail -n 5 "$dir/run.out")"
    agents_gone "$1"
}
survives() { # label, what the run says, command... in the middle of a sweep on both hosts
    survives_label=$1 pattern=$2
    shift 2
    fresh "$db"
    on_hosts "$db" a:2,b:2
    await_middle "$survives_label" "$db"
    "$@" || trouble "$survives_label: $* failed"
    ends "$survives_label" 0
    complete "$survives_label" "$db"
    says "$survives_label" "$pattern" "$dir/run.out"
    verdict "$survives_label"
}
told() { # pattern: the run says so, while the workers wait, as it might be over before
    wait_until agent_at_work
    held=$(bed_pids "$worker")
    kill -STOP $held 2>/dev/null
    wait_long grep -Eq -- "$1" "$dir/run.out"
    told_status=$?
    kill -CONT $held 2>/dev/null
    return $told_status
}
again=' is tried again in ' refused=' is not used any more: '

survives "a sweep on two hosts completes" '^4 trials at once on 2 machines: a 2, b 2$' true

plain_headcount=$headcount plain_agent=$agent plain_worker=$worker
mkdir "$dir/it's a folder"
headcount="$dir/it's a folder/headcount" agent='^/.*/headcount agent' worker='^[^-]*headcount worker'
cp "$plain_headcount" "$headcount"
survives "a program in a folder with a space and a quote runs on hosts" '^4 trials at once on 2 machines: a 2, b 2$' true
headcount=$plain_headcount agent=$plain_agent worker=$plain_worker

# ---- what a host says and lacks ----

on_b 'i=0; while [ $((i += 1)) -le 60 ]; do echo "Welcome to b, $i of 60: $(printf "\211headcount agents")"; done'
survives "a host that greets at length before the agent speaks is used" '^4 trials at once on 2 machines: a 2, b 2$' true
hosts_worked "a host that greets" "$db" 2
verdict "... and completes trials like the other"

other=$dir/other-headcount
sources=$("$headcount" --version | sed -n 's/^sources *//p')
LC_ALL=C sed "s/$sources/$(printf %064d 0)/g" "$headcount" >"$other" && chmod 755 "$other"
"$other" --version | grep -q '^sources *0000000' || trouble "a program of other sources could not be made"
on_b "SSH_ORIGINAL_COMMAND=\"$other agent\""
survives "a host with another program is refused by name, and the other finishes" \
    "^b${refused}it runs another program: its sources are 000000000000 .*, ours $(echo "$sources" | head -c 12);" true

if unshare -m true 2>/dev/null; then
    on_b "exec unshare -m sh -c 'mount -t tmpfs none \"$db.d\" && exec sh -c \"\$SSH_ORIGINAL_COMMAND\"'"
    blind="^b${refused}it does not see the results folder.*ssh\.db\.d"
    survives "a host that does not see the folder is refused by name, and the other finishes" "$blind" told "$blind"
else
    skip "a host that does not see the folder is refused by name, and the other finishes" "a mount namespace"
fi

on_b 'echo "b: no home" >&2; exit 1'
long && survives "the other host finishes where one ends at once" "^b$again.*no home" true
fresh "$db"
export HEADCOUNT_PAUSE_S=.1
on_hosts "$db" b:2
ends "no host left" 2
unset HEADCOUNT_PAUSE_S
says "no host left" "no machine is left to work on: b: .*no home" "$dir/run.out"
verdict "a run without a host left ends with status 2 and that host's words"
on_b :

# ---- what dies ----

survives "a sweep outlives kill -9 of an agent" "$again" agent_killed
if long; then
    survives "a sweep outlives kill -9 of an ssh" "^b$again" all_killed '^ssh .* b '
    line_dead() { # for so many seconds: the server's end of a connection says nothing any more
        line=$(sessions | tail -n 1)
        [ -n "$line" ] && kill -STOP "$line" && sleep "$1" && kill -CONT "$line"
    }
    HEADCOUNT_HOST_S=3
    silent="$again.*(silent|reported nothing of a worker) for 3 s"
    survives "a sweep outlives a connection that is dead for a while" "$silent" line_dead 8
    survives "a sweep outlives an agent stopped for longer than its patience" "$silent" agent_stopped 8
    HEADCOUNT_HOST_S=20
fi
fresh "$db"
on_hosts "$db" a:2,b:2
await_middle "a killed coordinator" "$db"
kill -KILL "$pid"
ends "a killed coordinator" 137
on_hosts "$db" a:2,b:2
ends "a killed coordinator, again" 0
complete "a killed coordinator" "$db"
verdict "agents end with a killed coordinator, and the same command goes on"
finish
