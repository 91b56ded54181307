/* learn.c: a network of 32 hidden units learns the sine on [-3,3]. */
#include <math.h>
#include <stdio.h>

#include "engine/graph.h"
#include "engine/inits.h"
#include "engine/optim.h"

enum { B = 64, HIDDEN = 32, STEPS = 2000 };

int main(void)
{
    struct arena arena; /* owns all memory */
    arena_init(&arena, NULL);

    struct nn nn = {0};
    struct tensor *w1 = nn_matrix(&arena, &nn, "w1", INIT_WEIGHT, HIDDEN, 1);
    struct tensor *b1 = nn_vector(&arena, &nn, "b1", INIT_BIAS, HIDDEN, 1);
    struct tensor *w2 = nn_matrix(&arena, &nn, "w2", INIT_WEIGHT, 1, HIDDEN);
    struct tensor *b2 = nn_vector(&arena, &nn, "b2", INIT_BIAS, 1, HIDDEN);
    nn_finish(&arena, &nn, true);
    nn_init(&nn, &init_pytorch, 1);

    struct tensor *x = tensor_new(&arena, "x", SHAPE(B, 1), false);
    struct tensor *target = tensor_new(&arena, "target", SHAPE(B, 1), false);
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *h = graph_gelu(g, graph_linear(g, x, w1, NULL), b1);
    struct tensor *y = graph_linear(g, h, w2, b2);
    graph_squared_error(g, y, target);
    struct message m;
    if (graph_finish(g, &m) != STATUS_OK) { /* m names the first shape that did not fit */
        fprintf(stderr, "%s\n", m.text);
        return 1;
    }

    struct optim adam = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    optim_init(&arena, &adam, &nn);
    struct pass p = {.loss_scale = 1.0f / B}; /* the mean over the batch */
    double worst = 0;                         /* error in the last 50 steps */
    for (int step = 0; step < STEPS; step++) {
        struct rng r = rng_at(1, RNG_DATA, (uint64_t)step, 0);
        for (int i = 0; i < B; i++) {
            x->data[i] = (real)(6 * rng_uniform(&r) - 3);
            target->data[i] = sinf(x->data[i]);
        }
        nn_zero_grad(&nn);
        graph_forward(g, &p);
        graph_backward(g, &p);
        optim_step(&adam, &nn, p.kernels, 0.01 * (STEPS - step) / STEPS, 0);
        for (int i = 0; i < B && step >= STEPS - 50; i++)
            worst = fmax(worst, fabs((double)(y->data[i] - target->data[i])));
    }
    printf("largest error at 3200 fresh points: %.4f\n", worst);
    arena_free(&arena);
    return worst < 0.02 ? 0 : 1;
}
