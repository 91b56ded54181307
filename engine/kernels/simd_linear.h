/* A linear layer's three products. OpenBLAS brings both operands into order at every call; here
 * weights are turned into panels once a step, and rows are read where they are. A panel has as many
 * columns as a block of the product, so that what a block reads lies together, and the whole depth:
 * it comes from the second-level cache in the order of its addresses, which is as good as from the
 * first, and no sum is taken up a second time. */
#ifndef ENGINE_KERNELS_SIMD_LINEAR_H
#define ENGINE_KERNELS_SIMD_LINEAR_H

#include "engine/kernels/simd_product.h"

enum {
    LINEAR_BLOCK = BLOCK_LONG / 2, /* rows of a block */
    LINEAR_TOGETHER = 4,           /* blocks that are copied together, to read whole lines */
    LINEAR_SMALL = 128 * 128,      /* numbers of a dw whose operands are best left where they are */
    LINEAR_NEAR = 128 /* rows that a dw sums at once: a panel of them stays in the first level */
};

_Static_assert((int)PANEL <= (int)LINEAR_PANEL &&
                   (int)PANEL + (int)LINEAR_BLOCK + LANES <= (int)LINEAR_SPARE,
               "what kernels.h promises");

/* Four lanes never pay: OpenBLAS has AVX on many CPUs that headcount's own kernels serve with SSE2.
 */
static bool linear_suits(long N, long K)
{
    return LANES >= 8 && N % LANES == 0 && K % LANES == 0 && N <= LINEAR_WIDEST &&
           K <= LINEAR_WIDEST;
}

/* The first n <= PANEL numbers of `depth` rows -> (depth, PANEL). */
static void panel_copy(long depth, const float *x, long step, long n, float *panel)
{
    for (long k = 0; k < depth; k++, x += step, panel += PANEL)
        for (long c = 0; c < PANEL; c += LANES)
            vstore(panel + c, vload_n(x + c, n - c));
}

/* The first n numbers, LINEAR_TOGETHER blocks at most, of M rows -> (blocks, M, LINEAR_BLOCK). */
static void blocks_copy(long M, const float *x, long step, long n, float *blocks)
{
    for (long m = 0; m < M; m++, x += step, blocks += LINEAR_BLOCK) {
        long c = 0;
        for (; c + LINEAR_BLOCK <= n && c < LINEAR_TOGETHER * LINEAR_BLOCK; c += LINEAR_BLOCK)
            memcpy(blocks + c * M, x + c, LINEAR_BLOCK * sizeof *x);
        if (c < n && c < LINEAR_TOGETHER * LINEAR_BLOCK)
            memcpy(blocks + c * M, x + c, (size_t)(n - c) * sizeof *x);
    }
}

/* n rows of w (,K) -> (K,PANEL), turned. */
static void panel_turn(long n, long K, const float *w, float *panel)
{
    for (long i = 0; i < n; i += LANES)
        for (long k = 0; k < K; k += LANES) {
            vf tile[LANES];
#pragma GCC unroll 16
            for (long l = 0; l < LANES; l++)
                tile[l] = vload(w + (i + l) * K + k);
            vtranspose(tile);
#pragma GCC unroll 16
            for (long l = 0; l < LANES; l++)
                vstore(panel + (k + l) * PANEL + i, tile[l]);
        }
}

static void linear_pack(long N, long K, const real *w, real *forward, real *backward)
{
    for (long n = 0; n < N; n += PANEL)
        panel_turn(N - n < PANEL ? N - n : PANEL, K, w + n * K, forward + n * K);
    for (long k = 0; backward && k < K; k += PANEL)
        panel_copy(N, w + k, K, K - k, backward + k * N);
}

static void linear_product(long M, long N, long K, const real *x, const real *panels,
                           const real *bias, real beta, real *y, real *room)
{
    struct product p = {.columns = N,
                        .depth = K,
                        .x = panels,
                        .x_row = PANEL,
                        .x_panel = PANEL * K,
                        .c_row = N,
                        .add = beta != 0,
                        .bias = bias,
                        .c_far = true};
    /* Rows a multiple of 4096 bytes apart push each other out of the first-level cache. */
    const long step = K % 1024 == 0 ? K + LANES : K;
    for (long m = 0; m < M; m += LINEAR_ROWS) {
        p.rows = M - m < LINEAR_ROWS ? M - m : LINEAR_ROWS;
        p.a = step == K ? x + m * K : room;
        for (long r = 0; step != K && r < p.rows; r++)
            memcpy(room + r * step, x + (m + r) * K, (size_t)K * sizeof *x);
        p.c = y + m * N;
        product_run(&p, step, 1, BLOCK_LONG, 1);
    }
}

/* dw += dy^T x over at most LINEAR_NEAR rows, both operands packed. */
static void linear_weight_rows(long M, long N, long K, const real *dy, const real *x, bool add,
                               real *dw, real *room)
{
    real *panel = room, *blocks = room + M * PANEL + LANES;
    for (long n = 0; n < N; n += LINEAR_TOGETHER * LINEAR_BLOCK)
        blocks_copy(M, dy + n, N, N - n, blocks + n * M);
    for (long k = 0; k < K; k += PANEL) {
        panel_copy(M, x + k, K, K - k, panel);
        for (long n = 0; n < N; n += LINEAR_BLOCK)
            product_run(&(struct product){.rows = N - n < LINEAR_BLOCK ? N - n : LINEAR_BLOCK,
                                          .columns = K - k < PANEL ? K - k : PANEL,
                                          .depth = M,
                                          .a = blocks + n * M,
                                          .x = panel,
                                          .x_row = PANEL,
                                          .c = dw + n * K + k,
                                          .c_row = K,
                                          .add = add,
                                          .c_far = true},
                        1, LINEAR_BLOCK, BLOCK_LONG, 1);
    }
}

static void linear_backward_weight(long M, long N, long K, const real *dy, const real *x, real beta,
                                   real *dw, real *room)
{
    for (long from = 0; from < M; from += LINEAR_NEAR, beta = 1) {
        const long rows = M - from < LINEAR_NEAR ? M - from : LINEAR_NEAR;
        if (N * K <= LINEAR_SMALL)
            product_run(&(struct product){.rows = N,
                                          .columns = K,
                                          .depth = rows,
                                          .a = dy + from * N,
                                          .x = x + from * K,
                                          .x_row = K,
                                          .c = dw,
                                          .c_row = K,
                                          .add = beta != 0},
                        1, N, BLOCK_LONG, 1);
        else
            linear_weight_rows(rows, N, K, dy + from * N, x + from * K, beta != 0, dw, room);
    }
}

#endif
