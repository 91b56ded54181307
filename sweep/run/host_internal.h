/* What host.c and host_launch.c share; nobody else includes this. */
#ifndef SWEEP_RUN_HOST_INTERNAL_H
#define SWEEP_RUN_HOST_INTERNAL_H

#include "sweep/run/host.h"

/* Starts the launcher and its pipes. On failure nothing is left open. */
enum status host_spawn(struct host *h, struct message *m);

#endif
