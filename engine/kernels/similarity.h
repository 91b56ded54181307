/* How alike the heads of a layer are, over the pairs of different heads only (the diagonal would
 * make a layer of few heads look more alike than one of many). The measures of disagreement are
 * these, negated, and so is the term that training can add to the loss (Li, Tu, Yang, Lyu, Zhang
 * 2018, "Multi-head attention with disagreement regularization", eqs. 5 to 7).
 *
 * Sums over pairs are taken through the sum over heads: sum over a != b of x_a.x_b = |sum x_a|^2 -
 * sum |x_a|^2. */
#ifndef ENGINE_KERNELS_SIMILARITY_H
#define ENGINE_KERNELS_SIMILARITY_H

#include "engine/kernels/attention.h"

enum similarity_kind {
    SIMILARITY_SUBSPACE, /* of the values: their cosine, by position */
    SIMILARITY_POSITION, /* of the attention weights: the sum over keys of their product, by query
                          */
    SIMILARITY_OUTPUT    /* of the heads' outputs: their cosine, by position */
};

/* Needed in `sum`, in numbers. */
static inline long similarity_scratch(const struct attention *a)
{
    return 2 * a->T > a->d_v ? 2 * a->T : a->d_v;
}

/* Subspace or output, at one position: the mean over pairs of cos(x_a, x_b), from -1/(H-1) to 1; a
 * head of zeros is alike to none. x: the values of a position (G*d_v), which several heads may
 * share, or its outputs (H*d_v). H >= 2. */
double similarity_cosine(const struct attention *a, enum similarity_kind kind, const real *x,
                         double *sum);
/* Adds factor times its gradient to dx. */
void similarity_cosine_backward(const struct attention *a, enum similarity_kind kind, const real *x,
                                double factor, double *sum, real *dx);

/* Position, for one query: the mean over pairs of the sum over keys of w_a w_b, from 0 to 1; 1
 * where all look at one and the same key. w: the query's row of the first head; the next head's is
 * T*T numbers on. H >= 2. */
double similarity_weights(const struct attention *a, const real *w, double *sum);
/* Overwrites dw (H,T) with factor times its gradient. */
void similarity_weights_backward(const struct attention *a, const real *w, double factor,
                                 double *sum, real *dw);

#endif
