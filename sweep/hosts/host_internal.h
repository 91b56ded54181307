/* What host.c and host_launch.c share; nobody else includes this. */
#ifndef SWEEP_HOSTS_HOST_INTERNAL_H
#define SWEEP_HOSTS_HOST_INTERNAL_H

#include "sweep/hosts/host.h"

/* Starts the launcher and its pipes. On failure nothing is left open. */
enum status host_spawn(struct host *h, struct message *m);

#endif
