#include "sweep/report/report_compare_read.h"

#include <stdlib.h>
#include <string.h>

/* ---- options that differ ---- */

/* The option of that path, a new one where there is none yet. */
static struct compare_option *option_of(struct report_compare *c, const char *path)
{
    for (int i = 0; i < c->options; i++)
        if (strcmp(c->option[i].path, path) == 0)
            return &c->option[i];
    struct arena *a = &c->scope->arena;
    c->option = arena_grow(a, c->option, (size_t)c->options, sizeof *c->option);
    c->option[c->options] = (struct compare_option){.path = arena_string(a, path)};
    return &c->option[c->options++];
}

void compare_read_options(struct report_compare *c, int sweep, int64_t sweep_id)
{
    struct scope *x = c->scope;
    struct rows *rows =
        scope_rows(x,
                   "WITH point AS MATERIALIZED ("
                   "  SELECT DISTINCT config_id FROM trial WHERE sweep_id = ?1 AND in_plan = 1"
                   "     AND is_tuning = 0 AND confirms = 0 AND state <> 'not_needed'"
                   "     AND choice <> 'eliminated'),"
                   " option AS ("
                   "  SELECT DISTINCT replace(replace(substr(o.fullkey, 3), '.options.', '.'), "
                   "'\"', '') AS path,"
                   "         coalesce(o.atom, o.value) AS value"
                   "    FROM point JOIN config USING (config_id), json_tree(config_json) AS o"
                   "   WHERE o.type <> 'object' AND o.fullkey NOT LIKE '%]'"
                   "   ORDER BY 1, 2)"
                   " SELECT path, group_concat(value, ', ') FROM option"
                   "  WHERE path NOT IN ('model.heads', 'v') GROUP BY path",
                   VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        const char *values = rows_text(rows, 1);
        option_of(c, rows_given(rows, 0))->values[sweep] =
            arena_string(&x->arena, values ? values : "null");
    }
}

static bool differs(const struct report_compare *c, const struct compare_option *o)
{
    for (int i = 0; i < c->sweeps; i++)
        if (!o->values[i] || !o->values[0] || strcmp(o->values[i], o->values[0]) != 0)
            return true;
    return false;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct compare_option *)a)->path,
                  ((const struct compare_option *)b)->path);
}

void compare_keep_differing(struct report_compare *c)
{
    int kept = 0;
    for (int i = 0; i < c->options; i++)
        if (differs(c, &c->option[i]))
            c->option[kept++] = c->option[i];
    c->options = kept;
    if (kept)
        qsort(c->option, (size_t)kept, sizeof *c->option, compare_paths);
}

/* ---- tasks ---- */

struct compare_tasks compare_read_tasks(struct scope *x, int64_t sweep_id)
{
    struct compare_tasks list = {0};
    struct rows *rows = scope_rows(
        x,
        "WITH task AS ("
        "  SELECT DISTINCT setting, heads, (config_json -> '$.task') || replicate AS task"
        "    FROM trial JOIN config USING (config_id)"
        "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 ORDER BY 1, 2, "
        "3)"
        " SELECT setting, heads, group_concat(task, ' ') FROM task GROUP BY setting, heads",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        list.item = arena_grow(&x->arena, list.item, (size_t)list.count, sizeof *list.item);
        list.item[list.count++] = (struct compare_task){.setting = scope_given(x, rows, 0),
                                                        .text = scope_given(x, rows, 2),
                                                        .heads = rows_integer(rows, 1)};
    }
    return list;
}

const char *compare_tasks_of(const struct compare_tasks *list, const char *setting, int64_t heads)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i].heads == heads && strcmp(list->item[i].setting, setting) == 0)
            return list->item[i].text;
    return "";
}
