/* The verdict in words: what all sentences are made of. */
#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_text_parts.h"

const char *verb(int64_t n)
{
    return n == 1 ? "is" : "are";
}

const char *separator(int i, int n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

void put_heads(const struct writer *w, int64_t heads)
{
    if (w->in->sides)
        put(w, "%s", w->in->sides->name[heads - 1]);
    else
        put(w, "%lld head%s", (long long)heads, text_plural(heads));
}

void put_rival(const struct writer *w, int64_t heads)
{
    if (w->in->sides)
        put_heads(w, heads);
    else
        put(w, "%lld", (long long)heads);
}

void put_p(const struct writer *w, double p)
{
    if (p < 1e-4)
        put(w, "p < .0001");
    else
        put(w, "p = %s", fraction_text(p).text);
}

void put_difference(const struct writer *w, double x)
{
    if (x == 0)
        put(w, "0");
    else
        put(w, fabs(x) < .0005 ? "%+.1g" : "%+.3f", x);
}

const char *test_metric(const struct writer *w)
{
    return w->in->loss ? "test loss" : "test accuracy";
}

void put_loss_bits(const struct writer *w, double loss)
{
    if (verdict_has_bits(w->in))
        put(w, " nats or %.3f bits per byte", loss / M_LN2);
}

void put_difference_bits(const struct writer *w, double loss)
{
    if (!verdict_has_bits(w->in))
        return;
    put(w, " nats or ");
    put_difference(w, loss / M_LN2);
    put(w, " bits per byte");
}

void put_interval(const struct writer *w)
{
    put(w, "%.3g%% interval%s", 100 * w->v->level, verdict_has_bits(w->in) ? " in nats" : "");
}

/* Whether all comparisons with rivals go over blocks too; fewest and most: the seeds of each. */
static bool over_blocks(const struct verdict *v, int *fewest, int *most)
{
    *fewest = *most = v->rivals ? v->rival[0].pair.n : 0;
    for (int i = 0; i < v->rivals; i++) {
        const struct verdict_rival *r = &v->rival[i];
        if (!crossed_testable(&r->crossed))
            return false;
        *fewest = r->pair.n < *fewest ? r->pair.n : *fewest;
        *most = r->pair.n > *most ? r->pair.n : *most;
    }
    return v->rivals > 0;
}

const char *paired_test(const struct writer *w)
{
    return w->v->blocks ? "paired t test over seeds and blocks" : "paired t test";
}

const char *val_metric(const struct writer *w)
{
    return w->in->loss ? "validation loss" : "validation accuracy";
}

const struct verdict_row *row_of(const struct verdict *v, int64_t heads)
{
    int i = 0;
    while (i < v->rows - 1 && v->row[i].heads != heads)
        i++;
    return &v->row[i];
}

bool is_unfinished(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->limited > 0;
}

bool is_among_best(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->among_best;
}

int count_rows(const struct writer *w, row_test *chosen)
{
    int n = 0;
    for (int i = 0; i < w->v->rows; i++)
        n += chosen(w, &w->v->row[i]);
    return n;
}

void put_rows(const struct writer *w, row_test *chosen,
              void (*put_item)(const struct writer *w, const struct verdict_row *r))
{
    int n = count_rows(w, chosen), seen = 0;
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *r = &w->v->row[i];
        if (!chosen(w, r))
            continue;
        put(w, "%s", separator(seen++, n));
        if (put_item)
            put_item(w, r);
        else
            put(w, "%lld", (long long)r->heads);
    }
}

/* Whether the finding names its budget where it begins: there it is read. */
static bool opens_with_steps(const struct writer *w)
{
    return w->in->steps > 0 && w->in->decays;
}

void put_after(const struct writer *w)
{
    if (opens_with_steps(w))
        put(w, " after %lld step%s", (long long)w->in->steps, text_plural(w->in->steps));
}

/* " at lr 0.003 for all"; "" where it is not known, or tuned. */
static void put_rate(const struct writer *w, bool comma)
{
    const struct verdict_input *in = w->in;
    bool same = true;
    if (tunes_rate(in))
        return;
    for (int i = 0; i < in->count; i++) {
        if (!in->heads[i].lr)
            return;
        same = same && !strcmp(in->heads[i].lr, in->heads[0].lr);
    }
    if (same) {
        put(w, "%s at lr %s for all", comma ? "," : "", in->heads[0].lr);
        return;
    }
    if (in->sides) /* their names say it */
        return;
    put(w, "%s at lr ", comma ? "," : "");
    for (int i = 0; i < in->count; i++)
        put(w, "%s%s with %lld", separator(i, in->count), in->heads[i].lr,
            (long long)in->heads[i].heads);
}

/* What the finding was made on: ", on this task instance". */
static void put_sample(const struct writer *w)
{
    static const char *const one[] = {[VERDICT_TOY] = "task instance",
                                      [VERDICT_ROWS] = "split of the file",
                                      [VERDICT_TEXT] = "text"};
    int fewest, most;
    if (w->v->units > 0)
        put(w, ", over %d %s%s", w->v->units, w->v->unit, text_plural(w->v->units));
    else if (!over_blocks(w->v, &fewest, &most))
        put(w, ", on this %s", one[w->in->data]);
    else if (fewest == most)
        put(w, ", over %d seeds and %d blocks of the test text", most, w->in->blocks);
    else
        put(w, ", over %d to %d seeds and %d blocks of the test text", fewest, most, w->in->blocks);
}

void put_scope(const struct writer *w)
{
    bool within = w->in->steps > 0 && !opens_with_steps(w);
    if (within)
        put(w, ", within %lld step%s", (long long)w->in->steps, text_plural(w->in->steps));
    put_rate(w, !within);
    put_tuned(w);
    put_sample(w);
    if (w->v->units > 0 && strcmp(w->v->unit, "replicate") == 0)
        put(w, " (%s)", w->in->replicated);
}

void put_similar(const struct writer *w)
{
    const struct verdict_similar *similar = &w->in->similar;
    put(w, "%lld trial%s like these had ended, which differ%s in ", (long long)similar->trials,
        text_plural(similar->trials), similar->trials == 1 ? "s" : "");
    for (int i = 0; i < similar->count; i++)
        put(w, "%s%s", separator(i, similar->count), similar->differ[i]);
}
