#include "engine/base/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "engine/base/heartbeat.h"

/* FIPS 180-4, section 4.2.2. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* FIPS 180-4, section 6.2.2. */
void sha256_compress_portable(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t t1 = h + sum1 + choice + round_constant[t] + w[t];
        uint32_t sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + sum0 + majority;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

#if defined __x86_64__
/* The same by the instructions made for it (Intel SDM, SHA256RNDS2): four rounds at a time, the
 * state as the words a b e f and c d g h. */
__attribute__((target("sha,sse4.1"))) static void compress_x86(uint32_t state[8],
                                                               const uint8_t block[64])
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
    const __m128i abef_before = _mm_alignr_epi8(cdab, efgh, 8);
    const __m128i cdgh_before = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i abef = abef_before, cdgh = cdgh_before, w[4];
#pragma GCC unroll 16
    for (size_t t = 0; t < 16; t++) {
        __m128i *now = &w[t % 4];
        if (t < 4) {
            *now = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(block + 16 * t)), big_endian);
        } else {
            __m128i late = w[(t + 3) % 4], middle = _mm_alignr_epi8(late, w[(t + 2) % 4], 4);
            *now = _mm_sha256msg1_epu32(*now, w[(t + 1) % 4]);
            *now = _mm_sha256msg2_epu32(_mm_add_epi32(*now, middle), late);
        }
        __m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const void *)(round_constant + 4 * t)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128((void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_sha(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}
#endif

static sha256_compress fastest(void)
{
#if defined __x86_64__
    static atomic_int known; /* 0: not yet; asking the processor takes microseconds */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = has_sha() ? 1 : -1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    if (answer > 0)
        return compress_x86;
#endif
    return sha256_compress_portable;
}

void sha256_init(struct sha256 *s)
{
    *s = (struct sha256){
        .compress = fastest(),
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                  0x1f83d9ab, 0x5be0cd19},
    };
}

void sha256_update(struct sha256 *s, const void *data, size_t size)
{
    const uint8_t *next = data;
    while (size > 0) {
        size_t used = s->length % 64;
        if (used == 0 && size >= 64) {
            if (s->length % (1 << 20) == 0)
                heartbeat();
            s->compress(s->state, next);
            s->length += 64;
            next += 64;
            size -= 64;
            continue;
        }
        size_t n = size < 64 - used ? size : 64 - used;
        memcpy(s->block + used, next, n);
        s->length += n;
        next += n;
        size -= n;
        if (used + n == 64)
            s->compress(s->state, s->block);
    }
}

void sha256_final(struct sha256 *s, char hex[65])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = s->length * 8;
    size_t used = s->length % 64;
    sha256_update(s, padding, used < 56 ? 56 - used : 120 - used);
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_update(s, length, sizeof length);
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[s->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}

void sha256_hex(const void *data, size_t size, char hex[65])
{
    struct sha256 s;
    sha256_init(&s);
    sha256_update(&s, data, size);
    sha256_final(&s, hex);
}
