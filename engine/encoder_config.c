/* An encoder's options, the shapes that follow from them, and the number of its parameters. */
#include "engine/encoder_config.h"

#include <limits.h>
#include <stddef.h>

#include "engine/base/real.h"
#include "engine/base/text.h"
#include "engine/form.h"

/* The words of a choice, each at the place of its enumerator, in their order. */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define AT(member) offsetof(struct encoder_config, member)

static const char *const init_names[] = {
#define INIT(name, what) #name,
#include "engine/inits.def"
#undef INIT
    NULL,
};

/* Places in a table: FORM_AT_cut, INIT_AT_pytorch and so on. */
enum {
#define FORM(name, what) FORM_AT_##name,
#include "engine/forms.def"
#undef FORM
};
enum {
#define INIT(name, what) INIT_AT_##name,
#include "engine/inits.def"
#undef INIT
};

const struct option_entry encoder_options[] = {
    {.name = "d_model",
     .type = OPTION_INT,
     .offset = AT(d_model),
     .min = 1,
     .max = 65536,
     .default_value = "64",
     .help = "width of the residual stream, C"},
    {.name = "heads",
     .type = OPTION_INT,
     .offset = AT(heads),
     .min = 1,
     .max = 65536,
     .default_value = "4",
     .help = "attention heads per layer, H"},
    {.name = "d_head",
     .type = OPTION_INT,
     .offset = AT(d_head),
     .min = 1,
     .max = 65536,
     .words = WORDS("split"),
     .default_value = "split",
     .help = "width of a head; split: d_model / heads, so that parameters do not grow with heads; "
             "under form segments: segment_width"},
    {.name = "d_k",
     .type = OPTION_INT,
     .offset = AT(d_k),
     .min = 1,
     .max = 65536,
     .words = WORDS("d_head"),
     .default_value = "d_head",
     .help = "width of a head's queries and keys, where it differs from d_head"},
    {.name = "d_v",
     .type = OPTION_INT,
     .offset = AT(d_v),
     .min = 1,
     .max = 65536,
     .words = WORDS("d_head"),
     .default_value = "d_head",
     .help = "width of a head's values, where it differs from d_head"},
    {.name = "kv_heads",
     .type = OPTION_INT,
     .offset = AT(kv_heads),
     .min = 1,
     .max = 65536,
     .words = WORDS("heads"),
     .default_value = "heads",
     .omit_at_default = true,
     .help = "heads of keys and values, each used by heads / kv_heads heads of queries in a row "
             "(Ainslie et al. 2023)"},
    {.name = "form",
     .type = OPTION_CHOICE,
     .offset = AT(form),
     .words = form_names,
     .default_value = "project",
     .omit_at_default = true,
     .help = "what queries, keys and values of a head are computed from"
#define FORM(name, what) "; " #name ": " what
#include "engine/forms.def"
#undef FORM
    },
    {.name = "segment_width",
     .type = OPTION_INT,
     .offset = AT(segment_width),
     .min = 0,
     .max = 65536,
     .default_value = "0",
     .omit_at_default = true,
     .help = "under form segments: columns of the residual stream that a head sees; 0: d_model / "
             "heads"},
    {.name = "segment_overlap",
     .type = OPTION_BOOL,
     .offset = AT(segment_overlap),
     .default_value = "false",
     .omit_at_default = true,
     .help = "under form segments: whether a column may be seen by several heads"},
    {.name = "mask",
     .type = OPTION_CHOICE,
     .offset = AT(mask),
     .words = WORDS([MASK_NONE] = "none", [MASK_CAUSAL] = "causal"),
     .default_value = "none",
     .omit_at_default = true,
     .help = "causal: a position sees itself and those before it"},
    {.name = "layers",
     .type = OPTION_INT,
     .offset = AT(layers),
     .min = 1,
     .max = 1024,
     .default_value = "1",
     .help = "encoder layers, L"},
    {.name = "d_ff",
     .type = OPTION_INT,
     .offset = AT(d_ff),
     .min = 1,
     .max = 1e6,
     .default_value = "256",
     .help = "width of the feed-forward block, F"},
    {.name = "activation",
     .type = OPTION_CHOICE,
     .offset = AT(activation),
     .words = WORDS([ACTIVATION_GELU] = "gelu", [ACTIVATION_RELU] = "relu"),
     .default_value = "gelu",
     .help = "of the feed-forward block; gelu is the exact one, by erf"},
    {.name = "norm",
     .type = OPTION_CHOICE,
     .offset = AT(norm),
     .words = WORDS([NORM_PRE] = "pre", [NORM_POST] = "post"),
     .default_value = "pre",
     .help = "layer norm before each block (and a final one), or after each residual sum"},
    {.name = "positions",
     .type = OPTION_CHOICE,
     .offset = AT(positions),
     .words = WORDS([POSITIONS_LEARNED] = "learned", [POSITIONS_SINUSOIDAL] = "sinusoidal",
                    [POSITIONS_NONE] = "none", [POSITIONS_ROTARY] = "rotary"),
     .default_value = "learned",
     .help = "what is added to the token embeddings; sinusoidal as in Vaswani et al. 2017, 3.5; "
             "rotary: nothing, but queries and keys are turned (Su et al. 2021), which takes an "
             "even d_k"},
    {.name = "pool",
     .type = OPTION_CHOICE,
     .offset = AT(pool),
     .words = WORDS([POOL_NONE] = "none", [POOL_MEAN] = "mean", [POOL_FIRST] = "first"),
     .default_value = "none",
     .help = "one output per sequence from the mean of its positions or from its first"},
    {.name = "init",
     .type = OPTION_CHOICE,
     .offset = AT(init),
     .words = init_names,
     .default_value = "pytorch",
     .help = "initial weights; embeddings and learned positions are always N(0, 0.5^2)"
#define INIT(name, what) "; " #name ": " what
#include "engine/inits.def"
#undef INIT
    },
    {.name = "dropout",
     .type = OPTION_REAL,
     .offset = AT(dropout),
     .min = 0,
     .max = 0.999,
     .default_value = "0",
     .help = "probability of dropping, on embeddings, attention weights and in both blocks"},
    {.name = NULL},
};

static struct encoder_parts count(const struct encoder_config *c, const struct encoder_shapes *s,
                                  const struct encoder_io *io)
{
    int64_t C = c->d_model, F = c->d_ff, vocabulary = 0;
    for (int f = 0; f < io->fields; f++)
        vocabulary += io->vocab[f];
    return (struct encoder_parts){
        .embeddings = vocabulary * C,
        .positions = c->positions == POSITIONS_LEARNED ? io->length * C : 0,
        .attention = c->layers * (s->qkv_width * (s->inputs + 1) + C * (s->o_width + 1)),
        .feed_forward = c->layers * (F * (C + 1) + C * (F + 1)),
        .norms = 2 * C * (2 * c->layers + (c->norm == NORM_PRE)),
        .output = io->slots * io->classes * (C + 1),
    };
}

int64_t encoder_parts_sum(const struct encoder_parts *n)
{
    return n->embeddings + n->positions + n->attention + n->feed_forward + n->norms + n->output;
}

static enum status check_kv_heads(const struct encoder_config *c, struct encoder_fault *fault,
                                  struct message *m)
{
    static const char *const dividing[] = {"model.kv_heads", "model.heads", NULL};
    static const char *const form[] = {"model.kv_heads", "model.form", NULL};
    long heads = (long)c->heads, kv_heads = (long)c->kv_heads;
    if (kv_heads == WIDTH_WORD || kv_heads == heads)
        return STATUS_OK;
    if (heads % kv_heads != 0) {
        *fault = (struct encoder_fault){
            dividing, "model.kv_heads == 'heads' or model.heads % model.kv_heads == 0"};
        long below = kv_heads < heads ? kv_heads : heads;
        while (heads % below != 0)
            below--;
        return status_fail(m, STATUS_BAD_INPUT,
                           "model.kv_heads is %ld, which does not divide model.heads %ld; choose "
                           "%ld, or another divisor",
                           kv_heads, heads, below);
    }
    if (form_table[c->form] == &form_project)
        return STATUS_OK;
    *fault = (struct encoder_fault){form, "model.kv_heads == 'heads' or model.form == 'project'"};
    return status_fail(m, STATUS_BAD_INPUT,
                       "model.kv_heads is %ld under model.form %s, whose heads see different "
                       "columns and cannot share keys and values; set model.kv_heads to heads, or "
                       "model.form to project",
                       kv_heads, form_names[c->form]);
}

/* What makes d_k under rotary positions odd, by what gives it its width. The rules hold where
 * another option gives it, or the word that asks for it. */
static const struct encoder_fault odd_d_k = {WORDS("model.d_k", "model.positions"),
                                             "model.positions != 'rotary' or model.d_k == 'd_head' "
                                             "or model.d_k % 2 == 0"};
static const struct encoder_fault odd_d_head = {
    WORDS("model.d_head", "model.d_k", "model.positions"),
    "model.positions != 'rotary' or model.d_k != 'd_head' or model.d_head == 'split' or "
    "model.d_head % 2 == 0"};
static const struct encoder_fault odd_split = {
    WORDS("model.heads", "model.d_model", "model.d_head", "model.d_k", "model.positions"),
    "model.positions != 'rotary' or model.d_k != 'd_head' or model.d_head != 'split' or "
    "model.form == 'segments' or model.d_model % (2 * model.heads) == 0"};
static const struct encoder_fault odd_segments = {
    WORDS("model.segment_width", "model.heads", "model.d_k", "model.positions"),
    "model.positions != 'rotary' or model.d_k != 'd_head' or model.d_head != 'split' or "
    "model.form != 'segments' or model.segment_width % 2 == 0 and (model.segment_width > 0 or "
    "model.d_model % (2 * model.heads) == 0)"};

static enum status check_rotary(const struct encoder_config *c, struct encoder_shapes *s,
                                struct message *m)
{
    if (c->positions != POSITIONS_ROTARY || s->d_k % 2 == 0)
        return STATUS_OK;
    s->fault = c->d_k != WIDTH_WORD             ? odd_d_k
               : c->d_head != WIDTH_WORD        ? odd_d_head
               : form_table[c->form]->segmented ? odd_segments
                                                : odd_split;
    return status_fail(m, STATUS_BAD_INPUT,
                       "model.positions is rotary, which turns pairs of numbers, but d_k is %ld "
                       "(from %s); make it even (model.d_k: %ld), or use other positions",
                       s->d_k, s->fault.option[0], s->d_k + 1);
}

static enum status check_sizes(const struct encoder_config *c, struct encoder_shapes *s,
                               struct message *m)
{
    static const char *const widths[] = {"model.heads", "model.d_k", "model.d_v", "model.d_head",
                                         NULL};
    static const char *const sizes[] = {"model.d_model", "model.d_ff", "model.layers",
                                        "model.heads", NULL};
    if (s->qkv_width > INT_MAX) {
        s->fault.option = widths;
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.heads %ld of widths d_k %ld and d_v %ld make a matrix of %ld rows; "
            "allowed: %d",
            s->heads, s->d_k, s->d_v, s->qkv_width, INT_MAX);
    }
    struct encoder_parts layers = count(c, s, &(struct encoder_io){0});
    double bytes = (double)encoder_parts_sum(&layers) * sizeof(real);
    if (bytes > 0x1p46) {
        s->fault.option = sizes;
        return status_fail(
            m, STATUS_BAD_INPUT,
            "a model of this shape (model.d_model %ld, d_ff %ld, layers %ld, %s) has "
            "%.3g bytes of weights, more than can be addressed",
            (long)c->d_model, (long)c->d_ff, (long)c->layers, text_counted(s->heads, "head").text,
            bytes);
    }
    return STATUS_OK;
}

enum status encoder_shapes(const struct encoder_config *c, struct encoder_shapes *s,
                           struct message *m)
{
    *s = (struct encoder_shapes){.heads = (long)c->heads};
    enum status status = form_table[c->form]->check(c, &s->width, &s->fault, m);
    if (status == STATUS_OK)
        status = check_kv_heads(c, &s->fault, m);
    if (status != STATUS_OK)
        return status;
    long d_head = c->d_head != WIDTH_WORD ? (long)c->d_head
                  : s->width > 0          ? s->width
                                          : (long)(c->d_model / c->heads);
    s->kv_heads = c->kv_heads == WIDTH_WORD ? s->heads : (long)c->kv_heads;
    s->d_k = c->d_k == WIDTH_WORD ? d_head : (long)c->d_k;
    s->d_v = c->d_v == WIDTH_WORD ? d_head : (long)c->d_v;
    s->inputs = s->width > 0 ? s->width : (long)c->d_model;
    s->qkv_width = s->heads * s->d_k + s->kv_heads * (s->d_k + s->d_v);
    s->o_width = s->heads * s->d_v;
    status = check_rotary(c, s, m);
    return status == STATUS_OK ? check_sizes(c, s, m) : status;
}

void encoder_resolve(struct encoder_config *c)
{
    struct encoder_shapes s;
    bool segmented = form_table[c->form]->segmented;
    if (encoder_shapes(c, &s, NULL) != STATUS_OK)
        return;
    if (c->heads == 1 && segmented && s.width == c->d_model) {
        c->form = FORM_AT_cut; /* which leaves all to the one head */
        segmented = false;
    }
    c->d_head = WIDTH_WORD; /* only ever read by way of these: */
    c->d_k = s.d_k;
    c->d_v = s.d_v;
    c->kv_heads = s.kv_heads;
    c->segment_width = segmented ? s.width : 0;
    if (!segmented || c->heads == 1)
        c->segment_overlap = false;
    if (c->heads == 1 && c->init == INIT_AT_identical)
        c->init = INIT_AT_pytorch; /* there is no other head */
}

struct encoder_parts encoder_parts(const struct encoder_config *c, const struct encoder_io *io)
{
    struct encoder_shapes s = {0};
    encoder_shapes(c, &s, NULL);
    return count(c, &s, io);
}

int64_t encoder_parameters(const struct encoder_config *c, const struct encoder_io *io)
{
    struct encoder_parts n = encoder_parts(c, io);
    return encoder_parts_sum(&n);
}
