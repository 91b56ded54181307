/* Learning curves as CSV: a line per evaluation of every trial in the plan, half-done ones too, by
 * trial and step. Columns:
 *
 *   trial, heads, setting, seed   as `show` prints them
 *   tuning      under `tune` what the trial was given, "lr=0.01"; else empty
 *   is_tuning   1: it serves only to choose
 *   state       of the trial
 *   step, ...   the columns of table curve
 *
 * Reals are the shortest numbers that read back as what is stored; fields without a value are
 * empty. */
#ifndef SWEEP_EXPORT_EXPORT_CURVES_H
#define SWEEP_EXPORT_EXPORT_CURVES_H

#include "sweep/trials/trials.h"

/* Writes the curves of a sweep into the file at path, which is there when it is whole, or (NULL) to
 * standard output. INTERRUPTED where a stop was asked for (sweep/worker/stop.h), IO or DISK_FULL
 * where no more can be written. */
enum status export_curves(struct store *s, int64_t sweep_id, const char *path, struct message *m);

#endif
