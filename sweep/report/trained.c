#include "sweep/report/trained.h"

#include <math.h>
#include <string.h>

#include "sweep/plan/metric.h"

struct trained_metric trained_metric_read(struct scope *x, int64_t sweep_id)
{
    struct trained_metric metric = {0};
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED
        "SELECT metric = 'val_loss', min((task ->> '$.name', task ->> '$.options.mode') IS"
        "       ('text', 'lm')), max(replicated)"
        "  FROM sweep LEFT JOIN judged WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        metric.loss = rows_integer(r, 0);
        metric.bits = metric.loss && rows_integer(r, 1);
        metric.replicated = rows_integer(r, 2);
    }
    return metric;
}

unsigned trained_conditions(const struct trained_metric *m)
{
    return (m->loss ? TRAINED_LOSS : TRAINED_ACCURACY) | (m->bits ? TRAINED_BITS : 0u);
}

void trained_metric_json(const struct trained_metric *m, struct json_writer *w)
{
    json_add_text(w, "metric", m->loss ? "test_loss" : "test_acc");
    json_add_text(w, "goal", metric_goal(m->loss ? METRIC_VAL_LOSS : METRIC_VAL_ACC));
}

void trained_finish(struct scope *x, struct sample *s, const struct trained_metric *m)
{
    sample_finish(x, s, m->loss ? STATS_LOSS : STATS_ACCURACY);
}

void trained_bits(struct table *t, const void *sample)
{
    table_real(t, ((const struct sample *)sample)->summary.mean / M_LN2);
}

const char *trained_bits_legend(const struct trained_metric *m)
{
    if (!m->bits)
        return "";
    return m->replicated ? " bits/byte: the mean over ln 2."
                         : " bits/byte: the mean over ln 2. Intervals are over the seeds alone, on "
                           "this text.";
}

enum { SETTING, LABEL, TASK, HEADS, LAYERS, UNIT, TEST, PARAMS, FLOPS };

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
    struct trained_list list = {.metric = trained_metric_read(x, sweep_id)};
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED
        "SELECT setting, setting_label, min(task), heads, layers, unit,"
        "       avg(iif(?2, test_loss, test_acc)),"
        "       avg(n_params), avg(flops)"
        "  FROM judged GROUP BY setting, heads, layers, unit"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, unit",
        VALUES(INTEGER(sweep_id), INTEGER(list.metric.loss)));
    while (scope_next(x, r))
        sample_add(x, &item_of(x, &list, r)->test, rows_integer(r, UNIT), rows_real(r, TEST));
    for (int i = 0; i < list.count; i++)
        trained_finish(x, &list.item[i].test, &list.metric);
    return list;
}
