/* The trials of a plan: tuning, looks, rungs, replicated axes, and the hash of all pairs. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sweep/plan_help.h"
#include "tests/test.h"

TEST(test_tuning_trials)
{
    struct plan *p = plan_of(GATHER "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 3e-3]}\n"
                                    "seeds: [4, 2]\ntune: {axes: [train.lr], seeds: 3}\n");
    assert_int_equal(plan_points(p), 4);
    assert_int_equal(plan_trials(p), 4 * (3 + 2));
    for (long k = 0; k < 20; k++) {
        struct plan_trial t = plan_trial(p, k);
        assert_int_equal(t.point, k % 4);
        assert_int_equal(t.tuning, k < 12);
        assert_int_equal(t.seed, k < 12 ? 1000 + k / 4 : k < 16 ? 4 : 2);
    }
    free_all(p);
}

TEST(test_looks)
{
    struct plan *p = plan_of(GATHER "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 1e-2]}\n"
                                    "tune: {axes: [train.lr], seeds: 2}\nlooks: [2, 3, 5]\n");
    assert_int_equal(plan_trials(p), 4 * (2 + 5));
    for (long k = 0; k < 28; k++) {
        struct plan_trial t = plan_trial(p, k);
        assert_int_equal(t.tuning, k < 8);
        assert_int_equal(t.look, k < 8 ? 1 : ((int[]){1, 1, 2, 3, 3})[k / 4 - 2]);
    }
    free_all(p);
    p = plan_of(GATHER "seeds: 3\n");
    for (long k = 0; k < 3; k++)
        assert_int_equal(plan_trial(p, k).look, 1);
    free_all(p);
}

static void check_rungs(const char *train, const char *rungs, int n, const int64_t *expected)
{
    char text[512];
    int64_t steps[PLAN_RUNGS_MAX];
    snprintf(text, sizeof text,
             GATHER "train: {lr: [1e-3, 1e-2], %s}\n"
                    "tune: {axes: [train.lr], rungs: {%s}}\n",
             train, rungs);
    struct plan *p = plan_of(text);
    assert_int_equal(plan_rungs(p, 1, steps), n);
    for (int i = 0; i < n; i++)
        assert_int_equal(steps[i], expected[i]);
    free_all(p);
}

TEST(test_rungs)
{
    int64_t steps[PLAN_RUNGS_MAX];
    check_rungs("steps: 1500, eval_every: 50", "min_steps: 150", 3, (int64_t[]){150, 450, 1350});
    check_rungs("steps: 1350, eval_every: 50", "min_steps: 150", 2, (int64_t[]){150, 450});
    check_rungs("steps: 1000, eval_every: 100", "min_steps: 10, eta: 2", 4,
                (int64_t[]){100, 200, 400, 700}); /* 10 .. 80, 160, 320, 640 */
    check_rungs("steps: 1000, eval_every: 300", "min_steps: 500, eta: 9", 1, (int64_t[]){600});
    check_rungs("steps: 1000000000, eval_every: 1", "min_steps: 1, eta: 2", 30,
                (int64_t[]){1,       2,       4,       8,       16,      32,      64,      128,
                            256,     512,     1024,    2048,    4096,    8192,    16384,   1 << 15,
                            1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23,
                            1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29});
    struct plan *p = plan_of(GATHER "seeds: 3\n");
    assert_int_equal(plan_rungs(p, 0, steps), 0);
    free_all(p);
}

TEST(test_rungs_refused)
{
    static const struct refusal list[] = {
        {GATHER "train: {lr: [1e-3, 1e-2], steps: [100, 200], eval_every: 50}\n"
                "tune: {axes: [train.lr], rungs: {min_steps: 60}}\n",
         "s.yaml:3:45: tune.rungs.min_steps is 60, but a trial of 100 steps with train.eval_every "
         "50 has no evaluation between that step and its last; make min_steps or "
         "train.eval_every smaller"},
        {GATHER "train: {lr: [1e-3, 1e-2], steps: 100, eval_every: 10}\n"
                "tune: {axes: [train.lr], rungs: {min_steps: 100}}\n",
         "s.yaml:3:45: tune.rungs.min_steps is 100, but a trial of 100 steps with train.eval_every "
         "10 has no evaluation between that step and its last; make min_steps or "
         "train.eval_every smaller"},
        {GATHER "train: {lr: [1e-3, 0.001]}\ntune: {axes: [train.lr], rungs: {min_steps: 100}}\n",
         "s.yaml:3:15: tune.rungs has nothing to choose from: each head count has one value of the "
         "tuned axes; list more, or leave rungs out"},
        {GATHER "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 1e-2]}\n"
                "exclude: [{model.heads: 1, train.lr: 1e-3}, {model.heads: 2, train.lr: 1e-2}]\n"
                "tune: {axes: [train.lr], rungs: {min_steps: 100}}\n",
         "s.yaml:5:15: tune.rungs has nothing to choose from: each head count has one value of the "
         "tuned axes; list more, or leave rungs out"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_candidates)
{
    struct plan *p =
        plan_of(GATHER "model: {heads: [1, 2], norm: [pre, post]}\n"
                       "train: {lr: [1e-3, 1e-2, 1e-1], batch: [8, 16]}\n"
                       "tune: [train.lr]\nreplicate: [train.batch]\n"
                       "exclude: [{model.heads: 1, train.lr: 1e-3, model.norm: pre}]\n");
    struct point point;
    assert_int_equal(plan_points(p), 22);
    for (long i = 0; i < 22; i++) {
        plan_point(p, i, &point);
        bool fewer = point.model.heads == 1 && point.model.norm == NORM_PRE;
        assert_int_equal(plan_candidates(p, i), fewer ? 2 : 3);
    }
    free_all(p);
    p = plan_of(GATHER "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 1e-2]}\n");
    assert_int_equal(plan_candidates(p, 3), 1);
    free_all(p);
}

TEST(test_replicate_refused)
{
    static const struct refusal list[] = {
        {"task: {name: gather, vocab: [16, 8]}\nreplicate: [task.vocab]\n",
         "s.yaml:2:13: replicates must be equally hard to guess, but chance accuracy is 0.125 at "
         "{\"task.vocab\":8} and 0.0625 at another value; list values of equal chance accuracy"},
        {"task: {name: gather, instance: [7, 7]}\nreplicate: [task.instance]\n",
         "s.yaml:2:13: task.instance has only one value, so there is nothing to replicate over"},
    };
    ASSERT_ALL_REFUSED(list);
    free_all(plan_of("task: {name: gather, vocab: [16, 8], instance: [1, 2]}\n"
                     "replicate: [task.instance]\n"));
}

TEST(test_replicate)
{
    struct plan_text name;
    struct plan *p = plan_of("task: {name: gather, instance: [3, 4], slots: [1, 2]}\n"
                             "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 1e-2], batch: [8, 16]}\n"
                             "tune: [train.lr]\nreplicate: [train.batch, task.instance]\n");
    assert_int_equal(plan_points(p), 32);
    plan_text(p, 31, &name);
    assert_string_equal(name.setting, "{\"task.slots\":2}");
    assert_string_equal(name.label, "slots=2");
    assert_string_equal(name.tuning, "{\"train.lr\":0.01}");
    assert_string_equal(name.replicate, "{\"task.instance\":4,\"train.batch\":16}");
    free_all(p);
    p = plan_of(GATHER);
    plan_text(p, 0, &name);
    assert_string_equal(name.replicate, "{}");
    free_all(p);
}

static void check_pairs(bool equal, const char *a, const char *b)
{
    struct plan *p = plan_of(a), *q = plan_of(b);
    char x[65], y[65];
    assert_int_equal(plan_pairs_sha256(p, x, NULL), STATUS_OK);
    assert_int_equal(plan_pairs_sha256(q, y, NULL), STATUS_OK);
    assert_int_equal(strlen(x), 64);
    if ((strcmp(x, y) == 0) != equal)
        fail_msg("pairs should %s:\n%s\n%s", equal ? "be equal" : "differ", a, b);
    free_all(p);
    free_all(q);
}

TEST(test_pairs)
{
    static const char some[] = GATHER "model: {heads: [1, 2], norm: [pre, post]}\nseeds: 3\n";
    check_pairs(true, some, some);
    check_pairs(true, some,
                "name: other\nseeds: [2, 0, 1]\nmodel: {norm: [post, pre], heads: [2, 1]}\n"
                "claim: {best: 1, over: [2]}\nequivalence: .1\nretries: 7\n" GATHER);
    check_pairs(true, some,
                GATHER "model: {heads: [1, 2, 3], norm: [pre, post]}\n"
                       "seeds: 3\nconstraints: [model.heads < 3]\n");
    check_pairs(false, some, GATHER "model: {heads: [1, 2], norm: [pre, post]}\nseeds: 4\n");
    check_pairs(false, some,
                GATHER "model: {heads: [1, 2], norm: [pre, post]}\nseeds: [0, 1, 3]\n");
    check_pairs(false, some, GATHER "model: {heads: [1, 4], norm: [pre, post]}\nseeds: 3\n");
    check_pairs(false, some, GATHER "model: {heads: [1], norm: [pre, post]}\nseeds: 3\n");
    check_pairs(false, some,
                GATHER "model: {heads: [1, 2], norm: [pre, post]}\nseeds: 3\n"
                       "tune: [model.norm]\n");
    check_pairs(true, GATHER "looks: [2, 3]\n", GATHER "seeds: 3\n");
    check_pairs(false, GATHER "seeds: [1, 112]\n", GATHER "seeds: [11, 12]\n");
}

/* ---- shards ---- */

/* Shards are a partition; they differ by one trial at most, or by one group where all trials of a
 * group belong together. */
static void check_shards(const char *text, int of, long group_trials)
{
    struct plan *p = plan_of(text);
    struct message m;
    long sum = 0, least = plan_trials(p), most = 0;
    int *owners = calloc((size_t)plan_trials(p), sizeof *owners);
    assert_non_null(owners);
    assert_int_equal(plan_shard_trials(p), plan_trials(p));
    for (int number = 1; number <= of; number++) {
        assert_int_equal(plan_set_shard(p, (struct plan_shard){number, of}, &m), STATUS_OK);
        long own = plan_shard_trials(p);
        sum += own;
        least = own < least ? own : least;
        most = own > most ? own : most;
        for (long k = 0; k < plan_trials(p); k++)
            owners[k] += plan_in_shard(p, k);
    }
    assert_int_equal(sum, plan_trials(p));
    for (long k = 0; k < plan_trials(p); k++)
        assert_int_equal(owners[k], 1);
    if (most - least > group_trials)
        fail_msg("%d shards of %ld to %ld trials", of, least, most);
    free(owners);
    free_all(p);
}

TEST(test_shards)
{
    for (int of = 1; of < 40; of++) {
        check_shards(GATHER "model: {heads: [1, 2, 4]}\nseeds: 9\n", of, 1);
        check_shards(GATHER "model: {heads: [1, 2, 4, 8, 16, 32]}\nseeds: 4\n", of, 1);
        check_shards(GATHER "model: {heads: [1, 2, 4, 8]}\ntrain: {lr: [1e-3, 1e-2, 1e-1]}\n"
                            "tune: {axes: [train.lr], seeds: 2}\nseeds: 5\n",
                     of, 3 * (2 + 5));
    }
}

/* Every shard meets every head count where it has as many trials. */
TEST(test_shards_mix)
{
    struct plan *p = plan_of(GATHER "model: {heads: [1, 2, 4, 8]}\nseeds: 8\n");
    struct message m;
    for (int number = 1; number <= 4; number++) {
        int met[4] = {0};
        assert_int_equal(plan_set_shard(p, (struct plan_shard){number, 4}, &m), STATUS_OK);
        for (long k = 0; k < plan_trials(p); k++)
            met[plan_trial(p, k).point] += plan_in_shard(p, k);
        for (int i = 0; i < 4; i++)
            assert_int_equal(met[i], 2);
    }
    free_all(p);
}

/* Under tune a head count of a setting is chosen for within one shard, replicates and all. */
TEST(test_shards_under_tune)
{
    struct plan *p =
        plan_of("task: {name: gather, slots: 2, instance: [0, 1]}\n"
                "model: {heads: [1, 2, 4], norm: [pre, post]}\ntrain: {lr: [1e-3, 1e-2]}\n"
                "replicate: [task.instance]\n"
                "tune: {axes: [train.lr], seeds: 2}\nseeds: 2\n");
    struct message m;
    struct plan_text text;
    char first[PLAN_TEXT_MAX] = "";
    int64_t heads = 0;
    assert_int_equal(plan_set_shard(p, (struct plan_shard){5, 6}, &m), STATUS_OK);
    assert_int_equal(plan_shard_trials(p), 2 * 2 * (2 + 2));
    for (long k = 0; k < plan_trials(p); k++) {
        struct point point;
        long i = plan_trial(p, k).point;
        if (!plan_in_shard(p, k))
            continue;
        plan_text(p, i, &text);
        plan_point(p, i, &point);
        if (!heads) {
            heads = point.model.heads;
            memcpy(first, text.setting, sizeof first);
        }
        assert_int_equal(point.model.heads, heads);
        assert_string_equal(text.setting, first);
    }
    assert_int_not_equal(heads, 0);
    free_all(p);
}

TEST(test_shards_read)
{
    static const char *const wrong[] = {"",
                                        "3",
                                        "/",
                                        "1/",
                                        "/2",
                                        "0/2",
                                        "3/2",
                                        "1/2 ",
                                        "+1/2",
                                        "-1/2",
                                        "1/2/3",
                                        "1.0/2",
                                        "1/0",
                                        "a/b",
                                        " 1/2",
                                        "1/1000001",
                                        "99999999999/99999999999999"};
    struct plan_shard shard = {7, 9};
    struct message m;
    assert_int_equal(plan_shard_read("2/8", &shard, &m), STATUS_OK);
    assert_each(shard.number == 2, shard.of == 8);
    assert_int_equal(plan_shard_read("1000000/1000000", &shard, &m), STATUS_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (plan_shard_read(wrong[i], &shard, &m) != STATUS_BAD_INPUT)
            fail_msg("taken: '%s'", wrong[i]);
    assert_int_equal(shard.of, 1000000);
    struct plan *p = plan_of(GATHER "looks: [2, 3]\n");
    assert_int_equal(plan_set_shard(p, (struct plan_shard){1, 2}, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "s.yaml: a sweep with `looks` cannot be cut into shards"));
    assert_int_equal(plan_shard(p).of, 0);
    free_all(p);
}

/* Sweeps over a file of the user's own are planned over one of these. */
static const char *file_for(const char *path)
{
    static const char *const given[][2] = {
        {" classify places ", "task.file=tests/data/text/rows.csv"},
        {" corpora ", "task.file=[sweep/README.md, configs/README.md]"},
        {" depth-text head-width kv-text prose prune-text shape text width ",
         "task.file=sweep/README.md"}};
    char name[64];
    path += strlen("configs/");
    snprintf(name, sizeof name, " %.*s ", (int)strcspn(path, "."), path);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (strstr(given[i][0], name))
            return given[i][1];
    return NULL;
}

/* Every ready sweep asks a question and plans. */
TEST(test_ready_sweeps)
{
    glob_t found;
    assert_int_equal(glob("configs/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct config *c;
        struct plan *p;
        struct message m;
        char path[64];
        const char *file = file_for(found.gl_pathv[i]);
        if (config_read(found.gl_pathv[i], &file, file != NULL, &c, &m) ||
            plan_new(c, NULL, 0, &p, &m))
            fail_msg("%s", m.text);
        snprintf(path, sizeof path, "configs/%s.yaml", c->name);
        assert_string_equal(path, found.gl_pathv[i]);
        assert_true(strchr(c->question, '?') != NULL);
        assert_true(plan_points(p) >= 3);
        assert_true(plan_trials(p) >= 2 * plan_points(p) || plan_replicates(p) >= 2);
        free_all(p);
    }
    globfree(&found);
}
