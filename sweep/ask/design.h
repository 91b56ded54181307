/* What `ask` chooses: how large a net, how long it is trained, how often it is tried. All of its
 * defaults stand in the tables of design.c; here is what they are made into: a sweep file, with a
 * reason for each value. */
#ifndef SWEEP_ASK_DESIGN_H
#define SWEEP_ASK_DESIGN_H

#include "engine/base/text.h"
#include "sweep/ask/look.h"
#include "sweep/plan/config.h"

/* How large the net is. The sizes of a kind stand from the smallest to the largest. */
struct design_size {
    const char *name;
    long d_model, layers, d_ff;
    long length; /* of a text's windows; 0: that of the task, or of the rows' texts */
    long batch;
    const char *rates;         /* learning rates, whose best ones are mostly among them */
    long steps_min, steps_max; /* fewer show nothing; more hardly anything */
};

/* How often each head count is tried. The levels stand from the cheapest to the dearest. */
struct design_level {
    int tune_seeds, seeds, confirm;
};

struct design {
    enum look_kind kind;
    int size, level; /* in the tables */
    long steps;      /* a multiple of DESIGN_STEPS */
    int confirm;     /* fresh seeds: the level's, or those on which it was confirmed before */
    double minutes;  /* for which it was made; only said */
};

enum { DESIGN_STEPS = 40, DESIGN_LEVEL = 1 /* the usual one; that below is for want of time */ };

int design_sizes(enum look_kind kind);
const struct design_size *design_size(const struct design *d);
const char *design_size_name(enum look_kind kind, int size);
int design_levels(void);
const struct design_level *design_level(const struct design *d);

/* Steps after which more only repeat the file: of what is looked at, so many tens of times. */
long design_steps_max(const struct design *d, const struct look *l);

/* Whether a path is set. */
bool design_is_set(const char *const *sets, int count, const char *path);

/* A set "train.steps=400", read: 0 where there is none. */
long design_steps_asked(const char *const *sets, int count);

/* Whether `ask` can take these sets: keys of task, model and train, and of the top level, that it
 * does not choose by what they are about (name, task.file). BAD_INPUT: the message says which. */
enum status design_check_sets(const char *const *sets, int count, struct message *m);

/* What the sweep is asked about, as a name in a sentence: the file's last name, or the toy's. */
const char *design_subject(const struct look *l);

/* The name of the sweep: of what it is about and six digits of everything that its trials depend
 * on but seeds: two designs of the same name share their trials. asked: what was asked
 * (ask_file.h).
 */
enum { DESIGN_NAME_SIZE = 64 };
void design_name(const struct design *d, const struct look *l, const char *asked,
                 char name[DESIGN_NAME_SIZE]);

/* Adds the sweep file to out; what is set takes the place of what is chosen. */
void design_write(const struct design *d, const struct look *l, const char *name,
                  const char *const *sets, int count, struct text_buffer *out);

/* What is wrong with a sweep file at path that is not there yet is said of what is set, in the
 * place of a line of the file. Returns status. */
enum status design_refuse(const char *path, const char *const *sets, int count, enum status status,
                          struct message *m);

/* The sweep file, read, as if it lay at path. BAD_INPUT, said as design_refuse does, where what is
 * set is no value for its key. */
enum status design_parse(const struct design *d, const struct look *l, const char *path,
                         const char *const *sets, int count, struct config **c, struct message *m);

#endif
