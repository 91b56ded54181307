/* headcount ensemble: what models with few heads can do together. */
#include "sweep/cli/command_study.h"

#include <unistd.h>

#include "sweep/report/report_ensemble.h"
#include "sweep/study/ensemble.h"

struct ensemble_command {
    const char *db;
    long heads, members, workers;
    bool csv, json, markdown, quiet;
    int64_t sweep_id;
};

static const struct command_option options[] = {
    {"heads", 0, COMMAND_LONG, offsetof(struct ensemble_command, heads), "N",
     "heads of each member (1)"},
    {"members", 0, COMMAND_LONG, offsetof(struct ensemble_command, members), "N",
     "trials in an ensemble (8)"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct ensemble_command, workers), "N",
     "ensembles at once (usable cores)"},
    {"csv", 0, COMMAND_FLAG, offsetof(struct ensemble_command, csv), NULL, "as CSV"},
    {"json", 0, COMMAND_FLAG, offsetof(struct ensemble_command, json), NULL, "as JSON"},
    {"markdown", 0, COMMAND_FLAG, offsetof(struct ensemble_command, markdown), NULL, "as Markdown"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct ensemble_command, quiet), NULL, "no progress"},
    COMMAND_DB_OPTION(struct ensemble_command),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "ensemble",
    .details =
        "Are many heads an ensemble of single ones? Trials of SWEEP that differ in their seeds\n"
        "only, N heads each, answer the test set together, by the mean of their softmax outputs.\n"
        "They are put into as many groups as their seeds give, none in two groups; each setting\n"
        "with enough seeds is shown beside the models with more heads whose parameters, and whose\n"
        "FLOPs, come nearest to those of all members. Eight members of one width cost eight times\n"
        "as much: for equal costs the sweep file needs smaller ones too (model.d_model: [8, 32]).\n"
        "Without SWEEP: the only one in the results file, or the one run last.\n",
    .options = options,
    .examples = "  headcount ensemble gather --members 2\n",
    .most = 1,
};

static void show(struct scope *x, void *context)
{
    const struct ensemble_command *c = context;
    const struct ensemble_question q = {.sweep_id = c->sweep_id,
                                        .heads = c->heads,
                                        .members = (int)c->members,
                                        .format = c->csv        ? REPORT_CSV
                                                  : c->json     ? REPORT_JSON
                                                  : c->markdown ? REPORT_MARKDOWN
                                                                : REPORT_TEXT};
    scope_check(x, report_ensemble(x->store, &q, text_page(stdout), stdout, x->message));
}

int command_ensemble(int argc, char **argv)
{
    struct ensemble_command c = {.db = COMMAND_DB, .heads = 1, .members = 8};
    struct study_result result;
    struct message m = {{0}};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &c, &arguments, &exit_status))
        return exit_status;
    if (c.members < 2 || c.members > ENSEMBLE_MEMBERS_MAX)
        return command_usage("ensemble", "--members is %ld; allowed: 2 to %d", c.members,
                             ENSEMBLE_MEMBERS_MAX);
    if (c.csv + c.json + c.markdown > 1)
        return command_usage("ensemble", "give only one of --csv, --json and --markdown");
    const struct ensemble_request q = {.db = c.db,
                                       .sweep = argv[optind],
                                       .heads = c.heads,
                                       .members = (int)c.members,
                                       .run = {.workers = (int)c.workers, .quiet = c.quiet}};
    enum status status = ensemble_ask(&q, &result, &m);
    exit_status = command_study_ended("ensemble", status, &result, &m);
    if ((exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED) ||
        result.answered + result.before == 0)
        return exit_status; /* nothing to show */
    c.sweep_id = result.sweep_id;
    int shown = command_read_store("ensemble", c.db, show, &c);
    return shown == EXIT_DONE ? exit_status : shown;
}
