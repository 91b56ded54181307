#include "engine/kernels/blas.h"

#include <cblas.h>
#include <stdio.h>
#include <strings.h>

/* OpenBLAS takes 32-bit dimensions; encoder_shapes and encoder_new refuse what exceeds them. */
void blas_gemm(int transpose_a, int transpose_b, long m, long n, long k, real alpha, const real *a,
               long lda, const real *b, long ldb, real beta, real *c, long ldc)
{
#ifdef REAL_DOUBLE
    cblas_dgemm(
#else
    cblas_sgemm(
#endif
        CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
        transpose_b ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, alpha, a,
        (blasint)lda, b, (blasint)ldb, beta, c, (blasint)ldc);
}

void blas_nt(long M, long N, long K, const real *x, const real *w, real beta, real *y)
{
    blas_gemm(0, 1, M, N, K, 1, x, K, w, K, beta, y, N);
}

void blas_nn(long M, long K, long N, const real *dy, const real *w, real beta, real *dx)
{
    blas_gemm(0, 0, M, K, N, 1, dy, N, w, K, beta, dx, K);
}

void blas_tn(long N, long K, long M, const real *dy, const real *x, real beta, real *dw)
{
    blas_gemm(1, 0, N, K, M, 1, dy, N, x, K, beta, dw, K);
}

/* openblas_get_config says "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."; its first two words. */
static const char *version(void)
{
    static char text[64];
    char name[24] = "OpenBLAS", number[24] = "";
    sscanf(openblas_get_config(), "%23s %23s", name, number);
    snprintf(text, sizeof text, "%s %s", name, number);
    return text;
}

struct blas_info blas_info(void)
{
    return (struct blas_info){
        .version = version(),
        .core_type = openblas_get_corename(),
        .threads = openblas_get_num_threads(),
    };
}

void blas_set_threads(int n)
{
    openblas_set_num_threads(n);
}

int blas_below_cpu(void)
{
#if defined(__x86_64__)
    static const char *const with_avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids", NULL};
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl"))
        return 0;
    for (int i = 0; with_avx512[i]; i++)
        if (!strcasecmp(openblas_get_corename(), with_avx512[i]))
            return 0;
    return 1;
#else
    return 0;
#endif
}
