/* What a results file has of a sweep that `ask` made. */
#ifndef SWEEP_ASK_BEGUN_H
#define SWEEP_ASK_BEGUN_H

#include <stdbool.h>

#include "sweep/trials/trials.h"

/* Whether a finding has been written down, to be confirmed: its fresh seeds then stay as many as
 * they are. False where there is no such sweep. */
enum status begun_confirmation(struct store *s, const char *sweep, bool *begun, struct message *m);

#endif
