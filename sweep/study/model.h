/* A trained model as a study looks at it: the weights of a trial's best step in its encoder, and
 * the examples that the trial was judged on. */
#ifndef SWEEP_STUDY_MODEL_H
#define SWEEP_STUDY_MODEL_H

#include "sweep/study/study.h"
#include "sweep/worker/data.h"
#include "sweep/worker/result.h"

struct study_model {
    const struct study_trial *trial;
    struct point point;
    struct data *data; /* validation and test set drawn, and a finite training set */
    struct encoder *encoder;
    const char *result;                  /* the trial JSON (sweep/worker/result.h) */
    double val_acc, test_acc, test_loss; /* as it has them */
};

/* What is asked of a model: what it says; gradients too; or, beside these, to be trained further on
 * examples of its data. */
enum study_model_use { MODEL_FORWARD, MODEL_GRADIENTS, MODEL_TRAINING };

/* Opens the file of a trial's weights, whose SHA-256 must be the recorded one; close it with
 * result_close. IO and CORRUPT name the file, and what to do about it. */
enum status study_weights_open(const char *folder, const struct study_trial *trial,
                               struct result_file *f, struct message *m);

/* Builds all of it in the arena. data: where the file lies that the trial learned from; it stays
 * open for MODEL_TRAINING alone, until data_close. Fails as study_weights_open too. */
enum status study_model_load(struct arena *a, const char *folder, const struct data_place *data,
                             const struct study_trial *trial, enum study_model_use use,
                             struct study_model **model, struct message *m);

/* Milliseconds that an encoder takes for one example of the set, in batches of 64 on one thread:
 * the median over as many batches as fit into a fifth of a second, five of them at least. A set of
 * fewer examples is one batch. */
enum status study_infer_ms(struct arena *a, const struct encoder *e, const struct examples *set,
                           double *ms, struct message *m);

#endif
