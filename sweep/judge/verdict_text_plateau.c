/* The head counts that may be the best: which these are, how that was found, and what it does not
 * say. */
#include <math.h>

#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

static bool is_in_plateau(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->in_plateau;
}

static bool is_in_gap(const struct writer *w, const struct verdict_row *r)
{
    return row_tested(r) && !r->in_plateau && r->heads > w->v->plateau_low &&
           r->heads < w->v->plateau_high;
}

static bool is_beaten(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return row_tested(r) && !r->among_best;
}

/* Of the plateau or, where none is shown, of those that may be the best. */
static bool is_outside(const struct writer *w, int64_t heads)
{
    const struct verdict_row *r = row_of(w->v, heads);
    return row_tested(r) && !(w->v->plateau_low ? r->in_plateau : r->among_best);
}

static bool is_beaten_at_edge(const struct writer *w, const struct verdict_row *r)
{
    return is_beaten(w, r) && verdict_at_edge(w->in, r->heads);
}

static bool is_not_compared(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->among_best && isnan(r->best_p);
}

static bool is_open(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->among_best && !r->in_plateau;
}

static void put_width(const struct writer *w, const struct verdict_row *r)
{
    put(w, "%lld", (long long)r->d_head);
}

/* "4, 8 and 16 heads (d_head 8, 4 and 2)", "4 and 8 heads (d_head 8)" */
static void put_plateau(const struct writer *w)
{
    const struct verdict *v = w->v;
    const struct verdict_row *low = row_of(v, v->plateau_low);
    bool known = true, same = true;
    put_rows(w, is_in_plateau, NULL);
    put(w, " head%s", count_rows(w, is_in_plateau) == 1 ? plural(v->plateau_low) : "s");
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].in_plateau) {
            known = known && v->row[i].d_head > 0;
            same = same && v->row[i].d_head == low->d_head;
        }
    if (!known)
        return;
    put(w, " (d_head ");
    if (same)
        put_width(w, low);
    else
        put_rows(w, is_in_plateau, put_width);
    put(w, ")");
}

/* "; 8 lies between and is left out" */
static void append_gaps(const struct writer *w)
{
    if (w->v->plateau_holes == 0)
        return;
    put(w, "; ");
    put_rows(w, is_in_gap, NULL);
    put(w, w->v->plateau_holes == 1 ? " lies between and is left out"
                                    : " lie between and are left out");
}

const char *verdict_set_name(const struct verdict *v)
{
    return isnan(v->plateau_margin) ? "confidence set"
           : v->plateau_holes       ? "set with a gap"
                                    : "plateau";
}

/* What is left out may be better beyond the values that it was given. */
static void append_edges(const struct writer *w)
{
    put_edges(w, is_outside, "; this is about the values tried: of those left out, ");
}

/* With a margin: what is shown to be within it of the best. One head count of widely spread trials
 * forbids to say so of any. A plateau has no gaps. */
static void write_equivalent(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = count_rows(w, is_in_plateau);
    double margin = v->plateau_margin;
    bool with_best = row_of(v, v->best)->in_plateau;
    if (n == 0) {
        put(w, "No plateau is shown");
        put_after(w);
        put(w, ": ");
        put_rows(w, is_among_best, NULL);
        put(w, " heads cannot be told apart from the best, but none is");
    } else {
        put(w, v->plateau_holes ? "No plateau" : "Plateau");
        put_after(w);
        put(w, v->plateau_holes ? ", but a set with a gap: " : ": ");
        put_plateau(w);
        if (n > 1)
            put(w, with_best ? " are equivalent: each is" : ": each is");
        else if (with_best)
            put(w, " alone, best on validation; no other head count is");
        else
            put(w, " alone; no other head count, not even %lld, best on validation, is",
                (long long)v->best);
    }
    put(w, " shown to be within %g of the best %s", margin, test_metric(w));
    append_gaps(w);
    put(w, " (one-sided %ss, p < %.3g after correction for their number)", paired_test(w),
        1 - v->level);
    if (n > 1 && !with_best) {
        put(w, "; ");
        put_heads(w, v->best);
        put(w, ", best on validation, %s not", verb(v->best));
    } else if (n == 1 && count_rows(w, is_open) > 0) { /* one alone would read as a peak */
        put(w, "; ");
        put_rows(w, is_open, NULL);
        put(w, " cannot be told apart from the best");
    }
    append_edges(w);
}

/* Without: the set that contains the best. */
static void write_set(const struct writer *w)
{
    double percent = 100 * w->v->level;
    put(w, "Confidence set");
    put_after(w);
    put(w, ": ");
    put_plateau(w);
    if (count_rows(w, is_in_plateau) == 1) {
        put(w, " alone, with %.3g%% confidence the best of the head counts %s", percent, tried(w));
    } else {
        put(w, " cannot be told apart from the best");
        append_gaps(w);
        put(w, "; with %.3g%% confidence the best of the head counts %s is among them", percent,
            tried(w));
    }
    append_edges(w);
}

static bool is_compared(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return !isnan(r->best_p);
}

void write_plateau(const struct writer *w)
{
    if (count_rows(w, is_compared) == 0)
        return;
    if (isnan(w->v->plateau_margin))
        write_set(w);
    else
        write_equivalent(w);
}

bool is_left_out(const struct writer *w, int64_t heads)
{
    return w->v->kind != VERDICT_ALL_EQUAL && count_rows(w, is_compared) > 0 &&
           (is_outside(w, heads) || is_beaten(w, row_of(w->v, heads)));
}

/* One that stays in only because every other one is beaten as well. */
static bool is_in_circle(const struct writer *w, const struct verdict_row *r)
{
    return r->among_best && r->best_p < 1 - w->v->level;
}

void write_among_best(const struct writer *w)
{
    const struct verdict *v = w->v;
    int set = count_rows(w, is_among_best), comparisons = v->finished - 1;
    int not_compared = count_rows(w, is_not_compared);
    if (v->best == 0 || comparisons < 1 || not_compared == v->finished)
        return;
    bool circle = count_rows(w, is_in_circle) > 0;
    if (circle) {
        put(w, "Each head count is beaten by another");
    } else if (set == v->finished) {
        put(w, "No head count beats another");
    } else if (isnan(v->plateau_margin)) {
        put(w, "A head count is left out of the confidence set where another beats it");
    } else {
        put(w, "With %.3g%% confidence the best of the head counts %s is %s", 100 * v->level,
            tried(w), set > 1 ? "one of " : "");
        put_rows(w, is_among_best, NULL);
        put(w, ": ");
        put_rows(w, is_beaten, NULL);
        put(w, set == v->finished - 1 ? " is beaten by another" : " are beaten by others");
    }
    put(w, " in a one-sided %s at p < %.3g (%.3g / %d comparison%s)", paired_test(w),
        (1 - v->level) / comparisons, 1 - v->level, comparisons, plural(comparisons));
    if (circle)
        put(w, ", which shows nothing where %ss are missing", v->unit);
    if (count_rows(w, is_beaten_at_edge) && !isnan(v->plateau_margin)) {
        put(w, "; this is about the values tried, and beyond them ");
        put_rows(w, is_beaten_at_edge, NULL);
        put(w, " may be better");
    }
    if (not_compared > 0)
        put(w, ". %d head count%s could not be compared, for want of %ss, and %s in", not_compared,
            plural(not_compared), v->unit, not_compared == 1 ? "stays" : "stay");
    if (set > 1 && isnan(v->plateau_margin))
        put(w, ". Not told apart is not shown to be equal: `equivalence` in the sweep file tests "
               "that");
}
