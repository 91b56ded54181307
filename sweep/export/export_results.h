/* The results of a sweep in canonical form: equal bytes mean equal results.
 *
 * JSON Lines, one line per trial, ordered by sweep name, config_sha256, seed; keys in this order:
 *
 *   sweep, config_sha256, seed, in_plan, setting, tuning, is_tuning,
 *   confirms      true; of trials that confirm alone
 *   state         queued (for running trials too: being claimed is not a result) | completed |
 *                 diverged | failed | not_needed
 *   and for completed and diverged trials
 *   steps_done, best_step, bad_step, train_acc, val_acc, val_loss, test_acc, test_acc_by_slot,
 *   test_exact, test_loss, chance,
 *   curve         array ordered by step: step, train_loss, train_acc, val_loss, val_acc, grad_norm,
 *                 lr
 *   and for all
 *   config        the canonical JSON whose SHA-256 is config_sha256
 *
 * Reals as %.9g, null where there is nothing. No times, paths, hosts, attempts or builds. Trials
 * that left the plan are there, with in_plan false. */
#ifndef SWEEP_EXPORT_EXPORT_RESULTS_H
#define SWEEP_EXPORT_EXPORT_RESULTS_H

#include <stdio.h>

#include "sweep/trials/trials.h"

/* Writes the sweep of that name (NULL: all sweeps) to out and flushes it. BAD_INPUT where there is
 * no such sweep; IO or DISK_FULL where out takes no more. */
enum status export_results(struct store *s, const char *sweep, FILE *out, struct message *m);

#endif
