/* What coordinator and worker say to each other.
 *
 * Job: text on descriptor 3 until end of file. To train a trial, lines `key=value`, each of them
 * once; the keys are the members of struct job. For a study: sweep/study/study_job.h.
 *
 * Messages, on descriptor 4, each framed as
 *   uint32 size of payload (native order: both ends are one program), uint32 type, payload
 */
#ifndef SWEEP_WORKER_WIRE_H
#define SWEEP_WORKER_WIRE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/plan/metric.h"
#include "sweep/plan/point.h"
#include "sweep/trials/data_file.h"

enum { WIRE_JOB_FD = 3, WIRE_MESSAGE_FD = 4, WIRE_LIMIT = 1 << 20, WIRE_JOB_MAX = 1 << 15 };

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

/* Writes the job as text. Returns its length, or -1 where size does not suffice or a value has a
 * line break in it. */
int wire_job_format(const struct job *j, char *text, size_t size);

/* Reads it back. BAD_INPUT names the line. */
enum status wire_job_parse(const char *text, struct job *j, struct message *m);

enum wire_type {
    WIRE_STARTED = 1, /* struct wire_progress: the step it goes on from */
    WIRE_PROGRESS,    /* struct wire_progress, a few times a second */
    WIRE_CURVE,       /* text: rows of the curve as a JSON array */
    WIRE_FINISHED,    /* text: name of the durable result file, relative to folder */
    WIRE_STOPPED,     /* struct wire_progress: checkpointed and stopped as asked */
    WIRE_PAUSED,      /* struct wire_progress: checkpointed at `until`; after its whole curve */
    WIRE_NOTE,        /* text: a warning for people */
    WIRE_ALIVE,       /* nothing: it is at work, and has nothing else to say (watch.h) */
    WIRE_ANSWER,      /* text: the next piece of a study's answer (sweep/study/study.h) */
    WIRE_TYPES
};

struct wire_progress {
    int64_t step, steps;
    double loss, acc; /* training means since the last row of the curve */
    double value;     /* of the metric, at the best step so far; NaN before the first evaluation */
    double elapsed_s;
};

/* Writes one frame. IO where the other end is gone. */
enum status wire_send(int fd, enum wire_type type, const void *payload, size_t size,
                      struct message *m);

/* Whether a message may be of that type with a payload of that size. */
bool wire_valid(uint32_t type, size_t size);

/* Reads a framed stream piece by piece. Start with a zeroed struct. */
struct wire_reader {
    char *buffer;
    size_t begin, end, capacity;
};

/* Appends bytes. BAD_INPUT where a frame is larger than the limit, of unknown type or of the wrong
 * size for its type; the stream cannot be read on after that. */
enum status wire_feed(struct wire_reader *r, const void *bytes, size_t size, struct message *m);

/* The next whole frame: its payload (followed by a NUL that does not count) is valid until the next
 * wire_feed. False if there is none yet. */
bool wire_next(struct wire_reader *r, enum wire_type *type, const char **payload, size_t *size);

void wire_reader_free(struct wire_reader *r);

#endif
