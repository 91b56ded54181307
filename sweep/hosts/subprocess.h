/* Another program that is run for what it says: Slurm's commands, bash, gnuplot. */
#ifndef SWEEP_HOSTS_SUBPROCESS_H
#define SWEEP_HOSTS_SUBPROCESS_H

#include <stdbool.h>

#include "engine/base/text.h"

enum { SUBPROCESS_FOREVER = -1 };

struct subprocess {
    char *const *argv; /* its name, which is looked for in PATH, and so on; NULL at the end */
    char *const *environment; /* NULL: ours */
    const char *input;        /* all of its standard input; NULL: ours */
    size_t input_size;
    int patience_ms;            /* until it has closed its output, or SUBPROCESS_FOREVER */
    size_t most;                /* bytes that it may say; 0: any number */
    bool stops;                 /* a request to stop (worker/stop.h) ends it */
    bool quiet;                 /* what it says on standard error is not wanted */
    struct text_buffer *errors; /* ... or its beginning is added here, which may be `said`: then it
                                   is part of that; NULL: our standard error */
    void (*on_line)(const char *said, void *context); /* at the end of its first line; or NULL */
    void *context;
    /* answered: */
    bool missing; /* there is none of that name */
    bool succeeded;
    int exit_status; /* -1: a signal ended it, this one: */
    int signal;
};

/* Runs it to its end, whatever its exit status; what it says on standard output is added to `said`.
 * IO where it could not be started, and where its time was over or it said too much: then it is
 * killed, as with INTERRUPTED, where a stop was asked for. */
enum status subprocess_run(struct subprocess *c, struct text_buffer *said, struct message *m);

#endif
