#!/bin/sh
# `status --watch`: a line per change in a pipe, a frame on a terminal; the file may go and come back, and is
# never written. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
headcount run configs/quick.yaml --db r.db --quiet --set train.steps=20 --set train.schedule.warmup=2 --set \
    train.eval_every=10 --set seeds=1 >said 2>&1 ||
    trouble "the sweep: $(cat said)"
rm -f r.db.lock
verdict "the sweep to be watched runs"
lines() { wc -l <out; }
has_lines() { [ "$(lines)" -ge "$1" ]; }
says() { grep -q -e "$1" out || { cat out; return 1; }; }
sum=$(cksum r.db)
PATH=$PATH env --default-signal=INT "$headcount" status --watch --db r.db >out 2>err &
pid=$!
check "the first line says how far the sweep is" \
    wait_until says '^20[0-9-]*T[0-9:]*Z  quick: 3 of 3 done, 0 running, 0 left, 0 failed, 0 diverged$'
sleep 2.5
check "nothing is said while nothing changes" [ "$(lines)" -eq 1 ]
check "... nor written" [ "$(cksum r.db)" = "$sum" ]
# In one transaction, as it may look in between; it may be reading just now.
sqlite3 -cmd '.timeout 60000' r.db "BEGIN; UPDATE trial SET state = 'running' WHERE trial_id = 1;
    UPDATE trial SET state = 'queued' WHERE trial_id = 2; COMMIT"
check "a change is one more line" wait_until says 'quick: 1 of 3 done, 1 running, 1 left,'
check "... and no more than one" [ "$(lines)" -eq 2 ]
mv r.db away.db
check "a file that goes away is told" wait_until says 'there is no results file r.db'
mv away.db r.db
check "... and watched again when it is back" wait_until has_lines 4
cp r.db new.db && sqlite3 new.db "UPDATE trial SET state = 'failed' WHERE trial_id = 1" && mv new.db r.db
check "a file that is replaced is read" wait_until says 'quick: 1 of 3 done, 0 running, 1 left, 1 failed'
head -c 5000 /dev/urandom >bad.db && mv r.db away.db && mv bad.db r.db
check "a file that is no results file any more is told" wait_until says 'r.db is not a results file'
mv away.db r.db
kill -INT $pid
wait $pid
ended=$?
pid=
check "Ctrl-C ends --watch with status 0" [ $ended -eq 0 ]
check "... without a word" [ ! -s err ]
check "--watch ends when its reader has gone" timeout 300 sh -c "headcount status --watch --db r.db | head -n 1"
check "a file that is not there at first is refused" sh -c "headcount status --watch --db nowhere.db; [ \$? -eq 2 ]"
check "--watch with --json is refused" sh -c "headcount status --watch --json --db r.db; [ \$? -eq 2 ]"

# ---- what runs, with its curve ----
sqlite3 r.db "UPDATE trial SET state = 'running' WHERE trial_id = 3;
    UPDATE curve SET val_acc = step / 20.0 WHERE trial_id = 3"
running() { LC_ALL=$1 headcount status --db r.db 2>/dev/null >out && says "$2"; }
check "status draws the curve of a trial that runs" running C.UTF-8 '^ *3  quick *32  *0  20/20  ▅█ acc 1.000$'
check "... in plain letters where the terminal knows no others" running C '^ *3  quick *32  *0  20/20  acc 1.000$'
sqlite3 r.db "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';
    UPDATE curve SET val_loss = 3 - step / 10.0 WHERE trial_id = 3"
check "... by its loss where that is judged" running C.UTF-8 '20/20  █▁ loss 1.000$'

check "show draws the validation loss of a trial as a line of blocks" \
    sh -c "LC_ALL=C.UTF-8 headcount show 3 --db r.db | grep -q '^  val loss    █▁  2 to 1$'"
check "... and only where blocks can be shown" sh -c "! LC_ALL=C headcount show 3 --db r.db | grep -q '█'"

# ---- a terminal ----
if has_terminal; then
    TERM=xterm LC_ALL=C.UTF-8 env --default-signal=INT script -qfec \
        "stty rows 12 cols 60; sh -c 'echo \$\$ >watcher; exec headcount status --watch --db r.db'; echo ended \$?" \
        /dev/null </dev/null >out &
    pid=$!
    drawn_again() { [ "$(grep -ac "$(printf '\033')\[[0-9]*A" out)" -ge 2 ]; }
    check "a terminal gets frames, each in the place of the one before" wait_until drawn_again
    kill -INT "$(cat watcher)"
    wait $pid
    pid=
    check "... which say how to end it" says 'Ctrl-C ends this'
    check "... and draw the curve" says '█▁ loss'
    check "... and are no wider than the terminal" \
        sh -c "sed 's/\r//g; s/\x1b\[[0-9;]*[A-Za-z]//g' out | awk 'length(\$0) > 60 { exit 1 }'"
    check "... until Ctrl-C, with status 0" says 'ended 0'
else
    skip "a terminal gets frames, each in the place of the one before" script
fi
finish
