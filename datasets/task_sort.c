#include <string.h>

#include "datasets/task_common.h"

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "32", "16", "Number of different tokens.", 0),
    {0},
};

/* tail[k] = P(more than k successes in n trials of probability p), k = 0..n-1. The probabilities
 * follow from their largest by ratios, which loses nothing that a double could hold. */
static void binomial_tails(long n, double p, double *tail)
{
    long mode = (long)((double)(n + 1) * p);
    double largest = task_binomial(n, p, mode), term = largest;
    for (long k = mode; k < n; k++) { /* term = P(k) */
        term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
        tail[k] = term;
    }
    term = largest;
    for (long k = mode; k > 0; k--) {
        tail[k - 1] = term;
        term *= (double)k / (double)(n - k + 1) * (1 - p) / p;
    }
    for (long k = n - 1; k > 0; k--)
        tail[k - 1] += tail[k];
}

/* The best constant for position k is the likeliest value of the k-th smallest of n uniform tokens,
 * which is at most v when more than k of them are (David and Nagaraja 2003, equation 2.1.3). */
static double chance(long n, long V)
{
    double best[TASK_MAX_LENGTH] = {0}, before[TASK_MAX_LENGTH] = {0}, tail[TASK_MAX_LENGTH] = {0};
    for (long v = 0; v < V; v++) {
        if (v < V - 1)
            binomial_tails(n, (double)(v + 1) / (double)V, tail);
        for (long k = 0; k < n; k++) {
            double up_to = v < V - 1 ? tail[k] : 1;
            if (up_to - before[k] > best[k])
                best[k] = up_to - before[k];
            before[k] = up_to;
        }
    }
    double sum = 0;
    for (long k = 0; k < n; k++)
        sum += best[k];
    return sum / (double)n;
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    const struct task_common *o = options;
    (void)m;
    *s = task_shape_of_tokens(o, 1);
    s->chance = chance((long)o->length, (long)o->vocab);
    return STATUS_OK;
}

/* Counting sort: no allocation, and linear in the length. */
static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    uint16_t count[TASK_MAX_VOCAB];
    memset(count, 0, (size_t)o->vocab * sizeof *count);
    task_draw_tokens(r, o->length, o->vocab, inputs);
    for (int64_t i = 0; i < o->length; i++)
        count[inputs[i]]++;
    for (int32_t v = 0; v < o->vocab; v++)
        for (int n = count[v]; n > 0; n--)
            *targets++ = v;
}

/* Puts every token at its rank: the number of tokens that come before it. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    for (int64_t i = 0; i < o->length; i++) {
        int64_t rank = 0;
        for (int64_t j = 0; j < o->length; j++)
            rank += inputs[j] < inputs[i] || (inputs[j] == inputs[i] && j < i);
        targets[rank] = inputs[i];
    }
}

const struct task task_sort = {
    .name = "sort",
    .version = 1,
    .summary = "Sort: target of position i is the i-th smallest token.",
    .details = "A sequence is `length` uniform tokens; the targets are the same tokens in "
               "ascending order. The target of a position depends on how often every token occurs "
               "in the whole sequence; averages over all positions carry that, so one head is "
               "enough (Weiss et al. 2021, RASP). A control. Chance is above 1/vocab: the first "
               "positions most likely hold small tokens, the last ones large tokens.",
    .options = options_table,
    .options_size = sizeof(struct task_common),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
};
