/* headcount params: how many parameters a model has at each head count, with heads that split
 * d_model between them and with heads of a fixed width. */
#include <stdio.h>
#include <string.h>

#include "engine/encoder_config.h"
#include "engine/form.h"
#include "engine/kernels/attention.h"
#include "sweep/cli/command.h"
#include "sweep/plan/point.h"
#include "sweep/report/table.h"

enum { HEADS_MAX = 64 };

struct params {
    const char *preset, *task, *heads_text, *seed_text; /* as given */
    struct command_texts set;
    bool shapes, json, csv;
    struct point point;
    struct encoder_io io;
    uint32_t seed;
    int64_t fixed; /* d_head of the fixed column */
    bool roberta;
    int heads;
    int64_t head[HEADS_MAX];
};

static const struct command_option options[] = {
    {"heads", 0, COMMAND_TEXT, offsetof(struct params, heads_text), "N,N,...",
     "head counts to compare (1,2,4,8,16,32)"},
    {"task", 0, COMMAND_TEXT, offsetof(struct params, task), "NAME",
     "the task that the model is for (copy)"},
    {"set", 0, COMMAND_TEXTS, offsetof(struct params, set), "KEY=VALUE",
     "set an option, as a sweep file does: model.layers=2, task.length=64"},
    {"preset", 0, COMMAND_TEXT, offsetof(struct params, preset), "roberta",
     "start from the sizes of a known model"},
    {"shapes", 0, COMMAND_FLAG, offsetof(struct params, shapes), NULL,
     "instead of counts: which rows and columns of the weights are each head's"},
    {"seed", 0, COMMAND_TEXT, offsetof(struct params, seed_text), "N",
     "with --shapes: of the trial whose columns are shown, where a form draws them (0)"},
    {"json", 0, COMMAND_FLAG, offsetof(struct params, json), NULL, "as JSON"},
    {"csv", 0, COMMAND_FLAG, offsetof(struct params, csv), NULL, "as CSV"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "params",
    .details =
        "Heads that split d_model do not change the count. Heads of a fixed width (model.d_head,\n"
        "else a quarter of d_model) add to it, and allow any head count.\n",
    .options = options,
    .examples = "  headcount params --heads 1,2,3,4,8 --set model.d_model=64 --set model.layers=2\n"
                "  headcount params --preset roberta --heads 1,4,12\n"
                "  headcount params --shapes --heads 4 --set model.kv_heads=2\n",
};

/* ---- what is asked for ---- */

static void read_heads(struct scope *x, const char *text, struct params *p)
{
    const struct option_entry *o = option_find(encoder_options, "heads");
    char item[64];
    for (const char *end; text; text = *end ? end + 1 : NULL) {
        struct encoder_config c = p->point.model;
        end = text + strcspn(text, ",");
        if (p->heads == HEADS_MAX)
            scope_fail(x, STATUS_BAD_INPUT, "--heads has more than %d values", HEADS_MAX);
        snprintf(item, sizeof item, "%.*s", (int)(end - text), text);
        scope_check(x, option_parse(o, "model", item, false, &c, x->message));
        p->head[p->heads++] = c.heads;
    }
}

static void set_roberta(struct params *p)
{
    struct encoder_config *c = &p->point.model;
    p->roberta = true;
    c->d_model = 768;
    c->layers = 12;
    c->d_ff = 3072;
    c->norm = NORM_POST;
    c->positions = POSITIONS_LEARNED;
    p->io = (struct encoder_io){.length = 512,
                                .fields = 2,
                                .field = {"word", "type"},
                                .vocab = {30522, 2},
                                .slots = 1,
                                .classes = 30522};
}

static void read_io(struct scope *x, struct params *p)
{
    const struct task *task = p->point.task;
    struct task_shape shape;
    if (task->file)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--task %s: its shape depends on the file; `headcount plan SWEEP.yaml` counts "
                   "the parameters of a sweep over it",
                   task->name);
    scope_check(x, task->shape(p->point.task_options, &shape, x->message));
    point_io(&shape, &p->io);
}

static void read_model(struct scope *x, struct params *p)
{
    static const struct option_entry seed = {
        .name = "--seed", .type = OPTION_INT, .min = 0, .max = UINT32_MAX};
    const char *name = p->task ? p->task : "copy", *heads = p->shapes ? "4" : "1,2,4,8,16,32";
    const struct task *task = task_find(name);
    struct encoder_config *c = &p->point.model;
    int64_t number = 0;
    if (!task)
        scope_fail(x, STATUS_BAD_INPUT, "there is no task '%s'; see headcount tasks", name);
    if (p->preset && strcmp(p->preset, "roberta") != 0)
        scope_fail(x, STATUS_BAD_INPUT, "--preset is '%s'; allowed: roberta", p->preset);
    point_init(&p->point, task);
    if (p->preset)
        set_roberta(p);
    for (int i = 0; i < p->set.count; i++)
        scope_check(x, point_give(&p->point, p->set.item[i], x->message));
    if (!p->preset)
        read_io(x, p);
    read_heads(x, p->heads_text ? p->heads_text : p->preset ? "1,4,12" : heads, p);
    if (p->seed_text)
        scope_check(x, option_parse(&seed, "", p->seed_text, false, &number, x->message));
    p->seed = (uint32_t)number;
    p->fixed = c->d_head != WIDTH_WORD ? c->d_head
               : p->roberta            ? 64
               : c->d_model >= 4       ? c->d_model / 4
                                       : 1;
}

/* ---- slices ---- */

static const struct table_column slice_columns[] = {
    {.name = "heads", .right = true},
    {.name = "layer", .title = "layer", .right = true},
    {.name = "head", .title = "head", .right = true},
    {.name = "q_rows", .title = "q rows"},
    {.name = "k_rows", .title = "k rows"},
    {.name = "v_rows", .title = "v rows"},
    {.name = "out_columns", .title = "out columns"},
    {.name = "sees", .title = "sees"},
    {0}};

/* A model with one of the head counts. */
struct sliced {
    struct encoder_config config;
    struct encoder_shapes shapes;
    int32_t *seen; /* (L,H,width); NULL where every head sees all */
    bool alike;    /* all layers see the same */
};

static struct sliced sliced_of(struct scope *x, const struct encoder_config *c, int64_t heads,
                               uint32_t seed)
{
    struct sliced s = {.config = *c, .alike = true};
    s.config.heads = heads;
    scope_check(x, encoder_shapes(&s.config, &s.shapes, x->message));
    if (s.shapes.width == 0)
        return s;
    const size_t layer = (size_t)(s.shapes.heads * s.shapes.width);
    s.seen = arena_alloc(&x->arena, layer * (size_t)c->layers, sizeof *s.seen);
    for (long l = 0; l < c->layers; l++) {
        int32_t *seen = s.seen + (size_t)l * layer;
        form_columns(&s.config, seed, l, s.shapes.width, seen);
        s.alike = s.alike && memcmp(seen, s.seen, layer * sizeof *seen) == 0;
    }
    return s;
}

static void add_slice(struct table *t, long first, long count)
{
    table_printf(t, "%ld:%ld", first, first + count);
}

/* "0:3,5,8:10": runs of neighbours as slices. */
static void add_seen(struct scope *x, struct table *t, const int32_t *seen, long width)
{
    struct text_buffer text = scope_text(x);
    for (long i = 0, end; i < width; i = end) {
        for (end = i + 1; end < width && seen[end] == seen[i] + (end - i);)
            end++;
        text_add(&text, "%s%d", i ? "," : "", (int)seen[i]);
        if (end > i + 1)
            text_add(&text, ":%ld", seen[i] + (end - i));
    }
    table_text(t, text.text);
}

static void add_head(struct scope *x, struct table *t, const struct sliced *s, long layer, long h,
                     bool people)
{
    const struct encoder_shapes *e = &s->shapes;
    const struct attention a = {.H = e->heads, .G = e->kv_heads, .d_k = e->d_k, .d_v = e->d_v};
    const long g = attention_kv(&a, h);
    table_integer(t, e->heads);
    if (people && s->alike)
        table_text(t, "all");
    else
        table_integer(t, layer);
    table_integer(t, h);
    add_slice(t, h * e->d_k, e->d_k);
    add_slice(t, attention_key_column(&a, g), e->d_k);
    add_slice(t, attention_value_column(&a, g), e->d_v);
    add_slice(t, h * e->d_v, e->d_v);
    if (s->seen)
        add_seen(x, t, s->seen + (layer * e->heads + h) * e->width, e->width);
    else
        add_slice(t, 0, (long)s->config.d_model);
}

static void add_model(struct scope *x, struct table *t, const struct sliced *s, bool people)
{
    const long layers = people && s->alike ? 1 : (long)s->config.layers;
    for (long l = 0; l < layers; l++)
        for (long h = 0; h < s->shapes.heads; h++)
            add_head(x, t, s, l, h, people);
}

static void print_weights(const struct sliced *s, bool first)
{
    const struct encoder_shapes *e = &s->shapes;
    const char *plural = text_plural(e->heads);
    printf("%s%ld head%s, d_k %ld, d_v %ld", first ? "" : "\n", e->heads, plural, e->d_k, e->d_v);
    if (e->kv_heads != e->heads)
        printf(", keys and values of %ld", e->kv_heads);
    printf("; in encoder.layers.{layer}.self_attn:\n"
           "  in_proj_weight (%ld,%ld), in_proj_bias (%ld): q, k and v rows\n"
           "  out_proj.weight (%lld,%ld): out columns\n",
           e->qkv_width, e->inputs, e->qkv_width, (long long)s->config.d_model, e->o_width);
    if (e->width > 0)
        printf(
            "  column i of a head's rows of in_proj_weight meets the i-th column that it sees\n");
    putchar('\n');
}

/* Prints them for each head count: in text a table each, under the names and shapes of the weights,
 * with layers that are alike in one; in CSV and JSON one table with a row per head and layer.
 * Slices are written as NumPy and PyTorch take them: 0:8 is 0 to 7. */
static void print_slices(struct scope *x, const struct params *p, enum table_format f)
{
    struct table *all = table_new(x, slice_columns); /* of programs */
    struct sliced *s = arena_alloc(&x->arena, (size_t)p->heads, sizeof *s);
    for (int i = 0; i < p->heads; i++) /* refuses before anything is printed */
        s[i] = sliced_of(x, &p->point.model, p->head[i], p->seed);
    for (int i = 0; i < p->heads; i++) {
        struct table *t = f == TABLE_TEXT ? table_new(x, slice_columns) : all;
        add_model(x, t, &s[i], f == TABLE_TEXT);
        if (f != TABLE_TEXT)
            continue;
        print_weights(&s[i], i == 0);
        table_write(t, f, text_color(stdout), stdout);
    }
    if (f != TABLE_TEXT)
        table_write(all, f, false, stdout);
}

/* ---- counts ---- */

/* RobertaForMaskedLM is this encoder (post-norm, two embedding tables: words and token types) with
 * three differences that training here does not know. */
static struct encoder_parts parts_of(const struct params *p, const struct encoder_config *c)
{
    struct encoder_parts n = encoder_parts(c, &p->io);
    int64_t C = c->d_model;
    if (p->roberta) {
        int64_t embedding_norm = 2 * C;
        int64_t head_dense_and_norm = C * (C + 1) + 2 * C;
        int64_t tied_decoder = p->io.classes * C;
        n.norms += embedding_norm;
        n.output += head_dense_and_norm - tied_decoder;
    }
    return n;
}

static int64_t total_of(const struct params *p, const struct encoder_config *c)
{
    struct encoder_parts n = parts_of(p, c);
    return encoder_parts_sum(&n);
}

static void cells_of(struct table *t, const struct params *p, struct encoder_config c, bool people)
{
    struct encoder_shapes shapes;
    char text[32];
    if (encoder_shapes(&c, &shapes, NULL) != STATUS_OK) {
        table_text(t, people ? "-" : NULL); /* heads do not divide d_model */
        table_text(t, people ? "-" : NULL);
        return;
    }
    table_integer(t, shapes.d_v);
    if (people)
        table_text(t, text_count(total_of(p, &c), text, sizeof text));
    else
        table_integer(t, total_of(p, &c));
}

static void print_counts(struct scope *x, const struct params *p, enum table_format f)
{
    static const struct table_column columns[] = {
        {.name = "heads", .title = "heads", .right = true},
        {.name = "d_head_split", .title = "d_head split", .right = true},
        {.name = "n_params_split", .title = "parameters", .right = true},
        {.name = "d_head_fixed", .title = "d_head fixed", .right = true},
        {.name = "n_params_fixed", .title = "parameters", .right = true},
        {0}};
    struct table *t = table_new(x, columns);
    for (int i = 0; i < p->heads; i++) {
        struct encoder_config c = p->point.model;
        c.heads = p->head[i];
        table_integer(t, c.heads);
        c.d_head = WIDTH_WORD;
        cells_of(t, p, c, f == TABLE_TEXT);
        c.d_head = p->fixed;
        cells_of(t, p, c, f == TABLE_TEXT);
    }
    table_write(t, f, text_color(stdout), stdout);
}

/* Where they are, for the first head count that the model can have under split. */
static void print_parts(const struct params *p)
{
    struct encoder_config c = p->point.model;
    struct encoder_shapes shapes;
    char text[32];
    c.d_head = WIDTH_WORD;
    for (int i = 0; i < p->heads; i++) {
        c.heads = p->head[i];
        if (encoder_shapes(&c, &shapes, NULL) != STATUS_OK)
            continue;
        struct encoder_parts n = parts_of(p, &c);
        const struct {
            const char *name;
            int64_t count;
        } line[] = {{"embeddings", n.embeddings}, {"positions", n.positions},
                    {"attention", n.attention},   {"feed-forward", n.feed_forward},
                    {"norms", n.norms},           {"output", n.output}};
        printf("\nheads %lld, split:\n", (long long)c.heads);
        for (size_t k = 0; k < sizeof line / sizeof line[0]; k++)
            printf("  %-14s %14s\n", line[k].name, text_count(line[k].count, text, sizeof text));
        return;
    }
}

static void print_preset_note(void)
{
    printf(
        "\n"
        "Counted as a RoBERTa masked language model of 512 positions without a pooler. It can\n"
        "only be counted: this program's encoder has neither RoBERTa's norm after the embeddings\n"
        "nor its output (dense, norm, and a decoder that shares the word embedding).\n");
}

static void print_params(struct scope *x, void *context)
{
    struct params *p = context;
    enum table_format f = p->json ? TABLE_JSON : p->csv ? TABLE_CSV : TABLE_TEXT;
    read_model(x, p);
    if (p->shapes)
        print_slices(x, p, f);
    else
        print_counts(x, p, f);
    if (f == TABLE_JSON)
        putchar('\n');
    if (f != TABLE_TEXT || p->shapes)
        return;
    print_parts(p);
    if (p->roberta)
        print_preset_note();
}

int command_params(int argc, char **argv)
{
    struct params p = {0};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &p, &arguments, &exit_status))
        return exit_status;
    return command_act_on("params", COMMAND_NO_STORE, NULL, print_params, &p);
}
