/* The keys of a sweep file: one table of what each may be, one of what cannot be together, and the
 * reader of both. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum {
    WORKERS_MAX = 4096,
    SEEDS_MAX = 1000,
    HEADS_MAX = 65536,
    /* The sign-flip test of fewer units cannot reach p < .05. */
    FRESH_LEAST = 6
};

/* ---- readers ---- */

/* What stands at that path; NULL: nothing, or an empty list. */
static const struct tree *given(const struct reading *r, const char *path)
{
    const struct tree *t = tree_at(r->root, path);
    return t && t->kind == TREE_LIST && !t->count ? NULL : t;
}

static void read_value(struct reading *r, const struct config_key *key, const struct tree *t)
{
    reading_scalar(r, &key->value, t, r->c);
}

/* Which of its words; the member is an enumeration. */
static void read_word(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct option_entry o = key->value;
    int64_t word = 0;
    o.offset = 0;
    reading_scalar(r, &o, t, &word);
    *(int *)(void *)((char *)r->c + key->value.offset) = (int)word;
}

static void read_method(struct reading *r, const struct config_key *key, const struct tree *t)
{
    if (t->kind == TREE_SCALAR && strcmp(t->text, "bayes") == 0)
        reading_refuse(r, t->place,
                       "the method bayes is not supported: it would try some head counts more "
                       "often than others; use grid or random");
    read_word(r, key, t);
}

/* Its keys are rows of their own. */
static void read_map(struct reading *r, const struct config_key *key, const struct tree *t)
{
    reading_expect(r, t, TREE_MAP, key->value.name);
    reading_known(r, t, key->value.name, NULL);
}

/* A list of whole numbers, each once. item has room for key->most. Returns how many. */
static int read_numbers(const struct reading *r, const struct config_key *key, const struct tree *t,
                        int64_t *item)
{
    struct option_entry each = key->value;
    char name[CONFIG_PATH_SIZE];
    int n = 0;
    snprintf(name, sizeof name, "an item of %s", key->value.name);
    each.name = name;
    each.offset = 0;
    reading_expect(r, t, TREE_LIST, key->value.name);
    if (t->count < key->least || t->count > key->most)
        reading_refuse(r, t->place, "%s has %s; allowed: %d to %d%s", key->value.name,
                       text_counted(t->count, "item").text, key->least, key->most, key->allowed);
    for (const struct tree *number = t->first; number; number = number->next, n++) {
        reading_scalar(r, &each, number, &item[n]);
        for (int i = 0; i < n; i++)
            if (item[i] == item[n])
                reading_refuse(r, number->place, "%" PRId64 " is in the list twice", item[n]);
    }
    return n;
}

/* A list of paths of axes. */
static void read_paths(const struct reading *r, const struct config_key *key, const struct tree *t,
                       int *n, const char ***path)
{
    char what[CONFIG_PATH_SIZE];
    snprintf(what, sizeof what, "an item of %s", key->value.name);
    reading_expect(r, t, TREE_LIST, key->value.name);
    *path = arena_alloc(r->arena, (size_t)t->count, sizeof **path);
    for (const struct tree *item = t->first; item; item = item->next) {
        reading_expect(r, item, TREE_SCALAR, what);
        reading_refuse_axis(r, key->value.name, item->text, item->place);
        for (int i = 0; i < *n; i++)
            if (strcmp((*path)[i], item->text) == 0)
                reading_refuse(r, item->place, "%s is in the list twice", item->text);
        (*path)[(*n)++] = item->text;
    }
}

static void read_tuned(struct reading *r, const struct config_key *key, const struct tree *t)
{
    read_paths(r, key, t, &r->c->tune, &r->c->tune_path);
}

static void read_replicated(struct reading *r, const struct config_key *key, const struct tree *t)
{
    read_paths(r, key, t, &r->c->replicate, &r->c->replicate_path);
}

struct unit {
    const char *name;
    double size;
};

/* A number with an optional unit behind it: 1.5h, 2GiB. */
static double read_quantity(const struct reading *r, const struct config_key *key,
                            const struct tree *t, const struct unit *units)
{
    char number[64], shown[64];
    reading_expect(r, t, TREE_SCALAR, key->value.name);
    size_t n = strspn(t->text, "0123456789.");
    double quantity = 0;
    bool integral, known = false;
    snprintf(number, sizeof number, "%.*s", n < sizeof number ? (int)n : 0, t->text);
    const char *name = t->text + n + strspn(t->text + n, " ");
    if (number_parse(number, &quantity, &integral))
        for (const struct unit *u = units; u->name && !known; u++)
            if ((known = strcmp(u->name, name) == 0))
                quantity *= u->size;
    if (!known || quantity < key->value.min || quantity > key->value.max)
        reading_refuse(r, t->place, "%s is %s; allowed: %s", key->value.name,
                       text_shown(t->text, shown, sizeof shown), key->allowed);
    return quantity;
}

static void read_time(struct reading *r, const struct config_key *key, const struct tree *t)
{
    static const struct unit units[] = {{"", 1},     {"s", 1},     {"m", 60},
                                        {"h", 3600}, {"d", 86400}, {NULL, 0}};
    r->c->limit_time_s = read_quantity(r, key, t, units);
}

static void read_memory(struct reading *r, const struct config_key *key, const struct tree *t)
{
    static const struct unit units[] = {{"", 1},         {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                        {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0}};
    r->c->limit_memory = (int64_t)ceil(read_quantity(r, key, t, units));
}

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

static void read_name(struct reading *r, const struct config_key *key, const struct tree *t)
{
    char shown[96];
    reading_expect(r, t, TREE_SCALAR, key->value.name);
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

/* Seeds 0 .. n-1. */
static void count_seeds(struct reading *r, int64_t n)
{
    r->c->seeds = (int)n;
    r->c->seed = arena_alloc(r->arena, SEEDS_MAX, sizeof *r->c->seed);
    for (int i = 0; i < r->c->seeds; i++)
        r->c->seed[i] = i;
}

/* How many, or which. */
static void read_seeds(struct reading *r, const struct config_key *key, const struct tree *t)
{
    const struct option_entry count = {
        .name = key->value.name, .type = OPTION_INT, .min = key->least, .max = key->most};
    int64_t n = 0;
    if (t->kind == TREE_LIST) {
        r->c->seeds = read_numbers(r, key, t, r->c->seed);
    } else {
        reading_scalar(r, &count, t, &n);
        count_seeds(r, n);
    }
}

static void read_looks(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct config *c = r->c;
    c->looks = read_numbers(r, key, t, c->look);
    for (int i = 1; i < c->looks; i++)
        if (c->look[i] < c->look[i - 1])
            reading_refuse(r, config_item_place(c, key->value.name, i),
                           "the look %" PRId64 " comes after %" PRId64
                           "; looks count all seeds so far, so each must be larger than the one "
                           "before",
                           c->look[i], c->look[i - 1]);
    count_seeds(r, c->look[c->looks - 1]);
}

static void read_goal(struct reading *r, const struct config_key *key, const struct tree *t)
{
    const char *const *goal = key->value.words;
    int64_t word = 0;
    reading_scalar(r, &key->value, t, &word);
    if (word != r->c->metric)
        reading_refuse(r, t->place, "%s is a metric to %s, not to %s", metric_name(r->c->metric),
                       goal[r->c->metric], goal[word]);
}

static void read_measure(struct reading *r, const struct config_key *key, const struct tree *t)
{
    int64_t word;
    reading_scalar(r, &key->value, t, &word);
    r->c->measure = true;
}

static void read_over(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct claim *claim = &r->c->claim;
    claim->over_count = read_numbers(r, key, t, claim->over);
    for (int i = 0; i < claim->over_count; i++)
        if (claim->over[i] == claim->best)
            reading_refuse(r, config_item_place(r->c, key->value.name, i),
                           "claim.over has the head count that is claimed best");
}

/* How many fresh seeds, or a mapping. */
static void read_confirm(struct reading *r, const struct config_key *key, const struct tree *t)
{
    if (t->kind == TREE_MAP)
        read_map(r, key, t);
    else
        read_value(r, key, t);
}

static bool is_explored(const struct reading *r, int64_t instance)
{
    const struct axis *axis = config_axis(r->c, "task.instance");
    for (int i = 0; axis && i < axis->values; i++) {
        double number = 0;
        bool integral;
        if (number_parse(axis->value[i].scalar[0], &number, &integral) &&
            number == (double)instance)
            return true;
    }
    return false;
}

static void read_instances(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct config *c = r->c;
    c->confirm_instance = arena_alloc(r->arena, (size_t)key->most, sizeof *c->confirm_instance);
    c->confirm = read_numbers(r, key, t, c->confirm_instance);
    for (int i = 0; i < c->confirm; i++)
        if (is_explored(r, c->confirm_instance[i]))
            reading_refuse(r, config_item_place(c, key->value.name, i),
                           "instance %" PRId64
                           " is explored by task.instance, so it is not fresh; list others",
                           c->confirm_instance[i]);
}

static void read_threads(struct reading *r, const struct config_key *key, const struct tree *t)
{
    read_value(r, key, t);
    if (r->c->threads < 0) /* auto */
        r->c->threads = 0;
}

/* ---- the keys ---- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WHOLE(member, low, high)                                                                   \
    .type = OPTION_INT, .offset = offsetof(struct config, member), .min = low, .max = high
#define KEY(path, reader, ...)                                                                     \
    {                                                                                              \
        .value = {.name = path, __VA_ARGS__}, .read = reader                                       \
    }
#define LIST(path, reader, low, high, words, ...)                                                  \
    {                                                                                              \
        .value = {.name = path, __VA_ARGS__}, .read = reader, .least = low, .most = high,          \
        .allowed = words                                                                           \
    }

/* In the order of reading: each finds what it looks at; the keys of a mapping stand after it. */
const struct config_key reading_key_table[] = {
    KEY("name", read_name,
        .help = "name of the sweep in the results file (that of the sweep file, without its "
                "ending)"),
    KEY("task", NULL, .help = "`name`, and the options of the task"),
    KEY("model", NULL, .help = "options of the encoder"),
    KEY("train", NULL, .help = "options of training"),
    LIST("seeds", read_seeds, 1, SEEDS_MAX, " seeds", WHOLE(seed, 0, UINT32_MAX),
         .help = "how many (0, 1, ...), or a list; every point gets the same (8)"),
    LIST("looks", read_looks, 2, CONFIG_LOOKS_MAX,
         " numbers of seeds, as in [5, 10, 20] (for a single one write seeds: N)",
         WHOLE(look, 2, SEEDS_MAX),
         .help = "instead of `seeds`, rising: [5, 10, 20] tries 5 seeds, and 10 or 20 only where "
                 "the verdict is still open"),
    KEY("method", read_method, .type = OPTION_CHOICE, .offset = offsetof(struct config, method),
        .words = WORDS([METHOD_GRID] = "grid", [METHOD_RANDOM] = "random"),
        .help = "`grid` (the default), or `random`: draws settings and tries each with every head "
                "count of the list"),
    KEY("samples", read_value, WHOLE(samples, 1, 1e9),
        .help = "for `method: random`: how many settings are drawn"),
    KEY("sampler_seed", read_value, WHOLE(sampler_seed, 0, UINT32_MAX),
        .help = "for `method: random`: another seed draws other settings (0)"),
    KEY("metric", read_map,
        .help = "{name: val_acc, goal: maximize} (the default) or {name: val_loss, goal: "
                "minimize}: chooses the best step of a trial and, under `tune`, the setting"),
    KEY("metric.name", read_word, .type = OPTION_CHOICE, .offset = offsetof(struct config, metric),
        .words = WORDS([METRIC_VAL_ACC] = "val_acc", [METRIC_VAL_LOSS] = "val_loss")),
    KEY("metric.goal", read_goal, .type = OPTION_CHOICE,
        .words = WORDS([METRIC_VAL_ACC] = "maximize", [METRIC_VAL_LOSS] = "minimize")),
    KEY("constraints", reading_constraints,
        .help = "a list of conditions that every point must meet, as in \"model.d_model % "
                "model.heads == 0\""),
    KEY("exclude", reading_exclude,
        .help = "a list of mappings: a point that fits one is left out, as in {model.heads: 16, "
                "train.lr: 1e-3}; a list fits any of its values"),
    KEY("tune", read_map,
        .help = "axes whose value each head count chooses on validation: [train.lr], or {axes: "
                "[train.lr], seeds: 3, rungs: {min_steps: 150, eta: 3}, extend: 4}; `extend` adds "
                "values beyond the outermost one of a list, up to so many, where that was chosen"),
    KEY("tune.axes", read_tuned),
    KEY("tune.seeds", read_value, WHOLE(tune_seeds, 1, SEEDS_MAX), .default_value = "3"),
    KEY("tune.rungs", read_map),
    KEY("tune.extend", read_value, WHOLE(extend, 1, 32)),
    KEY("tune.rungs.eta", read_value, WHOLE(rung_eta, 2, 1000), .default_value = "3"),
    KEY("tune.rungs.min_steps", read_value, WHOLE(rung_min_steps, 1, 1e9)),
    KEY("replicate", read_replicated,
        .help = "axes of task or training that are samples of what the answer should hold for, as "
                "in [task.instance]"),
    KEY("equivalence", read_value, .type = OPTION_REAL,
        .offset = offsetof(struct config, equivalence), .above_min = true, .max = DBL_MAX,
        .help = "the largest difference that does not matter, in units of the metric, as in .005"),
    KEY("eval", reading_eval,
        .help = "further test sets, each with the options of the task that differ, as in {long: "
                "{length: 64}, noisy: {noise: 0.5}}"),
    KEY("measure", read_measure, .type = OPTION_CHOICE, .words = WORDS("evals"),
        .help = "`evals`: the cheap measures of each head are taken at every evaluation"),
    KEY("limits", read_map, .help = "of one trial: {time: 20m, memory: 2GiB}"),
    {.value = {.name = "limits.time", .min = 1, .max = 366 * 86400.0},
     .read = read_time,
     .allowed = "1 second to 366 days, as in 3600, 90s, 20m, 2h"},
    {.value = {.name = "limits.memory", .min = 0x1p20, .max = 0x1p50},
     .read = read_memory,
     .allowed = "1 MiB and more, as in 512MiB, 2GiB or bytes without a unit"},
    KEY("claim", read_map,
        .help = "a prediction to be tested: {best: 4, over: [1, 16]}, or of two settings {better: "
                "{model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}"),
    KEY("claim.best", read_value, WHOLE(claim.best, 1, HEADS_MAX)),
    LIST("claim.over", read_over, 1, CONFIG_RIVALS_MAX, " head counts",
         WHOLE(claim.over, 1, HEADS_MAX)),
    KEY("claim.better", reading_better),
    KEY("claim.than", reading_than),
    KEY("claim.heads", read_value, WHOLE(claim.heads, 1, HEADS_MAX)),
    KEY("confirm", read_confirm, WHOLE(confirm, FRESH_LEAST, SEEDS_MAX),
        .help = "instead of `claim`: so many fresh seeds, at least 6, decide whether the head "
                "count that all trials speak for is better than the smallest and the largest; "
                "with `replicate`, {instances: [9, 10, 11, 12, 13, 14]}"),
    LIST("confirm.instances", read_instances, FRESH_LEAST, SEEDS_MAX, " instances",
         WHOLE(confirm_instance, 0, INT32_MAX)),
    KEY("retries", read_value, WHOLE(retries, 0, 100), .default_value = "2",
        .help = "how often a failed trial is tried again (2)"),
    KEY("workers", read_value, WHOLE(workers, 1, WORKERS_MAX),
        .help = "trials at once (the usable cores); `-j` goes before it"),
    KEY("threads", read_threads, WHOLE(threads, 1, TEAM_MAX), .words = WORDS("auto"),
        .help = "cores for each trial, or `auto` (the default): one, and those that are idle; `-t` "
                "goes before it"),
    KEY("run_cap", read_value, WHOLE(run_cap, 1, 1e7), .default_value = "100000",
        .help = "a sweep of more points is refused (100000)"),
    KEY(NULL, NULL)};

bool config_threads(const char *text, int64_t *threads)
{
    const struct config_key *key = reading_key_table;
    while (strcmp(key->value.name, "threads") != 0)
        key++;
    struct option_entry o = key->value;
    o.offset = 0;
    if (option_parse(&o, "", text, false, threads, NULL) != STATUS_OK)
        return false;
    *threads = *threads < 0 ? 0 : *threads;
    return true;
}

/* ---- what cannot be together ---- */

/* What a refusal is about: a key, or an axis in its list. */
struct subject {
    const struct reading *r;
    const struct config *c;
    const struct tree *t; /* of the key */
    const char *path;     /* of the axis */
    struct option_set set;
    const struct axis *axis; /* as the file gives it; NULL: it does not */
    struct place at;
};

static bool is_constant(const struct axis *axis)
{
    return !axis || axis->values == 1;
}

static bool lists(const char *const *path, int n, const char *wanted)
{
    int i = 0;
    while (i < n && strcmp(path[i], wanted) != 0)
        i++;
    return i < n;
}

bool config_is_tuned(const struct config *c, const char *path)
{
    return lists(c->tune_path, c->tune, path);
}

#define FACT(name, ...)                                                                            \
    static bool name(struct subject *s)                                                            \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

FACT(is_drawn, s->c->method == METHOD_RANDOM)
FACT(is_grid, s->c->method == METHOD_GRID)
FACT(is_set, s->t->key_place.line == 0) /* with --set */
FACT(is_single_value, s->t->kind == TREE_SCALAR)
FACT(is_empty, s->t->kind == TREE_MAP && s->t->count == 0)
FACT(lacks_axes, !tree_find(s->t, "axes"))
FACT(is_no_accuracy, s->c->metric == METRIC_VAL_ACC && s->c->equivalence >= 1)
FACT(is_heads, strcmp(s->path, "model.heads") == 0)
FACT(is_of_task, strcmp(s->set.section, "task") == 0)
FACT(is_no_sample, strcmp(s->set.section, "model") == 0 || strcmp(s->path, "task.name") == 0)
FACT(is_tuned, config_is_tuned(s->c, s->path))
FACT(is_replicated, lists(s->c->replicate_path, s->c->replicate, s->path))
FACT(is_single, is_constant(s->axis))
FACT(has_one_head_count, is_constant(config_axis(s->c, "model.heads")))
FACT(is_distribution, s->axis && s->axis->kind != AXIS_VALUES)
/* It decides at which steps a trial is evaluated. */
FACT(is_of_steps, strcmp(s->path, "train.steps") == 0 || strcmp(s->path, "train.eval_every") == 0)
/* Only instances of a toy can be made anew. */
FACT(replicates_others,
     s->c->replicate > lists(s->c->replicate_path, s->c->replicate, "task.instance"))
FACT(is_whole, s->set.option[0]->type == OPTION_INT || s->set.option[0]->type == OPTION_INT_LIST)

/* From 0 no ratio leads to another number, and below it none leads outwards. */
static bool is_not_positive(struct subject *s)
{
    const bool ratios = s->set.option[0]->type == OPTION_REAL;
    for (int i = 0; ratios && s->axis && i < s->axis->values; i++) {
        double number = 0;
        bool integral;
        s->at = s->axis->value[i].place;
        if (!number_parse(s->axis->value[i].scalar[0], &number, &integral) || number <= 0)
            return true;
    }
    return false;
}

static bool extends_nothing(struct subject *s)
{
    bool any = false;
    for (int i = 0; i < s->c->tune; i++) {
        reading_option(s->r, s->at, s->c->tune_path[i], &s->set);
        any = any || s->set.option[0]->type == OPTION_REAL;
    }
    return !any;
}

static bool replicates_files(struct subject *s)
{
    bool files = false;
    for (int i = 0; i < s->r->tasks; i++)
        files = files || s->r->task[i]->file;
    return files;
}

#define REFUSE(key, other, is, reason)                                                             \
    {                                                                                              \
        key, other, is, reason                                                                     \
    }

/* Which keys, and which axes in their lists, are refused beside others. */
static const struct refusal {
    const char *key;   /* "tune", or each axis that it lists, "tune.axes[]" */
    const char *other; /* refused where this is given; "!": where it is not; NULL: in any case */
    bool (*is)(struct subject *s); /* and this is so */
    const char *reason;            /* of an axis: what stands behind its path */
} refusals[] = {
    REFUSE("seeds", "looks", is_set,
           "looks says how many seeds there are; remove it too, with --set looks=null"),
    REFUSE("looks", "seeds", NULL,
           "looks sets the number of seeds, so it cannot be used with seeds; remove one of them"),

    REFUSE("method", "!samples", is_drawn, "method: random needs samples: N, the number of draws"),
    REFUSE("samples", NULL, is_grid, "samples is for method: random only"),
    REFUSE("sampler_seed", NULL, is_grid, "sampler_seed is for method: random only"),

    REFUSE("equivalence", NULL, is_no_accuracy,
           "equivalence must be below 1, as in .005: a difference of accuracies"),

    REFUSE("tune", NULL, lacks_axes, "missing key 'axes' under tune"),
    REFUSE("tune.axes[]", NULL, is_heads, "cannot be tuned: head counts are what is compared"),
    REFUSE("tune.axes[]", NULL, is_of_task,
           "cannot be tuned: accuracies on different tasks cannot be compared"),
    REFUSE("tune.axes[]", NULL, is_single, "has only one value, so there is nothing to choose"),
    REFUSE("tune.axes[]", "tune.rungs", is_of_steps,
           "cannot be tuned with rungs: its values would be compared at different steps"),
    REFUSE("tune.axes[]", "tune.extend", is_whole,
           "takes whole numbers, which tune.extend cannot extend; take it out of tune.axes, or "
           "leave tune.extend out"),
    REFUSE("tune.axes[]", "tune.extend", is_distribution,
           "is drawn from a distribution, but tune.extend extends only lists; list its values, or "
           "leave tune.extend out"),
    REFUSE("tune.axes[]", "tune.extend", is_not_positive,
           "must have numbers above 0 only, as tune.extend continues them by their ratio; change "
           "them, or leave tune.extend out"),
    REFUSE("tune.rungs", "!tune.rungs.min_steps", NULL,
           "missing key 'min_steps' under tune.rungs: the steps after which values are compared "
           "first"),
    REFUSE("tune.rungs", "!tune.axes", NULL,
           "tune.rungs has nothing to choose from: no axis is tuned"),
    REFUSE("tune.extend", NULL, extends_nothing,
           "tune.extend needs a tuned axis of real numbers, and there is none; tune one, or leave "
           "tune.extend out"),

    REFUSE("replicate[]", NULL, is_heads, "cannot be replicated: head counts are what is compared"),
    REFUSE("replicate[]", NULL, is_no_sample,
           "cannot be replicated: its values are not samples of one thing; name options of task or "
           "train, such as task.instance"),
    REFUSE("replicate[]", NULL, is_drawn,
           "cannot be replicated with method: random, by which a draw is tried with one value of "
           "each axis only; write method: grid"),
    REFUSE("replicate[]", NULL, is_tuned, "is tuned: it cannot be replicated too"),
    REFUSE(
        "replicate[]", "tune.rungs", is_of_steps,
        "cannot be replicated where tune has rungs: values would be compared at different steps"),
    REFUSE("replicate[]", NULL, is_single,
           "has only one value, so there is nothing to replicate over"),

    REFUSE("claim", NULL, is_empty, "missing key 'best' under claim"),
    REFUSE("claim.best", "claim.heads", NULL,
           "a claim is of head counts, {best: 4, over: [1, 16]}, or of two settings, {better: "
           "{model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}; write one of them"),
    REFUSE("claim.best", "!claim.over", NULL, "missing key 'over' under claim"),
    REFUSE("claim.over", "!claim.best", NULL, "missing key 'best' under claim"),
    REFUSE("claim.heads", "!claim.better", NULL, "missing key 'better' under claim"),
    REFUSE("claim.better", "!claim.than", NULL, "missing key 'than' under claim"),
    REFUSE("claim.than", "!claim.heads", NULL, "missing key 'heads' under claim"),
    REFUSE("claim.better", "looks", NULL,
           "a claim of settings cannot be used with looks, because each setting may stop at a "
           "different look; write seeds in place of looks"),
    REFUSE("claim.better", NULL, is_drawn,
           "a claim of settings needs method: grid: settings that are drawn are not compared"),
    REFUSE("claim.better[]", NULL, is_heads,
           "cannot differ between settings, which are compared at one head count, claim.heads; to "
           "compare head counts, write {best: 4, over: [1, 16]}"),
    REFUSE("claim.better[]", NULL, is_of_task,
           "cannot differ between settings: accuracies on different tasks are not alike; name "
           "options of model or train"),
    REFUSE("claim.better[]", NULL, is_tuned,
           "is tuned, so settings cannot differ in it: each is compared at its own best value; "
           "name another axis"),
    REFUSE("claim.better[]", NULL, is_replicated,
           "is replicated, so settings cannot differ in it: each is compared over all values; name "
           "another axis"),
    REFUSE("claim.better[]", NULL, is_single,
           "has only one value, so no two settings differ in it"),

    REFUSE("confirm", "claim", NULL,
           "confirm makes its own claim after the other trials have ended, so it cannot be used "
           "with claim; remove one of them"),
    REFUSE("confirm", NULL, has_one_head_count,
           "confirm compares head counts, but model.heads has only one value; list more, or leave "
           "confirm out"),
    REFUSE("confirm", NULL, replicates_others,
           "confirm draws fresh values of task.instance only; replicate nothing else, or leave "
           "confirm out"),
    REFUSE("confirm", "replicate", replicates_files,
           "confirm and replicate cannot be used together for a task over files: splits of a file "
           "share rows, so none of them is fresh; remove one of the two"),
    REFUSE("confirm", "replicate", is_single_value,
           "with replicate, confirm takes fresh instances, not seeds; list them, as in confirm: "
           "{instances: [9, 10, 11, 12, 13, 14]}"),
    REFUSE("confirm", NULL, is_empty, "missing key 'instances' under confirm"),
    REFUSE("confirm.instances", "!replicate", NULL,
           "confirm.instances needs replicate: [task.instance]; without it, write how many fresh "
           "seeds there are, as in confirm: 8"),
};

/* Refuses a key that was read ("tune"), or an axis that it lists ("tune.axes[]"). */
static void refuse_beside(struct subject *s, const char *key)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *f = &refusals[i];
        const bool without = f->other && *f->other == '!';
        if (strcmp(f->key, key) == 0 &&
            (!f->other || (given(s->r, f->other + without) != NULL) != without) &&
            (!f->is || f->is(s)))
            reading_refuse(s->r, s->at, "%s%s%s", s->path ? s->path : "", s->path ? " " : "",
                           f->reason);
    }
}

void reading_refuse_axis(const struct reading *r, const char *key, const char *path,
                         struct place at)
{
    struct subject s = {.r = r, .c = r->c, .path = path, .axis = config_axis(r->c, path), .at = at};
    char each[CONFIG_PATH_SIZE];
    snprintf(each, sizeof each, "%s[]", key);
    reading_option(r, at, path, &s.set);
    refuse_beside(&s, each);
}

/* Where points are not drawn. */
static void refuse_distributions(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->axes; i++)
        if (c->method == METHOD_GRID && c->axis[i].kind != AXIS_VALUES)
            reading_refuse(r, c->axis[i].place,
                           "%s is a distribution, which needs method: random and samples: N",
                           c->axis[i].path);
}

int64_t config_fresh_seeds(const struct config *c)
{
    return !c->confirm ? 0 : c->replicate ? c->seeds : c->confirm;
}

/* Seeds of the verdict that tune chooses on, or that confirm must have for itself. */
static void refuse_taken_seeds(const struct reading *r)
{
    const struct config *c = r->c;
    const int64_t end = CONFIG_FRESH_SEED + config_fresh_seeds(c);
    for (int i = 0; i < c->seeds; i++) {
        const int64_t seed = c->seed[i];
        if (c->tune && seed >= CONFIG_TUNING_SEED)
            reading_refuse(r, config_item_place(c, "seeds", i),
                           "seed %" PRId64 ": under tune, values are chosen on the seeds from %d "
                           "up and judged on others; use seeds below %d",
                           seed, CONFIG_TUNING_SEED, CONFIG_TUNING_SEED);
        if (seed >= CONFIG_FRESH_SEED && seed < end)
            reading_refuse(r, config_item_place(c, "seeds", i),
                           "confirm keeps the seeds %d to %" PRId64 " fresh; take %" PRId64
                           " out of seeds",
                           CONFIG_FRESH_SEED, end - 1, seed);
    }
}

/* ---- reading ---- */

/* Of a key whose mapping is given, or that stands at the top. */
static void set_defaults(struct reading *r)
{
    count_seeds(r, 8);
    r->c->eval_json = "{}";
    for (const struct config_key *key = reading_key_table; key->value.name; key++) {
        const char *dot = strrchr(key->value.name, '.');
        size_t n = dot ? (size_t)(dot - key->value.name) : 0;
        if (key->value.default_value &&
            (!dot || given(r, arena_text(r->arena, key->value.name, n))))
            option_parse(&key->value, "", key->value.default_value, false, r->c, NULL);
    }
}

void reading_keys(struct reading *r)
{
    set_defaults(r);
    for (const struct config_key *key = reading_key_table; key->value.name; key++) {
        const struct tree *t = tree_at(r->root, key->value.name);
        struct subject s = {.r = r, .c = r->c, .t = t};
        if (!t || !key->read)
            continue;
        s.at = t->key_place;
        key->read(r, key, t);
        refuse_beside(&s, key->value.name);
    }
    if (!given(r, "name"))
        default_name(r);
    r->c->has_claim = given(r, "claim") != NULL;
    refuse_distributions(r);
    refuse_taken_seeds(r);
}
