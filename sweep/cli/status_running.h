/* The trials that run now, with their curves so far. */
#ifndef SWEEP_CLI_STATUS_RUNNING_H
#define SWEEP_CLI_STATUS_RUNNING_H

#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/trials/trials.h"

/* Writes a table of them, at most `most` lines, below an empty line; nothing where none runs.
 * without: names of sweeps that are not meant, as JSON. */
enum status status_running(struct store *s, const char *without, int most, struct text_page page,
                           FILE *out, struct message *m);

/* The same of the sum of shards (shard_sum.h), by the numbers that trials have in their files. */
enum status status_running_shards(struct store *sum, const char *without, int most,
                                  struct text_page page, FILE *out, struct message *m);

#endif
