/* Attention of every table against the naive reference (sums in double), and its properties. */
#include "engine/kernels/attention.h"
#include "engine/kernels/attention_by_head.h"
#include "engine/kernels/blas.h"
#include "tests/unit/kernel_check.h"

struct run {
    struct attention a;
    float *qkv, *d_o;        /* in */
    float *o, *saved, *dqkv; /* out */
    float *w;                /* out: the weights */
};

static long qkv_size(const struct attention *a)
{
    return a->B * a->T * attention_row(a);
}

static long o_size(const struct attention *a)
{
    return a->B * a->T * a->H * a->d_v;
}

static struct attention shape(long B, long T, long H, long d_k, long d_v)
{
    return (struct attention){.B = B,
                              .T = T,
                              .H = H,
                              .G = H,
                              .d_k = d_k,
                              .d_v = d_v,
                              .scale = (float)(1 / sqrt((double)d_k))};
}

static struct run run_new(struct attention a, const float *qkv, const float *d_o)
{
    return (struct run){.a = a,
                        .qkv = copy(qkv_size(&a), qkv),
                        .d_o = copy(o_size(&a), d_o),
                        .o = buffer(o_size(&a)),
                        .saved = buffer(a.B * a.T * a.H * ATTENTION_SAVED),
                        .w = buffer(a.B * a.H * a.T * a.T),
                        .dqkv = buffer(qkv_size(&a))};
}

static void run_table(const struct kernels *k, struct run *r)
{
    size_t size = (k->attention_scratch(&r->a) + 63) / 64 * 64;
    void *scratch = aligned_alloc(64, size ? size : 64);
    assert_non_null(scratch);
    memset(scratch, 0xff, size); /* NaN: scratch may hold anything */
    r->a.dropout = draw(k, &r->a.dropout, r->a.B * r->a.H * r->a.T * r->a.T);
    k->attention_forward(&r->a, r->qkv, r->o, r->saved, scratch);
    memset(scratch, 0xff, size);
    k->attention_backward(&r->a, r->qkv, r->o, r->saved, r->d_o, r->dqkv, scratch);
    memset(scratch, 0xff, size);
    k->attention_weights(&r->a, r->qkv, r->w, scratch);
    free(scratch);
}

/* Every third key hidden, the second sequence wholly. */
static uint8_t *some_padding(const struct attention *a)
{
    uint8_t *p = calloc((size_t)(a->B * a->T), 1);
    assert_non_null(p);
    for (long t = 0; t < a->B * a->T; t++)
        p[t] = t % 3 == 2 || t / a->T == 1;
    return p;
}

static void check_shape(struct attention a)
{
    const float *qkv = noise(qkv_size(&a), 1, 1), *d_o = noise(o_size(&a), 2, 1);
    struct run want = run_new(a, qkv, d_o);
    char label[160];
    run_table(&kernels_reference, &want);
    FOR_EACH_TABLE(k)
    {
        struct run got = run_new(a, qkv, d_o);
        run_table(k, &got);
        snprintf(label, sizeof label,
                 "%s (B=%ld T=%ld H=%ld G=%ld kv_of=%d d_k=%ld d_v=%ld causal=%d padding=%d p=%g)",
                 k->name, a.B, a.T, a.H, a.G, a.kv_of != NULL, a.d_k, a.d_v, a.causal,
                 a.padding != NULL, a.dropout.probability);
        check_close("o", label, o_size(&a), got.o, want.o, 3e-6, 3e-6);
        check_close("dqkv", label, qkv_size(&a), got.dqkv, want.dqkv, 2e-5, 2e-5);
        check_close("w", label, a.B * a.H * a.T * a.T, got.w, want.w, 1e-6, 3e-6);
    }
    buffers_release();
}

/* Fewer heads of keys and values than of queries: one, half as many, or any number for any head. */
static void check_shared(struct attention a)
{
    int32_t *ragged = malloc((size_t)a.H * sizeof *ragged);
    assert_non_null(ragged);
    for (long h = 0; h < a.H; h++)
        ragged[h] = (int32_t)((h * 5 + 2) % (a.H + 1));
    a.G = 1;
    check_shape(a);
    if (a.H % 2 == 0) {
        a.G = a.H / 2;
        check_shape(a);
    }
    a.G = a.H + 1;
    a.kv_of = ragged;
    check_shape(a);
    free(ragged);
}

TEST(test_matches_reference)
{
    static const long T[] = {1, 7, 32, 33}, H[] = {1, 3, 8, 16, 17, 64};
    static const long width[][2] = {{1, 1}, {2, 2},   {3, 3},   {4, 4}, {8, 8},
                                    {1, 8}, {16, 16}, {40, 40}, {4, 1}, {2, 70}};
    static const double probability[] = {0, .3};
    for (size_t t = 0; t < sizeof T / sizeof *T; t++) {
        for (size_t h = 0; h < sizeof H / sizeof *H; h++) {
            for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
                if (H[h] * (width[w][0] + width[w][1]) > 300)
                    continue;
                for (int variant = (int)((t + h + w) % 2); variant < 4; variant += 2) {
                    struct attention a = shape(3, T[t], H[h], width[w][0], width[w][1]);
                    uint8_t *padding = some_padding(&a);
                    a.padding = variant & 1 ? padding : NULL;
                    a.dropout = (struct dropout){
                        .probability = probability[variant / 2], .seed = 3, .site = 5, .step = 1};
                    check_shape(a);
                    a.causal = true;
                    check_shape(a);
                    a.causal = (w + t) % 2;
                    check_shared(a);
                    free(padding);
                }
            }
        }
    }
}

/* Longer than one block of queries and than one word of dropout bits, so long that bits of keys
 * behind the diagonal are not read; several vectors of width. */
TEST(test_long_sequence)
{
    static const long shapes[][4] = {{150, 2, 24, 130}, {150, 4, 8, 8}, {150, 16, 2, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct attention a = shape(2, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        a.dropout = (struct dropout){.probability = .1, .seed = 1, .site = 2, .step = 1ull << 40};
        check_shape(a);
        a.causal = true;
        check_shape(a);
        check_shared(a);
    }
}

static const struct {
    long H, G, d_k, d_v;
    bool causal;
} property_shapes[] = {
    {17, 17, 1, 1, false}, {16, 16, 4, 4, false}, {8, 8, 4, 4, false}, {6, 6, 2, 1, false},
    {2, 2, 16, 16, false}, {3, 3, 5, 9, false},   {4, 4, 8, 8, false}, {17, 17, 1, 1, true},
    {16, 16, 2, 2, true},  {8, 8, 4, 4, true},    {3, 3, 5, 9, true},  {16, 2, 1, 1, false},
    {8, 2, 4, 4, true},    {4, 1, 16, 16, false}, {6, 3, 5, 9, true},
};
enum { PROPERTY_SHAPES = sizeof property_shapes / sizeof *property_shapes };

static struct attention property_shape(int i)
{
    struct attention a =
        shape(4, 35, property_shapes[i].H, property_shapes[i].d_k, property_shapes[i].d_v);
    a.G = property_shapes[i].G;
    a.causal = property_shapes[i].causal;
    return a;
}

/* A second reference, of products by OpenBLAS. */
TEST(test_by_head)
{
    struct message m;
    assert_int_equal(blas_start(1, &m), STATUS_OK);
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        struct attention a = property_shape(i);
        uint8_t *padding = some_padding(&a);
        for (int hides = 0; hides < 2; hides++) {
            a.padding = hides ? padding : NULL;
            const float *qkv = noise(qkv_size(&a), 18, 1), *d_o = noise(o_size(&a), 19, 1);
            struct run want = run_new(a, qkv, d_o), got = run_new(a, qkv, d_o);
            run_table(&kernels_reference, &want);
            attention_by_head_forward(&a, qkv, got.o, got.w);
            attention_by_head_backward(&a, qkv, got.w, d_o, got.dqkv, buffer(a.T * a.T));
            check_close("o", "the loop over heads", o_size(&a), got.o, want.o, 3e-6, 3e-6);
            check_close("w", "the loop over heads", a.B * a.H * a.T * a.T, got.w, want.w, 1e-6,
                        3e-6);
            check_close("dqkv", "the loop over heads", qkv_size(&a), got.dqkv, want.dqkv, 2e-5,
                        2e-5);
            buffers_release();
        }
        free(padding);
    }
}

/* A batch in two calls gives the bits of one call. */
TEST(test_slices)
{
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        struct attention a = property_shape(i);
        a.dropout = (struct dropout){.probability = .25, .seed = 9, .site = 1, .step = 77};
        const float *qkv = noise(qkv_size(&a), 3, 1), *d_o = noise(o_size(&a), 4, 1);
        FOR_EACH_TABLE(k)
        {
            struct run whole = run_new(a, qkv, d_o);
            run_table(k, &whole);
            for (long b = 0; b < 4; b += b ? 3 : 1) {
                struct attention part = a;
                part.B = b ? 3 : 1;
                part.dropout.first = (uint64_t)(b * a.H * a.T * a.T);
                const long rows = b * a.T * a.H, at = b * a.T * attention_row(&a);
                struct run slice = run_new(part, qkv + at, d_o + rows * a.d_v);
                run_table(k, &slice);
                check_same("o", k->name, o_size(&part), slice.o, whole.o + rows * a.d_v);
                check_same("dqkv", k->name, qkv_size(&part), slice.dqkv, whole.dqkv + at);
            }
        }
        buffers_release();
    }
}

/* What stands at a hidden position moves nothing, and gets no gradient but its query's. */
TEST(test_hidden_keys)
{
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        struct attention a = property_shape(i);
        uint8_t *padding = some_padding(&a);
        a.padding = padding;
        const float *qkv = noise(qkv_size(&a), 5, 1), *d_o = noise(o_size(&a), 6, 1);
        const long row = attention_row(&a), keys = a.H * a.d_k;
        FOR_EACH_TABLE(k)
        {
            struct run first = run_new(a, qkv, d_o), second = run_new(a, qkv, d_o);
            for (long t = 0; t < a.B * a.T; t++)
                for (long c = keys; padding[t] && c < row; c++)
                    second.qkv[t * row + c] = 1e6f;
            run_table(k, &first);
            run_table(k, &second);
            check_same("o", k->name, o_size(&a), second.o, first.o);
            check_same("dqkv", k->name, qkv_size(&a), second.dqkv, first.dqkv);
            for (long t = 0; t < a.B * a.T; t++)
                for (long c = keys; padding[t] && c < row; c++)
                    assert_true(first.dqkv[t * row + c] == 0);
            for (long c = 0; c < a.T * a.H * a.d_v; c++) /* the sequence that is all padding */
                assert_true(first.o[a.T * a.H * a.d_v + c] == 0);
            for (long c = 0; c < a.T * row; c++)
                assert_true(first.dqkv[a.T * row + c] == 0);
        }
        buffers_release();
        free(padding);
    }
}

/* The same vector added to every key shifts each row's scores by a constant: nothing changes. */
TEST(test_shift)
{
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        const struct attention a = property_shape(i);
        const float *qkv = noise(qkv_size(&a), 7, 1), *d_o = noise(o_size(&a), 8, 1);
        const float *shift = noise(a.G * a.d_k, 9, 3);
        const long row = attention_row(&a), keys = a.H * a.d_k;
        FOR_EACH_TABLE(k)
        {
            struct run plain = run_new(a, qkv, d_o), shifted = run_new(a, qkv, d_o);
            for (long t = 0; t < a.B * a.T; t++)
                for (long c = 0; c < a.G * a.d_k; c++)
                    shifted.qkv[t * row + keys + c] += shift[c];
            run_table(k, &plain);
            run_table(k, &shifted);
            check_close("o", k->name, o_size(&a), shifted.o, plain.o, 5e-6, 1e-5);
        }
        buffers_release();
    }
}

/* Queries and keys about as large as `root`, a power of two, whose scores, about root^2, are exact
 * in single precision: all sums are of multiples of 1/4, and scale log2(e) is 1. */
static float *exact_scores(struct attention *a, double root)
{
    const long row = attention_row(a), keys = a->H * a->d_k, values = keys + a->G * a->d_k;
    float *x = noise(qkv_size(a), 20, 1);
    a->scale = 0.693147181f;
    for (long e = 0; e < qkv_size(a); e++) {
        const long c = e % row;
        const double few = rint(fmax(-4, fmin(4, 2 * (double)x[e])));
        if (c >= values)
            continue;
        if (c % a->d_k > 0)
            x[e] = (float)(few / 2);
        else
            x[e] = (float)(c < keys ? copysign(root, few) : root + few / (4 * root));
    }
    return x;
}

/* Where rounding of the scores does not hide it: gradients of large scores are as exact as those
 * of small ones, but for sums in which numbers as large as root cancel. */
TEST(test_large_exact_scores)
{
    static const double roots[] = {1, 8, 32, 128, 1024};
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        for (size_t m = 0; m < sizeof roots / sizeof *roots; m++) {
            struct attention a = property_shape(i);
            const float *qkv = exact_scores(&a, roots[m]), *d_o = noise(o_size(&a), 21, .25);
            struct run want = run_new(a, qkv, d_o);
            char label[64];
            run_table(&kernels_reference, &want);
            FOR_EACH_TABLE(k)
            {
                struct run got = run_new(a, qkv, d_o);
                run_table(k, &got);
                snprintf(label, sizeof label, "%s, scores of %g, shape %d", k->name,
                         roots[m] * roots[m], i);
                check_close("o", label, o_size(&a), got.o, want.o, 3e-6, 3e-6);
                check_close("dqkv", label, qkv_size(&a), got.dqkv, want.dqkv,
                            2e-5 * fmax(1, roots[m] / 32), 2e-5);
                check_close("w", label, a.B * a.H * a.T * a.T, got.w, want.w, 1e-6, 3e-6);
            }
            buffers_release();
        }
    }
}

static bool sees(const struct attention *a, long b, long q, long j)
{
    return !(a->causal && j > q) && !(a->padding && a->padding[b * a->T + j]);
}

/* Rows of the weights sum to 1, and what is not seen has none, to the bit. */
static void check_weights(const char *label, const struct run *r)
{
    const struct attention *a = &r->a;
    for (long i = 0; i < a->B * a->H * a->T; i++) {
        const long b = i / (a->H * a->T), q = i % a->T;
        double sum = 0, due = 0;
        for (long j = 0; j < a->T; j++) {
            const float w = r->w[i * a->T + j];
            sum += (double)w;
            if (sees(a, b, q, j))
                due = 1;
            else
                assert_true(w == 0);
        }
        if (!(fabs(sum - due) <= 1e-5 * due))
            fail_msg("%s: the weights of row %ld add up to %.9g", label, i, sum);
    }
}

/* The weights that backward takes do so too: without dropout, what the values get is what was asked
 * of all that see any. */
static void check_backward_weights(const char *label, const struct run *r)
{
    const struct attention *a = &r->a;
    const long row = attention_row(a);
    for (long at = 0; at < a->B * a->G * a->d_v; at++) {
        const long b = at / (a->G * a->d_v), g = at / a->d_v % a->G, d = at % a->d_v;
        double got = 0, due = 0, size = 0;
        for (long t = 0; t < a->T; t++) {
            bool any = false;
            for (long j = 0; j < a->T; j++)
                any = any || sees(a, b, t, j);
            got += (double)r->dqkv[(b * a->T + t) * row + attention_value_column(a, g) + d];
            for (long h = 0; any && h < a->H; h++) {
                const double asked = (double)r->d_o[((b * a->T + t) * a->H + h) * a->d_v + d];
                due += attention_kv(a, h) == g ? asked : 0;
                size += fabs(asked);
            }
        }
        if (!(fabs(got - due) <= 1e-6 * size))
            fail_msg("%s: gradients of number %ld of the values of head %ld add up to %.9g, should "
                     "be %.9g",
                     label, d, g, got, due);
    }
}

/* Weights are those of a softmax, however large the scores are. */
TEST(test_weights)
{
    static const double sizes[] = {4, 1e2, 1e3, 1e4, 1e5, 1e6};
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        struct attention a = property_shape(i);
        uint8_t *padding = some_padding(&a);
        for (size_t m = 0; m < 2 * sizeof sizes / sizeof *sizes; m++) {
            a.padding = m % 2 ? padding : NULL;
            const double size = sizes[m / 2];
            const float *qkv = noise(qkv_size(&a), 14, sqrt(size)), *d_o = noise(o_size(&a), 15, 1);
            const struct kernels *k;
            for (int table = 0; (k = kernels_available(table)); table++) {
                struct run got = run_new(a, qkv, d_o);
                char label[64];
                run_table(k, &got);
                snprintf(label, sizeof label, "%s, scores of %g, shape %d", k->name, size, i);
                check_weights(label, &got);
                check_backward_weights(label, &got);
            }
            buffers_release();
        }
        free(padding);
    }
}

/* With a causal mask what stands behind a position moves nothing there: not what it gets, nor,
 * where nothing is asked of the later ones, any gradient. */
TEST(test_causal)
{
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        struct attention a = property_shape(i);
        const long half = a.T / 2, row = attention_row(&a), o_row = a.H * a.d_v;
        a.causal = true;
        a.dropout = (struct dropout){.probability = .1 * (i % 2), .seed = 1, .site = 2, .step = 3};
        float *qkv = noise(qkv_size(&a), 16, 1), *d_o = noise(o_size(&a), 17, 1);
        for (long e = 0; e < o_size(&a); e++)
            if (e / o_row % a.T >= half)
                d_o[e] = 0;
        FOR_EACH_TABLE(k)
        {
            struct run first = run_new(a, qkv, d_o), second = run_new(a, qkv, d_o);
            for (long e = 0; e < qkv_size(&a); e++)
                if (e / row % a.T >= half)
                    second.qkv[e] = second.qkv[e] * 100 + 1e4f;
            run_table(k, &first);
            run_table(k, &second);
            for (long b = 0; b < a.B; b++) {
                const long o = b * a.T * o_row, at = b * a.T * row;
                check_same("o", k->name, half * o_row, second.o + o, first.o + o);
                check_same("dqkv", k->name, half * row, second.dqkv + at, first.dqkv + at);
                for (long c = half * row; c < a.T * row; c++)
                    assert_true(first.dqkv[at + c] == 0);
            }
        }
        buffers_release();
    }
}

/* A NaN shows in all that depends on it, and in no other sequence. Among the queries that a causal
 * mask keeps from a value, some may still meet it as 0 * NaN. */
TEST(test_nan)
{
    for (int i = 0; i < PROPERTY_SHAPES; i++) {
        const struct attention a = property_shape(i);
        const long row = attention_row(&a), sequence = a.T * row;
        for (int part = 0; part < 3; part++) {
            float *qkv = noise(qkv_size(&a), 12, 1), *d_o = noise(o_size(&a), 13, 1);
            const long column[] = {0, attention_key_column(&a, 0), attention_value_column(&a, 0)};
            qkv[sequence + 3 * row + column[part]] = NAN; /* head 0 of sequence 1 */
            FOR_EACH_TABLE(k)
            {
                struct run got = run_new(a, qkv, d_o);
                run_table(k, &got);
                for (long e = 0; e < o_size(&a); e++) {
                    const long t = e / (a.H * a.d_v), d = e % (a.H * a.d_v), q = t % a.T;
                    const long h = d / a.d_v;
                    bool uses = part == 0 ? h == 0 : attention_kv(&a, h) == 0;
                    bool due = t / a.T == 1 && uses && (part < 2 || d % a.d_v == 0) &&
                               (part == 0 ? q == 3 : !a.causal || q >= 3);
                    if (part == 2 && a.causal && q < 3)
                        continue;
                    assert_int_equal(isnan(got.o[e]), due);
                }
                bool found = false;
                for (long e = 0; e < qkv_size(&a); e++)
                    if (e / sequence != 1)
                        assert_int_equal(isnan(got.dqkv[e]), 0);
                    else
                        found = found || isnan(got.dqkv[e]);
                assert_true(found);
            }
            buffers_release();
        }
    }
}
