/* How much of the projection that mixes the heads' outputs belongs to each: the squared Frobenius
 * norm of its columns of W_O over that of all of them. */
#include "engine/measures/measure.h"

static const struct measure_column columns[] = {
    {"wo_share", "its share of the squared norm of the output projection"},
    {0},
};

static void value(const struct measure_view *v, double *sum, double *out)
{
    (void)sum;
    const struct tensor *w = v->encoder->layer[v->layer].out_proj_weight; /* (C,H*d_v) */
    long H = v->attention.H, d_v = v->attention.d_v;
    double all = 0;
    for (long h = 0; h < H; h++)
        out[h] = 0;
    for (long i = 0; i < tensor_size(w); i++) {
        double square = (double)w->data[i] * (double)w->data[i];
        out[i / d_v % H] += square;
        all += square;
    }
    for (long h = 0; h < H; h++)
        out[h] /= all;
}

const struct measure measure_wo_share = {.level = MEASURE_HEAD, .columns = columns, .value = value};
