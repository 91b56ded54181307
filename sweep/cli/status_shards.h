/* The shards of the sweeps of a results file, part of `headcount status`: what their files come to
 * together with it, and which of them are at work, wait in the queue of Slurm, or are left alone.
 */
#ifndef SWEEP_CLI_STATUS_SHARDS_H
#define SWEEP_CLI_STATUS_SHARDS_H

#include "sweep/db/lock.h"
#include "sweep/db/scope.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/slurm.h"
#include "sweep/trials/trials.h"

/* A shard's file. */
struct shard_view {
    const struct shard_file *file;
    bool held; /* a process holds its lock: who */
    struct lock_holder holder;
    bool at_work;        /* held, or Slurm says so */
    const char *trouble; /* why it was passed over, or NULL */
};

/* A sweep in a shard's file. */
struct shard_part {
    char sweep[STORE_NAME_SIZE];
    const struct shard_view *view;
    int64_t left; /* trials of the shard that have ended nowhere */
    bool newest;  /* no other sweep of that file was run later */
    char last_run[sizeof "2026-11-21T16:12:00.123Z"];
};

struct status_shards {
    struct scope *scope;
    struct store *sum; /* of shards and results file (shard_sum.h); NULL: there is nothing to sum */
    const char *from_sum;  /* JSON: the names of the sweeps that are shown from the sum ... */
    const char *from_file; /* ... and of those that the results file has whole */

    struct slurm_job *job; /* (jobs) of Slurm that work on the results file */
    int jobs;
    bool answered; /* squeue has told of all of them; without, there may be others */
    bool *told_of; /* (jobs) by sentences or JSON */
    struct shard_files files;
    struct shard_view *view; /* (files.count), those at work first */
    struct shard_part *part; /* (parts) in the order of their files */
    int parts;
    bool own_at_work; /* a process holds the lock of the results file */
};

/* own: the results file at db; NULL where it is not there yet. squeue is asked for three seconds at
 * most. Files that cannot be read are passed over. */
struct status_shards *status_shards_read(struct scope *x, const char *db, struct store *own);

/* Sentences about a sweep's shards and jobs, each a line. */
void status_shards_say(struct status_shards *s, const char *sweep, struct text_buffer *said);
/* Those about jobs that were told of with no sweep. */
void status_shards_say_others(struct status_shards *s, struct text_buffer *said);
/* Which files were passed over, and why, each a line. */
void status_shards_say_passed(const struct status_shards *s, struct text_buffer *said);

/* The same as JSON, "null" where there is nothing:
 *   [{"shard":2,"of":3,"state":"runs","trials_left":4,"job":"17_2","reason":null,
 *     "holder":"process 12 on n1, job 19 of Slurm"}, ...]
 *   [{"job":"18","name":"quick-merge","state":"PENDING","reason":"Dependency"}, ...] */
void status_shards_json(struct status_shards *s, const char *sweep, struct text_buffer *shards,
                        struct text_buffer *jobs);
/* Of the jobs that were told of with no sweep; nothing is added where there is none. */
void status_shards_json_others(struct status_shards *s, struct text_buffer *jobs);

#endif
