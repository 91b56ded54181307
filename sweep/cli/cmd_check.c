/* headcount check: verifies a results file from end to end: the pages of the database, what its
 * tables promise each other, every file of weights against its SHA-256, and each trial's rows
 * against the result that its worker wrote into that file; with --retest both against
 * what the weights give. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/db/rows.h"
#include "sweep/run/slot.h"
#include "sweep/study/study.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"

/* Trials by rising number; malloced. */
struct trial_list {
    int64_t *trial;
    size_t count;
};

/* Said of a trial unless its rows are told to differ from its result. */
struct suspicion {
    int64_t trial;
    const char *broken;
};

struct check_options {
    const char *db;
    bool retest, quiet;
    long sample, workers; /* 0: all; as many as there are usable cores */
    long problems;
    struct suspicion *suspicion;
    size_t suspicions;
    struct trial_list differing; /* their rows are not what their results say */
    struct trial_list unfit;     /* their files are not what was recorded: they are not retested */
    long files;
    long gone; /* completed trials without a file, as it was removed on purpose */
};

static void tell(void *context, const char *broken, const char *what)
{
    struct check_options *o = context;
    text_print(stdout, "%s: %s\n", broken, what);
    o->problems++;
}

/* ---- testing again ---- */

/* A trial that is to be tested. */
struct case_of {
    const struct study_trial *trial;
    bool tested;
    struct text_buffer wrong; /* not the arena's: it grows while workers run */
};

struct retest {
    struct check_options *o;
    struct scope *scope;
    struct study_due all;
    int count;
    struct case_of *list;   /* (count), in the order of `all` */
    struct study_job *jobs; /* those that can be asked; job k is of list[at[k]] */
    int *at, asked;
};

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool trial_list_has(const struct trial_list *list, int64_t trial)
{
    return list->count &&
           bsearch(&trial, list->trial, list->count, sizeof trial, compare_numbers) != NULL;
}

/* ---- which ---- */

/* One of each of n equal stretches. The golden ratio moves the place within them, so that it does
 * not keep step with seeds or head counts. */
static int sampled(int i, int n, int count)
{
    int first = (int)((int64_t)i * count / n), end = (int)((int64_t)(i + 1) * count / n);
    uint32_t turned = UINT32_C(1) << 31;
    turned += (uint32_t)i * UINT32_C(2654435769); /* 2^32 over the golden ratio */
    return first + (int)((uint64_t)turned * (uint32_t)(end - first) >> 32);
}

static void choose(struct retest *r)
{
    const struct study_trial **fit =
        arena_alloc(&r->scope->arena, (size_t)r->all.count + 1, sizeof(struct study_trial *));
    int count = 0;
    for (int i = 0; i < r->all.count; i++)
        if (r->all.list[i].file[0] && !trial_list_has(&r->o->unfit, r->all.list[i].trial_id))
            fit[count++] = &r->all.list[i];
    bool all = r->o->sample == 0 || r->o->sample >= count;
    r->count = all ? count : (int)r->o->sample;
    r->list = arena_alloc(&r->scope->arena, (size_t)r->count + 1, sizeof *r->list);
    for (int i = 0; i < r->count; i++)
        r->list[i].trial = fit[all ? i : sampled(i, r->count, count)];
}

/* Of trials whose file is not there any more nobody is asked. */
static void make_jobs(struct retest *r)
{
    struct scope *x = r->scope;
    r->jobs = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *r->jobs);
    r->at = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *r->at);
    for (int i = 0; i < r->count; i++) {
        struct case_of *c = &r->list[i];
        struct data_place place;
        struct message why;
        enum status s = store_config_data(x->store, c->trial->config_sha256, &place, &why);
        if (s == STATUS_BAD_INPUT) {
            text_add(&c->wrong, "%s", why.text);
            scope_check(x, c->wrong.out_of_memory ? status_no_memory(x->message, "what is wrong")
                                                  : STATUS_OK);
            continue;
        }
        if (s != STATUS_OK)
            *x->message = why;
        scope_check(x, s);
        r->at[r->asked] = i;
        r->jobs[r->asked++] = (struct study_job){
            .folder = store_folder(x->store), .trials = 1, .trial = c->trial, .options = "{}"};
    }
}

/* ---- what came of it ---- */

enum { SHOWN = 3 }; /* values of a trial */

struct differences {
    int count;
    bool row, result;
    struct text_buffer values;
};

static void put_value(struct text_buffer *text, double x, const char *where)
{
    if (isnan(x))
        text_add(text, "none %s", where);
    else
        text_add(text, "%.6g %s", x, where);
}

static void note_difference(void *context, const struct store_retested *v)
{
    struct differences *d = context;
    d->row = d->row || v->row_off;
    d->result = d->result || v->result_off;
    if (d->count++ >= SHOWN)
        return;
    text_add(&d->values, "%s%s is ", d->count > 1 ? "; " : "", v->name);
    put_value(&d->values, v->row, "in the row, ");
    put_value(&d->values, v->result, "in the result, ");
    put_value(&d->values, v->again, "by the weights");
}

static void tell_differences(const struct retest *r, const struct differences *d, struct case_of *c)
{
    const char *folder = store_folder(r->scope->store);
    text_add(&c->wrong, "%s not what its weights give: %s",
             !d->result ? "its row is"
             : !d->row  ? "its result is"
                        : "its row and its result are",
             d->values.text ? d->values.text : "");
    if (d->count > SHOWN)
        text_add(&c->wrong, "; and %d more", d->count - SHOWN);
    if (!d->result)
        text_add(&c->wrong,
                 ". Put the result's values into the row with sqlite3, or restore a copy of %s",
                 r->o->db);
    else if (!d->row)
        text_add(&c->wrong, ". Restore a copy of %s/%s", folder, c->trial->file);
    else
        text_add(
            &c->wrong,
            ". Restore copies of %s and %s/%s, or run the sweep again into another results file",
            r->o->db, folder, c->trial->file);
}

/* While workers run, so that nothing here leaves the scope. */
static enum status take(void *context, const struct study_job *job, const char *answer,
                        const char *why, struct message *m)
{
    struct retest *r = context;
    struct case_of *c = &r->list[r->at[job - r->jobs]];
    struct differences d = {0};
    if (!answer) {
        text_add(&c->wrong, "%s", why);
        return c->wrong.out_of_memory ? status_no_memory(m, "what is wrong") : STATUS_OK;
    }
    c->tested = true;
    enum status s =
        store_compare_retest(r->scope->store, c->trial->trial_id, answer, note_difference, &d, m);
    if (s == STATUS_OK && d.count)
        tell_differences(r, &d, c);
    if (s == STATUS_OK && (d.values.out_of_memory || c->wrong.out_of_memory))
        s = status_no_memory(m, "what is wrong");
    free(d.values.text);
    return s;
}

static void forget(void *context)
{
    struct retest *r = context;
    for (int i = 0; i < r->count; i++)
        free(r->list[i].wrong.text);
    free(r->all.list);
}

/* ---- telling ---- */

/* "trial 3", "trials 3, 7-9"; sorts them. */
static void add_trials(struct text_buffer *text, int64_t *trial, int count)
{
    qsort(trial, (size_t)count, sizeof *trial, compare_numbers);
    text_add(text, "trial%s", text_plural(count));
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && trial[end] == trial[i] + (end - i);)
            end++;
        text_add(text, "%s%" PRId64, i ? ", " : " ", trial[i]);
        if (end - i > 1)
            text_add(text, "%s%" PRId64, end - i > 2 ? "-" : ", ", trial[end - 1]);
    }
}

/* Trials about which the same is to be said, as of one file that all learned from, share a line. */
static void tell_wrong(struct retest *r)
{
    struct scope *x = r->scope;
    int64_t *trial = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *trial);
    for (int i = 0, end; i < r->count; i = end) {
        const char *wrong = r->list[i].wrong.text;
        int n = 0;
        for (end = i; end < r->count && wrong && r->list[end].wrong.text &&
                      strcmp(wrong, r->list[end].wrong.text) == 0;)
            trial[n++] = r->list[end++].trial->trial_id;
        end = n ? end : i + 1;
        if (n == 0)
            continue;
        struct text_buffer who = scope_text(x);
        add_trials(&who, trial, n);
        if (n == 1) {
            char label[SLOT_LABEL];
            const struct study_trial *t = r->list[i].trial;
            slot_label(t->heads, t->label, t->seed, label);
            text_add(&who, " (%s)", label);
        }
        tell(r->o, who.text, wrong);
    }
}

/* Of whom no weights are there, as they were removed or are known to be wrong. */
static void tell_untested(struct retest *r, bool unfit, const char *why)
{
    struct scope *x = r->scope;
    int64_t *trial = arena_alloc(&x->arena, (size_t)r->all.count + 1, sizeof *trial);
    int n = 0;
    for (int i = 0; i < r->all.count; i++)
        if (unfit ? r->all.list[i].file[0] && trial_list_has(&r->o->unfit, r->all.list[i].trial_id)
                  : !r->all.list[i].file[0])
            trial[n++] = r->all.list[i].trial_id;
    if (n == 0)
        return;
    struct text_buffer text = scope_text(x);
    add_trials(&text, trial, n);
    text_print(stdout, "not tested again, as %s: %s\n", why, text.text);
}

static long tell_all(struct retest *r)
{
    long tested = 0;
    for (int i = 0; i < r->count; i++)
        tested += r->list[i].tested;
    tell_wrong(r);
    tell_untested(r, true, "their weights are not as they should be");
    tell_untested(r, false, "their weights are gone");
    return tested;
}

static enum status ask(struct retest *r, struct message *m)
{
    struct study_session *session;
    struct study_result result = {0};
    const struct study_run_options options = {.workers = (int)r->o->workers, .quiet = r->o->quiet};
    enum status s = study_read(r->scope->store, &options, take, r, &session, m);
    if (s != STATUS_OK)
        return s;
    s = study_run(session, &study_retest, r->jobs, r->asked, &result, m);
    study_close(session, NULL);
    return s;
}

/* Returns how many trials were tested again. Prints on stdout which were not, and why. Leaves the
 * scope with INTERRUPTED at a signal, once it has told what was found until then. */
static long retest_weights(struct scope *x, struct check_options *o)
{
    struct retest *r = arena_alloc(&x->arena, 1, sizeof *r);
    *r = (struct retest){.o = o, .scope = x};
    arena_on_free(&x->arena, forget, r);
    scope_check(x, store_completed(x->store, &r->all, x->message));
    choose(r);
    make_jobs(r);
    enum status s = ask(r, x->message);
    long tested = tell_all(r);
    scope_check(x, s);
    return tested;
}

/* ---- the rest ---- */

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
        "file of weights and copied data, and the rows of each trial against the result that its\n"
        "worker wrote there.\n"
        "Counts results whose file is gone. Names views and triggers of your own. Changes "
        "nothing.\n"
        "Exit status 3 if something is wrong.\n\n"
        "With --retest the best weights of each completed trial, tuning trials too, are tested\n"
        "again, and what they give is held against the row and the result. Two answers more or\n"
        "less, or a ten thousandth of a loss, are what other kernels may make of them. Trials\n"
        "whose weights or whose file to learn from are not there are named.\n",
    .options = options,
    .needs =
        (const char *const[][2]){
            {"sample", "retest"}, {"workers", "retest"}, {"quiet", "retest"}, {NULL}},
    .examples = "  headcount check\n"
                "  headcount check --retest --sample 100\n",
};

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

/* The copies of files that trials learn from; what has none learns from the file itself. */
static void check_copies(struct scope *x, struct check_options *o)
{
    struct rows *r = scope_rows(x,
                                "SELECT DISTINCT data_sha256 FROM config JOIN trial USING"
                                " (config_id) WHERE data_sha256 IS NOT NULL ORDER BY 1",
                                NO_VALUES);
    while (scope_next(x, r)) {
        char path[DATA_PATH_MAX], sha256[65] = "";
        struct message m;
        int fd;
        size_t size;
        data_copy_path(store_folder(x->store), rows_given(r, 0), path);
        if (access(path, F_OK) != 0)
            continue;
        enum status status = file_open(path, &fd, &size, &m);
        if (status == STATUS_OK) {
            status = file_hash(fd, path, size, sha256, &m);
            close(fd);
        }
        if (status != STATUS_OK)
            tell(o, path, m.text);
        else if (strcmp(sha256, rows_given(r, 0)) != 0)
            tell(o, path,
                 "this copy of a file that trials learn from is damaged; remove it, and the next "
                 "`headcount run` makes it again");
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
    check_copies(x, o);
    tell_suspicions(o);
    scope_check(x, store_find_foreign(x->store, note, o, x->message));
    if (o->retest)
        retested = retest_weights(x, o);
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
    exit_status = command_act_on("check", COMMAND_CHECK, o.db, check, &o);
    return exit_status == EXIT_DONE && o.problems ? EXIT_SYSTEM : exit_status;
}
