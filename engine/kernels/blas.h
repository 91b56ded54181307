/* Matrix products, by OpenBLAS. blas.c is the only file that includes <cblas.h>. All matrices row
 * major and dense.
 *
 * OpenBLAS is no part of the program when it starts. Loading it starts threads, and it never
 * returns where it cannot map the memory that it wants: it tries for ever. How much that is, and
 * whether it wants it while it is loaded or at the first product, differs between its versions. So
 * it is loaded by whoever computes; what only reads results does without. And where memory is
 * scarce (a limit of addresses, `ulimit -v`), each function below that could hang takes its step in
 * a child process first, which costs some 10 ms, or a second of CPU time where it fails. */
#ifndef ENGINE_KERNELS_BLAS_H
#define ENGINE_KERNELS_BLAS_H

#include "engine/base/real.h"
#include "engine/base/status.h"

/* Loads OpenBLAS, for blas_info. Where the library would use poorer kernels than it has for this
 * CPU (blas_core.h), it is made to take the better ones, unless the environment chooses
 * (OPENBLAS_CORETYPE, which is set then). threads: that a product is spread over. A loaded library
 * stays as it is: later calls do nothing. Sets OPENBLAS_NUM_THREADS in this process's environment
 * and may fork, so it is to be called before threads are started. INTERNAL where there is no
 * OpenBLAS or it does not fit into memory, NO_MEMORY where it would hang. */
enum status blas_load(int threads, struct message *m);

/* Whether a process like this one could start OpenBLAS with one thread: NO_MEMORY where it would
 * hang. */
enum status blas_room(struct message *m);

/* Loads OpenBLAS and takes the memory for products; must have succeeded before the first one.
 * Later calls do nothing. Fails as blas_load does. */
enum status blas_start(int threads, struct message *m);

/* How many threads, up to so many, may compute products at once without waiting for ever: each
 * takes memory of its own with its first one. At least 1. */
int blas_callers(int threads);

/* y = beta*y + x w^T      x (M,K), w (N,K), y (M,N): a linear layer forward */
void blas_nt(long M, long N, long K, const real *x, const real *w, real beta, real *y);
/* dx = beta*dx + dy w     dy (M,N), w (N,K), dx (M,K): its input gradient */
void blas_nn(long M, long N, long K, const real *dy, const real *w, real beta, real *dx);
/* dw = beta*dw + dy^T x   dy (M,N), x (M,K), dw (N,K): its weight gradient */
void blas_tn(long M, long N, long K, const real *dy, const real *x, real beta, real *dw);

/* General form, for kernels that work on slices of wider matrices: c = alpha op(a) op(b) + beta c,
 * c (m,n), inner dimension k, leading dimensions in elements. */
void blas_gemm(int transpose_a, int transpose_b, long m, long n, long k, real alpha, const real *a,
               long lda, const real *b, long ldb, real beta, real *c, long ldc);

/* The lower triangle of g (K,K) += x^T x, x (M,K): in double, whatever `real` is. */
void blas_gram(long M, long K, const double *x, double *g);

struct blas_info {
    const char *version;   /* "OpenBLAS 0.3.21" */
    const char *core_type; /* the kernels in use: "SkylakeX" */
    int threads;
};
/* Of the loaded library. */
struct blas_info blas_info(void);

/* The value of OPENBLAS_CORETYPE where it keeps the loaded library from using what this CPU can do;
 * else NULL. */
const char *blas_hindered(void);

#endif
