/* `run --serve`: the results file as a live page while a run lasts, from a process of its own (this
 * program again), so that nothing that browsers or their server do can touch the run. It ends with
 * the run, whatever ends that. */
#ifndef SWEEP_CLI_RUN_SERVER_H
#define SWEEP_CLI_RUN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/base/status.h"

/* The verb of that process: headcount run-server FILE PORT. */
#define RUN_SERVER "run-server"

struct run_server {
    pid_t pid;         /* 0: there is none */
    char address[256]; /* "http://127.0.0.1:8080/" */
};

/* Starts a server of a results file that is there. port: as of command_serve_port, "": none was
 * asked for. Returns when it answers; fails with its reason, or where it has none within
 * RUN_SERVER_START_S. */
enum { RUN_SERVER_START_S = 3 };
enum status run_server_start(struct run_server *s, const char *db, const char *port,
                             struct message *m);

/* Ends it. patient: browsers that look at it have RUN_SERVER_LAST_MS to take what came last. */
enum { RUN_SERVER_LAST_MS = 2000 };
void run_server_stop(struct run_server *s, bool patient);

/* The process; returns its exit status. */
int run_server_main(int argc, char **argv);

#endif
