/* Learning curves for TensorBoard: a folder with a file of events for every trial of the plan that
 * has been evaluated, half-done ones too:
 *
 *   DIR/heads=004,d_model=32,lr=0.01,seed=0003,trial=00012/events.out.tfevents.headcount
 *
 * with heads, what else varies, and the seed. Scalars at each evaluation: train/loss, train/acc,
 * val/loss, val/acc, optim/grad_norm, optim/lr; at the best step of a completed trial test/acc,
 * test/loss, test/exact. The text `config` has all options. The tab HParams gets heads, what varies
 * and the seed. Wall times are those of the training: an attempt's start plus the time trained
 * since. A value is a 32-bit float there.
 *
 * Equal results make equal bytes, so that an export can be repeated: what has not changed stays
 * untouched, a file of the same trial is replaced as a whole, and any other is refused. */
#ifndef SWEEP_EXPORT_EXPORT_TENSORBOARD_H
#define SWEEP_EXPORT_EXPORT_TENSORBOARD_H

#include "sweep/trials/trials.h"

/* How many runs are in the folder afterwards, and how many of them had to be written. */
struct export_runs {
    long runs, written;
};

/* BAD_INPUT where a file in the way is not of the same trial; INTERRUPTED where a stop was asked
 * for (sweep/worker/stop.h); IO or DISK_FULL where a file cannot be written. Files written before
 * stay. */
enum status export_tensorboard(struct store *s, int64_t sweep_id, const char *folder,
                               struct export_runs *r, struct message *m);

#endif
