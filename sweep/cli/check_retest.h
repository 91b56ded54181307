/* `headcount check --retest`: the best weights of completed trials are tested again, and what they
 * give is held against rows and results. */
#ifndef SWEEP_CLI_CHECK_RETEST_H
#define SWEEP_CLI_CHECK_RETEST_H

#include "sweep/cli/command.h"
#include "sweep/trials/store_check.h"

/* Trials by rising number; malloced. */
struct trial_list {
    int64_t *trial;
    size_t count;
};
bool trial_list_has(const struct trial_list *list, int64_t trial);

struct check_retest {
    const char *db;
    long sample, workers; /* 0: all; as many as there are usable cores */
    bool quiet;
    struct trial_list unfit; /* their files are known to be wrong, so they are not tested */
    store_breach *tell;      /* of what is wrong, with `context` */
    void *context;
};

/* Returns how many trials were tested again. Prints on stdout which were not, and why. Leaves the
 * scope with INTERRUPTED at a signal, once it has told what was found until then. */
long check_retest(struct scope *x, const struct check_retest *o);

#endif
