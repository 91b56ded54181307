/* A trial's learning curve, drawn with characters. */
#ifndef SWEEP_CLI_SHOW_CURVE_H
#define SWEEP_CLI_SHOW_CURVE_H

#include "sweep/db/scope.h"

/* Draws it on standard output: accuracies against steps and, where the locale has UTF-8, losses,
 * gradient norm and learning rate as a line each. False: it has no evaluations, and nothing
 * is drawn. */
bool show_curve(struct scope *x, int64_t trial);

#endif
