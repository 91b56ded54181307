/* What coordinator and worker say to each other.
 *
 * A worker's orders come on descriptor 3, its messages go to descriptor 4. These, and whatever
 * coordinator and agent say (sweep/hosts/agent_wire.h), are framed as
 *
 *     uint32 size of the payload, uint32 type, uint32 slot, payload, "\n"      all little endian
 *
 * (Some launchers pass on whole lines only.) slot: 0 to and from a worker; an agent passes its
 * coordinator's orders and its worker's messages on with the number of the slot. */
#ifndef SWEEP_WORKER_WIRE_H
#define SWEEP_WORKER_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/plan/metric.h"
#include "sweep/plan/point.h"
#include "sweep/trials/data_file.h"

/* WIRE_LIMIT: bytes of a payload. */
enum { WIRE_ORDERS_FD = 3, WIRE_MESSAGE_FD = 4, WIRE_LIMIT = 1 << 20, WIRE_JOB_MAX = 1 << 15 };

/* A worker's orders; an agent's own types are below these. */
enum wire_order {
    WIRE_START = 32, /* a job, its first order: a record (fields.h). To train a trial, struct job;
                        for a study: sweep/study/study_job.h */
    WIRE_THREADS     /* text: so many threads are what it may use from now on; 1 until then */
};

struct job {
    int64_t trial, attempt;
    uint32_t seed;
    int64_t until;          /* the step at which it pauses for its rung; 0: it runs to its end */
    char folder[PATH_MAX];  /* absolute, "<db>.d" */
    struct data_place data; /* of the task's file */
    double checkpoint_s;
    int64_t memory;     /* bytes of resident size; 0: no limit */
    double time_s;      /* CPU seconds over all attempts; 0: no limit */
    char build[512];    /* what must be equal for a resume to be exact: build, kernels, core type */
    enum metric metric; /* which the best step is best by */
    bool measure;       /* heads are measured at every evaluation */
    char config[POINT_JSON_MAX]; /* canonical JSON of the point */
};

/* Writes the job as text. Returns its length, or -1 where size does not suffice. */
int wire_job_format(const struct job *j, char *text, size_t size);

/* Reads it back. BAD_INPUT names the line. */
enum status wire_job_parse(const char *text, struct job *j, struct message *m);

/* A worker's messages. */
enum wire_type {
    WIRE_STARTED = 64, /* struct wire_progress: the step it goes on from */
    WIRE_PROGRESS,     /* struct wire_progress, a few times a second */
    WIRE_CURVE,        /* text: rows of the curve as a JSON array */
    WIRE_FINISHED,     /* text: name of the durable result file, relative to folder */
    WIRE_STOPPED,      /* struct wire_progress: checkpointed and stopped as asked */
    WIRE_PAUSED,       /* struct wire_progress: checkpointed at `until`; after its whole curve */
    WIRE_NOTE,         /* text: a warning for people */
    WIRE_ALIVE,        /* nothing: it is at work, and has nothing else to say (watch.h) */
    WIRE_ANSWER,       /* text: the next piece of a study's answer (sweep/study/study.h) */
    WIRE_HASHED        /* text: stamp of the copy that it learns from: the bytes are right */
};

/* In native order, also from another machine: one that is not little endian is refused. */
struct wire_progress {
    int64_t step, steps;
    double loss, acc; /* training means since the last row of the curve */
    double value;     /* of the metric, at the best step so far; NaN before the first evaluation */
    double elapsed_s;
};

/* ---- frames ---- */

struct wire_frame {
    uint32_t type;
    int slot;            /* -1: of no int */
    const char *payload; /* followed by a NUL that does not count */
    size_t size;
};

/* Frames that wait to be written to the other side, or have come from there and wait to be read.
 * Starts as {0}. */
struct wire_buffer {
    char *bytes;
    size_t begin, end, capacity;
};

/* Adds a frame. NO_MEMORY; INTERNAL where it is over the limit. */
enum status wire_put(struct wire_buffer *b, uint32_t type, int slot, const void *payload,
                     size_t size, struct message *m);

/* Adds bytes as they are. NO_MEMORY. */
enum status wire_put_bytes(struct wire_buffer *b, const void *bytes, size_t size,
                           struct message *m);

/* Writes what the descriptor takes now (it does not block where the descriptor does not). IO where
 * the other side is gone. */
enum status wire_flush(struct wire_buffer *b, int fd, struct message *m);

/* Bytes that wait. */
size_t wire_waiting(const struct wire_buffer *b);

/* A worker's way to say something: one frame, written at once; a short one takes no memory. Fails
 * as wire_put and wire_flush. */
enum status wire_send(int fd, enum wire_type type, const void *payload, size_t size,
                      struct message *m);

/* Whether a worker may send, or be sent, a frame of that type and size. */
bool wire_valid(const struct wire_frame *f);
bool wire_order_valid(const struct wire_frame *f);

/* The number of WIRE_THREADS: 1 to TEAM_MAX; 0 where it is none of these. */
int wire_threads(const struct wire_frame *f);

/* Adds bytes that have come. BAD_INPUT where a frame in them is over the limit, does not end as it
 * should, or is not `valid`; the stream cannot be read on after that. */
enum status wire_feed(struct wire_buffer *b, const void *bytes, size_t size,
                      bool (*valid)(const struct wire_frame *f), struct message *m);

/* The next whole frame; its payload is valid until bytes are added. False if there is none yet. */
bool wire_next(struct wire_buffer *b, struct wire_frame *f);

void wire_free(struct wire_buffer *b);

#endif
