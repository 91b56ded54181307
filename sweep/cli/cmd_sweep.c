/* headcount sweep: a sweep's name, its end, and what a person has to say of it or of a trial. */
#include "sweep/cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/option.h"
#include "engine/base/text.h"
#include "sweep/db/lock.h"
#include "sweep/db/rows.h"
#include "sweep/worker/trial_files.h"

struct sweep_options {
    const char *db;
    bool yes;
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

static enum status rename_sweep(struct store *s, const struct sweep_options *o, char **argument,
                                struct message *m)
{
    int64_t id;
    (void)o;
    enum status status = store_sweep(s, argument[0], &id, m);
    if (status == STATUS_OK)
        status = store_rename(s, id, argument[1], m);
    if (status == STATUS_OK)
        text_print(stdout,
                   "Sweep %s is now %s. Its file must follow with `name: %s`; without that, `run` "
                   "begins a new sweep %s.\n",
                   argument[0], argument[1], argument[1], argument[0]);
    return status;
}

/* ---- delete ---- */

struct trials { /* of a sweep, in the plan or not */
    long count, ended;
    struct attempted { /* those with files */
        int64_t trial, attempt;
    } * attempted;
    size_t attempted_count;
};

static enum status list_trials(struct store *s, int64_t sweep_id, struct trials *t,
                               struct message *m)
{
    enum { TRIAL, ATTEMPT, STATE };
    enum status status = STATUS_OK;
    struct rows r = rows_open(s, m, "SELECT trial_id, attempt, state FROM trial WHERE sweep_id = ?",
                              VALUES(INTEGER(sweep_id)));
    while (status == STATUS_OK && rows_next(&r)) {
        t->count++;
        t->ended += trial_state_ended(rows_state(&r, STATE));
        if (rows_integer(&r, ATTEMPT) == 0)
            continue;
        struct attempted *grown = array_grow(t->attempted, t->attempted_count, sizeof *grown);
        if (!grown) {
            status = status_no_memory(m, "a list of trials");
            break;
        }
        t->attempted = grown;
        t->attempted[t->attempted_count++] =
            (struct attempted){rows_integer(&r, TRIAL), rows_integer(&r, ATTEMPT)};
    }
    return rows_close_after(&r, status);
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

/* Rows first, in one transaction, then the files: what is cut off in between leaves files that no
 * row names, and those `gc` removes. A folder that cannot be written is reported first. */
static enum status delete_listed(struct store *s, int64_t id, const char *name,
                                 const struct trials *t, struct message *m)
{
    const char *folder = store_folder(s);
    if (access(folder, W_OK | X_OK) != 0 && errno != ENOENT)
        return status_fail(m, status_of_errno(errno),
                           "%s: %s: the files of the trials cannot be removed from it, so nothing "
                           "was deleted; make it writable",
                           folder, strerror(errno));
    enum status status = store_delete(s, id, m);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < t->attempted_count; i++)
        trial_files_remove(folder, t->attempted[i].trial, t->attempted[i].attempt, false);
    text_print(stdout,
               "Deleted sweep %s: %ld trial%s, of which %ld ended. The table `deleted` remembers "
               "that they were tried.\n",
               name, t->count, text_plural(t->count), t->ended);
    return STATUS_OK;
}

static enum status delete_sweep(struct store *s, const struct sweep_options *o, char **argument,
                                struct message *m)
{
    struct trials t = {0};
    int64_t id;
    enum status status = store_sweep(s, argument[0], &id, m);
    if (status == STATUS_OK && !o->yes && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO)))
        status = status_fail(m, STATUS_BAD_INPUT,
                             "delete asks first, and there is no terminal to ask on; use --yes to "
                             "delete without being asked");
    if (status == STATUS_OK)
        status = list_trials(s, id, &t, m);
    if (status == STATUS_OK && ask(o, argument[0], &t))
        status = delete_listed(s, id, argument[0], &t, m);
    free(t.attempted);
    return status;
}

/* ---- note ---- */

/* A name is looked for first: a sweep may be called by a number. */
static enum status note(struct store *s, const struct sweep_options *o, char **argument,
                        struct message *m)
{
    const char *what = argument[0], *text = argument[1];
    int64_t id;
    (void)o;
    enum status status = store_sweep(s, what, &id, m);
    bool trial = status == STATUS_BAD_INPUT && what[strspn(what, "0123456789")] == '\0';
    if (trial)
        status = store_trial(s, what, &id, m);
    if (status == STATUS_OK)
        status = (trial ? store_set_trial_note : store_set_sweep_note)(s, id, text, m);
    if (status == STATUS_OK)
        text_print(stdout, "%s %s %s.\n", text[0] ? "Noted on" : "Removed the note from",
                   trial ? "trial" : "sweep", what);
    return status;
}

/* ---- all of them ---- */

static const struct action {
    const char *name, *arguments;
    int count;
    enum status (*act)(struct store *s, const struct sweep_options *o, char **argument,
                       struct message *m);
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

/* Under the lock: no run is at work on the file, and none begins. */
static enum status act_locked(const struct action *a, const struct sweep_options *o,
                              char **argument, struct message *m)
{
    enum { BUSY_TIMEOUT_MS = 2000 };
    struct store *s;
    enum status status = store_open(o->db, STORE_WRITE, &s, m);
    if (status != STATUS_OK)
        return status;
    if (store_migrated_from(s))
        fprintf(stderr,
                "The results file was migrated from format %d; a copy of the old file lies beside "
                "it.\n",
                store_migrated_from(s));
    store_set_busy_timeout(s, BUSY_TIMEOUT_MS);
    status = a->act(s, o, argument, m);
    return store_close_after(s, status, m);
}

int command_sweep(int argc, char **argv)
{
    struct sweep_options o = {.db = COMMAND_DB};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    int lock = -1;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    const struct action *a = action_of(argv[optind], arguments - 1);
    if (!a)
        return EXIT_USAGE;
    enum status s = STATUS_OK;
    if (access(o.db, F_OK) != 0) /* lock_take would create the folder */
        s = status_fail(&m, STATUS_BAD_INPUT, "there is no results file %s: %s", o.db,
                        strerror(errno));
    else
        s = lock_take(o.db, &lock, &m);
    if (s != STATUS_OK)
        return command_fail("sweep", s, &m);
    s = act_locked(a, &o, argv + optind + 1, &m);
    lock_release(lock);
    return s == STATUS_OK ? EXIT_DONE : command_fail("sweep", s, &m);
}
