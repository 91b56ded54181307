/* Sweeps: whose plan stays, what else two rows of one name come to, and how the plans and claims of
 * two files came to be. */
#include "sweep/merge/merge_parts.h"

#include <string.h>

void merge_note_sweep(struct merging *g, const struct merge_sweep *sweep)
{
    scope_run(g->x, MERGING, "INSERT OR REPLACE INTO merge_sweep (old, new, plan) VALUES (?, ?, ?)",
              VALUES(INTEGER(sweep->from_id), INTEGER(sweep->into_id), INTEGER(sweep->plan)));
}

/* ---- history ---- */

static void list_changes(struct merging *g, const struct merge_sweep *sweep)
{
    const struct merge_table theirs = {
        .name = "plan_change",
        .to = "merge_change",
        .where = "WHERE sweep_id = ?1 ORDER BY plan_change_id",
        .tail = g->own ? "WHERE @by = 'file'"
                         " AND @changed < (SELECT max(changed) FROM merge_change WHERE theirs)"
                       : NULL};
    scope_script(g->x, MERGING, "DELETE FROM merge_change");
    scope_run(g->x, MERGING,
              "INSERT INTO merge_change SELECT *, 1 FROM plan_change WHERE sweep_id = ?",
              VALUES(INTEGER(sweep->into_id)));
    merge_rows(g, &theirs, sweep->from_id);
    scope_run(g->x, MERGING, sql_put_back_changes, VALUES(INTEGER(g->own)));
    scope_script(g->x, MERGING, "UPDATE merge_change SET what = json_remove(what, '$.again')");
}

static void note_theirs(struct merging *g, int64_t sweep_id)
{
    scope_run(g->x, MERGING, sql_note_theirs, VALUES(INTEGER(sweep_id)));
}

bool merge_history(struct merging *g, const struct merge_sweep *sweep)
{
    list_changes(g, sweep);
    int64_t more = scope_number(g->x, MERGING, sql_more_changes, NO_VALUES);
    bool newer = scope_number(g->x, MERGING, sql_theirs_is_newer, NO_VALUES);
    if (more) {
        scope_run(g->x, MERGING, "DELETE FROM plan_change WHERE sweep_id = ?",
                  VALUES(INTEGER(sweep->into_id)));
        scope_run(g->x, MERGING, sql_write_changes, NO_VALUES);
        note_theirs(g, sweep->into_id);
    }
    return newer;
}

void merge_seen(struct merging *g, int64_t sweep_id)
{
    int64_t row = scope_number(g->x, MERGING,
                               "SELECT max(plan_change_id) FROM plan_change WHERE sweep_id = ?"
                               " AND by = 'file'",
                               VALUES(INTEGER(sweep_id)));
    store_note_alike(g->x);
    scope_run(g->x, MERGING, sql_see_again, VALUES(INTEGER(sweep_id), INTEGER(row)));
    store_note_similar(g->x, sweep_id, row, sql_merged_results);
    store_confirm_seen(g->x, sweep_id, sql_merged_results);
}

/* ---- a sweep that `into` does not have ---- */

static const char FIND[] = "SELECT sweep_id FROM sweep WHERE name = ?";

static void add_sweep(struct merging *g, struct merge_sweep *sweep)
{
    static const struct merge_table row = {.name = "sweep", .where = "WHERE sweep_id = ?1"};
    static const struct merge_table changes = {
        .name = "plan_change", .where = "WHERE sweep_id = ?1 ORDER BY plan_change_id"};
    sweep->plan = MERGE_NEW;
    merge_rows(g, &row, sweep->from_id);
    sweep->into_id = scope_number(g->x, MERGING, FIND, VALUES(TEXT(sweep->name)));
    merge_note_sweep(g, sweep);
    merge_rows(g, &changes, sweep->from_id);
    note_theirs(g, sweep->into_id);
}

/* ---- a sweep that both have ---- */

static void refuse_other_metric(struct merging *g, const struct merge_sweep *sweep)
{
    static const char begun[] = "SELECT metric FROM sweep AS s WHERE sweep_id = ? AND EXISTS"
                                " (SELECT 1 FROM trial AS t WHERE t.sweep_id = s.sweep_id"
                                "  AND attempt > 0)";
    const char *theirs = scope_string(g->there, MERGING, begun, VALUES(INTEGER(sweep->from_id)));
    const char *ours = scope_string(g->x, MERGING, begun, VALUES(INTEGER(sweep->into_id)));
    if (theirs && ours && strcmp(theirs, ours) != 0)
        scope_fail(g->x, STATUS_BAD_INPUT,
                   "sweep %s chose its best steps by %s in %s and by %s in %s: give "
                   "one of them another name (headcount sweep rename)",
                   sweep->name, theirs, g->from->path, ours, g->into->path);
}

static bool have_common_point(struct merging *g, const struct merge_sweep *sweep)
{
    static const char same[] = "SELECT 1 FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND"
                               " config_id = (SELECT new FROM merge_config WHERE old = ?2) LIMIT 1";
    bool common = false;
    struct rows *r = scope_query(g->there, MERGING,
                                 "SELECT DISTINCT config_id FROM trial WHERE sweep_id = ?"
                                 " AND in_plan = 1",
                                 VALUES(INTEGER(sweep->from_id)));
    while (!common && scope_next(g->there, r))
        common = scope_number(g->x, MERGING, same,
                              VALUES(INTEGER(sweep->into_id), INTEGER(rows_integer(r, 0))));
    if (common)
        scope_close(g->there, r);
    return common;
}

/* As when a sweep is planned: one name for two things is a mistake. */
static void refuse_stranger(struct merging *g, const struct merge_sweep *sweep)
{
    if (!have_common_point(g, sweep) &&
        scope_number(g->x, MERGING,
                     "SELECT 1 FROM trial WHERE sweep_id = ? AND in_plan = 1 LIMIT 1",
                     VALUES(INTEGER(sweep->into_id))))
        scope_fail(g->x, STATUS_BAD_INPUT,
                   "%s and %s hold different sweeps named %s (no points in common): give "
                   "one of them another name (headcount sweep rename)",
                   g->from->path, g->into->path, sweep->name);
}

/* By the plan's digest the rows of `trial` are to be the same; by the rest they are judged. */
static enum merge_plan compare_plans(struct merging *g, const struct merge_sweep *sweep,
                                     bool theirs_newer)
{
    static const char digest[] = "SELECT plan_sha256 FROM sweep WHERE sweep_id = ?";
    static const char asks[] = "SELECT json_array(claim, tune, replicate, looks, rungs,"
                               " equivalence, extend, confirm) FROM sweep WHERE sweep_id = ?";
    const struct value from = INTEGER(sweep->from_id), into = INTEGER(sweep->into_id);
    if (strcmp(scope_string(g->there, MERGING, digest, &from, 1),
               scope_string(g->x, MERGING, digest, &into, 1)) != 0)
        return theirs_newer ? MERGE_THEIRS : MERGE_OURS;
    return strcmp(scope_string(g->there, MERGING, asks, &from, 1),
                  scope_string(g->x, MERGING, asks, &into, 1)) == 0
               ? MERGE_SAME
               : MERGE_RULES;
}

/* Of two plans the one that was made last is that of the sweep. */
static void take_newer(struct merging *g, const struct merge_sweep *sweep)
{
    static const struct merge_table row = {
        .name = "sweep",
        .where = "WHERE sweep_id = ?1",
        .columns = "[\"name\", \"created\", \"last_run\", \"remark\", \"shards\"]",
        .update = true,
        .tail = "WHERE sweep_id = (SELECT new FROM merge_sweep WHERE old = @sweep_id)"};
    merge_rows(g, &row, sweep->from_id);
    if (sweep->plan == MERGE_THEIRS)
        scope_run(g->x, MERGING, "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1",
                  VALUES(INTEGER(sweep->into_id)));
}

static void join_sweep(struct merging *g, struct merge_sweep *sweep)
{
    static const struct merge_table row = {
        .name = "sweep", .where = "WHERE sweep_id = ?1", .write = sql_join_sweep_rows};
    refuse_other_metric(g, sweep);
    refuse_stranger(g, sweep);
    merge_note_sweep(g, sweep);
    bool theirs_newer = merge_history(g, sweep);
    sweep->plan = compare_plans(g, sweep, theirs_newer);
    merge_note_sweep(g, sweep);
    merge_rows(g, &row, sweep->from_id);
    if (theirs_newer)
        take_newer(g, sweep);
}

void merge_sweep_begin(struct merging *g, struct merge_sweep *sweep)
{
    sweep->into_id = scope_number(g->x, MERGING, FIND, VALUES(TEXT(sweep->name)));
    if (sweep->into_id)
        join_sweep(g, sweep);
    else
        add_sweep(g, sweep);
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

void merge_forget_looks(struct merging *g, int64_t sweep_id)
{
    scope_run(g->x, MERGING, "DELETE FROM look WHERE sweep_id = ?", VALUES(INTEGER(sweep_id)));
    store_confirm_forget(g->x, sweep_id);
}

/* Looks that were judged stay judged where the plan is the same and its rules are, and what had
 * nothing to be confirmed; trials and the history of the plan have their own ways. */
static void merge_table_of_sweep(struct merging *g, const struct merge_sweep *sweep,
                                 const char *name, const char *column)
{
    const struct merge_table t = {.name = name,
                                  .where = scope_print(g->x, "WHERE %s = ?1", column),
                                  .tail = "WHERE true ON CONFLICT DO NOTHING"};
    if (strcmp(name, "trial") == 0 || strcmp(name, "plan_change") == 0)
        return;
    if (strcmp(name, "look") == 0 && sweep->plan != MERGE_NEW && sweep->plan != MERGE_SAME)
        merge_forget_looks(g, sweep->into_id);
    else
        merge_rows(g, strcmp(name, ensembles.name) == 0 ? &ensembles : &t, sweep->from_id);
}

void merge_settle(struct merging *g, int64_t sweep_id)
{
    scope_run(g->x, MERGING, sql_choose_anew, VALUES(INTEGER(sweep_id)));
    store_settle(g->x, sweep_id);
}

void merge_sweep_end(struct merging *g, const struct merge_sweep *sweep)
{
    struct rows *r = tables_of(g->x, "sweep");
    while (scope_next(g->x, r))
        merge_table_of_sweep(g, sweep, rows_given(r, 0), rows_given(r, 1));
    scope_run(g->x, MERGING, "UPDATE trial SET in_shard = 1 WHERE sweep_id = ? AND in_shard = 0",
              VALUES(INTEGER(sweep->into_id)));
    merge_settle(g, sweep->into_id);
    merge_seen(g, sweep->into_id);
}
