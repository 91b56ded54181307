#include "sweep/merge/shard_sum.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/merge/merge_parts.h"

static const char DOING[] = "summing shards";

enum status shard_sum_new(struct store **sum, struct message *m)
{
    struct store *s = calloc(1, sizeof *s);
    *sum = NULL;
    if (!s || !(s->path = strdup("the sum of shards")) || !(s->folder = strdup(""))) {
        if (s)
            free(s->path);
        free(s);
        return status_fail(m, STATUS_NO_MEMORY, "no memory to sum shards");
    }
    s->mode = STORE_WRITE;
    enum status status =
        store_connect(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m);
    if (status == STATUS_OK)
        status = store_script(s, DOING, store_schema, m);
    if (status == STATUS_OK)
        status = store_script(s, DOING, sql_shard_tables, m);
    if (status == STATUS_OK)
        *sum = s;
    else
        store_close(s, NULL);
    return status;
}

struct summing {
    struct merging merging; /* first: merge_within hands that on */
    const struct shard_source *source;
};

/* ---- rows of a file ---- */

#define THIS(column) "(SELECT " column " FROM shard_here)"

/* Killed with its coordinator, a trial is as good as queued. */
#define TRIAL_VALUES(in_plan)                                                                      \
    {                                                                                              \
        "sweep_id", THIS("sweep_id"), "state",                                                     \
            "CASE WHEN @state = 'running' AND NOT " THIS(                                          \
                "at_work") " THEN 'queued' ELSE @state END",                                       \
            "in_shard", "@in_shard AND " THIS("number") " > 0", "in_plan", in_plan, NULL           \
    }
static const char *const planned[] = TRIAL_VALUES("1");
/* Those that are in the plan are there, but for what tune.extend has added in this file. */
static const char *const perhaps_planned[] = TRIAL_VALUES(
    "@in_plan AND @added > 0 AND EXISTS (SELECT 1 FROM shard_here AS h JOIN shard_part AS p"
    " USING (part) JOIN shard_plan AS n ON (n.sweep_id, n.sha256) = (h.sweep_id, p.sha256))");

/* The plan itself, with whatever its trials have come to where they are new. */
static const struct merge_table plan = {
    .name = "trial",
    .where = "WHERE sweep_id = ?1 AND in_plan = 1",
    .values = planned,
    .tail = "WHERE true ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,"
            " plan_order = excluded.plan_order, setting = excluded.setting,"
            " setting_label = excluded.setting_label, tuning = excluded.tuning,"
            " is_tuning = excluded.is_tuning, replicate = excluded.replicate,"
            " look = excluded.look, choice = excluded.choice, added = excluded.added,"
            " confirms = excluded.confirms"};

#define RANK(row)                                                                                  \
    "(CASE " row "state WHEN 'completed' THEN 8 WHEN 'diverged' THEN 8 WHEN 'running' THEN 6"      \
    " WHEN 'failed' THEN 4 WHEN 'not_needed' THEN 2 ELSE 0 END + " row "in_shard)"

/* What its trials have come to. */
static const struct merge_table states = {
    .name = "trial",
    .where = "WHERE sweep_id = ?1 AND (state <> 'queued' OR (in_plan AND in_shard))",
    .values = perhaps_planned,
    .tail = "WHERE true ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET"
            " state = excluded.state, in_shard = excluded.in_shard, choice = excluded.choice,"
            " until = excluded.until, resume_step = excluded.resume_step,"
            " steps_done = excluded.steps_done, attempt = excluded.attempt,"
            " best_step = excluded.best_step, train_acc = excluded.train_acc,"
            " val_acc = excluded.val_acc, val_loss = excluded.val_loss,"
            " test_acc = excluded.test_acc, test_exact = excluded.test_exact,"
            " test_loss = excluded.test_loss, train_s = excluded.train_s,"
            " limit_hit = excluded.limit_hit WHERE " RANK("excluded.") " > " RANK("trial.")};

#define AT_WORK                                                                                    \
    "WHERE trial_id IN (SELECT trial_id FROM trial WHERE sweep_id = ?1 AND state = 'running'"      \
    " AND in_plan = 1)"
#define OF_RUNNING                                                                                 \
    "FROM shard_running AS r WHERE r.part = " THIS(                                                \
        "part") " AND r.its_id = @trial_id ON CONFLICT DO NOTHING"

/* What hangs on those that run. */
static void add_running(struct merging *g, int64_t sweep_id)
{
    static const struct merge_table running = {
        .name = "trial",
        .where = "WHERE sweep_id = ?1 AND state = 'running' AND in_plan = 1",
        .write = "INSERT OR IGNORE INTO shard_running SELECT trial_id, h.number, h.of, @trial_id,"
                 " h.part FROM shard_here AS h JOIN trial AS t USING (sweep_id) WHERE seed = @seed"
                 " AND config_id = (SELECT new FROM merge_config WHERE old = @config_id)"
                 " AND state = 'running'"};
    static const char *const values[] = {"trial_id", "r.trial_id", "build_id", "1", NULL};
    static const struct merge_table attempts = {
        .name = "attempt", .where = AT_WORK, .values = values, .tail = OF_RUNNING};
    static const struct merge_table curves = {
        .name = "curve", .where = AT_WORK, .values = values, .tail = OF_RUNNING};
    merge_rows(g, &running, sweep_id);
    merge_rows(g, &attempts, sweep_id);
    merge_rows(g, &curves, sweep_id);
}

/* Which trials of its shard the file has left. */
static void add_left(struct merging *g, int64_t sweep_id)
{
    static const struct merge_table left = {
        .name = "trial",
        .to = "shard_left",
        .where = "WHERE sweep_id = ?1 AND in_plan AND in_shard AND state IN ('queued', 'running')"};
    merge_rows(g, &left, sweep_id);
    scope_script(g->x, DOING, "UPDATE shard_left SET part = " THIS("part") " WHERE part IS NULL");
}

/* ---- a sweep of a file ---- */

struct sweep_here {
    int64_t from_id, into_id;
    bool newer; /* its plan becomes that of the sum */
};

enum { SWEEP_ID, NAME, SHA256, CHANGED, LEFT, NEWEST, LAST_RUN }; /* columns of shard_sweeps */

static int64_t find_name(struct merging *g, const struct rows *r)
{
    return scope_number(g->x, DOING, "SELECT sweep_id FROM sweep WHERE name = ?",
                        VALUES(TEXT(rows_text(r, NAME))));
}

/* Its row in the sum; where the sum does not know it, it is new, or (the file that shards are
 * merged into) of no interest: into_id is 0. */
static struct sweep_here find_sweep(struct merging *g, const struct shard_source *source,
                                    const struct rows *r)
{
    static const struct merge_table row = {
        .name = "sweep",
        .where = "WHERE sweep_id = ?1",
        .columns = "[\"shards\"]",
        .tail =
            "WHERE true ON CONFLICT (name) DO UPDATE SET tune = excluded.tune, rungs ="
            " excluded.rungs, extend = excluded.extend, looks = excluded.looks,"
            " metric = excluded.metric, goal = excluded.goal, plan_sha256 = excluded.plan_sha256"};
    const struct value sha256 = TEXT(rows_text(r, SHA256)), changed = TEXT(rows_text(r, CHANGED));
    struct sweep_here h = {.from_id = rows_integer(r, SWEEP_ID), .into_id = find_name(g, r)};
    h.newer = h.into_id ? scope_number(g->x, DOING,
                                       "SELECT sha256 <> ?2 AND changed < ?3 FROM shard_plan"
                                       " WHERE sweep_id = ?1",
                                       VALUES(INTEGER(h.into_id), sha256, changed))
                        : source->number > 0;
    if (h.newer) {
        merge_rows(g, &row, h.from_id);
        h.into_id = find_name(g, r);
        scope_run(g->x, DOING, "INSERT OR REPLACE INTO shard_plan VALUES (?, ?, ?)",
                  VALUES(INTEGER(h.into_id), sha256, changed));
    }
    return h;
}

static void note_part(struct merging *g, const struct shard_source *source, const struct rows *r,
                      const struct sweep_here *h)
{
    static const struct merge_table times = {
        .name = "sweep",
        .where = "WHERE sweep_id = ?1",
        .write = "UPDATE sweep SET created = min(created, @created),"
                 " last_run = max(last_run, @last_run), remark = coalesce(remark, @remark)"
                 " WHERE name = @name"};
    merge_rows(g, &times, h->from_id);
    scope_run(g->x, DOING,
              "INSERT INTO shard_part (sweep_id, number, of, trials_left, newest, last_run, sha256)"
              " VALUES (?, ?, ?, ?, ?, ?, ?)",
              VALUES(INTEGER(h->into_id), INTEGER(source->number), INTEGER(source->of),
                     INTEGER(rows_integer(r, LEFT)), INTEGER(rows_integer(r, NEWEST)),
                     TEXT(rows_text(r, LAST_RUN)), TEXT(rows_text(r, SHA256))));
    scope_script(g->x, DOING, "DELETE FROM shard_here");
    scope_run(g->x, DOING,
              "INSERT INTO shard_here SELECT number, of, ?1, sweep_id, part FROM shard_part"
              " ORDER BY part DESC LIMIT 1",
              VALUES(INTEGER(source->at_work)));
}

static void add_sweep(struct merging *g, const struct shard_source *source, const struct rows *r)
{
    const struct sweep_here h = find_sweep(g, source, r);
    if (!h.into_id)
        return;
    note_part(g, source, r, &h);
    if (h.newer) {
        scope_run(g->x, DOING, "UPDATE trial SET in_plan = 0 WHERE sweep_id = ?",
                  VALUES(INTEGER(h.into_id)));
        merge_rows(g, &plan, h.from_id);
    }
    merge_rows(g, &states, h.from_id);
    if (source->at_work)
        add_running(g, h.from_id);
    if (source->number)
        add_left(g, h.from_id);
}

static void add_sweeps(struct merging *g)
{
    const struct shard_source *source = ((const struct summing *)g)->source;
    scope_change(g->x);
    merge_shared(g, "config");
    struct rows *r = scope_query(g->there, DOING, sql_shard_sweeps, NO_VALUES);
    while (scope_next(g->there, r))
        add_sweep(g, source, r);
}

enum status shard_sum_add(struct store *sum, struct store *from, const struct shard_source *source,
                          struct message *m)
{
    struct summing g = {.merging = {.into = sum, .from = from}, .source = source};
    return scope_commit(merge_within(&g.merging, add_sweeps, m));
}

enum status shard_sum_end(struct store *sum, struct message *m)
{
    return store_script(sum, DOING, sql_end_shards, m);
}
