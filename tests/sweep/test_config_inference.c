/* The keys of a sweep file about what is compared and how sure it is: what they mean when they are
 * good, and that every bad one is refused at its place. */
#include "tests/sweep/config_help.h"

#define TASK "task: {name: gather, instance: [0, 1, 2]}\n"
#define LR   "train: {lr: [1e-3, 1e-2]}\n"

TEST(test_defaults)
{
    struct config *c = config_of("task: {name: gather}\n");
    assert_int_equal(c->seeds, 8);
    assert_int_equal(c->seed[7], 7);
    assert_int_equal(c->looks, 0);
    assert_int_equal(c->replicate, 0);
    assert_true(c->equivalence == 0);
    assert_int_equal(c->rung_eta, 0);
    config_free(c);
}

TEST(test_good)
{
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

TEST(test_looks)
{
    static const struct refusal list[] = {
        {TASK "looks: [5, 10]\nseeds: 10\n",
         "s.yaml:2:1: looks sets the number of seeds, so it cannot be used with seeds; remove one "
         "of them"},
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

TEST(test_equivalence)
{
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

TEST(test_replicate)
{
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
         "s.yaml:3:13: model.norm cannot be replicated: its values are not samples of one thing; "
         "name options of task or train, such as task.instance"},
        {"task: {name: [gather, recall]}\nreplicate: [task.name]\n",
         "s.yaml:2:13: task.name cannot be replicated: its values are not samples of one thing; "
         "name options of task or train, such as task.instance"},
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
         "s.yaml:3:13: train.steps cannot be replicated where tune has rungs: values would be "
         "compared at different steps"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_rungs)
{
    static const struct refusal list[] = {
        {TASK LR "tune: {axes: [train.lr], rungs: 3}\n",
         "s.yaml:3:33: tune.rungs must be a mapping, not a single value"},
        {TASK LR "tune: {axes: [train.lr], rungs: {eta: 3}}\n",
         "s.yaml:3:33: missing key 'min_steps' under tune.rungs: the steps after which values "
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

/* A key that belongs elsewhere, or is misspelt, is shown its place. */
TEST(test_hints)
{
    static const struct refusal list[] = {
        {TASK "equivalance: .01\n",
         "s.yaml:2:1: unknown key 'equivalance' (did you mean equivalence?)"},
        {TASK "look: [5, 10]\n", "s.yaml:2:1: unknown key 'look' (did you mean looks?)"},
        {TASK "rungs: {min_steps: 9}\n",
         "s.yaml:2:1: unknown key 'rungs' (did you mean tune.rungs?)"},
        {TASK "eta: 3\n", "s.yaml:2:1: unknown key 'eta' (did you mean tune.rungs.eta?)"},
        {TASK "best: 3\n", "s.yaml:2:1: unknown key 'best' (did you mean claim.best?)"},
        {TASK "min_stesp: 9\n",
         "s.yaml:2:1: unknown key 'min_stesp' (did you mean tune.rungs.min_steps?)"},
        {TASK "margin: .01\n", "s.yaml:2:1: unknown key 'margin' (did you mean equivalence?)"},
        {TASK "tune.rungs: 3\n", "s.yaml:2:1: unknown key 'tune.rungs'; write rungs under tune"},
        {TASK "tune.rungs.eta: 3\n",
         "s.yaml:2:1: unknown key 'tune.rungs.eta'; write eta under tune.rungs"},
        {TASK "tune: {rungs.eta: 3}\n",
         "s.yaml:2:8: unknown key 'rungs.eta'; write eta under tune.rungs"},
        {TASK "tune: {axis: [train.lr]}\n",
         "s.yaml:2:8: unknown key 'axis' under tune (did you mean axes?)"},
        {TASK "tune: {axes: [train.lr], rung: {eta: 3}}\n",
         "s.yaml:2:26: unknown key 'rung' under tune (did you mean rungs?)"},
        {TASK "tune: {axes: [train.lr], eta: 3}\n",
         "s.yaml:2:26: unknown key 'eta' under tune (did you mean tune.rungs.eta?)"},
        {TASK "tune: {axes: [train.lr], grace_period: 3}\n",
         "s.yaml:2:26: unknown key 'grace_period' under tune (did you mean tune.rungs.min_steps?)"},
        {TASK "tune: {metod: grid}\n",
         "s.yaml:2:8: unknown key 'metod' under tune (did you mean method?)"},
        {TASK "tune: {method: grid}\n",
         "s.yaml:2:8: unknown key 'method' under tune; move it to the top level, beside tune"},
        {TASK LR "tune: {axes: [train.lr], rungs: {min_steps: 9, seeds: 3}}\n",
         "s.yaml:3:48: unknown key 'seeds' under tune.rungs; move it to the top level, beside "
         "tune"},
        {TASK "metric: {nmae: val_loss}\n",
         "s.yaml:2:10: unknown key 'nmae' under metric (did you mean name?)"},
        {TASK "metric: {equivalence: .1}\n",
         "s.yaml:2:10: unknown key 'equivalence' under metric; move it to the top level, beside "
         "metric"},
        {TASK "limits: {timeout: 3}\n",
         "s.yaml:2:10: unknown key 'timeout' under limits (did you mean limits.time?)"},
        {TASK "limits: {memroy: 3}\n",
         "s.yaml:2:10: unknown key 'memroy' under limits (did you mean memory?)"},
        {TASK "claim: {bset: 3}\n",
         "s.yaml:2:9: unknown key 'bset' under claim (did you mean best?)"},
        {TASK "claim: {layers: 3}\n",
         "s.yaml:2:9: unknown key 'layers' under claim (did you mean model.layers?)"},
    };
    ASSERT_ALL_REFUSED(list);
}

static enum status set(const char *text, const char *const *sets, int count, struct config **c,
                       struct message *m)
{
    return config_parse("s.yaml", text, strlen(text), sets, count, c, m);
}

TEST(test_sets)
{
    static const char text[] = TASK LR "tune: [train.lr]\nlooks: [5, 10]\n";
    static const char *const good[] = {"looks=[2, 3]",     "equivalence=.01",
                                       "tune.seeds=7",     "tune.rungs={min_steps: 8}",
                                       "tune.rungs.eta=5", "replicate=[task.instance]",
                                       "metric.goal=null"};
    struct config *c;
    struct message m;
    if (set(text, good, 7, &c, &m))
        fail_msg("%s", m.text);
    assert_int_equal(c->seeds, 3);
    assert_true(c->equivalence == .01);
    assert_int_equal(c->tune, 1);
    assert_string_equal(c->tune_path[0], "train.lr");
    assert_int_equal(c->tune_seeds, 7);
    assert_int_equal(c->rung_eta, 5);
    assert_int_equal(c->rung_min_steps, 8);
    assert_int_equal(c->replicate, 1);
    config_free(c);
    static const char *const fewer[] = {"looks=null", "tune.rungs.eta=null", "seeds=4"};
    assert_int_equal(set(text, fewer, 3, &c, &m), STATUS_OK);
    assert_int_equal(c->looks, 0);
    assert_int_equal(c->seeds, 4);
    config_free(c);
    static const struct {
        const char *set, *message;
    } list[] = {
        {"seeds=3", "--set seeds: looks says how many seeds there are; remove it too, with "
                    "--set looks=null"},
        {"looks=[5, 5]", "--set looks: the look 5 comes after 5; looks count all seeds so far, so "
                         "each must be larger than the one before"},
        {"tune.rungs.eta=2", "--set tune.rungs.eta: missing key 'min_steps' under tune.rungs: the "
                             "steps after which values are compared first"},
        {"tune.rung.eta=2", "--set tune.rung.eta: unknown key 'rung' under tune (did you mean "
                            "rungs?)"},
        {"limits.tim=2m", "--set limits.tim: unknown key 'tim' under limits (did you mean time?)"},
        {"metric.nam=null",
         "--set metric.nam: unknown key 'nam' under metric (did you mean name?)"},
        {"equivalence=0",
         "--set equivalence: equivalence is 0; allowed: a number above 0 and below "
         "1, as in .005: a difference of accuracies"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        assert_int_equal(set(text, &list[i].set, 1, &c, &m), STATUS_BAD_INPUT);
        assert_string_equal(m.text, list[i].message);
    }
}
