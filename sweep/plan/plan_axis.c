/* From what a sweep file says about an option to bytes that can be copied into a point, and the
 * choice of one value per axis for each point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan_parts.h"

enum status plan_bind(const struct plan *p, const char *path, struct plan_axis *axis,
                      struct message *m)
{
    axis->path = path;
    axis->is_task = strcmp(path, "task.name") == 0;
    if (axis->is_task)
        return STATUS_OK;
    axis->option = plan_arena_alloc(p->arena, (size_t)p->tasks, sizeof *axis->option);
    axis->at = plan_arena_alloc(p->arena, (size_t)p->tasks, sizeof *axis->at);
    if (!axis->option || !axis->at)
        return plan_no_memory(m);
    for (int t = 0; t < p->tasks; t++) {
        struct point *base = &p->task[t].base;
        struct point_section section;
        const struct option_entry *o = point_option(base, path, &section);
        if (!o)
            return status_fail(m, STATUS_INTERNAL, "the option %s was read but is not there", path);
        axis->option[t] = o;
        axis->at[t] = (size_t)((char *)section.values - (char *)base) + o->offset;
    }
    return STATUS_OK;
}

static int task_index(const struct plan *p, const char *name)
{
    for (int t = 0; t < p->tasks; t++)
        if (strcmp(p->task[t].task->name, name) == 0)
            return t;
    return -1; /* a task that the sweep does not list, in an exclusion */
}

static enum status build_task_value(const struct plan *p, const char *name,
                                    struct plan_value *value, struct message *m)
{
    char json[128];
    int n = snprintf(json, sizeof json, "\"%s\"", name);
    value->task = task_index(p, name);
    value->json = plan_arena_text(p->arena, json, (size_t)n);
    return value->json ? STATUS_OK : plan_no_memory(m);
}

/* Makes the path of a file absolute: what the sweep file says starts at its folder, what --set says
 * at the working directory. */
static enum status resolve(const struct plan *p, struct place place, const struct option_entry *o,
                           char *file, struct message *m)
{
    const char *config = p->config->path, *slash = strrchr(config, '/');
    const char *folder = NULL;
    char path[OPTION_VALUE_MAX];
    if (place.line > 0 && slash &&
        !(folder = plan_arena_text(p->arena, config, (size_t)(slash - config) + 1)))
        return plan_no_memory(m);
    enum status s = STATUS_OK;
    if (strncmp(file, "~/", 2) == 0)
        s = status_fail(m, STATUS_BAD_INPUT,
                        "task.%s begins with ~, which only the shell understands; write your home "
                        "folder out",
                        o->name);
    if (!s)
        s = survey_path(folder, file, (size_t)o->max, path, m);
    if (!s)
        s = option_parse(o, "task", path, true, file, m); /* the folder may have an odd name */
    return s ? config_within(p->config, place, m) : STATUS_OK;
}

/* Parses n scalars as one value of the axis's option, for every task. Paths of files are called as
 * they are written. */
static enum status build_value(const struct plan *p, const struct plan_axis *axis,
                               const struct config_value *v, int first, int n,
                               struct plan_value *value, struct message *m)
{
    _Alignas(16) char holder[OPTION_VALUE_MAX];
    char json[OPTION_TEXT_MAX];
    value->place = v->place;
    if (axis->is_task)
        return build_task_value(p, v->scalar[first], value, m);
    for (int t = 0; t < p->tasks; t++) {
        struct option_entry o = *axis->option[t];
        memset(holder, 0, sizeof holder);
        o.offset = 0;
        enum status s = STATUS_OK;
        for (int i = first; i < first + n && !s; i++)
            s = option_parse(&o, "", v->scalar[i], v->quoted[i], holder, m);
        int length = s ? 0 : option_format(&o, holder, json, sizeof json);
        if (s || (o.local && (s = resolve(p, v->place, &o, holder, m))))
            return s;
        if (t == 0) {
            value->size = option_used(&o, holder);
            value->images = plan_arena_alloc(p->arena, (size_t)p->tasks, value->size);
            value->json = length < 0 ? NULL : plan_arena_text(p->arena, json, (size_t)length);
            if (!value->images || !value->json)
                return plan_no_memory(m);
        }
        memcpy((char *)value->images + (size_t)t * value->size, holder, value->size);
    }
    return STATUS_OK;
}

enum status plan_build_values(struct plan *p, const char *path, const struct config_value *v,
                              int count, bool any, struct plan_axis *axis, struct message *m)
{
    enum status s = plan_bind(p, path, axis, m);
    if (s)
        return s;
    bool list = !axis->is_task && axis->option[0]->type == OPTION_INT_LIST;
    bool each = any && !list; /* every scalar is a value of its own */
    axis->values = each ? v->scalars : count;
    axis->value = plan_arena_alloc(p->arena, (size_t)axis->values, sizeof *axis->value);
    if (!axis->value)
        return plan_no_memory(m);
    for (int i = 0; i < axis->values && !s; i++)
        s = each ? build_value(p, axis, v, i, 1, &axis->value[i], m)
                 : build_value(p, axis, &v[i], 0, v[i].scalars, &axis->value[i], m);
    return s;
}

static int by_json(const void *a, const void *b)
{
    const struct plan_value *x = *(const struct plan_value *const *)a;
    const struct plan_value *y = *(const struct plan_value *const *)b;
    int order = strcmp(x->json, y->json);
    return order ? order : (x > y) - (x < y);
}

/* Keeps the first of equal values (1e-3 and 0.001), in the order of the file. */
static enum status drop_twins(struct plan_axis *axis, struct message *m)
{
    size_t n = (size_t)axis->values;
    struct plan_value **sorted = malloc((n ? n : 1) * sizeof(struct plan_value *));
    if (!sorted)
        return plan_no_memory(m);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &axis->value[i];
    qsort(sorted, n, sizeof(struct plan_value *), by_json);
    const char *previous = "";
    for (size_t i = 0; i < n; i++) {
        const char *json = sorted[i]->json;
        if (strcmp(json, previous) == 0)
            sorted[i]->json = NULL;
        else
            previous = json;
    }
    free(sorted);
    axis->values = 0;
    for (size_t i = 0; i < n; i++)
        if (axis->value[i].json)
            axis->value[axis->values++] = axis->value[i];
    return STATUS_OK;
}

void plan_copy_value(const struct plan_axis *axis, const struct plan_value *v, int task,
                     struct point *out)
{
    memcpy((char *)out + axis->at[task], (char *)v->images + (size_t)task * v->size, v->size);
}

/* An axis of one value is none: it goes into the base points. */
static enum status build_axis(struct plan *p, const struct axis *written, struct message *m)
{
    struct plan_axis *axis = &p->axis[p->axes];
    *axis = (struct plan_axis){.written = written, .stream = rng_name(written->path)};
    enum status s;
    if (written->kind != AXIS_VALUES) {
        s = plan_bind(p, written->path, axis, m);
        p->axes++;
        return s;
    }
    s = plan_build_values(p, written->path, written->value, written->values, false, axis, m);
    if (s || (s = drop_twins(axis, m)))
        return s;
    if (axis->values > 1) {
        if (axis->is_task)
            p->task_axis = p->axes;
        p->axes++;
    } else if (!axis->is_task) {
        for (int t = 0; t < p->tasks; t++)
            plan_copy_value(axis, &axis->value[0], t, &p->task[t].base);
    }
    return STATUS_OK;
}

static enum status build_tasks(struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    const struct axis *names = NULL;
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, "task.name") == 0)
            names = &c->axis[i];
    if (!names)
        return status_fail(m, STATUS_INTERNAL, "a sweep file without task.name was read");
    int most = 0;
    while (task_table[most])
        most++;
    p->task = plan_arena_alloc(p->arena, (size_t)most, sizeof *p->task);
    if (!p->task)
        return plan_no_memory(m);
    for (int i = 0; i < names->values; i++) {
        const struct task *task = task_find(names->value[i].scalar[0]);
        if (!task || task_index(p, task->name) >= 0)
            continue;
        p->task[p->tasks].task = task;
        point_init(&p->task[p->tasks].base, task);
        p->tasks++;
    }
    return STATUS_OK;
}

enum status plan_build_axes(struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    enum status s = build_tasks(p, m);
    if (s)
        return s;
    p->task_axis = -1;
    p->axis = plan_arena_alloc(p->arena, (size_t)c->axes, sizeof *p->axis);
    if (!p->axis)
        return plan_no_memory(m);
    for (int i = 0; i < c->axes && !s; i++)
        s = build_axis(p, &c->axis[i], m);
    uint64_t stride = 1;
    for (int a = p->axes; !s && a-- > 0; stride *= (uint64_t)p->axis[a].values)
        p->axis[a].stride = stride;
    for (int a = 0; !s && a < p->axes; a++) {
        const struct plan_axis *axis = &p->axis[a];
        if (c->method == METHOD_RANDOM && axis->values && strcmp(axis->path, "model.heads") == 0)
            p->crossed = axis;
    }
    return s;
}

/* To six significant digits: short to read, and the same whatever the last bits of exp() and log()
 * are on this machine, since the number becomes part of an identity. */
static double rounded(double x, double min, double max)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    x = strtod(text, NULL);
    return x < min ? min : x > max ? max : x;
}

static double draw_number(const struct axis *a, struct rng *r)
{
    double span = a->max - a->min;
    switch (a->kind) {
    case AXIS_LOG_UNIFORM: {
        double low = log(a->min), high = log(a->max);
        return rounded(exp(low + rng_uniform(r) * (high - low)), a->min, a->max);
    }
    case AXIS_INT_UNIFORM:
        if (span < UINT32_MAX)
            return a->min + rng_below(r, (uint32_t)span + 1);
        return a->min + floor(rng_uniform(r) * (span + 1));
    default:
        return rounded(a->min + rng_uniform(r) * span, a->min, a->max);
    }
}

struct plan_choice plan_choose(const struct plan *p, const struct plan_axis *a, uint64_t g)
{
    struct plan_choice choice = {0};
    if (p->config->method == METHOD_GRID) {
        choice.index = (int)(g / a->stride % (uint64_t)a->values);
        return choice;
    }
    uint64_t times = p->crossed ? (uint64_t)p->crossed->values : 1;
    if (a == p->crossed) {
        choice.index = (int)(g % times);
        return choice;
    }
    struct rng r =
        rng_at((uint32_t)p->config->sampler_seed, RNG_SAMPLER, a->stream, (uint32_t)(g / times));
    if (a->written->kind == AXIS_VALUES)
        choice.index = (int)rng_below(&r, (uint32_t)a->values);
    else
        choice.number = draw_number(a->written, &r);
    return choice;
}

bool plan_distinguishes(const struct plan_axis *a, const struct point *point)
{
    return a->role != ROLE_SETTING || point_uses(point, a->path);
}

uint64_t plan_hash(const struct plan *p, uint64_t g, unsigned roles)
{
    uint64_t hash = 0xcbf29ce484222325;
    struct point point;
    plan_decode(p, g, &point);
    for (int a = 0; a < p->axes; a++) {
        if (!(p->axis[a].role & roles) || !plan_distinguishes(&p->axis[a], &point))
            continue;
        struct plan_choice choice = plan_choose(p, &p->axis[a], g);
        uint64_t bits;
        memcpy(&bits, &choice.number, sizeof bits);
        hash = (hash ^ bits ^ (uint64_t)choice.index) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

int plan_decode_given(const struct plan *p, uint64_t g, struct point *out)
{
    int task = 0;
    if (p->task_axis >= 0) {
        const struct plan_axis *names = &p->axis[p->task_axis];
        task = names->value[plan_choose(p, names, g).index].task;
    }
    *out = p->task[task].base;
    for (int i = 0; i < p->axes; i++) {
        const struct plan_axis *a = &p->axis[i];
        if (a->is_task)
            continue;
        struct plan_choice choice = plan_choose(p, a, g);
        void *to = (char *)out + a->at[task];
        if (a->written->kind == AXIS_VALUES)
            plan_copy_value(a, &a->value[choice.index], task, out);
        else if (a->option[task]->type == OPTION_INT)
            *(int64_t *)to = (int64_t)choice.number;
        else
            *(double *)to = choice.number;
    }
    return task;
}
