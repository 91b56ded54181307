#include "tests/gradient/gradcheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/graph.h"

double draw_normal(struct draws *d)
{
    struct rng r = rng_at(d->seed, RNG_DATA, d->count++, 0);
    return rng_normal(&r);
}

int32_t draw_below(struct draws *d, long n)
{
    struct rng r = rng_at(d->seed, RNG_DATA, d->count++, 1);
    return (int32_t)rng_below(&r, (uint32_t)n);
}

bool gradcheck_agree(double analytic, double numeric)
{
    double largest = fmax(fabs(analytic), fabs(numeric));
    return fabs(analytic - numeric) <= 1e-8 + 1e-6 * largest;
}

bool gradcheck_tensor(struct tensor *t, const char *name, double (*loss)(void *context),
                      void *context, char text[GRADCHECK_TEXT])
{
    const double eps = 1e-6;
    for (long i = 0; i < tensor_size(t); i++) {
        real kept = t->data[i];
        t->data[i] = (real)(kept + eps);
        double above = loss(context);
        t->data[i] = (real)(kept - eps);
        double below = loss(context);
        t->data[i] = kept;
        double numeric = (above - below) / (2 * eps);
        if (!gradcheck_agree(t->grad[i], numeric)) {
            snprintf(text, GRADCHECK_TEXT, "%s[%ld]: analytic %.12g, numeric %.12g", name, i,
                     t->grad[i], numeric);
            return false;
        }
    }
    return true;
}

/* One operation alone on a tape, and the weights of its outputs in the scalar that is
 * differentiated. A loss brings its own scalar. */
struct single {
    struct arena arena;
    struct graph *graph;
    struct pass pass;
    struct tensor *in[GRADCHECK_MAX_INPUTS], *out;
    int inputs;
    real *weight;
};

static double single_loss(void *context)
{
    struct single *s = context;
    graph_forward(s->graph, &s->pass);
    if (graph_node(s->graph, 0)->op->is_loss)
        return s->pass.loss_sum * s->pass.loss_scale;
    double sum = s->pass.penalty;
    for (long i = 0; i < pass_rows(s->out, &s->pass) * tensor_width(s->out); i++)
        sum += s->weight[i] * s->out->data[i];
    return sum;
}

static void draw_inputs(struct single *s, const struct gradcheck_case *c, struct draws *d)
{
    for (int i = 0; i < GRADCHECK_MAX_INPUTS; i++) {
        if (c->in[i].rank == 0)
            continue;
        s->inputs = i + 1;
        s->in[i] = tensor_new(&s->arena, NULL, c->in[i], !(c->constant & 1u << i));
        for (long k = 0; k < tensor_size(s->in[i]); k++) {
            double x = draw_normal(d);
            if (c->kink)
                x = i == 0 ? copysign(0.2 + fabs(x), x) : 0.01 * tanh(x);
            s->in[i]->data[k] = (real)x;
        }
    }
}

/* Tokens, targets and padding for GRADCHECK_BATCH sequences. */
static void draw_pass(struct single *s, const struct gradcheck_case *c, struct draws *d)
{
    struct arena *a = &s->arena;
    long T = c->length ? c->length : c->in[0].rank > 2 ? c->in[0].dim[1] : 1;
    long positions = GRADCHECK_BATCH * T, S = c->slots;
    int32_t *tokens = arena_alloc(a, (size_t)(positions * c->fields), sizeof *tokens);
    for (long i = 0; i < positions * c->fields; i++)
        tokens[i] = draw_below(d, c->in[i % c->fields].dim[0]);
    int32_t *targets = arena_alloc(a, (size_t)(positions * S), sizeof *targets);
    for (long i = 0; i < positions * S; i++)
        targets[i] = c->masked && i % 3 == 1 ? -100 : draw_below(d, tensor_width(s->in[0]) / S);
    uint8_t *padding = arena_alloc(a, (size_t)positions, 1);
    for (long i = 0; i < positions; i++)
        padding[i] = i >= positions - T || draw_below(d, 3) == 0;
    s->pass = (struct pass){
        .kernels = &kernels_reference,
        .training = true,
        .seed = 7,
        .step = 5,
        .first = 3,
        .batch = GRADCHECK_BATCH,
        .sequences = GRADCHECK_BATCH + 2,
        .tokens = tokens,
        .targets = targets,
        .padding = c->padding ? padding : NULL,
        .loss_scale = (real)0.25,
        .correct = arena_alloc(a, (size_t)(positions * S), 1),
    };
}

static bool single_new(struct single *s, const struct op *op, const struct gradcheck_case *c,
                       char text[GRADCHECK_TEXT])
{
    struct draws d = {.seed = (uint32_t)rng_name(c->name)};
    struct message m;
    memset(s, 0, sizeof *s);
    arena_init(&s->arena, NULL);
    draw_inputs(s, c, &d);
    draw_pass(s, c, &d);
    s->graph = graph_new(&s->arena, GRADCHECK_BATCH, false);
    s->out = op_apply(s->graph, op, c->options, s->inputs, s->in);
    if (graph_finish(s->graph, &m) != STATUS_OK) {
        snprintf(text, GRADCHECK_TEXT, "%.200s", m.text);
        return false;
    }
    s->weight = arena_alloc(&s->arena, (size_t)tensor_size(s->out), sizeof(real));
    for (long i = 0; i < tensor_size(s->out); i++)
        s->weight[i] = (real)draw_normal(&d);
    return true;
}

static void single_backward(struct single *s)
{
    graph_forward(s->graph, &s->pass);
    if (!graph_node(s->graph, 0)->op->is_loss)
        memcpy(s->out->grad, s->weight, (size_t)tensor_size(s->out) * sizeof(real));
    graph_backward(s->graph, &s->pass);
}

/* Garbage that a first backward must overwrite and not add to. */
static void forget_grads(struct single *s)
{
    for (int i = 0; i < s->inputs; i++) {
        if (!s->in[i] || !s->in[i]->grad)
            continue;
        s->in[i]->grad_written = false;
        for (long k = 0; k < tensor_size(s->in[i]); k++)
            s->in[i]->grad[k] = 1e9;
    }
}

static bool check_values(struct single *s, char text[GRADCHECK_TEXT])
{
    forget_grads(s);
    single_backward(s);
    for (int i = 0; i < s->inputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "input %d", i);
        if (s->in[i] && s->in[i]->grad && !gradcheck_tensor(s->in[i], name, single_loss, s, text))
            return false;
    }
    return true;
}

static bool check_adding(struct single *s, char text[GRADCHECK_TEXT])
{
    forget_grads(s);
    single_backward(s);
    real *once[GRADCHECK_MAX_INPUTS] = {0};
    for (int i = 0; i < s->inputs; i++) {
        if (!s->in[i] || !s->in[i]->grad)
            continue;
        size_t size = (size_t)tensor_size(s->in[i]) * sizeof(real);
        once[i] = memcpy(arena_alloc(&s->arena, size, 1), s->in[i]->grad, size);
    }
    single_backward(s);
    for (int i = 0; i < s->inputs; i++)
        for (long k = 0; once[i] && k < tensor_size(s->in[i]); k++)
            if (!gradcheck_agree(s->in[i]->grad[k], 2 * once[i][k])) {
                snprintf(text, GRADCHECK_TEXT, "input %d[%ld]: %.12g once, %.12g after twice", i, k,
                         once[i][k], s->in[i]->grad[k]);
                return false;
            }
    return true;
}

bool gradcheck_op(const struct op *op, const struct gradcheck_case *c, char text[GRADCHECK_TEXT])
{
    struct single s;
    bool ok = single_new(&s, op, c, text) && check_values(&s, text) &&
              /* an operation that leaves its gradient in forward is its input's only user */
              (op->grad_in_forward || check_adding(&s, text));
    arena_free(&s.arena);
    return ok;
}
