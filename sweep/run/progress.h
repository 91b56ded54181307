/* The live view of a running sweep, on stderr. On a terminal: what `status` says of it, a row and a
 * line for each trial that runs, redrawn in place, wiped at the end. Elsewhere, and while the run
 * is in the background of its terminal: one plain line per ended trial and nothing else. Quiet:
 * notes only.
 *
 * Call order: progress_new and progress_counts once at the start; then in any order
 * trial_started, update, trial_ended, counts, note; progress_draw from the event loop whenever it
 * turns (it limits itself to 5 redraws a second); progress_finish on every way out, also after a
 * signal. No function fails: what cannot be shown is left out (a view must never stop a sweep).
 * Texts are copied. */
#ifndef SWEEP_RUN_PROGRESS_H
#define SWEEP_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sweep/trials/trials.h"

struct progress_view;

/* err and sweep, the sweep's name, are kept. metric: of the values that are shown. NULL only when
 * memory is out; every function below accepts that. */
struct progress_view *progress_new(FILE *err, bool quiet, const char *sweep, enum metric metric);

/* Where trials run ("on 2 machines: a 4, b 4"), a line below the trials; "" without. */
void progress_hosts(struct progress_view *v, const char *text);

/* So many slots there are from now on, never fewer than before: 0..workers-1. None at first. */
void progress_slots(struct progress_view *v, int workers);

/* Whether frames are drawn, at least in the foreground: what only they show need not be found out
 * otherwise. */
bool progress_live(const struct progress_view *v);

/* Seconds to the end, from now on; NaN: unknown. */
void progress_time_left(struct progress_view *v, double seconds);

struct progress_trial {
    int64_t trial_id;
    const char *label; /* "heads=8 seed=1"; "": its trial_id is shown */
    bool whole;        /* it is not trained but done in one piece: there are no steps to show */
};

/* A trial runs in slot 0..workers-1. */
void progress_trial_started(struct progress_view *v, int slot, const struct progress_trial *t);

/* How far it is: loss and acc are training means; NaN keeps what was shown. The first update after
 * trial_started is where the trial goes on from (its step counts as done before). */
void progress_update(struct progress_view *v, int slot, int64_t step, int64_t steps, double loss,
                     double acc);

/* It ended in this state: TRIAL_QUEUED, or for good; value: the metric's at its best step, NaN
 * where there is none. Frees the slot. Counts it as done or failed until the next progress_counts
 * (which comes after this, not before), and prints its line where no frames are drawn. */
void progress_trial_ended(struct progress_view *v, int slot, enum trial_state state, double value);

/* As a trial that ended as TRIAL_QUEUED, at the step of its rung: it waits for its rivals. */
void progress_trial_paused(struct progress_view *v, int slot, int64_t step, double value);

/* As the view progress counts the sweep's trials. */
void progress_counts(struct progress_view *v, const struct counts *c);

/* A permanent line ("recovered 2 trials from a run that was killed"). Shown under quiet too. */
void progress_note(struct progress_view *v, const char *text);

/* Redraws if the last time is 0.2 s ago. now_s: a monotonic clock in seconds. */
void progress_draw(struct progress_view *v, double now_s);

/* Wipes the live lines, gives the cursor back, frees v. */
void progress_finish(struct progress_view *v);

#endif
