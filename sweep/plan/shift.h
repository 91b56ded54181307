/* Shifted test sets: other examples of a trial's task, with some of its options changed, for a
 * model that was trained without them. `eval` in the sweep file names them. */
#ifndef SWEEP_PLAN_SHIFT_H
#define SWEEP_PLAN_SHIFT_H

#include "sweep/plan/point.h"

/* The point with the task options of `json` ({"length":64}) in their place. BAD_INPUT where a model
 * of p cannot be tested there, and *fault then names the option to change, "length", or is NULL:
 *   options that contradict each other, memory (point_check);
 *   other input fields, tokens, slots or classes: the model would have another shape;
 *   another length where positions are learned;
 *   an instance that would be drawn otherwise, unless json names another;
 *   another instance or split of a task over a file, which would divide the file otherwise. */
enum status point_shift(const struct point *p, const char *json, struct point *shifted,
                        const char **fault, struct message *m);

#endif
