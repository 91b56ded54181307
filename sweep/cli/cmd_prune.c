/* headcount prune: what trained models do with fewer heads. */
#include "sweep/cli/command_prune.h"

#include <stdlib.h>
#include <unistd.h>

#include "sweep/cli/command_study.h"
#include "sweep/db/rows.h"
#include "sweep/report/report_prune.h"

struct prune_command {
    const char *db, *what;
    struct prune_words words;
    long workers;
    bool csv, json, markdown, quiet;
    struct prune_options options;
    int64_t sweep_id, trial_id;
};

static const struct command_option options[] = {
    {"keep", 0, COMMAND_TEXT, offsetof(struct prune_command, words.keep), "N,N,...",
     "head counts to come down to, over all layers (every one down to 1)"},
    COMMAND_PRUNE_OPTIONS(struct prune_command, words),
    {"workers", 'j', COMMAND_LONG, offsetof(struct prune_command, workers), "N",
     "trials at once (usable cores)"},
    {"csv", 0, COMMAND_FLAG, offsetof(struct prune_command, csv), NULL, "as CSV"},
    {"json", 0, COMMAND_FLAG, offsetof(struct prune_command, json), NULL, "as JSON"},
    {"markdown", 0, COMMAND_FLAG, offsetof(struct prune_command, markdown), NULL, "as Markdown"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct prune_command, quiet), NULL, "no progress"},
    COMMAND_DB_OPTION(struct prune_command),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "prune",
    .details =
        "Removes the heads of all completed trials of SWEEP, or of one TRIAL, one after the\n"
        "other, the least needed on the validation set first; what each is worth is estimated\n"
        "again after every removal. At each head count the model is made really smaller, tested\n"
        "and timed. Results stay in the results file (table pruning), so that only what is\n"
        "missing is computed; the report shows every method that was asked for, and models\n"
        "pruned to a head count beside those trained with it. Without SWEEP: the only one in\n"
        "the results file, or the one run last.\n",
    .options = options,
    .examples = "  headcount prune gather\n"
                "  headcount prune gather --by random\n"
                "  headcount prune 1 --finetune 50\n",
    .most = 1,
};

/* What the results file must say first: the metric that chooses the best step of fine-tuning, and
 * how many heads there are to keep. */
static void look_up(struct scope *x, void *context)
{
    enum { METRIC, MOST, SWEEP };
    struct prune_command *c = context;
    scope_check(x, study_what(x->store, c->what, &c->sweep_id, &c->trial_id, x->message));
    struct rows *r = scope_rows(
        x,
        "SELECT s.metric, max(c.heads * c.layers), s.name"
        "  FROM sweep AS s JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)"
        " WHERE t.state = 'completed' AND CASE ?2 WHEN 0 THEN s.sweep_id = ?1 ELSE t.trial_id = ?2 "
        "END",
        VALUES(INTEGER(c->sweep_id), INTEGER(c->trial_id)));
    const struct prune_options *o = &c->options;
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

static void show(struct scope *x, void *context)
{
    const struct prune_command *c = context;
    enum report_format format = c->csv        ? REPORT_CSV
                                : c->json     ? REPORT_JSON
                                : c->markdown ? REPORT_MARKDOWN
                                              : REPORT_TEXT;
    scope_check(x, report_prune(x->store, c->sweep_id, c->trial_id, format, text_page(stdout),
                                stdout, x->message));
}

int command_prune(int argc, char **argv)
{
    struct prune_command c = {.db = COMMAND_DB};
    struct text_buffer json = {0};
    struct study_result result = {0};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &c, &arguments, &exit_status) ||
        !command_prune_read("prune", &c.words, &c.options, &exit_status))
        return exit_status;
    if (c.csv + c.json + c.markdown > 1)
        return command_usage("prune", "give only one of --csv, --json and --markdown");
    c.what = argv[optind];
    exit_status = command_read_store("prune", c.db, look_up, &c);
    if (exit_status != EXIT_DONE)
        return exit_status;
    prune_options_json(&c.options, &json);
    if (json.out_of_memory) {
        struct message m = {.text = "no memory for the options"};
        exit_status = command_fail("prune", STATUS_NO_MEMORY, &m);
    } else {
        const struct study_request q = {.db = c.db,
                                        .what = c.what,
                                        .options = json.text,
                                        .study = &study_prune,
                                        .run = {.workers = (int)c.workers, .quiet = c.quiet}};
        exit_status = command_study("prune", &q, &result);
    }
    free(json.text);
    if ((exit_status != EXIT_DONE && exit_status != EXIT_SOME_FAILED) ||
        result.answered + result.before == 0)
        return exit_status; /* nothing to show */
    int shown = command_read_store("prune", c.db, show, &c);
    return shown == EXIT_DONE ? exit_status : shown;
}
