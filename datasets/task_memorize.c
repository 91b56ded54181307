#include <math.h>
#include <string.h>

#include "datasets/task_common.h"

struct options {
    struct task_common common;
    int64_t examples, classes;
};

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "16", "16", "Number of different tokens.", UINT32_MAX),
    {.name = "examples",
     .type = OPTION_INT,
     .offset = offsetof(struct options, examples),
     .min = 1,
     .max = 1 << 20,
     .default_value = "1024",
     .help = "Sequences that there are (N): training, validation and test draw from the same."},
    {.name = "classes",
     .type = OPTION_INT,
     .offset = offsetof(struct options, classes),
     .min = 2,
     .max = TASK_MAX_VOCAB,
     .default_value = "16",
     .help = "Number of different labels."},
    {0},
};

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const twins[] = {"task.examples", "task.length", "task.vocab", NULL};
    static const char *const idle_class[] = {"task.classes", "task.examples", NULL};
    const struct options *o = options;
    double N = (double)o->examples;
    /* Two of N random sequences are the same with a probability below N^2 / (2 * vocab^length). */
    if (2 * log2(N) + 10 > (double)o->common.length * log2((double)o->common.vocab)) {
        s->at_fault = twins;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.examples is %lld, too many for task.length %lld and task.vocab "
                           "%lld: two sequences could be the same; make task.length or task.vocab "
                           "larger",
                           (long long)o->examples, (long long)o->common.length,
                           (long long)o->common.vocab);
    }
    if (o->classes > o->examples) {
        s->at_fault = idle_class;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.classes is %lld, more than task.examples %lld",
                           (long long)o->classes, (long long)o->examples);
    }
    *s = task_shape_of_tokens(&o->common, 1);
    s->classes = (long)o->classes;
    s->per_sequence = true;
    s->chance = ceil(N / (double)o->classes) / N; /* the share of class 0 */
    return STATUS_OK;
}

/* The sequence of that number: uniform tokens. */
static void draw_sequence(const struct options *o, uint32_t number, int32_t *tokens)
{
    struct rng r = rng_at((uint32_t)o->common.instance, RNG_INSTANCE, rng_name("memorize"), number);
    task_draw_tokens(&r, (long)o->common.length, o->common.vocab, tokens);
}

/* As the tokens are random, so is the label of a sequence given them, though every class has as
 * many sequences as the others. */
static int32_t label(const struct options *o, int64_t number)
{
    return (int32_t)(number % o->classes);
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    uint32_t number = rng_below(r, (uint32_t)o->examples);
    draw_sequence(o, number, inputs);
    targets[0] = label(o, number);
}

/* Looks through all sequences. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    int32_t tokens[TASK_MAX_LENGTH];
    targets[0] = TASK_MASKED;
    for (int64_t number = o->examples - 1; number >= 0; number--) {
        draw_sequence(o, (uint32_t)number, tokens);
        if (memcmp(tokens, inputs, (size_t)o->common.length * sizeof *tokens) == 0)
            targets[0] = label(o, number);
    }
}

const struct task task_memorize = {
    .name = "memorize",
    .version = 1,
    .summary = "Memorize: name the label that each of N fixed sequences was given at random.",
    .details =
        "There are N sequences (`examples`) of `length` uniform tokens, each with one of `classes` "
        "labels that has nothing to do with its tokens. Training, validation and test draw from "
        "the same N, so accuracy is the share that the model has memorized; nothing can be "
        "learned but by heart. Attention was shown to memorize at least in proportion to heads x "
        "min(length, d_head) (Mahdavi et al. 2024); the feed-forward block memorizes too: make "
        "model.d_ff small to see the heads. There is one label per sequence, as there: N counts "
        "examples. `instance` 1, 2, ... draws other sequences. Two of them are the same with a "
        "probability below 1/2000.",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
};
