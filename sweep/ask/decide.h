/* What becomes of what is asked: by the sweep file that is there, by what its sweep has run, and by
 * the time that there is. */
#ifndef SWEEP_ASK_DECIDE_H
#define SWEEP_ASK_DECIDE_H

#include "sweep/ask/design.h"
#include "sweep/ask/fit.h"
#include "sweep/ask/sheet.h"
#include "sweep/db/scope.h"
#include "sweep/trials/trials.h"

struct question {
    const struct look *look;
    const char *path;        /* of the sweep file */
    const char *const *sets; /* (count) */
    int count;
    double minutes;
    long workers;          /* 0: as many as there are cores */
    struct store *results; /* NULL: there is no results file */
};

enum ask_action {
    ASK_GO_ON,       /* the sweep file stays as it is */
    ASK_MORE_SEEDS,  /* it is written again, for the same sweep with more seeds */
    ASK_LARGER,      /* ... for another sweep: more minutes allow a larger net or longer training */
    ASK_WRITE_AGAIN, /* ... because it was for something else */
    ASK_WRITE        /* there is none */
};

struct decision {
    enum ask_action action;
    struct design design;
    char name[DESIGN_NAME_SIZE]; /* of the sweep */
    bool begun;                  /* the results file has it */
    struct message larger;       /* why larger nets are left out; "": they are not */
};

/* Decides. Leaves the scope with BAD_INPUT for a file that a person has changed and for what no
 * sweep can have: the message says which, and the remedy. */
struct decision *ask_decide(struct scope *x, const struct question *q);

#endif
