#include <string.h>

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
    for (int64_t i = 0; i < o->length; i++)
        inputs[i] = targets[i] = (int32_t)rng_below(r, (uint32_t)o->vocab);
}

static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    memcpy(targets, inputs, (size_t)o->length * sizeof *targets);
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    (void)inputs;
    const struct task_common *o = options;
    for (int64_t i = 0; i < o->length; i++)
        source[i] = (int32_t)i;
}

const struct task task_copy = {
    .name = "copy",
    .version = 1,
    .summary = "Repeat the sequence: target of position i is token i.",
    .details = "A sequence is `length` uniform tokens; the target of each position is its own "
               "token. Nothing has to be looked up, so attention is not needed at all. A control: "
               "every head count should solve it; where one does not, look for the fault in the "
               "training, not in the heads.",
    .options = options_table,
    .options_size = sizeof(struct task_common),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
