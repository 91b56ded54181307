/* What studies have been asked of trained models, and what they answered. A study (`headcount
 * heads`, `prune`, ...) is given the weights of one trial, or of several, and options; its answer
 * is rows of the tables head_metric, layer_metric, head_slot, pruning, ensemble and evaluation. The
 * row of `study` that says it was answered is committed with them, and remembers which weights they
 * are from: an answer from other weights counts as none. */
#ifndef SWEEP_TRIALS_STUDY_H
#define SWEEP_TRIALS_STUDY_H

#include "sweep/trials/trials.h"

/* A trial whose weights can be asked. */
struct study_trial {
    int64_t trial_id, sweep_id;
    int64_t best_step; /* the step of the weights */
    char file[64];     /* their name in store_folder */
    char sha256[65];   /* of that file */
    char config_sha256[65];
    uint32_t seed;
    int64_t n_params;
    int64_t heads, layers; /* heads: of each layer */
    double val_acc, test_acc;
    char setting[PLAN_TEXT_MAX]; /* as in the tables `trial` and `ensemble` */
    char label[256];             /* as in struct claimed */
};

/* Of whom a study can be asked and was not asked yet. Without a trial: of all trials of the sweep
 * (0: of all sweeps) that completed, are in the plan and are judged; those that served only to tune
 * are left out, and so are those whose weights were removed. With a trial: of that one; where it
 * cannot be asked, BAD_INPUT says why. Options are canonical JSON, compared as text; NULL: all are
 * due, whatever was asked before. */
struct study_due {
    struct study_trial *list; /* those to be asked, in the order of the plan; malloced, or NULL */
    int count;
    int done; /* how many have answered before, from the weights that they have now */
};
enum status store_study_due(struct store *s, int64_t sweep_id, int64_t trial_id, const char *study,
                            const char *options, struct study_due *due, struct message *m);

/* Every trial that has completed, whatever it served: by sweep, configuration and seed. The file of
 * one whose weights were removed is "". */
enum status store_completed(struct store *s, struct study_due *all, struct message *m);

/* Whether all of these trials together have answered before (an ensemble): each has a row of
 * `study` with these options, from the weights that it has now. */
enum status store_study_answered(struct store *s, const struct study_trial *trials, int count,
                                 const char *study, const char *options, bool *answered,
                                 struct message *m);

struct study_filing {
    const char *study, *options;
    const struct study_trial *trials; /* of whom it was asked: as store_study_due gave them */
    int count;
    const char *answer; /* {"pruning":[{"method":"none",...},...],...} */
    double cpu_s;       /* what the answer took; 0: unknown */
    int64_t build_id;   /* store_build */
};
/* Keeps an answer: its rows, and a row of `study` for each trial, in one transaction. The keys of a
 * row are columns of the table; a column without a key gets what the answer says beside its tables
 * ({"split":"val","head_metric":[...]}), else what is known of the first trial (trial_id, sweep_id,
 * step: that of its weights, setting, heads), else NULL. Arrays and objects become JSON text. Rows
 * that are there under the same primary key get the new values. Answers that one of the trials gave
 * with other weights are removed.
 *
 * Nothing is kept: BAD_INPUT where a trial does not have these weights any more, the answer is no
 * such JSON, or it has values that the schema forbids; INTERNAL where it names a table or a column
 * that there is not. */
enum status store_study_file(struct store *s, const struct study_filing *f, struct message *m);

#endif
