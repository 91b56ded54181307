/* The vector of the instruction set this file is compiled for: LANES floats, and the few operations
 * on it that plain C operators do not say. GCC's vector extensions (clang has them too) carry the
 * arithmetic; intrinsics stand only where the compiler would not find the instruction. */
#ifndef ENGINE_KERNELS_SIMD_VECTOR_H
#define ENGINE_KERNELS_SIMD_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define SIMD_AVX512 1
#define LANES       16
#elif defined(__AVX2__) && defined(__FMA__)
#define SIMD_AVX2 1
#define LANES     8
#else
#if defined(__SSE2__)
#define SIMD_SSE2 1
#elif defined(__aarch64__)
#define SIMD_NEON 1
#endif
#define LANES 4
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * LANES)));
typedef uint64_t vw __attribute__((vector_size(4 * LANES))); /* LANES/2 wide words */
typedef double vd __attribute__((vector_size(4 * LANES)));   /* LANES/2 doubles */
typedef float vf_half __attribute__((vector_size(2 * LANES)));
typedef uint8_t vb __attribute__((vector_size(LANES)));

/* The same at any address. */
typedef float vf_loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t vu_loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float vf_half_loose __attribute__((vector_size(2 * LANES), aligned(4), may_alias));

/* Lists for shuffles, by the number of lanes. UNPACK_* interleave within 128-bit blocks, the
 * cheapest shuffle there is; BLOCKS_* move whole ones. */
#if LANES == 16
#define EVERY_LANE(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
#define EVERY_PAIR(x) x, x, x, x, x, x, x, x
#define LANE_NUMBERS  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define ZIP_LOW       0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZIP_HIGH      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define FIRST_TWICE   0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14
#define SECOND_TWICE  1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15
#define PAIRS_SWAPPED 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#define EVEN_LANES    0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_LANES     1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define UNPACK_LOW    0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define UNPACK_HIGH   2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define UNPACK_LOW_2  0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define UNPACK_HIGH_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define BLOCKS_EVEN   0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define BLOCKS_ODD    4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#elif LANES == 8
#define EVERY_LANE(x) x, x, x, x, x, x, x, x
#define EVERY_PAIR(x) x, x, x, x
#define LANE_NUMBERS  0, 1, 2, 3, 4, 5, 6, 7
#define ZIP_LOW       0, 8, 1, 9, 2, 10, 3, 11
#define ZIP_HIGH      4, 12, 5, 13, 6, 14, 7, 15
#define FIRST_TWICE   0, 0, 2, 2, 4, 4, 6, 6
#define SECOND_TWICE  1, 1, 3, 3, 5, 5, 7, 7
#define PAIRS_SWAPPED 1, 0, 3, 2, 5, 4, 7, 6
#define EVEN_LANES    0, 2, 4, 6, 8, 10, 12, 14
#define ODD_LANES     1, 3, 5, 7, 9, 11, 13, 15
#define UNPACK_LOW    0, 8, 1, 9, 4, 12, 5, 13
#define UNPACK_HIGH   2, 10, 3, 11, 6, 14, 7, 15
#define UNPACK_LOW_2  0, 1, 8, 9, 4, 5, 12, 13
#define UNPACK_HIGH_2 2, 3, 10, 11, 6, 7, 14, 15
#define BLOCKS_LOW    0, 1, 2, 3, 8, 9, 10, 11
#define BLOCKS_HIGH   4, 5, 6, 7, 12, 13, 14, 15
#else
#define EVERY_LANE(x) x, x, x, x
#define EVERY_PAIR(x) x, x
#define LANE_NUMBERS  0, 1, 2, 3
#define ZIP_LOW       0, 4, 1, 5
#define ZIP_HIGH      2, 6, 3, 7
#define FIRST_TWICE   0, 0, 2, 2
#define SECOND_TWICE  1, 1, 3, 3
#define PAIRS_SWAPPED 1, 0, 3, 2
#define EVEN_LANES    0, 2, 4, 6
#define ODD_LANES     1, 3, 5, 7
#define UNPACK_LOW    ZIP_LOW
#define UNPACK_HIGH   ZIP_HIGH
#define UNPACK_LOW_2  0, 1, 4, 5
#define UNPACK_HIGH_2 2, 3, 6, 7
#endif
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

ALWAYS_INLINE vf vset(float x)
{
    return (vf){EVERY_LANE(x)};
}

ALWAYS_INLINE vf vload(const float *p)
{
    return *(const vf_loose *)p;
}

ALWAYS_INLINE void vstore(float *p, vf x)
{
    *(vf_loose *)p = x;
}

#if SIMD_AVX512
ALWAYS_INLINE __mmask16 first_lanes(long n)
{
    return (__mmask16)((1u << n) - 1);
}
#elif SIMD_AVX2
ALWAYS_INLINE vi first_lanes(long n)
{
    return (vi){LANE_NUMBERS} < (vi){EVERY_LANE((int32_t)n)};
}
#endif

/* The first n numbers at p, n <= LANES; `rest` in the other lanes. Reads no further. */
ALWAYS_INLINE vf vload_or(const float *p, long n, float rest)
{
    if (n >= LANES)
        return vload(p);
#if SIMD_AVX512
    return (vf)_mm512_mask_loadu_ps((__m512)vset(rest), first_lanes(n), p);
#elif SIMD_AVX2
    vi mask = first_lanes(n);
    vi x = (vi)_mm256_maskload_ps(p, (__m256i)mask);
    return rest == 0 ? (vf)x : (vf)(x | (~mask & (vi)vset(rest)));
#else
    vf x = vset(rest);
#pragma GCC unroll 4
    for (int l = 0; l < LANES;
         l++)      /* one loop to n would become a call of memcpy, which keeps no */
        if (l < n) /* vector in a register */
            x[l] = p[l];
    return x;
#endif
}

ALWAYS_INLINE vf vload_n(const float *p, long n)
{
    return vload_or(p, n, 0);
}

/* The first n lanes to p, n <= LANES. Writes no further. */
ALWAYS_INLINE void vstore_n(float *p, long n, vf x)
{
    if (n >= LANES) {
        vstore(p, x);
        return;
    }
#if SIMD_AVX512
    _mm512_mask_storeu_ps(p, first_lanes(n), (__m512)x);
#elif SIMD_AVX2
    _mm256_maskstore_ps(p, (__m256i)first_lanes(n), (__m256)x);
#else
#pragma GCC unroll 4
    for (int l = 0; l < LANES; l++)
        if (l < n)
            p[l] = x[l];
#endif
}

/* Lane by lane: a where mask (0 or -1) is set, else b. */
ALWAYS_INLINE vf vselect(vi mask, vf a, vf b)
{
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
}

/* The larger; NaN where b is, so vmax(constant, x) lets a NaN through. */
ALWAYS_INLINE vf vmax(vf a, vf b)
{
#if SIMD_AVX512
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif SIMD_AVX2
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif SIMD_SSE2
    return (vf)_mm_max_ps((__m128)a, (__m128)b);
#elif SIMD_NEON
    return vmaxq_f32(a, b);
#else
    return vselect((vi)(a > b), a, b);
#endif
}

/* The smaller; NaN where b is. */
ALWAYS_INLINE vf vmin(vf a, vf b)
{
#if SIMD_AVX512
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif SIMD_AVX2
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#elif SIMD_SSE2
    return (vf)_mm_min_ps((__m128)a, (__m128)b);
#elif SIMD_NEON
    return vminq_f32(a, b);
#else
    return vselect((vi)(a < b), a, b);
#endif
}

ALWAYS_INLINE vf vabs(vf x)
{
    return (vf)((vi)x & INT32_MAX);
}

ALWAYS_INLINE vf vsqrt(vf x)
{
#if SIMD_AVX512
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif SIMD_AVX2
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif SIMD_SSE2
    return (vf)_mm_sqrt_ps((__m128)x);
#else
    for (int l = 0; l < LANES; l++)
        x[l] = sqrtf(x[l]);
    return x;
#endif
}

/* x where its bit of `bits` is set (bit 0 for lane 0), else 0. */
ALWAYS_INLINE vf vkeep(uint32_t bits, vf x)
{
#if SIMD_AVX512
    return (vf)_mm512_maskz_mov_ps((__mmask16)bits, (__m512)x);
#else
    const vi lane_bit = 1 << (vi){LANE_NUMBERS};
    return (vf)((((vi){EVERY_LANE((int32_t)bits)} & lane_bit) != 0) & (vi)x);
#endif
}

/* One bit per lane of a comparison's result. */
ALWAYS_INLINE uint32_t vbits(vi mask)
{
#if SIMD_AVX512
    return _mm512_movepi32_mask((__m512i)mask);
#elif SIMD_AVX2
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif SIMD_SSE2
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif SIMD_NEON
    return vaddvq_u32((vu)mask & (vu){1, 2, 4, 8});
#else
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++)
        bits |= (uint32_t)(mask[l] & 1) << l;
    return bits;
#endif
}

ALWAYS_INLINE vd vdouble(vf_half x)
{
#if SIMD_NEON
    return vcvt_f64_f32(x);
#else
    return __builtin_convertvector(x, vd);
#endif
}

/* Lanes l and l + LANES/2, added in double. */
ALWAYS_INLINE vd vsum_halves(vf x)
{
    vf_half half[2];
    memcpy(half, &x, sizeof x);
    return vdouble(half[0]) + vdouble(half[1]);
}

typedef float v4 __attribute__((vector_size(16)));

/* The i-th 128 bits. */
#if SIMD_AVX512
#define BLOCK(x, i) ((v4)_mm512_extractf32x4_ps((__m512)(x), i))
#elif SIMD_AVX2
#define BLOCK(x, i) ((v4)_mm256_extractf128_ps((__m256)(x), i))
#else
#define BLOCK(x, i) (x)
#endif

/* Sum over the lanes. */
ALWAYS_INLINE float vsum(vf x)
{
    v4 s = BLOCK(x, 0);
#if LANES >= 8
    s += BLOCK(x, 1);
#endif
#if LANES == 16
    s += BLOCK(x, 2) + BLOCK(x, 3);
#endif
    s += SHUFFLE(s, s, 2, 3, 0, 1);
    return s[0] + s[1];
}

/* Lane i: the sum over x[i]'s lanes. A tree of halves, which costs a third of as many vsum. */
ALWAYS_INLINE vf vsum_each(const vf x[LANES])
{
    vf y[LANES / 4]; /* blocks of 4 lanes, each with a part of the sums of 4 vectors */
#pragma GCC unroll 4
    for (int i = 0; i < LANES / 4; i++) {
        const vf *z = x + 4 * i;
        vf ab = SHUFFLE(z[0], z[1], UNPACK_LOW) + SHUFFLE(z[0], z[1], UNPACK_HIGH);
        vf cd = SHUFFLE(z[2], z[3], UNPACK_LOW) + SHUFFLE(z[2], z[3], UNPACK_HIGH);
        y[i] = SHUFFLE(ab, cd, UNPACK_LOW_2) + SHUFFLE(ab, cd, UNPACK_HIGH_2);
    }
#if LANES == 4
    return y[0];
#elif LANES == 8
    return SHUFFLE(y[0], y[1], BLOCKS_LOW) + SHUFFLE(y[0], y[1], BLOCKS_HIGH);
#else
    vf low = SHUFFLE(y[0], y[1], BLOCKS_EVEN) + SHUFFLE(y[0], y[1], BLOCKS_ODD);
    vf high = SHUFFLE(y[2], y[3], BLOCKS_EVEN) + SHUFFLE(y[2], y[3], BLOCKS_ODD);
    return SHUFFLE(low, high, BLOCKS_EVEN) + SHUFFLE(low, high, BLOCKS_ODD);
#endif
}

/* Maximum over the lanes; whether a NaN comes through is not said. */
ALWAYS_INLINE float vmax_across(vf x)
{
#if SIMD_AVX512
    return _mm512_reduce_max_ps((__m512)x);
#elif SIMD_NEON
    return vmaxvq_f32(x);
#else
    float m = x[0];
    for (int l = 1; l < LANES; l++)
        m = m > x[l] ? m : x[l];
    return m;
#endif
}

/* Interleaves: low = a0 b0 a1 b1 ..., high goes on. */
ALWAYS_INLINE void vzip(vf a, vf b, vf *low, vf *high)
{
    *low = SHUFFLE(a, b, ZIP_LOW);
    *high = SHUFFLE(a, b, ZIP_HIGH);
}

/* The inverse of vzip. */
ALWAYS_INLINE void vunzip(vf low, vf high, vf *a, vf *b)
{
    *a = SHUFFLE(low, high, EVEN_LANES);
    *b = SHUFFLE(low, high, ODD_LANES);
}

/* Transposes LANES x LANES numbers in registers: 4x4 within the 128-bit blocks, then the blocks. */
ALWAYS_INLINE void vtranspose(vf x[LANES])
{
    vf y[LANES];
    for (int i = 0; i < LANES; i += 4) {
        vf a = SHUFFLE(x[i], x[i + 1], UNPACK_LOW), b = SHUFFLE(x[i], x[i + 1], UNPACK_HIGH);
        vf c = SHUFFLE(x[i + 2], x[i + 3], UNPACK_LOW);
        vf d = SHUFFLE(x[i + 2], x[i + 3], UNPACK_HIGH);
        y[i] = SHUFFLE(a, c, UNPACK_LOW_2);
        y[i + 1] = SHUFFLE(a, c, UNPACK_HIGH_2);
        y[i + 2] = SHUFFLE(b, d, UNPACK_LOW_2);
        y[i + 3] = SHUFFLE(b, d, UNPACK_HIGH_2);
    }
#if LANES == 4
    for (int i = 0; i < LANES; i++)
        x[i] = y[i];
#elif LANES == 8
    for (int i = 0; i < 4; i++) {
        x[i] = SHUFFLE(y[i], y[i + 4], BLOCKS_LOW);
        x[i + 4] = SHUFFLE(y[i], y[i + 4], BLOCKS_HIGH);
    }
#else
    /* y[4g+i] holds columns i, 4+i, 8+i, 12+i of rows 4g..4g+3, one block each. */
    for (int i = 0; i < 4; i++) {
        vf even01 = SHUFFLE(y[i], y[4 + i], BLOCKS_EVEN);
        vf odd01 = SHUFFLE(y[i], y[4 + i], BLOCKS_ODD);
        vf even23 = SHUFFLE(y[8 + i], y[12 + i], BLOCKS_EVEN);
        vf odd23 = SHUFFLE(y[8 + i], y[12 + i], BLOCKS_ODD);
        x[i] = SHUFFLE(even01, even23, BLOCKS_EVEN);
        x[8 + i] = SHUFFLE(even01, even23, BLOCKS_ODD);
        x[4 + i] = SHUFFLE(odd01, odd23, BLOCKS_EVEN);
        x[12 + i] = SHUFFLE(odd01, odd23, BLOCKS_ODD);
    }
#endif
}

#endif
