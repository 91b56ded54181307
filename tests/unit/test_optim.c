/* Adam and AdamW against the formulas of torch.optim, written out in double. That whole runs agree
 * with PyTorch is shown in tests/parity. */
#include <math.h>
#include <stddef.h>

#include "engine/inits.h"
#include "engine/optim.h"

#include "tests/test.h"

enum { N = 37, STEPS = 12 };

struct setup {
    struct arena arena;
    struct nn nn;
    struct optim optim;
    double w[N], m[N], v[N]; /* the same in double */
};

static void setup(struct setup *s, enum optim_name name, double clip)
{
    *s = (struct setup){0};
    arena_init(&s->arena, NULL);
    nn_matrix(&s->arena, &s->nn, "w", INIT_EMBEDDING, 1, N);
    nn_finish(&s->arena, &s->nn, true);
    nn_init(&s->nn, &init_pytorch, 5);
    s->optim = (struct optim){.name = name,
                              .beta1 = 0.9,
                              .beta2 = 0.99,
                              .epsilon = 1e-6,
                              .weight_decay = 0.1,
                              .clip = clip};
    optim_init(&s->arena, &s->optim, &s->nn);
    for (int i = 0; i < N; i++)
        s->w[i] = (double)s->nn.data[i];
}

/* A gradient that depends on element and step. */
static double slope(int i, int step)
{
    return sin(1.0 + i + 3 * step) * (i % 5 == 0 ? 10 : 0.1);
}

static void step_in_double(struct setup *s, double lr, int step, double factor)
{
    const struct optim *o = &s->optim;
    double c1 = 1 - pow(o->beta1, step + 1), c2 = 1 - pow(o->beta2, step + 1);
    for (int i = 0; i < N; i++) {
        double g = (double)(real)slope(i, step) * factor;
        if (o->name == OPTIM_ADAM)
            g += o->weight_decay * s->w[i];
        else
            s->w[i] *= 1 - lr * o->weight_decay;
        s->m[i] = o->beta1 * s->m[i] + (1 - o->beta1) * g;
        s->v[i] = o->beta2 * s->v[i] + (1 - o->beta2) * g * g;
        s->w[i] -= lr * s->m[i] / c1 / (sqrt(s->v[i] / c2) + o->epsilon);
    }
}

static void run(enum optim_name name, double clip)
{
    static struct setup s;
    setup(&s, name, clip);
    for (int step = 0; step < STEPS; step++) {
        double lr = 0.05 / (step + 1), norm = 0;
        for (int i = 0; i < N; i++) {
            s.nn.grad[i] = (real)slope(i, step);
            norm += pow((double)s.nn.grad[i], 2);
        }
        norm = sqrt(norm);
        double measured = optim_grad_norm(&s.optim, &s.nn, kernels_best());
        assert_true(fabs(measured - norm) <= 1e-6 * norm);
        optim_step(&s.optim, &s.nn, kernels_best(), lr, measured);
        step_in_double(&s, lr, step, clip > 0 && norm > clip ? clip / (norm + 1e-6) : 1);
    }
    assert_int_equal(s.optim.t, STEPS);
    for (int i = 0; i < N; i++)
        if (!(fabs((double)s.nn.data[i] - s.w[i]) <= 1e-6 + 1e-5 * fabs(s.w[i])))
            fail_msg("weight %d is %.9g, in double %.9g", i, (double)s.nn.data[i], s.w[i]);
    arena_free(&s.arena);
}

TEST(adamw)
{
    run(OPTIM_ADAMW, 0);
}

TEST(adam_decays_through_the_gradient)
{
    run(OPTIM_ADAM, 0);
}

TEST(clips_by_global_norm)
{
    run(OPTIM_ADAMW, 1.5);
    run(OPTIM_ADAM, 1.5);
    run(OPTIM_ADAMW, 1e6); /* never reached */
}
