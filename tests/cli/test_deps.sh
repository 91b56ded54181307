#!/bin/sh
# tests/deps.sh where programs and packages are missing, as an ordinary user whose sudo only writes down what it is
# asked to do: what is needed is installed; what is only wanted, where apt has it. Speaks TAP.
. tests/tap.sh

program() { # name, what it does: the only programs that there are
    printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1" && chmod 755 "$dir/bin/$1"
}
mkdir "$dir/bin"
sh=$(command -v sh)
for name in sh basename cat grep head mktemp rm tail tr; do ln -s "$(command -v $name)" "$dir/bin"; done
program id 'echo 1000'
program fc-list 'echo "DejaVu Sans"'
for name in sqlite3 chromium python3; do program $name :; done
compiler() { # name, pattern of what it does not compile or link
    program "$1" "case \$* in --version) echo '$1 10.2.1' ;; *-fsyntax-only*) ! grep -q '$2' ;; *-l*) ! echo \"\$*\" | grep -q '$2' ;;
        *-E*) echo '\"3.34.1\"' ;; esac"
}
compiler gcc nothing
writes_down="echo \"\$*\" >>'$dir/log'"
program sudo "case \$1 in sh) cat >/dev/null ;; apt-get | env) echo noise ;; esac; $writes_down"
apt_has() { # pattern of packages
    program apt-get "case \$3 in $1) ;; *) echo 'E: Unable to locate package' >&2; exit 100 ;; esac"
}
deps() { # words for it...; what is said beside its own lines is not
    : >"$dir/log"
    PATH=$dir/bin "$sh" tests/deps.sh "$@" 2>"$dir/said" </dev/null && ! grep noise "$dir/said"
}
installed() { # packages: nothing else was, and in one go
    sed -n 's/.* --no-install-recommends //p' "$dir/log" >"$dir/installed"
    [ "$(cat "$dir/installed")" = "$1" ] || { cat "$dir/log" "$dir/said"; return 1; }
}
says() { # words for deps... -- lines that it fails with
    words=
    while [ "$1" != -- ]; do
        words="$words $1"
        shift
    done
    shift
    ! deps $words || return 1
    printf '%s\n' "$@" | cmp - "$dir/said" && [ ! -s "$dir/log" ] || { cat "$dir/log" "$dir/said"; return 1; }
}

# ---- what is wanted ----
apt_has chromium
without() { deps page && [ ! -s "$dir/log" ] && [ ! -s "$dir/said" ]; }
check "a browser that apt lacks is not asked for" without
needed() { rm "$dir/bin/chromium" && deps page && installed chromium; }
check "... and what is needed is installed without it" needed
apt_has '*'
both() { deps page && installed "chromium
firefox-esr"; }
check "all that is wanted and that apt has is installed" both
program chromium :
only() { deps page && installed firefox-esr; }
check "... also if nothing else is missing" only
program sudo "case \$* in sh*) cat >/dev/null ;; *firefox-esr) echo 'no room'; exit 1 ;; esac"
failing() { deps page && grep -qx "headcount goes without: firefox-esr" "$dir/said" && grep -qx "no room" "$dir/said"; }
check "... and if that fails, the missing package is named, with what apt said" failing
rm "$dir/bin/sudo"
passed_over() { deps page && [ "$(cat "$dir/said")" = "headcount goes without: firefox-esr" ]; }
check "... and without sudo it is passed over" passed_over

# ---- what is needed ----
rm "$dir/bin/sqlite3"
check "a user without sudo is told what root has to install" \
    says test -- "headcount needs: sqlite3" "as root: apt-get install sqlite3"
program sudo "echo 'x is not in the sudoers file' >&2; exit 1"
check "... and so is one whom sudo refuses" says test -- \
    "installing what is missing, usually within a minute: sudo apt-get install sqlite3" \
    "x is not in the sudoers file" "headcount needs: sqlite3" "as root: apt-get install sqlite3"
program sudo 'case $1 in sh) cat >/dev/null ;; apt-get) echo "no network"; exit 1 ;; esac'
check "... and one whose apt fails, with what it said" says test -- \
    "installing what is missing, usually within a minute: sudo apt-get install sqlite3" \
    "no network" "headcount needs: sqlite3" "as root: apt-get install sqlite3"
program sudo "$writes_down"
check "-n only names what is missing" says -n test -- "headcount needs: sqlite3" "as root: apt-get install sqlite3"
rm "$dir/bin/apt-get"
check "without apt it is named by Debian's names" says test -- \
    "headcount needs these packages (Debian's names; yours may differ): sqlite3"
check "... but only for packages that are needed" without

# ---- what the build needs ----
compiler gcc 'cmocka\|microhttpd'
check "the build needs neither libmicrohttpd nor what tests need" deps build
check "... which are asked for by name" says serve test -- \
    "headcount needs these packages (Debian's names; yours may differ): libmicrohttpd-dev libcmocka-dev sqlite3" \
    "if they lie in folders of your own: make EXTRA='-IFOLDER -LFOLDER'"
named() { # packages
    says build -- "headcount needs these packages (Debian's names; yours may differ): $1" \
        "if they lie in folders of your own: make EXTRA='-IFOLDER -LFOLDER'"
}
compiler gcc yaml.h
check "a header that the compiler does not find is missing" named libyaml-dev
compiler gcc lyaml
check "... and so is a library" named libyaml-dev
compiler gcc openblas_get_config
check "... and an OpenBLAS where there is another BLAS" named libopenblas-dev
program gcc 'case $* in *"-I/my own/folder"*) ;; *) exit 1 ;; esac'
in_a_folder() { EXTRA="-I'/my own/folder'" deps build; }
check "... but not what lies in a folder that EXTRA names" in_a_folder
rm "$dir/bin/gcc"
compiler clang-11 nothing
of_another() { CC="clang-11 -m64" deps build; }
check "what another compiler finds is not missing" of_another
absent() { CC="/no/such/gcc-14 -m64" named "gcc-14 libc6-dev libopenblas-dev libyaml-dev libsqlite3-dev zlib1g-dev"; }
check "a compiler that is not there is missing" absent
compiler gcc shufflevector
check "a compiler that is too old is named" says build -- \
    "too old: gcc 10.2.1; gcc 12 or later is needed, or clang (make CC=clang)"
compiler gcc 'SQLITE_VERSION_NUMBER'
check "... and so is SQLite" says build -- \
    "too old: SQLite 3.34.1; 3.38 or later is needed (make EXTRA='-IFOLDER -LFOLDER')"
finish
