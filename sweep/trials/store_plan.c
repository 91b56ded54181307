#include "sweep/trials/store_plan.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/encoder_cost.h"

/* The plan as two temporary tables, so that it can be held against the stored trials by SQL. */
static const char TABLES[] =
    "CREATE TEMP TABLE planned_point (point INTEGER PRIMARY KEY, config_id INTEGER, setting TEXT,"
    " setting_label TEXT, tuning TEXT, replicate TEXT);"
    "CREATE TEMP TABLE planned_trial (config_id INTEGER, seed INTEGER, plan_order INTEGER,"
    " is_tuning INTEGER, point INTEGER, look INTEGER, PRIMARY KEY (config_id, seed)) WITHOUT ROWID";
static const char NO_TABLES[] = "DROP TABLE planned_trial; DROP TABLE planned_point";

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
    if (plan_config(p)->replicate)
        sha256_update(digest, t->of.replicate, strlen(t->of.replicate) + 1);
}

static struct plan_trial describe_trial(const struct plan *p, long k, struct sha256 *digest)
{
    struct plan_trial t = plan_trial(p, k);
    int64_t words[] = {t.point, t.seed, t.tuning, t.look};
    /* Without looks as before there were any, so that a file that was planned then is known. */
    sha256_update(digest, words, (plan_config(p)->looks ? 4 : 3) * sizeof *words);
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
        status = store_repeat(&st->note,
                              VALUES(INTEGER(i), INTEGER(id), TEXT(t.of.setting), TEXT(t.of.label),
                                     TEXT(t.of.tuning), TEXT(t.of.replicate)));
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
        store_rows(g->s, doing, "INSERT INTO planned_point VALUES (?, ?, ?, ?, ?, ?)", NO_VALUES,
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
                                    "INSERT INTO planned_trial SELECT config_id, ?2, ?3, ?4, point,"
                                    " ?5 FROM planned_point WHERE point = ?1",
                                    NO_VALUES, g->m);
    for (long k = 0; insert.status == STATUS_OK && k < plan_trials(g->p); k++) {
        struct plan_trial t = describe_trial(g->p, k, digest);
        store_repeat(&insert, VALUES(INTEGER(t.point), INTEGER(t.seed), INTEGER(k),
                                     INTEGER(t.tuning), INTEGER(t.look)));
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

static enum status find_sweep(struct planning *g)
{
    char stored[65];
    enum status status = plan_find_sweep(g, stored);
    if (status != STATUS_OK || !g->changes->sweep_id)
        return status;
    fingerprint(g);
    /* The number too: somebody may have removed trials with sqlite3. */
    g->same_plan = strcmp(stored, g->plan_sha256) == 0 && g->in_plan == plan_trials(g->p);
    return STATUS_OK;
}

/* Where the plan is another one. */
static enum status count_changes(struct planning *g)
{
    struct plan_changes *changes = g->changes;
    struct rows r =
        store_rows(g->s, "comparing the plan",
                   "SELECT count(*) FILTER (WHERE t.trial_id IS NULL),"
                   " count(*) FILTER (WHERE t.in_plan AND NOT t.added AND NOT t.confirms),"
                   " count(*) FILTER (WHERE NOT t.in_plan OR t.added OR t.confirms),"
                   " count(*) FILTER (WHERE t.state = 'completed')"
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

static enum status refuse_stranger(struct store *s, const struct plan *p, struct message *m)
{
    bool stranger = false;
    const struct config *c = plan_config(p);
    enum status status = store_stranger(s, p, &stranger, m);
    if (status == STATUS_OK && stranger)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s: %s already holds a different sweep \"%s\" (no points in common); use another "
            "`name`, or --replace to take the old points out of the plan (their results stay)",
            c->path, s->path, c->name);
    return status;
}

/* The metric has chosen the best step of every trial that ran, and with it what was tested. */
static enum status refuse_other_metric(struct store *s, const struct plan *p, struct message *m)
{
    int64_t begun = 0;
    const struct config *c = plan_config(p);
    enum status status = store_other_metric(s, c->name, c->metric, &begun, m);
    if (status == STATUS_OK && begun > 0)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s: the metric is %s, but the best steps of %s of sweep \"%s\" in %s were "
            "chosen by another one; put that one back, or give the sweep another `name`",
            c->path, metric_name(c->metric), text_counted(begun, "trial").text, c->name, s->path);
    return status;
}

enum status store_refuse_plan(struct store *s, const struct plan *p, bool replace,
                              struct message *m)
{
    enum status status = replace ? STATUS_OK : store_data_changed(s, p, m);
    if (status == STATUS_OK && !replace)
        status = refuse_stranger(s, p, m);
    return status == STATUS_OK ? refuse_other_metric(s, p, m) : status;
}

/* What is planned, beside what is stored: counted, and refused where the two do not go together. */
static enum status change_plan(struct planning *g, bool replace)
{
    enum status status = load(g);
    if (status == STATUS_OK)
        status = count_changes(g);
    if (status == STATUS_OK && g->changes->sweep_id)
        status = store_refuse_plan(g->s, g->p, replace, g->m);
    if (status == STATUS_OK && g->changes->sweep_id)
        status = plan_describe_change(g);
    return status;
}

/* ---- writing ---- */

/* Until store_settle knows better. */
#define CHOICE                                                                                     \
    "CASE WHEN (q.tuning <> '{}' AND NOT p.is_tuning) OR p.look > 1"                               \
    " THEN 'waiting' ELSE 'chosen' END"

static enum status write_trials(struct planning *g)
{
    static const char leave[] =
        "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1 AND confirms = 0 AND NOT "
        "EXISTS (SELECT 1"
        " FROM planned_trial AS p WHERE p.config_id = trial.config_id AND p.seed = trial.seed)";
    static const char keep[] =
        "UPDATE trial SET in_plan = 1, plan_order = p.plan_order, setting = q.setting,"
        " setting_label = q.setting_label, tuning = q.tuning, is_tuning = p.is_tuning,"
        " replicate = q.replicate, look = p.look, added = 0, confirms = 0, until = NULL, choice "
        "= " CHOICE ","
        " state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END"
        " FROM planned_trial AS p JOIN planned_point AS q USING (point)"
        " WHERE trial.sweep_id = ? AND p.config_id = trial.config_id AND p.seed = trial.seed"
        " AND (in_plan <> 1 OR added > 0 OR confirms = 1 OR (trial.plan_order, trial.setting, "
        "trial.setting_label, "
        "trial.tuning,"
        "  trial.is_tuning, trial.replicate, trial.look) <> (p.plan_order, q.setting,"
        "  q.setting_label, q.tuning, p.is_tuning, q.replicate, p.look))";
    /* Numbers go on behind those of deleted trials, whose files may still lie in the folder. */
    static const char add[] =
        "WITH last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),"
        " ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id) "
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, in_plan, plan_order, setting,"
        " setting_label, tuning, is_tuning, replicate, look, choice, chance)"
        " SELECT (SELECT id FROM last) + row_number() OVER (ORDER BY p.plan_order),"
        " ?1, p.config_id, p.seed, 1, p.plan_order,"
        " q.setting, q.setting_label, q.tuning, p.is_tuning, q.replicate, p.look, " CHOICE ","
        " c.chance"
        " FROM planned_trial AS p JOIN planned_point AS q USING (point)"
        " JOIN config AS c ON c.config_id = p.config_id WHERE NOT EXISTS (SELECT 1 FROM trial AS t"
        " WHERE t.sweep_id = ?1 AND t.config_id = p.config_id AND t.seed = p.seed)"
        " ORDER BY p.plan_order";
    /* Members that have left the plan keep the setting that they had. */
    static const char follow[] =
        "UPDATE OR REPLACE ensemble SET setting = ifnull((SELECT t.setting FROM json_each(trials)"
        " JOIN trial AS t ON t.trial_id = value WHERE t.in_plan = 1 LIMIT 1), setting)"
        " WHERE sweep_id = ?";
    const char *const statements[] = {leave, keep, add, follow};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof statements / sizeof *statements; i++)
        status = store_execute(g->s, "recording the plan", statements[i],
                               VALUES(INTEGER(g->changes->sweep_id)), NULL, g->m);
    return status;
}

/* Choices and looks are taken anew: what they were taken by may be another one. */
static enum status settle_anew(struct planning *g)
{
    const struct value sweep[] = {INTEGER(g->changes->sweep_id)};
    enum status status = store_execute(g->s, "settling the looks",
                                       "DELETE FROM look WHERE sweep_id = ?", sweep, 1, NULL, g->m);
    if (status == STATUS_OK)
        status = store_confirm_forget(g->s, g->changes->sweep_id, g->m);
    return status == STATUS_OK ? store_settle(g->s, g->changes->sweep_id, g->m) : status;
}

static enum status plan_within(struct planning *g, bool replace)
{
    const struct config *c = plan_config(g->p);
    enum status status = plan_write_texts(g);
    if (status == STATUS_OK)
        status = find_sweep(g);
    if (status == STATUS_OK && !g->same_plan)
        status = change_plan(g, replace);
    if (status == STATUS_OK)
        status = plan_write_sweep(g);
    if (status == STATUS_OK)
        status = plan_write_data(g);
    if (status == STATUS_OK && !g->same_plan)
        status = write_trials(g);
    if (status == STATUS_OK)
        status = plan_write_shard(g);
    if (status == STATUS_OK && !(g->same_plan && g->same_question))
        status = settle_anew(g);
    else if (status == STATUS_OK && c->extend) /* as `exclude` may be another */
        status = store_settle(g->s, g->changes->sweep_id, g->m);
    if (status == STATUS_OK && c->confirm)
        status = store_refuse_confirm(g->s, g->changes->sweep_id, c, g->m);
    if (status == STATUS_OK)
        status = plan_record_change(g);
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
    if (status == STATUS_OK)
        status = store_leave(s, plan_within(&g, replace), m);
    free(g.what);
    return status;
}
