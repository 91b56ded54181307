#!/bin/sh
# The program as it was linked: hardened (OpenSSF's compiler options guide), and linked to nothing
# beside its two libraries: OpenBLAS is loaded by whoever computes. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "the program is hardened and needs few libraries"
has() { # pattern, readelf option
    readelf "$2" --wide "$headcount" | grep -Eq "$1"
}
has_not() { ! has "$@"; }

if ! plain; then
    skip "the program is hardened" "a plain build"
else
    check "the program is position independent" has 'Type: *DYN' --file-header
    check "relocated data are read-only" has GNU_RELRO --program-headers
    check "... all of them, as symbols are bound at the start" has 'FLAGS.*NOW' --dynamic
    check "the stack is not executable" has 'GNU_STACK.* RW ' --program-headers
    check "no segment is both writable and executable" has_not 'LOAD.* RWE ' --program-headers
    check "the program has no library path of the machine that built it" has_not 'RPATH|RUNPATH' --dynamic
    check "functions have a stack protector" has '__stack_chk_fail' --dyn-syms
    check "calls of the C library are fortified" has '__(snprintf|memcpy|printf|fprintf)_chk' --dyn-syms
    if [ "$(uname -m)" = x86_64 ]; then
        # As a mark for the kernel it also takes a C library that was built so, which Debian's is not.
        check "targets of indirect branches are marked" \
            sh -c "objdump -d '$headcount' | grep -A1 '<main>:' | grep -q endbr64"
    else
        skip "targets of indirect branches are marked" "x86-64"
    fi
    check "the program needs only SQLite, libyaml, zlib and the C library" [ "$(readelf --dynamic "$headcount" |
        sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' | grep -Ev '^(libc|libm|ld-linux.*)$' | sort |
        tr '\n' ' ')" = "libsqlite3 libyaml-0 libz " ]
fi

# ---- where it is installed ----
installs() { # goal
    mkdir -p "$dir/install"
    env -u MAKEFLAGS -u MAKELEVEL make -s -o "$headcount" PROGRAM="$headcount" BUILD="$dir/install" DESTDIR="$dir/root" \
        PREFIX=/opt/x-y HTTPD= "$1"
}
there=$dir/root/opt/x-y
check "make install installs" installs install
check "... a program without symbols" sh -c "! readelf --sections --wide '$there/bin/headcount' | grep symtab"
examples_run() { # file: the examples of `headcount help` as they stand
    "$there/bin/headcount" help | sed -n '/^Examples:/,$s/^  headcount //p' >"$dir/examples"
    grep -q "$there/share/headcount/configs/" "$dir/examples" &&
        (cd "$dir/install" && xargs -L 1 "$there/bin/headcount" <"$dir/examples")
}
check "... whose help names configs that are there" examples_run
check "... as do those of its commands" sh -c "'$there/bin/headcount' run --help | grep ' $there/share/headcount/configs/gather.yaml'"
check "... and its man page" grep -q '^headcount run /opt/x\\-y/share/headcount/configs/gather.yaml' \
    "$there/share/man/man1/headcount.1"
check "a program in its checkout names those there" sh -c "'$headcount' help | grep -q ' configs/gather.yaml'"
removed() { installs uninstall && find "$dir/root" -type f >"$dir/left" && ! grep . "$dir/left"; }
check "make uninstall leaves no file" removed

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
check "make builds one goal on all cores" jobs_are "$(nproc)" help
check "... but on as many as -j says" jobs_are 7 -j7 help
check "... even if it says one" jobs_are 1 -j1 help
check "make builds several goals one after the other" in_turn clean help
help=$(make -s help)
for goal in sweep test install dist deb bench bench-peers fuzz crash coverage lint check-deps format check-format messages clean; do
    check "make help tells of $goal" sh -c 'echo "$0" | grep -qw -e "$1"' "$help" "$goal"
done
check "bench-peers is skipped on fewer cores than it has threads" \
    sh -c "sh tests/bench/peers.sh headcount '$dir' 9999 | grep -q 'skipped, because 9999 threads'"
check "make prints one short line for each file" sh -c "env -u MAKEFLAGS -u MAKELEVEL make -n -W engine/graph.c build/engine/graph.o |
    grep -q '^printf .* CC build/engine/graph.o$'"
check "make builds without libmicrohttpd and says what is missing" \
    sh -c "env -u MAKEFLAGS -u MAKELEVEL make -n HTTPD= -W sweep/serve/serve.c BUILD=$dir/build >out.$$ &&
    grep -q 'without headcount serve' out.$$ && grep -q listener_none.o out.$$ &&
    ! grep -q httpd.o out.$$; status=\$?; rm -f out.$$; exit \$status"
would() { # words for make...: what it would do, in whole commands
    env -u MAKEFLAGS -u MAKELEVEL make -n V=1 BUILD="$dir/would" "$@"
}
would_install() { # targets of tests/deps.sh, goal
    [ "$(would "$2" | sed -n 's,^sh tests/deps.sh ,,p' | sed 1q)" = "$1" ]
}
check "make sweep asks only for what building takes" would_install build sweep
check "make test asks for more" would_install "build serve test" deps
check "make dist asks for no package" would_install "" dist
stops_at_once() { # one message, and nothing is compiled
    ! env -u MAKEFLAGS -u MAKELEVEL make -j4 BUILD="$dir/none" "$@" >"$dir/said" 2>&1 &&
        grep -q "^headcount needs.* libyaml-dev" "$dir/said" && ! grep -e " CC " -e "error:" "$dir/said"
}
check "make without headers names their packages and stops" stops_at_once EXTRA=-nostdinc
takes_extra() { # word of a command: no compiler runs without EXTRA
    would EXTRA=-DMINE "$1" >"$dir/commands" && grep -q " -[co] .*$2" "$dir/commands" &&
        ! grep "^gcc .* -o" "$dir/commands" | grep -v -e " -DMINE " -e "^gcc -E"
}
check "EXTRA goes to all that is compiled, the kernels too" takes_extra all simd_
check "... and linked" takes_extra tests libtested.so
if [ "$(uname -m)" = x86_64 ]; then
    macros() { # kernel set: of its instruction sets
        $(would EXTRA=-march=x86-64-v4 "$dir/would/engine/kernels/simd_$1.o" | grep "^gcc.*simd_$1.o" |
            sed 's/ -MMD -MP / /; s/ -c -o .*//') -dM -E engine/kernels/simd.c | grep -oE '__(AVX2|AVX512F)__'
    }
    check "... but a kernel set keeps to its instructions" [ "$(macros sse2) $(macros avx2)" = " __AVX2__" ]
fi
mkdir "$dir/old"
echo '#define MHD_VERSION 0x00097000' >"$dir/old/microhttpd.h"
check "libmicrohttpd is looked for in the folders of EXTRA" \
    sh -c "env -u MAKEFLAGS -u MAKELEVEL make -n BUILD=$dir/would EXTRA=-I$dir/old | grep -q 'without headcount serve'"
race() { # two makes in one checkout, both of which find the headers to be old
    headers=$(printf "$dir/race/%s.h " build_id schema views page_js)
    for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
        for one in a b; do
            env -u MAKEFLAGS -u MAKELEVEL make -s -j1 BUILD="$dir/race" COMMIT="$round" HTTPD= -W sweep/db/schema.sql \
                -W sweep/db/views.sql $headers >"$dir/$one" 2>&1 &
            eval "$one=\$!"
        done
        wait "$a" && wait "$b" && grep -q "COMMIT \"$round\"" "$dir/race/build_id.h" ||
            { cat "$dir/a" "$dir/b"; return 1; }
    done
    [ "$(ls "$dir/race" | wc -l)" = 4 ] || { ls "$dir/race"; return 1; }
}
check "two makes in one checkout do not disturb each other" race
# ---- the sources, which hosts compare ----
mkdir "$dir/elsewhere"
cp -a Makefile engine datasets sweep tests "$dir/elsewhere"
made() { # its sources as make in that copy has them, with words for make
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$dir/elsewhere" BUILD="$dir/hash" HTTPD= "$@" \
        "$dir/hash/build_id.h" >/dev/null &&
        sed -n 's/.* BUILD_SOURCES "\(.*\)"/\1/p' "$dir/hash/build_id.h"
}
sources=$("$headcount" --version | sed -n 's/^sources *//p')
same_sources() { [ ${#sources} -eq 64 ] && [ "$(made "$@")" = "$sources" ]; }
check "a copy without git has the same hash of its sources" same_sources
check "... also with another compiler and other flags" same_sources CC=/bin/true OPT=-O1 EXTRA=-g3
touch "$dir/elsewhere/engine/graph.c"
check "... also in another locale, with a touched file" same_sources LC_ALL=C.UTF-8
check "... but not with another version" fails same_sources VERSION=9
for file in engine/graph.c engine/ops/ops.def engine/kernels/simd.c datasets/task.h sweep/cli/main.c \
    sweep/serve/httpd.c \
    sweep/db/schema.sql sweep/page/page.html sweep/page/page.css sweep/page/live.js; do
    echo >>"$dir/elsewhere/$file"
    check "... nor with another $file" fails same_sources
    cp -a "$file" "$dir/elsewhere/$file"
done
echo >>"$dir/elsewhere/sweep/README.md"
check "... and another README does not matter" same_sources
all_read() { # each file of the tree that the compiler read is among them
    make -s --eval 'compiled:;@printf "%s\n" $(COMPILED)' compiled | LC_ALL=C sort >"$dir/compiled"
    find "${BUILD:-build}/engine" "${BUILD:-build}/datasets" "${BUILD:-build}/sweep" -name '*.d' -exec cat {} + |
        tr ' \\' '\n\n' | grep '^[a-z].*[^:]$' | grep -v "^${BUILD:-build}/" | xargs ls -d 2>/dev/null |
        LC_ALL=C sort -u >"$dir/read"
    LC_ALL=C comm -23 "$dir/read" "$dir/compiled" >"$dir/left_out"
    [ "$(wc -l <"$dir/read")" -gt 400 ] && [ ! -s "$dir/left_out" ] || { cat "$dir/left_out"; return 1; }
}
check "the hash covers every file that the compiler reads" all_read
unchanged() {
    header=$dir/race/build_id.h
    make -s BUILD="$dir/race" COMMIT=12 HTTPD= "$header" && touch -r "$header" "$dir/before" &&
        make -s BUILD="$dir/race" COMMIT=12 HTTPD= "$header" && ! [ "$header" -nt "$dir/before" ]
}
check "the header with the hash stays as it is if nothing has changed" unchanged

# Programs from that copy: one commit, "dirty" each time. What is not new comes from this build.
build() { # name, words for make
    name=$1
    shift
    env -u MAKEFLAGS -u MAKELEVEL make -s -j2 -C "$dir/elsewhere" BUILD=build "$@" &&
        cp "$dir/elsewhere/headcount" "$dir/$name"
}
changed() { # name, what is added
    cp -a datasets/task_copy.c "$dir/elsewhere/datasets/task_copy.c"
    echo "$2" >>"$dir/elsewhere/datasets/task_copy.c"
    build "$1" COMMIT=0123456789ab-dirty
}
dirty_builds() {
    mkdir "$dir/elsewhere/build" && cp -a "${BUILD:-build}"/engine "${BUILD:-build}"/datasets "${BUILD:-build}"/sweep \
        "${BUILD:-build}"/*.a "${BUILD:-build}"/*.h "$dir/elsewhere/build" || return
    cp -a engine/graph.c "$dir/elsewhere/engine/graph.c"
    build tarball COMMIT=unknown OPT=-O3 && changed one "/* one */" && changed two "/* two */"
}
joined() { # status, coordinator, agent
    printf 'name: s\ntask: {name: gather}\nmodel: {d_model: 16, heads: 1}\ntrain: {steps: 5}\nseeds: 1\n' >"$dir/s.yaml"
    rm -rf "$dir/s.db"*
    "$2" run "$dir/s.yaml" --db "$dir/s.db" -q --launch 'env ON={host}' --hosts n3:1 --agent \
        "$3 agent" >"$dir/said" 2>&1
    got=$?
    [ "$got" -eq "$1" ] || { echo "status $got"; cat "$dir/said"; return 1; }
}
if plain; then
    check "two builds with different changes to one commit are made" dirty_builds
    check "... and one without a commit, as from a tarball" sh -c '"$0" --version | grep -q "^commit  *unknown+"' "$dir/tarball"
    check "a changed build works with an agent of the same build" joined 0 "$dir/one" "$dir/one"
    check "... and its results file says which build it was" sh -c '"$0" --version | grep "^sources  *$1"' "$dir/one" \
        "$(sqlite3 "$dir/s.db" "SELECT substr(git_commit, 20) FROM build
        WHERE git_commit LIKE '0123456789ab-dirty+____________'")"
    check "... but not with an agent of another changed build" joined 2 "$dir/one" "$dir/two"
    check "... and says why" \
        grep -Eq "n3: it runs another program: its sources are [0-9a-f]{12} \(headcount .*, commit \
0123456789ab-dirty\+.*\), ours [0-9a-f]{12}; build it from the same tree" "$dir/said"
    check "a build works with an agent from a tarball of its commit" joined 0 "$headcount" "$dir/tarball"
else
    skip "a changed build works with an agent of the same build" "a plain build"
fi

check "V=1 shows the compiler's command" \
    sh -c "! env -u MAKEFLAGS -u MAKELEVEL make -n V=1 -W engine/graph.c build/engine/graph.o | grep -q '^printf'"
finish
