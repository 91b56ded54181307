/* What is set of a sweep file on the command line: "model.layers=2", (count) of them. Of several
 * for one path the last counts. */
#ifndef SWEEP_ASK_SETS_H
#define SWEEP_ASK_SETS_H

#include "engine/base/status.h"

/* The value that is set for a path; NULL: none is. */
const char *sets_value(const char *const *sets, int count, const char *path);

/* A whole number from 1 that is set for a path; 0: none is. */
long sets_number(const char *const *sets, int count, const char *path);

/* The sets that count in an order of their own, in whichever they were given: the one that comes
 * after `before`, NULL for the first; NULL: there is none. */
const char *sets_next(const char *const *sets, int count, const char *before);

/* Whether `ask` can take these sets: keys of task, model and train, and of the top level, that it
 * does not choose by what they are about (name, task.file). BAD_INPUT: the message says which. */
enum status sets_check(const char *const *sets, int count, struct message *m);

#endif
