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
 * parameters add up over the slices. Slices may also run at once, each on a tape of its own: where
 * each is told of the one before (struct turn), the sums are the same to the bit. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "engine/ops/op.h"

/* An empty tape for slices of up to `capacity` sequences. Everything it makes is the arena's.
 * inference: no gradient buffers, and nothing is kept for backward. */
struct graph *graph_new(struct arena *a, long capacity, bool inference);

/* Keeps the value of t, the output of an operation, readable until the next replay. To be called
 * before graph_finish. NULL (after a refusal) is ignored; inputs and parameters are always kept. */
void graph_keep(struct graph *g, const struct tensor *t);

/* Lets g use the packed weights of `from`, a finished tape over the same parameters that lives as
 * long, where it has them: preparing a pass of one then serves the other. To be called before
 * graph_finish. NULL is ignored. */
void graph_share_packs(struct graph *g, const struct graph *from);

/* Allocates activations, gradients, saved and scratch memory; nothing can be applied afterwards.
 * Buffers that are never needed at the same time share memory. Only these are sure to hold their
 * values: after a forward the inputs, the output of the last node and what graph_keep named; after
 * a backward the gradients of tensors made outside of the tape.
 * With the first refusal of an operation, usually BAD_INPUT, the graph must not be run. */
enum status graph_finish(struct graph *g, struct message *m);

/* Before the slices of a step or of an evaluation: brings the weights into the order in which
 * products read them and sets p->prepared, so that no slice does it again. The weights must then
 * stay as they are until the last one has run. */
void graph_prepare(struct graph *g, struct pass *p);

/* One node's part of it, for threads that share the work; who has done all nodes sets p->prepared.
 * p->kernels is set. */
void graph_prepare_node(struct graph *g, int node, const struct pass *p);

/* Runs the tape forward on one slice, which p describes. Where the pass is not prepared, the
 * weights are packed here, for this slice and its backward. The calling thread takes denormals for
 * 0 from then on (kernels/denormals.h). */
void graph_forward(struct graph *g, struct pass *p);

/* The same from node `first` on, after a graph_forward of this slice. What the nodes from there on
 * read of earlier ones must have been kept. */
void graph_forward_from(struct graph *g, int first, struct pass *p);

/* Computes the gradients from the last node back, with the pass of the preceding forward. A last
 * node that is a loss needs no seed; any other starts from its grad as the caller left it.
 * Gradients of parameters are added to where grad_written is set, else overwritten; the caller
 * clears that flag at the first slice of a step (nn_zero_grad). */
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
