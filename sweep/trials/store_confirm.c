/* confirm: once the exploring trials of a setting have ended, its candidate is written down as a
 * claim (a row of plan_change), and the head counts that it names get trials on fresh seeds. What
 * these are to do is a function of that row. A claim is about configurations. It holds in the
 * setting in which the plan explores all of them, whatever that is called by then; a claim that
 * holds nowhere keeps its trials outside the plan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "confirming a finding";

/* ---- rows of plan_change ---- */

void store_refuse_confirm(struct scope *x, int64_t sweep_id, const struct config *c)
{
    enum { WRITTEN, INSTANCES, SEEDS, SAME };
    struct rows *r = scope_query(x, DOING, sql_other_confirmation, VALUES(INTEGER(sweep_id)));
    if (scope_next(x, r) && !rows_integer(r, SAME)) {
        bool instances = !rows_null(r, INSTANCES);
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: the confirmation of sweep \"%s\" was fixed at %s with %" PRId64
                   " fresh %s, which cannot change; put the old `confirm` back, or give the "
                   "sweep another `name`",
                   c->path, c->name, scope_given(x, r, WRITTEN),
                   rows_integer(r, instances ? INSTANCES : SEEDS),
                   instances ? "instances" : "seeds");
    }
    scope_close(x, r);
}

void store_confirm_forget(struct scope *x, int64_t sweep_id)
{
    scope_run(x, DOING,
              "DELETE FROM plan_change WHERE sweep_id = ? AND by = 'confirm' AND claim IS NULL",
              VALUES(INTEGER(sweep_id)));
}

enum status store_confirm_due(struct store *s, int64_t sweep_id, char setting[PLAN_TEXT_MAX],
                              bool *due, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *due = false;
    if (scope_enter(x)) {
        struct rows *r = scope_query(x, DOING, sql_confirm_due, VALUES(INTEGER(sweep_id)));
        *due = scope_next(x, r);
        if (*due)
            rows_copy(r, 0, setting, PLAN_TEXT_MAX);
    }
    return scope_end(x);
}

/* ---- trials on fresh seeds ---- */

/* One configuration of each head count, by the first of its trials. */
struct explored {
    int64_t trial_id, config_id;
    char *json;
    bool claimed; /* its fresh trials are needed */
};

struct confirming {
    struct scope *x;
    int64_t sweep_id, row; /* row: of plan_change */
    const char *setting;
    int64_t seeds, order; /* of each instance; the place of the first trial in the plan */
    size_t count;
    struct explored *explored; /* (count), in the order of the plan */
};

static void read_explored(struct confirming *c)
{
    struct rows *r = scope_query(c->x, DOING, sql_explored,
                                 VALUES(INTEGER(c->sweep_id), INTEGER(c->row), TEXT(c->setting)));
    for (; scope_next(c->x, r); c->count++) {
        c->explored = arena_grow(&c->x->arena, c->explored, c->count, sizeof *c->explored);
        c->explored[c->count] = (struct explored){.trial_id = rows_integer(r, 0),
                                                  .config_id = rows_integer(r, 1),
                                                  .json = scope_given(c->x, r, 2),
                                                  .claimed = rows_integer(r, 3) != 0};
    }
}

static void add_seeds(struct confirming *c, const struct explored *e, int64_t config_id,
                      const char *replicate, int64_t order)
{
    scope_run(c->x, DOING, sql_add_fresh,
              VALUES(INTEGER(e->trial_id), INTEGER(config_id), INTEGER(CONFIG_FRESH_SEED),
                     INTEGER(c->seeds), INTEGER(order), INTEGER((int64_t)c->count), TEXT(replicate),
                     INTEGER(e->claimed)));
}

/* The same configuration on another instance. */
static void add_instance(struct confirming *c, const struct explored *e, int64_t instance,
                         int64_t order)
{
    char replicate[64], json[POINT_JSON_MAX], sha256[65];
    struct point point;
    snprintf(replicate, sizeof replicate, "{\"task.instance\":%" PRId64 "}", instance);
    scope_check(c->x, point_parse(e->json, &point, c->x->message));
    scope_check(c->x, point_set(&point, replicate, c->x->message));
    sha256_hex(json, (size_t)point_json(&point, json), sha256);
    add_seeds(c, e, store_add_config(c->x, e->config_id, sha256, json), replicate, order);
}

/* Of all head counts on one instance; NULL: there are none. */
static void add_round(struct confirming *c, const struct rows *instance, int64_t round)
{
    int64_t heads = (int64_t)c->count, order = c->order + round * c->seeds * heads;
    for (size_t i = 0; i < c->count; i++, order++)
        if (instance)
            add_instance(c, &c->explored[i], rows_integer(instance, 0), order);
        else
            add_seeds(c, &c->explored[i], c->explored[i].config_id, NULL, order);
}

/* Of all head counts of the setting in which a row of plan_change holds. */
static void add_trials(struct confirming *c)
{
    const struct value row[] = {INTEGER(c->row)};
    int64_t rounds = 0;
    c->seeds = scope_number(
        c->x, DOING, "SELECT what ->> '$.confirm.seeds' FROM plan_change WHERE plan_change_id = ?",
        row, 1);
    c->order = scope_number(c->x, DOING,
                            "SELECT max(plan_order) + 1 FROM trial WHERE sweep_id = ?"
                            " AND in_plan = 1 AND confirms = 0",
                            VALUES(INTEGER(c->sweep_id)));
    read_explored(c);
    struct rows *r = scope_query(c->x, DOING,
                                 "SELECT value FROM plan_change,"
                                 " json_each(what, '$.confirm.instances')"
                                 " WHERE plan_change_id = ? ORDER BY key",
                                 row, 1);
    while (scope_next(c->x, r))
        add_round(c, r, rounds++);
    if (rounds == 0)
        add_round(c, NULL, 0);
}

/* ---- which trials are needed ---- */

/* Puts those of the settings where something holds back into the plan. */
static void add_holding(struct scope *x, int64_t sweep_id, const char *setting)
{
    struct rows *r =
        scope_query(x, DOING, sql_confirmations_here, VALUES(INTEGER(sweep_id), TEXT(setting)));
    while (scope_next(x, r)) {
        struct confirming c = {.x = x,
                               .sweep_id = sweep_id,
                               .row = rows_integer(r, 0),
                               .setting = scope_given(x, r, 1)};
        add_trials(&c);
    }
}

void store_settle_confirm(struct scope *x, int64_t sweep_id, const char *setting)
{
    const struct value values[] = {INTEGER(sweep_id), TEXT(setting)};
    if (!scope_number(x, DOING,
                      "SELECT EXISTS (SELECT 1 FROM plan_change WHERE sweep_id = ?1"
                      " AND by = 'confirm') OR EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?1"
                      " AND confirms = 1)",
                      values, 1))
        return;
    scope_run(x, DOING, sql_name_configs, values, 1);
    scope_run(x, DOING, sql_call_by_setting, values, 1);
    scope_run(x, DOING, sql_forget_open, values, 1);
    scope_run(x, DOING,
              "UPDATE trial SET in_plan = 0 WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 1"
              " AND (?2 IS NULL OR setting = ?2)",
              values, 2);
    add_holding(x, sweep_id, setting);
}

/* ---- what could be seen ---- */

static void note_seen(struct scope *x, int64_t sweep_id, int64_t plan_change_id,
                      const char *results)
{
    store_note_alike(x);
    scope_run(x, DOING, store_with_results(x, sql_note_seen, results),
              VALUES(INTEGER(sweep_id), INTEGER(plan_change_id)));
    store_note_similar(x, sweep_id, plan_change_id, results);
}

void store_confirm_seen(struct scope *x, int64_t sweep_id, const char *results)
{
    struct rows *r = scope_query(x, DOING,
                                 "SELECT plan_change_id FROM plan_change WHERE sweep_id = ?"
                                 " AND by = 'confirm' AND claim IS NOT NULL"
                                 " ORDER BY plan_change_id",
                                 VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r))
        note_seen(x, sweep_id, rows_integer(r, 0), results);
}

/* ---- writing it down ---- */

static void write_claim(const struct confirm_claim *claim, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "{\"best\":%" PRId64 ",\"over\":[", claim->best);
    for (int i = 0; i < claim->over_count; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? "," : "", claim->over[i]);
    snprintf(text + used, size - used, "]}");
}

static void confirm(struct scope *x, int64_t sweep_id, const char *setting, const char *kind,
                    const struct confirm_claim *claim)
{
    struct confirming c = {.x = x, .sweep_id = sweep_id, .setting = setting};
    char text[160];
    if (claim)
        write_claim(claim, text, sizeof text);
    scope_run(x, DOING, sql_write_confirmation,
              VALUES(INTEGER(sweep_id), TEXT(setting), TEXT(kind), TEXT(claim ? text : NULL)));
    c.row = scope_number(x, DOING, "SELECT max(plan_change_id) FROM plan_change", NO_VALUES);
    add_trials(&c);
    if (claim)
        note_seen(x, sweep_id, c.row, sql_results);
}

enum status store_confirm(struct store *s, int64_t sweep_id, const char *setting, const char *kind,
                          const struct confirm_claim *claim, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        confirm(x, sweep_id, setting, kind, claim);
    }
    return scope_commit(x);
}
