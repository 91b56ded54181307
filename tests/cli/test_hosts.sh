#!/bin/sh
# Trials on other machines: run --launch, headcount agent; what one that is broken does to the others:
# test_bad_hosts.sh, test_failing_hosts.sh, test_host_deadlines.sh. Slurm and ssh themselves: tests/cluster. Speaks
# TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/hosts.sh

# ---- without faults ----

both_stand() { # host, host: each has a trial
    wait_beside "$pid" stands "$1" && wait_beside "$pid" stands "$2"
}
pause a start 1
pause b start 1
run two --launch "$there" --hosts a:1,b:2
both_stand a b
go_on a
go_on b
check "two hosts do it" ended_with 0
check "... to the same bytes" as_here two
check "... it says who works" says "^3 trials at once on 2 machines: .* 1, .* 2$"
check "... attempts know their host" rows_say two "SELECT count(DISTINCT host) FROM attempt WHERE host IN ('a', 'b')" 2
check "... the proof is gone" sh -c '! ls two.db.d/*proof*'
no_pauses
pause any start 1
run many --launch "$there" --hosts "$(seq -s , -f 'n%g:1' 18)"
wait_beside "$pid" says "^18 trials at once on 18 machines: "
wait_beside "$pid" stands any
go_on any
no_pauses
check "eighteen hosts do it" ended_with 0
check "... of which it names some" says "^18 trials at once on 18 machines: .* and 2 more$"
run many --replace -q --launch "$there" --hosts a,b --set seeds=4
check "with -q two hosts do it" ended_with 0
check "... and it does not say who works" sh -c '! grep "at once" many.out'
rm -f a.pid
run two --launch "$there" --hosts a:1,b:2
check "again: nothing to do" ended_with 0
check "... and no agent is started" [ ! -e a.pid ]

# Within an allocation of Slurm, of which scontrol names the nodes.
printf '#!/bin/sh\nprintf "n1\\nn2\\n"\n' >bin/scontrol && chmod +x bin/scontrol
export SLURM_JOB_NODELIST='n[1-2]' SLURM_JOB_CPUS_PER_NODE='1(x2)'
run nodes --launch "$there"
check "another launcher takes the nodes of the allocation" ended_with 0
check "... and their cores" says "^2 trials at once on 2 machines: n1 1, n2 1$"
check "... to the same bytes" as_here nodes
unset SLURM_JOB_NODELIST SLURM_JOB_CPUS_PER_NODE
rm bin/scontrol

# What ssh does with its words: a shell reads what they come to together.
mkdir "ssh's folder" "it's \$(touch hacked) a\"b"
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >"ssh's folder/ssh"
chmod +x "ssh's folder/ssh"
odd="$PWD/it's \$(touch hacked) a\"b/headcount"
cp "$headcount" "$odd"
check "an odd path of the program" "$odd" run sweep.yaml --db odd.db -q --launch "$there" --hosts a:1
check "... where the launcher hands it to a shell" \
    "$odd" run sweep.yaml --db ssh.db -q --launch "'./ssh'\\''s folder/ssh' {host}" --hosts a:1
check "... to the same bytes" as_here ssh
check "... which nobody obeyed" [ ! -e hacked ]
rm -r "${odd%/*}"

# Machines of different kinds: the last bits are those of the least, where that is wanted.
case $("$headcount" --version) in
*avx*)
    OPENBLAS_CORETYPE=Prescott HEADCOUNT_KERNELS=sse2 headcount run sweep.yaml --db least.db -q >/dev/null 2>&1
    run same --launch "$there" --hosts big:1,little:1,other:1 --same-kernels
    check "unlike machines with the same kernels" ended_with 0
    check "... it says which" says "^all machines compute with Prescott and sse2$"
    check "... one build" rows_say same "SELECT count(DISTINCT build_id) FROM attempt" 1
    headcount export results far --db least.db >least.jsonl
    headcount export results far --db same.db >same.jsonl
    check "... to the bytes of a machine that has only those" cmp least.jsonl same.jsonl
    pause big start 1
    pause little start 1
    run unlike --launch "$there" --hosts big:1,little:1
    both_stand big little
    go_on big
    go_on little
    check "... and without" ended_with 0
    check "... attempts know their machine's kernels" rows_say unlike "SELECT count(*) FROM
        (SELECT DISTINCT host, kernels LIKE 'sse2%' AS least FROM attempt JOIN build USING (build_id))
            WHERE least = (host = 'little')" 2
    reports() { headcount report --db "$1.db" | tr '\n' ' ' |
        grep -o "computed alike, and last bits may differ between these: [0-9] with .*; [0-9] with [^.]*\."; }
    check "... the report says so" reports unlike
    check "... and not where all computed alike" fails reports same
    ;;
*) skip "unlike machines" "a CPU with AVX" ;;
esac

# ---- refusals ----

refused() { # pattern, arguments...
    pattern=$1
    shift
    headcount run sweep.yaml --db no.db "$@" >no.out 2>&1 </dev/null
    code=$?
    [ $code -eq 2 ] && grep -q -e "$pattern" no.out || { echo "status $code"; cat no.out; return 1; }
}
check "hosts without a launcher" refused "need --launch" --hosts a
check "a launcher without hosts" refused "needs --hosts" --launch "$there"
check "a launcher without {host}" refused "put {host}, which stands for the name of each host, into './join'" --launch ./join --hosts a
check "a host twice" refused "a is named twice" --launch "$there" --hosts a,b,a:2
check "a host that is an option" refused "'-x' is not the name of a host" --launch "$there" --hosts a,-x
check "a host that is a command" refused "is not the name of a host" --launch "$there" --hosts 'a;reboot'
check "an empty name" refused "'' is not the name of a host" --launch "$there" --hosts 'a,,b'
check "no trials at once" refused "a number from 1 to 4096" --launch "$there" --hosts a:0
check "agent without a coordinator" sh -c 'headcount agent </dev/null | grep -aq "protocol=5$"'
if has_terminal; then
    check "agent on a terminal" sh -c 'script -qec "headcount agent" /dev/null </dev/null | grep -q "is started by"'
else
    skip "agent on a terminal" "script(1)"
fi
run none --launch "$there" --hosts old,blind,gone,chatter
check "no host that works: status 2" ended_with 2
check "... other sources are told" \
    says \
    "old: it runs another program: its sources are 0123456789ab (headcount .*), ours [0-9a-f]\{12\}; \
build it from the same tree"
check "... the folder" says "blind: it does not see the results folder"
check "... the launcher" says "gone: its launcher ended: .*/nowhere/headcount"
check "... what is no agent" says "chatter: the program started there is not a headcount agent"
check "... and nothing has run" rows_say none "SELECT count(*) FROM attempt" 0

# ---- faults ----

export HEADCOUNT_HOST_S=2
pause a start 1
pause banner start 1
run mixed --launch "$there" --hosts a:1,banner:1,old,blind,terminal,dead,silent,tight:1
both_stand a banner
wait_beside "$pid" says "^silent is tried again"
wait_beside "$pid" says "^tight is tried again"
go_on a
go_on banner
check "hosts that work finish beside those that do not" ended_with 0
check "... to the same bytes" as_here mixed
check "... a banner is no fault" rows_say mixed "SELECT count(*) > 0 FROM attempt WHERE host = 'banner'" 1
check "... a terminal between is named" says "^terminal is not used any more: speaks another protocol, or"
check "... the launcher's last words" says "^dead is tried again in 1 s: its launcher ended: .*no route$"
check "... a host that starts no worker" \
    says "^tight is tried again in 1 s: it cannot start a worker: .*Too many open files$"
check "... silence" says "^silent is tried again in 1 s: no agent spoke within 2 s"

export HEADCOUNT_HOST_S=60
pause a rename 2
pause b rename 2
run killed --launch "$there" --hosts a:1,b:1
both_stand a b
status_says() { headcount status --db killed.db | grep "^far: on 2 machines: a 1, b 1\.$" &&
    headcount status --json --db killed.db | grep '"hosts":{"a":1,"b":1}'; }
check "status says where trials run" wait_beside "$pid" status_says
victim=$(agent a) orphan=$(workers_of "$(agent a)")
kill -KILL "$victim"
go_on b
check "an agent is killed: its worker goes with it" wait_until gone "$orphan"
check "... the sweep ends" ended_with 0
check "... it is told" says "^a is tried again in 1 s: its launcher ended.*; 1 trial goes on elsewhere$"
check "... to the same bytes" as_here killed
check "... from its checkpoint" rows_say killed "SELECT count(*) FROM attempt WHERE outcome = 'requeued'" 1

pause a rename 1
run warned --launch "$there" --hosts a:1,b:1
wait_beside "$pid" stands a
kill -TERM "$(agent a)" # which lets its worker go on, to its end
check "a signal on a host: the sweep ends" ended_with 0
check "... to the same bytes" as_here warned
check "... its worker saved a checkpoint" rows_say warned "SELECT count(*) FROM attempt WHERE exit_code = 75" 1

export HEADCOUNT_HOST_S=1
pause apart rename 2
pause b start 1
run stopped --launch "$there" --hosts apart:1,b:1
both_stand apart b
stopped=$(agent apart)
kill -STOP "$stopped"
wait_beside "$pid" says "^apart is tried again"
wait_beside "$pid" sh -c '[ "$(cat apart.pid)" != '"$stopped"' ]'
go_on b
kill -CONT "$stopped"
check "an agent is stopped and comes back: the sweep ends" ended_with 0
check "... it was taken for lost" \
    says "^apart is tried again in 1 s: has been silent for 1 s; 1 trial goes on elsewhere$"
check "... to the same bytes" as_here stopped
check "... the old agent has ended" wait_until gone "$stopped"

export HEADCOUNT_HOST_S=4
pause apart rename 30 # its 29 checkpoints have their names, its result has not
run late --launch "$there" --hosts apart:1
wait_beside "$pid" stands apart
stopped=$(agent apart)
kill -STOP "$stopped"
go_on apart
wait_beside "$pid" ls late.db.d/t1-a1.result
check "a result that nobody told of" wait_beside "$pid" says "^apart is tried again in 1 s: has been silent for 4 s; "
kill -CONT "$stopped"
check "... the sweep ends" ended_with 0
check "... it counts, and is not computed again" rows_say late "SELECT count(*) FROM attempt" 6
check "... to the same bytes" as_here late
headcount gc --db late.db >gc.out
check "... and nothing is left" grep -q "removed 0 files" gc.out

export HEADCOUNT_HOST_S=60
pause a rename 2
pause b rename 2
run cut --launch "$there" --hosts a:1,b:1
both_stand a b
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "the coordinator is killed: its agents end" wait_until gone "$(agent a)"
check "... both" wait_until gone "$(agent b)"
run cut --launch "$there" --hosts a:1,b:1
check "... the same command goes on" ended_with 0
check "... to the same bytes" as_here cut

pause a rename 1
pause b rename 1
run asked --launch "$there" --hosts a:1,b:1
both_stand a b
kill -TERM "$pid" # and workers go on, to their end
check "the coordinator is asked to stop: 75" ended_with 75
check "... its agents are gone" gone "$(agent a)"
check "... running trials had saved a checkpoint" rows_say asked "SELECT count(*) FROM attempt WHERE exit_code = 75" 2
headcount run sweep.yaml --db asked.db -q >/dev/null 2>&1
check "... this machine goes on, to the same bytes" as_here asked

seq 20000 >here.txt
cat >sweep.yaml <<'YAML'
name: text
task: {name: text, file: here.txt}
model: {d_model: 8, heads: [1], mask: causal}
train: {steps: 20, batch: 8}
seeds: 4
YAML
run text --launch "$there" --hosts a:1,fileless:1
check "a host without the file to learn from: the others finish" ended_with 0
check "... it is told" says "^fileless is not used any more: it does not have the same file to learn from: .*gone.txt"
check "... all is done" rows_say text "SELECT count(*) FROM trial WHERE state = 'completed'" 4
HEADCOUNT_PAUSE_S=.01 run losing --launch "$there" --hosts losing:1
check "a host that loses the file after a trial comes again" ended_with 0
check "... it is told" says "^losing is tried again in 0 s: it does not have the same file to learn from: .*gone.txt"
run textless --launch "$there" --hosts fileless:1
check "... none with the file: status 2" ended_with 2
finish
