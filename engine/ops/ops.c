#include <stdio.h>
#include <string.h>

#include "engine/ops/op.h"

const struct op *const op_table[] = {
#define OP(name, ...) &op_##name,
#include "engine/ops/ops.def"
#undef OP
    NULL,
};

static struct node *append(struct graph *g)
{
    if (g->count == g->allocated) {
        int more_nodes = g->allocated ? 2 * g->allocated : 32;
        struct node *more = arena_alloc(g->arena, (size_t)more_nodes, sizeof *more);
        if (g->count)
            memcpy(more, g->node, (size_t)g->count * sizeof *more);
        g->node = more;
        g->allocated = more_nodes;
    }
    return &g->node[g->count];
}

/* In a graph for training an input wants a gradient, unless the operation can do without. */
static enum status check_gradients(const struct graph *g, const struct node *n, struct message *m)
{
    for (int i = 0; i < n->inputs && !g->inference; i++) {
        const struct tensor *t = n->in[i];
        if (t && t->node == TENSOR_OUTSIDE && !t->grad && !(n->op->constant & 1u << i)) {
            char what[64];
            snprintf(what, sizeof what, "input %d must want a gradient", i);
            return op_mismatch(n, m, what);
        }
    }
    return STATUS_OK;
}

/* The output's shape, which must be that of one slice of g. */
static enum status output_shape(const struct graph *g, const struct node *n, struct shape *out,
                                struct message *m)
{
    enum status s = n->op->shape(n, out, m);
    if (s != STATUS_OK)
        return s;
    if (out->dim[0] != 0 && out->dim[0] != g->capacity) {
        char what[96];
        snprintf(what, sizeof what, "the first dimension must be the graph's capacity, %ld",
                 g->capacity);
        return op_mismatch(n, m, what);
    }
    out->dim[0] = g->capacity;
    return STATUS_OK;
}

struct tensor *op_apply(struct graph *g, const struct op *op, const void *options, int inputs,
                        struct tensor *const in[])
{
    if (g->status != STATUS_OK)
        return NULL;
    struct node *n = append(g);
    *n = (struct node){.op = op, .inputs = inputs < OP_MAX_INPUTS ? inputs : OP_MAX_INPUTS};
    for (int i = 0; i < n->inputs; i++)
        n->in[i] = in[i];
    void *own = arena_alloc(g->arena, 1, op->options_size);
    if (options && op->options_size)
        memcpy(own, options, op->options_size);
    n->options = own;
    struct shape shape;
    g->status = output_shape(g, n, &shape, &g->message);
    if (g->status == STATUS_OK)
        g->status = check_gradients(g, n, &g->message);
    if (g->status != STATUS_OK)
        return NULL;
    n->out = arena_alloc(g->arena, 1, sizeof *n->out);
    n->out->shape = shape;
    n->out->node = g->count++;
    return n->out;
}

void op_await_turn(const struct node *n, const struct pass *p)
{
    if (p->turn.before && n->turn > 0)
        team_await(p->turn.team, p->turn.before, n->turn);
}

long op_dropout_saved(struct dropout_site site, long elements)
{
    const long numbers = (long)(sizeof(uint64_t) / sizeof(real));
    return site.probability > 0 ? dropout_words(elements) * numbers : 0;
}

void op_dropout_draw(const struct dropout *d, const struct pass *p, long elements, real *saved)
{
    if (d->probability > 0)
        p->kernels->dropout_draw(d, elements, (uint64_t *)(void *)saved);
}

struct dropout op_dropout(struct dropout_site site, const struct pass *p, long elements,
                          real *saved)
{
    return (struct dropout){
        .probability = p->training ? site.probability : 0,
        .kept = (const void *)saved,
        .seed = p->seed,
        .site = site.number,
        .step = p->step,
        .first = (uint64_t)p->first * (uint64_t)elements,
    };
}

bool op_is_bias(const struct tensor *t, long n)
{
    return !t || (t->shape.rank == 1 && t->shape.dim[0] == n);
}

/* Appends to text like snprintf, at *used, and never past size. */
#define APPEND(...)                                                                                \
    do {                                                                                           \
        int wrote = snprintf(text + used, sizeof text - used, __VA_ARGS__);                        \
        used += (size_t)wrote < sizeof text - used ? (size_t)wrote : sizeof text - used - 1;       \
    } while (0)

enum status op_mismatch(const struct node *n, struct message *m, const char *what)
{
    char text[512];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n->inputs; i++) {
        const struct tensor *t = n->in[i];
        APPEND("%s%s", i ? ", " : "", t ? "(" : "none");
        for (int k = 0; t && k < t->shape.rank; k++)
            APPEND("%s%ld", k ? "," : "", t->shape.dim[k]);
        APPEND("%s", t ? ")" : "");
    }
    return status_fail(m, STATUS_BAD_INPUT, "%s of %s: %s", n->op->name, text, what);
}
