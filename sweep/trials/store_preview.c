/* What planning would come to, found out by planning in memory. */
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "copying a sweep into memory";

/* Rows that decide about a plan. ?1 is the sweep's name. */
#define SWEEP_ID "sweep_id = (SELECT sweep_id FROM sweep WHERE name = ?1)"
#define TRIALS   "trial_id IN (SELECT trial_id FROM trial WHERE " SWEEP_ID
static const struct {
    const char *table, *where;
} copied[] = {
    {"sweep", "name = ?1"},
    {"config", "config_id IN (SELECT config_id FROM trial WHERE " SWEEP_ID ")"},
    {"trial", SWEEP_ID},
    {"plan_change", SWEEP_ID},
    {"look", SWEEP_ID},
};

/* Generated columns are none of a table's own. */
static void copy_table(struct scope *from, struct scope *to, const char *table, const char *where,
                       const char *sweep)
{
    struct rows *names = scope_query(to, DOING,
                                     "SELECT group_concat(name, ', '), group_concat('?', ', ')"
                                     " FROM pragma_table_info(?1)",
                                     VALUES(TEXT(table)));
    scope_next(to, names);
    const char *columns = scope_given(to, names, 0), *marks = scope_given(to, names, 1);
    scope_close(to, names);
    struct rows *read = scope_query(
        from, DOING, scope_print(from, "SELECT %s FROM %s WHERE %s", columns, table, where),
        VALUES(TEXT(sweep)));
    struct rows *write = scope_query(
        to, DOING, scope_print(to, "INSERT INTO %s (%s) VALUES (%s)", table, columns, marks),
        NO_VALUES);
    while (scope_next(from, read))
        scope_check(to, store_repeat_row(write, read));
    scope_close(to, write);
}

static void end_scope(void *scope)
{
    scope_end(scope);
}

/* All of it in one state of the file. Rungs ask for curves, looks and claims for losses of blocks,
 * and the time left for how far running trials are. */
static void copy_sweep(struct scope *to, struct store *file, const struct config *c)
{
    struct scope *from = scope_of(file, to->message);
    arena_on_free(&to->arena, end_scope, from);
    if (scope_enter(from)) {
        scope_read_begin(from);
        for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
            copy_table(from, to, copied[i].table, copied[i].where, c->name);
        copy_table(from, to, "curve",
                   c->rung_eta ? TRIALS " AND (state = 'running' OR is_tuning = 1))"
                               : TRIALS " AND state = 'running')",
                   c->name);
        if (c->looks || c->confirm)
            copy_table(from, to, "block_loss", TRIALS ")", c->name);
    }
    scope_check(to, scope_left(from));
}

/* Which trials were in the plan, in the temporary table planned_before. */
static void copy_within(struct scope *x, struct store *file, const struct plan *p,
                        struct preview *preview)
{
    if (file)
        copy_sweep(x, file, plan_config(p));
    preview->known = scope_number(x, DOING, "SELECT max(trial_id) FROM trial", NO_VALUES);
    scope_script(
        x, DOING,
        "CREATE TEMP TABLE planned_before AS SELECT trial_id FROM trial WHERE in_plan = 1");
}

static enum status plan_ahead(struct store *file, const struct plan *p, struct preview *preview,
                              struct message *m)
{
    struct plan_changes changes = {0};
    enum status status =
        store_open_memory(file ? store_path(file) : ":memory:", &preview->store, m);
    struct scope *x = status == STATUS_OK ? scope_of(preview->store, m) : NULL;
    if (!x)
        return status == STATUS_OK ? STATUS_NO_MEMORY : status;
    if (scope_enter(x)) {
        scope_change(x);
        copy_within(x, file, p, preview);
    }
    status = scope_commit(x);
    if (status == STATUS_OK)
        status = store_plan_as(preview->store, p, true, false, &changes, m);
    preview->sweep_id = changes.sweep_id;
    return status;
}

enum status store_preview(struct store *s, const struct plan *p, struct preview *preview,
                          struct message *m)
{
    *preview = (struct preview){0};
    enum status status = s ? store_refuse_plan(s, p, false, m) : STATUS_OK;
    if (status == STATUS_BAD_INPUT)
        preview->refused = *m;
    else if (status != STATUS_OK)
        return status;
    status = plan_ahead(s, p, preview, m);
    if (s && status == STATUS_BAD_INPUT) {
        preview->refused = *m;
        store_close(preview->store, NULL);
        status = plan_ahead(NULL, p, preview, m);
    }
    if (status != STATUS_OK) {
        store_close(preview->store, NULL);
        preview->store = NULL;
    }
    return status;
}
