/* How trials did on the shifted test sets of `eval`, and in training, beside their test set. Of
 * completed trials that are judged, by head count; over units as everywhere in a report: seeds or,
 * under replicate, means of instances. */
#ifndef SWEEP_REPORT_REPORT_SHIFT_H
#define SWEEP_REPORT_REPORT_SHIFT_H

#include "sweep/report/document.h"
#include "sweep/report/sample.h"
#include "sweep/trials/trials.h"

struct report_shift_row {
    char *setting; /* canonical JSON */
    char *set;     /* name; "" for training: accuracy in training, and how far above the test's */
    int64_t heads;
    struct sample value; /* accuracy or, where the metric is a loss, loss */
    struct sample less;  /* value - that on the test set, unit by unit */
};

struct report_shift {
    struct scope *scope;
    bool loss;
    int sets;
    char **set;    /* (sets) names, rising */
    char *options; /* for people: "long: length=64; again: no option differs" */
    long missing;  /* tests that completed trials have not had yet */
    int rows;
    struct report_shift_row *row; /* by setting, set and heads; training first, none under a loss */
};

/* Reads those of a sweep; NULL where its file has no eval. */
struct report_shift *report_shift_read(struct scope *x, int64_t sweep_id);

/* Each takes NULL and then writes nothing. */

/* A setting's table, under a sentence; unit: what n counts. */
void report_shift_people(const struct report_shift *shift, const char *setting, const char *unit,
                         struct document *d);

/* "training" and "shifted" of a setting. */
void report_shift_json(const struct report_shift *shift, const char *setting,
                       struct json_writer *w);

/* The columns of these rows on the page, as "shifted". */
void report_shift_page_columns(struct json_writer *w);

/* What CSV has of training and of each set behind the columns of by_heads ("training_n",
 * "eval_long_n", ...), and the cells at a head count; empty where there is no row. */
void report_shift_columns(const struct report_shift *shift, struct table *t);
void report_shift_cells(const struct report_shift *shift, const char *setting, int64_t heads,
                        struct table *t);

#endif
