/* What the coordinator and an agent (agent.h, a program that starts workers on its machine) say to
 * each other: on this machine through pipes, on another one over the agent's stdin and stdout,
 * which a launcher such as ssh or srun joins.
 *
 * Whatever the agent's end prints before AGENT_MAGIC is noise (a login banner) and is skipped, up
 * to AGENT_NOISE bytes. From there on, and on the way down from the first byte, there are frames
 * (wire.h). slot: 0 to HOST_SLOTS_MAX - 1, the coordinator's numbering; 0 where a frame is about
 * no slot.
 *
 *     down  OPEN     struct agent_open: the first frame, as the answer to HELLO
 *           START    a worker's job, in a slot that is free: at first, and since its ENDED
 *           THREADS  as the worker is to have it (enum wire_order)
 *           STOP     its worker saves a checkpoint and ends; then ENDED
 *           KILL     its worker is killed; then ENDED
 *           BYE      stops what runs, and ends; so does the end of file
 *     up    HELLO    struct agent_hello
 *           READY    answers OPEN: the content of the file that it names as proof, or nothing
 *           REFUSED  answers OPEN: why; then the agent ends
 *           SPAWNED  answers START: the worker's process number
 *           a worker's messages (enum wire_type), as they came
 *           RUNS     with each BEAT: the worker in that slot has not ended
 *           ENDED    struct worker_end: the last of its slot; also instead of SPAWNED
 *           LEAVING  a signal asked the agent to stop: no more START
 *     both  BEAT     at least every agent_open.beat_s after OPEN
 *
 * A side that has heard nothing for its patience takes the
 * other for lost; what else an agent owes, and by when: host.h. THREADS, STOP and KILL
 * may cross the ENDED of their slot: they mean nothing then. */
#ifndef SWEEP_HOSTS_AGENT_WIRE_H
#define SWEEP_HOSTS_AGENT_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/trials/trials.h"
#include "sweep/worker/process.h"
#include "sweep/worker/wire.h"

/* As PNG's signature, it does not survive a terminal, a change of line ends or of the eighth bit.
 */
#define AGENT_MAGIC "\x89headcount agent 1\r\n\x1a\n"

enum {
    AGENT_PROTOCOL = 7,
    AGENT_NOISE = 64 << 10,
    AGENT_TEXT_MAX = 1 << 14, /* of HELLO, OPEN and ENDED */
    HOST_SLOTS_MAX = 4096
};

enum agent_type {
    AGENT_OPEN = 1,
    AGENT_STOP,
    AGENT_KILL,
    AGENT_BYE,
    AGENT_HELLO,
    AGENT_READY,
    AGENT_REFUSED,
    AGENT_SPAWNED,
    AGENT_RUNS,
    AGENT_ENDED,
    AGENT_LEAVING,
    AGENT_BEAT
};

/* ---- records (fields.h), whose keys are the members; protocol is the first ---- */

struct agent_hello {
    int64_t protocol;
    char order[8]; /* "little" or "big" */
    char host[256];
    int64_t pid;
    int64_t cores;    /* that it may use */
    double memory;    /* bytes that are free there; inf: not known */
    char sources[80]; /* build_sources */
    struct build_info build;
};

struct agent_open {
    char folder[PATH_MAX]; /* absolute, "<db>.d" */
    char proof[64];        /* a file's name in it; "": nothing is to be proved */
    double beat_s;
    double patience_s; /* the agent's: with less than a beat in it, it stops its workers and ends */
};

/* They return the length, or -1 where size does not suffice. */
int agent_hello_format(const struct agent_hello *h, char *text, size_t size);
int agent_open_format(const struct agent_open *o, char *text, size_t size);
int agent_ended_format(const struct worker_end *e, char *text, size_t size);

/* BAD_INPUT where a line is missing, doubled or unknown, a number is out of its range, or the hello
 * is of another protocol. */
enum status agent_hello_parse(const char *text, struct agent_hello *h, struct message *m);
enum status agent_open_parse(const char *text, struct agent_open *o, struct message *m);
enum status agent_ended_parse(const char *text, struct worker_end *e, struct message *m);

/* What this program and machine would say. Loads OpenBLAS as build_info does; fails as it does. */
enum status agent_hello_here(struct agent_hello *h, struct message *m);

/* ---- frames ---- */

/* Reads the other side piece by piece. Starts as {.skips = whether there is a magic to come}. */
struct agent_in {
    bool skips;
    size_t skipped; /* bytes of noise so far */
    size_t matched; /* bytes of the magic behind them */
    struct wire_buffer frames;
};

/* Adds bytes that have come; frames are then taken with wire_next. BAD_INPUT where no magic comes,
 * or one that a terminal has changed, and where a frame is of an unknown type or slot or over the
 * limit; nothing can be read after that. */
enum status agent_feed(struct agent_in *i, const void *bytes, size_t size, struct message *m);

#endif
