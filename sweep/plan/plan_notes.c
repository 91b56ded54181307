/* What a sweep file may say and hardly means. */
#include "sweep/plan/plan_parts.h"

static bool idle_exclude(const struct plan *p, int i, struct message *m)
{
    const struct config *c = p->config;
    if (p->exclusion[i].fits)
        return false;
    status_fail(m, STATUS_BAD_INPUT, "this item of exclude fits no point%s",
                c->constraints ? " that the constraints leave" : "");
    config_within(c, c->exclude[i].place, m);
    return true;
}

static bool any_point(const struct plan *p, bool (*is)(const struct point *))
{
    struct point point;
    for (long i = 0; i < plan_points(p); i++) {
        plan_point(p, i, &point);
        if (is(&point))
            return true;
    }
    return false;
}

static bool of_bytes(const struct point *p)
{
    struct task_shape shape;
    return p->task->shape(p->task_options, &shape, NULL) == STATUS_OK && shape.bytes;
}

static bool judged_by_accuracy(const struct plan *p)
{
    return p->config->metric == METRIC_VAL_ACC && any_point(p, of_bytes);
}

static bool blind(const struct point *p)
{
    return p->model.pool == POOL_FIRST && p->model.mask == MASK_CAUSAL;
}

static bool blind_pool(const struct plan *p)
{
    return any_point(p, blind);
}

static const struct {
    bool (*holds)(const struct plan *p);
    const char *says;
} notes[] = {
    {judged_by_accuracy, "head counts are judged by the share of bytes that are guessed right; "
                         "metric: {name: val_loss} judges by bits per byte"},
    {blind_pool, "with model.mask causal and model.pool first, the label is guessed from the first "
                 "position alone; pool: mean sees all"},
};
enum { NOTES = sizeof notes / sizeof notes[0] };

bool plan_note(const struct plan *p, int *i, struct message *m)
{
    for (int excluded = p->config->excluded; *i < excluded + NOTES;) {
        int k = (*i)++;
        if (k < excluded ? idle_exclude(p, k, m) : notes[k - excluded].holds(p)) {
            if (k >= excluded)
                status_fail(m, STATUS_BAD_INPUT, "%s", notes[k - excluded].says);
            return true;
        }
    }
    return false;
}
