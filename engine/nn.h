/* Named parameters, stored one after the other in one flat buffer each for values and gradients,
 * so that clipping and the optimizer are single passes. */
#ifndef ENGINE_NN_H
#define ENGINE_NN_H

#include <stdint.h>

#include "engine/base/tensor.h"

enum nn_init {
    NN_ZEROS,
    NN_ONES,
    NN_UNIFORM_FAN_IN, /* U(-1/sqrt(fan_in), +): nn.Linear (He et al. 2015 with a = sqrt 5) */
    NN_XAVIER,         /* U(-sqrt(6/(fan_in+fan_out)), +) (Glorot and Bengio 2010) */
    NN_NORMAL          /* N(0, spread^2) */
};

struct nn_parameter {
    struct tensor *tensor;
    enum nn_init init;
    long fan_in, fan_out;
    double spread;
};

struct nn {
    int count;
    struct nn_parameter *list; /* in the order they were declared */
    long size;                 /* numbers in all */
    real *data, *grad;         /* (size) each, 64-aligned */
};

/* Declares a parameter; name is copied into the arena. Its data is there after nn_finish. */
struct tensor *nn_declare(struct arena *a, struct nn *nn, const char *name, struct shape shape,
                          enum nn_init init, long fan_in, long fan_out, double spread);

/* Lays out the flat buffers; nothing can be declared afterwards. wants_grad false: no gradients. */
void nn_finish(struct arena *a, struct nn *nn, bool wants_grad);

/* Draws every parameter from (seed, RNG_INIT, name): a parameter's start depends on nothing but
 * the seed, its name, shape and init. */
void nn_init(struct nn *nn, uint32_t seed);

/* The parameter of that name, or NULL. */
struct tensor *nn_find(const struct nn *nn, const char *name);

/* Marks all gradients as garbage, to be overwritten by the next backward. */
void nn_zero_grad(struct nn *nn);

#endif
