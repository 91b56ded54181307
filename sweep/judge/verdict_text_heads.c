/* Single head counts, in words: how few trials they have, how these lie, which failed. */
#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_text_parts.h"

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

static bool is_apart(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->apart;
}

/* "2 heads (7 trials at 0.977 to 0.979 and 1 at 1.000; median 0.978)" */
static void put_apart(const struct writer *w, const struct verdict_row *r)
{
    put_heads(w, r->heads);
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
    int ended = w->in->heads[w->item].n;
    if (r->bad == 0)
        return;
    if (r->bad == ended && ended > 1)
        put(w, "All %d trials with ", ended);
    else
        put(w, "%d of %d trial%s with ", r->bad, ended, text_plural(ended));
    put_heads(w, r->heads);
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
static bool is_equal_alike(const struct writer *w, const struct verdict_row *r)
{
    return r->test.all_equal && r->bad == 0 && r->limited == 0 && r->test.n == this_row(w)->test.n;
}

/* Said by the first of those that have as many, for all of them. */
void write_equal_units(const struct writer *w)
{
    const struct verdict_row *r = w->v->row;
    while (r < this_row(w) && !is_equal_alike(w, r))
        r++;
    if (r < this_row(w) || !is_equal_alike(w, r))
        return;
    put_rows(w, is_equal_alike, NULL);
    put(w,
        " head%s: all %d %ss gave the same %s, so there is no spread to compute an interval from",
        count_rows(w, is_equal_alike) == 1 ? text_plural(r->heads) : "s", r->test.n, w->v->unit,
        test_metric(w));
}

/* Has its trials in common with the same setting as the head count that is written about. */
static bool is_shared_alike(const struct writer *w, const struct verdict_row *r)
{
    const char *own = w->in->heads[w->item].shared, *other = w->in->heads[r - w->v->row].shared;
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
    put_rows(w, is_shared_alike, NULL);
    put(w, " head%s are also those of the setting %s; as evidence they count once",
        count_rows(w, is_shared_alike) == 1 ? text_plural(r->heads) : "s",
        w->in->heads[w->item].shared);
}
