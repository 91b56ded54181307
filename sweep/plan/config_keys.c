/* The simple keys of a sweep file (names, words, numbers), and the table of all keys besides task,
 * model and train. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { WORKERS_MAX = 4096 };

static const char *const name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool config_good_name(const char *name)
{
    size_t n = strlen(name);
    return n >= 1 && n <= CONFIG_NAME_BYTES && name[strspn(name, name_characters)] == '\0';
}

/* Default: the file's name without folder and extension. */
static enum status read_name(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    char shown[96];
    if (t) {
        enum status s = reading_expect(r, t, TREE_SCALAR, "name");
        if (s)
            return s;
        c->name = t->text;
        if (!config_good_name(c->name))
            return reading_refuse(r, t->place,
                                  "the name '%s' must be 1 to %d letters, digits, '.', '_', '-'",
                                  text_shown(c->name, shown, sizeof shown), CONFIG_NAME_BYTES);
        return STATUS_OK;
    }
    const char *file = basename(c->path);
    const char *dot = strrchr(file, '.');
    c->name =
        plan_arena_text(r->arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
    if (!c->name)
        return reading_no_memory(r);
    if (!config_good_name(c->name))
        return reading_refuse(r, (struct place){1, 1},
                              "the file's name '%s' cannot be the name of a sweep (letters, "
                              "digits, '.', '_', '-'); add a key name",
                              text_shown(c->name, shown, sizeof shown));
    return STATUS_OK;
}

static enum status read_method(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    char shown[64];
    if (t) {
        enum status s = reading_expect(r, t, TREE_SCALAR, "method");
        if (s)
            return s;
        if (strcmp(t->text, "bayes") == 0)
            return reading_refuse(r, t->place,
                                  "the method bayes is not supported: it would try some head "
                                  "counts more often than others; use grid or random");
        if (strcmp(t->text, "random") != 0 && strcmp(t->text, "grid") != 0)
            return reading_refuse(r, t->place, "method is %s; allowed: grid, random",
                                  text_shown(t->text, shown, sizeof shown));
        c->method = strcmp(t->text, "random") == 0 ? METHOD_RANDOM : METHOD_GRID;
    }
    for (int i = 0; i < c->axes; i++)
        if (c->axis[i].kind != AXIS_VALUES && c->method != METHOD_RANDOM)
            return reading_refuse(r, c->axis[i].place,
                                  "%s is a distribution, which needs method: random and samples: N",
                                  c->axis[i].path);
    const struct tree *samples = tree_find(r->root, "samples");
    if (t && c->method == METHOD_RANDOM && !samples)
        return reading_refuse(r, t->place, "method: random needs samples: N, the number of draws");
    return STATUS_OK;
}

static enum status refuse_without_random(const struct reading *r, const struct tree *t)
{
    if (!t || r->c->method == METHOD_RANDOM)
        return STATUS_OK;
    return reading_refuse(r, t->key_place, "%s is for method: random only", t->key);
}

static enum status read_samples(struct reading *r, const struct tree *t)
{
    enum status s = refuse_without_random(r, t);
    return s || !t ? s : reading_integer(r, t, "samples", 1, 1e9, &r->c->samples);
}

static enum status read_sampler_seed(struct reading *r, const struct tree *t)
{
    enum status s = refuse_without_random(r, t);
    return s || !t ? s : reading_integer(r, t, "sampler_seed", 0, UINT32_MAX, &r->c->sampler_seed);
}

/* Which of two words t is. */
static enum status read_word(const struct reading *r, const struct tree *t, const char *what,
                             const char *const *words, int *which)
{
    char shown[64];
    enum status s = reading_expect(r, t, TREE_SCALAR, what);
    if (s)
        return s;
    for (int i = 0; i < 2; i++)
        if (strcmp(t->text, words[i]) == 0) {
            *which = i;
            return STATUS_OK;
        }
    return reading_refuse(r, t->place, "%s is %s; allowed: %s, %s", what,
                          text_shown(t->text, shown, sizeof shown), words[0], words[1]);
}

const char *const reading_metrics[] = {"val_acc", "val_loss", NULL};

static enum status read_metric(struct reading *r, const struct tree *t)
{
    static const char *const goals[] = {"maximize", "minimize"};
    const char *const names[] = {metric_name(METRIC_VAL_ACC), metric_name(METRIC_VAL_LOSS)};
    int name = METRIC_VAL_ACC, goal = 0;
    enum status s = STATUS_OK;
    r->c->metric = METRIC_VAL_ACC;
    if (!t)
        return s;
    if ((s = reading_mapping(r, t, "metric")))
        return s;
    const struct tree *name_node = tree_find(t, "name"), *goal_node = tree_find(t, "goal");
    if (name_node && (s = read_word(r, name_node, "metric.name", names, &name)))
        return s;
    r->c->metric = (enum metric)name;
    if (goal_node && (s = read_word(r, goal_node, "metric.goal", goals, &goal)))
        return s;
    if (goal_node && strcmp(goals[goal], metric_goal(r->c->metric)) != 0)
        return reading_refuse(r, goal_node->place, "%s is a metric to %s, not to %s", names[name],
                              metric_goal(r->c->metric), goals[goal]);
    return s;
}

struct unit {
    const char *name;
    double size;
};

/* A number with an optional unit behind it: 1.5h, 2GiB. */
static enum status read_quantity(const struct reading *r, const struct tree *t, const char *what,
                                 const struct unit *units, double min, double max,
                                 const char *allowed, double *quantity)
{
    char number[64], shown[64];
    enum status s = reading_expect(r, t, TREE_SCALAR, what);
    if (s)
        return s;
    size_t n = strspn(t->text, "0123456789.");
    bool integral, known = false;
    snprintf(number, sizeof number, "%.*s", n < sizeof number ? (int)n : 0, t->text);
    const char *name = t->text + n + strspn(t->text + n, " ");
    if (number_parse(number, quantity, &integral))
        for (const struct unit *u = units; u->name && !known; u++)
            if ((known = strcmp(u->name, name) == 0))
                *quantity *= u->size;
    if (!known || *quantity < min || *quantity > max)
        return reading_refuse(r, t->place, "%s is %s; allowed: %s", what,
                              text_shown(t->text, shown, sizeof shown), allowed);
    return STATUS_OK;
}

static enum status read_limits(struct reading *r, const struct tree *t)
{
    static const struct unit times[] = {{"", 1},     {"s", 1},     {"m", 60},
                                        {"h", 3600}, {"d", 86400}, {NULL, 0}};
    static const struct unit sizes[] = {{"", 1},         {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                        {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0}};
    if (!t)
        return STATUS_OK;
    enum status s = reading_mapping(r, t, "limits");
    if (s)
        return s;
    const struct tree *time = tree_find(t, "time"), *memory = tree_find(t, "memory");
    if (time &&
        (s = read_quantity(r, time, "limits.time", times, 1, 366 * 86400.0,
                           "1 second to 366 days, as in 3600, 90s, 20m, 2h", &r->c->limit_time_s)))
        return s;
    double bytes = 0;
    if (memory &&
        (s = read_quantity(r, memory, "limits.memory", sizes, 0x1p20, 0x1p50,
                           "1 MiB and more, as in 512MiB, 2GiB or bytes without a unit", &bytes)))
        return s;
    r->c->limit_memory = (int64_t)ceil(bytes);
    return s;
}

static enum status read_retries(struct reading *r, const struct tree *t)
{
    r->c->retries = 2;
    return t ? reading_integer(r, t, "retries", 0, 100, &r->c->retries) : STATUS_OK;
}

static enum status read_workers(struct reading *r, const struct tree *t)
{
    return t ? reading_integer(r, t, "workers", 1, WORKERS_MAX, &r->c->workers) : STATUS_OK;
}

static enum status read_run_cap(struct reading *r, const struct tree *t)
{
    r->c->run_cap = 100000;
    return t ? reading_integer(r, t, "run_cap", 1, 1e7, &r->c->run_cap) : STATUS_OK;
}

/* Heads can be measured at every evaluation, and at no other time. */
static enum status read_measure(struct reading *r, const struct tree *t)
{
    char shown[64];
    enum status s = t ? reading_expect(r, t, TREE_SCALAR, "measure") : STATUS_OK;
    if (s || !t)
        return s;
    r->c->measure = true;
    if (strcmp(t->text, "evals") == 0)
        return STATUS_OK;
    return reading_refuse(r, t->place, "measure is %s; allowed: evals",
                          text_shown(t->text, shown, sizeof shown));
}

const struct config_mapping config_mappings[] = {
    {"metric", (const char *const[]){"name", "goal", NULL}},
    {"tune", (const char *const[]){"axes", "seeds", "rungs", NULL}},
    {"tune.rungs", (const char *const[]){"eta", "min_steps", NULL}},
    {"limits", (const char *const[]){"time", "memory", NULL}},
    {"claim", (const char *const[]){"best", "over", NULL}},
    {NULL, NULL}};

const char *const config_keys[] = {"name",         "task",      "model",       "train",   "seeds",
                                   "looks",        "replicate", "equivalence", "method",  "samples",
                                   "sampler_seed", "metric",    "constraints", "exclude", "tune",
                                   "eval",         "measure",   "limits",      "claim",   "retries",
                                   "workers",      "run_cap",   NULL};

enum status reading_keys(struct reading *r)
{
    /* In this order: tune looks at the seeds, samples at the method, equivalence at the metric,
     * replicate at method and tune. */
    static const struct {
        const char *name;
        enum status (*read)(struct reading *, const struct tree *);
    } readers[] = {{"name", read_name},
                   {"seeds", reading_seeds},
                   {"looks", reading_looks},
                   {"method", read_method},
                   {"samples", read_samples},
                   {"sampler_seed", read_sampler_seed},
                   {"metric", read_metric},
                   {"constraints", reading_constraints},
                   {"exclude", reading_exclude},
                   {"tune", reading_tune},
                   {"replicate", reading_replicate},
                   {"equivalence", reading_equivalence},
                   {"eval", reading_eval},
                   {"measure", read_measure},
                   {"limits", read_limits},
                   {"claim", reading_claim},
                   {"retries", read_retries},
                   {"workers", read_workers},
                   {"run_cap", read_run_cap}};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && !s; i++)
        s = readers[i].read(r, tree_find(r->root, readers[i].name));
    return s;
}
