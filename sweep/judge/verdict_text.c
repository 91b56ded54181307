/* The verdict in words: what all sentences are made of; under tune, what head counts were given and
 * chose. */
#include "sweep/judge/verdict_text.h"

#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_text_parts.h"

/* ---- groups of arms ---- */

/* Arms that chose, of which the same is said, are told together. */
struct grouping {
    const struct writer *w;
    bool (*alike)(const struct grouping *g, int i, int k); /* i with itself: it is told at all */
    int axis;                                              /* of values and edges */
    const struct verdict_axis *usual; /* of values: as most arms were given it */
    arm_test *meant;                  /* of edges: whose are told */
};

/* NULL: the arm does not choose. */
static const struct verdict_axis *axis_of(const struct verdict_input *in, int i, int axis)
{
    return axis < in->arm[i].axes ? &in->arm[i].axis[axis] : NULL;
}

/* Whether arm i is the first of its group. */
static bool leads(const struct grouping *g, int i)
{
    bool first = g->alike(g, i, i);
    for (int k = 0; k < i && first; k++)
        first = !g->alike(g, i, k);
    return first;
}

/* Ends "1, 2 and 4 heads", a list of n arms with that last one. Whether it is "1 head", or one
 * name.
 */
static bool end_list(const struct writer *w, int n, int64_t last)
{
    bool one = n == 1 && is_one(w, last);
    if (!w->in->named)
        put(w, " head%s", one ? "" : "s");
    return one;
}

/* "1, 2 and 4 heads": the group that arm `first` leads. Whether it is one. */
static bool put_group(const struct grouping *g, int first)
{
    const struct verdict_input *in = g->w->in;
    int n = 0, seen = 0;
    for (int i = first; i < in->count; i++)
        n += g->alike(g, first, i);
    for (int i = first; i < in->count; i++)
        if (g->alike(g, first, i)) {
            put(g->w, "%s", separator(seen++, n));
            put_rival(g->w, in->arm[i].id);
        }
    return end_list(g->w, n, in->arm[first].id);
}

static const char *chosen_text(const struct verdict_axis *a)
{
    return a->value[a->chosen].text;
}

/* ---- what was given ---- */

/* "lr" */
static const char *axis_name(const struct verdict_axis *a)
{
    const char *dot = strrchr(a->path, '.');
    return dot ? dot + 1 : a->path;
}

static bool has_value(const struct verdict_axis *a, const char *text)
{
    bool has = false;
    for (int i = 0; i < a->values; i++)
        has = has || strcmp(a->value[i].text, text) == 0;
    return has;
}

/* Whether a has all values of b. */
static bool has_all(const struct verdict_axis *a, const struct verdict_axis *b)
{
    bool all = true;
    for (int i = 0; i < b->values; i++)
        all = all && has_value(a, b->value[i].text);
    return all;
}

static bool same_values(const struct verdict_axis *a, const struct verdict_axis *b)
{
    return a->values == b->values && has_all(a, b);
}

/* An axis as most arms were given it; of those that as many were given, the one with the most
 * values.
 */
static const struct verdict_axis *usual_axis(const struct verdict_input *in, int axis)
{
    const struct verdict_axis *usual = NULL;
    int most = 0;
    for (int i = 0; i < in->count; i++) {
        const struct verdict_axis *a = axis_of(in, i, axis), *b;
        int n = 0;
        for (int k = 0; k < in->count && a; k++)
            n += (b = axis_of(in, k, axis)) && same_values(a, b);
        if (a && (!usual || n > most || (n == most && a->values > usual->values))) {
            usual = a;
            most = n;
        }
    }
    return usual;
}

enum { LISTED_MAX = 12 }; /* of more values, as random axes have them, a sentence gives the ends */

/* "0.001, 0.003 and 0.01": those that `but` lacks; NULL: all. Of many "0.0005 to 0.09, 200
 * values". */
static void add_values(const struct verdict_axis *a, const struct verdict_axis *but,
                       struct text_buffer *out)
{
    int n = 0, seen = 0;
    for (int i = 0; i < a->values; i++)
        n += !but || !has_value(but, a->value[i].text);
    for (int i = 0; i < a->values; i++) {
        if (but && has_value(but, a->value[i].text))
            continue;
        if (n <= LISTED_MAX)
            text_add(out, "%s%s", separator(seen, n), a->value[i].text);
        else if (seen == 0 || seen == n - 1)
            text_add(out, "%s%s", seen ? " to " : "", a->value[i].text);
        seen++;
    }
    if (n > LISTED_MAX)
        text_add(out, ", %d values", n);
}

/* Given the same values, which are not the usual ones. */
static bool same_exception(const struct grouping *g, int i, int k)
{
    const struct verdict_axis *a = axis_of(g->w->in, i, g->axis),
                              *b = axis_of(g->w->in, k, g->axis);
    return a && b && same_values(a, b) && !same_values(a, g->usual);
}

/* "4 heads: 0.001 alone", "1 and 32 heads: also 0.3": all that were given what the first was. */
static void put_exception(const struct grouping *g, int first)
{
    const struct verdict_axis *own = axis_of(g->w->in, first, g->axis);
    bool more = has_all(own, g->usual);
    put_group(g, first);
    put(g->w, ": %s", more ? "also " : "");
    add_values(own, more ? g->usual : NULL, g->w->out);
    put(g->w, "%s", own->values == 1 ? " alone" : "");
}

void verdict_text_values(const struct verdict_input *in, int axis, struct text_buffer *out)
{
    const struct writer w = {.in = in, .out = out};
    const struct grouping g = {
        .w = &w, .alike = same_exception, .axis = axis, .usual = usual_axis(in, axis)};
    int exceptions = 0;
    add_values(g.usual, NULL, out);
    for (int i = 0; i < in->count; i++)
        if (leads(&g, i)) {
            put(&w, "%s", exceptions++ ? "; " : " (");
            put_exception(&g, i);
        }
    put(&w, "%s", exceptions ? ")" : "");
}

/* Whether arms were given several values of an axis: constraints may have left one. */
static bool is_varied(const struct verdict_input *in, int axis)
{
    const struct verdict_axis *usual = usual_axis(in, axis);
    bool varied = usual && usual->values > 1;
    for (int i = 0; usual && i < in->count; i++)
        varied = varied || (axis_of(in, i, axis) && !same_values(axis_of(in, i, axis), usual));
    return varied;
}

bool tunes_rate(const struct verdict_input *in)
{
    const struct verdict_arm *tuned = verdict_tuned(in);
    bool rate = false;
    for (int a = 0; tuned && a < tuned->axes; a++)
        rate = rate || (strcmp(tuned->axis[a].path, "train.lr") == 0 && is_varied(in, a));
    return rate;
}

/* ", each head count at its own best of lr 0.001, 0.003 and 0.01"; "" without tune. */
static void put_tuned(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct verdict_arm *tuned = verdict_tuned(in);
    int told = 0;
    for (int a = 0; tuned && a < tuned->axes; a++) {
        if (!is_varied(in, a))
            continue;
        if (told++)
            put(w, ", and of ");
        else
            put(w, ", each%s at its own best of ", in->named ? "" : " head count");
        put(w, "%s ", axis_name(&tuned->axis[a]));
        verdict_text_values(in, a, w->out);
    }
}

/* ---- in every sentence ---- */

const char *verb(int64_t n)
{
    return n == 1 ? "is" : "are";
}

const char *separator(int i, int n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

bool is_one(const struct writer *w, int64_t arm)
{
    return w->in->named || arm == 1;
}

const char *arm_verb(const struct writer *w, int64_t arm)
{
    return is_one(w, arm) ? "is" : "are";
}

void put_rival(const struct writer *w, int64_t arm)
{
    if (w->in->named)
        put(w, "%s", w->in->arm[arm_index(w->in, arm)].name);
    else
        put(w, "%lld", (long long)arm);
}

void put_arm(const struct writer *w, int64_t arm)
{
    put_rival(w, arm);
    end_list(w, 1, arm);
}

void put_place(const struct writer *w)
{
    const struct verdict_place *p = w->in->place;
    if (p)
        put(w, " at %s", text_counted(p->heads, "head").text);
    if (p && p->same[0])
        put(w, " (%s)", p->same);
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

const struct verdict_row *row_of(const struct verdict *v, int64_t arm)
{
    int i = 0;
    while (i < v->rows - 1 && v->row[i].arm != arm)
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
            put_rival(w, r->arm);
    }
}

bool put_arms_of(const struct writer *w, row_test *chosen)
{
    int64_t last = 0;
    for (int i = 0; i < w->v->rows; i++)
        last = chosen(w, &w->v->row[i]) ? w->v->row[i].arm : last;
    put_rows(w, chosen, NULL);
    return end_list(w, count_rows(w, chosen), last);
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
        if (!in->arm[i].lr)
            return;
        same = same && !strcmp(in->arm[i].lr, in->arm[0].lr);
    }
    if (same) {
        put(w, "%s at lr %s for all", comma ? "," : "", in->arm[0].lr);
        return;
    }
    if (in->named) /* their names say it */
        return;
    put(w, "%s at lr ", comma ? "," : "");
    for (int i = 0; i < in->count; i++)
        put(w, "%s%s with %lld", separator(i, in->count), in->arm[i].lr, (long long)in->arm[i].id);
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

void put_claim(const struct writer *w)
{
    const struct verdict_claim *claim = &w->in->claim;
    put_arm(w, claim->best);
    put(w, " better than ");
    for (int i = 0; i < claim->over_count; i++) {
        put(w, "%s", separator(i, claim->over_count));
        put_rival(w, claim->over[i]);
    }
    put_place(w);
}

void put_similar(const struct writer *w)
{
    const struct verdict_similar *similar = &w->in->claim.similar;
    put(w, "%lld trial%s like these had ended, which differ%s in ", (long long)similar->trials,
        text_plural(similar->trials), similar->trials == 1 ? "s" : "");
    for (int i = 0; i < similar->count; i++)
        put(w, "%s%s", separator(i, similar->count), similar->differ[i]);
}

/* ---- choices ---- */

static bool same_choice(const struct grouping *g, int i, int k)
{
    const struct verdict_arm *x = &g->w->in->arm[i], *y = &g->w->in->arm[k];
    bool same = x->axes && y->axes && x->axis[0].chosen >= 0 && y->axis[0].chosen >= 0;
    for (int a = 0; a < x->axes && same; a++)
        same = strcmp(chosen_text(&x->axis[a]), chosen_text(&y->axis[a])) == 0;
    return same;
}

/* "lr=0.01 with 1, 2 and 4 heads; lr=0.03 with 8 heads" */
void write_choices(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct grouping g = {.w = w, .alike = same_choice};
    int groups = 0, chosen = verdict_chosen(in);
    if (chosen == 0)
        return;
    put(w, "Each head count's own values %s on validation",
        chosen < in->count ? "are being chosen" : "were chosen");
    if (in->tuning_seeds > 0)
        put(w, ", on %d seed%s that %s not judged", in->tuning_seeds, text_plural(in->tuning_seeds),
            in->tuning_seeds == 1 ? "is" : "are");
    put(w, ": ");
    for (int i = 0; i < in->count; i++) {
        if (!leads(&g, i))
            continue;
        put(w, "%s", groups++ ? "; " : "");
        for (int a = 0; a < in->arm[i].axes; a++) {
            const struct verdict_axis *axis = &in->arm[i].axis[a];
            put(w, "%s%s=%s", a ? ", " : "", axis_name(axis), chosen_text(axis));
        }
        put(w, " with ");
        put_group(&g, i);
    }
    put(w, "; the finding is only about these values");
}

/* The seeds are others, the instances are not. */
void write_same_instances(const struct writer *w)
{
    if (w->in->replicated && verdict_chosen(w->in) > 0)
        put(w,
            "The %ss that chose these values judge them as well, with other seeds: on other %ss "
            "they may do a little worse",
            w->v->unit, w->v->unit);
}

/* ---- edges ---- */

static bool same_edge(const struct grouping *g, int i, int k)
{
    const struct verdict_input *in = g->w->in;
    const struct verdict_axis *a = axis_of(in, i, g->axis), *b = axis_of(in, k, g->axis);
    return a && b && a->edge != GRID_INNER && a->edge == b->edge && g->meant(g->w, in->arm[i].id) &&
           g->meant(g->w, in->arm[k].id) && strcmp(chosen_text(a), chosen_text(b)) == 0;
}

/* a: the axis of that arm. */
static void put_edge(const struct grouping *g, int first, const struct verdict_axis *a)
{
    bool one = put_group(g, first);
    if (a->edge == GRID_ONLY)
        put(g->w, " %s given no %s but %s, and may be better at another", one ? "was" : "were",
            axis_name(a), chosen_text(a));
    else
        put(g->w, " chose the %s %s tried, %s, and may be better beyond it",
            grid_edge_name(a->edge), axis_name(a), chosen_text(a));
}

bool any_edge(const struct writer *w, arm_test *meant)
{
    const struct verdict_input *in = w->in;
    bool any = false;
    for (int i = 0; i < in->count; i++)
        any = any || (verdict_at_edge(in, in->arm[i].id) && meant(w, in->arm[i].id));
    return any;
}

bool put_edges(const struct writer *w, arm_test *meant, const char *opening)
{
    const struct verdict_arm *tuned = verdict_tuned(w->in);
    bool any = false;
    for (int axis = 0; tuned && axis < tuned->axes; axis++) {
        const struct grouping g = {.w = w, .alike = same_edge, .axis = axis, .meant = meant};
        for (int i = 0; i < w->in->count; i++) {
            const struct verdict_axis *its = axis_of(w->in, i, axis);
            if (!its || !leads(&g, i))
                continue;
            put(w, "%s", any ? "; " : opening);
            put_edge(&g, i, its);
            any = true;
        }
    }
    return any;
}
