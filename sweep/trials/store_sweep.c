#include "sweep/trials/store_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static enum status write_paths(struct planning *g, const char *key, const char **path, int count,
                               char text[PATHS_SIZE])
{
    size_t used = (size_t)snprintf(text, PATHS_SIZE, "[");
    for (int i = 0; i < count && used < PATHS_SIZE; i++)
        used += (size_t)snprintf(text + used, PATHS_SIZE - used, "%s\"%s\"", i ? "," : "", path[i]);
    if (used + 2 > PATHS_SIZE)
        return status_fail(g->m, STATUS_BAD_INPUT, "%s: `%s` names too many axes",
                           plan_config(g->p)->path, key);
    memcpy(text + used, "]", 2);
    return STATUS_OK;
}

/* LOOKS_SIZE is enough for CONFIG_LOOKS_MAX numbers. */
static void write_looks(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    int used = snprintf(g->looks, sizeof g->looks, "[");
    for (int i = 0; i < c->looks; i++)
        used += snprintf(g->looks + used, sizeof g->looks - (size_t)used, "%s%" PRId64,
                         i ? "," : "", c->look[i]);
    snprintf(g->looks + used, sizeof g->looks - (size_t)used, "]");
}

/* CONFIRM_SIZE is enough for a thousand instances. */
static void write_confirm(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    char *text = g->confirm;
    size_t used = 0;
    for (int64_t i = 0; c->replicate && i < c->confirm; i++)
        used += (size_t)snprintf(text + used, CONFIRM_SIZE - used, "%s%" PRId64,
                                 i ? "," : "{\"instances\":[", c->confirm_instance[i]);
    if (c->confirm)
        snprintf(text + used, CONFIRM_SIZE - used, "%s\"seeds\":%" PRId64 "}",
                 c->replicate ? "]," : "{", config_fresh_seeds(c));
}

enum status plan_write_texts(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    g->claim = plan_claim(g->p);
    write_looks(g);
    write_confirm(g);
    if (c->rung_eta)
        snprintf(g->rungs, sizeof g->rungs, "{\"eta\":%" PRId64 ",\"min_steps\":%" PRId64 "}",
                 c->rung_eta, c->rung_min_steps);
    enum status status = write_paths(g, "tune", c->tune_path, c->tune, g->tune);
    if (status == STATUS_OK)
        status = write_paths(g, "replicate", c->replicate_path, c->replicate, g->replicate);
    return status;
}

/* ---- what is stored ---- */

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
static void take_rules(struct planning *g, const struct rows *r, int first)
{
    static const char *const keys[] = {"tune",        "replicate", "looks",  "rungs",
                                       "equivalence", "extend",    "confirm"};
    size_t used = 0;
    for (int i = 0; i < (int)(sizeof keys / sizeof *keys); i++)
        if (!rows_integer(r, first + i))
            used += (size_t)snprintf(g->rules + used, sizeof g->rules - used, "%s\"%s\"",
                                     used ? "," : "[", keys[i]);
    if (used)
        snprintf(g->rules + used, sizeof g->rules - used, "]");
}

enum status plan_find_sweep(struct planning *g, char plan_sha256[65])
{
    const struct config *c = plan_config(g->p);
    struct rows r = store_rows(
        g->s, "looking for the sweep",
        "SELECT sweep_id, yaml_sha256, claim, plan_sha256,"
        " (SELECT count(*) FROM trial AS t WHERE t.sweep_id = s.sweep_id AND in_plan = 1"
        "  AND added = 0 AND confirms = 0),"
        " (SELECT count(*) FROM trial AS t WHERE t.sweep_id = s.sweep_id AND in_plan = 1"
        "  AND added = 0 AND confirms = 0 AND state = 'completed'),"
        /* version 1.0.0 did not say what its claims were about: they are settled anew */
        " claim IS nullif(?2, '') AND metric = ?8 AND NOT EXISTS (SELECT 1 FROM plan_change AS c"
        "  WHERE c.sweep_id = s.sweep_id AND by = 'confirm' AND what -> '$.configs' IS NULL),"
        " tune = ?3, replicate = ?4, looks = ?5,"
        " rungs IS nullif(?6, ''), equivalence IS ?7, extend IS nullif(?9, 0),"
        " confirm IS nullif(?10, '')"
        " FROM sweep AS s WHERE name = ?1",
        VALUES(TEXT(c->name), TEXT(g->claim), TEXT(g->tune), TEXT(g->replicate), TEXT(g->looks),
               TEXT(g->rungs), equivalence_of(g), TEXT(metric_name(c->metric)), INTEGER(c->extend),
               TEXT(g->confirm)),
        g->m);
    *plan_sha256 = '\0';
    if (rows_next(&r)) {
        g->changes->sweep_id = rows_integer(&r, 0);
        g->changes->changed_text = differs(rows_text(&r, 1), c->sha256);
        g->changes->changed_claim = differs(rows_text(&r, 2), g->claim);
        rows_copy(&r, 3, plan_sha256, 65);
        g->changes->kept = g->in_plan = (long)rows_integer(&r, 4);
        g->changes->completed = (long)rows_integer(&r, 5);
        take_rules(g, &r, 7);
        g->same_question = rows_integer(&r, 6) != 0 && !g->rules[0];
    }
    return rows_close(&r);
}

/* ---- writing ---- */

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

/* The sweep that ran last has the latest of these, also where the clock was set back meanwhile. */
#define LAST_RUN                                                                                   \
    "(SELECT max(" NOW ", coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', max(last_run), "                 \
    "'+0.001 seconds'), '')) FROM sweep)"

enum status plan_write_sweep(struct planning *g)
{
    const struct config *c = plan_config(g->p);
    enum status status = store_integer(
        g->s, "recording the sweep",
        "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune,"
        " claim, replicate, looks, equivalence, rungs, eval, measure, created, last_run,"
        " overrides, drawn, extend, confirm)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, nullif(?, ''), ?,"
        " nullif(?, ''), " NOW ", " LAST_RUN ", '[]', ?, nullif(?, 0), nullif(?, ''))"
        " ON CONFLICT (name) DO UPDATE SET question = excluded.question, yaml = excluded.yaml,"
        " yaml_sha256 = excluded.yaml_sha256, plan_sha256 = excluded.plan_sha256,"
        " metric = excluded.metric, goal = excluded.goal, tune = excluded.tune,"
        " claim = excluded.claim, replicate = excluded.replicate, looks = excluded.looks,"
        " equivalence = excluded.equivalence, rungs = excluded.rungs, extend = excluded.extend,"
        " confirm = excluded.confirm,"
        " eval = excluded.eval, measure = excluded.measure, drawn = excluded.drawn,"
        " last_run = excluded.last_run, overrides = '[]'"
        " RETURNING sweep_id",
        VALUES(TEXT(c->name), TEXT(c->question), TEXT(c->text), TEXT(c->sha256),
               TEXT(g->plan_sha256), TEXT(metric_name(c->metric)), TEXT(metric_goal(c->metric)),
               TEXT(g->tune), TEXT(g->claim), TEXT(g->replicate), TEXT(g->looks), equivalence_of(g),
               TEXT(g->rungs), TEXT(c->eval_json), TEXT(c->measure ? "evals" : ""),
               INTEGER(c->method == METHOD_RANDOM), INTEGER(c->extend), TEXT(g->confirm)),
        0, &g->changes->sweep_id, g->m);
    return status == STATUS_OK ? write_overrides(g) : status;
}
