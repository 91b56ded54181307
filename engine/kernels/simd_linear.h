/* A linear layer's three products where the layer is narrow: there OpenBLAS spends as much time on
 * bringing its operands into order as on multiplying. Here only the weights are turned round, once
 * per call, and rows are read where they are. */
#ifndef ENGINE_KERNELS_SIMD_LINEAR_H
#define ENGINE_KERNELS_SIMD_LINEAR_H

#include "engine/kernels/simd_product.h"

enum {
    LINEAR_NARROW = LANES == 16 ? 128 : 64, /* the narrower side of a weight that is taken */
    LINEAR_WIDE = 512,                      /* the wider one */
    LINEAR_CHUNK = 128 /* rows whose share of dw is summed at once: what is read stays near */
};

/* Measured against OpenBLAS on one core (engine/README.md): from here on it gains less than 5 %.
 * Four lanes never pay, because OpenBLAS has AVX on many CPUs that headcount's own kernels serve
 * with SSE2. */
static bool linear_suits(long N, long K)
{
    const long narrow = N < K ? N : K, wide = N < K ? K : N;
    return LANES >= 8 && N % LANES == 0 && K % LANES == 0 && narrow <= LINEAR_NARROW &&
           wide <= LINEAR_WIDE;
}

/* Rows n..n+wide-1 of w (N,K) -> wt (K,wide): a panel as wide as a block of the product, so that
 * what a block reads lies together. */
static void panel_turn(long wide, long K, const float *w, float *wt)
{
    for (long n = 0; n < wide; n += LANES)
        for (long k = 0; k < K; k += LANES) {
            vf tile[LANES];
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                tile[i] = vload(w + (n + i) * K + k);
            vtranspose(tile);
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                vstore(wt + (k + i) * wide + n, tile[i]);
        }
}

static void linear_forward(long M, long N, long K, const real *x, const real *w, const real *bias,
                           real *y, real *turned)
{
    for (long n = 0; n < N; n += 2 * LANES) {
        const long wide = N - n < 2 * LANES ? N - n : 2 * LANES;
        panel_turn(wide, K, w + n * K, turned);
        product_run(&(struct product){.rows = M,
                                      .columns = wide,
                                      .depth = K,
                                      .a = x,
                                      .x = turned,
                                      .x_row = wide,
                                      .c = y + n,
                                      .c_row = N,
                                      .bias = bias ? bias + n : NULL},
                    K, 1, BLOCK_LONG, 1);
    }
}

static void linear_backward_input(long M, long N, long K, const real *dy, const real *w, real beta,
                                  real *dx)
{
    product_run(&(struct product){.rows = M,
                                  .columns = K,
                                  .depth = N,
                                  .a = dy,
                                  .x = w,
                                  .x_row = K,
                                  .c = dx,
                                  .c_row = K,
                                  .add = beta != 0},
                N, 1, BLOCK_LONG, 1);
}

static void linear_backward_weight(long M, long N, long K, const real *dy, const real *x, real beta,
                                   real *dw)
{
    for (long from = 0; from < M; from += LINEAR_CHUNK, beta = 1)
        product_run(&(struct product){.rows = N,
                                      .columns = K,
                                      .depth = M - from < LINEAR_CHUNK ? M - from : LINEAR_CHUNK,
                                      .a = dy + from * N,
                                      .x = x + from * K,
                                      .x_row = K,
                                      .c = dw,
                                      .c_row = K,
                                      .add = beta != 0},
                    1, N, BLOCK_LONG, 1);
}

#endif
