#!/bin/sh
# usage: run.sh BUILD [short]   Builds for arm64 with Debian's cross compiler, runs the test programs under
# QEMU's user mode, and holds the losses of a sweep against this machine's. short: the kernels, the
# models and the sweep. Libraries lie in BUILD/sysroot, fetched once; dpkg and the kernel learn of no other
# architecture. Where there is no compiler, QEMU or Debian for arm64, it says so and is done.
set -eu
build=$1 form=${2:-}
make=${MAKE:-make}
skip() { # what is missing
    echo "test-arm64: skipped, needs $1"
    exit 0
}
sh tests/deps.sh test arm64 || skip "aarch64-linux-gnu-gcc and qemu-aarch64"
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "apt, which fetches Debian's libraries for arm64"
mkdir -p "$build"
build=$(realpath "$build") qemu=$(command -v qemu-aarch64)
root=$build/sysroot

# ---- libraries ----
fetch() { # apt with folders of its own, to which nothing is installed yet
    mkdir -p lists/partial archives/partial
    : >status
    cat >conf <<E
APT::Architecture "arm64";
APT::Architectures "arm64";
APT::Install-Recommends "0";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Dir::State "$PWD";
Dir::State::lists "$PWD/lists";
Dir::State::status "$PWD/status";
Dir::Cache "$PWD";
Dir::Cache::archives "$PWD/archives";
E
    export APT_CONFIG="$PWD/conf"
    apt-get update -qq 2>/dev/null || : # of lists that have no arm64, what they lack is told below
    apt-get install -qq -y --download-only libc6-dev libopenblas-pthread-dev libyaml-dev libsqlite3-dev zlib1g-dev \
        libmicrohttpd-dev libcmocka-dev
}
if [ ! -d "$root" ]; then
    echo "fetching Debian's libraries for arm64 (30 MB) into $root"
    rm -rf "$build/apt" "$root.new"
    mkdir -p "$build/apt" "$root.new"
    (cd "$build/apt" && fetch) >"$build/apt.log" 2>&1 ||
        { tail -n 3 "$build/apt.log"; skip "Debian's libraries for arm64"; }
    mkdir -p "$root.new/usr/lib"
    ln -s usr/lib "$root.new/lib"
    for package in "$build"/apt/archives/*.deb; do
        dpkg --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root.new"
    done
    # As update-alternatives would leave them.
    ln -s openblas-pthread/libopenblas.so.0 "$root.new/usr/lib/aarch64-linux-gnu/"
    ln -s openblas-pthread/cblas.h openblas-pthread/openblas_config.h "$root.new/usr/include/aarch64-linux-gnu/"
    rm -rf "$build/apt"
    mv "$root.new" "$root"
fi

# ---- programs ----
compiler="${ARM64_CC:-aarch64-linux-gnu-gcc} --sysroot=$root"
# Without the kernel's help a program under QEMU cannot start itself again; this object does it.
$compiler -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -fPIE -DQEMU_PROGRAM="\"$qemu\"" -DSYSROOT="\"$root\"" \
    -c -o "$build/exec.o" tests/arm64/exec.c
# QEMU keeps no limit of addresses, and posix_spawn under it does not tell what cannot be started.
programs=$(ls tests/unit/test_*.c tests/parity/test_*.c tests/sweep/test_*.c tests/gradient/test_*.c |
    grep -v -e unit/test_blas.c -e sweep/test_slurm.c)
[ "$form" != short ] || programs=$(echo "$programs" |
    grep -e 'unit/test_\(kernels\|forms\|nn\|optim\|rng\|encoder\|train\|tasks_known\|denormals\|checkpoint\)\.' -e \
    parity -e sweep/test_job_queue)
programs=$(printf "$build/%s\n" $programs | sed 's/\.c$//')
$make --no-print-directory -s CC="$compiler" BUILD="$build" PROGRAM="$build/headcount" LDLIBS="$build/exec.o" \
    "$build/headcount" $programs
EMULATOR="$qemu -L $root" ARM64="$build/headcount" sh tests/run.sh "" tests/arm64/test_sweep.sh $programs
