/* The Slurm jobs that run a sweep: what sbatch is given for each, its options and its script.
 *
 * A job may be put back into the queue at any time, by Slurm (preemption, a node that fails) or by
 * its own script, where a signal stopped the run before its end, or where another process holds the
 * results file: it appends to its output and goes on with what the results file has. A run that
 * stops by itself (exit status 75 without a signal: a full disk) would do so again at once; its job
 * stays out of the queue.
 *
 * The script carries the sweep file as it was when it was submitted, and Slurm keeps the script. */
#ifndef SWEEP_CLI_BATCH_H
#define SWEEP_CLI_BATCH_H

#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/cli/sbatch_words.h"

/* What a sweep's jobs are made from. */
struct batch_request {
    const char *program;        /* absolute path of headcount */
    const char *folder;         /* absolute; db may be relative to it */
    const char *db;             /* the results file */
    const char *sweep, *as;     /* text of the sweep file; its absolute path, NULL: it has none */
    const char *name;           /* of the sweep: letters, digits, '.', '_', '-' */
    struct command_texts set;   /* --set of run */
    bool retry_failed, replace; /* of run, at the job's first start only */
    long nodes;                 /* one job on so many nodes; 0: an array */
    long array;                 /* of so many jobs, each with a share of the trials */
    long at_once;               /* so many of them; 0: as the cluster has room */
    long cpus;                  /* of each node; 0: all */
    const char *launch, *agent; /* of run; with nodes. NULL: slurm, the program's own path */
    const char *setup;          /* lines of bash before the program (batch_read_setup), or NULL */
    const struct sbatch_words *words;       /* settled; they win over the job's own */
    const struct sbatch_words *merge_words; /* the same, in their place, for batch_merge; or NULL */
    const char *after;                      /* a dependency, instead of that of words; or NULL */
};

/* One of them. Starts as {0}; freed by batch_free. */
struct batch {
    char **option; /* words for sbatch; NULL after the last */
    int options;
    struct text_buffer script;
    bool out_of_memory;
};

/* The run of the whole sweep on all nodes. */
enum status batch_run(const struct batch_request *r, struct batch *b, struct message *m);

/* The array; task k runs shard k in a results file of its own (shard_files.h). */
enum status batch_shards(const struct batch_request *r, struct batch *b, struct message *m);

#define BATCH_MERGE_ENDING "-merge"

/* What brings these files together in r->db, and reports: its job has the sweep's name and
 * BATCH_MERGE_ENDING. What it depends on is not among its
 * options: the array, and what batch_merge_dependency says, or NULL. */
enum status batch_merge(const struct batch_request *r, struct batch *b, struct message *m);
const char *batch_merge_dependency(const struct batch_request *r);

/* Adds two functions of the shell, for a script that has set $job, the job's number, and $db, the
 * results file. `requeue` puts a job back into the queue that Slurm lets run. `wait_for_holder`
 * does so where $db is held by another process, to begin again when the job of that process has
 * ended, or, where that is none of Slurm, in five minutes; a day long. */
void batch_add_queueing(struct text_buffer *b);

/* What the user wants before the program: the lines of a file (NULL: none), then the others, as one
 * text in which each ends with "\n", malloced; NULL where there are none. The last may end in a
 * backslash: then the program goes on with it. BAD_INPUT where the file cannot be read, where it
 * all is too long, and where bash does not take it. */
enum status batch_read_setup(const char *file, const struct command_texts *lines, char **setup,
                             struct message *m);

/* Adds the program with what the user wants before it; its arguments follow. */
void batch_add_program(struct text_buffer *b, const struct batch_request *r);

/* Adds the same as a function of the shell, `program`, for scripts that call it more than once.
 * What those lines do to the shell ends with the call. */
void batch_add_function(struct text_buffer *b, const struct batch_request *r);

/* Adds the options of run that say how agents are started. */
void batch_add_launch(struct text_buffer *b, const struct batch_request *r);

/* A further option, which wins over those before it. */
void batch_option(struct batch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

void batch_free(struct batch *b);

/* The job as a command of the shell, "sbatch OPTIONS more <<'END_OF_JOB'" and so on. more: further
 * words with a space before each, as the shell reads them. */
void batch_show(const struct batch *b, const char *more, struct text_buffer *out);

#endif
