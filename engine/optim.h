/* Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019) on the flat parameter buffer,
 * with clipping by global norm (Pascanu, Mikolov, Bengio 2013). Numerically torch.optim.AdamW /
 * Adam(weight_decay as L2) and torch.nn.utils.clip_grad_norm_. */
#ifndef ENGINE_OPTIM_H
#define ENGINE_OPTIM_H

#include "engine/base/team.h"
#include "engine/kernels/kernels.h"
#include "engine/nn.h"

enum optim_name { OPTIM_ADAMW, OPTIM_ADAM };

struct optim {
    enum optim_name name;
    double beta1, beta2, epsilon, weight_decay;
    double clip;       /* largest gradient norm; 0: no clipping */
    real *m, *v;       /* (nn->size): first and second moment */
    int64_t t;         /* steps taken */
    struct team *team; /* who shares the work; NULL: the calling thread alone */
    double *squares;   /* of the gradients of each chunk */
};

/* Allocates zeroed moments and room to add up; the caller sets the other members. */
void optim_init(struct arena *a, struct optim *o, const struct nn *nn);

/* Global gradient norm before clipping. */
double optim_grad_norm(const struct optim *o, const struct nn *nn, const struct kernels *k);

/* One step with learning rate lr, given the norm from optim_grad_norm. */
void optim_step(struct optim *o, struct nn *nn, const struct kernels *k, double lr,
                double grad_norm);

#endif
