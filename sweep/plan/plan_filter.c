/* Which points of the grid stay: constraints and exclusions. */
#include <string.h>

#include "sweep/plan/plan_parts.h"

/* What a name of a constraint is looked up in. While compiling, point is NULL and new names are
 * bound to their options; while evaluating they are found by their pointers. */
struct scope {
    struct plan *p;
    const struct point *point;
    int task;
    struct message *m;
    enum status status;
};

static bool bind_name(struct scope *scope, const char *name)
{
    struct plan *p = scope->p;
    struct plan_name *n = plan_arena_alloc(p->arena, 1, sizeof *n);
    if (!n) {
        scope->status = plan_no_memory(scope->m);
        return false;
    }
    scope->status = plan_bind(p, name, &n->bound, scope->m);
    if (scope->status)
        return false;
    n->name = name;
    n->next = p->names;
    p->names = n;
    return true;
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
    struct scope *scope = context;
    *number = 0;
    *word = NULL;
    if (!scope->point)
        return bind_name(scope, name);
    const struct plan_name *n = scope->p->names;
    while (n && n->name != name)
        n = n->next;
    if (!n)
        return false;
    if (n->bound.is_task)
        *word = scope->point->task->name;
    else
        value_of(scope->point, n->bound.option[scope->task], n->bound.at[scope->task], number,
                 word);
    return true;
}

static enum status build_constraints(struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    p->constraint = plan_arena_alloc(p->arena, (size_t)c->constraints, sizeof(struct expr *));
    if (!p->constraint)
        return plan_no_memory(m);
    struct scope scope = {.p = p, .m = m};
    for (int i = 0; i < c->constraints; i++) {
        int column;
        enum status s =
            expr_compile(c->constraint[i], look_up, &scope, &p->constraint[i], &column, m);
        if (scope.status == STATUS_NO_MEMORY)
            return plan_no_memory(m);
        if (s)
            return s == STATUS_BAD_INPUT ? config_within(c, c->constraint_place[i], m) : s;
    }
    return STATUS_OK;
}

static enum status build_exclusions(struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    p->exclusion = plan_arena_alloc(p->arena, (size_t)c->excluded, sizeof *p->exclusion);
    if (!p->exclusion)
        return plan_no_memory(m);
    enum status s = STATUS_OK;
    for (int i = 0; i < c->excluded && !s; i++) {
        const struct config_excluded *written = &c->exclude[i];
        struct plan_exclusion *e = &p->exclusion[i];
        e->pair = plan_arena_alloc(p->arena, (size_t)written->pairs, sizeof *e->pair);
        if (!e->pair)
            return plan_no_memory(m);
        for (; e->pairs < written->pairs && !s; e->pairs++)
            s = plan_build_values(p, written->path[e->pairs], &written->value[e->pairs], 1, true,
                                  &e->pair[e->pairs], m);
    }
    return s;
}

enum status plan_build_filters(struct plan *p, struct message *m)
{
    enum status s = build_constraints(p, m);
    return s ? s : build_exclusions(p, m);
}

void plan_free_filters(struct plan *p)
{
    for (int i = 0; p->constraint && i < p->config->constraints; i++)
        expr_free(p->constraint[i]);
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

enum status plan_filter(struct plan *p, struct point *point, int task, enum plan_verdict *verdict,
                        struct message *m)
{
    const struct config *c = p->config;
    struct scope scope = {.p = p, .point = point, .task = task, .m = m};
    for (int i = 0; i < c->constraints; i++) {
        bool truth = false;
        enum status s = expr_evaluate(p->constraint[i], look_up, &scope, &truth, m);
        if (s)
            return s == STATUS_BAD_INPUT ? config_within(c, c->constraint_place[i], m) : s;
        if (!truth) {
            *verdict = PLAN_CONSTRAINED;
            return STATUS_OK;
        }
    }
    *verdict = PLAN_STAYS;
    for (int i = 0; i < c->excluded; i++) {
        if (excluded(&p->exclusion[i], point, task)) {
            p->exclusion[i].fits++;
            *verdict = PLAN_EXCLUDED;
        }
    }
    return STATUS_OK;
}
