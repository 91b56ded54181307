/* What trials answer together (table `ensemble`) beside what each does alone and what models with
 * more heads do. */
#ifndef SWEEP_REPORT_REPORT_ENSEMBLE_H
#define SWEEP_REPORT_REPORT_ENSEMBLE_H

#include "sweep/report/report.h"

struct ensemble_question {
    int64_t sweep_id;
    long heads; /* of each member */
    int members;
    enum report_format format;
};

/* The groups that the sweep's seeds give at present (sweep/study/ensemble.h): per setting accuracy
 * of the members and of the ensemble, over groups or, where axes are replicated, over their values;
 * and beside it the models with more heads, of the same task, whose parameters and whose FLOPs are
 * nearest to those of all members together.
 * BAD_INPUT where there are too few seeds; else as report_write. */
enum status report_ensemble(struct store *s, const struct ensemble_question *q,
                            struct text_page page, FILE *out, struct message *m);

#endif
