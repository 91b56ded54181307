/* exp, log and the normal distribution, lane by lane. The polynomials are minimax fits (iteratively
 * reweighted least squares) for the interval named beside each; stated errors include rounding and
 * are checked by tests/unit/test_kernels*.c over dense sweeps. All let NaN through. */
#ifndef ENGINE_KERNELS_SIMD_MATH_H
#define ENGINE_KERNELS_SIMD_MATH_H

#include "engine/kernels/simd_vector.h"

#define LOG2_E 1.44269504f
#define LN_2   0.693147181f
/* ln 2 in two parts; the first has so few bits that its products with small integers are exact. */
#define LN_2_HIGH 0.693359375f
#define LN_2_LOW  -2.12194440e-4f

/* The nearest integer. |x| < 2^22. */
ALWAYS_INLINE vf vround(vf x)
{
#if SIMD_AVX512
    return (vf)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif SIMD_AVX2
    return (vf)_mm256_round_ps((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif SIMD_SSE2
    return __builtin_convertvector((vi)_mm_cvtps_epi32((__m128)x), vf);
#elif SIMD_NEON
    return vrndnq_f32(x);
#else
    return __builtin_convertvector(
        __builtin_convertvector(x + vselect(x < 0, vset(-.5f), vset(.5f)), vi), vf);
#endif
}

/* max(least, x), NaN kept, where vscale_power could not tell what a smaller x (-inf, say) means. */
ALWAYS_INLINE vf vlimit(vf x, float least)
{
#if SIMD_AVX512
    (void)least;
    return x;
#else
    return vmax(vset(least), x);
#endif
}

/* x * 2^n for a whole n in -127..127 (AVX-512: or less), 0 for n < -126; NaN n keeps x's NaN. */
ALWAYS_INLINE vf vscale_power(vf x, vf n)
{
#if SIMD_AVX512
    const __mmask16 normal = _mm512_cmp_ps_mask((__m512)n, (__m512)vset(-126), _CMP_NLT_UQ);
    return (vf)_mm512_maskz_scalef_ps(normal, (__m512)x, (__m512)n);
#else
    return x * (vf)((__builtin_convertvector(n, vi) + 127) << 23);
#endif
}

/* 2^y for y < 127, within 2 ulp; 0 below -126.5. */
ALWAYS_INLINE vf vexp2(vf y)
{
    y = vlimit(y, -127);
    vf n = vround(y), f = y - n;
    vf p = 1.326472731e-3f * f + 9.671512991e-3f; /* 2^f on [-1/2, 1/2], within 9.2e-8 */
    p = p * f + 5.550733581e-2f;
    p = p * f + 2.402224243e-1f;
    p = p * f + 6.931470037e-1f;
    p = p * f + 1.0f;
    return vscale_power(p, n);
}

/* e^x for x < 88, within 2 ulp on [-87, 0]; 0 below -87.7. */
ALWAYS_INLINE vf vexp(vf x)
{
    x = vlimit(x, -88);
    vf n = vround(x * LOG2_E);
    vf f = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    vf p = 1.381454058e-3f * f + 8.368745446e-3f; /* on [-ln 2/2, ln 2/2], within 3.1e-9 */
    p = p * f + 4.166838899e-2f;
    p = p * f + 1.666652113e-1f;
    p = p * f + 4.999999404e-1f;
    p = p * (f * f) + f + 1.0f;
    return vscale_power(p, n);
}

/* ln x of a normal positive number, within 2e-7 + 1 ulp; x = 1 gives 0. */
ALWAYS_INLINE vf vlog(vf x)
{
    /* x = 2^n m with m in [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2) */
    vi n = ((vi)x - 0x3f3504f3) >> 23;
    vf f = (vf)((vi)x - (n << 23)) - 1.0f;
    vf p = -7.634497434e-2f * f + 1.276158243e-1f;
    p = p * f - 1.316018403e-1f;
    p = p * f + 1.420175731e-1f;
    p = p * f - 1.662335694e-1f;
    p = p * f + 2.000122666e-1f;
    p = p * f - 2.500081957e-1f;
    p = p * f + 3.333333135e-1f;
    vf ln = (p * f - 0.5f) * (f * f) + f;
    vf whole = __builtin_convertvector(n, vf);
    ln = (ln + whole * LN_2_LOW) + whole * LN_2_HIGH;
    return ln + (x - x); /* NaN and Inf have no logarithm in the bits above */
}

/* gelu(z) = z Phi(z) = max(z,0) - |z| Q(|z|), within 1e-7 + 1 ulp, and its slope Phi(z) + z phi(z),
 * within 3e-7: with u = Q(|z|) - |z| phi(z) that is u for z < 0, else 1 - u. Q = 1 - Phi is the
 * upper tail of the standard normal distribution; it falls with e^(-z^2/2), and what is left is a
 * polynomial's: both come from one exponential. */
ALWAYS_INLINE vf vgelu(vf z, vf *slope)
{
    vf a = vmin(vset(14), vabs(z)); /* Q(14) is 0, and what is larger must not overflow */
    vf p = -2.217798305e-7f * a + 5.800693764e-6f; /* Q e^(a^2/2); weighted for a Q on [0, 8] */
    p = p * a - 6.826110181e-5f;
    p = p * a + 4.841670453e-4f;
    p = p * a - 2.356120834e-3f;
    p = p * a + 8.568207572e-3f;
    p = p * a - 2.495886359e-2f;
    p = p * a + 6.155325017e-2f;
    p = p * a - 1.326521072e-1f;
    p = p * a + 2.499405251e-1f;
    p = p * a - 3.989380539e-1f;
    p = p * a + 4.999999503e-1f;
    vf e = vexp2((-0.5f * LOG2_E) * (a * a));
    vf u = e * (p - 0.398942280f * a);
    *slope = vselect(z < 0, u, 1.0f - u);
    return vmax(vset(0), z) - a * (e * p);
}

#endif
