#include <string.h>

#include "datasets/task_common.h"
#include "engine/base/text.h"

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(4, "32", "16", "Number of different tokens.", 0),
    {0},
};

/* The pairs of a sequence; each occurs twice. */
static int64_t pairs(const struct task_common *o)
{
    return o->length / 4;
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const odd_length[] = {"task.length", NULL};
    static const char *const no_token[] = {"task.vocab", "task.length", NULL};
    const struct task_common *o = options;
    if (o->length % 4 != 0) {
        s->at_fault = odd_length;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.length is %lld, but two tokens that both occur twice take four "
                           "positions; make it %lld",
                           (long long)o->length, (long long)(o->length + 4 - o->length % 4));
    }
    if (o->vocab <= pairs(o)) {
        s->at_fault = no_token;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.vocab is %lld, but the %s of task.length %lld begin with "
                           "different tokens and end with others; make it at least %lld",
                           (long long)o->vocab, text_counted(pairs(o), "pair").text,
                           (long long)o->length, (long long)pairs(o) + 1);
    }
    *s = task_shape_of_tokens(o, 1);
    s->causal = true;
    return STATUS_OK;
}

/* A token below V that begins no pair. */
static int32_t draw_free(struct rng *r, uint32_t V, const bool *begins)
{
    uint32_t token;
    do
        token = rng_below(r, V);
    while (begins[token]);
    return (int32_t)token;
}

/* A random permutation gives the places of each pair's two occurrences. */
static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    uint32_t place[TASK_MAX_LENGTH / 2], P = (uint32_t)pairs(o), V = (uint32_t)o->vocab;
    int32_t first[TASK_MAX_LENGTH / 4];
    bool begins[TASK_MAX_VOCAB];

    memset(begins, 0, V * sizeof *begins);
    rng_permutation(r, place, 2 * P);
    for (uint32_t p = 0; p < P; p++) {
        first[p] = draw_free(r, V, begins);
        begins[first[p]] = true;
    }
    for (int64_t i = 0; i < o->length; i++)
        targets[i] = TASK_MASKED;
    for (uint32_t p = 0; p < P; p++) {
        size_t one = place[2 * (size_t)p], other = place[2 * (size_t)p + 1];
        int32_t follows = draw_free(r, V, begins);
        inputs[2 * one] = inputs[2 * other] = first[p];
        inputs[2 * one + 1] = inputs[2 * other + 1] = follows;
        targets[2 * (one > other ? one : other)] = follows;
    }
}

/* The position of the same token before position i, -1 where there is none: pairs begin at even
 * positions, and only there the next token is determined. */
static int64_t earlier(const int32_t *inputs, int64_t i)
{
    int64_t j = i - 2;
    while (j >= 0 && inputs[j] != inputs[i])
        j -= 2;
    return i % 2 == 0 && j >= 0 ? j : -1;
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    const struct task_common *o = options;
    for (int64_t i = 0; i < o->length; i++) {
        int64_t j = earlier(inputs, i);
        source[i] = (int32_t)(j >= 0 ? j + 1 : -1);
    }
}

/* Looks back for the same token, as a head would, and names the one behind it. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct task_common *o = options;
    for (int64_t i = 0; i < o->length; i++) {
        int64_t j = earlier(inputs, i);
        targets[i] = j >= 0 ? inputs[j + 1] : TASK_MASKED;
    }
}

const struct task task_induction = {
    .name = "induction",
    .version = 1,
    .summary = "Induction: where a token occurs for the second time, predict what followed its "
               "first.",
    .details =
        "A sequence is length/4 pairs of tokens, each of which stands at two random places: ... A "
        "B ... A B ... No two pairs begin with the same token, none ends with one that begins "
        "another, and which tokens begin is drawn anew for every sequence. The target is the next "
        "token, where the sequence so far determines it: after the second A it is B. Without a "
        "causal mask a model would read it there. Two layers do it with a head each: the first "
        "tells every position which token stands before it, the second looks for the position "
        "behind the earlier A (Olsson et al. 2022, induction heads). One layer needs heads x width "
        "x bits of order length, two layers a constant (Sanford et al. 2024).",
    .options = options_table,
    .options_size = sizeof(struct task_common),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
