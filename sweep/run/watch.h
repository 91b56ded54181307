/* Whether a worker that says nothing is at work or has hung.
 *
 * A worker gives signs of life while it computes (WIRE_ALIVE, and every other message). What counts
 * as silence is the CPU time that it has used since the last one, and the time that it slept. Time
 * in which it was stopped (SIGSTOP), waited for a disk or for its turn on a crowded machine is not
 * its fault; so a step may take as long as it has to. Pure: it is told what the time and the
 * process are, so that tests need neither. */
#ifndef SWEEP_RUN_WATCH_H
#define SWEEP_RUN_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/* A silent worker has hung after this many seconds or this many times its longest silence before,
 * whichever is more; HEADCOUNT_SILENCE_S, for tests, replaces the first. A worker that has been
 * asked to stop, or has said its last word, gets WATCH_STOP_S to end: less than the 10 s within
 * which a run ends that is asked to (stop.h). */
enum { WATCH_SILENCE_S = 60, WATCH_SILENCES = 20, WATCH_STOP_S = 8 };

struct watch {
    double patience_s; /* the first of the two above */
    double silent_s, longest_s;
    double looked_s, cpu_s; /* when it was looked at last, and what it had used then */
    bool leaving;           /* it is to end */
    double leaving_s;       /* for so long */
};

/* What the system says of a process: its state (a letter of proc(5)) and the CPU seconds it used.
 */
struct watch_sample {
    char state;
    double cpu_s;
};

/* False where there is no such process any more. */
bool watch_sample(pid_t pid, struct watch_sample *sample);

/* From the start of a worker at `now`. */
void watch_begin(struct watch *w, double now);

/* It has said something. */
void watch_heard(struct watch *w);

/* From now on it has WATCH_STOP_S to end; asking again changes nothing. */
void watch_leaving(struct watch *w);

enum watch_verdict {
    WATCH_FINE,
    WATCH_HUNG, /* silent for too long, or to end and silent ever since */
    WATCH_LATE  /* still at work when it should have ended */
};

/* Looks at it, a few times a second. Time in which nobody looked counts as one second at most: the
 * whole group may have been paused. */
enum watch_verdict watch_look(struct watch *w, const struct watch_sample *sample, double now);

#endif
