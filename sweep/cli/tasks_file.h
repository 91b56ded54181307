/* What `headcount tasks` says of a file of the user's: what it holds, how it is divided, and one
 * example of it. */
#ifndef SWEEP_CLI_TASKS_FILE_H
#define SWEEP_CLI_TASKS_FILE_H

#include "engine/base/text.h"
#include "sweep/plan/point.h"

/* Whether p's task reads a file and p names one. */
bool tasks_file_given(const struct point *p);

/* Prints it to stdout. facts are the survey's, which filled p's derived options; index is the test
 * example's, from 1. */
enum status tasks_file_print(const struct point *p, const struct task_shape *shape,
                             const char *facts, long index, struct message *m);

#endif
