/* What is left without a head: accuracy and loss with its gate at 0. */
#include "engine/measures/measure.h"

enum { ACC, LOSS, COLUMNS };

static const struct measure_column columns[] = {
    [ACC] = {"ablation_acc", "accuracy without the head"},
    [LOSS] = {"ablation_loss", "loss without the head"},
    {0},
};

/* (H,2) right targets and loss, then the number of targets */
static size_t kept(const struct measure_view *v)
{
    return (size_t)(v->attention.H * COLUMNS + 1);
}

static void add(const struct measure_view *v, double *sum)
{
    for (long h = 0; h < v->attention.H; h++) {
        sum[h * COLUMNS + ACC] += (double)v->ablated_right[h];
        sum[h * COLUMNS + LOSS] += v->ablated_loss[h];
    }
    sum[v->attention.H * COLUMNS] += (double)v->targets;
}

static void value(const struct measure_view *v, double *sum, double *out)
{
    long n = v->attention.H * COLUMNS;
    for (long i = 0; i < n; i++)
        out[i] = sum[i] / sum[n];
}

const struct measure measure_ablation = {
    .level = MEASURE_HEAD,
    .needs = MEASURE_ABLATION,
    .columns = columns,
    .kept = kept,
    .add = add,
    .value = value,
};
