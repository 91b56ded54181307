/* Trials of at least twice the steps, which a finding is compared with. */
#include "store_help.h"

#include <math.h>

#include "scope_help.h"
#include "sweep/evidence/evidence.h"

#include "tests/test.h"

#define GRID(name, steps, rest)                                                                    \
    "name: " name "\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                       \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: " steps ", batch: 8, eval_every: 50, " rest "\n"
#define PLAIN(name, steps, rest) GRID(name, steps, "lr: 1e-3}\n" rest)

static struct scope *reading; /* that has what read_it returned */

static struct evidence *read_it(struct fixture *x, const struct run *r)
{
    reading = scope_new(r->s, "a test", &x->m);
    if (!scope_enter(reading))
        fail_msg("%s", x->m.text);
    return evidence_read(reading, r->sweep);
}

static void forget(void)
{
    assert_int_equal(scope_end(reading), STATUS_OK);
}

/* Ends so many trials of a sweep, or all that can be claimed. */
static void work(struct fixture *x, const struct run *r, int trials)
{
    for (int i = 0; i < trials; i++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        assert_true(finish(x, r->s, &c, result_of(.001 * (double)c.trial_id)));
    }
}

/* A further sweep of the file, all of whose trials end. */
static struct run add(struct fixture *x, const struct run *r, const char *yaml, int trials)
{
    struct run added = *r;
    plan_into(x, r->s, yaml);
    added.sweep = atoi(ask(r->db, "SELECT max(sweep_id) FROM sweep"));
    work(x, &added, trials);
    return added;
}

static void assert_same(const struct verdict_heads *a, const struct verdict_heads *b)
{
    assert_each(a->heads == b->heads, a->n == b->n);
    for (int i = 0; i < a->n; i++) {
        const struct verdict_trial *s = &a->trial[i], *t = &b->trial[i];
        assert_each(s->trial_id == t->trial_id, s->seed == t->seed, s->test == t->test);
    }
}

FIXTURE(set_up, tear_down)

TEST(a_setting_is_held_against_one_of_at_least_twice_the_steps)
{
    struct run r = start(x, PLAIN("plain", "[100, 199, 200, 400]", "seeds: 2\n"));
    work(x, &r, 16);
    static const int64_t expected[] = {200, 400, 400, 0};
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->settings, 4);
    for (int i = 0; i < 4; i++) {
        const struct verdict_input *in = &e->setting[i].input;
        assert_true(in->decays);
        assert_int_equal(in->longer ? in->longer->steps : 0, expected[i]);
        assert_true(!in->longer || !in->longer->sweep);
    }
    const struct verdict_longer *longer = e->setting[0].input.longer;
    for (int k = 0; k < 2; k++)
        assert_same(&longer->heads[k], &e->setting[2].input.heads[k]);
    forget();
}

TEST(another_sweep_may_have_the_longer_training)
{
    struct run r = start(x, PLAIN("plain", "100", "seeds: [3, 1, 2]\n"));
    work(x, &r, 6);
    add(x, &r, PLAIN("short", "199", "seeds: 3\n"), 6);
    struct evidence *e = read_it(x, &r);
    assert_null(e->setting[0].input.longer);
    forget();
    struct run other = add(x, &r, PLAIN("long", "300", "seeds: 3\n"), 5);
    e = read_it(x, &r);
    const struct verdict_longer *longer = e->setting[0].input.longer;
    assert_non_null(longer);
    assert_each(longer->steps == 300, strcmp(longer->sweep, "long") == 0);
    assert_int_equal(longer->heads[0].n, 2); /* seeds 1 and 2 */
    assert_int_equal(longer->heads[1].n, 1); /* that of seed 2 has not ended */
    assert_int_equal(longer->heads[0].trial[0].seed, 1);
    forget();
    e = read_it(x, &other);
    assert_null(e->setting[0].input.longer);
    forget();
    /* The nearest is taken: of this sweep, and of the fewest steps. */
    add(x, &r, PLAIN("longer", "400", "seeds: 4\n"), 8);
    e = read_it(x, &r);
    assert_int_equal(e->setting[0].input.longer->steps, 300);
    forget();
    run_sql(r.db, "UPDATE trial SET in_plan = 0 WHERE sweep_id = 3");
    e = read_it(x, &r);
    assert_int_equal(e->setting[0].input.longer->steps, 400);
    assert_int_equal(e->setting[0].input.longer->heads[0].n, 3);
    forget();
    run_sql(r.db, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize' WHERE sweep_id = 4");
    e = read_it(x, &r);
    assert_null(e->setting[0].input.longer);
    forget();
}

/* Nothing else may differ. */
TEST(longer_training_counts_only_if_all_else_is_alike)
{
    struct run r = start(x, PLAIN("plain", "100", "seeds: 2\n"));
    work(x, &r, 4);
    add(x, &r, GRID("rate", "200", "lr: 2e-3}\nseeds: 2\n"), 4);
    add(x, &r, GRID("warm", "200", "lr: 1e-3, schedule: {warmup: 5}}\nseeds: 2\n"), 4);
    add(x, &r, PLAIN("others", "200", "seeds: [5, 6]\n"), 4);
    struct evidence *e = read_it(x, &r);
    assert_null(e->setting[0].input.longer);
    forget();
}

/* What each head count chooses for itself may, where the other sweep lets it choose as well. */
TEST(tuned_values_may_differ_in_the_longer_training)
{
    struct run r = start(x, GRID("plain", "100",
                                 "lr: [1e-3, 3e-3], schedule: {name: constant}}\n"
                                 "tune: {axes: [train.lr], seeds: 1}\nseeds: 2\n"));
    work(x, &r, 8);
    add(x, &r, GRID("fixed", "200", "lr: 1e-3, schedule: {name: constant}}\nseeds: 2\n"), 4);
    struct evidence *e = read_it(x, &r);
    assert_each(!e->setting[0].input.longer, !e->setting[0].input.decays);
    forget();
    add(x, &r,
        GRID("tuned", "200",
             "lr: [2e-3, 4e-3, 8e-3], schedule: {name: constant}}\n"
             "tune: {axes: [train.lr], seeds: 1}\nseeds: 2\n"),
        10);
    e = read_it(x, &r);
    const struct verdict_longer *longer = e->setting[0].input.longer;
    assert_non_null(longer);
    assert_each(strcmp(longer->sweep, "tuned") == 0, longer->heads[0].n == 2);
    assert_each(longer->heads[1].n == 2, longer->choices == 2, longer->choice[1].heads == 2);
    assert_each(longer->choice[1].axis[0].values == 3,
                longer->choice[1].axis[0].edge == GRID_LARGEST);
    forget();
    /* As settings of one sweep. */
    struct run both = add(x, &r,
                          GRID("both", "[100, 200]",
                               "lr: [1e-3, 3e-3], schedule: {name: linear}}\n"
                               "tune: {axes: [train.lr], seeds: 1}\n"
                               "seeds: 2\n"),
                          16);
    e = read_it(x, &both);
    longer = e->setting[0].input.longer;
    assert_each(longer->choices == 2, longer->choice == e->setting[1].input.choice);
    assert_true(e->setting[0].input.decays);
    forget();
}

/* Each with the instance of the trial that it is like, and how it ended. */
TEST(longer_trials_keep_their_instance_and_how_they_ended)
{
    struct run r =
        start(x, "name: plain\n"
                 "task: {name: gather, length: 16, vocab: 8, slots: 2, instance: [3, 5]}\n"
                 "model: {d_model: 32, heads: [1], layers: 1, d_ff: 32}\n"
                 "train: {steps: [100, 200], batch: 8, lr: 1e-3, eval_every: 50}\n"
                 "replicate: [task.instance]\nseeds: 2\n");
    work(x, &r, 8);
    run_sql(r.db, "UPDATE trial SET state = 'failed', limit_hit = 1 WHERE setting LIKE '%200%'"
                  " AND replicate LIKE '%5%' AND seed = 1;"
                  "UPDATE trial SET state = 'diverged' WHERE setting LIKE '%200%'"
                  " AND replicate LIKE '%3%' AND seed = 0");
    struct evidence *e = read_it(x, &r);
    const struct verdict_heads *h = &e->setting[0].input.longer->heads[0];
    assert_int_equal(h->n, 4);
    for (int i = 0; i < 4; i++) {
        assert_each(h->trial[i].unit == i / 2, h->trial[i].seed == i % 2);
        assert_each(h->trial[i].bad == (i == 0), h->trial[i].limited == (i == 3));
    }
    forget();
    close_store(x, r.s);
}

/* Losses of blocks, where all have as many. */
TEST(longer_trials_bring_the_losses_of_their_blocks)
{
    struct run r = start(x, PLAIN("plain", "[100, 200]", "metric: {name: val_loss}\nseeds: 2\n"));
    work(x, &r, 8);
    run_sql(r.db, "INSERT INTO block_loss SELECT trial_id, value, trial_id FROM trial,"
                  "  json_each('[0, 1]') WHERE seed = 0 OR setting LIKE '%100%' OR value = 0;"
                  "UPDATE config SET config_json = json_set(config_json, '$.task.name', 'text',"
                  " '$.task.options', json('{\"mode\":\"lm\",\"entropy\":3.1}'))");
    struct evidence *e = read_it(x, &r);
    const struct verdict_longer *longer = e->setting[0].input.longer;
    assert_int_equal(e->setting[0].input.blocks, 2);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            const struct verdict_trial *t = &longer->heads[k].trial[i];
            assert_true(t->seed == 1 ? !t->block : t->block[1] == (double)t->trial_id);
        }
    forget();
}
