/* headcount export: results, weights and test sets for other programs. */
#include "sweep/command.h"

#include <string.h>
#include <unistd.h>

#include "engine/option.h"
#include "sweep/export_results.h"
#include "sweep/export_tensors.h"

enum export_kind { EXPORT_RESULTS, EXPORT_WEIGHTS, EXPORT_TESTSET, EXPORT_UNKNOWN };

struct export_options {
    const char *db;
    enum export_kind kind;
    char **arguments; /* the kind's own */
};

static const struct command_option options[] = {
    COMMAND_DB_OPTION(struct export_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "export",
    .details =
        "  export results [SWEEP]      JSON Lines on stdout, ordered and without times, hosts or\n"
        "                              paths: equal bytes mean equal results\n"
        "  export weights TRIAL FILE   safetensors: the weights of the best step under PyTorch's\n"
        "                              names; metadata config, test_acc, sweep, trial, seed\n"
        "  export testset TRIAL FILE   safetensors: inputs I64 (N,T,fields), targets and the\n"
        "                              trial's predictions I64 (N,T,S); -100 is no target\n",
    .options = options,
    .examples = "  headcount export results > results.jsonl\n"
                "  headcount export weights 1 weights.safetensors\n"
                "  headcount export testset 1 testset.safetensors\n",
    .least = 1,
    .most = 3,
};

static enum export_kind kind_of(const char *word)
{
    static const char *const words[] = {"results", "weights", "testset", NULL};
    int i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    if (!words[i]) {
        const char *near = nearest_name(word, words);
        command_usage("export", "cannot export '%s'; %s%s%s", word,
                      near ? "did you mean '" : "allowed: results, weights, testset",
                      near ? near : "", near ? "'?" : "");
    }
    return (enum export_kind)i;
}

static enum status export_from(struct store *s, void *context, struct message *m)
{
    const struct export_options *o = context;
    int64_t trial;
    if (o->kind == EXPORT_RESULTS)
        return export_results(s, o->arguments[0], stdout, m);
    enum status status = store_trial(s, o->arguments[0], &trial, m);
    if (status != STATUS_OK)
        return status;
    return o->kind == EXPORT_WEIGHTS ? export_weights(s, trial, o->arguments[1], m)
                                     : export_testset(s, trial, o->arguments[1], m);
}

int command_export(int argc, char **argv)
{
    struct export_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    o.kind = kind_of(argv[optind]);
    if (o.kind == EXPORT_UNKNOWN)
        return EXIT_USAGE;
    if (o.kind == EXPORT_RESULTS && arguments > 2)
        return command_usage("export", "one argument too many: '%s'", argv[optind + 2]);
    if (o.kind != EXPORT_RESULTS && arguments < 3) {
        return command_usage("export", "something is missing: headcount export %s TRIAL FILE",
                             argv[optind]);
    }
    o.arguments = argv + optind + 1; /* ends with argv's NULL */
    return command_read_store("export", o.db, export_from, &o);
}
