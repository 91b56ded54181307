/* The files of a trial t and its attempt a in the folder of checkpoints; the only place that knows
 * their names:
 *
 *   t{t}-a{a}.lock        flocked by the worker as long as it lives
 *   t{t}-a{a}-{0|1}.ckpt  two checkpoints, written alternately (engine/checkpoint.h)
 *   t{t}-a{a}.result      the durable result (result.h)
 *
 * A stale worker has another attempt in its names and can overwrite nothing of its successor. */
#ifndef SWEEP_WORKER_TRIAL_FILES_H
#define SWEEP_WORKER_TRIAL_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum { TRIAL_NAME_MAX = 64, TRIAL_PATH_MAX = PATH_MAX + TRIAL_NAME_MAX };

enum trial_file {
    TRIAL_FILE_CHECKPOINT_0,
    TRIAL_FILE_CHECKPOINT_1,
    TRIAL_FILE_LOCK,
    TRIAL_FILE_RESULT,
    TRIAL_FILE_KINDS
};

/* What a name of that kind ends with, behind t{t}-a{a}. */
const char *trial_file_suffix(enum trial_file kind);

/* The name below the folder; size >= TRIAL_NAME_MAX. */
void trial_file_name(int64_t trial, int64_t attempt, enum trial_file kind, char *name, size_t size);

/* folder/name; cut where size does not suffice. */
void trial_file_path(const char *folder, int64_t trial, int64_t attempt, enum trial_file kind,
                     char *path, size_t size);

/* folder/name, by the name that a results file records for a trial's weights. CORRUPT where that is
 * not the name of a file in the folder: whoever sent the results file may have written anything. */
enum status trial_weights_path(const char *folder, int64_t trial, const char *name, char *path,
                               size_t size, struct message *m);

/* The largest step below `below` that a checkpoint of attempts 1..attempts claims to hold, its path
 * in newest; -1 where there is none. *damaged becomes true where one cannot be read. */
int64_t trial_files_newest(const char *folder, int64_t trial, int64_t attempts, int64_t below,
                           char *newest, size_t size, bool *damaged);

/* Removes the checkpoints of attempts 1..attempts, but not the one whose path is `keep` (NULL:
 * all). Best effort, as below. */
void trial_files_remove_checkpoints(const char *folder, int64_t trial, int64_t attempts,
                                    const char *keep);

/* Removes the temporary files (engine/base/file.h) that an attempt which was killed left in the
 * middle of writing. Best effort. */
void trial_files_remove_unfinished(const char *folder, int64_t trial, int64_t attempt);

/* The same of all attempts, for who holds the results file while nothing runs. */
void trial_files_remove_all_unfinished(const char *folder);

/* Removes what attempts 1..attempt left, except the result of `attempt` itself if keep_result. Best
 * effort: what stays is found by `gc`. */
void trial_files_remove(const char *folder, int64_t trial, int64_t attempt, bool keep_result);

#endif
