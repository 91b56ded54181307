/* What the verdict is given, from a results file, where reports of the contract do not show it. */
#include "store_help.h"

#include <math.h>

#include "scope_help.h"
#include "sweep/evidence/evidence.h"
#include "tests/test.h"
#include "tests/unit/task_help.h"

FIXTURE(set_up, tear_down)

/* By task.nearest, whose sequences have from 1 to 14 targets. */
static int64_t targets_of_nearest(struct fixture *x, const char *test_examples)
{
    char text[512];
    snprintf(text, sizeof text,
             "name: ties_%s\ntask: {name: nearest, dims: 4}\n"
             "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
             "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50, test_examples: %s}\n",
             test_examples, test_examples);
    struct run r = start(x, text);
    int64_t targets = 0;
    assert_ok(IN_SCOPE(in, r.s, &x->m,
                       { targets = evidence_read(in, r.sweep)->setting[0].input.test_targets; }));
    close_store(x, r.s);
    return targets;
}

/* Where their number differs from example to example, targets are counted, not those of one. */
TEST(targets_of_sequences_that_differ)
{
    struct setup nearest;
    int32_t inputs[16 * 4], targets[16];
    int64_t counted[2] = {0};
    setup_options(&nearest, "nearest", "dims=4");
    for (uint32_t i = 0; i < 1024; i++) {
        struct rng r = rng_at(0, RNG_TEST, 0, i);
        nearest.task->example(nearest.options, NULL, &r, inputs, targets);
        for (int k = 0; k < 16; k++)
            if (targets[k] != TASK_MASKED) {
                counted[0] += i < 100;
                counted[1]++;
            }
    }
    assert_int_equal(targets_of_nearest(x, "100"), counted[0]);
    assert_true(fabs((double)targets_of_nearest(x, "1024") / (double)counted[1] - 1) < .05);
}

/* As where they were drawn: by the first value in which two differ. */
TEST(settings_by_their_values)
{
    static const char *const sorted[] = {
        "lr=-2, d_ff=8",          "lr=1e-05, d_ff=8",      "lr=0.0001, d_ff=8",
        "lr=0.002, d_ff=9",       "lr=0.002, d_ff=9, b=1", "lr=0.002, d_ff=10",
        "lr=1e+06, d_ff=1, x=ab", "lr=1e+06, d_ff=1, x=b", "lr=1e+06, d_ff=2, x=a"};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++) {
            int order = setting_compare(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}
