/* Which points of the grid stay: constraints and exclusions. */
#include <string.h>

#include "sweep/plan/plan_parts.h"

/* What a name of a constraint is looked up in. While compiling, point is NULL and new names are
 * bound to their options; while evaluating they are found by their pointers. */
struct naming {
    struct plan *p;
    const struct point *point;
    int task;
};

static void bind_name(struct plan *p, const char *name)
{
    struct plan_name *n = arena_alloc(p->arena, 1, sizeof *n);
    plan_bind(p, name, &n->bound);
    n->name = name;
    n->next = p->names;
    p->names = n;
}

static void value_of(const struct point *point, const struct option_entry *o, size_t at,
                     double *number, const char **word)
{
    const void *value = (const char *)point + at;
    if (o->type == OPTION_STRING) {
        *word = value;
        return;
    }
    if (o->type == OPTION_REAL) {
        *number = *(const double *)value;
        return;
    }
    int64_t integer = *(const int64_t *)value;
    if (o->type == OPTION_CHOICE)
        *word = o->words[integer];
    else if (o->type == OPTION_INT && o->words && integer < 0)
        *word = o->words[-1 - integer];
    else
        *number = (double)integer;
}

static bool look_up(void *context, const char *name, double *number, const char **word)
{
    const struct naming *naming = context;
    const struct plan_name *n = naming->p->names;
    *number = 0;
    *word = NULL;
    if (!naming->point) {
        bind_name(naming->p, name);
        return true;
    }
    while (n && n->name != name)
        n = n->next;
    if (n && n->bound.is_task)
        *word = naming->point->task->name;
    else if (n)
        value_of(naming->point, n->bound.option[naming->task], n->bound.at[naming->task], number,
                 word);
    return n != NULL;
}

static void build_constraints(struct plan *p)
{
    const struct config *c = p->config;
    struct naming naming = {.p = p};
    int column;
    p->constraint = arena_alloc(p->arena, (size_t)c->constraints, sizeof(struct expr *));
    for (int i = 0; i < c->constraints; i++) {
        p->constraint[i] =
            expr_compile(p->arena, c->constraint[i], look_up, &naming, &column, p->x->message);
        if (!p->constraint[i])
            plan_refuse_at(p, c->constraint_place[i]);
    }
}

static void build_exclusions(struct plan *p)
{
    const struct config *c = p->config;
    p->exclusion = arena_alloc(p->arena, (size_t)c->excluded, sizeof *p->exclusion);
    for (int i = 0; i < c->excluded; i++) {
        const struct config_excluded *written = &c->exclude[i];
        struct plan_exclusion *e = &p->exclusion[i];
        e->pair = arena_alloc(p->arena, (size_t)written->pairs, sizeof *e->pair);
        for (; e->pairs < written->pairs; e->pairs++)
            plan_build_values(p, written->path[e->pairs], &written->value[e->pairs], 1, true,
                              &e->pair[e->pairs]);
    }
}

void plan_build_filters(struct plan *p)
{
    build_constraints(p);
    build_exclusions(p);
}

/* Whether the point has one of the pair's values. */
static bool pair_matches(const struct plan_axis *pair, const struct point *point, int task)
{
    for (int i = 0; i < pair->values; i++) {
        const struct plan_value *v = &pair->value[i];
        if (pair->is_task ? v->task == task
                          : memcmp((const char *)point + pair->at[task],
                                   (const char *)v->images + (size_t)task * v->size, v->size) == 0)
            return true;
    }
    return false;
}

static bool excluded(const struct plan_exclusion *e, const struct point *point, int task)
{
    for (int i = 0; i < e->pairs; i++)
        if (!pair_matches(&e->pair[i], point, task))
            return false;
    return true;
}

enum plan_verdict plan_filter(struct plan *p, struct point *point, int task)
{
    const struct config *c = p->config;
    struct naming naming = {.p = p, .point = point, .task = task};
    enum plan_verdict verdict = PLAN_STAYS;
    for (int i = 0; i < c->constraints; i++) {
        bool truth = false;
        if (expr_evaluate(p->constraint[i], look_up, &naming, &truth, p->x->message))
            plan_refuse_at(p, c->constraint_place[i]);
        if (!truth)
            return PLAN_CONSTRAINED;
    }
    for (int i = 0; i < c->excluded; i++) {
        if (excluded(&p->exclusion[i], point, task)) {
            p->exclusion[i].fits++;
            verdict = PLAN_EXCLUDED;
        }
    }
    return verdict;
}
