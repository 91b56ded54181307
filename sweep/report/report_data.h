/* The data of a report, read from the results file in one snapshot. */
#ifndef SWEEP_REPORT_REPORT_DATA_H
#define SWEEP_REPORT_REPORT_DATA_H

#include "sweep/db/scope.h"
#include "sweep/evidence/evidence.h"
#include "sweep/judge/verdict_text.h"
#include "sweep/report/report_between.h"
#include "sweep/report/report_labels.h"
#include "sweep/report/report_shift.h"
#include "sweep/trials/trials.h"

/* One combination of the varying axes other than heads, the tuned and the replicated ones: its
 * evidence, and what follows from it. */
struct report_setting {
    const char *setting, *label; /* canonical JSON; for people, "" when nothing else varies */
    struct verdict_input input;  /* of its head counts: points into the evidence */
    struct verdict *verdict;
    struct verdict_text text; /* the verdict in words */
    long first_row, rows;     /* in by_heads */
};

/* What the completed trials of a sweep were computed with. Programs and machines that differ in it
 * may differ in the last bits of what they compute. */
struct report_kernels {
    int kinds;                /* that differ */
    struct text_buffer words; /* "12 trials with Haswell, avx2; 24 with SkylakeX, avx512" */
    struct text_buffer json;  /* an object for each kind */
};

struct report_data {
    struct scope *scope; /* in whose memory all of it is */
    int64_t sweep_id;
    char *name, *question;
    char *overrides;       /* JSON: ["train.steps=100"], the --set arguments */
    char *overrides_shown; /* "--set train.steps=100"; "" without */
    char *remark;          /* what a person noted; "" without */
    char *shards;          /* JSON: {"of":4,"here":[2]}; null: the file has all */
    struct shards shards_left;
    struct report_kernels kernels;
    struct text_buffer
        lost;            /* "broken (4), c (1)": lost there, and their trials went on elsewhere */
    char *task;          /* "gather" */
    const char *file;    /* what trials learn from: "a.txt, 1234 bytes, SHA-256 0123456789ab"; ""
                            for a toy, and where there are several */
    char *fixed;         /* "d_model=32, ...": what is the same in all settings */
    long planned, ended; /* trials, tuning ones and those of other shards too */
    struct counts counts;
    struct evidence *evidence;
    int settings;                   /* as in evidence */
    struct report_setting *setting; /* as in evidence */
    struct report_shift *shift;     /* NULL without eval */
    struct report_between *between; /* NULL: no settings to compare */
    struct report_labels *labels;   /* NULL but for classification of a file */
    struct table *by_heads;         /* the view of that name; NULL where it was not asked for */
};

/* Reads a sweep in one snapshot and judges each of its settings; rows: by_heads too. Leaves the
 * scope with BAD_INPUT for an unknown sweep. */
struct report_data *report_data_read(struct scope *x, int64_t sweep_id, bool rows);

#endif
