#!/bin/sh
# `make dist`: two repositories with the same commit, in different folders, give a tar of the same bytes; what it is
# unpacked to has every file, knows its commit, and packs itself again, whatever else lies there by then. And the
# Debian package needs what tests/deps.sh installs. Speaks TAP.
. tests/tap.sh
not_sanitized "the packages are reproducible and complete"
command -v git >/dev/null || skip_all "make dist packs a commit to the same bytes everywhere" git
[ -e .git ] || [ -e .files ] || skip_all "make dist packs a commit to the same bytes everywhere" "a repository or its tar"
# Git without this user's settings and hooks, in folders that may belong to another.
unset $(git rev-parse --local-env-vars)
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL="$dir/gitconfig"
printf '[safe]\ndirectory = *\n[user]\nname = x\nemail = x@x\n' >"$GIT_CONFIG_GLOBAL"
make_in() { # folder, words for make...
    folder=$1
    shift
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$folder" HTTPD= "$@"
}
identity() { # folder, VERSION, COMMIT or SOURCES
    make_in "$1" build/build_id.h && sed -n "s/.* BUILD_$2 \"\(.*\)\"/\1/p" "$1/build/build_id.h"
}
is() { [ "$1" = "$2" ] || { echo "'$1', not '$2'"; return 1; }; }

# ---- the same bytes ----
tracked() { # files of the tree, each ended by a null byte
    if [ -e .git ]; then git ls-files -z; else cat .files; fi
}
repository() { # of the tree, but for what was built
    mkdir -p "$dir/one" "$dir/far/away" &&
        tracked | tar --ignore-failed-read -cf - --null -T - | tar -C "$dir/one" -xf - &&
        (cd "$dir/one" && git init -q && git add -A -f && GIT_COMMITTER_DATE='1700000000 +0000' git commit -qm x) &&
        (umask 077 && git clone -q "$dir/one" "$dir/far/away/two")
}
check "two repositories of one commit are made" repository
name=headcount-$(identity "$dir/one" VERSION)
tar=build/$name.tar.gz
same_bytes() {
    (umask 022 && make_in "$dir/one" dist) &&
        (umask 077 && GZIP=-1 TZ=Asia/Tokyo LC_ALL=C.UTF-8 make_in "$dir/far/away/two" dist) &&
        cmp "$dir/one/$tar" "$dir/far/away/two/$tar"
}
check "make dist packs both to the same bytes" same_bytes
nobody() {
    TZ=UTC tar -tvf "$dir/one/$tar" >"$dir/list" && [ -s "$dir/list" ] &&
        ! grep -Ev '^-rw(xr-xr-x|-r--r--) 0/0 +[0-9]+ 2023-11-14 22:13 ' "$dir/list"
}
check "... with files that name no user and are as old as the commit" nobody
unpacked() {
    mkdir "$dir/unpacked" && tar -C "$dir/unpacked" -xf "$dir/one/$tar"
    diff -r --exclude=.git --exclude=build "$dir/one" "$dir/unpacked/$name" >"$dir/differs"
    is "$(cat "$dir/differs")" "Only in $dir/unpacked/$name: .commit
Only in $dir/unpacked/$name: .files"
}
check "the tar has every file, .commit and .files" unpacked

# ---- without a repository ----
there=$dir/unpacked/$name
commit=$(identity "$dir/one" COMMIT)
rubbish() { # folder: a user's work there
    mkdir -p "$1/out" "$1/tests/page/__pycache__" &&
        touch "$1/out/x.o" "$1/tests/page/__pycache__/x.pyc" "$1/x.db" "$1/x.db-wal" "$1/x.headcount.yaml"
}
rubbish "$there"
rubbish "$dir/one"
same_again() { make_in "$there" dist && cmp "$dir/one/$tar" "$there/$tar"; }
check "an unpacked tar knows its commit" is "$(identity "$there" COMMIT)" "$commit"
check "... and the hash of its sources" is "$(identity "$there" SOURCES)" "$(identity "$dir/one" SOURCES)"
check "... and packs itself to the same bytes, whatever else lies there" same_again
(cd "$dir/unpacked" && git init -q && git commit -q --allow-empty -m other)
elsewhere() { # repository or unpacked tar
    make_in "$1" BUILD=out dist && cmp "$dir/one/$tar" "$1/out/$name.tar.gz"
}
check "... also with another build folder" elsewhere "$there"
check "... and so does a repository" elsewhere "$dir/one"
check "an unpacked tar in another repository knows its own commit" is "$(identity "$there" COMMIT)" "$commit"
dirty() { # folder: it is that commit no more, which says by which sources
    is "$(identity "$1" COMMIT)" "$commit-dirty+$(identity "$1" SOURCES | cut -c1-12)"
}
echo >>"$there/engine/graph.c"
check "a changed tar is marked as dirty" dirty "$there"
echo >>"$dir/one/engine/graph.c"
check "... and so is a changed repository" dirty "$dir/one"
rm "$there/LICENSE" "$dir/one/LICENSE"
same_changed() { make_in "$dir/one" dist && make_in "$there" dist && tar -xOf "$dir/one/$tar" "$name/.commit" >"$dir/says" &&
    tar -xOf "$there/$tar" "$name/.commit" | cmp - "$dir/says" && grep "^$commit-dirty " "$dir/says"; }
check "... and so are the tars of both" same_changed
left_out() { # repository or unpacked tar
    tar -tf "$1/$tar" >"$dir/list" && grep -q "^$name/README.md$" "$dir/list" && ! grep "^$name/LICENSE$" "$dir/list"
}
check "the tar of a repository leaves out a deleted file" left_out "$dir/one"
check "... and so does that of an unpacked tar" left_out "$there"
of_nothing() { ! make_in "$there" dist COMMIT=unknown 2>"$dir/said" && grep -q "neither .git nor .commit and .files tell" "$dir/said"; }
rm -rf "$dir/unpacked/.git"
mv "$there/.files" "$dir"
check "a folder without the list of its files cannot be packed, and make says so" of_nothing
mv "$dir/.files" "$there"
rm "$there/.commit"
check "... and neither can one without its commit" of_nothing

# ---- the Debian package ----
# What Debian does not take for granted.
installed() {
    sed -n '/^    build)/,/;;/p; /^    serve)/p' tests/deps.sh | grep -o 'need z*lib[a-z0-9-]*' | sed 's/^need //' |
        grep -vx libc6-dev | sort
}
declared() { sed -n 's/^Build-Depends: debhelper[^,]*, //p' sweep/cli/debian/control | tr ',' '\n' | tr -d ' ' | sort; }
check "the Debian package is built with what tests/deps.sh installs" is "$(installed)" "$(declared)"
loaded() { # library that the program loads, package
    grep -rq "library_open(.*, \"$1\", $2, \"$3\"" engine sweep && grep -qE "^(Depends|Recommends): .*\b$3\b" sweep/cli/debian/control
}
check "... and wants OpenBLAS" loaded libopenblas 0 libopenblas0
check "... and libmicrohttpd" loaded libmicrohttpd 12 libmicrohttpd12
finish
