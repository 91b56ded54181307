#include "datasets/task_common.h"

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "32", "16", "Number of different tokens.", 0),
    {0},
};

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    (void)m;
    *s = task_shape_of_tokens(options, 1);
    return STATUS_OK;
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    task_draw_tokens(r, o->length, o->vocab, inputs);
    for (int64_t i = 0; i < o->length; i++)
        targets[i] = inputs[o->length - 1 - i];
}

/* Exchanges the ends, going inwards. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    for (int64_t left = 0, right = o->length - 1; left <= right; left++, right--) {
        targets[left] = inputs[right];
        targets[right] = inputs[left];
    }
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    (void)inputs;
    const struct task_common *o = options;
    for (int64_t i = 0; i < o->length; i++)
        source[i] = (int32_t)(o->length - 1 - i);
}

const struct task task_reverse = {
    .name = "reverse",
    .version = 1,
    .summary = "Reverse the sequence: target of position i is token length-1-i.",
    .details = "A sequence is `length` uniform tokens; the target of position i is the token at "
               "length-1-i. Every position looks at one place that depends on the position alone: "
               "one head that is wide enough can do it (Weiss et al. 2021, RASP). A control: the "
               "head count should not matter until heads become too narrow.",
    .options = options_table,
    .options_size = sizeof(struct task_common),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
