/* tune.extend: a head count whose choice has the smallest or the largest number of a tuned axis
 * gets the next one beyond, as trials that the sweep file does not list, until its choice lies
 * inside. What it comes to is a function of what the trials have done. */
#include "sweep/plan/extension.h"
#include "sweep/trials/trials_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

static const char DOING[] = "extending tuned axes";

struct extending {
    struct store *s;
    struct message *m;
    int64_t sweep_id;
    int64_t most;               /* values to either side of an axis */
    struct extension *file;     /* the sweep file; NULL: it was not needed yet */
    bool grew;                  /* a value was added since this was false */
    struct extensions_due *due; /* values are noted here, not added; NULL: they are added */
};

/* A head count in one setting that has chosen. */
struct group {
    int64_t heads;
    char setting[PLAN_TEXT_MAX], tuning[PLAN_TEXT_MAX];
};

/* ---- the sweep file ---- */

enum { SETS_MAX = 256 };

/* What --set said, one text behind the other, each with its end. */
static enum status read_sets(struct extending *e, struct text_buffer *sets, int *count)
{
    struct rows r = store_rows(e->s, DOING,
                               "SELECT o.value FROM sweep, json_each(overrides) AS o"
                               " WHERE sweep_id = ? ORDER BY o.key",
                               VALUES(INTEGER(e->sweep_id)), e->m);
    for (; *count < SETS_MAX && rows_next(&r); ++*count) {
        const char *text = rows_given(&r, 0);
        text_add_bytes(sets, text, strlen(text) + 1);
    }
    enum status status = rows_close(&r);
    return status == STATUS_OK && sets->out_of_memory ? status_no_memory(e->m, "a sweep file")
                                                      : status;
}

static enum status read_file(struct extending *e)
{
    struct text_buffer sets = {0};
    const char *set[SETS_MAX];
    int count = 0;
    char *name = NULL, *text = NULL;
    const struct value sweep[] = {INTEGER(e->sweep_id)};
    if (e->file)
        return STATUS_OK;
    enum status status =
        store_text(e->s, DOING, "SELECT name FROM sweep WHERE sweep_id = ?", sweep, 1, &name, e->m);
    if (status == STATUS_OK)
        status = store_text(e->s, DOING, "SELECT yaml FROM sweep WHERE sweep_id = ?", sweep, 1,
                            &text, e->m);
    if (status == STATUS_OK)
        status = read_sets(e, &sets, &count);
    if (status == STATUS_OK) {
        const char *next = sets.text;
        for (int i = 0; i < count; next += strlen(next) + 1)
            set[i++] = next;
        status = extension_new(name, text, set, count, &e->file, e->m);
    }
    free(sets.text);
    free(name);
    free(text);
    return status;
}

/* ---- the next number ---- */

/* The numbers of an axis that a head count has tried, in their order. */
struct reach {
    double lowest, second, second_last, highest, chosen;
    int64_t values, listed_from, listed_to; /* places of the listed ones, from 0 */
};

static enum status read_reach(struct extending *e, const struct group *g, const char *path,
                              struct reach *reach)
{
    struct rows r = store_rows(
        e->s, DOING,
        "SELECT o.value, min(t.added) = 0, min(t.rank) = 1"
        " FROM tuning AS t, json_each(t.tuning) AS o WHERE t.sweep_id = ?1"
        " AND t.setting = ?2 AND t.heads = ?3 AND o.key = ?4"
        " AND o.type IN ('integer', 'real')"
        " GROUP BY o.value ORDER BY o.value",
        VALUES(INTEGER(e->sweep_id), TEXT(g->setting), INTEGER(g->heads), TEXT(path)), e->m);
    *reach = (struct reach){.listed_from = -1};
    for (; rows_next(&r); reach->values++) {
        double value = rows_real(&r, 0);
        if (reach->values == 0)
            reach->lowest = value;
        if (reach->values == 1)
            reach->second = value;
        reach->second_last = reach->highest;
        reach->highest = value;
        if (rows_integer(&r, 1)) {
            reach->listed_from = reach->listed_from < 0 ? reach->values : reach->listed_from;
            reach->listed_to = reach->values;
        }
        if (rows_integer(&r, 2))
            reach->chosen = value;
    }
    return rows_close(&r);
}

/* The number beyond the chosen one; 0: it lies inside, or there is no way on. */
static double next_number(const struct extending *e, const struct reach *reach)
{
    if (reach->values < 2)
        return 0;
    if (reach->chosen == reach->lowest && reach->listed_from < e->most)
        return extension_beyond(reach->lowest, reach->second);
    if (reach->chosen == reach->highest && reach->values - 1 - reach->listed_to < e->most)
        return extension_beyond(reach->highest, reach->second_last);
    return 0;
}

/* ---- its trials ---- */

/* The trials of ?2, a configuration of the chosen candidate, once more with the configuration ?3
 * and the tuned values ?4. Those that are there from before come back. */
static const char ADD[] =
    "WITH last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),"
    " ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id) "
    "INSERT INTO trial (trial_id, sweep_id, config_id, seed, in_plan, plan_order, setting,"
    " setting_label, tuning, is_tuning, replicate, look, choice, chance, in_shard, added)"
    " SELECT (SELECT id FROM last) + row_number() OVER (ORDER BY plan_order), sweep_id,"
    "  c.config_id, seed, 1, plan_order, setting, setting_label, ?4, is_tuning, replicate, look,"
    "  iif(is_tuning, 'chosen', 'waiting'), c.chance, in_shard, added + 1"
    "  FROM trial AS t JOIN config AS c ON c.config_id = ?3"
    "  WHERE t.sweep_id = ?1 AND t.config_id = ?2 AND t.in_plan = 1 AND t.confirms = 0"
    " ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,"
    " plan_order = excluded.plan_order, setting = excluded.setting,"
    " setting_label = excluded.setting_label, tuning = excluded.tuning,"
    " is_tuning = excluded.is_tuning, replicate = excluded.replicate, look = excluded.look,"
    " choice = excluded.choice, until = NULL, in_shard = excluded.in_shard,"
    " added = excluded.added,"
    " state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END";

/* The tuned values with another number at `path`, malloced. */
static enum status put_number(const struct extending *e, const char *tuning, const char *path,
                              const struct extended_point *p, char **with)
{
    return store_text(e->s, DOING, "SELECT json_set(?1, '$.\"' || ?2 || '\"', json(?3))",
                      VALUES(TEXT(tuning), TEXT(path), TEXT(p->value)), with, e->m);
}

/* A real number changes neither parameters nor FLOPs. */
static enum status add_point(struct extending *e, int64_t config_id, const char *path,
                             const char *tuning, const struct extended_point *p)
{
    static const char config[] =
        "INSERT OR IGNORE INTO config (config_sha256, config_json, n_params, flops_per_step,"
        " chance) SELECT ?2, ?3, n_params, flops_per_step, chance FROM config WHERE config_id = ?1";
    int64_t added = 0;
    char *with = NULL;
    enum status status =
        store_execute(e->s, DOING, config,
                      VALUES(INTEGER(config_id), TEXT(p->sha256), TEXT(p->json)), NULL, e->m);
    if (status == STATUS_OK)
        status = store_integer(e->s, DOING, "SELECT config_id FROM config WHERE config_sha256 = ?",
                               VALUES(TEXT(p->sha256)), 0, &added, e->m);
    if (status == STATUS_OK)
        status = put_number(e, tuning, path, p, &with);
    if (status == STATUS_OK)
        status = store_execute(
            e->s, DOING, ADD,
            VALUES(INTEGER(e->sweep_id), INTEGER(config_id), INTEGER(added), TEXT(with)), NULL,
            e->m);
    free(with);
    return status;
}

/* Goes through the configurations of the chosen candidate, one for each replicate: whether all of
 * them can have the number or, with `add`, gives it to them. *extended: the last of them. */
static enum status each_point(struct extending *e, const struct group *g, const char *path,
                              double number, bool add, struct extended_point *extended)
{
    struct rows r = store_rows(
        e->s, DOING,
        "SELECT DISTINCT config_id, config_json, replicate FROM trial JOIN config USING (config_id)"
        " WHERE sweep_id = ? AND setting = ? AND heads = ? AND tuning = ? AND tuning <> '{}'"
        " AND in_plan = 1 AND confirms = 0 ORDER BY +config_id", /* by the index trial_tuned */
        VALUES(INTEGER(e->sweep_id), TEXT(g->setting), INTEGER(g->heads), TEXT(g->tuning)), e->m);
    enum status status = STATUS_OK;
    extended->possible = true;
    while (status == STATUS_OK && extended->possible && rows_next(&r)) {
        const struct extension_point old = {rows_given(&r, 1), g->setting, rows_given(&r, 2),
                                            g->tuning};
        status = extension_point(e->file, &old, path, number, extended, e->m);
        if (status == STATUS_OK && add && extended->possible)
            status = add_point(e, rows_integer(&r, 0), path, g->tuning, extended);
    }
    return rows_close_after(&r, status);
}

static enum status note_due(struct extending *e, const struct group *g, const char *path,
                            const struct extended_point *p)
{
    char *with = NULL;
    struct extension_due *longer = array_grow(e->due->item, e->due->count, sizeof *longer);
    if (!longer)
        return status_no_memory(e->m, "values to be added");
    e->due->item = longer;
    enum status status = put_number(e, g->tuning, path, p, &with);
    if (status == STATUS_OK) {
        struct extension_due *due = &longer[e->due->count++];
        due->heads = g->heads;
        snprintf(due->setting, sizeof due->setting, "%s", g->setting);
        snprintf(due->tuning, sizeof due->tuning, "%s", with);
        status = store_integer(e->s, DOING,
                               "SELECT 1 FROM trial JOIN config USING (config_id)"
                               " WHERE config_sha256 = ? AND sweep_id = ? AND is_tuning = 1",
                               VALUES(TEXT(p->sha256), INTEGER(e->sweep_id)), 0, &due->known, e->m);
    }
    free(with);
    return status;
}

/* On the first axis, in the order of `tune`, that leads on. */
static enum status extend_axis(struct extending *e, const struct group *g, const char *path)
{
    struct reach reach;
    struct extended_point point = {0};
    enum status status = read_reach(e, g, path, &reach);
    double number = status == STATUS_OK ? next_number(e, &reach) : 0;
    if (number == 0)
        return status;
    status = read_file(e);
    if (status == STATUS_OK)
        status = each_point(e, g, path, number, false, &point);
    if (status != STATUS_OK || !point.possible)
        return status;
    e->grew = true;
    return e->due ? note_due(e, g, path, &point) : each_point(e, g, path, number, true, &point);
}

static enum status extend_group(struct extending *e, const struct group *g)
{
    struct rows r = store_rows(e->s, DOING,
                               "SELECT axis.value FROM sweep, json_each(tune) AS axis"
                               " WHERE sweep_id = ? ORDER BY axis.key",
                               VALUES(INTEGER(e->sweep_id)), e->m);
    enum status status = STATUS_OK;
    e->grew = false;
    while (status == STATUS_OK && !e->grew && rows_next(&r))
        status = extend_axis(e, g, rows_given(&r, 0));
    return rows_close_after(&r, status);
}

/* ---- groups ---- */

/* Those that have chosen an outermost number, where a score can be better still. */
#define AT_EDGE                                                                                    \
    "SELECT setting, heads, tuning FROM tuning WHERE sweep_id = ?1 AND rank = 1 AND settled"       \
    " AND n_outer > 0 AND score IS NOT (SELECT iif(metric = 'val_loss', 0, 1) FROM sweep WHERE"    \
    " sweep_id = ?1)"

struct groups {
    size_t count;
    struct group *item;
};

/* Of a sweep, or of one head count (heads > 0). */
static enum status read_groups(struct extending *e, const char *setting, int64_t heads,
                               struct groups *list)
{
    const struct value values[] = {INTEGER(e->sweep_id), TEXT(setting), INTEGER(heads)};
    bool one = heads > 0;
    struct rows r =
        store_rows(e->s, DOING, one ? AT_EDGE " AND setting = ?2 AND heads = ?3" : AT_EDGE, values,
                   one ? 3 : 1, e->m);
    list->count = 0;
    while (rows_next(&r)) {
        struct group *longer = array_grow(list->item, list->count, sizeof *longer);
        if (!longer) {
            r.status = status_no_memory(e->m, "head counts to be extended");
            break;
        }
        list->item = longer;
        struct group *g = &longer[list->count++];
        rows_copy(&r, 0, g->setting, sizeof g->setting);
        g->heads = rows_integer(&r, 1);
        rows_copy(&r, 2, g->tuning, sizeof g->tuning);
    }
    return rows_close(&r);
}

/* A value whose trials have ended before may lead on to the next one. */
static enum status extend_all(struct extending *e, const char *setting, int64_t heads)
{
    struct groups list = {.count = 0};
    enum status status = STATUS_OK;
    bool grew = true;
    while (status == STATUS_OK && grew) {
        grew = false;
        status = read_groups(e, setting, heads, &list);
        for (size_t i = 0; status == STATUS_OK && i < list.count; i++) {
            status = extend_group(e, &list.item[i]);
            grew |= e->grew;
        }
    }
    free(list.item);
    return status;
}

enum status store_settle_extensions(struct store *s, int64_t sweep_id, const char *setting,
                                    int64_t heads, struct message *m)
{
    struct extending e = {.s = s, .m = m, .sweep_id = sweep_id};
    enum status status = STATUS_OK;
    if (heads == 0) /* those that are still needed come back */
        status = store_execute(s, DOING,
                               "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1"
                               " AND added > 0",
                               VALUES(INTEGER(sweep_id)), NULL, m);
    if (status == STATUS_OK)
        status = store_integer(s, DOING, "SELECT extend FROM sweep WHERE sweep_id = ?",
                               VALUES(INTEGER(sweep_id)), 0, &e.most, m);
    if (status == STATUS_OK && e.most > 0)
        status = extend_all(&e, setting, heads);
    extension_free(e.file);
    return status;
}

enum status store_extensions_due(struct store *s, const struct config *c,
                                 struct extensions_due *due, struct message *m)
{
    struct extending e = {.s = s, .m = m, .most = c->extend, .due = due};
    struct groups list = {.count = 0};
    *due = (struct extensions_due){0};
    enum status status = store_integer(s, DOING, "SELECT sweep_id FROM sweep WHERE name = ?",
                                       VALUES(TEXT(c->name)), 0, &e.sweep_id, m);
    if (status == STATUS_OK && e.sweep_id && e.most > 0)
        status = extension_new(c->name, c->text, c->set, c->sets, &e.file, m);
    if (status == STATUS_OK && e.file)
        status = read_groups(&e, NULL, 0, &list);
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
        status = extend_group(&e, &list.item[i]);
    free(list.item);
    extension_free(e.file);
    return status;
}

/* What was added to a sweep by trials numbered above *after, a line for each value. The sign before
 * sweep_id keeps SQLite from an index of it, which finds all trials of the sweep; there are few
 * numbers above. */
static enum status say_added(struct store *s, int64_t sweep_id, int64_t after,
                             struct text_buffer *said, struct message *m)
{
    struct rows r =
        store_rows(s, DOING,
                   "SELECT heads, setting_label, tuning, count(*) FILTER (WHERE is_tuning)"
                   " FROM trial JOIN config USING (config_id)"
                   " WHERE trial_id > ?2 AND +sweep_id = ?1 AND added > 0"
                   " GROUP BY setting, heads, tuning ORDER BY min(trial_id)",
                   VALUES(INTEGER(sweep_id), INTEGER(after)), m);
    while (rows_next(&r)) {
        char label[2 * PLAN_TEXT_MAX];
        int64_t trials = rows_integer(&r, 3);
        plan_full_label(rows_given(&r, 1), rows_given(&r, 2), label, sizeof label);
        text_add(said,
                 "heads=%" PRId64 ": its outermost value was chosen, so %s is added (%" PRId64
                 " tuning trial%s)\n",
                 rows_integer(&r, 0), label, trials, text_plural(trials));
    }
    enum status status = rows_close(&r);
    if (status == STATUS_OK && said->out_of_memory)
        status = status_no_memory(m, "what was added");
    return status;
}

enum status store_added(struct store *s, int64_t sweep_id, int64_t *after, struct text_buffer *said,
                        struct message *m)
{
    enum status status = said ? say_added(s, sweep_id, *after, said, m) : STATUS_OK;
    if (status == STATUS_OK)
        status = store_integer(s, DOING, "SELECT max(trial_id) FROM trial", NO_VALUES, 0, after, m);
    return status;
}
