#include "datasets/task_common.h"

#include "engine/base/text.h"

enum { GAPS_POWER, GAPS_UNIFORM };

struct options {
    struct task_common common;
    int64_t pairs, gaps;
    double noise;
};

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(4, "64", "64",
                        "Number of different tokens: the first half keys, the rest "
                        "values.",
                        0),
    {.name = "pairs",
     .type = OPTION_INT,
     .offset = offsetof(struct options, pairs),
     .min = 1,
     .max = (int)(TASK_MAX_LENGTH / 4),
     .default_value = "8",
     .help = "Pairs of key and value to remember."},
    {.name = "gaps",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct options, gaps),
     .words = (const char *const[]){[GAPS_POWER] = "power", [GAPS_UNIFORM] = "uniform", NULL},
     .default_value = "power",
     .help = "How far behind the pairs a query stands: d with a probability in proportion to 1/d, "
             "or anywhere."},
    {.name = "noise",
     .type = OPTION_REAL,
     .offset = offsetof(struct options, noise),
     .min = 0,
     .max = 1,
     .default_value = "0",
     .help = "Share of the positions without pair or query that hold a random token."},
    {0},
};

static int64_t keys(const struct options *o)
{
    return o->common.vocab / 2;
}

/* The places for a query and its answer behind the pairs. */
static int64_t places(const struct options *o)
{
    return o->common.length / 2 - o->pairs;
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const too_short[] = {"task.pairs", "task.length", NULL};
    static const char *const few_keys[] = {"task.pairs", "task.vocab", NULL};
    const struct options *o = options;
    if (places(o) < o->pairs) {
        s->at_fault = too_short;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.pairs is %lld: with a query each they need a task.length of "
                           "at least %lld, and it is %lld; raise it, or lower task.pairs",
                           (long long)o->pairs, 4 * (long long)o->pairs,
                           (long long)o->common.length);
    }
    if (keys(o) < o->pairs) {
        s->at_fault = few_keys;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.pairs is %lld, but task.vocab %lld has %s; make it at "
                           "least %lld",
                           (long long)o->pairs, (long long)o->common.vocab,
                           text_counted(keys(o), "key").text, 2 * (long long)o->pairs);
    }
    *s = task_shape_of_tokens(&o->common, 1);
    s->vocab[0] = (long)o->common.vocab + 1; /* the last one says 'nothing here' */
    s->chance = 1 / (double)(o->common.vocab - keys(o));
    s->causal = true;
    return STATUS_OK;
}

static double weight(const struct options *o, int64_t place)
{
    return o->gaps == GAPS_POWER ? 1 / (double)(place + 1) : 1;
}

/* Takes a place that is free, with a probability in proportion to its weight. */
static int64_t take_place(const struct options *o, struct rng *r, bool *taken)
{
    double all = 0;
    int64_t last = 0;
    for (int64_t i = 0; i < places(o); i++)
        if (!taken[i]) {
            all += weight(o, i);
            last = i;
        }
    double stop = rng_uniform(r) * all, passed = 0;
    for (int64_t i = 0; i < last; i++)
        if (!taken[i] && (passed += weight(o, i)) > stop)
            last = i;
    taken[last] = true;
    return last;
}

/* Fills the positions behind the pairs with nothing or noise, and no targets. key: the order of all
 * keys; those of the pairs come first, and are no noise: each would be another query. */
static void draw_rest(const struct options *o, struct rng *r, const uint32_t *key, int32_t *inputs,
                      int32_t *targets)
{
    int64_t K = keys(o), P = o->pairs, V = o->common.vocab;
    for (int64_t i = 2 * P; i < o->common.length; i++) {
        inputs[i] = (int32_t)V;
        targets[i] = TASK_MASKED;
        if (o->noise > 0 && rng_uniform(r) < o->noise) {
            int64_t other = P + rng_below(r, (uint32_t)(V - P));
            inputs[i] = (int32_t)(other < K ? key[other] : other);
        }
    }
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    bool taken[TASK_MAX_LENGTH / 2] = {false};
    uint32_t key[TASK_MAX_VOCAB / 2];
    int64_t first = 2 * o->pairs, K = keys(o);

    rng_permutation(r, key, (uint32_t)K);
    draw_rest(o, r, key, inputs, targets);
    for (int64_t p = 0; p < o->pairs; p++) {
        int32_t value = (int32_t)(K + rng_below(r, (uint32_t)(o->common.vocab - K)));
        int64_t query = first + 2 * take_place(o, r, taken);
        inputs[2 * p] = inputs[query] = (int32_t)key[p];
        inputs[2 * p + 1] = inputs[query + 1] = value;
        targets[2 * p] = targets[2 * p + 1] = TASK_MASKED;
        targets[query] = value;
    }
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    const struct options *o = options;
    int16_t value_at[TASK_MAX_VOCAB + 1]; /* -1: no such key */
    for (int64_t token = 0; token <= o->common.vocab; token++)
        value_at[token] = -1;
    for (int64_t i = 0; i < o->common.length; i++) {
        source[i] = value_at[inputs[i]];
        if (i < 2 * o->pairs && i % 2 == 0)
            value_at[inputs[i]] = (int16_t)(i + 1);
    }
}

/* Compares every token behind the pairs with each key, as attention would. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    for (int64_t i = 0; i < o->common.length; i++) {
        targets[i] = TASK_MASKED;
        for (int64_t j = 0; i >= 2 * o->pairs && j < 2 * o->pairs; j += 2)
            if (inputs[j] == inputs[i])
                targets[i] = inputs[j + 1];
    }
}

const struct task task_mqar = {
    .name = "mqar",
    .version = 1,
    .summary = "Multi-query associative recall: remember pairs of key and value, and answer each "
               "key when it comes again.",
    .details =
        "A sequence begins with `pairs` pairs of a key and a value: A 4 B 3 C 6. Behind them, in "
        "another order and at random places, every key comes again, and its value behind it: B 3 "
        "... A 4 ... C 6. The target of a key that comes again is that value, the next token. Keys "
        "are the tokens below vocab/2, values the others; a last token says 'nothing here'. Most "
        "keys come again soon, some late: the gaps follow a power law, as in language (Arora et "
        "al. 2023, Zoology, section 3), or are uniform. `noise` puts tokens that ask nothing "
        "between. Without a causal mask a model would read the answer. Two layers do it with a "
        "head each, as in induction; many pairs take keys wide enough to tell them apart.",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
