/* headcount report: accuracy per head count, intervals, verdict. */
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/report/report.h"

#include <unistd.h>

struct report_options {
    const char *db;
    bool csv, json, markdown;
    int sweeps;
    char **sweep; /* 0 of them: the only one, or the one run last */
};

static const struct command_option options[] = {
    {"csv", 0, COMMAND_FLAG, offsetof(struct report_options, csv), NULL,
     "as CSV: the rows of the view by_heads; of several sweeps, a row per sweep and head count"},
    {"json", 0, COMMAND_FLAG, offsetof(struct report_options, json), NULL, "as JSON"},
    {"markdown", 0, COMMAND_FLAG, offsetof(struct report_options, markdown), NULL, "as Markdown"},
    COMMAND_DB_OPTION(struct report_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "report",
    .details = "Without SWEEP: the only one in the results file, or the one run last.\n"
               "Several: side by side, with differences from the first, paired where both have "
               "the same\nseeds of the same task.\n",
    .options = options,
    .examples = "  headcount report\n"
                "  headcount report gather --csv\n"
                "  headcount report gather gather-tuned\n",
    .least = 0,
    .most = REPORT_SWEEPS_MOST,
};

static enum status report(struct store *s, void *context, struct message *m)
{
    const struct report_options *o = context;
    enum report_format format = o->csv        ? REPORT_CSV
                                : o->json     ? REPORT_JSON
                                : o->markdown ? REPORT_MARKDOWN
                                              : REPORT_TEXT;
    int64_t sweep_id[REPORT_SWEEPS_MOST] = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < o->sweeps && status == STATUS_OK; i++) {
        status = store_sweep(s, o->sweep[i], &sweep_id[i], m);
        for (int k = 0; k < i && status == STATUS_OK; k++)
            if (sweep_id[k] == sweep_id[i])
                status = status_fail(m, STATUS_BAD_INPUT, "%s is named twice", o->sweep[i]);
    }
    if (status == STATUS_OK && o->sweeps == 0)
        status = store_sweep(s, NULL, &sweep_id[0], m);
    if (status != STATUS_OK)
        return status;
    if (o->sweeps > 1)
        return report_write_several(s, sweep_id, o->sweeps, format, text_page(stdout), stdout, m);
    return report_write(s, sweep_id[0], format, text_page(stdout), stdout, m);
}

int command_report(int argc, char **argv)
{
    struct report_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (o.csv + o.json + o.markdown > 1)
        return command_usage("report", "--csv, --json and --markdown exclude each other");
    o.sweeps = arguments;
    o.sweep = argv + optind;
    return command_read_store("report", o.db, report, &o);
}
