/* What `ask` chooses: how large a net, how long it is trained, how often it is tried. All of its
 * defaults stand in the tables of design.c; sheet.h makes a sweep file of them. */
#ifndef SWEEP_ASK_DESIGN_H
#define SWEEP_ASK_DESIGN_H

#include "sweep/ask/look.h"

/* How large the net is. The sizes of a kind stand from the smallest to the largest. */
struct design_size {
    const char *name;
    long d_model, layers, d_ff;
    long length; /* of a text's windows; 0: that of the task, or of the rows' texts */
    long batch;
    const char *rates;         /* learning rates, whose best ones are mostly among them */
    long steps_min, steps_max; /* fewer show nothing, more hardly anything; whole DESIGN_STEPS */
};

/* What holds for all sizes of a kind. */
struct design_kind {
    const struct design_size *size; /* (sizes) */
    int sizes;
    double equivalence;
    const char *equivalence_why;
    int passes; /* how often a trial may see what it is trained on; 0: it is made anew each time */
};

/* How often each head count is tried. The levels stand from the cheapest to the dearest. */
struct design_level {
    int tune_seeds, seeds, confirm;
};

struct design {
    enum look_kind kind;
    int size, level;      /* in the tables */
    long steps;           /* a multiple of DESIGN_STEPS, unless it is set */
    int seeds;            /* that explore: the level's, or more, up to those of the next one */
    int confirm;          /* fresh seeds: the level's, or those on which it was confirmed before */
    double minutes;       /* for which it was made; only said, */
    double steps_minutes; /* ... as those are of which its steps came */
};

enum { DESIGN_STEPS = 40, DESIGN_LEVEL = 1 /* the usual one; that below is for want of time */ };

const struct design_kind *design_kind(enum look_kind kind);
const struct design_size *design_size(const struct design *d);
int design_levels(void);
const struct design_level *design_level(const struct design *d);

/* Gives d a level, with its seeds. */
void design_set_level(struct design *d, int level);

/* Steps after which more only repeat the file: of what is looked at, so many tens of times. */
long design_steps_max(const struct design *d, const struct look *l);

/* The fewest that show anything; of the smallest net those above, where they are fewer. */
long design_steps_min(const struct design *d, const struct look *l);

/* Bytes to which the texts of rows are cut, unless it is set. */
long design_row_length(const struct look *l);

/* What the sweep is asked about, as a name in a sentence: the file's last name, or the toy's. */
const char *design_subject(const struct look *l);

/* The name of the sweep: of what it is about, and the first six of its digits (sheet.h). */
enum { DESIGN_NAME_SIZE = 64 };
void design_name(const struct look *l, const char *digits, char name[DESIGN_NAME_SIZE]);

#endif
