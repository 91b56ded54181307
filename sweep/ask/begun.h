/* What a results file has of a sweep that `ask` made. */
#ifndef SWEEP_ASK_BEGUN_H
#define SWEEP_ASK_BEGUN_H

#include "sweep/ask/design.h"
#include "sweep/trials/trials.h"

struct begun {
    char name[DESIGN_NAME_SIZE];
    int confirm; /* fresh seeds of a finding that has been written down, to be confirmed; 0: none */
};

/* Looks for the sweep that design_name calls so; the same trials of the same data under another
 * file's name, whose last digits are the same, are this sweep too. Where there is none it has the
 * name. */
enum status begun_find(struct store *s, const char *name, struct begun *b, struct message *m);

#endif
