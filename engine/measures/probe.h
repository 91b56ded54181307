/* Runs an encoder over a set of examples with its heads in reach: what each contributes, and what
 * is lost without it. */
#ifndef ENGINE_MEASURES_PROBE_H
#define ENGINE_MEASURES_PROBE_H

#include "engine/train.h"

struct probe {
    const struct encoder *encoder;
    const struct examples *set;
    struct graph *graph;
    struct encoder_probe heads;
    struct tensor *logits; /* (slice,T,S*V), (slice,S*V) when pooled: of the last slice that ran */
    long slice;            /* sequences at once */
    long targets_each;     /* targets per sequence */
    uint8_t *correct;      /* of one slice */
    struct pass pass;      /* of the last slice that ran */
};

/* A tape for set, which is kept. gradients: probe_backward will be called; the encoder must want
 * them then. All gates are 1. */
enum status probe_new(struct arena *a, const struct encoder *e, const struct examples *set,
                      bool gradients, struct probe **p, struct message *m);

/* Heads of a layer; 0 where it has none left. */
long probe_heads(const struct probe *p, long layer);

/* Sets a head's gate for all sequences: 0 takes it away. */
void probe_set_gate(struct probe *p, long layer, long head, real factor);

/* Runs the slice that begins at sequence `first`, dropout off. */
void probe_forward(struct probe *p, long first);

/* Then: the gradient of each sequence's loss, the mean over its unmasked targets, with respect to
 * the gates, into gradient (L) of (B,H); NULL where a layer has no heads. */
void probe_backward(struct probe *p, double *const *gradient);

/* Then: the slice's loss, summed over its unmasked targets, without this head; *right: how many it
 * then has right. The gate is left as it was. Layers must be gone through from the last to the
 * first: what lies behind a gate is run again, and stays as it then is. */
double probe_ablate(struct probe *p, long layer, long head, int64_t *right);

/* Unmasked targets of the slice, and how many are right. */
int64_t probe_targets(const struct probe *p, int64_t *right);

#endif
