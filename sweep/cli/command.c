/* What all sub-commands share: their table, their errors, the results file that they work on, the
 * plan that they make, the files that they write. */
#include "sweep/cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/lock.h"
#include "sweep/trials/data_file.h"
#include "sweep/worker/stop.h"

const struct command command_table[] = {
#define COMMAND(name, usage, summary) {#name, usage, summary, command_##name},
#include "sweep/cli/commands.def"
#undef COMMAND
    {NULL, "", "", NULL},
};

const struct command *command_find(const char *name)
{
    const struct command *c = command_table;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}

/* ---- errors ---- */

static int exit_status_of(enum status s)
{
    switch (s) {
    case STATUS_OK:
        return EXIT_DONE;
    case STATUS_DIVERGED:
        return EXIT_SOME_FAILED;
    case STATUS_BAD_INPUT:
        return EXIT_USAGE;
    case STATUS_BUSY:
        return EXIT_BUSY;
    case STATUS_INTERRUPTED:
        return EXIT_RESUMABLE;
    case STATUS_DISK_FULL:
    case STATUS_IO:
    case STATUS_CORRUPT:
    case STATUS_NO_MEMORY:
    case STATUS_INTERNAL:
        break;
    }
    return EXIT_SYSTEM;
}

int command_fail(const char *name, enum status s, const struct message *m)
{
    text_print(stderr, "headcount %s: %s\n", name, m->text[0] ? m->text : "internal error");
    return exit_status_of(s);
}

int command_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "headcount %s: ", name);
    va_start(arguments, format);
    text_vprint(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'headcount %s --help'.\n", name);
    return EXIT_USAGE;
}

int command_missing(const char *name, const char *action, const char *usage, int given)
{
    const char *word = usage;
    for (; given > 0 && *word; given--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    return command_usage(name, "no %.*s given; usage: headcount %s%s%s %s", (int)strcspn(word, " "),
                         word, name, action ? " " : "", action ? action : "", usage);
}

int command_resumable(const char *name, const char *then)
{
    fprintf(stderr, "headcount %s: once there is room, the same command %s\n", name, then);
    return EXIT_RESUMABLE;
}

/* ---- a command's work ---- */

static enum status act_in(struct store *s, command_act *act, void *context, struct message *m)
{
    struct scope *x = scope_new(s, "what the command does", m);
    if (scope_enter(x))
        act(x, context);
    return scope_end(x);
}

static enum status act_on(const char *name, enum command_use use, const char *db, command_act *act,
                          void *context, struct message *m)
{
    static const enum store_mode modes[] = {[COMMAND_READ] = STORE_READ,
                                            [COMMAND_CHECK] = STORE_CHECK,
                                            [COMMAND_CHANGE] = STORE_WRITE,
                                            [COMMAND_MAKE] = STORE_WRITE};
    enum { BUSY_TIMEOUT_MS = 2000 };
    char words[2 * MESSAGE_SIZE];
    struct store *s;
    enum status status = store_open(db, modes[use], &s, m);
    if (status != STATUS_OK)
        return status;
    if (use >= COMMAND_CHANGE) {
        store_set_busy_timeout(s, BUSY_TIMEOUT_MS);
        if (store_migration_words(s, words, sizeof words)[0])
            text_print(stderr, "headcount %s: %s\n", name, words);
    }
    return store_close_after(s, act_in(s, act, context, m), m);
}

/* The file that was made for what came to nothing. Where anything but its own mark is in its
 * folder, it stays. */
static void remove_empty(const char *db)
{
    char folder[4096], owner[4096 + sizeof STORE_OWNER + 1];
    if ((size_t)snprintf(folder, sizeof folder, "%s.d", db) >= sizeof folder)
        return;
    snprintf(owner, sizeof owner, "%s/" STORE_OWNER, folder);
    unlink(owner);
    if (rmdir(folder) == 0)
        unlink(db);
}

static enum status act_locked(const char *name, enum command_use use, const char *db,
                              command_act *act, void *context, struct message *m)
{
    int lock;
    bool missing = access(db, F_OK) != 0;
    if (missing && use == COMMAND_CHANGE) /* lock_take would create the folder */
        return status_fail(
            m, STATUS_BAD_INPUT,
            "there is no results file %s (`headcount run` makes it; --db names another)", db);
    enum status status = lock_take(db, &lock, m);
    if (status != STATUS_OK)
        return status;
    missing = access(db, F_OK) != 0;
    status = act_on(name, use, db, act, context, m);
    if (status != STATUS_OK && missing)
        remove_empty(db);
    lock_release(lock);
    return status;
}

int command_act_on(const char *name, enum command_use use, const char *db, command_act *act,
                   void *context)
{
    struct message m = {{0}};
    enum status s = use == COMMAND_NO_STORE ? act_in(NULL, act, context, &m)
                    : use >= COMMAND_CHANGE ? act_locked(name, use, db, act, context, &m)
                                            : act_on(name, use, db, act, context, &m);
    return s == STATUS_OK ? EXIT_DONE : command_fail(name, s, &m);
}

void command_act_within(struct scope *x, command_act *act, void *context)
{
    scope_check(x, act_in(NULL, act, context, x->message));
}

static void end_stops(void *nothing)
{
    (void)nothing;
    stop_restore();
}

void command_hear_stops(struct scope *x)
{
    scope_check(x, stop_install(x->message));
    arena_on_free(&x->arena, end_stops, NULL);
    store_stop_when(x->store, stop_asked, NULL);
}

static void close_store(void *store)
{
    store_close(store, NULL);
}

struct store *command_open(struct scope *x, const char *db)
{
    struct store *s;
    scope_check(x, store_open(db, STORE_READ, &s, x->message));
    arena_on_free(&x->arena, close_store, s);
    return s;
}

struct store *command_open_existing(struct scope *x, const char *db)
{
    struct store *s = NULL;
    if (access(db, F_OK) != 0 && errno == ENOENT)
        return NULL;
    scope_check(x, store_open_begun(db, &s, x->message));
    arena_on_free(&x->arena, close_store, s);
    return s;
}

/* ---- a sweep file and its plan ---- */

static void check_name(struct scope *x, const struct config *c)
{
    const char *mistaken = config_mistaken_name(c->name);
    if (!mistaken)
        return;
    status_fail(x->message, STATUS_BAD_INPUT,
                "the sweep's name '%s' %s; give it another with the key name, and where it has run "
                "already, first with `headcount sweep rename -- %s NEW`",
                c->name, mistaken, c->name);
    scope_check(x, config_within(c, (struct place){0}, x->message));
}

static void free_config(void *config)
{
    config_free(config);
}

struct config *command_read_sweep(struct scope *x, const char *file, const char *as,
                                  const struct command_texts *set)
{
    bool piped = strcmp(file, "-") == 0;
    char shown[256];
    struct config *c = NULL;
    if (as && !piped)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--as names a sweep file from standard input, and this one is %s; give - in its "
                   "place, or leave --as out",
                   text_shown(file, shown, sizeof shown));
    scope_check(x, piped ? config_read_stdin(as, set->item, set->count, &c, x->message)
                         : config_read(file, set->item, set->count, &c, x->message));
    arena_on_free(&x->arena, free_config, c);
    check_name(x, c);
    return c;
}

void command_threads(struct scope *x, const char *text, struct config *c)
{
    char shown[64];
    if (text && !config_threads(text, &c->threads))
        scope_fail(x, STATUS_BAD_INPUT, "--threads is '%s'; allowed: auto, 1 to %d",
                   text_shown(text, shown, sizeof shown), TEAM_MAX);
}

static const char *reader; /* the command that reads files */

static void say_reading(const char *path, int64_t size)
{
    enum { LARGE = 256 << 20 }; /* about a second */
    char bytes[32];
    if (size >= LARGE)
        text_print(stderr, "headcount %s: reading all %sB of %s\n", reader,
                   text_quantity((double)size, bytes, sizeof bytes), path);
}

static void free_plan(void *plan)
{
    plan_free(plan);
}

struct plan *command_plan_new(struct scope *x, const char *name, const struct config *c,
                              const char *db)
{
    struct store *s = NULL;
    struct plan *p = NULL;
    reader = name;
    survey_listener = name ? say_reading : NULL;
    scope_check(x, plan_new(c, NULL, 0, &p, x->message));
    arena_on_free(&x->arena, free_plan, p);
    if (store_open(db, STORE_READ, &s, NULL) == STATUS_OK) {
        enum status status = store_adopt(s, p, x->message);
        store_close(s, NULL); /* who runs the plan is to be the file's only user */
        scope_check(x, status);
    }
    return p;
}

static void free_forecast(void *forecast)
{
    forecast_free(forecast);
}

struct forecast *command_forecast(struct scope *x, const struct plan *p, const char *db,
                                  bool retry_failed)
{
    struct forecast *f = NULL;
    struct store *s = command_open_existing(x, db);
    scope_check(x, forecast_new(p, s, retry_failed, calibrate, &f, x->message));
    arena_on_free(&x->arena, free_forecast, f);
    return f;
}

void command_plan_notes(const char *name, const struct plan *p)
{
    struct message m;
    for (int i = 0; plan_note(p, &i, &m);)
        text_print(stderr, "headcount %s: note: %s\n", name, m.text);
}

/* ---- where a command may write ---- */

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void check_target(struct scope *x, const char *db, const char *path)
{
    struct stat target;
    const char *slash = strrchr(path, '/');
    char above[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (same_file(above, store_folder(x->store)))
        scope_fail(x, STATUS_BAD_INPUT, "%s is among the files of %s; choose another place", path,
                   db);
    if (stat(path, &target) != 0)
        return; /* a new one, or its folder will tell what is wrong */
    if (!S_ISREG(target.st_mode))
        scope_fail(x, STATUS_BAD_INPUT, "%s exists and is not a regular file; choose another",
                   path);
    if (same_file(db, path))
        scope_fail(x, STATUS_BAD_INPUT, "%s is the results file itself; choose another", path);
}

char *command_find_target(struct scope *x, const char *db, const char *path)
{
    check_target(x, db, path);
    char *found = realpath(path, NULL), *target = arena_string(&x->arena, found ? found : path);
    free(found);
    file_remove_unfinished(target); /* of an export that was killed */
    return target;
}
