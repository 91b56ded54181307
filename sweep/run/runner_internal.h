/* What the coordinator's files share; nobody else includes this.
 *
 *   runner_start.c   what comes before the first claim: plan, recovery
 *   runner.c         the loop; what an ending means for the sweep; the end of a run
 *   runner_commit.c  writes what is due to the results file, and claims trials for free slots */
#ifndef SWEEP_RUN_RUNNER_INTERNAL_H
#define SWEEP_RUN_RUNNER_INTERNAL_H

#include "engine/base/clock.h"
#include "sweep/run/forecast.h"
#include "sweep/run/looks.h"
#include "sweep/run/progress.h"
#include "sweep/run/runner.h"
#include "sweep/run/slot.h"
#include "sweep/run/turn.h"

enum {
    LOST_LIMIT = 5,   /* attempts killed without progress before a trial counts as failed */
    BARREN_LIMIT = 3, /* trials in a row that fail before their first step: something is broken */
    LOST_KNOWN = 64
};

struct remark { /* live rows of a curve, or a warning; not yet in the file */
    int64_t trial, attempt;
    bool is_note;
    char *text;
};

struct lost { /* a trial that was killed again and again */
    int64_t trial, step;
    int count;
};

struct runner {
    const struct plan *plan;
    struct store *store;
    struct progress_view *view;
    struct forecast *forecast; /* what trials take, for the time left; NULL: all alike */
    int64_t sweep_id, build_id;
    struct job job; /* what all jobs of this run share */
    char **environment;

    int slots;
    struct slot *slot;     /* (slots) */
    struct claimed *claim; /* (slots): claimed in the present transaction */
    int claims;
    int remarks, remark_capacity;
    struct remark *remark;
    bool pids_due; /* the file does not know yet who runs the trials claimed last */

    struct lost lost[LOST_KNOWN];
    int barren;
    int64_t barren_trial[BARREN_LIMIT]; /* (barren) */

    bool drained;      /* nothing to claim until something ends */
    bool stopping;     /* by a signal, a full disk or an error */
    double stopping_s; /* since when */
    bool ran;
    enum status error; /* why it stops, if not by a signal */
    struct message why;
    double committed_s, retry_s;
    double heads_due_s;  /* not before, the table by heads is filled again */
    double left_due_s;   /* not before, what is left is forecast again */
    double busy_since_s; /* 0: the file is not locked by another program; -1: it is, and was said */
    struct turn turn;    /* before anything runs there is time: the lock is waited for */
};

/* ---- runner.c ---- */

void runner_say(struct runner *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A slot_listener whose context is the runner: keeps rows of a curve and notes for the next commit;
 * a note is shown at once too. Where memory is out, rows are left to the result, which has them
 * all; a trial that has paused without all of them is not taken to have come as far
 * (store_settle_rungs), and says them once more. */
void runner_hear(void *context, const struct slot *s, enum wire_type type, const char *text);

/* Claims nothing more and lets workers checkpoint and end; the first reason is the run's outcome.
 */
void runner_stop_for(struct runner *r, enum status s, const char *why);

/* Slots whose worker still runs; slots whose ending is not in the file yet. */
int runner_alive(const struct runner *r);
int runner_ended(const struct runner *r);

/* ---- runner_start.c ---- */

/* Brings the opened file to where trials can be claimed: the build and the plan are in it, and what
 * a run that was cut off left behind is taken in. */
enum status runner_prepare(struct runner *r, const struct runner_options *o, struct message *m);

/* ---- runner_kernels.c ---- */

/* Says where the environment keeps OpenBLAS from using what the CPU can do, what that costs and
 * what to do about it: once for each results file and build, before the first attempt of it.
 * Kernels that the library itself chose poorly are bettered without a word (blas_load). */
void runner_tell_kernels(struct runner *r);

/* ---- runner_commit.c ---- */

bool runner_commit_due(const struct runner *r);

/* One transaction: remarks, endings, and claims for the slots that are free then; after it the
 * claimed trials are started. Where another program holds the file (BUSY) nothing has changed, all
 * is kept for the next try, and the answer is OK. */
enum status runner_commit(struct runner *r, struct message *m);

/* Judges the looks that are due, in a transaction of its own, and says what they came to: at the
 * start, where a predecessor or another sweep file left results that were not judged. */
enum status runner_judge_looks(struct runner *r, struct message *m);

/* Removes what tuning trials that lost at a rung left in the folder: rivals of this trial, or (0)
 * all of the sweep. Best effort: what stays is found by `gc`. */
void runner_remove_losers(struct runner *r, int64_t trial_id);

/* Tells the view what is left to do. */
void runner_show_left(struct runner *r);

/* Reports how many trials are done, failed, running and left. */
void runner_show_counts(struct runner *r);

#endif
