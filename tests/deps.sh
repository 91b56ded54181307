#!/bin/sh
# usage: deps.sh [lint] [fuzz] [crash] [coverage] [page] [cluster] [arm64] [bare] [deb]
# Installs what building and testing need, and what the named targets need beside that, where this machine lacks it:
# with apt on Debian and its children, saying what it does; elsewhere it names the packages. What is only wanted is
# installed where apt has it; its tests skip elsewhere.
set -eu

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
header() { # the compiler finds the header
    echo "#include <$1>" | gcc -E -x c - >/dev/null 2>&1
}

need gcc 'command -v gcc'
need libc6-dev 'header stdio.h'
need libopenblas-dev 'header cblas.h && gcc -shared -o /dev/null -x c /dev/null -lopenblas'
need libyaml-dev 'header yaml.h'
need libsqlite3-dev 'header sqlite3.h'
need libmicrohttpd-dev 'header microhttpd.h'
need libcmocka-dev \
    "printf '#include <%s.h>\n' stdarg stddef stdint setjmp cmocka | gcc -E -x c -"
need sqlite3 'command -v sqlite3'
for target; do
    case $target in
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
[ -n "$missing" ] || [ -n "$(available $optional)" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "headcount needs these packages (Debian's names; yours may differ):$missing" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        [ -n "$missing" ] || exit 0
        echo "headcount needs:$missing" >&2
        echo "as root: apt-get install$missing" >&2
        exit 1
    fi
    sudo=sudo
fi
install() { # package...
    echo "installing what is missing: ${sudo:+$sudo }apt-get install $*" >&2
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}
# Daemons among them are for the tests to start, not for this machine, now or when it boots.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$sudo rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | $sudo sh -c "cat >$policy && chmod 755 $policy"
fi
if [ -n "$missing" ]; then
    $sudo apt-get update -qq
    install $missing
fi
optional=$(available $optional) # by the lists that update fetched
[ -z "$optional" ] || install $optional || echo "headcount goes without: $optional" >&2
for daemon in munge:munge slurm-wlm:slurmctld slurm-wlm:slurmd openssh-server:ssh; do
    case " $missing " in *" ${daemon%:*} "*) $sudo systemctl disable -q "${daemon#*:}" 2>/dev/null || : ;; esac
done
