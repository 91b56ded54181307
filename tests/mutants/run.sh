#!/bin/sh
# usage: run.sh FOLDER NAME TEST...   Makes the mistakes of tests/mutants/*.txt, one at a time, in a copy of the tree in
# FOLDER, and says which test finds each. NAME: only those with this in their names. `make mutants` calls it with all
# tests. Whatever was tried is in FOLDER/results, and is not tried again while sources and tests stay as they are, so
# that this can be stopped and called again. TESTS: only tests whose paths match this (grep -E).
#
# sweep/FLOOR has its mistakes in FLOOR.txt. Each has three lines, and an empty one around it:
#
#   rungs keep one candidate too few
#   - (in + g->eta - 1) / g->eta
#   + in / g->eta
#
# its name, a piece of a line that stands once in the files of sweep/FLOOR, and what stands there instead. If it is not
# there exactly once, the mistake is named as stale, and this fails, as it does if a mistake survives all tests.
set -u
folder=$1 only=$2
shift 2
mkdir -p "$folder"
folder=$(realpath "$folder")
tree=$folder/tree results=$folder/results open=$folder/open
tab=$(printf '\t')
program="all build/libtested.so build/tests/scenarios/scripted_agent"
export CMOCKA_MESSAGE_OUTPUT=TAP HEADCOUNT=./headcount BUILD=build

# ---- the copy ----

# What was left mutated is older than its object.
copy_tree() {
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -cf - --exclude=./build --exclude='./results/*.db*' --exclude=./.git . | tar -xf - -C "$tree"
    cd "$tree" || exit 1
    [ ! -e "$open" ] || touch "$(cat "$open")"
    rm -f "$open"
    key=$(find engine datasets sweep tests configs Makefile -type f ! -path 'tests/mutants/*' | sort |
        xargs sha256sum | cat - "$folder/which" | sha256sum | cut -c 1-16)
}
build() { # target...
    "${MAKE:-make}" -s "$@" >"$folder/build.log" 2>&1 </dev/null
}

# ---- tests ----

# What is quick first: cases, the contract, the random walk, those that include what is mutated; then the scenarios.
in_order() { # floor, its test that found this mistake last time or "", test...
    floor=$1 last=$2
    shift 2
    {
        [ -z "$last" ] || printf '%s\n' "$@" | grep "/$last\(\.sh\)\{0,1\}$"
        for general in verdicts sweep_files contract random_walk; do
            printf '%s\n' "$@" | grep "/test_$general"
        done
        printf '%s\n' "$@" | while read -r test; do
            ! grep -qs "\"sweep/$floor/" "tests/sweep/${test##*/}.c" || echo "$test"
        done
        printf '%s\n' "$@" | grep "/test_scenarios"
        printf '%s\n' "$@"
    } | grep -E "${TESTS:-}" | awk '!seen[$0]++'
}
# Whether a test fails; $why is its first failure.
finds() { # test
    case $1 in
    *.sh) set -- sh "$1" ;;
    *) build "$1" || return ;;
    esac
    rm -f "$folder/said" && mkfifo "$folder/said"
    timeout -k 10 600 "$@" >"$folder/said" 2>/dev/null </dev/null &
    why=$(grep -m 1 '^not ok [0-9]* [^#]' <"$folder/said")
    [ -z "$why" ] || kill $! 2>/dev/null
    wait $! && status=0 || status=$?
    why=$(echo "${why:-status $status}" | sed 's/^not ok [0-9]* [- ]*//' | cut -c 1-60)
    [ $status -ne 0 ]
}

# What fails anyway finds nothing.
passes_without() { # test
    ! grep -qsxF "$key $1" "$folder/passes" || return
    build $program
    ! finds "$1" || { echo "${1##*/} fails without any mistake: $why" && exit 1; }
    echo "$key $1" >>"$folder/passes"
}

# ---- one mistake ----

record() { # floor, name, what found it, how
    printf '%s\t%s\t%s\t%s\t%s\n' "$key" "$1" "$2" "$3" "$4" >>"$results"
    printf '%-28s %s: %s%s\n' "$3" "$1" "$2" "${4:+ ($4)}"
}
# $file, in which it is then, is empty if the mistake is stale.
mutate() { # floor, old, new
    file=
    [ "$(grep -ohF -e "$2" "sweep/$1"/* | wc -l)" -eq 1 ] || return
    file=$(grep -lF -e "$2" "sweep/$1"/*)
    echo "$file" >"$open"
    cp "$file" "$folder/original"
    OLD=$2 NEW=$3 awk '{ old = ENVIRON["OLD"]; at = index($0, old)
        print at ? substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(old)) : $0 }' "$folder/original" >"$file"
}
put_back() {
    cat "$folder/original" >"$file"
    rm -f "$open"
}
try() { # floor, name, old, new, test...
    floor=$1 name=$2 old=$3 new=$4
    shift 4
    case $name in *"$only"*) ;; *) return ;; esac
    ! grep -qsF "$key$tab$floor$tab$name$tab" "$results" || return
    mutate "$floor" "$old" "$new"
    if [ -z "$file" ]; then
        record "$floor" "$name" stale "not there once: $old"
        return
    fi
    last=$(grep -sF "$tab$floor$tab$name$tab" "$results" | cut -f 4 | grep '^test_' | tail -n 1)
    if build $program; then
        found=SURVIVED
        for test in $(in_order "$floor" "$last" "$@"); do
            finds "$test" || continue
            found=$(basename "$test" .sh) how=$why
            break
        done
        put_back
        [ $found = SURVIVED ] && how= || passes_without "$test"
        record "$floor" "$name" $found "$how"
    else
        put_back
        record "$floor" "$name" "does not build" "$(grep -m 1 error "$folder/build.log" | cut -c 1-60)"
    fi
}

# ---- all of them ----

echo "${TESTS:-}" >"$folder/which"
copy_tree
build $program || { cat "$folder/build.log" && exit 1; }
for mutants in tests/mutants/*.txt; do
    name= old=
    while IFS= read -r line <&8 || [ -n "$line" ]; do
        case $line in
        '- '*) old=${line#??} ;;
        '+' | '+ '*) try "$(basename "$mutants" .txt)" "$name" "$old" "$(printf %s "$line" | cut -c 3-)" "$@" ;;
        ?*) name=$line ;;
        esac
    done 8<"$mutants"
done
echo
grep "^$key$tab" "$results" | cut -f 4 | sort | uniq -c | sort -n
grep "^$key$tab.*$tab\(SURVIVED\|stale\|does not build\)$tab" "$results" >"$folder/left" || exit 0
cut -f 2- "$folder/left"
exit 1
