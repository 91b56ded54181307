/* A model, or its training, that somebody has already: the sections `model` and `train` of a YAML
 * file, a sweep file or a part of one, as sets: "model.d_model=64", "train.lr=[1e-3, 3e-3]". */
#ifndef SWEEP_ASK_MODEL_FILE_H
#define SWEEP_ASK_MODEL_FILE_H

#include "engine/base/status.h"

/* Adds a set for each of their keys to set, which has *count of max; each is malloced, the caller's
 * to free, on failure too. One number of heads is passed over, as it is what is asked; other
 * sections are too. *count is max + 1, and set has max, where
 * they do not fit. BAD_INPUT names the place: of what is no such file, or has neither section. */
enum status model_file_read(const char *path, char **set, int max, int *count, struct message *m);

#endif
