/* Which of the two layouts a shape takes, and the specialised widths of the narrow one. The choice
 * depends on the shape alone. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_H
#define ENGINE_KERNELS_SIMD_ATTENTION_H

#include "engine/kernels/simd_attention_lanes.h"

static bool heads_as_lanes(const struct attention *a)
{
    return a->d_k <= 4 && a->d_v <= 4 && 2 * a->H >= LANES;
}

/* The widths of `split` heads are compiled on their own; others go through a loop over d. */
#define LANES_BY_WIDTH(call, drop)                                                                 \
    (a->d_k == 1 && a->d_v == 1   ? call(4, 1, 1, drop)                                            \
     : a->d_k == 2 && a->d_v == 2 ? call(4, 2, 2, drop)                                            \
     : a->d_k == 4 && a->d_v == 4 ? call(2, 4, 4, drop)                                            \
                                  : call(1, (int)a->d_k, (int)a->d_v, drop))
#define FORWARD(block, dk, dv, drop) lanes_forward(a, qkv, o, saved, scratch, block, dk, dv, drop)
#define BACKWARD(block, dk, dv, drop)                                                              \
    lanes_backward(a, qkv, o, saved, d_o, dqkv, scratch, block, dk, dv, drop)

static void attention_forward(const struct attention *a, const real *qkv, real *o, real *saved,
                              void *scratch)
{
    if (!heads_as_lanes(a))
        tiles_forward(a, qkv, o, saved, scratch);
    else if (a->dropout.probability > 0)
        LANES_BY_WIDTH(FORWARD, true);
    else
        LANES_BY_WIDTH(FORWARD, false);
}

static void attention_backward(const struct attention *a, const real *qkv, const real *o,
                               const real *saved, const real *d_o, real *dqkv, void *scratch)
{
    if (!heads_as_lanes(a))
        tiles_backward(a, qkv, saved, d_o, dqkv, scratch);
    else if (a->dropout.probability > 0)
        LANES_BY_WIDTH(BACKWARD, true);
    else
        LANES_BY_WIDTH(BACKWARD, false);
}

static size_t attention_scratch(const struct attention *a)
{
    struct tiles t;
    struct lanes g;
    return heads_as_lanes(a) ? lanes_layout(a, NULL, &g) : tiles_layout(a, NULL, &t);
}

#endif
