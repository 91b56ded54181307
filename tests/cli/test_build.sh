#!/bin/sh
# The program as it was linked: hardened (OpenSSF's compiler options guide), and linked to nothing
# beside its two libraries: OpenBLAS is loaded by whoever computes. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
has() { # pattern, readelf option
    readelf "$2" --wide "$headcount" | grep -Eq "$1"
}
has_not() { ! has "$@"; }

if ! plain; then
    skip "hardening" "a plain build"
else
    check "position independent" has 'Type: *DYN' --file-header
    check "read-only after relocation" has GNU_RELRO --program-headers
    check "... all of it, bound at the start" has 'FLAGS.*NOW' --dynamic
    check "no executable stack" has 'GNU_STACK.* RW ' --program-headers
    check "no segment both writable and executable" has_not 'LOAD.* RWE ' --program-headers
    check "no path of the builder to look for libraries" has_not 'RPATH|RUNPATH' --dynamic
    check "stack protector" has '__stack_chk_fail' --dyn-syms
    check "fortified functions" has '__(snprintf|memcpy|printf|fprintf)_chk' --dyn-syms
    if [ "$(uname -m)" = x86_64 ]; then
        # As a mark for the kernel it also takes a C library that was built so, which Debian's is not.
        check "targets of indirect branches are marked" sh -c "objdump -d '$headcount' | grep -A1 '<main>:' | grep -q endbr64"
    else
        skip "targets of indirect branches are marked" "x86-64"
    fi
    check "two libraries and the C library's" [ "$(readelf --dynamic "$headcount" |
        sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' | grep -Ev '^(libc|libm|ld-linux.*)$' | sort |
        tr '\n' ' ')" = "libsqlite3 libyaml-0 " ]
fi

# ---- the Makefile, as a user's shell calls it ----
flags_of() { # the flags that `make $@` works with
    env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -pn "$@" 2>/dev/null | sed -n 's/^MAKEFLAGS = //p'
}
jobs_are() { # what stands behind -j, goal and options of make...
    jobs=$1
    shift
    case "$(flags_of "$@") " in *" -j$jobs "*) ;; *) flags_of "$@"; return 1 ;; esac
}
in_turn() { case "$(flags_of "$@")" in *-j*) return 1 ;; esac; }
check "one goal is built on all cores" jobs_are "$(nproc)" help
check "... -j goes before that" jobs_are 7 -j7 help
check "... also where it asks for one" jobs_are 1 -j1 help
check "several goals are made in turn" in_turn clean help
help=$(make -s help)
for goal in sweep test install bench bench-peers fuzz crash coverage lint check-deps format check-format clean; do
    check "make help tells of $goal" sh -c 'echo "$0" | grep -qw -e "$1"' "$help" "$goal"
done
check "one short line a file" sh -c "env -u MAKEFLAGS -u MAKELEVEL make -n -W engine/graph.c build/engine/graph.o | grep -q '^printf .* CC build/engine/graph.o$'"
check "without libmicrohttpd it is built, and says so" sh -c "env -u MAKEFLAGS -u MAKELEVEL make -n HTTPD= -W sweep/serve/serve.c BUILD=$dir/build >out.$$ && grep -q 'without headcount serve' out.$$ && grep -q listener_none.o out.$$ && ! grep -q httpd.o out.$$; status=\$?; rm -f out.$$; exit \$status"
race() { # two makes in one checkout, both of which find the headers to be old
    headers=$(printf "$dir/race/%s.h " build_id schema views page_js)
    for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
        for one in a b; do
            env -u MAKEFLAGS -u MAKELEVEL make -s -j1 BUILD="$dir/race" COMMIT="$round" HTTPD= -W sweep/store/schema.sql -W sweep/store/views.sql $headers >"$dir/$one" 2>&1 &
            eval "$one=\$!"
        done
        wait "$a" && wait "$b" && grep -q "COMMIT \"$round\"" "$dir/race/build_id.h" || { cat "$dir/a" "$dir/b"; return 1; }
    done
    [ "$(ls "$dir/race" | wc -l)" = 4 ] || { ls "$dir/race"; return 1; }
}
check "two makes in one checkout are not in each other's way" race
check "V=1 shows the compiler's command instead" sh -c "! env -u MAKEFLAGS -u MAKELEVEL make -n V=1 -W engine/graph.c build/engine/graph.o | grep -q '^printf'"
finish
