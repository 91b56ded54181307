/* headcount sweep: a sweep's name, its end, and what a person has to say of it or of a trial. */
#include "sweep/cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/option.h"
#include "engine/base/text.h"
#include "sweep/trials/data_file.h"
#include "sweep/worker/trial_files.h"

struct action;
struct sweep_options {
    const char *db;
    bool yes;
    const struct action *action;
    char **argument; /* the action's own */
};

static const struct command_option options[] = {
    {"yes", 0, COMMAND_FLAG, offsetof(struct sweep_options, yes), NULL,
     "delete without asking; needed where there is no terminal to ask on"},
    COMMAND_DB_OPTION(struct sweep_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "sweep",
    .details =
        "  sweep rename OLD NEW       the results stay; the sweep file's `name:` must follow\n"
        "  sweep delete NAME          the sweep, its trials and their files; what had been tried\n"
        "                             is remembered (table deleted), for claims made later\n"
        "  sweep note NAME TEXT       a line of your own about a sweep, shown by status and "
        "report\n"
        "  sweep note TRIAL TEXT      ... about a trial, shown by show; \"\" removes it\n"
        "\n"
        "Refused while a run is at work on the file.\n",
    .options = options,
    .examples = "  headcount sweep note gather \"only to see whether it works\"\n"
                "  headcount sweep rename gather gather-1\n"
                "  headcount sweep rename gather-1 gather\n",
    .least = 1,
    .most = 3,
};

static void rename_sweep(struct scope *x, const struct sweep_options *o)
{
    const char *old = o->argument[0], *name = o->argument[1];
    int64_t id;
    scope_check(x, store_sweep(x->store, old, &id, x->message));
    scope_check(x, store_rename(x->store, id, name, x->message));
    text_print(stdout,
               "Sweep %s is now %s. Its file must follow with `name: %s`; without that, `run` "
               "begins a new sweep %s.\n",
               old, name, name, old);
}

/* ---- delete ---- */

struct trials { /* of a sweep, in the plan or not */
    long count, ended;
    struct attempted { /* those with files */
        int64_t trial, attempt;
    } * attempted;
    size_t attempted_count;
};

static void list_trials(struct scope *x, int64_t sweep_id, struct trials *t)
{
    enum { TRIAL, ATTEMPT, STATE };
    struct rows *r = scope_rows(x, "SELECT trial_id, attempt, state FROM trial WHERE sweep_id = ?",
                                VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        t->count++;
        t->ended += trial_state_ended(rows_state(r, STATE));
        if (rows_integer(r, ATTEMPT) == 0)
            continue;
        t->attempted =
            arena_grow(&x->arena, t->attempted, t->attempted_count, sizeof *t->attempted);
        t->attempted[t->attempted_count++] =
            (struct attempted){rows_integer(r, TRIAL), rows_integer(r, ATTEMPT)};
    }
}

/* Whether a person agrees. */
static bool ask(const struct sweep_options *o, const char *name, const struct trials *t)
{
    char answer[16];
    if (o->yes)
        return true;
    text_print(stderr, "Delete sweep %s: %ld trial%s, of which %ld ended, with their files? [y/N] ",
               name, t->count, text_plural(t->count), t->ended);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return true;
    fprintf(stderr, "Nothing was deleted.\n");
    return false;
}

/* The copies of these files (data_file.h), as JSON, that no other sweep learns from. */
static void remove_data(struct scope *x, const char *list)
{
    struct rows *r = scope_rows(x, "SELECT value FROM json_each(?)", VALUES(TEXT(list)));
    while (scope_next(x, r)) {
        char path[DATA_PATH_MAX];
        data_copy_path(store_folder(x->store), rows_given(r, 0), path);
        if (!store_data_is_needed(x, rows_given(r, 0)))
            unlink(path);
    }
}

/* Rows first, in one transaction, then the files: what is cut off in between leaves files that no
 * row names, and those `gc` removes. A folder that cannot be written is reported first. */
static void delete_listed(struct scope *x, int64_t id, const char *name, const struct trials *t)
{
    const char *folder = store_folder(x->store);
    if (access(folder, W_OK | X_OK) != 0 && errno != ENOENT)
        scope_fail(x, status_of_errno(errno),
                   "%s: %s: the files of the trials cannot be removed from it, so nothing was "
                   "deleted; make it writable",
                   folder, strerror(errno));
    const char *data = scope_string(x, "looking for its files",
                                    "SELECT json_group_array(DISTINCT data_sha256) FROM trial JOIN"
                                    " config USING (config_id) WHERE sweep_id = ?"
                                    " AND data_sha256 IS NOT NULL",
                                    VALUES(INTEGER(id)));
    scope_check(x, store_delete(x->store, id, x->message));
    remove_data(x, data);
    for (size_t i = 0; i < t->attempted_count; i++)
        trial_files_remove(folder, t->attempted[i].trial, t->attempted[i].attempt, false);
    text_print(stdout,
               "Deleted sweep %s: %ld trial%s, of which %ld ended. The table `deleted` remembers "
               "that they were tried.\n",
               name, t->count, text_plural(t->count), t->ended);
}

static void delete_sweep(struct scope *x, const struct sweep_options *o)
{
    struct trials t = {0};
    int64_t id;
    scope_check(x, store_sweep(x->store, o->argument[0], &id, x->message));
    if (!o->yes && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO)))
        scope_fail(x, STATUS_BAD_INPUT,
                   "delete asks first, and there is no terminal to ask on; use --yes to delete "
                   "without being asked");
    list_trials(x, id, &t);
    if (ask(o, o->argument[0], &t))
        delete_listed(x, id, o->argument[0], &t);
}

/* ---- note ---- */

/* A name is looked for first: a sweep may be called by a number. */
static void note(struct scope *x, const struct sweep_options *o)
{
    const char *what = o->argument[0], *text = o->argument[1];
    int64_t id;
    enum status status = store_sweep(x->store, what, &id, x->message);
    bool trial = status == STATUS_BAD_INPUT && what[strspn(what, "0123456789")] == '\0';
    if (trial)
        status = store_trial(x->store, what, &id, x->message);
    scope_check(x, status);
    scope_check(
        x, (trial ? store_set_trial_note : store_set_sweep_note)(x->store, id, text, x->message));
    text_print(stdout, "%s %s %s.\n", text[0] ? "Noted on" : "Removed the note from",
               trial ? "trial" : "sweep", what);
}

/* ---- all of them ---- */

static const struct action {
    const char *name, *arguments;
    int count;
    void (*act)(struct scope *x, const struct sweep_options *o);
} actions[] = {
    {"rename", "OLD NEW", 2, rename_sweep},
    {"delete", "NAME", 1, delete_sweep},
    {"note", "NAME|TRIAL TEXT", 2, note},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

/* NULL after saying what is wrong. */
static const struct action *action_of(const char *word, int arguments)
{
    const char *names[ACTIONS + 1] = {NULL};
    for (int i = 0; i < ACTIONS; i++) {
        const struct action *a = &actions[i];
        names[i] = a->name;
        if (strcmp(a->name, word) != 0)
            continue;
        if (arguments == a->count)
            return a;
        if (arguments < a->count)
            command_missing("sweep", a->name, a->arguments, arguments);
        else
            command_usage("sweep", "one argument too many: headcount sweep %s %s", a->name,
                          a->arguments);
        return NULL;
    }
    const char *near = nearest_name(word, names);
    command_usage("sweep", "there is no '%s'; %s%s%s", word,
                  near ? "did you mean '" : "allowed: rename, delete, note", near ? near : "",
                  near ? "'?" : "");
    return NULL;
}

static void act(struct scope *x, void *context)
{
    const struct sweep_options *o = context;
    o->action->act(x, o);
}

int command_sweep(int argc, char **argv)
{
    struct sweep_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    o.action = action_of(argv[optind], arguments - 1);
    o.argument = argv + optind + 1;
    return o.action ? command_act_on("sweep", COMMAND_CHANGE, o.db, act, &o) : EXIT_USAGE;
}
