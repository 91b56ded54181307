/* The study `prune`: what a trained model can do with ever fewer of its heads. For each head count
 * that is asked for, the model is made really smaller, under `finetune` trained on, judged on the
 * validation and test sets, and timed: a row of table `pruning`. The whole model, of which nothing
 * was removed, has the method "none". */
#ifndef SWEEP_STUDY_PRUNE_H
#define SWEEP_STUDY_PRUNE_H

#include "engine/base/text.h"
#include "sweep/plan/metric.h"
#include "sweep/study/model.h"
#include "sweep/study/pruner.h"

enum { PRUNE_KEEP_MAX = 64 };

struct prune_options {
    enum prune_by by;
    int keeps;                 /* 0: every head count, from all heads down to 1 */
    long keep[PRUNE_KEEP_MAX]; /* falling; those above a model's heads are passed over */
    long finetune;             /* steps; 0: none */
    double lr;                 /* of fine-tuning; NaN: a tenth of the trial's */
    enum metric metric;        /* chooses the best of the fine-tuned steps */
};

/* Reads "8,4,2,1". BAD_INPUT names the item that is no head count of 1 or more, or is there twice.
 */
enum status prune_keep_parse(const char *text, struct prune_options *o, struct message *m);

/* The options as canonical JSON, and back (INTERNAL where it is none of prune_options_json):
 *   {"by":"importance","keep":[8,4]}, "keep":null for all, and with fine-tuning also
 *   "finetune":500,"lr":0.001 (null: by default),"metric":"val_acc" */
void prune_options_json(const struct prune_options *o, struct text_buffer *text);
enum status prune_options_parse(const char *json, struct prune_options *o, struct message *m);

/* Removes heads of the model until o->keep[0] are left. BAD_INPUT where it has fewer. */
enum status prune_to(struct arena *a, const struct study_model *model,
                     const struct prune_options *o, struct pruner **p, struct message *m);

/* A copy of the model with the heads that keep (L,H) has, fine-tuned as o says: on batches that
 * follow those of the model's training, under a schedule of its own; the weights are those of the
 * best evaluation, the one before the first step included. */
enum status prune_smaller(struct arena *a, const struct study_model *model, const bool *keep,
                          const struct prune_options *o, struct trainer **t, struct message *m);

#endif
