/* Studies: what is asked of trained models, once their trials have completed. A study is a line of
 * studies.def and a file with what it computes; everything else is the same for all. The
 * coordinator makes jobs, each of one trial's weights or of several's, and gives every job to a
 * worker process of its own (job_queue.h). The worker's answer is JSON,
 *
 *     {"split":"val","head_metric":[{"layer":0,"head":0,"importance":0.25},...],"layer_metric":[...]}
 *
 * rows of tables of the results file, which the coordinator commits as each answer comes
 * (sweep/trials/study.h): whoever is cut off asks the same again, and only what is missing is
 * computed. An answer is a pure function of weights, study, options and, in times, of the machine.
 */
#ifndef SWEEP_STUDY_STUDY_H
#define SWEEP_STUDY_STUDY_H

#include "engine/base/arena.h"
#include "engine/base/json_write.h"
#include "sweep/hosts/crew.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/study.h"

struct study_job {
    const char *folder;              /* where the weights lie: store_folder */
    int trials;                      /* at least 1 */
    const struct study_trial *trial; /* (trials); a worker does not get the label */
    const char *options;             /* canonical JSON object */
    const struct data_place *data;   /* of the file that all its trials learned from; to a worker */
};

struct study_answer {
    struct text_buffer json; /* starts empty; freed by who calls */
};

struct study {
    const char *name;
    const char *doing; /* for people: "measuring the heads" */
    /* Runs in a worker, on one thread, OpenBLAS loaded; beats the heart (engine/base/heartbeat.h).
     * What the arena holds is freed by who calls. */
    enum status (*answer)(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m);
};

#define STUDY(name) extern const struct study study_##name;
#include "sweep/study/studies.def"
#undef STUDY

/* The study of that name, or NULL. */
const struct study *study_find(const char *name);

/* ---- asking ---- */

struct study_run_options {
    int workers; /* jobs at once on each machine; 0: as many as it has usable cores */
    bool quiet;  /* no progress; what failed is said all the same */
    struct crew_options crew;
};

struct study_result {
    int answered, failed; /* jobs of this run */
    int before;           /* study_ask: trials that had answered already */
    int64_t sweep_id;     /* study_ask: what was asked for; trial_id is 0 for a whole sweep */
    int64_t trial_id;
};

/* The results file, open to be written, this process its only writer. */
struct study_session;

/* Takes the lock and opens the file, which must be there; signals are caught from then on
 * (sweep/worker/stop.h). BUSY where a run holds it. Nothing is to be closed after a failure. */
enum status study_open(const char *db, const struct study_run_options *o,
                       struct study_session **session, struct message *m);
/* Puts back what study_open has changed; NULL is fine. */
enum status study_close(struct study_session *session, struct message *m);

/* The same for a file that is open already and is only read, by whatever mode: no lock is taken.
 * Answers are not kept but taken: called as each job ends, with its answer, or with NULL and the
 * reason why there is none, which is then said by nobody else. What it fails with ends study_run.
 */
typedef enum status study_take(void *context, const struct study_job *job, const char *answer,
                               const char *why, struct message *m);
enum status study_read(struct store *s, const struct study_run_options *o, study_take *take,
                       void *context, struct study_session **session, struct message *m);

struct store *study_store(struct study_session *session);

/* Runs the jobs of one study and keeps the answers; r counts them. A job that fails is named on
 * stderr with the reason, and the others go on. INTERRUPTED at a signal: jobs that ran are dropped,
 * and m says how far it came and whether the same command goes on from there. Other failures (a
 * full disk, a file that was replaced) end it too; what was answered stays. */
enum status study_run(struct study_session *session, const struct study *study,
                      const struct study_job *jobs, int count, struct study_result *r,
                      struct message *m);

/* Asks a study of every completed trial that has not answered yet, one job each. what: a sweep's
 * name or a trial's number; NULL: the only sweep, or the one run last. The file is opened for
 * writing only if somebody is to be asked. */
struct study_request {
    const char *db, *what, *options; /* options: canonical JSON object */
    const struct study *study;
    struct study_run_options run;
    bool may_find_none; /* that no trial has completed is no error: nobody is asked */
};
enum status study_ask(const struct study_request *q, struct study_result *r, struct message *m);

/* The sweep of that name, else the trial of that number (trial_id 0 for a sweep); NULL as above. */
enum status study_what(struct store *s, const char *what, int64_t *sweep_id, int64_t *trial_id,
                       struct message *m);

#endif
