/* The trials that came to nothing on a machine: it leaves them to others that have not failed at
 * them. Only so many of the latest are kept, and of those that were lost with it the ones that were
 * so most often. */
#ifndef SWEEP_RUN_SHUNNED_H
#define SWEEP_RUN_SHUNNED_H

#include <stdbool.h>
#include <stdint.h>

enum { SHUNNED_MOST = 8 };

struct shunned {
    int count;
    struct shunned_trial {
        int64_t trial;
        int losses;     /* how often it was lost with a machine; 0: it failed */
        bool barren;    /* without a step, and no trial got further on the machine since */
    } of[SHUNNED_MOST]; /* (count), the latest last */
};

/* The trial came to nothing there (once more). */
void shunned_add(struct shunned *s, int64_t trial, int losses, bool barren);

/* It came to something there. */
void shunned_remove(struct shunned *s, int64_t trial);

bool shunned_has(const struct shunned *s, int64_t trial);

/* A trial got further on the machine: the machine itself is not what was wrong. */
void shunned_further(struct shunned *s);

/* How many different trials failed there without a step since one got further. */
int shunned_barren(const struct shunned *s);

#endif
