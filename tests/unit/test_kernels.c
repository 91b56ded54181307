/* The kernels of every table but those of attention and of activations (test_kernels_attention.c,
 * test_kernels_activation.c), against the naive reference (sums in double) or libm, and the
 * properties that the header promises. */
#include "tests/test.h"
#include "tests/unit/kernel_check.h"

TEST(test_layernorm)
{
    for (int i = 0; i < 2 * COLUMNS; i++) {
        const long C = columns[i / 2], n = ROWS * C;
        const float beta = (float)(i % 2);
        float *x = noise(n, 1, 2), *gain = noise(C, 2, 1), *bias = noise(C, 3, 1);
        float *dy = noise(n, 4, 1), *old = noise(n, 5, 1);
        for (long e = 0; e < n; e++)
            x[e] += 5; /* a mean that has to be taken off */
        float *y = buffer(n), *mean = buffer(ROWS), *rstd = buffer(ROWS);
        float *dx = copy(n, old), *dgain = copy(C, gain), *dbias = copy(C, bias);
        kernels_reference.layernorm_forward(ROWS, C, x, gain, bias, y, mean, rstd);
        kernels_reference.layernorm_backward(ROWS, C, x, gain, mean, rstd, dy, beta, dx, dgain,
                                             dbias);
        FOR_EACH_TABLE(k)
        {
            float *y2 = buffer(n), *mean2 = buffer(ROWS), *rstd2 = buffer(ROWS);
            float *dx2 = copy(n, old), *dgain2 = copy(C, gain), *dbias2 = copy(C, bias);
            k->layernorm_forward(ROWS, C, x, gain, bias, y2, mean2, rstd2);
            check_close("mean", k->name, ROWS, mean2, mean, 1e-6, 1e-6);
            check_close("rstd", k->name, ROWS, rstd2, rstd, 0, 2e-6);
            /* one column is its own mean: what is left of it is rounding times 1/sqrt(1e-5) */
            check_close("y", k->name, n, y2, y, C == 1 ? 1e-3 : 1e-5, 1e-5);
            k->layernorm_backward(ROWS, C, x, gain, mean, rstd, dy, beta, dx2, dgain2, dbias2);
            check_close("dx", k->name, n, dx2, dx, C == 1 ? 1e-3 : 1e-5, 1e-5);
            check_close("dgain", k->name, C, dgain2, dgain, 1e-5, 1e-5);
            check_close("dbias", k->name, C, dbias2, dbias, 1e-5, 1e-5);
        }
        buffers_release();
    }
}

/* The three products of a linear layer, of every table that takes the shape and of those that would
 * leave it to OpenBLAS. Weights are whole vectors wide; rows are what a batch has. */
TEST(test_linear)
{
    static const long shapes[][3] = {
        {1, 16, 16},     {3, 16, 48},    {8, 32, 16},    {13, 32, 96},   {24, 64, 32},
        {131, 144, 32},  {300, 32, 144}, {513, 48, 80},  {1, 272, 256},  {37, 256, 272},
        {515, 144, 160}, {14, 1024, 48}, {27, 48, 1024}, {5, 2048, 272}, {3, 272, 2048},
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    for (int i = 0; i < 2 * SHAPES; i++) {
        const long M = shapes[i / 2][0], N = shapes[i / 2][1], K = shapes[i / 2][2];
        const float beta = (float)(i % 2);
        const float *x = noise(M * K, 1, 1), *w = noise(N * K, 2, 1), *dy = noise(M * N, 3, 1);
        const float *bias = i % 2 ? noise(N, 4, 1) : NULL, *old = noise(M * K + N * K, 5, 1);
        float *y = buffer(M * N), *dx = copy(M * K, old), *dw = copy(N * K, old);
        float *turned = buffer(linear_panels(N, K)), *plain = buffer(linear_panels(K, N));
        float *room = buffer(linear_room(N, K));
        kernels_reference.linear_pack(N, K, w, turned, plain);
        kernels_reference.linear_product(M, N, K, x, turned, bias, 0, y, room);
        kernels_reference.linear_product(M, K, N, dy, plain, NULL, beta, dx, room);
        kernels_reference.linear_backward_weight(M, N, K, dy, x, beta, dw, room);
        const double atol = 4e-6 * sqrt((double)(M + N + K)); /* of sums of so many numbers */
        FOR_EACH_TABLE(k)
        {
            float *y2 = buffer(M * N), *dx2 = copy(M * K, old), *dw2 = copy(N * K, old);
            k->linear_pack(N, K, w, turned, plain);
            k->linear_product(M, N, K, x, turned, bias, 0, y2, room);
            check_close("linear y", k->name, M * N, y2, y, atol, 1e-5);
            k->linear_product(M, K, N, dy, plain, NULL, beta, dx2, room);
            check_close("linear dx", k->name, M * K, dx2, dx, atol, 1e-5);
            k->linear_backward_weight(M, N, K, dy, x, beta, dw2, room);
            check_close("linear dw", k->name, N * K, dw2, dw, atol, 1e-5);
        }
        buffers_release();
    }
}

/* Rows do not know of each other: a row alone gives the bits that it gives among others. */
TEST(test_linear_row_by_row)
{
    enum { M = 29, N = 48, K = 1024 };
    const float *x = noise(M * K, 1, 1), *w = noise(N * K, 2, 1), *dy = noise(M * N, 3, 1);
    float *turned = buffer(linear_panels(N, K)), *plain = buffer(linear_panels(K, N));
    float *room = buffer(linear_room(N, K));
    FOR_EACH_TABLE(k)
    {
        float *y = buffer(M * N), *dx = buffer(M * K), *y1 = buffer(N), *dx1 = buffer(K);
        k->linear_pack(N, K, w, turned, plain);
        k->linear_product(M, N, K, x, turned, NULL, 0, y, room);
        k->linear_product(M, K, N, dy, plain, NULL, 0, dx, room);
        for (long m = 0; m < M; m++) {
            k->linear_product(1, N, K, x + m * K, turned, NULL, 0, y1, room);
            k->linear_product(1, K, N, dy + m * N, plain, NULL, 0, dx1, room);
            assert_memory_equal(y1, y + m * N, N * sizeof *y);
            assert_memory_equal(dx1, dx + m * K, K * sizeof *dx);
        }
    }
    buffers_release();
}

/* Which weights a table takes: whole vectors, up to a width, whatever the batch. */
TEST(test_linear_choice)
{
    assert_false(kernels_reference.linear_suits(32, 32));
    FOR_EACH_TABLE(k)
    {
        const bool takes = k->linear_suits(32, 32);
        assert_int_equal(takes, !strcmp(k->name, "avx2") || !strcmp(k->name, "avx512"));
        assert_int_equal(k->linear_suits(256, 64), takes);
        assert_int_equal(k->linear_suits(512, 2048), takes);
        assert_int_equal(k->linear_suits(2048, 2048), takes);
        assert_false(k->linear_suits(2064, 256));
        assert_false(k->linear_suits(256, 2064));
        assert_false(k->linear_suits(33, 32));
        assert_false(k->linear_suits(32, 20));
    }
}

TEST(test_nan_comes_through)
{
    enum { N = 37, AT = 18 };
    FOR_EACH_TABLE(k)
    {
        float *x = noise(N, 1, 1), *gain = noise(N, 2, 1), *y = buffer(N), *dy = noise(N, 3, 1);
        float *dx = buffer(N), mean, rstd;
        forward *const forwards[] = {k->gelu_forward, k->relu_forward};
        x[AT] = NAN;
        for (int f = 0; f < 2; f++) {
            forwards[f](1, N, x, NULL, y, dx);
            k->activation_backward(1, N, dx, dy, 0, dx, NULL);
            for (long i = 0; i < N; i++) {
                assert_int_equal(isnan(y[i]), i == AT);
                assert_int_equal(isnan(dx[i]), i == AT);
            }
        }
        k->layernorm_forward(1, N, x, gain, gain, y, &mean, &rstd);
        for (long i = 0; i < N; i++)
            assert_true(isnan(y[i]));
        for (int bad = 0; bad < 3; bad++) { /* first, middle, in the rest behind the last vector */
            static const int at[] = {0, AT, N - 1};
            const int32_t target = 5;
            uint8_t correct;
            float *logits = noise(N, 4, 1);
            logits[at[bad]] = NAN;
            assert_true(isnan(k->cross_entropy(1, N, logits, &target, &correct, 1, dx)));
            assert_int_equal(correct, 0);
            assert_each(isnan(dx[0]), isnan(dx[N - 1]));
            assert_true(isnan(k->square_sum(N, logits)));
            logits[at[bad]] = -INFINITY;
            assert_true(isinf(k->square_sum(N, logits)));
        }
        buffers_release();
    }
}

TEST(test_sums)
{
    for (int i = 0; i < COLUMNS; i++) {
        const long N = columns[i], M = 10, n = M * N;
        const float *x = noise(n, 1, 1), *bias = noise(N, 2, 1), *old = noise(n, 3, 1);
        float *sums = copy(N, bias);
        kernels_reference.column_sums(M, N, x, sums);
        FOR_EACH_TABLE(k)
        {
            float *y = copy(n, old), *got = copy(N, bias);
            k->column_sums(M, N, x, got);
            check_close("column_sums", k->name, N, got, sums, 2e-6, 1e-6);
            k->add(n, x, 1, y);
            for (long e = 0; e < n; e++)
                assert_true(y[e] == x[e] + old[e]);
            k->add(n, x, 0, y);
            check_same("add", k->name, n, y, x);
            k->fill_rows(M, N, bias, y);
            for (long e = 0; e < n; e++)
                assert_true(y[e] == bias[e % N]);
            double want = kernels_reference.square_sum(n, x);
            assert_true(fabs(k->square_sum(n, x) - want) <= 1e-13 * want);
        }
        buffers_release();
    }
}

/* Rows of a table, with a second table over the first, positions and rows that come twice. */
TEST(test_rows)
{
    enum { R = 23, V = 7, T = 5, STRIDE = 2 };
    const struct kernels *ref = &kernels_reference;
    int32_t index[R * STRIDE];
    for (int i = 0; i < R * STRIDE; i++)
        index[i] = i * i % V;
    FOR_EACH_TABLE(k)
    {
        for (int i = 0; i < COLUMNS; i++) {
            const long C = columns[i];
            const float *table = noise(V * C, 1, 1), *dy = noise(R * C, 2, 1);
            const float *cycle = noise(T * C, 3, 1);
            float *y = buffer(R * C), *want_y = buffer(R * C);
            float *dtable = copy(V * C, table), *want_dtable = copy(V * C, table);
            for (int f = 0; f < STRIDE; f++) {
                const float *also = f == STRIDE - 1 ? cycle : NULL;
                k->rows_gather(R, C, table, index + f, STRIDE, also, T, (float)f, y);
                ref->rows_gather(R, C, table, index + f, STRIDE, also, T, (float)f, want_y);
                k->rows_scatter(R, C, dy, index + f, STRIDE, dtable);
                ref->rows_scatter(R, C, dy, index + f, STRIDE, want_dtable);
                check_same("gathered", k->name, R * C, y, want_y);
                check_same("scattered", k->name, V * C, dtable, want_dtable);
            }
            buffers_release();
        }
    }
}

TEST(test_cross_entropy)
{
    static const long classes[] = {1, 2, 3, 15, 16, 17, 64, 1000};
    enum { R = 21 };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const long V = classes[i], n = R * V;
        float *logits = noise(n, 1, 4), *want_d = buffer(n);
        int32_t target[R];
        uint8_t want_correct[R], correct[R];
        for (long r = 0; r < R; r++)
            target[r] = r % 5 == 4 ? -100 : (int32_t)(r * 7 % V);
        for (long v = 0; v < V; v++)
            logits[v] = 1; /* all equal: the first is the largest */
        for (long r = 1; r < R; r += 2)
            if (target[r] >= 0)
                logits[r * V + target[r]] = 30;
        double want =
            kernels_reference.cross_entropy(R, V, logits, target, want_correct, .5f, want_d);
        FOR_EACH_TABLE(k)
        {
            float *d = buffer(n), *onto = copy(n, logits);
            double loss = k->cross_entropy(R, V, logits, target, correct, .5f, d);
            assert_true(fabs(loss - want) <= 1e-6 * R + 1e-6 * want);
            assert_memory_equal(correct, want_correct, R);
            check_close("dlogits", k->name, n, d, want_d, 1e-7, 1e-6);
            assert_true(k->cross_entropy(R, V, logits, target, correct, .5f, NULL) == loss);
            assert_memory_equal(correct, want_correct, R);
            assert_true(k->cross_entropy(R, V, onto, target, correct, .5f, onto) == loss);
            assert_memory_equal(correct, want_correct, R);
            check_same("dlogits onto logits", k->name, n, onto, d);
            double sliced = k->cross_entropy(9, V, logits, target, correct, .5f, onto) +
                            k->cross_entropy(R - 9, V, logits + 9 * V, target + 9, correct + 9, .5f,
                                             onto + 9 * V);
            assert_true(fabs(sliced - loss) <= 1e-12 * fabs(loss));
            check_same("dlogits in slices", k->name, n, onto, d);
        }
        buffers_release();
    }
}

/* Two classes 0 and x: the second's probability is e^x/(1 + e^x) to a few ulp, down to underflow.
 */
TEST(test_exponential_sweep)
{
    enum { N = 100000 };
    float *logits = buffer(2 * N), *d = buffer(2 * N);
    int32_t *target = calloc(N, sizeof *target);
    uint8_t *correct = malloc(N);
    assert_non_null(target);
    assert_non_null(correct);
    FOR_EACH_TABLE(k)
    {
        for (long i = 0; i < N; i++) {
            logits[2 * i] = 0;
            logits[2 * i + 1] = (float)(-87.0 * (double)i / N);
        }
        k->cross_entropy(N, 2, logits, target, correct, 1, d);
        for (long i = 0; i < N; i++) {
            double e = exp((double)logits[2 * i + 1]), p = e / (1 + e);
            if (!(fabs((double)d[2 * i + 1] - p) <= 4e-7 * p))
                fail_msg("%s: e^%.9g/(1+e^..) = %.9g, should be %.9g", k->name,
                         (double)logits[2 * i + 1], (double)d[2 * i + 1], p);
        }
        logits[1] = -200;
        logits[3] = -INFINITY;
        assert_true(k->cross_entropy(2, 2, logits, target, correct, 1, d) == 0);
        assert_each(d[0] == 0, d[1] == 0, d[3] == 0);
    }
    buffers_release();
    free(target);
    free(correct);
}

TEST(test_adamw)
{
    for (int i = 0; i < COLUMNS; i++) {
        const long n = columns[i];
        float *w = noise(n, 1, 1), *m = noise(n, 3, .1), *v = noise(n, 4, .1);
        for (long e = 0; e < n; e++)
            v[e] *= v[e];
        FOR_EACH_TABLE(k)
        {
            float *w1 = copy(n, w), *m1 = copy(n, m), *v1 = copy(n, v);
            float *w2 = copy(n, w), *m2 = copy(n, m), *v2 = copy(n, v);
            for (int t = 1; t <= 3; t++) {
                const float *g = noise(n, 4 + (uint32_t)t, 1);
                const struct adamw p = {.lr = .1f,
                                        .beta1 = .9f,
                                        .beta2 = .99f,
                                        .epsilon = 1e-3f,
                                        .weight_decay = .5f,
                                        .correction1 = (float)(1 - pow(.9, t)),
                                        .correction2 = (float)(1 - pow(.99, t)),
                                        .grad_scale = .7f};
                kernels_reference.adamw(n, &p, w1, g, m1, v1);
                k->adamw(n, &p, w2, g, m2, v2);
            }
            check_close("m", k->name, n, m2, m1, 1e-7, 1e-6);
            check_close("v", k->name, n, v2, v1, 1e-7, 1e-6);
            check_close("w", k->name, n, w2, w1, 1e-6, 2e-6);
        }
        buffers_release();
    }
}

TEST(test_choice)
{
    const struct kernels *k, *last = NULL;
    unsetenv("HEADCOUNT_KERNELS");
    assert_ptr_equal(kernels_available(0), &kernels_reference);
    for (int i = 0; (k = kernels_available(i)); i++)
        last = k;
    assert_ptr_equal(kernels_best(), last);
    for (int i = 0; (k = kernels_available(i)); i++) {
        setenv("HEADCOUNT_KERNELS", k->name, 1);
        assert_ptr_equal(kernels_best(), k);
    }
    setenv("HEADCOUNT_KERNELS", "abacus", 1);
    assert_ptr_equal(kernels_best(), last);
    unsetenv("HEADCOUNT_KERNELS");
}
