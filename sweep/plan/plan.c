#include "sweep/plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/plan_parts.h"
#include "sweep/plan/shift.h"

enum status plan_no_memory(struct message *m)
{
    return status_no_memory(m, "the plan");
}

/* Points of the grid, or of the draws, before anything is dropped. BAD_INPUT above the cap. */
static enum status count_points(const struct plan *p, uint64_t *total, uint64_t *twins,
                                struct message *m)
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
        return STATUS_OK;
    }
    if (overflow)
        snprintf(count, sizeof count, "about %.3g", all);
    else
        snprintf(count, sizeof count, "%" PRIu64, *total);
    status_fail(m, STATUS_BAD_INPUT,
                "the sweep has %s points, more than run_cap %" PRId64
                "; shorten its lists, sample it (method: random), or raise run_cap",
                count, c->run_cap);
    return config_within(c, (struct place){0, 0}, m);
}

/* Random draws can meet the same point twice, and so can values that come to the same (kv_heads 4
 * and `heads` at 4 heads): a hash set of the points that stay, by their canonical options. */
struct seen {
    uint32_t *slot; /* point + 1; 0: free */
    uint64_t mask;
};

/* The table of a plan of that many points; NO_MEMORY. */
static enum status seen_new(struct seen *seen, uint64_t points, struct message *m)
{
    seen->mask = 15;
    while (seen->mask < 2 * points)
        seen->mask = 2 * seen->mask + 1;
    seen->slot = calloc((size_t)seen->mask + 1, sizeof *seen->slot);
    return seen->slot ? STATUS_OK : plan_no_memory(m);
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

/* False where an earlier point was the same. */
static bool point_is_new(const struct plan *p, struct seen *seen, uint64_t g)
{
    struct point point, other;
    char json[POINT_JSON_MAX], other_json[POINT_JSON_MAX];
    uint64_t hash = (uint64_t)plan_decode(p, g, &point);
    point_canonical(&point);
    hash = hash_words(hash, &point.model, sizeof point.model);
    hash = hash_words(hash, &point.train, sizeof point.train);
    hash = hash_words(hash, point.task_options, point.task->options_size);
    uint64_t at = hash & seen->mask;
    for (; seen->slot[at]; at = (at + 1) & seen->mask) {
        plan_decode(p, seen->slot[at] - 1, &other);
        point_json(&point, json);
        point_json(&other, other_json);
        if (strcmp(json, other_json) == 0)
            return false;
    }
    seen->slot[at] = (uint32_t)g + 1;
    return true;
}

/* Where point g has its value of that option, where the option varies. */
static bool place_of_value(const struct plan *p, uint64_t g, const char *path, struct place *place)
{
    for (int a = 0; a < p->axes; a++) {
        const struct plan_axis *axis = &p->axis[a];
        if (strcmp(axis->path, path) != 0)
            continue;
        *place =
            axis->values ? axis->value[plan_choose(p, axis, g).index].place : axis->written->place;
        return true;
    }
    return false;
}

static bool place_of_fixed(const struct config *c, const char *path, struct place *place)
{
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        if (strcmp(axis->path, path) != 0)
            continue;
        *place = axis->value ? axis->value[0].place : axis->place;
        return true;
    }
    return false;
}

struct place plan_place(const struct plan *p, uint64_t g, const char *const *option)
{
    struct place place = {0, 0};
    for (const char *const *o = option; *o; o++)
        if (place_of_value(p, g, *o, &place))
            return place;
    for (const char *const *o = option; *o; o++)
        if (place_of_fixed(p->config, *o, &place))
            return place;
    return p->axes ? p->axis[0].written->place : place;
}

static enum status refuse_point(const struct plan *p, uint64_t g, const struct point_fault *fault,
                                struct message *m)
{
    char name[PLAN_TEXT_MAX];
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
    return config_within(p->config, plan_place(p, g, fault->option), m);
}

static enum status refuse_eval(const struct plan *p, uint64_t g, const struct config_eval *e,
                               const char *option, struct message *m)
{
    char name[PLAN_TEXT_MAX];
    struct place place = e->place;
    plan_describe(p, g, name, sizeof name);
    for (int i = 0; option && i < e->options; i++)
        if (strcmp(e->option[i].name, option) == 0)
            place = e->option[i].place;
    status_fail_within(m, STATUS_BAD_INPUT, "the test set %s is impossible%s%s: ", e->name,
                       *name ? " for the point " : "", name);
    return config_within(p->config, place, m);
}

/* Every test set of `eval` must be one that a model of the point can be given. */
static enum status check_evals(const struct plan *p, uint64_t g, const struct point *point,
                               struct message *m)
{
    const struct config *c = p->config;
    struct point shifted;
    const char *option;
    enum status s = STATUS_OK;
    for (int i = 0; i < c->evals && !s; i++) {
        s = point_shift(point, c->eval[i].json, &shifted, &option, m);
        if (s == STATUS_BAD_INPUT)
            return refuse_eval(p, g, &c->eval[i], option, m);
    }
    return s;
}

/* Looks at point g: keeps it, counts why it is dropped, or refuses the whole plan. */
static enum status consider(struct plan *p, struct seen *seen, uint64_t g, struct message *m)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    enum plan_verdict verdict;
    struct point_fault fault;
    int task = plan_decode(p, g, &point);
    enum status s = plan_filter(p, &point, task, &verdict, m);
    if (s)
        return s;
    if (verdict != PLAN_STAYS) {
        *(verdict == PLAN_CONSTRAINED ? &p->by_constraint : &p->by_exclude) += 1;
        return STATUS_OK;
    }
    if (!point_is_new(p, seen, g)) {
        p->by_duplicate++;
        return STATUS_OK;
    }
    s = point_check(&point, &io, &shape, &fault, m);
    if (s)
        return s == STATUS_BAD_INPUT ? refuse_point(p, g, &fault, m) : s;
    if ((s = check_evals(p, g, &point, m)))
        return s;
    p->kept[p->points++] = (uint32_t)g;
    return STATUS_OK;
}

static enum status expand(struct plan *p, uint64_t total, struct message *m)
{
    struct seen seen;
    p->kept = calloc((size_t)total, sizeof *p->kept);
    if (!p->kept)
        return plan_no_memory(m);
    enum status s = seen_new(&seen, total, m);
    for (uint64_t g = 0; g < total && !s; g++)
        s = consider(p, &seen, g, m);
    free(seen.slot);
    if (s || p->points)
        return s;
    status_fail(m, STATUS_BAD_INPUT,
                "nothing is left to run: of %s, constraints drop %ld and exclude drops %ld",
                text_counted((long long)total, "point").text, p->by_constraint, p->by_exclude);
    return config_within(p->config,
                         p->config->constraints ? p->config->constraint_place[0]
                         : p->config->excluded  ? p->config->exclude[0].place
                                                : (struct place){0, 0},
                         m);
}

static enum status build(struct plan *p, struct message *m)
{
    uint64_t total, twins;
    enum status s = plan_build_axes(p, m);
    if (s || (s = count_points(p, &total, &twins, m)) || (s = plan_build_filters(p, m)) ||
        (s = plan_build_labels(p, m)) || (s = plan_build_files(p, total, m)))
        return s;
    p->by_duplicate = (long)twins;
    if ((s = expand(p, total, m)) || (s = plan_build_groups(p, m)))
        return s;
    return plan_build_claim(p, m);
}

/* Frees p and gives NULL unless s is OK. */
static enum status finish(struct plan *p, enum status s, struct plan **out)
{
    if (s)
        plan_free(p);
    *out = s ? NULL : p;
    return s;
}

/* NULL where there is no memory. */
static struct plan *plan_begin(const struct config *c)
{
    struct plan_arena *arena = plan_arena_new();
    struct plan *p = arena ? plan_arena_alloc(arena, 1, sizeof *p) : NULL;
    if (!p) {
        plan_arena_free(arena);
        return NULL;
    }
    p->config = c;
    p->arena = arena;
    p->surveys.arena = arena;
    return p;
}

enum status plan_new(const struct config *c, const struct survey *known, int known_count,
                     struct plan **out, struct message *m)
{
    struct plan *p = plan_begin(c);
    *out = NULL;
    if (!p)
        return plan_no_memory(m);
    p->surveys.known = known;
    p->surveys.known_count = known_count;
    return finish(p, build(p, m), out);
}

enum status plan_new_rules(const struct config *c, struct plan **out, struct message *m)
{
    struct plan *p = plan_begin(c);
    *out = NULL;
    if (!p)
        return plan_no_memory(m);
    enum status s = plan_build_axes(p, m);
    return finish(p, s ? s : plan_build_filters(p, m), out);
}

void plan_free(struct plan *p)
{
    if (!p)
        return;
    plan_free_filters(p);
    free(p->kept);
    free(p->candidates);
    free(p->beyond);
    free(p->group);
    plan_arena_free(p->arena);
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
