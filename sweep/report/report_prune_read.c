#include "sweep/report/report_prune_read.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

static enum status read_sweep(struct store *s, int64_t sweep_id, struct prune_data *d,
                              struct message *m)
{
    struct rows r = rows_open(
        s, m,
        TRAINED_JUDGED "SELECT name, question, (SELECT count(*) FROM judged),"
                       " (SELECT count(DISTINCT trial_id) FROM study JOIN judged USING (trial_id)"
                       "   WHERE name = 'prune')"
                       "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    bool ok = true;
    if (rows_next(&r)) {
        d->name = text_copy(rows_given(&r, 0));
        d->question = text_copy(rows_given(&r, 1));
        d->trials = (long)rows_integer(&r, 2);
        d->pruned = (long)rows_integer(&r, 3);
        ok = d->name && d->question;
    }
    return rows_close_after(&r, ok ? STATUS_OK : status_no_memory(m, "the report"));
}

enum { SETTING, LABEL, HEADS, LAYERS, FINETUNED, LR, KEPT, METHOD, UNIT, ACC, PARAMS, FLOPS, MS };

static struct prune_curve *curve_of(struct prune_data *d, struct rows *r)
{
    struct prune_curve *last = d->curves ? &d->curve[d->curves - 1] : NULL;
    struct prune_curve now = {.heads = (long)rows_integer(r, HEADS),
                              .layers = (long)rows_integer(r, LAYERS),
                              .finetuned = (long)rows_integer(r, FINETUNED),
                              .lr = rows_real(r, LR)};
    const char *setting = rows_given(r, SETTING);
    if (last && last->heads == now.heads && last->layers == now.layers &&
        last->finetuned == now.finetuned && last->lr == now.lr &&
        strcmp(last->setting, setting) == 0)
        return last;
    struct prune_curve *grown = array_grow(d->curve, (size_t)d->curves, sizeof *grown);
    if (!grown)
        return NULL;
    d->curve = grown;
    now.setting = text_copy(setting);
    now.label = text_copy(rows_given(r, LABEL));
    grown[d->curves++] = now;
    return now.setting && now.label ? &grown[d->curves - 1] : NULL;
}

static struct prune_point *point_of(struct prune_curve *c, long kept, int method)
{
    struct prune_point *last = c->points ? &c->point[c->points - 1] : NULL;
    if (last && last->kept == kept && last->method == method)
        return last;
    struct prune_point *grown = array_grow(c->point, (size_t)c->points, sizeof *grown);
    if (!grown)
        return NULL;
    c->point = grown;
    grown[c->points] = (struct prune_point){.kept = kept, .method = method};
    return &grown[c->points++];
}

static bool add_row(struct prune_data *d, struct rows *r)
{
    enum prune_by by;
    long kept = (long)rows_integer(r, KEPT);
    int method = prune_by_find(rows_given(r, METHOD), &by) ? (int)by : PRUNE_METHODS;
    int64_t unit = rows_integer(r, UNIT);
    struct prune_curve *c = curve_of(d, r);
    if (c && method == PRUNE_METHODS && kept != c->heads * c->layers)
        return true; /* a method of somebody else's */
    struct prune_point *p = c ? point_of(c, kept, method) : NULL;
    if (!p || !sample_add(&p->acc, unit, rows_real(r, ACC)) ||
        (!rows_null(r, MS) && !sample_add(&p->infer_ms, unit, rows_real(r, MS))))
        return false;
    p->n_params += (rows_real(r, PARAMS) - p->n_params) / p->acc.n;
    p->flops_per_example += (rows_real(r, FLOPS) - p->flops_per_example) / p->acc.n;
    return true;
}

static enum status read_curves(struct store *s, int64_t sweep_id, struct prune_data *d,
                               struct message *m)
{
    bool ok = true;
    struct rows r = rows_open(
        s, m,
        TRAINED_JUDGED
        "SELECT setting, setting_label, heads, layers, finetuned_steps, lr, kept, method, unit,"
        "       avg(p.test_acc), avg(p.n_params), avg(flops_per_example), avg(infer_ms)"
        "  FROM pruning AS p JOIN judged USING (trial_id) WHERE p.test_acc IS NOT NULL"
        " GROUP BY setting, heads, layers, finetuned_steps, lr, kept, method, unit"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, "
        "finetuned_steps, lr,"
        " kept DESC, method, unit",
        VALUES(INTEGER(sweep_id)));
    while (ok && rows_next(&r))
        ok = add_row(d, &r);
    for (int i = 0; i < d->curves; i++)
        for (int k = 0; k < d->curve[i].points && ok; k++)
            ok = sample_finish(&d->curve[i].point[k].acc, STATS_ACCURACY) &&
                 sample_finish(&d->curve[i].point[k].infer_ms, STATS_ANY);
    return rows_close_after(&r, ok ? STATUS_OK : status_no_memory(m, "the report"));
}

enum status prune_data_read(struct store *s, int64_t sweep_id, struct prune_data *d,
                            struct message *m)
{
    *d = (struct prune_data){0};
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    status = read_sweep(s, sweep_id, d, m);
    if (status == STATUS_OK)
        status = trained_read(s, sweep_id, &d->trained, m);
    if (status == STATUS_OK)
        status = read_curves(s, sweep_id, d, m);
    store_snapshot_end(s);
    return status;
}

void prune_data_free(struct prune_data *d)
{
    for (int i = 0; i < d->curves; i++) {
        struct prune_curve *c = &d->curve[i];
        for (int k = 0; k < c->points; k++) {
            sample_free(&c->point[k].acc);
            sample_free(&c->point[k].infer_ms);
        }
        free(c->point);
        free(c->setting);
        free(c->label);
    }
    trained_free(&d->trained);
    free(d->curve);
    free(d->name);
    free(d->question);
}

const struct prune_point *prune_point_find(const struct prune_curve *c, long kept, int method)
{
    bool whole = kept == c->heads * c->layers;
    for (int i = 0; i < c->points; i++)
        if (c->point[i].kept == kept && (whole || c->point[i].method == method))
            return &c->point[i];
    return NULL;
}

const struct trained *prune_trained_find(const struct prune_data *d, const struct prune_curve *c,
                                         long kept)
{
    for (int i = 0; i < d->trained.count; i++) {
        const struct trained *t = &d->trained.item[i];
        if (t->layers == c->layers && t->heads * t->layers == kept &&
            strcmp(t->setting, c->setting) == 0)
            return t;
    }
    return NULL;
}
