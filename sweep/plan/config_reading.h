/* What the parts of the sweep file's reader share: config.c (the file as a whole), config_names.c
 * (every name that it may have, and what unknown ones may mean), config_keys.c (the table of keys,
 * the table of what cannot be together, and the reader of both), config_axes.c (what a file says of
 * options). Everything read is allocated from the config's arena. */
#ifndef SWEEP_PLAN_CONFIG_READING_H
#define SWEEP_PLAN_CONFIG_READING_H

#include "sweep/plan/config.h"

enum { READING_TASKS = 64 };

struct reading {
    struct config *c;
    struct scope *x; /* the config's, which is left at the first fault */
    struct arena *arena;
    const struct tree *root;
    struct config_name *names; /* of every task; then of those that task.name lists */
    int tasks;                 /* those, each once */
    const struct task *task[READING_TASKS];
    void *scratch;     /* room for a value of READING_TASKS options */
    struct message *m; /* the scope's */
};

/* A key of the sweep file, but for the options of task, model and train. */
struct config_key {
    struct option_entry value; /* its path, bounds, default, member of struct config, and what the
                                  man page says; of a list: each item's */
    void (*read)(struct reading *r, const struct config_key *key, const struct tree *t);
    int least, most;     /* items of a list */
    const char *allowed; /* in words, where the bounds do not say it */
};

/* The options that a path names: one, or one per listed task, all of one type. */
struct option_set {
    const char *path;    /* "model.heads" */
    const char *section; /* "model" */
    int count;
    const struct option_entry *option[READING_TASKS];
};

/* ---- config.c ---- */

/* BAD_INPUT with the place in front: the scope is left. */
_Noreturn void reading_refuse(const struct reading *r, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with what m says already. */
_Noreturn void reading_refuse_at(const struct reading *r, struct place at);
/* Leaves the scope unless s is OK; BAD_INPUT gets the place. */
void reading_check_at(const struct reading *r, struct place at, enum status s);

/* Refuses t unless it is of that kind: "<what> must be a list, not a single value". */
void reading_expect(const struct reading *r, const struct tree *t, enum tree_kind kind,
                    const char *what);

/* Reads a scalar as option_parse does, into config. */
void reading_scalar(const struct reading *r, const struct option_entry *o, const struct tree *t,
                    void *config);

/* ---- config_names.c ---- */

extern const struct option_entry reading_task_name;

/* Fills r->names. */
void reading_names(struct reading *r);

/* Refuses the first key of a mapping that may not stand under that path, or is none of words (which
 * end with NULL): "unknown key 'x' under <path> (did you mean y?)". Without words, a hint may lead
 * elsewhere, or from other programs' words to those used here. */
void reading_known(const struct reading *r, const struct tree *map, const char *path,
                   const char *const *words);

/* BAD_INPUT: "there is no option 'model.head' (did you mean model.heads?)", without a place. */
enum status reading_unknown_path(const struct reading *r, const char *path, struct message *m);

/* The name most like that of path among the files of its folder, which is put in front of it: for
 * "did you mean". NULL where none is. Else near. */
const char *reading_near_file(const char *path, char *near, size_t size);

/* ---- config_keys.c ---- */

extern const struct config_key reading_key_table[]; /* ends with a value.name of NULL */

/* Reads all keys; task, model and train are read. */
void reading_keys(struct reading *r);

/* Refuses the axis where it cannot be in that key's list. */
void reading_refuse_axis(const struct reading *r, const char *key, const char *path,
                         struct place at);

/* ---- config_axes.c ---- */

/* The sections task, model and train in the order of the file. */
void reading_axes(struct reading *r);

/* The options of a full path ("model.heads"), which is refused at that place where there are none
 * or a listed task lacks it. */
void reading_option(const struct reading *r, struct place at, const char *path,
                    struct option_set *set);

/* Keys that are about options. */
void reading_constraints(struct reading *r, const struct config_key *key, const struct tree *t);
void reading_exclude(struct reading *r, const struct config_key *key, const struct tree *t);
void reading_better(struct reading *r, const struct config_key *key, const struct tree *t);
void reading_than(struct reading *r, const struct config_key *key, const struct tree *t);
void reading_eval(struct reading *r, const struct config_key *key, const struct tree *t);

#endif
