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

const char *config_mistaken_name(const char *name)
{
    if (name[strspn(name, "0123456789")] == '\0')
        return "is a number, which commands take for a trial";
    return name[0] == '-' ? "begins with '-', as options do" : NULL;
}

static void read_name(struct reading *r, const struct tree *t)
{
    char shown[96];
    reading_expect(r, t, TREE_SCALAR, "name");
    r->c->name = t->text;
    if (!config_good_name(t->text))
        reading_refuse(r, t->place, "the name '%s' must be 1 to %d letters, digits, '.', '_', '-'",
                       text_shown(t->text, shown, sizeof shown), CONFIG_NAME_BYTES);
}

/* The file's name without folder and extension. */
static void default_name(struct reading *r)
{
    struct config *c = r->c;
    char shown[96];
    const char *file = basename(c->path);
    const char *dot = strrchr(file, '.');
    c->name = arena_text(r->arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
    if (!config_good_name(c->name))
        reading_refuse(r, (struct place){1, 1},
                       "the file's name '%s' cannot be the name of a sweep (letters, "
                       "digits, '.', '_', '-'); add a key name",
                       text_shown(c->name, shown, sizeof shown));
}

/* Where points are not drawn. */
static void refuse_distributions(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->axes; i++)
        if (c->axis[i].kind != AXIS_VALUES)
            reading_refuse(r, c->axis[i].place,
                           "%s is a distribution, which needs method: random and samples: N",
                           c->axis[i].path);
}

static void read_method(struct reading *r, const struct tree *t)
{
    char shown[64];
    reading_expect(r, t, TREE_SCALAR, "method");
    if (strcmp(t->text, "bayes") == 0)
        reading_refuse(r, t->place,
                       "the method bayes is not supported: it would try some head "
                       "counts more often than others; use grid or random");
    if (strcmp(t->text, "random") != 0 && strcmp(t->text, "grid") != 0)
        reading_refuse(r, t->place, "method is %s; allowed: grid, random",
                       text_shown(t->text, shown, sizeof shown));
    r->c->method = strcmp(t->text, "random") == 0 ? METHOD_RANDOM : METHOD_GRID;
    if (r->c->method == METHOD_GRID)
        refuse_distributions(r);
    else if (!tree_find(r->root, "samples"))
        reading_refuse(r, t->place, "method: random needs samples: N, the number of draws");
}

static void refuse_without_random(const struct reading *r, const struct tree *t)
{
    if (r->c->method != METHOD_RANDOM)
        reading_refuse(r, t->key_place, "%s is for method: random only", t->key);
}

static void read_samples(struct reading *r, const struct tree *t)
{
    refuse_without_random(r, t);
    reading_integer(r, t, "samples", 1, 1e9, &r->c->samples);
}

static void read_sampler_seed(struct reading *r, const struct tree *t)
{
    refuse_without_random(r, t);
    reading_integer(r, t, "sampler_seed", 0, UINT32_MAX, &r->c->sampler_seed);
}

/* Which of two words t is. */
static void read_word(const struct reading *r, const struct tree *t, const char *what,
                      const char *const *words, int *which)
{
    char shown[64];
    reading_expect(r, t, TREE_SCALAR, what);
    for (int i = 0; i < 2; i++)
        if (strcmp(t->text, words[i]) == 0) {
            *which = i;
            return;
        }
    reading_refuse(r, t->place, "%s is %s; allowed: %s, %s", what,
                   text_shown(t->text, shown, sizeof shown), words[0], words[1]);
}

const char *const reading_metrics[] = {"val_acc", "val_loss", NULL};

static void read_metric(struct reading *r, const struct tree *t)
{
    static const char *const goals[] = {"maximize", "minimize"};
    const char *const names[] = {metric_name(METRIC_VAL_ACC), metric_name(METRIC_VAL_LOSS)};
    int name = METRIC_VAL_ACC, goal = 0;
    reading_mapping(r, t, "metric");
    const struct tree *name_node = tree_find(t, "name"), *goal_node = tree_find(t, "goal");
    if (name_node)
        read_word(r, name_node, "metric.name", names, &name);
    r->c->metric = (enum metric)name;
    if (goal_node)
        read_word(r, goal_node, "metric.goal", goals, &goal);
    if (goal_node && strcmp(goals[goal], metric_goal(r->c->metric)) != 0)
        reading_refuse(r, goal_node->place, "%s is a metric to %s, not to %s", names[name],
                       metric_goal(r->c->metric), goals[goal]);
}

struct unit {
    const char *name;
    double size;
};

/* A number with an optional unit behind it: 1.5h, 2GiB. */
static void read_quantity(const struct reading *r, const struct tree *t, const char *what,
                          const struct unit *units, double min, double max, const char *allowed,
                          double *quantity)
{
    char number[64], shown[64];
    reading_expect(r, t, TREE_SCALAR, what);
    size_t n = strspn(t->text, "0123456789.");
    bool integral, known = false;
    snprintf(number, sizeof number, "%.*s", n < sizeof number ? (int)n : 0, t->text);
    const char *name = t->text + n + strspn(t->text + n, " ");
    if (number_parse(number, quantity, &integral))
        for (const struct unit *u = units; u->name && !known; u++)
            if ((known = strcmp(u->name, name) == 0))
                *quantity *= u->size;
    if (!known || *quantity < min || *quantity > max)
        reading_refuse(r, t->place, "%s is %s; allowed: %s", what,
                       text_shown(t->text, shown, sizeof shown), allowed);
}

static void read_limits(struct reading *r, const struct tree *t)
{
    static const struct unit times[] = {{"", 1},     {"s", 1},     {"m", 60},
                                        {"h", 3600}, {"d", 86400}, {NULL, 0}};
    static const struct unit sizes[] = {{"", 1},         {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                        {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0}};
    reading_mapping(r, t, "limits");
    const struct tree *time = tree_find(t, "time"), *memory = tree_find(t, "memory");
    if (time)
        read_quantity(r, time, "limits.time", times, 1, 366 * 86400.0,
                      "1 second to 366 days, as in 3600, 90s, 20m, 2h", &r->c->limit_time_s);
    double bytes = 0;
    if (memory)
        read_quantity(r, memory, "limits.memory", sizes, 0x1p20, 0x1p50,
                      "1 MiB and more, as in 512MiB, 2GiB or bytes without a unit", &bytes);
    r->c->limit_memory = (int64_t)ceil(bytes);
}

static void read_retries(struct reading *r, const struct tree *t)
{
    reading_integer(r, t, "retries", 0, 100, &r->c->retries);
}

static void read_workers(struct reading *r, const struct tree *t)
{
    reading_integer(r, t, "workers", 1, WORKERS_MAX, &r->c->workers);
}

bool config_threads(const char *text, int64_t *threads)
{
    double number = 0;
    bool integral, automatic = strcmp(text, "auto") == 0;
    if (!automatic &&
        !(number_parse(text, &number, &integral) && integral && number >= 1 && number <= TEAM_MAX))
        return false;
    *threads = (int64_t)number;
    return true;
}

static void read_threads(struct reading *r, const struct tree *t)
{
    char shown[64];
    reading_expect(r, t, TREE_SCALAR, "threads");
    if (!config_threads(t->text, &r->c->threads))
        reading_refuse(r, t->place, "threads is %s; allowed: auto, 1 to %d",
                       text_shown(t->text, shown, sizeof shown), TEAM_MAX);
}

static void read_run_cap(struct reading *r, const struct tree *t)
{
    reading_integer(r, t, "run_cap", 1, 1e7, &r->c->run_cap);
}

/* Heads can be measured at every evaluation, and at no other time. */
static void read_measure(struct reading *r, const struct tree *t)
{
    char shown[64];
    reading_expect(r, t, TREE_SCALAR, "measure");
    r->c->measure = true;
    if (strcmp(t->text, "evals") != 0)
        reading_refuse(r, t->place, "measure is %s; allowed: evals",
                       text_shown(t->text, shown, sizeof shown));
}

const struct config_mapping config_mappings[] = {
    {"metric", (const char *const[]){"name", "goal", NULL}},
    {"tune", (const char *const[]){"axes", "seeds", "rungs", "extend", NULL}},
    {"tune.rungs", (const char *const[]){"eta", "min_steps", NULL}},
    {"limits", (const char *const[]){"time", "memory", NULL}},
    {"claim", (const char *const[]){"best", "over", "better", "than", "heads", NULL}},
    {"confirm", (const char *const[]){"instances", NULL}},
    {NULL, NULL}};

/* All keys with their readers, in the order of reading: tune looks at the seeds, samples at the
 * method, equivalence at the metric, replicate at method and tune, claim at looks, method, tune and
 * replicate, confirm at all of these. And what the man page says of them. */
#define KEYS(KEY)                                                                                  \
    KEY(name, read_name,                                                                           \
        "name of the sweep in the results file (that of the sweep file, without its ending)")      \
    KEY(task, NULL, "`name`, and the options of the task")                                         \
    KEY(model, NULL, "options of the encoder")                                                     \
    KEY(train, NULL, "options of training")                                                        \
    KEY(seeds, reading_seeds, "how many (0, 1, ...), or a list; every point gets the same (8)")    \
    KEY(looks, reading_looks,                                                                      \
        "instead of `seeds`, rising: [5, 10, 20] tries 5 seeds, and 10 or 20 only where the "      \
        "verdict is still open")                                                                   \
    KEY(method, read_method,                                                                       \
        "`grid` (the default), or `random`: draws settings and tries each with every head count "  \
        "of the list")                                                                             \
    KEY(samples, read_samples, "for `method: random`: how many settings are drawn")                \
    KEY(sampler_seed, read_sampler_seed,                                                           \
        "for `method: random`: another seed draws other settings (0)")                             \
    KEY(metric, read_metric,                                                                       \
        "{name: val_acc, goal: maximize} (the default) or {name: val_loss, goal: minimize}: "      \
        "chooses the best step of a trial and, under `tune`, the setting")                         \
    KEY(constraints, reading_constraints,                                                          \
        "a list of conditions that every point must meet, as in \"model.d_model % model.heads == " \
        "0\"")                                                                                     \
    KEY(exclude, reading_exclude,                                                                  \
        "a list of mappings: a point that fits one is left out, as in {model.heads: 16, "          \
        "train.lr: 1e-3}; a list fits any of its values")                                          \
    KEY(tune, reading_tune,                                                                        \
        "axes whose value each head count chooses on validation: [train.lr], or {axes: "           \
        "[train.lr], seeds: 3, rungs: {min_steps: 150, eta: 3}, extend: 4}; `extend` adds values " \
        "beyond the outermost one of a list, up to so many, where that was chosen")                \
    KEY(replicate, reading_replicate,                                                              \
        "axes of task or training that are samples of what the answer should hold for, as in "     \
        "[task.instance]")                                                                         \
    KEY(equivalence, reading_equivalence,                                                          \
        "the largest difference that does not matter, in units of the metric, as in .005")         \
    KEY(eval, reading_eval,                                                                        \
        "further test sets, each with the options of the task that differ, as in {long: "          \
        "{length: 64}, noisy: {noise: 0.5}}")                                                      \
    KEY(measure, read_measure,                                                                     \
        "`evals`: the cheap measures of each head are taken at every evaluation")                  \
    KEY(limits, read_limits, "of one trial: {time: 20m, memory: 2GiB}")                            \
    KEY(claim, reading_claim,                                                                      \
        "a prediction to be tested: {best: 4, over: [1, 16]}, or of two settings {better: "        \
        "{model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}")                               \
    KEY(confirm, reading_confirm,                                                                  \
        "instead of `claim`: so many fresh seeds, at least 6, decide whether the head count that " \
        "all trials speak for is better than the smallest and the largest; with `replicate`, "     \
        "{instances: [9, 10, 11, 12, 13, 14]}")                                                    \
    KEY(retries, read_retries, "how often a failed trial is tried again (2)")                      \
    KEY(workers, read_workers, "trials at once (the usable cores); `-j` goes before it")           \
    KEY(threads, read_threads,                                                                     \
        "cores for each trial, or `auto` (the default): one, and those that are idle; `-t` goes "  \
        "before it")                                                                               \
    KEY(run_cap, read_run_cap, "a sweep of more points is refused (100000)")

#define NAME(name, read, help) #name,
const char *const config_keys[] = {KEYS(NAME) NULL};
#define HELP(name, read, help) help,
const char *const config_key_help[] = {KEYS(HELP) NULL};

static void set_defaults(struct reading *r)
{
    struct config *c = r->c;
    c->metric = METRIC_VAL_ACC;
    c->tune_seeds = 3;
    c->eval_json = "{}";
    c->retries = 2;
    c->run_cap = 100000;
    if (!tree_find(r->root, "name"))
        default_name(r);
    reading_count_seeds(r, 8);
    if (!tree_find(r->root, "method"))
        refuse_distributions(r);
}

void reading_keys(struct reading *r)
{
#define READER(name, read, help) read,
    static void (*const readers[])(struct reading *, const struct tree *) = {KEYS(READER)};
    set_defaults(r);
    for (size_t i = 0; config_keys[i]; i++) {
        const struct tree *t = tree_find(r->root, config_keys[i]);
        if (t && readers[i])
            readers[i](r, t);
    }
}
