/* The machines that work for a coordinator, this one or others: their agents are started and shown
 * the results folder, and what happens on them is told. What their slots do is the caller's. */
#ifndef SWEEP_HOSTS_CREW_H
#define SWEEP_HOSTS_CREW_H

#include "sweep/hosts/host.h"

struct crew_options {
    const struct host_spec *hosts; /* (count); none: this machine */
    int count;
    const char *launch; /* how an agent is started on each (host.h) */
    const char *agent;  /* words of the shell for it; NULL: this program */
    bool slurm;         /* they are of the allocation that this process runs in (slurm.h) */
};

struct crew {
    struct host *host; /* (count) */
    int count;
    /* For crew.c. */
    struct host_launch launch;
    char *agent; /* malloced, where nobody has said how it is called */
    struct agent_open open;
    char proof[33], proof_path[PATH_MAX + 64];
    struct pollfd *fds;
    int *heard; /* (count): whether there is something to read */
    bool slurm;
    double asked_s; /* when the allocation was asked for */
};

/* None is started yet: crew_turn does. folder: what they are to work in, absolute for hosts, which
 * have to prove that they see this very one. options are kept. BAD_INPUT names what cannot be used;
 * NO_MEMORY where there is too little for OpenBLAS here; and what keeps the folder from being
 * written. To be freed in any case; c starts as {0}. */
enum status crew_init(struct crew *c, const struct crew_options *o, const char *folder,
                      struct message *m);

/* Where the crew is on hosts: whether this machine takes what is written into the folder. */
enum status crew_try_folder(const struct crew *c, struct message *m);

/* Waits until a signal (stop.h) or one of them has something to say, at most so long. */
void crew_wait(struct crew *c, int timeout_ms);

/* Listens to all, starts those that are due and tells each event of host k. stopping: what is lost
 * now does not come again. */
typedef void crew_listener(void *context, int k, const struct host_event *e);
void crew_turn(struct crew *c, bool stopping, crew_listener *listen, void *context);

/* Whether there is nobody left to work: BAD_INPUT says why each host was refused, IO why this
 * machine was; else OK. */
enum status crew_check(const struct crew *c, struct message *m);

/* Whether they were of an allocation of Slurm that is gone: it does not come again, and they would
 * be tried for ever. Asked every 10 s at most, while none is there. */
bool crew_has_ended(struct crew *c, double now);

/* Takes leave of them, and waits so long for their agents to end; nothing runs there any more, or
 * may run on. Frees all. */
void crew_dismiss(struct crew *c, double patience_s);

#endif
