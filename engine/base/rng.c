#include "engine/base/rng.h"

#include <math.h>

/* Constants of Philox4x32 (Salmon et al. 2011, table 2) and of its key schedule (Weyl sequence). */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0       0x9E3779B9u
#define WEYL_1       0xBB67AE85u
enum { ROUNDS = 10 };

struct rng_block rng_philox(const uint32_t key[2], const uint32_t counter[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t p0 = (uint64_t)MULTIPLIER_0 * c0;
        uint64_t p1 = (uint64_t)MULTIPLIER_1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    return (struct rng_block){{c0, c1, c2, c3}};
}

struct rng rng_at(uint32_t seed, enum rng_stream stream, uint64_t step, uint32_t element)
{
    return (struct rng){
        .key = {seed, (uint32_t)stream},
        .counter = {0, element, (uint32_t)step, (uint32_t)(step >> 32)},
    };
}

uint32_t rng_u32(struct rng *r)
{
    if (r->left == 0) {
        r->block = rng_philox(r->key, r->counter);
        r->counter[0]++;
        r->left = 4;
    }
    return r->block.word[4 - r->left--];
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    uint64_t product = (uint64_t)rng_u32(r) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = (0u - n) % n; /* 2^32 mod n */
        while ((uint32_t)product < threshold)
            product = (uint64_t)rng_u32(r) * n;
    }
    return (uint32_t)(product >> 32);
}

static uint64_t rng_u64(struct rng *r)
{
    uint64_t high = rng_u32(r);
    return high << 32 | rng_u32(r);
}

uint64_t rng_below_64(struct rng *r, uint64_t n)
{
    uint64_t mask = UINT64_MAX;
    while (mask >> 1 >= n - 1 && mask > 0)
        mask >>= 1;
    uint64_t x = rng_u64(r) & mask;
    while (x >= n)
        x = rng_u64(r) & mask;
    return x;
}

double rng_uniform(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_normal(struct rng *r)
{
    double radius = sqrt(-2 * log(1 - rng_uniform(r))); /* 1 - u is in (0, 1] */
    double turn = rng_uniform(r);
    return radius * cos(6.283185307179586477 * turn);
}

void rng_permutation(struct rng *r, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rng_below(r, i);
        uint32_t last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
}

uint64_t rng_name(const char *name)
{
    uint64_t hash = RNG_NAME;
    for (; *name; name++)
        hash = rng_name_add(hash, (unsigned char)*name);
    return hash;
}
