#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/db/tables.h"
#include "sweep/trials/store_check.h"

/* What things are called in `from` (old) and in `into` (new); those of what trials share are made
 * by its tables. */
static const char TABLES[] =
    "CREATE TEMP TABLE merge_sweep (old INTEGER PRIMARY KEY, new INTEGER, plan INTEGER);"
    "CREATE TEMP TABLE merge_trial (old INTEGER PRIMARY KEY, new INTEGER, fate TEXT);"
    "CREATE TEMP TABLE merge_attempt (old_trial INTEGER, old INTEGER, trial INTEGER, new INTEGER,"
    " PRIMARY KEY (old_trial, old), UNIQUE (trial, new)) WITHOUT ROWID;"
    "CREATE TEMP TABLE merge_left (number INTEGER PRIMARY KEY, trial INTEGER, theirs INTEGER,"
    " began TEXT);"
    "CREATE TEMP TABLE merge_here (number INTEGER PRIMARY KEY);"
    "INSERT INTO merge_here SELECT trial_id FROM deleted;"
    "CREATE TEMP TABLE merge_theirs (plan_change_id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE merge_change AS SELECT *, 1 AS theirs FROM plan_change LIMIT 0";

/* ---- what trials share ---- */

/* Rows are the same by their UNIQUE columns. Not ON CONFLICT: SQLite would compute the generated
 * columns first. */
enum status merge_shared(struct merging *g, const char *table)
{
    static const char same[] =
        "SELECT format('FROM %s AS k WHERE ', ?1)"
        " || group_concat(format('k.%s = @%s', c.name, c.name), ' AND ')"
        " FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c WHERE i.origin = 'u'";
    struct text_buffer create = {0}, absent = {0}, note = {0};
    char *found = NULL;
    enum status status = store_text(g->into, MERGING, same, VALUES(TEXT(table)), &found, g->m);
    if (status != STATUS_OK)
        return status;
    text_add(&create,
             "CREATE TEMP TABLE IF NOT EXISTS merge_%s (old INTEGER PRIMARY KEY, new INTEGER);"
             "DELETE FROM merge_%s",
             table, table);
    text_add(&absent, "WHERE NOT EXISTS (SELECT 1 %s)", found);
    text_add(&note, "INSERT INTO merge_%s (old, new) SELECT @rowid, k.rowid %s", table, found);
    if (create.out_of_memory || absent.out_of_memory || note.out_of_memory)
        status = status_no_memory(g->m, "a statement");
    bool all = !g->own || strcmp(table, "config") != 0;
    if (status == STATUS_OK)
        status = store_script(g->into, MERGING, create.text, g->m);
    if (status == STATUS_OK && all)
        status = merge_rows(g, &(struct merge_table){.name = table, .tail = absent.text}, 0);
    if (status == STATUS_OK && all)
        status = merge_rows(g, &(struct merge_table){.name = table, .write = note.text}, 0);
    free(found);
    free(create.text);
    free(absent.text);
    free(note.text);
    return status;
}

/* Of what both know of a file, what was read last. */
static enum status merge_data_files(struct merging *g)
{
    static const struct merge_table files = {
        .name = "data_file",
        .tail = "WHERE true ON CONFLICT DO UPDATE SET facts = excluded.facts, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, read_ns = excluded.read_ns"
                " WHERE excluded.read_ns > data_file.read_ns"};
    return merge_rows(g, &files, 0);
}

/* ---- what has no trial ---- */

static enum status merge_ledger(struct merging *g)
{
    static const char *const values[] = {"trial_id", MERGE_NEXT_NUMBER, NULL};
    static const struct merge_table ledger = {
        .name = "deleted",
        .where = "ORDER BY trial_id",
        .values = values,
        .tail = "WHERE NOT EXISTS (SELECT 1 FROM deleted AS d WHERE d.config_id = (SELECT new FROM"
                " merge_config WHERE old = @config_id) AND d.seed = @seed AND d.sweep = @sweep"
                " AND d.deleted = @deleted)"};
    return merge_rows(g, &ledger, 0);
}

#define HAS(a, b) "instr('; ' || " a " || '; ', '; ' || " b " || '; ')"

/* Both remarks, unless one has the other in it, or there is no room for both. */
#define BOTH_REMARKS                                                                               \
    " SET remark = CASE WHEN remark IS NULL OR " HAS(                                              \
        "@remark",                                                                                 \
        "remark") " THEN @remark WHEN " HAS("remark",                                              \
                                            "@remark") " OR length(CAST(remark || @remark AS "     \
                                                       "BLOB)) > 3900 THEN remark"                 \
                                                       " ELSE remark || '; ' || @remark END "      \
                                                       "WHERE "

static enum status merge_sweep_remarks(struct merging *g)
{
    static const struct merge_table sweeps = {
        .name = "sweep",
        .where = "WHERE remark IS NOT NULL",
        .write = "UPDATE sweep" BOTH_REMARKS
                 "sweep_id = (SELECT new FROM merge_sweep WHERE old = @sweep_id)"};
    return merge_rows(g, &sweeps, 0);
}

enum status merge_trial_remarks(struct merging *g)
{
    static const struct merge_table trials = {
        .name = "trial",
        .where = "WHERE remark IS NOT NULL",
        .write = "UPDATE trial" BOTH_REMARKS
                 "trial_id = (SELECT new FROM merge_trial WHERE old = @trial_id)"};
    return merge_rows(g, &trials, 0);
}

/* ---- sweeps ---- */

static enum status begin_sweeps(struct merging *g)
{
    enum status status = merge_trials_open(g);
    struct rows r = store_rows(
        g->from, MERGING, "SELECT sweep_id, name FROM sweep ORDER BY sweep_id", NO_VALUES, g->m);
    while (status == STATUS_OK && rows_next(&r)) {
        struct merge_sweep sweep = {.from_id = rows_integer(&r, 0)};
        rows_copy(&r, 1, sweep.name, sizeof sweep.name);
        status = merge_sweep_begin(g, &sweep);
        if (status == STATUS_OK)
            status = merge_trials(g, &sweep);
    }
    enum status closed = rows_close(&r);
    merge_trials_close(g);
    return status == STATUS_OK ? closed : status;
}

static enum status end_sweeps(struct merging *g)
{
    struct rows r = store_rows(
        g->into, MERGING, "SELECT old, new, plan FROM merge_sweep ORDER BY old", NO_VALUES, g->m);
    while (rows_next(&r))
        r.status =
            merge_sweep_end(g, &(struct merge_sweep){.from_id = rows_integer(&r, 0),
                                                     .into_id = rows_integer(&r, 1),
                                                     .plan = (enum merge_plan)rows_integer(&r, 2)});
    return rows_close(&r);
}

/* Claims of the sweeps that `from` does not have, where it has brought results that may be of the
 * same trials or of similar ones. What could be seen of those that were here before was counted
 * when the claim was written, by what the file had then, and not by what became of it. */
static enum status see_for_others(struct merging *g)
{
    static const char concerned[] =
        "WITH brought AS MATERIALIZED (SELECT config_id FROM merge_trial JOIN trial ON trial_id = "
        "new"
        "  WHERE fate IN ('added', 'taken') AND attempt > 0"
        "  UNION SELECT config_id FROM deleted"
        "   WHERE seen = 1 AND trial_id NOT IN (SELECT number FROM merge_here)),"
        " kind AS MATERIALIZED (SELECT DISTINCT task, heads, n_params FROM brought"
        "  JOIN config USING (config_id)) "
        "SELECT sweep_id FROM sweep AS s WHERE (claim IS NOT NULL OR EXISTS (SELECT 1"
        "  FROM confirmations AS c WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL))"
        " AND sweep_id NOT IN (SELECT new FROM merge_sweep)"
        " AND EXISTS (SELECT 1 FROM config WHERE config_id IN (SELECT config_id FROM trial AS t"
        "   WHERE t.sweep_id = s.sweep_id AND in_plan = 1)"
        "  AND (task, heads, n_params) IN (SELECT * FROM kind))";
    struct rows r = store_rows(g->into, MERGING, concerned, NO_VALUES, g->m);
    while (rows_next(&r))
        r.status = merge_seen(g, rows_integer(&r, 0));
    return rows_close(&r);
}

static enum status merge_sweeps(struct merging *g)
{
    enum status status = begin_sweeps(g);
    if (status == STATUS_OK)
        status = merge_trial_rows(g);
    if (status == STATUS_OK)
        status = merge_ledger(g);
    if (status == STATUS_OK)
        status = merge_sweep_remarks(g);
    if (status == STATUS_OK)
        status = merge_trial_remarks(g);
    if (status == STATUS_OK)
        status = end_sweeps(g);
    return status == STATUS_OK ? see_for_others(g) : status;
}

/* ---- the whole ---- */

enum status merge_begin(struct merging *g)
{
    enum status status = store_script(g->into, MERGING, TABLES, g->m);
    struct rows r = tables_shared(g->into, g->m);
    while (status == STATUS_OK && rows_next(&r))
        status = merge_shared(g, rows_given(&r, 0));
    return rows_close_after(&r, status);
}

enum status merge_end(struct merging *g)
{
    char *drop = NULL;
    enum status status =
        store_text(g->into, MERGING,
                   "SELECT group_concat('DROP TABLE ' || name, ';') FROM sqlite_temp_schema"
                   " WHERE name GLOB 'merge_*'",
                   NO_VALUES, &drop, g->m);
    if (status == STATUS_OK)
        status = store_script(g->into, MERGING, drop, g->m);
    free(drop);
    return status;
}

enum status merge_in_scope(struct merging *g, void (*body)(struct scope *x, int64_t sweep_id),
                           int64_t sweep_id)
{
    struct scope *x = scope_of(g->into, g->m);
    if (scope_enter(x))
        body(x, sweep_id);
    return scope_end(x);
}

static enum status merge_all(struct merging *g)
{
    enum status status = store_check_numbers(g->from, g->m);
    if (status == STATUS_OK)
        status = merge_begin(g);
    if (status == STATUS_OK)
        status = merge_data_files(g);
    if (status == STATUS_OK)
        status = merge_sweeps(g);
    return status == STATUS_OK ? merge_end(g) : status;
}

enum status merge_within(struct merging *g, enum status (*with)(struct merging *g))
{
    *g->counts = (struct merge_counts){0};
    enum status status = store_snapshot(g->from, g->m);
    if (status != STATUS_OK)
        return status;
    status = with(g);
    if (status != STATUS_OK && (sqlite3_errcode(g->into->db) & 0xff) == SQLITE_CONSTRAINT)
        status = status_fail_within(g->m, STATUS_CORRUPT,
                                    "%s has a row that no results file can have: ", g->from->path);
    store_snapshot_end(g->from);
    return status;
}

enum status store_merge(struct store *into, struct store *from, merge_mover *mover, void *context,
                        struct merge_counts *counts, struct message *m)
{
    struct merging g = {
        .into = into, .from = from, .mover = mover, .context = context, .counts = counts, .m = m};
    return merge_within(&g, merge_all);
}
