/* A trial's weights and its test set as safetensors files, for other programs.
 *
 * weights: the result file's tensors under PyTorch's names (engine/encoder.h), F32; metadata
 *   format "pt", headcount "weights.1", config (canonical JSON), trial, sweep, seed, test_acc
 * testset: inputs I64 (N,T,fields), targets I64 (N,T,S), predictions I64 (N,T,S); (N,S) for tasks
 *   with one target per sequence; padding U8 (N,T) where the task pads; metadata format
 *   "headcount.testset.1", config, trial, sweep, seed, test_acc, fields (JSON array of names)
 *
 * Of a smaller model, beside these: heads, the heads that each layer has left by their numbers in
 * the whole model (JSON, [[0,3],[1]]); config stays that of the whole model, test_acc is the
 * smaller one's. Rows and columns of in_proj_weight, in_proj_bias and out_proj.weight are those of
 * the heads that are left; keys and values that no head uses any more are gone too, and a layer
 * without heads has out_proj.bias only. */
#ifndef SWEEP_EXPORT_EXPORT_TENSORS_H
#define SWEEP_EXPORT_EXPORT_TENSORS_H

#include "sweep/db/scope.h"
#include "sweep/study/prune.h"

/* Writes the weights of the best step of a completed trial to path; smaller, if not NULL, says what
 * to remove before: its one `keep`, by which method, fine-tuned or not. BAD_INPUT where the trial
 * has no result (not completed, or its file was removed), CORRUPT where the file is damaged. */
void export_weights(struct scope *x, int64_t trial_id, const struct prune_options *smaller,
                    const char *path);

/* Writes the test set that the trial was judged on and the model's predictions for it. */
void export_testset(struct scope *x, int64_t trial_id, const struct prune_options *smaller,
                    const char *path);

/* The names of a position's input columns as a JSON array, for metadata. */
void export_field_names(const struct encoder_io *io, char *text, size_t size);

#endif
