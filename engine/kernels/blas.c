#include "engine/kernels/blas.h"

#include <cblas.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/library.h"
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
    __typeof__(openblas_get_parallel) *parallel;
    bool started;
} blas;

/* Where this much can be mapped for each thread, OpenBLAS is not tried first: several times what it
 * takes today. */
static const size_t plenty = (size_t)1 << 30;

static bool has_plenty(int threads)
{
    size_t bytes = (size_t)threads * plenty;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* In a child: takes the step, says so, and ends, or is ended where it takes CPU time for nothing (a
 * step takes some 10 ms of it). */
static _Noreturn void try_here(enum status (*step)(struct message *m), volatile bool *returned)
{
    const struct itimerval a_second = {.it_value = {.tv_sec = 1}};
    sigset_t none;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); /* what OpenBLAS says is for nobody */
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    signal(SIGPROF, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setitimer(ITIMER_PROF, &a_second, NULL);
    step(NULL);
    *returned = true;
    _exit(0);
}

static enum status no_room(struct message *m)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return status_fail(m, STATUS_NO_MEMORY,
                           "OpenBLAS needs more than the %ju MiB of addresses that `ulimit -v` "
                           "allows; raise that limit",
                           (uintmax_t)(limit.rlim_cur >> 20));
    return status_fail(m, STATUS_NO_MEMORY,
                       "this machine has too little memory for OpenBLAS; end other programs");
}

/* Takes the step in a child where room is scarce: the step is safe here if it returned there,
 * whatever it returned. */
static enum status try_first(int threads, enum status (*step)(struct message *m), struct message *m)
{
    if (has_plenty(threads))
        return STATUS_OK;
    volatile bool *returned =
        mmap(NULL, sizeof *returned, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (returned == MAP_FAILED)
        return no_room(m);
    pid_t pid = fork();
    if (pid == 0)
        try_here(step, returned);
    enum status s = pid > 0 ? STATUS_OK
                            : status_fail(m, STATUS_NO_MEMORY,
                                          "no process to try OpenBLAS in, as memory is scarce: %s",
                                          strerror(errno));
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (s == STATUS_OK && !*returned)
        s = no_room(m);
    munmap((void *)returned, sizeof *returned);
    return s;
}

static enum status open_once(struct message *m)
{
    blas.library = library_open("OpenBLAS", "libopenblas", 0, "libopenblas0", m);
    if (!blas.library)
        return STATUS_INTERNAL;
    if (library_find(blas.library, TEXT(GEMM), &blas.gemm) &&
        library_find(blas.library, "cblas_dsyrk", &blas.gram) &&
        library_find(blas.library, "openblas_get_config", &blas.config) &&
        library_find(blas.library, "openblas_get_corename", &blas.core_name) &&
        library_find(blas.library, "openblas_get_num_threads", &blas.threads) &&
        library_find(blas.library, "openblas_get_parallel", &blas.parallel))
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

static void choose_threads(int threads)
{
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    setenv("OPENBLAS_NUM_THREADS", number, 1);
    setenv("OMP_NUM_THREADS", number, 1); /* where OpenBLAS was built on OpenMP */
}

enum status blas_load(int threads, struct message *m)
{
    if (blas.library)
        return STATUS_OK;
    choose_threads(threads);
    enum status s = try_first(threads, open_library, m);
    return s == STATUS_OK ? open_library(m) : s;
}

/* With the first product, which takes the memory for all. Its matrices are too large for the
 * kernels that do without. */
static enum status start(struct message *m)
{
    enum { N = 128 };
    const size_t size = (size_t)N * N;
    enum status s = blas.library ? STATUS_OK : open_library(m);
    if (s != STATUS_OK)
        return s;
    real *x = calloc(3 * size, sizeof *x);
    if (!x)
        return status_no_memory(m, "OpenBLAS's first product");
    blas_nt(N, N, N, x, x + size, 0, x + 2 * size);
    free(x);
    return STATUS_OK;
}

enum status blas_room(struct message *m)
{
    return try_first(1, start, m);
}

enum status blas_start(int threads, struct message *m)
{
    if (blas.started)
        return STATUS_OK;
    if (!blas.library)
        choose_threads(threads);
    enum status s = try_first(threads, start, m);
    if (s == STATUS_OK)
        s = start(m);
    blas.started = s == STATUS_OK;
    return s;
}

/* A library that was built without threads may keep no lock on its memory. */
int blas_callers(int threads)
{
    if (!blas.started || blas.parallel() == 0)
        return 1;
    while (threads > 1 && !has_plenty(threads - 1))
        threads--;
    return threads > 1 ? threads : 1;
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
