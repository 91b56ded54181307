#!/bin/sh
# Foreign text: whatever stands in the results file, in its folder or in an argument, no command lets a
# byte through to a person that a terminal would obey. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
settle
evil="'a' || char(27) || '[31m' || char(155) || '2J' || char(127, 8238, 13, 7) || CAST(x'9b' AS TEXT)"

"$headcount" run configs/quick.yaml --db r.db --quiet --set train.steps=20 --set seeds=1 >said 2>&1 ||
    trouble "the sweep: $(cat said)"
sqlite3 r.db "UPDATE attempt SET error = 'e', note = 'n' WHERE trial_id = 1"
run="run configs/quick.yaml --set train.steps=20 --set seeds=1"
# Columns of tables that have rows here; crash/rows.sh fills the others too. Every third with a sanitized program,
# which takes long to begin.
columns() { # condition
    sqlite3 r.db "SELECT m.name || ' ' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
                  WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'sqlite%' AND ($1)" |
        while read -r table column; do
            [ "$(sqlite3 r.db "SELECT EXISTS (SELECT * FROM $table)")" = 0 ] || echo "$table $column"
        done >all_columns
    awk -v every="$(sanitized && echo 3 || echo 1)" 'NR % every == 0' all_columns >columns
}
evil_in_columns() { # SQL of the value
    while read -r table column; do
        cp r.db f.db && cp -r r.db.d f.db.d
        sqlite3 f.db "PRAGMA ignore_check_constraints = ON;
            UPDATE OR IGNORE $table SET $column = $1" 2>/dev/null
        for line in "status" "status --json" "show 1" "show 1 --json" "report" "report --markdown" \
            "report --json" "check" "gc --dry-run" "export results" "export weights 1 w.st" \
            "plan configs/quick.yaml" ${run:+"$run"}; do
            harmless "$table.$column" $line --db f.db
        done
        rm -rf f.db f.db.*
    done <columns
}
columns 1
[ "$(wc -l <all_columns)" -ge 45 ] || trouble "only $(wc -l <all_columns) columns of text were found"
evil_in_columns "$evil"
run= # once is enough of what takes longest
columns "instr(m.sql, 'json_type(' || c.name || ')')"
[ "$(wc -l <all_columns)" -ge 12 ] || trouble "only $(wc -l <all_columns) columns of JSON were found"
evil_in_columns "'{\"k\":\"' || $evil || '\"}'"
verdict "no command prints control characters that a column holds"

evil=$(printf 'a\033[31m\302\2332J\177\342\200\256\233')
harmless "--db" status --db "$evil"
harmless "--db" run configs/quick.yaml --db "$evil/x/$evil"
harmless "--set" plan configs/quick.yaml --set "$evil"
harmless "--set" plan configs/quick.yaml --set "train.steps=$evil"
harmless "--set" plan configs/quick.yaml --set "$evil=1"
harmless "a command" "$evil"
harmless "an option" "--$evil"
harmless "an option" report "--$evil"
harmless "a number" run configs/quick.yaml -j "$evil"
harmless "a sweep" report "$evil" --db r.db
harmless "a trial" show "$evil" --db r.db
harmless "a task" tasks "$evil"
harmless "a kind" export "$evil"
harmless "a sweep file" plan "$evil.yaml"
cp configs/quick.yaml "$evil.yaml"
printf '# %s\nname: "a\\e[31m"\n' "$evil" >named.yaml
printf 'constraints: ["heads <= \\e[31m"]\ntask: {name: copy}\nmodel: {heads: 2}\n' >words.yaml
harmless "a sweep file" plan "$evil.yaml" --db "$evil.db"
harmless "a sweep file" plan named.yaml
harmless "a sweep file" plan words.yaml
touch "r.db.d/t1-a1$evil.tmp" "r.db.d/$evil"
harmless "a file's name" gc --dry-run --db r.db
harmless "a file's name" gc --db r.db
HEADCOUNT_KERNELS=$evil harmless "HEADCOUNT_KERNELS" tasks
verdict "no command prints control characters from arguments, files or the environment"

sqlite3 r.db "UPDATE trial SET setting_label = 'a' || char(27, 155) || 'b';
    UPDATE sweep SET eval = json_object('a' || char(27, 155) || 'b', json('{}'))"
harmless "the name of a test set" report --db r.db
harmless "the name of a test set" report --json --db r.db
verdict "no report prints control characters from the name of a test set"
"$headcount" report --csv --db r.db >said 2>&1
grep -q "$(printf 'a\033\302\233b')" said || trouble "$(cat said)"
verdict "CSV into a pipe keeps control characters"
if has_terminal; then
    script -qec "'$headcount' report --csv --db r.db" /dev/null </dev/null | tr -d '\r' >said
    grep -q 'a??b' said || trouble "$(cat said)"
    ! LC_ALL=C grep -aPn -e "$obeyed" said >found || trouble "$(cat found)"
    verdict "CSV on a terminal has no control characters"
else
    skip "CSV on a terminal has no control characters" "script(1)"
fi
finish
