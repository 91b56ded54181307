/* What an encoder of a given shape costs, by closed formulas: thousands of points can be judged
 * without building one. Valid configurations only. */
#ifndef ENGINE_ENCODER_COST_H
#define ENGINE_ENCODER_COST_H

#include "engine/encoder_config.h"

struct encoder;

/* Sequences per slice, from 1 to batch: as many as keep a slice's working set in the second-level
 * cache and leave eight slices, but enough for 128 or 256 rows in the matrix products. The cache is
 * taken as 1 MiB whatever the machine has, because the order of summation is part of the result.
 * The slices of a batch have nearly the same size. */
long encoder_slice(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* Multiply-adds x 2 of one training step's matrix products (forward, backward twice that). A causal
 * mask leaves T*(T+1)/2 of the T*T products of queries and keys. */
double encoder_step_flops(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* About how many bytes a training process of this shape needs, so that `plan` can refuse what is
 * impossible. */
double encoder_memory(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* About how many more a further thread of it takes (trainer_set_threads): tapes of a slice, its
 * stack, OpenBLAS's buffers. */
double encoder_thread_memory(const struct encoder_config *c, const struct encoder_io *io,
                             long batch);

/* Multiply-adds x 2 of the matrix products that one sequence takes forward, with the heads that e
 * has. */
double encoder_flops(const struct encoder *e);

#endif
