/* The life of one trial, apart from processes and pipes: train, evaluate, keep the best weights,
 * checkpoint, resume exactly, test at the end. worker.c gives it a process; tests drive it
 * directly. */
#ifndef SWEEP_WORKER_TRIAL_H
#define SWEEP_WORKER_TRIAL_H

#include "engine/checkpoint.h"
#include "sweep/plan/metric.h"
#include "sweep/worker/data.h"
#include "sweep/worker/result.h"

/* ---- testing ---- */

/* What trained weights come to on the test set: when a trial has ended, and whenever somebody asks
 * again. */

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

/* ---- a trial ---- */

struct trial {
    struct point point;
    uint32_t seed;
    enum metric metric; /* chooses the best step */
    struct data *data;
    struct trainer *trainer;
    struct result result; /* curve and best so far; test values at the end */
    struct curve_row *curve;
    int curve_capacity;
    struct measurer *measurer; /* of the heads, at every evaluation; NULL: not asked for */
    struct measured *measured; /* beside the rows of the curve */
    struct examples measured_set;
    struct test_room room;
    real *best; /* (nn.size) weights of the best step */
    bool has_best;
    double before_s; /* elapsed and CPU seconds of earlier attempts */
    double cpu_before_s;
    double started_s, cpu_started_s;
};

/* Builds everything in the arena; weights are the seed's. Fails as data_new does. */
enum status trial_new(struct arena *a, const struct point *p, uint32_t seed, enum metric metric,
                      const struct data_place *place, struct trial **t, struct message *m);

/* Closes the task's file, if there is one; before the arena is freed. NULL is allowed. */
void trial_close(struct trial *t);

/* From now on the cheap measures of the heads (engine/measures/measure.h) are taken at every
 * evaluation, on the first TRIAL_MEASURED examples of the validation set. To be called before the
 * first step, and before trial_resume. */
enum { TRIAL_MEASURED = 128 };
enum status trial_measure(struct arena *a, struct trial *t, struct message *m);

/* One training step and, where one is due, the evaluation that follows it: *evaluated: whether
 * result.curve has a new last row. DIVERGED: the result says at which step and why. Other failures
 * are of the task's file. */
enum status trial_step(struct trial *t, bool *evaluated, struct message *m);

bool trial_done(const struct trial *t);

/* The row of the curve of the best step so far; NULL before the first evaluation. */
const struct curve_row *trial_best(const struct trial *t);

/* Puts the best weights in place and takes the test values; where these are not finite numbers the
 * trial is diverged at its best step. */
void trial_test(struct trial *t);

/* Writes a checkpoint from which trial_resume continues bit for bit, after a glance at the data
 * (data_check). build: see wire.h; it is kept with it, and so are config and seed, as in a result.
 */
enum status trial_save(struct trial *t, const char *path, const char *build, struct message *m);

/* Resumes from a checkpoint. After CORRUPT, t must be resumed from another one or created again.
 * *other_build: it was written by another build or on other kernels, so the last bits may differ
 * from an uninterrupted run. */
enum status trial_resume(struct trial *t, const char *path, const char *build, bool *other_build,
                         struct message *m);

/* Seconds of training, and the CPU time of all threads in them, over all attempts so far. */
double trial_elapsed_s(const struct trial *t);
double trial_cpu_s(const struct trial *t);

#endif
