/* What a sweep file may say and hardly means. */
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/plan_parts.h"

/* Whether the item may be about a value that tune.extend adds. */
static bool is_beyond(const struct config *c, const struct config_excluded *e)
{
    for (int i = 0; c->extend && i < e->pairs; i++)
        if (config_is_tuned(c, e->path[i]))
            return true;
    return false;
}

static bool idle_exclude(const struct plan *p, int i, struct message *m)
{
    const struct config *c = p->config;
    if (p->exclusion[i].held || is_beyond(c, &c->exclude[i]))
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

static bool sweeping_note(const struct plan *p, int k, struct message *m)
{
    if (!notes[k].holds(p))
        return false;
    status_fail(m, STATUS_BAD_INPUT, "%s", notes[k].says);
    return true;
}

/* Of the file of the k-th survey, where an earlier one was not of the same. */
static bool repeated_rows(const struct plan *p, int k, struct message *m)
{
    const struct survey *s = p->surveys.item;
    struct task_shape shape = {0};
    struct point point;
    char shown[256], count[32];
    for (int i = 0; i < k; i++)
        if (strcmp(s[i].path, s[k].path) == 0)
            return false;
    for (long i = 0; i < plan_points(p); i++) { /* constraints or exclude may drop all of it */
        plan_point(p, i, &point);
        if (point_file(&point) && strcmp(point_file(&point), s[k].path) == 0 &&
            point.task->shape(point.task_options, &shape, NULL) == STATUS_OK)
            break;
    }
    if (shape.repeated == 0)
        return false;
    status_fail(m, STATUS_BAD_INPUT,
                "%s rows of %s share their text with another row: they are only trained "
                "on, never validated or tested on",
                text_count(shape.repeated, count, sizeof count),
                text_shown(s[k].path, shown, sizeof shown));
    return true;
}

static bool odd_file(const struct plan *p, int k, struct message *m)
{
    char warning[256], shown[256];
    const struct survey *s = &p->surveys.item[k];
    if (!survey_warning(s->facts, warning, sizeof warning))
        return false;
    status_fail(m, STATUS_BAD_INPUT, "%s: %s", text_shown(s->path, shown, sizeof shown), warning);
    return true;
}

bool plan_note(const struct plan *p, int *i, struct message *m)
{
    int excluded = p->config->excluded, fixed = excluded + NOTES, files = p->surveys.count;
    while (*i <= fixed + 2 * files) {
        int k = (*i)++;
        if (k < excluded            ? idle_exclude(p, k, m)
            : k < fixed             ? sweeping_note(p, k - excluded, m)
            : k < fixed + files     ? repeated_rows(p, k - fixed, m)
            : k < fixed + 2 * files ? odd_file(p, k - fixed - files, m)
                                    : plan_alike_note(p, m))
            return true;
    }
    return false;
}
