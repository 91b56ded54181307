/* What becomes of what is asked: by the sweep file that is there, by what its sweep has run, and by
 * the time that there is. */
#ifndef SWEEP_ASK_DECIDE_H
#define SWEEP_ASK_DECIDE_H

#include "sweep/ask/design.h"
#include "sweep/ask/fit.h"
#include "sweep/ask/sheet.h"
#include "sweep/db/scope.h"
#include "sweep/trials/trials.h"

/* ---- which sweeps share their trials ---- */

/* Twelve digits say so, whatever their head counts and the values that they tune, their seeds, and
 * how they are judged. */
enum { DIGITS_SIZE = 13 };

/* Of the trials of d where that is set: of the data or the toy, the net, its training, and the
 * metric, which chooses the best step of a trial. All of it is read from the sweep file that d
 * makes, called path: the digits are the same whether a default is set or not, however a value is
 * spelled, in whichever order, and whatever the file is called. BAD_INPUT where d cannot have what
 * is set. */
enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m);

/* ---- what a results file has ---- */

struct begun {
    char name[DESIGN_NAME_SIZE];
    bool there;  /* there is such a sweep; else all below is 0 */
    int claimed; /* fresh seeds that were written down with what it found; 0: nothing was yet */
    int seeds,
        tune_seeds; /* on so many, exploring and tuning, every head count has ended a trial */
};

/* Looks for the sweep of that name, which is design_name's; or for one that ask made of the same
 * trials of the same data under another file's name, whose last digits are the same. Where there is
 * none, as without a results file (s: NULL), b has the name. */
enum status begun_find(struct store *s, const char *name, struct begun *b, struct message *m);

/* Gives d what b has: its fresh seeds, as others would be a second try; and no fewer seeds than
 * have run, whose trials would leave the plan. */
void begun_keep(const struct begun *b, struct design *d);

/* ---- deciding ---- */

struct question {
    const struct look *look;
    const char *path;        /* of the sweep file */
    const char *const *sets; /* (count) */
    int count;
    double minutes;
    long workers;          /* 0: as many as there are cores */
    struct store *results; /* NULL: there is no results file */
};

struct decision {
    enum ask_file_state state; /* of the sweep file */
    struct design design;
    bool write;         /* the sweep file is to be written; else it stays */
    struct begun begun; /* of the sweep of the design; its name is that of the sweep */
    bool more;          /* more minutes are asked for, or other keys are set, than the file has */
    enum fit_more fit;  /* more: what comes of the minutes, */
    struct text_buffer changes; /* ... and how the file changes by it (ask_words_changes) */
    bool ever;                  /* more minutes than these would change something */
    bool cheapest;              /* in less time nothing would show */
    struct message larger;      /* why larger nets are left out; "": they are not */
};

/* Decides. Leaves the scope with BAD_INPUT for a file that a person has changed, for what no sweep
 * can have, and for another number of fresh seeds, or other head counts alone, than the sweep has
 * that would go on: the message says which, and the remedy. */
struct decision *ask_decide(struct scope *x, const struct question *q);

#endif
