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
    uint64_t task; /* a hash of what it draws */
    int64_t instance;
    long point; /* the first of its points */
};

static uint64_t task_hash(const struct plan *p, const struct point *point)
{
    char task[POINT_JSON_MAX];
    const struct survey *s = point->task->file ? survey_find(&p->surveys, point) : NULL;
    point_task_meaning(point, s ? s->facts : NULL, task);
    return rng_name(task) ^ rng_name(point->task->name);
}

static uint64_t instance_of(const struct plan *p, long i)
{
    struct point point;
    plan_point(p, i, &point);
    return (uint64_t)*point_instance(&point);
}

/* The points, those of a setting together and in it those of an instance. */
static const struct plan_member *list_instances(const struct plan *p)
{
    return plan_list(p, plan_setting_hash, instance_of);
}

/* The instances of a setting, rising: g->candidates of them. */
static struct drawn *list_drawn(const struct plan *p, const struct plan_group *g)
{
    struct drawn *d = arena_alloc(p->arena, g->candidates, sizeof *d);
    struct point point;
    size_t n = 0;
    for (const struct plan_member *k = g->first; k < g->end; k++)
        if (k == g->first || k->candidate != k[-1].candidate) {
            plan_point(p, k->point, &point);
            d[n++] = (struct drawn){task_hash(p, &point), (int64_t)k->candidate, k->point};
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

/* "with slots=1, ", "" where there is one setting only. */
static void name_setting(const struct plan *p, long point, char *text, size_t size)
{
    struct plan_text of;
    plan_text(p, point, &of);
    snprintf(text, size, "%s%.200s%s", of.label[0] ? "with " : "", of.label,
             of.label[0] ? ", " : "");
}

static bool find_alike(const struct plan *p, struct message *m)
{
    const struct plan_member *all = list_instances(p);
    for (struct plan_group g = {.end = all}; plan_next_group(p, all, &g);) {
        const struct drawn *first = list_drawn(p, &g), *end = first + g.candidates;
        long different = 0;
        char setting[256];
        for (const struct drawn *k = first; k < end; k++)
            different += find_task(first, end, k->task) == k;
        if (different == end - first)
            continue;
        name_setting(p, first->point, setting, sizeof setting);
        status_fail(m, STATUS_BAD_INPUT,
                    "%sonly %ld of the %ld values of task.instance differ in what they draw; equal "
                    "ones count once, so list others if you need more",
                    setting, different, (long)(end - first));
        return true;
    }
    return false;
}

bool plan_alike_note(const struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    if (c->replicate != 1 || strcmp(c->replicate_path[0], "task.instance") != 0)
        return false;
    volatile bool found = false;
    p->x->message = m;
    if (scope_enter(p->x))
        found = find_alike(p, m);
    return scope_left(p->x) == STATUS_OK && found;
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

static _Noreturn void refuse_same(struct freshness *f, int64_t instance, int64_t same,
                                  bool explored, int64_t before)
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
    plan_refuse(f->plan, config_place(c, "confirm"),
                "%sinstance %" PRId64 " draws the same task as instance %" PRId64
                ", which is %s, so it is not fresh; %s",
                setting, instance, same, explored ? "explored" : "in the list too", remedy);
}

void plan_check_fresh(const struct plan *p)
{
    const struct config *c = p->config;
    const struct plan_member *all = list_instances(p);
    struct freshness f = {.plan = p,
                          .task = arena_alloc(p->arena, (size_t)c->confirm, sizeof *f.task)};
    for (struct plan_group g = {.end = all}; plan_next_group(p, all, &g);) {
        f.first = list_drawn(p, &g);
        f.end = f.first + g.candidates;
        plan_point(p, f.first->point, &f.point);
        for (int64_t i = 0; i < c->confirm; i++) {
            bool explored;
            int64_t same = find_same(&f, c->confirm_instance[i], i, &f.task[i], &explored);
            if (same >= 0)
                refuse_same(&f, c->confirm_instance[i], same, explored, i);
        }
    }
}
