#include "datasets/task_common.h"

enum { MAX_SLOTS = 8 };

struct options {
    struct task_common common;
    int64_t slots;
};

/* Columns of the input. In a column that says nothing at a position stands the field's last token:
 * `records` for keys, `vocab` for values. */
enum { KEY, VALUE, QUERY };

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(2, "16", "8", "Number of different values.", 0),
    {.name = "slots",
     .type = OPTION_INT,
     .offset = offsetof(struct options, slots),
     .min = 1,
     .max = MAX_SLOTS,
     .default_value = "2",
     .help = "Keys that a query asks for at once (K)."},
    {0},
};

static int64_t records(const struct options *o)
{
    return o->common.length / 2;
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const query[MAX_SLOTS] = {"query1", "query2", "query3", "query4",
                                                 "query5", "query6", "query7", "query8"};
    const struct options *o = options;
    (void)m;
    *s = task_shape_of_tokens(&o->common, (long)o->slots);
    s->fields = QUERY + (int)o->slots;
    s->field[KEY] = "key";
    s->vocab[KEY] = (long)records(o) + 1;
    s->field[VALUE] = "value";
    s->vocab[VALUE] = (long)o->common.vocab + 1;
    for (int k = 0; k < o->slots; k++) {
        s->field[QUERY + k] = query[k];
        s->vocab[QUERY + k] = (long)records(o) + 1;
    }
    return STATUS_OK;
}

static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, R = records(o), fields = QUERY + S;
    uint32_t key[TASK_MAX_LENGTH / 2];
    int32_t value_of[TASK_MAX_LENGTH / 2];

    rng_permutation(r, key, (uint32_t)R);
    for (int64_t i = 0; i < R; i++) {
        int32_t *in = inputs + i * fields;
        in[KEY] = (int32_t)key[i];
        in[VALUE] = value_of[key[i]] = (int32_t)rng_below(r, (uint32_t)o->common.vocab);
        for (int64_t k = 0; k < S; k++) {
            in[QUERY + k] = (int32_t)R;
            targets[i * S + k] = TASK_MASKED;
        }
    }
    for (int64_t i = R; i < T; i++) {
        int32_t *in = inputs + i * fields;
        in[KEY] = (int32_t)R;
        in[VALUE] = (int32_t)o->common.vocab;
        for (int64_t k = 0; k < S; k++) {
            in[QUERY + k] = (int32_t)rng_below(r, (uint32_t)R);
            targets[i * S + k] = value_of[in[QUERY + k]];
        }
    }
}

/* Compares every query with every record, as attention would. */
static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, none = records(o), fields = QUERY + S;
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++) {
            int32_t asked = inputs[i * fields + QUERY + k];
            targets[i * S + k] = TASK_MASKED;
            for (int64_t j = 0; asked != none && j < T; j++)
                if (inputs[j * fields + KEY] == asked)
                    targets[i * S + k] = inputs[j * fields + VALUE];
        }
}

static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    const struct options *o = options;
    int64_t T = o->common.length, S = o->slots, R = records(o), fields = QUERY + S;
    int32_t record_of[TASK_MAX_LENGTH / 2 + 1];
    for (int64_t i = 0; i < R; i++)
        record_of[inputs[i * fields + KEY]] = (int32_t)i;
    record_of[R] = -1; /* nothing is asked */
    for (int64_t i = 0; i < T; i++)
        for (int64_t k = 0; k < S; k++)
            source[i * S + k] = record_of[inputs[i * fields + QUERY + k]];
}

const struct task task_recall = {
    .name = "recall",
    .version = 1,
    .summary = "Look up K keys at once among records of key and value seen earlier.",
    .details = "The first half of a sequence is length/2 records: a key (each of the length/2 keys "
               "once, in random order) and a uniform value of `vocab`. Every position of the "
               "second half asks for K keys (`slots`), with repetition; its targets are their K "
               "values. Positions of the first half have no target. Fields: key, value, query1 to "
               "queryK, each with one more token that says 'nothing here'. Where to look depends "
               "on the content: a head matches one key of the query against those of the records, "
               "so K look-ups at once suggest K heads, each wide enough to tell length/2 keys "
               "apart. What was found: one head is enough for K = 2, and 32 heads of width 1 were "
               "still improving (configs/recall.yaml). K = 1 is a control: one look-up needs one "
               "head.",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
