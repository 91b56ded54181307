#include "sweep/report/report_prune_read.h"

#include <string.h>

static void read_sweep(struct prune_data *d, int64_t sweep_id)
{
    struct scope *x = d->scope;
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED "SELECT name, question, (SELECT count(*) FROM judged),"
                       " (SELECT count(DISTINCT trial_id) FROM study JOIN judged USING (trial_id)"
                       "   WHERE name = 'prune')"
                       "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        d->name = scope_given(x, r, 0);
        d->question = scope_given(x, r, 1);
        d->trials = (long)rows_integer(r, 2);
        d->pruned = (long)rows_integer(r, 3);
    }
}

enum { SETTING, LABEL, HEADS, LAYERS, FINETUNED, LR, KEPT, METHOD, UNIT, TEST, PARAMS, FLOPS, MS };

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
    struct arena *a = &d->scope->arena;
    d->curve = arena_grow(a, d->curve, (size_t)d->curves, sizeof *d->curve);
    now.setting = arena_string(a, setting);
    now.label = scope_given(d->scope, r, LABEL);
    d->curve[d->curves++] = now;
    return &d->curve[d->curves - 1];
}

static struct prune_point *point_of(struct arena *a, struct prune_curve *c, long kept, int method)
{
    struct prune_point *last = c->points ? &c->point[c->points - 1] : NULL;
    if (last && last->kept == kept && last->method == method)
        return last;
    c->point = arena_grow(a, c->point, (size_t)c->points, sizeof *c->point);
    c->point[c->points] = (struct prune_point){.kept = kept, .method = method};
    return &c->point[c->points++];
}

static void add_row(struct prune_data *d, struct rows *r)
{
    enum prune_by by;
    long kept = (long)rows_integer(r, KEPT);
    int method = prune_by_find(rows_given(r, METHOD), &by) ? (int)by : PRUNE_METHODS;
    int64_t unit = rows_integer(r, UNIT);
    struct prune_curve *c = curve_of(d, r);
    if (method == PRUNE_METHODS && kept != c->heads * c->layers)
        return; /* a method of somebody else's */
    struct prune_point *p = point_of(&d->scope->arena, c, kept, method);
    sample_add(d->scope, &p->test, unit, rows_real(r, TEST));
    if (!rows_null(r, MS))
        sample_add(d->scope, &p->infer_ms, unit, rows_real(r, MS));
    p->n_params += (rows_real(r, PARAMS) - p->n_params) / p->test.n;
    p->flops_per_example += (rows_real(r, FLOPS) - p->flops_per_example) / p->test.n;
}

static void read_curves(struct prune_data *d, int64_t sweep_id)
{
    struct scope *x = d->scope;
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED
        "SELECT setting, setting_label, heads, layers, finetuned_steps, lr, kept, method, unit,"
        "       avg(iif(?2, p.test_loss, p.test_acc)) AS test, avg(p.n_params),"
        "       avg(flops_per_example), avg(infer_ms)"
        "  FROM pruning AS p JOIN judged USING (trial_id)"
        " GROUP BY setting, heads, layers, finetuned_steps, lr, kept, method, unit"
        " HAVING test IS NOT NULL"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, "
        "finetuned_steps, lr,"
        " kept DESC, method, unit",
        VALUES(INTEGER(sweep_id), INTEGER(d->trained.metric.loss)));
    while (scope_next(x, r))
        add_row(d, r);
    for (int i = 0; i < d->curves; i++)
        for (int k = 0; k < d->curve[i].points; k++) {
            trained_finish(x, &d->curve[i].point[k].test, &d->trained.metric);
            sample_finish(x, &d->curve[i].point[k].infer_ms, STATS_ANY);
        }
}

struct prune_data *prune_data_read(struct scope *x, int64_t sweep_id)
{
    struct prune_data *d = arena_alloc(&x->arena, 1, sizeof *d);
    d->scope = x;
    scope_read_begin(x);
    read_sweep(d, sweep_id);
    d->trained = trained_read(x, sweep_id);
    read_curves(d, sweep_id);
    scope_read_end(x);
    return d;
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
