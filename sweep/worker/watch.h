/* How a hung worker is noticed. (One whose process has ended is noticed by process.h, which also
 * kills one that hangs: process_attend. What a lost attempt means for its trial: judge in
 * run/slot.c.)
 *
 * A worker gives signs of life while it computes: WIRE_ALIVE, sent by worker.c at the beats of
 * engine/base/heartbeat.h, and every other message. Silence is the CPU time it has used since its
 * last sign, plus the time it slept. Time in which it was stopped (SIGSTOP), or waited for a disk
 * or for its turn on a crowded machine, does not count, so a step may take as long as it needs.
 * Only watch_sample looks at a process and only watch_begin at the environment: the caller passes
 * the time and the samples to the others, so that tests need neither a clock nor a process. */
#ifndef SWEEP_WORKER_WATCH_H
#define SWEEP_WORKER_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/* A worker has hung when it has been silent for WATCH_SILENCE_S seconds or for WATCH_SILENCES times
 * its longest earlier silence, whichever is longer. (HEADCOUNT_SILENCE_S, for tests, replaces the
 * first.) A worker that was asked to stop, or has sent its last message, has WATCH_STOP_S seconds
 * to end: less than the 10 s within which a stopping run ends (stop.h). */
enum { WATCH_SILENCE_S = 60, WATCH_SILENCES = 20, WATCH_STOP_S = 8 };

struct watch {
    double patience_s; /* WATCH_SILENCE_S, or what a test puts in its place */
    double silent_s, longest_s;
    double looked_s, cpu_s; /* when it was last looked at, and the CPU time it had used by then */
    bool leaving;           /* it should end */
    double leaving_s;       /* how long it has been leaving */
};

/* What the system says of a process: its state (a letter of proc(5)) and the CPU seconds it used.
 */
struct watch_sample {
    char state;
    double cpu_s;
};

/* False if the process no longer exists. */
bool watch_sample(pid_t pid, struct watch_sample *sample);

/* A worker has been started at `now`. */
void watch_begin(struct watch *w, double now);

/* The worker has sent a message. */
void watch_heard(struct watch *w);

/* The worker has WATCH_STOP_S to end from now on; calling this again changes nothing. */
void watch_leaving(struct watch *w);

enum watch_verdict {
    WATCH_FINE,
    WATCH_HUNG,  /* silent for too long, or silent since it should have ended */
    WATCH_LATE,  /* not silent, but it should have ended by now */
    WATCH_MEMORY /* not of watch_look: the system killed it for memory (process.h) */
};

/* To be called a few times a second. A longer gap between two calls counts as one second: the whole
 * group may have been paused. */
enum watch_verdict watch_look(struct watch *w, const struct watch_sample *sample, double now);

#endif
