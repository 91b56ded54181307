/* What the parts of the sweep file's reader share: config.c (the file as a whole), config_axes.c
 * (task, model, train), config_roles.c, config_inference.c, config_eval.c and config_keys.c (the
 * other keys), config_hint.c (suggestions for unknown keys). Everything read is allocated from the
 * config's arena. */
#ifndef SWEEP_PLAN_CONFIG_READING_H
#define SWEEP_PLAN_CONFIG_READING_H

#include "sweep/plan/config.h"

enum { READING_TASKS = 64, READING_SEEDS_MAX = 1000 };

struct reading {
    struct config *c;
    struct scope *x; /* the config's, which is left at the first fault */
    struct arena *arena;
    const struct tree *root;
    int tasks; /* those that task.name lists, each once */
    const struct task *task[READING_TASKS];
    void *scratch;     /* large enough for the options of every section */
    struct message *m; /* the scope's */
};

/* The options that a path names: one, or one per listed task. Empty for task.name. */
struct option_set {
    const char *section; /* "model" */
    int count;
    const struct option_entry *option[READING_TASKS];
};

/* BAD_INPUT with the place in front: the scope is left. */
_Noreturn void reading_refuse(const struct reading *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with what m says already. */
_Noreturn void reading_refuse_at(const struct reading *r, struct place at);
/* Leaves the scope unless s is OK; BAD_INPUT gets the place. */
void reading_check_at(const struct reading *r, struct place at, enum status s);

/* Refuses the first key of a mapping that is not among names (which end with NULL): "unknown key
 * 'x' under <path> (did you mean y?)". */
void reading_known_keys(const struct reading *r, const struct tree *map, const char *path,
                        const char *const *names);

/* Refuses t unless it is of that kind: "<what> must be a list, not a single value". */
void reading_expect(const struct reading *r, const struct tree *t, enum tree_kind kind,
                    const char *what);

/* A whole number from min to max. */
void reading_integer(const struct reading *r, const struct tree *t, const char *what, double min,
                     double max, int64_t *value);

/* config_hint.c: suggestions for unknown keys and options. */

extern const char *const reading_sections[]; /* task, model, train; ends with NULL */

/* The option tables of a section: one, or for `task` one per task that task.name lists (per
 * existing task while task.name has not been read). Returns how many. */
int reading_tables(const struct reading *r, const char *section,
                   const struct option_entry *table[READING_TASKS]);

/* reading_known_keys for the file itself (path "") and its sections, whose keys may be options: a
 * hint may lead to another section, or from W&B's words to those used here. */
void reading_known_options(const struct reading *r, const struct tree *map, const char *path,
                           const char *const *names);

/* Refuses t unless it is a mapping with the keys that config_mappings has for that path. A hint may
 * lead to where a key belongs. */
void reading_mapping(const struct reading *r, const struct tree *t, const char *path);

/* BAD_INPUT: "there is no option 'model.head' (did you mean model.heads?)", without a place. */
enum status reading_unknown_path(const struct reading *r, const char *path, struct message *m);

/* The name most like that of path among the files of its folder, which is put in front of it: for
 * "did you mean". NULL where none is. Else near. */
const char *reading_near_file(const char *path, char *near, size_t size);

/* config_axes.c: the sections task, model and train in the order of the file. */
void reading_axes(struct reading *r);

/* The options of a full path ("model.heads"). BAD_INPUT, without a place, where there is none or a
 * listed task lacks it. */
enum status reading_path(const struct reading *r, const char *path, struct option_set *set,
                         struct message *m);

/* The same; a path that is none is refused, at that place. */
void reading_option(const struct reading *r, struct place at, const char *path,
                    struct option_set *set);

/* Whether a person may set them: BAD_INPUT, without a place. */
enum status reading_settable(const struct option_set *set, struct message *m);

/* Empties the lists in scratch: reading_check appends each number to them. */
void reading_begin_lists(const struct reading *r, const struct option_set *set);

/* Checks one scalar against every option of the set. */
void reading_check(const struct reading *r, const struct option_set *set, const struct tree *t);

/* Reads t as one value of the set's options: a scalar or, for a list of numbers, a list. */
void reading_one_value(const struct reading *r, const struct option_set *set, const char *path,
                       const struct tree *t, struct config_value *v);

/* Room for n scalars in v, and setting the i-th. */
void reading_value(const struct reading *r, struct config_value *v, struct place at, int n);
void reading_set_scalar(struct config_value *v, int i, const struct tree *t);

/* config_keys.c: all other keys of the top level. */
void reading_keys(struct reading *r);
extern const char *const reading_metrics[]; /* what metric.name may be; ends with NULL */

/* Of one key each, in the order of reading (config_keys.c). */

/* config_roles.c */
void reading_constraints(struct reading *r, const struct tree *t);
void reading_exclude(struct reading *r, const struct tree *t);
void reading_tune(struct reading *r, const struct tree *t);
void reading_replicate(struct reading *r, const struct tree *t);
/* The option of that path as the file gives it; NULL: it does not. */
const struct axis *reading_axis(const struct config *c, const char *path);

/* config_eval.c */
void reading_eval(struct reading *r, const struct tree *t);

/* config_inference.c */
void reading_count_seeds(struct reading *r, int64_t n); /* seeds 0 .. n-1 */
void reading_seeds(struct reading *r, const struct tree *t);
void reading_looks(struct reading *r, const struct tree *t);
void reading_equivalence(struct reading *r, const struct tree *t);
void reading_claim(struct reading *r, const struct tree *t);
void reading_confirm(struct reading *r, const struct tree *t);

#endif
