/* The tape: operations in the order they were applied, built once per trial, replayed every step
 * without allocating. Forward runs it from the first node, backward from the last.
 *
 * The batch is taken in slices of at most `capacity` sequences that run through the whole tape one
 * after the other, so that a slice's activations stay in the second-level cache; the gradients of
 * parameters add up over the slices. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "engine/op.h"

struct graph;

/* An empty tape for slices of up to `capacity` sequences. Everything it makes is the arena's.
 * inference: no gradient buffers, and activations share memory. */
struct graph *graph_new(struct arena *a, long capacity, bool inference);

/* Applies op to inputs (NULL where an optional one is absent) and returns its output, whose first
 * dimension is the slice's B. Parameters are tensors made outside. NULL and a message on shapes
 * that do not fit; after that the graph must not be run. */
struct tensor *graph_apply(struct graph *g, const struct op *op, struct attributes at, int inputs,
                           struct tensor *const in[], struct message *m);

/* Allocates activations, gradients, saved and scratch memory; nothing can be applied afterwards. */
void graph_finish(struct graph *g);

/* Replays the tape for one slice; p says what it works on. Outputs are in the tensors. */
void graph_forward(struct graph *g, struct pass *p);

/* Walks back from the last node (a cross-entropy, whose gradient needs no seed; any other last
 * node starts from its grad as the caller left it). Parameter gradients with grad_written are added
 * to; the caller clears that flag at the first slice of a step (nn_zero_grad). */
void graph_backward(struct graph *g, struct pass *p);

/* The i-th node, for naming where a NaN first appears; NULL past the end. */
const struct node *graph_node(const struct graph *g, int i);

#endif
