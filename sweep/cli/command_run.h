/* What `run` does, for commands that run a sweep too. */
#ifndef SWEEP_CLI_COMMAND_RUN_H
#define SWEEP_CLI_COMMAND_RUN_H

#include "sweep/cli/command.h"

struct plan;

struct run_options {
    const char *name;                    /* of the command, as its messages begin */
    const char *db, *as, *shard, *serve; /* serve: its port; "": none was given */
    const char *from_shards;
    struct command_texts set, from;
    const char *launch, *hosts, *agent, *threads;
    long workers;
    bool retry_failed, replace, quiet;
    bool no_report;    /* who runs it has something else to say at its end */
    struct plan *plan; /* of the sweep file, which is then not read again; NULL: it is read */
};

/* From a sweep file to its report. Prints what there is to say; returns the exit status. */
int command_run_sweep(const char *path, const struct run_options *o);

#endif
