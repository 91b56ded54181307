/* Planning: what a sweep file asks for, held against what the file has of it, and written down. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/encoder_cost.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/trials_internal.h"

struct planning {
    struct scope *x;
    const struct plan *p;
    struct plan_changes *changes;
    char plan_sha256[65]; /* of everything that decides about rows of `trial` */
    /* As they stand in `sweep`; "" for NULL. */
    const char *claim, *tune, *replicate, *looks, *rungs, *confirm;
    long in_plan;       /* trials that the file listed, before */
    bool same_plan;     /* the rows of `trial` are as they should be */
    bool same_question; /* what is chosen and judged is so by the same rules */
    const char *rules;  /* the keys among tune, replicate, looks, rungs, equivalence, extend and
                           confirm that have changed: ["looks"]; "" for none */
    const char *what;   /* plan_change.what; NULL: nothing to compare with */
    bool history;       /* the change is recorded in plan_change */
};

/* ---- points ---- */

static int64_t insert_config(struct planning *g, struct rows *insert, long i, const char *json,
                             const char *sha256)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    plan_point(g->p, i, &point);
    scope_check(g->x, point_check(&point, &io, &shape, NULL, g->x->message));
    scope_repeat(g->x, insert,
                 VALUES(TEXT(sha256), TEXT(json), INTEGER(encoder_parameters(&point.model, &io)),
                        REAL(encoder_step_flops(&point.model, &io, (long)point.train.batch)),
                        REAL(shape.chance)));
    return sqlite3_last_insert_rowid(g->x->store->db);
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

static void load_points(struct planning *g, struct sha256 *digest)
{
    const char *doing = "loading the plan";
    struct scope *x = g->x;
    struct rows *find =
        scope_query(x, doing, "SELECT config_id FROM config WHERE config_sha256 = ?", NO_VALUES);
    struct rows *insert = scope_query(x, "recording a configuration",
                                      "INSERT INTO config (config_sha256, config_json, n_params,"
                                      " flops_per_step, chance) VALUES (?, ?, ?, ?, ?)",
                                      NO_VALUES);
    struct rows *note =
        scope_query(x, doing, "INSERT INTO planned_point VALUES (?, ?, ?, ?, ?, ?)", NO_VALUES);
    for (long i = 0; i < plan_points(g->p); i++) {
        struct point_text t;
        describe_point(g->p, i, &t, digest);
        int64_t id = scope_find(x, find, VALUES(TEXT(t.sha256)))
                         ? rows_integer(find, 0)
                         : insert_config(g, insert, i, t.json, t.sha256);
        scope_repeat(x, note,
                     VALUES(INTEGER(i), INTEGER(id), TEXT(t.of.setting), TEXT(t.of.label),
                            TEXT(t.of.tuning), TEXT(t.of.replicate)));
    }
    scope_close(x, find);
    scope_close(x, insert);
    scope_close(x, note);
}

/* ---- trials ---- */

static void load_trials(struct planning *g, struct sha256 *digest)
{
    struct rows *insert = scope_query(g->x, "loading the plan",
                                      "INSERT INTO planned_trial SELECT config_id, ?2, ?3, ?4,"
                                      " point, ?5 FROM planned_point WHERE point = ?1",
                                      NO_VALUES);
    for (long k = 0; k < plan_trials(g->p); k++) {
        struct plan_trial t = describe_trial(g->p, k, digest);
        scope_repeat(g->x, insert,
                     VALUES(INTEGER(t.point), INTEGER(t.seed), INTEGER(k), INTEGER(t.tuning),
                            INTEGER(t.look)));
    }
    scope_close(g->x, insert);
}

static void load(struct planning *g)
{
    struct sha256 digest;
    scope_script(g->x, "loading the plan", sql_plan_tables);
    describe_rest(g->p, &digest);
    load_points(g, &digest);
    load_trials(g, &digest);
    sha256_final(&digest, g->plan_sha256);
}

/* ---- texts ---- */

/* ["train.lr"] */
static const char *word_paths(struct planning *g, const char **path, int count)
{
    struct text_buffer text = scope_text(g->x);
    text_add(&text, "[");
    for (int i = 0; i < count; i++)
        text_add(&text, "%s\"%s\"", i ? "," : "", path[i]);
    text_add(&text, "]");
    return text.text;
}

static const char *word_numbers(struct planning *g, const int64_t *number, int64_t count)
{
    struct text_buffer text = scope_text(g->x);
    text_add(&text, "[");
    for (int64_t i = 0; i < count; i++)
        text_add(&text, "%s%" PRId64, i ? "," : "", number[i]);
    text_add(&text, "]");
    return text.text;
}

static void word_texts(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    struct text_buffer rungs = scope_text(g->x), confirm = scope_text(g->x);
    if (c->rung_eta)
        text_add(&rungs, "{\"eta\":%" PRId64 ",\"min_steps\":%" PRId64 "}", c->rung_eta,
                 c->rung_min_steps);
    if (c->confirm && c->replicate)
        text_add(&confirm, "{\"instances\":%s,\"seeds\":%" PRId64 "}",
                 word_numbers(g, c->confirm_instance, c->confirm), config_fresh_seeds(c));
    else if (c->confirm)
        text_add(&confirm, "{\"seeds\":%" PRId64 "}", config_fresh_seeds(c));
    g->claim = plan_claim(g->p);
    g->tune = word_paths(g, c->tune_path, c->tune);
    g->replicate = word_paths(g, c->replicate_path, c->replicate);
    g->looks = word_numbers(g, c->look, c->looks);
    g->rungs = rungs.text ? rungs.text : "";
    g->confirm = confirm.text ? confirm.text : "";
}

/* ---- what is stored, against what is planned ---- */

static bool differs(const char *stored, const char *now)
{
    return strcmp(stored ? stored : "", now) != 0;
}

static struct value equivalence_of(const struct planning *g)
{
    double equivalence = plan_config(g->p)->equivalence;
    return equivalence > 0 ? REAL(equivalence) : TEXT(NULL);
}

/* Reads from column `first` on whether each of these keys is as it was. */
static const char *changed_rules(struct planning *g, const struct rows *r, int first)
{
    static const char *const keys[] = {"tune",        "replicate", "looks",  "rungs",
                                       "equivalence", "extend",    "confirm"};
    struct text_buffer text = scope_text(g->x);
    for (int i = 0; i < (int)(sizeof keys / sizeof *keys); i++)
        if (!rows_integer(r, first + i))
            text_add(&text, "%s\"%s\"", text.used ? "," : "[", keys[i]);
    if (!text.used)
        return "";
    text_add(&text, "]");
    return text.text;
}

/* The number of trials too: somebody may have removed some with sqlite3. */
static void find_sweep(struct planning *g)
{
    enum { SWEEP_ID, YAML_SHA256, CLAIM, PLAN_SHA256, IN_PLAN, COMPLETED, SAME, RULES };
    const struct config *c = plan_config(g->p);
    struct plan_changes *changes = g->changes;
    struct rows *r =
        scope_query(g->x, "looking for the sweep", sql_find_sweep,
                    VALUES(TEXT(c->name), TEXT(g->claim), TEXT(g->tune), TEXT(g->replicate),
                           TEXT(g->looks), TEXT(g->rungs), equivalence_of(g),
                           TEXT(metric_name(c->metric)), INTEGER(c->extend), TEXT(g->confirm)));
    g->rules = "";
    if (!scope_next(g->x, r))
        return;
    changes->sweep_id = rows_integer(r, SWEEP_ID);
    changes->changed_text = differs(rows_text(r, YAML_SHA256), c->sha256);
    changes->changed_claim = differs(rows_text(r, CLAIM), g->claim);
    changes->kept = g->in_plan = (long)rows_integer(r, IN_PLAN);
    changes->completed = (long)rows_integer(r, COMPLETED);
    g->rules = changed_rules(g, r, RULES);
    g->same_question = rows_integer(r, SAME) != 0 && !*g->rules;
    if (g->in_plan == plan_trials(g->p)) {
        fingerprint(g);
        g->same_plan = !differs(rows_text(r, PLAN_SHA256), g->plan_sha256);
    }
    scope_close(g->x, r);
}

/* Where the plan is another one. */
static void count_changes(struct planning *g)
{
    struct plan_changes *changes = g->changes;
    struct rows *r = scope_query(g->x, "comparing the plan", sql_count_changes,
                                 VALUES(INTEGER(changes->sweep_id)));
    if (!scope_next(g->x, r))
        return;
    changes->added = (long)rows_integer(r, 0);
    changes->kept = (long)rows_integer(r, 1);
    changes->returned = (long)rows_integer(r, 2);
    changes->left = g->in_plan - changes->kept;
    changes->completed = (long)rows_integer(r, 3);
    scope_close(g->x, r);
}

static bool is_stranger(struct scope *x, const struct plan *p)
{
    const char *doing = "comparing the plan", *name = plan_config(p)->name;
    char json[POINT_JSON_MAX], sha256[65];
    if (!scope_number(x, doing,
                      "SELECT 1 FROM trial JOIN sweep USING (sweep_id) WHERE name = ?"
                      " AND in_plan = 1 LIMIT 1",
                      VALUES(TEXT(name))))
        return false;
    struct rows *r = scope_query(x, doing,
                                 "SELECT 1 FROM config JOIN trial USING (config_id) JOIN sweep"
                                 " USING (sweep_id) WHERE config_sha256 = ? AND name = ?"
                                 " AND in_plan = 1 LIMIT 1",
                                 NO_VALUES);
    bool common = false;
    for (long i = 0; !common && i < plan_points(p); i++) {
        plan_identity(p, i, json, sha256);
        common = scope_find(x, r, VALUES(TEXT(sha256), TEXT(name)));
    }
    scope_close(x, r);
    return !common;
}

enum status store_stranger(struct store *s, const struct plan *p, bool *stranger, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *stranger = false;
    if (scope_enter(x))
        *stranger = is_stranger(x, p);
    return scope_end(x);
}

/* The metric has chosen the best step of every trial that ran, and with it what was tested. */
static void refuse_other_metric(struct scope *x, const struct plan *p)
{
    const struct config *c = plan_config(p);
    int64_t begun = 0;
    scope_check(x, store_other_metric(x->store, c->name, c->metric, &begun, x->message));
    if (begun > 0)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: the metric is %s, but the best steps of %s of sweep \"%s\" in %s were "
                   "chosen by another one; put that one back, or give the sweep another `name`",
                   c->path, metric_name(c->metric), text_counted(begun, "trial").text, c->name,
                   x->store->path);
}

static void refuse_plan(struct scope *x, const struct plan *p, bool replace)
{
    const struct config *c = plan_config(p);
    if (!replace)
        scope_check(x, store_data_changed(x->store, p, x->message));
    if (!replace && is_stranger(x, p))
        scope_fail(
            x, STATUS_BAD_INPUT,
            "%s: %s already holds a different sweep \"%s\" (no points in common); use another "
            "`name`, or --replace to take the old points out of the plan (their results stay)",
            c->path, x->store->path, c->name);
    refuse_other_metric(x, p);
}

enum status store_refuse_plan(struct store *s, const struct plan *p, bool replace,
                              struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        refuse_plan(x, p, replace);
    return scope_end(x);
}

/* What is planned, beside what is stored: counted, and refused where the two do not go together. */
static void change_plan(struct planning *g, bool replace)
{
    load(g);
    count_changes(g);
    if (!g->changes->sweep_id)
        return;
    refuse_plan(g->x, g->p, replace);
    g->what = scope_string(g->x, "comparing the plan", sql_describe_change,
                           VALUES(INTEGER(g->changes->sweep_id)));
}

/* ---- writing ---- */

static void write_sweep(struct planning *g)
{
    static const char doing[] = "recording the sweep";
    const struct config *c = plan_config(g->p);
    g->changes->sweep_id = scope_number(
        g->x, doing, sql_write_sweep,
        VALUES(TEXT(c->name), TEXT(c->question), TEXT(c->text), TEXT(c->sha256),
               TEXT(g->plan_sha256), TEXT(metric_name(c->metric)), TEXT(metric_goal(c->metric)),
               TEXT(g->tune), TEXT(g->claim), TEXT(g->replicate), TEXT(g->looks), equivalence_of(g),
               TEXT(g->rungs), TEXT(c->eval_json), TEXT(c->measure ? "evals" : ""),
               INTEGER(c->method == METHOD_RANDOM), INTEGER(c->extend), TEXT(g->confirm)));
    for (int i = 0; i < c->sets; i++) /* what --set said this time: it is not in the text */
        scope_run(g->x, doing,
                  "UPDATE sweep SET overrides = json_insert(overrides, '$[#]', ?2)"
                  " WHERE sweep_id = ?1",
                  VALUES(INTEGER(g->changes->sweep_id), TEXT(c->set[i])));
}

static void write_trials(struct planning *g)
{
    const char *const statements[] = {sql_leave_plan, sql_keep_trials, sql_add_trials,
                                      sql_follow_ensembles};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        scope_run(g->x, "recording the plan", statements[i], VALUES(INTEGER(g->changes->sweep_id)));
}

/* Choices and looks are taken anew: what they were taken by may be another one. */
static void settle_anew(struct planning *g)
{
    scope_run(g->x, "settling the looks", "DELETE FROM look WHERE sweep_id = ?",
              VALUES(INTEGER(g->changes->sweep_id)));
    store_confirm_forget(g->x, g->changes->sweep_id);
    store_settle(g->x, g->changes->sweep_id);
}

/* ---- how plans and claims changed: the rows of `plan_change` ---- */

struct newest {
    int64_t id; /* 0: none */
    char pairs_sha256[65];
    bool same_claim;
};

static struct newest find_newest(struct planning *g)
{
    struct newest n = {0};
    struct rows *r = scope_query(g->x, "recording the plan", sql_newest_change,
                                 VALUES(INTEGER(g->changes->sweep_id), TEXT(g->claim)));
    if (scope_next(g->x, r)) {
        n.id = rows_integer(r, 0);
        rows_copy(r, 1, n.pairs_sha256, sizeof n.pairs_sha256);
        n.same_claim = rows_integer(r, 2) != 0;
    }
    scope_close(g->x, r);
    return n;
}

static void record(struct planning *g, const char *pairs_sha256, int64_t added, int64_t removed)
{
    static const char doing[] = "recording the plan";
    int64_t sweep_id = g->changes->sweep_id;
    store_note_alike(g->x);
    scope_run(g->x, doing, sql_record_change,
              VALUES(INTEGER(sweep_id), TEXT(pairs_sha256), INTEGER(plan_trials(g->p)),
                     INTEGER(added), INTEGER(removed), TEXT(g->what ? g->what : "{}"),
                     TEXT(g->claim), TEXT(g->rules)));
    int64_t row =
        scope_number(g->x, doing, "SELECT max(plan_change_id) FROM plan_change", NO_VALUES);
    store_note_similar(g->x, sweep_id, row, sql_results);
}

/* A row where pairs, claim or rules are not those of the newest one. */
static void record_change(struct planning *g)
{
    char sha256[65];
    struct newest newest = find_newest(g);
    bool same_rules = newest.id && newest.same_claim && !*g->rules;
    if (same_rules && g->same_plan)
        return;
    scope_check(g->x, plan_pairs_sha256(g->p, sha256, g->x->message));
    if (same_rules && strcmp(sha256, newest.pairs_sha256) == 0)
        return;
    record(g, sha256, newest.id ? g->changes->added + g->changes->returned : plan_trials(g->p),
           g->changes->left);
}

/* ---- the whole ---- */

static void plan_within(struct planning *g, bool replace)
{
    const struct config *c = plan_config(g->p);
    word_texts(g);
    find_sweep(g);
    if (!g->same_plan)
        change_plan(g, replace);
    write_sweep(g);
    store_write_data(g->x, g->p);
    if (!g->same_plan)
        write_trials(g);
    store_write_shard(g->x, g->p, g->changes->sweep_id, g->same_plan);
    if (!(g->same_plan && g->same_question))
        settle_anew(g);
    else if (c->extend) /* as `exclude` may be another */
        store_settle(g->x, g->changes->sweep_id);
    if (c->confirm)
        store_refuse_confirm(g->x, g->changes->sweep_id, c);
    if (g->history)
        record_change(g);
    if (!g->same_plan)
        scope_script(g->x, "loading the plan",
                     "DROP TABLE planned_trial; DROP TABLE planned_point");
}

enum status store_plan_as(struct store *s, const struct plan *p, bool replace, bool history,
                          struct plan_changes *changes, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *changes = (struct plan_changes){0};
    if (scope_enter(x)) {
        struct planning g = {.x = x, .p = p, .changes = changes, .history = history};
        scope_change(x);
        plan_within(&g, replace);
    }
    return scope_commit(x);
}

enum status store_plan(struct store *s, const struct plan *p, bool replace,
                       struct plan_changes *changes, struct message *m)
{
    return store_plan_as(s, p, replace, true, changes, m);
}
