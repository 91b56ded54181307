/* headcount export: results, curves, weights, test sets and attention for other programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/option.h"
#include "sweep/cli/command.h"
#include "sweep/export/export_attention.h"
#include "sweep/export/export_csv.h"
#include "sweep/export/export_results.h"
#include "sweep/export/export_tensors.h"
#include "sweep/study/prune.h"

enum export_kind {
    EXPORT_RESULTS,
    EXPORT_TRIALS,
    EXPORT_CURVES,
    EXPORT_WEIGHTS,
    EXPORT_TESTSET,
    EXPORT_ATTENTION,
    EXPORT_KINDS
};

static const struct {
    const char *name, *usage;
    int least, most; /* arguments */
} kinds[EXPORT_KINDS] = {
    {"results", "[SWEEP]", 0, 1},     {"trials", "SWEEP [FILE]", 1, 2},
    {"curves", "SWEEP [FILE]", 1, 2}, {"weights", "TRIAL FILE", 2, 2},
    {"testset", "TRIAL FILE", 2, 2},  {"attention", "TRIAL FILE", 2, 2},
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
        "  export trials SWEEP [FILE]  CSV: a line per trial with its results in full, from\n"
        "                              which every interval can be recomputed\n"
        "  export curves SWEEP [FILE]  CSV: a line per trial and evaluation, with losses,\n"
        "                              accuracies, gradient norm, learning rate and seconds\n"
        "  export weights TRIAL FILE   safetensors: the weights of the best step under PyTorch's\n"
        "                              names; metadata config, test_acc, sweep, trial, seed\n"
        "  export testset TRIAL FILE   safetensors: inputs I64 (N,T,fields), targets and the\n"
        "                              trial's predictions I64 (N,T,S); -100 marks no target\n"
        "  export attention TRIAL FILE safetensors: attention F32 (L,H,N,T,T) of the best step's\n"
        "                              weights and inputs I64 (N,T,fields), N sequences of the\n"
        "                              validation set\n",
    .options = options,
    .needs =
        (const char *const[][2]){{"by", "keep"}, {"finetune", "keep"}, {"lr", "finetune"}, {NULL}},
    .examples = "  headcount export results > results.jsonl\n"
                "  headcount export trials gather trials.csv\n"
                "  headcount export curves gather curves.csv\n"
                "  headcount export weights 1 weights.safetensors\n"
                "  headcount export testset 1 testset.safetensors\n"
                "  headcount export weights 3 smaller.safetensors --keep 3\n"
                "  headcount export attention 1 attention.safetensors --examples 4\n",
    .least = 1,
    .most = 3,
};

static enum export_kind kind_of(const char *word)
{
    const char *words[EXPORT_KINDS + 1] = {NULL};
    int i = 0;
    for (int k = 0; k < EXPORT_KINDS; k++)
        words[k] = kinds[k].name;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    if (!words[i]) {
        const char *near = nearest_name(word, words);
        command_usage("export", "cannot export '%s'; %s%s%s", word,
                      near ? "did you mean '"
                           : "allowed: results, trials, curves, weights, testset, attention",
                      near ? near : "", near ? "'?" : "");
    }
    return (enum export_kind)i;
}

static void export_tensors(struct scope *x, const struct export_options *o)
{
    int64_t trial;
    scope_check(x, store_trial(x->store, o->arguments[0], &trial, x->message));
    if (strcmp(o->arguments[1], "-") == 0)
        scope_fail(x, STATUS_BAD_INPUT,
                   "safetensors files cannot be written to standard output; name a file");
    const char *path = command_find_target(x, o->db, o->arguments[1]);
    long examples = o->examples > 0 ? o->examples : EXPORT_ATTENTION_EXAMPLES;
    const struct prune_options *smaller = o->words.keep ? &o->smaller : NULL;
    if (o->kind == EXPORT_WEIGHTS)
        export_weights(x, trial, smaller, path);
    else if (o->kind == EXPORT_TESTSET)
        export_testset(x, trial, smaller, path);
    else
        export_attention(x, trial, examples, path);
}

/* Many small pieces, between which Ctrl-C is heard, so that no temporary file stays behind. */
static void export_table(struct scope *x, const struct export_options *o)
{
    enum export_csv what = o->kind == EXPORT_CURVES ? EXPORT_CSV_CURVES : EXPORT_CSV_TRIALS;
    const char *name = o->arguments[1];
    int64_t sweep;
    scope_check(x, store_sweep(x->store, o->arguments[0], &sweep, x->message));
    command_hear_stops(x);
    const char *path = name && strcmp(name, "-") != 0 ? command_find_target(x, o->db, name) : NULL;
    scope_check(x, export_csv(x->store, what, sweep, path, x->message));
}

static void export_from(struct scope *x, void *context)
{
    const struct export_options *o = context;
    if (o->kind == EXPORT_RESULTS)
        scope_check(x, export_results(x->store, o->arguments[0], stdout, x->message));
    else if (o->kind == EXPORT_TRIALS || o->kind == EXPORT_CURVES)
        export_table(x, o);
    else
        export_tensors(x, o);
}

/* --keep and what belongs to it. */
static bool check_keep(struct export_options *o, int *exit_status)
{
    const struct prune_words *w = &o->words;
    if (!command_prune_read("export", w, &o->smaller, exit_status))
        return false;
    if (w->keep && o->kind != EXPORT_WEIGHTS && o->kind != EXPORT_TESTSET)
        *exit_status = command_usage("export", "--keep is for weights and testset only");
    else if (w->keep && o->smaller.keeps != 1)
        *exit_status = command_usage(
            "export", "--keep is '%s', but one model is exported; give one head count", w->keep);
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
    if (o.kind == EXPORT_KINDS)
        return EXIT_USAGE;
    if (arguments - 1 > kinds[o.kind].most)
        return command_usage("export", "one argument too many: '%s'",
                             argv[optind + 1 + kinds[o.kind].most]);
    if (arguments - 1 < kinds[o.kind].least)
        return command_missing("export", argv[optind], kinds[o.kind].usage, arguments - 1);
    if (o.kind != EXPORT_ATTENTION && o.examples > 0)
        return command_usage("export", "--examples is for attention only");
    if (!check_keep(&o, &exit_status))
        return exit_status;
    o.arguments = argv + optind + 1; /* ends with argv's NULL */
    return command_act_on("export", COMMAND_READ, o.db, export_from, &o);
}
