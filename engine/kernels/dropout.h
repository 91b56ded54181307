/* What every table must agree on about dropout, bit for bit. How its random words are drawn:
 * struct dropout in kernels.h. */
#ifndef ENGINE_KERNELS_DROPOUT_H
#define ENGINE_KERNELS_DROPOUT_H

#include "engine/kernels/kernels.h"

/* An element is kept iff its number is at least this. */
static inline uint32_t dropout_threshold(const struct dropout *d)
{
    double nearest = d->probability * 65536 + 0.5;
    return nearest < 1 ? 1 : nearest > UINT16_MAX ? UINT16_MAX : (uint32_t)nearest;
}

/* What is kept is multiplied by this. */
static inline real dropout_scale(const struct dropout *d)
{
    return (real)(1 / (1 - dropout_threshold(d) / 65536.0));
}

/* Where element 0 stands in what dropout_draw writes. */
static inline uint64_t dropout_skip(const struct dropout *d)
{
    return d->first % 128;
}

#endif
