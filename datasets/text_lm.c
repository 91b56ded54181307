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

/* ---- parts ---- */

/* Of how many equal stretches of the file each is divided into parts. */
static int64_t stretches(const struct text_options *o)
{
    return o->split == TEXT_INTERLEAVED ? TEXT_STRETCHES : 1;
}

/* Bytes of the file, side by side. */
struct region {
    int64_t first, bytes;
};

/* What a part has of stretch k: the first eight tenths, the ninth or the tenth. */
static struct region region_of(const struct text_options *o, enum task_part part, int64_t k)
{
    static const int tenths[TASK_PARTS + 1] = {0, 8, 9, 10};
    const int64_t K = stretches(o), begin = o->size * k / K;
    const int64_t bytes = o->size * (k + 1) / K - begin, first = bytes * tenths[part] / 10;
    return (struct region){begin + first, bytes * tenths[part + 1] / 10 - first};
}

/* How many of something a region has. */
typedef int64_t region_count(const struct text_options *o, struct region r);

/* A window holds `length` inputs and, one byte further on, their targets. The next one begins at
 * the last target, so that each byte of a region but its first is a target once. */
static int64_t windows(const struct text_options *o, struct region r)
{
    return (r.bytes - 1) / o->length;
}

/* The bytes at which a window may begin, wherever the others do. */
static int64_t beginnings(const struct text_options *o, struct region r)
{
    return r.bytes - o->length;
}

static int64_t count_of(const struct text_options *o, enum task_part part, region_count *count)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < stretches(o); k++)
        sum += count(o, region_of(o, part, k));
    return sum;
}

/* The region that holds number *index of what is counted, 0 <= *index < count_of, which becomes its
 * number in there. */
static struct region region_at(const struct text_options *o, enum task_part part,
                               region_count *count, int64_t *index)
{
    int64_t k = 0;
    struct region r = region_of(o, part, k);
    while (*index >= count(o, r)) {
        *index -= count(o, r);
        r = region_of(o, part, ++k);
    }
    return r;
}

static int64_t examples(const struct text_options *o, enum task_part part)
{
    return count_of(o, part, windows);
}

/* Each part has a window of each stretch. */
static bool holds_windows(const struct text_options *o)
{
    for (int p = 0; p < TASK_PARTS; p++)
        for (int64_t k = 0; k < stretches(o); k++)
            if (region_of(o, (enum task_part)p, k).bytes <= o->length)
                return false;
    return true;
}

/* Of n bytes the smallest part has (n + 4) / 10, rounded down; a window takes length + 1 of them.
 */
static enum status refuse_short(const struct text_options *o, struct task_shape *s,
                                struct message *m)
{
    static const char *const at_fault[] = {"task.length", "task.split", "task.file", NULL};
    s->at_fault = at_fault;
    const int64_t K = stretches(o), longest = (o->size / K + 4) / 10 - 1;
    const bool cut = o->split == TEXT_INTERLEAVED;
    char shorter[64] = "";
    if (longest >= 1)
        snprintf(shorter, sizeof shorter, ", or make task.length %" PRId64 " or less", longest);
    return status_fail(
        m, STATUS_BAD_INPUT,
        "task.length is %" PRId64 ", too long for the test part, a tenth of %sthe %" PRId64
        " bytes of task.file; give a file of %" PRId64 " bytes or more%s%s",
        o->length, cut ? "each of 32 stretches of " : "", o->size, K * (10 * (o->length + 1) - 4),
        shorter, cut ? ", or use task.split contiguous" : "");
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
                           "task.instance is %" PRId64 ", but with task.mode lm the parts of a "
                           "text are fixed, so there is only instance 0; leave it out",
                           o->instance);
    }
    if (o->classes != TEXT_VOCAB)
        return status_fail(m, STATUS_BAD_INPUT,
                           "task.classes is %" PRId64 ", but bytes have %d classes", o->classes,
                           TEXT_VOCAB);
    if (!holds_windows(o))
        return refuse_short(o, s, m);
    s->causal = true;
    s->bytes = true;
    return STATUS_OK;
}

static void reserve(struct arena *a, struct task_source *s)
{
    s->piece = arena_alloc(a, (size_t)s->options->length + 1, 1);
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
    const struct text_options *o = s->options;
    uint64_t all = (uint64_t)count_of(o, TASK_TRAIN, beginnings);
    int64_t begin = (int64_t)rng_below_64(r, all);
    struct region from = region_at(o, TASK_TRAIN, beginnings, &begin);
    return window(s, from.first + begin, inputs, targets, m);
}

static enum status read(struct task_source *s, enum task_part part, int64_t index, int32_t *inputs,
                        int32_t *targets, uint8_t *padding, struct message *m)
{
    (void)padding;
    struct region from = region_at(s->options, part, windows, &index);
    return window(s, from.first + index * s->options->length, inputs, targets, m);
}

/* ---- anchors ---- */

struct anchoring {
    const struct corpus *corpus;
    struct byte_model *model;
    double bits[BYTE_MODEL_ORDERS]; /* of all bytes tested so far */
};

/* Learns a region of the text, byte by byte; where it is tested, each is predicted before. */
static enum status anchor_region(struct anchoring *a, struct region r, bool tested,
                                 struct message *m)
{
    unsigned char piece[ANCHOR_PIECE];
    byte_model_restart(a->model);
    for (int64_t at = 0; at < r.bytes; at += ANCHOR_PIECE) {
        size_t n = r.bytes - at < ANCHOR_PIECE ? (size_t)(r.bytes - at) : ANCHOR_PIECE;
        enum status s = corpus_read(a->corpus, r.first + at, piece, n, m);
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

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

/* The end of what is trained on, then the beginning of what is tested on, of every stretch as much.
 */
static enum status learn_and_test(struct anchoring *a, const struct text_options *o,
                                  struct task_anchors *out, struct message *m)
{
    enum status status = STATUS_OK;
    const int64_t K = out->stretches;
    for (int64_t k = 0; k < K && status == STATUS_OK; k++) {
        struct region r = region_of(o, TASK_TRAIN, k);
        int64_t bytes = at_most(r.bytes, ANCHOR_LEARNED / K);
        out->train += r.bytes;
        out->learned += bytes;
        r = (struct region){r.first + r.bytes - bytes, bytes};
        status = anchor_region(a, r, false, m);
    }
    for (int64_t k = 0; k < K && status == STATUS_OK; k++) {
        struct region r = region_of(o, TASK_TEST, k);
        out->test += r.bytes;
        r.bytes = at_most(r.bytes, ANCHOR_TESTED / K);
        out->tested += r.bytes;
        status = anchor_region(a, r, true, m);
    }
    return status;
}

static enum status anchors(struct task_source *s, struct task_anchors *out, struct message *m)
{
    struct anchoring a = {.corpus = &s->corpus, .model = byte_model_new()};
    if (!a.model)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for a byte model", s->corpus.path);
    *out = (struct task_anchors){.count = BYTE_MODEL_ORDERS, .stretches = stretches(s->options)};
    enum status status = learn_and_test(&a, s->options, out, m);
    byte_model_free(a.model);
    for (int k = 0; status == STATUS_OK && k < BYTE_MODEL_ORDERS; k++)
        out->bits_per_byte[k] = a.bits[k] / (double)out->tested;
    return status;
}

const struct text_mode text_lm = {
    .survey = survey,
    .shape = shape,
    .examples = examples,
    .reserve = reserve,
    .draw = draw,
    .read = read,
    .anchors = anchors,
};
