/* Mode lm of the task `text`: which byte comes next. */
#include "datasets/task_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "datasets/byte_model.h"
#include "engine/base/arena.h"

/* As much of a text as simple models are shown: seconds. */
enum { ANCHOR_PIECE = 1 << 14, ANCHOR_LEARNED = 4 << 20, ANCHOR_TESTED = 1 << 20 };
_Static_assert((int)TASK_ANCHORS == (int)BYTE_MODEL_ORDERS, "one anchor per order");

static enum status count_bytes(void *context, const unsigned char *bytes, size_t n,
                               struct message *m)
{
    (void)m;
    int64_t *count = context;
    for (size_t i = 0; i < n; i++)
        count[bytes[i]]++;
    return STATUS_OK;
}

static enum status survey(const struct corpus *c, struct text_options *o, struct text_buffer *facts,
                          struct message *m)
{
    (void)facts;
    int64_t count[TEXT_VOCAB] = {0}, most = 0;
    double entropy = 0;
    enum status s = corpus_scan(c, count_bytes, count, o->sha256, m);
    for (int i = 0; i < TEXT_VOCAB; i++) {
        most = count[i] > most ? count[i] : most;
        entropy += text_entropy_of(count[i], c->size);
    }
    o->classes = TEXT_VOCAB;
    o->rows = o->test_rows = o->repeated = 0;
    o->majority = (double)most / (double)c->size;
    o->entropy = text_entropy(entropy);
    return s;
}

/* The part's first byte; of TASK_PARTS, the file's end. */
static int64_t begin_of(const struct text_options *o, int part)
{
    static const int tenths[TASK_PARTS + 1] = {0, 8, 9, 10};
    return o->size * tenths[part] / 10;
}

/* A window holds `length` inputs and, one byte further on, their targets. The next one begins at
 * the last target, so that each byte of a part but its first is a target once. */
static int64_t examples(const struct text_options *o, enum task_part part)
{
    return (begin_of(o, (int)part + 1) - begin_of(o, part) - 1) / o->length;
}

/* The file's smallest part holds no window. */
static enum status refuse_short(const struct text_options *o, struct task_shape *s,
                                struct message *m)
{
    static const char *const at_fault[] = {"task.length", "task.file", NULL};
    s->at_fault = at_fault;
    int64_t longest = o->size / 10 - 1;
    char shorter[64] = "";
    if (longest >= 1)
        snprintf(shorter, sizeof shorter, ", or make task.length %" PRId64 " or less", longest);
    return status_fail(
        m, STATUS_BAD_INPUT,
        "task.length is %" PRId64 ", but a tenth of the %" PRId64
        " bytes of task.file, to test on, does not hold that many and one more; give "
        "a file of %" PRId64 " bytes or more%s",
        o->length, o->size, 10 * (o->length + 1), shorter);
}

/* What only rows have. */
static enum status refuse_columns(const struct text_options *o, struct task_shape *s,
                                  struct message *m)
{
    static const char *const paths[][3] = {{"task.text_column", "task.mode", NULL},
                                           {"task.label_column", "task.mode", NULL},
                                           {"task.separator", "task.mode", NULL}};
    const bool given[] = {strcmp(o->text_column, "text") != 0,
                          strcmp(o->label_column, "label") != 0, o->separator != TEXT_BY_NAME};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i]) {
            s->at_fault = paths[i];
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s is for files of rows (task.mode classify); task.mode lm reads "
                               "all bytes of a file: leave it out",
                               paths[i][0]);
        }
    return STATUS_OK;
}

static enum status shape(const struct text_options *o, struct task_shape *s, struct message *m)
{
    static const char *const fixed[] = {"task.instance", "task.mode", NULL};
    enum status columns = refuse_columns(o, s, m);
    if (columns != STATUS_OK)
        return columns;
    if (o->instance != 0) {
        s->at_fault = fixed;
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.instance is %" PRId64 ", but with task.mode lm nothing is drawn "
                           "but windows: the parts of a text are fixed; allowed: only 0",
                           o->instance);
    }
    if (o->classes != TEXT_VOCAB)
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.classes is %" PRId64 ", but bytes have %d classes", o->classes,
                           TEXT_VOCAB);
    for (int p = 0; p < TASK_PARTS; p++)
        if (examples(o, (enum task_part)p) < 1)
            return refuse_short(o, s, m);
    s->causal = true;
    s->bytes = true;
    return STATUS_OK;
}

static void reserve(struct arena *a, struct task_source *s)
{
    s->piece = arena_alloc(a, (size_t)s->options->length + 1, 1);
}

static enum status open_text(struct task_source *s, char sha256[65], struct message *m)
{
    return corpus_scan(&s->corpus, NULL, NULL, sha256, m);
}

static enum status window(struct task_source *s, int64_t offset, int32_t *inputs, int32_t *targets,
                          struct message *m)
{
    size_t T = (size_t)s->options->length;
    enum status status = corpus_read(&s->corpus, offset, s->piece, T + 1, m);
    for (size_t i = 0; status == STATUS_OK && i < T; i++) {
        inputs[i] = s->piece[i];
        targets[i] = s->piece[i + 1];
    }
    return status;
}

static enum status draw(struct task_source *s, struct rng *r, int32_t *inputs, int32_t *targets,
                        uint8_t *padding, struct message *m)
{
    (void)padding;
    int64_t first = begin_of(s->options, TASK_TRAIN), last = begin_of(s->options, TASK_VAL);
    uint64_t windows = (uint64_t)(last - first - s->options->length);
    return window(s, first + (int64_t)rng_below_64(r, windows), inputs, targets, m);
}

static enum status read(struct task_source *s, enum task_part part, int64_t index, int32_t *inputs,
                        int32_t *targets, uint8_t *padding, struct message *m)
{
    (void)padding;
    int64_t offset = begin_of(s->options, part) + index * s->options->length;
    return window(s, offset, inputs, targets, m);
}

/* ---- anchors ---- */

struct anchoring {
    const struct corpus *corpus;
    struct byte_model *model;
    double bits[BYTE_MODEL_ORDERS]; /* of all bytes tested so far */
};

/* Learns a stretch of the text, byte by byte; where it is tested, each is predicted before. */
static enum status anchor_stretch(struct anchoring *a, int64_t first, int64_t bytes, bool tested,
                                  struct message *m)
{
    unsigned char piece[ANCHOR_PIECE];
    byte_model_restart(a->model);
    for (int64_t at = 0; at < bytes; at += ANCHOR_PIECE) {
        size_t n = bytes - at < ANCHOR_PIECE ? (size_t)(bytes - at) : ANCHOR_PIECE;
        enum status s = corpus_read(a->corpus, first + at, piece, n, m);
        if (s != STATUS_OK)
            return s;
        for (size_t i = 0; i < n; i++) {
            double bits[BYTE_MODEL_ORDERS];
            if (tested)
                byte_model_bits(a->model, piece[i], bits);
            for (int k = 0; tested && k < BYTE_MODEL_ORDERS; k++)
                a->bits[k] += bits[k];
            if (!byte_model_learn(a->model, piece[i]))
                return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for a byte model",
                                   a->corpus->path);
        }
    }
    return STATUS_OK;
}

static enum status anchors(struct task_source *s, struct task_anchors *out, struct message *m)
{
    int64_t train = begin_of(s->options, TASK_VAL), test = begin_of(s->options, TASK_TEST);
    struct anchoring a = {.corpus = &s->corpus, .model = byte_model_new()};
    if (!a.model)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for a byte model", s->corpus.path);
    out->train = train;
    out->test = s->options->size - test;
    out->learned = train < ANCHOR_LEARNED ? train : ANCHOR_LEARNED;
    out->tested = out->test < ANCHOR_TESTED ? out->test : ANCHOR_TESTED;
    enum status status = anchor_stretch(&a, train - out->learned, out->learned, false, m);
    if (status == STATUS_OK)
        status = anchor_stretch(&a, test, out->tested, true, m);
    byte_model_free(a.model);
    out->count = BYTE_MODEL_ORDERS;
    for (int k = 0; k < BYTE_MODEL_ORDERS; k++)
        out->bits_per_byte[k] = a.bits[k] / (double)out->tested;
    return status;
}

const struct text_mode text_lm = {
    .survey = survey,
    .shape = shape,
    .examples = examples,
    .reserve = reserve,
    .open = open_text,
    .draw = draw,
    .read = read,
    .anchors = anchors,
};
