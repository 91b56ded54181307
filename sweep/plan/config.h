/* The strict reader of sweep files: from YAML to a struct config. Whatever could surprise is
 * refused as `file:line:column: what is wrong (remedy)`. Bytes are checked to be clean UTF-8
 * without NUL before libyaml sees them; aliases, anchors, tags, tabs in indentation, second
 * documents, duplicate and unknown keys, depth over 32 and files over 1 MiB are refused. */
#ifndef SWEEP_PLAN_CONFIG_H
#define SWEEP_PLAN_CONFIG_H

#include "engine/base/scope.h"
#include "engine/base/team.h"
#include "sweep/plan/metric.h"
#include "sweep/plan/point.h"
#include "sweep/plan/tree.h"

/* A value as written: a scalar, or for INT_LIST options a flat list of scalars. Under `exclude` a
 * list of scalars means any of them, except for INT_LIST options, where it is one value too. */
struct config_value {
    const char **scalar;
    bool *quoted;
    int scalars; /* 1 for a scalar */
    struct place place;
};

enum axis_kind { AXIS_VALUES, AXIS_UNIFORM, AXIS_LOG_UNIFORM, AXIS_INT_UNIFORM };

/* One option as written: fixed (one value), a list of values, or a distribution. "task.name" is
 * an axis too, though not an option: its values are names of tasks. Each task that it lists has
 * every other option under `task`, with the same type. */
struct axis {
    const char *path; /* "model.heads" */
    enum axis_kind kind;
    int values; /* 1: fixed, not an axis of the grid */
    struct config_value *value;
    double min, max; /* of a distribution */
    bool listed;     /* was written as a list or mapping (even of one value) */
    struct place place;
};

enum {
    CONFIG_PATH_SIZE = 128,    /* of "train.schedule.warmup" */
    CONFIG_TUNING_SEED = 1000, /* the first of the seeds that `tune` chooses settings on */
    CONFIG_FRESH_SEED = 2000,  /* the first of those that `confirm` takes */
    CONFIG_LOOKS_MAX = 8,
    CONFIG_RIVALS_MAX = 32
};

/* Of head counts: {best: 4, over: [1, 16]}; or of two settings at one head count: {better:
 * {model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}. */
struct claim {
    int64_t best;
    int over_count;
    int64_t over[CONFIG_RIVALS_MAX];
    int axes; /* of settings: those that they are told by, in the order of the file; else 0 */
    const char **axis;
    struct config_value *better, *than; /* (axes) */
    int64_t heads;
};

struct config_excluded { /* one mapping of exclude: all pairs must match */
    int pairs;
    const char **path;
    struct config_value *value;
    struct place place;
};

struct config_eval { /* a further test set; {} is a fresh one of the same kind */
    const char *name;
    const char *json;           /* the options of the task that differ, canonical: {"length":64} */
    const struct tree *written; /* and as the file gives them */
};

enum config_method { METHOD_GRID, METHOD_RANDOM };

struct config {
    const char *path; /* of the file */
    const char *text; /* as read, but that lines, the last one too, end with "\n"; terminated */
    size_t size;
    char sha256[65];      /* of text */
    const char *name;     /* `name`, default the file's stem */
    const char *question; /* first comment line without '#', or "" */

    int axes; /* in the order of the file */
    struct axis *axis;

    enum config_method method;
    int64_t samples;      /* random */
    int64_t sampler_seed; /* random; key `sampler_seed`, default 0 */

    int seeds;
    int64_t *seed; /* 0..n-1, or as listed; default 8; under looks 0 .. the last look - 1 */
    int looks;     /* 0: none, else 2 and more: seeds are added until the verdict is decided */
    int64_t look[CONFIG_LOOKS_MAX]; /* seeds in all by then, rising; the first is at least 2 */
    int replicate;                  /* paths of axes that are samples of what a finding is for */
    const char **replicate_path;    /* each of task or train, with listed values */
    double equivalence; /* largest difference that does not matter, in units of the metric (an
                           accuracy from 0 to 1, or a loss); 0: none */
    enum metric metric;

    int constraints;
    const char **constraint;
    struct place *constraint_place;
    int excluded;
    struct config_excluded *exclude;
    int tune; /* paths chosen per head count on validation */
    const char **tune_path;
    int64_t tune_seeds; /* trials of their own: seeds 1000, 1001, ...; default 3 */
    int64_t rung_eta;   /* successive halving among tuning trials: at each rung the best 1 / eta of
                           a head count's candidates go on; at least 2. 0: no rungs */
    int64_t rung_min_steps; /* the first rung; see plan_rungs */
    int64_t extend;  /* a head count that chose the outermost number of a tuned axis gets the next
                        one beyond, so often to either side at most; 0: never */
    int64_t confirm; /* fresh units for each head count that is held against others, once these were
                        picked by the results of all: seeds 2000, 2001, ... or, with replicate, the
                        instances below; 0: nothing is confirmed */
    int64_t *confirm_instance; /* (confirm); NULL without replicate */
    int evals;                 /* by name; no part of identity */
    struct config_eval *eval;
    const char *eval_json; /* {"long":{"length":64}}, canonical; {} without */
    bool measure;          /* `measure: evals`: heads are measured as they are trained; no part of
                              identity */
    bool has_claim;
    struct claim claim;

    double limit_time_s;  /* CPU seconds; 0: none */
    int64_t limit_memory; /* bytes; 0: none */
    int64_t retries;      /* default 2 */
    int64_t workers;      /* 0: as many as usable cores */
    int64_t threads;      /* cores of each trial; 0: auto, one and those that are idle */
    int64_t run_cap;      /* default 100000 */
    int sets;             /* --set arguments, as given */
    const char **set;
    const struct tree *root; /* as written, with what was set */
    struct scope *memory;    /* owns everything above */
};

enum config_name_kind { CONFIG_OPTION, CONFIG_KEY, CONFIG_SECTION };

/* A name that a sweep file may have: of an option; of another key, at the top or within one; of a
 * mapping of options that is none itself (train, train.schedule). */
struct config_name {
    const char *path;
    enum config_name_kind kind;
    const struct option_entry *value; /* what it may be; of what stands at the top, `help` is what
                                         it is, `words` between backticks. NULL: train.schedule */
};

/* All of them: the options of all tasks, of model and training; then the keys. Ends with a path of
 * NULL; the arena's. */
const struct config_name *config_names(struct arena *a);
/* The one of that path; NULL: there is none. */
const struct config_name *config_name_find(const struct config_name *names, const char *path);

/* What is set as `word` (--set seeds=4): a key or an option by its path or by its last part ("lr"),
 * also as other programs call it. NULL: nothing. Else path. */
const char *config_key_meant(const char *word, char path[CONFIG_PATH_SIZE]);

/* The seeds that `confirm` takes of each head count on each instance: CONFIG_FRESH_SEED and the
 * following. 0 without confirm. */
int64_t config_fresh_seeds(const struct config *c);

/* Reads a sweep file. sets: `--set` arguments, "path=value" with the value in YAML flow syntax
 * ("model.heads=[1,2]"), each replacing what the file says, or taking it away ("claim=null");
 * `set_count` of them. */
enum status config_read(const char *path, const char *const *sets, int set_count, struct config **c,
                        struct message *m);

/* The same from standard input. as: what it is called in messages, by whose name the sweep is
 * called without one of its own, and in whose folder its paths start; NULL: "<stdin>", and the
 * working directory. */
enum status config_read_stdin(const char *as, const char *const *sets, int set_count,
                              struct config **c, struct message *m);

/* The same from memory; `path` as `as` above. */
enum status config_parse(const char *path, const char *text, size_t size, const char *const *sets,
                         int set_count, struct config **c, struct message *m);

/* Whether each head count chooses its own value on that path. */
bool config_is_tuned(const struct config *c, const char *path);

/* The option of that path as the file gives it; NULL: it does not. */
const struct axis *config_axis(const struct config *c, const char *path);

void config_free(struct config *c); /* NULL is allowed */

/* Cores for each trial: "auto" (0), or a number from 1 to TEAM_MAX; false: neither. */
bool config_threads(const char *text, int64_t *threads);

/* What `name` may be: 1 to CONFIG_NAME_BYTES letters, digits, '.', '_', '-'. */
enum { CONFIG_NAME_BYTES = 64 };
bool config_good_name(const char *name);

/* Why a sweep of that name would be mistaken for something else on the command line; NULL: it would
 * not. Older results files have such sweeps. */
const char *config_mistaken_name(const char *name);

/* Where the file has the value of a key ("tune.extend"), and item i of its list (or the value). */
struct place config_place(const struct config *c, const char *path);
struct place config_item_place(const struct config *c, const char *path, int i);

/* Puts a place in front of m's text: "sweep.yaml:7:10: "; "--set model.heads: " for a value from
 * the command line; "sweep.yaml: " for a default. Returns STATUS_BAD_INPUT. */
enum status config_within(const struct config *c, struct place at, struct message *m);

#endif
