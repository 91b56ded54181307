/* headcount export: results, weights, test sets and attention for other programs. */
#include "sweep/cli/command_prune.h"
#include "sweep/cli/command_target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/option.h"
#include "sweep/report/export_attention.h"
#include "sweep/report/export_results.h"
#include "sweep/report/export_tensors.h"

enum export_kind {
    EXPORT_RESULTS,
    EXPORT_WEIGHTS,
    EXPORT_TESTSET,
    EXPORT_ATTENTION,
    EXPORT_UNKNOWN
};

struct export_options {
    const char *db;
    long examples; /* of the attention; 0: not given */
    struct prune_words words;
    struct prune_options smaller; /* where words.keep is given */
    enum export_kind kind;
    char **arguments; /* the kind's own */
};

static const struct command_option options[] = {
    {"examples", 0, COMMAND_LONG, offsetof(struct export_options, examples), "N",
     "attention: sequences of the validation set (16)"},
    {"keep", 0, COMMAND_TEXT, offsetof(struct export_options, words.keep), "N",
     "weights, testset: of the model with N heads left, over all layers; the others are removed as "
     "by `prune`"},
    COMMAND_PRUNE_OPTIONS(struct export_options, words),
    COMMAND_DB_OPTION(struct export_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "export",
    .details =
        "  export results [SWEEP]      JSON Lines on stdout in a fixed order, without times,\n"
        "                              hosts or paths: equal bytes mean equal results\n"
        "  export weights TRIAL FILE   safetensors: the weights of the best step under PyTorch's\n"
        "                              names; metadata config, test_acc, sweep, trial, seed\n"
        "  export testset TRIAL FILE   safetensors: inputs I64 (N,T,fields), targets and the\n"
        "                              trial's predictions I64 (N,T,S); -100 marks no target\n"
        "  export attention TRIAL FILE safetensors: attention F32 (L,H,N,T,T) of the best step's\n"
        "                              weights and inputs I64 (N,T,fields), N sequences of the\n"
        "                              validation set\n",
    .options = options,
    .examples = "  headcount export results > results.jsonl\n"
                "  headcount export weights 1 weights.safetensors\n"
                "  headcount export testset 1 testset.safetensors\n"
                "  headcount export weights 3 smaller.safetensors --keep 3\n"
                "  headcount export attention 1 attention.safetensors --examples 4\n",
    .least = 1,
    .most = 3,
};

static enum export_kind kind_of(const char *word)
{
    static const char *const words[] = {"results", "weights", "testset", "attention", NULL};
    int i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    if (!words[i]) {
        const char *near = nearest_name(word, words);
        command_usage("export", "cannot export '%s'; %s%s%s", word,
                      near ? "did you mean '" : "allowed: results, weights, testset, attention",
                      near ? near : "", near ? "'?" : "");
    }
    return (enum export_kind)i;
}

static enum status export_tensors(struct store *s, const struct export_options *o,
                                  struct message *m)
{
    int64_t trial;
    enum status status = store_trial(s, o->arguments[0], &trial, m);
    if (status == STATUS_OK && strcmp(o->arguments[1], "-") == 0)
        status = status_fail(m, STATUS_BAD_INPUT,
                             "safetensors files cannot be written to standard output; name a file");
    if (status == STATUS_OK)
        status = command_check_target(s, o->db, o->arguments[1], m);
    if (status != STATUS_OK)
        return status;
    char *linked = realpath(o->arguments[1], NULL); /* a link stays; NULL: a new file */
    const char *path = linked ? linked : o->arguments[1];
    long examples = o->examples > 0 ? o->examples : EXPORT_ATTENTION_EXAMPLES;
    const struct prune_options *smaller = o->words.keep ? &o->smaller : NULL;
    status = o->kind == EXPORT_WEIGHTS   ? export_weights(s, trial, smaller, path, m)
             : o->kind == EXPORT_TESTSET ? export_testset(s, trial, smaller, path, m)
                                         : export_attention(s, trial, examples, path, m);
    free(linked);
    return status;
}

static enum status export_from(struct store *s, void *context, struct message *m)
{
    const struct export_options *o = context;
    return o->kind == EXPORT_RESULTS ? export_results(s, o->arguments[0], stdout, m)
                                     : export_tensors(s, o, m);
}

/* --keep and what belongs to it. */
static bool check_keep(struct export_options *o, int *exit_status)
{
    const struct prune_words *w = &o->words;
    if (!command_prune_read("export", w, &o->smaller, exit_status))
        return false;
    if (!w->keep && (w->by || w->finetune || w->lr))
        *exit_status = command_usage("export", "--by, --finetune and --lr belong to --keep");
    else if (w->keep && o->kind != EXPORT_WEIGHTS && o->kind != EXPORT_TESTSET)
        *exit_status = command_usage("export", "--keep is for weights and testset only");
    else if (w->keep && o->smaller.keeps != 1)
        *exit_status =
            command_usage("export", "--keep is '%s'; one head count is exported", w->keep);
    else
        return true;
    return false;
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
        return command_missing("export", argv[optind], "TRIAL FILE", arguments - 1);
    }
    if (o.kind != EXPORT_ATTENTION && o.examples > 0)
        return command_usage("export", "--examples is for attention only");
    if (!check_keep(&o, &exit_status))
        return exit_status;
    o.arguments = argv + optind + 1; /* ends with argv's NULL */
    return command_read_store("export", o.db, export_from, &o);
}
