/* The options of training. */
#ifndef ENGINE_TRAIN_CONFIG_H
#define ENGINE_TRAIN_CONFIG_H

#include <stdint.h>

#include "engine/base/option.h"
#include "engine/kernels/similarity.h"
#include "engine/optim.h"
#include "engine/schedule.h"

/* What the sweep file says under `train`; described by train_options. */
struct train_config {
    int64_t steps, batch;
    double lr;
    int64_t optimizer; /* enum optim_name */
    double beta1, beta2, epsilon, weight_decay, clip;
    int64_t schedule, warmup; /* schedule.name, schedule.warmup */
    int64_t eval_every;
    int64_t examples; /* size of a finite training set; 0: always fresh */
    int64_t val_examples, test_examples;
    int64_t eval_sets;    /* enum train_eval_sets */
    int64_t disagreement; /* disagreement.kind: enum similarity_kind */
    double disagreement_weight;
};
/* What the validation and test sets depend on beside the task and its options. */
enum train_eval_sets { EVAL_SETS_COMMON, EVAL_SETS_INSTANCE };
extern const struct option_entry train_options[];

/* Writes out what options mean, so that trainings which are the same have the same options: the
 * last step is evaluated in any case, a warmup of one step is none, and so on. */
void train_resolve(struct train_config *c);

enum { TRAIN_VERSION = 1 }; /* raised when the meaning of training changes; part of identity */

#endif
