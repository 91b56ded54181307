#!/bin/sh
# The engine on its own: the program that engine/README.md leads to is built as it says there, against
# libengine.a alone, and learns. Speaks TAP.
lib=${BUILD:-build}/libengine.a
. tests/tap.sh
plain || skip_all "the engine works on its own" "a plain build"
cp tests/interop/learn.c "$dir"
line=$(sed -n '/^gcc /{s/ && .*//; s,tests/interop/,,p}' engine/README.md)
grep -vE '^#include (<[a-z]*\.h>|"engine/[a-z_/]*\.h")$' "$dir/learn.c" >"$dir/foreign"
build() { # source: by the README's line, with what a careful user adds
    ln -sfn "$root/engine" "$dir/engine"
    mkdir -p "$dir/build" && ln -sf "$(realpath "$lib")" "$dir/build/libengine.a"
    (cd "$dir" && sh -ec "$(echo "$line" | sed "s/learn\.c/$1/") -std=c11 -Wall -Wextra -Wconversion -Werror")
}
changed() { # sed script: the program otherwise
    sed "$1" "$dir/learn.c" >"$dir/other.c"
    ! cmp -s "$dir/learn.c" "$dir/other.c" && build other.c
}
libraries() {
    readelf --dynamic "$dir/learn" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
        grep -Ev '^(libc|libm|libdl|ld-linux.*)$'
}
tells() { # pattern: the program fails and says so
    "$dir/learn" >"$dir/said" 2>&1 && return 1
    cat "$dir/said"
    grep -qF "$1" "$dir/said"
}

check "the example program has at most 60 lines" [ "$(wc -l <"$dir/learn.c")" -gt 20 -a "$(wc -l <"$dir/learn.c")" -le 60 ]
check "... and includes only the engine and the C library" \
    fails grep -E '^#include' "$dir/foreign"
check "... and builds as the README says, without a warning" build learn.c
check "... and is linked to nothing but the C library" fails libraries
check "... and learns" "$dir/learn"
check "the example program builds without the optimizer's steps" changed '/optim_step/d'
check "... and says that it has not learned" tells 'largest error'
check "the example program builds with a weight of a wrong shape" \
    changed 's/"w2", INIT_WEIGHT, 1, HIDDEN/"w2", INIT_WEIGHT, 1, HIDDEN + 1/'
check "... and says which operation was refused" \
    tells 'linear of (64,32), (1,33), (1): needs x (..,K) and a weight (N,K)'
finish
