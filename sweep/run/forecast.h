/* What `run` would do with every trial of a plan, or of its shard, and how long it would take: the
 * plan, stored into a copy of the sweep in memory (store_preview), and counted there as any sweep
 * is. Writes nothing. */
#ifndef SWEEP_RUN_FORECAST_H
#define SWEEP_RUN_FORECAST_H

#include "sweep/run/cost.h"
#include "sweep/trials/trials.h"
#include "sweep/worker/calibrate.h"

/* The preview has two more tables:
 *
 *   takes    (config_id, trial_s, source)  seconds of one trial of each configuration, and where
 *                                          they are known from (enum cost_source)
 *   outlook  (trial_id, state, why, runs, spare)  of each trial of the plan: its state, or 'new' or
 *                                          'elsewhere'; the reason in a few words; whether `run`
 *                                          would take it up; 1 where, whatever tuning chooses, not
 *                                          all trials like it are needed, and it is one too many */
struct forecast {
    struct preview preview;
    struct scope *x;      /* its memory */
    struct counts counts; /* as view progress has them */
    long to_run;          /* of the planned */
    long leaving;         /* trials of the sweep in the file that this plan no longer has */
    long will_add;        /* of to_run: tuning trials of values that tune.extend adds */
    long may_add;         /* the most tuning trials that it may add after these */
    long may_confirm;     /* the most trials on fresh seeds of settings without a claim */
    double may_confirm_s; /* ... and their core seconds, part of left.core_s.most */
    long may_choose;      /* head counts that may choose otherwise than they have */
    struct cost cost;
    /* Of all that would run, with what may be added and confirmed: least is without these, expected
     * with half of them. */
    struct cost_left left;
};

/* s: NULL where there is no results file. retry_failed: failed trials would run too. measure: asked
 * for configurations that no finished trial is like, a few times at most; NULL: speeds are assumed
 * there. */
enum status forecast_new(const struct plan *p, struct store *s, bool retry_failed,
                         calibrator *measure, struct forecast **f, struct message *m);
void forecast_free(struct forecast *f);

/* Whether there is nothing that `run` may have to do. */
bool forecast_is_done(const struct forecast *f);

#endif
