#include "sweep/report/trained.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

enum { SETTING, LABEL, TASK, HEADS, LAYERS, UNIT, ACC, PARAMS, FLOPS };

/* The item that a row belongs to: rows of one stand together. NULL where there is no memory. */
static struct trained *item_of(struct trained_list *list, struct rows *r)
{
    struct trained *last = list->count ? &list->item[list->count - 1] : NULL;
    const char *setting = rows_given(r, SETTING);
    long heads = (long)rows_integer(r, HEADS), layers = (long)rows_integer(r, LAYERS);
    if (last && last->heads == heads && last->layers == layers &&
        strcmp(last->setting, setting) == 0)
        return last;
    struct trained *grown = array_grow(list->item, (size_t)list->count, sizeof *grown);
    if (!grown)
        return NULL;
    list->item = grown;
    struct trained *t = &grown[list->count++];
    *t = (struct trained){.setting = text_copy(setting),
                          .label = text_copy(rows_given(r, LABEL)),
                          .task = text_copy(rows_given(r, TASK)),
                          .heads = heads,
                          .layers = layers,
                          .n_params = rows_real(r, PARAMS),
                          .flops_per_example = rows_real(r, FLOPS)};
    return t->setting && t->label && t->task ? t : NULL;
}

enum status trained_read(struct store *s, int64_t sweep_id, struct trained_list *list,
                         struct message *m)
{
    bool ok = true;
    struct rows r = rows_open(
        s, m,
        TRAINED_JUDGED
        "SELECT setting, setting_label, min(task), heads, layers, unit, avg(test_acc),"
        "       avg(n_params), avg(flops)"
        "  FROM judged GROUP BY setting, heads, layers, unit"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, unit",
        VALUES(INTEGER(sweep_id)));
    while (ok && rows_next(&r)) {
        struct trained *t = item_of(list, &r);
        ok = t && sample_add(&t->acc, rows_integer(&r, UNIT), rows_real(&r, ACC));
    }
    for (int i = 0; i < list->count && ok; i++)
        ok = sample_finish(&list->item[i].acc, STATS_ACCURACY);
    return rows_close_after(&r, ok ? STATUS_OK : status_no_memory(m, "the report"));
}

void trained_free(struct trained_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct trained *t = &list->item[i];
        sample_free(&t->acc);
        free(t->setting);
        free(t->label);
        free(t->task);
    }
    free(list->item);
}
