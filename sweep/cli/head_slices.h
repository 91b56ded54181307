/* Which rows and columns of a model's weights belong to each head. */
#ifndef SWEEP_CLI_HEAD_SLICES_H
#define SWEEP_CLI_HEAD_SLICES_H

#include "engine/encoder_config.h"
#include "sweep/report/table.h"

/* Prints them for models of these options with each of those head counts: in text a table each,
 * under the names and shapes of the weights, with layers that are alike in one; in CSV and JSON one
 * table with a row per head and layer. Slices are written as NumPy and PyTorch take them: 0:8 is 0
 * to 7. seed: of the trial, where the form of heads draws columns. BAD_INPUT, and nothing is
 * printed, where a head count is impossible. */
enum status head_slices_print(const struct encoder_config *c, const int64_t *heads, int count,
                              uint32_t seed, enum table_format f, struct message *m);

#endif
