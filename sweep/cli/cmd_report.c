/* headcount report: accuracy per head count, intervals, verdict. */
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/page/page.h"
#include "sweep/report/figure.h"
#include "sweep/report/report.h"
#include "sweep/worker/stop.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct report_options {
    const char *db, *html, *svg, *attention;
    enum report_format format;
    bool between, explain;
    int sweeps;
    char **sweep; /* 0 of them: the only one, or the one run last */
};

static const struct command_option options[] = {
    COMMAND_FORMAT_OPTIONS(
        struct report_options,
        "as CSV: the rows of the view by_heads; of several sweeps, a row per sweep and head count"),
    {"explain", 0, COMMAND_FLAG, offsetof(struct report_options, explain), NULL,
     "says how it was tested too, and all of what limits the verdict (text, Markdown)"},
    {"between", 0, COMMAND_FLAG, offsetof(struct report_options, between), NULL,
     "settings against each other at the same head count, all pairs of them, alone"},
    {"html", 0, COMMAND_TEXT, offsetof(struct report_options, html), "FILE",
     "as one page for a browser, which needs no network (-: to standard output)"},
    {"svg", 0, COMMAND_TEXT, offsetof(struct report_options, svg), "FILE",
     "as a figure, drawn by gnuplot (-: to standard output)"},
    {"attention", 0, COMMAND_TEXT, offsetof(struct report_options, attention), "TRIAL",
     "of --html: whose attention maps are drawn, from its weights (the best trial of the "
     "candidate)"},
    COMMAND_DB_OPTION(struct report_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "report",
    .details =
        "Without SWEEP: the only one in the results file, or the one run last.\n"
        "Several: side by side, with differences from the first, paired where both have the same\n"
        "seeds of the same task.\n"
        "Losses of a text are given in bits per byte too; of a classification each label has its\n"
        "accuracy.\n"
        "Under tune a head count that chose the smallest or the largest value it tried is called\n"
        "worse than no other (rival_at_edge), as a better one may lie beyond. --json has edges.\n"
        "--html shows the rest too: learning curves, heads, pruning, cost, all trials. Of several\n"
        "sweeps it shows what differs between them, and what each came to.\n"
        "--svg draws every head count with its interval and all of its seeds,\n"
        "many settings as panels, those of two quantities as a map; several sweeps side by side.\n",
    .options = options,
    .needs = (const char *const[][2]){{"attention", "html"}, {NULL}},
    .examples = "  headcount report\n"
                "  headcount report gather --explain\n"
                "  headcount report gather --csv\n"
                "  headcount report gather gather-tuned\n"
                "  headcount report gather --between --csv\n"
                "  headcount report gather --html gather.html\n"
                "  headcount report gather gather-tuned --html both.html\n"
                "  headcount report gather --svg gather.svg\n",
    .least = 0,
    .most = REPORT_SWEEPS_MAX,
};

/* ---- the page and the figure ---- */

/* The trial that --attention names, which is one of the sweep; 0 without. */
static int64_t attention_trial(struct scope *x, const char *text, int64_t sweep_id)
{
    int64_t trial_id = 0;
    if (!text)
        return 0;
    scope_check(x, store_trial(x->store, text, &trial_id, x->message));
    struct rows *r = scope_rows(x,
                                "SELECT name FROM trial JOIN sweep USING (sweep_id)"
                                " WHERE trial_id = ?1 AND sweep_id <> ?2",
                                VALUES(INTEGER(trial_id), INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        char name[80];
        text_shown(rows_given(r, 0), name, sizeof name);
        scope_fail(x, STATUS_BAD_INPUT,
                   "trial %" PRId64
                   " is one of sweep %s; give a trial of the sweep that is reported",
                   trial_id, name);
    }
    return trial_id;
}

/* The page or the figure, put together in memory, so that a file is there as a whole or not at
 * all. */
static void write_picture(struct scope *x, const int64_t *sweep_id, const struct report_options *o)
{
    const char *name = o->html ? o->html : o->svg;
    struct text_buffer *text;
    FILE *out = scope_text_stream(x, &text);
    struct page_options page = {.file = o->db};
    char *path = NULL;
    bool to_file = strcmp(name, "-") != 0;
    if (to_file)
        path = command_find_target(x, o->db, name);
    command_hear_stops(x);
    if (o->html && o->sweeps > 1) {
        scope_check(x,
                    page_write_comparison(x->store, sweep_id, o->sweeps, &page, out, x->message));
    } else if (o->html) {
        page.trial_id = attention_trial(x, o->attention, *sweep_id);
        scope_check(x, page_write(x->store, *sweep_id, &page, out, x->message));
    } else {
        scope_check(x,
                    figure_draw(x->store, sweep_id, o->sweeps ? o->sweeps : 1, text, x->message));
    }
    if (stop_requests() > 0)
        scope_fail(x, STATUS_INTERRUPTED, "stopped; %s was not written", name);
    if (to_file) {
        struct iovec part = {.iov_base = text->text, .iov_len = text->used};
        scope_check(x, file_write(path, &part, 1, x->message));
    } else {
        fwrite(text->text, 1, text->used, stdout);
        scope_check(x, text_check(stdout, x->message));
    }
}

static void report(struct scope *x, void *context)
{
    const struct report_options *o = context;
    int64_t sweep_id[REPORT_SWEEPS_MAX] = {0};
    for (int i = 0; i < o->sweeps; i++) {
        scope_check(x, store_sweep(x->store, o->sweep[i], &sweep_id[i], x->message));
        for (int k = 0; k < i; k++)
            if (sweep_id[k] == sweep_id[i])
                scope_fail(x, STATUS_BAD_INPUT, "%s is named twice", o->sweep[i]);
    }
    if (o->sweeps == 0)
        scope_check(x, store_sweep(x->store, NULL, &sweep_id[0], x->message));
    if (o->html || o->svg)
        write_picture(x, sweep_id, o);
    else if (o->between)
        scope_check(x, report_write_between(x->store, sweep_id[0], o->format, text_page(stdout),
                                            stdout, x->message));
    else
        scope_check(x, o->sweeps > 1
                           ? report_write_several(x->store, sweep_id, o->sweeps, o->format,
                                                  text_page(stdout), stdout, x->message)
                           : report_write(x->store, sweep_id[0], o->format, o->explain,
                                          text_page(stdout), stdout, x->message));
}

int command_report_page(const char *name, const char *db, char *sweep, const char *file)
{
    struct report_options o = {.db = db, .html = file, .sweeps = 1, .sweep = &sweep};
    return command_act_on(name, COMMAND_READ, db, report, &o);
}

int command_report(int argc, char **argv)
{
    struct report_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if ((o.format != REPORT_TEXT) + (o.html != NULL) + (o.svg != NULL) > 1)
        return command_usage("report",
                             "give only one of --csv, --json, --markdown, --html and --svg");
    if (o.between && (o.html || o.svg))
        return command_usage(
            "report",
            "--between has neither page nor figure; use text, --csv, --json or --markdown");
    bool in_words = !o.html && !o.svg && (o.format == REPORT_TEXT || o.format == REPORT_MARKDOWN);
    if (o.explain && (!in_words || o.between))
        return command_usage("report", "--explain adds to the text and to --markdown only (--json "
                                       "and --html always have it); leave it out");
    if ((o.attention || o.between || o.explain) && arguments > 1)
        return command_usage("report", "%s shows one sweep, and %d are named; name one",
                             o.attention ? "--attention"
                             : o.between ? "--between"
                                         : "--explain",
                             arguments);
    if ((o.html && !o.html[0]) || (o.svg && !o.svg[0]))
        return command_usage("report", "%s names no file; give one", o.html ? "--html" : "--svg");
    o.sweeps = arguments;
    o.sweep = argv + optind;
    return command_act_on("report", COMMAND_READ, o.db, report, &o);
}
