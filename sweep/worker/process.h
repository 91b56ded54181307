/* A worker as a process: spawning it with its job and its pipes, listening to it, watching it, and
 * seeing it end. It dies with the process that spawned it, at whatever instant that happens. What
 * it does at its own ends of the pipes: worker_ends.h; several of them: worker_pool.h. */
#ifndef SWEEP_WORKER_PROCESS_H
#define SWEEP_WORKER_PROCESS_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sweep/worker/watch.h"
#include "sweep/worker/wire.h"

enum { PROCESS_TAIL = 4096 };

/* How a worker ended. */
struct worker_end {
    int exit_code, signal;
    bool unstarted; /* it never began: error says why */
    int64_t max_rss_kib;
    double cpu_s;
    enum watch_verdict killed_for; /* WATCH_FINE: not killed, or nobody knows why */
    char killed[160];              /* why it was killed; "": it was not */
    char error[PROCESS_TAIL];      /* what it said last on its stderr: of more than fits the last
                                      lines, below a line "[...]"; "": it said nothing */
};

/* Our ends; -1: closed. */
struct process_pipes {
    int orders;   /* what it is told, on its WIRE_ORDERS_FD */
    int messages; /* what it says, on its WIRE_MESSAGE_FD */
    int errors;   /* its stderr */
};

/* Starts this very program (even if its file was replaced) as `headcount VERB`, a hidden command,
 * joined to this process by three pipes whose ends here do not block. Its other descriptors are
 * /dev/null, its signals as in a new process, and it dies with this one. On failure nothing is left
 * open. */
enum status process_fork(pid_t *pid, const char *verb, char *const environment[],
                         struct process_pipes *ours, struct message *m);

struct process {
    pid_t pid; /* 0: none */
    int slot;  /* of its messages */
    struct process_pipes pipes;
    struct wire_buffer orders, messages;
    struct watch watch;
    struct worker_end end; /* as far as it is known; error: the last bytes of its stderr */
    size_t error_used;
    bool error_cut; /* there was more before them */
};

/* Starts a worker, `headcount worker`, with the job as its first order and one thread. What p held
 * before is not looked at. size: of the job, below WIRE_JOB_MAX. environment: as
 * process_environment made it. On failure nothing is left open. */
enum status process_spawn(struct process *p, const char *job, size_t size,
                          char *const environment[], struct message *m);

/* By this a program that was moved or replaced finds itself, too. */
#define PROCESS_SELF "/proc/self/exe"

/* strerror(error) of a start that failed; or it names /proc or /dev/null where that is missing. */
const char *process_start_error(int error);

/* Where this program lies, malloced. */
enum status process_own_path(char **path, struct message *m);

/* This process's environment with one BLAS thread. One malloc; free with free(). */
char **process_environment(void);

/* Tells it that; it hears of it when it looks (worker_threads). */
void process_order(struct process *p, const struct wire_frame *order);

/* Its descriptors to listen to, up to 2; returns how many. */
int process_poll(const struct process *p, struct pollfd fds[2]);

/* Takes what its pipes have to give now, and gives each message to `said`, the payload valid
 * meanwhile. One that has said what is no message is killed, after a WIRE_NOTE that says so; one
 * that has hung or does not end in time is killed, too (watch.h). To be called a few times a
 * second. True once it has ended: p->end then says how, and p is closed. */
typedef void (*process_listener)(void *context, const struct wire_frame *f);
bool process_attend(struct process *p, process_listener said, void *context);

/* Asks it to stop (SIGTERM, and SIGCONT in case somebody paused it); it then has WATCH_STOP_S
 * to end. */
void process_stop(struct process *p);

/* Kills it, if it still runs, and does not wait. */
void process_kill(struct process *p);

/* Takes leave of a process that was killed: where nobody else does (a container without an init) it
 * would stay. Waits until `until_s` (clock_now_s) at most. */
void process_reap(struct process *p, double until_s);

#endif
