#include "sweep/store/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/encoder_cost.h"

/* The plan as two temporary tables, so that it can be held against the stored trials by SQL. */
static const char TABLES[] =
    "CREATE TEMP TABLE planned_point (point INTEGER PRIMARY KEY, config_id INTEGER, setting TEXT,"
    " setting_label TEXT, tuning TEXT);"
    "CREATE TEMP TABLE planned_trial (config_id INTEGER, seed INTEGER, plan_order INTEGER,"
    " is_tuning INTEGER, point INTEGER, PRIMARY KEY (config_id, seed)) WITHOUT ROWID";
static const char NO_TABLES[] = "DROP TABLE planned_trial; DROP TABLE planned_point";

enum { CLAIM_SIZE = 1024, TUNE_SIZE = 4096 };

struct planning {
    struct store *s;
    const struct plan *p;
    struct plan_changes *changes;
    struct message *m;
    char plan_sha256[65]; /* of everything that decides about rows of `trial` */
    char claim[CLAIM_SIZE], tune[TUNE_SIZE];
    long in_plan; /* trials, before */
    bool same_plan;
};

static int compare_integers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* As many rivals as config.h has room for fit; their order says nothing. */
static void write_claim(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    struct claim claim = c->claim;
    if (!c->has_claim)
        return;
    qsort(claim.over, (size_t)claim.over_count, sizeof *claim.over, compare_integers);
    int used =
        snprintf(g->claim, sizeof g->claim, "{\"best\":%lld,\"over\":[", (long long)claim.best);
    for (int i = 0; i < claim.over_count; i++)
        used += snprintf(g->claim + used, sizeof g->claim - (size_t)used, "%s%lld", i ? "," : "",
                         (long long)claim.over[i]);
    snprintf(g->claim + used, sizeof g->claim - (size_t)used, "]}");
}

static enum status write_tune(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    size_t used = (size_t)snprintf(g->tune, sizeof g->tune, "[");
    for (int i = 0; i < c->tune && used < sizeof g->tune; i++)
        used += (size_t)snprintf(g->tune + used, sizeof g->tune - used, "%s\"%s\"", i ? "," : "",
                                 c->tune_path[i]);
    if (used + 2 > sizeof g->tune)
        return status_fail(g->m, STATUS_BAD_INPUT, "%s: `tune` names too many axes", c->path);
    memcpy(g->tune + used, "]", 2);
    return STATUS_OK;
}

/* ---- points ---- */

static enum status insert_config(struct planning *g, struct rows *insert, long i, const char *json,
                                 const char *sha256, int64_t *id)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    plan_point(g->p, i, &point);
    enum status status = point_check(&point, &io, &shape, NULL, g->m);
    if (status != STATUS_OK)
        return status;
    status = store_repeat(
        insert, VALUES(TEXT(sha256), TEXT(json), INTEGER(encoder_parameters(&point.model, &io)),
                       REAL(encoder_step_flops(&point.model, &io, (long)point.train.batch)),
                       REAL(shape.chance)));
    *id = sqlite3_last_insert_rowid(g->s->db);
    return status;
}

/* A point's identity and the texts that go into its row. */
struct point_text {
    char json[POINT_JSON_MAX], sha256[65];
    struct plan_text of;
};

static void describe_point(const struct plan *p, long i, struct point_text *t,
                           struct sha256 *digest)
{
    plan_identity(p, i, t->json, t->sha256);
    plan_text(p, i, &t->of);
    sha256_update(digest, t->sha256, 64);
    sha256_update(digest, t->of.setting, strlen(t->of.setting) + 1);
    sha256_update(digest, t->of.label, strlen(t->of.label) + 1);
    sha256_update(digest, t->of.tuning, strlen(t->of.tuning) + 1);
}

static struct plan_trial describe_trial(const struct plan *p, long k, struct sha256 *digest)
{
    struct plan_trial t = plan_trial(p, k);
    int64_t words[] = {t.point, t.seed, t.tuning};
    sha256_update(digest, words, sizeof words);
    return t;
}

/* Everything but points and trials that decides about rows of `trial`. */
static void describe_rest(const struct plan *p, struct sha256 *digest)
{
    const struct config *c = plan_config(p);
    const char *const words[] = {metric_name(c->metric), metric_goal(c->metric)};
    sha256_init(digest);
    for (int i = 0; i < 2; i++)
        sha256_update(digest, words[i], strlen(words[i]) + 1);
}

/* The plan's hash without looking at the file: most often nothing has changed, and then that is
 * all there is to do. */
static void fingerprint(struct planning *g)
{
    struct sha256 digest;
    struct point_text text;
    describe_rest(g->p, &digest);
    for (long i = 0; i < plan_points(g->p); i++)
        describe_point(g->p, i, &text, &digest);
    for (long k = 0; k < plan_trials(g->p); k++)
        describe_trial(g->p, k, &digest);
    sha256_final(&digest, g->plan_sha256);
}

struct point_statements {
    struct rows find, insert, note;
};

static enum status load_point(struct planning *g, struct point_statements *st, long i,
                              struct sha256 *digest)
{
    struct point_text t;
    int64_t id = -1 - i;
    describe_point(g->p, i, &t, digest);
    rows_rebind(&st->find, VALUES(TEXT(t.sha256)));
    bool found = rows_next(&st->find);
    enum status status = st->find.status;
    if (found)
        id = rows_integer(&st->find, 0);
    else if (status == STATUS_OK)
        status = insert_config(g, &st->insert, i, t.json, t.sha256, &id);
    if (status == STATUS_OK)
        status = store_repeat(&st->note, VALUES(INTEGER(i), INTEGER(id), TEXT(t.of.setting),
                                                TEXT(t.of.label), TEXT(t.of.tuning)));
    return status;
}

static enum status load_points(struct planning *g, struct sha256 *digest)
{
    const char *doing = "loading the plan";
    struct point_statements st = {
        store_rows(g->s, doing, "SELECT config_id FROM config WHERE config_sha256 = ?", NO_VALUES,
                   g->m),
        store_rows(g->s, "recording a configuration",
                   "INSERT INTO config (config_sha256, config_json, n_params,"
                   " flops_per_step, chance) VALUES (?, ?, ?, ?, ?)",
                   NO_VALUES, g->m),
        store_rows(g->s, doing, "INSERT INTO planned_point VALUES (?, ?, ?, ?, ?)", NO_VALUES,
                   g->m)};
    enum status status = STATUS_OK;
    for (long i = 0; status == STATUS_OK && i < plan_points(g->p); i++)
        status = load_point(g, &st, i, digest);
    rows_close(&st.find);
    rows_close(&st.insert);
    rows_close(&st.note);
    return status;
}

/* ---- trials ---- */

static enum status load_trials(struct planning *g, struct sha256 *digest)
{
    struct rows insert = store_rows(g->s, "loading the plan",
                                    "INSERT INTO planned_trial SELECT config_id, ?2, ?3, ?4, point"
                                    " FROM planned_point WHERE point = ?1",
                                    NO_VALUES, g->m);
    for (long k = 0; insert.status == STATUS_OK && k < plan_trials(g->p); k++) {
        struct plan_trial t = describe_trial(g->p, k, digest);
        store_repeat(&insert,
                     VALUES(INTEGER(t.point), INTEGER(t.seed), INTEGER(k), INTEGER(t.tuning)));
    }
    return rows_close(&insert);
}

static enum status load(struct planning *g)
{
    struct sha256 digest;
    enum status status = store_script(g->s, "loading the plan", TABLES, g->m);
    describe_rest(g->p, &digest);
    if (status == STATUS_OK)
        status = load_points(g, &digest);
    if (status == STATUS_OK)
        status = load_trials(g, &digest);
    sha256_final(&digest, g->plan_sha256);
    return status;
}

/* ---- what is stored, against what is planned ---- */

static bool differs(const char *stored, const char *now)
{
    return strcmp(stored ? stored : "", now) != 0;
}

static enum status find_sweep(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    struct rows r = store_rows(
        g->s, "looking for the sweep",
        "SELECT sweep_id, yaml_sha256, claim, plan_sha256,"
        " (SELECT count(*) FROM trial AS t WHERE t.sweep_id = s.sweep_id AND in_plan = 1),"
        " (SELECT count(*) FROM trial AS t WHERE t.sweep_id = s.sweep_id AND in_plan = 1"
        "  AND state = 'completed') FROM sweep AS s WHERE name = ?",
        VALUES(TEXT(c->name)), g->m);
    if (rows_next(&r)) {
        g->changes->sweep_id = rows_integer(&r, 0);
        g->changes->changed_text = differs(rows_text(&r, 1), c->sha256);
        g->changes->changed_claim = differs(rows_text(&r, 2), g->claim);
        g->changes->kept = g->in_plan = (long)rows_integer(&r, 4);
        g->changes->completed = (long)rows_integer(&r, 5);
        fingerprint(g);
        /* The number too: somebody may have removed trials with sqlite3. */
        g->same_plan =
            !differs(rows_text(&r, 3), g->plan_sha256) && g->in_plan == plan_trials(g->p);
    }
    return rows_close(&r);
}

/* Where the plan is another one. */
static enum status count_changes(struct planning *g)
{
    struct plan_changes *changes = g->changes;
    struct rows r = store_rows(
        g->s, "comparing the plan",
        "SELECT count(*) FILTER (WHERE t.trial_id IS NULL), count(*) FILTER (WHERE t.in_plan),"
        " count(*) FILTER (WHERE NOT t.in_plan), count(*) FILTER (WHERE t.state = 'completed')"
        " FROM planned_trial AS p LEFT JOIN trial AS t"
        " ON t.sweep_id = ?1 AND t.config_id = p.config_id AND t.seed = p.seed",
        VALUES(INTEGER(changes->sweep_id)), g->m);
    if (rows_next(&r)) {
        changes->added = (long)rows_integer(&r, 0);
        changes->kept = (long)rows_integer(&r, 1);
        changes->returned = (long)rows_integer(&r, 2);
        changes->left = g->in_plan - changes->kept;
        changes->completed = (long)rows_integer(&r, 3);
    }
    return rows_close(&r);
}

enum status store_stranger(struct store *s, const struct plan *p, bool *stranger, struct message *m)
{
    static const char planned[] =
        "SELECT 1 FROM trial JOIN sweep USING (sweep_id) WHERE name = ? AND in_plan = 1 LIMIT 1";
    static const char at_point[] =
        "SELECT 1 FROM config JOIN trial USING (config_id) JOIN sweep USING (sweep_id)"
        " WHERE config_sha256 = ? AND name = ? AND in_plan = 1 LIMIT 1";
    const char *doing = "comparing the plan", *name = plan_config(p)->name;
    char json[POINT_JSON_MAX], sha256[65];
    int64_t any = 0;
    *stranger = false;
    enum status status = store_integer(s, doing, planned, VALUES(TEXT(name)), 0, &any, m);
    if (status != STATUS_OK || !any)
        return status;
    struct rows r = store_rows(s, doing, at_point, NO_VALUES, m);
    bool common = false;
    for (long i = 0; r.status == STATUS_OK && !common && i < plan_points(p); i++) {
        plan_identity(p, i, json, sha256);
        rows_rebind(&r, VALUES(TEXT(sha256), TEXT(name)));
        common = rows_next(&r);
    }
    *stranger = !common;
    return rows_close(&r);
}

static enum status refuse_stranger(struct planning *g)
{
    bool stranger = false;
    const struct config *c = plan_config(g->p);
    enum status status = store_stranger(g->s, g->p, &stranger, g->m);
    if (status == STATUS_OK && stranger)
        return status_fail(
            g->m, STATUS_BAD_INPUT,
            "%s: %s already holds a sweep \"%s\", and none of its points is in this file; "
            "use another `name`, or --replace to take the old points out of the plan (their "
            "results stay)",
            c->path, g->s->path, c->name);
    return status;
}

/* The metric has chosen the best step of every trial that ran, and with it what was tested. */
static enum status refuse_other_metric(struct planning *g)
{
    int64_t begun = 0;
    const struct config *c = plan_config(g->p);
    enum status status = store_other_metric(g->s, c->name, c->metric, &begun, g->m);
    if (status == STATUS_OK && begun > 0)
        return status_fail(
            g->m, STATUS_BAD_INPUT,
            "%s: the metric is %s, but %lld trials of sweep \"%s\" in %s have run with "
            "another, which chose their best steps; put it back, or give the sweep another "
            "`name`",
            c->path, metric_name(c->metric), (long long)begun, c->name, g->s->path);
    return status;
}

/* What is planned, beside what is stored: counted, and refused where the two do not go together. */
static enum status change_plan(struct planning *g, bool replace)
{
    enum status status = load(g);
    if (status == STATUS_OK)
        status = count_changes(g);
    if (status == STATUS_OK && g->changes->sweep_id && !replace)
        status = refuse_stranger(g);
    if (status == STATUS_OK && g->changes->sweep_id)
        status = refuse_other_metric(g);
    return status;
}

/* ---- writing ---- */

static enum status record_claim_change(struct planning *g)
{
    return store_execute(
        g->s, "recording a changed claim",
        "INSERT INTO claim_change (sweep_id, changed, trials_ended, old_claim, new_claim)"
        " SELECT sweep_id, " NOW ", (SELECT count(*) FROM trial AS t WHERE t.sweep_id = s.sweep_id"
        " AND state IN ('completed', 'diverged', 'failed')), claim, nullif(?2, '')"
        " FROM sweep AS s WHERE sweep_id = ?1",
        VALUES(INTEGER(g->changes->sweep_id), TEXT(g->claim)), NULL, g->m);
}

/* What --set said this time: none of it is in the sweep's text. */
static enum status write_overrides(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < c->sets; i++)
        status = store_execute(g->s, "recording the sweep",
                               "UPDATE sweep SET overrides = json_insert(overrides, '$[#]', ?2)"
                               " WHERE sweep_id = ?1",
                               VALUES(INTEGER(g->changes->sweep_id), TEXT(c->set[i])), NULL, g->m);
    return status;
}

static enum status write_sweep(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    enum status status = STATUS_OK;
    if (g->changes->changed_claim)
        status = record_claim_change(g);
    if (status != STATUS_OK)
        return status;
    status = store_integer(
        g->s, "recording the sweep",
        "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune,"
        " claim, created, last_run, overrides) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), " NOW
        ", " NOW ", '[]')"
        " ON CONFLICT (name) DO UPDATE SET question = excluded.question, yaml = excluded.yaml,"
        " yaml_sha256 = excluded.yaml_sha256, plan_sha256 = excluded.plan_sha256,"
        " metric = excluded.metric, goal = excluded.goal, tune = excluded.tune,"
        " claim = excluded.claim, last_run = excluded.last_run, overrides = '[]'"
        " RETURNING sweep_id",
        VALUES(TEXT(c->name), TEXT(c->question), TEXT(c->text), TEXT(c->sha256),
               TEXT(g->plan_sha256), TEXT(metric_name(c->metric)), TEXT(metric_goal(c->metric)),
               TEXT(g->tune), TEXT(g->claim)),
        0, &g->changes->sweep_id, g->m);
    return status == STATUS_OK ? write_overrides(g) : status;
}

static enum status write_trials(struct planning *g)
{
    static const char leave[] =
        "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1 AND NOT EXISTS (SELECT 1"
        " FROM planned_trial AS p WHERE p.config_id = trial.config_id AND p.seed = trial.seed)";
    static const char keep[] =
        "UPDATE trial SET in_plan = 1, plan_order = p.plan_order, setting = q.setting,"
        " setting_label = q.setting_label, tuning = q.tuning, is_tuning = p.is_tuning,"
        " choice = CASE WHEN q.tuning <> '{}' AND NOT p.is_tuning THEN 'waiting' ELSE 'chosen' END,"
        " state = CASE state WHEN 'pruned' THEN 'queued' ELSE state END"
        " FROM planned_trial AS p JOIN planned_point AS q USING (point)"
        " WHERE trial.sweep_id = ? AND p.config_id = trial.config_id AND p.seed = trial.seed"
        " AND (in_plan <> 1 OR (trial.plan_order, trial.setting, trial.setting_label, trial.tuning,"
        "  trial.is_tuning) <> (p.plan_order, q.setting, q.setting_label, q.tuning, p.is_tuning))";
    /* Numbers go on behind those of deleted trials, whose files may still lie in the folder. */
    static const char add[] =
        "WITH last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),"
        " ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id) "
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, in_plan, plan_order, setting,"
        " setting_label, tuning, is_tuning, choice, chance)"
        " SELECT (SELECT id FROM last) + row_number() OVER (ORDER BY p.plan_order),"
        " ?1, p.config_id, p.seed, 1, p.plan_order,"
        " q.setting, q.setting_label, q.tuning, p.is_tuning, CASE WHEN q.tuning <> '{}' AND NOT"
        " p.is_tuning THEN 'waiting' ELSE 'chosen' END, c.chance"
        " FROM planned_trial AS p JOIN planned_point AS q USING (point)"
        " JOIN config AS c ON c.config_id = p.config_id WHERE NOT EXISTS (SELECT 1 FROM trial AS t"
        " WHERE t.sweep_id = ?1 AND t.config_id = p.config_id AND t.seed = p.seed)"
        " ORDER BY p.plan_order";
    const char *const statements[] = {leave, keep, add};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof statements / sizeof *statements; i++)
        status = store_execute(g->s, "recording the plan", statements[i],
                               VALUES(INTEGER(g->changes->sweep_id)), NULL, g->m);
    return status == STATUS_OK ? store_settle(g->s, g->changes->sweep_id, g->m) : status;
}

static enum status plan_within(struct planning *g, bool replace)
{
    write_claim(g);
    enum status status = write_tune(g);
    if (status == STATUS_OK)
        status = find_sweep(g);
    if (status == STATUS_OK && !g->same_plan)
        status = change_plan(g, replace);
    if (status == STATUS_OK)
        status = write_sweep(g);
    if (status == STATUS_OK && !g->same_plan)
        status = write_trials(g);
    if (status == STATUS_OK && !g->same_plan)
        status = store_script(g->s, "loading the plan", NO_TABLES, g->m);
    return status;
}

enum status store_plan(struct store *s, const struct plan *p, bool replace,
                       struct plan_changes *changes, struct message *m)
{
    struct planning g = {.s = s, .p = p, .changes = changes, .m = m};
    *changes = (struct plan_changes){0};
    enum status status = store_enter(s, m);
    return status == STATUS_OK ? store_leave(s, plan_within(&g, replace), m) : status;
}
