#include "sweep/merge/merge_parts.h"

#include <string.h>

#include "engine/base/text.h"
#include "sweep/trials/store_check.h"

#define STATEMENT(name, sql) const char sql_##name[] = sql;
#include "merge_sql.h"
#undef STATEMENT

const char *const merge_statements[] = {
#define STATEMENT(name, sql) sql_##name,
#include "merge_sql.h"
    NULL};

/* ---- rows from one file to the other ---- */

/* What a column is to get in `into`; NULL: it is not said. */
static const char *given(const struct merge_table *t, const char *column)
{
    const char *const *pair = t->values;
    while (pair && pair[0] && strcmp(pair[0], column) != 0)
        pair += 2;
    return pair && pair[0] ? pair[1] : NULL;
}

static void add_value(struct text_buffer *values, const char *value, const char *column,
                      const char *parent)
{
    if (value)
        text_add(values, "%s", value);
    else if (parent)
        text_add(values, "(SELECT new FROM merge_%s WHERE old = @%s)", parent, column);
    else
        text_add(values, "@%s", column);
}

/* The statement that writes a row; a key that is a number alone is given anew. */
static const char *make_write(struct merging *g, const struct merge_table *t)
{
    enum { COLUMN, PARENT, NUMBER };
    const char *to = t->to ? t->to : t->name;
    struct text_buffer names = scope_text(g->x), values = scope_text(g->x);
    const char *theirs =
        scope_string(g->there, MERGING, "SELECT json_group_array(name) FROM pragma_table_info(?)",
                     VALUES(TEXT(t->name)));
    struct rows *r = scope_query(g->x, MERGING, sql_columns_to_write,
                                 VALUES(TEXT(to), TEXT(t->name), TEXT(theirs),
                                        TEXT(t->columns ? t->columns : "[]"), INTEGER(t->only)));
    while (scope_next(g->x, r)) {
        const char *between = names.used ? ", " : "", *column = rows_given(r, COLUMN);
        const char *value = given(t, column);
        if (rows_integer(r, NUMBER) && !value)
            continue;
        text_add(&names, "%s\"%s\"", between, column);
        text_add(&values, "%s", between);
        add_value(&values, value, column, rows_text(r, PARENT));
    }
    return scope_print(
        g->x, t->update ? "UPDATE %s SET (%s) = (%s) %s" : "INSERT INTO %s (%s) SELECT %s %s", to,
        names.text, values.text, t->tail ? t->tail : "");
}

/* The columns that the other statement names. */
static const char *make_read(struct merging *g, const struct merge_table *t, sqlite3_stmt *write)
{
    struct text_buffer read = scope_text(g->x);
    text_add(&read, "SELECT ");
    for (int i = 1; i <= sqlite3_bind_parameter_count(write); i++)
        text_add(&read, "%s\"%s\"", i > 1 ? ", " : "", sqlite3_bind_parameter_name(write, i) + 1);
    text_add(&read, " FROM %s %s", t->name, t->where ? t->where : "");
    return read.text;
}

struct merge_copy merge_copy_open(struct merging *g, const struct merge_table *t)
{
    struct merge_copy copy = {.keyed = t->where && strstr(t->where, "?1")};
    const char *write = t->write ? t->write : make_write(g, t);
    copy.write = scope_query(g->x, MERGING, write, NO_VALUES);
    scope_check(g->x, copy.write->status);
    copy.read = scope_query(g->there, MERGING, make_read(g, t, copy.write->statement), NO_VALUES);
    return copy;
}

void merge_copy_run(struct merging *g, const struct merge_copy *copy, int64_t key)
{
    rows_rebind(copy->read, &INTEGER(key), copy->keyed);
    while (rows_next(copy->read))
        scope_check(g->x, store_repeat_row(copy->write, copy->read));
    scope_check(g->there, copy->read->status);
}

void merge_copy_close(struct merging *g, const struct merge_copy *copy)
{
    scope_close(g->there, copy->read);
    scope_close(g->x, copy->write);
}

void merge_rows(struct merging *g, const struct merge_table *t, int64_t key)
{
    struct merge_copy copy = merge_copy_open(g, t);
    merge_copy_run(g, &copy, key);
    merge_copy_close(g, &copy);
}

/* ---- what trials share ---- */

void merge_shared(struct merging *g, const char *table)
{
    const char *same = scope_string(g->x, MERGING, sql_same_row, VALUES(TEXT(table)));
    scope_script(g->x, MERGING,
                 scope_print(g->x,
                             "CREATE TEMP TABLE IF NOT EXISTS merge_%s"
                             " (old INTEGER PRIMARY KEY, new INTEGER); DELETE FROM merge_%s",
                             table, table));
    if (g->own && strcmp(table, "config") == 0)
        return;
    struct merge_table absent = {.name = table,
                                 .tail = scope_print(g->x, "WHERE NOT EXISTS (SELECT 1 %s)", same)};
    struct merge_table note = {
        .name = table,
        .write = scope_print(g->x, "INSERT INTO merge_%s (old, new) SELECT @rowid, k.rowid %s",
                             table, same)};
    merge_rows(g, &absent, 0);
    merge_rows(g, &note, 0);
}

/* Of what both know of a file, what was read last. */
static void merge_data_files(struct merging *g)
{
    static const struct merge_table files = {
        .name = "data_file",
        .tail = "WHERE true ON CONFLICT DO UPDATE SET facts = excluded.facts, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, read_ns = excluded.read_ns"
                " WHERE excluded.read_ns > data_file.read_ns"};
    merge_rows(g, &files, 0);
}

/* ---- what has no trial ---- */

static void merge_ledger(struct merging *g)
{
    static const char *const values[] = {"trial_id", "(SELECT number FROM merge_next)", NULL};
    static const struct merge_table ledger = {
        .name = "deleted",
        .where = "ORDER BY trial_id",
        .values = values,
        .tail = "WHERE NOT EXISTS (SELECT 1 FROM deleted AS d WHERE d.config_id = (SELECT new FROM"
                " merge_config WHERE old = @config_id) AND d.seed = @seed AND d.sweep = @sweep"
                " AND d.deleted = @deleted)"};
    merge_rows(g, &ledger, 0);
}

static void merge_sweep_remarks(struct merging *g)
{
    static const struct merge_table sweeps = {
        .name = "sweep", .where = "WHERE remark IS NOT NULL", .write = sql_join_sweep_remarks};
    merge_rows(g, &sweeps, 0);
}

void merge_trial_remarks(struct merging *g)
{
    static const struct merge_table trials = {
        .name = "trial", .where = "WHERE remark IS NOT NULL", .write = sql_join_trial_remarks};
    merge_rows(g, &trials, 0);
}

/* ---- sweeps ---- */

static void begin_sweeps(struct merging *g)
{
    merge_trials_open(g);
    struct rows *r = scope_query(g->there, MERGING,
                                 "SELECT sweep_id, name FROM sweep ORDER BY sweep_id", NO_VALUES);
    while (scope_next(g->there, r)) {
        struct merge_sweep sweep = {.from_id = rows_integer(r, 0)};
        rows_copy(r, 1, sweep.name, sizeof sweep.name);
        merge_sweep_begin(g, &sweep);
        merge_trials(g, &sweep);
    }
    merge_trials_close(g);
}

static void end_sweeps(struct merging *g)
{
    struct rows *r = scope_query(g->x, MERGING,
                                 "SELECT old, new, plan FROM merge_sweep ORDER BY old", NO_VALUES);
    while (scope_next(g->x, r))
        merge_sweep_end(g, &(struct merge_sweep){.from_id = rows_integer(r, 0),
                                                 .into_id = rows_integer(r, 1),
                                                 .plan = (enum merge_plan)rows_integer(r, 2)});
}

static void see_for_others(struct merging *g)
{
    struct rows *r = scope_query(g->x, MERGING, sql_others_concerned, NO_VALUES);
    while (scope_next(g->x, r))
        merge_seen(g, rows_integer(r, 0));
}

/* ---- the whole ---- */

void merge_begin(struct merging *g)
{
    scope_script(g->x, MERGING, sql_merge_tables);
    struct rows *r = tables_shared(g->x);
    while (scope_next(g->x, r))
        merge_shared(g, rows_given(r, 0));
}

void merge_end(struct merging *g)
{
    scope_script(g->x, MERGING, scope_string(g->x, MERGING, sql_drop_tables, NO_VALUES));
}

static void end_there(void *merging)
{
    struct merging *g = merging;
    scope_end(g->there);
}

struct scope *merge_within(struct merging *g, void (*with)(struct merging *g), struct message *m)
{
    struct scope *x = g->x = scope_of(g->into, m);
    if (scope_enter(x)) {
        arena_on_free(&x->arena, end_there, g);
        g->there = scope_of(g->from, m);
        if (scope_enter(g->there)) {
            scope_read_begin(g->there);
            with(g);
        }
        scope_check(x, scope_left(g->there));
    }
    if (x && x->status != STATUS_OK && (sqlite3_errcode(g->into->db) & 0xff) == SQLITE_CONSTRAINT)
        x->status = status_fail_within(
            m, STATUS_CORRUPT, "%s has a row that no results file can have: ", g->from->path);
    return x;
}

static void merge_all(struct merging *g)
{
    scope_check(g->x, store_check_numbers(g->from, g->x->message));
    merge_begin(g);
    merge_data_files(g);
    begin_sweeps(g);
    merge_trial_rows(g);
    merge_ledger(g);
    merge_sweep_remarks(g);
    merge_trial_remarks(g);
    end_sweeps(g);
    see_for_others(g);
    merge_end(g);
}

enum status store_merge(struct store *into, struct store *from, merge_mover *mover, void *context,
                        struct merge_counts *counts, struct message *m)
{
    struct merging g = {
        .into = into, .from = from, .mover = mover, .context = context, .counts = counts};
    *counts = (struct merge_counts){0};
    return scope_end(merge_within(&g, merge_all, m));
}
