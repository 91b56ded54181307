/* headcount bench: how far one training step is above its matrix products; how long its attention
 * takes. */
#include "sweep/cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "engine/kernels/blas.h"
#include "engine/kernels/kernels.h"
#include "sweep/cli/bench.h"
#include "sweep/report/table.h"

enum { HEADS_MAX = 32 };

struct bench_options {
    const char *part, *workload, *heads, *mask, *dropout, *trained;
    long d_model, layers, d_ff, length, batch, vocab, slots, kv_heads, threads, milliseconds;
    bool json;
};

#define MEMBER(name) offsetof(struct bench_options, name)
static const struct command_option options[] = {
    {"part", 0, COMMAND_TEXT, MEMBER(part), "PART", "step or attention (step)"},
    {"workload", 0, COMMAND_TEXT, MEMBER(workload), "NAME", BENCH_WORKLOADS " (all of them)"},
    {"heads", 0, COMMAND_TEXT, MEMBER(heads), "N,N,...", "head counts (1,4,8 and d_model)"},
    {"kv-heads", 0, COMMAND_LONG, MEMBER(kv_heads), "N",
     "attention: heads of keys and values, which the others share"},
    {"mask", 0, COMMAND_TEXT, MEMBER(mask), "MASK", "attention: none or causal (none)"},
    {"d-model", 0, COMMAND_LONG, MEMBER(d_model), "N", "model width"},
    {"layers", 0, COMMAND_LONG, MEMBER(layers), "N", "layers"},
    {"d-ff", 0, COMMAND_LONG, MEMBER(d_ff), "N", "feed-forward width"},
    {"length", 0, COMMAND_LONG, MEMBER(length), "N", "positions of a sequence"},
    {"batch", 0, COMMAND_LONG, MEMBER(batch), "N", "sequences of a batch"},
    {"vocab", 0, COMMAND_LONG, MEMBER(vocab), "N", "vocabulary and classes"},
    {"slots", 0, COMMAND_LONG, MEMBER(slots), "N", "targets per position"},
    {"dropout", 0, COMMAND_TEXT, MEMBER(dropout), "P", "dropout probability (0)"},
    {"trained", 0, COMMAND_TEXT, MEMBER(trained), "N",
     "training steps before it is timed; 0: random weights"},
    {"threads", 0, COMMAND_LONG, MEMBER(threads), "N",
     "of a step (1); its floor and the peak are those of one"},
    {"milliseconds", 0, COMMAND_LONG, MEMBER(milliseconds), "N",
     "measuring time of each row (2000)"},
    {"json", 0, COMMAND_FLAG, MEMBER(json), NULL, "as JSON"},
    {.name = NULL}};

static const struct command_syntax syntax = {
    .name = "bench",
    .details =
        "Alternates one training step (forward, backward, update) with its floor, the same\n"
        "step's matrix products alone through OpenBLAS, and prints the medians. The step is\n"
        "timed after some hundred training steps (--trained; 0 for shapes of your own), in turn\n"
        "with the same step on random weights: as attention sharpens, a step must not get slower.\n"
        "Workload sharp is the extreme of that. \"of peak\": the step's GFLOP/s as a share of "
        "what\n"
        "OpenBLAS reached on 1024 x 1024 x 1024 right after it. Shape options change the chosen\n"
        "workload, or gather if none is chosen.\n"
        "\n"
        "--part attention times attention alone, forward and backward: as --mask and --kv-heads\n"
        "say, in turn with what is neither masked nor shared, and with a loop over heads that\n"
        "leaves its products to OpenBLAS and keeps its weights in memory. Least times, not "
        "medians.\n",
    .options = options,
    .examples = "  headcount bench --workload toy --heads 1,4,64\n"
                "  headcount bench --d-model 96 --heads 1,8,96 --dropout 0.1\n"
                "  headcount bench --part attention --length 256 --mask causal\n",
};

static const struct table_column columns[] = {
    {.name = "workload", .title = "workload"},
    {.name = "heads", .title = "heads", .right = true},
    {.name = "d_head", .title = "d_head", .right = true},
    {.name = "dropout", .title = "dropout", .right = true, .decimals = 2},
    {.name = "trained", .title = "trained", .right = true},
    {.name = "step_ms", .title = "step ms", .right = true, .decimals = 3},
    {.name = "floor_ms", .title = "floor ms", .right = true, .decimals = 3},
    {.name = "ratio", .title = "step/floor", .right = true, .decimals = 2},
    {.name = "random_ms", .title = "random ms", .right = true, .decimals = 3},
    {.name = "random_ratio", .title = "step/random", .right = true, .decimals = 2},
    {.name = "gflops", .title = "GFLOP/s", .right = true, .decimals = 1},
    {.name = "peak_share", .title = "of peak", .right = true, .decimals = 2},
    {.name = "tokens_per_s", .title = "tokens/s", .right = true, .decimals = 0},
    {.name = "repetitions", .title = "n", .right = true},
    {.name = NULL}};

static const struct table_column attention_columns[] = {
    {.name = "workload", .title = "workload"},
    {.name = "length", .title = "length", .right = true},
    {.name = "heads", .title = "heads", .right = true},
    {.name = "kv_heads", .title = "kv heads", .right = true},
    {.name = "d_head", .title = "d_head", .right = true},
    {.name = "mask", .title = "mask"},
    {.name = "dropout", .title = "dropout", .right = true, .decimals = 2},
    {.name = "attention_ms", .title = "attention ms", .right = true, .decimals = 3},
    {.name = "full_ms", .title = "full ms", .right = true, .decimals = 3},
    {.name = "full_ratio", .title = "attention/full", .right = true, .decimals = 2},
    {.name = "by_head_ms", .title = "by head ms", .right = true, .decimals = 3},
    {.name = "by_head_ratio", .title = "by head/attention", .right = true, .decimals = 2},
    {.name = "repetitions", .title = "n", .right = true},
    {.name = NULL}};

/* What of the model the command line says. */
struct bench_wanted {
    bool attention; /* alone */
    double dropout, seconds;
    int64_t mask, kv_heads, threads;
    const char *heads, *trained;
};

static const struct bench_workload *find(const char *name)
{
    for (const struct bench_workload *w = bench_workloads; w->name; w++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

static bool reshape(const struct bench_options *o, struct bench_workload *w)
{
    const struct {
        long given;
        int64_t *member;
    } shapes[] = {{o->d_model, &w->d_model}, {o->layers, &w->layers}, {o->d_ff, &w->d_ff},
                  {o->length, &w->length},   {o->batch, &w->batch},   {o->vocab, &w->vocab},
                  {o->slots, &w->slots}};
    bool changed = false;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].given > 0) {
            *shapes[i].member = shapes[i].given;
            changed = true;
        }
    if (changed) {
        w->name = "custom";
        w->trained = w->heads = 0;
        w->sharp = false;
    }
    return changed;
}

/* --trained, as far as it was given; a case whose weights are made takes none. */
static void read_trained(struct scope *x, const char *text, struct bench_workload *w)
{
    char *end;
    if (!text || w->sharp)
        return;
    w->trained = strtol(text, &end, 10);
    if (end == text || *end != '\0' || w->trained < 0 || w->trained > 1000000)
        scope_fail(x, STATUS_BAD_INPUT, "--trained is '%s'; allowed: 0 to 1000000 steps", text);
}

/* The list of --heads, or the case's own, or 1, 4, 8 and d_model as far as they divide it and can
 * share kv_heads, if that is a number. */
static int read_heads(struct scope *x, const char *text, const struct bench_workload *w,
                      int64_t kv_heads, int64_t *heads)
{
    int n = 0;
    if (w->heads) {
        heads[0] = w->heads;
        return 1;
    }
    if (!text) {
        static const int64_t usual[] = {1, 4, 8};
        for (int i = 0; i < 3; i++)
            if (usual[i] < w->d_model && w->d_model % usual[i] == 0 &&
                (kv_heads < 1 || usual[i] % kv_heads == 0))
                heads[n++] = usual[i];
        heads[n++] = w->d_model;
        return n;
    }
    for (const char *at = text; *at;) {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0') || value < 1 || n == HEADS_MAX)
            scope_fail(x, STATUS_BAD_INPUT, "--heads is '%s'; allowed: up to %d counts like 1,4,8",
                       text, HEADS_MAX);
        heads[n++] = value;
        at = *end ? end + 1 : end;
    }
    return n;
}

static void step_row(struct scope *x, struct table *t, const struct bench_workload *w,
                     int64_t heads, const struct bench_wanted *b)
{
    struct bench_result r;
    scope_check(x, bench_step(w, heads, b->dropout, b->seconds, &r, x->message));
    table_text(t, w->name);
    table_integer(t, heads);
    table_integer(t, w->d_model / heads);
    table_real(t, b->dropout);
    table_integer(t, w->trained);
    table_real(t, r.step_s * 1e3);
    table_real(t, r.floor_s * 1e3);
    table_real(t, r.step_s / r.floor_s);
    table_real(t, r.random_s * 1e3);
    table_real(t, r.step_s / r.random_s);
    table_real(t, r.flops / r.step_s / 1e9);
    table_real(t, r.flops / r.step_s / r.peak_flops);
    table_real(t, (double)(w->batch * w->length) / r.step_s);
    table_integer(t, r.repetitions);
}

static void attention_row_of(struct scope *x, struct table *t, const struct bench_workload *w,
                             int64_t heads, const struct bench_wanted *b)
{
    struct encoder_config c = bench_model(w, heads, b->dropout);
    struct bench_attention_result r;
    c.mask = b->mask;
    c.kv_heads = b->kv_heads;
    scope_check(x, bench_attention(w, &c, b->seconds, &r, x->message));
    table_text(t, w->name);
    table_integer(t, w->length);
    table_integer(t, heads);
    table_integer(t, r.shapes.kv_heads);
    table_integer(t, r.shapes.d_k);
    table_text(t, option_find(encoder_options, "mask")->words[c.mask]);
    table_real(t, b->dropout);
    table_real(t, r.own_s * 1e3);
    table_real(t, r.full_s * 1e3);
    table_real(t, r.own_s / r.full_s);
    table_real(t, r.by_head_s * 1e3);
    table_real(t, r.by_head_s / r.own_s);
    table_integer(t, r.repetitions);
}

static void workload_rows(struct scope *x, struct table *t, const struct bench_workload *named,
                          const struct bench_wanted *b)
{
    struct bench_workload w = *named;
    int64_t heads[HEADS_MAX];
    w.threads = b->threads;
    int n = read_heads(x, b->heads, &w, b->kv_heads, heads);
    read_trained(x, b->trained, &w);
    for (int i = 0; i < n; i++)
        (b->attention ? attention_row_of : step_row)(x, t, &w, heads[i], b);
}

static struct bench_wanted read_wanted(struct scope *x, const struct bench_options *o)
{
    const struct {
        const char *option, *text;
    } given[] = {{"dropout", o->dropout}, {"mask", o->mask}};
    struct encoder_config c;
    option_defaults(encoder_options, &c);
    for (int i = 0; i < 2; i++)
        if (given[i].text)
            scope_check(x, option_parse(option_find(encoder_options, given[i].option), "model",
                                        given[i].text, false, &c, x->message));
    const char *part = o->part ? o->part : "step";
    bool attention = strcmp(part, "attention") == 0;
    if (!attention && strcmp(part, "step") != 0)
        scope_fail(x, STATUS_BAD_INPUT, "--part is '%s'; allowed: step, attention", part);
    if (!attention && (o->mask || o->kv_heads))
        scope_fail(x, STATUS_BAD_INPUT, "--%s is for --part attention",
                   o->mask ? "mask" : "kv-heads");
    if (attention && o->threads)
        scope_fail(x, STATUS_BAD_INPUT, "--threads is for --part step");
    return (struct bench_wanted){.attention = attention,
                                 .dropout = c.dropout,
                                 .seconds =
                                     1e-3 * (double)(o->milliseconds ? o->milliseconds : 2000),
                                 .mask = c.mask,
                                 .kv_heads = o->kv_heads ? o->kv_heads : c.kv_heads,
                                 .threads = o->threads,
                                 .heads = o->heads,
                                 .trained = o->trained};
}

static void say_kernels(struct scope *x)
{
    scope_check(x, blas_start(1, x->message));
    struct blas_info blas = blas_info();
    fprintf(stderr, "%s, %s kernels; headcount's %s kernels\n", blas.version, blas.core_type,
            kernels_build());
    const char *hindered = blas_hindered();
    if (hindered)
        fprintf(
            stderr,
            "OPENBLAS_CORETYPE=%s keeps OpenBLAS from using all that this CPU can do: the floor "
            "is too high; unset it\n",
            hindered);
}

static void bench(struct scope *x, void *context)
{
    const struct bench_options *o = context;
    say_kernels(x);
    const struct bench_wanted b = read_wanted(x, o);
    const struct bench_workload *named = find(o->workload ? o->workload : "gather");
    if (!named)
        scope_fail(x, STATUS_BAD_INPUT, "--workload is '%s'; allowed: " BENCH_WORKLOADS,
                   o->workload);
    struct bench_workload w = *named;
    bool one = reshape(o, &w) || o->workload;
    struct table *t = table_new(x, b.attention ? attention_columns : columns);
    if (one)
        workload_rows(x, t, &w, &b);
    for (const struct bench_workload *each = bench_workloads; !one && each->name; each++)
        workload_rows(x, t, each, &b);
    table_write(t, o->json ? TABLE_JSON : TABLE_TEXT, false, stdout);
    fputs(o->json ? "\n" : "", stdout);
}

int command_bench(int argc, char **argv)
{
    struct bench_options o = {0};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    return command_act_on("bench", COMMAND_NO_STORE, NULL, bench, &o);
}
