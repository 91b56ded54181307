/* What `run` would do with every trial of a plan, or of its shard, and how long it would take: the
 * plan held against what a results file already has. Reads only. */
#ifndef SWEEP_RUN_FORECAST_H
#define SWEEP_RUN_FORECAST_H

#include "sweep/run/cost.h"
#include "sweep/worker/calibrate.h"

enum forecast_state { /* the first is of trials that the file does not have */
                      FORECAST_NEW,
                      FORECAST_QUEUED,
                      FORECAST_RUNNING = FORECAST_QUEUED + TRIAL_RUNNING,
                      FORECAST_COMPLETED = FORECAST_QUEUED + TRIAL_COMPLETED,
                      FORECAST_DIVERGED = FORECAST_QUEUED + TRIAL_DIVERGED,
                      FORECAST_FAILED = FORECAST_QUEUED + TRIAL_FAILED,
                      FORECAST_NOT_NEEDED = FORECAST_QUEUED + TRIAL_NOT_NEEDED,
                      FORECAST_ELSEWHERE = FORECAST_QUEUED + TRIAL_STATES, /* for other shards */
                      FORECAST_STATES
};

/* Why a trial is in its state, where the state does not say it. */
enum forecast_note {
    FORECAST_PLAIN,
    FORECAST_LIMITED, /* failed: stopped by a limit */
    FORECAST_RUNG,    /* queued: waits at a rung; not needed: eliminated there */
    FORECAST_LOOK,    /* queued: waits for an earlier look; not needed: that look has decided */
    FORECAST_CHOICE,  /* new, queued: runs if tuning chooses its value */
    FORECAST_CONFIRM, /* confirms what the others have found; not needed: no claim names it */
    FORECAST_NOTES
};

struct forecast_point {
    char sha256[65];
    int64_t heads, n_params, steps;
    int look;      /* the open one: the last that a trial has got a go for; at least 1 */
    bool chosen;   /* by tune, as far as the file says */
    bool reopened; /* ... which may not hold: its head count chooses from other values now */
    double flops_per_step;
    double work;             /* FLOPs of one trial */
    double trial_s;          /* seconds of one trial on one core */
    enum cost_source source; /* ... as known from where */
    long count[FORECAST_STATES];
    long spare; /* of its trials that would run: not needed, whatever tune chooses (plan_spare) */
};

struct forecast_trial {
    enum forecast_state state;
    int64_t trial_id; /* 0: new */
    bool waits;       /* for a choice of `tune`, at a rung, for a look */
    bool spare;
    int64_t step; /* where it goes on from */
    enum forecast_note note;
};

/* A trial that the file has of a value that tune.extend has added. */
struct forecast_added {
    int64_t trial_id;
    uint32_t seed;
    char sha256[65], tuning[PLAN_TEXT_MAX];
    int steps;  /* beyond the values that the sweep file lists */
    long point; /* a listed one of the same setting and head count */
    bool is_tuning, spare;
    enum forecast_state state;
    enum forecast_note note;
};

/* A value that tune.extend adds as soon as the sweep is planned again: a head count has chosen the
 * outermost one, and the sweep file asks for more than it did. */
struct forecast_due {
    long point;                 /* a listed one of its setting and head count */
    char tuning[PLAN_TEXT_MAX]; /* with the next number */
    long trials; /* tuning trials of it; 0: the file has them, from before, and they come back */
};

/* A trial that the file has of those on fresh seeds (`confirm`). */
struct forecast_confirming {
    int64_t trial_id;
    uint32_t seed;
    char sha256[65];
    long point; /* a listed one of the same setting and head count */
    enum forecast_state state;
    enum forecast_note note;
};

struct forecast {
    long points, trials;
    struct forecast_point *point;   /* (points), as plan_point */
    struct forecast_point **sorted; /* (points), by sha256 */
    struct forecast_trial *trial;   /* (trials), as plan_trial */
    /* As the view progress counts them: those that can still run or have ended; those that cannot,
     * and, where tune has not chosen yet, the spare ones; those of other shards. */
    long planned, not_needed, elsewhere;
    long to_run; /* of the planned */
    long noted[FORECAST_STATES]
              [FORECAST_NOTES];   /* all by state and note, spare ones as not needed */
    struct forecast_added *added; /* (added_count): counted above, not among `trial`; in the order
                                     of `point`, those of a value side by side */
    long added_count;
    struct forecast_due *due; /* (due_count) */
    long due_count;
    long will_add, may_add; /* the fewest and the most tuning trials that tune.extend may still add
                               and run; in none of the counts above */
    struct forecast_confirming *confirming; /* (confirming_count): likewise */
    long confirming_count;
    long may_confirm;       /* the most trials on fresh seeds of settings whose claim is not written
                               down yet */
    double may_confirm_s;   /* ... and their core seconds, part of left_s.most */
    long leaving;           /* trials of the sweep in the file that this plan no longer has */
    long reopened;          /* head counts, in each setting, that may choose otherwise by now */
    bool other_plan;        /* the file's sweep of this name shares no point with this plan */
    int64_t other_metric;   /* ... has trials whose best step another metric chose */
    struct message changed; /* ... learnt from a file that has changed since; "" */
    long candidates;        /* the most values of the tuned axes that a head count has, of which one
                               will be chosen; 1 without tune */
    struct cost cost;
    /* Of everything that would run: how many trials, without those of tuning, and core seconds.
     * tune.extend: least if it adds nothing more, most if all that it may, expected half of it.
     * Under `tune` one candidate of each head count is counted; under rungs, of the tuning trials
     * those that train on. least: the open look decides in every setting; most: only the last look
     * does; expected: each look that is left is as likely to be the one. confirm: least if there is
     * nothing to confirm, most if there is in every setting, for the head counts that take longest.
     * Without looks, tune.extend and confirm the three are equal, but where head counts may choose
     * anew: least if they choose as before, most if all choose otherwise. */
    struct forecast_range {
        double least, expected, most;
    } trials_left, left_s;
    long tuning_left; /* tuning trials that would run */
    /* Steps of all tuning trials from their beginning, and of those what rungs leave. */
    double tuning_steps, tuning_steps_left;
};

/* s: NULL where there is no results file. retry_failed: failed trials would run too. measure: asked
 * for points that no finished trial is like, a few times at most; NULL: speeds are assumed there.
 */
enum status forecast_new(const struct plan *p, struct store *s, bool retry_failed,
                         calibrator *measure, struct forecast **f, struct message *m);
void forecast_free(struct forecast *f);

/* Whether there is nothing that `run` may have to do. */
bool forecast_is_done(const struct forecast *f);

/* Seconds of one trial of that configuration; 0 where the plan has none. */
double forecast_trial_s(const struct forecast *f, const char *sha256);

/* Index of the point with that configuration; -1 where the plan has none. */
long forecast_index(const struct forecast *f, const char *sha256);

/* Whether `run` would take a trial of that state up, and the reason in a few words. */
bool forecast_runs(enum forecast_state s, bool retry_failed);
long forecast_to_run(const struct forecast_point *q, bool retry_failed); /* but for spare ones */
const char *forecast_name(enum forecast_state s);
const char *forecast_reason(enum forecast_state s, enum forecast_note note, bool retry_failed);

#endif
