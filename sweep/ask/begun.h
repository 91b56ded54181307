/* What a results file has of a sweep that `ask` made. */
#ifndef SWEEP_ASK_BEGUN_H
#define SWEEP_ASK_BEGUN_H

#include "sweep/ask/design.h"
#include "sweep/trials/trials.h"

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

#endif
