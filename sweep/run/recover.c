#include "sweep/run/recover.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/file.h"
#include "sweep/db/lock.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"

enum { BATCH = 64 };

/* A predecessor's workers die with it, but the kernel may need a moment. */
static bool still_alive(const char *lock)
{
    for (int tries = 0; tries < 100; tries++) {
        if (!lock_is_held(lock))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

static enum status recover_one(struct store *s, const struct running *t, struct recovered *r,
                               struct message *m)
{
    const char *folder = store_folder(s);
    char path[TRIAL_PATH_MAX], file[TRIAL_NAME_MAX];
    struct result_file f;
    bool accepted;
    trial_file_path(folder, t->trial_id, t->attempt, TRIAL_FILE_LOCK, path, sizeof path);
    if (still_alive(path))
        r->alive++;
    else
        trial_files_remove_unfinished(folder, t->trial_id, t->attempt);
    trial_file_name(t->trial_id, t->attempt, TRIAL_FILE_RESULT, file, sizeof file);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    struct result_owner owner = {t->config_sha256, t->seed, t->n_params};
    if (result_open(path, &owner, &f, NULL) == STATUS_OK) {
        struct attempt_end end = {.unseen = true};
        /* The worker may have gone down between its rename and its sync of the folder. */
        enum status status = file_sync_folder(path, m);
        if (status == STATUS_OK)
            status = store_finish(s, t->trial_id, t->attempt, f.trial_json, file, f.sha256, &end,
                                  &accepted, m);
        if (status == STATUS_OK) {
            r->finished++;
            trial_files_remove(folder, t->trial_id, t->attempt, true);
        }
        result_close(&f);
        if (status != STATUS_CORRUPT)
            return status;
    }
    bool damaged = false;
    int64_t step =
        trial_files_newest(folder, t->trial_id, t->attempt, INT64_MAX, path, sizeof path, &damaged);
    struct attempt_end lost = {
        .error = "lost: the coordinator or the machine went down",
        .unseen = true,
        .step = step > 0 ? step : 0,
        .cause = CAUSE_COORDINATOR,
    };
    *(step > 0 ? &r->resumed : &r->again) += 1;
    return store_requeue(s, t->trial_id, t->attempt, &lost, &accepted, m);
}

enum status recover_trials(struct store *s, struct recovered *r, struct message *m)
{
    struct running list[BATCH];
    for (;;) {
        int n;
        enum status status = store_running(s, list, BATCH, &n, m);
        for (int i = 0; i < n && status == STATUS_OK; i++)
            status = recover_one(s, &list[i], r, m);
        if (status != STATUS_OK || n == 0)
            return status;
    }
}
