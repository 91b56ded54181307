/* What an encoder of a given shape costs: closed formulas, so that thousands of points can be
 * judged without building any. Valid configurations only. */
#ifndef ENGINE_ENCODER_COST_H
#define ENGINE_ENCODER_COST_H

#include "engine/encoder_config.h"

/* Sequences per slice such that a slice's working set fits the second-level cache (taken as 1 MiB:
 * a function of the shapes alone, never of the machine, because the order of summation is part of
 * the result), but at least about 256 rows for the matrix products. Between 1 and batch; the slices
 * of a batch are of nearly one size. */
long encoder_slice(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* Multiply-adds x 2 of one training step's matrix products (forward, backward twice that). */
double encoder_step_flops(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* Bytes a training process of this shape needs, roughly, for `plan` to refuse the impossible. */
double encoder_memory(const struct encoder_config *c, const struct encoder_io *io, long batch);

#endif
