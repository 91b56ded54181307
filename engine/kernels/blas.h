/* Matrix products. blas.c is the only file that includes <cblas.h>. All matrices row major and
 * dense. Uses one thread; the caller's process sets OPENBLAS_NUM_THREADS=1 (workers) or calls
 * blas_set_threads. */
#ifndef ENGINE_KERNELS_BLAS_H
#define ENGINE_KERNELS_BLAS_H

#include <stddef.h>

#include "engine/base/real.h"

/* y = beta*y + x w^T      x (M,K), w (N,K), y (M,N): a linear layer forward */
void blas_nt(long M, long N, long K, const real *x, const real *w, real beta, real *y);
/* dx = beta*dx + dy w     dy (M,N), w (N,K), dx (M,K): its input gradient */
void blas_nn(long M, long K, long N, const real *dy, const real *w, real beta, real *dx);
/* dw = beta*dw + dy^T x   dy (M,N), x (M,K), dw (N,K): its weight gradient */
void blas_tn(long N, long K, long M, const real *dy, const real *x, real beta, real *dw);

/* General form, for kernels that work on slices of wider matrices: c = alpha op(a) op(b) + beta c,
 * c (m,n), inner dimension k, leading dimensions in elements. */
void blas_gemm(int transpose_a, int transpose_b, long m, long n, long k, real alpha, const real *a,
               long lda, const real *b, long ldb, real beta, real *c, long ldc);

struct blas_info {
    const char *version;   /* "OpenBLAS 0.3.21" */
    const char *core_type; /* the kernels in use: "SkylakeX" */
    int threads;
};
struct blas_info blas_info(void);
void blas_set_threads(int n);

/* True where the CPU has AVX-512 and the kernels in use do not use it. */
int blas_below_cpu(void);

#endif
