/* Removing the heads of a trained encoder one after the other, the least needed first. After each
 * removal what the others are worth is estimated anew (greedy backward elimination; Michel, Levy
 * and Neubig 2019 estimate once):
 *
 *   importance   I_h = E_x |dL(x)/dxi_h|, xi_h = 1 the gate of head h (their equation 2), raw: one
 *                loss is the measure of heads of all layers
 *   ablation     the validation loss without head h
 *   random       an order drawn from the trial's seed: what any other order must beat
 *
 * Equal heads go by layer, then head. All are computed on the validation set, so that the test set
 * stays unseen. Heads are counted over all layers. */
#ifndef SWEEP_STUDY_PRUNER_H
#define SWEEP_STUDY_PRUNER_H

#include "engine/measures/probe.h"

enum prune_by { PRUNE_IMPORTANCE, PRUNE_ABLATION, PRUNE_RANDOM, PRUNE_METHODS };

/* "importance": as in the command line and in column `method` of table `pruning`. */
const char *prune_by_name(enum prune_by by);
/* The method of that name; false where there is none. */
bool prune_by_find(const char *name, enum prune_by *by);

struct pruner_head {
    int layer, head;
};

struct pruner {
    enum prune_by by;
    int layers, per_layer, heads; /* of the whole model: L, H and L*H */
    int removed;                  /* so far */
    struct pruner_head *order;    /* (L*H): those that went, in order; under PRUNE_RANDOM all */
    bool *keep;                   /* (L,H): is there still */
    struct probe *probe;          /* gates of removed heads are 0; NULL under PRUNE_RANDOM */
    double **gradient;            /* (L) of (B,H); under PRUNE_IMPORTANCE */
    double *cost;                 /* (L,H): what is lost without a head; garbage for removed ones */
};

/* Nothing is removed yet. e is an encoder with all of its heads, made with wants_grad, whose
 * weights stay as they are; e and val are kept. BAD_INPUT as encoder_graph. */
enum status pruner_new(struct arena *a, const struct encoder *e, const struct examples *val,
                       enum prune_by by, uint32_t seed, struct pruner **p, struct message *m);

/* Removes the next head; there must be one. No allocation. */
void pruner_remove(struct pruner *p);

#endif
