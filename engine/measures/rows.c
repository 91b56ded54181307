#include "engine/measures/rows.h"

size_t rows_kept(const struct measure_view *v)
{
    return (size_t)v->attention.H + 1;
}

void rows_add(const struct measure_view *v, double *sum, int32_t least, rows_number number)
{
    long H = v->attention.H, T = v->attention.T;
    for (long b = 0; b < v->attention.B; b++)
        for (long i = 0; i < T; i++) {
            int32_t keys = v->keys[b * T + i];
            if (keys < least)
                continue;
            for (long h = 0; h < H; h++)
                sum[h] += number(v->weights + ((b * H + h) * T + i) * T, T, i, keys);
            sum[H]++;
        }
}

void rows_mean(const struct measure_view *v, double *sum, double *out)
{
    for (long h = 0; h < v->attention.H; h++)
        out[h] = sum[h] / sum[v->attention.H];
}
