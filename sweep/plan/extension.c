#include "sweep/plan/extension.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"

/* Tasks, fixed options, constraints and exclusions: a plan without points. */
struct extension {
    struct config *config;
    struct plan *plan;
};

/* ---- the sweep file ---- */

enum status extension_new(const char *name, const char *text, const char *const *sets,
                          int set_count, struct extension **out, struct message *m)
{
    struct extension *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return status_no_memory(m, "the plan");
    enum status s = config_parse(name, text, strlen(text), sets, set_count, &e->config, m);
    if (!s)
        s = plan_new_rules(e->config, &e->plan, m);
    if (s) {
        extension_free(e);
        return s == STATUS_BAD_INPUT
                   ? status_fail_within(m, s, "the sweep file that is stored, to be extended: ")
                   : s;
    }
    *out = e;
    return s;
}

void extension_free(struct extension *e)
{
    if (!e)
        return;
    plan_free(e->plan);
    config_free(e->config);
    free(e);
}

/* ---- numbers ---- */

double extension_beyond(double outermost, double neighbour)
{
    char text[32];
    double beyond = 0;
    bool integral, up = outermost > neighbour;
    snprintf(text, sizeof text, "%.2g", outermost * (outermost / neighbour));
    if (!number_parse(text, &beyond, &integral))
        return 0; /* inf */
    return (up ? beyond > outermost : beyond < outermost) ? beyond : 0;
}

/* ---- points ---- */

static int task_of(const struct plan *p, const struct task *task)
{
    for (int t = 0; t < p->tasks; t++)
        if (p->task[t].task == task)
            return t;
    return -1;
}

/* What the task read from its file. */
static void copy_derived(const struct point *from, struct point *to)
{
    for (const struct option_entry *o = to->task->options; o->name; o++)
        if (o->derived)
            memcpy(to->task_options + o->offset, from->task_options + o->offset,
                   option_used(o, from->task_options));
}

/* The point as it is stored, and as the sweep file gives it, in which constraints may ask for what
 * canonical options do not say any more. *task: its index. */
static enum status give_point(const struct plan *p, const struct extension_point *old,
                              struct point *stored, struct point *given, int *task,
                              struct message *m)
{
    char json[POINT_JSON_MAX], given_json[POINT_JSON_MAX];
    enum status s = point_parse(old->config_json, stored, m);
    if (s)
        return s;
    *task = task_of(p, stored->task);
    if (*task < 0)
        return status_fail(m, STATUS_BAD_INPUT, "the task %s, which the sweep file does not name",
                           stored->task->name);
    *given = p->task[*task].base;
    copy_derived(stored, given);
    given->model.heads = stored->model.heads;
    if ((s = point_set(given, old->setting, m)) || (s = point_set(given, old->replicate, m)) ||
        (s = point_set(given, old->tuning, m)))
        return s;
    struct point shortest = *stored;
    shortest.spelled_out = false;
    if (point_file(given))
        point_set_file(&shortest, point_file(given));
    point_json(&shortest, json);
    point_json(given, given_json);
    if (strcmp(json, given_json) != 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "a configuration that the sweep file does not make: %.200s",
                           old->config_json);
    return STATUS_OK;
}

/* Not where a constraint cannot be computed for it. */
static bool stays(struct plan *p, struct point *point, int task)
{
    volatile bool stays = false;
    p->x->message = NULL;
    if (scope_enter(p->x))
        stays = plan_filter(p, point, task) == PLAN_STAYS;
    return scope_left(p->x) == STATUS_OK && stays;
}

enum status extension_point(struct extension *e, const struct extension_point *old,
                            const char *path, double number, struct extended_point *extended,
                            struct message *m)
{
    struct point stored, point;
    struct point_section section;
    int task;
    *extended = (struct extended_point){0};
    enum status s = give_point(e->plan, old, &stored, &point, &task, m);
    if (s)
        return s;
    const struct option_entry *o = point_option(&point, path, &section);
    if (!o)
        return status_fail(m, STATUS_BAD_INPUT, "%s is not an option of this program", path);
    number_format(number, extended->value, sizeof extended->value);
    if (option_parse(o, section.name, extended->value, false, section.values, NULL))
        return STATUS_OK; /* out of range */
    extended->possible = stays(e->plan, &point, task);
    point_option(&stored, path, &section);
    option_parse(o, section.name, extended->value, false, section.values, NULL);
    sha256_hex(extended->json, (size_t)point_json(&stored, extended->json), extended->sha256);
    return STATUS_OK;
}
