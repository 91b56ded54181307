/* confirm: once the exploring trials of a setting have ended, its candidate is written down as a
 * claim (a row of plan_change), and the head counts that it names get trials on fresh seeds. What
 * these are to do is a function of that row. A claim is about configurations. It holds in the
 * setting in which the plan explores all of them, whatever that is called by then; a claim that
 * holds nowhere keeps its trials outside the plan. */
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

enum status store_refuse_confirm(struct store *s, int64_t sweep_id, const struct config *c,
                                 struct message *m)
{
    static const char sql[] =
        "SELECT written, json_array_length(what, '$.confirm.instances'),"
        " what ->> '$.confirm.seeds',"
        " max(coalesce(what -> '$.confirm.instances', what -> '$.confirm.seeds')"
        "  = coalesce(confirm -> '$.instances', confirm -> '$.seeds')) OVER ()"
        " FROM confirmations AS c JOIN sweep AS s USING (sweep_id) WHERE sweep_id = ?1"
        " AND c.claim IS NOT NULL AND setting IN (SELECT setting FROM trial"
        "  WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 0)"
        " ORDER BY plan_change_id LIMIT 1";
    struct rows r = store_rows(s, DOING, sql, VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r) && !rows_integer(&r, 3)) {
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

/* ---- where claims hold ---- */

/* Of rows of version 1.0.0, before anything is called otherwise. */
static enum status name_configs(struct store *s, int64_t sweep_id, struct message *m)
{
    return store_execute(s, DOING,
                         "UPDATE plan_change AS c SET what = json_set(what, '$.configs',"
                         "  json(" CLAIMED_CONFIGS ")) WHERE sweep_id = ?1 AND by = 'confirm'"
                         " AND what -> '$.configs' IS NULL",
                         VALUES(INTEGER(sweep_id)), NULL, m);
}

/* What holds nowhere is called after its configurations, as no setting of a plan is. */
static enum status call_by_setting(struct store *s, int64_t sweep_id, struct message *m)
{
    static const char sql[] =
        "WITH " CLAIMS_HOLD " UPDATE plan_change SET setting = n.setting FROM"
        " (SELECT plan_change_id, coalesce(h.setting, what -> '$.configs') AS setting"
        "   FROM plan_change LEFT JOIN holds AS h USING (plan_change_id)"
        "   WHERE sweep_id = ?1 AND by = 'confirm') AS n"
        " WHERE n.plan_change_id = plan_change.plan_change_id AND n.setting <> plan_change.setting";
    enum status status = name_configs(s, sweep_id, m);
    return status == STATUS_OK ? store_execute(s, DOING, sql, VALUES(INTEGER(sweep_id)), NULL, m)
                               : status;
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

/* ---- trials on fresh seeds ---- */

/* One configuration of each head count, by the first of its trials. */
struct explored {
    int64_t trial_id, config_id;
    char *json;
    bool claimed; /* its fresh trials are needed */
};

struct confirming {
    struct store *s;
    struct message *m;
    int64_t sweep_id, row; /* row: of plan_change */
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

/* Where a head count chooses anew, it is still what the claim says. */
static enum status read_explored(struct confirming *c)
{
    static const char sql[] =
        "SELECT trial_id, config_id, config_json, claimed AND (SELECT claim IS NOT NULL"
        "  FROM plan_change WHERE plan_change_id = ?2), min(plan_order) AS place"
        " FROM (SELECT *, " ITS_CONFIG " AS claimed FROM trial JOIN config USING (config_id)"
        "  WHERE sweep_id = ?1 AND setting = ?3 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0)"
        " WHERE claimed OR (choice = 'chosen' AND CAST(heads AS TEXT) NOT IN"
        "  (SELECT key FROM plan_change, json_each(what, '$.configs') WHERE plan_change_id = ?2))"
        " GROUP BY heads ORDER BY place";
    struct rows r = store_rows(
        c->s, DOING, sql, VALUES(INTEGER(c->sweep_id), INTEGER(c->row), TEXT(c->setting)), c->m);
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
        longer[c->count].claimed = rows_integer(&r, 3) != 0;
        longer[c->count++].config_id = rows_integer(&r, 1);
    }
    return rows_close_after(&r, status);
}

/* Those that are there from before, of another time or from another file, come back. A head count
 * that the claim does not name needs none of them. */
static enum status add_seeds(struct confirming *c, const struct explored *e, int64_t config_id,
                             const char *replicate, int64_t order)
{
    static const char sql[] =
        "WITH RECURSIVE fresh(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM fresh WHERE n + 1 < ?4),"
        " last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),"
        "  ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id) "
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order,"
        " setting, setting_label, tuning, is_tuning, replicate, choice, chance, confirms)"
        " SELECT (SELECT id FROM last) + 1 + n, sweep_id, ?2, ?3 + n,"
        "  iif(?8, 'queued', 'not_needed'), 1, ?5 + n * ?6, setting, setting_label, tuning, 0,"
        "  ifnull(?7, replicate), iif(?8, 'chosen', 'eliminated'), chance, 1"
        "  FROM fresh, trial AS t WHERE t.trial_id = ?1"
        " ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,"
        " plan_order = excluded.plan_order, setting = excluded.setting,"
        " setting_label = excluded.setting_label, tuning = excluded.tuning, is_tuning = 0,"
        " replicate = excluded.replicate, look = 1, choice = excluded.choice, until = NULL,"
        " added = 0, confirms = 1, state = iif(state IN ('queued', 'not_needed'), excluded.state,"
        "  state)";
    return store_execute(c->s, DOING, sql,
                         VALUES(INTEGER(e->trial_id), INTEGER(config_id),
                                INTEGER(CONFIG_FRESH_SEED), INTEGER(c->seeds), INTEGER(order),
                                INTEGER((int64_t)c->count), TEXT(replicate), INTEGER(e->claimed)),
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
    struct rows r =
        store_rows(c->s, DOING,
                   "SELECT value FROM plan_change, json_each(what, '$.confirm.instances')"
                   " WHERE plan_change_id = ? ORDER BY key",
                   VALUES(INTEGER(c->row)), c->m);
    enum status status = STATUS_OK;
    int64_t rounds = 0;
    while (status == STATUS_OK && rows_next(&r))
        status = add_round(c, &r, rounds++);
    status = rows_close_after(&r, status);
    return status == STATUS_OK && rounds == 0 ? add_round(c, NULL, 0) : status;
}

/* Of all head counts of the setting in which a row of plan_change holds. */
static enum status add_trials(struct confirming *c)
{
    enum status status = store_integer(c->s, DOING,
                                       "SELECT what ->> '$.confirm.seeds' FROM plan_change"
                                       " WHERE plan_change_id = ?",
                                       VALUES(INTEGER(c->row)), 0, &c->seeds, c->m);
    if (status == STATUS_OK)
        status = store_integer(c->s, DOING,
                               "SELECT max(plan_order) + 1 FROM trial WHERE sweep_id = ?"
                               " AND in_plan = 1 AND confirms = 0",
                               VALUES(INTEGER(c->sweep_id)), 0, &c->order, c->m);
    if (status == STATUS_OK)
        status = read_explored(c);
    if (status == STATUS_OK)
        status = add_rounds(c);
    forget_explored(c);
    return status;
}

/* ---- which trials are needed ---- */

/* Puts those of the settings where something holds back into the plan. */
static enum status add_holding(struct store *s, int64_t sweep_id, const char *setting,
                               struct message *m)
{
    static const char sql[] =
        "SELECT c.plan_change_id, c.setting FROM confirmations AS c JOIN sweep AS s USING "
        "(sweep_id)"
        " WHERE sweep_id = ?1 AND confirm IS NOT NULL AND (?2 IS NULL OR c.setting = ?2)"
        " AND c.setting IN (SELECT setting FROM trial WHERE sweep_id = ?1 AND in_plan = 1)"
        " ORDER BY c.plan_change_id";
    struct rows r = store_rows(s, DOING, sql, VALUES(INTEGER(sweep_id), TEXT(setting)), m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        struct confirming c = {.s = s,
                               .m = m,
                               .sweep_id = sweep_id,
                               .row = rows_integer(&r, 0),
                               .setting = rows_given(&r, 1)};
        status = add_trials(&c);
    }
    return rows_close_after(&r, status);
}

enum status store_settle_confirm(struct store *s, int64_t sweep_id, const char *setting,
                                 struct message *m)
{
    static const char leave[] =
        "UPDATE trial SET in_plan = 0 WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 1"
        " AND (?2 IS NULL OR setting = ?2)";
    int64_t any = 0;
    enum status status = store_integer(
        s, DOING,
        "SELECT EXISTS (SELECT 1 FROM plan_change WHERE sweep_id = ?1 AND by = 'confirm')"
        " OR EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?1 AND confirms = 1)",
        VALUES(INTEGER(sweep_id)), 0, &any, m);
    if (status != STATUS_OK || !any)
        return status;
    status = call_by_setting(s, sweep_id, m);
    if (status == STATUS_OK)
        status = forget_open(s, sweep_id, m);
    if (status == STATUS_OK)
        status = store_execute(s, DOING, leave, VALUES(INTEGER(sweep_id), TEXT(setting)), NULL, m);
    return status == STATUS_OK ? add_holding(s, sweep_id, setting, m) : status;
}

/* ---- what could be seen ---- */

/* Of a claim: its trials, in the plan or not, and those of them that had results by then. */
static enum status note_seen(struct store *s, int64_t sweep_id, int64_t plan_change_id,
                             const char *results, struct message *m)
{
    struct text_buffer sql = {0};
    text_add(&sql,
             "WITH newest AS MATERIALIZED (SELECT plan_change_id, changed FROM plan_change"
             "  WHERE plan_change_id = ?2), wanted AS MATERIALIZED (SELECT config_id, seed"
             "  FROM trial WHERE sweep_id = ?1 AND " ITS_TRIAL "),"
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
    enum status status = STATUS_OK;
    struct rows r = store_rows(s, DOING,
                               "SELECT plan_change_id FROM plan_change WHERE sweep_id = ?"
                               " AND by = 'confirm' AND claim IS NOT NULL ORDER BY plan_change_id",
                               VALUES(INTEGER(sweep_id)), m);
    while (status == STATUS_OK && rows_next(&r))
        status = note_seen(s, sweep_id, rows_integer(&r, 0), results, m);
    return rows_close_after(&r, status);
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
        "WITH chosen AS (SELECT CAST(heads AS TEXT) AS heads, tuning, min(config_sha256) AS config,"
        "  ?4 IS NULL OR heads = ?4 ->> '$.best'"
        "   OR heads IN (SELECT value FROM json_each(?4, '$.over')) AS claimed"
        "  FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND setting = ?2"
        "   AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 AND choice = 'chosen'"
        "  GROUP BY config.heads ORDER BY config.heads) "
        "INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what,"
        " claim, seen, seen_outside, trials_ended, by, setting) SELECT ?1, " NOW ","
        " (SELECT pairs_sha256 FROM plan_change WHERE sweep_id = ?1 AND by = 'file'"
        "   ORDER BY plan_change_id DESC LIMIT 1), 0, 0, 0,"
        " json_object('kind', ?3, 'confirm', json(confirm),"
        "  'tuning', (SELECT json_group_object(heads, json(tuning)) FROM chosen),"
        "  'configs', (SELECT json_group_object(heads, config) FROM chosen WHERE claimed)),"
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
    if (claim)
        write_claim(claim, text, sizeof text);
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = write_row(&c, kind, claim ? text : NULL);
    if (status == STATUS_OK)
        status = store_integer(s, DOING, "SELECT max(plan_change_id) FROM plan_change", NO_VALUES,
                               0, &c.row, m);
    if (status == STATUS_OK)
        status = add_trials(&c);
    if (status == STATUS_OK && claim)
        status = note_seen(s, sweep_id, c.row, STORE_RESULTS, m);
    return store_leave(s, status, m);
}
