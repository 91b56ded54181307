/* What a comparison of sweeps reads beside their reports: options, and which tasks were trained. */
#ifndef SWEEP_REPORT_REPORT_COMPARE_READ_H
#define SWEEP_REPORT_REPORT_COMPARE_READ_H

#include "sweep/report/report_compare.h"

/* Adds the values that each option has in the judged trials of a sweep, which is c's number
 * `sweep`. Heads, which every comparison shows, are left out. */
void compare_read_options(struct report_compare *c, int sweep, int64_t sweep_id);

/* Leaves the options that are not the same in all sweeps, by path. */
void compare_keep_differing(struct report_compare *c);

/* The tasks, with their options, of a setting's trials at a head count: several with replicate. */
struct compare_task {
    char *setting, *text;
    int64_t heads;
};
struct compare_tasks {
    int count;
    struct compare_task *item;
};

struct compare_tasks compare_read_tasks(struct scope *x, int64_t sweep_id);

/* "" where there is none. */
const char *compare_tasks_of(const struct compare_tasks *list, const char *setting, int64_t heads);

#endif
