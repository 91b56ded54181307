/* What follows a plan that changes, and how sweeps and trials are asked for. What planning adds,
 * keeps and leaves is shown by tests/scenarios/plan* and tune*. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

FIXTURE(set_up, tear_down)

static void count_breach(void *context, const char *broken, const char *row)
{
    int *count = context;
    printf("# %s: %s\n", broken, row);
    ++*count;
}

/* Also those whose members have left the plan in part, and over a row that somebody wrote. */
TEST(ensembles_follow_their_trials)
{
    struct store *s = open_store(x, STORE_WRITE);
    int broken = 0;
    struct claimed c;
    plan_into(x, s, SWEEP("[1]", "seeds: 3\n"));
    for (int64_t build = add_build(x, s); (c = claim(x, s, 1, build)).trial_id;)
        assert_true(finish(x, s, &c, result_of(0.5)));
    run_sql(store_db(s),
            "INSERT INTO ensemble (sweep_id, setting, heads, members, trials, test_acc)"
            " VALUES (1, '{}', 1, 2, '[1,2]', .5), (1, '{\"task.slots\":2}', 1, 2, '[1,2]', .25),"
            " (1, '{}', 1, 2, '[2,3]', .75)");
    plan_into(x, s,
              "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: [2, 3]}\n"
              "model: {d_model: 32, heads: [1], layers: 1, d_ff: 32}\n"
              "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: [0, 2]\n");
    assert_answer(store_db(s),
                  "SELECT group_concat(setting || trials, ' ') FROM (SELECT * FROM ensemble"
                  " ORDER BY trials)",
                  "{\"task.slots\":2}[1,2] {\"task.slots\":2}[2,3]");
    assert_ok(store_check(s, count_breach, &broken, &x->m));
    assert_int_equal(broken, 0);
}

#define OTHER                                                                                      \
    "name: other\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 1\n"

TEST(sweeps_and_trials_by_name)
{
    struct store *s = open_store(x, STORE_WRITE);
    char name[STORE_NAME_SIZE];
    int64_t id;
    assert_status(STATUS_BAD_INPUT, store_sweep(s, NULL, &id, &x->m));
    assert_non_null(strstr(x->m.text, "no sweep yet"));
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    plan_into(x, s, OTHER);
    run_sql(store_db(s),
            "UPDATE sweep SET last_run = '2031-01-01T00:00:00.000Z' WHERE name = 'plain'");
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 1);
    plan_into(x, s, OTHER); /* the clock was set back since */
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 2);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 1);
    assert_ok(store_sweep(s, "other", &id, &x->m));
    assert_int_equal(id, 2);
    assert_status(STATUS_BAD_INPUT, store_sweep(s, "othe", &id, &x->m));
    assert_non_null(strstr(x->m.text, "plain, other"));
    assert_ok(store_sweep_name(s, 2, name, &x->m));
    assert_string_equal(name, "other");
    assert_ok(store_sweep_name(s, 3, name, &x->m));
    assert_string_equal(name, "");
    assert_ok(store_trial(s, "2", &id, &x->m));
    assert_int_equal(id, 2);
    static const char *const wrong[] = {"",    "x", "2x", "-1", " 2", "0", "99999999999999999999",
                                        "9999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_status(STATUS_BAD_INPUT, store_trial(s, wrong[i], &id, &x->m));
    int64_t build = add_build(x, s);
    assert_int_equal(add_build(x, s), build);
}
