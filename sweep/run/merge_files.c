#include "sweep/run/merge_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/worker/trial_files.h"

struct moved {
    int source; /* index of its folder */
    char from[TRIAL_NAME_MAX], to[TRIAL_NAME_MAX];
    char sha256[65]; /* "": a checkpoint */
    int64_t trial;   /* as it is called in the source */
    bool brought;
};

struct merge_files {
    const char *folder;
    bool weights;
    int sources;
    char **source; /* (sources): folders; each file that is merged comes once */
    size_t count;
    struct moved *item; /* (count) */
};

struct merge_files *merge_files_new(const char *folder, bool weights)
{
    struct merge_files *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct merge_files){.folder = folder, .weights = weights};
    return f;
}

void merge_files_free(struct merge_files *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->sources; i++)
        free(f->source[i]);
    free(f->source);
    free(f->item);
    free(f);
}

/* ---- noting ---- */

static enum status no_memory(struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for a list of files");
}

static enum status note_source(struct merge_files *f, const char *folder, struct message *m)
{
    if (f->sources > 0 && strcmp(f->source[f->sources - 1], folder) == 0)
        return STATUS_OK;
    char **longer = array_grow(f->source, (size_t)f->sources, sizeof *longer);
    if (!longer)
        return no_memory(m);
    f->source = longer;
    if (!(longer[f->sources] = text_copy(folder)))
        return no_memory(m);
    f->sources++;
    return STATUS_OK;
}

static struct moved *add_item(struct merge_files *f, const struct merge_move *move)
{
    struct moved *longer = array_grow(f->item, f->count, sizeof *longer);
    if (!longer)
        return NULL;
    f->item = longer;
    longer[f->count] = (struct moved){.source = f->sources - 1, .trial = move->trial};
    return &longer[f->count++];
}

static enum status note_weights(struct merge_files *f, struct merge_move *move, struct message *m)
{
    struct moved *item = add_item(f, move);
    if (!item)
        return no_memory(m);
    if (strchr(move->weights, '/'))
        return status_fail(m, STATUS_CORRUPT,
                           "what is recorded as weights of trial %lld is no file's name: '%.60s'",
                           (long long)move->trial, move->weights);
    snprintf(item->from, sizeof item->from, "%s", move->weights);
    snprintf(item->sha256, sizeof item->sha256, "%s", move->sha256);
    trial_file_name(move->to_trial, move->to_attempt, TRIAL_FILE_RESULT, item->to, sizeof item->to);
    snprintf(move->name, sizeof move->name, "%s", item->to);
    return STATUS_OK;
}

static enum status note_checkpoints(struct merge_files *f, const struct merge_move *move,
                                    struct message *m)
{
    static const enum trial_file kinds[] = {TRIAL_FILE_CHECKPOINT_0, TRIAL_FILE_CHECKPOINT_1};
    for (int i = 0; i < 2; i++) {
        struct moved *item = add_item(f, move);
        if (!item)
            return no_memory(m);
        trial_file_name(move->trial, move->attempt, kinds[i], item->from, sizeof item->from);
        trial_file_name(move->to_trial, move->to_attempt, kinds[i], item->to, sizeof item->to);
    }
    return STATUS_OK;
}

enum status merge_files_note(void *context, struct merge_move *move, struct message *m)
{
    struct merge_files *f = context;
    if (move->weights && !f->weights)
        return STATUS_OK;
    enum status status = note_source(f, store_folder(move->from), m);
    if (status != STATUS_OK)
        return status;
    return move->weights ? note_weights(f, move, m) : note_checkpoints(f, move, m);
}

/* ---- bringing ---- */

static bool is_missing(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* A link to what is durable; false where there can be none. What lies there is no file of a trial
 * any row knows. */
static bool make_link(const char *from, const char *to)
{
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    bool durable = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    if (!durable)
        return false;
    unlink(to);
    return linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0;
}

static enum status bring_file(struct moved *item, const char *from, const char *to,
                              struct message *m)
{
    char wanted[65], there[65];
    enum status status = file_hash(from, wanted, m);
    if (status != STATUS_OK)
        return status;
    if (item->sha256[0] && strcmp(wanted, item->sha256) != 0)
        return status_fail(m, STATUS_CORRUPT,
                           "%s is not the file of weights that was recorded of trial %lld; "
                           "--no-weights takes the results without any",
                           from, (long long)item->trial);
    item->brought = true;
    if (file_hash(to, there, NULL) == STATUS_OK && strcmp(there, wanted) == 0)
        return STATUS_OK;
    return make_link(from, to) ? STATUS_OK : file_copy(from, to, wanted, m);
}

/* A checkpoint of a run that is under way may go, or give way to the next, at any time. */
static enum status bring_checkpoint(struct moved *item, const char *from, const char *to,
                                    struct message *m)
{
    enum { TRIES = 10 };
    enum status status = STATUS_CORRUPT;
    for (int i = 0; status == STATUS_CORRUPT && i < TRIES; i++)
        status = bring_file(item, from, to, m);
    return status != STATUS_OK && is_missing(from) ? STATUS_OK : status;
}

static enum status bring_item(const struct merge_files *f, struct moved *item, struct message *m)
{
    char from[TRIAL_PATH_MAX], to[TRIAL_PATH_MAX];
    snprintf(from, sizeof from, "%s/%s", f->source[item->source], item->from);
    snprintf(to, sizeof to, "%s/%s", f->folder, item->to);
    if (!item->sha256[0])
        return bring_checkpoint(item, from, to, m);
    if (is_missing(from))
        return status_fail(
            m, STATUS_BAD_INPUT,
            "the weights of trial %lld are not there: %s; copy the folder along with "
            "the file, or take the results without weights with --no-weights",
            (long long)item->trial, from);
    return bring_file(item, from, to, m);
}

enum status merge_files_bring(struct merge_files *f, struct message *m)
{
    char in_folder[TRIAL_PATH_MAX];
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < f->count; i++)
        status = bring_item(f, &f->item[i], m);
    snprintf(in_folder, sizeof in_folder, "%s/.", f->folder);
    return status == STATUS_OK && f->count > 0 ? file_sync_folder(in_folder, m) : status;
}

void merge_files_drop(struct merge_files *f)
{
    for (size_t i = 0; f && i < f->count; i++) {
        char to[TRIAL_PATH_MAX];
        snprintf(to, sizeof to, "%s/%s", f->folder, f->item[i].to);
        if (f->item[i].brought)
            unlink(to);
    }
}
