/* Every stage of a sweep's life in the file meets trouble at each of its statements, system calls
 * and allocations. A stage that fails says so and has changed nothing; tried again it succeeds; and
 * in the end the file holds what it holds without trouble. */
#include "store_troubles.h"

#include "engine/base/sha256.h"

/* ---- what the file holds ---- */

struct content {
    char hash[65];
};

static void add_rows(struct sha256 *h, sqlite3 *db, const char *table, bool times)
{
    char sql[80];
    sqlite3_stmt *rows = NULL;
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(rows) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            const char *name = sqlite3_column_name(rows, i);
            bool time = strstr(" created last_run changed started ended deleted ", name) != NULL;
            const char *text = (const char *)sqlite3_column_text(rows, i);
            text = !text ? "NULL" : time && !times ? "then" : text;
            sha256_update(h, text, strlen(text) + 1);
        }
    }
    assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
}

static struct content content_of(sqlite3 *db, bool times)
{
    static const char tables[] = "SELECT name FROM sqlite_schema WHERE type = 'table'"
                                 " AND name NOT IN ('results_file', 't_quantile') ORDER BY name";
    sqlite3_stmt *names = NULL;
    struct content c;
    struct sha256 h;
    sha256_init(&h);
    assert_int_equal(sqlite3_prepare_v2(db, tables, -1, &names, NULL), SQLITE_OK);
    while (sqlite3_step(names) == SQLITE_ROW)
        add_rows(&h, db, (const char *)sqlite3_column_text(names, 0), times);
    assert_int_equal(sqlite3_finalize(names), SQLITE_OK);
    sha256_final(&h, c.hash);
    return c;
}

/* ---- stages ---- */

struct world {
    struct fixture *x;
    struct store *s; /* NULL: closed */
    struct planned first, second;
    struct claimed claimed[16];
    int claims;
    int64_t build;
};

#define TUNED(heads, claim)                                                                        \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: " heads ", layers: 1, d_ff: 32}\n"                                \
    "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3], eval_every: 50}\n"                            \
    "tune: {axes: [train.lr], seeds: 1}\nseeds: 1\nclaim: {best: 2, over: [" claim "]}\n"

static const struct attempt_end END = {.exit_code = 1, .cpu_s = 2, .error = "words", .step = 50};

static enum status open_it(struct world *w)
{
    return store_open(w->x->db, STORE_WRITE, &w->s, &w->x->m);
}

static enum status open_and_close(struct world *w, enum store_mode mode)
{
    enum status status = STATUS_OK;
    if (w->s) {
        status = store_close(w->s, &w->x->m);
        w->s = NULL;
    }
    if (status == STATUS_OK)
        status = store_open(w->x->db, mode, &w->s, &w->x->m);
    if (status == STATUS_OK) {
        status = store_close(w->s, &w->x->m);
        w->s = NULL;
    }
    return status;
}

static enum status open_and_close_to_write(struct world *w)
{
    return open_and_close(w, STORE_WRITE);
}

static enum status open_and_close_to_read(struct world *w)
{
    return open_and_close(w, STORE_READ);
}

static enum status plan_it(struct world *w, const struct plan *p)
{
    struct plan_changes changes;
    return store_plan(w->s, p, false, &changes, &w->x->m);
}

static enum status plan_first(struct world *w)
{
    return plan_it(w, w->first.plan);
}

static enum status plan_second(struct world *w)
{
    return plan_it(w, w->second.plan);
}

static enum status record_build(struct world *w)
{
    struct build_info b = {"0.1.0", "abc", "gcc", "-O2", "OpenBLAS", "Haswell", "avx2", "cpu"};
    return store_build(w->s, &b, &w->build, &w->x->m);
}

static enum status claim_one(struct world *w)
{
    return store_claim(w->s, 1, w->build, NULL, false, &w->claimed[w->claims], &w->x->m);
}

/* The nth tuning trial of so many heads. */
static int64_t trial_of(const struct world *w, int heads, int nth)
{
    char key[20];
    snprintf(key, sizeof key, "\"heads\":%d,", heads);
    for (int i = 0; i < w->claims; i++) {
        if (strstr(w->claimed[i].config_json, key) && nth-- == 0)
            return w->claimed[i].trial_id;
    }
    fail_msg("%d heads have too few trials", heads);
    return 0;
}

static enum status spawn(struct world *w)
{
    return store_spawned(w->s, trial_of(w, 1, 0), 1, 4711, &w->x->m);
}

static enum status draw_curve(struct world *w)
{
    return store_curve(w->s, trial_of(w, 1, 0), 1, "[{\"step\":25,\"lr\":0.5}]", &w->x->m);
}

static enum status note(struct world *w)
{
    return store_add_warning(w->s, trial_of(w, 1, 0), 1, "a note", &w->x->m);
}

static enum status finish_it(struct world *w, int64_t trial)
{
    static const char parts[] = ",\"block_loss\":[1,2],\"label_acc\":[{\"label\":\"a\",\"n\":1,"
                                "\"acc\":1}]}";
    char result[2048];
    bool accepted = true;
    snprintf(result, sizeof result, "%s", result_of(0.5));
    snprintf(strrchr(result, '}'), sizeof parts, "%s", parts);
    enum status status =
        store_finish(w->s, trial, 1, result, "r", RESULT_SHA256, &END, &accepted, &w->x->m);
    assert_int_equal(accepted, status == STATUS_OK);
    return status;
}

static enum status finish_one(struct world *w)
{
    return finish_it(w, trial_of(w, 1, 0));
}

/* The last tuning trial of its head count: with it comes the choice. */
static enum status finish_last(struct world *w)
{
    return finish_it(w, trial_of(w, 1, 1));
}

static enum status finish_other(struct world *w)
{
    return finish_it(w, trial_of(w, 4, 1));
}

static enum status fail_it(struct world *w, int64_t trial, int64_t retries)
{
    bool failed = true, accepted = true;
    enum status status = store_fail(w->s, trial, 1, retries, &END, &failed, &accepted, &w->x->m);
    assert_int_equal(accepted, status == STATUS_OK);
    assert_int_equal(failed, status == STATUS_OK && retries == 0);
    return status;
}

static enum status fail_for_now(struct world *w)
{
    return fail_it(w, trial_of(w, 2, 0), 1);
}

static enum status fail_for_good(struct world *w)
{
    return fail_it(w, trial_of(w, 4, 0), 0);
}

static enum status retry_failed(struct world *w)
{
    long count = 0;
    enum status status = store_retry_failed(w->s, 1, &count, &w->x->m);
    if (status == STATUS_OK)
        assert_int_equal(count, 1);
    return status;
}

static enum status requeue(struct world *w)
{
    bool accepted = true;
    enum status status = store_requeue(w->s, trial_of(w, 2, 1), 1, &END, &accepted, &w->x->m);
    assert_int_equal(accepted, status == STATUS_OK);
    return status;
}

/* Where the answer is that there is none, BAD_INPUT is right and all else is wrong. */
static enum status as_expected(enum status status)
{
    assert_int_not_equal(status, STATUS_OK);
    return status == STATUS_BAD_INPUT ? STATUS_OK : status;
}

static enum status count_progress(struct world *w)
{
    struct counts c;
    enum status status = store_counts(w->s, 1, &c, &w->x->m);
    if (status == STATUS_OK) {
        assert_int_equal(c.trials[TRIAL_COMPLETED], 3);
        assert_int_equal(c.trials[TRIAL_RUNNING], 2);
    }
    return status;
}

static enum status look_for_sweeps(struct world *w)
{
    int64_t id = -1;
    enum status status = store_sweep(w->s, NULL, &id, &w->x->m);
    if (status == STATUS_OK) {
        assert_int_equal(id, 1);
        status = as_expected(store_sweep(w->s, "none", &id, &w->x->m));
    }
    return status;
}

static enum status look_for_trials(struct world *w)
{
    int64_t id = -1;
    enum status status = store_trial(w->s, "3", &id, &w->x->m);
    if (status == STATUS_OK) {
        assert_int_equal(id, 3);
        status = as_expected(store_trial(w->s, "333", &id, &w->x->m));
    }
    return status;
}

static enum status look_for_running(struct world *w)
{
    struct running list[16];
    int n = -1;
    enum status status = store_running(w->s, list, 16, &n, &w->x->m);
    if (status == STATUS_OK)
        assert_int_equal(n, 2);
    return status;
}

static enum status rename_it(struct world *w)
{
    return store_rename(w->s, 1, "renamed", &w->x->m);
}

static enum status remark_sweep(struct world *w)
{
    return store_set_sweep_note(w->s, 1, "of a sweep", &w->x->m);
}

static enum status remark_trial(struct world *w)
{
    return store_set_trial_note(w->s, 3, "of a trial", &w->x->m);
}

static enum status delete_it(struct world *w)
{
    return store_delete(w->s, 1, &w->x->m);
}

static const struct stage {
    const char *name;
    enum status (*run)(struct world *);
    enum { OPENS, READS, CHANGES, CLAIMS } how;
} stages[] = {
#define STAGE(f, how)                                                                              \
    {                                                                                              \
#f, f, how                                                                                 \
    }
    STAGE(open_it, OPENS),
    STAGE(plan_first, CHANGES),
    STAGE(plan_second, CHANGES),
    STAGE(plan_second, CHANGES), /* nothing new */
    STAGE(record_build, CHANGES),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(spawn, CHANGES),
    STAGE(draw_curve, CHANGES),
    STAGE(note, CHANGES),
    STAGE(finish_one, CHANGES),
    STAGE(finish_last, CHANGES),
    STAGE(fail_for_now, CHANGES),
    STAGE(finish_other, CHANGES),
    STAGE(fail_for_good, CHANGES),
    STAGE(retry_failed, CHANGES),
    STAGE(requeue, CHANGES),
    STAGE(claim_one, CLAIMS),
    STAGE(claim_one, CLAIMS),
    STAGE(count_progress, READS),
    STAGE(look_for_sweeps, READS),
    STAGE(look_for_trials, READS),
    STAGE(look_for_running, READS),
    STAGE(rename_it, CHANGES),
    STAGE(remark_sweep, CHANGES),
    STAGE(remark_trial, CHANGES),
    STAGE(delete_it, CHANGES),
    STAGE(plan_first, CHANGES), /* its trials have numbers of their own */
    STAGE(open_and_close_to_write, READS),
    STAGE(open_and_close_to_read, READS),
    STAGE(open_it, OPENS),
};

static bool is_of(enum trouble kind, enum status status)
{
    switch (kind) {
    case REFUSED:
        return status == STATUS_INTERNAL;
    case STOPPED:
        return status == STATUS_INTERRUPTED;
    case SYSTEM: /* a page that cannot be read is damage to SQLite */
        return status == STATUS_IO || status == STATUS_CORRUPT;
    case MEMORY:
        return status == STATUS_NO_MEMORY;
    default:
        return false;
    }
}

/* Runs the stage with trouble at its nth occasion; tells whether there was one. */
static bool meet(struct world *w, const struct stage *stage, enum trouble kind, long n,
                 enum status *status)
{
    bool held = w->s;
    struct content before = {{0}}, after = {{0}};
    if (held)
        before = content_of(store_db(w->s), true);
    arm(kind, n);
    *status = stage->run(w);
    bool fired = disarm();
    if (*status != STATUS_OK && !(fired && is_of(kind, *status)))
        fail_msg("%s, trouble %d at %ld: status %d: %s", stage->name, (int)kind, n, (int)*status,
                 w->x->m.text);
    if (*status == STATUS_OK || !held || !w->s)
        return fired;
    after = content_of(store_db(w->s), true);
    if (strcmp(before.hash, after.hash) != 0)
        fail_msg("%s, trouble %d at %ld, has changed something: %s", stage->name, (int)kind, n,
                 w->x->m.text);
    return fired;
}

/* Allocations are many, and so is what creating the file takes. */
static long next(const struct stage *stage, enum trouble kind, long n)
{
    return n + 1 + n / (stage->how == OPENS ? 2 : kind == MEMORY ? 5 : 40);
}

/* As part of a batch that is given up, at every occasion; then alone until it succeeds. */
static void live_through(struct world *w, const struct stage *stage, enum trouble kind)
{
    enum status status;
    bool fired = stage->how >= CHANGES;
    for (long n = 1; fired; n = next(stage, kind, n)) {
        if (store_begin(w->s, &w->x->m) != STATUS_OK)
            fail_msg("%s, trouble %d after %ld: %s", stage->name, (int)kind, n, w->x->m.text);
        fired = meet(w, stage, kind, n, &status);
        store_rollback(w->s);
    }
    for (long n = 1;; n = next(stage, kind, n)) {
        fired = meet(w, stage, kind, n, &status);
        if (status == STATUS_OK && !(fired && stage->how == READS))
            break;
    }
    w->claims += stage->how == CLAIMS;
}

static struct content live(struct fixture *x, enum trouble kind)
{
    struct world w = {.x = x,
                      .first = plan_of(x, TUNED("[1, 2]", "1")),
                      .second = plan_of(x, TUNED("[1, 2, 4]", "1, 4"))};
    snprintf(x->db, sizeof x->db, "%s/%d.db", x->folder, (int)kind);
    stand_between(true);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        live_through(&w, &stages[i], kind);
    stand_between(false);
    struct content c = content_of(store_db(w.s), false);
    assert_answer(store_db(w.s), "PRAGMA integrity_check", "ok");
    assert_answer(store_db(w.s), "SELECT count(*) FROM t_quantile", "1000");
    close_store(x, w.s);
    free_plan(x, w.first);
    free_plan(x, w.second);
    return c;
}

FIXTURE(set_up, tear_down)

TEST(trouble_delays_and_changes_nothing)
{
    struct content quiet = live(x, NONE);
    for (enum trouble kind = NONE + 1; kind < TROUBLES; kind++) {
        struct content c = live(x, kind);
        if (strcmp(c.hash, quiet.hash) != 0)
            fail_msg("trouble %d: the file is not what it is without", (int)kind);
    }
}

/* Refusals that last, so that nothing can be undone either: what a batch has left of a failed
 * change is not committed, and what a change has left of itself does not stay. */
TEST(what_cannot_be_undone_is_not_kept)
{
    int lost = 0;
    stand_between(true);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_ok(store_spawned(r.s, c.trial_id, c.attempt, 4711, &x->m));
    struct content before = content_of(r.db, true);
    for (long n = 1;; n++) {
        bool accepted;
        for (int batch = 0; batch < 2; batch++) {
            struct content noted = before;
            if (batch) {
                assert_ok(store_begin(r.s, &x->m));
                assert_ok(store_add_warning(r.s, c.trial_id, c.attempt, "noted", &x->m));
                noted = content_of(r.db, true);
            }
            arm(REFUSED, n);
            trouble.lasts = true;
            enum status status = store_finish(r.s, c.trial_id, c.attempt, result_of(0.5), NULL,
                                              NULL, &END, &accepted, &x->m);
            if (!disarm()) {
                assert_int_equal(status, STATUS_OK);
                goto done;
            }
            assert_status(STATUS_INTERNAL, status);
            enum status committed = batch ? store_commit(r.s, &x->m) : STATUS_INTERNAL;
            assert_true(committed == STATUS_OK || committed == STATUS_INTERNAL);
            lost += batch && committed != STATUS_OK;
            /* The next change goes through, whatever the last one has left. */
            if (committed != STATUS_OK)
                assert_ok(store_spawned(r.s, c.trial_id, c.attempt, 4711, &x->m));
            struct content after = content_of(r.db, true);
            assert_string_equal(after.hash, committed == STATUS_OK ? noted.hash : before.hash);
            run_sql(r.db, "UPDATE attempt SET note = NULL");
        }
    }
done:
    stand_between(false);
    assert_true(lost > 5);
}

/* A look at a changed plan leaves nothing behind, not even where it cannot be undone at once. */
