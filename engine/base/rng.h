/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). A draw is a pure function of (seed, stream, step,
 * element), so nothing depends on the order of draws, on the number of workers or on a resume.
 *
 *   key     = {seed, stream}
 *   counter = {block, element, step low, step high}; each block gives four 32-bit words */
#ifndef ENGINE_BASE_RNG_H
#define ENGINE_BASE_RNG_H

#include <stdint.h>

/* One per use; a number here is part of the meaning of every stored result: append only. */
enum rng_stream {
    RNG_INIT = 1, /* initial weights: step = hash of the parameter's name, element = 0 */
    RNG_DATA,     /* training examples: step, element = position in the batch */
    RNG_ORDER,    /* order of a finite training set: step = epoch */
    RNG_DROPOUT,  /* step, element = site in the network */
    RNG_VAL,      /* validation examples: seed = 0 or, by train.eval_sets, task.instance;
                     element = example */
    RNG_TEST,     /* test examples: as RNG_VAL */
    RNG_INSTANCE, /* what a task instance draws: seed = task.instance */
    RNG_SAMPLER,  /* random search: seed = sampler seed, step = hash of the axis, element = draw */
    RNG_PRUNE,    /* the order in which heads are removed at random */
    RNG_FORM,     /* columns that heads see: step = hash of the form's name, element = layer */
    RNG_EVAL      /* shifted test sets: seed as RNG_TEST, step = hash of the set's name */
};

struct rng_block {
    uint32_t word[4];
};

struct rng_block rng_philox(const uint32_t key[2], const uint32_t counter[4]);

/* A reader of the words that belong to one (seed, stream, step, element), in order. A value: copy
 * it freely. */
struct rng {
    uint32_t key[2];
    uint32_t counter[4];
    struct rng_block block;
    unsigned left; /* words of block not yet handed out */
};

struct rng rng_at(uint32_t seed, enum rng_stream stream, uint64_t step, uint32_t element);

uint32_t rng_u32(struct rng *r);

/* Uniform integer in [0, n), without bias (Lemire 2019, "Fast random integer generation in an
 * interval"); 1 <= n. */
uint32_t rng_below(struct rng *r, uint32_t n);

/* The same for n of any size (two words a try, less than two tries on average). */
uint64_t rng_below_64(struct rng *r, uint64_t n);

/* Uniform in [0, 1) with 53 random bits (two words). */
double rng_uniform(struct rng *r);

/* Standard normal by Box and Muller 1958 (four words a call; the second value is not kept). */
double rng_normal(struct rng *r);

/* Fisher-Yates: fills order with a random permutation of 0..n-1. */
void rng_permutation(struct rng *r, uint32_t *order, uint32_t n);

/* 64-bit FNV-1a of a name, for use as a step number; and byte by byte, from RNG_NAME on. */
#define RNG_NAME UINT64_C(0xcbf29ce484222325)
uint64_t rng_name(const char *name);
static inline uint64_t rng_name_add(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

#endif
