/* What every table must agree on about dropout, bit for bit. How its random words are drawn:
 * struct dropout in kernels.h. */
#ifndef ENGINE_KERNELS_DROPOUT_H
#define ENGINE_KERNELS_DROPOUT_H

#include "engine/kernels/kernels.h"

/* An element is kept iff its word is at least this: the smallest integer >= probability * 2^32. */
static inline uint32_t dropout_threshold(const struct dropout *d)
{
    double limit = d->probability * 4294967296.0;
    uint64_t whole = (uint64_t)limit;
    whole += (double)whole < limit;
    return whole > UINT32_MAX ? UINT32_MAX : (uint32_t)whole;
}

/* What is kept is multiplied by this. */
static inline real dropout_scale(const struct dropout *d)
{
    return (real)(1 / (1 - d->probability));
}

#endif
