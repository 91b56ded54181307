#include "sweep/report/trained.h"

#include <string.h>

enum { SETTING, LABEL, TASK, HEADS, LAYERS, UNIT, ACC, PARAMS, FLOPS };

/* The item that a row belongs to: rows of one stand together. */
static struct trained *item_of(struct scope *x, struct trained_list *list, struct rows *r)
{
    struct trained *last = list->count ? &list->item[list->count - 1] : NULL;
    const char *setting = rows_given(r, SETTING);
    long heads = (long)rows_integer(r, HEADS), layers = (long)rows_integer(r, LAYERS);
    if (last && last->heads == heads && last->layers == layers &&
        strcmp(last->setting, setting) == 0)
        return last;
    list->item = arena_grow(&x->arena, list->item, (size_t)list->count, sizeof *list->item);
    struct trained *t = &list->item[list->count++];
    *t = (struct trained){.setting = arena_string(&x->arena, setting),
                          .label = scope_given(x, r, LABEL),
                          .task = scope_given(x, r, TASK),
                          .heads = heads,
                          .layers = layers,
                          .n_params = rows_real(r, PARAMS),
                          .flops_per_example = rows_real(r, FLOPS)};
    return t;
}

struct trained_list trained_read(struct scope *x, int64_t sweep_id)
{
    struct trained_list list = {0};
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED
        "SELECT setting, setting_label, min(task), heads, layers, unit, avg(test_acc),"
        "       avg(n_params), avg(flops)"
        "  FROM judged GROUP BY setting, heads, layers, unit"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, unit",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r))
        sample_add(x, &item_of(x, &list, r)->acc, rows_integer(r, UNIT), rows_real(r, ACC));
    for (int i = 0; i < list.count; i++)
        sample_finish(x, &list.item[i].acc, STATS_ACCURACY);
    return list;
}
