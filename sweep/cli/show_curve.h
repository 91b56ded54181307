/* A trial's learning curve, drawn with characters. */
#ifndef SWEEP_CLI_SHOW_CURVE_H
#define SWEEP_CLI_SHOW_CURVE_H

#include "sweep/trials/trials.h"

/* Draws it on standard output: accuracies against steps and, where the locale has UTF-8, losses,
 * gradient norm and learning rate as a line each. *points: its evaluations; 0: nothing is drawn. */
enum status show_curve(struct store *s, int64_t trial, int *points, struct message *m);

#endif
