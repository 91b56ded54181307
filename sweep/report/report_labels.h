/* How well each label of a classification is recognised, by head count: the view by_label. Of
 * completed trials that are judged, over units as everywhere in a report. */
#ifndef SWEEP_REPORT_REPORT_LABELS_H
#define SWEEP_REPORT_REPORT_LABELS_H

#include "sweep/report/document.h"
#include "sweep/trials/trials.h"

struct report_label {
    char *setting; /* canonical JSON */
    int64_t heads;
    char *label;
    int64_t n;              /* units */
    double n_rows;          /* rows of the test set that have it; their mean over units */
    double mean, low, high; /* test accuracy, its 95% interval; NaN for n < 2 */
};

struct report_labels {
    struct scope *scope;
    int rows;
    struct report_label *row; /* by setting, heads and label */
    int labels;
    const char **label; /* (labels) each once, rising; they belong to the rows */
};

/* Reads those of a sweep; NULL where no trial has any. */
struct report_labels *report_labels_read(struct scope *x, int64_t sweep_id);

/* Each takes NULL and then writes nothing. */

/* A setting's table, labels by head count, and which each head count recognises worst. Where
 * there are many labels, only those that some head count recognises worst. unit: what n counts. */
void report_labels_people(const struct report_labels *labels, const char *setting, const char *unit,
                          struct document *d);

/* "labels" of a setting. */
void report_labels_json(const struct report_labels *labels, const char *setting,
                        struct json_writer *w);

/* What CSV has of each label ("label_spam_rows", ...), and the cells at a head count; empty where
 * there is no row. */
void report_labels_columns(const struct report_labels *labels, struct table *t);
void report_labels_cells(const struct report_labels *labels, const char *setting, int64_t heads,
                         struct table *t);

#endif
