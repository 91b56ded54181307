#!/bin/sh
# Everybody counts trials alike: plan, status, run, merge, report, its page and the live one, whenever they
# are asked. The total is the trials that can still run or have ended; what is not needed is told apart.
# Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "all commands count trials alike"
settle

headcount() { "$headcount" "$@"; }
sql() { sqlite3 -batch "$@"; }
value() { # file, path
    sql :memory: "SELECT readfile('$1') ->> '$2'"
}
# "planned ended running left not needed" as each says it, of the sweep in $1.db
by_plan() {
    headcount plan "$1.yaml" --db "$1.db" --json >plan.json
    echo "$(value plan.json '$.planned') $(($(value plan.json '$.planned') - $(value plan.json \
        '$.would_run'))) $(value plan.json '$.would_run') $(value plan.json '$.not_needed')"
}
by_status() {
    headcount status --db "$1.db" --json >status.json
    sql :memory: \
        "SELECT format('%d %d %d %d', s ->> 'planned', (s ->> 'completed') + (s ->> 'failed') + (s ->> 'diverged'),
        (s ->> 'queued') + (s ->> 'running'), s ->> 'not_needed') FROM (SELECT readfile('status.json') -> 0 AS s)"
}
by_report() {
    headcount report --db "$1.db" --json >report.json
    sql :memory: \
        "SELECT format('%d %d %d %d', r ->> 'planned', r ->> 'ended', (r ->> 'planned') - (r ->> 'ended'),
            r ->> 'not_needed') FROM (SELECT readfile('report.json') AS r)"
}
by_page() {
    headcount report --db "$1.db" --html page.html
    sed -n 's/.*"states":\({[^}]*}\).*/\1/p' page.html >states.json
    sql :memory: "SELECT format('%d %d %d %d', ended + left, ended, left, s ->> 'not_needed')
        FROM (SELECT s, (s ->> 'queued') + (s ->> 'running') AS left,
        (s ->> 'completed') + (s ->> 'failed') + (s ->> 'diverged') AS ended
            FROM (SELECT readfile('states.json') AS s))"
}
# The words for people: "planned ended" of status and report; "planned" of plan
in_words() {
    headcount status --db "$1.db" | sed -n "s|^$1 *\([0-9]*\)/\([0-9]*\) .*|\2 \1|p"
    { headcount report --db "$1.db" | tr '\n' ' ' &&
        echo; } | sed -n \
        's/.* \([0-9]*\) of \([0-9]*\) trials have ended.*/\2 \1/p; s/.* All \([0-9]*\) trials have ended.*/\1 \1/p'
    headcount plan "$1.yaml" --db "$1.db" | sed -n "s/^Sweep $1: .* points*, \([0-9]*\) trials.*/\1/p"
}
alike() { # sweep, what is wanted ("": whatever status says)
    wanted=${2:-$(by_status "$1")}
    for who in plan status report page; do
        said=$(by_$who "$1")
        [ "$said" = "$wanted" ] || trouble "$1: $who says $said, not $wanted"
    done
    set -- "$1" $wanted
    said=$(in_words "$1" | tr '\n' ' ')
    [ "$said" = "$2 $3 $2 $3 $2 " ] || trouble "$1: in words $said, not $2 $3"
    said=$(headcount merge --into all.db "$1.db" 2>&1 | grep "sweep $1:")
    rm -rf all.db all.db.*
    case $said in *"sweep $1: $3 of $2 trials have ended"*) ;; *) trouble "$1: merge says $said, not $3 of $2" ;; esac
}
# Asked to stop once the sweep has so many results; all over again where it was quicker than that.
stopped_at() { # sweep, results
    while :; do
        mkfifo line
        "$headcount" run "$1.yaml" --db "$1.db" -j 1 >run.out 2>line &
        pid=$!
        while read -r said; do
            echo "$said"
            case $said in "$2/"*) kill -TERM $pid ;; esac
        done <line >run.err
        rm line
        wait $pid
        code=$?
        pid=
        [ $code -ne 0 ] && break
        rm -rf "$1.db" "$1.db".*
    done
    [ $code -eq 75 ] || trouble "$1: it was not stopped but ended with $code: $(tail -2 run.err)"
}
middle() { # sweep, results to stop at: what run says of its stop is what the others say
    stopped_at "$1" "$2"
    set -- "$1" $(by_status "$1")
    grep -q "stopped at $3 of $2 trials" run.err || trouble "$1: run says $(tail -1 run.err), not $3 of $2"
    # A rung may fall, and with it the number of trials, as late as with the stop.
    awk -v n="$2" -v sweep="$1" '$2 == sweep { split($1, of, "/"); wrong += of[2] < n || (seen && of[2] > last)
            last = of[2]; seen = 1 } END { exit wrong || !seen }' run.err ||
        trouble "$1: its lines are not of $2, or more at first: $(head -1 run.err)"
    alike "$1"
}
end() { # sweep, what is wanted in the end
    headcount run "$1.yaml" --db "$1.db" --quiet >run.out 2>&1 || trouble "$1: $(cat run.out)"
    alike "$1" "$2"
    total=${2%% *}
    headcount run "$1.yaml" --db "$1.db" 2>&1 >run.out | grep -q "nothing to run: all $total trials have ended" ||
        trouble "$1: run says not that all $total have ended"
}

cat >plain.yaml <<'Y'
name: plain
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2, 4], layers: 1, d_ff: 16}
train: {steps: 300, batch: 16, lr: 1e-2, eval_every: 100, val_examples: 64, test_examples: 64}
seeds: 4
Y
sed 's/plain/tuned/; s/lr: 1e-2/lr: [1e-3, 3e-3, 1e-2]/; s/^seeds.*/tune: {axes: [train.lr], seeds: 2}\nseeds: 4/' \
    plain.yaml >tuned.yaml
sed 's/tuned/rungs/; s/seeds: 2}/seeds: 2, rungs: {eta: 3, min_steps: 100}}/' tuned.yaml >rungs.yaml
sed 's/plain/looks/; s/^seeds.*/looks: [2, 4]\nclaim: {best: 1, over: [4]}/' plain.yaml >looks.yaml

headcount plan plain.yaml --db none.db | grep -q '12 trials$' ||
    trouble "$(headcount plan plain.yaml --db none.db | head -2)"
headcount plan tuned.yaml --db none.db >said
grep -q '30 trials$' said && grep -qE '^ +not needed +24 ' said || trouble "$(head -6 said)"
verdict "plan counts the trials that can run"
middle plain 3
verdict "all commands agree on a plain sweep stopped in the middle"
end plain "12 12 0 0"
verdict "... and at its end"
middle tuned 5
check "a tuned sweep counts one value of each head count as to be judged" \
    [ "$(by_status tuned | cut -d' ' -f1,4)" = "30 24" ]
middle tuned 20
verdict "all commands agree on a tuned sweep of which some trials are judged"
end tuned "30 30 0 24"
verdict "... and at its end"
middle rungs 3
verdict "all commands agree on a sweep with rungs stopped in the middle"
end rungs "18 18 0 36"
verdict "... and at its end, where eliminated trials are not needed"
middle looks 3
verdict "all commands agree on a sweep with looks stopped in the middle"
headcount run looks.yaml --db looks.db --quiet >run.out 2>&1
alike looks
verdict "... and at its end"
sql looks.db "UPDATE look SET decided = 1; UPDATE trial SET state = 'not_needed', choice = 'eliminated' WHERE look = 2"
check "the trials of later looks are not needed once the first decided" [ "$(by_status looks)" = "6 6 0 6" ]
alike looks
verdict "... and all commands agree on that"
finish
