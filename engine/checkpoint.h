/* A trainer's whole state in one safetensors file, for exact resume:
 *
 *   param.{name}, m.{name}, v.{name}   weights and both moments, F32
 *   best.{name}                        weights of the best step so far (absent before the first)
 *   __metadata__:
 *     format    "headcount.checkpoint.1"
 *     state     text that the caller gives and gets back unread (curve so far, best metric)
 *     step, t, loss_count, correct_sum, target_sum   trainer's counters, decimal
 *     loss_sum, grad_norm, lr                        likewise, %.17g
 *     ...       what the caller adds
 *     sha256    of all tensor bytes in file order
 *     header    SHA-256 of the other metadata, each as key NUL value NUL in file order
 *
 * The tensors stand in this order, parameters as the encoder declares them, and the header is byte
 * for byte what safetensors_header writes: together with the digests, any flipped bit is noticed.
 */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include "engine/base/safetensors.h"
#include "engine/train.h"

/* Writes t durably to path, with the failures of safetensors_write. best (nn.size numbers) may be
 * NULL. state and the extra metadata (build, core type: pairs ending with a NULL key, other than
 * the keys above; NULL: none) are stored as they are and must be UTF-8. */
enum status checkpoint_write(const char *path, const struct trainer *t, const real *best,
                             const char *state, const struct safetensors_meta *extra,
                             struct message *m);

/* Reads path into t, which was made with the same configuration. Everything is checked first
 * (names, shapes, finiteness, digests), the header before the data is read: a file that is not of
 * this model's size costs no more than its header. On CORRUPT, and IO where the file cannot be
 * read, t and best are as they were. has_best: whether best was filled. *state (malloc) is the
 * caller's to free; *origin gets the stored "build" value (malloc; NULL if absent). Both are NULL
 * on failure.
 */
enum status checkpoint_read(const char *path, struct trainer *t, real *best, bool *has_best,
                            char **state, char **origin, struct message *m);

/* Whether a file's header says that it is a checkpoint, and its metadata is as it was written; else
 * CORRUPT. Nothing of the tensors. */
enum status checkpoint_check(const struct safetensors *f, struct message *m);

/* The step that a checkpoint holds, from its header alone, whose digest is checked; -1 where it
 * cannot be read or is damaged. What it holds besides is checked only by checkpoint_read. */
int64_t checkpoint_step(const char *path);

#endif
