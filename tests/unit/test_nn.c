#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/inits.h"
#include "engine/nn.h"

#include "tests/test.h"

TEST(flat_buffers)
{
    struct arena a;
    struct nn nn = {0};
    arena_init(&a, NULL);
    struct tensor *t[9];
    char name[] = "w0";
    for (int i = 0; i < 9; i++, name[1]++)
        t[i] = nn_matrix(&a, &nn, name, INIT_WEIGHT, i + 1, 3);
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
TEST(init_is_a_function_of_the_name)
{
    struct arena a;
    struct nn one = {0}, two = {0};
    arena_init(&a, NULL);
    struct tensor *x = nn_matrix(&a, &one, "x", INIT_WEIGHT, 4, 5);
    nn_finish(&a, &one, false);
    assert_null(one.grad);
    nn_matrix(&a, &two, "other", INIT_EMBEDDING, 3, 3);
    struct tensor *again = nn_matrix(&a, &two, "x", INIT_WEIGHT, 4, 5);
    struct tensor *y = nn_matrix(&a, &two, "y", INIT_WEIGHT, 4, 5);
    nn_finish(&a, &two, false);
    nn_init(&one, &init_xavier, 3);
    nn_init(&two, &init_xavier, 3);
    assert_memory_equal(x->data, again->data, 20 * sizeof(real));
    assert_memory_not_equal(x->data, y->data, 20 * sizeof(real));
    nn_init(&two, &init_xavier, 4);
    assert_memory_not_equal(x->data, again->data, 20 * sizeof(real));
    arena_free(&a);
}

/* Mean, variance and largest magnitude of many draws. */
struct moments {
    double mean, variance, largest;
};

enum { ROWS = 200, COLUMNS = 150, DRAWS = ROWS * COLUMNS };

static struct moments moments(const struct init *init, enum init_kind kind)
{
    struct arena a;
    struct nn nn = {0};
    arena_init(&a, NULL);
    struct tensor *t = nn_matrix(&a, &nn, "t", kind, ROWS, COLUMNS);
    nn_finish(&a, &nn, false);
    nn_init(&nn, init, 0);
    struct moments m = {0};
    for (long i = 0; i < DRAWS; i++) {
        m.mean += (double)t->data[i] / DRAWS;
        m.largest = fmax(m.largest, fabs((double)t->data[i]));
    }
    for (long i = 0; i < DRAWS; i++)
        m.variance += pow((double)t->data[i] - m.mean, 2) / DRAWS;
    arena_free(&a);
    return m;
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%g is not within %g of %g", a, tolerance, b);
}

/* Within five standard errors of what the formulas say. */
static void check_uniform(const struct init *init, enum init_kind kind, double bound)
{
    struct moments m = moments(init, kind);
    near(m.mean, 0, 5 * bound / sqrt(3 * DRAWS));
    near(m.variance, bound * bound / 3, 0.03 * bound * bound / 3);
    assert_each(m.largest <= bound, m.largest > 0.999 * bound);
}

static void check_embedding(const struct init *init)
{
    struct moments m = moments(init, INIT_EMBEDDING);
    near(m.mean, 0, 5 * 0.5 / sqrt(DRAWS));
    near(m.variance, 0.25, 0.25 * 5 * sqrt(2.0 / DRAWS));
    assert_each(m.largest > 1.5, m.largest < 3);
}

static void check_constant(const struct init *init, enum init_kind kind, double value)
{
    struct moments m = moments(init, kind);
    near(m.mean, value, 1e-9);
    assert_true(m.variance < 1e-10);
}

TEST(distributions)
{
    double fan_in = 1 / sqrt(COLUMNS), xavier = sqrt(6.0 / (ROWS + COLUMNS));
    check_uniform(&init_pytorch, INIT_WEIGHT, fan_in);
    check_uniform(&init_pytorch, INIT_BIAS, fan_in);
    check_uniform(&init_xavier, INIT_WEIGHT, xavier);
    check_constant(&init_xavier, INIT_BIAS, 0);
    const struct init *const both[] = {&init_pytorch, &init_xavier};
    for (int i = 0; i < 2; i++) {
        check_uniform(both[i], INIT_ATTENTION_WEIGHT, xavier);
        check_constant(both[i], INIT_ATTENTION_BIAS, 0);
        check_constant(both[i], INIT_GAIN, 1);
        check_constant(both[i], INIT_SHIFT, 0);
        check_embedding(both[i]);
    }
}
