/* Every number of view `progress` for a monitor, in Prometheus' text exposition format 0.0.4: lines
 * of UTF-8, each sample `name{label="value",...} number`, all samples of a name (a family)
 * together, below their `# HELP name words` and `# TYPE name gauge`. Nothing names a folder of this
 * machine. */
#ifndef SWEEP_SERVE_METRICS_H
#define SWEEP_SERVE_METRICS_H

#include <stdio.h>

#include "sweep/db/scope.h"

enum { METRICS_SWEEPS_MAX = 1000 }; /* of a file, those that ran last */

/* Writes the samples of a results file, in any order and without HELP and TYPE. */
void metrics_of_file(struct scope *x, FILE *out);

/* What one results file gives. */
struct metrics_part {
    const char *name; /* the file's last name */
    char *samples;    /* of metrics_of_file; NULL: it cannot be read now */
};

/* Writes the families of n files. A label `file` tells several from each other: its last name, of
 * files with the same name "0/gather.db", as the address of their pages begins. */
void metrics_join(const struct metrics_part *part, int n, FILE *out);

/* Writes text as a label's value, without its quotes. Bytes that are not UTF-8 become U+FFFD. */
void metrics_label(FILE *out, const char *text);

#endif
