/* How buffers share memory, on a small tape with a branch that is added back:
 *
 *                                      forward at   backward at
 *     node 0   a = linear(x, w1)            0            9
 *     node 1   h = gelu(a, b1)              1            8
 *     node 2   z = linear(h, w2)            2            7
 *     node 3   y = residual(z, b2, a)       3            6
 *     node 4   squared_error(y, target)     4            5
 *
 * In this clock a buffer is alive from when it is written first until it is read last:
 *
 *     a    0 to 3     residual reads it last; backward of gelu and of residual read no inputs
 *     h    1 to 7     backward of linear reads its input
 *     s    1 to 8     what gelu saves for its backward: the slope at every number of a
 *     z    2 to 3
 *     y    3 to end   what the last node reads, and what is kept, is the caller's to look at
 *     dy   5 to 9     dz and da too: one buffer, see below
 *     dh   7 to 8
 *
 * Buffers whose lives overlap lie side by side, others take turns (layout.h). All have one size
 * here, and the nine of them take five places:
 *
 *     place 0: a, then dy = dz = da    1: h    2: s    3: z, then dh    4: y
 *
 * For inference nothing is read again, and three are enough: a | h, then y | z.
 *
 * dy, dz and da can be one buffer because residual says so by shares_grad: without dropout the
 * gradients of z and of a begin as dy itself, and backward of residual (6) has nothing to copy.
 * Backward of node 2 (7) then reads dz and writes elsewhere, and only after that does backward of
 * gelu (8) add its share to da. z's gradient is said to borrow the buffer: if z had another user,
 * or were made before a, or if something added to da before 7, one gradient could be read after the
 * other had changed. Then share_grads gives z's gradient a buffer of its own. */
#include "engine/graph.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/heartbeat.h"
#include "engine/kernels/denormals.h"
#include "engine/layout.h"

struct graph *graph_new(struct arena *a, long capacity, bool inference)
{
    struct graph *g = arena_alloc(a, 1, sizeof *g);
    g->arena = a;
    g->capacity = capacity;
    g->inference = inference;
    return g;
}

void graph_keep(struct graph *g, const struct tensor *t)
{
    if (t && t->node != TENSOR_OUTSIDE)
        g->node[t->node].keep = true;
}

/* The time at which node i runs backward; forward it runs at time i. */
static int time_back(const struct graph *g, int i)
{
    return 2 * g->count - 1 - i;
}

/* The nodes that use a node's output. */
struct uses {
    int count;
    int last;      /* the last node that does; -1: none */
    int next_last; /* the one before it */
};

static void find_uses(const struct graph *g, struct uses *uses)
{
    for (int i = 0; i < g->count; i++)
        uses[i] = (struct uses){0, -1, -1};
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < g->node[i].inputs; k++) {
            const struct tensor *t = g->node[i].in[k];
            if (!t || t->node == TENSOR_OUTSIDE)
                continue;
            struct uses *u = &uses[t->node];
            *u = (struct uses){u->count + 1, i, u->last};
        }
}

/* True where the buffer of node i's output gradient may serve as that of its input k too: backward
 * of i must be the first to write the input's gradient (the input's last use, and once only). */
static bool may_share(const struct graph *g, const struct uses *uses, int i, int k)
{
    const struct node *n = &g->node[i];
    if (k >= n->inputs || !n->op->shares_grad || !(n->op->shares_grad(n) & 1u << k))
        return false;
    const struct tensor *t = n->in[k];
    if (!t || t->node == TENSOR_OUTSIDE)
        return false;
    return uses[t->node].last == i && uses[t->node].next_last != i;
}

/* root[i]: the node whose gradient buffer node i's output uses. Two inputs of one node may both use
 * the output's buffer if the one that was made later borrows it. */
static void share_grads(const struct graph *g, const struct uses *uses, int *root, bool *borrows)
{
    for (int i = 0; i < g->count; i++)
        root[i] = i;
    for (int i = g->count - 1; i >= 0; i--) {
        int other = -1;
        for (int k = g->node[i].inputs - 1; k >= 0 && !borrows[i]; k--) {
            if (!may_share(g, uses, i, k))
                continue;
            int made = g->node[i].in[k]->node;
            if (other >= 0 &&
                (uses[made].count > 1 || made < other || made <= uses[other].next_last))
                continue;
            root[made] = root[i];
            borrows[made] = other >= 0;
            other = made;
        }
    }
}

/* A node's output is alive until its last reader, forward or backward. */
static void data_life(const struct graph *g, struct layout_buffer *data)
{
    int end = 2 * g->count;
    for (int i = 0; i < g->count; i++) {
        const struct node *n = &g->node[i];
        data[i] = (struct layout_buffer){
            .size = (size_t)tensor_size(n->out) * sizeof(real), .from = i, .to = i};
        if (n->keep)
            data[i].to = end;
        else if (!g->inference && n->op->backward_reads & OP_READS_OUT)
            data[i].to = time_back(g, i);
        for (int k = 0; k < n->inputs; k++) {
            const struct tensor *t = n->in[k];
            if (!t || t->node == TENSOR_OUTSIDE)
                continue;
            bool again = !g->inference && n->op->backward_reads & 1u << k;
            int to = i == g->count - 1 ? end : again ? time_back(g, i) : i;
            if (to > data[t->node].to)
                data[t->node].to = to;
        }
    }
    data[g->count - 1].to = end;
}

/* A gradient lives from the backward of the last use until that of the node itself; the lives of
 * those that share a buffer add up. */
static void grad_life(const struct graph *g, const struct uses *uses, const int *root,
                      struct layout_buffer *grad)
{
    for (int i = 0; i < g->count; i++)
        grad[i] = (struct layout_buffer){.from = 2 * g->count, .to = 0};
    for (int i = 0; i < g->count; i++) {
        int last = uses[i].last, from = last < 0 ? 0 : time_back(g, last);
        if (last >= 0 && g->node[last].op->grad_in_forward)
            from = last;
        struct layout_buffer *b = &grad[root[i]];
        b->size = (size_t)tensor_size(g->node[i].out) * sizeof(real);
        if (from < b->from)
            b->from = from;
        if (time_back(g, i) > b->to)
            b->to = time_back(g, i);
    }
}

/* Three buffers per node: output, its gradient, what is saved for backward. */
static void assign_memory(struct graph *g)
{
    size_t count = (size_t)g->count;
    struct uses *uses = arena_alloc(g->arena, count, sizeof *uses);
    int *root = arena_alloc(g->arena, count, sizeof *root);
    bool *borrows = arena_alloc(g->arena, count, sizeof *borrows);
    struct layout_buffer *data = arena_alloc(g->arena, 3 * count, sizeof *data);
    struct layout_buffer *saved = data + count, *grad = saved + count;
    find_uses(g, uses);
    share_grads(g, uses, root, borrows);
    data_life(g, data);
    for (int i = 0; i < g->count; i++) {
        const struct node *n = &g->node[i];
        if (n->op->saved)
            saved[i] =
                (struct layout_buffer){.size = (size_t)n->op->saved(n, g->inference) * sizeof(real),
                                       .from = i,
                                       .to = g->inference ? i : time_back(g, i)};
    }
    if (!g->inference)
        grad_life(g, uses, root, grad);

    g->memory = layout_place(g->arena, data, 3 * g->count);
    char *memory = arena_alloc(g->arena, g->memory, 1);
    for (int i = 0; i < g->count; i++) {
        struct node *n = &g->node[i];
        n->out->data = (real *)(memory + data[i].offset);
        if (saved[i].size > 0)
            n->saved = (real *)(memory + saved[i].offset);
        if (!g->inference)
            n->out->grad = (real *)(memory + grad[root[i]].offset);
    }
}

static bool writes(const struct node *n, const struct tensor *parameter)
{
    for (int k = 0; k < n->inputs; k++)
        if (n->in[k] == parameter)
            return true;
    return false;
}

/* Backward runs from the last node: of all that write a gradient, the first node is the last. */
static void assign_turns(struct graph *g)
{
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < g->node[i].inputs; k++) {
            const struct tensor *t = g->node[i].in[k];
            if (!t || t->node != TENSOR_OUTSIDE || !t->grad)
                continue;
            int first = 0;
            while (!writes(&g->node[first], t))
                first++;
            if (g->node[i].turn < g->count - first)
                g->node[i].turn = g->count - first;
        }
}

static bool made_by_node(const struct tensor *t)
{
    return t && t->node != TENSOR_OUTSIDE;
}

static bool same_parameters(const struct node *a, const struct node *b)
{
    if (a->op != b->op || a->inputs != b->inputs)
        return false;
    for (int k = 0; k < a->inputs; k++)
        if (a->in[k] != b->in[k] && !(made_by_node(a->in[k]) && made_by_node(b->in[k])))
            return false;
    return true;
}

static real *shared_pack(const struct graph *from, const struct node *n, long size)
{
    for (int i = 0; from && i < from->count; i++) {
        const struct node *other = &from->node[i];
        if (same_parameters(n, other) && other->op->packed(other) >= size)
            return other->packed;
    }
    return NULL;
}

static void assign_packed(struct graph *g)
{
    for (int i = 0; i < g->count; i++) {
        struct node *n = &g->node[i];
        const long size = n->op->packed ? n->op->packed(n) : 0;
        if (size > 0)
            n->packed = shared_pack(g->packs, n, size);
        if (size > 0 && !n->packed)
            n->packed = arena_alloc(g->arena, (size_t)size, sizeof(real));
    }
}

void graph_share_packs(struct graph *g, const struct graph *from)
{
    g->packs = from;
}

enum status graph_finish(struct graph *g, struct message *m)
{
    if (g->status != STATUS_OK)
        return status_fail(m, g->status, "%s", g->message.text);
    if (g->count == 0)
        return status_fail(m, STATUS_BAD_INPUT, "a graph without operations");
    for (int i = 0; i < g->count - 1; i++)
        if (g->node[i].op->is_loss)
            return status_fail(m, STATUS_BAD_INPUT, "%s must be the last operation",
                               g->node[i].op->name);
    assign_memory(g);
    assign_turns(g);
    assign_packed(g);
    size_t most = 0;
    for (int i = 0; i < g->count; i++) {
        const struct node *n = &g->node[i];
        size_t size = n->op->scratch ? n->op->scratch(n) : 0;
        if (size > most)
            most = size;
    }
    if (most > 0)
        g->scratch = arena_alloc(g->arena, most, 1);
    return STATUS_OK;
}

static void begin(const struct graph *g, struct pass *p)
{
    denormals_flush();
    if (!p->kernels)
        p->kernels = kernels_best();
    if (p->batch == 0)
        p->batch = g->capacity;
    p->scratch = g->scratch;
    p->loss_sum = p->penalty = 0;
}

void graph_prepare_node(struct graph *g, int node, const struct pass *p)
{
    if (g->node[node].packed)
        g->node[node].op->prepare(&g->node[node], p);
}

static void prepare_all(struct graph *g, const struct pass *p)
{
    for (int i = 0; i < g->count; i++)
        graph_prepare_node(g, i, p);
}

void graph_prepare(struct graph *g, struct pass *p)
{
    begin(g, p);
    prepare_all(g, p);
    p->prepared = true;
}

void graph_forward_from(struct graph *g, int first, struct pass *p)
{
    begin(g, p);
    if (first == 0 && !p->prepared)
        prepare_all(g, p);
    for (int i = first; i < g->count; i++) {
        g->node[i].op->forward(&g->node[i], p);
        heartbeat();
    }
}

void graph_forward(struct graph *g, struct pass *p)
{
    graph_forward_from(g, 0, p);
}

static void forget_grads(struct graph *g)
{
    for (int i = 0; i < g->count; i++)
        g->node[i].out->grad_written = i == g->count - 1;
}

/* An output that nobody used has no gradient to hand on. */
static void backward_node(struct graph *g, int i, struct pass *p)
{
    if (g->node[i].out->grad_written)
        g->node[i].op->backward(&g->node[i], p);
}

void graph_backward(struct graph *g, struct pass *p)
{
    p->scratch = g->scratch;
    forget_grads(g);
    for (int i = g->count - 1; i >= 0; i--) {
        const struct node *n = &g->node[i];
        if (!n->op->awaits_turn)
            op_await_turn(n, p);
        backward_node(g, i, p);
        if (p->turn.done && (n->turn > 0 || i == 0))
            team_advance(p->turn.team, p->turn.done, g->count - i);
        heartbeat();
    }
}

static bool all_finite(const real *x, long n)
{
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Numbers of t that this slice fills; all of a tensor made outside. */
static long filled(const struct tensor *t, const struct pass *p)
{
    long rows = t->node == TENSOR_OUTSIDE ? tensor_rows(t) : pass_rows(t, p);
    return rows * tensor_width(t);
}

/* The parameter that shows a person where node i is: its own, or that of the nearest node before.
 */
static const char *near_parameter(const struct graph *g, int i)
{
    for (; i >= 0; i--)
        for (int k = 0; k < g->node[i].inputs; k++)
            if (g->node[i].in[k] && g->node[i].in[k]->name)
                return g->node[i].in[k]->name;
    return "no parameter before it";
}

void graph_locate_bad(struct graph *g, struct pass *p, char *text, size_t size)
{
    text[0] = 0;
    begin(g, p);
    prepare_all(g, p);
    for (int i = 0; i < g->count; i++) {
        struct node *n = &g->node[i];
        n->op->forward(n, p);
        if (n->op->is_loss ? !isfinite(p->loss_sum)
                           : !all_finite(n->out->data, filled(n->out, p))) {
            snprintf(text, size, "the output of %s (%s)", n->op->name, near_parameter(g, i));
            return;
        }
    }
    if (g->inference)
        return;
    forget_grads(g);
    for (int i = g->count - 1; i >= 0; i--) {
        const struct node *n = &g->node[i];
        backward_node(g, i, p);
        for (int k = 0; k < n->inputs; k++) {
            const struct tensor *t = n->in[k];
            if (!t || !t->grad || all_finite(t->grad, filled(t, p)))
                continue;
            snprintf(text, size, "the gradient that %s gives its input (%s)", n->op->name,
                     t->name ? t->name : near_parameter(g, i));
            return;
        }
    }
}

const struct node *graph_node(const struct graph *g, int i)
{
    return i >= 0 && i < g->count ? &g->node[i] : NULL;
}

size_t graph_memory(const struct graph *g)
{
    return g->memory;
}
