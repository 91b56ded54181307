#include "engine/optim.h"

#include <math.h>

#include "engine/kernels/denormals.h"

/* The flat buffers are gone through in chunks of this many numbers, whoever does it. */
enum { CHUNK = 65536 };

struct update {
    const struct optim *optim;
    const struct nn *nn;
    const struct kernels *kernels;
    struct adamw rates;
};

static long chunks_of(const struct nn *nn)
{
    return (nn->size + CHUNK - 1) / CHUNK;
}

static long chunk_size(const struct nn *nn, long chunk)
{
    long left = nn->size - chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

void optim_init(struct arena *a, struct optim *o, const struct nn *nn)
{
    o->m = arena_alloc(a, (size_t)nn->size, sizeof(real));
    o->v = arena_alloc(a, (size_t)nn->size, sizeof(real));
    o->squares = arena_alloc(a, (size_t)chunks_of(nn), sizeof *o->squares);
    o->t = 0;
}

static void square_chunk(void *context, int member, long chunk)
{
    (void)member;
    const struct update *u = context;
    denormals_flush();
    u->optim->squares[chunk] =
        u->kernels->square_sum(chunk_size(u->nn, chunk), u->nn->grad + chunk * CHUNK);
}

double optim_grad_norm(const struct optim *o, const struct nn *nn, const struct kernels *k)
{
    struct update u = {.optim = o, .nn = nn, .kernels = k};
    long chunks = chunks_of(nn);
    double sum = 0;
    team_run(o->team, chunks, square_chunk, &u);
    for (long i = 0; i < chunks; i++)
        sum += o->squares[i];
    return sqrt(sum);
}

/* torch.nn.utils.clip_grad_norm_: clip / (norm + 1e-6), at most 1. */
static double clip_factor(const struct optim *o, double grad_norm)
{
    double factor = o->clip > 0 ? o->clip / (grad_norm + 1e-6) : 1;
    return factor < 1 ? factor : 1;
}

static void update_chunk(void *context, int member, long chunk)
{
    (void)member;
    const struct update *u = context;
    const struct optim *o = u->optim;
    struct adamw p = u->rates;
    long n = chunk_size(u->nn, chunk), from = chunk * CHUNK;
    real *w = u->nn->data + from, *g = u->nn->grad + from;
    denormals_flush();
    if (o->name == OPTIM_ADAM) {
        /* Adam's weight decay is the L2 term's gradient, added after clipping. */
        for (long i = 0; i < n; i++)
            g[i] = g[i] * p.grad_scale + p.weight_decay * w[i];
        p.grad_scale = 1;
        p.weight_decay = 0;
    }
    u->kernels->adamw(n, &p, w, g, o->m + from, o->v + from);
}

void optim_step(struct optim *o, struct nn *nn, const struct kernels *k, double lr,
                double grad_norm)
{
    o->t++;
    struct update u = {.optim = o,
                       .nn = nn,
                       .kernels = k,
                       .rates = {
                           .lr = (real)lr,
                           .beta1 = (real)o->beta1,
                           .beta2 = (real)o->beta2,
                           .epsilon = (real)o->epsilon,
                           .weight_decay = (real)o->weight_decay,
                           .correction1 = (real)(1 - pow(o->beta1, (double)o->t)),
                           .correction2 = (real)(1 - pow(o->beta2, (double)o->t)),
                           .grad_scale = (real)clip_factor(o, grad_norm),
                       }};
    team_run(o->team, chunks_of(nn), update_chunk, &u);
}
