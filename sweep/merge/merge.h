/* Puts what one results file holds into another: sweeps that were run in shards, results of several
 * people. Sweeps are the same by their name, trials by configuration and seed. Everything that is
 * in neither's way is taken over: sweeps, trials with their attempts, curves and results, remarks,
 * what studies found, files that trials learnt from, how plans and claims came to be, the ledger of
 * deleted trials. Numbers of trials, attempts, configurations and builds are given anew.
 *
 * Of a trial that both have, the further one stays or is taken over: a result comes before a
 * failure, a failure before what is to be resumed, and that before less of it. Two results that
 * differ contradict each other where all attempts of both were built alike (version, compiler,
 * flags, OpenBLAS, its core type, kernels): then nothing is merged. Where they were built
 * otherwise, the last bits may differ, and `into` keeps its own.
 *
 * So it makes no difference in which order files are merged, or how often, but for results of
 * different builds, and for the numbers. */
#ifndef SWEEP_MERGE_MERGE_H
#define SWEEP_MERGE_MERGE_H

#include "sweep/trials/trials.h"

/* A file of a trial that goes along. */
struct merge_move {
    const struct store *from;
    int64_t trial, attempt;       /* as they are called there */
    int64_t to_trial, to_attempt; /* and in `into` */
    const char *weights, *sha256; /* its weights; NULL: not ended, its checkpoints are meant */
    bool cut_off;  /* ... and a result, if its worker left one that nobody recorded */
    char name[64]; /* of weights: what they are to be called */
};

/* Notes a file that is to be there before the merge is committed, and names it. With an empty name
 * the trial is merged without its weights. */
typedef enum status merge_mover(void *context, struct merge_move *move, struct message *m);

struct merge_counts {
    long trials;     /* that the file has, but for those not needed */
    long taken;      /* those that were taken over: from there they have come further */
    long results;    /* of these, that have completed, diverged or failed */
    long other;      /* results that differ, built otherwise: those of `into` were kept */
    long weightless; /* taken over without weights that it has: the mover gave no name */
};

/* Merges `from` (open for reading) into `into`, between store_begin and store_commit; *counts is
 * written. BAD_INPUT, with what and where: results that contradict each other; sweeps of one name
 * that have no point in common, or whose best steps were chosen by another metric. CORRUPT where
 * `from` is not as it should be. After any failure the caller rolls back. */
enum status store_merge(struct store *into, struct store *from, merge_mover *mover, void *context,
                        struct merge_counts *counts, struct message *m);

/* Takes over from `from` only what a sweep that `into` has planned can use: of its trials that are
 * in its plan and shard and have no result, those that have come further there; unfinished: also
 * those that have not ended, as nobody is at work on `from`. One that was cut off there is then
 * `running` here, under its last attempt, until recover_trials finds what that has left. The sweep
 * there is the one of the same name. Its plan, claim, note and other trials stay behind, but how
 * they came to be tells what could be seen before this plan. Costs little where few trials are
 * meant, however many `from` has. Between store_begin and store_commit; counts->trials: those that
 * were looked for. BAD_INPUT where the best steps there were chosen by another metric; else as
 * store_merge. */
enum status store_take_over(struct store *into, int64_t sweep_id, struct store *from,
                            bool unfinished, merge_mover *mover, void *context,
                            struct merge_counts *counts, struct message *m);

#endif
