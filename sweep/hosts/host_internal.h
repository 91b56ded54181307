/* What host.c and host_launch.c share; nobody else includes this. */
#ifndef SWEEP_HOSTS_HOST_INTERNAL_H
#define SWEEP_HOSTS_HOST_INTERNAL_H

#include "sweep/hosts/host.h"

/* Starts the launcher and its pipes. On failure nothing is left open. */
enum status host_spawn(struct host *h, struct message *m);

/* At a time, of what one host says: the others, and the results file, are not to wait for one that
 * floods. */
enum { HOST_READS_MAX = 16 };

/* Keeps the last of what the launcher, or the shell over there, has to say. */
void host_read_errors(struct host *h);

/* The last line of it that says something; "" where there is none. */
const char *host_last_words(struct host *h);

/* The line of it that says that all was killed for memory, in Slurm's words; NULL where none does.
 * To be called after host_last_words. */
const char *host_memory_words(struct host *h);

void host_close_fd(int *fd);

#endif
