#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "engine/nn.h"

#include <cmocka.h>

static struct tensor *declare(struct arena *a, struct nn *nn, const char *name, long rows,
                              long columns, enum nn_init init)
{
    return nn_declare(a, nn, name, (struct shape){2, {rows, columns}}, init, columns, rows, 0.5);
}

static void flat_buffers(void **state)
{
    (void)state;
    struct arena a;
    struct nn nn = {0};
    arena_init(&a, NULL);
    struct tensor *t[9];
    char name[] = "w0";
    for (int i = 0; i < 9; i++, name[1]++)
        t[i] = declare(&a, &nn, name, i + 1, 3, NN_ZEROS);
    nn_finish(&a, &nn, true);
    assert_int_equal(nn.count, 9);
    assert_int_equal(nn.size, 3 * 45);
    long at = 0;
    for (int i = 0; i < 9; i++) {
        assert_ptr_equal(t[i]->data, nn.data + at);
        assert_ptr_equal(t[i]->grad, nn.grad + at);
        at += tensor_size(t[i]);
    }
    assert_ptr_equal(nn_find(&nn, "w4"), t[4]);
    assert_null(nn_find(&nn, "w"));
    t[2]->grad_written = true;
    nn_zero_grad(&nn);
    assert_false(t[2]->grad_written);
    arena_free(&a);
}

/* A parameter's start depends on seed, name, shape and init; not on who stands beside it. */
static void init_is_a_function_of_the_name(void **state)
{
    (void)state;
    struct arena a;
    struct nn one = {0}, two = {0};
    arena_init(&a, NULL);
    struct tensor *x = declare(&a, &one, "x", 4, 5, NN_XAVIER);
    nn_finish(&a, &one, false);
    assert_null(one.grad);
    declare(&a, &two, "other", 3, 3, NN_NORMAL);
    struct tensor *again = declare(&a, &two, "x", 4, 5, NN_XAVIER);
    struct tensor *y = declare(&a, &two, "y", 4, 5, NN_XAVIER);
    nn_finish(&a, &two, false);
    nn_init(&one, 3);
    nn_init(&two, 3);
    assert_memory_equal(x->data, again->data, 20 * sizeof(real));
    assert_memory_not_equal(x->data, y->data, 20 * sizeof(real));
    nn_init(&two, 4);
    assert_memory_not_equal(x->data, again->data, 20 * sizeof(real));
    arena_free(&a);
}

/* Mean, variance and largest magnitude of many draws. */
struct moments {
    double mean, variance, largest;
};

static struct moments moments(enum nn_init init)
{
    struct arena a;
    struct nn nn = {0};
    arena_init(&a, NULL);
    long n = 200 * 150;
    struct tensor *t = declare(&a, &nn, "t", 200, 150, init);
    nn_finish(&a, &nn, false);
    nn_init(&nn, 0);
    struct moments m = {0};
    for (long i = 0; i < n; i++) {
        m.mean += (double)t->data[i] / (double)n;
        m.largest = fmax(m.largest, fabs((double)t->data[i]));
    }
    for (long i = 0; i < n; i++)
        m.variance += pow((double)t->data[i] - m.mean, 2) / (double)n;
    arena_free(&a);
    return m;
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%g is not within %g of %g", a, tolerance, b);
}

/* Within five standard errors of what the formulas say, for 30,000 draws. */
static void distributions(void **state)
{
    (void)state;
    double bound = 1 / sqrt(150);
    struct moments m = moments(NN_UNIFORM_FAN_IN);
    near(m.mean, 0, 5 * bound / sqrt(3 * 30000));
    near(m.variance, bound * bound / 3, 0.03 * bound * bound / 3);
    assert_true(m.largest <= bound && m.largest > 0.999 * bound);

    bound = sqrt(6 / 350.0);
    m = moments(NN_XAVIER);
    near(m.mean, 0, 5 * bound / sqrt(3 * 30000));
    near(m.variance, bound * bound / 3, 0.03 * bound * bound / 3);
    assert_true(m.largest <= bound && m.largest > 0.999 * bound);

    m = moments(NN_NORMAL);
    near(m.mean, 0, 5 * 0.5 / sqrt(30000));
    near(m.variance, 0.25, 0.25 * 5 * sqrt(2 / 30000.0));
    assert_true(m.largest > 1.5 && m.largest < 3);

    m = moments(NN_ONES);
    assert_true(m.mean > 0.999999 && m.variance < 1e-10);
    assert_true(moments(NN_ZEROS).largest == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_buffers),
        cmocka_unit_test(init_is_a_function_of_the_name),
        cmocka_unit_test(distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
