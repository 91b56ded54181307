/* What the coordinator's files share; nobody else includes this.
 *
 *   runner_start.c   what comes before the first claim: plan, recovery
 *   runner.c         the loop; the end of a run
 *   runner_cores.c   how many trials at once, and the threads of each
 *   runner_hosts.c   the machines: their slots come, go and come back with them
 *   runner_faults.c  what went wrong, and what that costs (strikes.h)
 *   runner_commit.c  writes what is due to the results file, and claims trials for free slots
 *
 * A slot is free (in runner.free), runs (counted in runner.alive), has ended (in runner.ended,
 * until its ending is committed), or its machine is not at work and it is in no list. */
#ifndef SWEEP_RUN_RUNNER_INTERNAL_H
#define SWEEP_RUN_RUNNER_INTERNAL_H

#include <poll.h>

#include "engine/base/clock.h"
#include "sweep/hosts/crew.h"
#include "sweep/run/busy_retry.h"
#include "sweep/run/confirm.h"
#include "sweep/run/cores.h"
#include "sweep/run/cost.h"
#include "sweep/run/looks.h"
#include "sweep/run/progress.h"
#include "sweep/run/runner.h"
#include "sweep/run/slot.h"
#include "sweep/run/strikes.h"
#include "sweep/worker/memory_budget.h"

enum { CLAIMS_MAX = 256 }; /* in one transaction */

enum pending_event_kind { PENDING_CURVE, PENDING_WARNING, PENDING_SPAWNED };

struct pending_event { /* what the file is to know of a running trial; not yet in it */
    enum pending_event_kind kind;
    int64_t trial, attempt;
    char *text;  /* rows of its curve, a warning; owned */
    int64_t pid; /* SPAWNED */
};

/* This machine, or one of --hosts. */
struct machine {
    struct host *host;
    int64_t build_id;                /* of its attempts; 0: not in the file yet */
    char build[512];                 /* of its jobs */
    char data_good[DATA_STAMP_SIZE]; /* of the copy that was read there last, and was right */
    struct cores cores;
    int slots;         /* 0: not known yet */
    struct slot *slot; /* (slots) */
    bool works;        /* its slots may be claimed for */
    bool heard;        /* its host said hello, or could not, at least once */
    int most;          /* trials at once: as many as it has slots, or has room for */
    /* In the present transaction: */
    bool passed; /* nothing was found to claim for it */
    int claims;  /* for it */
    /* strikes.h: */
    int strikes;
    int64_t struck[STRIKES_MACHINE]; /* (strikes): for which trials */
    struct slot *isolating; /* of a trial with strikes that has yet to get further: nothing else
                               begins there; NULL: none */
};

struct runner {
    const struct plan *plan;
    struct store *store;
    struct progress_view *view;
    int64_t sweep_id;
    int64_t last_added; /* the last trial of a value that tune.extend had added and we know of */
    struct job job;     /* what all jobs of this run share */

    struct crew crew;
    int machines;
    struct machine *machine; /* (machines): the crew's */
    struct runner_hosts *hosts;
    int slots; /* of all machines that are known so far */
    struct slot_list free, ended;
    int alive;             /* slots whose worker runs */
    struct claimed *claim; /* (CLAIMS_MAX): claimed in the present transaction */
    struct slot *claimed_for[CLAIMS_MAX];
    int claims;
    int events;
    struct pending_event *event; /* (events) */

    struct strikes strikes;
    bool builds_due;   /* of machines that have become ready */
    bool dry;          /* the last transaction left slots free, with nothing to claim for them */
    bool drained;      /* nothing to claim until something ends */
    bool done;         /* by the last count nothing of the plan is queued or runs */
    bool stopping;     /* by a signal, a full disk or an error */
    double stopping_s; /* since when */
    bool ran;
    enum status error; /* why it stops, if not by a signal */
    struct message why;
    double committed_s, retry_s;
    double counts_due_s; /* while trials run not before, they are counted again */
    double left_due_s;   /* not before, the time left is estimated again */
    double busy_since_s; /* 0: the file is not locked by another program; -1: it is, and was said */
    struct busy_retry busy; /* before anything runs there is time: the lock is waited for */
};

/* ---- runner.c ---- */

void runner_say(struct runner *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A slot_listener whose context is the runner: keeps rows of a curve and notes for the next commit;
 * a note is shown at once too. Where memory is out, rows are left to the result, which has them
 * all; a trial that has paused without all of them is not taken to have come as far
 * (store_settle_rungs), and says them once more. */
void runner_on_worker_message(void *context, const struct slot *s, enum wire_type type,
                              const char *text);

/* Claims nothing more and lets workers checkpoint and end: as after a signal. */
void runner_stop(struct runner *r);
/* The same because of an error; the first one is the run's outcome. */
void runner_stop_for(struct runner *r, enum status s, const char *why);

/* Keeps for the next commit who runs the slot's trial. */
void runner_note_spawned(struct runner *r, const struct slot *s);

/* Makes n slots of a machine that has none yet. */
enum status runner_make_slots(struct runner *r, struct machine *machine, int n, struct message *m);

/* Slots of the machine whose worker runs. */
int runner_running_on(const struct machine *machine);

/* The machine's slots that are not busy may be claimed for, or not any more. */
void runner_machine_works(struct runner *r, struct machine *machine, bool works);

/* ---- runner_cores.c ---- */

/* What there is for trials on a machine of so many usable cores and free bytes, on which somebody
 * asked for so many trials at once (0: nobody did). Returns how many slots that are; *wanted: how
 * many they were if memory sufficed; *largest: as memory_budget_trials. */
int runner_grant_cores(const struct runner *r, struct machine *machine,
                       const struct memory_budget *memory, int usable, int64_t asked,
                       double available, int *wanted, double *largest);

/* Tells every worker how many threads it may use now: after a transaction, when it is known which
 * free slots find nothing to run. */
void runner_share_cores(struct runner *r);

/* ---- runner_hosts.c ---- */

/* Makes the machines of o->crew, not started yet. */
enum status runner_hosts_new(struct runner *r, const struct runner_options *o, struct message *m);
void runner_hosts_free(struct runner *r);

/* Listens to the hosts, and does what is due. */
void runner_hosts_turn(struct runner *r);

/* Within the transaction: records the builds of machines that have become ready. */
enum status runner_hosts_record(struct runner *r, struct message *m);
/* ... and once it is committed: their slots are free. */
void runner_hosts_recorded(struct runner *r);

/* ---- runner_faults.c ---- */

/* The slot's worker has said something. */
void runner_hear(struct runner *r, struct slot *s, const struct wire_frame *f);

/* It has ended like this, or could not be started: what that means for trial, machine and run. The
 * ending is due to be committed. */
void runner_take_ending(struct runner *r, struct slot *s, const struct worker_end *e);

/* The same, of a slot whose machine is lost: as slot_lost had it. at_work: it was, until then. */
void runner_take_loss(struct runner *r, struct slot *s, bool at_work);

/* From now on so many trials at once (1 at least) begin on the machine; why: fewer than before. */
void runner_limit_trials(struct runner *r, struct machine *machine, int most, const char *why);

/* The slot's trial has got further, has ended, or does not begin: others may begin on its machine
 * again. */
void runner_release_machine(struct runner *r, const struct slot *s);

/* Whether another machine is at work. */
bool runner_others_work(const struct runner *r, const struct machine *machine);

/* ---- runner_start.c ---- */

/* Brings the opened file to where trials can be claimed: the build and the plan are in it, and what
 * a run that was cut off left behind is taken in. */
enum status runner_prepare(struct runner *r, const struct runner_options *o, struct message *m);

/* What jobs say of what computes them (struct job, build). */
void runner_build_words(const struct build_info *b, char *text, size_t size);

/* ---- runner_commit.c ---- */

bool runner_commit_due(const struct runner *r);

/* Says each line of a text, which is freed and emptied. */
void runner_say_lines(struct runner *r, struct text_buffer *lines);

/* One transaction: pending events, endings, and claims for the slots that are free then; after it
 * the claimed trials are started. Where another program holds the file (BUSY) nothing has changed,
 * all is kept for the next try, and the answer is OK. */
enum status runner_commit(struct runner *r, struct message *m);

/* Judges the looks that are due and writes down what is to be confirmed, in a transaction of its
 * own, and says what they came to: at the start, where a predecessor or another sweep file left
 * results that were not judged. */
enum status runner_judge_looks(struct runner *r, struct message *m);

/* Removes what tuning trials that lost at a rung left in the folder: rivals of this trial, or (0)
 * all of the sweep. Best effort: what stays is found by `gc`. */
void runner_remove_losers(struct runner *r, int64_t trial_id);

/* Shows how many trials are done, failed and left, and in how long they will be done, where it is
 * time to ask again. */
void runner_show_counts(struct runner *r);

#endif
