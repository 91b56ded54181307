#!/bin/sh
# tests/deps.sh where programs and packages are missing, as an ordinary user whose sudo only writes down what it is
# asked to do: what is needed is installed; what is only wanted, where apt has it. Speaks TAP.
. tests/tap.sh

program() { # name, what it does: the only programs that there are
    printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1" && chmod 755 "$dir/bin/$1"
}
mkdir "$dir/bin"
sh=$(command -v sh)
ln -s "$sh" "$(command -v grep)" "$(command -v cat)" "$dir/bin"
program id 'echo 1000'
program fc-list 'echo "DejaVu Sans"'
for name in gcc sqlite3 chromium python3; do program $name :; done
program sudo "cat >/dev/null; echo \"\$*\" >>'$dir/log'"
apt_has() { # pattern of packages
    program apt-get "case \$3 in $1) ;; *) echo 'E: Unable to locate package' >&2; exit 100 ;; esac"
}
deps() { # target...
    : >"$dir/log"
    PATH=$dir/bin "$sh" tests/deps.sh "$@" 2>"$dir/said" </dev/null
}
installed() { # packages: nothing else was, and in one go
    sed -n 's/.* --no-install-recommends //p' "$dir/log" >"$dir/installed"
    [ "$(cat "$dir/installed")" = "$1" ] || { cat "$dir/log" "$dir/said"; return 1; }
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
program sudo 'cat >/dev/null; case $* in *firefox-esr) exit 1 ;; esac'
failing() { deps page && grep -qx "headcount goes without: firefox-esr" "$dir/said"; }
check "... and if that fails, the missing package is named" failing
rm "$dir/bin/sudo"
check "... and without sudo it is passed over" without

# ---- what is needed ----
rm "$dir/bin/sqlite3"
told() { ! deps && grep -qx "as root: apt-get install sqlite3" "$dir/said"; }
check "a user without sudo is told what root has to install" told
rm "$dir/bin/apt-get"
named() { ! deps page && grep -q "^headcount needs these packages .*: sqlite3$" "$dir/said"; }
check "... and without apt which packages to look for" named
program sqlite3 :
check "... but only for packages that are needed" without
finish
