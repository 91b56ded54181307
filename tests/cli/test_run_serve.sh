#!/bin/sh
# `headcount run --serve`: the page beside the run, which goes on whatever becomes of it. Speaks TAP.
# HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
command -v bash >/dev/null || skip_all "a run has a live page" bash
cat >one.yaml <<'EOC'
# Does it go on?
name: one
task: {name: gather, length: 16, slots: 2, vocab: 8}
model: {d_model: 32, heads: [1, 4], d_ff: 64}
train: {steps: 100, batch: 16, lr: 0.003}
seeds: 2
workers: 2
EOC
headcount run one.yaml --db plain.db --quiet >said 2>&1 && headcount export results one --db plain.db >plain.txt ||
    trouble "$(cat said)"
verdict "a run without a page completes"
if headcount serve --db plain.db --port 0 2>&1 </dev/null | head -n 1 | grep -q libmicrohttpd; then
    check "a program that cannot serve says so, and runs" sh -c \
        "headcount run one.yaml --db no.db --serve >/dev/null 2>why && grep -q 'no live page: .*libmicrohttpd' why"
    skip_rest=1
fi
[ -z "$skip_rest" ] || { finish; exit; }

get() { # path behind the address, seconds it may take (20): the whole answer
    # shellcheck disable=SC2016
    bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" &&
        printf "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" "$2" >&3 && timeout "$3" cat <&3' \
        get "$port" "$1" "${2:-20}"
}
begin() { # db, options...: $pid is the run, $server its server, $port the server's
    db=$1
    shift
    rm -f out err
    # As a terminal does it, in a group of its own: a shell has what it starts in the background ignore Ctrl-C.
    env --default-signal=INT $held_by setsid headcount run one.yaml --db "$db" "$@" >out 2>err &
    pid=$!
    wait_beside $pid grep -q 'live page at' err
    port=$(sed -n 's|.*live page at http://127.0.0.1:\([0-9]*\)/0/1/$|\1|p' err)
    server=
    for child in $(workers_of $pid); do
        { tr "\0" " " <"/proc/$child/cmdline"; } 2>/dev/null | grep -q run-server && server=$child
    done
}
begin_held() { # db, options...: as begin, with a worker, $held, that waits
    held_by=$(pausing "$1" start 1)
    begin "$@"
    held_by=
    wait_beside $pid pauses $pid
}
end() { # $code is its exit status
    wait $pid
    code=$?
    pid=
    wait_until gone "$server" || trouble "its server is still there"
}
gone() {
    ! [ -e "/proc/$1/stat" ]
}
same() { # db: the results are those of the run without a page
    headcount export results one --db "$1" >its.txt 2>&1 && cmp its.txt plain.txt
}

begin_held page.db --serve=0
check "run --serve says where its page is" [ "$port" -gt 0 ]
get /0/1/summary >answer
check "... and the sweep is there" grep -q '"sweep":"one"' answer
check "... as one that runs" grep -Eq '"running":[12]' answer
check "... served by a process that gives way to training" [ "$(cut -d' ' -f19 "/proc/$server/stat")" -ge 10 ]
kill -CONT "$held"
end
check "a run with a page ends with status 0" [ $code -eq 0 ]
check "... and so does its server, as nobody looks on" sh -c "! [ -e /proc/$server ]"
check "... with the same results" same page.db
check "... and one plain results file" sh -c "! [ -e page.db-wal ] && ! [ -e page.db-journal ]"

# ---- who looks on sees the end ----
# So many questions, each asked once, that the server would rest for long before it answers any of them anew.
ask_much() {
    # shellcheck disable=SC2016
    bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"
        timeout 600 cat <&3 >/dev/null &
        for trial in 1 2 3; do
            for most in {1..200}; do
                printf "GET /0/1/curves?trials=%s&most=%s HTTP/1.1\r\nHost: localhost\r\n\r\n" $trial $most
            done
        done >&3
        printf "GET /0/1/heads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" >&3
        wait' ask "$port" 2>/dev/null
}
workers() { # signal: to all that there are; false without
    none=1
    for child in $(workers_of "$pid"); do
        [ "$child" != "$server" ] && kill "-$1" "$child" && none=0
    done
    return $none
}
all_completed() { # the four trials of the sweep, as the server has them
    get /0/1/summary | grep -q '"states":{[^}]*"completed":4,'
}
begin_held last.db --serve=0
get /events 600 >events &
all_completed || : # not yet
wait_beside $pid workers STOP
ask_much
workers CONT
wait_beside $pid grep -q 'Test accuracy' out
seen=
while kill -0 $pid 2>/dev/null && [ ! "$seen" ]; do ! all_completed || seen=yes; done
end
check "a viewer sees the end, for which the server waits" [ "$seen" ]

# ---- its end is not the run's, and the run's is its ----
begin_held killed.db --serve=0
kill -KILL "$server"
kill -CONT "$held"
end
check "a run whose server is killed ends with status 0" [ $code -eq 0 ]
check "... and the same results" same killed.db
begin_held stopped.db --serve=0
kill -STOP "$server"
kill -CONT "$held"
end
check "a run whose server hangs ends with status 0" [ $code -eq 0 ]
check "... and the same results" same stopped.db
begin_held cut.db --serve=0
kill -KILL $pid
end 2>/dev/null
verdict "a run that is killed takes its server along"
begin_held cut.db --serve=0
kill -INT "-$pid"
kill -CONT "$held"
end
check "Ctrl-C on a run and its server ends the run with status 75" [ $code -eq 75 ]
begin_held cut.db --serve=0 --quiet
check "--quiet says nothing but the address" [ "$(cat err)" = "headcount run: live page at http://127.0.0.1:$port/0/1/" ]
kill -STOP "-$pid" # it keeps the port
headcount run one.yaml --db plain.db --serve="$port" >said 2>why
kill -CONT "-$pid"
check "a port that is taken is named, with the remedy" \
    grep -q "^headcount run: no live page: .*$port is taken by another program; give another one with --serve=PORT" why
end
check "a resumed run with a page comes to the same results" same cut.db
for bad in 65536 x -1 08080a; do
    timeout 300 headcount run one.yaml --db bad.db --serve=$bad >said 2>&1
    [ $? -eq 2 ] && grep -q "serve is '$bad'; allowed: a whole number from 0 to 65535" said || trouble "$bad: $(cat said)"
    [ ! -e bad.db ] || trouble "$bad: something was written"
done
verdict "ports that cannot be are refused, and nothing is written"
finish
