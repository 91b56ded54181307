#include <string.h>

#include "datasets/task_common.h"

#include "engine/base/text.h"

struct options {
    struct task_common common;
    int64_t slots;
    struct int_list offsets;
};

struct instance {
    int64_t offset[TASK_MAX_SLOTS]; /* 0..length-1 */
};

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(1, "32", "16", "Number of different tokens.", UINT32_MAX),
    {.name = "slots",
     .type = OPTION_INT,
     .offset = offsetof(struct options, slots),
     .min = 1,
     .max = TASK_MAX_SLOTS,
     .default_value = "4",
     .help = "Places to look at from every position (K)."},
    {.name = "offsets",
     .type = OPTION_INT_LIST,
     .offset = offsetof(struct options, offsets),
     .min = 1 - TASK_MAX_LENGTH,
     .max = TASK_MAX_LENGTH - 1,
     .default_value = "[]",
     .help = "Their offsets, one number per slot; [] means 1, -1, 3, -3, 5, -5, ..."},
    {0},
};

/* The k-th offset as written, before it is taken modulo the length. */
static int64_t offset_written(const struct options *o, int64_t k)
{
    if (o->offsets.n > 0)
        return o->offsets.item[k];
    return k % 2 ? -k : k + 1;
}

static int64_t wrap(int64_t offset, int64_t length)
{
    int64_t rest = offset % length;
    return rest < 0 ? rest + length : rest;
}

static enum status check_offsets(const struct options *o, struct message *m)
{
    int64_t length = o->common.length;
    for (int64_t j = 1; j < o->slots; j++)
        for (int64_t k = 0; k < j; k++)
            if (wrap(offset_written(o, j), length) == wrap(offset_written(o, k), length))
                return status_fail(
                    m, STATUS_BAD_INPUT,
                    "task.offsets %lld and %lld are the same place when task.length is "
                    "%lld; give other offsets, fewer task.slots or more task.length",
                    (long long)offset_written(o, k), (long long)offset_written(o, j),
                    (long long)length);
    return STATUS_OK;
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const offsets_twice[] = {"task.offsets", "task.instance", NULL};
    static const char *const other_count[] = {"task.offsets", "task.slots", NULL};
    static const char *const no_place[] = {"task.slots", "task.length", NULL};
    static const char *const same_place[] = {"task.offsets", "task.length", "task.slots", NULL};
    const struct options *o = options;
    if (o->offsets.n > 0 && o->common.instance > 0) {
        s->at_fault = offsets_twice;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.offsets gives the offsets, but task.instance %lld would draw "
                           "them; leave one of them out",
                           (long long)o->common.instance);
    }
    if (o->offsets.n > 0 && o->offsets.n != o->slots) {
        s->at_fault = other_count;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.offsets has %s and task.slots is %lld; make task.slots %lld",
                           text_counted((long long)o->offsets.n, "item").text, (long long)o->slots,
                           (long long)o->offsets.n);
    }
    if (o->common.instance > 0 && o->slots >= o->common.length) {
        s->at_fault = no_place;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.slots is %lld, but task.length %lld leaves only %s "
                           "to draw; make task.slots smaller or task.length larger",
                           (long long)o->slots, (long long)o->common.length,
                           text_counted(o->common.length - 1, "other place").text);
    }
    if (o->common.instance == 0 && check_offsets(o, m) != STATUS_OK) {
        s->at_fault = same_place;
        return STATUS_BAD_INPUT;
    }
    *s = task_shape_of_tokens(&o->common, (long)o->slots);
    return STATUS_OK;
}

static void draw_instance(const void *options, void *instance)
{
    const struct options *o = options;
    struct instance *in = instance;
    if (o->common.instance == 0) {
        for (int64_t k = 0; k < o->slots; k++)
            in->offset[k] = wrap(offset_written(o, k), o->common.length);
        return;
    }
    struct rng r = rng_at((uint32_t)o->common.instance, RNG_INSTANCE, rng_name("gather"), 0);
    for (int64_t k = 0; k < o->slots;) {
        int64_t offset = 1 + rng_below(&r, (uint32_t)o->common.length - 1), j = 0;
        while (j < k && in->offset[j] != offset)
            j++;
        if (j == k)
            in->offset[k++] = offset;
    }
}

/* All that is drawn, or left out, is where to look. */
static void resolve(void *options, const char *facts)
{
    (void)facts;
    struct options *o = options;
    struct task_shape s;
    struct instance in;
    if (shape(o, &s, NULL) != STATUS_OK)
        return;
    draw_instance(o, &in);
    o->common.instance = 0;
    o->offsets.n = o->slots;
    memcpy(o->offsets.item, in.offset, (size_t)o->slots * sizeof *in.offset);
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    const struct options *o = options;
    const struct instance *in = instance;
    int64_t T = o->common.length, S = o->slots;
    task_draw_tokens(r, T, o->common.vocab, inputs);
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++)
            targets[i * S + k] = inputs[(i + in->offset[k]) % T];
}

/* Sends every token to the positions that look at it. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    const struct options *o = options;
    const struct instance *in = instance;
    int64_t T = o->common.length, S = o->slots;
    for (int64_t k = 0; k < S; k++)
        for (int64_t from = 0; from < T; from++) {
            int64_t to = from >= in->offset[k] ? from - in->offset[k] : from - in->offset[k] + T;
            targets[to * S + k] = inputs[from];
        }
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)inputs;
    const struct options *o = options;
    const struct instance *in = instance;
    int64_t T = o->common.length, S = o->slots;
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++)
            source[i * S + k] = (int32_t)((i + in->offset[k]) % T);
}

const struct task task_gather = {
    .name = "gather",
    .version = 1,
    .summary = "Name the tokens at K fixed distances: target k of position i is token (i + "
               "offset_k) mod length.",
    .details =
        "A sequence is `length` uniform tokens. Every position has K targets (`slots`): the tokens "
        "at K fixed cyclic offsets, by default 1, -1, 3, -3, 5, -5 and so on; `instance` 1, 2, ... "
        "draws others at random. Where to look depends on the position alone, so learned positions "
        "suffice. One head has to pack all K places into one weighted average; K heads can look at "
        "one place each. With very many heads each is too narrow to single out one position (low "
        "rank: Bhojanapalli et al. 2020). What was found at d_model 64: one head is enough for "
        "K = 2, two for K = 4, eight for K = 8 (configs/gather-slots.yaml).",
    .options = options_table,
    .options_size = sizeof(struct options),
    .instance_size = sizeof(struct instance),
    .shape = shape,
    .resolve = resolve,
    .instance = draw_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
