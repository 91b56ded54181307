#!/bin/sh
# The program as it was linked: hardened (OpenSSF's compiler options guide), and linked to nothing
# beside its three libraries. Speaks TAP. HEADCOUNT is the program.
headcount=${HEADCOUNT:-./headcount}
n=0
check() { # name, command...
    n=$((n + 1))
    name=$1
    shift
    if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; fi
}
skip() { # name, what it needs
    n=$((n + 1))
    echo "ok $n - $1 # skip needs $2"
}
has() { # pattern, readelf option
    readelf "$2" --wide "$headcount" | grep -Eq "$1"
}
has_not() { ! has "$@"; }

if ldd "$headcount" | grep -q 'lib[a-z]*san\.so' || grep -q '\.gcda' "$headcount"; then
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
    check "three libraries and the C library's" [ "$(readelf --dynamic "$headcount" |
        sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' | grep -Ev '^(libc|libm|ld-linux.*)$' | sort |
        tr '\n' ' ')" = "libopenblas libsqlite3 libyaml-0 " ]
fi
echo "1..$n"
