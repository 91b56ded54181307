/* The sweeps of `headcount status`: a row each, and the sentences below. */
#ifndef SWEEP_CLI_STATUS_TABLE_H
#define SWEEP_CLI_STATUS_TABLE_H

#include "sweep/cli/status_shards.h"
#include "sweep/report/table.h"

struct status_table {
    struct scope *scope;
    bool json;
    struct table *rows;
    struct text_buffer sentences;
    long sweeps;     /* in the tables so far ... */
    int64_t running; /* ... of the results file, not of shards */
};

struct status_table *status_table_new(struct scope *x, bool json);

/* Adds the sweeps of the scope's store, which is the results file or the sum of shards; the shards'
 * own sentences and JSON with each. */
void status_table_add(struct status_table *t, struct status_shards *shards);

/* Adds a row (JSON) or sentences about jobs of no sweep that was added. */
void status_table_end(struct status_table *t, struct status_shards *shards);

#endif
