/* A slot of the coordinator: one attempt at a trial, from its claim until its ending is committed.
 * slot.c decides what became of an attempt whose worker has ended (enum ending). */
#ifndef SWEEP_RUN_SLOT_H
#define SWEEP_RUN_SLOT_H

#include "sweep/run/process.h"
#include "sweep/run/progress.h"
#include "sweep/run/trial_files.h"

enum { SLOT_LABEL = 320 };

enum ending {
    ENDING_NONE,    /* still running */
    ENDING_FINISH,  /* there is a durable result: completed or diverged */
    ENDING_PAUSE,   /* at its rung, with a durable checkpoint; it has said its whole curve */
    ENDING_FAIL,    /* its own fault: costs a retry */
    ENDING_LIMIT,   /* over a limit: fails at once; resumes under a higher limit */
    ENDING_REQUEUE, /* stopped or killed from outside: resumes later, costs no retry */
    ENDING_FULL,    /* the disk is full: as ENDING_REQUEUE, and the sweep stops */
    ENDING_STORAGE  /* another storage error, or its task's file is not what it was: as ENDING_FULL
                     */
};

struct slot {
    bool busy;         /* from the claim until its ending is committed */
    bool started;      /* the worker said that it trains */
    int64_t pid;       /* of its worker, also when that has ended; 0: could not be started */
    bool pid_recorded; /* in the results file */
    struct process process;
    struct claimed claim;
    char label[SLOT_LABEL]; /* for people: "heads=8 seed=1" */
    int64_t step;           /* newest known */
    double value;           /* of the metric, at the best step so far; NaN before the first
                               evaluation */

    char file[TRIAL_NAME_MAX]; /* name of the durable result in the folder */
    bool finished;             /* the worker said that it is there */
    bool paused;               /* the worker said that it is at its rung */
    enum ending ending;        /* what is to be committed */
    char *result;              /* ENDING_FINISH: trial JSON, owned */
    enum trial_state state;    /* ENDING_FINISH: what the result says */
    char sha256[65];
    struct attempt_end end;
    char killed[160]; /* why the coordinator killed it; "": it did not */
    char error[PROCESS_TAIL + MESSAGE_SIZE];
};

/* Called for every message that is more than progress: rows of the curve, notes. */
typedef void (*slot_listener)(void *context, const struct slot *s, enum wire_type type,
                              const char *text);

/* "heads=8 lr=0.01 seed=1": a trial, for people; label as in struct claimed. */
void slot_label(int64_t heads, const char *label, uint32_t seed, char text[SLOT_LABEL]);

/* Free; what s held before is not looked at. */
void slot_init(struct slot *s);

/* Takes the claimed trial into the free slot s (index i of the view). work: what it takes, for the
 * view. */
void slot_take(struct slot *s, int i, const struct claimed *c, double work,
               struct progress_view *v);

/* Starts its worker. job: what all jobs of this run share, and where its file lies; its trial
 * members are filled here. On failure slot_unstarted. */
enum status slot_start(struct slot *s, struct job *job, char *const environment[],
                       struct message *m);

/* The trial cannot be started for this reason: ENDING_REQUEUE. */
void slot_unstarted(struct slot *s, const char *why);

/* Takes in what the worker said since. A worker that talks nonsense is killed. */
void slot_listen(struct slot *s, int i, struct progress_view *v, slot_listener listen,
                 void *context);

/* Ends a worker that has hung or does not stop when asked. */
void slot_watch(struct slot *s);

/* True once the process has ended: `ending` and what belongs to it are then set. folder: where the
 * durable results lie. */
bool slot_ended(struct slot *s, int i, const char *folder, struct progress_view *v,
                slot_listener listen, void *context);

/* Turns its ending into a failure of the trial's own for this reason. */
void slot_fail(struct slot *s, const char *why);

/* Free for the next trial. */
void slot_clear(struct slot *s);

#endif
