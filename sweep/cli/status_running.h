/* The trials that run now, with their curves so far. */
#ifndef SWEEP_CLI_STATUS_RUNNING_H
#define SWEEP_CLI_STATUS_RUNNING_H

#include <stdio.h>

#include "sweep/db/scope.h"

/* Writes a table of them, at most `most` lines, below an empty line; nothing where none runs.
 * without: names of sweeps that are not meant, as JSON. */
void status_running(struct scope *x, const char *without, int most, struct text_page page,
                    FILE *out);

/* The same of the sum of shards (shard_sum.h), by the numbers that trials have in their files. */
void status_running_shards(struct scope *x, const char *without, int most, struct text_page page,
                           FILE *out);

#endif
