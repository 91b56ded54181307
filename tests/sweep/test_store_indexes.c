/* Statements that are asked for each trial that ends find their rows by the index that is meant for
 * them: SQLite would take another one, by which it reads all trials of the sweep. */
#include "store_help.h"

#define TUNED(tune)                                                                                \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 200, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"                            \
    "tune: {axes: [train.lr], seeds: 1, " tune "}\nseeds: 1\n"

/* The statement that is looked for, by a part of its text, and its text once it has begun. */
static struct {
    const char *part;
    char sql[2048];
} watched;

static int statement_begins(unsigned event, void *context, void *statement, void *text)
{
    (void)event, (void)context, (void)text;
    const char *sql = sqlite3_sql(statement);
    if (watched.part && strstr(sql, watched.part))
        snprintf(watched.sql, sizeof watched.sql, "%s", sql);
    return 0;
}

static void watch(struct run *r, const char *part)
{
    watched.part = part;
    watched.sql[0] = '\0';
    assert_int_equal(sqlite3_trace_v2(r->db, SQLITE_TRACE_STMT, statement_begins, NULL), SQLITE_OK);
}

/* That it did begin, and that its plan has this step. */
static void assert_step(struct run *r, const char *expected)
{
    char sql[sizeof watched.sql + 40], steps[2048] = "";
    sqlite3_stmt *plan = NULL;
    bool found = false;
    watched.part = NULL;
    assert_string_not_equal(watched.sql, "");
    snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", watched.sql);
    assert_int_equal(sqlite3_prepare_v2(r->db, sql, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(plan, 3);
        found = found || strcmp(step, expected) == 0;
        snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%s; ", step);
    }
    sqlite3_finalize(plan);
    if (!found)
        fail_msg("%s is not among: %s", expected, steps);
}

/* Ends a trial with that accuracy. */
static void end_one(struct fixture *x, struct run *r, double acc)
{
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_true(c.trial_id > 0);
    assert_true(finish(x, r->s, &c, result_of(acc)));
}

FIXTURE(set_up, tear_down)

TEST(candidates_at_a_rung)
{
    struct run r = start(x, TUNED("rungs: {eta: 2, min_steps: 50}"));
    watch(&r, "bad_step, tuning, t.chance");
    end_one(x, &r, .5);
    assert_step(&r, "SEARCH t USING INDEX trial_tuned (sweep_id=? AND setting=?)");
}

TEST(points_to_be_extended)
{
    struct run r = start(x, TUNED("extend: 2"));
    watch(&r, "DISTINCT config_id, config_json, replicate");
    for (int i = 0; i < 4; i++)
        end_one(x, &r, .5);
    assert_step(&r, "SEARCH trial USING INDEX trial_tuned (sweep_id=? AND setting=?)");
}

/* Each commit asks for those behind the last one that it knew. */
TEST(what_was_added)
{
    struct run r = start(x, TUNED("extend: 2"));
    struct text_buffer said = {0};
    int64_t last = 0;
    for (int i = 0; i < 4; i++)
        end_one(x, &r, .5);
    watch(&r, "count(*) FILTER (WHERE is_tuning)");
    assert_ok(store_added(r.s, r.sweep, &last, &said, &x->m));
    assert_step(&r, "SEARCH trial USING INTEGER PRIMARY KEY (rowid>?)");
    assert_non_null(strstr(said.text, "lr=0.0001 is added"));
    free(said.text);
}
