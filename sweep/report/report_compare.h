/* Several sweeps side by side: at each head count their means, and how each differs from the first.
 *
 * Sweeps are lettered A, B, ... in the order they are named. Settings that are called the same
 * stand together; a sweep that has only one stands beside all of the others'. */
#ifndef SWEEP_REPORT_REPORT_COMPARE_H
#define SWEEP_REPORT_REPORT_COMPARE_H

#include "sweep/judge/compare.h"
#include "sweep/report/document.h"
#include "sweep/report/report.h"
#include "sweep/report/report_data.h"

enum { COMPARE_MAX = REPORT_SWEEPS_MAX };

/* One sweep at one head count of a block. */
struct compare_cell {
    const struct verdict_row *row; /* NULL: it does not have the head count */
    struct compare_result diff;    /* from the first sweep of the block that is there */
};

struct compare_line {
    int64_t heads;
    struct compare_cell cell[COMPARE_MAX];
};

/* Settings that stand side by side. */
struct compare_block {
    const struct report_setting *set[COMPARE_MAX]; /* NULL: the sweep has none that fits */
    const struct report_setting *name;             /* the one that the block is called after */
    int base; /* the first sweep that has one: others are compared with it */
    int lines;
    struct compare_line *line; /* by rising head count */
};

/* An option whose values are not the same in all sweeps, "0.001, 0.003" where one has several; NULL
 * where a sweep does not have the option. */
struct compare_option {
    char *path; /* "train.lr" */
    char *values[COMPARE_MAX];
};

struct report_compare {
    struct scope *scope;
    int sweeps;
    struct report_data *sweep[COMPARE_MAX];
    int blocks;
    struct compare_block *block;
    int options;
    struct compare_option *option; /* by path */
};

/* Reads 2 to COMPARE_MAX sweeps, each as report_data_read does. Leaves the scope with BAD_INPUT
 * where one is judged by accuracy and another by loss. */
struct report_compare *report_compare_new(struct scope *x, const int64_t *sweep_id, int sweeps,
                                          bool rows);

/* The comparison for people, as JSON, and as CSV with a line per sweep and head count. */
void report_compare_people(const struct report_compare *c, struct document *d);
void report_compare_json(const struct report_compare *c, FILE *out);
void report_compare_csv(const struct report_compare *c, FILE *out);

#endif
