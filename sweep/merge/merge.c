#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/trials/store_check.h"

/* What things are called in `from` (old) and in `into` (new). taken: the trial is as `from` has it;
 * same: what studies found in `from` is true of it. */
static const char TABLES[] =
    "CREATE TEMP TABLE merge_build (old INTEGER PRIMARY KEY, new INTEGER);"
    "CREATE TEMP TABLE merge_config (old INTEGER PRIMARY KEY, new INTEGER);"
    "CREATE TEMP TABLE merge_sweep (old INTEGER PRIMARY KEY, new INTEGER);"
    "CREATE TEMP TABLE merge_trial (old INTEGER PRIMARY KEY, new INTEGER, taken INTEGER,"
    " same INTEGER);"
    "CREATE TEMP TABLE merge_attempt (old_trial INTEGER, old INTEGER, trial INTEGER, new INTEGER,"
    " PRIMARY KEY (old_trial, old)) WITHOUT ROWID;"
    "CREATE TEMP TABLE merge_change AS SELECT *, 1 AS theirs FROM plan_change LIMIT 0";
static const char NO_TABLES[] =
    "DROP TABLE merge_build; DROP TABLE merge_config; DROP TABLE merge_sweep;"
    "DROP TABLE merge_trial; DROP TABLE merge_attempt; DROP TABLE merge_change";

/* ---- what trials refer to ---- */

static enum status note(struct merging *g, const char *sql, int64_t id, struct value with)
{
    const struct value values[] = {INTEGER(id), with};
    return store_execute(g->into, MERGING, sql, values, 2, NULL, g->m);
}

static enum status merge_builds(struct merging *g)
{
    enum { ID, VERSION, COMMIT, COMPILER, FLAGS, OPENBLAS, CORE_TYPE, KERNELS, CPU, THREADS };
    struct rows r = store_rows(g->from, MERGING,
                               "SELECT build_id, version, git_commit, compiler, flags, openblas,"
                               " core_type, kernels, cpu, threads FROM build ORDER BY build_id",
                               NO_VALUES, g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        int64_t id = 0;
        struct build_info b = {
            rows_given(&r, VERSION), rows_given(&r, COMMIT),   rows_given(&r, COMPILER),
            rows_given(&r, FLAGS),   rows_given(&r, OPENBLAS), rows_given(&r, CORE_TYPE),
            rows_given(&r, KERNELS), rows_given(&r, CPU),      (int)rows_integer(&r, THREADS)};
        status = store_build(g->into, &b, &id, g->m);
        if (status == STATUS_OK)
            status = note(g, "INSERT INTO merge_build (old, new) VALUES (?, ?)",
                          rows_integer(&r, ID), INTEGER(id));
    }
    enum status closed = rows_close(&r);
    return status == STATUS_OK ? closed : status;
}

enum status merge_configs(struct merging *g)
{
    /* Not ON CONFLICT: SQLite would compute the generated columns first. */
    static const struct merge_table configs = {.name = "config",
                                               .without = "[\"config_id\"]",
                                               .tail = "WHERE NOT EXISTS (SELECT 1 FROM config AS c"
                                                       " WHERE c.config_sha256 = @config_sha256)"};
    enum status status = merge_rows(g, &configs, 0);
    if (status != STATUS_OK)
        return status;
    struct rows r = store_rows(g->from, MERGING, "SELECT config_id, config_sha256 FROM config",
                               NO_VALUES, g->m);
    while (status == STATUS_OK && rows_next(&r))
        status = note(g,
                      "INSERT INTO merge_config (old, new)"
                      " SELECT ?1, config_id FROM config WHERE config_sha256 = ?2",
                      rows_integer(&r, 0), TEXT(rows_text(&r, 1)));
    enum status closed = rows_close(&r);
    return status == STATUS_OK ? closed : status;
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
    static const char *const values[] = {
        "trial_id",
        "(SELECT 1 + max(ifnull((SELECT max(trial_id) FROM trial), 0),"
        " ifnull((SELECT max(trial_id) FROM deleted), 0)))",
        NULL};
    static const struct merge_table ledger = {
        .name = "deleted",
        .where = "WHERE ?1 = 0 ORDER BY trial_id",
        .values = values,
        .tail =
            "WHERE NOT EXISTS (SELECT 1 FROM deleted AS d WHERE d.config_sha256 ="
            " @config_sha256 AND d.seed = @seed AND d.sweep = @sweep AND d.deleted = @deleted)"};
    return merge_rows(g, &ledger, 0);
}

/* Both remarks, unless one has the other in it, or there is no room for both. */
static enum status merge_remarks(struct merging *g, const char *read, const char *write)
{
    struct rows r = store_rows(g->from, MERGING, read, NO_VALUES, g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = note(g, write, rows_integer(&r, 0), TEXT(rows_text(&r, 1)));
    enum status closed = rows_close(&r);
    return status == STATUS_OK ? closed : status;
}

#define HAS(a, b) "instr('; ' || " a " || '; ', '; ' || " b " || '; ')"
#define BOTH_REMARKS                                                                               \
    " SET remark = CASE WHEN remark IS NULL OR " HAS("?2", "remark") " THEN ?2 WHEN " HAS(         \
        "remark", "?2") " OR length(CAST(remark || ?2 AS BLOB)) > 3900 THEN remark"                \
                        " ELSE remark || '; ' || ?2 END WHERE "

static enum status merge_sweep_remarks(struct merging *g)
{
    return merge_remarks(g, "SELECT sweep_id, remark FROM sweep WHERE remark IS NOT NULL",
                         "UPDATE sweep" BOTH_REMARKS
                         "sweep_id = (SELECT new FROM merge_sweep WHERE old = ?1)");
}

enum status merge_trial_remarks(struct merging *g)
{
    return merge_remarks(g, "SELECT trial_id, remark FROM trial WHERE remark IS NOT NULL",
                         "UPDATE trial" BOTH_REMARKS
                         "trial_id = (SELECT new FROM merge_trial WHERE old = ?1)");
}

/* ---- sweeps ---- */

struct sweeps {
    struct merge_sweep *item;
    int count;
};

static enum status list_sweeps(struct merging *g, struct sweeps *list)
{
    struct rows r = store_rows(
        g->from, MERGING, "SELECT sweep_id, name FROM sweep ORDER BY sweep_id", NO_VALUES, g->m);
    while (r.status == STATUS_OK && rows_next(&r)) {
        struct merge_sweep *longer = array_grow(list->item, (size_t)list->count, sizeof *longer);
        if (!longer) {
            r.status =
                status_fail(g->m, STATUS_NO_MEMORY, "no memory for %d sweeps", list->count + 1);
            break;
        }
        list->item = longer;
        longer[list->count] = (struct merge_sweep){.from_id = rows_integer(&r, 0)};
        rows_copy(&r, 1, longer[list->count].name, sizeof longer->name);
        list->count++;
    }
    return rows_close(&r);
}

static enum status merge_sweeps(struct merging *g, struct sweeps *list)
{
    enum status status = merge_trials_open(g);
    for (int i = 0; status == STATUS_OK && i < list->count; i++) {
        status = merge_sweep_begin(g, &list->item[i]);
        if (status == STATUS_OK)
            status = merge_trials(g, &list->item[i]);
    }
    merge_trials_close(g);
    if (status == STATUS_OK)
        status = merge_trial_rows(g);
    if (status == STATUS_OK)
        status = merge_ledger(g);
    if (status == STATUS_OK)
        status = merge_sweep_remarks(g);
    if (status == STATUS_OK)
        status = merge_trial_remarks(g);
    for (int i = 0; status == STATUS_OK && i < list->count; i++)
        status = merge_sweep_end(g, &list->item[i]);
    return status;
}

/* ---- the whole ---- */

enum status merge_begin(struct merging *g)
{
    enum status status = store_script(g->into, MERGING, TABLES, g->m);
    return status == STATUS_OK ? merge_builds(g) : status;
}

enum status merge_end(struct merging *g)
{
    return store_script(g->into, MERGING, NO_TABLES, g->m);
}

static enum status merge_all(struct merging *g)
{
    struct sweeps list = {.count = 0};
    enum status status = store_check_numbers(g->from, g->m);
    if (status == STATUS_OK)
        status = merge_begin(g);
    if (status == STATUS_OK)
        status = merge_configs(g);
    if (status == STATUS_OK)
        status = merge_data_files(g);
    if (status == STATUS_OK)
        status = list_sweeps(g, &list);
    if (status == STATUS_OK)
        status = merge_sweeps(g, &list);
    if (status == STATUS_OK)
        status = merge_end(g);
    free(list.item);
    return status;
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
