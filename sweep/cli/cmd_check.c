/* headcount check: verifies a results file from end to end: the pages of the database, what its
 * tables promise each other, every file of weights against its SHA-256, and each trial's rows
 * against the result that its worker wrote into that file; with --retest (check_retest.h) both
 * against what the weights give. */
#include "sweep/cli/check_retest.h"

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
    bool retest, quiet;
    long sample, workers;
    long problems;
    struct suspicion *suspicion;
    size_t suspicions;
    struct trial_list differing; /* their rows are not what their results say */
    struct trial_list unfit;     /* their files are not what was recorded */
    long files;
    long gone; /* completed trials without a file, as it was removed on purpose */
};

static const struct command_option options[] = {
    {"retest", 0, COMMAND_FLAG, offsetof(struct check_options, retest), NULL,
     "also test the weights of every completed trial again"},
    {"sample", 0, COMMAND_LONG, offsetof(struct check_options, sample), "N",
     "with --retest: only of N trials, spread evenly over all, the same each time"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct check_options, workers), "N",
     "with --retest: trials at once (usable cores)"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct check_options, quiet), NULL,
     "with --retest: no progress"},
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
        "Exit status 3 if something is wrong.\n\n"
        "With --retest the best weights of each completed trial, tuning trials too, are tested\n"
        "again, and what they give is held against the row and the result. Two answers more or\n"
        "less, or a ten thousandth of a loss, are what other kernels may make of them. Trials\n"
        "whose weights or whose file to learn from are not there are named.\n",
    .options = options,
    .examples = "  headcount check\n"
                "  headcount check --retest --sample 100\n",
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
static void note_trial(struct trial_list *list, int64_t trial)
{
    int64_t *longer = array_grow(list->trial, list->count, sizeof *longer);
    if (!longer)
        return;
    list->trial = longer;
    longer[list->count++] = trial;
}

/* Once. */
static void tell_suspicions(void *context)
{
    struct check_options *o = context;
    char what[40];
    for (size_t i = 0; i < o->suspicions; i++) {
        const struct suspicion *s = &o->suspicion[i];
        if (trial_list_has(&o->differing, s->trial))
            continue;
        snprintf(what, sizeof what, "trial %" PRId64, s->trial);
        tell(o, s->broken, what);
    }
    free(o->suspicion);
    free(o->differing.trial);
    o->suspicion = NULL;
    o->differing = (struct trial_list){0};
    o->suspicions = 0;
}

static void forget_unfit(void *context)
{
    struct check_options *o = context;
    free(o->unfit.trial);
}

/* Not damage: a user may look at the file in their own way. */
static void note(void *context, const char *type, const char *name)
{
    const struct check_options *o = context;
    text_print(stdout, "note: %s has a %s that headcount did not make and does not use: %s\n",
               o->db, type, name);
}

/* The weights of a trial, and its row beside the result that lies with them. */
static enum status check_file(struct store *s, const char *name, const struct result_owner *owner,
                              int64_t trial, const char *sha256, struct check_options *o,
                              struct message *m)
{
    char path[TRIAL_PATH_MAX];
    struct result_file f;
    struct message why;
    char who[40], differ[512];
    enum status status;
    snprintf(who, sizeof who, "the weights of trial %" PRId64, trial);
    status = trial_weights_path(store_folder(s), trial, name, path, sizeof path, &why);
    if (status == STATUS_OK && access(path, F_OK) == 0)
        o->files++;
    if (status != STATUS_OK || result_open(path, owner, &f, &why) != STATUS_OK) {
        tell(o, who, why.text);
        note_trial(&o->unfit, trial);
        return STATUS_OK;
    }
    if (strcmp(f.sha256, sha256) != 0) {
        char what[TRIAL_PATH_MAX + 40];
        snprintf(what, sizeof what, "%s is not the file that was recorded", path);
        tell(o, who, what);
        note_trial(&o->unfit, trial);
    } else {
        status = store_compare_result(s, trial, f.trial_json, differ, sizeof differ, m);
        snprintf(who, sizeof who, "trial %" PRId64, trial);
        if (status == STATUS_OK && differ[0]) {
            char what[sizeof who + sizeof differ + 4];
            snprintf(what, sizeof what, "%s (%s)", who, differ);
            tell(o, "a trial's rows are not what its result says", what);
            note_trial(&o->differing, trial);
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
        struct result_owner owner = {rows_given(r, CONFIG_SHA256), (uint32_t)rows_integer(r, SEED),
                                     rows_integer(r, PARAMS)};
        const char *sha256 = rows_text(r, WEIGHTS_SHA256);
        if (rows_null(r, WEIGHTS)) {
            o->gone++;
            continue;
        }
        scope_check(x, check_file(x->store, rows_text(r, WEIGHTS), &owner, rows_integer(r, TRIAL),
                                  sha256 ? sha256 : "", o, x->message));
    }
}

static void check(struct scope *x, void *context)
{
    struct check_options *o = context;
    long retested = 0;
    arena_on_free(&x->arena, tell_suspicions, o);
    arena_on_free(&x->arena, forget_unfit, o);
    scope_check(x, store_check(x->store, tell_or_wait, o, x->message));
    check_files(x, o);
    tell_suspicions(o);
    scope_check(x, store_find_foreign(x->store, note, o, x->message));
    if (o->retest)
        retested = check_retest(x, &(const struct check_retest){.db = o->db,
                                                                .sample = o->sample,
                                                                .workers = o->workers,
                                                                .quiet = o->quiet,
                                                                .unfit = o->unfit,
                                                                .tell = tell,
                                                                .context = o});
    long trials = (long)scope_ask(x, "SELECT count(*) FROM trial", NO_VALUES);
    text_print(stdout, "%s: %s, %s of weights", o->db, text_counted(trials, "trial").text,
               text_counted(o->files, "file").text);
    if (o->gone)
        text_print(stdout, ", %ld result%s whose file is gone", o->gone, text_plural(o->gone));
    if (o->retest)
        text_print(stdout, ", %ld tested again", retested);
    text_print(stdout, ": %s\n",
               o->problems ? "NOT as it should be" : "everything is as it should be");
}

int command_check(int argc, char **argv)
{
    struct check_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (!o.retest && (o.sample || o.workers || o.quiet))
        return command_usage("check", "--sample, --workers and --quiet need --retest; give it too");
    exit_status = command_read_as("check", o.db, STORE_CHECK, check, &o);
    return exit_status == EXIT_DONE && o.problems ? EXIT_SYSTEM : exit_status;
}
