/* What the files that merge share:
 *
 *   merge.sql      the longer statements, as sql_NAME
 *   merge.c        rows from one file to the other; what trials share, the ledger of deleted trials
 *   merge_sweep.c  sweeps: whose plan stays, shards, looks; their history, and what claims could
 * see merge_trial.c  trials: which of two is taken over, whether two results contradict each other
 *   merge_own.c    only the trials that a sweep has planned and not ended
 *
 * The names that things have in the two files meet in temporary tables of `into`; so does what
 * tells apart who had what (merge_tables). All is done within a scope. */
#ifndef SWEEP_MERGE_MERGE_PARTS_H
#define SWEEP_MERGE_MERGE_PARTS_H

#include "sweep/merge/merge.h"
#include "sweep/trials/trials_internal.h"

#define STATEMENT(name, sql) extern const char sql_##name[];
#include "merge_sql.h"
#undef STATEMENT

/* All of them, in the order of the file; ends with NULL. */
extern const char *const merge_statements[];

/* Rows of a table on their way. */
struct merge_copy {
    struct rows *read, *write;
    bool keyed; /* the first has the key as ?1 */
};

struct merging {
    struct store *into, *from;
    struct scope *x, *there; /* of these (merge_within) */
    merge_mover *mover;
    void *context;
    struct merge_counts *counts;
    int64_t own; /* store_take_over: the sweep whose trials are meant; 0: all are */
    bool unfinished;
    struct merge_copy new_trial, plan_of_trial, result_of_trial, left_trial; /* merge_trial.c */
};

#define MERGING "merging"

/* ---- merge.c ---- */

/* Runs `with` in a scope of `into`, which has one of `from`: that stays as it is now. Returns the
 * scope, which the caller ends. */
struct scope *merge_within(struct merging *g, void (*with)(struct merging *g), struct message *m);

/* Makes the temporary tables; the other drops them. `into` has then all that trials share (builds,
 * configurations), and merge_build and merge_config what they are called in both files. Of the
 * trials of one sweep it has the configurations already: those are noted with each trial. */
void merge_begin(struct merging *g);
void merge_end(struct merging *g);

/* The same for one of these tables alone. */
void merge_shared(struct merging *g, const char *table);

/* Both remarks of each trial, unless one has the other in it. */
void merge_trial_remarks(struct merging *g);

/* Rows of a table, from one file to the other: of the columns that both have, generated ones
 * excepted. What refers to another table gets what the row there is called in `into`; a key that is
 * a number alone is given anew; everything else gets what it has. @step, in `values`, `tail` and
 * `write`, is the row's value in a column. */
struct merge_table {
    const char *name;
    const char *to;            /* another table of `into`; NULL: the one of that name */
    const char *where;         /* WHERE ...: which rows, with the key as ?1; NULL: all */
    const char *columns;       /* ["remark"]: without these; NULL: none */
    bool only;                 /* ... or these only */
    const char *const *values; /* {"trial_id", "t.new", ..., NULL}: what columns get otherwise */
    bool update;               /* rows that are there are changed, not added */
    const char *tail;  /* FROM ... WHERE ... ON CONFLICT ...: behind the values; NULL: none */
    const char *write; /* the whole statement, in the place of all these; NULL: it is made */
};
void merge_rows(struct merging *g, const struct merge_table *t, int64_t key);

/* The same in parts, for many keys. */
struct merge_copy merge_copy_open(struct merging *g, const struct merge_table *t);
void merge_copy_run(struct merging *g, const struct merge_copy *copy, int64_t key);
void merge_copy_close(struct merging *g, const struct merge_copy *copy);

/* ---- merge_sweep.c ---- */

/* How the plans of a sweep that both files have go together. */
enum merge_plan {
    MERGE_NEW,    /* `into` did not have the sweep */
    MERGE_SAME,   /* the plans are the same */
    MERGE_RULES,  /* they list the same trials, and choose or judge them by other rules or claims */
    MERGE_THEIRS, /* that of `from` is the newer one and is taken */
    MERGE_OURS    /* the other way round: what is only in `from` is outside the plan */
};

struct merge_sweep {
    int64_t from_id, into_id;
    char name[CONFIG_NAME_BYTES + 1];
    enum merge_plan plan;
};

/* Brings the row of a sweep over, before its trials. */
void merge_sweep_begin(struct merging *g, struct merge_sweep *sweep);

/* What hangs on its trials, once all trials of the file are there. */
void merge_sweep_end(struct merging *g, const struct merge_sweep *sweep);

/* What the sweep is called in both files, and how the plans go together. */
void merge_note_sweep(struct merging *g, const struct merge_sweep *sweep);

/* Looks were judged by what trials had come to before. */
void merge_forget_looks(struct merging *g, int64_t sweep_id);

/* Choices are taken anew from what all trials have come to. */
void merge_settle(struct merging *g, int64_t sweep_id);

/* Puts the plan changes of both files into one order, and says whether that of `from` comes last.
 * Of trials that are taken over into a plan: those from before it. */
bool merge_history(struct merging *g, const struct merge_sweep *sweep);

/* What could be seen when the newest plan was made, now that more is known of that time. */
void merge_seen(struct merging *g, int64_t sweep_id);

/* ---- merge_trial.c ---- */

/* How far a trial has come. */
struct standing {
    int64_t trial_id; /* 0: there is none */
    enum trial_state state;
    int64_t resume_step, attempts; /* closed ones */
    bool cut_off; /* it runs, but nobody is there: its open attempt is among them */
    char weights[64], sha256[65];
};

/* Columns of a query that tells. */
enum { STANDING_CONFIG = 6, STANDING_SEED, STANDING_COLUMNS };
#define STANDING                                                                                   \
    "SELECT trial_id, state, resume_step, attempt - (state = 'running'), checkpoint,"              \
    " checkpoint_sha256, config_id, seed"
struct standing merge_standing(struct rows *r);

/* Whether the trial has come further in `from`. Not by a failure that is known in `into`, where it
 * is tried again. One that was cut off has, where nothing of it is here. */
bool merge_is_further(struct merging *g, const struct standing *theirs,
                      const struct standing *ours);

/* The trial of `into` becomes what it is in `from`. */
void merge_take_over(struct merging *g, const struct standing *theirs, const struct standing *ours);

/* All trials of a sweep; between the two that make their statements and end them. */
void merge_trials_open(struct merging *g);
void merge_trials(struct merging *g, const struct merge_sweep *sweep);
void merge_trials_close(struct merging *g);

/* The rows that belong to them, once all trials are there. */
void merge_trial_rows(struct merging *g);

#endif
