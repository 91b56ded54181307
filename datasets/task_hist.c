#include <string.h>

#include "datasets/task_common.h"

struct options {
    struct task_common common;
    int64_t bos;
};

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "32", "16", "Number of different tokens, without BOS.", 0),
    {.name = "bos",
     .type = OPTION_BOOL,
     .offset = offsetof(struct options, bos),
     .default_value = "false",
     .help = "Start with a special token (BOS) that has no target."},
    {0},
};

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const no_room[] = {"task.length", "task.bos", NULL};
    const struct options *o = options;
    if (o->bos && o->common.length < 2) {
        s->at_fault = no_room;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.length is 1 and task.bos takes that position; allowed: 2 or more");
    }
    long counted = (long)(o->common.length - o->bos);
    *s = task_shape_of_tokens(&o->common, 1);
    s->vocab[0] = (long)(o->common.vocab + o->bos);
    s->classes = counted;
    /* A token's count is 1 + Binomial(counted - 1, 1/vocab), likeliest at its mode. */
    double p = 1 / (double)o->common.vocab;
    s->chance = task_binomial(counted - 1, p, (long)((double)counted * p));
    return STATUS_OK;
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    uint16_t count[TASK_MAX_VOCAB];
    memset(count, 0, (size_t)o->common.vocab * sizeof *count);
    if (o->bos) {
        inputs[0] = (int32_t)o->common.vocab;
        targets[0] = TASK_MASKED;
    }
    task_draw_tokens(r, o->common.length - o->bos, o->common.vocab, inputs + o->bos);
    for (int64_t i = o->bos; i < o->common.length; i++)
        count[inputs[i]]++;
    for (int64_t i = o->bos; i < o->common.length; i++)
        targets[i] = count[inputs[i]] - 1;
}

/* Compares every position with all others, as attention would. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    for (int64_t i = 0; i < o->common.length; i++) {
        int32_t others = 0;
        for (int64_t j = 0; j < o->common.length; j++)
            others += j != i && inputs[j] == inputs[i];
        targets[i] = inputs[i] == o->common.vocab ? TASK_MASKED : others;
    }
}

const struct task task_hist = {
    .name = "hist",
    .version = 1,
    .summary = "Count: target of a position is how often its token occurs in the sequence.",
    .details = "A sequence is `length` uniform tokens; the target of a position is the number of "
               "positions that hold the same token, itself included: class 0 means once, class 1 "
               "twice and so on; there are `length` classes. With `bos: true` the first position "
               "holds a special token that is not counted and has no target (length-1 classes). "
               "Attention that averages over equal tokens and BOS can read the count from BOS's "
               "share, so one head is enough; without BOS it takes two (Weiss et al. 2021, RASP). "
               "Chance is the share of the likeliest count.",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
};
