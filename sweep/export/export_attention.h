/* Where a trial's heads look, as a safetensors file for other programs:
 *
 *   attention F32 (L,H,N,T,T)   what each query (the last but one dimension) gives to each key,
 * with the weights of the best step and without dropout inputs    I64 (N,T,fields)  the sequences:
 * the first N of the validation set padding   U8  (N,T)         1: no input; only of tasks that pad
 *
 * metadata: format "headcount.attention.1", config (canonical JSON), task, heads, sweep, trial,
 * seed, step, examples (in words), fields (JSON array of names). */
#ifndef SWEEP_EXPORT_EXPORT_ATTENTION_H
#define SWEEP_EXPORT_EXPORT_ATTENTION_H

#include "sweep/db/scope.h"

enum { EXPORT_ATTENTION_EXAMPLES = 16 };

/* examples: N, at least 1. BAD_INPUT where the trial has no weights, where its validation set has
 * fewer sequences, and where the file would be larger than 1 GiB: the message says what would do.
 */
void export_attention(struct scope *x, int64_t trial_id, long examples, const char *path);

#endif
