/* headcount heads: what each head of the trained models does. */
#include "sweep/cli/command_study.h"

#include <string.h>
#include <unistd.h>

#include "sweep/report/report_heads.h"
#include "sweep/study/heads.h"

struct heads_options {
    const char *db, *on;
    long workers;
    bool csv, json, markdown, quiet;
};

static const struct command_option options[] = {
    {"on", 0, COMMAND_TEXT, offsetof(struct heads_options, on), "val|test",
     "the examples it is measured on: validation (the default) or test set"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct heads_options, workers), "N",
     "trials at once (usable cores)"},
    {"csv", 0, COMMAND_FLAG, offsetof(struct heads_options, csv), NULL, "as CSV"},
    {"json", 0, COMMAND_FLAG, offsetof(struct heads_options, json), NULL, "as JSON"},
    {"markdown", 0, COMMAND_FLAG, offsetof(struct heads_options, markdown), NULL, "as Markdown"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct heads_options, quiet), NULL, "no progress"},
    COMMAND_DB_OPTION(struct heads_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "heads",
    .details =
        "Measures the heads of all completed trials of SWEEP, or of one TRIAL, with the weights\n"
        "of their best step: how sure each head is of where it looks, which of the places that\n"
        "the task needs it looks at, what is lost without it, how different the heads are. What\n"
        "was measured stays in the results file, so that only what is missing is computed. With\n"
        "TRIAL the heads are shown one by one. Without an argument: the only sweep in the results\n"
        "file, or the one run last. Refused while a run is at work on the file and something is\n"
        "still to be measured.\n",
    .options = options,
    .examples = "  headcount heads\n"
                "  headcount heads gather --on test\n"
                "  headcount heads 1\n",
    .most = 1,
};

static void show(struct scope *x, void *context)
{
    scope_check(x, report_heads(x->store, context, text_page(stdout), stdout, x->message));
}

int command_heads(int argc, char **argv)
{
    struct heads_options o = {.db = COMMAND_DB, .on = "val"};
    struct study_result result;
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    bool on_test = strcmp(o.on, "test") == 0;
    if (!on_test && strcmp(o.on, "val") != 0)
        return command_usage("heads", "--on is '%s'; allowed: val, test", o.on);
    if (o.csv + o.json + o.markdown > 1)
        return command_usage("heads", "give only one of --csv, --json and --markdown");
    const struct study_request q = {.db = o.db,
                                    .what = argv[optind],
                                    .options = on_test ? HEADS_ON_TEST : HEADS_ON_VAL,
                                    .study = &study_heads,
                                    .run = {.workers = (int)o.workers, .quiet = o.quiet}};
    exit_status = command_study("heads", &q, &result);
    if (exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED)
        return exit_status;
    struct heads_question shown = {.sweep_id = result.sweep_id,
                                   .trial_id = result.trial_id,
                                   .on_test = on_test,
                                   .format = o.csv        ? REPORT_CSV
                                             : o.json     ? REPORT_JSON
                                             : o.markdown ? REPORT_MARKDOWN
                                                          : REPORT_TEXT};
    int shown_status = command_read_store("heads", o.db, show, &shown);
    bool nothing = exit_status == EXIT_SOME_FAILED && shown_status == EXIT_USAGE; /* all failed */
    return shown_status == EXIT_DONE || nothing ? exit_status : shown_status;
}
