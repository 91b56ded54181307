#include "sweep/run/trial_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/checkpoint.h"

enum { PATH = 4096 + 64 };

const char *trial_file_suffix(enum trial_file kind)
{
    static const char *const suffixes[TRIAL_FILE_KINDS] = {
        [TRIAL_FILE_CHECKPOINT_0] = "-0.ckpt",
        [TRIAL_FILE_CHECKPOINT_1] = "-1.ckpt",
        [TRIAL_FILE_LOCK] = ".lock",
        [TRIAL_FILE_RESULT] = ".result",
    };
    return suffixes[kind];
}

void trial_file_name(int64_t trial, int64_t attempt, enum trial_file kind, char *name, size_t size)
{
    snprintf(name, size, "t%" PRId64 "-a%" PRId64 "%s", trial, attempt, trial_file_suffix(kind));
}

void trial_file_path(const char *folder, int64_t trial, int64_t attempt, enum trial_file kind,
                     char *path, size_t size)
{
    char name[64];
    trial_file_name(trial, attempt, kind, name, sizeof name);
    snprintf(path, size, "%s/%s", folder, name);
}

int64_t trial_files_newest(const char *folder, int64_t trial, int64_t attempts, int64_t below,
                           char *newest, size_t size, bool *damaged)
{
    int64_t newest_step = -1;
    for (int64_t file = 0; file < 2 * attempts; file++) {
        char path[PATH];
        trial_file_path(folder, trial, file / 2 + 1,
                        file % 2 ? TRIAL_FILE_CHECKPOINT_1 : TRIAL_FILE_CHECKPOINT_0, path,
                        sizeof path);
        if (access(path, F_OK) != 0)
            continue;
        int64_t step = checkpoint_step(path);
        if (step < 0)
            *damaged = true;
        if (step > newest_step && step < below) {
            newest_step = step;
            snprintf(newest, size, "%s", path);
        }
    }
    return newest_step;
}

void trial_files_remove(const char *folder, int64_t trial, int64_t attempt, bool keep_result)
{
    for (int64_t a = 1; a <= attempt; a++)
        for (enum trial_file kind = 0; kind < TRIAL_FILE_KINDS; kind++) {
            char path[PATH];
            if (kind == TRIAL_FILE_RESULT && a == attempt && keep_result)
                continue;
            trial_file_path(folder, trial, a, kind, path, sizeof path);
            unlink(path);
        }
}
