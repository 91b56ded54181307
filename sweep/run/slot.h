/* A slot of the coordinator: one attempt at a trial, from its claim until its ending is committed.
 * slot.c decides on the outcome of an attempt whose worker has ended (enum ending). */
#ifndef SWEEP_RUN_SLOT_H
#define SWEEP_RUN_SLOT_H

#include "engine/base/text.h"
#include "sweep/hosts/host.h"
#include "sweep/run/progress.h"
#include "sweep/worker/trial_files.h"

enum { SLOT_LABEL = 320 };

enum ending {
    ENDING_NONE,      /* still running */
    ENDING_FINISH,    /* there is a durable result: completed or diverged */
    ENDING_PAUSE,     /* at its rung, with a durable checkpoint; it has said its whole curve */
    ENDING_FAIL,      /* its own fault: costs a retry */
    ENDING_GIVE_UP,   /* over a limit, or lost too often: fails at once; may resume when retried */
    ENDING_REQUEUE,   /* stopped or killed from outside: resumes later, costs no retry */
    ENDING_DISK_FULL, /* the disk is full: as ENDING_REQUEUE, and the sweep stops */
    ENDING_STORAGE    /* the same; another storage error, or its task's file is not what it was */
};

/*            claimed            slot_take          slot_unstarted, slot_ended, slot_lost
 *     FREE --------> CLAIMED ------------> RUNS ------------------------------------> ENDED
 *       ^                                                                               |
 *       +------------- slot_clear, once its ending is committed --------------------------+
 */
enum slot_phase {
    SLOT_FREE,
    SLOT_CLAIMED, /* a trial is its own, which it has yet to take in */
    SLOT_RUNS,    /* its worker does, or is about to */
    SLOT_ENDED    /* `ending` says how */
};

/* What its worker has said of itself. */
enum slot_said {
    SLOT_SILENT,
    SLOT_TRAINS,
    SLOT_PAUSED,  /* it is at its rung */
    SLOT_FINISHED /* the durable result is there */
};

struct slot {
    int index;         /* of the view */
    int machine;       /* the runner's number of the machine that it is on */
    struct host *host; /* that machine */
    int lane;          /* the slot's number there */
    struct slot *next; /* in the list that it is in (struct slot_list) */

    enum slot_phase phase;
    enum slot_said said;
    int threads; /* that its worker was granted last */
    int64_t pid; /* of its worker, also when that has ended; 0: not heard of */

    /* What the claim said that lives on. There are very many slots: no texts of the claim. */
    int64_t trial_id, attempt, until, n_params, resumed_from_step;
    uint32_t seed;
    bool tuning;
    char config_sha256[65];

    char label[SLOT_LABEL]; /* for people: "heads=8 seed=1" */
    int64_t step;           /* newest known */
    double value;           /* of the metric, at the best step so far; NaN before the first
                               evaluation */

    int64_t notes;             /* that its worker has sent */
    char file[TRIAL_NAME_MAX]; /* name of the durable result in the folder */
    enum ending ending;        /* what is to be committed */
    char *result;              /* ENDING_FINISH: trial JSON, owned */
    enum trial_state state;    /* ENDING_FINISH: what the result says */
    char sha256[65];
    struct attempt_end end;
    enum watch_verdict killed_for; /* WATCH_FINE: not killed, or nobody knows why */
    char killed[160];              /* why it was; "": it was not */
    bool alone;                    /* nothing else could be begun beside it on its machine */
    bool failed, accepted;         /* its outcome in the file: once it is committed */
    struct text_buffer error;      /* what it said last, and what we say of its end */
};

/* Called for every message that is more than progress: rows of the curve, notes. */
typedef void (*slot_listener)(void *context, const struct slot *s, enum wire_type type,
                              const char *text);

/* "heads=8 lr=0.01 seed=1": a trial, for people; label as in struct claimed. */
void slot_label(int64_t heads, const char *label, uint32_t seed, char text[SLOT_LABEL]);

/* Slots in the order in which they came; a slot is in one list at most. */
struct slot_list {
    struct slot *first, *last;
    int count;
};
void slot_list_add(struct slot_list *l, struct slot *s);
struct slot *slot_list_take(struct slot_list *l);        /* the first; NULL: there is none */
void slot_list_remove(struct slot_list *l, int machine); /* all that are on that machine */

/* n free slots of a machine, the first one the view's `index`. NULL: out of memory. Free with
 * slots_free. */
struct slot *slots_new(int n, int index, int machine, struct host *host);
void slots_free(struct slot *slots, int n);

/* Why it ended as it did; "" where nobody said. */
const char *slot_error(const struct slot *s);

/* Takes the claimed trial into the free slot s. */
void slot_take(struct slot *s, const struct claimed *c, struct progress_view *v);

/* Has its host start its worker. job: what all jobs of this run share, where its file
 * lies and what its machine computes with; its trial members are filled here, from c. On failure
 * slot_unstarted. */
enum status slot_start(struct slot *s, const struct claimed *c, struct job *job, struct message *m);

/* The trial cannot be started for this reason: ENDING_REQUEUE. */
void slot_unstarted(struct slot *s, const char *why);

/* Takes in one message of the worker's. Of its notes only the first SLOT_NOTES_MAX are passed on,
 * each cut to SLOT_NOTE_SIZE: a broken worker or machine must not fill the results file. */
enum { SLOT_NOTES_MAX = 8, SLOT_NOTE_SIZE = 2000 };
void slot_hear(struct slot *s, struct progress_view *v, const struct wire_frame *f,
               slot_listener listen, void *context);

/* Its worker has ended: one more note says how many were left out, if any were. */
void slot_count_notes(const struct slot *s, slot_listener listen, void *context);

/* Grants its worker so many threads, if that is news; nothing before it is started. */
void slot_set_threads(struct slot *s, int threads);

/* Asks its worker to save a checkpoint and end; kills it. */
void slot_stop(struct slot *s);
void slot_kill(struct slot *s);

/* Its worker has ended, and e says how: `ending` and what belongs to it are then set. folder: where
 * the durable results lie. */
void slot_ended(struct slot *s, const char *folder, const struct worker_end *e);

/* Its host is lost, and nobody knows what its worker does: a result that lies durable counts, else
 * ENDING_REQUEUE. Should the worker live on, it cannot harm its successor (trial_files.h). */
void slot_lost(struct slot *s, const char *folder, const char *why);

/* Turns its ending into ENDING_REQUEUE, from what is in the folder. */
void slot_requeue(struct slot *s, const char *folder);

/* Turns its ending into a failure of the trial's own for this reason. */
void slot_fail(struct slot *s, const char *why);

/* Turns its ending, after which it could resume, into ENDING_GIVE_UP for this reason. */
void slot_give_up(struct slot *s, const char *why, bool limit_hit);

/* Free for the next trial. */
void slot_clear(struct slot *s);

#endif
