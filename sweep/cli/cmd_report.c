/* headcount report: accuracy per head count, intervals, verdict. */
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/report/report.h"

#include <unistd.h>

struct report_options {
    const char *db;
    bool csv, json, markdown;
    const char *sweep; /* NULL: the only one, or the one run last */
};

static const struct command_option options[] = {
    {"csv", 0, COMMAND_FLAG, offsetof(struct report_options, csv), NULL,
     "the rows of the view by_heads as CSV"},
    {"json", 0, COMMAND_FLAG, offsetof(struct report_options, json), NULL, "as JSON"},
    {"markdown", 0, COMMAND_FLAG, offsetof(struct report_options, markdown), NULL, "as Markdown"},
    COMMAND_DB_OPTION(struct report_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "report",
    .details = "Without SWEEP: the only one in the results file, or the one run last.\n",
    .options = options,
    .examples = "  headcount report\n"
                "  headcount report gather --csv\n",
    .least = 0,
    .most = 1,
};

static enum status report(struct store *s, void *context, struct message *m)
{
    const struct report_options *o = context;
    enum report_format format = o->csv        ? REPORT_CSV
                                : o->json     ? REPORT_JSON
                                : o->markdown ? REPORT_MARKDOWN
                                              : REPORT_TEXT;
    int64_t sweep_id;
    enum status status = store_sweep(s, o->sweep, &sweep_id, m);
    if (status != STATUS_OK)
        return status;
    return report_write(s, sweep_id, format, text_page(stdout), stdout, m);
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
    o.sweep = arguments ? argv[optind] : NULL;
    return command_read_store("report", o.db, report, &o);
}
