#!/bin/sh
# usage: deps.sh [-n] TARGET...   TARGET: build, serve, test, lint, fuzz, crash, coverage, weight, page, cluster, arm64,
# deb, bare
# Installs what the named targets need where this machine lacks it: with apt on Debian and its children, saying what it
# does. Where it cannot, and with -n, it names the packages and fails. What is only wanted is installed where apt has
# it; its tests skip elsewhere. CC and EXTRA are those of the build: what they find is not missing.
set -eu

CC=${CC:-gcc} EXTRA=${EXTRA:-}
missing= optional=
need() { # package, test
    if ! eval "$2" >/dev/null 2>&1; then
        missing="$missing $1"
    fi
}
want() { # package, test
    if ! eval "$2" >/dev/null 2>&1; then
        optional="$optional $1"
    fi
}
available() { # package...: those that apt can install here
    for package; do
        ! apt-get install --simulate "$package" >/dev/null 2>&1 || echo "$package"
    done
}
compiler() { # options of the compiler...; EXTRA in words as make's shell takes them
    eval "$CC $EXTRA \"\$@\""
}
compiles() { # line of C...
    printf '%s\n' "$@" | compiler -fsyntax-only -x c - >/dev/null 2>&1
}
header() {
    compiles "#include <$1>"
}
library() {
    compiler -shared -o /dev/null -x c /dev/null "-l$1"
}

only_name=
[ "${1-}" != -n ] || { only_name=yes && shift; }
for target; do
    case $target in
    build)
        need "$(basename "${CC%% *}")" "command -v ${CC%% *}"
        need libc6-dev 'header stdio.h'
        # Not another BLAS; the library is loaded by whoever computes.
        need libopenblas-dev "compiles '#include <cblas.h>' '__typeof__(openblas_get_config) *config;'"
        need libyaml-dev 'header yaml.h && library yaml'
        need libsqlite3-dev 'header sqlite3.h && library sqlite3'
        need zlib1g-dev 'header zlib.h && library z'
        ;;
    serve) need libmicrohttpd-dev 'header microhttpd.h' ;;
    test)
        need libcmocka-dev "compiles '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' \
            '#include <setjmp.h>' '#include <cmocka.h>'"
        need sqlite3 'command -v sqlite3'
        ;;
    lint)
        need clang-tidy 'command -v clang-tidy'
        need clang-format 'command -v clang-format'
        need cppcheck 'command -v cppcheck'
        ;;
    fuzz)
        need clang 'command -v clang'
        need libclang-rt-dev \
            'echo "int LLVMFuzzerTestOneInput(void) { return 0; }" |
                clang -fsanitize=fuzzer,address -o /dev/null -x c -'
        ;;
    crash)
        need strace 'command -v strace'
        need valgrind 'command -v valgrind'
        ;;
    coverage) need gcovr 'command -v gcovr' ;;
    weight) need cloc 'command -v cloc' ;;
    page)
        need chromium 'command -v chromium'
        want firefox-esr 'command -v firefox-esr'
        need python3 'command -v python3'
        need fonts-dejavu-core 'fc-list : family | grep -q .'
        ;;
    deb)
        need debhelper 'command -v dh'
        need build-essential 'dpkg --status build-essential'
        ;;
    bare) need debootstrap 'PATH=$PATH:/usr/sbin command -v debootstrap' ;;
    cluster)
        PATH=$PATH:/usr/sbin:/sbin
        need slurm-wlm 'command -v slurmctld && command -v slurmd && command -v sbatch'
        need munge 'command -v munged'
        need openssh-server 'command -v sshd'
        need openssh-client 'command -v ssh'
        ;;
    arm64)
        need gcc-aarch64-linux-gnu 'command -v aarch64-linux-gnu-gcc'
        need qemu-user 'command -v qemu-aarch64'
        ;;
    esac
done

# Of what is here; what apt has is no newer.
too_old() {
    ! header stddef.h || compiles 'typedef int v __attribute__((vector_size(16)));' \
        'v f(v a);' 'v f(v a) { return __builtin_shufflevector(a, a, 3, 2, 1, 0); }' ||
        echo "too old: $(compiler --version | head -n 1); gcc 12 or later is needed, or clang (make CC=clang)"
    ! header sqlite3.h || compiles '#include <sqlite3.h>' '#if SQLITE_VERSION_NUMBER < 3038000' '#error' '#endif' ||
        echo "too old: SQLite $(printf '#include <sqlite3.h>\nSQLITE_VERSION\n' | compiler -E -x c - |
            tail -n 1 | tr -d '"'); 3.38 or later is needed (make EXTRA='-IFOLDER -LFOLDER')"
}
stop_if_too_old() {
    old=$(too_old)
    [ -z "$old" ] || { echo "$old" >&2 && exit 1; }
}
name_missing() {
    [ -n "$missing" ] || return 0
    if command -v apt-get >/dev/null 2>&1; then
        echo "headcount needs:$missing"
        echo "as root: apt-get install$missing"
    else
        echo "headcount needs these packages (Debian's names; yours may differ):$missing"
    fi
    case $missing in *-dev*) echo "if they lie in folders of your own: make EXTRA='-IFOLDER -LFOLDER'" ;; esac
} >&2

stop_if_too_old
if [ -n "$only_name" ] || ! command -v apt-get >/dev/null 2>&1; then
    name_missing
    [ -z "$missing" ]
    exit
fi
[ -n "$missing" ] || [ -n "$(available $optional)" ] || exit 0
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
log=$(mktemp) policy=
trap 'rm -f "$log"; [ -z "$policy" ] || $sudo rm -f $policy' EXIT
quietly() { # command...: what it says is shown only if it fails
    "$@" >"$log" 2>&1 || { cat "$log" >&2 && return 1; }
}
# Daemons among the packages are for the tests to start, not for this machine, now or when it boots.
keep_daemons_off() {
    [ ! -e /usr/sbin/policy-rc.d ] || return 0
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' | $sudo sh -c "cat >$policy && chmod 755 $policy"
}
install() { # package...
    [ -z "$sudo" ] || command -v sudo >/dev/null 2>&1 || return 1
    echo "installing what is missing, usually within a minute: ${sudo:+$sudo }apt-get install $*" >&2
    $sudo true && keep_daemons_off && quietly $sudo apt-get update -qq &&
        quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
[ -z "$missing" ] || install $missing || { name_missing && exit 1; }
optional=$(available $optional) # by the lists that update fetched
[ -z "$optional" ] || install $optional || echo "headcount goes without: $optional" >&2
for daemon in munge:munge slurm-wlm:slurmctld slurm-wlm:slurmd openssh-server:ssh; do
    case " $missing " in *" ${daemon%:*} "*) $sudo systemctl disable -q "${daemon#*:}" 2>/dev/null || : ;; esac
done
stop_if_too_old
