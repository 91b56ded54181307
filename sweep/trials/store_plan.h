/* What the files that plan share:
 *
 *   store_plan.c     points and trials, held against what is stored
 *   store_sweep.c    the row of `sweep`
 *   store_shard.c    which trials are of the plan's shard
 *   store_history.c  the rows of `plan_change`; what a claim could be read off
 *   data_file.c      the files that trials learn from */
#ifndef SWEEP_TRIALS_STORE_PLAN_H
#define SWEEP_TRIALS_STORE_PLAN_H

#include "sweep/trials/data_file.h"
#include "sweep/trials/trials_internal.h"

enum {
    PATHS_SIZE = 4096,
    LOOKS_SIZE = 256,
    RUNGS_SIZE = 80,
    RULES_SIZE = 80,
    CONFIRM_SIZE = 16384
};

struct planning {
    struct store *s;
    const struct plan *p;
    struct plan_changes *changes;
    struct message *m;
    char plan_sha256[65]; /* of everything that decides about rows of `trial` */
    /* As they stand in `sweep`; "" for NULL. */
    const char *claim; /* the plan's */
    char tune[PATHS_SIZE], replicate[PATHS_SIZE];
    char looks[LOOKS_SIZE], rungs[RUNGS_SIZE], confirm[CONFIRM_SIZE];
    long in_plan;           /* trials that the file listed, before */
    bool same_plan;         /* the rows of `trial` are as they should be */
    bool same_question;     /* what is chosen and judged is so by the same rules */
    char rules[RULES_SIZE]; /* the keys among tune, replicate, looks, rungs, equivalence, extend
                               and confirm that have changed: ["looks"]; "" for none */
    char *what;             /* plan_change.what; NULL: nothing to compare with */
};

/* ---- store_sweep.c ---- */

/* Writes claim, tune, replicate, looks, rungs and confirm. BAD_INPUT where they are too long. */
enum status plan_write_texts(struct planning *g);

/* What is stored of the sweep: fills changes, in_plan and same_question; *plan_sha256 gets the hash
 * of the stored plan, "" without a sweep. */
enum status plan_find_sweep(struct planning *g, char plan_sha256[65]);

/* Inserts or updates the row; changes->sweep_id is its id. */
enum status plan_write_sweep(struct planning *g);

/* ---- store_shard.c ---- */

/* Which trials can be claimed, and which shards the file has; after trials and sweep are written.
 */
enum status plan_write_shard(struct planning *g);

/* ---- store_history.c ---- */

/* What the temporary tables of the plan have that the stored plan has not, and the other way round,
 * into g->what (malloced); before trials are written. */
enum status plan_describe_change(struct planning *g);

/* A row of `plan_change` where pairs, claim or rules are not those of the newest one; after trials
 * and sweep are written. */
enum status plan_record_change(struct planning *g);

/* ---- data_file.c ---- */

/* What the plan's files were found to be. */
enum status plan_write_data(struct planning *g);

#endif
