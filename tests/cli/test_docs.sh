#!/bin/sh
# What the READMEs say is true: their commands run, their queries give rows, their sweep files can be
# planned, their links and the files they name are there, and their lists are complete. Commands run
# in a scratch copy, trainings with few steps; `unrun` lists the commands that are not run, and why.
# A new command is either run or listed. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "what the READMEs say is true"
python=${PYTHON:-/usr/bin/python3}
has_torch() { "$python" -c 'import numpy, torch' 2>/dev/null; }
has_tensorboard() { "$python" -c 'import tensorboard' 2>/dev/null; }
has_gnuplot() { command -v gnuplot >/dev/null; }

# Commands that are not run here: the line as it stands in a README, and the reason.
cat >"$dir/unrun" <<'U'
make|builds the program that this test is given
make sweep|installs packages; its sweep is run below
make test|runs this test
make test TESTS=store|runs as a part of make test
make bench|a benchmark of minutes
make bench-peers|a benchmark of minutes
./headcount serve|goes on until Ctrl-C; cli/test_serve.sh runs it
gcc -I. tests/interop/learn.c build/libengine.a -lm -ldl -o learn && ./learn|cli/test_engine.sh builds and runs it
make calibrate|minutes; sweep/test_calibration.c is its short form
make calibrate SWEEPS=2000 CASE=looks|half a minute; sweep/test_calibration.c is its short form
make mutants|hours
make mutants MUTANT='rungs keep'|minutes
make crash|hours
sh results/reference/make.sh gather|minutes; cli/test_numbers.sh runs it on a small sweep
CRASH_KILLS=50 make crash|minutes; cli/test_faults_*.sh runs a sample
CRASH_EDITS=50 make crash|hours; cli/test_faults_*.sh runs a sample
CRASH_SEED=7 sh tests/crash/run.sh kills signals|minutes; cli/test_faults_*.sh runs a sample
TMPDIR=/dev/shm make crash|hours
U

# ---- shape ----
readmes="README.md $(ls */README.md */*/README.md | tr '\n' ' ')"
check "README.md can be read in five minutes (110 lines)" [ "$(wc -l <README.md)" -le 110 ]
opens() { # folder: its README's title is its name, and the first paragraph speaks of it
    [ "$(head -n1 "$1/README.md")" = "# $1" ] && [ -n "$(sed -n 3p "$1/README.md")" ]
}
for folder in configs datasets engine results sweep tests; do
    check "$folder/README.md opens with what the folder is for" opens "$folder"
    check "README.md leads to $folder/README.md" grep -qF "]($folder/README.md)" README.md
done
for floor in $(ls -d engine/*/ sweep/*/); do
    check "the README of ${floor%%/*} says what $floor is for" \
        grep -qF "| \`${floor#*/}\` | " "${floor%%/*}/README.md"
done

# Blocks of code: NNN.LANGUAGE, and where it begins in NNN.place. An indented block or a fence without
# a language becomes NNN.unknown.
mkdir "$dir/blocks"
awk -v dir="$dir/blocks" '
    function open(language) {
        name = sprintf("%s/%03d", dir, ++blocks); file = name "." language
        printf "%s:%d\n", FILENAME, FNR > (name ".place"); close(name ".place")
        printf "" > file
    }
    FNR == 1 { fenced = 0; blank = 1 }
    /^```/ { if (fenced) close(file); else open(length($0) > 3 ? substr($0, 4) : "unknown"); fenced = !fenced; next }
    fenced { print > file; next }
    /^    / && blank { open("unknown"); print > file; close(file) }
    { blank = /^$/ }' $readmes
known_languages() {
    for block in "$dir"/blocks/*.*; do
        case $block in
        *.sh | *.sql | *.yaml | *.python | *.c | *.text | *.place) ;;
        *) echo "$(cat "${block%.*}.place"): a block of sh, sql, yaml, python, c or text is wanted"; false || return ;;
        esac
    done
}
check "every block of code is fenced and names its language" known_languages

# ---- links and names ----
slugs() { # README: the anchors of its headings
    sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links_lead_somewhere() { # README
    folder=$(dirname "$1")
    grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//' >"$dir/links"
    while read -r link; do
        case $link in http*) continue ;; esac
        path=${link%%#*}
        target=${path:+$folder/$path}
        target=${target:-$1}
        [ -e "$target" ] || { echo "$1: no $link"; return 1; }
        case $link in
        *'#'*) slugs "$target" | grep -qxF "${link#*#}" || { echo "$1: no heading for $link"; return 1; } ;;
        esac
    done <"$dir/links"
}
find configs datasets engine results sweep tests -type f >"$dir/tree"
# A file named in a README stands beside it, on the way from the root, or carries that name somewhere
# below the README's folder. `x` is the reader's own name, `*` any, and file.{a,b} is not used.
named_files_exist() { # README
    folder=$(dirname "$1")
    sed '/^```/,/^```/d' "$1" | grep -o '`[a-z0-9_./*-]*\.\(c\|h\|def\|sql\|py\|md\|gp\|csv\|svg\|yaml\|txt\)`' |
        tr -d '`' | grep -v -e '_x\.c' -e 'sweep\.yaml' -e 'SWEEP\.yaml' | sort -u >"$dir/names"
    while read -r file; do
        pattern=$(echo "$file" | sed 's/\./\\./g; s/\*/[a-z0-9_]*/g')
        prefix=$([ "$folder" = . ] || echo "$folder/")
        grep -qx "\($prefix\)\?\([a-z0-9_/]*/\)\?$pattern" "$dir/tree" ||
            { echo "$1 names $file, which is not there"; return 1; }
    done <"$dir/names"
}
for readme in $readmes; do
    check "$readme: all links lead somewhere" links_lead_somewhere "$readme"
    check "$readme: all files that it names are there" named_files_exist "$readme"
done

# ---- lists are complete ----
row_of() { # README, first cell: the table row
    awk -v cell="| \`$2" 'index($0, cell) == 1 { at = substr($0, length(cell) + 1, 1) }
        index($0, cell) == 1 && at ~ /[ `\\]/' "$1"
}
for config in configs/*.yaml; do
    config=$(basename "$config" .yaml)
    check "configs/$config.yaml begins with its question" sh -c "head -n 1 'configs/$config.yaml' | grep -q '^# .*?'"
    [ "$config" = gather ] ||
        check "... and configs/README.md has its finding" grep -qF "**$config**" configs/README.md
done
for query in results/queries/*.sql; do
    check "results/README.md has the question of ${query##*/}" \
        grep -qF "| \`${query##*/}\` | " results/README.md
done
for command in $("$headcount" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    row_of sweep/README.md "$command" >"$dir/row"
    check "sweep/README.md has the command $command" [ -s "$dir/row" ]
    "$headcount" "$command" --help >"$dir/help"
    options_exist() {
        for option in $(grep -o -e '`--[a-z-]*' "$dir/row" | tr -d '`'); do
            grep -qe "[ ,] $option\(\[\?=\|  *\)" "$dir/help" || { echo "$command has no $option"; return 1; }
        done
    }
    check "... and names only options that it has" options_exist
done
the_glossary() { # is that of the program, word for word
    "$headcount" complete terms | sed 's/^/| /; s/\t/ | /; s/$/ |/' >"$dir/terms"
    sed -n '/^## Terms$/,/^## /p' sweep/README.md | grep '^| [a-z]' | sed 1d | diff "$dir/terms" - && [ -s "$dir/terms" ]
}
check "sweep/README.md has the terms of headcount help terms" the_glossary
for task in $("$headcount" tasks | sed -n '2,/^$/s/^\([a-z_]*\) .*/\1/p'); do
    check "datasets/README.md has the task $task" grep -q "^| .*\`$task\`" datasets/README.md
done
for status in $(sed -n '/EXIT_DONE/,/}/p' sweep/cli/command.h | grep -o '= [0-9]*' | tr -d '= '); do
    check "sweep/README.md has the exit status $status" grep -q "^| $status |" sweep/README.md
done

# Each fault is shown by tests that are there and run: a file, or functions of it, which stand behind it.
sed -n '/^### Faults/,$p' tests/README.md | grep '^|' | grep -v '^| fault |\|^| input |\|^|---' >"$dir/faults"
shown() { # row
    what=${1#| }
    echo "${1#*| *| }" | grep -o \
        '`[a-z]*/[a-z_]*\.[a-z]*`\( [a-z]*_[a-z_0-9]*\(, [a-z]*_[a-z_0-9]*\)*\)\?' >"$dir/tests"
    grep -q 'make fuzz' "$dir/row" || [ -s "$dir/tests" ] || { echo "${what%% |*}: shown by nothing"; return 1; }
    while read -r file functions; do
        file=$(echo "$file" | tr -d '`')
        [ -e "tests/$file" ] || { echo "${what%% |*}: no tests/$file"; return 1; }
        case $file in
        crash/*.sh) grep -qw "^all=.*$(basename "$file" .sh)" tests/crash/run.sh ||
            { echo "$file is not run"; return 1; } ;;
        esac
        for function in $(echo "$functions" | tr -d ','); do
            grep -Eq "[A-Za-z_]+\($function\b" "tests/$file" || { echo "$file does not run $function"; return 1; }
        done
    done <"$dir/tests"
}
every_fault_is_shown() {
    while read -r row <&4; do
        echo "$row" >"$dir/row"
        shown "$row" || return 1
    done 4<"$dir/faults"
    [ "$(wc -l <"$dir/faults")" -ge 40 ]
}
check "tests/README.md names tests that are there and run for every fault" every_fault_is_shown

# ---- commands, in a scratch copy ----
mkdir "$dir/copy"
cp -r configs tests results Makefile "$dir/copy"
rm -rf "$dir"/copy/results/*.db*
cat >"$dir/copy/headcount" <<W
#!/bin/sh
case \$1 in
run | plan)
    set -- "\$@" --set train.steps=20 --set train.schedule.warmup=5 --set train.eval_every=10 \
        --set train.val_examples=32 --set train.test_examples=32
    ;;
esac
case "\$*" in
*configs/text.yaml*) set -- "\$@" --set tune.rungs=null --set seeds=2 --set model.d_ff=64 --set train.batch=8 ;;
*configs/gather.yaml*) set -- "\$@" --set train.batch=8 ;;
bench*) set -- "\$@" --batch 2 --trained 1 --milliseconds 1 ;;
esac
exec '$headcount' "\$@"
W
chmod +x "$dir/copy/headcount"
mkdir "$dir/bin" && ln -s "$python" "$dir/bin/python3"
cd "$dir/copy" || exit 1
PATH=$dir/bin:$PATH
goal_exists() { # make line
    goal=$(echo "$1" | sed -n 's/.*\bmake *\([a-z-]*\).*/\1/p')
    grep -q "^${goal:-all}:" Makefile
}
run_line() { # file:line, line without its comment
    case $2 in
    *interop/torch_*) has_torch || { skip "$1: $2" "python3-torch"; return; } ;;
    *tensorboard*) has_tensorboard || { skip "$1: $2" "tensorboard (pip install tensorboard)"; return; } ;;
    *gnuplot*|*--svg*) has_gnuplot || { skip "$1: $2" gnuplot; return; } ;;
    esac
    check "$1: $2" sh -ec "$2"
}
for place in "$dir"/blocks/*.place; do
    block=${place%.place}
    at=$(cat "$place")
    if [ -e "$block.sh" ]; then
        sed 's/  *# .*//; /^ *#/d; /^ *$/d' "$block.sh" >"$dir/lines"
        while read -r line <&3; do
            if grep -qF "$line|" "$dir/unrun" && sed 's/|.*//' "$dir/unrun" | grep -qxF "$line"; then
                case $line in
                *make*) check "$at: $line (not run: $(grep -F "$line|" "$dir/unrun" | head -n1 |
                    sed 's/.*|//'))" goal_exists "$line" ;;
                esac
                echo "$line" >>"$dir/listed"
            else
                run_line "$at" "$line"
            fi
        done 3<"$dir/lines"
    elif [ -e "$block.sql" ]; then
        check "$at: the query gives rows" sh -c "sqlite3 results/headcount.db <'$block.sql' | grep -q ."
    elif [ -e "$block.yaml" ] && grep -q '^scrape_configs:' "$block.yaml"; then
        if command -v promtool >/dev/null; then
            sed "s|credentials_file: [^}]*|credentials_file: $block.yaml|" "$block.yaml" >"$dir/prometheus.yml"
            check "$at: Prometheus takes this configuration" promtool check config "$dir/prometheus.yml"
        else
            skip "$at: Prometheus takes this configuration" "promtool (Debian: prometheus)"
        fi
    elif [ -e "$block.yaml" ]; then
        check "$at: the sweep file can be planned" "$headcount" plan "$block.yaml" --set name=block --db "$dir/none.db"
    elif [ -e "$block.python" ]; then
        if has_torch; then
            check "$at: the Python runs" "$python" -W error::DeprecationWarning "$block.python"
        else
            skip "$at: the Python runs" "python3-torch"
        fi
    fi
done
none_is_stale() { sed 's/|.*//' "$dir/unrun" | while read -r line; do grep -qxF "$line" "$dir/listed" ||
    { echo "$line"; exit 1; }; done; }
check "every command that this test does not run is in a README" none_is_stale
for query in results/queries/*.sql; do
    check "$query gives a table" sh -c "sqlite3 -box results/headcount.db <$query"
done
for kind in table view; do
    for name in $(sqlite3 results/headcount.db "SELECT name FROM sqlite_schema WHERE type = '$kind'
        AND name NOT LIKE 'sqlite_%'"); do
        check "results/README.md has the $kind $name" grep -q "^| .*\`$name\`.* | " "$root/results/README.md"
    done
done
finish
