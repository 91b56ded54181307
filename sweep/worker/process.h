/* A worker as a process: spawning it with its job and its pipes, listening to it, watching it, and
 * seeing it end. It dies with the process that spawned it, at whatever instant that happens. What
 * it does at its own ends of the pipes: worker_ends.h. */
#ifndef SWEEP_WORKER_PROCESS_H
#define SWEEP_WORKER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "sweep/trials/trials.h"
#include "sweep/worker/watch.h"
#include "sweep/worker/wire.h"

enum { PROCESS_TAIL = 4096 };

struct process {
    pid_t pid;      /* 0: none */
    int message_fd; /* -1: at its end */
    int error_fd;   /* its stderr; -1: at its end */
    struct wire_reader reader;
    struct watch watch;
    enum watch_verdict killed_for; /* WATCH_FINE: not killed, or nobody knows why */
    char tail[PROCESS_TAIL];       /* the last bytes of its stderr */
    size_t tail_used;
    bool tail_cut; /* there was more before them */
};

/* No process; what p held before is not looked at. */
void process_init(struct process *p);

/* Starts this very program (even if its file was replaced) as `headcount VERB`, a hidden command,
 * with the job as its descriptor 3. size: of the job, below WIRE_JOB_MAX. environment: as
 * process_environment made it. On failure nothing is left open. */
enum status process_spawn(struct process *p, const char *verb, const char *job, size_t size,
                          char *const environment[], struct message *m);

/* This process's environment with one BLAS thread. One malloc; free with free(). */
char **process_environment(void);

/* Takes what a pipe has to give now; at its end closes it (fd becomes -1). BAD_INPUT if the worker
 * sent something that is not a message. */
enum status process_listen(struct process *p, struct message *m);
void process_read_errors(struct process *p);

/* Asks it to stop (SIGTERM, and SIGCONT in case somebody paused it); it then has WATCH_STOP_S
 * to end. */
void process_stop(struct process *p);

/* Kills a worker that has hung or does not end in time. killed_for then says which, and `why` has
 * the words for it. To be called a few times a second, after listening. */
void process_watch(struct process *p, char *why, size_t size);

/* If the process has ended: fills end (end->error points into p's tail, NULL if it said nothing;
 * of more than PROCESS_TAIL bytes the last lines, below a line "[...]") and returns true. Its last
 * messages are still to be listened to. */
bool process_ended(struct process *p, struct attempt_end *end);

/* Whether the system killed it because the control group that it shares with this process may take
 * no more memory: killed_for and `why` say so then. To be called once process_ended has filled
 * end. */
void process_blame_memory(struct process *p, const struct attempt_end *end, char *why, size_t size);

/* Kills it, if it still runs, and does not wait. */
void process_kill(struct process *p);

/* Takes leave of a process that was killed: where nobody else does (a container without an init) it
 * would stay. Waits until `until_s` (clock_now_s) at most. */
void process_reap(struct process *p, double until_s);

void process_close(struct process *p);

#endif
