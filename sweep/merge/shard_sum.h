/* What the files of a sweep's shards and the file that they are merged into have come to together,
 * each trial counted once. It is a results file in memory: of all sweeps that shards have, the rows
 * of `sweep`, `config` and `trial` and, of trials that run, those of `attempt` and `curve`. The
 * view progress, cost_left and the like tell of it what they tell of any other; what it has merely
 * been read from is not changed. */
#ifndef SWEEP_MERGE_SHARD_SUM_H
#define SWEEP_MERGE_SHARD_SUM_H

#include "sweep/trials/trials.h"

/* An empty one; close it with store_close. */
enum status shard_sum_new(struct store **sum, struct message *m);

/* What is known of a file beside what stands in it. */
struct shard_source {
    long number, of; /* of a shard; 0: the file that shards are merged into, which comes last */
    bool at_work;    /* somebody is at work on it: what it says to be running does run */
};

/* Adds what a file has. Of a trial that several have, a result comes first, then that it runs, that
 * it failed, that it is not needed; else what the file says in whose shard it is. The newest plan
 * is the sweep's. Of the file that shards are merged into, only sweeps that shards have too. After
 * a failure the sum is as it was. */
enum status shard_sum_add(struct store *sum, struct store *from, const struct shard_source *source,
                          struct message *m);

/* To be called once, behind the last of them, before anything is asked. */
enum status shard_sum_end(struct store *sum, struct message *m);

/* What the sum has beside the tables of a results file, with number = 0 for the file that shards
 * are merged into:
 *
 * shard_part (sweep_id, number, of, trials_left, newest, last_run): a sweep in the file of a shard,
 * where that file has the sweep's newest plan. trials_left: of the shard, that have ended nowhere;
 * newest: no other sweep of that file was run later.
 *
 * shard_running (trial_id, number, of, its_id): a trial that runs, and what its file calls it. */

#endif
