/* headcount check: verifies a results file from end to end: the pages of the database, what its
 * tables promise each other, every file of weights against its SHA-256, and each trial's rows
 * against the result that its worker wrote into that file. */
#include "sweep/cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"

/* Said of a trial unless its rows are told to differ from its result. */
struct suspicion {
    int64_t trial;
    const char *broken;
};

struct check_options {
    const char *db;
    long problems;
    struct suspicion *suspicion;
    size_t suspicions;
    int64_t *differing; /* trials whose rows are not what their results say */
    size_t differing_count;
    long files;
    long gone; /* completed trials without a file, as it was removed on purpose */
};

static const struct command_option options[] = {
    COMMAND_DB_OPTION(struct check_options),
    {.name = NULL},
};

static const struct command_syntax syntax = {
    .name = "check",
    .details =
        "Checks the integrity of the database, the rules between its tables, the SHA-256 of every\n"
        "weight file, and the rows of each trial against the result that its worker wrote there.\n"
        "Counts results whose file is gone. Names views and triggers of your own. Changes "
        "nothing.\n"
        "Exit status 3 if something is wrong.\n",
    .options = options,
    .examples = "  headcount check\n",
};

static void tell(void *context, const char *broken, const char *what)
{
    struct check_options *o = context;
    text_print(stdout, "%s: %s\n", broken, what);
    o->problems++;
}

/* What a result decides waits until the results have been looked at: one damage, one line. */
static void tell_or_wait(void *context, const char *broken, const char *what)
{
    struct check_options *o = context;
    struct suspicion s = {.broken = broken};
    struct suspicion *longer = NULL;
    if (store_breach_of_result(broken) && sscanf(what, "trial %" SCNd64, &s.trial) == 1)
        longer = array_grow(o->suspicion, o->suspicions, sizeof *longer);
    if (!longer) {
        tell(o, broken, what);
        return;
    }
    o->suspicion = longer;
    longer[o->suspicions++] = s;
}

/* Trials come in rising order. Without memory for it the trial is named twice. */
static void note_differing(struct check_options *o, int64_t trial)
{
    int64_t *longer = array_grow(o->differing, o->differing_count, sizeof *longer);
    if (!longer)
        return;
    o->differing = longer;
    longer[o->differing_count++] = trial;
}

static int compare_trials(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Once. */
static void tell_suspicions(void *context)
{
    struct check_options *o = context;
    char what[40];
    for (size_t i = 0; i < o->suspicions; i++) {
        const struct suspicion *s = &o->suspicion[i];
        if (o->differing_count && bsearch(&s->trial, o->differing, o->differing_count,
                                          sizeof *o->differing, compare_trials))
            continue;
        snprintf(what, sizeof what, "trial %" PRId64, s->trial);
        tell(o, s->broken, what);
    }
    free(o->suspicion);
    free(o->differing);
    o->suspicion = NULL;
    o->differing = NULL;
    o->suspicions = o->differing_count = 0;
}

/* Not damage: a user may look at the file in their own way. */
static void note(void *context, const char *type, const char *name)
{
    const struct check_options *o = context;
    text_print(stdout, "note: %s has a %s that headcount did not make and does not use: %s\n",
               o->db, type, name);
}

/* The weights of a trial, and its row beside the result that lies with them. */
static enum status check_file(struct store *s, const char *path, const struct result_owner *owner,
                              int64_t trial, const char *sha256, struct check_options *o,
                              struct message *m)
{
    struct result_file f;
    struct message why;
    char who[40], differ[512];
    enum status status = STATUS_OK;
    snprintf(who, sizeof who, "the weights of trial %" PRId64, trial);
    if (access(path, F_OK) == 0)
        o->files++;
    if (result_open(path, owner, &f, &why) != STATUS_OK) {
        tell(o, who, why.text);
        return STATUS_OK;
    }
    if (strcmp(f.sha256, sha256) != 0) {
        char what[TRIAL_PATH_MAX + 40];
        snprintf(what, sizeof what, "%s is not the file that was recorded", path);
        tell(o, who, what);
    } else {
        status = store_compare_result(s, trial, f.trial_json, differ, sizeof differ, m);
        snprintf(who, sizeof who, "trial %" PRId64, trial);
        if (status == STATUS_OK && differ[0]) {
            char what[sizeof who + sizeof differ + 4];
            snprintf(what, sizeof what, "%s (%s)", who, differ);
            tell(o, "a trial's rows are not what its result says", what);
            note_differing(o, trial);
        }
    }
    result_close(&f);
    return status;
}

static void check_files(struct scope *x, struct check_options *o)
{
    enum { TRIAL, WEIGHTS, WEIGHTS_SHA256, CONFIG_SHA256, SEED, PARAMS };
    struct rows *r =
        scope_rows(x,
                   "SELECT trial_id, checkpoint, checkpoint_sha256, config_sha256, seed,"
                   " n_params FROM trial JOIN config USING (config_id)"
                   " WHERE checkpoint IS NOT NULL OR state = 'completed'"
                   " ORDER BY trial_id",
                   NO_VALUES);
    while (scope_next(x, r)) {
        char path[TRIAL_PATH_MAX];
        struct result_owner owner = {rows_given(r, CONFIG_SHA256), (uint32_t)rows_integer(r, SEED),
                                     rows_integer(r, PARAMS)};
        const char *sha256 = rows_text(r, WEIGHTS_SHA256);
        if (rows_null(r, WEIGHTS)) {
            o->gone++;
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", store_folder(x->store), rows_text(r, WEIGHTS));
        scope_check(x, check_file(x->store, path, &owner, rows_integer(r, TRIAL),
                                  sha256 ? sha256 : "", o, x->message));
    }
}

static void check(struct scope *x, void *context)
{
    struct check_options *o = context;
    arena_on_free(&x->arena, tell_suspicions, o);
    scope_check(x, store_check(x->store, tell_or_wait, o, x->message));
    check_files(x, o);
    tell_suspicions(o);
    scope_check(x, store_find_foreign(x->store, note, o, x->message));
    long trials = (long)scope_ask(x, "SELECT count(*) FROM trial", NO_VALUES);
    text_print(stdout, "%s: %ld trials, %ld files of weights", o->db, trials, o->files);
    if (o->gone)
        text_print(stdout, ", %ld result%s whose file is gone", o->gone, o->gone == 1 ? "" : "s");
    text_print(stdout, ": %s\n",
               o->problems ? "NOT as it should be" : "everything is as it should be");
}

int command_check(int argc, char **argv)
{
    struct check_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    exit_status = command_read_as("check", o.db, STORE_CHECK, check, &o);
    return exit_status == EXIT_DONE && o.problems ? EXIT_SYSTEM : exit_status;
}
