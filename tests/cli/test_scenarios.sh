#!/bin/sh
# usage: test_scenarios.sh [NAME...]   Plays tests/scenarios/*.scenario: sweeps whose trials come to what a script
# says (scenarios/scripted_agent.c), through the real coordinator. BLESS=1 writes down what came of them instead.
# Speaks TAP. HEADCOUNT is the program, BUILD where the agent was built; run from the repository's root.
#
# A scenario is a transcript, played from top to bottom in a folder of its own:
#
#   sweep.yaml:          a file, of the indented lines that follow; `agent` is the script of all trials
#   $ run --shard 1/2    a command, with what it says below it, up to an empty line
#   ? SELECT ...         a query of r.db, with its rows; lines of `? ` that follow go on with it
#
# Other lines are for the reader. A new scenario is written without answers: BLESS=1 adds them. In the end `headcount
# check` must find nothing wrong in any results file.
. tests/tap.sh
not_sanitized "scenarios come to what they say"
agent=$(realpath -m "${BUILD:-build}/tests/scenarios/scripted_agent")
scenarios=$root/tests/scenarios
if [ ! -x "$agent" ]; then
    trouble "$agent is not built; make ${agent#"$root"/}"
    verdict "the agent that plays scenarios is there"
    finish
    exit
fi

# ---- commands of a scenario ----

program() { # arguments of the program: as it is, in limited time, and its status on stderr unless that is 0
    timeout -s ALRM "$(seconds 20)" "$headcount" "$@" </dev/null || echo "status $?" >&2
}
hc() { # arguments of the program: all that it says
    program "$@" 2>&1
}
# The sweep on a host of one slot, so that trials run one after the other; arguments of run beside it. What it says but
# for the report.
run() { # [SWEEP.yaml] arguments of run
    sweep=sweep.yaml
    case ${1:-} in *.yaml) sweep=$1 && shift ;; esac
    program run "$sweep" --db r.db -q --launch "exec $agent agent {host}" --hosts h:1 "$@" 2>&1 >report
}
# The same, but its launcher stops it: the sweep is planned, and no trial begins.
enter() { # [SWEEP.yaml] arguments of run
    run "$@" --launch 'kill $PPID; exec cat >/dev/null # {host}' | grep -v '^status 75$\|^Terminated: stopping'
}
edit() { # expressions of sed: of the sweep file
    sed -i "$@" sweep.yaml
}
finding() { # [arguments of report]: what its verdicts are, and whether claims were first
    hc report --db r.db --json "$@" >report.json
    sql :memory: "SELECT value ->> '\$.setting_label', value ->> '\$.verdict.kind',
        value ->> '\$.verdict.claim_proof.status', value ->> '\$.verdict.confirmation.kind'
        FROM json_each(readfile('report.json'), '\$.settings')" | sed 's/^ //; s/ -//g'
}
between() { # db: what is claimed of settings, and how they compare
    hc report --db "$1" --json >report.json
    sql :memory: "SELECT 'claim:', value ->> '\$.kind', value ->> '\$.claim_proof.status',
        iif(value ->> '\$.preliminary', 'preliminary', '') FROM json_each(readfile('report.json'), '\$.between.claims')"
    sql :memory: "SELECT value ->> '\$.heads', value ->> '\$.a', value ->> '\$.kind', value ->> '\$.outcome',
        value ->> '\$.n' || ' of ' || (value ->> '\$.seed_pairs'), 'among ' || (value ->> '\$.comparisons')
        FROM json_each(readfile('report.json'), '\$.between.comparisons')"
}
shards() { # db: how many shards it was cut into, which of them are there, and what was left of them
    hc status --db "$1" --json >status.json
    sql :memory: "SELECT value ->> '\$.shards', value ->> '\$.shards_left' FROM json_each(readfile('status.json'))"
}
counts() { # db: trials that are planned, ended, left and not needed; a line for each way in which it is told
    hc plan sweep.yaml --db "$1" --json >plan.json
    hc status --db "$1" --json >status.json
    hc report --db "$1" --json >report.json
    hc report --db "$1" --html page.html >said
    sed -n 's/.*"states":\({[^}]*}\).*/\1/p' page.html >page.json
    sql :memory: "WITH told (j) AS (SELECT readfile('status.json') -> 0 UNION ALL SELECT readfile('page.json')),
        counted AS (SELECT (j ->> 'completed') + (j ->> 'failed') + (j ->> 'diverged') AS ended,
            (j ->> 'queued') + (j ->> 'running') AS left, j ->> 'not_needed' AS not_needed FROM told)
        SELECT ended + left, ended, left, not_needed FROM counted UNION
        SELECT j ->> 'planned', (j ->> 'planned') - (j ->> 'would_run'), j ->> 'would_run', j ->> 'not_needed'
            FROM (SELECT readfile('plan.json') AS j) UNION
        SELECT j ->> 'planned', j ->> 'ended', (j ->> 'planned') - (j ->> 'ended'), j ->> 'not_needed'
            FROM (SELECT readfile('report.json') AS j)"
}
proof() { # [arguments of report]: whether a claim was first, after how many of its trials, and what changed since
    hc report --db r.db --json "$@" >report.json
    sql :memory: "SELECT p ->> '\$.status', p ->> '\$.seen' || ' of ' || (p ->> '\$.pairs'),
        '+' || (p ->> '\$.added') || ' -' || (p ->> '\$.removed'),
        'similar: ' || (p ->> '\$.similar') || ' ' || (p ->> '\$.similar_differ')
        FROM (SELECT readfile('report.json') -> '\$.settings[0].verdict.claim_proof' AS p)" |
        sed 's/ +0 -0//; s/ similar: 0 \[\]//'
}
sql() { # db, query
    sqlite3 -separator ' ' -nullvalue - "$@" 2>&1
}

# ---- playing ----

# What a scenario comes to, as it would stand in its file.
play() { # scenario
    file= query= answering=
    while IFS= read -r line <&8; do
        case $line in
        '? '*)
            query="$query ${line#??}" answering=1
            echo "$line"
            continue
            ;;
        esac
        [ -z "$query" ] || sql r.db "$query"
        query=
        case $line in
        '$ '*)
            echo "$line"
            answering=1
            eval "${line#??}" >../said 2>&1
            sed '/^$/d; /^Killed$\|[0-9] Killed /d; s/20[0-9][0-9]-[0-9-]*[T ][0-9:.]*Z\{0,1\}/TIME/g' ../said
            ! grep -q '^status 124$' ../said || return # what has hung once may hang each time
            continue
            ;;
        '') answering= file= ;;
        [a-z]*:)
            file=${line%:}
            [ -n "$answering" ] || : >"$file"
            ;;
        '    '*) [ -z "$file" ] || echo "${line#    }" >>"$file" ;;
        esac
        [ -n "$answering" ] || echo "$line"
    done 8<"$1"
    [ -z "$query" ] || sql r.db "$query"
}
all_is_well() {
    for db in *.db; do
        "$headcount" check --db "$db" || return
    done
}
perform() { # scenario
    name=$(basename "$1" .scenario)
    mkdir "$dir/$name" && cd "$dir/$name" || exit 1
    echo 'score: .5' >agent
    (play "$1") >../played
    if [ -n "${BLESS:-}" ]; then
        cmp -s ../played "$1" || cp ../played "$1"
    else
        diff -u "$1" ../played >../.check || trouble "$(tail -n +3 ../.check)"
    fi
    all_is_well >../.check 2>&1 || trouble "$(cat ../.check)"
    verdict "$name: $(head -n 1 "$1")"
    cd "$root" && rm -rf "${dir:?}/$name"
}

[ $# -gt 0 ] || set -- $(cd "$scenarios" && printf '%s\n' *.scenario)
for one; do
    perform "$scenarios/${one%.scenario}.scenario"
done
finish
