#!/bin/sh
# Results files whose tables and views are not the program's: named and refused by every command, before
# anything of theirs runs. A user's own views, tables and triggers: kept, and never run. Speaks TAP.
# HEADCOUNT is the program.
. tests/tap.sh
settle
endless="WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS trial_id FROM n"
run="run configs/quick.yaml --set train.steps=20 --set seeds=1"
headcount $run --db good.db --quiet >said 2>&1 || trouble "the sweep: $(cat said)"
cp good.db bad.db && cp -r good.db.d bad.db.d
sqlite3 bad.db "DROP VIEW trials; CREATE VIEW trials AS $endless"
sum=$(cksum bad.db)
verdict "the sweep whose file is damaged below completes"

# With 64 MiB for data; a sanitizer takes more for itself.
refused() { # status, words...
    expected=$1
    shift
    ({ ! plain || ulimit -d 65536; } && timeout -s KILL "$(seconds 5)" "$headcount" "$@") >out 2>err
    got=$?
    [ "$got" -eq "$expected" ] && grep -q 'view trials is different' out err ||
        trouble "$*: status $got, expected $expected: $(cat out err)"
    [ "$(cksum bad.db)" = "$sum" ] || trouble "$*: it changed the file"
}
for line in "status" "status --json" "show" "show 1" "report" "report --html r.html" "heads" "prune" "ensemble" \
    "gc" "export results" "export curves quick c.csv" "export weights 1 w.st" "plan configs/quick.yaml" \
    "sweep rename quick other" "sweep delete quick --yes" "sweep note 1 words" "serve --port 0" "$run"; do
    refused 2 $line --db bad.db
done
refused 2 merge --into new.db bad.db
refused 2 merge --into bad.db good.db
refused 3 check --db bad.db
sqlite3 bad.db "PRAGMA foreign_keys = OFF; DROP TABLE trial; CREATE VIEW trial AS $endless"
sum=$(cksum bad.db)
refused 3 check --db bad.db
verdict "every command refuses an endless view in the program's place, in 5 s and 64 MiB"

sqlite3 good.db "CREATE VIEW mine AS $endless; CREATE VIEW above AS SELECT * FROM trials JOIN mine USING (trial_id);
    CREATE TABLE fired (what); CREATE TRIGGER loud AFTER UPDATE ON trial BEGIN INSERT INTO fired
        SELECT 1 FROM mine; END;
    CREATE TRIGGER louder BEFORE DELETE ON trial BEGIN SELECT count(*) FROM mine; END"
for line in "status" "show" "report" "report --html r.html" "heads" "gc" "export results" "check" "sweep note 1 words" \
    "plan configs/quick.yaml" "$run --set seeds=2" "sweep rename quick other" "sweep delete other --yes"; do
    timeout -s KILL "$(seconds 60)" "$headcount" $line --db good.db >out 2>err </dev/null ||
        trouble "$line: status $?: $(cat out err)"
done
[ "$(sqlite3 good.db "SELECT count(*) FROM fired")" = 0 ] || trouble "a trigger fired"
[ "$(sqlite3 good.db "SELECT count(*) FROM sqlite_schema
    WHERE name IN ('mine', 'above', 'fired', 'loud', 'louder')")" = 5 ] ||
    trouble "something of the user's own is gone"
verdict "a user's own endless view and triggers are kept and never run"
finish
