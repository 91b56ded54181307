#include "sweep/run/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/plan/point.h"
#include "sweep/run/confirm.h"
#include "sweep/run/looks.h"

/* Configurations further than this from every sample are measured, so many of them at most. */
static const double FAR = 2;
enum { CALIBRATIONS = 4 };

bool forecast_is_done(const struct forecast *f)
{
    return f->to_run + f->may_add + f->may_confirm == 0 && f->left.trials.most <= 0;
}

/* ---- each trial ---- */

/* ?1 the last trial that the file has, ?2 whether failed ones are tried again. A value that has as
 * many waiting trials as any other of its head count may be the one that is chosen. */
static const char OUTLOOK[] =
    "INSERT INTO outlook WITH planned AS ("
    "  SELECT t.*, heads, is_tuning = 0 AND state = 'queued' AND choice = 'waiting'"
    "         AND tuning <> '{}' AS undecided FROM trial AS t JOIN config USING (config_id)"
    "   WHERE in_plan = 1"
    "), candidate AS ("
    "  SELECT setting, heads, in_shard, tuning, row_number() OVER (PARTITION BY setting, heads,"
    "         in_shard ORDER BY count(*) DESC, min(plan_order), tuning) > 1 AS spare"
    "    FROM planned WHERE undecided GROUP BY setting, heads, in_shard, tuning"
    "), best AS MATERIALIZED (SELECT setting, heads, tuning FROM chosen"
    "), named AS ("
    "  SELECT t.*, ifnull(k.spare, 0) AS spare,"
    "         CASE WHEN state = 'queued' AND NOT t.in_shard THEN 'elsewhere'"
    "              WHEN trial_id > ?1 AND state = 'queued' THEN 'new' ELSE state END AS shown,"
    "         t.tuning = '{}' OR (t.setting, t.heads, t.tuning) IN (SELECT * FROM best) AS chosen"
    "    FROM planned AS t LEFT JOIN candidate AS k ON undecided"
    "     AND (k.setting, k.heads, k.in_shard, k.tuning)"
    "       = (t.setting, t.heads, t.in_shard, t.tuning)"
    ") SELECT trial_id, shown, CASE"
    "    WHEN confirms AND state = 'not_needed'"
    "      THEN 'on fresh seeds, but no claim names its head count'"
    "    WHEN confirms AND state IN ('queued', 'running')"
    "      THEN 'on fresh seeds, to confirm what was found'"
    "    WHEN is_tuning AND state = 'not_needed' THEN 'eliminated at a rung'"
    "    WHEN is_tuning AND state = 'queued' AND choice = 'waiting'"
    "      THEN 'waits at a rung for the others'"
    "    WHEN state = 'not_needed' AND look > 1 AND chosen THEN 'an earlier look decided'"
    "    WHEN state = 'not_needed' THEN 'tuning chooses another setting for its head count'"
    "    WHEN undecided AND NOT chosen THEN 'runs if tuning chooses its setting'"
    "    WHEN state = 'queued' AND choice = 'waiting'"
    "      THEN 'runs if an earlier look does not decide'"
    "    WHEN shown = 'elsewhere' THEN 'of other shards'"
    "    WHEN shown = 'new' THEN 'not in the results file yet'"
    "    WHEN state = 'queued' THEN 'queued; resumes from its checkpoint if it has one'"
    "    WHEN state = 'running' THEN 'running, or to be resumed if its run was killed'"
    "    WHEN state = 'completed' THEN 'done: its result is kept'"
    "    WHEN state = 'diverged' THEN 'diverged: that is its result'"
    "    WHEN limit_hit AND ?2 THEN 'stopped by a limit, will be resumed'"
    "    WHEN limit_hit THEN 'stopped by a limit; --retry-failed resumes it'"
    "    WHEN ?2 THEN 'failed, will be tried again'"
    "    ELSE 'failed too often; --retry-failed tries again' END,"
    "  shown IN ('new', 'queued', 'running') OR (?2 AND state = 'failed'), spare"
    "  FROM named";

/* ---- what a trial of each configuration takes ---- */

struct config_cost {
    int64_t config_id;
    char sha256[65];
    struct cost_shape shape;
    double work;
    bool runs; /* a trial of it would */
};

struct pricing {
    struct forecast *f;
    size_t count;
    struct config_cost *config; /* (count) */
};

static void read_configs(struct pricing *g)
{
    struct scope *x = g->f->x;
    struct rows *r = scope_rows(x,
                                "SELECT" COST_COLUMNS
                                ", config_id, max(runs) FROM outlook JOIN trial USING (trial_id)"
                                " JOIN config USING (config_id) GROUP BY config_id",
                                NO_VALUES);
    while (scope_next(x, r)) {
        struct config_cost c = {.config_id = rows_integer(r, COST_COLUMN_COUNT),
                                .runs = rows_integer(r, COST_COLUMN_COUNT + 1) != 0};
        rows_copy(r, COST_SHA256, c.sha256, sizeof c.sha256);
        if (!cost_read_work(r, &c.shape, &c.work))
            continue;
        g->config = arena_grow(&x->arena, g->config, g->count, sizeof *g->config);
        g->config[g->count++] = c;
    }
}

/* The configuration to run that is least like anything measured; NULL where each is near enough. */
static const struct config_cost *strangest(const struct pricing *g)
{
    double far = FAR;
    const struct config_cost *found = NULL;
    for (size_t i = 0; i < g->count; i++) {
        const struct config_cost *c = &g->config[i];
        enum cost_source source;
        double distance = cost_distance(&g->f->cost, c->shape);
        cost_trial_s(&g->f->cost, c->sha256, c->shape, c->work, &source);
        if (c->runs && source != COST_RECORDED && distance > far) {
            far = distance;
            found = c;
        }
    }
    return found;
}

static void measure_strange(struct pricing *g, calibrator *measure)
{
    struct scope *x = g->f->x;
    struct cost *cost = &g->f->cost;
    const struct config_cost *c;
    struct point point;
    struct calibration found;
    double start_s = 0;
    int n = 0;
    for (; n < CALIBRATIONS && (c = strangest(g)); n++) {
        const char *json =
            scope_string(x, "measuring", "SELECT config_json FROM config WHERE config_id = ?",
                         VALUES(INTEGER(c->config_id)));
        scope_check(x, point_parse(json, &point, x->message));
        if (!measure(&point, &found))
            break;
        /* The sample stands for the configuration, also where less than that was trained. */
        cost_add(cost, c->shape, found.flops_per_step * found.steps, found.seconds, COST_MEASURED);
        start_s += found.start_s;
    }
    if (n > 0 && cost->start_source == COST_ASSUMED) {
        cost->start_s = start_s / n;
        cost->start_source = COST_MEASURED;
    }
}

static void write_takes(struct pricing *g)
{
    struct scope *x = g->f->x;
    struct rows *insert =
        scope_query(x, "pricing", "INSERT INTO takes VALUES (?, ?, ?)", NO_VALUES);
    for (size_t i = 0; i < g->count; i++) {
        const struct config_cost *c = &g->config[i];
        enum cost_source source;
        double trial_s = cost_trial_s(&g->f->cost, c->sha256, c->shape, c->work, &source);
        scope_repeat(x, insert, VALUES(INTEGER(c->config_id), REAL(trial_s), INTEGER(source)));
    }
    scope_close(x, insert);
}

/* ---- what may come ---- */

static const struct cost_range MAYBE = {0, .5, 1};

/* Head counts that have not chosen for good, each with the trials of a value; BACK: judged trials
 * that left the plan with their values, which may come back. ?1 sweep. */
static const char MAY_ADD[] =
    "SELECT min(plan_order) FILTER (WHERE NOT added), count(DISTINCT iif(added, tuning, NULL)),"
    "  1.0 * count(*) FILTER (WHERE is_tuning) / count(DISTINCT tuning),"
    "  1.0 * count(*) FILTER (WHERE NOT is_tuning) / count(DISTINCT tuning),"
    "  min(waiting), max(waiting), avg(trial_s),"
    "  (SELECT count(*) FROM trial AS b JOIN config AS c USING (config_id)"
    "    WHERE b.sweep_id = ?1 AND b.setting = t.setting AND b.tuning <> '{}' AND c.heads = t.heads"
    "      AND b.in_plan = 0 AND b.is_tuning = 0 AND b.confirms = 0 AND b.attempt > 0)"
    "  FROM (SELECT *, sum(state = 'queued' AND choice = 'waiting' AND NOT is_tuning)"
    "               OVER (PARTITION BY setting, heads, tuning) AS waiting"
    "          FROM trial JOIN config USING (config_id) JOIN takes USING (config_id)"
    "         WHERE in_plan = 1 AND confirms = 0 AND tuning <> '{}' AND sweep_id = ?1) AS t"
    " WHERE (setting, heads) NOT IN (SELECT setting, heads FROM chosen)"
    " GROUP BY setting, heads HAVING max(in_shard)";

static void add_judged(struct forecast *f, struct cost_range range, double trials, double trial_s)
{
    if (trials <= 0)
        return;
    cost_add_range(&f->left.trials, range, trials);
    cost_add_range(&f->left.core_s, range, trials * trial_s);
}

/* Where a value is added and chosen, more may be judged than wait of any other, or fewer. */
static void add_extensions(struct forecast *f, const struct plan *p)
{
    enum { FIRST, ADDED, TUNING, JUDGED, LEAST, MOST, TRIAL_S, BACK };
    static const struct cost_range maybe_not = {-1, -.5, 0};
    struct rows *r = scope_rows(f->x, MAY_ADD, VALUES(INTEGER(f->preview.sweep_id)));
    while (scope_next(f->x, r)) {
        long point = plan_trial(p, (long)rows_integer(r, FIRST)).point;
        double values = (double)(plan_beyond(p, point) - rows_integer(r, ADDED));
        double tuning = values * rows_real(r, TUNING), trial_s = rows_real(r, TRIAL_S);
        if (values <= 0)
            continue;
        f->may_add += lround(tuning);
        cost_add_range(&f->left.core_s, MAYBE, tuning * trial_s);
        add_judged(f, MAYBE, rows_real(r, JUDGED) - rows_real(r, MOST), trial_s);
        add_judged(f, maybe_not, fmin(rows_real(r, LEAST), rows_real(r, BACK)), trial_s);
    }
}

/* A claim names so many head counts of a setting at most: those that take longest. ?1 sweep, ?2 so
 * many. */
static const char MAY_CONFIRM[] =
    "WITH head AS ("
    "  SELECT setting, heads, max(trial_s) AS trial_s,"
    "         max(choice = 'waiting' AND tuning <> '{}') AS open"
    "    FROM trial JOIN config USING (config_id) JOIN takes USING (config_id)"
    "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0"
    "   GROUP BY setting, heads"
    "), ranked AS ("
    "  SELECT setting, trial_s, max(open) OVER (PARTITION BY setting) AS open,"
    "         count(*) OVER (PARTITION BY setting) AS n,"
    "         row_number() OVER (PARTITION BY setting ORDER BY trial_s DESC) AS place FROM head"
    ") SELECT count(*), total(trial_s) FROM ranked WHERE n > 1 AND place <= ?2"
    "     AND (open OR setting NOT IN (SELECT setting FROM plan_change"
    "           WHERE sweep_id = ?1 AND by = 'confirm'))";

static void add_confirmations(struct forecast *f, const struct plan *p)
{
    const struct config *c = plan_config(p);
    long each = (long)c->confirm * (c->replicate ? c->seeds : 1);
    struct rows *r = scope_rows(f->x, MAY_CONFIRM,
                                VALUES(INTEGER(f->preview.sweep_id), INTEGER(PLAN_CONFIRMED)));
    while (scope_next(f->x, r)) {
        f->may_confirm = each * (long)rows_integer(r, 0);
        f->may_confirm_s = (double)each * rows_real(r, 1);
    }
    cost_add_range(&f->left.trials, MAYBE, (double)f->may_confirm);
    cost_add_range(&f->left.core_s, MAYBE, f->may_confirm_s);
}

/* ---- the whole ---- */

/* What a run decides before its first trial. */
static void judge(struct forecast *f, const struct plan *p)
{
    const struct preview *v = &f->preview;
    struct text_buffer said = {0};
    enum status status = looks_judge(v->store, p, v->sweep_id, &said, f->x->message);
    if (status == STATUS_OK)
        status = confirm_judge(v->store, p, v->sweep_id, &said, f->x->message);
    free(said.text);
    scope_check(f->x, status);
}

static void read_costs(struct forecast *f, struct store *s)
{
    struct scope *x = f->x;
    x->store = s; /* what is read stays in the forecast's memory */
    cost_read(x, &f->cost);
    x->store = f->preview.store;
}

static void count(struct forecast *f)
{
    struct scope *x = f->x;
    scope_check(x, store_counts(f->preview.store, f->preview.sweep_id, &f->counts, x->message));
    f->to_run = (long)scope_ask(x, "SELECT total(runs AND NOT spare) FROM outlook", NO_VALUES);
    f->leaving = (long)scope_ask(x,
                                 "SELECT count(*) FROM planned_before JOIN trial USING (trial_id)"
                                 " WHERE in_plan = 0",
                                 NO_VALUES);
    f->will_add = (long)scope_ask(x,
                                  "SELECT count(*) FROM outlook JOIN trial USING (trial_id)"
                                  " WHERE added > 0 AND is_tuning AND runs AND trial_id > ?1",
                                  VALUES(INTEGER(f->preview.known)));
    f->may_choose = (long)scope_ask(
        x,
        "SELECT count(*) FROM (SELECT 1 FROM trial JOIN config USING (config_id)"
        " WHERE in_plan = 1 AND NOT is_tuning AND NOT confirms AND tuning <> '{}'"
        " AND in_shard = 1 AND (setting, heads) NOT IN (SELECT setting, heads FROM chosen)"
        " GROUP BY setting, heads HAVING max(state IN ('completed', 'diverged', 'failed')))",
        NO_VALUES);
}

static void forecast(struct forecast *f, const struct plan *p, struct store *s, bool retry_failed,
                     calibrator *measure)
{
    struct pricing g = {.f = f};
    long retried;
    judge(f, p);
    scope_script(
        f->x, "forecasting",
        "CREATE TEMP TABLE takes (config_id INTEGER PRIMARY KEY, trial_s, source);"
        "CREATE TEMP TABLE outlook (trial_id INTEGER PRIMARY KEY, state, why, runs, spare)");
    scope_run(f->x, "forecasting", OUTLOOK,
              VALUES(INTEGER(f->preview.known), INTEGER(retry_failed)));
    count(f);
    if (s)
        read_costs(f, s);
    read_configs(&g);
    if (measure)
        measure_strange(&g, measure);
    write_takes(&g);
    if (retry_failed)
        scope_check(f->x, store_retry_failed(f->preview.store, f->preview.sweep_id, &retried,
                                             f->x->message));
    f->left = cost_left(f->x, &f->cost, f->preview.sweep_id);
    if (plan_config(p)->extend)
        add_extensions(f, p);
    if (plan_config(p)->confirm)
        add_confirmations(f, p);
}

static enum status fill(struct forecast *f, const struct plan *p, struct store *s,
                        bool retry_failed, calibrator *measure, struct message *m)
{
    enum status status = store_preview(s, p, &f->preview, m);
    if (status != STATUS_OK)
        return status;
    cost_init(&f->cost);
    f->x = scope_of(f->preview.store, m);
    if (scope_enter(f->x))
        forecast(f, p, s, retry_failed, measure);
    return scope_left(f->x);
}

enum status forecast_new(const struct plan *p, struct store *s, bool retry_failed,
                         calibrator *measure, struct forecast **f, struct message *m)
{
    *f = calloc(1, sizeof **f);
    if (!*f)
        return status_no_memory(m, "a forecast");
    enum status status = fill(*f, p, s, retry_failed, measure, m);
    if (status != STATUS_OK) {
        forecast_free(*f);
        *f = NULL;
    }
    return status;
}

void forecast_free(struct forecast *f)
{
    if (f) {
        scope_end(f->x);
        store_close(f->preview.store, NULL);
        free(f);
    }
}
