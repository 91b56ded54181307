#include "sweep/worker/trial_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/checkpoint.h"

/* So many attempts are looked for by name; what more there could be, by what the folder holds. */
enum { ATTEMPTS_BY_NAME = 100 };

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
    char name[TRIAL_NAME_MAX];
    trial_file_name(trial, attempt, kind, name, sizeof name);
    snprintf(path, size, "%s/%s", folder, name);
}

enum status trial_weights_path(const char *folder, int64_t trial, const char *name, char *path,
                               size_t size, struct message *m)
{
    bool in_folder =
        *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    if (in_folder && snprintf(path, size, "%s/%s", folder, name) < (int)size)
        return STATUS_OK;
    return status_fail(m, STATUS_CORRUPT,
                       "what is recorded as weights of trial %" PRId64
                       " is no file's name: '%.60s'; restore a copy of the results file",
                       trial, name);
}

/* A file of the trial, by the number of its attempt. */
typedef void visitor(void *context, int64_t attempt, enum trial_file kind, const char *path);

/* That the name is one that trial_file_name gives to a file of this trial. */
static bool is_of_trial(const char *name, int64_t trial, int64_t *attempt, enum trial_file *kind)
{
    char written[TRIAL_NAME_MAX];
    int64_t number;
    if (sscanf(name, "t%" SCNd64 "-a%" SCNd64, &number, attempt) != 2 || number != trial)
        return false;
    for (*kind = 0; *kind < TRIAL_FILE_KINDS; (*kind)++) {
        trial_file_name(trial, *attempt, *kind, written, sizeof written);
        if (strcmp(name, written) == 0)
            return true;
    }
    return false;
}

static void visit_listed(const char *folder, int64_t trial, int64_t attempts, visitor *visit,
                         void *context)
{
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char path[TRIAL_PATH_MAX];
        int64_t attempt;
        enum trial_file kind;
        if (!is_of_trial(entry->d_name, trial, &attempt, &kind) || attempt < 1 ||
            attempt > attempts)
            continue;
        trial_file_path(folder, trial, attempt, kind, path, sizeof path);
        visit(context, attempt, kind, path);
    }
    if (d)
        closedir(d);
}

/* Visits the files of attempts 1..attempts that may be there. A file may go while it is visited. */
static void visit_files(const char *folder, int64_t trial, int64_t attempts, visitor *visit,
                        void *context)
{
    if (attempts > ATTEMPTS_BY_NAME) {
        visit_listed(folder, trial, attempts, visit, context);
        return;
    }
    for (int64_t a = 1; a <= attempts; a++)
        for (enum trial_file kind = 0; kind < TRIAL_FILE_KINDS; kind++) {
            char path[TRIAL_PATH_MAX];
            trial_file_path(folder, trial, a, kind, path, sizeof path);
            visit(context, a, kind, path);
        }
}

static bool is_checkpoint(enum trial_file kind)
{
    return kind == TRIAL_FILE_CHECKPOINT_0 || kind == TRIAL_FILE_CHECKPOINT_1;
}

struct search { /* for the newest checkpoint */
    int64_t below, step;
    char *path;
    size_t size;
    bool damaged;
};

static void look_at(void *context, int64_t attempt, enum trial_file kind, const char *path)
{
    (void)attempt;
    struct search *s = context;
    if (!is_checkpoint(kind) || access(path, F_OK) != 0)
        return;
    int64_t step = checkpoint_step(path);
    s->damaged |= step < 0;
    if (step > s->step && step < s->below) {
        s->step = step;
        snprintf(s->path, s->size, "%s", path);
    }
}

int64_t trial_files_newest(const char *folder, int64_t trial, int64_t attempts, int64_t below,
                           char *newest, size_t size, bool *damaged)
{
    struct search s = {.below = below, .step = -1, .path = newest, .size = size};
    visit_files(folder, trial, attempts, look_at, &s);
    *damaged |= s.damaged;
    return s.step;
}

static void remove_checkpoint(void *context, int64_t attempt, enum trial_file kind,
                              const char *path)
{
    (void)attempt;
    const char *keep = context;
    if (is_checkpoint(kind) && !(keep && strcmp(path, keep) == 0))
        unlink(path);
}

void trial_files_remove_checkpoints(const char *folder, int64_t trial, int64_t attempts,
                                    const char *keep)
{
    visit_files(folder, trial, attempts, remove_checkpoint, (void *)keep);
}

static void remove_file(void *context, int64_t attempt, enum trial_file kind, const char *path)
{
    const int64_t *result_of = context;
    if (kind != TRIAL_FILE_RESULT || attempt != *result_of)
        unlink(path);
}

/* That the name is one that file_write gives to a file of a trial before it is whole. */
static bool is_unfinished(const char *name, int64_t *trial, int64_t *attempt)
{
    static const char end[] = ".tmp";
    size_t size = strlen(name);
    int used = 0;
    return sscanf(name, "t%" SCNd64 "-a%" SCNd64 "%n", trial, attempt, &used) == 2 &&
           (name[used] == '-' || name[used] == '.') && size >= (size_t)used + sizeof end &&
           strcmp(name + size - (sizeof end - 1), end) == 0;
}

/* trial 0: of all. */
static void remove_unfinished(const char *folder, int64_t trial, int64_t attempt)
{
    int64_t t, a;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_unfinished(e->d_name, &t, &a) && (trial == 0 || (t == trial && a == attempt)))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

void trial_files_remove_unfinished(const char *folder, int64_t trial, int64_t attempt)
{
    remove_unfinished(folder, trial, attempt);
}

void trial_files_remove_all_unfinished(const char *folder)
{
    remove_unfinished(folder, 0, 0);
}

void trial_files_remove(const char *folder, int64_t trial, int64_t attempt, bool keep_result)
{
    int64_t result_of = keep_result ? attempt : 0;
    visit_files(folder, trial, attempt, remove_file, &result_of);
}
