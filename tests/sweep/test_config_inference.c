/* The keys of a sweep file about what is compared and how sure it is: what they mean when they are
 * good, and that every bad one is refused at its place. */
#include "tests/sweep/config_help.h"

#define TASK "task: {name: gather, instance: [0, 1, 2]}\n"
#define LR   "train: {lr: [1e-3, 1e-2]}\n"

static void test_defaults(void **state)
{
    (void)state;
    struct config *c = config_of("task: {name: gather}\n");
    assert_int_equal(c->seeds, 8);
    assert_int_equal(c->seed[7], 7);
    assert_int_equal(c->looks, 0);
    assert_int_equal(c->replicate, 0);
    assert_true(c->equivalence == 0);
    assert_int_equal(c->rung_eta, 0);
    config_free(c);
}

static void test_good(void **state)
{
    (void)state;
    struct config *c = config_of(TASK "train: {lr: [1e-3, 1e-2], steps: 100, eval_every: 10,"
                                      " batch: [8, 16]}\n"
                                      "looks: [5, 10, 999]\n"
                                      "equivalence: .005\n"
                                      "replicate: [train.batch, task.instance]\n"
                                      "tune: {axes: [train.lr], rungs: {min_steps: 9, eta: 2}}\n");
    assert_int_equal(c->looks, 3);
    assert_int_equal(c->look[0], 5);
    assert_int_equal(c->look[2], 999);
    assert_int_equal(c->seeds, 999);
    assert_int_equal(c->seed[998], 998);
    assert_true(c->equivalence == .005);
    assert_int_equal(c->replicate, 2);
    assert_string_equal(c->replicate_path[0], "train.batch");
    assert_string_equal(c->replicate_path[1], "task.instance");
    assert_int_equal(c->rung_eta, 2);
    assert_int_equal(c->rung_min_steps, 9);
    assert_int_equal(c->tune_seeds, 3);
    config_free(c);
    c = config_of(TASK LR "tune: {axes: [train.lr], rungs: {min_steps: 9}}\n"
                          "metric: {name: val_loss}\nequivalence: 1.5\nreplicate: []\n");
    assert_int_equal(c->rung_eta, 3);
    assert_true(c->equivalence == 1.5);
    assert_int_equal(c->replicate, 0);
    config_free(c);
}

static void test_looks(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {TASK "looks: [5, 10]\nseeds: 10\n",
         "s.yaml:2:1: looks says how many seeds there are, so it cannot stand beside seeds; remove "
         "one of them"},
        {TASK "looks: 5\n", "s.yaml:2:8: looks must be a list, not a single value; write [5]"},
        {TASK "looks: []\n", "s.yaml:2:8: looks lists 0 numbers of seeds; allowed: 2 to 8, as in "
                             "[5, 10, 20] (for a single one write seeds: N)"},
        {TASK "looks: [5]\n", "s.yaml:2:8: looks lists 1 number of seeds; allowed: 2 to 8, as in "
                              "[5, 10, 20] (for a single one write seeds: N)"},
        {TASK "looks: [2, 3, 4, 5, 6, 7, 8, 9, 10]\n",
         "s.yaml:2:8: looks lists 9 numbers of seeds; allowed: 2 to 8, as in [5, 10, 20] (for a "
         "single one write seeds: N)"},
        {TASK "looks: [1, 5]\n", "s.yaml:2:9: a look is 1; allowed: 2 to 1000"},
        {TASK "looks: [5, 1001]\n", "s.yaml:2:12: a look is 1001; allowed: 2 to 1000"},
        {TASK "looks: [5, [6]]\n", "s.yaml:2:12: a look must be a single value, not a list"},
        {TASK "looks: [5, 10, 10]\n",
         "s.yaml:2:16: the look 10 comes after 10; looks count all seeds so far, so each must be "
         "larger than the one before"},
        {TASK "looks: [5, 4]\n",
         "s.yaml:2:12: the look 4 comes after 5; looks count all seeds so far, so each must be "
         "larger than the one before"},
    };
    ASSERT_ALL_REFUSED(list);
}

static void test_equivalence(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {TASK "equivalence: 0\n", "s.yaml:2:14: equivalence is 0; allowed: a number above 0 and "
                                  "below 1, as in .005: a difference of accuracies"},
        {TASK "equivalence: -0.1\n",
         "s.yaml:2:14: equivalence is -0.1; allowed: a number above 0 and below 1, as in .005: a "
         "difference of accuracies"},
        {TASK "equivalence: 1\n", "s.yaml:2:14: equivalence is 1; allowed: a number above 0 and "
                                  "below 1, as in .005: a difference of accuracies"},
        {TASK "equivalence: '.005'\n",
         "s.yaml:2:14: equivalence is .005; allowed: a number above 0 and below 1, as in .005: a "
         "difference of accuracies"},
        {TASK "equivalence: .inf\n",
         "s.yaml:2:14: equivalence is .inf; allowed: a number above 0 and below 1, as in .005: a "
         "difference of accuracies"},
        {TASK "equivalence: 0.5%\n",
         "s.yaml:2:14: equivalence is 0.5%; allowed: a number above 0 and below 1, as in .005: a "
         "difference of accuracies"},
        {TASK "metric: {name: val_loss}\nequivalence: 0\n",
         "s.yaml:3:14: equivalence is 0; allowed: a number above 0, in units of the loss"},
        {TASK "equivalence: [.005]\n",
         "s.yaml:2:14: equivalence must be a single value, not a list"},
    };
    ASSERT_ALL_REFUSED(list);
}

static void test_replicate(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {TASK "replicate: task.instance\n",
         "s.yaml:2:12: replicate must be a list, not a single value; write [task.instance]"},
        {TASK "replicate: [[task.instance]]\n",
         "s.yaml:2:13: an axis to replicate over must be a single value, not a list"},
        {TASK "replicate: [task.instanc]\n",
         "s.yaml:2:13: there is no option 'task.instanc' (did you mean task.instance?)"},
        {TASK "replicate: [instance]\n",
         "s.yaml:2:13: there is no option 'instance' (did you mean task.instance?)"},
        {TASK "replicate: [seeds]\n", "s.yaml:2:13: there is no option 'seeds'"},
        {TASK "replicate: [task.instance, task.instance]\n",
         "s.yaml:2:28: task.instance is in the list twice"},
        {TASK "model: {heads: [1, 2]}\nreplicate: [model.heads]\n",
         "s.yaml:3:13: model.heads cannot be replicated: head counts are what is compared"},
        {TASK "model: {norm: [pre, post]}\nreplicate: [model.norm]\n",
         "s.yaml:3:13: model.norm cannot be replicated: its values are no samples of one thing; "
         "name options of task or train, as task.instance"},
        {"task: {name: [gather, recall]}\nreplicate: [task.name]\n",
         "s.yaml:2:13: task.name cannot be replicated: its values are no samples of one thing; "
         "name options of task or train, as task.instance"},
        {TASK LR "tune: [train.lr]\nreplicate: [train.lr]\n",
         "s.yaml:4:13: train.lr is tuned: it cannot be replicated too"},
        {"task: {name: gather}\nreplicate: [task.instance]\n",
         "s.yaml:2:13: task.instance has only one value, so there is nothing to replicate over"},
        {"task: {name: gather, instance: 3}\nreplicate: [task.instance]\n",
         "s.yaml:2:13: task.instance has only one value, so there is nothing to replicate over"},
        {TASK "method: random\nsamples: 4\nreplicate: [task.instance]\n",
         "s.yaml:4:1: replicate needs method: grid: a random draw is tried with one value of each "
         "axis only"},
        {TASK "train: {lr: [1e-3, 1e-2], steps: [50, 100]}\nreplicate: [train.steps]\n"
              "tune: {axes: [train.lr], rungs: {min_steps: 10}}\n",
         "s.yaml:3:13: train.steps cannot be replicated where tune has rungs: candidates would be "
         "compared at different steps"},
    };
    ASSERT_ALL_REFUSED(list);
}

static void test_rungs(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {TASK LR "tune: {axes: [train.lr], rungs: 3}\n",
         "s.yaml:3:33: tune.rungs must be a mapping, not a single value"},
        {TASK LR "tune: {axes: [train.lr], rungs: {eta: 3}}\n",
         "s.yaml:3:33: missing key 'min_steps' under tune.rungs: the steps after which candidates "
         "are compared first"},
        {TASK LR "tune: {axes: [train.lr], rungs: {eta: 1, min_steps: 9}}\n",
         "s.yaml:3:39: tune.rungs.eta is 1; allowed: 2 to 1000"},
        {TASK LR "tune: {axes: [train.lr], rungs: {eta: 2.5, min_steps: 9}}\n",
         "s.yaml:3:39: tune.rungs.eta is 2.5, but must be a whole number, written without point or "
         "exponent; allowed: 2 to 1000"},
        {TASK LR "tune: {axes: [train.lr], rungs: {min_steps: 0}}\n",
         "s.yaml:3:45: tune.rungs.min_steps is 0; allowed: 1 to 1000000000"},
        {TASK LR "tune: {axes: [train.lr], rungs: {min_step: 9}}\n",
         "s.yaml:3:34: unknown key 'min_step' under tune.rungs (did you mean min_steps?)"},
        {TASK LR "tune: {rungs: {min_steps: 9}}\n", "s.yaml:3:7: missing key 'axes' under tune"},
        {TASK LR "tune: {axes: [], rungs: {min_steps: 9}}\n",
         "s.yaml:3:18: tune.rungs has nothing to choose from: no axis is tuned"},
        {TASK "train: {steps: [50, 100]}\n"
              "tune: {axes: [train.steps], rungs: {min_steps: 9}}\n",
         "s.yaml:3:15: train.steps cannot be tuned with rungs: its values would be compared at "
         "different steps"},
        {TASK "train: {eval_every: [5, 10]}\n"
              "tune: {axes: [train.eval_every], rungs: {min_steps: 9}}\n",
         "s.yaml:3:15: train.eval_every cannot be tuned with rungs: its values would be compared "
         "at different steps"},
    };
    ASSERT_ALL_REFUSED(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),  cmocka_unit_test(test_good),
        cmocka_unit_test(test_looks),     cmocka_unit_test(test_equivalence),
        cmocka_unit_test(test_replicate), cmocka_unit_test(test_rungs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
