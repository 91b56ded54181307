/* The tape: operations in the order they were applied, built once per trial, replayed every step
 * without allocating. Forward runs it from the first node, backward from the last.
 *
 * The batch is taken in slices of at most `capacity` sequences that run through the whole tape one
 * after the other, so that a slice's activations stay in the second-level cache; the gradients of
 * parameters add up over the slices. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "engine/ops/op.h"

struct graph;

/* An empty tape for slices of up to `capacity` sequences. Everything it makes is the arena's.
 * inference: no gradient buffers, and nothing is kept for backward. */
struct graph *graph_new(struct arena *a, long capacity, bool inference);

/* Applies op to inputs (NULL where an optional one is absent) and returns its output, whose first
 * dimension is the slice's B. Inputs are outputs of earlier nodes or tensors made outside
 * (parameters). NULL and a message on shapes that do not fit; after that the graph must not be run.
 */
struct tensor *graph_apply(struct graph *g, const struct op *op, struct attributes at, int inputs,
                           struct tensor *const in[], struct message *m);

/* Allocates activations, gradients, saved and scratch memory; nothing can be applied afterwards.
 * Buffers that are never needed at the same time share memory: after a replay only the inputs and
 * the output of the last node are certain to hold their values, and after a backward only the
 * gradients of tensors made outside. */
void graph_finish(struct graph *g);

/* Replays the tape for one slice; p says what it works on. */
void graph_forward(struct graph *g, struct pass *p);

/* Walks back from the last node (a cross-entropy, whose gradient needs no seed; any other last
 * node starts from its grad as the caller left it). Parameter gradients with grad_written are added
 * to; the caller clears that flag at the first slice of a step (nn_zero_grad). */
void graph_backward(struct graph *g, struct pass *p);

/* Replays forward and, in a graph for training, backward node by node, and names the first place
 * where a number is NaN or Inf: "the output of linear (encoder.layers.0.linear1.weight)". Empty
 * text where there is none. Gradients are left as a backward would leave them. */
void graph_locate_bad(struct graph *g, struct pass *p, char *text, size_t size);

/* The i-th node; NULL past the end. */
const struct node *graph_node(const struct graph *g, int i);

/* Bytes of memory that activations, their gradients and what is kept for backward take. */
size_t graph_memory(const struct graph *g);

#endif
