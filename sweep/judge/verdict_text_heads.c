/* Head counts, in words: how few trials they have, how these lie, which failed; which are
 * equivalent to the best, which may be the best, and how that was found. */
#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

/* ---- single head counts ---- */

static const struct verdict_row *this_row(const struct writer *w)
{
    return &w->v->row[w->item];
}

void write_one_unit(const struct writer *w)
{
    int most = 0;
    for (int i = 0; i < w->v->rows; i++)
        most = w->v->row[i].test.n > most ? w->v->row[i].test.n : most;
    if (most == 1 && w->v->preliminary)
        put(w, "At most one %s per head count has ended: no interval and no test is possible yet",
            w->v->unit);
    else if (most == 1)
        put(w,
            "One %s per head count: no interval and no test is possible. Run at least two, "
            "better eight or more",
            w->v->unit);
}

static void put_cluster(const struct writer *w, const struct verdict_cluster *c, const char *what)
{
    put(w, "%d%s at %.3f", c->n, what, c->low);
    if (c->n > 1 && c->low != c->high)
        put(w, " to %.3f", c->high);
}

ROW_TEST(is_apart, r->apart)

/* "2 heads (7 trials at 0.977 to 0.979 and 1 at 1.000; median 0.978)" */
static void put_apart(const struct writer *w, const struct verdict_row *r)
{
    put_arm(w, r->arm);
    put(w, " (");
    put_cluster(w, &r->clusters[0], r->clusters[0].n == 1 ? " trial" : " trials");
    put(w, " and ");
    put_cluster(w, &r->clusters[1], "");
    put(w, "; median %.3f", r->test.median);
    if (!isnan(r->median_low))
        put(w, ", 95%% interval %.3f to %.3f", r->median_low, r->median_high);
    put(w, ")");
}

void write_trials_apart(const struct writer *w)
{
    int n = count_rows(w, is_apart);
    if (n == 0)
        return;
    put(w, "Trials fall into two groups with ");
    put_rows(w, is_apart, put_apart);
    put(w, ", and the mean describes neither");
}

/* Where another head count did worse. */
static void put_never_better(const struct writer *w, const struct verdict_row *r)
{
    double sign = w->in->loss ? -1 : 1;
    bool better = false;
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *other = &w->v->row[i];
        better = better || (row_tested(other) && (sign * (r->test.mean - other->test.mean) > 0 ||
                                                  sign * (r->val_mean - other->val_mean) > 0));
    }
    if (r->mostly_bad && better && w->v->best != 0)
        put(w, ". A head count that loses more than half of its trials in this way is never called "
               "better than another");
}

void write_bad(const struct writer *w)
{
    const struct verdict_row *r = this_row(w);
    int ended = w->in->arm[w->item].n;
    if (r->bad == 0)
        return;
    if (r->bad == ended && ended > 1)
        put(w, "All %d trials with ", ended);
    else
        put(w, "%d of %d trial%s with ", r->bad, ended, text_plural(ended));
    put_arm(w, r->arm);
    put(w, " diverged or failed and ");
    if (isnan(w->v->guess)) {
        put(w, "%s left out, as what guessing gets is not known", verb(r->bad));
        put_never_better(w, r);
        return;
    }
    put(w, "count%s as guessing (%s %.3g%s)", r->bad == 1 ? "s" : "", test_metric(w), w->v->guess,
        w->v->guess_varies ? " on average" : "");
    if (!isnan(r->completed_mean))
        put(w, "; the mean of the others is %.3f", r->completed_mean);
    put_never_better(w, r);
}

/* As many equal units as the head count that is written about has. */
ROW_TEST(is_equal_alike,
         r->test.all_equal && r->bad == 0 && r->limited == 0 && r->test.n == this_row(w)->test.n)

/* Said by the first of those that have as many, for all of them. */
void write_all_equal(const struct writer *w)
{
    const struct verdict_row *r = w->v->row;
    while (r < this_row(w) && !is_equal_alike(w, r))
        r++;
    if (r < this_row(w) || !is_equal_alike(w, r))
        return;
    put_arms_of(w, is_equal_alike);
    put(w, ": all %d %ss gave the same %s, so there is no spread to compute an interval from",
        r->test.n, w->v->unit, test_metric(w));
}

/* Has its trials in common with the same setting as the head count that is written about. */
static bool is_shared_alike(const struct writer *w, const struct verdict_row *r)
{
    const char *own = w->in->arm[w->item].shared, *other = w->in->arm[r - w->v->row].shared;
    return own && other && strcmp(own, other) == 0;
}

/* Said by the first of those that share with one setting, for all of them. */
void write_shared(const struct writer *w)
{
    const struct verdict_row *r = w->v->row;
    while (r < this_row(w) && !is_shared_alike(w, r))
        r++;
    if (r < this_row(w) || !is_shared_alike(w, r))
        return;
    put(w, "The trials with ");
    put_arms_of(w, is_shared_alike);
    put(w, " are also those of the setting %s; as evidence they count once",
        w->in->arm[w->item].shared);
}

/* ---- which are as good as the best ---- */

ROW_TEST(is_compared, !isnan(r->best_p))
ROW_TEST(is_not_compared, isnan(r->best_p) && r->among_best)
ROW_TEST(is_beaten, row_tested(r) && !r->among_best)
ROW_TEST(is_in_plateau, r->in_plateau)
ROW_TEST(is_in_gap, row_tested(r) && !r->in_plateau && r->arm > w->v->plateau_low &&
                        r->arm < w->v->plateau_high)

/* Of the plateau or, where none is shown, of those that may be the best. */
static bool is_outside(const struct writer *w, int64_t arm)
{
    const struct verdict_row *r = row_of(w->v, arm);
    return row_tested(r) && !(w->v->plateau_low ? r->in_plateau : r->among_best);
}

static void put_width(const struct writer *w, const struct verdict_row *r)
{
    put(w, "%lld", (long long)r->d_head);
}

/* "4, 8 and 16 heads (d_head 8, 4 and 2)", "4 and 8 heads (d_head 8)" */
static void put_set(const struct writer *w, row_test *chosen)
{
    const struct verdict *v = w->v;
    const struct verdict_row *first = NULL;
    bool known = true, same = true;
    for (int i = 0; i < v->rows; i++)
        if (chosen(w, &v->row[i])) {
            first = first ? first : &v->row[i];
            known = known && v->row[i].d_head > 0;
            same = same && v->row[i].d_head == first->d_head;
        }
    put_arms_of(w, chosen);
    if (!known)
        return;
    put(w, " (d_head ");
    if (same && first)
        put_width(w, first);
    else
        put_rows(w, chosen, put_width);
    put(w, ")");
}

const char *verdict_set_name(const struct verdict *v)
{
    return isnan(v->plateau_margin) ? "confidence set"
           : v->plateau_holes       ? "set with a gap"
                                    : "plateau";
}

/* With a margin: what is shown to be within it of the best. One head count of widely spread trials
 * forbids to say so of any. Names its gaps. */
void write_equivalent(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = count_rows(w, is_in_plateau);
    if (isnan(v->plateau_margin) || count_rows(w, is_compared) == 0)
        return;
    if (n == 0) {
        put(w, "No head count is");
    } else {
        put(w, n == 1 ? "Only " : "");
        put_set(w, is_in_plateau);
        put(w, n == 1 ? " %s" : " are", verb(v->plateau_low));
    }
    put(w, " shown to be %s", n > 1 ? "equivalent" : "");
    if (n > 1) {
        put_after(w);
        put(w, ": each is ");
    }
    put(w, "within %g of the best %s", v->plateau_margin, test_metric(w));
    if (n < 2)
        put_after(w);
    put(w, ", with %.3g%% confidence", 100 * v->level);
    if (v->plateau_holes) {
        put(w, "; ");
        put_rows(w, is_in_gap, NULL);
        put(w, v->plateau_holes == 1 ? ", which lies between, is not"
                                     : ", which lie between, are not");
    }
    if (n > 0 && !row_of(v, v->best)->in_plateau) {
        put(w, "; ");
        put_arm(w, v->best);
        put(w, ", best on validation, %s not", verb(v->best));
    }
    put(w, "%s", any_edge(w, is_outside) ? "; this is about the values tried" : "");
}

/* One that stays in only because every other one is beaten as well. */
ROW_TEST(is_in_circle, r->among_best && r->best_p < 1 - w->v->level)

/* Whether any two could be compared. */
static bool has_set(const struct writer *w)
{
    const struct verdict *v = w->v;
    return v->best != 0 && v->finished > 1 && count_rows(w, is_not_compared) < v->finished;
}

ROW_TEST(is_worse_by_little, is_beaten(w, r) && r->in_plateau)

/* Equivalent to the best and yet worse than another: no contradiction, if it is said by how much.
 */
static void put_worse_by_little(const struct writer *w)
{
    if (count_rows(w, is_worse_by_little) == 0)
        return;
    put(w, " (");
    put_rows(w, is_worse_by_little, NULL);
    put(w, " by less than the margin, %g)", w->v->plateau_margin);
}

static void put_could_be_best(const struct writer *w)
{
    int set = count_rows(w, is_among_best), beaten = count_rows(w, is_beaten);
    if (count_rows(w, is_in_circle) > 0) {
        put(w, "Each head count is shown to be worse than another one");
        put_after(w);
        put(w, ", which shows nothing where %ss are missing", w->v->unit);
    } else if (beaten == 0) {
        put(w, "No head count is shown to be worse than another one");
        put_after(w);
        put(w, ": each of those %s could be the best", tried(w));
    } else {
        put(w, "The best of the head counts %s", tried(w));
        put_after(w);
        put(w, set > 1 ? " is one of " : " is ");
        put_set(w, is_among_best);
        put(w, ", with %.3g%% confidence; ", 100 * w->v->level);
        put_rows(w, is_beaten, NULL);
        put(w, beaten > 1 ? " are each shown to be worse than another one"
                          : " is shown to be worse than another one");
        put_worse_by_little(w);
    }
}

static bool is_left_behind(const struct writer *w, int64_t arm)
{
    return is_beaten(w, row_of(w->v, arm));
}

/* The set that contains the best. Said with a margin as well, of which what is equivalent tells
 * nothing. */
void write_could_be_best(const struct writer *w)
{
    int not_compared = count_rows(w, is_not_compared);
    if (!has_set(w))
        return;
    put_could_be_best(w);
    if (not_compared > 0)
        put(w, "; %d head count%s could not be compared, for want of %ss, and may be the best",
            not_compared, text_plural(not_compared), w->v->unit);
    put(w, "%s", any_edge(w, is_left_behind) ? "; this is about the values tried" : "");
}

ROW_TEST(is_best_by_values, r->among_best && r->best_by_values && !(r->best_p < 1 - w->v->level))

ROW_TEST(is_close_by_values, r->in_plateau && r->plateau_by_values)

/* Those that are in a set as they are never worse than another one of it. */
static void put_by_values(const struct writer *w, row_test *chosen)
{
    if (count_rows(w, chosen) == 0)
        return;
    put(w, "; ");
    put_rows(w, chosen, NULL);
    put(w, " as well, at least as good as such a one at every %s", w->v->unit);
}

void write_could_be_best_method(const struct writer *w)
{
    int comparisons = w->v->finished - 1;
    if (!has_set(w))
        return;
    put(w,
        "A head count cannot be the best if another is better in a one-sided %s at p < %s (%s / "
        "%d comparison%s)",
        paired_test(w), fraction_text((1 - w->v->level) / comparisons).text,
        fraction_text(1 - w->v->level).text, comparisons, text_plural(comparisons));
    put_by_values(w, is_best_by_values);
}

void write_not_equal(const struct writer *w)
{
    if (has_set(w) && count_rows(w, is_among_best) > 1 && isnan(w->v->plateau_margin))
        put(w, "Failing to tell head counts apart does not show that they are equal: "
               "`equivalence` in the sweep file tests that");
}

void write_equivalent_method(const struct writer *w)
{
    if (isnan(w->v->plateau_margin) || count_rows(w, is_compared) == 0)
        return;
    put(w,
        "A head count is equivalent to the best if each comparison with another one shows that "
        "it is less than %g worse (one-sided %s, p < %s, corrected for the number of head "
        "counts: Holm 1979)",
        w->v->plateau_margin, paired_test(w), fraction_text(1 - w->v->level).text);
    put_by_values(w, is_close_by_values);
}
