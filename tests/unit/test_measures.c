/* Measures of heads, each by itself: cases whose answer is known. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernels/blas.h"
#include "engine/measures/eigen.h"
#include "engine/measures/measure.h"

#include "tests/test.h"

static void check_near(double is, double should, double tolerance, const char *what)
{
    if (!(fabs(is - should) <= tolerance * fmax(1, fabs(should))))
        fail_msg("%s is %.9g, should be %.9g", what, is, should);
}

/* A layer that was made by hand: B 2, T 4, H 3, d_v 2. */
enum { B = 2, T = 4, H = 3, D = 2, SLOTS = 2 };

struct made {
    struct measure_view view;
    struct encoder encoder;
    real qkv[B * T * H * 3 * D], output[B * T * H * D], weights[B * H * T * T];
    int32_t keys[B * T], sources[B * T * SLOTS];
};

static struct made *make(void)
{
    static struct made m;
    memset(&m, 0, sizeof m);
    m.view = (struct measure_view){
        .encoder = &m.encoder,
        .attention = {.B = B, .T = T, .H = H, .G = H, .d_k = D, .d_v = D},
        .qkv = m.qkv,
        .output = m.output,
        .keys = m.keys,
        .weights = m.weights,
        .sources = m.sources,
        .slots = SLOTS,
    };
    for (int i = 0; i < B * T; i++)
        m.keys[i] = T;
    return &m;
}

/* Every query of every head looks at one key, or at all alike. */
static void look_at(struct made *m, int key)
{
    for (int i = 0; i < B * H * T * T; i++)
        m->weights[i] = key < 0 ? (real)1 / T : (real)(i % T == key);
}

/* The values of one measure, added twice so that sums and means are told apart. */
static const double *measure(const struct measure *measure, struct made *m)
{
    static double kept[1 << 14], value[64];
    assert_true(!measure->kept || measure->kept(&m->view) < sizeof kept / sizeof *kept);
    memset(kept, 0, sizeof kept);
    for (int i = 0; i < 64; i++)
        value[i] = NAN;
    measure->add(&m->view, kept);
    measure->add(&m->view, kept);
    measure->value(&m->view, kept, value);
    return value;
}

TEST(one_key)
{
    struct made *m = make();
    look_at(m, 1);
    for (int h = 0; h < H; h++) {
        assert_true(measure(&measure_confidence, m)[h] == 1);
        assert_true(measure(&measure_entropy, m)[h] == 0);
        check_near(measure(&measure_distance, m)[h], (1 + 0 + 1 + 2) / 4., 1e-12, "distance");
    }
    check_near(measure(&measure_disagreement, m)[1], -1, 1e-12, "all look at one key");
}

TEST(all_keys_alike)
{
    struct made *m = make();
    look_at(m, -1);
    for (int h = 0; h < H; h++) {
        check_near(measure(&measure_confidence, m)[h], 1. / T, 1e-7, "confidence");
        check_near(measure(&measure_entropy, m)[h], 1, 1e-7, "entropy");
        check_near(measure(&measure_distance, m)[h], (6 + 4 + 4 + 6) / 16., 1e-7, "distance");
    }
    check_near(measure(&measure_disagreement, m)[1], -1. / T, 1e-7, "overlap");
}

/* A causal row sees the keys up to its own: alike among them is entropy 1, and the first row, which
 * has no choice, does not count. Padding is no query. */
TEST(rows_that_see_less)
{
    struct made *m = make();
    for (int b = 0; b < B; b++)
        for (int i = 0; i < T; i++) {
            m->keys[b * T + i] = b == 1 && i == 3 ? 0 : i + 1;
            for (int h = 0; h < H; h++)
                for (int j = 0; j < T; j++)
                    m->weights[((b * H + h) * T + i) * T + j] = b == 1 && i == 3 ? 77
                                                                : j <= i         ? 1 / (real)(i + 1)
                                                                                 : 0;
        }
    check_near(measure(&measure_entropy, m)[0], 1, 1e-7, "entropy");
    double rows[T] = {1, 1 / 2., 1 / 3., 1 / 4.};
    double mean = (2 * (rows[0] + rows[1] + rows[2]) + rows[3]) / 7;
    check_near(measure(&measure_confidence, m)[2], mean, 1e-7, "confidence");
    check_near(measure(&measure_disagreement, m)[1], -mean, 1e-7, "overlap");
}

TEST(alike_and_orthogonal_heads)
{
    struct made *m = make();
    for (int i = 0; i < B * T; i++)
        for (int h = 0; h < H; h++) {
            real *value = m->qkv + i * H * 3 * D + 2 * H * D + h * D;
            real *output = m->output + (i * H + h) * D;
            value[0] = (real)(h + 1) * 3; /* one direction, other lengths */
            value[1] = (real)(h + 1) * (real)(i + 1);
            output[h % 2] = h < 2 ? (real)0.3 : 0; /* two orthogonal ones, and a head of zeros */
        }
    check_near(measure(&measure_disagreement, m)[0], -1, 1e-12, "alike");
    check_near(measure(&measure_disagreement, m)[2], 0, 1e-12, "orthogonal");
    for (int i = 0; i < B * T * H * D; i += 2 * D)
        m->output[i] *= -1;
    m->view.attention.H = 1;
    for (int k = 0; k < 3; k++)
        assert_true(isnan(measure(&measure_disagreement, m)[k]));
}

/* Heads that share values are alike in them. */
TEST(shared_values)
{
    struct made *m = make();
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    for (int i = 0; i < B * T * H * 3 * D; i++)
        m->qkv[i] = (real)rng_normal(&r);
    m->view.attention.G = 1;
    check_near(measure(&measure_disagreement, m)[0], -1, 1e-12, "one head of values");
    m->view.attention.G = 2;
    m->view.attention.kv_of = (const int32_t[]){0, 1, 0};
    double cosine = 0;
    long row = attention_row(&m->view.attention);
    for (int i = 0; i < B * T; i++) {
        const real *v = m->qkv + i * row + attention_value_column(&m->view.attention, 0);
        double dot = (double)(v[0] * v[2] + v[1] * v[3]);
        cosine += dot / hypot((double)v[0], (double)v[1]) / hypot((double)v[2], (double)v[3]);
    }
    check_near(measure(&measure_disagreement, m)[0], -(2 * cosine / (B * T) + 1) / 3, 1e-6,
               "two heads of values");
}

TEST(effective_rank)
{
    struct made *m = make();
    assert_int_equal(blas_start(1, NULL), STATUS_OK);
    for (int r = 1; r <= 3; r++) { /* position i has its one number in column i % r */
        memset(m->output, 0, sizeof m->output);
        for (int i = 0; i < 6; i++)
            m->output[i * H * D + 2 * (i % r)] = 1;
        check_near(measure(&measure_effective_rank, m)[0], r, 1e-9, "effective rank");
    }
    /* singular values 3 and 1 */
    memset(m->output, 0, sizeof m->output);
    m->output[1] = 3;
    m->output[H * D + 4] = 1;
    double p = 0.75, rank = exp(-p * log(p) - (1 - p) * log(1 - p));
    check_near(measure(&measure_effective_rank, m)[0], rank, 1e-9, "effective rank");
}

TEST(mass_on_sources)
{
    struct made *m = make();
    look_at(m, 2);
    for (int h = 0; h < H; h++)
        m->weights[h * T * T + 2] = (real)0.25; /* sequence 0, query 0 */
    for (int i = 0; i < B * T; i++) {
        m->sources[i * SLOTS] = i == 5 ? -1 : 2;
        m->sources[i * SLOTS + 1] = 3;
    }
    const double *value = measure(&measure_mass, m);
    for (int h = 0; h < H; h++) {
        check_near(value[h * SLOTS], (6 + 0.25) / 7, 1e-12, "mass");
        assert_true(value[h * SLOTS + 1] == 0);
    }
    for (int i = 0; i < B * T * SLOTS; i++)
        m->sources[i] = -1;
    assert_true(isnan(measure(&measure_mass, m)[0]));
}

TEST(eigenvalues_of_known_matrices)
{
    enum { N = 24 };
    double a[N * N], value[N], work[N];
    for (int n = 1; n <= N; n++) { /* 2 and -1 beside it: 2 - 2 cos(k pi/(n+1)), turned about */
        struct rng r = rng_at(3, RNG_DATA, (uint64_t)n, 0);
        uint32_t order[N];
        rng_permutation(&r, order, (uint32_t)n);
        memset(a, 0, sizeof a);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                a[order[i] * (unsigned)n + order[k]] = i == k ? 2 : abs(i - k) == 1 ? -1 : 0;
        assert_true(eigenvalues(n, a, value, work));
        for (int k = 1; k <= n; k++) {
            double wanted = 2 - 2 * cos(k * acos(-1) / (n + 1)), nearest = INFINITY;
            for (int i = 0; i < n; i++)
                nearest = fmin(nearest, fabs(value[i] - wanted));
            assert_true(nearest < 1e-13);
        }
    }
    for (int i = 0; i < N * N; i++)
        a[i] = 1; /* n once, 0 otherwise */
    assert_true(eigenvalues(N, a, value, work));
    double sum = 0, most = 0;
    for (int i = 0; i < N; i++) {
        sum += fabs(value[i]);
        most = fmax(most, value[i]);
    }
    assert_each(fabs(most - N) < 1e-12, fabs(sum - N) < 1e-12);
    a[5 * N + 2] = NAN;
    assert_false(eigenvalues(N, a, value, work));
}

/* Columns, in the order of the table, are what the results file's columns are made of. */
TEST(columns)
{
    assert_string_equal(measure_column(MEASURE_HEAD, 0)->name, "importance");
    assert_string_equal(measure_column(MEASURE_HEAD, 1)->name, "importance_norm");
    assert_string_equal(measure_column(MEASURE_LAYER, 0)->name, "disagreement_subspace");
    assert_string_equal(measure_column(MEASURE_SLOT, 0)->name, "mass");
    assert_null(measure_column(MEASURE_SLOT, 1));
    for (int level = 0; level < MEASURE_LEVELS; level++)
        for (int i = 0; measure_column(level, i); i++)
            assert_true(strlen(measure_column(level, i)->what) > 0);
}
