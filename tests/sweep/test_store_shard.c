/* Which shards a results file is told to have left. What a shard runs is shown by
 * tests/scenarios/shards*. */
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
        long n = 0;
        for (long k = 0; k < plan_trials(p.plan); k++)
            n += plan_in_shard(p.plan, k);
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
