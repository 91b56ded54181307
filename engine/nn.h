/* Named parameters. All values lie in one flat buffer and all gradients in another, so that
 * clipping and the optimizer are single passes. */
#ifndef ENGINE_NN_H
#define ENGINE_NN_H

#include "engine/init.h"

struct nn_parameter {
    struct tensor *tensor;
    struct init_role role;
};

struct nn {
    int count;
    struct nn_parameter *list; /* in the order they were declared */
    long size;                 /* numbers in all */
    real *data, *grad;         /* (size) each, 64-aligned */
};

/* Declare a parameter (rows,columns) or (size); the name is copied into the arena. fan_in of a
 * vector: the columns of the matrix whose bias it is. The tensor has data after nn_finish. */
struct tensor *nn_matrix(struct arena *a, struct nn *nn, const char *name, enum init_kind kind,
                         long rows, long columns);
struct tensor *nn_vector(struct arena *a, struct nn *nn, const char *name, enum init_kind kind,
                         long size, long fan_in);

/* A matrix of a layer's attention, INIT_ATTENTION_WEIGHT or INIT_ATTENTION_OUTPUT, and its heads.
 */
struct tensor *nn_heads_matrix(struct arena *a, struct nn *nn, const char *name,
                               enum init_kind kind, struct init_heads heads, long rows,
                               long columns);

/* Lays out the flat buffers; nothing can be declared afterwards. wants_grad false: no gradients. */
void nn_finish(struct arena *a, struct nn *nn, bool wants_grad);

/* Draws every parameter from (seed, RNG_INIT, name): its initial numbers depend on the seed, its
 * name, shape and role only. */
void nn_init(struct nn *nn, const struct init *init, uint32_t seed);

/* The parameter of that name, or NULL. */
struct tensor *nn_find(const struct nn *nn, const char *name);

/* Marks all gradients as garbage, to be overwritten by the next backward. */
void nn_zero_grad(struct nn *nn);

#endif
