#include "datasets/task_common.h"

enum { MAX_SLOTS = 8 };

struct options {
    struct task_common common;
    int64_t slots;
};

/* Columns of the input; pointer k is column POINTER + k. */
enum { PAYLOAD, POINTER };

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "16", "16", "Number of different payloads.", 0),
    {.name = "slots",
     .type = OPTION_INT,
     .offset = offsetof(struct options, slots),
     .min = 1,
     .max = MAX_SLOTS,
     .default_value = "2",
     .help = "Pointers at every position (K)."},
    {0},
};

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const pointer[MAX_SLOTS] = {"pointer1", "pointer2", "pointer3", "pointer4",
                                                   "pointer5", "pointer6", "pointer7", "pointer8"};
    const struct options *o = options;
    (void)m;
    *s = task_shape_of_tokens(&o->common, (long)o->slots);
    s->fields = POINTER + (int)o->slots;
    s->field[PAYLOAD] = "payload";
    for (int k = 0; k < o->slots; k++) {
        s->field[POINTER + k] = pointer[k];
        s->vocab[POINTER + k] = (long)o->common.length;
    }
    return STATUS_OK;
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, fields = POINTER + S;
    for (int64_t i = 0; i < T; i++) {
        int32_t *in = inputs + i * fields;
        in[PAYLOAD] = (int32_t)rng_below(r, (uint32_t)o->common.vocab);
        for (int64_t k = 0; k < S; k++)
            in[POINTER + k] = (int32_t)rng_below(r, (uint32_t)T);
    }
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++)
            targets[i * S + k] = inputs[inputs[i * fields + POINTER + k] * fields + PAYLOAD];
}

/* Sends every payload to the pointers that point at it. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, fields = POINTER + S;
    for (int64_t from = 0; from < T; from++)
        for (int64_t i = 0; i < T; i++)
            for (int64_t k = 0; k < S; k++)
                if (inputs[i * fields + POINTER + k] == from)
                    targets[i * S + k] = inputs[from * fields + PAYLOAD];
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, fields = POINTER + S;
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++)
            source[i * S + k] = inputs[i * fields + POINTER + k];
}

const struct task task_pointers = {
    .name = "pointers",
    .version = 1,
    .summary =
        "Follow K pointers: target k of a position is the payload where its pointer k points.",
    .details =
        "Every position holds a uniform payload of `vocab` values and K pointers (`slots`) to "
        "uniform positions of the sequence. Its K targets are the payloads at those positions. "
        "Fields: payload, pointer1 to pointerK. Where to look depends on the content and changes "
        "with every sequence: a head compares one pointer with the positions, so K pointers "
        "suggest K heads, each wide enough to tell `length` positions apart. What was found: two "
        "heads are enough for four pointers (configs/pointers.yaml).",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
