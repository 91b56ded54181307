/* The live view's table: what each head count has come to so far, in four rows.
 *
 *    heads       1     2     4     8
 *    done      5/5   5/5   3/5   0/5      trials that have ended, of those that are needed
 *    val acc  .629  .974  .999     -      mean of the metric over the completed
 *    running     -     -     2     -
 *
 * Where the terminal is too narrow for all head counts, further blocks of four rows take the rest
 * as long as there are rows for them. */
#ifndef SWEEP_RUN_PROGRESS_HEADS_H
#define SWEEP_RUN_PROGRESS_HEADS_H

#include "sweep/run/progress_line.h"
#include "sweep/trials/trials.h"

enum { HEADS_ROWS = 4, HEADS_LINES = 16 /* four blocks are enough */ };

/* Lays out the table within so many columns and rows. metric: of the means ("val loss"). running:
 * of each head count, how many trials run. Returns the number of lines, 0 where not one block has
 * room. Where not all head counts have, those around the first that runs are shown, and how many
 * are not. */
int heads_layout(enum metric metric, const struct head_counts *list, const long *running, int count,
                 int columns, int rows, struct line lines[HEADS_LINES]);

#endif
