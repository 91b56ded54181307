/* What is asked of Slurm, through its own commands. */
#ifndef SWEEP_HOSTS_SLURM_H
#define SWEEP_HOSTS_SLURM_H

#include <stddef.h>

#include "sweep/hosts/host.h"

/* --launch slurm: starts a program on a node of the allocation that this process runs in. A step
 * has all cores and all memory that the allocation has there, and shares them, so that a lost agent
 * can be replaced while the last of it ends. */
#define SLURM_LAUNCH                                                                               \
    "srun --nodes=1 --ntasks=1 --nodelist={host} --overlap --mem=0 --cpu-bind=none --export=ALL"

/* The nodes of the allocation, with a slot for each of its CPUs there; *list malloced. BAD_INPUT
 * outside an allocation, IO where scontrol does not tell the names of its nodes. */
enum status slurm_hosts(struct host_spec **list, int *count, struct message *m);

/* The same from names, one a line, and CPUs as in SLURM_JOB_CPUS_PER_NODE: "2(x3),4". BAD_INPUT
 * where the two do not belong together. */
enum status slurm_specs(const char *names, const char *cpus, struct host_spec **list, int *count,
                        struct message *m);

enum { SLURM_ID = 64 };

/* Hands a script to sbatch with these options (NULL after the last) and waits for the number of the
 * job, "17". What sbatch itself says goes to stderr. IO where there is no sbatch, or where it
 * refuses the job. */
enum status slurm_submit(char *const *option, int options, const char *script, size_t size,
                         char id[SLURM_ID], struct message *m);

#endif
