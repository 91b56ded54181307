/* Many jobs, each answered by a worker of its own: what a study asks takes from a tenth of a second
 * to minutes. The workers are those of a crew (sweep/hosts/crew.h), on this machine or on others.
 *
 * The worker sends its answer in pieces (WIRE_ANSWER) and ends with status 0; until then the answer
 * does not count. One that gives no sign of life is ended (sweep/worker/watch.h). What is lost with
 * its machine begins anew. */
#ifndef SWEEP_STUDY_JOB_QUEUE_H
#define SWEEP_STUDY_JOB_QUEUE_H

#include "sweep/hosts/crew.h"

enum { JOB_ANSWER_MAX = 256 << 20 /* bytes */ };

/* How a job ended. What it points to lives as long as the call that gets it. */
struct job_ending {
    const char *answer; /* NULL: it failed */
    const char *error;  /* of one that failed: why */
    double cpu_s;
    const struct build_info *build; /* of what answered */
};

struct job_queue {
    const struct crew_options *crew;
    const char *folder; /* which the crew is to see; absolute where it is on other machines */
    int workers;        /* at once on each machine; 0: as many as it has cores */
    int jobs;
    void *context;
    /* The text of job i, malloced. Anything but OK ends it all. */
    enum status (*text)(void *context, int i, char **text, struct message *m);
    /* There are so many slots from now on, numbered from 0. */
    void (*slots)(void *context, int slots);
    /* Job i begins in a slot. */
    void (*begins)(void *context, int i, int slot);
    /* Job i has ended. Anything but OK ends it all. Workers go on meanwhile. */
    enum status (*ends)(void *context, int i, int slot, const struct job_ending *e,
                        struct message *m);
    /* Job i has left its slot, and will begin again. */
    void (*lost)(void *context, int i, int slot);
    /* A machine is gone. */
    void (*says)(void *context, const char *text);
    /* Called a few times a second. */
    void (*turns)(void *context);
};

/* Runs all jobs, begun in their order, as many at once as there are slots. Between stop_install and
 * stop_restore (sweep/worker/stop.h): at a signal the jobs that run are dropped, and the answer is
 * INTERRUPTED. Other failures: what crew_init, `text` and `ends` say, that no worker can be
 * started, or that no machine is left; jobs that run are dropped then, too. */
enum status job_queue_run(const struct job_queue *q, struct message *m);

#endif
