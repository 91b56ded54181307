/* Shapes, and the one alphabet for them that every file uses:
 *   B batch   T sequence length   C model width (d_model)   H heads   D head width (d_head)
 *   F feed-forward width (d_ff)   V classes or vocabulary   S slots   L layers
 * Row major; the last dimension is contiguous. */
#ifndef ENGINE_BASE_TENSOR_H
#define ENGINE_BASE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/real.h"

enum { TENSOR_MAX_RANK = 4 };

struct shape {
    int rank; /* 1..TENSOR_MAX_RANK */
    long dim[TENSOR_MAX_RANK];
};

/* SHAPE(B, T, C): a struct shape; in initializers of static data too, as gcc and clang allow. */
#define SHAPE(...)                                                                                 \
    (struct shape)                                                                                 \
    {                                                                                              \
        (int)(sizeof(long[]){__VA_ARGS__} / sizeof(long)),                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

enum { TENSOR_OUTSIDE = -1 };

/* A value and its gradient. Owned by the arena it was made from. */
struct tensor {
    const char *name; /* of a parameter; NULL for an activation */
    struct shape shape;
    int node; /* index of the tape's node that computes it; TENSOR_OUTSIDE: none does */
    real *data;
    real *grad;        /* same shape as data; NULL: no gradient wanted */
    bool grad_written; /* grad holds something to add to; else it is garbage to overwrite */
};

/* A tensor made outside of a tape, with zeroed data, and zeroed grad if wanted. name is kept, not
 * copied. */
struct tensor *tensor_new(struct arena *a, const char *name, struct shape shape, bool wants_grad);

/* Number of elements. */
long tensor_size(const struct tensor *t);

/* Product of all dimensions but the last: the rows of the matrix that the tensor is. */
long tensor_rows(const struct tensor *t);

/* The last dimension. */
long tensor_width(const struct tensor *t);

/* The `beta` with which an operation's backward adds its share of t's gradient (dx = beta*dx +
 * share): 0 for the first share in a backward pass, 1 from then on, so that no pass over memory is
 * spent on zeroing. */
real tensor_grad_beta(struct tensor *t);

/* t's gradient, ready for shares that can only be added: zeroed the first time in a backward pass.
 * NULL where t is NULL or wants none. */
real *tensor_grad_sum(struct tensor *t);

#endif
