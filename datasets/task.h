/* What is learned: a toy, whose examples are drawn from a counter beside an oracle that solves
 * them, or a file of the user's (struct task_file). Each task stands in task_<name>.c with one line
 * in tasks.def:
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

struct arena;
struct text_buffer;

enum { TASK_MAX_FIELDS = 16, TASK_MAX_SLOTS = 64, TASK_MASKED = -100 };

/* What a file is divided into, before any example is taken from it. */
enum task_part { TASK_TRAIN, TASK_VAL, TASK_TEST, TASK_PARTS };

struct task_shape {
    long length;                        /* T: positions of a sequence */
    int fields;                         /* input columns per position */
    const char *field[TASK_MAX_FIELDS]; /* their names: token, pointer1, ... (static) */
    long vocab[TASK_MAX_FIELDS];        /* tokens are 0..vocab-1 */
    long slots, classes;                /* S, V: targets are 0..V-1 or TASK_MASKED */
    bool per_sequence;                  /* targets are (S) per sequence, not (T,S): needs pool */
    bool causal;                        /* inputs hold the targets further on, where a model must
                                           not look: needs model.mask: causal */
    int64_t part[TASK_PARTS];           /* distinct examples of each part; 0: endless */
    int64_t repeated;            /* rows that are only trained on, as another has their text */
    bool padded;                 /* sequences may end before T: examples have padding */
    bool bytes;                  /* targets are the bytes of a text: the loss is also told
                                    in bits per byte, and test examples lie in the order of
                                    the text, so that neighbours form blocks */
    double memory;               /* bytes that an open source takes beside its examples */
    double chance;               /* accuracy of the best guess that knows position and slot
                                    but does not look at the input */
    const char *const *at_fault; /* of a shape that cannot be: paths of the options at fault,
                                    the one to change first; ends with NULL */
};

/* An opened file; what it is, the task alone knows. */
struct task_source;

/* How well simple models of a text do: bits per byte of adaptive byte models of the orders 0, 1,
 * ... (datasets/byte_model.h), learned from the last bytes of the training part, on the first ones
 * of the test part; where a part has something of each of several stretches of the file, the last
 * and the first of each. */
enum { TASK_ANCHORS = 6 };
struct task_anchors {
    int count;
    double bits_per_byte[TASK_ANCHORS];
    int64_t learned, tested, train, test; /* bytes; the last two of the whole parts */
    int64_t stretches;                    /* that each give as many of these; 1: the file is one */
};

/* Of a task over a file that the user gives by the option `file`, which is local: no part of a
 * result's identity. What the identity holds of the file is in options that are derived from it.
 *
 * All functions that return a status name the file, and the line and column where there are any.
 * BAD_INPUT: the file cannot be learned from; the message says what to do. CORRUPT: it is not the
 * one that the derived options tell of. IO, NO_MEMORY as ever. */
struct task_file {
    /* Reads the whole file, piece by piece, and fills the derived options. Appends its facts to the
     * text as a JSON object: {"classes":3,"cut":812,"labels":["neg",...],"rows":12000,...}. */
    enum status (*survey)(void *options, struct text_buffer *facts, struct message *m);
    /* Opens the file that was surveyed with these options, which are kept, and reads all of it: it
     * has their SHA-256 (else CORRUPT), unless it is known to be `good`. path: where its bytes lie,
     * kept; NULL: where the options say. Memory is the arena's; the descriptor goes with `close`.
     * *s is NULL on failure. */
    enum status (*open)(struct arena *a, const void *options, const char *path, bool good,
                        struct task_source **s, struct message *m);
    void (*close)(struct task_source *s); /* NULL allowed */
    /* Whether the opened file still has its bytes (CORRUPT: it has not), at a glance or, under
     * `all`, by reading all of it. */
    enum status (*check)(struct task_source *s, bool all, struct message *m);
    /* A training example, a pure function of r. inputs (T,fields), targets (T,S) or (S), padding
     * (T), 1 where a position is to be ignored (written only where shape.padded). */
    enum status (*draw)(struct task_source *s, struct rng *r, int32_t *inputs, int32_t *targets,
                        uint8_t *padding, struct message *m);
    /* Example i of n of a part, 0 <= i < n <= shape.part[part]: equally spaced over it, in its
     * order, never one twice. */
    enum status (*read)(struct task_source *s, enum task_part part, int64_t i, int64_t n,
                        int32_t *inputs, int32_t *targets, uint8_t *padding, struct message *m);
    /* The name of class k, the source's; NULL where classes are bytes. */
    const char *(*label)(const struct task_source *s, long k);
    /* What needs no training, to compare with; takes seconds. OK with count 0 where there is none.
     */
    enum status (*anchors)(struct task_source *s, struct task_anchors *a, struct message *m);
};

struct task {
    const char *name;
    int version;         /* raised when its meaning changes; part of identity */
    const char *summary; /* one line: what the model must do */
    const char *details; /* a paragraph: layout of the sequence, how many heads it needs, why */
    const struct option_entry *options; /* at least length and instance; of a toy, vocab too */
    size_t options_size;                /* sizeof the struct they describe */
    const struct task_file *file;       /* NULL: a toy. Else all below `resolve` is NULL */
    size_t instance_size;               /* bytes an instance needs; drawn once */

    /* Checks options against each other and fills the shape. BAD_INPUT: m names the options, and
     * s->at_fault lists them. */
    enum status (*shape)(const void *options, struct task_shape *s, struct message *m);
    /* Writes out what options mean, so that those which give the same examples are the same: what a
     * value that was left out stands for and, as far as options can say it, what an instance
     * draws. Options that do not go together stay. facts: what `survey` appended; NULL: unknown,
     * and what hangs on them stays. NULL: options mean what they say. */
    void (*resolve)(void *options, const char *facts);
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
     * target, or that is itself the target; -1 where there is no target. NULL: no single position
     * says it. */
    void (*sources)(const void *options, const void *instance, const int32_t *inputs,
                    int32_t *source);
};

extern const struct task *const task_table[]; /* ends with NULL */

/* The task of that name, or NULL. */
const struct task *task_find(const char *name);

#endif
