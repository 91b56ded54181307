/* What is done to each element: activations with their slopes, dropout with the residual sum, of
 * every table against the naive reference or libm. */
#include "tests/unit/kernel_check.h"

static void check_activation(const char *name, const struct kernels *k, forward *f, forward *want_f)
{
    const struct kernels *ref = &kernels_reference;
    for (int i = 0; i < 4 * COLUMNS; i++) {
        const long N = columns[i / 4], n = ROWS * N;
        const float beta = (float)(i % 2);
        const float *x = noise(n, 1, 2), *dy = noise(n, 2, 1), *old = noise(n, 3, 1);
        const float *bias = i & 2 ? noise(N, 4, 1) : NULL;
        float *y = buffer(n), *want_y = buffer(n), *slope = buffer(n), *want_slope = buffer(n);
        f(ROWS, N, x, bias, y, slope);
        want_f(ROWS, N, x, bias, want_y, want_slope);
        check_close(name, k->name, n, y, want_y, 2.5e-7, 1e-6);
        check_close(name, k->name, n, slope, want_slope, 3e-7, 1e-6);
        float *again = buffer(n);
        f(ROWS, N, x, bias, again, NULL); /* inference gives the bits of training */
        check_same(name, k->name, n, again, y);
        float *dx = copy(n, old), *want_dx = copy(n, old);
        float *dbias = copy(N, old), *want_dbias = copy(N, old);
        k->activation_backward(ROWS, N, slope, dy, beta, dx, dbias);
        ref->activation_backward(ROWS, N, want_slope, dy, beta, want_dx, want_dbias);
        check_close(name, k->name, n, dx, want_dx, 1e-6, 1e-6);
        check_close(name, k->name, N, dbias, want_dbias, 3e-6, 1e-6);
        /* without sums; and onto dy itself */
        float *onto = copy(n, dy);
        k->activation_backward(ROWS, N, slope, onto, 0, onto, NULL);
        ref->activation_backward(ROWS, N, want_slope, dy, 0, want_dx, NULL);
        check_close(name, k->name, n, onto, want_dx, 1e-6, 1e-6);
        buffers_release();
    }
}

TEST(test_activations)
{
    const struct kernels *r = &kernels_reference;
    FOR_EACH_TABLE(k)
    {
        check_activation("gelu", k, k->gelu_forward, r->gelu_forward);
        check_activation("relu", k, k->relu_forward, r->relu_forward);
    }
}

/* gelu and its slope over all that matters, against libm in double. */
TEST(test_gelu_sweep)
{
    enum { N = 400001 };
    const double sqrt_half = sqrt(.5), density_at0 = 1 / sqrt(8 * atan(1));
    float *x = buffer(N), *y = buffer(N), *slopes = buffer(N);
    for (long i = 0; i < N; i++)
        x[i] = (float)(-20 + (double)i * 1e-4);
    x[0] = -3e38f; /* the largest numbers come out as they should */
    x[N - 1] = 3e38f;
    FOR_EACH_TABLE(k)
    {
        k->gelu_forward(1, N, x, NULL, y, slopes);
        for (long i = 0; i < N; i++) {
            double z = (double)x[i], phi = .5 * erfc(-z * sqrt_half);
            double slope = phi + z * density_at0 * exp(-.5 * z * z);
            if (!(fabs((double)y[i] - z * phi) <= 1e-7 + 1.2e-7 * fabs(z)) ||
                !(fabs((double)slopes[i] - slope) <= 3e-7))
                fail_msg("%s: gelu(%.9g) = %.9g, slope %.9g", k->name, z, (double)y[i],
                         (double)slopes[i]);
        }
    }
    buffers_release();
}

static const struct dropout some_dropout[] = {
    {.probability = 0},
    {.probability = .1, .seed = 1, .site = 2, .step = 3},
    {.probability = .5, .seed = 77, .site = 9, .step = 1ull << 33 | 5, .first = 37},
    {.probability = .9, .seed = 5, .site = 0, .step = 0, .first = 1ull << 34 | 63},
};
enum { DROPOUTS = sizeof some_dropout / sizeof *some_dropout };

TEST(test_residual)
{
    const struct kernels *r = &kernels_reference;
    for (int i = 0; i < 4 * DROPOUTS * COLUMNS; i++) {
        const struct dropout *d = &some_dropout[i / 4 % DROPOUTS];
        const long N = columns[i / 4 / DROPOUTS], M = 41, n = M * N;
        const float beta = (float)(i % 2);
        const float *x = noise(n, 1, 1), *old = noise(n, 2, 1), *residual = noise(n, 3, 1);
        const float *bias = i & 1 ? noise(N, 4, 1) : NULL, *skip = i & 2 ? residual : NULL;
        float *want_y = buffer(n), *want_dx = copy(n, old), *want_dbias = copy(N, old);
        r->residual_forward(M, N, x, bias, skip, d, want_y);
        r->residual_backward(M, N, d, x, beta, want_dx, i & 2 ? want_dbias : NULL);
        FOR_EACH_TABLE(k)
        {
            float *y = buffer(n), *dx = copy(n, old), *dbias = copy(N, old);
            const struct dropout drawn = draw(k, d, n);
            k->residual_forward(M, N, x, bias, skip, &drawn, y);
            check_close("residual", k->name, n, y, want_y, 1e-6, 1e-6);
            k->residual_backward(M, N, &drawn, x, beta, dx, i & 2 ? dbias : NULL);
            check_close("dx", k->name, n, dx, want_dx, 1e-6, 1e-6);
            check_close("dbias", k->name, N, dbias, want_dbias, 1e-4, 1e-6);
        }
        buffers_release();
    }
}

/* The very bits of the reference, the share they keep, and the same in two slices as in one. */
TEST(test_dropout_bits)
{
    enum { N = 20000, CUT = 7777 };
    float *one = buffer(N);
    for (long i = 0; i < N; i++)
        one[i] = 1;
    for (int i = 1; i < DROPOUTS; i++) {
        const struct dropout *d = &some_dropout[i];
        float *want = buffer(N);
        long kept = 0;
        kernels_reference.residual_forward(1, N, one, NULL, NULL, d, want);
        for (long e = 0; e < N; e++)
            kept += want[e] > 0;
        const double spread = sqrt(N * d->probability * (1 - d->probability));
        assert_true(fabs((double)kept - N * (1 - d->probability)) < 4 * spread);
        FOR_EACH_TABLE(k)
        {
            float *y = buffer(N);
            struct dropout first = draw(k, d, N), second = *d;
            k->residual_forward(1, N, one, NULL, NULL, &first, y);
            check_same("dropout", k->name, N, y, want);
            second.first += CUT;
            first = draw(k, d, CUT);
            second = draw(k, &second, N - CUT);
            k->residual_forward(1, CUT, one, NULL, NULL, &first, y);
            k->residual_forward(1, N - CUT, one, NULL, NULL, &second, y + CUT);
            check_same("dropout in slices", k->name, N, y, want);
        }
    }
    buffers_release();
}
