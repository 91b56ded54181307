/* A command of Slurm that is run for what it says. */
#ifndef SWEEP_HOSTS_SLURM_COMMAND_H
#define SWEEP_HOSTS_SLURM_COMMAND_H

#include <stdbool.h>

#include "engine/base/text.h"

enum { SLURM_FOREVER = -1 };

struct slurm_command {
    char *const *argv; /* its name, which is looked for in PATH, and so on; NULL at the end */
    char *const *environment; /* NULL: ours */
    int in;                   /* its standard input */
    int patience_ms;          /* until it has closed its output, or SLURM_FOREVER */
    bool quiet;               /* what it says on standard error is not wanted */
    bool with_errors;         /* ... or is part of what it says */
    void (*on_line)(const char *said, void *context); /* at the end of its first line; or NULL */
    void *context;
    /* answered: */
    bool missing; /* there is none of that name */
    bool succeeded;
    int exit_status; /* -1: a signal ended it */
};

/* Runs it to its end, whatever its exit status; what it says on standard output is added to `said`.
 * IO where it could not be started, and where its time was over: then it is killed. */
enum status slurm_command_run(struct slurm_command *c, struct text_buffer *said, struct message *m);

#endif
