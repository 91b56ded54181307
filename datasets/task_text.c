/* The user's own text, byte by byte: predict the next one (text_lm.c), or the label of a row
 * (text_classify.c). */
#include "datasets/task_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

static const char *const mode_words[] = {"lm", "classify", NULL};
static const char *const separator_words[] = {"auto", "comma", "semicolon", "tab", "pipe", NULL};
static const char *const split_words[] = {"contiguous", "interleaved", NULL};
static const struct text_mode *const modes[] = {&text_lm, &text_classify};

#define DERIVED(member, most, words_of_help)                                                       \
    {                                                                                              \
        .name = #member, .type = OPTION_INT, .offset = offsetof(struct text_options, member),      \
        .max = most, .derived = true, .help = words_of_help                                        \
    }

static const struct option_entry options_table[] = {
    {.name = "file",
     .type = OPTION_STRING,
     .offset = offsetof(struct text_options, file),
     .min = 1,
     .max = OPTION_STRING_MAX,
     .local = true,
     .help = "The text: a path, in a sweep file from the folder that the sweep file is in."},
    {.name = "mode",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct text_options, mode),
     .words = mode_words,
     .default_value = "lm",
     .help = "lm: predict the next byte of the file. classify: predict the label of each row."},
    {.name = "length",
     .type = OPTION_INT,
     .offset = offsetof(struct text_options, length),
     .min = 1,
     .max = TEXT_MAX_LENGTH,
     .default_value = "128",
     .help = "Bytes that the model sees at once; a row's text is cut there."},
    {.name = "instance",
     .type = OPTION_INT,
     .offset = offsetof(struct text_options, instance),
     .min = 0,
     .max = UINT32_MAX,
     .default_value = "0",
     .help = "classify: others draw other rows to validate and test on. lm: always 0."},
    {.name = "text_column",
     .type = OPTION_STRING,
     .offset = offsetof(struct text_options, text_column),
     .min = 1,
     .max = TEXT_MAX_COLUMN,
     .default_value = "text",
     .omit_at_default = true,
     .help = "classify: the column, or member of an object, that is the text."},
    {.name = "label_column",
     .type = OPTION_STRING,
     .offset = offsetof(struct text_options, label_column),
     .min = 1,
     .max = TEXT_MAX_COLUMN,
     .default_value = "label",
     .omit_at_default = true,
     .help = "classify: the one that is the label."},
    {.name = "separator",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct text_options, separator),
     .words = separator_words,
     .default_value = "auto",
     .omit_at_default = true,
     .help = "classify: what separates columns. auto: by the file's ending, .csv (comma) or .tsv "
             "(tab), or a first line like sep=;."},
    {.name = "split",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct text_options, split),
     .words = split_words,
     .default_value = "contiguous",
     .omit_at_default = true,
     .help =
         "lm: what is trained, validated and tested on. contiguous: eight tenths of the file, a "
         "tenth, a tenth. interleaved: the same of each of 32 stretches of it."},
    {.name = "sha256",
     .type = OPTION_STRING,
     .offset = offsetof(struct text_options, sha256),
     .max = 64,
     .derived = true,
     .help = "Of the file's bytes."},
    DERIVED(size, 0x1p53, "Bytes of the file."),
    DERIVED(classes, 65536, "lm: the 256 bytes. classify: different labels."),
    DERIVED(rows, UINT32_MAX, "classify: rows of the file. lm: 0."),
    DERIVED(test_rows, UINT32_MAX, "classify: rows to test on, and as many to validate. lm: 0."),
    {.name = "repeated",
     .type = OPTION_INT,
     .offset = offsetof(struct text_options, repeated),
     .max = UINT32_MAX,
     .default_value = "0", /* as in files that were read before it was introduced */
     .omit_at_default = true,
     .derived = true,
     .help = "classify: rows whose text another row has too, which are only trained on. lm: "
             "0."},
    {.name = "majority",
     .type = OPTION_REAL,
     .offset = offsetof(struct text_options, majority),
     .max = 1,
     .derived = true,
     .help = "Share of the commonest byte (lm) or label (classify)."},
    {.name = "entropy",
     .type = OPTION_REAL,
     .offset = offsetof(struct text_options, entropy),
     .max = 16,
     .derived = true,
     .help = "Of bytes (lm) or labels (classify), one by one, in nats."},
    {0},
};

double text_entropy_of(int64_t count, int64_t all)
{
    double share = (double)count / (double)all;
    return count ? share * log(1 / share) : 0; /* of one class alone 0, not -0 */
}

double text_entropy(double sum)
{
    return round(1e4 * sum) / 1e4;
}

static enum status refuse_split(struct task_shape *s, struct message *m)
{
    static const char *const at_fault[] = {"task.split", "task.mode", NULL};
    s->at_fault = at_fault;
    return status_fail(m, STATUS_BAD_INPUT,
                       "task.split interleaved is for task.mode lm; rows are drawn from all of a "
                       "file in any case: leave it out");
}

static enum status shape(const void *options, struct task_shape *s, struct message *m)
{
    static const char *const no_file[] = {"task.file", NULL};
    const struct text_options *o = options;
    if (o->size == 0) {
        s->at_fault = no_file;
        return status_fail(m, STATUS_BAD_INPUT, "task.file must be given: the text to learn from");
    }
    *s = (struct task_shape){
        .length = (long)o->length,
        .fields = 1,
        .field = {"byte"},
        .vocab = {TEXT_VOCAB},
        .slots = 1,
        .classes = (long)o->classes,
        .chance = o->majority,
        .at_fault = no_file,
    };
    if (o->mode == TEXT_CLASSIFY && o->split != TEXT_CONTIGUOUS)
        return refuse_split(s, m);
    enum status status = modes[o->mode]->shape(o, s, m);
    for (int p = 0; status == STATUS_OK && p < TASK_PARTS; p++)
        s->part[p] = modes[o->mode]->examples(o, (enum task_part)p);
    return status;
}

static void resolve(void *options, const char *facts)
{
    struct text_options *o = options;
    if (modes[o->mode]->resolve)
        modes[o->mode]->resolve(o, facts);
}

static enum status survey(void *options, struct text_buffer *facts, struct message *m)
{
    struct text_options *o = options;
    struct corpus corpus;
    enum status s = corpus_open(o->file, &corpus, m);
    if (s != STATUS_OK)
        return s;
    o->size = corpus.size;
    struct text_buffer more = {0};
    s = corpus_is_text(&corpus, m);
    if (s == STATUS_OK)
        s = modes[o->mode]->survey(&corpus, o, &more, m);
    corpus_close(&corpus);
    char separator = '{';
    for (const struct option_entry *e = options_table; s == STATUS_OK && e->name; e++) {
        char value[OPTION_TEXT_MAX];
        if (!e->derived)
            continue;
        option_format(e, o, value, sizeof value);
        text_add(facts, "%c\"%s\":%s", separator, e->name, value);
        separator = ',';
    }
    if (s == STATUS_OK)
        text_add(facts, "%s}", more.text ? more.text : "");
    if (s == STATUS_OK && (facts->out_of_memory || more.out_of_memory))
        s = status_fail(m, STATUS_NO_MEMORY, "%s: no memory for what it holds", o->file);
    free(more.text);
    return s;
}

static enum status source_open(struct arena *a, const void *options, const char *path, bool good,
                               struct task_source **out, struct message *m)
{
    const struct text_options *o = options;
    struct task_source *source = arena_alloc(a, 1, sizeof *source);
    *out = NULL;
    source->options = o;
    modes[o->mode]->reserve(a, source);
    enum status s = corpus_open(path ? path : o->file, &source->corpus, m);
    if (s != STATUS_OK)
        return s;
    if (!good)
        s = corpus_check(&source->corpus, o->sha256, o->size, true, m);
    if (s == STATUS_OK && modes[o->mode]->open)
        s = modes[o->mode]->open(source, m);
    if (s == STATUS_OK)
        *out = source;
    else
        corpus_close(&source->corpus);
    return s;
}

static void source_close(struct task_source *s)
{
    if (s)
        corpus_close(&s->corpus);
}

static enum status source_check(struct task_source *s, bool all, struct message *m)
{
    return corpus_check(&s->corpus, s->options->sha256, s->options->size, all, m);
}

static enum status source_draw(struct task_source *s, struct rng *r, int32_t *inputs,
                               int32_t *targets, uint8_t *padding, struct message *m)
{
    return modes[s->options->mode]->draw(s, r, inputs, targets, padding, m);
}

/* Example i of n stands at i*N/n of N: the product would not fit, its parts do. */
static enum status source_read(struct task_source *s, enum task_part part, int64_t i, int64_t n,
                               int32_t *inputs, int32_t *targets, uint8_t *padding,
                               struct message *m)
{
    const struct text_mode *mode = modes[s->options->mode];
    int64_t all = mode->examples(s->options, part);
    int64_t index = all / n * i + all % n * i / n;
    return mode->read(s, part, index, inputs, targets, padding, m);
}

static const char *label(const struct task_source *s, long k)
{
    const struct text_mode *mode = modes[s->options->mode];
    return mode->label ? mode->label(s, k) : NULL;
}

static enum status source_anchors(struct task_source *s, struct task_anchors *a, struct message *m)
{
    const struct text_mode *mode = modes[s->options->mode];
    a->count = 0;
    return mode->anchors ? mode->anchors(s, a, m) : STATUS_OK;
}

static const struct task_file file_functions = {
    .survey = survey,
    .open = source_open,
    .close = source_close,
    .check = source_check,
    .draw = source_draw,
    .read = source_read,
    .label = label,
    .anchors = source_anchors,
};

const struct task task_text = {
    .name = "text",
    .version = 1,
    .summary = "Your own text: predict the next byte of a file, or the label of each of its rows.",
    .details =
        "With `mode: lm` a sequence is `length` bytes of the file, and the target of a position is "
        "the byte that comes next (model.mask: causal). The first eight tenths of the file are "
        "trained on, the next tenth is for validation, the last tenth for the test; with `split: "
        "interleaved` each of 32 equal stretches of the file gives eight tenths, one and one, so "
        "that all parts are alike. Parts are cut before any window is drawn, so no window crosses "
        "from one to the other. Training windows "
        "begin anywhere; validation and test windows follow each other without gap or overlap. The "
        "loss is also told in bits per byte. With `mode: classify` the file is CSV, TSV or JSON "
        "Lines with a text and a label in each row. A sequence is the first `length` bytes of a "
        "text, "
        "padded where it is shorter; its target is the label (model.pool: mean or first). A tenth "
        "of each label's rows is for validation, another for the test, drawn by `instance` among "
        "the rows whose text no other row has; the others are only trained on. Chance is the "
        "share of the commonest byte, or label.",
    .options = options_table,
    .options_size = sizeof(struct text_options),
    .shape = shape,
    .resolve = resolve,
    .file = &file_functions,
};
