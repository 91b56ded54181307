/* headcount export: results, curves, weights, test sets and attention for other programs. */
#include "sweep/cli/command_prune.h"
#include "sweep/cli/command_target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/option.h"
#include "engine/base/text.h"
#include "sweep/export/export_attention.h"
#include "sweep/export/export_csv.h"
#include "sweep/export/export_results.h"
#include "sweep/export/export_tensors.h"
#include "sweep/worker/stop.h"

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

static enum status export_tensors(struct store *s, const struct export_options *o,
                                  struct message *m)
{
    int64_t trial;
    char *path;
    enum status status = store_trial(s, o->arguments[0], &trial, m);
    if (status == STATUS_OK && strcmp(o->arguments[1], "-") == 0)
        status = status_fail(m, STATUS_BAD_INPUT,
                             "safetensors files cannot be written to standard output; name a file");
    if (status == STATUS_OK)
        status = command_find_target(s, o->db, o->arguments[1], &path, m);
    if (status != STATUS_OK)
        return status;
    long examples = o->examples > 0 ? o->examples : EXPORT_ATTENTION_EXAMPLES;
    const struct prune_options *smaller = o->words.keep ? &o->smaller : NULL;
    status = o->kind == EXPORT_WEIGHTS   ? export_weights(s, trial, smaller, path, m)
             : o->kind == EXPORT_TESTSET ? export_testset(s, trial, smaller, path, m)
                                         : export_attention(s, trial, examples, path, m);
    free(path);
    return status;
}

static enum status export_table(struct store *s, const struct export_options *o, int64_t sweep,
                                struct message *m)
{
    enum export_csv what = o->kind == EXPORT_CURVES ? EXPORT_CSV_CURVES : EXPORT_CSV_TRIALS;
    const char *name = o->arguments[1];
    char *path;
    if (!name || strcmp(name, "-") == 0)
        return export_csv(s, what, sweep, NULL, m);
    enum status status = command_find_target(s, o->db, name, &path, m);
    if (status == STATUS_OK)
        status = export_csv(s, what, sweep, path, m);
    free(path);
    return status;
}

/* Many small pieces, between which Ctrl-C is heard, so that no temporary file stays behind. */
static enum status export_trials(struct store *s, const struct export_options *o, struct message *m)
{
    int64_t sweep;
    enum status status = store_sweep(s, o->arguments[0], &sweep, m);
    if (status == STATUS_OK)
        status = stop_install(m);
    if (status != STATUS_OK)
        return status;
    store_stop_when(s, stop_asked, NULL);
    status = export_table(s, o, sweep, m);
    stop_restore();
    return status;
}

static void export_from(struct scope *x, void *context)
{
    const struct export_options *o = context;
    bool trials = o->kind == EXPORT_TRIALS || o->kind == EXPORT_CURVES;
    scope_check(x, o->kind == EXPORT_RESULTS
                       ? export_results(x->store, o->arguments[0], stdout, x->message)
                       : (trials ? export_trials : export_tensors)(x->store, o, x->message));
}

/* --keep and what belongs to it. */
static bool check_keep(struct export_options *o, int *exit_status)
{
    const struct prune_words *w = &o->words;
    if (!command_prune_read("export", w, &o->smaller, exit_status))
        return false;
    if (!w->keep && (w->by || w->finetune || w->lr))
        *exit_status =
            command_usage("export", "--by, --finetune and --lr need --keep; give it too");
    else if (w->keep && o->kind != EXPORT_WEIGHTS && o->kind != EXPORT_TESTSET)
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
    return command_read_store("export", o.db, export_from, &o);
}
