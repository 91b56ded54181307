/* Which of the two layouts a shape takes: a choice by the shape alone, never by the batch. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_H
#define ENGINE_KERNELS_SIMD_ATTENTION_H

#include "engine/kernels/simd_attention_lanes.h"
#include "engine/kernels/simd_attention_tiles.h"
#include "engine/kernels/simd_attention_weights.h"

/* A vector of heads in lanes takes as long as 2 + 1.25 width heads take as tiles, or as 2.7 + 1.7
 * width heads that are taken in groups: measured, nearly the same for 8 lanes as for 16. */
static bool heads_as_lanes(const struct attention *a)
{
    const long width = lanes_width(a), vectors = (a->H + LANES - 1) / LANES;
    const long share = tiles_group(a) == 1 ? 4 : 3;
    return width > 0 && vectors * (8 + 5 * width) < share * a->H;
}

static void attention_forward(const struct attention *a, const real *qkv, real *o, real *saved,
                              void *scratch)
{
    if (heads_as_lanes(a))
        lanes_forward(a, qkv, o, saved, scratch);
    else
        tiles_forward(a, qkv, o, saved, scratch);
}

static void attention_backward(const struct attention *a, const real *qkv, const real *o,
                               const real *saved, const real *d_o, real *dqkv, void *scratch)
{
    if (heads_as_lanes(a))
        lanes_backward(a, qkv, o, saved, d_o, dqkv, scratch);
    else
        tiles_backward(a, qkv, saved, d_o, dqkv, scratch);
}

static size_t attention_scratch(const struct attention *a)
{
    struct tiles t;
    struct lanes g;
    struct weights w;
    const size_t need = heads_as_lanes(a) ? lanes_layout(a, NULL, &g) : tiles_layout(a, NULL, &t);
    const size_t weights = weights_layout(a, NULL, &w);
    return need > weights ? need : weights;
}

#endif
