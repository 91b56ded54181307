/* The one matrix product behind attention's five: c (+)= a x, where numbers of `a` are broadcast
 * and columns of x and c are lanes. `a` may lie either way round; rows of x and c are whole
 * vectors. A block of c stays in registers over the whole depth. */
#ifndef ENGINE_KERNELS_SIMD_PRODUCT_H
#define ENGINE_KERNELS_SIMD_PRODUCT_H

#include "engine/kernels/simd_vector.h"

/* Independent sums: enough to cover the latency of two multiply-adds a cycle, few enough to leave
 * registers for x and the broadcasts. */
#if LANES == 16
enum { ACCUMULATORS = 16 };
#else
enum { ACCUMULATORS = 8 };
#endif

struct product {
    long rows, columns, depth; /* columns: a multiple of LANES */
    const float *a;            /* a(r,k) = a[r*row_step + k*depth_step] */
    const float *x;            /* (depth, x_row) */
    long x_row;
    float *c; /* (rows, c_row) */
    long c_row;
    bool add;           /* to the old content */
    const float *scale; /* (rows) multiplies each row; NULL: 1 */
};

/* Rows r..r+ROWS-1, columns from..from+VECTORS*LANES-1. */
ALWAYS_INLINE void product_block(const struct product *p, long row_step, long depth_step, long r,
                                 long from, const int ROWS, const int VECTORS)
{
    vf sum[ACCUMULATORS];
    for (int i = 0; i < ROWS * VECTORS; i++)
        sum[i] = vset(0);
    const float *a = p->a + r * row_step, *x = p->x + from;
    for (long k = 0; k < p->depth; k++, a += depth_step, x += p->x_row) {
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++)
                sum[i * VECTORS + v] += a[i * row_step] * vload(x + v * LANES);
    }
    float *c = p->c + r * p->c_row + from;
    for (int i = 0; i < ROWS; i++, c += p->c_row) {
        const vf scale = vset(p->scale ? p->scale[r + i] : 1);
        for (int v = 0; v < VECTORS; v++) {
            vf y = sum[i * VECTORS + v] * scale;
            vstore(c + v * LANES, p->add ? vload(c + v * LANES) + y : y);
        }
    }
}

ALWAYS_INLINE void product_columns(const struct product *p, long row_step, long depth_step,
                                   long from, const int VECTORS)
{
    long r = 0;
    for (; r + ACCUMULATORS / VECTORS <= p->rows; r += ACCUMULATORS / VECTORS)
        product_block(p, row_step, depth_step, r, from, ACCUMULATORS / VECTORS, VECTORS);
    if (ACCUMULATORS / VECTORS > 8 && r + 8 <= p->rows) {
        product_block(p, row_step, depth_step, r, from, 8, VECTORS);
        r += 8;
    }
    if (ACCUMULATORS / VECTORS > 4 && r + 4 <= p->rows) {
        product_block(p, row_step, depth_step, r, from, 4, VECTORS);
        r += 4;
    }
    for (; r < p->rows; r++)
        product_block(p, row_step, depth_step, r, from, 1, VECTORS);
}

/* row_step or depth_step should be a constant, so that a's addresses fold. */
ALWAYS_INLINE void product_run(const struct product *p, long row_step, long depth_step)
{
    long from = 0;
    for (; from + 4 * LANES <= p->columns; from += 4 * LANES)
        product_columns(p, row_step, depth_step, from, 4);
    if (from + 2 * LANES <= p->columns) {
        product_columns(p, row_step, depth_step, from, 2);
        from += 2 * LANES;
    }
    if (from < p->columns)
        product_columns(p, row_step, depth_step, from, 1);
}

#endif
