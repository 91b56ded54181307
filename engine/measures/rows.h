/* Measures that are means over rows of attention weights: of each query that counts, a number by
 * head. */
#ifndef ENGINE_MEASURES_ROWS_H
#define ENGINE_MEASURES_ROWS_H

#include <math.h>

#include "engine/measures/measure.h"

/* A number of the row w (T) of query i, which sees `keys` keys. */
typedef double (*rows_number)(const real *w, long T, long i, int32_t keys);

/* The sum of term(w[j], |i-j|) over the row. First all terms, then their sum in lanes: each is a
 * loop that the compiler turns into vectors. */
typedef float (*rows_term)(float w, float distance);

__attribute__((always_inline)) static inline double rows_sum(const real *w, long T, long i,
                                                             rows_term term)
{
    enum { LANES = 8, CHUNK = 16 * LANES };
    float number[CHUNK], lane[LANES] = {0};
    for (long from = 0; from < T; from += CHUNK) {
        int n = (int)(T - from < CHUNK ? T - from : CHUNK), at = (int)(i - from), k = 0;
        for (int j = 0; j < n; j++)
            number[j] = term((float)w[from + j], fabsf((float)(at - j)));
        for (; n % LANES; n++)
            number[n] = 0;
        for (; k < n; k += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] += number[k + l];
    }
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += (double)lane[l];
    return sum;
}

/* (H) sums, and the number of rows: a measure's `kept`. */
size_t rows_kept(const struct measure_view *v);

/* Adds the number of every row that sees at least `least` keys. */
void rows_add(const struct measure_view *v, double *sum, int32_t least, rows_number number);

/* The means: a measure's `value`. */
void rows_mean(const struct measure_view *v, double *sum, double *out);

#endif
