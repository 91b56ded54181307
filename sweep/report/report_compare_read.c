#include "sweep/report/report_compare_read.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"

/* ---- options that differ ---- */

/* The option of that path, a new one where there is none yet; NULL: no memory. */
static struct compare_option *option_of(struct report_compare *c, const char *path)
{
    for (int i = 0; i < c->options; i++)
        if (strcmp(c->option[i].path, path) == 0)
            return &c->option[i];
    struct compare_option *grown = array_grow(c->option, (size_t)c->options, sizeof *grown);
    if (!grown)
        return NULL;
    c->option = grown;
    struct compare_option *added = &grown[c->options];
    *added = (struct compare_option){.path = text_copy(path)};
    if (!added->path)
        return NULL;
    c->options++;
    return added;
}

enum status compare_read_options(struct store *s, struct report_compare *c, int sweep,
                                 int64_t sweep_id, struct message *m)
{
    enum status status = STATUS_OK;
    struct rows rows =
        rows_open(s, m,
                  "WITH point AS MATERIALIZED ("
                  "  SELECT DISTINCT config_id FROM trial WHERE sweep_id = ?1 AND in_plan = 1"
                  "     AND is_tuning = 0 AND state <> 'not_needed' AND choice <> 'eliminated'),"
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
    while (status == STATUS_OK && rows_next(&rows)) {
        struct compare_option *o = option_of(c, rows_given(&rows, 0));
        const char *values = rows_text(&rows, 1);
        if (o)
            o->values[sweep] = text_copy(values ? values : "null");
        if (!o || !o->values[sweep])
            status = status_no_memory(m, "the comparison");
    }
    return rows_close_after(&rows, status);
}

void compare_option_free(struct compare_option *o)
{
    free(o->path);
    for (int i = 0; i < COMPARE_MAX; i++)
        free(o->values[i]);
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
    for (int i = 0; i < c->options; i++) {
        if (differs(c, &c->option[i]))
            c->option[kept++] = c->option[i];
        else
            compare_option_free(&c->option[i]);
    }
    c->options = kept;
    if (kept)
        qsort(c->option, (size_t)kept, sizeof *c->option, compare_paths);
}

/* ---- tasks ---- */

enum status compare_read_tasks(struct store *s, int64_t sweep_id, struct compare_tasks *list,
                               struct message *m)
{
    enum status status = STATUS_OK;
    struct rows rows = rows_open(
        s, m,
        "WITH task AS ("
        "  SELECT DISTINCT setting, heads, (config_json -> '$.task') || replicate AS task"
        "    FROM trial JOIN config USING (config_id)"
        "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 ORDER BY 1, 2, 3)"
        " SELECT setting, heads, group_concat(task, ' ') FROM task GROUP BY setting, heads",
        VALUES(INTEGER(sweep_id)));
    while (status == STATUS_OK && rows_next(&rows)) {
        struct compare_task *grown = array_grow(list->item, (size_t)list->count, sizeof *grown);
        if (!grown) {
            status = status_no_memory(m, "the comparison");
            break;
        }
        list->item = grown;
        struct compare_task *t = &grown[list->count++];
        *t = (struct compare_task){.setting = text_copy(rows_given(&rows, 0)),
                                   .text = text_copy(rows_given(&rows, 2)),
                                   .heads = rows_integer(&rows, 1)};
        if (!t->setting || !t->text)
            status = status_no_memory(m, "the comparison");
    }
    return rows_close_after(&rows, status);
}

void compare_tasks_free(struct compare_tasks *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->item[i].setting);
        free(list->item[i].text);
    }
    free(list->item);
}

const char *compare_tasks_of(const struct compare_tasks *list, const char *setting, int64_t heads)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i].heads == heads && strcmp(list->item[i].setting, setting) == 0)
            return list->item[i].text;
    return "";
}
