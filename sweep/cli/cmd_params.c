/* headcount params: how many parameters a model has at each head count, with heads that split
 * d_model between them and with heads of a fixed width. */
#include "sweep/cli/command.h"

#include <string.h>

#include "datasets/task.h"
#include "engine/encoder_config.h"
#include "sweep/cli/head_slices.h"
#include "sweep/plan/point.h"
#include "sweep/report/table.h"

enum { HEADS_MAX = 64, MODEL_OPTIONS_MAX = 32, OPTION_NAME_SIZE = 32, OPTION_HELP_SIZE = 512 };

struct params_options {
    const char *preset, *task, *heads, *seed;
    long vocab, length, slots, classes;
    bool shapes, json, csv;
    const char *model[MODEL_OPTIONS_MAX]; /* texts of the encoder's options, in their order */
};

static const struct command_option own_options[] = {
    {"heads", 0, COMMAND_TEXT, offsetof(struct params_options, heads), "N,N,...",
     "head counts to compare (1,2,4,8,16,32)"},
    {"task", 0, COMMAND_TEXT, offsetof(struct params_options, task), "NAME",
     "vocabulary, length and slots of a task's defaults"},
    {"vocab", 0, COMMAND_LONG, offsetof(struct params_options, vocab), "N",
     "size of the vocabulary (16)"},
    {"length", 0, COMMAND_LONG, offsetof(struct params_options, length), "N",
     "positions of a sequence (32)"},
    {"slots", 0, COMMAND_LONG, offsetof(struct params_options, slots), "N",
     "targets per position (1)"},
    {"classes", 0, COMMAND_LONG, offsetof(struct params_options, classes), "N",
     "classes of a target (the vocabulary)"},
    {"preset", 0, COMMAND_TEXT, offsetof(struct params_options, preset), "roberta",
     "start from the sizes of a known model"},
    {"shapes", 0, COMMAND_FLAG, offsetof(struct params_options, shapes), NULL,
     "instead of counts: which rows and columns of the weights are each head's"},
    {"seed", 0, COMMAND_TEXT, offsetof(struct params_options, seed), "N",
     "with --shapes: of the trial whose columns are shown, where a form draws them (0)"},
    {"json", 0, COMMAND_FLAG, offsetof(struct params_options, json), NULL, "as JSON"},
    {"csv", 0, COMMAND_FLAG, offsetof(struct params_options, csv), NULL, "as CSV"},
};
enum { OWN_OPTIONS = sizeof own_options / sizeof own_options[0] };

/* The command line's options: our own, then one per option of the encoder but heads, whose list is
 * an option of ours. Dashes stand for underscores. */
struct option_table {
    struct command_option list[OWN_OPTIONS + MODEL_OPTIONS_MAX + 1];
    char name[MODEL_OPTIONS_MAX][OPTION_NAME_SIZE];
    char help[MODEL_OPTIONS_MAX][OPTION_HELP_SIZE];
};

static void option_table_fill(struct option_table *t)
{
    int n = OWN_OPTIONS;
    memset(t, 0, sizeof *t);
    memcpy(t->list, own_options, sizeof own_options);
    for (int i = 0; i < MODEL_OPTIONS_MAX && encoder_options[i].name; i++) {
        const struct option_entry *o = &encoder_options[i];
        if (strcmp(o->name, "heads") == 0)
            continue;
        snprintf(t->name[i], OPTION_NAME_SIZE, "%s", o->name);
        for (char *c = t->name[i]; *c; c++)
            *c = *c == '_' || *c == '.' ? '-' : *c;
        bool is_width = strcmp(o->name, "d_head") == 0;
        snprintf(t->help[i], OPTION_HELP_SIZE, "%s (%s)",
                 is_width ? "width of a head in the fixed column" : o->help,
                 is_width ? "d_model / 4" : o->default_value);
        t->list[n++] = (struct command_option){
            .name = t->name[i],
            .kind = COMMAND_TEXT,
            .offset = offsetof(struct params_options, model) + (size_t)i * sizeof(const char *),
            .argument = o->type == OPTION_CHOICE || o->type == OPTION_BOOL ? "WORD" : "N",
            .help = t->help[i]};
    }
}

struct counted_model {
    struct encoder_config config;
    struct encoder_io io;
    int64_t fixed; /* d_head of the fixed column */
    bool roberta;
    int heads;
    int64_t head[HEADS_MAX];
};

/* RobertaForMaskedLM is this encoder (post-norm, two embedding tables: words and token types) with
 * three differences that training here does not know. */
static struct encoder_parts parts_of(const struct counted_model *p, const struct encoder_config *c)
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

static int64_t total_of(const struct counted_model *p, const struct encoder_config *c)
{
    struct encoder_parts n = parts_of(p, c);
    return encoder_parts_sum(&n);
}

static enum status heads_read(const char *text, struct counted_model *p, struct message *m)
{
    const struct option_entry *o = option_find(encoder_options, "heads");
    char copy[512];
    char *rest = copy;
    char *item;
    if (strlen(text) >= sizeof copy)
        return status_fail(m, STATUS_BAD_INPUT, "--heads is longer than %zu characters",
                           sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    while ((item = strsep(&rest, ",")) != NULL) {
        struct encoder_config c = p->config;
        if (p->heads == HEADS_MAX)
            return status_fail(m, STATUS_BAD_INPUT, "--heads has more than %d values", HEADS_MAX);
        enum status s = option_parse(o, "model", item, false, &c, m);
        if (s != STATUS_OK)
            return s;
        p->head[p->heads++] = c.heads;
    }
    return STATUS_OK;
}

static enum status io_of_task(const char *name, struct encoder_io *io, struct message *m)
{
    struct point point;
    struct task_shape shape;
    const struct task *task = task_find(name);
    if (!task)
        return status_fail(m, STATUS_BAD_INPUT, "there is no task '%s'; see headcount tasks", name);
    if (task->file)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--task %s: its shape depends on the file; give --vocab, --length and "
                           "--classes, which `headcount tasks %s --set file=PATH` prints",
                           name, name);
    point_init(&point, task);
    enum status s = task->shape(point.task_options, &shape, m);
    if (s != STATUS_OK)
        return s;
    point_io(&shape, io);
    return STATUS_OK;
}

static enum status preset_set(const char *name, struct counted_model *p, struct message *m)
{
    if (strcmp(name, "roberta") != 0)
        return status_fail(m, STATUS_BAD_INPUT, "--preset is '%s'; allowed: roberta", name);
    p->roberta = true;
    p->config.d_model = 768;
    p->config.layers = 12;
    p->config.d_ff = 3072;
    p->config.norm = NORM_POST;
    p->config.positions = POSITIONS_LEARNED;
    p->io = (struct encoder_io){.length = 512,
                                .fields = 2,
                                .field = {"word", "type"},
                                .vocab = {30522, 2},
                                .slots = 1,
                                .classes = 30522};
    p->fixed = 64;
    return STATUS_OK;
}

static enum status io_read(const struct params_options *o, struct counted_model *p,
                           struct message *m)
{
    if (o->task) {
        enum status s = io_of_task(o->task, &p->io, m);
        if (s != STATUS_OK)
            return s;
    }
    if (o->vocab > 0)
        p->io.vocab[0] = p->io.classes = o->vocab;
    if (o->length > 0)
        p->io.length = o->length;
    if (o->slots > 0)
        p->io.slots = o->slots;
    if (o->classes > 0)
        p->io.classes = o->classes;
    return STATUS_OK;
}

static enum status model_read(const struct params_options *o, struct counted_model *p,
                              struct message *m)
{
    enum status s = STATUS_OK;
    const char *heads = "1,2,4,8,16,32";
    option_defaults(encoder_options, &p->config);
    p->io = (struct encoder_io){
        .length = 32, .fields = 1, .field = {"token"}, .vocab = {16}, .slots = 1, .classes = 16};
    if (o->preset) {
        s = preset_set(o->preset, p, m);
        heads = "1,4,12";
    }
    for (int i = 0; encoder_options[i].name && s == STATUS_OK; i++)
        if (o->model[i])
            s = option_parse(&encoder_options[i], "model", o->model[i], false, &p->config, m);
    if (s == STATUS_OK)
        s = io_read(o, p, m);
    if (s == STATUS_OK)
        s = heads_read(o->heads ? o->heads : o->shapes ? "4" : heads, p, m);
    if (p->config.d_head != WIDTH_WORD)
        p->fixed = p->config.d_head;
    else if (p->fixed == 0)
        p->fixed = p->config.d_model >= 4 ? p->config.d_model / 4 : 1;
    return s;
}

static void cells_of(struct table *t, const struct counted_model *p, struct encoder_config c,
                     bool people)
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

static enum status print_table(const struct counted_model *p, enum table_format f,
                               struct message *m)
{
    static const struct table_column columns[] = {
        {.name = "heads", .title = "heads", .right = true},
        {.name = "d_head_split", .title = "d_head split", .right = true},
        {.name = "n_params_split", .title = "parameters", .right = true},
        {.name = "d_head_fixed", .title = "d_head fixed", .right = true},
        {.name = "n_params_fixed", .title = "parameters", .right = true},
        {0}};
    struct scope *x = scope_new(NULL, "a table", m);
    if (scope_enter(x)) {
        struct table *t = table_new(x, columns);
        for (int i = 0; i < p->heads; i++) {
            struct encoder_config c = p->config;
            c.heads = p->head[i];
            table_integer(t, c.heads);
            c.d_head = WIDTH_WORD;
            cells_of(t, p, c, f == TABLE_TEXT);
            c.d_head = p->fixed;
            cells_of(t, p, c, f == TABLE_TEXT);
        }
        table_write(t, f, text_color(stdout), stdout);
    }
    return scope_end(x);
}

/* Where they are, for the first head count that the model can have under split. */
static void print_parts(const struct counted_model *p)
{
    struct encoder_config c = p->config;
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

static enum status seed_read(const char *text, uint32_t *seed, struct message *m)
{
    static const struct option_entry o = {
        .name = "--seed", .type = OPTION_INT, .min = 0, .max = UINT32_MAX};
    int64_t number = 0;
    enum status s = text ? option_parse(&o, "", text, false, &number, m) : STATUS_OK;
    *seed = (uint32_t)number;
    return s;
}

static enum status print_shapes(const struct params_options *o, const struct counted_model *p,
                                enum table_format f, struct message *m)
{
    uint32_t seed;
    enum status s = seed_read(o->seed, &seed, m);
    return s == STATUS_OK ? head_slices_print(&p->config, p->head, p->heads, seed, f, m) : s;
}

static void print_preset_note(void)
{
    printf(
        "\n"
        "Counted as a RoBERTa masked language model of 512 positions without a pooler. It can\n"
        "only be counted: this program's encoder has neither RoBERTa's norm after the embeddings\n"
        "nor its output (dense, norm, and a decoder that shares the word embedding).\n");
}

int command_params(int argc, char **argv)
{
    struct params_options o = {0};
    struct counted_model p = {0};
    struct message m = {{0}};
    struct option_table t;
    int arguments;
    int exit_status;
    option_table_fill(&t);
    const struct command_syntax syntax = {
        .name = "params",
        .details =
            "Heads that split d_model do not change the count. Heads of a fixed width add to it,\n"
            "and allow any head count.\n",
        .options = t.list,
        .examples = "  headcount params --d-model 64 --layers 2 --heads 1,2,3,4,8\n"
                    "  headcount params --preset roberta --heads 1,4,12\n"
                    "  headcount params --shapes --heads 4 --kv-heads 2\n",
    };
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    enum status s = model_read(&o, &p, &m);
    if (s != STATUS_OK)
        return command_fail("params", s, &m);
    enum table_format f = o.json ? TABLE_JSON : o.csv ? TABLE_CSV : TABLE_TEXT;
    s = o.shapes ? print_shapes(&o, &p, f, &m) : print_table(&p, f, &m);
    if (s == STATUS_OK && o.json)
        putchar('\n');
    if (s == STATUS_OK && f == TABLE_TEXT && !o.shapes) {
        print_parts(&p);
        if (p.roberta)
            print_preset_note();
    }
    return s == STATUS_OK ? EXIT_DONE : command_fail("params", s, &m);
}
