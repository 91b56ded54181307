/* What the verdict says about synthetic sweeps, held against what is true of them. */
#ifndef TESTS_CALIBRATE_TALLY_H
#define TESTS_CALIBRATE_TALLY_H

#include "tests/calibrate/synthetic.h"

/* Each is right or wrong whenever it is made. */
enum statement {
    SAYS_MIDDLE,       /* wrong unless that head count beats both edges */
    SAYS_CONFIRMED,    /* wrong unless the claim's best beats all its rivals */
    SAYS_CONTRADICTED, /* wrong unless a rival beats it */
    SAYS_WINNER,       /* middle or confirmed: wrong unless it does so with each at its best rate */
    SAYS_SET,          /* a set that contains the best: wrong where it has none of the best */
    SAYS_APART,        /* head counts are left out of it: wrong if one of them is as good as any */
    SAYS_WITHIN,       /* in the plateau: wrong if worse than the best by the margin or more */
    SAYS_EQUIVALENT,   /* wrong if they differ by the margin or more */
    SAYS_IN_ORDER,     /* both sets: wrong if one of them leaves out a head count that did at least
                          as well in every trial as one that it has */
    SAYS_ABOVE,        /* above guessing: wrong if it is not */
    SAYS_IMPROVING,    /* still improving: wrong if the slope is not above 0 */
    STATEMENTS
};

/* 95 % intervals. One of each kind is looked at per sweep, so that sweeps are independent. */
enum interval { OF_MEAN, OF_MEDIAN, OF_DIFFERENCE, INTERVALS };

struct statement_text {
    const char *name;   /* "a middle head count wins" */
    double level;       /* how often it may be wrong; 1: no promise is made */
    bool can_be_missed; /* how often it is right is power */
};
extern const struct statement_text STATEMENT[STATEMENTS];
extern const char *const INTERVAL_NAME[INTERVALS];

struct tally {
    long sweeps;
    long made[STATEMENTS], wrong[STATEMENTS];   /* sweeps in which it is made, or wrong, at all */
    long given[INTERVALS], covering[INTERVALS]; /* none is given where all values are equal */
    long last_look[SYNTHETIC_LOOKS];            /* sweeps that ended at this look */
};

/* Draws and judges sweeps first, first + step, ... below end of a world. NO_MEMORY. */
enum status tally_sweeps(struct tally *t, const struct world *w, const char *name, long first,
                         long end, long step);

/* Adds b to a. */
void tally_add(struct tally *a, const struct tally *b);

/* Whether the verdict could make this statement in this world. */
bool tally_applies(const struct world *w, enum statement what);

/* Whether it was wrong so often that a rate at its level would be so with a probability below
 * `surprise`. */
bool tally_breach(const struct tally *t, enum statement what, double surprise);

#endif
