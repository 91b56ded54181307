/* Queries and keys turned with their positions. The cosines and sines of a position serve all of
 * its heads; heads narrower than a vector are turned several at a time. */
#ifndef ENGINE_KERNELS_SIMD_ROTARY_H
#define ENGINE_KERNELS_SIMD_ROTARY_H

#include "engine/kernels/simd_vector.h"

/* Of each pair of lanes: (c, c) and (-s, s), or (s, -s) to turn back. */
struct vturn {
    vf cosine, sine;
};

/* turn: cosine, sine, cosine, sine, ... */
ALWAYS_INLINE struct vturn vturn_of(vf turn, bool back)
{
    const vi second = ((vi){LANE_NUMBERS} & 1) == 1;
    const vf sign = vselect(second, vset(1), vset(-1)) * (back ? -1.0f : 1.0f);
    return (struct vturn){SHUFFLE(turn, turn, FIRST_TWICE),
                          SHUFFLE(turn, turn, SECOND_TWICE) * sign};
}

/* n <= LANES numbers, an even number of them. */
ALWAYS_INLINE void turn_some(struct vturn turn, long n, const float *x, float beta, float *y)
{
    const vf z = vload_n(x, n);
    const vf turned = z * turn.cosine + SHUFFLE(z, z, PAIRS_SWAPPED) * turn.sine;
    vstore_n(y, n, beta == 0 ? turned : turned + vload_n(y, n));
}

/* Groups whose width divides LANES: all in a row, with their angles side by side. */
ALWAYS_INLINE void turn_narrow(const struct rotation *t, const float *turns, const float *x,
                               float beta, float *y)
{
    const long numbers = t->groups * t->width;
    float repeated[LANES];
    for (int l = 0; l < LANES; l++)
        repeated[l] = turns[l % t->width];
    const struct vturn turn = vturn_of(vload(repeated), t->back);
    for (long c = 0; c < numbers; c += LANES)
        turn_some(turn, numbers - c, x + c, beta, y + c);
}

ALWAYS_INLINE void turn_wide(const struct rotation *t, const float *turns, const float *x,
                             float beta, float *y)
{
    for (long c = 0; c < t->width; c += LANES) {
        const long n = t->width - c;
        const struct vturn turn = vturn_of(vload_n(turns + c, n), t->back);
        for (long g = 0; g < t->groups; g++)
            turn_some(turn, n, x + g * t->width + c, beta, y + g * t->width + c);
    }
}

static void rotate(long R, long N, const struct rotation *t, const real *x, real beta, real *y)
{
    const bool narrow = LANES % t->width == 0;
    long position = 0;
    for (long r = 0; r < R; r++, x += N, y += N) {
        const float *turns = t->turns + position * t->width;
        position = position + 1 == t->T ? 0 : position + 1;
        if (narrow)
            turn_narrow(t, turns, x, beta, y);
        else
            turn_wide(t, turns, x, beta, y);
        for (long c = t->groups * t->width; c < N; c += LANES) {
            const vf z = vload_n(x + c, N - c);
            vstore_n(y + c, N - c, beta == 0 ? z : z + vload_n(y + c, N - c));
        }
    }
}

#endif
