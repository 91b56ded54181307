/* headcount heads, prune and ensemble: what trained models do, head by head, with fewer heads, and
 * together. Each asks a study what it has not answered yet, and shows what there is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/number.h"
#include "sweep/cli/command.h"
#include "sweep/report/report_ensemble.h"
#include "sweep/report/report_heads.h"
#include "sweep/report/report_prune.h"
#include "sweep/study/ensemble.h"
#include "sweep/study/heads.h"
#include "sweep/study/prune.h"

struct study_command {
    const char *name, *db;
    const char *what; /* a sweep or a trial; NULL: the only sweep, or the one run last */
    long workers;
    struct command_machines machines;
    bool quiet;
    enum report_format format;
    const char *on;               /* of heads */
    struct prune_words words;     /* of prune */
    struct prune_options options; /* ... which they are read into */
    int64_t sweep_id, trial_id;   /* ... of `what` */
    long heads, members;          /* of ensemble */
    const struct study *study;    /* that is asked; NULL: ensembles are */
    const char *json;             /* ... its options */
    struct study_result result;
    enum status status; /* what asking came to */
    struct message message;
};

#define COMMON_OPTIONS                                                                             \
    COMMAND_FORMAT_OPTIONS(struct study_command, "as CSV"),                                        \
        COMMAND_MACHINES_OPTIONS(struct study_command),                                            \
        COMMAND_QUIET_OPTION(struct study_command), COMMAND_DB_OPTION(struct study_command),       \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static void put_question(struct scope *x, void *context)
{
    struct study_command *c = context;
    struct study_run_options run = {.workers = (int)c->workers, .quiet = c->quiet};
    command_find_crew(x, &c->machines, &run.crew);
    const struct study_request q = {
        .db = c->db, .what = c->what, .options = c->json, .study = c->study, .run = run};
    const struct ensemble_request e = {
        .db = c->db, .sweep = c->what, .heads = c->heads, .members = (int)c->members, .run = run};
    c->status = c->study ? study_ask(&q, &c->result, &c->message)
                         : ensemble_ask(&e, &c->result, &c->message);
}

/* Says on stderr what went wrong. Returns EXIT_DONE or EXIT_SOME_FAILED where what there is can be
 * shown. */
static int ask(struct study_command *c)
{
    const int refused = command_act_on(c->name, COMMAND_NO_STORE, NULL, put_question, c);
    const enum status s = c->status;
    if (refused != EXIT_DONE)
        return refused;
    const int failed = c->result.failed;
    if (failed > 0)
        fprintf(stderr, "headcount %s: %d failed; the same command tries %s again\n", c->name,
                failed, failed == 1 ? "it" : "them");
    if (s == STATUS_OK)
        return failed > 0 ? EXIT_SOME_FAILED : EXIT_DONE;
    int exit_status = command_fail(c->name, s, &c->message);
    /* What was answered is in the file. */
    return s == STATUS_DISK_FULL ? command_resumable(c->name, "goes on") : exit_status;
}

/* Shows what there is after asking came to exit_status. */
static int show(struct study_command *c, int exit_status, command_act *report)
{
    if (exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED)
        return exit_status;
    int shown = command_act_on(c->name, COMMAND_READ, c->db, report, c);
    return shown == EXIT_DONE ? exit_status : shown;
}

/* ---- heads ---- */

static const struct command_option heads_options[] = {
    {"on", 0, COMMAND_TEXT, offsetof(struct study_command, on), "val|test",
     "the examples it is measured on: validation (the default) or test set"},
    COMMAND_WORKERS_OPTION(struct study_command, "trials"),
    COMMON_OPTIONS};

static const struct command_syntax heads_syntax = {
    .name = "heads",
    .details =
        "Measures the heads of all completed trials of SWEEP, or of one TRIAL, with the weights\n"
        "of their best step: how sure each head is of where it looks, which of the places that\n"
        "the task needs it looks at, what is lost without it, how different the heads are. What\n"
        "was measured stays in the results file, so that only what is missing is computed. With\n"
        "TRIAL the heads are shown one by one. Without an argument: the only sweep in the results\n"
        "file, or the one run last. Refused while a run is at work on the file and something is\n"
        "still to be measured.\n",
    .options = heads_options,
    .needs = command_machines_needs,
    .examples = "  headcount heads\n"
                "  headcount heads gather --on test\n"
                "  headcount heads 1\n",
    .most = 1,
};

static void show_heads(struct scope *x, void *context)
{
    const struct study_command *c = context;
    const struct heads_question q = {.sweep_id = c->result.sweep_id,
                                     .trial_id = c->result.trial_id,
                                     .on_test = strcmp(c->on, "test") == 0,
                                     .format = c->format};
    scope_check(x, report_heads(x->store, &q, text_page(stdout), stdout, x->message));
}

int command_heads(int argc, char **argv)
{
    struct study_command c = {.name = "heads", .db = COMMAND_DB, .on = "val"};
    int arguments, exit_status;
    if (!command_parse(&heads_syntax, argc, argv, &c, &arguments, &exit_status))
        return exit_status;
    bool on_test = strcmp(c.on, "test") == 0;
    if (!on_test && strcmp(c.on, "val") != 0)
        return command_usage("heads", "--on is '%s'; allowed: val, test", c.on);
    c.what = argv[optind];
    c.study = &study_heads;
    c.json = on_test ? HEADS_ON_TEST : HEADS_ON_VAL;
    exit_status = ask(&c);
    int shown = show(&c, exit_status, show_heads);
    bool nothing = exit_status == EXIT_SOME_FAILED && shown == EXIT_USAGE; /* all failed */
    return nothing ? exit_status : shown;
}

/* ---- prune ---- */

static const struct command_option prune_options[] = {
    {"keep", 0, COMMAND_TEXT, offsetof(struct study_command, words.keep), "N,N,...",
     "head counts to come down to, over all layers (every one down to 1)"},
    COMMAND_PRUNE_OPTIONS(struct study_command, words),
    COMMAND_WORKERS_OPTION(struct study_command, "trials"),
    COMMON_OPTIONS};

static const struct command_syntax prune_syntax = {
    .name = "prune",
    .details =
        "Removes the heads of all completed trials of SWEEP, or of one TRIAL, one after the\n"
        "other, the least needed on the validation set first; what each is worth is estimated\n"
        "again after every removal. At each head count the model is made really smaller, tested\n"
        "and timed. Results stay in the results file (table pruning), so that only what is\n"
        "missing is computed; the report shows every method that was asked for, and models\n"
        "pruned to a head count beside those trained with it. Without SWEEP: the only one in\n"
        "the results file, or the one run last.\n",
    .options = prune_options,
    .needs =
        (const char *const[][2]){
            {"lr", "finetune"}, {"hosts", "launch"}, {"agent", "launch"}, {NULL}},
    .examples = "  headcount prune gather\n"
                "  headcount prune gather --by random\n"
                "  headcount prune 1 --finetune 50\n",
    .most = 1,
};

bool command_prune_read(const char *name, const struct prune_words *w, struct prune_options *o,
                        int *exit_status)
{
    struct message m;
    bool integral;
    *o = (struct prune_options){.lr = NAN, .finetune = w->finetune};
    if (w->by && !prune_by_find(w->by, &o->by))
        *exit_status =
            command_usage(name, "--by is '%s'; allowed: importance, ablation, random", w->by);
    else if (w->keep && prune_keep_parse(w->keep, o, &m) != STATUS_OK)
        *exit_status = command_usage(name, "%s", m.text);
    else if (w->lr && (!number_parse(w->lr, &o->lr, &integral) || !((float)o->lr > 0)))
        *exit_status = command_usage(name, "--lr is '%s'; it must be a number above 0", w->lr);
    else
        return true;
    return false;
}

/* What the results file must say first: the metric that chooses the best step of fine-tuning, and
 * how many heads there are to keep. */
static void look_up(struct scope *x, void *context)
{
    enum { METRIC, MOST, SWEEP };
    struct study_command *c = context;
    const struct prune_options *o = &c->options;
    scope_check(x, study_what(x->store, c->what, &c->sweep_id, &c->trial_id, x->message));
    struct rows *r = scope_rows(
        x,
        "SELECT s.metric, max(c.heads * c.layers), s.name"
        "  FROM sweep AS s JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)"
        " WHERE t.state = 'completed' AND CASE ?2 WHEN 0 THEN s.sweep_id = ?1 ELSE t.trial_id = ?2 "
        "END",
        VALUES(INTEGER(c->sweep_id), INTEGER(c->trial_id)));
    while (scope_next(x, r)) {
        int64_t most = rows_integer(r, MOST);
        if (rows_null(r, MOST))
            continue;
        metric_find(rows_given(r, METRIC), &c->options.metric);
        if (o->keeps && o->keep[0] > most)
            scope_fail(x, STATUS_BAD_INPUT, "--keep %ld: %s %s has %s%lld head%s; keep fewer",
                       o->keep[0], c->trial_id ? "trial" : "no model of",
                       c->trial_id ? c->what : rows_given(r, SWEEP),
                       c->trial_id ? "only " : "more than ", (long long)most, text_plural(most));
    }
}

static void show_pruning(struct scope *x, void *context)
{
    const struct study_command *c = context;
    scope_check(x, report_prune(x->store, c->sweep_id, c->trial_id, c->format, text_page(stdout),
                                stdout, x->message));
}

int command_prune(int argc, char **argv)
{
    struct study_command c = {.name = "prune", .db = COMMAND_DB};
    struct text_buffer json = {0};
    struct message m;
    int arguments, exit_status;
    if (!command_parse(&prune_syntax, argc, argv, &c, &arguments, &exit_status) ||
        !command_prune_read("prune", &c.words, &c.options, &exit_status))
        return exit_status;
    c.what = argv[optind];
    exit_status = command_act_on("prune", COMMAND_READ, c.db, look_up, &c);
    if (exit_status != EXIT_DONE)
        return exit_status;
    prune_options_json(&c.options, &json);
    c.study = &study_prune;
    c.json = json.text;
    exit_status = json.out_of_memory
                      ? command_fail("prune", status_no_memory(&m, "the options"), &m)
                      : ask(&c);
    free(json.text);
    bool nothing = c.result.answered + c.result.before == 0;
    return nothing ? exit_status : show(&c, exit_status, show_pruning);
}

/* ---- ensemble ---- */

static const struct command_option ensemble_options[] = {
    {"heads", 0, COMMAND_LONG, offsetof(struct study_command, heads), "N",
     "heads of each member (1)"},
    {"members", 0, COMMAND_LONG, offsetof(struct study_command, members), "N",
     "trials in an ensemble (8)"},
    COMMAND_WORKERS_OPTION(struct study_command, "ensembles"),
    COMMON_OPTIONS};

static const struct command_syntax ensemble_syntax = {
    .name = "ensemble",
    .details =
        "Are many heads an ensemble of single ones? Trials of SWEEP that differ in their seeds\n"
        "only, N heads each, answer the test set together, by the mean of their softmax outputs.\n"
        "They are put into as many groups as their seeds give, none in two groups; each setting\n"
        "with enough seeds is shown beside the models with more heads whose parameters, and whose\n"
        "FLOPs, come nearest to those of all members. Eight members of one width cost eight times\n"
        "as much: for equal costs the sweep file needs smaller ones too (model.d_model: [8, 32]).\n"
        "Without SWEEP: the only one in the results file, or the one run last.\n",
    .options = ensemble_options,
    .needs = command_machines_needs,
    .examples = "  headcount ensemble gather --members 2\n",
    .most = 1,
};

static void show_ensembles(struct scope *x, void *context)
{
    const struct study_command *c = context;
    const struct ensemble_question q = {.sweep_id = c->result.sweep_id,
                                        .heads = c->heads,
                                        .members = (int)c->members,
                                        .format = c->format};
    scope_check(x, report_ensemble(x->store, &q, text_page(stdout), stdout, x->message));
}

int command_ensemble(int argc, char **argv)
{
    struct study_command c = {.name = "ensemble", .db = COMMAND_DB, .heads = 1, .members = 8};
    int arguments, exit_status;
    if (!command_parse(&ensemble_syntax, argc, argv, &c, &arguments, &exit_status))
        return exit_status;
    if (c.members < 2 || c.members > ENSEMBLE_MEMBERS_MAX)
        return command_usage("ensemble", "--members is %ld; allowed: 2 to %d", c.members,
                             ENSEMBLE_MEMBERS_MAX);
    c.what = argv[optind];
    exit_status = ask(&c);
    bool nothing = c.result.answered + c.result.before == 0;
    return nothing ? exit_status : show(&c, exit_status, show_ensembles);
}
