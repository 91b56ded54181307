/* Trials as CSV, for other programs.
 *
 * EXPORT_CSV_CURVES: a line per evaluation of every trial in the plan, half-done ones too, by trial
 * and step.
 *
 *   trial, heads, setting, seed   as `show` prints them
 *   tuning      under `tune` what the trial was given, "lr=0.01"; else empty
 *   is_tuning   1: it serves only to choose
 *   state       of the trial
 *   step, ...   the columns of table curve
 *
 * EXPORT_CSV_TRIALS: a line per trial in the plan that is needed, by setting, heads, what it was
 * given, replicate and seed: equal bytes mean equal results. What the tables and intervals of a
 * report are made of.
 *
 *   setting, heads, tuning, seed, state   as above
 *   replicate   values of the replicated axes, "instance=3"; else empty
 *   role        tuning: it serves only to choose; judged
 *   val_acc, val_loss, test_acc, test_exact, test_loss, best_step   of a completed trial
 *   lr          learning rate
 *   chance      accuracy of guessing, which diverged and failed trials count as
 *   block_loss  of a text: [2.1,2.3,...], the losses of its blocks, to 15 digits
 *
 * Reals are the shortest numbers that read back as what is stored; fields without a value are
 * empty. */
#ifndef SWEEP_EXPORT_EXPORT_CSV_H
#define SWEEP_EXPORT_EXPORT_CSV_H

#include "sweep/trials/trials.h"

enum export_csv { EXPORT_CSV_CURVES, EXPORT_CSV_TRIALS };

/* Writes them of a sweep into the file at path, which is there when it is whole, or (NULL) to
 * standard output. INTERRUPTED where a stop was asked for (sweep/worker/stop.h), IO or DISK_FULL
 * where no more can be written. */
enum status export_csv(struct store *s, enum export_csv what, int64_t sweep_id, const char *path,
                       struct message *m);

#endif
