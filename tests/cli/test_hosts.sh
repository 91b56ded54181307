#!/bin/sh
# Trials on other machines: run --launch, headcount agent; what one that is broken does to the others:
# test_bad_hosts.sh, test_failing_hosts.sh. Slurm and ssh themselves: tests/cluster. Speaks
# TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
not_sanitized "trials run on other machines"
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
check "a sweep runs on two hosts" ended_with 0
check "... to the same bytes" as_here two
check "... and the run says which machines work" says "^3 trials at once on 2 machines: .* 1, .* 2$"
check "... each attempt records its host" rows_say two "SELECT count(DISTINCT host) FROM attempt WHERE host IN ('a', 'b')" 2
check "... and no file that proves the shared folder is left" sh -c '! ls two.db.d/*proof*'
no_pauses
pause any start 1
run many --launch "$there" --hosts "$(seq -s , -f 'n%g:1' 18)"
wait_beside "$pid" says "^18 trials at once on 18 machines: "
wait_beside "$pid" stands any
go_on any
no_pauses
check "a sweep runs on eighteen hosts" ended_with 0
check "... and the run names some of them" says "^18 trials at once on 18 machines: .* and 2 more$"
run many --replace -q --launch "$there" --hosts a,b --set seeds=4
check "a sweep runs on two hosts with -q" ended_with 0
check "... and the run does not say which machines work" sh -c '! grep "at once" many.out'
rm -f a.pid
run two --launch "$there" --hosts a:1,b:2
check "a second run on hosts has nothing to do" ended_with 0
check "... and starts no agent" [ ! -e a.pid ]

# Within an allocation of Slurm, of which scontrol names the nodes.
printf '#!/bin/sh\nprintf "n1\\nn2\\n"\n' >bin/scontrol && chmod +x bin/scontrol
export SLURM_JOB_NODELIST='n[1-2]' SLURM_JOB_CPUS_PER_NODE='1(x2)'
run nodes --launch "$there"
check "another launcher takes the nodes of the allocation" ended_with 0
check "... with their cores" says "^2 trials at once on 2 machines: n1 1, n2 1$"
check "... and comes to the same bytes" as_here nodes
unset SLURM_JOB_NODELIST SLURM_JOB_CPUS_PER_NODE
rm bin/scontrol

# What ssh does with its words: a shell reads what they come to together.
mkdir "ssh's folder" "it's \$(touch hacked) a\"b"
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >"ssh's folder/ssh"
chmod +x "ssh's folder/ssh"
odd="$PWD/it's \$(touch hacked) a\"b/headcount"
cp "$headcount" "$odd"
check "a program at a path with spaces and quotes runs on a host" "$odd" run sweep.yaml --db odd.db -q --launch "$there" --hosts a:1
check "... also where the launcher hands the path to a shell" \
    "$odd" run sweep.yaml --db ssh.db -q --launch "'./ssh'\\''s folder/ssh' {host}" --hosts a:1
check "... to the same bytes" as_here ssh
check "... and nothing in the path is obeyed" [ ! -e hacked ]
rm -r "${odd%/*}"

# Machines of different kinds: last bits may differ, unless --agent names kernels that all have.
case $("$headcount" --version) in
*avx*)
    least="OPENBLAS_CORETYPE=Prescott HEADCOUNT_KERNELS=sse2"
    differ="^machines compute with different kernels (.*Prescott sse2.*), so last bits may differ; "
    env $least "$headcount" run sweep.yaml --db least.db -q >/dev/null 2>&1
    run same --launch "$there" --hosts big:1,little:1,other:1 --agent "env $least '$headcount' agent"
    check "machines compute with the kernels that --agent names" ended_with 0
    check "... which are one build in the results file" rows_say same "SELECT count(DISTINCT build_id) FROM attempt" 1
    check "... and the run says of no difference" fails says "$differ"
    headcount export results far --db least.db >least.jsonl
    headcount export results far --db same.db >same.jsonl
    check "... and give the bytes of a machine that has only those" cmp least.jsonl same.jsonl
    pause big start 1
    pause little start 1
    run unlike --launch "$there" --hosts big:1,little:1
    both_stand big little
    go_on big
    go_on little
    check "unlike machines finish a sweep too" ended_with 0
    check "... and the run says that last bits may differ" says "$differ"
    check "... each attempt records its machine's kernels" rows_say unlike "SELECT count(*) FROM
        (SELECT DISTINCT host, kernels LIKE 'sse2%' AS least FROM attempt JOIN build USING (build_id))
            WHERE least = (host = 'little')" 2
    reports() { headcount report --db "$1.db" | tr '\n' ' ' |
        grep -o "computed alike, and last bits may differ between these: [0-9] with .*; [0-9] with [^.]*\."; }
    check "... and the report says that last bits may differ" reports unlike
    ;;
*) skip "machines compute with the kernels that --agent names" "a CPU with AVX" ;;
esac

# ---- refusals ----

refused() { # pattern, arguments...
    pattern=$1
    shift
    headcount run sweep.yaml --db no.db "$@" >no.out 2>&1 </dev/null
    code=$?
    [ $code -eq 2 ] && grep -q -e "$pattern" no.out || { echo "status $code"; cat no.out; return 1; }
}
check "hosts without a launcher are refused" refused "needs --launch COMMAND" --hosts a
check "a launcher without hosts is refused" refused "needs --hosts" --launch "$there"
check "a launcher without {host} is refused" refused "put {host}, which stands for the name of each host, into './join'" --launch ./join --hosts a
check "a host named twice is refused" refused "a is named twice" --launch "$there" --hosts a,b,a:2
check "a host that looks like an option is refused" refused "'-x' is not the name of a host" --launch "$there" --hosts a,-x
check "a host that looks like a command is refused" refused "is not the name of a host" --launch "$there" --hosts 'a;reboot'
check "an empty host name is refused" refused "'' is not the name of a host" --launch "$there" --hosts 'a,,b'
check "a host with 0 trials at once is refused" refused "a number from 1 to 4096" --launch "$there" --hosts a:0
check "an agent without a coordinator says its protocol" sh -c 'headcount agent </dev/null | grep -aq "protocol=7$"'
check "an agent that is granted no thread says so" \
    sh -c 'printf "\1\0\0\0\41\0\0\0\0\0\0\0000\n" | headcount agent 2>&1 | grep -aq "granted an invalid number"'
if has_terminal; then
    check "an agent on a terminal says that it is started by others" sh -c 'script -qec "headcount agent" /dev/null </dev/null | grep -q "is started by"'
else
    skip "an agent on a terminal says that it is started by others" "script(1)"
fi
run none --launch "$there" --hosts old,blind,gone,chatter
check "a run without a working host ends with status 2" ended_with 2
check "... and says that a host's program has other sources" \
    says \
    "old: it runs another program: its sources are 0123456789ab (headcount .*), ours [0-9a-f]\{12\}; \
build it from the same tree"
check "... and that a host does not see the results folder" says "blind: it does not see the results folder"
check "... and that a launcher ended" says "gone: its launcher ended: .*/nowhere/headcount"
check "... and that a program is no agent" says "chatter: the program started there is not a headcount agent"
check "... and runs no trial" rows_say none "SELECT count(*) FROM attempt" 0

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
check "a banner before the agent speaks is no fault" rows_say mixed "SELECT count(*) > 0 FROM attempt WHERE host = 'banner'" 1
check "a host that speaks through a terminal is not used any more" says "^terminal is not used any more: speaks another protocol, or"
check "the last words of a launcher that ended are shown" says "^dead is tried again in 1 s: its launcher ended: .*no route$"
check "a host that cannot start a worker is tried again" \
    says "^tight is tried again in 1 s: it cannot start a worker: .*Too many open files$"
check "a host whose agent is silent is tried again" says "^silent is tried again in 1 s: no agent spoke for 2 s"

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
check "an agent that is killed takes its worker along" wait_until gone "$orphan"
check "... and the sweep still ends" ended_with 0
check "... the run says that the trial goes on elsewhere" says "^a is tried again in 1 s: its launcher ended.*; 1 trial goes on elsewhere$"
check "... the results are the same to the byte" as_here killed
check "... and one attempt is recorded as requeued" rows_say killed "SELECT count(*) FROM attempt WHERE outcome = 'requeued'" 1

pause a rename 1
run warned --launch "$there" --hosts a:1,b:1
wait_beside "$pid" stands a
kill -TERM "$(agent a)" # which lets its worker go on, to its end
check "a sweep ends although an agent gets SIGTERM" ended_with 0
check "... to the same bytes" as_here warned
check "... and that agent's worker saved a checkpoint" rows_say warned "SELECT count(*) FROM attempt WHERE exit_code = 75" 1

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
check "a sweep ends although an agent is stopped and comes back" ended_with 0
check "... the agent is taken for lost meanwhile" \
    says "^apart is tried again in 1 s: has been silent for 1 s; 1 trial goes on elsewhere$"
check "... the results are the same to the byte" as_here stopped
check "... and the old agent ends" wait_until gone "$stopped"

export HEADCOUNT_HOST_S=4
pause apart rename 30 # its 29 checkpoints have their names, its result has not
run late --launch "$there" --hosts apart:1
wait_beside "$pid" stands apart
stopped=$(agent apart)
kill -STOP "$stopped"
go_on apart
wait_beside "$pid" ls late.db.d/t1-a1.result
check "an agent is taken for lost before it tells of a result" wait_beside "$pid" says "^apart is tried again in 1 s: has been silent for 4 s; "
kill -CONT "$stopped"
check "... and the sweep still ends" ended_with 0
check "... the result counts, and is not computed again" rows_say late "SELECT count(*) FROM attempt" 6
check "... the results are the same to the byte" as_here late
headcount gc --db late.db >gc.out
check "... and gc finds nothing to remove" grep -q "removed 0 files" gc.out

export HEADCOUNT_HOST_S=60
pause a rename 2
pause b rename 2
run cut --launch "$there" --hosts a:1,b:1
both_stand a b
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "the agent of a coordinator that is killed ends" wait_until gone "$(agent a)"
check "... and so does its agent on the other host" wait_until gone "$(agent b)"
run cut --launch "$there" --hosts a:1,b:1
check "... and the same command goes on" ended_with 0
check "... to the same bytes" as_here cut

pause a rename 1
pause b rename 1
run asked --launch "$there" --hosts a:1,b:1
both_stand a b
kill -TERM "$pid" # and workers go on, to their end
check "a coordinator that is asked to stop ends with status 75" ended_with 75
check "... and its agents are gone" gone "$(agent a)"
check "... and its running trials have saved a checkpoint" rows_say asked "SELECT count(*) FROM attempt WHERE exit_code = 75" 2
headcount run sweep.yaml --db asked.db -q >/dev/null 2>&1
check "a run on this machine goes on from there, to the same bytes" as_here asked

seq 20000 >here.txt
cat >sweep.yaml <<'YAML'
name: text
task: {name: text, file: here.txt}
model: {d_model: 8, heads: [1], mask: causal}
train: {steps: 20, batch: 8}
seeds: 4
YAML
headcount run sweep.yaml --db text-here.db -q >/dev/null 2>&1
headcount export results --db text-here.db >text-here.jsonl
pause fileless start 1
run text --launch "$there" --hosts fileless:1
wait_beside "$pid" stands fileless
rm here.txt
go_on fileless
check "a host that lacks the file learns from the copy" ended_with 0
headcount export results --db text.db >text.jsonl
check "... to the same bytes" cmp text.jsonl text-here.jsonl
seq 20000 >here.txt
run watched --launch "$there" --hosts watched:1
check "a copy that was right on a host" ended_with 0
check "... is not read there for its hash again" [ "$(grep -a '^data.good=' watched.in | sed 's/=.*[0-9]$/=known/' | tr '\n' ' ')" = \
    "data.good= data.good=known data.good=known data.good=known " ]
run uncopied --no-copy --launch "$there" --hosts a:1,fileless:1
check "without a copy the other hosts finish where one lacks the file" ended_with 0
check "... and the run says so" says "^fileless is tried again in 1 s: its storage fails: .*gone.txt"
check "... and every trial completes" rows_say uncopied "SELECT count(*) FROM trial WHERE state = 'completed'" 4
finish
