/* What the parts of the sweep file's reader share: config.c (the file as a whole), config_axes.c
 * (task, model, train), config_points.c, config_roles.c, config_inference.c, config_claim.c,
 * config_confirm.c, config_eval.c and config_keys.c (the other keys), config_hint.c (suggestions
 * for unknown keys). Everything read is allocated from the config's arena. */
#ifndef SWEEP_PLAN_CONFIG_READING_H
#define SWEEP_PLAN_CONFIG_READING_H

#include "sweep/plan/config.h"

enum { READING_TASKS = 64, READING_SEEDS_MAX = 1000 };

struct reading {
    struct config *c;
    struct plan_arena *arena;
    const struct tree *root;
    int tasks; /* those that task.name lists, each once */
    const struct task *task[READING_TASKS];
    void *scratch; /* large enough for the options of every section */
    struct message *m;
};

/* The options that a path names: one, or one per listed task. Empty for task.name. */
struct option_set {
    const char *section; /* "model" */
    int count;
    const struct option_entry *option[READING_TASKS];
};

/* BAD_INPUT with the place in front. */
enum status reading_refuse(const struct reading *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status reading_no_memory(const struct reading *r);

/* Refuses the first key of a mapping that is not among names (which end with NULL): "unknown key
 * 'x' under <path> (did you mean y?)". */
enum status reading_known_keys(const struct reading *r, const struct tree *map, const char *path,
                               const char *const *names);

/* Refuses t unless it is of that kind: "<what> must be a list, not a single value". */
enum status reading_expect(const struct reading *r, const struct tree *t, enum tree_kind kind,
                           const char *what);

/* A whole number from min to max. */
enum status reading_integer(const struct reading *r, const struct tree *t, const char *what,
                            double min, double max, int64_t *value);

/* config_hint.c: suggestions for unknown keys and options. */

extern const char *const reading_sections[]; /* task, model, train; ends with NULL */

/* The option tables of a section: one, or for `task` one per task that task.name lists (per
 * existing task while task.name has not been read). Returns how many. */
int reading_tables(const struct reading *r, const char *section,
                   const struct option_entry *table[READING_TASKS]);

/* reading_known_keys for the file itself (path "") and its sections, whose keys may be options: a
 * hint may lead to another section, or from W&B's words to those used here. */
enum status reading_known_options(const struct reading *r, const struct tree *map, const char *path,
                                  const char *const *names);

/* Refuses t unless it is a mapping with the keys that config_mappings has for that path. A hint may
 * lead to where a key belongs. */
enum status reading_mapping(const struct reading *r, const struct tree *t, const char *path);

/* BAD_INPUT: "there is no option 'model.head' (did you mean model.heads?)", without a place. */
enum status reading_unknown_path(const struct reading *r, const char *path, struct message *m);

/* The name most like that of path among the files of its folder, which is put in front of it: for
 * "did you mean". NULL where none is. Else near. */
const char *reading_near_file(const char *path, char *near, size_t size);

/* config_axes.c: the sections task, model and train in the order of the file. */
enum status reading_axes(struct reading *r);

/* The options of a full path ("model.heads"). BAD_INPUT, without a place, where there is none or a
 * listed task lacks it. */
enum status reading_path(const struct reading *r, const char *path, struct option_set *set,
                         struct message *m);

/* Whether a person may set them: BAD_INPUT, without a place. */
enum status reading_settable(const struct option_set *set, struct message *m);

/* Empties the lists in scratch: reading_check appends each number to them. */
void reading_begin_lists(const struct reading *r, const struct option_set *set);

/* Checks one scalar against every option of the set. */
enum status reading_check(const struct reading *r, const struct option_set *set,
                          const struct tree *t);

/* Reads t as one value of the set's options: a scalar or, for a list of numbers, a list. */
enum status reading_one_value(const struct reading *r, const struct option_set *set,
                              const char *path, const struct tree *t, struct config_value *v);

/* Room for n scalars in v, and setting the i-th. */
enum status reading_value(const struct reading *r, struct config_value *v, struct place at, int n);
void reading_set_scalar(struct config_value *v, int i, const struct tree *t);

/* config_keys.c: all other keys of the top level. */
enum status reading_keys(struct reading *r);
extern const char *const reading_metrics[]; /* what metric.name may be; ends with NULL */

/* One key each; t is NULL where the file lacks it. */

/* config_points.c */
enum status reading_constraints(struct reading *r, const struct tree *t);
enum status reading_exclude(struct reading *r, const struct tree *t);

/* config_roles.c; axes and method are known, for replicate the tuned axes too. */
enum status reading_tune(struct reading *r, const struct tree *t);
enum status reading_replicate(struct reading *r, const struct tree *t);
/* The option of that path as the file gives it; NULL: it does not. */
const struct axis *reading_axis(const struct config *c, const char *path);

/* config_eval.c */
enum status reading_eval(struct reading *r, const struct tree *t);

/* config_inference.c; looks comes after seeds, equivalence after the metric. */
enum status reading_seeds(struct reading *r, const struct tree *t);
enum status reading_looks(struct reading *r, const struct tree *t);
enum status reading_equivalence(struct reading *r, const struct tree *t);

/* config_confirm.c; axes, seeds, looks, tune, replicate and claim are known. */
enum status reading_confirm(struct reading *r, const struct tree *t);

/* config_claim.c; axes, looks, method, tune and replicate are known. */
enum status reading_claim(struct reading *r, const struct tree *t);

#endif
