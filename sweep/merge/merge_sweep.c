/* Sweeps: whose plan stays, and what else two rows of one name come to. */
#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/db/tables.h"

enum status merge_note_sweep(struct merging *g, const struct merge_sweep *sweep)
{
    return store_execute(
        g->into, MERGING, "INSERT OR REPLACE INTO merge_sweep (old, new, plan) VALUES (?, ?, ?)",
        VALUES(INTEGER(sweep->from_id), INTEGER(sweep->into_id), INTEGER(sweep->plan)), NULL, g->m);
}

/* ---- a sweep that `into` does not have ---- */

static enum status add_sweep(struct merging *g, struct merge_sweep *sweep)
{
    static const struct merge_table row = {.name = "sweep", .where = "WHERE sweep_id = ?1"};
    static const struct merge_table changes = {
        .name = "plan_change", .where = "WHERE sweep_id = ?1 ORDER BY plan_change_id"};
    sweep->plan = MERGE_NEW;
    enum status status = merge_rows(g, &row, sweep->from_id);
    if (status == STATUS_OK)
        status = store_integer(g->into, MERGING, "SELECT sweep_id FROM sweep WHERE name = ?",
                               VALUES(TEXT(sweep->name)), 0, &sweep->into_id, g->m);
    if (status == STATUS_OK)
        status = merge_note_sweep(g, sweep);
    if (status == STATUS_OK)
        status = merge_rows(g, &changes, sweep->from_id);
    return status == STATUS_OK ? merge_note_theirs(g, sweep->into_id) : status;
}

/* ---- a sweep that both have ---- */

static enum status refuse_other_metric(struct merging *g, const struct merge_sweep *sweep)
{
    static const char begun[] = "SELECT metric FROM sweep AS s WHERE sweep_id = ? AND EXISTS"
                                " (SELECT 1 FROM trial AS t WHERE t.sweep_id = s.sweep_id"
                                "  AND attempt > 0)";
    struct rows theirs = store_rows(g->from, MERGING, begun, VALUES(INTEGER(sweep->from_id)), g->m);
    struct rows ours = store_rows(g->into, MERGING, begun, VALUES(INTEGER(sweep->into_id)), g->m);
    bool both = rows_next(&theirs) && rows_next(&ours);
    if (both && strcmp(rows_given(&theirs, 0), rows_given(&ours, 0)) != 0)
        ours.status = status_fail(g->m, STATUS_BAD_INPUT,
                                  "sweep %s chose its best steps by %s in %s and by %s in %s: give "
                                  "one of them another name (headcount sweep rename)",
                                  sweep->name, rows_given(&theirs, 0), g->from->path,
                                  rows_given(&ours, 0), g->into->path);
    enum status status = rows_close(&theirs), closed = rows_close(&ours);
    return status == STATUS_OK ? closed : status;
}

/* As when a sweep is planned: one name for two things is a mistake. */
static enum status refuse_stranger(struct merging *g, const struct merge_sweep *sweep)
{
    int64_t common = 0, planned = 0;
    struct rows r = store_rows(g->from, MERGING,
                               "SELECT DISTINCT config_id FROM trial WHERE sweep_id = ?"
                               " AND in_plan = 1",
                               VALUES(INTEGER(sweep->from_id)), g->m);
    while (!common && rows_next(&r))
        r.status = store_integer(g->into, MERGING,
                                 "SELECT 1 FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND"
                                 " config_id = (SELECT new FROM merge_config WHERE old = ?2)"
                                 " LIMIT 1",
                                 VALUES(INTEGER(sweep->into_id), INTEGER(rows_integer(&r, 0))), 0,
                                 &common, g->m);
    enum status status = rows_close(&r);
    if (status == STATUS_OK && !common)
        status = store_integer(g->into, MERGING,
                               "SELECT 1 FROM trial WHERE sweep_id = ? AND in_plan = 1 LIMIT 1",
                               VALUES(INTEGER(sweep->into_id)), 0, &planned, g->m);
    if (status == STATUS_OK && !common && planned)
        status = status_fail(g->m, STATUS_BAD_INPUT,
                             "%s and %s hold different sweeps named %s (no points in common): give "
                             "one of them another name (headcount sweep rename)",
                             g->from->path, g->into->path, sweep->name);
    return status;
}

/* By the plan's digest the rows of `trial` are to be the same; by the rest they are judged. */
static enum status read_plan(struct store *s, int64_t sweep_id, char **sha256, char **rules,
                             struct message *m)
{
    static const char asks[] = "SELECT json_array(claim, tune, replicate, looks, rungs,"
                               " equivalence, extend, confirm) FROM sweep WHERE sweep_id = ?";
    enum status status = store_text(s, MERGING, "SELECT plan_sha256 FROM sweep WHERE sweep_id = ?",
                                    VALUES(INTEGER(sweep_id)), sha256, m);
    return status == STATUS_OK ? store_text(s, MERGING, asks, VALUES(INTEGER(sweep_id)), rules, m)
                               : status;
}

static enum status compare_plans(struct merging *g, struct merge_sweep *sweep, bool theirs_newer)
{
    char *theirs[2] = {NULL, NULL}, *ours[2] = {NULL, NULL};
    enum status status = read_plan(g->from, sweep->from_id, &theirs[0], &theirs[1], g->m);
    if (status == STATUS_OK)
        status = read_plan(g->into, sweep->into_id, &ours[0], &ours[1], g->m);
    if (status == STATUS_OK && strcmp(theirs[0], ours[0]) != 0)
        sweep->plan = theirs_newer ? MERGE_THEIRS : MERGE_OURS;
    else if (status == STATUS_OK)
        sweep->plan = strcmp(theirs[1], ours[1]) == 0 ? MERGE_SAME : MERGE_RULES;
    for (int i = 0; i < 2; i++) {
        free(theirs[i]);
        free(ours[i]);
    }
    return status;
}

/* Of two plans the one that was made last is that of the sweep. */
static enum status take_newer(struct merging *g, const struct merge_sweep *sweep, bool theirs_newer)
{
    static const struct merge_table row = {
        .name = "sweep",
        .where = "WHERE sweep_id = ?1",
        .columns = "[\"name\", \"created\", \"last_run\", \"remark\", \"shards\"]",
        .update = true,
        .tail = "WHERE sweep_id = (SELECT new FROM merge_sweep WHERE old = @sweep_id)"};
    enum status status = theirs_newer ? merge_rows(g, &row, sweep->from_id) : STATUS_OK;
    if (status == STATUS_OK && sweep->plan == MERGE_THEIRS)
        status = store_execute(g->into, MERGING,
                               "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1",
                               VALUES(INTEGER(sweep->into_id)), NULL, g->m);
    return status;
}

/* What no plan decides: times, and the shards that are here now. A file that has the whole sweep
 * has all shards. */
static enum status join_rows(struct merging *g, const struct merge_sweep *sweep)
{
    static const struct merge_table row = {
        .name = "sweep",
        .where = "WHERE sweep_id = ?1",
        .write = "UPDATE sweep SET created = min(created, @created),"
                 " last_run = max(last_run, @last_run), shards ="
                 " CASE WHEN plan_sha256 = @plan_sha256 AND shards ->> 'of' = @shards ->> 'of' THEN"
                 "  (SELECT CASE WHEN count(*) < shards ->> 'of' THEN"
                 "    json_object('of', shards -> 'of', 'here', json_group_array(value)) END FROM"
                 "   (SELECT value FROM json_each(shards, '$.here') UNION"
                 "    SELECT value FROM json_each(@shards, '$.here') ORDER BY 1)) END"
                 " WHERE name = @name"};
    return merge_rows(g, &row, sweep->from_id);
}

static enum status join_sweep(struct merging *g, struct merge_sweep *sweep)
{
    bool theirs_newer = false;
    enum status status = refuse_other_metric(g, sweep);
    if (status == STATUS_OK)
        status = refuse_stranger(g, sweep);
    if (status == STATUS_OK)
        status = merge_note_sweep(g, sweep);
    if (status == STATUS_OK)
        status = merge_history(g, sweep, &theirs_newer);
    if (status == STATUS_OK)
        status = compare_plans(g, sweep, theirs_newer);
    if (status == STATUS_OK)
        status = merge_note_sweep(g, sweep);
    if (status == STATUS_OK)
        status = join_rows(g, sweep);
    return status == STATUS_OK ? take_newer(g, sweep, theirs_newer) : status;
}

enum status merge_sweep_begin(struct merging *g, struct merge_sweep *sweep)
{
    enum status status =
        store_integer(g->into, MERGING, "SELECT sweep_id FROM sweep WHERE name = ?",
                      VALUES(TEXT(sweep->name)), 0, &sweep->into_id, g->m);
    if (status != STATUS_OK)
        return status;
    return sweep->into_id ? join_sweep(g, sweep) : add_sweep(g, sweep);
}

/* ---- behind the trials ---- */

/* The trials of an ensemble are JSON with their numbers; all of them have the weights that
 * answered. */
static const struct merge_table ensembles = {
    .name = "ensemble",
    .where = "WHERE sweep_id = ?1",
    .values =
        (const char *const[]){
            "trials",
            "(SELECT json_group_array(new) FROM (SELECT new FROM json_each(@trials) JOIN"
            " merge_trial ON old = value ORDER BY new))",
            "setting",
            "(SELECT setting FROM trial WHERE trial_id = (SELECT new FROM json_each(@trials) JOIN"
            " merge_trial ON old = value LIMIT 1))",
            NULL},
    .tail = "WHERE (SELECT count(*) FROM json_each(@trials) JOIN merge_trial ON old = value"
            " WHERE fate <> 'kept') = json_array_length(@trials) ON CONFLICT DO NOTHING"};

static enum status forget_looks(struct merging *g, const struct merge_sweep *sweep)
{
    enum status status = store_execute(g->into, MERGING, "DELETE FROM look WHERE sweep_id = ?",
                                       VALUES(INTEGER(sweep->into_id)), NULL, g->m);
    return status == STATUS_OK ? merge_in_scope(g, store_confirm_forget, sweep->into_id) : status;
}

/* Looks that were judged stay judged where the plan is the same and its rules are, and what had
 * nothing to be confirmed; trials and the history of the plan have their own ways. */
static enum status merge_table_of_sweep(struct merging *g, const struct merge_sweep *sweep,
                                        const char *name, const char *column)
{
    char where[80];
    snprintf(where, sizeof where, "WHERE %s = ?1", column);
    const struct merge_table t = {
        .name = name, .where = where, .tail = "WHERE true ON CONFLICT DO NOTHING"};
    if (strcmp(name, "trial") == 0 || strcmp(name, "plan_change") == 0)
        return STATUS_OK;
    if (strcmp(name, "look") == 0 && sweep->plan != MERGE_NEW && sweep->plan != MERGE_SAME)
        return forget_looks(g, sweep);
    return merge_rows(g, strcmp(name, ensembles.name) == 0 ? &ensembles : &t, sweep->from_id);
}

static enum status merge_tables_of_sweep(struct merging *g, const struct merge_sweep *sweep)
{
    struct rows r = tables_of(g->into, "sweep", g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = merge_table_of_sweep(g, sweep, rows_given(&r, 0), rows_given(&r, 1));
    return rows_close_after(&r, status);
}

enum status merge_settle(struct merging *g, int64_t sweep_id)
{
    static const char anew[] =
        "UPDATE trial SET until = NULL,"
        " choice = CASE WHEN (tuning <> '{}' AND NOT is_tuning) OR look > 1 THEN 'waiting'"
        "  ELSE 'chosen' END, state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END"
        " WHERE sweep_id = ? AND in_plan = 1 AND (tuning <> '{}' OR look > 1 OR state = "
        "'not_needed'"
        "  OR choice <> 'chosen' OR until IS NOT NULL)";
    enum status status =
        store_execute(g->into, MERGING, anew, VALUES(INTEGER(sweep_id)), NULL, g->m);
    return status == STATUS_OK ? merge_in_scope(g, store_settle, sweep_id) : status;
}

enum status merge_sweep_end(struct merging *g, const struct merge_sweep *sweep)
{
    static const char all_shards[] =
        "UPDATE trial SET in_shard = 1 WHERE sweep_id = ? AND in_shard = 0";
    enum status status = merge_tables_of_sweep(g, sweep);
    if (status == STATUS_OK)
        status = store_execute(g->into, MERGING, all_shards, VALUES(INTEGER(sweep->into_id)), NULL,
                               g->m);
    if (status == STATUS_OK)
        status = merge_settle(g, sweep->into_id);
    return status == STATUS_OK ? merge_seen(g, sweep->into_id) : status;
}
