# What all shell tests share; sourced from the repository's root. They speak TAP, a line for each check:
#
#   check NAME COMMAND...   ok if the command succeeds; if not, it is shown with what it said
#   trouble TEXT            something is wrong with the case at hand,
#   verdict NAME            which ends here: ok if there was no trouble since the last line
#   skip NAME WHAT          not looked at here, as this machine does not have WHAT
#   finish                  the end of the test; a test that does not come to it has failed
#   skip_all NAME WHAT      instead of all that
#
# $root is the repository, $headcount the program (HEADCOUNT; ./headcount), $dir a scratch folder. At
# the end it is removed, and what is left of the process $pid and of the processes and groups in $started
# is killed.
root=$PWD
headcount=$(realpath "${HEADCOUNT:-./headcount}")
dir=$(mktemp -d "${TMPDIR:-/tmp}/headcount-test.XXXXXX")
pid= started=
cases=0 failed=0
# Results and words must not hang on who runs this.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE NO_COLOR

clean_up() {
    for process in $pid $started; do
        kill -KILL "-$process" 2>/dev/null || kill -KILL "$process" 2>/dev/null
    done
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- checks ----

trouble() {
    echo "$*" | head -n 20 >>"$dir/.trouble"
}
verdict() {
    cases=$((cases + 1))
    if [ -s "$dir/.trouble" ]; then
        failed=$((failed + 1))
        echo "not ok $cases - $1"
        head -n 40 "$dir/.trouble" | cat -v | sed 's/^/# /'
    else
        echo "ok $cases - $1"
    fi
    rm -f "$dir/.trouble"
}
check() {
    check_name=$1
    shift
    "$@" >"$dir/.check" 2>&1 </dev/null || { echo "failed: $*"; tail -n 20 "$dir/.check"; } >>"$dir/.trouble"
    verdict "$check_name"
}
fails() {
    ! "$@"
}
skip() {
    cases=$((cases + 1))
    echo "ok $cases - $1 # skip needs $2"
}
finish() {
    echo "1..$cases"
    [ "$failed" -eq 0 ]
}
skip_all() {
    skip "$1" "$2"
    finish
    exit
}

# ---- the machine ----

# N seconds of an idle machine, in proportion more of a busy one: how long something may take at most.
cores=$(nproc)
seconds() { # N
    read -r load <"/proc/loadavg"
    echo $(($1 * (cores + ${load%%.*}) / cores))
}
wait_until() { # command...: until it succeeds; false if it did not within a minute or more
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -gt 3000 ] && return 1
        sleep 0.02
    done
}
wait_beside() { # pid of a child, command...: the same, or until the child has ended
    beside=$1
    shift
    wait_until ended_or "$@"
}
ended_or() {
    ! grep -qs '^State:.[^Z]' "/proc/$beside/status" || "$@"
}
children_of() { # pid
    for stat in /proc/[0-9]*/stat; do
        read -r line 2>/dev/null <"$stat" || continue
        rest=${line##*) } # state, parent, ...
        rest=${rest#* }
        [ "${rest%% *}" = "$1" ] && echo "${line%% *}"
    done
}
is_agent() { grep -qsaz '^agent-here$' "/proc/$1/cmdline"; } # of this machine
agent_of() { # pid of a coordinator
    for child in $(children_of "$1"); do
        is_agent "$child" && echo "$child"
    done
}
workers_of() { # pid of a coordinator or an agent
    for parent in "$1" $(agent_of "$1"); do
        for child in $(children_of "$parent"); do
            is_agent "$child" || echo "$child"
        done
    done
}
# A sanitizer's own allocator and tracer do not stand others beside them, and a program that counts
# its coverage does not stand that its files cannot be written.
plain() {
    ! sanitized && ! grep -q '\.gcda' "$headcount"
}
sanitized() {
    ldd "$headcount" 2>/dev/null | grep -q 'lib[a-z]*san\.so'
}
# Of a test in which a sanitizer would have nothing to judge, or only what other tests show it too: the list
# with its reasons is in tests/README.md.
not_sanitized() { # NAME
    ! sanitized || skip_all "$1" "a build without sanitizers"
}
# N steps of training; of a sanitized program as many as take no longer.
steps() { # N
    if sanitized; then echo $(($1 / 5)); else echo "$1"; fi
}
# $inject: the library of crash/inject.c.
inject=$dir/inject.so
make_inject() {
    [ -e "$inject" ] || ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$inject" \
        "$root/tests/crash/inject.c" -ldl
}
can_inject() { # what may kill the program, or fail its calls
    plain && make_inject
}
# Words for env(1) that hold a run where something is to be done to it, however fast the machine is: its Nth
# worker pauses before it begins (start), or before the Nth file of all gets its name (rename: a checkpoint,
# a result); with `all` every later one too. A sanitizer wants to be loaded before the injector, and then
# looks for leaks in whatever a launcher starts.
pausing() { # a name for it, start or rename, N, [all]
    rm -f "$dir/$1.count"*
    make_inject || return
    echo "LD_PRELOAD=$(ldd "$headcount" |
        awk '/lib[a-z]*san\.so/ { printf "%s:", $3 }')$inject FAULT_WHO=worker FAULT_DO=stop" \
        "FAULT_CALLS=$2 FAULT_AT=$3 FAULT_LASTS=${4:+1} FAULT_COUNT=$dir/$1.count ASAN_OPTIONS=detect_leaks=0"
}
# A worker of that coordinator pauses: $held.
pauses() { # pid
    for held in $(workers_of "$1"); do
        grep -qs '^State:.T' "/proc/$held/status" && return
    done
    false
}
can_strace() {
    plain && strace -o /dev/null -e trace=none true 2>/dev/null
}
has_terminal() { # to be had from script(1)
    script -qec true /dev/null >/dev/null 2>&1
}

# ---- the program ----

# From here on in the scratch folder as a user has it: with configs/, and headcount in PATH.
settle() {
    mkdir "$dir/bin" && ln -s "$headcount" "$dir/bin/headcount"
    cp -r "$root/configs" "$dir/configs"
    cd "$dir" || exit 1
    PATH=$dir/bin:$PATH
}
# What a terminal would obey: C0 but for LF and tab, DEL, C1, separators and overrides of direction, C1
# bytes of other encodings. A pattern of grep -aP in the locale C.
obeyed='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]|(^|[\x00-\x7f])[\x80-\x9f]'
# Runs the program: it ends in time, not by a signal, and writes nothing of that. $code; in $dir/said.
harmless() { # label, arguments...
    harmless_label=$1
    shift
    timeout -s KILL "$(seconds 60)" "$headcount" "$@" >"$dir/said" 2>&1 </dev/null
    code=$?
    [ $code -lt 100 ] || trouble "$harmless_label: $*: status $code"
    ! LC_ALL=C grep -aPn -e "$obeyed" "$dir/said" >"$dir/.found" ||
        trouble "$harmless_label: $*: $(head -n 3 "$dir/.found")"
}
