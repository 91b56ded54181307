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

/* Words for sbatch, as users give them. Starts as {0}. */
struct sbatch_words {
    const char **word;
    int count;
    const char *dependency; /* of --dependency, which submit adds to; or NULL */
    bool wait;              /* --wait */
};

void sbatch_words_add(struct scope *x, struct sbatch_words *w, const char *word);

/* Adds the words that the shell would read in a text: with quotes and backslashes, without
 * variables, commands and patterns. BAD_INPUT where it has any of these, or a quote without its
 * end. */
void sbatch_words_split(struct scope *x, struct sbatch_words *w, const char *text);

/* Takes out of the words what submit itself sees to: --dependency and --wait. BAD_INPUT for
 * --array, --job-name and --comment, with what to do instead. */
void sbatch_words_settle(struct scope *x, struct sbatch_words *w);

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

/* One of them. */
struct batch {
    struct scope *scope;
    char **option; /* words for sbatch; NULL after the last */
    int options;
    struct text_buffer script;
};

/* The run of the whole sweep on all nodes. */
struct batch *batch_run(struct scope *x, const struct batch_request *r);

/* The array; task k runs shard k in a results file of its own (shard_files.h). */
struct batch *batch_shards(struct scope *x, const struct batch_request *r);

#define BATCH_MERGE_ENDING "-merge"

/* What brings these files together in r->db, and reports: its job has the sweep's name and
 * BATCH_MERGE_ENDING. What it depends on is not among its
 * options: the array, and what batch_merge_dependency says, or NULL. */
struct batch *batch_merge(struct scope *x, const struct batch_request *r);
const char *batch_merge_dependency(const struct batch_request *r);

/* What the user wants before the program: the lines of a file (NULL: none), then the others, as one
 * text in which each ends with "\n"; NULL where there are none. The last may end in a backslash:
 * then the program goes on with it. BAD_INPUT where the file cannot be read, where it all is too
 * long, and where bash does not take it. */
const char *batch_read_setup(struct scope *x, const char *file, const struct command_texts *lines);

/* A further option, which wins over those before it. */
void batch_option(struct batch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The job as a command of the shell, "sbatch OPTIONS more <<'END_OF_JOB'" and so on. more: further
 * words with a space before each, as the shell reads them. */
void batch_show(const struct batch *b, const char *more, struct text_buffer *out);

#endif
