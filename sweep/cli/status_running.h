/* The trials that run now, with their curves so far. */
#ifndef SWEEP_CLI_STATUS_RUNNING_H
#define SWEEP_CLI_STATUS_RUNNING_H

#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/store/store.h"

/* Writes a table of them, at most `most` lines, below an empty line; nothing where none runs. */
enum status status_running(struct store *s, int most, struct text_page page, FILE *out,
                           struct message *m);

#endif
