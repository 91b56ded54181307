#include <math.h>
#include <string.h>

#include "datasets/task_common.h"

#define TASK(name) extern const struct task task_##name;
#include "datasets/tasks.def"
#undef TASK

#define TASK(name) &task_##name,
const struct task *const task_table[] = {
#include "datasets/tasks.def"
    NULL};
#undef TASK

const struct task *task_find(const char *name)
{
    for (const struct task *const *t = task_table; *t; t++)
        if (strcmp((*t)->name, name) == 0)
            return *t;
    return NULL;
}

struct task_shape task_shape_of_tokens(const struct task_common *o, long slots)
{
    return (struct task_shape){
        .length = (long)o->length,
        .fields = 1,
        .field = {"token"},
        .vocab = {(long)o->vocab},
        .slots = slots,
        .classes = (long)o->vocab,
        .chance = 1.0 / (double)o->vocab,
    };
}

void task_no_instance(const void *options, void *instance)
{
    (void)options;
    (void)instance;
}

void task_draw_tokens(struct rng *r, long n, int64_t vocab, int32_t *tokens)
{
    for (long i = 0; i < n; i++)
        tokens[i] = (int32_t)rng_below(r, (uint32_t)vocab);
}

double task_binomial(long n, double p, long k)
{
    double ways = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(ways + (double)k * log(p) + (double)(n - k) * log1p(-p));
}
