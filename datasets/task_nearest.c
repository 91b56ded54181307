#include <math.h>

#include "datasets/task_common.h"
#include "engine/base/text.h"

enum { MAX_DIMS = 16 };
_Static_assert((int)MAX_DIMS <= (int)TASK_MAX_FIELDS, "a coordinate is a field");

enum { FIND_NEAREST, FIND_FARTHEST };

/* Least share of the positions with a target: below it, hardly any sequence would have one. */
static const double LEAST_ASKED = 0.1;

struct options {
    struct task_common common;
    int64_t dims, find;
};

static const struct option_entry options_table[] = {
    TASK_COMMON_OPTIONS(2, "16", "2", "Values of a coordinate; 2: points of {-1,1}^dims.", 0),
    {.name = "dims",
     .type = OPTION_INT,
     .offset = offsetof(struct options, dims),
     .min = 1,
     .max = MAX_DIMS,
     .default_value = "16",
     .help = "Coordinates of a point (D)."},
    {.name = "find",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct options, find),
     .words = (const char *const[]){[FIND_NEAREST] = "nearest", [FIND_FARTHEST] = "farthest", NULL},
     .default_value = "nearest",
     .help = "Which other point a position names."},
    {0},
};

/* The probability that one of the other points alone is nearest (farthest). Given a point, the
 * distances of the others from it are independent: how many of D coordinates differ, each with the
 * probability 1 - 1/vocab. */
static double asked(const struct options *o)
{
    const double others = (double)(o->common.length - 1), differs = 1 - 1 / (double)o->common.vocab;
    double sum = 0, nearer = 0;
    for (int64_t i = 0; i <= o->dims; i++) {
        int64_t d = o->find == FIND_NEAREST ? i : o->dims - i;
        double here = task_binomial((long)o->dims, differs, (long)d);
        nearer += here;
        sum += others * here * pow(fmax(1 - nearer, 0), others - 1);
    }
    return sum;
}

/* What to change where hardly any point has a single best one. Of more values than two nearly all
 * points differ in all coordinates: with two, and with 16 coordinates of them, a third have one
 * even of 4096 points. */
static enum status refuse_ties(const struct options *o, struct task_shape *s, struct message *m)
{
    static const char *const of_dims[] = {"task.dims", "task.length", "task.vocab", NULL};
    static const char *const of_vocab[] = {"task.vocab", "task.dims", "task.length", NULL};
    const char *find = o->find == FIND_NEAREST ? "nearest" : "farthest";
    const long long length = o->common.length, dims = o->dims, vocab = o->common.vocab;
    struct options two = *o;
    two.common.vocab = 2;
    if (asked(&two) < LEAST_ASKED) {
        s->at_fault = of_dims;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.dims is %lld, too small: fewer than %.0f %% of %lld points have a "
                           "single %s point; make task.dims larger or task.length smaller",
                           dims, 100 * LEAST_ASKED, length, find);
    }
    s->at_fault = of_vocab;
    return status_fail(m, STATUS_BAD_INPUT,
                       "task.vocab is %lld, too large: fewer than %.0f %% of %lld points with %s "
                       "have a single %s point; make task.vocab smaller",
                       vocab, 100 * LEAST_ASKED, length, text_counted(dims, "coordinate").text,
                       find);
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const name[MAX_DIMS] = {"x1",  "x2",  "x3",  "x4",  "x5",  "x6",
                                               "x7",  "x8",  "x9",  "x10", "x11", "x12",
                                               "x13", "x14", "x15", "x16"};
    const struct options *o = options;
    if (asked(o) < LEAST_ASKED)
        return refuse_ties(o, s, m);
    *s = task_shape_of_tokens(&o->common, 1);
    s->fields = (int)o->dims;
    for (int d = 0; d < o->dims; d++) {
        s->field[d] = name[d];
        s->vocab[d] = (long)o->common.vocab;
    }
    s->classes = (long)o->common.length;
    s->chance = 1 / (double)(o->common.length - 1);
    return STATUS_OK;
}

/* How many coordinates of points i and j differ. */
static int64_t distance(const struct options *o, const int32_t *inputs, int64_t i, int64_t j)
{
    int64_t count = 0;
    for (int64_t d = 0; d < o->dims; d++)
        count += inputs[i * o->dims + d] != inputs[j * o->dims + d];
    return count;
}

/* Names j as the best so far of point i, or none where it is as good as another. */
static void offer(int32_t *targets, int64_t *best, int64_t i, int64_t j, int64_t d)
{
    if (d < best[i])
        targets[i] = (int32_t)j;
    else if (d == best[i])
        targets[i] = TASK_MASKED;
    best[i] = d < best[i] ? d : best[i];
}

/* Writes the targets and says whether there is one: the single best of the other points, or none
 * where several are. */
static bool label(const struct options *o, const int32_t *inputs, int32_t *targets)
{
    const int64_t length = o->common.length, sign = o->find == FIND_NEAREST ? 1 : -1;
    int64_t best[TASK_MAX_LENGTH];
    bool any = false;
    for (int64_t i = 0; i < length; i++)
        best[i] = INT64_MAX;
    for (int64_t i = 0; i < length; i++)
        for (int64_t j = i + 1; j < length; j++) {
            int64_t d = sign * distance(o, inputs, i, j);
            offer(targets, best, i, j, d);
            offer(targets, best, j, i, d);
        }
    for (int64_t i = 0; i < length; i++)
        any |= targets[i] != TASK_MASKED;
    return any;
}

/* Sequences without a target are drawn again: fewer than 1 / LEAST_ASKED on average. */
static void example(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets)
{
    (void)instance;
    const struct options *o = options;
    do
        task_draw_tokens(r, (long)(o->common.length * o->dims), o->common.vocab, inputs);
    while (!label(o, inputs, targets));
}

/* Sorts the other points of each position into one bin for every distance. */
static void sources(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source)
{
    (void)instance;
    const struct options *o = options;
    for (int64_t i = 0; i < o->common.length; i++) {
        int64_t count[MAX_DIMS + 1] = {0};
        int32_t last[MAX_DIMS + 1] = {0};
        for (int64_t j = 0; j < o->common.length; j++) {
            int64_t d = distance(o, inputs, i, j), bin = o->find == FIND_NEAREST ? d : o->dims - d;
            if (j == i)
                continue;
            count[bin]++;
            last[bin] = (int32_t)j;
        }
        int64_t bin = 0;
        while (count[bin] == 0)
            bin++;
        source[i] = count[bin] == 1 ? last[bin] : -1;
    }
}

static void oracle(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets)
{
    const struct options *o = options;
    sources(options, instance, inputs, targets);
    for (int64_t i = 0; i < o->common.length; i++)
        if (targets[i] < 0)
            targets[i] = TASK_MASKED;
}

const struct task task_nearest = {
    .name = "nearest",
    .version = 1,
    .summary = "Name the position of the nearest (or farthest) other point.",
    .details =
        "Every position holds a uniform point of {-1,1}^D, written as D fields x1 to xD (`dims`), "
        "and its target is the position of the other point that differs from it in the fewest "
        "coordinates (`find: farthest`: in the most). Where several do, the position has no "
        "target; a sequence without any target is drawn again. By default 64 % of the positions "
        "have one. One head as wide as the points can compare all coordinates; heads too narrow "
        "for that cannot, unless their number is exponential in D (Amsel, Yehudai and Bruna 2025). "
        "Under `farthest`, which they trained on points of a sphere, no head has to leave out its "
        "own point, which under `nearest` is the nearest of all.",
    .options = options_table,
    .options_size = sizeof(struct options),
    .shape = shape,
    .instance = task_no_instance,
    .example = example,
    .oracle = oracle,
    .sources = sources,
};
