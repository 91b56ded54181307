/* Where the heads of a trained model look, computed from its stored weights. */
#ifndef SWEEP_EXPORT_ATTENTION_MAPS_H
#define SWEEP_EXPORT_ATTENTION_MAPS_H

#include "sweep/db/scope.h"
#include "sweep/study/model.h"

struct attention_maps {
    struct study_due due; /* its one trial */
    struct study_model *model;
    long L, H, N, T;
    float *weights;  /* (L,H,N,T,T): what each query (the last but one dimension) gives to each key,
                        without dropout */
    int64_t *inputs; /* (N,T,fields): the first N sequences of the validation set */
};

/* With the weights of the trial's best step; they last as long as the scope. examples: N, at least
 * 1; fewer: or as many as there are and find room. BAD_INPUT where the trial has no weights, where
 * its validation set has fewer sequences, and where the maps would take more than 1 GiB: the
 * message says what would do. IO and CORRUPT as study_model_load. */
struct attention_maps *attention_maps_new(struct scope *x, int64_t trial_id, long examples,
                                          bool fewer);

#endif
