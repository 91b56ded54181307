/* headcount gc: removes what attempts left in <db>.d and no trial needs. */
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/db/lock.h"
#include "sweep/db/rows.h"
#include "sweep/trials/data_file.h"
#include "sweep/worker/trial_files.h"

struct gc_options {
    const char *db;
    bool dry_run, out_of_plan;
};

static const struct command_option options[] = {
    {"dry-run", 'n', COMMAND_FLAG, offsetof(struct gc_options, dry_run), NULL,
     "only say what would be removed"},
    {"out-of-plan", 0, COMMAND_FLAG, offsetof(struct gc_options, out_of_plan), NULL,
     "also weights of trials that left their sweep's plan"},
    COMMAND_DB_OPTION(struct gc_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "gc",
    .details =
        "Removes from <db>.d: checkpoints of trials that have ended, files of earlier attempts,\n"
        "unfinished temporary files, files of trials that are not in the database, copies of "
        "files\n"
        "that no trial learns from. Keeps all results. Refused while a run is at work on the "
        "file.\n",
    .options = options,
    .examples = "  headcount gc --dry-run\n",
};

/* What a file in the folder is; sweep/worker/trial_files.h has the names. */
enum file_kind {
    FILE_FOREIGN, /* none of ours: left alone */
    FILE_OWNER,   /* whose the folder is */
    FILE_DATA,    /* a copy of what trials learn from (data_file.h) */
    FILE_TEMPORARY,
    FILE_LOCK,
    FILE_CHECKPOINT,
    FILE_RESULT
};

struct file_name {
    enum file_kind kind;
    int64_t trial, attempt;
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static struct file_name name_read(const char *name)
{
    struct file_name f = {FILE_FOREIGN, 0, 0};
    int end = 0;
    if (strcmp(name, STORE_OWNER) == 0)
        f.kind = FILE_OWNER;
    else if (data_copy_sha256(name))
        f.kind = FILE_DATA;
    else if (file_is_unfinished(name))
        f.kind = FILE_TEMPORARY;
    if (sscanf(name, "t%" SCNd64 "-a%" SCNd64 "%n", &f.trial, &f.attempt, &end) != 2 || end == 0)
        return f;
    const char *rest = name + end;
    if (strcmp(rest, trial_file_suffix(TRIAL_FILE_LOCK)) == 0)
        f.kind = FILE_LOCK;
    else if (strcmp(rest, trial_file_suffix(TRIAL_FILE_CHECKPOINT_0)) == 0 ||
             strcmp(rest, trial_file_suffix(TRIAL_FILE_CHECKPOINT_1)) == 0)
        f.kind = FILE_CHECKPOINT;
    else if (strcmp(rest, trial_file_suffix(TRIAL_FILE_RESULT)) == 0)
        f.kind = FILE_RESULT;
    else if (ends_with(rest, ".tmp"))
        f.kind = FILE_TEMPORARY;
    return f;
}

struct collection {
    const struct gc_options *options;
    struct rows *trial; /* asks for one trial by id */
    const char *folder;
    long files, foreign;
    int64_t bytes;
};

static const char trial_sql[] =
    "SELECT state, in_plan, attempt, checkpoint FROM trial WHERE trial_id = ?1";
enum trial_column { STATE, IN_PLAN, ATTEMPT, WEIGHTS };

/* NULL where the file is needed, else why it is not. */
static const char *why_not_needed(struct scope *x, struct collection *c, const char *name,
                                  struct file_name f)
{
    if (f.kind == FILE_OWNER)
        return NULL;
    if (f.kind == FILE_DATA)
        return store_data_is_needed(x, data_copy_sha256(name)) ? NULL : "no trial learns from it";
    if (f.kind == FILE_TEMPORARY && f.attempt == 0)
        return "never finished";
    rows_rebind(c->trial, VALUES(INTEGER(f.trial)));
    if (!rows_next(c->trial))
        return c->trial->status == STATUS_OK ? "its trial is not in the database" : NULL;
    enum trial_state state = rows_state(c->trial, STATE);
    bool open = state == TRIAL_QUEUED || state == TRIAL_RUNNING;
    switch (f.kind) {
    case FILE_TEMPORARY:
        return "never finished";
    case FILE_LOCK:
        return state == TRIAL_RUNNING ? NULL : "left over from an ended attempt";
    case FILE_CHECKPOINT:
        /* a failed trial has one where it was over a limit, from which --retry-failed goes on */
        return open || state == TRIAL_FAILED ? NULL : "its trial ended";
    case FILE_RESULT:
        if (c->options->out_of_plan && !rows_integer(c->trial, IN_PLAN))
            return "its trial left the plan";
        if (!rows_null(c->trial, WEIGHTS) && strcmp(rows_text(c->trial, WEIGHTS), name) == 0)
            return NULL;
        /* a finished result that a killed coordinator did not take in: the next run does */
        return open && f.attempt == rows_integer(c->trial, ATTEMPT) ? NULL
                                                                    : "of an earlier attempt";
    case FILE_FOREIGN:
    case FILE_OWNER:
    case FILE_DATA:
        break;
    }
    return NULL;
}

/* A worker may outlive its killed coordinator for a moment. */
static bool worker_lives(const struct collection *c, struct file_name f)
{
    char path[TRIAL_PATH_MAX];
    trial_file_path(c->folder, f.trial, f.attempt, TRIAL_FILE_LOCK, path, sizeof path);
    return lock_is_held(path);
}

/* "512 B", "1.80 MB". */
static const char *bytes_text(double bytes, char text[48])
{
    char number[32];
    text_quantity(bytes, number, sizeof number);
    snprintf(text, 48, "%s%sB", number, strchr(number, ' ') ? "" : " ");
    return text;
}

static void collect_file(struct scope *x, struct collection *c, int folder, const char *name)
{
    struct stat info;
    char size[48];
    struct file_name f = name_read(name);
    if (f.kind == FILE_FOREIGN) {
        c->foreign++;
        return;
    }
    const char *why = why_not_needed(x, c, name, f);
    scope_check(x, c->trial->status);
    if (!why || worker_lives(c, f) || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
        text_print(stderr, "%s/%s is %s, which headcount did not make: it stays\n", c->folder, name,
                   S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe");
        c->foreign++;
        return;
    }
    if (!c->options->dry_run && unlinkat(folder, name, 0) != 0)
        scope_fail(x, status_of_errno(errno), "%s/%s: %s", c->folder, name, strerror(errno));
    c->files++;
    c->bytes += info.st_size;
    text_print(stdout, "%s  %s  %s\n", name, bytes_text((double)info.st_size, size), why);
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* The names of a folder: found, malloced. */
struct listing {
    int folder, count;
    struct dirent **name;
};

static void free_listing(void *listing)
{
    struct listing *l = listing;
    for (int i = 0; i < l->count; i++)
        free(l->name[i]);
    free(l->name);
    if (l->folder >= 0)
        close(l->folder);
}

/* NULL where there is no folder. */
static struct listing *list_folder(struct scope *x, const char *path)
{
    struct listing *l = arena_alloc(&x->arena, 1, sizeof *l);
    *l = (struct listing){.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (l->folder < 0 && errno == ENOENT)
        return NULL;
    arena_on_free(&x->arena, free_listing, l);
    l->count = l->folder < 0 ? -1 : scandir(path, &l->name, not_dots, versionsort);
    if (l->count < 0)
        scope_fail(x, status_of_errno(errno), "%s: %s", path, strerror(errno));
    return l;
}

/* The folder has to be the file's own. First the file forgets weights that are going to be removed:
 * what is cut off here is a file that nothing names, and is removed the next time. */
static void collect(struct scope *x, void *context)
{
    struct collection c = {.options = context, .folder = store_folder(x->store)};
    char size[48];
    scope_check(x, store_check_folder(x->store, x->message));
    if (c.options->out_of_plan && !c.options->dry_run)
        scope_check(x, store_forget_weights(x->store, x->message));
    const struct listing *list = list_folder(x, c.folder);
    if (!list) {
        text_print(stdout, "%s does not exist: nothing to remove\n", c.folder);
        return;
    }
    c.trial = scope_rows(x, trial_sql, NO_VALUES);
    for (int i = 0; i < list->count; i++)
        collect_file(x, &c, list->folder, list->name[i]->d_name);
    scope_close(x, c.trial);
    printf("%s%ld file%s, %s\n", c.options->dry_run ? "would remove " : "removed ", c.files,
           text_plural(c.files), bytes_text((double)c.bytes, size));
    if (c.foreign > 0)
        text_print(stderr, "left %ld file%s in %s that headcount did not make\n", c.foreign,
                   text_plural(c.foreign), c.folder);
}

int command_gc(int argc, char **argv)
{
    struct gc_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    return command_act_on("gc", o.dry_run ? COMMAND_READ : COMMAND_CHANGE, o.db, collect, &o);
}
