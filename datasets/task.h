/* A toy task: examples drawn from a counter, and an oracle that solves them. Each task stands in
 * task_<name>.c with one line in tasks.def:
 *
 *     TASK(gather)
 *
 * `headcount tasks`, sweep files and the tests of determinism, oracle and chance loop over the
 * table and so cover a new task at once. */
#ifndef DATASETS_TASK_H
#define DATASETS_TASK_H

#include "engine/base/option.h"
#include "engine/base/rng.h"
#include "engine/base/status.h"

enum { TASK_MAX_FIELDS = 16, TASK_MAX_SLOTS = 64, TASK_MASKED = -100 };

struct task_shape {
    long length;                        /* T: positions of a sequence */
    int fields;                         /* input columns per position */
    const char *field[TASK_MAX_FIELDS]; /* their names: token, pointer1, ... (static) */
    long vocab[TASK_MAX_FIELDS];        /* tokens are 0..vocab-1 */
    long slots, classes;                /* S, V: targets are 0..V-1 or TASK_MASKED */
    bool per_sequence;                  /* targets are (S) per sequence, not (T,S): needs pool */
    bool causal;                        /* inputs hold the targets further on, where a model must
                                           not look: needs model.mask: causal */
    double chance;                      /* accuracy of the best guess that knows position and slot
                                           but does not look at the input */
    const char *const *at_fault;        /* of a shape that cannot be: paths of the options at fault,
                                           the one to change first; ends with NULL */
};

struct task {
    const char *name;
    int version;         /* raised when its meaning changes; part of identity */
    const char *summary; /* one line: what the model must do */
    const char *details; /* a paragraph: layout of the sequence, how many heads it needs, why */
    const struct option_entry *options; /* every task has at least length, vocab and instance */
    size_t options_size;                /* sizeof the struct they describe */
    size_t instance_size;               /* bytes an instance needs; drawn once */

    /* Checks options against each other and fills the shape. BAD_INPUT: m names the options, and
     * s->at_fault lists them. */
    enum status (*shape)(const void *options, struct task_shape *s, struct message *m);
    /* Draws what is fixed for an instance (offsets, permutations) from (options.instance,
     * RNG_INSTANCE); does nothing where instance_size is 0. */
    void (*instance)(const void *options, void *instance);
    /* One example from r: inputs (T,fields), targets (T,S) or (S); a pure function of r. */
    void (*example)(const void *options, const void *instance, struct rng *r, int32_t *inputs,
                    int32_t *targets);
    /* Computes the targets from the inputs alone, by another route than `example`: (T,S) or (S). */
    void (*oracle)(const void *options, const void *instance, const int32_t *inputs,
                   int32_t *targets);
    /* Where each target stands to be read: source (T,S) or (S) is the position whose input is the
     * target, -1 where there is no target. NULL: no single position says it. */
    void (*sources)(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source);
};

extern const struct task *const task_table[]; /* ends with NULL */

/* The task of that name, or NULL. */
const struct task *task_find(const char *name);

#define TASK(name) extern const struct task task_##name;
#include "datasets/tasks.def"
#undef TASK

#endif
