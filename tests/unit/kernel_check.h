/* What the kernel tests share: guarded buffers, random numbers, elementwise comparison, and a walk
 * over the tables of this CPU. */
#ifndef TESTS_UNIT_KERNEL_CHECK_H
#define TESTS_UNIT_KERNEL_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/kernels/kernels.h"

#include "tests/test.h"

/* Every table but the reference. */
#define FOR_EACH_TABLE(k)                                                                          \
    const struct kernels *k;                                                                       \
    for (int k##_i = 1; (k = kernels_available(k##_i)); k##_i++)

/* Widths of matrices: below a vector, around one, and several. */
static const long columns[] = {1, 3, 4, 15, 16, 17, 64, 100};
enum { COLUMNS = sizeof columns / sizeof *columns };
enum { ROWS = 11 }; /* two blocks of four rows and a rest */

typedef void forward(long M, long N, const real *x, const real *bias, real *y, real *slope);

/* Buffers end in guard numbers and start off the alignment that vectors like; buffers_release
 * looks at the guards. */
enum { GUARD = 16, MAX_BUFFERS = 128 };
static struct {
    float *base;
    long n;
} buffers[MAX_BUFFERS];
static int buffer_count;

static inline float *buffer(long n)
{
    assert_true(buffer_count < MAX_BUFFERS);
    float *base = malloc((size_t)(n + 1 + GUARD) * sizeof *base);
    assert_non_null(base);
    buffers[buffer_count].base = base;
    buffers[buffer_count++].n = n;
    for (long i = 0; i < GUARD; i++)
        base[1 + n + i] = 12345;
    for (long i = 0; i < n; i++)
        base[1 + i] = 777; /* no kernel may count on zeros */
    return base + 1;
}

static inline void buffers_release(void)
{
    while (buffer_count) {
        buffer_count--;
        const float *guard = buffers[buffer_count].base + 1 + buffers[buffer_count].n;
        for (long i = 0; i < GUARD; i++)
            if (guard[i] != 12345)
                fail_msg("a buffer of %ld numbers was written past its end",
                         buffers[buffer_count].n);
        free(buffers[buffer_count].base);
    }
}

static inline float *copy(long n, const float *x)
{
    return memcpy(buffer(n), x, (size_t)n * sizeof *x);
}

/* d with the bits of n elements that k draws. */
static inline struct dropout draw(const struct kernels *k, const struct dropout *d, long n)
{
    struct dropout drawn = *d;
    if (d->probability > 0) {
        uint64_t *kept = (uint64_t *)(buffer(2 * dropout_words(n) + 1) + 1); /* aligned */
        k->dropout_draw(d, n, kept);
        drawn.kept = kept;
    }
    return drawn;
}

/* n numbers from N(0, spread^2), the same for the same `which`. */
static inline float *noise(long n, uint32_t which, double spread)
{
    float *x = buffer(n);
    struct rng r = rng_at(7, RNG_DATA, which, 0);
    for (long i = 0; i < n; i++)
        x[i] = (float)(spread * rng_normal(&r));
    return x;
}

/* |a - b| <= atol + rtol max(|a|,|b|) for every element; two NaNs are equal. */
static inline void check_close(const char *what, const char *table, long n, const float *got,
                               const float *want, double atol, double rtol)
{
    for (long i = 0; i < n; i++) {
        double a = (double)got[i], b = (double)want[i];
        if ((isnan(a) && isnan(b)) || a == b)
            continue;
        if (!(fabs(a - b) <= atol + rtol * fmax(fabs(a), fabs(b))))
            fail_msg("%s of %s: element %ld of %ld is %.9g, should be %.9g (off by %.3g)", what,
                     table, i, n, a, b, a - b);
    }
}

static inline void check_same(const char *what, const char *table, long n, const float *got,
                              const float *want)
{
    for (long i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            fail_msg("%s of %s: element %ld of %ld is %.9g, should be the same bits as %.9g", what,
                     table, i, n, (double)got[i], (double)want[i]);
}

#endif
