/* What `plan` says of trials that are still to run. */
#include "store_help.h"

#include <math.h>

#include "sweep/run/forecast.h"

#define TUNED                                                                                      \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3], eval_every: 50}\n"                            \
    "tune: {axes: [train.lr], seeds: 3}\nseeds: 1\n"

static struct forecast *forecast_of(struct fixture *x, const struct plan *p, struct store *s)
{
    struct forecast *f = NULL;
    assert_ok(forecast_new(p, s, false, &f, &x->m));
    return f;
}

/* Of the settings of a head count one runs in the end: counted by its share as long as it is not
 * known which, then in full. */
static void tuning_counts_what_will_run(void **state)
{
    struct fixture *x = *state;
    struct planned p = plan_of(x, TUNED);
    struct store *s = open_store(x, STORE_WRITE);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_int_equal(f->candidates, 2);
    assert_int_equal(f->count[FORECAST_NEW], 16);
    double one = f->point[0].trial_s;
    assert_true(one > 0 && fabs(f->left_s - 14 * one) < 1e-9 * one);
    forecast_free(f);

    plan_into(x, s, TUNED);
    int64_t build = add_build(x, s);
    struct claimed c[12];
    for (int i = 0; i < 12; i++)
        c[i] = claim(x, s, 1, build);
    for (int i = 0; i < 12; i++)
        if (strstr(c[i].config_json, "\"heads\":1,"))
            assert_true(finish(x, s, &c[i], result_of(0.5)));
    f = forecast_of(x, p.plan, s);
    assert_int_equal(f->count[FORECAST_COMPLETED], 6);
    assert_int_equal(f->count[FORECAST_PRUNED], 1);
    double expected = 0;
    for (long i = 0; i < f->points; i++) /* two of heads 1, of which one was chosen, two of 2 */
        expected += f->point[i].heads == 2 ? 3.5 * f->point[i].trial_s : f->point[i].trial_s / 2;
    assert_true(fabs(f->left_s - expected) < 1e-9 * expected);
    forecast_free(f);
    free_plan(p);
    close_store(x, s);
}

/* What `plan` tells of a sweep of the same name is what `run` does. */
static void a_sweep_of_the_same_name(void **state)
{
    static const struct {
        const char *yaml;
        bool stranger;
    } later[] = {
        {SWEEP("[1, 2]", "seeds: [0, 1]\n"), false},
        {SWEEP("[1, 2]", "seeds: [7]\n"), false}, /* other seeds alone are the same points */
        {SWEEP("[2, 4]", "seeds: [7]\n"), false},
        {SWEEP("[4, 8]", "seeds: [0, 1]\n"), true},
    };
    struct fixture *x = *state;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        struct plan_changes changes;
        snprintf(x->db, sizeof x->db, "%s/%zu.db", x->folder, i);
        struct store *s = open_store(x, STORE_WRITE);
        struct planned p = plan_of(x, later[i].yaml);
        struct forecast *f = forecast_of(x, p.plan, s);
        assert_false(f->other_plan); /* there is no such sweep yet */
        forecast_free(f);
        plan_into(x, s, SWEEP("[1, 2]", "seeds: [0, 1]\n"));
        f = forecast_of(x, p.plan, s);
        assert_int_equal(f->other_plan, later[i].stranger);
        assert_status(later[i].stranger ? STATUS_BAD_INPUT : STATUS_OK,
                      store_plan(s, p.plan, false, &changes, &x->m));
        forecast_free(f);
        free_plan(p);
        close_store(x, s);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(tuning_counts_what_will_run),
        TEST(a_sweep_of_the_same_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
