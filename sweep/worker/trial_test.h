/* What trained weights come to on the test set: when a trial has ended, and whenever somebody asks
 * again. */
#ifndef SWEEP_WORKER_TRIAL_TEST_H
#define SWEEP_WORKER_TRIAL_TEST_H

#include "sweep/worker/data.h"
#include "sweep/worker/result.h"

/* Memory for it. */
struct test_room {
    int32_t *predicted;         /* (test set): where labels have names; else NULL */
    struct result_label *label; /* (classes) of them */
};

/* What testing on this data takes; the arena's. */
struct test_room test_room_new(struct arena *a, const struct data *d);

/* Fills the test values of r, from test_acc to the labels, with the trainer's present weights. The
 * labels are the room's. No allocation. */
void trial_test_values(struct trainer *t, const struct data *d, const struct test_room *room,
                       struct result *r);

#endif
