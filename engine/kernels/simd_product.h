/* The one matrix product behind attention's five and a linear layer's three: c (+)= a x, where
 * numbers of `a` are broadcast and columns of x and c are lanes. `a` may lie either way round; rows
 * of x and c are whole vectors. A block of c, rows by two vectors, stays in registers over the
 * whole depth.
 *
 * GROUP products at once if it is more than 1: they are interleaved (simd_groups.h), so that every
 * GROUP-th column is one product's, and a number of `a` is GROUP neighbours, as is one of scale. */
#ifndef ENGINE_KERNELS_SIMD_PRODUCT_H
#define ENGINE_KERNELS_SIMD_PRODUCT_H

#include "engine/kernels/simd_groups.h"

/* Independent sums of a block: enough to cover the latency of two multiply-adds a cycle, few enough
 * to leave registers for x and the broadcasts. Many rows of short depth (attention) like smaller
 * blocks, because what is left over costs most. */
#if SIMD_AVX512 || SIMD_NEON /* 32 registers */
enum { BLOCK_SHORT = 16, BLOCK_LONG = 24 };
#else
enum { BLOCK_SHORT = 12, BLOCK_LONG = 12 };
#endif
enum { LINE = 16 };         /* numbers in a line of the cache */
enum { BLOCK_ROWS = 16 };   /* at most */
enum { PANEL = 2 * LANES }; /* columns of x that a block takes */

struct product {
    long rows, columns, depth; /* columns: a multiple of LANES */
    const float *a;            /* a(r,k) = a[r*row_step + k*depth_step], GROUP numbers */
    const float *x;            /* (depth, x_row) */
    long x_row;
    long x_panel; /* 0: x is one matrix; else panels of PANEL columns, this many numbers apart */
    float *c;     /* (rows, c_row) */
    long c_row;
    bool add;           /* to the old content */
    bool c_far;         /* c is not near: it is fetched while the block is computed */
    const float *scale; /* (rows,GROUP) multiplies each row; NULL: 1 */
    const float *bias;  /* (columns) is added to each row; NULL: 0 */
};

/* Rows r..r+ROWS-1, columns from..from+VECTORS*LANES-1. Every loop over the sums is unrolled: else
 * gcc clears them in memory as well, for every block, which took a tenth of a product of depth 32.
 */
ALWAYS_INLINE void product_block(const struct product *p, long row_step, long depth_step, long r,
                                 long from, const int ROWS, const int VECTORS, const int GROUP)
{
    vf sum[BLOCK_LONG];
#pragma GCC unroll 24
    for (int i = 0; i < ROWS * VECTORS; i++)
        sum[i] = vset(0);
    const float *a = p->a + r * row_step;
    const float *x = p->x + (p->x_panel ? from / PANEL * p->x_panel : from);
    float *c = p->c + r * p->c_row + from;
    if (p->c_far)
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++)
            for (int v = 0; v < VECTORS * LANES; v += LINE)
                __builtin_prefetch(c + i * p->c_row + v, 1);
    for (long k = 0; k < p->depth; k++, a += depth_step, x += p->x_row) {
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
            for (int v = 0; v < VECTORS; v++)
                sum[i * VECTORS + v] += vgroup(a + i * row_step, GROUP) * vload(x + v * LANES);
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++, c += p->c_row) {
        const vf scale = p->scale ? vgroup(p->scale + (r + i) * GROUP, GROUP) : vset(1);
#pragma GCC unroll 2
        for (int v = 0; v < VECTORS; v++) {
            vf y = sum[i * VECTORS + v] * scale;
            if (p->bias)
                y += vload(p->bias + from + v * LANES);
            vstore(c + v * LANES, p->add ? vload(c + v * LANES) + y : y);
        }
    }
}

ALWAYS_INLINE void product_columns(const struct product *p, long row_step, long depth_step,
                                   long from, const int ROWS, const int VECTORS, const int GROUP)
{
    long r = 0;
    for (; r + ROWS <= p->rows; r += ROWS)
        product_block(p, row_step, depth_step, r, from, ROWS, VECTORS, GROUP);
    if (ROWS > 8 && r + 8 <= p->rows) {
        product_block(p, row_step, depth_step, r, from, 8, VECTORS, GROUP);
        r += 8;
    }
    if (ROWS > 4 && r + 4 <= p->rows) {
        product_block(p, row_step, depth_step, r, from, 4, VECTORS, GROUP);
        r += 4;
    }
    if (ROWS > 2 && r + 2 <= p->rows) {
        product_block(p, row_step, depth_step, r, from, 2, VECTORS, GROUP);
        r += 2;
    }
    for (; r < p->rows; r++)
        product_block(p, row_step, depth_step, r, from, 1, VECTORS, GROUP);
}

/* row_step or depth_step should be a constant, so that a's addresses fold. BLOCK: one of the above.
 */
ALWAYS_INLINE void product_run(const struct product *p, long row_step, long depth_step,
                               const int BLOCK, const int GROUP)
{
    long from = 0;
    for (; from + PANEL <= p->columns; from += PANEL)
        product_columns(p, row_step, depth_step, from, BLOCK / 2, 2, GROUP);
    if (from < p->columns)
        product_columns(p, row_step, depth_step, from, BLOCK < BLOCK_ROWS ? BLOCK : BLOCK_ROWS, 1,
                        GROUP);
}

#endif
