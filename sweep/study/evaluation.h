/* The study `evaluation`: a trial's best weights on a shifted test set, of as many examples as the
 * trial's own. Its options are {"name":"long","options":{"length":64}}, an item of the sweep file's
 * `eval`; its answer is a row of the table evaluation. */
#ifndef SWEEP_STUDY_EVALUATION_H
#define SWEEP_STUDY_EVALUATION_H

#include "sweep/plan/config.h"
#include "sweep/study/study.h"

/* Asks every completed trial of a sweep that has not been tested on all sets of `eval` yet. r
 * counts the tests. Fails as study_ask does. */
enum status evaluation_ask(const struct config *c, const char *db,
                           const struct study_run_options *o, struct study_result *r,
                           struct message *m);

#endif
