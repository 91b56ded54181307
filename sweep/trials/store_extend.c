/* tune.extend: a head count whose choice has the smallest or the largest number of a tuned axis
 * gets the next one beyond, as trials that the sweep file does not list, until its choice lies
 * inside. What it comes to is a function of what the trials have done. */
#include "sweep/plan/extension.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/trials/trials_internal.h"

static const char DOING[] = "extending tuned axes";

struct extending {
    struct scope *x;
    int64_t sweep_id;
    int64_t most;           /* values to either side of an axis */
    struct extension *file; /* the sweep file; NULL: it was not needed yet */
};

/* A head count in one setting that has chosen. */
struct group {
    int64_t heads;
    const char *setting, *tuning;
};

/* ---- the sweep file ---- */

enum { SETS_MAX = 256 };

static void free_file(void *file)
{
    extension_free(file);
}

static void read_file(struct extending *e)
{
    const char *set[SETS_MAX]; /* what --set said */
    int count = 0;
    const struct value sweep[] = {INTEGER(e->sweep_id)};
    if (e->file)
        return;
    const char *name =
        scope_string(e->x, DOING, "SELECT name FROM sweep WHERE sweep_id = ?", sweep, 1);
    const char *text =
        scope_string(e->x, DOING, "SELECT yaml FROM sweep WHERE sweep_id = ?", sweep, 1);
    struct rows *r = scope_query(e->x, DOING,
                                 "SELECT o.value FROM sweep, json_each(overrides) AS o"
                                 " WHERE sweep_id = ? ORDER BY o.key",
                                 sweep, 1);
    while (count < SETS_MAX && scope_next(e->x, r))
        set[count++] = scope_given(e->x, r, 0);
    scope_close(e->x, r);
    scope_check(e->x, extension_new(name, text, set, count, &e->file, e->x->message));
    arena_on_free(&e->x->arena, free_file, e->file);
}

/* ---- the next number ---- */

/* The numbers of an axis that a head count has tried, in their order. */
struct reach {
    double lowest, second, second_last, highest, chosen;
    int64_t values, listed_from, listed_to; /* places of the listed ones, from 0 */
};

static struct reach read_reach(struct extending *e, const struct group *g, const char *path)
{
    struct reach reach = {.listed_from = -1};
    struct rows *r =
        scope_query(e->x, DOING, sql_reach,
                    VALUES(INTEGER(e->sweep_id), TEXT(g->setting), INTEGER(g->heads), TEXT(path)));
    for (; scope_next(e->x, r); reach.values++) {
        double value = rows_real(r, 0);
        if (reach.values == 0)
            reach.lowest = value;
        if (reach.values == 1)
            reach.second = value;
        reach.second_last = reach.highest;
        reach.highest = value;
        if (rows_integer(r, 1)) {
            reach.listed_from = reach.listed_from < 0 ? reach.values : reach.listed_from;
            reach.listed_to = reach.values;
        }
        if (rows_integer(r, 2))
            reach.chosen = value;
    }
    return reach;
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

int64_t store_add_config(struct scope *x, int64_t config_id, const char *sha256, const char *json)
{
    static const char doing[] = "recording a configuration";
    scope_run(x, doing, sql_add_config, VALUES(INTEGER(config_id), TEXT(sha256), TEXT(json)));
    return scope_number(x, doing, "SELECT config_id FROM config WHERE config_sha256 = ?",
                        VALUES(TEXT(sha256)));
}

/* The tuned values with another number at `path`. */
static const char *put_number(struct extending *e, const char *tuning, const char *path,
                              const struct extended_point *p)
{
    return scope_string(e->x, DOING, "SELECT json_set(?1, '$.\"' || ?2 || '\"', json(?3))",
                        VALUES(TEXT(tuning), TEXT(path), TEXT(p->value)));
}

static void add_point(struct extending *e, int64_t config_id, const char *path, const char *tuning,
                      const struct extended_point *p)
{
    int64_t added = store_add_config(e->x, config_id, p->sha256, p->json);
    scope_run(e->x, DOING, sql_extend_trials,
              VALUES(INTEGER(e->sweep_id), INTEGER(config_id), INTEGER(added),
                     TEXT(put_number(e, tuning, path, p))));
}

/* Goes through the configurations of the chosen candidate, one for each replicate: whether all of
 * them can have the number or, with `add`, gives it to them. *extended: the last of them. */
static bool each_point(struct extending *e, const struct group *g, const char *path, double number,
                       bool add, struct extended_point *extended)
{
    struct rows *r = scope_query(
        e->x, DOING, sql_extended_points,
        VALUES(INTEGER(e->sweep_id), TEXT(g->setting), INTEGER(g->heads), TEXT(g->tuning)));
    extended->possible = true;
    while (extended->possible && scope_next(e->x, r)) {
        const struct extension_point old = {scope_given(e->x, r, 1), g->setting,
                                            scope_given(e->x, r, 2), g->tuning};
        scope_check(e->x, extension_point(e->file, &old, path, number, extended, e->x->message));
        if (add && extended->possible)
            add_point(e, rows_integer(r, 0), path, g->tuning, extended);
    }
    scope_close(e->x, r);
    return extended->possible;
}

/* Whether the axis leads on. */
static bool extend_axis(struct extending *e, const struct group *g, const char *path)
{
    struct extended_point point = {0};
    struct reach reach = read_reach(e, g, path);
    double number = next_number(e, &reach);
    if (number == 0)
        return false;
    read_file(e);
    if (!each_point(e, g, path, number, false, &point))
        return false;
    each_point(e, g, path, number, true, &point);
    return true;
}

/* On the first axis, in the order of `tune`, that leads on: whether one does. */
static bool extend_group(struct extending *e, const struct group *g)
{
    struct rows *r = scope_query(e->x, DOING,
                                 "SELECT axis.value FROM sweep, json_each(tune) AS axis"
                                 " WHERE sweep_id = ? ORDER BY axis.key",
                                 VALUES(INTEGER(e->sweep_id)));
    bool grew = false;
    while (!grew && scope_next(e->x, r))
        grew = extend_axis(e, g, scope_given(e->x, r, 0));
    scope_close(e->x, r);
    return grew;
}

/* ---- groups ---- */

/* Of a sweep, or of one head count (heads > 0): whether a value was added to any. */
static bool extend_groups(struct extending *e, const char *setting, int64_t heads)
{
    const struct value values[] = {INTEGER(e->sweep_id), TEXT(setting), INTEGER(heads)};
    struct group *item = NULL;
    size_t count = 0;
    bool one = heads > 0, grew = false;
    struct rows *r =
        scope_query(e->x, DOING, one ? sql_at_edge_one : sql_at_edge, values, one ? 3 : 1);
    for (; scope_next(e->x, r); count++) {
        item = arena_grow(&e->x->arena, item, count, sizeof *item);
        item[count].setting = scope_column(e->x, r, 0);
        item[count].heads = rows_integer(r, 1);
        item[count].tuning = scope_column(e->x, r, 2);
    }
    for (size_t i = 0; i < count; i++)
        grew |= extend_group(e, &item[i]);
    return grew;
}

void store_settle_extensions(struct scope *x, int64_t sweep_id, const char *setting, int64_t heads)
{
    struct extending e = {.x = x, .sweep_id = sweep_id};
    if (heads == 0) /* those that are still needed come back */
        scope_run(x, DOING,
                  "UPDATE trial SET in_plan = 0 WHERE sweep_id = ? AND in_plan = 1 AND added > 0",
                  VALUES(INTEGER(sweep_id)));
    e.most = scope_number(x, DOING, "SELECT extend FROM sweep WHERE sweep_id = ?",
                          VALUES(INTEGER(sweep_id)));
    /* A value whose trials have ended before may lead on to the next one. */
    while (e.most > 0 && extend_groups(&e, setting, heads))
        ;
}

/* What was added to a sweep by trials numbered above *after, a line for each value. */
static void say_added(struct scope *x, int64_t sweep_id, int64_t after, struct text_buffer *said)
{
    struct rows *r = scope_query(x, DOING, sql_added, VALUES(INTEGER(sweep_id), INTEGER(after)));
    while (scope_next(x, r)) {
        char label[2 * PLAN_TEXT_MAX];
        int64_t trials = rows_integer(r, 3);
        plan_full_label(rows_given(r, 1), rows_given(r, 2), label, sizeof label);
        text_add(said,
                 "heads=%" PRId64 ": its outermost value was chosen, so %s is added (%" PRId64
                 " tuning trial%s)\n",
                 rows_integer(r, 0), label, trials, text_plural(trials));
    }
    if (said->out_of_memory)
        scope_leave(x, status_no_memory(x->message, "what was added"));
}

enum status store_added(struct store *s, int64_t sweep_id, int64_t *after, struct text_buffer *said,
                        struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        if (said)
            say_added(x, sweep_id, *after, said);
        *after = scope_number(x, DOING, "SELECT max(trial_id) FROM trial", NO_VALUES);
    }
    return scope_end(x);
}
