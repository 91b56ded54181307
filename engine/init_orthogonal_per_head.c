/* As xavier, but each head's matrices are orthonormal: Gaussian numbers, orthonormalized by Gram
 * and Schmidt (Saxe et al. 2014, section 3). Rows where there are no more of them than columns,
 * else columns. */
#include <math.h>

#include "engine/base/heartbeat.h"
#include "engine/inits.h"

/* n vectors of `length` numbers, the numbers of one `stride` apart, the vectors `step`. */
struct vectors {
    real *data;
    long n, length, stride, step;
};

static double dot(const struct vectors *v, long i, long k)
{
    const real *x = v->data + i * v->step, *y = v->data + k * v->step;
    double sum = 0;
    for (long j = 0; j < v->length; j++)
        sum += (double)x[j * v->stride] * (double)y[j * v->stride];
    return sum;
}

/* Vector i = factor * (itself - share * vector k). */
static void combine(const struct vectors *v, long i, double share, long k, double factor)
{
    real *x = v->data + i * v->step;
    const real *y = v->data + k * v->step;
    for (long j = 0; j < v->length; j++)
        x[j * v->stride] =
            (real)(factor * ((double)x[j * v->stride] - share * (double)y[j * v->stride]));
}

/* Twice, because once leaves what rounding made of a vector that nearly lay among the others. */
static void orthonormalize(const struct vectors *v)
{
    for (long i = 0; i < v->n; i++) {
        for (int pass = 0; pass < 2; pass++) {
            for (long k = 0; k < i; k++)
                combine(v, i, dot(v, i, k), k, 1);
            combine(v, i, 0, i, 1 / sqrt(dot(v, i, i)));
        }
        heartbeat();
    }
}

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    struct init_block b;
    long of_kind;
    if (role->kind != INIT_ATTENTION_WEIGHT && role->kind != INIT_ATTENTION_OUTPUT) {
        init_xavier.fill(t, role, r);
        return;
    }
    init_normal(t, 1, r);
    for (long i = 0; init_block(t, role, i, &b, &of_kind); i++)
        orthonormalize(b.rows <= b.columns
                           ? &(struct vectors){b.data, b.rows, b.columns, 1, b.stride}
                           : &(struct vectors){b.data, b.columns, b.rows, b.stride, 1});
}

const struct init init_orthogonal_per_head = {.fill = fill};
