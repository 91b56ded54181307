/* Axes that are drawn at random: which values, the same ones each time, and how many of them
 * differ. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sweep/plan_help.h"
#include "tests/test.h"

#define DRAWS                                                                                      \
    "method: random\nsampler_seed: 3\n" GATHER                                                     \
    "model: {heads: [1, 2, 4], d_ff: {min: 10, max: 13}}\n"                                        \
    "train: {lr: {min: 1e-4, max: 1e-2, distribution: log_uniform_values},\n"                      \
    "        weight_decay: {min: 0.5, max: 0.75}}\n"

TEST(test_random)
{
    struct plan *p = plan_of(DRAWS "samples: 2000\n");
    long widths[14] = {0}, below = 0;
    assert_int_equal(plan_points(p), 6000); /* each draw at every head count */
    struct point point, first;
    for (long i = 0; i < 6000; i++) {
        plan_point(p, i, &point);
        assert_int_equal(point.model.heads, 1 << i % 3);
        if (i % 3 == 0)
            first = point;
        assert_int_equal(point.model.d_ff, first.model.d_ff);
        assert_true(point.train.lr == first.train.lr);
        if (i % 3 != 0)
            continue;
        assert_in_range(point.model.d_ff, 10, 13);
        assert_each(point.train.lr >= 1e-4, point.train.lr <= 1e-2);
        assert_each(point.train.weight_decay >= 0.5, point.train.weight_decay <= 0.75);
        widths[point.model.d_ff]++;
        below += point.train.lr < 1e-3;
        /* six digits: what is written down is the value itself */
        char text[32];
        snprintf(text, sizeof text, "%.6g", point.train.lr);
        assert_true(strtod(text, NULL) == point.train.lr);
    }
    /* Within five standard deviations of what is expected. */
    assert_in_range(widths[10], 500 - 97, 500 + 97);
    assert_in_range(widths[13], 500 - 97, 500 + 97);
    assert_in_range(below, 1000 - 112, 1000 + 112);
    free_all(p);
}

/* Draw i depends on nothing but (sampler seed, axis, i). */
TEST(test_random_stability)
{
    struct plan *few = plan_of(DRAWS "samples: 10\n"), *many = plan_of(DRAWS "samples: 500\n");
    struct plan *reordered =
        plan_of("train: {weight_decay: {max: 0.75, min: 0.5},\n"
                "        lr: {distribution: log_uniform_values, max: 0.01, min: 0.0001}}\n"
                "model: {d_ff: {max: 13, min: 10}, heads: [1, 2, 4]}\n" GATHER
                "samples: 10\nsampler_seed: 3\nmethod: random\n");
    struct plan *other = plan_of("name: x\n" DRAWS "samples: 10\nretries: 1\n");
    char json[POINT_JSON_MAX], a[65], b[65];
    for (long i = 0; i < 10; i++) {
        plan_identity(few, i, json, a);
        plan_identity(many, i, json, b);
        assert_string_equal(a, b);
        plan_identity(reordered, i, json, b);
        assert_string_equal(a, b);
        plan_identity(other, i, json, b);
        assert_string_equal(a, b);
    }
    free_all(few);
    free_all(many);
    free_all(reordered);
    free_all(other);
}

/* W&B's way to write what is fixed. */
TEST(test_value)
{
    struct plan *p =
        plan_of("task: {name: {value: gather}, length: {value: 8}}\n"
                "model: {heads: {value: 2}}\ntrain: {schedule: {name: {value: cosine}}}\n");
    struct plan *q = plan_of("task: {name: gather, length: 8}\nmodel: {heads: 2}\n"
                             "train: {schedule: {name: cosine}}\n");
    char json[POINT_JSON_MAX], a[65], b[65];
    assert_int_equal(plan_points(p), 1);
    plan_identity(p, 0, json, a);
    plan_identity(q, 0, json, b);
    assert_string_equal(a, b);
    free_all(p);
    free_all(q);
}

TEST(test_random_ranges)
{
    /* Wider than 32 bits, and whole numbers for a real option. */
    struct plan *p = plan_of(GATHER "method: random\nsamples: 50\n"
                                    "train: {steps: {min: 1, max: 1000000000},\n"
                                    "        clip: {min: 3, max: 5, distribution: int_uniform},\n"
                                    "        eval_every: {min: 1, max: 2}}\n");
    int64_t most = 0;
    for (long i = 0; i < plan_points(p); i++) {
        struct point point;
        plan_point(p, i, &point);
        assert_in_range(point.train.steps, 1, 1000000000);
        assert_true(point.train.clip == 3 || point.train.clip == 4 || point.train.clip == 5);
        most = point.train.steps > most ? point.train.steps : most;
    }
    assert_true(most > 900000000);
    free_all(p);
    p = plan_of("task: {name: {values: [gather, gather, sort]}}\n");
    assert_int_equal(plan_points(p), 2);
    free_all(p);
}

TEST(test_random_duplicates)
{
    long constraint, exclude, duplicate;
    struct plan *p = plan_of(GATHER "method: random\nsamples: 100\n"
                                    "model: {heads: [1, 2, 4], norm: [pre, post]}\n"
                                    "exclude: [{model.heads: 4, model.norm: pre}]\n");
    assert_int_equal(plan_points(p), 5);
    assert_int_equal(plan_dropped(p, &constraint, &exclude, &duplicate), 295);
    assert_true(exclude > 0);
    assert_int_equal(exclude + duplicate, 295);
    for (long i = 0; i < 5; i++) {
        for (long k = 0; k < i; k++) {
            char json[POINT_JSON_MAX], a[65], b[65];
            plan_identity(p, i, json, a);
            plan_identity(p, k, json, b);
            assert_string_not_equal(a, b);
        }
    }
    free_all(p);
}
