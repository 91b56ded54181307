/* The tape: operations in the order they were applied, built once per trial, replayed every step
 * without allocating. Forward runs it from the first node, backward from the last (reverse-mode
 * autograd).
 *
 *     struct graph *g = graph_new(&arena, capacity, false);
 *     struct tensor *h = graph_relu(g, graph_linear(g, x, w1, NULL), b1);
 *     graph_cross_entropy(g, graph_linear(g, h, w2, b2), 1);
 *     if (graph_finish(g, &m) != STATUS_OK) ... m says which operation was refused, and why
 *
 * The operations graph_linear, graph_relu, ... stand in ops/ops.def, each with its formula.
 *
 * The batch is taken in slices of at most `capacity` sequences that run through the whole tape one
 * after the other, so that a slice's activations stay in the second-level cache; the gradients of
 * parameters add up over the slices. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "engine/ops/op.h"

/* An empty tape for slices of up to `capacity` sequences. Everything it makes is the arena's.
 * inference: no gradient buffers, and nothing is kept for backward. */
struct graph *graph_new(struct arena *a, long capacity, bool inference);

/* Lets t, the output of an operation, hold its value until the next replay. NULL (after a refusal)
 * is ignored; inputs and parameters always hold theirs. */
void graph_keep(struct graph *g, const struct tensor *t);

/* Allocates activations, gradients, saved and scratch memory; nothing can be applied afterwards.
 * Buffers that are never needed at the same time share memory: after a replay only the inputs and
 * the output of the last node, and what was kept, are certain to hold their values, and after a
 * backward only the gradients of tensors made outside.
 * With the first refusal of an operation, usually BAD_INPUT, the graph must not be run. */
enum status graph_finish(struct graph *g, struct message *m);

/* Replays the tape for one slice; p says what it works on. */
void graph_forward(struct graph *g, struct pass *p);

/* Walks back from the last node, with the pass of the forward before it: a loss needs no seed; any
 * other last node starts from its grad as the caller left it. Parameter gradients with grad_written
 * are added to; the caller clears that flag at the first slice of a step (nn_zero_grad). */
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
