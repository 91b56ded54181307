/* Metrics for a monitor, in Prometheus' text exposition format 0.0.4: lines of UTF-8, each sample
 * `name{label="value",...} number`, all samples of a name (a family) together, below their
 * `# HELP name words` and `# TYPE name counter|gauge`. Names follow Prometheus' conventions: they
 * end in the unit, counters in _total.
 *
 * What is read from results files is computed seldom, as any answer is; what is known without
 * opening one (metrics_of_server) is as of now. Nothing names a folder of this machine. */
#ifndef SWEEP_SERVE_METRICS_H
#define SWEEP_SERVE_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "sweep/trials/trials.h"

struct server;

enum {
    METRICS_SWEEPS_MAX = 1000, /* of a file, those that ran last */
    METRICS_HOSTS_MAX = 1000   /* pairs of sweep and machine, those with the highest numbers */
};

/* Writes the samples of a results file, in any order and without HELP and TYPE. As rows_close. */
enum status metrics_of_file(struct store *s, FILE *out, struct message *m);

/* What one results file gives. */
struct metrics_part {
    const char *name; /* the file's last name */
    char *samples;    /* of metrics_of_file; NULL: there are none */
    bool readable;    /* false: the file cannot be read now */
};

/* Writes the families of n files. A label `file` tells several from each other: its last name, of
 * files with the same name "0/gather.db", as the address of their pages begins. */
void metrics_join(const struct metrics_part *part, int n, FILE *out);

/* Writes the families that are the server's own. The caller has the lock. */
void metrics_of_server(const struct server *s, FILE *out);

/* Writes text as a label's value, without its quotes. Bytes that are not UTF-8 become U+FFFD. */
void metrics_label(FILE *out, const char *text);

#endif
