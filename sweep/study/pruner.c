#include "sweep/study/pruner.h"

#include <math.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "engine/encoder_cost.h"

static const char *const names[PRUNE_METHODS] = {"importance", "ablation", "random"};

const char *prune_by_name(enum prune_by by)
{
    return names[by];
}

bool prune_by_find(const char *name, enum prune_by *by)
{
    for (int i = 0; i < PRUNE_METHODS; i++)
        if (strcmp(names[i], name) == 0) {
            *by = (enum prune_by)i;
            return true;
        }
    return false;
}

struct pruner_tape {
    const struct encoder *encoder;
    const struct examples *val;
    struct graph *graph;
    struct encoder_probe probe;
    long slice;
    long targets;     /* per sequence */
    uint8_t *correct; /* of one slice, for the pass */
    int *gate_node;   /* (L): where on the tape a layer's gate is */
    double *cost;     /* (L,H): how much is lost without a head; garbage for removed ones */
};

static long layers_of(const struct encoder *e)
{
    return (long)e->config.layers;
}

static long heads_of(const struct encoder *e)
{
    return e->shapes.heads;
}

static enum status tape_new(struct arena *a, const struct encoder *e, const struct examples *val,
                            enum prune_by by, struct pruner_tape **out, struct message *m)
{
    struct pruner_tape *t = *out = arena_alloc(a, 1, sizeof *t);
    struct tensor *logits;
    t->encoder = e;
    t->val = val;
    t->slice = encoder_slice(&e->config, &e->io, val->n);
    t->targets = e->io.slots * (e->config.pool == POOL_NONE ? e->io.length : 1);
    t->correct = arena_alloc(a, (size_t)(t->slice * t->targets), sizeof *t->correct);
    t->cost = arena_alloc(a, (size_t)(layers_of(e) * heads_of(e)), sizeof *t->cost);
    t->gate_node = arena_alloc(a, (size_t)layers_of(e), sizeof *t->gate_node);
    enum status s =
        encoder_graph(a, e, t->slice, by != PRUNE_IMPORTANCE, &t->probe, &t->graph, &logits, m);
    for (long l = 0; l < layers_of(e) && s == STATUS_OK; l++)
        t->gate_node[l] = t->probe.attention[l]->out->node + 1;
    return s;
}

enum status pruner_new(struct arena *a, const struct encoder *e, const struct examples *val,
                       enum prune_by by, uint32_t seed, struct pruner **out, struct message *m)
{
    struct pruner *p = *out = arena_alloc(a, 1, sizeof *p);
    size_t heads = (size_t)(layers_of(e) * heads_of(e));
    p->by = by;
    p->heads = (int)heads;
    p->per_layer = (int)heads_of(e);
    p->order = arena_alloc(a, heads, sizeof *p->order);
    p->keep = arena_alloc(a, heads, sizeof *p->keep);
    memset(p->keep, true, heads);
    if (by != PRUNE_RANDOM)
        return tape_new(a, e, val, by, &p->tape, m);
    uint32_t *drawn = arena_alloc(a, heads, sizeof *drawn);
    struct rng r = rng_at(seed, RNG_PRUNE, 0, 0);
    rng_permutation(&r, drawn, (uint32_t)heads);
    for (size_t i = 0; i < heads; i++)
        p->order[i] =
            (struct pruner_head){(int)(drawn[i] / heads_of(e)), (int)(drawn[i] % heads_of(e))};
    return STATUS_OK;
}

/* One slice of the validation set, from sequence `first`. */
static struct pass pass_at(const struct pruner_tape *t, long first)
{
    const struct encoder_io *io = &t->encoder->io;
    const struct examples *val = t->val;
    return (struct pass){
        .kernels = kernels_best(),
        .loss_scale = 1,
        .first = first,
        .batch = val->n - first < t->slice ? val->n - first : t->slice,
        .tokens = val->tokens + first * io->length * io->fields,
        .targets = val->targets + first * t->targets,
        .padding = val->padding ? val->padding + first * io->length : NULL,
        .correct = t->correct,
    };
}

static void set_gate(struct tensor *gate /* (B,H) */, long head, real value)
{
    long H = tensor_width(gate);
    for (long b = 0; b < tensor_rows(gate); b++)
        gate->data[b * H + head] = value;
}

/* cost = the sum over sequences of |dL/dxi_h|. */
static void estimate_importance(struct pruner_tape *t)
{
    long H = heads_of(t->encoder);
    for (long first = 0; first < t->val->n; first += t->slice) {
        struct pass p = pass_at(t, first);
        for (long l = 0; l < layers_of(t->encoder); l++)
            t->probe.gate[l]->grad_written = false;
        graph_forward(t->graph, &p);
        graph_backward(t->graph, &p);
        for (long l = 0; l < layers_of(t->encoder); l++)
            for (long i = 0; i < p.batch * H; i++)
                t->cost[l * H + i % H] += fabs((double)t->probe.gate[l]->grad[i]);
        heartbeat();
    }
}

/* cost = the loss without head h. Backwards through the layers, as each replay begins at the gate
 * of its own layer and leaves the layers behind it changed. */
static void estimate_ablation(struct pruner_tape *t, const bool *keep)
{
    long H = heads_of(t->encoder);
    for (long first = 0; first < t->val->n; first += t->slice) {
        struct pass p = pass_at(t, first);
        graph_forward(t->graph, &p);
        for (long l = layers_of(t->encoder) - 1; l >= 0; l--) {
            for (long h = 0; h < H; h++) {
                if (!keep[l * H + h])
                    continue;
                set_gate(t->probe.gate[l], h, 0);
                graph_forward_from(t->graph, t->gate_node[l], &p);
                set_gate(t->probe.gate[l], h, 1);
                t->cost[l * H + h] += p.loss_sum;
                heartbeat();
            }
        }
    }
}

/* The head that costs least; the first of equals. NaN costs more than anything. */
static int cheapest(const bool *keep, const double *cost, int heads)
{
    int best = -1;
    for (int i = 0; i < heads; i++)
        if (keep[i] && (best < 0 || cost[i] < cost[best] || (isnan(cost[best]) && !isnan(cost[i]))))
            best = i;
    return best;
}

void pruner_remove(struct pruner *p)
{
    struct pruner_head *next = &p->order[p->removed++];
    struct pruner_tape *t = p->tape;
    if (t) {
        memset(t->cost, 0, (size_t)p->heads * sizeof *t->cost);
        if (p->by == PRUNE_IMPORTANCE)
            estimate_importance(t);
        else
            estimate_ablation(t, p->keep);
        int least = cheapest(p->keep, t->cost, p->heads);
        *next = (struct pruner_head){least / p->per_layer, least % p->per_layer};
        set_gate(t->probe.gate[next->layer], next->head, 0);
    }
    p->keep[next->layer * p->per_layer + next->head] = false;
}
