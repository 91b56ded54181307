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

/* The nodes of the allocation, with a slot for each of its CPUs there and what memory it has there
 * (memory_budget_of_job); *list malloced. BAD_INPUT
 * outside an allocation, IO where scontrol does not tell the names of its nodes. */
enum status slurm_hosts(struct host_spec **list, int *count, struct message *m);

/* The same from names, one a line, and CPUs as in SLURM_JOB_CPUS_PER_NODE: "2(x3),4". BAD_INPUT
 * where the two do not belong together. */
enum status slurm_specs(const char *names, const char *cpus, struct host_spec **list, int *count,
                        struct message *m);

enum { SLURM_ID = 64 };

/* To wait until a job has ended (sbatch --wait). */
struct slurm_wait {
    void (*submitted)(const char *id, void *context); /* called at once */
    void *context;
    int exit_status; /* answered: the job's own; 1 where a signal ended it, as sbatch has it */
};

/* Hands a script to sbatch with these options (NULL after the last) and waits for the number of the
 * job, "17", and, unless `wait` is NULL, for its end. What sbatch itself says goes to stderr. IO
 * where there is no sbatch, or where it refuses the job. */
enum status slurm_submit(char *const *option, int options, const char *script, size_t size,
                         struct slurm_wait *wait, char id[SLURM_ID], struct message *m);

/* By this comment (--comment) the jobs that work on the results file at db are known: "headcount "
 * and its real path, of a very long one the end. malloced; NULL without memory. */
char *slurm_comment(const char *db);

/* The same of an array, each of whose tasks has one of so many shards. */
char *slurm_array_comment(const char *db, long shards);

/* A job or, of an array, a task. The texts are Slurm's and the users' own, cut to their room. */
struct slurm_job {
    char id[64]; /* "17", "17_2" */
    long job;    /* 17 */
    long task;   /* 2; 0: not of an array */
    long shards; /* of the array, by its comment; 0: it says nothing of them */
    char name[128];
    char state[24];  /* RUNNING, PENDING, ... */
    char reason[64]; /* why it waits */
};

/* The jobs in the queue that work on the results file at db, in squeue's order; *list malloced,
 * NULL where there are none, as on a machine without squeue. IO where squeue fails, or has said
 * nothing for 10 s. */
enum status slurm_jobs(const char *db, struct slurm_job **list, int *count, struct message *m);

/* The same for who would rather not know than wait, or hear squeue's errors: *answered says whether
 * there is a squeue, which has told. */
enum status slurm_jobs_within(const char *db, int patience_ms, struct slurm_job **list, int *count,
                              bool *answered, struct message *m);

/* Whether the allocation that this process runs in (SLURM_JOB_ID) still has its nodes, by what
 * squeue says within 5 s. */
enum slurm_allocation {
    SLURM_THERE,
    SLURM_GONE,     /* it has ended, ends, or is back in the queue */
    SLURM_NO_ANSWER /* as where the controller is down: it may be there */
};
enum slurm_allocation slurm_allocation(void);

#endif
