/* confirm: once the exploring trials of a setting have ended, its candidate is written down as a
 * claim (a row of plan_change), and the head counts that it names get trials on fresh seeds. What
 * these are to do is a function of that row. */
#include "sweep/trials/trials_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"

static const char DOING[] = "confirming a finding";

/* ---- rows of plan_change ---- */

#define WRITTEN                                                                                    \
    "written AS MATERIALIZED (SELECT plan_change_id, setting, claim, what FROM confirmations"      \
    " WHERE sweep_id = ?1)"

enum status store_refuse_confirm(struct store *s, const struct plan *p, const char *confirm,
                                 struct message *m)
{
    static const char sql[] =
        "SELECT changed, json_array_length(what, '$.confirm.instances'), what ->> '$.confirm.seeds'"
        " FROM plan_change JOIN sweep USING (sweep_id) WHERE name = ?1 AND by = 'confirm'"
        " AND plan_change.claim IS NOT NULL"
        " AND coalesce(what -> '$.confirm.instances', what -> '$.confirm.seeds')"
        "  <> coalesce(?2 -> '$.instances', ?2 -> '$.seeds') ORDER BY plan_change_id LIMIT 1";
    const struct config *c = plan_config(p);
    if (!c->confirm)
        return STATUS_OK;
    struct rows r = store_rows(s, DOING, sql, VALUES(TEXT(c->name), TEXT(confirm)), m);
    if (rows_next(&r)) {
        bool instances = !rows_null(&r, 1);
        r.status =
            status_fail(m, STATUS_BAD_INPUT,
                        "%s: the confirmation of sweep \"%s\" was fixed at %s with %" PRId64
                        " fresh %s, which cannot change; put the old `confirm` back, or give the "
                        "sweep another `name`",
                        c->path, c->name, rows_given(&r, 0), rows_integer(&r, instances ? 1 : 2),
                        instances ? "instances" : "seeds");
    }
    return rows_close(&r);
}

enum status store_confirm_forget(struct store *s, int64_t sweep_id, struct message *m)
{
    return store_execute(s, DOING,
                         "DELETE FROM plan_change WHERE sweep_id = ? AND by = 'confirm'"
                         " AND claim IS NULL",
                         VALUES(INTEGER(sweep_id)), NULL, m);
}

/* Where trials are open again that had found nothing to confirm, as after --retry-failed. */
static enum status forget_open(struct store *s, int64_t sweep_id, struct message *m)
{
    return store_execute(s, DOING,
                         "DELETE FROM plan_change AS c WHERE sweep_id = ?1 AND by = 'confirm'"
                         " AND claim IS NULL AND EXISTS (SELECT 1 FROM trial AS t WHERE"
                         "  t.sweep_id = ?1 AND t.setting = c.setting AND t.in_plan = 1"
                         "  AND t.confirms = 0 AND t.state IN ('queued', 'running'))",
                         VALUES(INTEGER(sweep_id)), NULL, m);
}

/* ---- which confirming trials are needed ---- */

enum status store_settle_confirm(struct store *s, int64_t sweep_id, struct message *m)
{
    static const char sql[] =
        "WITH " WRITTEN ", explored AS MATERIALIZED (SELECT DISTINCT setting FROM trial"
        "  WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 0),"
        " asked AS MATERIALIZED (SELECT t.trial_id, w.setting IS NOT NULL"
        "   AND (SELECT confirm FROM sweep WHERE sweep_id = ?1) IS NOT NULL"
        "   AND t.setting IN (SELECT setting FROM explored) AS planned,"
        "  coalesce((f.heads = claim ->> '$.best'"
        "    OR f.heads IN (SELECT value FROM json_each(claim, '$.over')))"
        "   AND t.tuning = what -> ('$.tuning.\"' || f.heads || '\"'), 0) AS named"
        "  FROM trial AS t JOIN config AS f USING (config_id) LEFT JOIN written AS w USING "
        "(setting)"
        "  WHERE t.sweep_id = ?1 AND t.confirms = 1) "
        "UPDATE trial SET in_plan = planned, choice = iif(named, 'chosen', 'eliminated'),"
        " state = CASE WHEN state = 'queued' AND NOT named THEN 'not_needed'"
        "  WHEN state = 'not_needed' AND named THEN 'queued' ELSE state END"
        " FROM asked WHERE trial.trial_id = asked.trial_id";
    int64_t any = 0;
    enum status status = store_integer(
        s, DOING,
        "SELECT EXISTS (SELECT 1 FROM plan_change WHERE sweep_id = ?1 AND by = 'confirm')"
        " OR EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?1 AND confirms = 1)",
        VALUES(INTEGER(sweep_id)), 0, &any, m);
    if (status == STATUS_OK && any)
        status = forget_open(s, sweep_id, m);
    if (status == STATUS_OK && any)
        status = store_execute(s, DOING, sql, VALUES(INTEGER(sweep_id)), NULL, m);
    return status;
}

enum status store_confirm_due(struct store *s, int64_t sweep_id, char setting[PLAN_TEXT_MAX],
                              bool *due, struct message *m)
{
    static const char sql[] =
        "SELECT setting FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0"
        " AND confirms = 0"
        " AND setting NOT IN (SELECT setting FROM plan_change WHERE sweep_id = ?1"
        "  AND by = 'confirm')"
        " AND setting NOT IN (SELECT setting FROM trial WHERE sweep_id = ?1 AND in_plan = 1"
        "  AND confirms = 0 AND state IN ('queued', 'running'))"
        " AND (SELECT confirm FROM sweep WHERE sweep_id = ?1) IS NOT NULL"
        " ORDER BY plan_order LIMIT 1";
    struct rows r = store_rows(s, DOING, sql, VALUES(INTEGER(sweep_id)), m);
    *due = rows_next(&r);
    if (*due)
        rows_copy(&r, 0, setting, PLAN_TEXT_MAX);
    return rows_close(&r);
}

/* ---- what could be seen ---- */

/* Of each claim that counts: its trials, and those of them that had results by then. */
static enum status note_seen(struct store *s, int64_t sweep_id, int64_t plan_change_id,
                             const char *results, struct message *m)
{
    struct text_buffer sql = {0};
    text_add(&sql,
             "WITH newest AS MATERIALIZED (SELECT plan_change_id, changed, setting FROM plan_change"
             "  WHERE plan_change_id = ?2), wanted AS MATERIALIZED (SELECT config_id, seed"
             "  FROM trial WHERE sweep_id = ?1 AND confirms = 1 AND in_plan = 1"
             "   AND choice = 'chosen' AND setting = (SELECT setting FROM newest)),"
             " result AS (%s), known AS (SELECT config_id, seed FROM result"
             "  WHERE (config_id, seed) IN (SELECT config_id, seed FROM wanted)"
             "  UNION SELECT other, seed FROM result JOIN alike USING (config_id)"
             "  WHERE (other, seed) IN (SELECT config_id, seed FROM wanted)),"
             " total AS (SELECT (SELECT count(*) FROM wanted) AS pairs,"
             "  (SELECT count(*) FROM known) AS seen) "
             "UPDATE plan_change SET pairs = total.pairs, added = total.pairs,"
             " seen = max(plan_change.seen, total.seen) FROM total WHERE plan_change_id = ?2",
             results);
    enum status status = store_note_alike(s, m);
    if (status == STATUS_OK)
        status = sql.out_of_memory
                     ? status_no_memory(m, "a statement")
                     : store_execute(s, DOING, sql.text,
                                     VALUES(INTEGER(sweep_id), INTEGER(plan_change_id)), NULL, m);
    free(sql.text);
    return status == STATUS_OK ? store_note_similar(s, sweep_id, plan_change_id, results, m)
                               : status;
}

enum status store_confirm_seen(struct store *s, int64_t sweep_id, const char *results,
                               struct message *m)
{
    struct rows r = store_rows(s, DOING,
                               "WITH " WRITTEN " SELECT plan_change_id FROM written"
                               " WHERE claim IS NOT NULL ORDER BY plan_change_id",
                               VALUES(INTEGER(sweep_id)), m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = note_seen(s, sweep_id, rows_integer(&r, 0), results, m);
    return rows_close_after(&r, status);
}

/* ---- trials on fresh seeds ---- */

/* One chosen configuration of each head count, by the first of its trials. */
struct explored {
    int64_t trial_id, config_id;
    char *json;
};

struct confirming {
    struct store *s;
    struct message *m;
    int64_t sweep_id;
    const char *setting;
    int64_t seeds, order; /* of each instance; the place of the first trial in the plan */
    size_t count;
    struct explored *explored; /* (count), in the order of the plan */
};

static void forget_explored(struct confirming *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->explored[i].json);
    free(c->explored);
}

static enum status read_explored(struct confirming *c)
{
    static const char sql[] =
        "SELECT trial_id, config_id, config_json, min(plan_order) AS place FROM trial"
        " JOIN config USING (config_id) WHERE sweep_id = ? AND setting = ? AND in_plan = 1"
        " AND is_tuning = 0 AND confirms = 0 AND choice = 'chosen' GROUP BY heads ORDER BY place";
    struct rows r =
        store_rows(c->s, DOING, sql, VALUES(INTEGER(c->sweep_id), TEXT(c->setting)), c->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        struct explored *longer = array_grow(c->explored, c->count, sizeof *longer);
        if (longer) {
            c->explored = longer;
            longer[c->count].json = strdup(rows_given(&r, 2));
        }
        if (!longer || !longer[c->count].json) {
            status = status_no_memory(c->m, "the configurations of a setting");
            break;
        }
        longer[c->count].trial_id = rows_integer(&r, 0);
        longer[c->count++].config_id = rows_integer(&r, 1);
    }
    return rows_close_after(&r, status);
}

/* Those that are there from before, of another time or from another file, come back. */
static enum status add_seeds(struct confirming *c, const struct explored *e, int64_t config_id,
                             const char *replicate, int64_t order)
{
    static const char sql[] =
        "WITH RECURSIVE fresh(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM fresh WHERE n + 1 < ?4),"
        " last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),"
        "  ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id) "
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order,"
        " setting, setting_label, tuning, is_tuning, replicate, choice, chance, confirms)"
        " SELECT (SELECT id FROM last) + 1 + n, sweep_id, ?2, ?3 + n, 'not_needed', 1, ?5 + n * ?6,"
        "  setting, setting_label, tuning, 0, ifnull(?7, replicate), 'eliminated', chance, 1"
        "  FROM fresh, trial AS t WHERE t.trial_id = ?1"
        " ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,"
        " plan_order = excluded.plan_order, setting = excluded.setting,"
        " setting_label = excluded.setting_label, tuning = excluded.tuning, is_tuning = 0,"
        " replicate = excluded.replicate, look = 1, choice = excluded.choice, until = NULL,"
        " added = 0, confirms = 1";
    return store_execute(c->s, DOING, sql,
                         VALUES(INTEGER(e->trial_id), INTEGER(config_id),
                                INTEGER(CONFIG_FRESH_SEED), INTEGER(c->seeds), INTEGER(order),
                                INTEGER((int64_t)c->count), TEXT(replicate)),
                         NULL, c->m);
}

/* The same configuration on another instance. */
static enum status add_instance(struct confirming *c, const struct explored *e, int64_t instance,
                                int64_t order)
{
    static const char config[] =
        "INSERT OR IGNORE INTO config (config_sha256, config_json, n_params, flops_per_step,"
        " chance) SELECT ?2, ?3, n_params, flops_per_step, chance FROM config WHERE config_id = ?1";
    char replicate[64], json[POINT_JSON_MAX], sha256[65];
    struct point point;
    int64_t config_id = 0;
    snprintf(replicate, sizeof replicate, "{\"task.instance\":%" PRId64 "}", instance);
    enum status status = point_parse(e->json, &point, c->m);
    if (status == STATUS_OK)
        status = point_set(&point, replicate, c->m);
    if (status != STATUS_OK)
        return status;
    sha256_hex(json, (size_t)point_json(&point, json), sha256);
    status = store_execute(c->s, DOING, config,
                           VALUES(INTEGER(e->config_id), TEXT(sha256), TEXT(json)), NULL, c->m);
    if (status == STATUS_OK)
        status = store_integer(c->s, DOING, "SELECT config_id FROM config WHERE config_sha256 = ?",
                               VALUES(TEXT(sha256)), 0, &config_id, c->m);
    return status == STATUS_OK ? add_seeds(c, e, config_id, replicate, order) : status;
}

/* Of all head counts on one instance; NULL: there are none. */
static enum status add_round(struct confirming *c, const struct rows *instance, int64_t round)
{
    enum status status = STATUS_OK;
    int64_t heads = (int64_t)c->count, order = c->order + round * c->seeds * heads;
    for (size_t i = 0; i < c->count && status == STATUS_OK; i++, order++)
        status = instance ? add_instance(c, &c->explored[i], rows_integer(instance, 0), order)
                          : add_seeds(c, &c->explored[i], c->explored[i].config_id, NULL, order);
    return status;
}

static enum status add_rounds(struct confirming *c)
{
    struct rows r = store_rows(c->s, DOING,
                               "SELECT value FROM sweep, json_each(confirm, '$.instances')"
                               " WHERE sweep_id = ? ORDER BY key",
                               VALUES(INTEGER(c->sweep_id)), c->m);
    enum status status = STATUS_OK;
    int64_t rounds = 0;
    while (status == STATUS_OK && rows_next(&r))
        status = add_round(c, &r, rounds++);
    status = rows_close_after(&r, status);
    return status == STATUS_OK && rounds == 0 ? add_round(c, NULL, 0) : status;
}

/* Of all head counts: those that the claim does not name are not needed. */
static enum status add_trials(struct confirming *c)
{
    const struct value sweep[] = {INTEGER(c->sweep_id)};
    enum status status =
        store_integer(c->s, DOING, "SELECT confirm ->> '$.seeds' FROM sweep WHERE sweep_id = ?",
                      sweep, 1, 0, &c->seeds, c->m);
    if (status == STATUS_OK)
        status = store_integer(c->s, DOING,
                               "SELECT max(plan_order) + 1 FROM trial WHERE sweep_id = ?"
                               " AND in_plan = 1 AND confirms = 0",
                               sweep, 1, 0, &c->order, c->m);
    if (status == STATUS_OK)
        status = read_explored(c);
    if (status == STATUS_OK)
        status = add_rounds(c);
    forget_explored(c);
    return status;
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

/* The plan itself has stayed what it was. */
static enum status write_row(struct confirming *c, const char *kind, const char *claim)
{
    static const char sql[] =
        "INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what,"
        " claim, seen, seen_outside, trials_ended, by, setting) SELECT ?1, " NOW ","
        " (SELECT pairs_sha256 FROM plan_change WHERE sweep_id = ?1 AND by = 'file'"
        "   ORDER BY plan_change_id DESC LIMIT 1), 0, 0, 0,"
        " json_object('kind', ?3, 'confirm', json(confirm), 'tuning',"
        "  (SELECT json(json_group_object(CAST(heads AS TEXT), json(tuning))) FROM"
        "   (SELECT DISTINCT heads, tuning FROM trial JOIN config USING (config_id)"
        "     WHERE sweep_id = ?1 AND setting = ?2 AND in_plan = 1 AND is_tuning = 0"
        "      AND confirms = 0 AND choice = 'chosen' ORDER BY heads))),"
        " ?4, 0, 0, (SELECT count(*) FROM trial WHERE sweep_id = ?1"
        "   AND state IN ('completed', 'diverged', 'failed')), 'confirm', ?2"
        " FROM sweep WHERE sweep_id = ?1";
    return store_execute(c->s, DOING, sql,
                         VALUES(INTEGER(c->sweep_id), TEXT(c->setting), TEXT(kind), TEXT(claim)),
                         NULL, c->m);
}

enum status store_confirm(struct store *s, int64_t sweep_id, const char *setting, const char *kind,
                          const struct confirm_claim *claim, struct message *m)
{
    struct confirming c = {.s = s, .m = m, .sweep_id = sweep_id, .setting = setting};
    char text[160];
    int64_t row = 0;
    if (claim)
        write_claim(claim, text, sizeof text);
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = write_row(&c, kind, claim ? text : NULL);
    if (status == STATUS_OK)
        status = store_integer(s, DOING, "SELECT max(plan_change_id) FROM plan_change", NO_VALUES,
                               0, &row, m);
    if (status == STATUS_OK)
        status = add_trials(&c);
    if (status == STATUS_OK)
        status = store_settle_confirm(s, sweep_id, m);
    if (status == STATUS_OK && claim)
        status = note_seen(s, sweep_id, row, STORE_RESULTS, m);
    return store_leave(s, status, m);
}
