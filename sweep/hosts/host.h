/* A machine that works for this coordinator: its agent, on this machine a process of our own, on
 * another one behind a launcher that joins its stdin and stdout to two pipes here; and what the two
 * have said so far (agent_wire.h). It knows of slots by number
 * only; what their trials are and how they end is the runner's.
 *
 *                 launcher            HELLO             host_open            READY
 *   WAITING  ------------> STARTING ---------> GREETED -----------> OPENING --------> READY
 *      ^ ^                    |                                        |                |  LEAVING,
 *      | |                    |                                        |                v  host_bye
 *      | |                    |                                        |             LEAVING
 *      | +--------------------+----------------------------------------+----------------+
 *      |      its launcher ends, it owes something for longer than its patience, or host_fault:
 *      |      HOST_EVENT_LOST; it rests for 1, 2, 4 .. 60 s, and is started again
 *      +-> REFUSED, for good: another program version, another folder of that name, host_refuse;
 *          HOST_RESTS_MAX rests in a row; and unless it was READY before: a protocol error, a
 *          folder that it cannot write into, a launcher that is not there
 *
 * In a row are rests with nothing gained in between (host.rests is set to 0 by the caller). Of a
 * host that was READY once, a rest counts only where the host was at fault, or had been READY for
 * less than HOST_PAUSE_MAX_S when it was last heard: a network may go again and again, and a
 * machine may be away for long.
 *
 * One time limit, the patience, is set to all that an agent owes: HELLO since its launcher was
 * started, READY or REFUSED since OPEN, any byte since the last one, a word of each slot that has a
 * job since the last one, the end of a worker since STOP, KILL or its own last word, and its own
 * end since LEAVING. An agent ends a worker that does not stop, and itself, well before that
 * (WATCH_STOP_S). Time in which this process did not run (it was stopped, or its machine slept) is
 * nobody's fault.
 *
 * Nothing here waits: the caller polls host_poll's descriptors and calls host_turn a few times a
 * second.
 *
 * Environment, for tests: HEADCOUNT_HOST_S, seconds of the patience (default HOST_PATIENCE_S);
 * HEADCOUNT_PAUSE_S, seconds of the first rest (default 1). */
#ifndef SWEEP_HOSTS_HOST_H
#define SWEEP_HOSTS_HOST_H

#include <poll.h>
#include <sys/types.h>

#include "engine/base/text.h"
#include "sweep/hosts/agent_wire.h"

enum { HOST_NAME = 256, HOST_PATIENCE_S = 60, HOST_RESTS_MAX = 8, HOST_PAUSE_MAX_S = 60 };

/* One of --hosts. */
struct host_spec {
    char name[HOST_NAME];
    int slots;     /* 0: as many as it has cores */
    double memory; /* bytes that its scheduler grants there; 0 or infinite: not known */
};

/* "a,b:8" in pieces; *list malloced. BAD_INPUT names what is no name (empty, with a leading '-',
 * with other characters than names of machines and users have), a number that is none (1 to
 * HOST_SLOTS_MAX), a name that comes twice. */
enum status host_specs_parse(const char *text, struct host_spec **list, int *count,
                             struct message *m);

/* How agents are started: `command` with {host} replaced by the quoted name of the host, and
 * `agent`, words of the shell, after it. BAD_INPUT where command has no {host}. All is kept. */
struct host_launch {
    const char *command; /* "ssh {host}"; NULL: on this machine, without a launcher */
    const char *agent;   /* "/usr/bin/headcount agent" */
    const char *sources; /* build_sources of this program, which agents must have too */
};
enum status host_launch_check(const struct host_launch *l, struct message *m);

/* What is started on a host. */
struct host_agent {
    const char *program; /* the path of headcount there */
    const char *words;   /* of the shell, instead of that path and `agent`; NULL: those */
    const char *setup;   /* lines for bash that come before it, each with its "\n"; "": none. Where
                            the last of them ends in a backslash, the agent's words go on with it */
};

/* Adds the words of the shell that start it, for struct host_launch. The launcher hands its words
 * on as they are; one that has ssh, rsh, remsh or autossh before {host} hands them to one more
 * shell, over there, and they are quoted for both. `words` are the user's and as the user has
 * quoted them, for those two shells, or where there is a setup, for its bash. */
void host_add_agent(struct text_buffer *b, const char *command, const struct host_agent *a);

/* The same with this program's own path, malloced. */
enum status host_agent_here(const char *command, char **words, struct message *m);

/* The command line for the shell; *line malloced, NULL where there is no memory. */
char *host_command_line(const struct host_launch *l, const char *name);

enum host_state {
    HOST_WAITING,
    HOST_STARTING,
    HOST_GREETED,
    HOST_OPENING,
    HOST_READY,
    HOST_LEAVING,
    HOST_REFUSED
};

struct host {
    struct host_spec spec;
    const struct host_launch *launch;
    enum host_state state;
    struct agent_hello hello; /* since GREETED; of the last time */
    char why[MESSAGE_SIZE];   /* why it was lost or refused the last time; "": it was not */
    double retry_s;           /* WAITING: when it is started next */
    double pause_s;           /* the last pause before a start; 0: none yet */
    bool was_ready;           /* at least once */
    bool at_fault;            /* the last loss was its own fault, not that of what ran there */
    bool out_of_memory;       /* the last time all that ran there was killed for memory */
    int rests;                /* in a row */
    /* For host.c. */
    double patience_s, first_pause_s, since_s, looked_s, beat_s;
    double awake_s; /* since its start, without the time in which this process did not run: a
                       clock, and on it since when there is or was: */
    double ready_s; /* READY, since its start; -inf: not yet */
    double state_s; /* its state */
    double heard_s; /* its last byte */
    struct host_lane *lane; /* (lanes): what it owes in each slot */
    int lanes;
    pid_t launcher; /* and its process group; here: the agent alone; 0: none */
    bool at_end;    /* its output is at its end */
    bool dismissed; /* host_bye */
    int in_fd, out_fd, error_fd;
    struct agent_in in;
    struct wire_buffer out;
    char proof[128]; /* what READY must say */
    char tail[1024]; /* the last of what the launcher said on stderr */
    size_t tail_used;
    bool lost; /* an event that host_next has yet to tell */
};

/* Whether it is this machine. */
bool host_is_here(const struct host *h);

/* Waiting to be started at once. launch is kept. */
void host_init(struct host *h, const struct host_spec *spec, const struct host_launch *launch);

/* Its descriptors, up to 3; returns how many. */
int host_poll(const struct host *h, struct pollfd fds[3]);

/* Starts what is due to be started, sends and misses beats, writes what waits. now: clock_now_s().
 * Events may come of it. */
void host_turn(struct host *h, double now);

/* Reads what there is. */
void host_listen(struct host *h, double now);

enum host_event_kind {
    HOST_EVENT_GREETED, /* now host_open */
    HOST_EVENT_READY,   /* all its slots are free */
    HOST_EVENT_SPAWNED, /* of slot: pid */
    HOST_EVENT_MESSAGE, /* of slot: message, of enum wire_type */
    HOST_EVENT_ENDED,   /* of slot, which is free again: ended */
    HOST_EVENT_LEAVING, /* its slots take no more; what runs there ends */
    HOST_EVENT_LOST     /* what ran there is lost; why. The state is WAITING or REFUSED */
};

struct host_event {
    enum host_event_kind kind;
    int slot;
    int64_t pid;
    struct wire_frame message;
    struct worker_end ended;
};

/* The next thing that happened; its texts are valid until the next call of host_next, host_listen
 * or host_turn. False if there is none (left). */
bool host_next(struct host *h, struct host_event *e);

/* GREETED: it is to work in this folder, and to prove that it sees it by what the file o->proof in
 * it holds (`proof`, a line of text). */
void host_open(struct host *h, const struct agent_open *o, const char *proof);

/* READY, and for stop and kill LEAVING: what a slot is to do. A job that cannot be handed over
 * makes the host lost. */
void host_start(struct host *h, int slot, const char *job, size_t size);
void host_set_threads(struct host *h, int slot, int threads);
void host_stop(struct host *h, int slot);
void host_kill(struct host *h, int slot);

/* It cannot be used, through its own fault, for this reason: for good, or until a pause is over. */
void host_refuse(struct host *h, const char *why);
void host_fault(struct host *h, double now, const char *why);

/* What people are to know of its loss: "b is tried again in 2 s: its launcher ended". False where
 * that is nothing: this machine is refused, which is why all ends. */
bool host_loss_words(const struct host *h, char text[MESSAGE_SIZE]);

/* There is nothing more for it to do. Its agent ends by itself; a launcher without an agent yet is
 * asked to end. Neither is an event, and it is not started again. */
void host_bye(struct host *h);

/* Whether its launcher still runs. */
bool host_runs(struct host *h);

/* Ends the launcher's process group by force, and frees what h holds. */
void host_close(struct host *h);

#endif
