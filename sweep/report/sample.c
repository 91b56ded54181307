#include "sweep/report/sample.h"

#include <math.h>
#include <string.h>

void sample_add(struct scope *x, struct sample *s, int64_t unit, double value)
{
    s->unit = arena_grow(&x->arena, s->unit, (size_t)s->n, sizeof *s->unit);
    s->value = arena_grow(&x->arena, s->value, (size_t)s->n, sizeof *s->value);
    s->unit[s->n] = unit;
    s->value[s->n++] = value;
}

void sample_finish(struct scope *x, struct sample *s, enum stats_scale scale)
{
    double *sorted = arena_alloc(&x->arena, (size_t)s->n, sizeof *sorted);
    if (s->n)
        memcpy(sorted, s->value, (size_t)s->n * sizeof *sorted);
    s->summary = stats_summarize(sorted, s->n, scale);
}

struct compare_result sample_difference(const struct sample *a, const struct sample *b,
                                        bool same_task)
{
    struct compare_sample none = {0}, from = none, to = none;
    if (a)
        from = (struct compare_sample){a->n, a->unit, a->value};
    if (b)
        to = (struct compare_sample){b->n, b->unit, b->value};
    return compare_samples(&from, &to, same_task);
}

const struct sample NO_SAMPLE = {.summary = {
                                     .mean = NAN,
                                     .sd = NAN,
                                     .low = NAN,
                                     .high = NAN,
                                     .min = NAN,
                                     .median = NAN,
                                     .max = NAN,
                                 }};

void sample_interval(struct table *t, const void *sample)
{
    const struct sample *s = sample;
    if (s->n == 0)
        table_text(t, "");
    else if (s->n == 1)
        table_text(t, "only one");
    else if (s->summary.all_equal)
        table_printf(t, "all %d equal", s->n);
    else
        table_printf(t, "[%.3f, %.3f]", s->summary.low, s->summary.high);
}

void sample_difference_mean(struct table *t, const void *result)
{
    const struct compare_result *r = result;
    char mean[32];
    table_text(t, r->test == COMPARE_NOTHING ? "" : text_signed(r->mean, 3, mean, sizeof mean));
}

void sample_difference_interval(struct table *t, const void *result)
{
    const struct compare_result *r = result;
    char low[32], high[32];
    if (r->test == COMPARE_NOTHING || isnan(r->low))
        table_text(t, "");
    else
        table_printf(t, "[%s, %s]", text_signed(r->low, 3, low, sizeof low),
                     text_signed(r->high, 3, high, sizeof high));
}

void sample_difference_test(struct table *t, const void *result)
{
    table_text(t, compare_test_name(((const struct compare_result *)result)->test));
}
