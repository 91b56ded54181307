/* A position's numbers of several heads, brought into lanes: lane h gets head h's. */
#ifndef ENGINE_KERNELS_SIMD_HEADS_H
#define ENGINE_KERNELS_SIMD_HEADS_H

#include "engine/kernels/simd_vector.h"

enum { LANES_MAX_WIDTH = 4 }; /* widest head taken this way */

/* The vector that begins at `at` of a row of n numbers, zeros past its end. */
ALWAYS_INLINE vf row_vector(const float *row, long n, long at)
{
    return n - at >= LANES ? vload(row + at) : n > at ? vload_n(row + at, n - at) : vset(0);
}

ALWAYS_INLINE void row_vector_set(float *row, long n, long at, vf x)
{
    if (n - at >= LANES)
        vstore(row + at, x);
    else if (n > at)
        vstore_n(row + at, n - at, x);
}

/* row (heads,D) -> x (WIDTH), heads in lanes; 0 from D on. */
ALWAYS_INLINE void row_load(const float *row, long heads, long D, const int WIDTH, vf *x)
{
    const long n = heads * D;
    if (WIDTH > 1 && D != WIDTH) {
        float lane[LANES_MAX_WIDTH][LANES] = {{0}};
        for (long h = 0; h < heads; h++)
            for (long d = 0; d < D; d++)
                lane[d][h] = row[h * D + d];
        for (int d = 0; d < WIDTH; d++)
            x[d] = vload(lane[d]);
    } else if (WIDTH == 1) {
        x[0] = row_vector(row, n, 0);
    } else if (WIDTH == 2) {
        vunzip(row_vector(row, n, 0), row_vector(row, n, LANES), &x[0], &x[1]);
    } else {
        vf even[2], odd[2];
        for (int i = 0; i < 2; i++)
            vunzip(row_vector(row, n, 2 * i * LANES), row_vector(row, n, (2 * i + 1) * LANES),
                   &even[i], &odd[i]);
        vunzip(even[0], even[1], &x[0], &x[2]);
        vunzip(odd[0], odd[1], &x[1], &x[3]);
    }
}

/* The inverse. */
ALWAYS_INLINE void row_store(float *row, long heads, long D, const int WIDTH, const vf *x)
{
    const long n = heads * D;
    if (WIDTH > 1 && D != WIDTH) {
        float lane[LANES_MAX_WIDTH][LANES];
        for (int d = 0; d < WIDTH; d++)
            vstore(lane[d], x[d]);
        for (long h = 0; h < heads; h++)
            for (int d = 0; d < WIDTH; d++)
                if (d < D)
                    row[h * D + d] = lane[d][h];
    } else if (WIDTH == 1) {
        row_vector_set(row, n, 0, x[0]);
    } else if (WIDTH == 2) {
        vf part[2];
        vzip(x[0], x[1], &part[0], &part[1]);
        for (int i = 0; i < 2; i++)
            row_vector_set(row, n, i * LANES, part[i]);
    } else {
        vf even[2], odd[2], part[2];
        vzip(x[0], x[2], &even[0], &even[1]);
        vzip(x[1], x[3], &odd[0], &odd[1]);
        for (int i = 0; i < 2; i++) {
            vzip(even[i], odd[i], &part[0], &part[1]);
            row_vector_set(row, n, 2 * i * LANES, part[0]);
            row_vector_set(row, n, (2 * i + 1) * LANES, part[1]);
        }
    }
}

#endif
