/* One trial in its own process: the program itself, started by the coordinator as
 * `headcount worker`. The only place where the engine meets the tasks.
 *
 * Job, on descriptor 3 (worker reads until end of file), lines `key=value`:
 *   trial, attempt, seed, folder (absolute, <db>.d), checkpoint_s (seconds between checkpoints),
 *   memory (bytes, 0: no limit), time_s (CPU, 0: no limit), build, minimize (0 | 1), metric,
 *   config (canonical JSON; last)
 *
 * Messages, on descriptor 4, each framed as
 *   uint32 size of payload (little-endian, <= MESSAGE_LIMIT), uint32 type, payload
 * types: see enum worker_message.
 *
 * Files in folder, per trial t and attempt a:
 *   t{t}.lock             flocked by the worker as long as it lives
 *   t{t}-a{a}-{0|1}.ckpt  two checkpoints, written alternately (checkpoint.h)
 *   t{t}-a{a}.result      safetensors: weights of the best step (PyTorch's names), metadata
 *                         format "headcount.result.1", result (JSON below), config, sha256 of data
 *
 * Result JSON: {"state":"completed"|"diverged","steps_done":,"best_step":,"train_acc":,"val_acc":,
 *   "test_acc":,"test_acc_by_slot":[...],"test_exact":,"test_loss":,"chance":,"train_s":,
 *   "resumed_from_step":,"error":null|"...","bad_step":null|n,
 *   "curve":[{"step":,"train_loss":,"train_acc":,"val_loss":,"val_acc":,"grad_norm":,"lr":,
 *             "elapsed_s":}, ...]}
 * A diverged trial has null for what was not reached. Numbers in %.17g. */
#ifndef SWEEP_WORKER_H
#define SWEEP_WORKER_H

#include <stdint.h>

#include "engine/status.h"

enum { WORKER_JOB_FD = 3, WORKER_MESSAGE_FD = 4, WORKER_MESSAGE_LIMIT = 1 << 20 };

enum worker_message {
    WORKER_STARTED = 1, /* struct worker_progress: the step it goes on from */
    WORKER_PROGRESS,    /* struct worker_progress, a few times a second */
    WORKER_CURVE,       /* text: one row of the curve as JSON */
    WORKER_FINISHED,    /* text: name of the durable result file, relative to folder */
    WORKER_STOPPED,     /* struct worker_progress: checkpointed and stopped as asked */
    WORKER_NOTE         /* text: a warning for people (older checkpoint used, other build) */
};

struct worker_progress {
    int64_t step, steps;
    double loss, acc; /* training means so far in this curve row */
    double elapsed_s;
};

/* Exit statuses of a worker; anything else is a failure. */
enum { WORKER_EXIT_FINISHED = 0, WORKER_EXIT_FAILED = 1, WORKER_EXIT_STOPPED = 75,
       WORKER_EXIT_DISK_FULL = 76, WORKER_EXIT_MEMORY_LIMIT = 77, WORKER_EXIT_TIME_LIMIT = 78 };

/* The whole life of the worker process; returns its exit status. */
int worker_main(void);

/* Reads a framed stream piece by piece. */
struct worker_reader {
    char *buffer;
    size_t used, capacity;
};
/* Appends bytes; BAD_INPUT where a frame is larger than the limit or of unknown type. */
enum status worker_reader_feed(struct worker_reader *r, const void *bytes, size_t size,
                               struct message *m);
/* The next whole frame, valid until the next call of feed; returns 0 if there is none yet. */
int worker_reader_next(struct worker_reader *r, enum worker_message *type, const char **payload,
                       uint32_t *size);
void worker_reader_free(struct worker_reader *r);

#endif
