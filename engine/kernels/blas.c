#include "engine/kernels/blas.h"

#include <cblas.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/kernels/blas_core.h"

#ifdef REAL_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif
#define TEXT_(name) #name
#define TEXT(name)  TEXT_(name)

/* What is used of the library, under the names and types that <cblas.h> gives it. */
static struct {
    void *library;
    __typeof__(GEMM) *gemm;
    __typeof__(cblas_dsyrk) *gram;
    __typeof__(openblas_get_config) *config;
    __typeof__(openblas_get_corename) *core_name;
    __typeof__(openblas_get_num_threads) *threads;
    bool started;
} blas;

/* What a thread of OpenBLAS's takes for its products, and what the library and a thread's stack
 * take beside it. */
static const size_t product_bytes = (size_t)128 << 20, library_bytes = (size_t)64 << 20,
                    stack_bytes = (size_t)8 << 20;

/* Takes a mapping as OpenBLAS would and gives it back untouched. */
static enum status probe(size_t bytes, struct message *m)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return status_fail(m, STATUS_NO_MEMORY,
                           "no memory for OpenBLAS, which maps %zu MiB before its first product "
                           "(%s); see `ulimit -v`",
                           bytes >> 20, strerror(errno));
    munmap(room, bytes);
    return STATUS_OK;
}

enum status blas_room(int threads, struct message *m)
{
    size_t each = threads > 1 ? product_bytes + stack_bytes : product_bytes;
    return probe((size_t)threads * each, m);
}

static bool find(const char *name, void *function)
{
    void *found = dlsym(blas.library, name);
    memcpy(function, &found, sizeof found); /* ISO C has no cast between the two */
    return found != NULL;
}

static enum status open_once(struct message *m)
{
    char why[512];
    blas.library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!blas.library) { /* dlerror has the last failure only; the first is to be reported */
        snprintf(why, sizeof why, "%s", dlerror());
        blas.library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
    }
    if (!blas.library)
        return status_fail(m, STATUS_INTERNAL, "OpenBLAS cannot be loaded: %s", why);
    if (find(TEXT(GEMM), &blas.gemm) && find("cblas_dsyrk", &blas.gram) &&
        find("openblas_get_config", &blas.config) &&
        find("openblas_get_corename", &blas.core_name) &&
        find("openblas_get_num_threads", &blas.threads))
        return STATUS_OK;
    status_fail(m, STATUS_INTERNAL, "this OpenBLAS lacks a function: %s", dlerror());
    dlclose(blas.library);
    blas.library = NULL;
    return STATUS_INTERNAL;
}

/* A library with kernels for several CPUs has a table gotoblas_<CORE> for each. */
static bool has_core(const char *core)
{
    char symbol[64];
    int n = snprintf(symbol, sizeof symbol, "gotoblas_%s", core);
    for (int i = (int)strlen("gotoblas_"); i < n && i < (int)sizeof symbol; i++)
        symbol[i] = (char)toupper((unsigned char)symbol[i]);
    return dlsym(blas.library, symbol) != NULL;
}

static const char *better_core(void)
{
    const struct cpu cpu = cpu_here();
    return blas_core_better(&cpu, blas.core_name(), has_core);
}

static const char *chosen_core(void)
{
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    return chosen && *chosen ? chosen : NULL;
}

/* The library looks at the environment while it is loaded, and what it would choose shows only
 * then: where that is poor, it is loaded once more. */
static enum status open_library(struct message *m)
{
    enum status s = open_once(m);
    const char *better = s == STATUS_OK && !chosen_core() ? better_core() : NULL;
    if (!better || setenv("OPENBLAS_CORETYPE", better, 1) != 0)
        return s;
    dlclose(blas.library);
    blas.library = NULL;
    return open_once(m);
}

enum status blas_load(int threads, struct message *m)
{
    char number[16];
    if (blas.library)
        return STATUS_OK;
    /* Its further threads take their memory while it is loaded. */
    enum status s = threads > 1
                        ? probe((size_t)threads * (product_bytes + stack_bytes) + library_bytes, m)
                        : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    snprintf(number, sizeof number, "%d", threads);
    setenv("OPENBLAS_NUM_THREADS", number, 1);
    setenv("OMP_NUM_THREADS", number, 1); /* where OpenBLAS was built on OpenMP */
    return open_library(m);
}

/* The first product takes the memory for all. Its matrices are too large for the kernels that do
 * without. */
static enum status first_product(struct message *m)
{
    enum { N = 128 };
    const size_t size = (size_t)N * N;
    real *x = calloc(3 * size, sizeof *x);
    if (!x)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for OpenBLAS's first product");
    blas_nt(N, N, N, x, x + size, 0, x + 2 * size);
    free(x);
    return STATUS_OK;
}

enum status blas_start(int threads, struct message *m)
{
    if (blas.started)
        return STATUS_OK;
    enum status s = blas_load(threads, m);
    if (s == STATUS_OK)
        s = blas_room(1, m);
    if (s == STATUS_OK)
        s = first_product(m);
    blas.started = s == STATUS_OK;
    return s;
}

/* OpenBLAS takes 32-bit dimensions; encoder_shapes and encoder_new refuse what exceeds them. */
void blas_gemm(int transpose_a, int transpose_b, long m, long n, long k, real alpha, const real *a,
               long lda, const real *b, long ldb, real beta, real *c, long ldc)
{
    blas.gemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
              transpose_b ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, alpha, a,
              (blasint)lda, b, (blasint)ldb, beta, c, (blasint)ldc);
}

void blas_nt(long M, long N, long K, const real *x, const real *w, real beta, real *y)
{
    blas_gemm(0, 1, M, N, K, 1, x, K, w, K, beta, y, N);
}

void blas_nn(long M, long N, long K, const real *dy, const real *w, real beta, real *dx)
{
    blas_gemm(0, 0, M, K, N, 1, dy, N, w, K, beta, dx, K);
}

void blas_tn(long M, long N, long K, const real *dy, const real *x, real beta, real *dw)
{
    blas_gemm(1, 0, N, K, M, 1, dy, N, x, K, beta, dw, K);
}

void blas_gram(long M, long K, const double *x, double *g)
{
    blas.gram(CblasRowMajor, CblasLower, CblasTrans, (blasint)K, (blasint)M, 1, x, (blasint)K, 1, g,
              (blasint)K);
}

/* openblas_get_config says "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."; its first two words. */
static const char *version(void)
{
    static char text[64];
    char name[24] = "OpenBLAS", number[24] = "";
    sscanf(blas.config(), "%23s %23s", name, number);
    snprintf(text, sizeof text, "%s %s", name, number);
    return text;
}

struct blas_info blas_info(void)
{
    return (struct blas_info){
        .version = version(),
        .core_type = blas.core_name(),
        .threads = blas.threads(),
    };
}

const char *blas_hindered(void)
{
    return better_core() ? chosen_core() : NULL;
}
