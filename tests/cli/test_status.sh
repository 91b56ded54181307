#!/bin/sh
# What `status` and `show` draw of trials. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
settle
headcount run configs/quick.yaml --db r.db --quiet --set train.steps=20 --set train.schedule.warmup=2 --set \
    train.eval_every=10 --set seeds=1 >said 2>&1 ||
    trouble "the sweep: $(cat said)"
rm -f r.db.lock
verdict "a sweep runs"
says() { grep -q -e "$1" out || { cat out; return 1; }; }

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

check "a file that is not there is refused" sh -c "headcount status --db nowhere.db; [ \$? -eq 2 ]"
finish
