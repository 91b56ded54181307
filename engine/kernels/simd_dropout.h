/* Dropout bits: Philox4x32-10 (see engine/base/rng.h) on LANES blocks at once. A group of 128
 * elements takes 16 blocks, so that the words of 16 neighbouring blocks belong to neighbouring
 * elements. */
#ifndef ENGINE_KERNELS_SIMD_DROPOUT_H
#define ENGINE_KERNELS_SIMD_DROPOUT_H

#include "engine/base/rng.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/simd_vector.h"

/* What all blocks of one site and step share, in every lane. The keys of the rounds stand ready in
 * vectors: made anew in every block they cost as much as the rounds. */
enum { PHILOX_ROUNDS = 10 };
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
struct philox {
    vu key[PHILOX_ROUNDS][2];
    vu site, step_low, step_high;
};

static inline void philox_begin(struct philox *p, const struct dropout *d)
{
    for (unsigned r = 0; r < PHILOX_ROUNDS; r++) {
        p->key[r][0] = (vu){0} + (uint32_t)(d->seed + r * 0x9E3779B9);
        p->key[r][1] = (vu){0} + (uint32_t)(RNG_DROPOUT + r * 0xBB67AE85);
    }
    p->site = (vu){0} + d->site;
    p->step_low = (vu){0} + (uint32_t)d->step;
    p->step_high = (vu){0} + (uint32_t)(d->step >> 32);
}

#if SIMD_NEON
/* The low and the high 32 bits of each lane times m. */
ALWAYS_INLINE void vmul_halves(vu x, uint32_t m, vu *low, vu *high)
{
    const vu first = (vu)vmull_n_u32(vget_low_u32(x), m), second = (vu)vmull_high_n_u32(x, m);
    *low = SHUFFLE(first, second, EVEN_LANES);
    *high = SHUFFLE(first, second, ODD_LANES);
}

/* Words of blocks first .. first+LANES-1. */
ALWAYS_INLINE void philox_lanes(const struct philox *p, uint32_t first, vu c[4])
{
    c[0] = first + (vu){LANE_NUMBERS};
    c[1] = p->site;
    c[2] = p->step_low;
    c[3] = p->step_high;
    for (int r = 0; r < PHILOX_ROUNDS; r++) {
        vu low[2], high[2];
        vmul_halves(c[0], PHILOX_M0, &low[0], &high[0]);
        vmul_halves(c[2], PHILOX_M1, &low[1], &high[1]);
        c[0] = high[1] ^ c[1] ^ p->key[r][0];
        c[1] = low[1];
        c[2] = high[0] ^ c[3] ^ p->key[r][1];
        c[3] = low[0];
    }
}
#else
/* Low 32 bits of each wide word times m, 64 bits. What stands in the high half is ignored. */
ALWAYS_INLINE vw vmul_wide(vw x, uint32_t m)
{
#if SIMD_AVX512
    return (vw)_mm512_mul_epu32((__m512i)x, _mm512_set1_epi64((int64_t)m));
#elif SIMD_AVX2
    return (vw)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x((int64_t)m));
#elif SIMD_SSE2
    return (vw)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x((int64_t)m));
#else
    return (x & UINT32_MAX) * (uint64_t)m;
#endif
}

/* The rounds on LANES/2 blocks, one to a wide word. Only the low halves mean anything; leaving the
 * high ones dirty saves every mask. */
ALWAYS_INLINE void philox_rounds(const struct philox *p, vw block, vw c[4])
{
    c[0] = block;
    c[1] = (vw)p->site;
    c[2] = (vw)p->step_low;
    c[3] = (vw)p->step_high;
    for (int r = 0; r < PHILOX_ROUNDS; r++) {
        vw even = vmul_wide(c[0], PHILOX_M0), odd = vmul_wide(c[2], PHILOX_M1);
        c[0] = (odd >> 32) ^ c[1] ^ (vw)p->key[r][0];
        c[1] = odd;
        c[2] = (even >> 32) ^ c[3] ^ (vw)p->key[r][1];
        c[3] = even;
    }
}

/* Words of blocks first .. first+LANES-1. */
ALWAYS_INLINE void philox_lanes(const struct philox *p, uint32_t first, vu word[4])
{
    /* Even blocks in one set of wide words, odd blocks in the other: merging them back is a shift.
     */
    const vw block = (vw)(first + (vu){LANE_NUMBERS});
    vw even[4], odd[4];
    philox_rounds(p, block, even);
    philox_rounds(p, block >> 32, odd);
    for (int w = 0; w < 4; w++)
        word[w] = (vu)((even[w] & UINT32_MAX) | (odd[w] << 32));
}
#endif

static void dropout_draw(const struct dropout *d, long n, uint64_t *kept)
{
    const vu threshold = (vu){0} + (dropout_threshold(d) << 16);
    const long groups = (long)((dropout_skip(d) + (uint64_t)n + 127) / 128);
    struct philox p;
    philox_begin(&p, d);
    for (long g = 0; g < groups; g++) {
        uint64_t low = 0, high = 0;
        for (unsigned lane = 0; lane < 16; lane += LANES) {
            vu word[4];
            philox_lanes(&p, (uint32_t)((d->first / 128 + (uint64_t)g) * 16) + lane, word);
            for (unsigned w = 0; w < 4; w++) {
                low |= (uint64_t)vbits((vi)(word[w] << 16 >= threshold)) << (16 * w + lane);
                high |= (uint64_t)vbits((vi)(word[w] >= threshold)) << (16 * w + lane);
            }
        }
        kept[2 * g] = low;
        kept[2 * g + 1] = high;
    }
    kept[2 * groups] = 0; /* bits_at reads it */
}

/* 32 bits from bit position `at` on; reads the word after as well. */
ALWAYS_INLINE uint32_t bits_at(const uint64_t *bits, uint64_t at)
{
    const uint64_t low = bits[at / 64] >> (at % 64);
    return (uint32_t)(at % 64 == 0 ? low : low | bits[at / 64 + 1] << (64 - at % 64));
}

/* The bits of the first n columns of a matrix (rows,T) whose element (0,0) is `element` of the
 * buffer, 32 columns to a word: column j of row r is bit j%32 of words[r*row_step +
 * j/32*word_step]. */
static inline void keep_matrix(const struct dropout *d, uint64_t element, long rows, long T, long n,
                               uint32_t *words, long row_step, long word_step)
{
    const uint64_t first = dropout_skip(d) + element;
    for (long r = 0; r < rows; r++)
        for (long w = 0; w < (n + 31) / 32; w++)
            words[r * row_step + w * word_step] =
                bits_at(d->kept, first + (uint64_t)(r * T + 32 * w));
}

/* The bit of a key in every lane. */
ALWAYS_INLINE vu vkey_bit(long key)
{
    return (vu){EVERY_LANE(1u << ((unsigned)key & 31))};
}

/* x where the lane's word has the bit, else 0. */
ALWAYS_INLINE vf vkeep_bit(vu words, vu bit, vf x)
{
#if SIMD_AVX512
    return (vf)_mm512_maskz_mov_ps(_mm512_test_epi32_mask((__m512i)words, (__m512i)bit), (__m512)x);
#else
    return (vf)(((words & bit) == bit) & (vi)x);
#endif
}

/* Bits of a long row of elements, as they are reached. */
struct keep_stream {
    const uint64_t *next;
    uint64_t hand; /* bits of the next elements, the first one lowest */
    unsigned left; /* how many of them are in hand */
};

ALWAYS_INLINE struct keep_stream keep_begin(const struct dropout *d)
{
    if (d->probability == 0)
        return (struct keep_stream){0};
    const uint64_t skip = dropout_skip(d);
    const uint64_t *first = d->kept + skip / 64;
    return (struct keep_stream){first + 1, *first >> skip % 64, 64 - (unsigned)(skip % 64)};
}

/* Bits of the next n elements, 1 <= n <= LANES; those above mean nothing. */
ALWAYS_INLINE uint32_t keep_next(struct keep_stream *s, unsigned n)
{
    uint64_t bits = s->hand;
    if (s->left < n) {
        const uint64_t next = *s->next++;
        bits |= next << s->left;
        s->hand = next >> (n - s->left);
        s->left += 64 - n;
    } else {
        s->hand >>= n;
        s->left -= n;
    }
    return (uint32_t)bits;
}

#endif
