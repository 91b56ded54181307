#include "engine/measures/probe.h"

#include "engine/encoder_cost.h"

enum status probe_new(struct arena *a, const struct encoder *e, const struct examples *set,
                      bool gradients, struct probe **out, struct message *m)
{
    struct probe *p = *out = arena_alloc(a, 1, sizeof *p);
    p->encoder = e;
    p->set = set;
    p->slice = encoder_slice(&e->config, &e->io, set->n);
    p->targets_each = e->io.slots * (e->config.pool == POOL_NONE ? e->io.length : 1);
    p->correct = arena_alloc(a, (size_t)(p->slice * p->targets_each), 1);
    return encoder_graph(a, e, p->slice, !gradients, &p->heads, NULL, &p->graph, &p->logits, m);
}

long probe_heads(const struct probe *p, long layer)
{
    return p->heads.gate[layer] ? tensor_width(p->heads.gate[layer]) : 0;
}

void probe_set_gate(struct probe *p, long layer, long head, real factor)
{
    struct tensor *gate = p->heads.gate[layer];
    long H = tensor_width(gate);
    for (long b = 0; b < p->slice; b++)
        gate->data[b * H + head] = factor;
}

void probe_forward(struct probe *p, long first)
{
    const struct encoder_io *io = &p->encoder->io;
    const struct examples *set = p->set;
    p->pass = (struct pass){
        .loss_scale = 1,
        .first = first,
        .batch = set->n - first < p->slice ? set->n - first : p->slice,
        .tokens = set->tokens + first * io->length * io->fields,
        .targets = set->targets + first * p->targets_each,
        .padding = set->padding ? set->padding + first * io->length : NULL,
        .correct = p->correct,
    };
    graph_forward(p->graph, &p->pass);
}

void probe_backward(struct probe *p, double *const *gradient)
{
    for (long l = 0; l < p->encoder->config.layers; l++)
        if (p->heads.gate[l])
            p->heads.gate[l]->grad_written = false;
    graph_backward(p->graph, &p->pass);
    for (long b = 0; b < p->pass.batch; b++) {
        long n = targets_unmasked(p->pass.targets + b * p->targets_each, p->targets_each);
        for (long l = 0; l < p->encoder->config.layers; l++) {
            long H = probe_heads(p, l);
            for (long h = 0; h < H; h++)
                gradient[l][b * H + h] =
                    n ? (double)p->heads.gate[l]->grad[b * H + h] / (double)n : 0;
        }
    }
}

double probe_ablate(struct probe *p, long layer, long head, int64_t *right)
{
    real factor = p->heads.gate[layer]->data[head];
    probe_set_gate(p, layer, head, 0);
    graph_forward_from(p->graph, p->heads.attention[layer]->out->node + 1, &p->pass);
    probe_set_gate(p, layer, head, factor);
    probe_targets(p, right);
    return p->pass.loss_sum;
}

int64_t probe_targets(const struct probe *p, int64_t *right)
{
    int64_t targets = 0;
    *right = 0;
    for (long i = 0; i < p->pass.batch * p->targets_each; i++) {
        targets += p->correct[i] != 2;
        *right += p->correct[i] == 1;
    }
    return targets;
}
