/* The encoder against PyTorch's nn.TransformerEncoder: logits, gradients and the losses of 20
 * optimizer steps in tests/data/parity (see make_fixtures.py), with every table of kernels. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/safetensors.h"
#include "engine/encoder.h"
#include "engine/optim.h"

#include "tests/test.h"

enum { B = 4, T = 8, C = 16, L = 2, F = 32, V = 11, S = 2, STEPS = 20 };

/* A fixture and the model that it describes. */
struct fixture {
    char name[96];
    void *bytes;
    struct safetensors file;
    struct arena arena;
    struct encoder *encoder;
    struct graph *graph;
    struct tensor *logits;
    struct optim optim;
    struct pass pass;
    int32_t tokens[B * T], targets[B * T * S];
    uint8_t correct[B * T * S];
    long unmasked;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static const struct safetensor *find(const struct fixture *f, const char *name, size_t size)
{
    const struct safetensor *t = safetensors_find(&f->file, name);
    if (!t || t->size != size)
        fail_msg("%s: tensor %s is absent or not of %zu bytes", f->name, name, size);
    return t;
}

static bool says(const struct fixture *f, const char *key, const char *value)
{
    const char *there = safetensors_meta(&f->file, key);
    if (!there)
        fail_msg("%s: no metadata %s", f->name, key);
    return strcmp(there, value) == 0;
}

static double number(const struct fixture *f, const char *key)
{
    says(f, key, "");
    return strtod(safetensors_meta(&f->file, key), NULL);
}

/* A head option that the fixture says, or the word for the usual. */
static int64_t width(const struct fixture *f, const char *key)
{
    return safetensors_meta(&f->file, key) ? (int64_t)number(f, key) : WIDTH_WORD;
}

static void read_file(struct fixture *f)
{
    char path[160];
    snprintf(path, sizeof path, "tests/data/parity/%s.safetensors", f->name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    rewind(in);
    f->bytes = malloc(size);
    assert_non_null(f->bytes);
    assert_int_equal(fread(f->bytes, 1, size, in), size);
    fclose(in);
    struct message m;
    if (safetensors_parse(f->bytes, size, &f->file, &m) != STATUS_OK)
        fail_msg("%s: %s", path, m.text);
}

static void copy_integers(const struct fixture *f, const char *name, int32_t *to, long n)
{
    const char *from = find(f, name, (size_t)n * 8)->data;
    for (long i = 0; i < n; i++) {
        int64_t x;
        memcpy(&x, from + 8 * i, 8);
        to[i] = (int32_t)x;
    }
}

static void build_model(struct fixture *f)
{
    struct encoder_config c = {
        .d_model = C,
        .heads = (int64_t)number(f, "heads"),
        .layers = L,
        .d_ff = F,
        .d_head = safetensors_meta(&f->file, "d_k") ? 1 : WIDTH_WORD, /* split or unused */
        .d_k = width(f, "d_k"),
        .d_v = width(f, "d_v"),
        .kv_heads = width(f, "kv_heads"),
        .mask = safetensors_meta(&f->file, "mask") && says(f, "mask", "causal") ? MASK_CAUSAL
                                                                                : MASK_NONE,
        .activation = says(f, "activation", "relu") ? ACTIVATION_RELU : ACTIVATION_GELU,
        .norm = says(f, "norm", "post") ? NORM_POST : NORM_PRE,
        .positions = says(f, "positions", "learned")  ? POSITIONS_LEARNED
                     : says(f, "positions", "rotary") ? POSITIONS_ROTARY
                                                      : POSITIONS_SINUSOIDAL,
    };
    struct encoder_io io = {
        .length = T, .fields = 1, .field = {"token"}, .vocab = {V}, .slots = S, .classes = V};
    struct message m;
    arena_init(&f->arena, NULL);
    if (encoder_new(&f->arena, &c, &io, true, &f->encoder, &m) != STATUS_OK ||
        encoder_graph(&f->arena, f->encoder, B, false, NULL, NULL, &f->graph, &f->logits, &m) !=
            STATUS_OK)
        fail_msg("%s: %s", f->name, m.text);
    f->optim = (struct optim){
        .name = says(f, "optimizer", "adam") ? OPTIM_ADAM : OPTIM_ADAMW,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .weight_decay = number(f, "weight_decay"),
        .clip = number(f, "clip"),
    };
    optim_init(&f->arena, &f->optim, &f->encoder->nn);
}

static void open_fixture(struct fixture *f, const char *name, const struct kernels *kernels)
{
    memset(f, 0, sizeof *f);
    snprintf(f->name, sizeof f->name, "%s", name);
    read_file(f);
    build_model(f);
    for (int i = 0; i < f->encoder->nn.count; i++) {
        struct tensor *t = f->encoder->nn.list[i].tensor;
        size_t size = (size_t)tensor_size(t) * sizeof(float);
        memcpy(t->data, find(f, t->name, size)->data, size);
    }
    copy_integers(f, "inputs", f->tokens, B * T);
    copy_integers(f, "targets", f->targets, B * T * S);
    for (int i = 0; i < B * T * S; i++)
        f->unmasked += f->targets[i] >= 0;
    const uint8_t *padding = find(f, "padding", B * T)->data;
    f->pass = (struct pass){
        .kernels = kernels,
        .training = true,
        .batch = B,
        .tokens = f->tokens,
        .targets = f->targets,
        .padding = memchr(padding, 1, B * T) ? padding : NULL,
        .loss_scale = 1 / (float)f->unmasked,
        .correct = f->correct,
    };
}

static void close_fixture(struct fixture *f)
{
    arena_free(&f->arena);
    safetensors_free(&f->file);
    free(f->bytes);
}

static void compare(const struct fixture *f, const char *what, const float *ours,
                    const void *theirs, long n, double atol, double rtol)
{
    for (long i = 0; i < n; i++) {
        float expected;
        memcpy(&expected, (const char *)theirs + 4 * i, 4);
        double a = (double)ours[i], b = (double)expected;
        if (!(fabs(a - b) <= atol + rtol * fmax(fabs(a), fabs(b))))
            fail_msg("%s, %s kernels: %s[%ld] is %.9g, PyTorch has %.9g", f->name,
                     f->pass.kernels->name, what, i, a, b);
    }
}

static void check_gradients(struct fixture *f)
{
    nn_zero_grad(&f->encoder->nn);
    graph_forward(f->graph, &f->pass);
    size_t size = (size_t)B * T * S * V * sizeof(float);
    compare(f, "logits", f->logits->data, find(f, "logits", size)->data, B * T * S * V, 1e-5, 1e-5);
    graph_backward(f->graph, &f->pass);
    for (int i = 0; i < f->encoder->nn.count; i++) {
        const struct tensor *t = f->encoder->nn.list[i].tensor;
        char name[128];
        snprintf(name, sizeof name, "grad.%s", t->name);
        size = (size_t)tensor_size(t) * sizeof(float);
        compare(f, name, t->grad, find(f, name, size)->data, tensor_size(t), 1e-7, 1e-4);
    }
}

static void check_losses(struct fixture *f)
{
    const char *losses = find(f, "losses", STEPS * sizeof(double))->data;
    for (int step = 0; step < STEPS; step++) {
        nn_zero_grad(&f->encoder->nn);
        graph_forward(f->graph, &f->pass);
        graph_backward(f->graph, &f->pass);
        double ours = f->pass.loss_sum / (double)f->unmasked, theirs;
        memcpy(&theirs, losses + 8 * step, 8);
        if (!(fabs(ours - theirs) <= 1e-4))
            fail_msg("%s, %s kernels: loss %.9g at step %d, PyTorch has %.9g", f->name,
                     f->pass.kernels->name, ours, step, theirs);
        double norm = optim_grad_norm(&f->optim, &f->encoder->nn, f->pass.kernels);
        optim_step(&f->optim, &f->encoder->nn, f->pass.kernels, number(f, "lr"), norm);
    }
}

static void check_fixture(const char *name, const struct kernels *k)
{
    static struct fixture f;
    open_fixture(&f, name, k);
    check_gradients(&f);
    check_losses(&f);
    close_fixture(&f);
}

TEST(matches_pytorch)
{
    static const char *const norm[] = {"pre", "post"}, *const activation[] = {"gelu", "relu"},
                             *const positions[] = {"learned", "sinusoidal"};
    static const int heads[] = {1, 4, C};
    const struct kernels *k;
    for (int table = 0; (k = kernels_available(table)); table++) {
        for (int i = 0; i < 24; i++) {
            char name[96];
            snprintf(name, sizeof name, "%s-%s-%s-%d", norm[i % 2], activation[i / 2 % 2],
                     positions[i / 4 % 2], heads[i / 8]);
            check_fixture(name, k);
        }
    }
}

/* A causal mask, heads that share keys and values, widths of keys and values that differ, queries
 * and keys that turn. Two
 * sequences are padded, one from its beginning: with the mask its first queries see nothing. */
TEST(matches_pytorch_in_other_attention)
{
    static const char *const names[] = {"causal-1",           "causal-4",         "causal-16",
                                        "grouped-4-1",        "grouped-4-2",      "grouped-16-4",
                                        "grouped-6-3-causal", "rotary-1",         "rotary-4",
                                        "rotary-8",           "rotary-6-3-causal"};
    const struct kernels *k;
    for (int table = 0; (k = kernels_available(table)); table++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            check_fixture(names[i], k);
}

/* With split heads our names and shapes are exactly those of the state_dict. */
TEST(has_pytorchs_parameters)
{
    static struct fixture f;
    open_fixture(&f, "pre-gelu-learned-4", kernels_best());
    int theirs = 0;
    for (int i = 0; i < f.file.count; i++)
        theirs += strncmp(f.file.tensor[i].name, "grad.", 5) == 0;
    assert_int_equal(f.encoder->nn.count, theirs);
    for (int i = 0; i < f.encoder->nn.count; i++) {
        const struct tensor *t = f.encoder->nn.list[i].tensor;
        const struct safetensor *s = safetensors_find(&f.file, t->name);
        assert_non_null(s);
        assert_int_equal(s->rank, t->shape.rank);
        for (int k = 0; k < s->rank; k++)
            assert_int_equal(s->shape[k], t->shape.dim[k]);
    }
    close_fixture(&f);
}
