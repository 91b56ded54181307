#include "sweep/run/merge_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/result.h"
#include "sweep/worker/stop.h"
#include "sweep/worker/trial_files.h"

/* ---- results files ---- */

bool merge_is_target(const char *path, const char *into)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(into, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

enum status merge_open(const char *path, struct store **from, struct message *m)
{
    struct stat st;
    bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    char *beyond = link ? realpath(path, NULL) : NULL;
    *from = NULL;
    enum status status = access(path, F_OK) == 0
                             ? store_open_begun(beyond ? beyond : path, from, m)
                             : status_fail(m, STATUS_BAD_INPUT, "there is no results file %s: %s",
                                           path, strerror(errno));
    free(beyond);
    return status;
}

/* ---- a list of files ---- */

struct moved {
    int source; /* index of its folder */
    char from[TRIAL_NAME_MAX], to[TRIAL_NAME_MAX];
    char sha256[65]; /* "": a checkpoint, or a result that nobody recorded */
    bool result;
    int64_t trial, to_trial; /* as it is called in the source, and where it goes */
    bool left;               /* weights that are left behind: only the result in them is read */
    bool brought;
};

struct merge_files {
    struct store *into;
    bool weights;
    long left; /* what is called a checkpoint, and is none of its trial */
    int sources;
    char **source; /* (sources): folders; each file that is merged comes once */
    size_t count;
    struct moved *item; /* (count) */
};

struct merge_files *merge_files_new(struct store *into, bool weights)
{
    struct merge_files *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct merge_files){.into = into, .weights = weights};
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
    return status_no_memory(m, "a list of files");
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
    longer[f->count] =
        (struct moved){.source = f->sources - 1, .trial = move->trial, .to_trial = move->to_trial};
    return &longer[f->count++];
}

static enum status note_weights(struct merge_files *f, struct merge_move *move, struct message *m)
{
    struct moved *item = add_item(f, move);
    if (!item)
        return no_memory(m);
    char path[TRIAL_PATH_MAX];
    enum status status = trial_weights_path(store_folder(move->from), move->trial, move->weights,
                                            path, sizeof path, m);
    if (status != STATUS_OK)
        return status;
    snprintf(item->from, sizeof item->from, "%s", move->weights);
    snprintf(item->sha256, sizeof item->sha256, "%s", move->sha256);
    item->result = true;
    item->left = !f->weights;
    if (item->left)
        return STATUS_OK;
    trial_file_name(move->to_trial, move->to_attempt, TRIAL_FILE_RESULT, item->to, sizeof item->to);
    snprintf(move->name, sizeof move->name, "%s", item->to);
    return STATUS_OK;
}

static enum status note_checkpoints(struct merge_files *f, const struct merge_move *move,
                                    struct message *m)
{
    static const enum trial_file kinds[] = {TRIAL_FILE_CHECKPOINT_0, TRIAL_FILE_CHECKPOINT_1,
                                            TRIAL_FILE_RESULT};
    for (int i = 0; i < 2 + move->cut_off; i++) {
        struct moved *item = add_item(f, move);
        if (!item)
            return no_memory(m);
        item->result = kinds[i] == TRIAL_FILE_RESULT;
        trial_file_name(move->trial, move->attempt, kinds[i], item->from, sizeof item->from);
        trial_file_name(move->to_trial, move->to_attempt, kinds[i], item->to, sizeof item->to);
    }
    return STATUS_OK;
}

enum status merge_files_note(void *context, struct merge_move *move, struct message *m)
{
    struct merge_files *f = context;
    enum status status = note_source(f, store_folder(move->from), m);
    if (status != STATUS_OK)
        return status;
    return move->weights ? note_weights(f, move, m) : note_checkpoints(f, move, m);
}

/* ---- bringing ---- */

/* Links are not followed, and a pipe must not hang. */
enum { OPEN_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* A file of the source that is open, and what it is. */
struct found {
    char path[TRIAL_PATH_MAX];
    struct safetensors_file file;
    size_t size;
    char sha256[65];
};

struct bringing {
    struct merge_files *files;
    struct rows trial; /* asks for whose a file must be */
    struct message *m;
};

static enum status check_owner(struct bringing *b, const struct moved *item, const struct found *f,
                               struct message *m)
{
    enum { CONFIG_SHA256, SEED, N_PARAMS };
    rows_rebind(&b->trial, VALUES(INTEGER(item->to_trial)));
    if (!rows_next(&b->trial)) {
        if (b->trial.status == STATUS_OK)
            return status_fail(m, STATUS_INTERNAL, "a trial is not where it was merged");
        *m = *b->m;
        return b->trial.status;
    }
    struct result_owner owner = {.config_sha256 = rows_text(&b->trial, CONFIG_SHA256),
                                 .seed = (uint32_t)rows_integer(&b->trial, SEED),
                                 .n_params = rows_integer(&b->trial, N_PARAMS)};
    return (item->result ? result_check : result_check_checkpoint)(&f->file, &owner, m);
}

/* Whether it is the recorded file; of a checkpoint nothing is recorded. Only as much is read as its
 * header says. */
static enum status check_hash(const struct moved *item, struct found *f, struct message *m)
{
    f->size = f->file.header_size + f->file.data_size;
    enum status s = file_hash(f->file.fd, f->path, f->size, f->sha256, m);
    if (s == STATUS_OK && item->sha256[0] && strcmp(f->sha256, item->sha256) != 0)
        s = status_fail(m, STATUS_CORRUPT, "its SHA-256 differs from the recorded one");
    return s;
}

static enum status contradiction(struct bringing *b, const struct moved *item, const char *what)
{
    const char *folder = b->files->source[item->source];
    int db = (int)strlen(folder) - 2; /* "<db>.d" */
    return status_fail(b->m, STATUS_CORRUPT,
                       "%.*s: trial %lld does not match its result file (%s), so nothing was taken "
                       "over; `headcount check --db %.*s` lists all trials that differ. Restore a "
                       "copy of that file, or leave it out",
                       db, folder, (long long)item->trial, what, db, folder);
}

/* The rows of the trial, which are merged already, against what its worker wrote. */
static enum status compare(struct bringing *b, const struct moved *item, const struct found *f)
{
    char differ[512];
    enum status s =
        store_compare_result(b->files->into, item->to_trial,
                             safetensors_meta(&f->file.list, "trial"), differ, sizeof differ, b->m);
    return s == STATUS_OK && differ[0] ? contradiction(b, item, differ) : s;
}

/* A file that is not what it is called. What is called a checkpoint is left behind, as one that is
 * missing is: the trial begins anew. */
static enum status refuse(struct bringing *b, const struct moved *item, const struct found *f,
                          enum status s, const struct message *why)
{
    if (s != STATUS_CORRUPT && s != STATUS_BAD_INPUT) {
        *b->m = *why;
        return s;
    }
    if (!item->sha256[0]) {
        b->files->left++;
        return STATUS_OK;
    }
    return status_fail(b->m, STATUS_CORRUPT,
                       "%s is not the file of weights recorded for trial %lld (%s); "
                       "`headcount merge --no-weights` takes the results without weights",
                       f->path, (long long)item->trial, why->text);
}

/* Weights that are left behind: where the recorded file is there, the rows are held against it. */
static enum status compare_left(struct bringing *b, const struct moved *item, struct found *f)
{
    struct message why = {{0}};
    enum status s = safetensors_open_fd(f->file.fd, f->path, &f->file, &why);
    if (s != STATUS_OK || check_hash(item, f, &why) != STATUS_OK)
        return STATUS_OK;
    s = check_owner(b, item, f, &why);
    if (s == STATUS_CORRUPT || s == STATUS_BAD_INPUT)
        return contradiction(b, item, why.text);
    if (s != STATUS_OK)
        *b->m = why;
    return s == STATUS_OK ? compare(b, item, f) : s;
}

static enum status bring_file(struct bringing *b, struct moved *item, struct found *f)
{
    char to[TRIAL_PATH_MAX];
    struct message why = {{0}};
    struct stat st;
    enum status s = safetensors_open_fd(f->file.fd, f->path, &f->file, &why);
    if (s == STATUS_OK)
        s = check_owner(b, item, f, &why);
    if (s == STATUS_OK)
        s = check_hash(item, f, &why);
    if (s != STATUS_OK)
        return refuse(b, item, f, s, &why);
    if (item->sha256[0] && (s = compare(b, item, f)) != STATUS_OK)
        return s;
    snprintf(to, sizeof to, "%s/%s", store_folder(b->files->into), item->to);
    item->brought = true;
    mode_t mode = fstat(f->file.fd, &st) == 0 ? st.st_mode & 0666 : 0600;
    return file_copy(f->file.fd, f->path, f->size, to, mode, f->sha256, b->m);
}

static enum status bring_item(struct bringing *b, struct moved *item)
{
    struct found f;
    snprintf(f.path, sizeof f.path, "%s/%s", b->files->source[item->source], item->from);
    f.file = (struct safetensors_file){.fd = open(f.path, OPEN_FLAGS)};
    if (f.file.fd < 0 && item->left)
        return STATUS_OK;
    if (f.file.fd < 0 && errno == ELOOP)
        return refuse(b, item, &f, STATUS_CORRUPT, &(struct message){"it is a link"});
    if (f.file.fd < 0 && errno == ENOENT && !item->sha256[0])
        return STATUS_OK; /* of a run that is under way it may go at any time */
    if (f.file.fd < 0 && errno == ENOENT)
        return status_fail(
            b->m, STATUS_BAD_INPUT,
            "the weights of trial %lld are not there: %s; copy the folder along with "
            "the file, or take the results without weights (`headcount merge --no-weights`)",
            (long long)item->trial, f.path);
    if (f.file.fd < 0)
        return status_fail(b->m, status_of_errno(errno), "%s: cannot open: %s", f.path,
                           strerror(errno));
    enum status s = item->left ? compare_left(b, item, &f) : bring_file(b, item, &f);
    safetensors_close(&f.file);
    return s;
}

static enum status copy_data(int fd, const char *from, const char *to, const char *sha256,
                             struct message *m)
{
    size_t size;
    struct stat st;
    mode_t mode = fstat(fd, &st) == 0 ? st.st_mode & 0444 : 0400;
    enum status s = file_size(fd, from, &size, m);
    return s == STATUS_OK ? file_copy(fd, from, size, to, mode, sha256, m) : s;
}

/* The copy of a file that trials learn from, of the first source that has it undamaged. */
static enum status bring_data(struct merge_files *f, const char *sha256, struct message *m)
{
    char from[DATA_PATH_MAX], to[DATA_PATH_MAX];
    data_copy_path(store_folder(f->into), sha256, to);
    for (int i = 0; i < f->sources && access(to, F_OK) != 0; i++) {
        data_copy_path(f->source[i], sha256, from);
        int fd = open(from, OPEN_FLAGS);
        if (fd < 0)
            continue;
        enum status s = copy_data(fd, from, to, sha256, m);
        close(fd);
        if (s != STATUS_OK && s != STATUS_CORRUPT && s != STATUS_BAD_INPUT)
            return s;
    }
    return STATUS_OK;
}

static enum status bring_all_data(struct merge_files *f, struct message *m)
{
    struct rows r = rows_open(f->into, m,
                              "SELECT DISTINCT data_sha256 FROM config JOIN trial USING"
                              " (config_id) WHERE data_sha256 IS NOT NULL",
                              NO_VALUES);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = bring_data(f, rows_given(&r, 0), m);
    return rows_close_after(&r, status);
}

enum status merge_files_bring(struct merge_files *f, struct message *m)
{
    struct bringing b = {.files = f, .m = m};
    b.trial = rows_open(f->into, m,
                        "SELECT config_sha256, seed, n_params FROM trial JOIN config"
                        " USING (config_id) WHERE trial_id = ?",
                        NO_VALUES);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < f->count; i++)
        status = stop_requests() ? status_fail(m, STATUS_INTERRUPTED, "stopped among the files")
                                 : bring_item(&b, &f->item[i]);
    status = rows_close_after(&b.trial, status);
    return status == STATUS_OK ? bring_all_data(f, m) : status;
}

long merge_files_left(const struct merge_files *f)
{
    return f->left;
}

void merge_files_drop(struct merge_files *f)
{
    for (size_t i = 0; f && i < f->count; i++) {
        char to[TRIAL_PATH_MAX];
        snprintf(to, sizeof to, "%s/%s", store_folder(f->into), f->item[i].to);
        if (f->item[i].brought)
            unlink(to);
    }
}
