#include "sweep/study/pruner.h"

#include <math.h>
#include <string.h>

#include "engine/base/heartbeat.h"

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

static struct pruner_head head_at(const struct pruner *p, int i)
{
    return (struct pruner_head){i / p->per_layer, i % p->per_layer};
}

enum status pruner_new(struct arena *a, const struct encoder *e, const struct examples *val,
                       enum prune_by by, uint32_t seed, struct pruner **out, struct message *m)
{
    struct pruner *p = *out = arena_alloc(a, 1, sizeof *p);
    p->by = by;
    p->layers = (int)e->config.layers;
    p->per_layer = (int)e->shapes.heads;
    p->heads = p->layers * p->per_layer;
    size_t heads = (size_t)p->heads;
    p->order = arena_alloc(a, heads, sizeof *p->order);
    p->keep = arena_alloc(a, heads, sizeof *p->keep);
    memset(p->keep, true, heads);
    if (by == PRUNE_RANDOM) {
        uint32_t *drawn = arena_alloc(a, heads, sizeof *drawn);
        struct rng r = rng_at(seed, RNG_PRUNE, 0, 0);
        rng_permutation(&r, drawn, (uint32_t)heads);
        for (size_t i = 0; i < heads; i++)
            p->order[i] = head_at(p, (int)drawn[i]);
        return STATUS_OK;
    }
    p->cost = arena_alloc(a, heads, sizeof *p->cost);
    enum status s = probe_new(a, e, val, by == PRUNE_IMPORTANCE, &p->probe, m);
    if (s != STATUS_OK || by == PRUNE_ABLATION)
        return s;
    p->gradient = arena_alloc(a, (size_t)p->layers, sizeof(double *));
    for (int l = 0; l < p->layers; l++)
        p->gradient[l] =
            arena_alloc(a, (size_t)p->probe->slice * (size_t)p->per_layer, sizeof(double));
    return STATUS_OK;
}

/* cost = sum over sequences of |dL/dxi_h| */
static void estimate_importance(struct pruner *p)
{
    long H = p->per_layer;
    for (long first = 0; first < p->probe->set->n; first += p->probe->slice) {
        probe_forward(p->probe, first);
        probe_backward(p->probe, p->gradient);
        for (int l = 0; l < p->layers; l++)
            for (long i = 0; i < p->probe->pass.batch * H; i++)
                p->cost[l * H + i % H] += fabs(p->gradient[l][i]);
        heartbeat();
    }
}

/* cost = the loss without head h */
static void estimate_ablation(struct pruner *p)
{
    int64_t right;
    for (long first = 0; first < p->probe->set->n; first += p->probe->slice) {
        probe_forward(p->probe, first);
        for (int i = p->heads - 1; i >= 0; i--) {
            struct pruner_head h = head_at(p, i);
            if (p->keep[i])
                p->cost[i] += probe_ablate(p->probe, h.layer, h.head, &right);
            heartbeat();
        }
    }
}

/* The head that costs least; the first of equals. NaN costs more than anything. */
static int cheapest(const struct pruner *p)
{
    int best = -1;
    for (int i = 0; i < p->heads; i++)
        if (p->keep[i] && (best < 0 || p->cost[i] < p->cost[best] ||
                           (isnan(p->cost[best]) && !isnan(p->cost[i]))))
            best = i;
    return best;
}

void pruner_remove(struct pruner *p)
{
    struct pruner_head *next = &p->order[p->removed++];
    if (p->probe) {
        memset(p->cost, 0, (size_t)p->heads * sizeof *p->cost);
        if (p->by == PRUNE_IMPORTANCE)
            estimate_importance(p);
        else
            estimate_ablation(p);
        *next = head_at(p, cheapest(p));
        probe_set_gate(p->probe, next->layer, next->head, 0);
    }
    p->keep[next->layer * p->per_layer + next->head] = false;
}
