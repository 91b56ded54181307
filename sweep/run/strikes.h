/* What an attempt costs that came to nothing: one rule for trials and machines.
 *
 * A trial that fails by itself costs one of its `retries`. For what is not its own doing it has a
 * strike: so often was it lost or killed since it last got further. With STRIKES_TRIAL it fails,
 * unless all were on one machine and another one works. It leaves the machine where it came to
 * nothing last to others, while others work.
 *
 * A machine has a strike for each trial that came to nothing there since one last got further. With
 * STRIKES_MACHINE it rests, and with each further one: it is lost to the run for a pause (host.h).
 * HOST_RESTS_MAX rests in a row, and it is refused. What happens on all machines, or on the only
 * one, stops the run. So nothing is tried for ever: for each fault somebody pays.
 *
 * One machine may have been lost with many trials, of which one did it. That is the one that does
 * not get further elsewhere; so a trial with STRIKES_ALONE begins by itself: until it gets further,
 * nothing else begins on its machine. */
#ifndef SWEEP_RUN_STRIKES_H
#define SWEEP_RUN_STRIKES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/status.h"

enum { STRIKES_TRIAL = 5, STRIKES_ALONE = 2, STRIKES_MACHINE = 3 };

/* ---- causes and effects ---- */

enum fault {
#define FAULT(name, ...) FAULT_##name,
#include "sweep/run/faults.def"
    FAULTS
};

enum trial_pays {
    TRIAL_NOTHING,
    TRIAL_STRIKE,
    TRIAL_RETRY, /* one of its `retries`; it fails with the last */
    TRIAL_FAILS  /* at once */
};

enum machine_pays {
    MACHINE_NOTHING,
    MACHINE_STRIKE,
    MACHINE_FEWER, /* it takes fewer trials at once from now on */
    MACHINE_ALL,   /* ... all of them again: the trial was too large, not the machine too small */
    MACHINE_RESTS, /* where it is not lost already */
    MACHINE_STOPS  /* ... and the run with it */
};

/* Each has two answers: another machine is sound, as far as anybody knows [0], or none is [1]. */
struct fault_rule {
    enum trial_pays trial[2];
    enum machine_pays machine[2];
    enum status status; /* of a run that stops for it */
    const char *why;    /* the machine rests, takes fewer, or the trial fails at once; */
    const char *stops;  /* the run stops: words for fault_words */
};

const struct fault_rule *fault_rule(enum fault fault);

/* The words, with what the attempt has said for {said}; NULL: that alone. */
void fault_words(const char *words, const char *said, char text[MESSAGE_SIZE]);

/* ---- strikes of trials ---- */

struct trial_strikes {
    int64_t trial;
    int64_t step;     /* the furthest that it came to nothing at */
    int count;        /* since it last got further than that */
    int machine;      /* of the first of them */
    bool on_machines; /* they were on more than one */
};

/* Starts as {0}. */
struct strikes {
    struct trial_strikes *list; /* (count), by array_grow */
    int count;
};

/* The trial came to nothing at `step`. Returns what it has by now, valid until the next call; NULL
 * where there is no memory: then this time does not count. */
const struct trial_strikes *strikes_add(struct strikes *s, int64_t trial, int64_t step,
                                        int machine);

/* How many it has that is, or goes on, at `step`. */
int strikes_of(const struct strikes *s, int64_t trial, int64_t step);

/* It has ended. */
void strikes_forget(struct strikes *s, int64_t trial);

void strikes_free(struct strikes *s);

#endif
