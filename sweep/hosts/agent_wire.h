/* What the coordinator and an agent (agent.h, a program on another machine that starts workers
 * there) say to each other, over the agent's stdin and stdout, which a launcher such as ssh or srun
 * joins.
 *
 * Whatever the agent's end prints before AGENT_MAGIC is noise (a login banner) and is skipped, up
 * to AGENT_NOISE bytes. From there on, and on the way down from the first byte, there are frames:
 *
 *     uint32 size of the payload, uint32 type, uint32 slot, payload, "\n"      all little endian
 *
 * (Some launchers pass on whole lines only.) slot: 0 to HOST_SLOTS_MAX - 1, the agent's own
 * numbering; 0 where a frame is about no slot.
 *
 *     down  OPEN     struct agent_open: the first frame, as the answer to HELLO
 *           KERNELS  "CORETYPE KERNELS", instead of OPEN: the agent begins again (magic,
 *                    HELLO) as a program that computes with these
 *           START    a job (wire.h), in a slot that is free: at first, and since its ENDED
 *           STOP     its worker saves a checkpoint and ends; then ENDED
 *           KILL     its worker is killed; then ENDED
 *           BYE      stops what runs, and ends; so does the end of file
 *     up    HELLO    struct agent_hello
 *           READY    answers OPEN: the content of the file that it names as proof
 *           REFUSED  answers OPEN: why; then the agent ends
 *           SPAWNED  answers START: int64 pid
 *           MESSAGE  uint32 wire_type and its payload, from the worker as they came (wire.h:
 *                    in native order, which HELLO tells; a host that is not little endian is
 *                    refused)
 *           RUNS     with each BEAT: the worker in that slot has not ended
 *           ENDED    struct agent_ended: the last of its slot; also instead of SPAWNED
 *           LEAVING  a signal asked the agent to stop: no more START
 *     both  BEAT     at least every agent_open.beat_s after OPEN
 *
 * STARTs are answered in their order. A side that has heard nothing for its patience takes the
 * other for lost; what else an agent owes, and by when: host_deadlines.c. STOP and KILL may cross
 * the ENDED of their slot: they mean nothing then. */
#ifndef SWEEP_HOSTS_AGENT_WIRE_H
#define SWEEP_HOSTS_AGENT_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/trials/trials.h"
#include "sweep/worker/process.h"
#include "sweep/worker/watch.h"
#include "sweep/worker/wire.h"

/* As PNG's signature, it does not survive a terminal, a change of line ends or of the eighth bit.
 */
#define AGENT_MAGIC "\x89headcount agent 1\r\n\x1a\n"

enum {
    AGENT_PROTOCOL = 3,
    AGENT_NOISE = 64 << 10,
    AGENT_LIMIT = WIRE_LIMIT + 16,  /* bytes of payload */
    AGENT_TEXT_MAX = 8192,          /* of HELLO and OPEN */
    AGENT_ERROR_MAX = PROCESS_TAIL, /* of agent_ended.error */
    HOST_SLOTS_MAX = 4096
};

enum agent_type {
    AGENT_OPEN = 1,
    AGENT_KERNELS,
    AGENT_START,
    AGENT_STOP,
    AGENT_KILL,
    AGENT_BYE,
    AGENT_HELLO,
    AGENT_READY,
    AGENT_REFUSED,
    AGENT_SPAWNED,
    AGENT_MESSAGE,
    AGENT_RUNS,
    AGENT_ENDED,
    AGENT_LEAVING,
    AGENT_BEAT,
    AGENT_TYPES
};

/* ---- texts: lines key=value, the keys are the members; protocol is the first ---- */

struct agent_hello {
    int64_t protocol;
    char order[8]; /* "little" or "big" */
    char host[256];
    int64_t pid;
    int64_t cores;    /* that it may use */
    double memory;    /* bytes that are free there; inf: not known */
    char sources[80]; /* build_sources */
    char version[64], commit[64], compiler[256], flags[256]; /* as struct build_info */
    char openblas[128], core_type[64], kernels[64], cpu[256];
    int64_t threads;
};

struct agent_open {
    char folder[PATH_MAX]; /* absolute, "<db>.d" */
    char proof[64];        /* a file's name in it */
    double beat_s;
    double patience_s; /* the agent's: with less than a beat in it, it stops its workers and ends */
};

/* Both return the length, or -1 where size does not suffice or a value has a line break in it. */
int agent_hello_format(const struct agent_hello *h, char *text, size_t size);
int agent_open_format(const struct agent_open *o, char *text, size_t size);

/* BAD_INPUT where a line is missing, doubled or unknown, a number is out of its range, or the hello
 * is of another protocol. */
enum status agent_hello_parse(const char *text, struct agent_hello *h, struct message *m);
enum status agent_open_parse(const char *text, struct agent_open *o, struct message *m);

/* What this program and machine would say. Loads OpenBLAS as build_info does; fails as it does. */
enum status agent_hello_here(struct agent_hello *h, struct message *m);

/* The build that it describes; its texts are h's. */
struct build_info agent_hello_build(const struct agent_hello *h);

/* How a worker ended, as struct attempt_end, and why the agent killed it. In its frame: int32
 * exit_code, signal, killed_for, unstarted; int64 max_rss_kib; int64 CPU time in ns; uint32 length
 * of killed; killed; error. */
struct agent_ended {
    int exit_code, signal;
    enum watch_verdict killed_for; /* WATCH_FINE: not killed, or the agent does not know why */
    bool unstarted;                /* error says why it could not be started: a fault of the host */
    int64_t max_rss_kib;
    double cpu_s;
    char killed[160];            /* why it was killed; "": it was not */
    char error[AGENT_ERROR_MAX]; /* the last bytes of its stderr; "": it said nothing */
};
enum { AGENT_ENDED_MAX = 64 + 160 + AGENT_ERROR_MAX };
size_t agent_ended_format(const struct agent_ended *e, char payload[AGENT_ENDED_MAX]);
enum status agent_ended_parse(const char *payload, size_t size, struct agent_ended *e,
                              struct message *m);

/* int64 of SPAWNED. */
void agent_pid_format(int64_t pid, char payload[8]);
int64_t agent_pid_parse(const char *payload);

/* ---- frames ---- */

struct agent_frame {
    enum agent_type type;
    int slot;
    const char *payload; /* followed by a NUL that does not count */
    size_t size;
};

/* What waits to be written to the other side. Starts as {0}. */
struct agent_out {
    char *bytes;
    size_t begin, end, capacity;
};

/* Adds a frame. NO_MEMORY; INTERNAL where it is over the limit. */
enum status agent_put(struct agent_out *o, enum agent_type type, int slot, const void *payload,
                      size_t size, struct message *m);
/* The same for a worker's message. */
enum status agent_put_message(struct agent_out *o, int slot, enum wire_type type,
                              const char *payload, size_t size, struct message *m);

/* Adds bytes as they are: AGENT_MAGIC. */
enum status agent_put_bytes(struct agent_out *o, const void *bytes, size_t size, struct message *m);

/* Bytes that wait. */
size_t agent_waiting(const struct agent_out *o);

/* Writes what the descriptor takes now (it does not block where the descriptor does not). IO where
 * the other side is gone. */
enum status agent_flush(struct agent_out *o, int fd, struct message *m);
void agent_out_free(struct agent_out *o);

/* Reads the other side piece by piece. Starts as {.skips = whether there is a magic to come}. */
struct agent_in {
    bool skips;
    size_t skipped; /* bytes of noise so far */
    char *buffer;
    size_t begin, end, capacity;
};

/* Appends bytes. BAD_INPUT where no magic comes, or one that a terminal has changed, and where a
 * frame is of an unknown type or slot or over the limit; nothing can be read after that. */
enum status agent_feed(struct agent_in *i, const void *bytes, size_t size, struct message *m);

/* The next whole frame, valid until the next agent_feed. False if there is none yet. */
bool agent_next(struct agent_in *i, struct agent_frame *f);

/* Behind the last whole frame: the size of the frame that has begun and is not whole, as far as it
 * is known; 0 where none has. */
size_t agent_begun(const struct agent_in *i);

/* The worker's message within a MESSAGE. BAD_INPUT where it is none. */
enum status agent_message(const struct agent_frame *f, enum wire_type *type, const char **payload,
                          size_t *size, struct message *m);

void agent_in_free(struct agent_in *i);

#endif
