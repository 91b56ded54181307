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
        "unfinished temporary files, files of trials that are not in the database. Keeps all\n"
        "results. Refused while a run is at work on the file.\n",
    .options = options,
    .examples = "  headcount gc --dry-run\n",
};

/* What a file in the folder is; sweep/worker/trial_files.h has the names. */
enum file_kind {
    FILE_FOREIGN, /* none of ours: left alone */
    FILE_OWNER,   /* whose the folder is */
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
    struct rows trial; /* asks for one trial by id */
    const char *folder;
    long files, foreign;
    int64_t bytes;
};

static const char trial_sql[] =
    "SELECT state, in_plan, attempt, checkpoint FROM trial WHERE trial_id = ?1";
enum trial_column { STATE, IN_PLAN, ATTEMPT, WEIGHTS };

/* NULL where the file is needed, else why it is not. */
static const char *why_not_needed(struct collection *c, const char *name, struct file_name f)
{
    if (f.kind == FILE_OWNER)
        return NULL;
    if (f.kind == FILE_TEMPORARY && f.attempt == 0)
        return "never finished";
    rows_rebind(&c->trial, VALUES(INTEGER(f.trial)));
    if (!rows_next(&c->trial))
        return c->trial.status == STATUS_OK ? "its trial is not in the database" : NULL;
    enum trial_state state = rows_state(&c->trial, STATE);
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
        if (c->options->out_of_plan && !rows_integer(&c->trial, IN_PLAN))
            return "its trial left the plan";
        if (!rows_null(&c->trial, WEIGHTS) && strcmp(rows_text(&c->trial, WEIGHTS), name) == 0)
            return NULL;
        /* a finished result that a killed coordinator did not take in: the next run does */
        return open && f.attempt == rows_integer(&c->trial, ATTEMPT) ? NULL
                                                                     : "of an earlier attempt";
    case FILE_FOREIGN:
    case FILE_OWNER:
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

static enum status collect_file(struct collection *c, int folder, const char *name,
                                struct message *m)
{
    struct stat info;
    char size[48];
    struct file_name f = name_read(name);
    if (f.kind == FILE_FOREIGN) {
        c->foreign++;
        return STATUS_OK;
    }
    const char *why = why_not_needed(c, name, f);
    if (c->trial.status != STATUS_OK)
        return c->trial.status;
    if (!why || worker_lives(c, f) || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return STATUS_OK;
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
        text_print(stderr, "%s/%s is %s, which headcount did not make: it stays\n", c->folder, name,
                   S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe");
        c->foreign++;
        return STATUS_OK;
    }
    if (!c->options->dry_run && unlinkat(folder, name, 0) != 0)
        return status_fail(m, status_of_errno(errno), "%s/%s: %s", c->folder, name,
                           strerror(errno));
    c->files++;
    c->bytes += info.st_size;
    text_print(stdout, "%s  %s  %s\n", name, bytes_text((double)info.st_size, size), why);
    return STATUS_OK;
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static enum status collect(struct store *s, void *context, struct message *m)
{
    struct collection c = {.options = context, .folder = store_folder(s)};
    enum status allowed = store_check_folder(s, m);
    if (allowed != STATUS_OK)
        return allowed;
    struct dirent **list = NULL;
    char size[48];
    int folder = open(c.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int n = folder < 0 ? -1 : scandir(c.folder, &list, not_dots, versionsort);
    if (folder < 0 && errno == ENOENT) {
        text_print(stdout, "%s does not exist: nothing to remove\n", c.folder);
        return STATUS_OK;
    }
    if (n < 0) {
        enum status failed =
            status_fail(m, status_of_errno(errno), "%s: %s", c.folder, strerror(errno));
        if (folder >= 0)
            close(folder);
        return failed;
    }
    c.trial = rows_open(s, m, trial_sql, NO_VALUES);
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        if (status == STATUS_OK)
            status = collect_file(&c, folder, list[i]->d_name, m);
        free(list[i]);
    }
    free(list);
    close(folder);
    status = rows_close_after(&c.trial, status);
    if (status == STATUS_OK) {
        printf("%s%ld file%s, %s\n", c.options->dry_run ? "would remove " : "removed ", c.files,
               text_plural(c.files), bytes_text((double)c.bytes, size));
    }
    if (c.foreign > 0) {
        text_print(stderr, "left %ld file%s in %s that headcount did not make\n", c.foreign,
                   text_plural(c.foreign), c.folder);
    }
    return status;
}

static void collect_in(struct scope *x, void *options_given)
{
    scope_check(x, collect(x->store, options_given, x->message));
}

/* The folder has to be the file's own. Then the file forgets weights that are going to be removed:
 * what is cut off here is a file that nothing names, and is removed the next time. */
static enum status prepare(const struct gc_options *o, struct message *m)
{
    struct store *s;
    enum status status = store_open(o->db, STORE_WRITE, &s, m);
    if (status != STATUS_OK)
        return status;
    if (o->out_of_plan)
        status = store_forget_weights(s, m);
    return store_close_after(s, status, m);
}

int command_gc(int argc, char **argv)
{
    struct gc_options o = {.db = COMMAND_DB};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    int lock;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (access(o.db, F_OK) != 0) { /* lock_take would create the folder */
        status_fail(&m, STATUS_BAD_INPUT,
                    "there is no results file %s (`headcount run` makes it; --db names another)",
                    o.db);
        return command_fail("gc", STATUS_BAD_INPUT, &m);
    }
    if (o.dry_run)
        return command_read_store("gc", o.db, collect_in, &o);
    enum status s = lock_take(o.db, &lock, &m);
    if (s != STATUS_OK)
        return command_fail("gc", s, &m);
    s = prepare(&o, &m);
    exit_status =
        s == STATUS_OK ? command_read_store("gc", o.db, collect_in, &o) : command_fail("gc", s, &m);
    lock_release(lock);
    return exit_status;
}
