/* Machines on which attempts were lost, part of `headcount status`. */
#ifndef SWEEP_CLI_STATUS_LOST_H
#define SWEEP_CLI_STATUS_LOST_H

#include "sweep/db/scope.h"

/* Since the last run of a sweep began. */
struct status_lost {
    char *json;  /* {"b":{"attempts":2,"error":"..."}, ...} */
    char *words; /* "b, which lost 2 attempts, the last one to: ...; c, ...": where no trial runs
                    now, those that lost most first; NULL: none */
};

/* Passes along all attempts of the file: to be asked while trials run. */
struct status_lost status_lost(struct scope *x, int64_t sweep_id);

#endif
