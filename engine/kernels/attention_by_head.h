/* Attention as a loop over heads: every product a call of OpenBLAS, every head's weights in memory
 * between them. What bench holds the fused kernels against, and tests. Without dropout. */
#ifndef ENGINE_KERNELS_ATTENTION_BY_HEAD_H
#define ENGINE_KERNELS_ATTENTION_BY_HEAD_H

#include "engine/kernels/kernels.h"

/* As attention_forward and attention_backward of struct kernels, which explain the rest; blas_start
 * must have succeeded. w (B,H,T,T): the weights, which forward writes and backward reads. dw (T,T):
 * room. */
void attention_by_head_forward(const struct attention *a, const real *qkv, real *o, real *w);
void attention_by_head_backward(const struct attention *a, const real *qkv, const real *w,
                                const real *d_o, real *dqkv, real *dw);

#endif
