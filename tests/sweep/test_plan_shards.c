/* Shards of a plan, and every ready sweep (tests/sweep_files/trials.case: the order of trials). */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/sweep/plan_help.h"
#include "tests/test.h"

static long count_own(const struct plan *p)
{
    long own = 0;
    for (long k = 0; k < plan_trials(p); k++)
        own += plan_in_shard(p, k);
    return own;
}

/* Shards are a partition; they differ by one trial at most, or by one group where all trials of a
 * group belong together. */
static void check_shards(const char *text, int of, long group_trials)
{
    struct plan *p = plan_of(text);
    struct message m;
    long sum = 0, least = plan_trials(p), most = 0;
    int *owners = calloc((size_t)plan_trials(p), sizeof *owners);
    assert_non_null(owners);
    for (int number = 1; number <= of; number++) {
        assert_int_equal(plan_set_shard(p, (struct plan_shard){number, of}, &m), STATUS_OK);
        long own = count_own(p);
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
    assert_int_equal(count_own(p), 2 * 2 * (2 + 2));
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
