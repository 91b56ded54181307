#include "engine/optim.h"

#include <math.h>

void optim_init(struct arena *a, struct optim *o, const struct nn *nn)
{
    o->m = arena_alloc(a, (size_t)nn->size, sizeof(real));
    o->v = arena_alloc(a, (size_t)nn->size, sizeof(real));
    o->t = 0;
}

double optim_grad_norm(const struct nn *nn, const struct kernels *k)
{
    return sqrt(k->square_sum(nn->size, nn->grad));
}

/* torch.nn.utils.clip_grad_norm_: clip / (norm + 1e-6), at most 1. */
static double clip_factor(const struct optim *o, double grad_norm)
{
    double factor = o->clip > 0 ? o->clip / (grad_norm + 1e-6) : 1;
    return factor < 1 ? factor : 1;
}

void optim_step(struct optim *o, struct nn *nn, const struct kernels *k, double lr,
                double grad_norm)
{
    o->t++;
    struct adamw p = {
        .lr = (real)lr,
        .beta1 = (real)o->beta1,
        .beta2 = (real)o->beta2,
        .epsilon = (real)o->epsilon,
        .weight_decay = (real)o->weight_decay,
        .correction1 = (real)(1 - pow(o->beta1, (double)o->t)),
        .correction2 = (real)(1 - pow(o->beta2, (double)o->t)),
        .grad_scale = (real)clip_factor(o, grad_norm),
    };
    if (o->name == OPTIM_ADAM) {
        /* Adam's weight decay is the L2 term's gradient, added after clipping. */
        for (long i = 0; i < nn->size; i++)
            nn->grad[i] = nn->grad[i] * p.grad_scale + p.weight_decay * nn->data[i];
        p.grad_scale = 1;
        p.weight_decay = 0;
    }
    k->adamw(nn->size, &p, nn->data, nn->grad, o->m, o->v);
}
