#include "sweep/report/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

bool sample_add(struct sample *s, int64_t unit, double value)
{
    int64_t *units = array_grow(s->unit, (size_t)s->n, sizeof *units);
    if (units)
        s->unit = units;
    double *values = units ? array_grow(s->value, (size_t)s->n, sizeof *values) : NULL;
    if (!values)
        return false;
    s->value = values;
    s->unit[s->n] = unit;
    s->value[s->n++] = value;
    return true;
}

bool sample_finish(struct sample *s, enum stats_scale scale)
{
    double *sorted = malloc(((size_t)s->n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    if (s->n)
        memcpy(sorted, s->value, (size_t)s->n * sizeof *sorted);
    s->summary = stats_summarize(sorted, s->n, scale);
    free(sorted);
    return true;
}

void sample_free(struct sample *s)
{
    free(s->unit);
    free(s->value);
    *s = (struct sample){0};
}

struct compare_result sample_difference(const struct sample *a, const struct sample *b)
{
    struct compare_sample none = {0}, from = none, to = none;
    if (a)
        from = (struct compare_sample){a->n, a->unit, a->value};
    if (b)
        to = (struct compare_sample){b->n, b->unit, b->value};
    return compare_samples(&from, &to, true);
}

void sample_mean_cell(struct table *t, const struct sample *s)
{
    table_real(t, s ? s->summary.mean : NAN);
}

void sample_interval_cell(struct table *t, const struct sample *s)
{
    if (!s || s->n == 0)
        table_text(t, "");
    else if (s->n == 1)
        table_text(t, "only one");
    else if (s->summary.all_equal)
        table_printf(t, "all %d equal", s->n);
    else
        table_printf(t, "[%.3f, %.3f]", s->summary.low, s->summary.high);
}

/* "+0.041"; "0.000" without a sign. size >= 32 */
static const char *signed_text(double x, char *text, size_t size)
{
    snprintf(text, size, fabs(x) < .0005 ? "0.000" : "%+.3f", x);
    return text;
}

void sample_difference_cells(struct table *t, const struct compare_result *r)
{
    char low[32], high[32];
    bool compared = r->test != COMPARE_NOTHING;
    table_text(t, compared ? signed_text(r->mean, low, sizeof low) : "");
    if (compared && !isnan(r->low))
        table_printf(t, "[%s, %s]", signed_text(r->low, low, sizeof low),
                     signed_text(r->high, high, sizeof high));
    else
        table_text(t, "");
}

void sample_cells(struct table *t, const struct sample *s)
{
    table_integer(t, s ? s->n : 0);
    table_real(t, s ? s->summary.mean : NAN);
    table_real(t, s ? s->summary.low : NAN);
    table_real(t, s ? s->summary.high : NAN);
}

void sample_difference_numbers(struct table *t, const struct compare_result *r)
{
    table_real(t, r->mean);
    table_real(t, r->low);
    table_real(t, r->high);
    table_text(t, compare_test_name(r->test));
}
