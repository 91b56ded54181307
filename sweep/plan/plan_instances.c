/* Replicated instances that draw the same task: they count once, and none of them is fresh to
 * another. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "sweep/plan/plan_parts.h"

/* An instance in a setting. */
struct drawn {
    uint64_t setting, task; /* hashes: of the setting, of what the instance draws */
    int64_t instance;
    long point; /* the first of its points */
};

static const char *facts_of(const struct plan *p, const struct point *point)
{
    char options[POINT_JSON_MAX];
    if (!point->task->file)
        return NULL;
    point_survey_json(point, options);
    for (int i = 0; i < p->surveys.count; i++)
        if (strcmp(p->surveys.item[i].path, point_file(point)) == 0 &&
            strcmp(p->surveys.item[i].options, options) == 0)
            return p->surveys.item[i].facts;
    return NULL;
}

static uint64_t task_hash(const struct plan *p, const struct point *point)
{
    char task[POINT_JSON_MAX];
    point_task_meaning(point, facts_of(p, point), task);
    return rng_name(task) ^ rng_name(point->task->name);
}

static int by_instance(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* The instances of each setting, in a row and rising: *n of them. NULL when there is no memory. */
static struct drawn *list_drawn(const struct plan *p, long *n)
{
    struct drawn *d = malloc((size_t)p->points * sizeof *d);
    struct point point;
    *n = 0;
    for (long i = 0; d && i < p->points; i++) {
        plan_point(p, i, &point);
        d[i] = (struct drawn){plan_setting_hash(p, i), 0, *point_instance(&point), i};
    }
    if (d)
        qsort(d, (size_t)p->points, sizeof *d, by_instance);
    for (long i = 0; d && i < p->points; i++)
        if (*n == 0 || d[*n - 1].setting != d[i].setting || d[*n - 1].instance != d[i].instance) {
            plan_point(p, d[i].point, &point);
            d[*n] = d[i];
            d[(*n)++].task = task_hash(p, &point);
        }
    return d;
}

/* The first of those from `from` to before `end` that draws this task; NULL: none does. */
static const struct drawn *find_task(const struct drawn *from, const struct drawn *end,
                                     uint64_t task)
{
    while (from < end && from->task != task)
        from++;
    return from < end ? from : NULL;
}

static const struct drawn *end_of_setting(const struct drawn *first, const struct drawn *end)
{
    const struct drawn *d = first;
    while (d < end && d->setting == first->setting)
        d++;
    return d;
}

/* "with slots=1, ", "" where there is one setting only. */
static void name_setting(const struct plan *p, long point, char *text, size_t size)
{
    struct plan_text of;
    plan_text(p, point, &of);
    snprintf(text, size, "%s%.200s%s", of.label[0] ? "with " : "", of.label,
             of.label[0] ? ", " : "");
}

bool plan_alike_note(const struct plan *p, struct message *m)
{
    long n;
    bool found = false;
    const struct config *c = p->config;
    bool replicated = c->replicate == 1 && strcmp(c->replicate_path[0], "task.instance") == 0;
    struct drawn *d = replicated ? list_drawn(p, &n) : NULL;
    for (const struct drawn *first = d, *end; d && !found && first < d + n; first = end) {
        long listed, different = 0;
        char setting[256];
        end = end_of_setting(first, d + n);
        for (const struct drawn *k = first; k < end; k++)
            different += find_task(first, end, k->task) == k;
        listed = end - first;
        found = different < listed;
        if (!found)
            continue;
        name_setting(p, first->point, setting, sizeof setting);
        status_fail(m, STATUS_BAD_INPUT,
                    "%sonly %ld of the %ld values of task.instance differ in what they draw; equal "
                    "ones count once, so list others if you need more",
                    setting, different, listed);
    }
    free(d);
    return found;
}

/* ---- fresh instances ---- */

/* The points of a setting, and what its explored instances draw. */
struct freshness {
    const struct plan *plan;
    struct point point; /* one of them */
    const struct drawn *first, *end;
    uint64_t *task; /* of the fresh instances before */
};

/* The explored or fresh instance that draws the same as this one, of which `before` are known; -1:
 * none does. */
static int64_t find_same(struct freshness *f, int64_t instance, int64_t before, uint64_t *task,
                         bool *explored)
{
    *point_instance(&f->point) = instance;
    *task = task_hash(f->plan, &f->point);
    const struct drawn *same = find_task(f->first, f->end, *task);
    *explored = same != NULL;
    for (int64_t k = 0; k < before && !same; k++)
        if (f->task[k] == *task)
            return f->plan->config->confirm_instance[k];
    return same ? same->instance : -1;
}

static enum status refuse_same(struct freshness *f, int64_t instance, int64_t same, bool explored,
                               int64_t before, struct message *m)
{
    enum { TRIED = 10000 };
    const struct config *c = f->plan->config;
    char setting[256], remedy[160] = "the task has too few to draw: make task.length larger, or "
                                     "explore fewer instances";
    uint64_t task;
    bool unused;
    for (int64_t k = 1; k < TRIED; k++)
        if (find_same(f, k, before, &task, &unused) < 0) {
            snprintf(remedy, sizeof remedy, "list another, such as %" PRId64, k);
            break;
        }
    name_setting(f->plan, f->first->point, setting, sizeof setting);
    status_fail(m, STATUS_BAD_INPUT,
                "%sinstance %" PRId64 " draws the same task as instance %" PRId64
                ", which is %s, so it is not fresh; %s",
                setting, instance, same, explored ? "explored" : "in the list too", remedy);
    return config_within(c, c->confirm_place, m);
}

enum status plan_check_fresh(const struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    long n = 0;
    struct drawn *d = list_drawn(p, &n);
    struct freshness f = {.plan = p, .task = calloc((size_t)c->confirm + 1, sizeof *f.task)};
    enum status s = d && f.task ? STATUS_OK : plan_no_memory(m);
    for (f.first = d; s == STATUS_OK && f.first < d + n; f.first = f.end) {
        f.end = end_of_setting(f.first, d + n);
        plan_point(p, f.first->point, &f.point);
        for (int64_t i = 0; i < c->confirm && s == STATUS_OK; i++) {
            bool explored;
            int64_t same = find_same(&f, c->confirm_instance[i], i, &f.task[i], &explored);
            if (same >= 0)
                s = refuse_same(&f, c->confirm_instance[i], same, explored, i, m);
        }
    }
    free(d);
    free(f.task);
    return s;
}
