#!/bin/sh
# An OpenBLAS that does not know the CPU: run, bench and --version name the same better kernels, and
# use them. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
all="the best kernels are chosen"

[ "$(uname -m)" = x86_64 ] || skip_all "$all" x86-64
grep -qw avx2 /proc/cpuinfo || skip_all "$all" "a CPU with AVX2"
plain || skip_all "$all" "a plain build"
# Such a library takes every CPU for a Prescott, unless it is told otherwise while it is loaded.
cat >"$dir/old.c" <<'END'
#include <cblas.h>
#include <dlfcn.h>
#include <stdlib.h>
char gotoblas_SKYLAKEX[1], gotoblas_HASWELL[1], gotoblas_NEHALEM[1];
static __typeof__(cblas_sgemm) *real;
static __typeof__(cblas_dsyrk) *gram;
static char *core = "Prescott";
static void *library;
__attribute__((constructor)) static void load(void)
{
    const char *told = getenv("OPENBLAS_CORETYPE");
    if (told && *told)
        core = (char *)told;
    library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    *(void **)&real = dlsym(library, "cblas_sgemm");
    *(void **)&gram = dlsym(library, "cblas_dsyrk");
}
__attribute__((destructor)) static void unload(void)
{
    dlclose(library);
}
char *openblas_get_corename(void) { return core; }
char *openblas_get_config(void) { return "OpenBLAS 0.2.0 OLD"; }
int openblas_get_num_threads(void) { return 1; }
int openblas_get_parallel(void) { return 1; }
void cblas_sgemm(CBLAS_LAYOUT order, CBLAS_TRANSPOSE a, CBLAS_TRANSPOSE b, blasint m, blasint n,
                 blasint k, float alpha, const float *x, blasint lx, const float *y, blasint ly,
                 float beta, float *z, blasint lz)
{
    real(order, a, b, m, n, k, alpha, x, lx, y, ly, beta, z, lz);
}
void cblas_dsyrk(CBLAS_LAYOUT order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE a, blasint n, blasint k,
                 double alpha, const double *x, blasint lx, double beta, double *z, blasint lz)
{
    gram(order, uplo, a, n, k, alpha, x, lx, beta, z, lz);
}
END
real=$(/sbin/ldconfig -p | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)
[ -n "$real" ] || skip_all "$all" "a shared OpenBLAS"
${CC:-gcc} -w -D_GNU_SOURCE -I"/usr/include/$(uname -m)-linux-gnu" -DREAL="\"$real\"" -shared -fPIC \
    -o "$dir/libopenblas.so.0" "$dir/old.c" || skip_all "$all" "a compiler"
LD_LIBRARY_PATH=$dir
export LD_LIBRARY_PATH
core=$("$headcount" --version | sed -n 's/.*core type //p')

better() { # core type
    case $1 in
    SkylakeX) grep -qw avx512vl /proc/cpuinfo ;;
    Haswell | Zen) ! grep -qw avx512vl /proc/cpuinfo ;;
    *) echo "core type '$1'" && return 1 ;;
    esac
}
check "--version names the best kernels that the CPU can run" better "$core"

bench_says() { # pattern, environment...
    pattern=$1
    shift
    env "$@" "$headcount" bench --heads 1 --workload gather --trained 0 --milliseconds 1 >"$dir/out" 2>&1
    grep -q "$pattern" "$dir/out" || { cat "$dir/out" && return 1; }
}
check "bench uses the same kernels as --version names" bench_says ", $core kernels"
check "... and says nothing of OPENBLAS_CORETYPE" fails bench_says OPENBLAS_CORETYPE
check "bench keeps the kernels that the user set" bench_says ", Nehalem kernels" OPENBLAS_CORETYPE=Nehalem
check "... and says what they cost" bench_says "unset it" OPENBLAS_CORETYPE=Nehalem

cat >"$dir/a.yaml" <<'END'
task: {name: copy, length: 4, vocab: 4}
model: {d_model: 4, heads: [1], layers: 1, d_ff: 4}
train: {steps: 2, batch: 2, val_examples: 4, test_examples: 4}
seeds: 1
END
run() { # file, arguments...
    db=$dir/$1.db
    shift
    "$headcount" run "$dir/a.yaml" --db "$db" "$@" >"$dir/said" 2>&1
}
run_uses() { # file
    run "$1" && [ "$(sqlite3 "$dir/$1.db" 'SELECT core_type FROM build')" = "$core" ]
}
check "run records the same kernels as --version names" run_uses a
check "... and says nothing of OpenBLAS" fails grep OPENBLAS "$dir/said"
OPENBLAS_CORETYPE=Nehalem
export OPENBLAS_CORETYPE
check "run keeps the kernels that the user set" eval 'run b && sqlite3 "$dir/b.db" "SELECT core_type FROM build" | grep -x Nehalem'
check "... and says once what they cost and what to do" \
    [ "$(grep -c 'unset it' "$dir/said")" = 1 ]
check "... not again for the same results file" eval 'run b --set seeds=2 && ! grep "unset it" "$dir/said"'
check "... nor with -q" eval 'run c -q && ! grep OPENBLAS "$dir/said"'

# ---- an OpenBLAS that lacks a library of its own ----
mkdir "$dir/lacking"
echo 'int gone;' | ${CC:-gcc} -shared -fPIC -Wl,-soname,libgone.so.5 -o "$dir/lacking/libgone.so.5" -x c -
echo 'extern int gone; int *it(void) { return &gone; }' | ${CC:-gcc} -shared -fPIC \
    -o "$dir/lacking/libopenblas.so.0" -x c - -x none "$dir/lacking/libgone.so.5"
ln -s libopenblas.so.0 "$dir/lacking/libopenblas.so"
rm "$dir/lacking/libgone.so.5"
names_it() {
    LD_LIBRARY_PATH=$dir/lacking "$headcount" --version | grep "^OpenBLAS .*; install libgone.so.5, or name the folder \
that has it in LD_LIBRARY_PATH"
}
check "a library that OpenBLAS lacks is named" names_it
finish
