/* From what a sweep file says about an option to bytes that can be copied into a point, and the
 * choice of one value per axis for each point. A point of the grid is its choices, with what the
 * files say that its task learns from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan_parts.h"

struct plan_axis *plan_find_axis(const struct plan *p, const char *path)
{
    for (int a = 0; a < p->axes; a++)
        if (strcmp(p->axis[a].path, path) == 0)
            return &p->axis[a];
    return NULL;
}

void plan_bind(const struct plan *p, const char *path, struct plan_axis *axis)
{
    axis->path = path;
    axis->is_task = strcmp(path, "task.name") == 0;
    if (axis->is_task)
        return;
    axis->option = arena_alloc(p->arena, (size_t)p->tasks, sizeof *axis->option);
    axis->at = arena_alloc(p->arena, (size_t)p->tasks, sizeof *axis->at);
    for (int t = 0; t < p->tasks; t++) {
        struct point *base = &p->task[t].base;
        struct point_section section;
        const struct option_entry *o = point_option(base, path, &section);
        if (!o)
            scope_fail(p->x, STATUS_INTERNAL, "the option %s was read but is not there", path);
        axis->option[t] = o;
        axis->at[t] = (size_t)((char *)section.values - (char *)base) + o->offset;
    }
}

static int task_index(const struct plan *p, const char *name)
{
    for (int t = 0; t < p->tasks; t++)
        if (strcmp(p->task[t].task->name, name) == 0)
            return t;
    return -1; /* a task that the sweep does not list, in an exclusion */
}

static void build_task_value(const struct plan *p, const char *name, struct plan_value *value)
{
    char json[128];
    snprintf(json, sizeof json, "\"%s\"", name);
    value->task = task_index(p, name);
    value->json = arena_string(p->arena, json);
}

/* Makes the path of a file absolute: what the sweep file says starts at its folder, what --set says
 * at the working directory. */
static void resolve(const struct plan *p, struct place place, const struct option_entry *o,
                    char *file)
{
    const char *config = p->config->path, *slash = strrchr(config, '/');
    const char *folder = NULL;
    char path[OPTION_VALUE_MAX];
    struct message *m = p->x->message;
    if (place.line > 0 && slash)
        folder = arena_text(p->arena, config, (size_t)(slash - config) + 1);
    if (strncmp(file, "~/", 2) == 0)
        plan_refuse(p, place,
                    "task.%s begins with ~, which only the shell understands; write your home "
                    "folder out",
                    o->name);
    if (survey_path(folder, file, (size_t)o->max, path, m) ||
        option_parse(o, "task", path, true, file, m)) /* the folder may have an odd name */
        plan_refuse_at(p, place);
}

/* Parses n scalars as one value of the axis's option, for every task. Paths of files are called as
 * they are written. */
static void build_value(const struct plan *p, const struct plan_axis *axis,
                        const struct config_value *v, int first, int n, struct plan_value *value)
{
    _Alignas(16) char holder[OPTION_VALUE_MAX];
    char json[OPTION_TEXT_MAX];
    value->place = v->place;
    if (axis->is_task) {
        build_task_value(p, v->scalar[first], value);
        return;
    }
    for (int t = 0; t < p->tasks; t++) {
        struct option_entry o = *axis->option[t];
        memset(holder, 0, sizeof holder);
        o.offset = 0;
        for (int i = first; i < first + n; i++)
            scope_check(p->x,
                        option_parse(&o, "", v->scalar[i], v->quoted[i], holder, p->x->message));
        option_format(&o, holder, json, sizeof json);
        if (o.local)
            resolve(p, v->place, &o, holder);
        if (t == 0) {
            value->size = option_used(&o, holder);
            value->images = arena_alloc(p->arena, (size_t)p->tasks, value->size);
            value->json = arena_string(p->arena, json);
        }
        memcpy((char *)value->images + (size_t)t * value->size, holder, value->size);
    }
}

void plan_build_values(struct plan *p, const char *path, const struct config_value *v, int count,
                       bool any, struct plan_axis *axis)
{
    plan_bind(p, path, axis);
    bool list = !axis->is_task && axis->option[0]->type == OPTION_INT_LIST;
    bool each = any && !list; /* every scalar is a value of its own */
    axis->values = each ? v->scalars : count;
    axis->value = arena_alloc(p->arena, (size_t)axis->values, sizeof *axis->value);
    for (int i = 0; i < axis->values; i++)
        if (each)
            build_value(p, axis, v, i, 1, &axis->value[i]);
        else
            build_value(p, axis, &v[i], 0, v[i].scalars, &axis->value[i]);
}

static int by_json(const void *a, const void *b)
{
    const struct plan_value *x = *(const struct plan_value *const *)a;
    const struct plan_value *y = *(const struct plan_value *const *)b;
    int order = strcmp(x->json, y->json);
    return order ? order : (x > y) - (x < y);
}

/* Keeps the first of equal values (1e-3 and 0.001), in the order of the file. */
static void drop_twins(const struct plan *p, struct plan_axis *axis)
{
    size_t n = (size_t)axis->values;
    struct plan_value **sorted = arena_alloc(p->arena, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &axis->value[i];
    qsort(sorted, n, sizeof *sorted, by_json);
    const char *previous = "";
    for (size_t i = 0; i < n; i++) {
        const char *json = sorted[i]->json;
        if (strcmp(json, previous) == 0)
            sorted[i]->json = NULL;
        else
            previous = json;
    }
    axis->values = 0;
    for (size_t i = 0; i < n; i++)
        if (axis->value[i].json)
            axis->value[axis->values++] = axis->value[i];
}

void plan_copy_value(const struct plan_axis *axis, const struct plan_value *v, int task,
                     struct point *out)
{
    memcpy((char *)out + axis->at[task], (char *)v->images + (size_t)task * v->size, v->size);
}

/* An axis of one value is none: it goes into the base points. */
static void build_axis(struct plan *p, const struct axis *written)
{
    struct plan_axis *axis = &p->axis[p->axes];
    *axis = (struct plan_axis){.written = written, .stream = rng_name(written->path)};
    if (written->kind != AXIS_VALUES) {
        plan_bind(p, written->path, axis);
        p->axes++;
        return;
    }
    plan_build_values(p, written->path, written->value, written->values, false, axis);
    drop_twins(p, axis);
    if (axis->values > 1) {
        if (axis->is_task)
            p->task_axis = p->axes;
        p->axes++;
    } else if (!axis->is_task) {
        for (int t = 0; t < p->tasks; t++)
            plan_copy_value(axis, &axis->value[0], t, &p->task[t].base);
    }
}

static void build_tasks(struct plan *p)
{
    const struct config *c = p->config;
    const struct axis *names = config_axis(c, "task.name");
    if (!names)
        scope_fail(p->x, STATUS_INTERNAL, "a sweep file without task.name was read");
    int most = 0;
    while (task_table[most])
        most++;
    p->task = arena_alloc(p->arena, (size_t)most, sizeof *p->task);
    for (int i = 0; i < names->values; i++) {
        const struct task *task = task_find(names->value[i].scalar[0]);
        if (!task || task_index(p, task->name) >= 0)
            continue;
        p->task[p->tasks].task = task;
        point_init(&p->task[p->tasks].base, task);
        p->tasks++;
    }
}

void plan_build_axes(struct plan *p)
{
    const struct config *c = p->config;
    build_tasks(p);
    p->task_axis = -1;
    p->axis = arena_alloc(p->arena, (size_t)c->axes, sizeof *p->axis);
    for (int i = 0; i < c->axes; i++)
        build_axis(p, &c->axis[i]);
    uint64_t stride = 1;
    for (int a = p->axes; a-- > 0; stride *= (uint64_t)p->axis[a].values)
        p->axis[a].stride = stride;
    for (int a = 0; a < p->axes; a++) {
        const struct plan_axis *axis = &p->axis[a];
        if (c->method == METHOD_RANDOM && axis->values && strcmp(axis->path, "model.heads") == 0)
            p->crossed = axis;
    }
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
    return !(a->role & ROLE_SETTING) || point_uses(point, a->path);
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

static int decode_given(const struct plan *p, uint64_t g, struct point *out)
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

/* ---- what the files say that tasks learn from ---- */

static bool any_file(const struct plan *p)
{
    for (int t = 0; t < p->tasks; t++)
        if (p->task[t].task->file)
            return true;
    return false;
}

void plan_build_files(struct plan *p, uint64_t total)
{
    static const char *const file[] = {"task.file", NULL};
    struct point point;
    if (!any_file(p))
        return;
    for (uint64_t g = 0; g < total; g++) {
        decode_given(p, g, &point);
        if (!point.task->file || survey_find(&p->surveys, &point))
            continue;
        enum status s = survey_add(&p->surveys, &point, p->x->message);
        if (s)
            config_within(p->config, plan_place(p, g, file), p->x->message);
        scope_check(p->x, s);
    }
}

int plan_decode(const struct plan *p, uint64_t g, struct point *out)
{
    int task = decode_given(p, g, out);
    if (out->task->file)
        survey_fill(&p->surveys, out);
    return task;
}
