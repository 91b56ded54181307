#!/bin/sh
# `headcount serve` as a process: what it prints, where it listens, how it ends, what it refuses. What it
# answers: sweep/test_serve.c. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
headcount run configs/quick.yaml --db 'one file.db' --quiet --set train.steps=20 --set train.schedule.warmup=2 --set \
    train.eval_every=10 --set seeds=1 >said 2>&1 ||
    trouble "the sweep: $(cat said)"
cp 'one file.db' two.db
verdict "the sweep to be served runs"

refuses() { # words, options...
    words=$1
    shift
    timeout 300 "$headcount" serve "$@" >no 2>why
    got=$?
    [ $got -eq 2 ] && grep -q -e "$words" why && [ ! -s no ] || { echo "status $got"; cat no why; return 1; }
}
begin() { # options...: $address is what it prints
    rm -f out
    env --default-signal=INT "$headcount" serve "$@" >out 2>err &
    pid=$!
    wait_until grep -q '(Ctrl-C ends it)$' out || { cat out err; return 1; }
    address=$(grep -o 'http://[^ ]*' out)
}
end() { # signal: $ended is the exit status
    kill "-$1" $pid
    wait $pid
    ended=$?
    pid=
}

begin --db 'one file.db' --port 0
check "serve says what it serves, and where" \
    grep -q '^serving one file\.db at http://127\.0\.0\.1:[0-9][0-9]*/ (Ctrl-C ends it)$' out
check "... in one line" [ "$(wc -l <out)" -eq 1 ]
port=${address%/} port=${port##*:}
check "a port that is taken is refused" \
    refuses "port $port is taken by another program; give another one with --port" --db two.db --port "$port"
check "serve listens for this machine only" \
    sh -c "grep -i ':$(printf %04X "$port") 0*:0000 0A' /proc/net/tcp /proc/net/tcp6 |
    grep -qv -e ' 0100007F:' -e ' 00000000000000000000000001000000:' && exit 1 || exit 0"
check "serve runs at a low priority" [ "$(cut -d' ' -f19 "/proc/$pid/stat")" -ge 10 ]
sum=$(cksum 'one file.db')
check "serve writes nothing beside the file" sh -c "[ ! -e 'one file.db-wal' ] && [ ! -e 'one file.db-journal' ]"
end INT
check "Ctrl-C ends serve with status 0" [ $ended -eq 0 ]
check "... without a word" [ ! -s err ]
check "... and the file is as it was" [ "$(cksum 'one file.db')" = "$sum" ]
begin --db two.db --db 'one file.db' --port 0
check "serve takes several files" grep -q '^serving two\.db, one file\.db at http' out
end TERM
check "SIGTERM ends serve with status 0" [ $ended -eq 0 ]
check "serve ends when the reader of its line has gone" \
    timeout 300 sh -c "headcount serve --db two.db --port 0 | head -n 1 >said"

few_files() { # words
    (ulimit -n 40 && timeout 300 "$headcount" serve --db two.db --port 0) >out 2>why
    [ $? -eq 3 ] && grep -q 'too few for a server' why || { cat out why; return 1; }
}
check "a limit of too few open files is refused" few_files

# ---- tokens ----
begin --db two.db --port 0 --listen 0.0.0.0
check "serve makes a token when it listens for others" sh -c "echo '$address' | grep -Eq '/\?token=[0-9a-f]{32}\$'"
check "... which ps does not show" sh -c "! tr '\\0' ' ' <'/proc/$pid/cmdline' | grep -q '${address##*=}'"
end INT
umask 077
echo 'a secret of the user' | tr ' ' - >token
begin --db two.db --port 0 --listen 127.0.0.2 --token-file token
check "a user's own token is not printed" sh -c "! grep -q -e secret -e token out"
end INT
chmod 640 token
check "... nor taken from a file that others can read" refuses 'chmod 600 token' --db two.db --token-file token
echo short >weak && check "... nor taken when it is short" refuses '16 to 256' --db two.db --token-file weak
check "... nor from a file that does not exist" refuses 'nowhere' --db two.db --token-file nowhere

# ---- refusals ----
check "a missing results file is refused" refuses 'no results file' --db nowhere.db
check "... also beside one that exists" refuses 'no results file' --db two.db --db nowhere.db
check "a folder is refused" refuses 'is a folder' --db .
check "a file that is no results file is refused" refuses 'is not a results file' --db token
for port in 65536 -1 x '' 080x 99999999999; do
    check "port '$port' is refused" refuses "port is '$port'; allowed: a whole number from 0 to 65535" --db two.db --port="$port"
done
check "what is no address is refused" refuses "listen is 'no such name'" --db two.db --listen 'no such name'
check "an address of another machine is refused" refuses 'no such address' --db two.db --listen 192.0.2.1
finish
