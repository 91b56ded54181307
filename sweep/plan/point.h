/* One point of the grid: everything that decides what a trial computes, except its seed. Its
 * canonical JSON is the identity of a result:
 *
 *   {"model":{...},"task":{"name":...,"options":{...},"version":...},"train":{...,"version":...},"v":1}
 *
 * RFC 8785 (keys sorted, no spaces, shortest numbers), every effective option present, options
 * marked `omit_at_default` left out at their default and `local` ones always; dotted names become
 * nested objects. */
#ifndef SWEEP_PLAN_POINT_H
#define SWEEP_PLAN_POINT_H

#include "datasets/task.h"
#include "engine/encoder_config.h"
#include "engine/train_config.h"

enum {
    POINT_TASK_OPTIONS = 2048,
    POINT_JSON_MAX = 8192,
    POINT_FORMAT = 1,
    POINT_OPTIONS_MAX = 96 /* of task, model and train together */
};

struct point {
    const struct task *task;
    _Alignas(16) unsigned char task_options[POINT_TASK_OPTIONS];
    struct encoder_config model;
    struct train_config train;
    bool spelled_out; /* its JSON has options that could be left out: an earlier version wrote it */
};

/* A section of options within a point: "task", "model" or "train". */
struct point_section {
    const char *name;
    const struct option_entry *options;
    void *values;
};
/* Finds the option of a dotted path ("model.heads", "train.schedule.name", "task.length") and where
 * its struct stands in p (p->task must be set for task options). NULL if there is none. */
const struct option_entry *point_option(struct point *p, const char *path,
                                        struct point_section *section);

/* task.instance, which every task has; of a const point it is only to be read. */
int64_t *point_instance(const struct point *p);

/* Task, defaults everywhere. */
void point_init(struct point *p, const struct task *task);

/* Whether the option of a dotted path makes a difference in p: false for what belongs to another
 * form of heads than p's, and for the kind of a term of weight 0. */
bool point_uses(const struct point *p, const char *path);

/* Writes out what the options mean: points that compute the same, byte for byte, get the same
 * ones, as far as the program knows. facts: of the task's file (struct survey); NULL: unknown.
 * Local options get none. */
void point_resolve(struct point *p, const char *facts);

/* The short form: options whose values are what leaving them out means get their defaults, but for
 * those by which a sweep may tell settings that are the same at one head count only. segment_width
 * 0 becomes the width that it stands for; local options get none. */
void point_canonical(struct point *p);

/* Writes the canonical JSON, of the canonical point, or of the point as it is where it is spelled
 * out. Returns its length, below POINT_JSON_MAX. */
int point_json(const struct point *p, char text[POINT_JSON_MAX]);

/* The same of the resolved point, which is no identity; and of its task's options alone: equal
 * where two instances draw the same task, whatever else they draw (train.eval_sets). */
int point_meaning(const struct point *p, const char *facts, char text[POINT_JSON_MAX]);
int point_task_meaning(const struct point *p, const char *facts, char text[POINT_JSON_MAX]);

/* Reads what point_json wrote, this version's or an earlier one's; local options get their defaults
 * (a version of task or training other than this program's is BAD_INPUT). */
enum status point_parse(const char *json, struct point *p, struct message *m);

/* The options of a task over a file on which its survey depends: {"length":128,"mode":"lm"}.
 * Returns the length, below POINT_JSON_MAX. */
int point_survey_json(const struct point *p, char text[POINT_JSON_MAX]);

/* Sets the task options of a JSON object, as in {"length":64,"offsets":[1]}; the others stay. */
enum status point_set_task(struct point *p, const char *json, struct message *m);

/* The same for options of all sections by their paths, as plan_text writes them:
 * {"model.heads":4,"train.lr":0.01}. task.name stays as it is. */
enum status point_set(struct point *p, const char *json, struct message *m);

/* Sets an option as --set gives it: "model.layers=2", the value as in a sweep file, in YAML's flow
 * syntax; a path of no section ("slots=3") is one of the task. */
enum status point_give(struct point *p, const char *given, struct message *m);

/* The encoder's inputs and outputs for a task of that shape. Keeps pointers to its names. */
void point_io(const struct task_shape *shape, struct encoder_io *io);

/* Why a point is impossible. */
struct point_fault {
    const char *const *option; /* paths of the options at fault, the one to change first; ends
                                  with NULL */
    const char *rule;          /* a constraint that leaves such points out; NULL: none is known */
};

/* Gives the point a file, by its path; a toy, or one too long for the option, is left alone. */
void point_set_file(struct point *p, const char *path);

/* The file that a point's task learns from, "" where none is given; NULL for a toy. */
const char *point_file(const struct point *p);

/* How many examples a set has for which that many are wanted: never more than its part of a file
 * has (task_shape.part). */
int64_t point_examples(int64_t part, int64_t wanted);

/* About how many bytes a trial's process takes: its encoder and its examples. */
double point_memory(const struct point *p, const struct encoder_io *io,
                    const struct task_shape *shape);

/* Checks everything that needs more than one option: the task's own rules, head shapes, pool
 * and mask against the task, warmup <= steps, memory (of this machine and of this process's control
 * group, and below 64 GiB); fills the encoder's input/output shape. BAD_INPUT: m names the options,
 * and fault (which may be NULL) lists them. eval_every may exceed steps: the last step is always
 * evaluated. */
enum status point_check(const struct point *p, struct encoder_io *io, struct task_shape *shape,
                        struct point_fault *fault, struct message *m);

#endif
