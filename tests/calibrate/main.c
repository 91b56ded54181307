/* usage: calibrate [-s SWEEPS] [WORD]   Simulates the verdict in every case (whose name contains
 * WORD) and says how often it is wrong. Exit status 1 if an error rate is above its level. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/calibrate/print.h"

enum { PROCESSES_MAX = 64 };

/* Each process takes every so manieth sweep and writes into its part. */
struct process_pool {
    int processes;
    struct tally *part; /* shared */
};

static bool pool_start(struct process_pool *pool)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->processes = cores < 1 ? 1 : cores > PROCESSES_MAX ? PROCESSES_MAX : (int)cores;
    pool->part = mmap(NULL, PROCESSES_MAX * sizeof *pool->part, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return pool->part != MAP_FAILED;
}

/* Tallies sweeps 0 .. sweeps - 1 of a world. */
static bool simulate(const struct process_pool *pool, const struct world *w, const char *name,
                     long sweeps, struct tally *total)
{
    bool good = true;
    memset(pool->part, 0, (size_t)pool->processes * sizeof *pool->part);
    fflush(stdout);
    for (int i = 0; i < pool->processes; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(tally_sweeps(&pool->part[i], w, name, i, sweeps, pool->processes) != STATUS_OK);
        good = good && child > 0;
    }
    for (int status; wait(&status) > 0;)
        good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    for (int i = 0; i < pool->processes; i++)
        tally_add(total, &pool->part[i]);
    return good && total->sweeps == sweeps;
}

/* Returns the number of breaches, -1 where a process failed. */
static int calibrate(const struct process_pool *pool, struct outcome *o, long sweeps)
{
    const struct calibration *c = o->calibration;
    int breaches = 0;
    print_case(c);
    for (int i = 0; i < CALIBRATION_VARIANTS; i++) {
        struct variant v = CALIBRATION_VARIANT[i];
        if (!calibration_has(c, v))
            continue;
        struct world w = calibration_world(c, v);
        printf("  %d head counts", w.heads);
        if (w.instances)
            printf(", %d instances of", w.instances);
        printf("%s %d seeds\n", w.instances ? "" : synthetic_looks(&w) ? ", up to" : ",", w.seeds);
        if (!simulate(pool, &w, c->name, sweeps, &o->tally[i]))
            return -1;
        breaches += print_variant(c, &w, &o->tally[i]);
    }
    return breaches;
}

/* Returns the exit status. */
static int calibrate_all(const struct process_pool *pool, struct outcome *o, long sweeps,
                         const char *word)
{
    time_t start = time(NULL);
    int count = 0, breaches = 0;
    for (int i = 0; i < CALIBRATIONS_COUNT; i++) {
        if (!strstr(CALIBRATIONS[i].name, word))
            continue;
        o[count].calibration = &CALIBRATIONS[i];
        int found = calibrate(pool, &o[count++], sweeps);
        if (found < 0) {
            fprintf(stderr, "calibrate: %s: a process failed\n", CALIBRATIONS[i].name);
            return 3;
        }
        breaches += found;
    }
    print_table(o, count);
    printf(
        "\n%ld sweeps a case and variant, %d processes, %ld s; error rates above their level: %d\n",
        sweeps, pool->processes, (long)(time(NULL) - start), breaches);
    return breaches > 0;
}

int main(int argc, char **argv)
{
    long sweeps = 20000;
    int option;
    while ((option = getopt(argc, argv, "s:")) == 's')
        sweeps = strtol(optarg, NULL, 10);
    if (option != -1 || sweeps < 1 || sweeps > 100000000 || argc > optind + 1) {
        fprintf(stderr, "usage: calibrate [-s SWEEPS] [WORD]\n");
        return 2;
    }
    struct process_pool pool;
    struct outcome *o = calloc((size_t)CALIBRATIONS_COUNT, sizeof *o);
    int status = 3;
    if (o && pool_start(&pool))
        status = calibrate_all(&pool, o, sweeps, optind < argc ? argv[optind] : "");
    else
        perror("calibrate");
    free(o);
    return status;
}
