/* What the verdict is given, from a results file. */
#include "store_help.h"

#include <math.h>

#include "scope_help.h"
#include "sweep/evidence/evidence.h"
#include "sweep/judge/verdict_text.h"
#include "tests/test.h"
#include "tests/unit/task_help.h"

static struct scope *reading; /* that has what read_it returned */

static struct evidence *read_it(struct fixture *x, struct run *r)
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

static void work(struct fixture *x, struct run *r, int trials)
{
    for (int i = 0; i < trials; i++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        assert_true(finish(x, r->s, &c, result_of(0.5)));
    }
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 + 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

FIXTURE(set_up, tear_down)

/* Five evaluations that rise by .02 per 100 of 1000 steps, after one that does not count. */
TEST(trials_and_their_slopes)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 3\nclaim: {best: 1, over: [2]}\n"
                                            "equivalence: .01\n"));
    work(x, &r, 5);
    bool failed, accepted;
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_ok(store_fail(r.s, c.trial_id, 1, 0,
                         &(struct attempt_end){.exit_code = 78, .limit_hit = true}, &failed,
                         &accepted, &x->m));
    run_sql(r.db, "DELETE FROM curve WHERE trial_id = 1;"
                  "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)"
                  "INSERT INTO curve (trial_id, step, val_acc, val_loss)"
                  " SELECT 1, 50 + 10 * i, iif(i, .3 + .02 * i, .9), 2 - .1 * i FROM n;"
                  "UPDATE trial SET test_exact = .25, test_loss = .75, val_loss = 1.75 WHERE"
                  " trial_id = 1");
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->settings, 1);
    const struct evidence_setting *set = &e->setting[0];
    const struct verdict_input *in = &set->input;
    assert_int_equal(set->count, 2);
    assert_string_equal(set->setting, "{}");
    assert_int_equal(in->planned, 6);
    assert_int_equal(in->steps, 100);
    assert_each(in->has_claim, in->claim_best == 1, in->claim_over[0] == 2);
    assert_int_equal(in->proof.status, PROOF_FIRST);
    assert_each(in->equivalence == .01, !in->loss, !in->replicated, in->looks == 0);
    assert_true(in->chance == .125);
    assert_int_equal(in->test_targets, 16 * 2 * 1024); /* every slot of every position */
    const struct verdict_heads *one = &in->heads[0], *two = &in->heads[1];
    assert_each(one->heads == 1, one->n == 3, one->d_head == 32, !one->shared);
    assert_string_equal(one->lr, "0.001");
    assert_near(one->trial[0].late_slope, .02);
    assert_true(isnan(one->trial[1].late_slope)); /* of two evaluations */
    assert_each(one->trial[0].exact == .25, one->trial[0].test == .5);
    assert_each(two->n == 3, two->trial[2].limited, !two->trial[2].bad);
    assert_int_equal(set->extra[0].completed, 3);
    forget();
    /* As a loss: what falls improves. */
    run_sql(r.db, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize'");
    e = read_it(x, &r);
    assert_true(e->setting[0].input.loss);
    assert_true(e->setting[0].input.heads[0].trial[0].test == .75);
    assert_true(e->setting[0].input.heads[0].trial[0].val == 1.75);
    assert_near(e->setting[0].input.heads[0].trial[0].late_slope, .1);
    forget();
}

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
    work(x, &r, 1);
    struct evidence *e = read_it(x, &r);
    int64_t targets = e->setting[0].input.test_targets;
    forget();
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

static void add_blocks(sqlite3 *db, int trial, const char *losses)
{
    char *sql;
    assert_true(asprintf(&sql,
                         "INSERT INTO block_loss (trial_id, block, loss) SELECT %d, key, value"
                         " FROM json_each('%s')",
                         trial, losses) > 0);
    run_sql(db, sql);
    free(sql);
}

/* A trial without as many blocks as the others has none. */
TEST(blocks_of_text)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 2\nmetric: {name: val_loss}\n"));
    work(x, &r, 4);
    struct evidence *e = read_it(x, &r);
    assert_each(e->setting[0].input.data == VERDICT_TOY, e->setting[0].input.blocks == 0);
    assert_true(e->setting[0].input.guess_loss == 0);
    forget();
    add_blocks(r.db, 1, "[1.5, 2.5]");
    add_blocks(r.db, 2, "[3.5, 4.5]");
    add_blocks(r.db, 3, "[5.5]");
    run_sql(r.db, "UPDATE config SET config_json = json_set(config_json, '$.task.name', 'text',"
                  " '$.task.options', json('{\"mode\":\"lm\",\"entropy\":3.1}'))");
    e = read_it(x, &r);
    const struct verdict_input *in = &e->setting[0].input;
    assert_each(in->data == VERDICT_TEXT, in->blocks == 2, in->guess_loss == 3.1);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < in->heads[h].n; i++) {
            const struct verdict_trial *t = &in->heads[h].trial[i];
            assert_true(t->trial_id <= 2 ? t->block && t->block[1] - t->block[0] == 1 : !t->block);
            assert_true(t->trial_id != 2 || t->block[0] == 3.5);
        }
    forget();
    run_sql(r.db, "UPDATE sweep SET metric = 'val_acc', goal = 'maximize'");
    e = read_it(x, &r);
    assert_each(e->setting[0].input.data == VERDICT_TEXT, e->setting[0].input.blocks == 0);
    forget();
    run_sql(r.db, "UPDATE config SET config_json = json_set(config_json, '$.task.options.mode',"
                  " 'classify')");
    e = read_it(x, &r);
    assert_true(e->setting[0].input.data == VERDICT_ROWS);
    forget();
}

#define INSTANCES                                                                                  \
    "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [3, 5]}\n"        \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nreplicate: [task.instance]\n"

TEST(instances_are_units)
{
    struct run r = start(x, INSTANCES "seeds: 2\n");
    work(x, &r, 8);
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->settings, 1);
    assert_string_equal(e->setting[0].input.replicated, "task.instance");
    const struct verdict_heads *h = &e->setting[0].input.heads[1];
    assert_int_equal(h->n, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(h->trial[i].unit, i / 2);
        assert_int_equal(h->trial[i].seed, i % 2);
    }
    forget();
}

/* Of length 4, a place to look at is one of three. */
TEST(instances_that_draw_the_same_are_one_unit)
{
    struct run r = start(x, "name: plain\n"
                            "task: {name: gather, length: 4, vocab: 8, slots: [1, 2],"
                            " instance: [1, 2, 3, 4, 5, 10, 11, 12]}\n"
                            "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                            "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
                            "seeds: 2\nreplicate: [task.instance]\n");
    work(x, &r, 64);
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->settings, 2);
    const struct verdict_input *one = &e->setting[0].input, *two = &e->setting[1].input;
    assert_each(one->instances == 8, one->different == 3, one->planned == 12);
    assert_string_equal(one->alike, "1 and 12; 2, 4 and 10; 3, 5 and 11");
    for (int i = 0; i < 2; i++)
        assert_int_equal(one->heads[i].n, 6);
    for (int i = 1; i < 6; i++)
        assert_true(one->heads[0].trial[i].unit >= one->heads[0].trial[i - 1].unit);
    /* Elsewhere they draw otherwise: of the same places, in another order. */
    assert_true(two->different > 3);
    assert_int_equal(two->heads[0].n, 2 * two->different);
    struct verdict *v;
    struct verdict_text text;
    assert_ok(verdict_new(one, &v, &x->m));
    assert_int_equal(v->units, 3);
    assert_ok(verdict_text_new(one, v, &text, &x->m));
    bool told = false;
    for (int i = 0; i < text.count; i++)
        told |= strcmp(text.sentence[i].text,
                       "Only 3 of 8 task instances differ; equal ones count once: 1 and 12; 2, 4 "
                       "and 10; 3, 5 and 11.") == 0;
    assert_true(told);
    verdict_text_free(&text);
    verdict_free(v);
    forget();
}

/* Up to the open look, or to the one that decided. */
TEST(trials_of_a_look)
{
    struct run r = start(x, SWEEP("[1, 2]", "looks: [2, 3, 5]\n"));
    struct look_due due;
    work(x, &r, 4);
    struct evidence *e = read_it(x, &r);
    assert_each(e->setting[0].input.looks == 3, e->setting[0].input.look == 1);
    assert_each(e->setting[0].input.planned == 4, e->setting[0].input.heads[0].n == 2);
    forget();
    assert_ok(store_look_due(r.s, r.sweep, &due, &x->m));
    assert_ok(store_look_judged(r.s, r.sweep, &due, "edge", false, &x->m));
    work(x, &r, 1);
    e = read_it(x, &r);
    assert_each(e->setting[0].input.look == 2, e->setting[0].input.planned == 6);
    assert_int_equal(e->setting[0].input.heads[0].n + e->setting[0].input.heads[1].n, 5);
    forget();
    work(x, &r, 1);
    assert_ok(store_look_due(r.s, r.sweep, &due, &x->m));
    assert_ok(store_look_judged(r.s, r.sweep, &due, "middle", true, &x->m));
    e = read_it(x, &r);
    assert_each(e->setting[0].input.look == 2, e->setting[0].input.planned == 6);
    forget();
}

/* At four heads "split" is 8: the same models twice. */
TEST(settings_that_mean_the_same)
{
    struct run r =
        start(x, "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                 "model: {d_model: 32, heads: [2, 4], d_head: [split, 8], layers: 1, d_ff: 32}\n"
                 "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 1\n");
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->settings, 2);
    for (int i = 0; i < 2; i++) {
        assert_null(e->setting[i].input.heads[0].shared);
        assert_string_equal(e->setting[i].input.heads[1].shared, e->setting[1 - i].label);
        assert_int_equal(e->setting[i].input.heads[1].d_head, 8);
    }
    forget();
    close_store(x, r.s);
}

static void assert_values(const struct verdict_input *in, const char *expected)
{
    struct text_buffer text = {0};
    verdict_text_values(in, 0, &text);
    assert_string_equal(text.text, expected);
    free(text.text);
}

static void assert_choice(const struct verdict_input *in, int i, const char *chosen,
                          enum grid_edge edge)
{
    const struct verdict_axis *axis = in->choice[i].axis;
    assert_string_equal(axis->value[axis->chosen].text, chosen);
    assert_int_equal(axis->edge, edge);
}

/* Learning rates that were tried, and the one that each head count chose. */
TEST(rates_under_tune)
{
    static const char yaml[] =
        "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: [1e-2, 1e-3, 3e-3], eval_every: 50}\n"
        "tune: {axes: [train.lr], seeds: 1}\nseeds: 1\n";
    struct run r = start(x, yaml);
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->setting[0].input.choices, 2);
    assert_int_equal(verdict_chosen(&e->setting[0].input), 0);
    assert_values(&e->setting[0].input, "0.001, 0.003 and 0.01");
    assert_null(e->setting[0].input.heads[0].lr);
    assert_each(e->setting[0].input.tuning == 6, e->setting[0].input.tuning_ended == 0);
    forget();
    work(x, &r, 7);
    e = read_it(x, &r);
    assert_int_equal(verdict_chosen(&e->setting[0].input), 2);
    assert_choice(&e->setting[0].input, 0, "0.003", GRID_INNER); /* all equal: the inner one */
    assert_string_equal(e->setting[0].input.heads[0].lr, "0.003");
    assert_int_equal(e->setting[0].input.heads[0].n, 1);
    forget();
    run_sql(r.db, "UPDATE trial SET val_acc = .9 WHERE is_tuning AND tuning LIKE '%0.01%'");
    e = read_it(x, &r);
    assert_choice(&e->setting[0].input, 1, "0.01", GRID_LARGEST);
    assert_true(verdict_at_edge(&e->setting[0].input, 2));
    assert_false(verdict_at_edge(&e->setting[0].input, 4));
    forget();
    run_sql(r.db, "UPDATE trial SET tuning = '{\"train.clip\":1}' WHERE is_tuning AND config_id ="
                  " (SELECT min(config_id) FROM config WHERE heads = 2)");
    assert_status(STATUS_CORRUPT, IN_SCOPE(in, r.s, &x->m, evidence_read(in, r.sweep)));
    assert_non_null(strstr(x->m.text, "trials with 1 and 2 heads tune different axes"));
}

/* exclude can give a head count other values than the others have. */
TEST(a_head_count_has_its_own_values)
{
    static const char yaml[] =
        "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: [1e-4, 1e-3, 1e-2], eval_every: 50}\n"
        "exclude: [{model.heads: 4, train.lr: [1e-2, 1e-3]}]\n"
        "tune: {axes: [train.lr], seeds: 1}\nseeds: 1\n";
    struct run r = start(x, yaml);
    work(x, &r, 7);
    struct evidence *e = read_it(x, &r);
    assert_values(&e->setting[0].input, "0.0001, 0.001 and 0.01 (4 heads: 0.0001 alone)");
    assert_choice(&e->setting[0].input, 1, "0.001", GRID_INNER);
    assert_choice(&e->setting[0].input, 2, "0.0001", GRID_ONLY);
    forget();
}

/* No value lies beyond the end of an option's range, if the end itself is in it; words have no
 * ends. */
TEST(options_end)
{
    static const struct {
        const char *axis, *values, *chosen;
        enum grid_edge edge;
    } cases[] = {
        {"weight_decay", "[0, 0.01, 0.1]", "0", GRID_INNER},
        {"weight_decay", "[0, 0.01, 0.1]", "0.1", GRID_LARGEST},
        {"weight_decay", "[0.001, 0.01, 0.1]", "0.001", GRID_SMALLEST},
        {"weight_decay", "[1, 10, 1000]", "1000", GRID_INNER},
        {"batch", "[1, 8, 64]", "1", GRID_INNER},
        {"batch", "[1, 8, 64]", "64", GRID_LARGEST},
        {"optimizer", "[adam, adamw]", "adamw", GRID_INNER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char yaml[600], sql[300];
        snprintf(yaml, sizeof yaml,
                 "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                 "model: {d_model: 32, heads: [1], layers: 1, d_ff: 32}\n"
                 "train: {steps: 100, lr: 1e-3, eval_every: 50, %s: %s}\n"
                 "tune: {axes: [train.%s], seeds: 1}\nseeds: 1\n",
                 cases[i].axis, cases[i].values, cases[i].axis);
        struct run r = start(x, yaml);
        work(x, &r, strstr(yaml, "adam") ? 2 : 3);
        snprintf(sql, sizeof sql,
                 "UPDATE trial SET val_acc = .9 WHERE is_tuning AND tuning ->> '$.\"train.%s\"' ="
                 " %s%s%s",
                 cases[i].axis, strstr(yaml, "adam") ? "'" : "", cases[i].chosen,
                 strstr(yaml, "adam") ? "'" : "");
        run_sql(r.db, sql);
        struct evidence *e = read_it(x, &r);
        assert_choice(&e->setting[0].input, 0, cases[i].chosen, cases[i].edge);
        forget();
        close_store(x, r.s);
        assert_int_equal(remove(x->db), 0);
    }
}

TEST(what_left_the_plan_is_told)
{
    struct run r = start(x, SWEEP("[1, 2, 4]", "seeds: 2\n"));
    work(x, &r, 6);
    plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 2\n"));
    plan_into(x, r.s, SWEEP("[1, 2]", "seeds: [1, 2]\nclaim: {best: 1, over: [2]}\n"));
    struct evidence *e = read_it(x, &r);
    assert_int_equal(e->outsides, 3);
    assert_each(e->outside[0].heads == 1, e->outside[0].ended == 1);
    assert_each(e->outside[2].heads == 4, e->outside[2].completed == 2);
    assert_near(e->outside[2].mean, .5);
    assert_int_equal(e->changes, 3);
    assert_each(e->change[1].removed == 2, e->change[1].seen == 6, e->change[1].outside == 2);
    assert_string_equal(e->change[2].claim, "{\"best\":1,\"over\":[2]}");
    assert_int_equal(e->setting[0].input.proof.status, PROOF_LATE);
    forget();
    assert_status(STATUS_BAD_INPUT, IN_SCOPE(in, r.s, &x->m, evidence_read(in, 99)));
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
