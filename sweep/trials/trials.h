/* The trials of a results file: every change that may be made to them, and small questions. Where
 * another connection holds a lock, functions return STATUS_BUSY and have changed nothing.
 *
 * The life of a trial (column `state`):
 *
 *                   plan
 *                    |
 *        settle      v         claim                  finish
 * not_needed <--> queued  -------------->  running  -------->  completed, diverged
 *                   ^  ^                     |   |
 *                   |  |    requeue, fail    |   |     fail
 *                   |  +---------------------+   +----------->  failed
 *                   |               retry_failed                  |
 *                   +---------------------------------------------+
 *
 *   from       to                  by                  one transaction commits
 *   -          queued              store_plan          the trial, with its place in the plan
 *   -          queued              store_settle        tune.extend: a value beyond those listed, as
 *                                                      the outermost was chosen; within finish,
 *                                                      fail, plan and merge
 *   queued     running             store_claim         attempt + 1, and a row of `attempt`
 *   running    completed, diverged store_finish        result, curve, the attempt's end, and the
 *                                                      choice under `tune` if this was its last
 *   running    queued              store_requeue       the attempt's end, the step to go on from
 *   running    queued, failed      store_fail          the attempt's end, a retry (queued) or the
 *                                                      choice under `tune` (failed)
 *   failed     queued              store_retry_failed  its retries are given back
 *   running    queued              store_pause         the attempt's end, the step to go on from,
 *                                                      and the rung if this was its last
 *   queued     not_needed and back store_settle        `choice`: under `tune` another value was
 *                                                      chosen, at a rung or in the end; within
 *                                                      finish, fail, pause and plan
 *   queued     not_needed          store_look_judged   the look; `choice` of later looks
 *   -          queued, not_needed  store_confirm       confirm: a row of plan_change, and trials on
 *                                                      fresh seeds, of which the claim needs some
 *   any        -                   store_delete        a row of `deleted`, if it had run
 *
 * Only the coordinator moves trials, and it claims before it spawns: a worker's report counts only
 * while its trial is `running` under exactly its attempt (the fence), so a late report changes
 * nothing. A coordinator that was killed leaves `running` behind; the next one, holding the lock,
 * records the durable result of each such trial or queues it again (sweep/run/recover.h).
 *
 * A queued trial is not claimed while
 *
 *   in_plan = 0         the sweep file no longer asks for it, or its head count no longer chooses
 *                       the value that led to it (added > 0); like any such trial it keeps its
 *                       state, and the result if there is one
 *   in_shard = 0        the last run was told to do another shard than the trial's
 *   choice = 'waiting'  under `tune`: the tuning trials of its head count have not ended;
 *                       with rungs: it has paused (at step `until`, with a checkpoint), and other
 *                       tuning trials have not come as far;
 *                       under `looks`: the look before has not been judged */
#ifndef SWEEP_TRIALS_TRIALS_H
#define SWEEP_TRIALS_TRIALS_H

#include "sweep/db/scope.h"
#include "sweep/db/state.h"
#include "sweep/db/store.h"
#include "sweep/plan/plan.h"

struct build_info {
    char version[64], commit[64], compiler[256], flags[256];
    char openblas[128], core_type[64], kernels[64], cpu[256];
};
enum status store_build(struct store *s, const struct build_info *b, int64_t *build_id,
                        struct message *m);

struct plan_changes {
    int64_t sweep_id;
    long added;                       /* trials that are new */
    long kept;                        /* already there and still in the plan */
    long left;                        /* no longer in the file: in_plan = 0, results kept */
    long returned;                    /* in_plan = 0 before, in the plan again */
    long completed;                   /* of the planned ones, finished before */
    bool changed_text, changed_claim; /* the file differs from the one recorded */
};
/* Inserts or updates the sweep and its trials in one transaction. Where the plan has a shard, only
 * its trials can be claimed. BAD_INPUT ("... use another name or --replace") unless `replace`,
 * where the stored sweep of this name is a stranger (below) or learnt from a file that has changed
 * since (data_file.h). If the claim or the pairs of configuration and seed are others than before,
 * table plan_change records it, with what could be seen by then. Choices, rungs and looks are
 * settled anew where they may have come out otherwise. */
enum status store_plan(struct store *s, const struct plan *p, bool replace,
                       struct plan_changes *changes, struct message *m);

/* Gives points of the plan the identity under which the file has them already, where an earlier
 * version spelled out options that are left out today. Before the plan is stored or held against
 * the file. */
enum status store_adopt(struct store *s, struct plan *p, struct message *m);

/* BAD_INPUT where store_plan would refuse the plan, with its words; nothing is written. */
enum status store_refuse_plan(struct store *s, const struct plan *p, bool replace,
                              struct message *m);

/* What planning would come to: a results file in memory that has of the file s (NULL: there is
 * none) the rows of the sweep of p's name, its plan, trials and looks, and into which p was stored
 * as by store_plan with `replace`. Trials that the file has keep their numbers. */
struct preview {
    struct store *store; /* to be closed */
    int64_t sweep_id;
    int64_t known;          /* the last number of a trial that the file has; others are new */
    struct message refused; /* why store_plan would refuse p without `replace`; ""; where it would
                               refuse it anyhow, none of the file's rows are here */
};
enum status store_preview(struct store *s, const struct plan *p, struct preview *preview,
                          struct message *m);

/* Two sweep files with one name: *stranger says that the file has a sweep of the plan's name with
 * trials in its plan, and that none of them is at a point of this plan. Seeds do not count: a file
 * in which only `seeds` was changed has all its points in common. */
enum status store_stranger(struct store *s, const struct plan *p, bool *stranger,
                           struct message *m);

struct claimed {
    int64_t trial_id; /* 0: nothing to claim */
    bool left;        /* ... but for what is left to other machines */
    int64_t attempt;
    uint32_t seed;
    long resumed_from_step; /* as set by store_requeue; 0 at first */
    char config_json[POINT_JSON_MAX];
    char config_sha256[65];
    char task[64]; /* its name */
    int64_t heads, steps, n_params;
    char label[256]; /* setting and tuned axes, for people; "" when nothing but heads varies */
    bool tuning;
    int64_t until; /* the step at which it is to pause (store_pause); 0: it trains to its end */
};

/* The first queued trial in plan order becomes running on that machine (host NULL: this one).
 * others: one whose last attempt failed or was lost there is left to other machines.
 * Outside begin/commit it is a transaction of its own. Under `tune`, trials that wait for the
 * choice are skipped until every tuning trial of their head count and setting has ended; then (in
 * the transaction that ends the last one) those whose value was not chosen become not_needed. */
enum status store_claim(struct store *s, int64_t sweep_id, int64_t build_id, const char *host,
                        bool others, struct claimed *c, struct message *m);

/* The pid of an attempt, once the process runs. */
enum status store_spawned(struct store *s, int64_t trial_id, int64_t attempt, int64_t pid,
                          struct message *m);

/* A warning for people, kept with the attempt (a checkpoint of another build was used). Several are
 * kept as lines. */
enum status store_add_warning(struct store *s, int64_t trial_id, int64_t attempt, const char *text,
                              struct message *m);

enum { STORE_ERROR_END = 500, STORE_ERRORS_MAX = 64 << 20 };

/* What is known of an ended attempt. Zeros where unknown. */
struct attempt_end {
    int exit_code, signal;
    bool unseen; /* nobody saw the process end: it has neither of the two */
    double cpu_s;
    int64_t max_rss_kib;
    const char *error; /* tail of its stderr, or NULL; where the file has STORE_ERRORS_MAX bytes
                          of such texts, of longer ones the last STORE_ERROR_END bytes are kept */
    int64_t step;      /* of the newest checkpoint it left: the trial goes on from there */
    bool limit_hit;    /* it was over limits.time or limits.memory */
    enum attempt_cause cause; /* of store_requeue */
};

/* How a trial's attempt ended. All are fenced: they change something only if the trial is running
 * under exactly this attempt; *accepted says whether it was. */

/* result: JSON as sweep/worker/result.h describes it; curve rows included. checkpoint: the
 * file's name in the folder, and its SHA-256. State completed, or diverged when the result says so.
 * CORRUPT where the result is not what it should be (no JSON, a missing or impossible number). */
enum status store_finish(struct store *s, int64_t trial_id, int64_t attempt, const char *result,
                         const char *checkpoint, const char *sha256, const struct attempt_end *end,
                         bool *accepted, struct message *m);
/* Failed for good, or queued again while retries are left. *failed says which. */
enum status store_fail(struct store *s, int64_t trial_id, int64_t attempt, int64_t retries,
                       const struct attempt_end *end, bool *failed, bool *accepted,
                       struct message *m);
/* Queued again without costing a retry: stopped, killed, lost. */
enum status store_requeue(struct store *s, int64_t trial_id, int64_t attempt,
                          const struct attempt_end *end, bool *accepted, struct message *m);

/* Paused at its rung, with a checkpoint: end->step is claimed.until. Queued again, and waits until
 * the other tuning trials of its head count have come as far. If it is the last of them, the same
 * transaction decides which go on and which are eliminated. To be called after store_curve has
 * been given the whole curve. */
enum status store_pause(struct store *s, int64_t trial_id, int64_t attempt,
                        const struct attempt_end *end, bool *accepted, struct message *m);

/* Live rows of the curve while a trial runs (JSON array of rows); replaced at the finish. CORRUPT
 * where they are not: nothing has changed. */
enum status store_curve(struct store *s, int64_t trial_id, int64_t attempt, const char *rows,
                        struct message *m);

/* Trials that are not in the plan have no weights any more (`gc --out-of-plan`). */
enum status store_forget_weights(struct store *s, struct message *m);

/* How many trials of a sweep have run, or run, with another metric than this, which chose their
 * best steps. */
enum status store_other_metric(struct store *s, const char *sweep, enum metric metric,
                               int64_t *trials, struct message *m);

/* Trials in state running (of a coordinator that is gone): up to max ids with attempts. Returns the
 * count in *n. */
struct running {
    int64_t trial_id, attempt;
    char config_sha256[65];
    uint32_t seed;
    int64_t n_params;
};
enum status store_running(struct store *s, struct running *list, int max, int *n,
                          struct message *m);

/* Failed trials of a sweep become queued again with their retries restored (--retry-failed). */
enum status store_retry_failed(struct store *s, int64_t sweep_id, long *count, struct message *m);

/* Values that tune.extend has added to a sweep, of those with trials numbered above *after, which
 * becomes the number of the file's last: a line for each, unless `said` is NULL. */
enum status store_added(struct store *s, int64_t sweep_id, int64_t *after, struct text_buffer *said,
                        struct message *m);

/* ---- looks ---- */

struct look_due {
    int look; /* 0: none is due */
    char setting[PLAN_TEXT_MAX];
};
/* The first setting, in the order of the plan, of which all trials up to the open look have ended,
 * and which was not judged by them yet. The verdict of it (evidence.h) says what to tell
 * store_look_judged; then ask again. */
enum status store_look_due(struct store *s, int64_t sweep_id, struct look_due *due,
                           struct message *m);

/* Records what a look came to; kind: verdict_kind_name. Decided: trials of later looks become
 * not_needed. Not: those of the next one can be claimed. One transaction; a look that is not due
 * (it was judged in between) changes nothing. */
enum status store_look_judged(struct store *s, int64_t sweep_id, const struct look_due *due,
                              const char *kind, bool decided, struct message *m);

/* ---- confirm ---- */

/* Parts of statements (trials.sql): CLAIMS_HOLD, ITS_TRIAL. */
#include "trials_parts.h"

/* Whether there is a setting of which all exploring trials have ended, and for which nothing that
 * is written down holds: the first in the order of the plan. The verdict on it says what to tell
 * store_confirm; then ask again. */
enum status store_confirm_due(struct store *s, int64_t sweep_id, char setting[PLAN_TEXT_MAX],
                              bool *due, struct message *m);

struct confirm_claim {
    int64_t best, over[2];
    int over_count;
};

/* Writes down what is to be confirmed of a setting that is due, and makes its trials on fresh seeds
 * or instances: those of head counts that the claim does not name are not_needed. claim NULL:
 * nothing is, so that all are. kind: of the verdict on the exploring trials, verdict_kind_name. One
 * transaction. */
enum status store_confirm(struct store *s, int64_t sweep_id, const char *setting, const char *kind,
                          const struct confirm_claim *claim, struct message *m);

/* ---- what people change, while no run holds the file ---- */

/* Gives a sweep another name. BAD_INPUT where it is no name, or another sweep's. */
enum status store_rename(struct store *s, int64_t sweep_id, const char *name, struct message *m);

/* Keeps a person's note, one line of text, in the place of the one there was; "" takes it away.
 * BAD_INPUT says what is wrong with the text. */
enum status store_set_sweep_note(struct store *s, int64_t sweep_id, const char *text,
                                 struct message *m);
enum status store_set_trial_note(struct store *s, int64_t trial_id, const char *text,
                                 struct message *m);

/* Removes a sweep and its trials with all their rows; table `deleted` keeps which had run. Their
 * files are the caller's to remove afterwards (what is cut off in between, `gc` finds). */
enum status store_delete(struct store *s, int64_t sweep_id, struct message *m);

/* ---- questions ---- */

/* The trials of a sweep's plan as the view progress counts them. */
struct counts {
    long planned;              /* those that can still run or have ended ... */
    long ended;                /* completed, diverged or failed */
    long trials[TRIAL_STATES]; /* ... by state; TRIAL_NOT_NEEDED: in addition to them */
    long elsewhere;            /* queued ones of other shards, in none of these */
    long half_done;            /* of the queued: they resume from a checkpoint */
};
enum status store_counts(struct store *s, int64_t sweep_id, struct counts *c, struct message *m);

/* What of the shards (plan.h) of a sweep is not in the file, or was left in it before its end:
 * where several are in it, which each run leaves as they are but for its own. Of long lists the
 * beginning, but for JSON. */
struct shards {
    int64_t of;              /* how many there are in all; 0: it was not run in shards */
    char missing[160];       /* "1 and 3 to 8"; "" */
    char unfinished[280];    /* "shards 2 (5 trials left) and 4 (1 trial left)"; "" */
    int64_t lefts;           /* how many are unfinished */
    int64_t first_left;      /* the first of them; 0: none */
    struct text_buffer json; /* [{"shard":2,"trials":5}, ...], NULL: the file has not several */
};
/* The shard that a run does at the moment is none that was left. own: this process holds the lock
 * of the file, so that no run is at work. Free with shards_free, after a failure too. */
enum status store_shards(struct store *s, int64_t sweep_id, bool own, struct shards *shards,
                         struct message *m);
void shards_free(struct shards *shards);
/* As store_shards with `own` false, in a scope, which frees them. */
void scope_shards(struct scope *x, int64_t sweep_id, struct shards *shards);

/* Tuning trials of a sweep's plan that were eliminated after they had run, each with its newest
 * attempt: their checkpoints are of no use any more. trial_id > 0: only those of its setting and
 * head count. *list malloced, NULL where there is none. */
struct loser {
    int64_t trial_id, attempt;
};
enum status store_losers(struct store *s, int64_t sweep_id, int64_t trial_id, struct loser **list,
                         int *count, struct message *m);

/* Id of the sweep of that name; BAD_INPUT lists the names there are. name NULL: the only one, or
 * the one run last. */
enum status store_sweep(struct store *s, const char *name, int64_t *sweep_id, struct message *m);

/* The name of a sweep; "" where there is none of this id. */
enum { STORE_NAME_SIZE = CONFIG_NAME_BYTES + 1 };
enum status store_sweep_name(struct store *s, int64_t sweep_id, char name[STORE_NAME_SIZE],
                             struct message *m);

/* Trial by id ("12"), or BAD_INPUT. */
enum status store_trial(struct store *s, const char *text, int64_t *trial_id, struct message *m);

#endif
