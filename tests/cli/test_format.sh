#!/bin/sh
# Every later version reads results files of version 1.0.0. A kept one, tests/data/db/format-8.sql, is a small sweep
# with pruned heads as that version left it (`sqlite3 FILE .dump`); format-8.csv is what `report --csv` said of it.
# While the format is 8, its tables stay as they are there. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
export HOME="$dir" # without a .sqliterc
kept=$root/tests/data/db/format-8
sqlite3 kept.db <"$kept.sql" || trouble "the kept file cannot be made"
"$headcount" report --db kept.db >said 2>&1
[ $? -eq 2 ] || trouble "a file without application_id is read: $(cat said)"
sh -c "$(sed 's/.*: sqlite3/sqlite3/' said)" || trouble "what is to be done does not work: $(cat said)"
sqlite3 kept.db "SELECT yaml FROM sweep" >kept.yaml
cp kept.db before.db
verdict "a results file of format 8 is restored from its dump"

columns=$(head -n 1 "$kept.csv" | awk -F, '{print NF}')
rounded() { # another SQLite may add in another order
    cut -d, -f "1-$columns" "$1" | awk -F, '{
        for (i = 1; i <= NF; i++) printf "%s%s", ($i ~ /^[-0-9.]+$/ ? sprintf("%.9g", $i) : $i), i < NF ? "," : "\n" }'
}
"$headcount" report --db kept.db --csv >said.csv || trouble "$(cat said.csv)"
rounded "$kept.csv" >old
rounded said.csv >new
diff old new >differ || trouble "$(cat differ)"
verdict "the report on a file of format 8 has its old columns and values, new ones behind"

counted() { # file
    sqlite3 "$1" "SELECT count(*), sum(state = 'completed'), sum(test_acc), (SELECT count(*) FROM attempt),
        (SELECT count(*) FROM pruning) FROM trial"
}
"$headcount" run kept.yaml --db kept.db >said 2>&1 || trouble "$(cat said)"
[ "$(counted kept.db)" = "$(counted before.db)" ] || trouble "$(counted before.db) became $(counted kept.db): $(cat said)"
verdict "run has nothing left to do in a file of format 8"

"$headcount" check --db kept.db >said 2>&1 && trouble "the weights are there, which the dump has not"
grep -vE '^the weights of trial [0-9]+: .*: No such file|^kept.db: 24 trials, 0 files of weights' said >differ &&
    trouble "$(cat differ)"
verdict "check finds nothing wrong in a file of format 8 but that its weights are gone"

tables() { # file
    sqlite3 "$1" "SELECT sql FROM sqlite_schema WHERE type <> 'view' AND sql IS NOT NULL ORDER BY name" |
        sed 's/--.*//' | tr -s ' \n' '\n'
}
"$headcount" run kept.yaml --db fresh.db -q --set tune=null --set train.lr=1e-3 --set train.steps=1 >said 2>&1 || trouble "$(cat said)"
format=$(sqlite3 fresh.db "PRAGMA user_version")
[ "$format" -ge 8 ] || trouble "format '$format'"
if [ "$format" = 8 ]; then
    tables before.db >old
    tables fresh.db >new
    diff old new >differ ||
        trouble "A table of format 8, which is released, has changed: raise STORE_VERSION, and add a migration" "$(cat differ)"
fi
verdict "while the format is 8, its tables are those that were released"
finish
