/* A run that is told to do a shard claims the trials of that shard and no others. */
#include "store_help.h"

#include "sweep/db/lock.h"

#define FOUR SWEEP("[1, 2]", "seeds: 4\n")

static int64_t plan_shard_into(struct fixture *x, struct store *s, const char *yaml, int number,
                               int of)
{
    struct plan_changes changes;
    struct planned p = plan_of(x, yaml);
    assert_ok(plan_set_shard(p.plan, (struct plan_shard){number, of}, &x->m));
    assert_ok(store_plan(s, p.plan, false, &changes, &x->m));
    free_plan(x, p);
    return changes.sweep_id;
}

/* Claims and completes all that there are; how many. */
static int work(struct fixture *x, struct store *s, int64_t sweep)
{
    int64_t build = add_build(x, s);
    for (int n = 0;; n++) {
        struct claimed c = claim(x, s, sweep, build);
        if (!c.trial_id)
            return n;
        assert_true(finish(x, s, &c, result_of(0.5)));
    }
}

/* What their JSON is, is asked of assert_shards. */
static struct shards shards_of(struct fixture *x, struct store *s, int64_t sweep)
{
    struct shards shards;
    assert_ok(store_shards(s, sweep, false, &shards, &x->m));
    shards_free(&shards);
    return shards;
}

static void assert_shards(struct fixture *x, struct store *s, int64_t sweep, bool own,
                          const char *unfinished, const char *json)
{
    struct shards shards;
    assert_ok(store_shards(s, sweep, own, &shards, &x->m));
    assert_string_equal(shards.unfinished, unfinished);
    assert_string_equal(shards.json.text, json);
    shards_free(&shards);
}

FIXTURE(set_up, tear_down)

TEST(a_shard_is_claimed_alone)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct counts c;
    int64_t sweep = plan_shard_into(x, s, FOUR, 2, 4);
    assert_int_equal(work(x, s, sweep), 2);
    assert_answer(store_db(s), "SELECT shards FROM sweep", "{\"of\":4,\"here\":[2]}");
    assert_ok(store_counts(s, sweep, &c, &x->m));
    assert_int_equal(c.trials[TRIAL_COMPLETED], 2);
    assert_int_equal(c.trials[TRIAL_QUEUED], 0);
    assert_int_equal(c.elsewhere, 6);
    assert_answer(store_db(s),
                  "SELECT planned || ' ' || queued || ' ' || completed || ' ' ||"
                  " elsewhere FROM progress",
                  "2 0 2 6");
    struct head_counts *heads;
    int n;
    assert_ok(store_head_counts(s, sweep, &heads, &n, &x->m));
    assert_int_equal(n, 2);
    assert_int_equal(heads[0].planned, 1);
    assert_int_equal(heads[1].ended, 1);
    free(heads);
}

/* Another shard of the same plan beside it, another cut, another plan, and all of it. */
TEST(shards_one_after_the_other)
{
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    struct shards shards;
    int64_t sweep = plan_shard_into(x, s, FOUR, 2, 4);
    work(x, s, sweep);
    plan_shard_into(x, s, FOUR, 4, 4);
    assert_int_equal(work(x, s, sweep), 2);
    assert_answer(db, "SELECT shards FROM sweep", "{\"of\":4,\"here\":[2,4]}");
    shards = shards_of(x, s, sweep);
    assert_int_equal(shards.of, 4);
    assert_string_equal(shards.missing, "1 and 3");
    plan_shard_into(x, s, FOUR, 9, 30);
    assert_answer(db, "SELECT shards FROM sweep", "{\"of\":30,\"here\":[9]}");
    shards = shards_of(x, s, sweep);
    assert_string_equal(shards.missing, "1 to 8 and 10 to 30");
    for (int i = 1; i <= 2; i++)
        plan_shard_into(x, s, FOUR, i, 2);
    shards = shards_of(x, s, sweep);
    assert_int_equal(shards.of, 2);
    assert_string_equal(shards.missing, "");
    plan_shard_into(x, s, SWEEP("[1, 2]", "seeds: 5\n"), 1, 30);
    assert_answer(db, "SELECT shards FROM sweep", "{\"of\":30,\"here\":[1]}");
    plan_into(x, s, FOUR);
    assert_answer(db, "SELECT shards FROM sweep", "NULL");
    assert_answer(db, "SELECT count(*) FROM trial WHERE NOT in_shard", "0");
    shards = shards_of(x, s, sweep);
    assert_int_equal(shards.of, 0);
    assert_int_equal(work(x, s, sweep), 4);
}

/* The head count of a shard is chosen for and judged within it. */
TEST(a_shard_under_tune)
{
    struct store *s = open_store(x, STORE_WRITE);
    int64_t sweep =
        plan_shard_into(x, s,
                        "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                        "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                        "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"
                        "tune: {axes: [train.lr], seeds: 2}\nseeds: 3\n",
                        2, 2);
    assert_int_equal(work(x, s, sweep), 2 * 2 + 3);
    assert_answer(store_db(s),
                  "SELECT group_concat(DISTINCT heads || state || choice) FROM trials"
                  " WHERE in_shard",
                  "2completedchosen,2not_neededeliminated");
    assert_answer(store_db(s),
                  "SELECT group_concat(DISTINCT heads || state || attempt) FROM trials"
                  " WHERE NOT in_shard",
                  "1queued0");
}

/* What was begun and left for another shard is not forgotten. */
TEST(a_shard_that_was_left)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct shards shards;
    int64_t sweep = plan_shard_into(x, s, FOUR, 1, 4), build = add_build(x, s);
    struct claimed c = claim(x, s, sweep, build);
    assert_true(finish(x, s, &c, result_of(0.5)));
    shards = shards_of(x, s, sweep);
    assert_string_equal(shards.unfinished, ""); /* all of them are the run's own */
    plan_shard_into(x, s, FOUR, 3, 4);
    shards = shards_of(x, s, sweep);
    assert_int_equal(shards.of, 4);
    assert_string_equal(shards.missing, "2 and 4");
    assert_string_equal(shards.unfinished, "shards 1 (1 trial left) and 3 (2 trials left)");
    work(x, s, sweep);
    shards = shards_of(x, s, sweep);
    assert_string_equal(shards.unfinished, "shard 1 (1 trial left)");
    plan_shard_into(x, s, FOUR, 1, 4);
    work(x, s, sweep);
    shards = shards_of(x, s, sweep);
    assert_string_equal(shards.unfinished, "");
}

/* While a run is at work, its shard is none of those that were left. */
TEST(a_shard_at_work)
{
    static const char both[] = "shards 1 (1 trial left) and 3 (2 trials left)",
                      both_json[] = "[{\"shard\":1,\"trials\":1},{\"shard\":3,\"trials\":2}]";
    struct store *s = open_store(x, STORE_WRITE);
    int lock;
    int64_t sweep = plan_shard_into(x, s, FOUR, 1, 4), build = add_build(x, s);
    struct claimed c = claim(x, s, sweep, build);
    assert_true(finish(x, s, &c, result_of(0.5)));
    plan_shard_into(x, s, FOUR, 3, 4);
    assert_ok(lock_take(x->db, &lock, &x->m));
    assert_shards(x, s, sweep, false, both, both_json); /* another sweep's run */
    claim(x, s, sweep, build);
    assert_shards(x, s, sweep, false, "shard 1 (1 trial left)", "[{\"shard\":1,\"trials\":1}]");
    assert_shards(x, s, sweep, true, both, both_json); /* no run */
    lock_release(lock);
    assert_shards(x, s, sweep, false, both, both_json); /* it was killed */
}

/* The trials of shards `from` to `of` are left, as the plan deals them out. */
static void assert_left(struct fixture *x, struct store *s, int64_t sweep, const char *yaml,
                        int from, int of)
{
    struct shards shards;
    char expected[sizeof shards.unfinished] = "";
    size_t used = 0, last = 0;
    for (int i = from; i <= of; i++) {
        struct planned p = plan_of(x, yaml);
        assert_ok(plan_set_shard(p.plan, (struct plan_shard){i, of}, &x->m));
        long n = plan_shard_trials(p.plan);
        if (n > 0) {
            last = used;
            used +=
                (size_t)snprintf(expected + used, sizeof expected - used, "%s%d (%ld trial%s left)",
                                 used ? ", " : "shards ", i, n, n == 1 ? "" : "s");
        }
        free_plan(x, p);
    }
    char rest[sizeof expected];
    snprintf(rest, sizeof rest, "%s", expected + last);
    if (last > 0)
        snprintf(expected + last, sizeof expected - last, " and%s", rest + strlen(","));
    else if (used > 0)
        snprintf(expected, sizeof expected, "shard%s", rest + strlen("shards"));
    shards = shards_of(x, s, sweep);
    assert_string_equal(shards.unfinished, expected);
}

/* The file finds the shard of a trial as the plan does. */
TEST(shards_are_known_again)
{
    static const char *const sweeps[] = {
        SWEEP("[1, 2]", "seeds: 5\n"), SWEEP("[1, 2, 4]", "seeds: 4\n"),
        "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: [1, 2]}\n"
        "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"
        "tune: {axes: [train.lr], seeds: 2}\nseeds: 3\n"};
    struct store *s = open_store(x, STORE_WRITE);
    for (size_t k = 0; k < sizeof sweeps / sizeof *sweeps; k++)
        for (int of = 2; of <= 6; of++) {
            int64_t sweep = 0;
            struct plan_changes changes;
            struct planned p = plan_of(x, sweeps[k]);
            assert_ok(store_plan(s, p.plan, true, &changes, &x->m));
            free_plan(x, p);
            run_sql(store_db(s), "UPDATE trial SET state = 'queued'");
            for (int i = 1; i <= of; i++)
                sweep = plan_shard_into(x, s, sweeps[k], i, of);
            for (int i = 1; i <= of; i++) {
                assert_left(x, s, sweep, sweeps[k], i, of);
                plan_shard_into(x, s, sweeps[k], i, of);
                run_sql(store_db(s), "UPDATE trial SET state = 'failed' WHERE in_shard");
            }
        }
}

/* Failed trials of other shards wait for a run that does them. */
TEST(retries_stay_in_the_shard)
{
    struct store *s = open_store(x, STORE_WRITE);
    long count;
    int64_t sweep = plan_shard_into(x, s, FOUR, 1, 2);
    run_sql(store_db(s), "UPDATE trial SET state = 'failed'");
    assert_ok(store_retry_failed(s, sweep, &count, &x->m));
    assert_int_equal(count, 4);
}
