/* How plans and claims changed: the rows of `plan_change`. */
#include "sweep/trials/store_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- what has changed ---- */

enum status plan_describe_change(struct planning *g)
{
    static const char sql[] =
        "WITH old_seed AS MATERIALIZED (SELECT DISTINCT seed FROM trial"
        "  WHERE sweep_id = ?1 AND in_plan = 1 AND added = 0 AND confirms = 0),"
        " new_seed AS MATERIALIZED (SELECT DISTINCT seed FROM planned_trial),"
        " old_point AS MATERIALIZED (SELECT DISTINCT config_id FROM trial"
        "  WHERE sweep_id = ?1 AND in_plan = 1 AND added = 0 AND confirms = 0),"
        " new_point AS MATERIALIZED (SELECT DISTINCT config_id FROM planned_point),"
        " old_heads AS MATERIALIZED (SELECT DISTINCT heads FROM old_point"
        "  JOIN config USING (config_id)),"
        " new_heads AS MATERIALIZED (SELECT DISTINCT heads FROM new_point"
        "  JOIN config USING (config_id)) "
        "SELECT json_object('heads_added', (SELECT json_group_array(heads) FROM"
        "  (SELECT * FROM new_heads EXCEPT SELECT * FROM old_heads)),"
        " 'heads_removed', (SELECT json_group_array(heads) FROM"
        "  (SELECT * FROM old_heads EXCEPT SELECT * FROM new_heads)),"
        " 'seeds_added', (SELECT json_group_array(seed) FROM"
        "  (SELECT * FROM new_seed EXCEPT SELECT * FROM old_seed)),"
        " 'seeds_removed', (SELECT json_group_array(seed) FROM"
        "  (SELECT * FROM old_seed EXCEPT SELECT * FROM new_seed)),"
        " 'points_added', (SELECT count(*) FROM"
        "  (SELECT * FROM new_point EXCEPT SELECT * FROM old_point)),"
        " 'points_removed', (SELECT count(*) FROM"
        "  (SELECT * FROM old_point EXCEPT SELECT * FROM new_point)))";
    struct rows r =
        store_rows(g->s, "comparing the plan", sql, VALUES(INTEGER(g->changes->sweep_id)), g->m);
    if (rows_next(&r)) {
        free(g->what);
        g->what = strdup(rows_given(&r, 0));
        if (!g->what && r.status == STATUS_OK)
            r.status = status_no_memory(g->m, g->s->path);
    }
    return rows_close(&r);
}

/* ---- the newest row ---- */

struct newest {
    int64_t id; /* 0: none */
    char pairs_sha256[65];
    bool same_claim;
};

static enum status find_newest(struct planning *g, struct newest *n)
{
    *n = (struct newest){0};
    struct rows r = store_rows(g->s, "recording the plan",
                               "SELECT plan_change_id, pairs_sha256, claim IS nullif(?2, '')"
                               " FROM plan_change WHERE sweep_id = ?1 AND by = 'file'"
                               " ORDER BY plan_change_id DESC LIMIT 1",
                               VALUES(INTEGER(g->changes->sweep_id), TEXT(g->claim)), g->m);
    if (rows_next(&r)) {
        n->id = rows_integer(&r, 0);
        rows_copy(&r, 1, n->pairs_sha256, sizeof n->pairs_sha256);
        n->same_claim = rows_integer(&r, 2) != 0;
    }
    return rows_close(&r);
}

/* By what its trials are chosen and judged; it has every key that can be among the rules. */
#define ASKS                                                                                       \
    "(SELECT json_object('tune', json(tune), 'replicate', json(replicate), 'looks', json(looks),"  \
    "  'rungs', json(rungs), 'equivalence', equivalence, 'extend', extend,"                        \
    "  'confirm', json(confirm)) FROM sweep"                                                       \
    "  WHERE sweep_id = ?1)"

/* Each pair once. */
static enum status record(struct planning *g, const char *pairs_sha256, int64_t added,
                          int64_t removed)
{
    static const char sql[] = "WITH result AS (" STORE_WITH_ALIKE(
        STORE_RESULTS,
        "") "),"
            " planned AS (SELECT config_id, seed, sweep_id, EXISTS (SELECT 1 FROM trial AS p"
            "  WHERE p.sweep_id = ?1 AND p.config_id = result.config_id AND p.seed = result.seed"
            "   AND p.in_plan = 1 AND p.confirms = 0) AS planned FROM result),"
            " pair AS (SELECT max(planned) AS planned FROM planned"
            "  WHERE planned OR sweep_id = ?1 GROUP BY config_id, seed) "
            "INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what,"
            " claim, seen, seen_outside, trials_ended) SELECT ?1, " NOW ", ?2, ?3, ?4, ?5,"
            " json_set(CASE ?8 WHEN '' THEN ?6 ELSE json_set(?6, '$.rules', json(?8)) END, "
            "'$.asks',"
            "  json(" ASKS ")),"
            " nullif(?7, ''), count(*), count(*) FILTER (WHERE NOT planned),"
            " (SELECT count(*) FROM trial WHERE sweep_id = ?1"
            "   AND state IN ('completed', 'diverged', 'failed')) FROM pair";
    enum status status = store_note_alike(g->s, g->m);
    if (status == STATUS_OK)
        status =
            store_execute(g->s, "recording the plan", sql,
                          VALUES(INTEGER(g->changes->sweep_id), TEXT(pairs_sha256),
                                 INTEGER(plan_trials(g->p)), INTEGER(added), INTEGER(removed),
                                 TEXT(g->what ? g->what : "{}"), TEXT(g->claim), TEXT(g->rules)),
                          NULL, g->m);
    int64_t row = 0;
    if (status == STATUS_OK)
        status =
            store_integer(g->s, "recording the plan", "SELECT max(plan_change_id) FROM plan_change",
                          NO_VALUES, 0, &row, g->m);
    return status == STATUS_OK
               ? store_note_similar(g->s, g->changes->sweep_id, row, STORE_RESULTS, g->m)
               : status;
}

enum status plan_record_change(struct planning *g)
{
    struct newest newest;
    char sha256[65];
    int64_t added = g->changes->added + g->changes->returned, removed = g->changes->left;
    enum status status = find_newest(g, &newest);
    bool same_rules = newest.same_claim && !g->rules[0];
    if (status == STATUS_OK && newest.id && same_rules && g->same_plan)
        return STATUS_OK;
    if (status == STATUS_OK)
        status = plan_pairs_sha256(g->p, sha256, g->m);
    if (status != STATUS_OK)
        return status;
    if (newest.id && same_rules && strcmp(sha256, newest.pairs_sha256) == 0)
        return STATUS_OK;
    return record(g, sha256, newest.id ? added : plan_trials(g->p), removed);
}
