/* Groups: GROUP narrow heads that lie side by side fill one vector together. Between the products
 * they are interleaved, number k of all of them, then number k+1: so one broadcast of GROUP
 * neighbours serves all heads at once. GROUP is 1, 2 or 4. */
#ifndef ENGINE_KERNELS_SIMD_GROUPS_H
#define ENGINE_KERNELS_SIMD_GROUPS_H

#include "engine/kernels/simd_vector.h"

enum { GROUP_MAX = 4 };

#if LANES == 16
#define HALVES_ZIPPED   0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15
#define HALVES_UNZIPPED 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15
#elif LANES == 8
#define HALVES_ZIPPED   0, 4, 1, 5, 2, 6, 3, 7
#define HALVES_UNZIPPED 0, 2, 4, 6, 1, 3, 5, 7
#else
#define HALVES_ZIPPED   0, 2, 1, 3
#define HALVES_UNZIPPED 0, 2, 1, 3
#endif

/* The GROUP numbers at p, over and over. */
ALWAYS_INLINE vf vgroup(const float *p, const int GROUP)
{
    if (GROUP == 1)
        return vset(*p);
    if (GROUP == 2) {
        double pair; /* its bits alone count; what gcc loads as an integer goes a longer way */
        memcpy(&pair, p, sizeof pair);
        return (vf)(vd){EVERY_PAIR(pair)};
    }
#if SIMD_AVX512
    return (vf)_mm512_broadcast_f32x4(_mm_loadu_ps(p));
#elif SIMD_AVX2
    return (vf)_mm256_broadcast_ps((const __m128 *)(const void *)p);
#else
    return vload(p);
#endif
}

/* Heads side by side -> interleaved. */
ALWAYS_INLINE vf group_zip(vf x, int group)
{
    for (; group > 1; group /= 2)
        x = SHUFFLE(x, x, HALVES_ZIPPED);
    return x;
}

/* The inverse. */
ALWAYS_INLINE vf group_unzip(vf x, int group)
{
    for (; group > 1; group /= 2)
        x = SHUFFLE(x, x, HALVES_UNZIPPED);
    return x;
}

/* The same of vectors: x[g] holds LANES numbers of head g, `apart` from x[g+1]; out (group) holds
 * them interleaved. */
ALWAYS_INLINE void group_zip_vectors(const vf *x, int apart, int group, vf *out)
{
    if (group == 1) {
        out[0] = x[0];
    } else if (group == 2) {
        vzip(x[0], x[apart], &out[0], &out[1]);
    } else {
        vf even[2], odd[2]; /* heads 0 and 2, 1 and 3 */
        vzip(x[0], x[2 * apart], &even[0], &even[1]);
        vzip(x[apart], x[3 * apart], &odd[0], &odd[1]);
        vzip(even[0], odd[0], &out[0], &out[1]);
        vzip(even[1], odd[1], &out[2], &out[3]);
    }
}

/* The inverse: out[g] holds head g's. */
ALWAYS_INLINE void group_unzip_vectors(const vf *x, int group, vf *out)
{
    if (group == 1) {
        out[0] = x[0];
    } else if (group == 2) {
        vunzip(x[0], x[1], &out[0], &out[1]);
    } else {
        vf even[2], odd[2];
        vunzip(x[0], x[1], &even[0], &odd[0]);
        vunzip(x[2], x[3], &even[1], &odd[1]);
        vunzip(even[0], even[1], &out[0], &out[2]);
        vunzip(odd[0], odd[1], &out[1], &out[3]);
    }
}

#endif
