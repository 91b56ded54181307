#!/bin/sh
# The contract: what every command prints of the kept results files of earlier versions, and how it ends, is what
# tests/data/contract/expected has; so are views and queries, and what merges and small runs come to. BLESS=1 (make
# bless) writes what is printed now in its place, to be read as a diff. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
export HOME="$dir" TZ=UTC LC_ALL=C.UTF-8 COLUMNS=100
contract=$root/tests/data/contract
expected=$contract/expected
[ -z "${BLESS:-}" ] || rm -rf "$expected"

restore() { # name: a kept file with its folder
    {
        echo "PRAGMA application_id = 0x48454144; PRAGMA user_version = 8; PRAGMA synchronous = OFF; BEGIN;"
        cat "$contract/files/schema.sql" "$contract/files/$1.sql"
        echo "COMMIT;"
    } | sqlite3 "$1.db" >restored
    [ ! -d "$contract/files/$1.db.d" ] || cp -r "$contract/files/$1.db.d" .
}
# JSON a member a line, so that a diff names it.
spread() {
    sed -e 's/,"/,\n"/g' -e 's/\([[{]\){/\1\n{/g' "$1"
}
compare() { # file of expected/, what there is now
    if [ -n "${BLESS:-}" ]; then
        mkdir -p "$(dirname "$expected/$1")"
        cp "$2" "$expected/$1"
    elif ! diff -u "$expected/$1" "$2" >differ 2>&1; then
        trouble "$3"
        trouble "$(sed 1,2d differ)"
    fi
}

for kept in "$contract"/files/*.sql; do
    kept=$(basename "$kept" .sql)
    [ "$kept" = schema ] || restore "$kept"
done
cp "$contract"/files/*.yaml "$contract"/files/*.txt "$contract"/files/*.csv .

# ---- what SQL sees ----
# Of numbers nine digits: the last ones differ with SQLite's version.
rows_of() { # file, query
    sqlite3 "$@" 2>&1 | awk -F '|' -v OFS='|' \
        '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.]+$/ && length($i) > 10) $i = sprintf("%.9g", $i); print }'
}
sqlite3 -header plain.db "SELECT v.name AS 'view', group_concat(c.name, ' ') AS columns
    FROM sqlite_schema AS v, pragma_table_info(v.name) AS c WHERE v.type = 'view' GROUP BY v.name" >now
compare sql/views now "the columns of the views"
verdict "views have the columns that were promised"
for kept in *.db; do
    for view in $(sqlite3 plain.db "SELECT name FROM sqlite_schema WHERE type = 'view' AND name <> 'trials'"); do
        echo "$view"
        rows_of "$kept" "SELECT * FROM $view" | sort
    done >now
    compare "sql/${kept%.db}" now "the views of $kept"
done
verdict "views have the rows that were promised"
for query in "$root"/results/queries/*.sql; do
    query=$(basename "$query" .sql)
    for kept in plain settings troubles; do
        rows_of $kept.db ".read $root/results/queries/$query.sql"
    done >now
    compare "sql/$query" now "results/queries/$query.sql"
done
verdict "the queries that are delivered have the rows that were promised"

# ---- every command ----
for kept in - $(ls *.db); do
    kept=${kept%.db}
    grep -v '^ *\(#\|$\)' "$contract/commands" | sed 's/   */\t/' | while IFS=$(printf '\t') read -r files words; do
        case " $files " in *" $kept "*) echo "$words" ;; esac
    done >words
    while read -r words; do
        set -- $(echo "$words" | sed "s/FILE/$kept/g; s/NAME/${kept%-1-of-2}/g")
        case $1 in tasks | params | merge | nosuch) ;; *) [ "$kept" = - ] || set -- "$@" --db "$kept.db" ;; esac
        "$headcount" "$@" >said 2>err </dev/null
        echo "exit $?" >>said
        spread said >now
        compare "$kept/$(echo "$words" | tr -s ' /' '__')" now "headcount $*  $(head -n 3 err)"
    done <words
    verdict "what is said of $kept is what was promised"
done

# ---- reports on results made by hand ----
# The comments of each file of made/ say what file it changes (-: none) and what is asked then, of the program ($) or of
# SQL (?). Of JSON the members that stand there are told, of all else what differs from what is said of the file before
# the change.
base_of() { # name
    sed -n 's/^-- from //p' "$contract/made/$1.sql"
}
make_file() { # name
    [ ! -e "$1.db" ] || return 0
    echo "PRAGMA application_id = 0x48454144; PRAGMA user_version = 8; PRAGMA synchronous = OFF; BEGIN;" >"$1.sql"
    if [ "$(base_of "$1")" = - ]; then
        cat "$contract/files/schema.sql" >>"$1.sql"
        grep 'INTO \(t_quantile\|results_file\) ' "$contract/files/plain.sql" >>"$1.sql"
    else
        make_file "$(base_of "$1")"
        cp "$(base_of "$1").db" "$1.db"
    fi
    { cat "$contract/made/$1.sql" && echo "COMMIT;"; } >>"$1.sql"
    sqlite3 -bail "$1.db" <"$1.sql" >restored 2>&1 || trouble "$1: $(cat restored)"
}
ask() { # name, words, file for what is said
    members= out=$3
    set -- "$1" $2
    kept=$1
    shift
    for word; do
        shift
        case $word in
        '$'*) members="$members $word" ;;
        *) set -- "$@" "$word" ;;
        esac
    done
    "$headcount" "$@" --db "$kept.db" >"$out" 2>err </dev/null || echo "exit $?: $(cat err)" >>"$out"
    for member in $members; do
        sqlite3 :memory: "SELECT '$member ' || (CAST(readfile('$out') AS TEXT) -> '$member')"
    done >members
    [ -z "$members" ] || mv members "$out"
}
for made in "$contract"/made/*.sql; do
    made=$(basename "$made" .sql)
    make_file "$made"
    sed -n 's/^-- \$ //p' "$contract/made/$made.sql" >words
    while IFS= read -r words; do
        ask "$made" "$words" now
        case $(base_of "$made")$words in
        -* | *' $'*) ;;
        *)
            ask "$(base_of "$made")" "$words" before
            diff before now >differs
            mv differs now
            ;;
        esac
        compare "made/$made/$(echo "${words%% \$*}" | tr -s ' /' '__')" now "$words of $made"
    done <words
    sed -n "s|QUERIES|$root/results/queries|; s/^-- ? //p" "$contract/made/$made.sql" >words
    while IFS= read -r query; do
        rows_of "$made.db" "$query"
    done <words >now
    [ ! -s words ] || compare "made/$made/sql" now "queries of $made"
done
verdict "reports on results made by hand are what they were"

# ---- what ask writes, where there is time for everything ----
seq 4000 >numbers.txt
awk 'BEGIN { print "id;body;stars"; for (i = 0; i < 600; i++) print i ";\"row; number " i "\";" i % 3 }' >stars.csv
sheet() { # its name without .headcount.yaml, arguments of ask...
    written=$1.headcount.yaml
    shift
    "$headcount" ask "$@" --minutes 100000 --write --db none.db >said 2>&1 </dev/null || trouble "ask $*: $(cat said)"
    compare "ask/$written" "$written" "ask $*"
}
sheet numbers.txt numbers.txt --set train.steps=400 --set model.layers=1 --set train.clip=2 --set seeds=9 --set confirm=null \
    --set retries=1 --set task.split=interleaved --set model.positions=rotary --set task.length=7
sheet stars.csv stars.csv --set train.steps=16 --set 'metric={name: val_loss}' --set model.mask=causal --set model.pool=first
sheet gather --task gather --slots 3 --set train.steps=200 --set train.eval_every=200
verdict "ask writes the sweep files that were promised"

# ---- what comes of a merge, and of small runs ----
"$headcount" merge --no-weights --into parts.db parts-1-of-2.db parts-2-of-2.db -q >now 2>&1 || trouble "$(cat now)"
for words in "report --json" "export results" "status --json"; do
    "$headcount" $words --db parts.db >said 2>&1
    echo "exit $?" >>said
    spread said >now
    compare "parts/$(echo "$words" | tr ' ' _)" now "$words of the merged shards"
done
verdict "two shards make the whole sweep"
for kept in rungs confirm troubles; do
    timeout -s KILL "$(seconds 20)" "$headcount" run $kept.yaml --db run.db -q >said 2>&1
    echo "exit $?" >now
    sqlite3 run.db "SELECT heads, setting, seed, is_tuning, confirms, state, steps_done,
        instr(error, 'limits.memory') > 0 FROM trials
        WHERE sweep = '$kept' AND NOT (is_tuning AND state = 'not_needed') ORDER BY 1, 2, 3, 4, tuning" >>now
    compare "run/$kept" now "run $kept.yaml: $(tail -n 3 said)"
done
verdict "small sweeps run to their ends"
finish
