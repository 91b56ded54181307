#include "sweep/plan/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/plan_parts.h"
#include "sweep/plan/shift.h"

void plan_refuse(const struct plan *p, struct place at, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_fail(p->x->message, STATUS_BAD_INPUT, "%s", text);
    plan_refuse_at(p, at);
}

void plan_refuse_at(const struct plan *p, struct place at)
{
    scope_leave(p->x, config_within(p->config, at, p->x->message));
}

/* Points of the grid, or of the draws, before anything is dropped. BAD_INPUT above the cap. */
static void count_points(const struct plan *p, uint64_t *total, uint64_t *twins)
{
    const struct config *c = p->config;
    char count[32];
    double all = 1; /* equal values counted as often as they are written */
    *total = 1;
    bool overflow = false;
    for (int i = 0; i < c->axes; i++)
        all *= c->axis[i].kind == AXIS_VALUES ? c->axis[i].values : 1;
    for (int a = 0; a < p->axes; a++)
        overflow |= __builtin_mul_overflow(*total, (uint64_t)p->axis[a].values, total);
    if (c->method == METHOD_RANDOM) {
        *total = (uint64_t)c->samples * (uint64_t)(p->crossed ? p->crossed->values : 1);
        all = (double)*total;
        overflow = false;
    }
    *twins = 0;
    if (!overflow && *total <= (uint64_t)c->run_cap) {
        *twins = all < 0x1p53 ? (uint64_t)all - *total : 0;
        return;
    }
    if (overflow)
        snprintf(count, sizeof count, "about %.3g", all);
    else
        snprintf(count, sizeof count, "%" PRIu64, *total);
    plan_refuse(p, (struct place){0, 0},
                "the sweep has %s points, more than run_cap %" PRId64
                "; shorten its lists, sample it (method: random), or raise run_cap",
                count, c->run_cap);
}

/* Random draws can meet the same point twice, and so can values that come to the same (kv_heads 4
 * and `heads` at 4 heads): a hash set of the points that stay, by their canonical options. */
struct seen {
    struct {
        uint32_t point; /* + 1; 0: free */
        uint32_t hash;  /* the other half */
    } * slot;
    uint64_t mask;
};

/* The table of a plan of that many points. */
static void seen_new(const struct plan *p, struct seen *seen, uint64_t points)
{
    seen->mask = 15;
    while (seen->mask < 2 * points)
        seen->mask = 2 * seen->mask + 1;
    seen->slot = arena_alloc(p->arena, (size_t)seen->mask + 1, sizeof *seen->slot);
}

static uint64_t hash_words(uint64_t hash, const void *words, size_t size)
{
    for (size_t i = 0; i + sizeof hash <= size; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, (const char *)words + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

/* False where an earlier point was the same as this one, point g. */
static bool point_is_new(const struct plan *p, struct seen *seen, uint64_t g, struct point point)
{
    struct point other;
    char json[POINT_JSON_MAX], other_json[POINT_JSON_MAX];
    point_canonical(&point);
    uint64_t hash = (uintptr_t)point.task;
    hash = hash_words(hash, &point.model, sizeof point.model);
    hash = hash_words(hash, &point.train, sizeof point.train);
    hash = hash_words(hash, point.task_options, point.task->options_size);
    uint64_t at = hash & seen->mask;
    for (; seen->slot[at].point; at = (at + 1) & seen->mask) {
        if (seen->slot[at].hash != (uint32_t)(hash >> 32))
            continue;
        plan_decode(p, seen->slot[at].point - 1, &other);
        point_json(&point, json);
        point_json(&other, other_json);
        if (strcmp(json, other_json) == 0)
            return false;
    }
    seen->slot[at].point = (uint32_t)g + 1;
    seen->slot[at].hash = (uint32_t)(hash >> 32);
    return true;
}

struct place plan_place(const struct plan *p, uint64_t g, const char *const *option)
{
    for (const char *const *o = option; *o; o++) {
        const struct plan_axis *axis = plan_find_axis(p, *o);
        if (axis)
            return axis->values ? axis->value[plan_choose(p, axis, g).index].place
                                : axis->written->place;
    }
    for (const char *const *o = option; *o; o++) {
        const struct axis *written = config_axis(p->config, *o);
        if (written)
            return written->value ? written->value[0].place : written->place;
    }
    return p->axes ? p->axis[0].written->place : (struct place){0, 0};
}

static _Noreturn void refuse_point(const struct plan *p, uint64_t g,
                                   const struct point_fault *fault)
{
    char name[PLAN_TEXT_MAX];
    struct message *m = p->x->message;
    plan_describe(p, g, name, sizeof name);
    if (m && fault->rule) {
        struct message inner = *m;
        status_fail(m, STATUS_BAD_INPUT, "%.1024s; or add constraints: [\"%s\"]", inner.text,
                    fault->rule);
    }
    if (*name)
        status_fail_within(m, STATUS_BAD_INPUT, "the point %s is impossible: ", name);
    else
        status_fail_within(m, STATUS_BAD_INPUT, "this is impossible: ");
    plan_refuse_at(p, plan_place(p, g, fault->option));
}

static _Noreturn void refuse_eval(const struct plan *p, uint64_t g, const struct config_eval *e,
                                  const char *option)
{
    char name[PLAN_TEXT_MAX];
    const struct tree *given = option ? tree_find(e->written, option) : NULL;
    plan_describe(p, g, name, sizeof name);
    status_fail_within(p->x->message, STATUS_BAD_INPUT,
                       "the test set %s is impossible%s%s: ", e->name,
                       *name ? " for the point " : "", name);
    plan_refuse_at(p, given ? given->place : e->written->key_place);
}

/* Every test set of `eval` must be one that a model of the point can be given. */
static void check_evals(const struct plan *p, uint64_t g, const struct point *point)
{
    const struct config *c = p->config;
    struct point shifted;
    const char *option;
    for (int i = 0; i < c->evals; i++) {
        enum status s = point_shift(point, c->eval[i].json, &shifted, &option, p->x->message);
        if (s == STATUS_BAD_INPUT)
            refuse_eval(p, g, &c->eval[i], option);
        scope_check(p->x, s);
    }
}

/* Looks at point g: keeps it, counts why it is dropped, or refuses the whole plan. */
static void consider(struct plan *p, struct seen *seen, uint64_t g)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    struct point_fault fault;
    int task = plan_decode(p, g, &point);
    enum plan_verdict verdict = plan_filter(p, &point, task);
    if (verdict != PLAN_STAYS) {
        *(verdict == PLAN_CONSTRAINED ? &p->by_constraint : &p->by_exclude) += 1;
        return;
    }
    if (!point_is_new(p, seen, g, point)) {
        p->by_duplicate++;
        return;
    }
    enum status s = point_check(&point, &io, &shape, &fault, p->x->message);
    if (s == STATUS_BAD_INPUT)
        refuse_point(p, g, &fault);
    scope_check(p->x, s);
    check_evals(p, g, &point);
    p->kept[p->points++] = (uint32_t)g;
}

static void expand(struct plan *p, uint64_t total)
{
    const struct config *c = p->config;
    struct seen seen;
    p->kept = arena_alloc(p->arena, (size_t)total, sizeof *p->kept);
    seen_new(p, &seen, total);
    for (uint64_t g = 0; g < total; g++)
        consider(p, &seen, g);
    if (p->points)
        return;
    plan_refuse(p,
                c->constraints ? c->constraint_place[0]
                : c->excluded  ? c->exclude[0].place
                               : (struct place){0, 0},
                "nothing is left to run: of %s, constraints drop %ld and exclude drops %ld",
                text_counted((long long)total, "point").text, p->by_constraint, p->by_exclude);
}

static void build_rules(struct plan *p)
{
    plan_build_axes(p);
    plan_build_filters(p);
}

static void build_points(struct plan *p)
{
    uint64_t total, twins;
    build_rules(p);
    count_points(p, &total, &twins);
    plan_build_labels(p);
    plan_build_files(p, total);
    p->by_duplicate = (long)twins;
    expand(p, total);
    plan_build_groups(p);
    plan_build_claim(p);
}

static enum status build_within(const struct config *c, struct survey_list surveys,
                                void (*build)(struct plan *p), struct plan **out, struct message *m)
{
    struct scope *x = scope_new(NULL, "the plan", m);
    *out = NULL;
    if (scope_enter(x)) {
        struct plan *p = arena_alloc(&x->arena, 1, sizeof *p);
        *p = (struct plan){.config = c, .x = x, .arena = &x->arena, .surveys = surveys};
        p->surveys.arena = p->arena;
        build(p);
        *out = p;
    }
    return *out ? STATUS_OK : scope_end(x);
}

enum status plan_new(const struct config *c, const struct survey *known, int known_count,
                     struct plan **out, struct message *m)
{
    const struct survey_list surveys = {.known = known, .known_count = known_count};
    return build_within(c, surveys, build_points, out, m);
}

enum status plan_new_rules(const struct config *c, struct plan **out, struct message *m)
{
    return build_within(c, (struct survey_list){0}, build_rules, out, m);
}

void plan_free(struct plan *p)
{
    if (p)
        scope_end(p->x);
}

const struct config *plan_config(const struct plan *p)
{
    return p->config;
}

const struct survey *plan_surveys(const struct plan *p, int *count)
{
    *count = p->surveys.count;
    return p->surveys.item;
}

long plan_points(const struct plan *p)
{
    return p->points;
}

void plan_point(const struct plan *p, long i, struct point *out)
{
    plan_decode(p, p->kept[i], out);
}

long plan_dropped(const struct plan *p, long *by_constraint, long *by_exclude, long *by_duplicate)
{
    *by_constraint = p->by_constraint;
    *by_exclude = p->by_exclude;
    *by_duplicate = p->by_duplicate;
    return p->by_constraint + p->by_exclude + p->by_duplicate;
}
