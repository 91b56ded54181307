/* Measures that are means over rows of attention weights: of each query that counts, a number by
 * head. */
#ifndef ENGINE_MEASURES_ROWS_H
#define ENGINE_MEASURES_ROWS_H

#include "engine/measures/measure.h"

/* A number of the row w (T) of query i, which sees `keys` keys. */
typedef double (*rows_number)(const real *w, long T, long i, int32_t keys);

/* (H) sums, and the number of rows: a measure's `kept`. */
size_t rows_kept(const struct measure_view *v);

/* Adds the number of every row that sees at least `least` keys. */
void rows_add(const struct measure_view *v, double *sum, int32_t least, rows_number number);

/* The means: a measure's `value`. */
void rows_mean(const struct measure_view *v, double *sum, double *out);

#endif
