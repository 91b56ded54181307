/* The trials that came to nothing on a machine: it leaves them to others that have not failed at
 * them. Only so many of the latest are kept, and of those that were lost with it the ones that were
 * so most often. */
#ifndef SWEEP_RUN_HOST_BLOCKLIST_H
#define SWEEP_RUN_HOST_BLOCKLIST_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_BLOCKLIST_MAX = 8 };

struct host_blocklist {
    int count;
    struct blocked_trial {
        int64_t trial;
        int losses;           /* how often it was lost with a machine; 0: it failed */
        bool failed_early;    /* without a step, and no trial got further on the machine since */
    } of[HOST_BLOCKLIST_MAX]; /* (count), the latest last */
};

/* The trial came to nothing there (once more). */
void host_blocklist_add(struct host_blocklist *s, int64_t trial, int losses, bool failed_early);

/* It came to something there. */
void host_blocklist_remove(struct host_blocklist *s, int64_t trial);

bool host_blocklist_has(const struct host_blocklist *s, int64_t trial);

/* A trial got further on the machine: the machine itself is not what was wrong. */
void host_blocklist_further(struct host_blocklist *s);

/* How many different trials failed there without a step since one got further. */
int host_blocklist_failed_early(const struct host_blocklist *s);

#endif
