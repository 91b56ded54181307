/* Under tune: the values that head counts were given. */
#include <string.h>

#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

const char *axis_name(const struct verdict_axis *a)
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

/* An axis as most head counts were given it; of those that as many were given, the one with the
 * most values. */
static const struct verdict_axis *usual_axis(const struct verdict_input *in, int axis)
{
    const struct verdict_axis *usual = NULL;
    int most = 0;
    for (int i = 0; i < in->choices; i++) {
        const struct verdict_axis *a = &in->choice[i].axis[axis];
        int n = 0;
        for (int k = 0; k < in->choices; k++)
            n += same_values(a, &in->choice[k].axis[axis]);
        if (!usual || n > most || (n == most && a->values > usual->values)) {
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

/* "4 heads: 0.001 alone", "1 and 32 heads: also 0.3": all that were given what the first was. */
static void add_exception(const struct verdict_input *in, int axis, int first,
                          const struct verdict_axis *usual, struct text_buffer *out)
{
    const struct verdict_axis *own = &in->choice[first].axis[axis];
    bool more = has_all(own, usual);
    int n = 0, seen = 0;
    for (int i = first; i < in->choices; i++)
        n += same_values(&in->choice[i].axis[axis], own);
    for (int i = first; i < in->choices; i++) {
        int64_t heads = in->choice[i].heads;
        if (!same_values(&in->choice[i].axis[axis], own))
            continue;
        if (in->sides)
            text_add(out, "%s%s", separator(seen++, n), in->sides->name[heads - 1]);
        else
            text_add(out, "%s%lld", separator(seen++, n), (long long)heads);
    }
    if (!in->sides)
        text_add(out, " head%s", n == 1 ? text_plural(in->choice[first].heads) : "s");
    text_add(out, ": %s", more ? "also " : "");
    add_values(own, more ? usual : NULL, out);
    text_add(out, "%s", own->values == 1 ? " alone" : "");
}

void verdict_text_values(const struct verdict_input *in, int axis, struct text_buffer *out)
{
    const struct verdict_axis *usual = usual_axis(in, axis);
    int exceptions = 0;
    add_values(usual, NULL, out);
    for (int i = 0; i < in->choices; i++) {
        const struct verdict_axis *own = &in->choice[i].axis[axis];
        bool told = same_values(own, usual);
        for (int k = 0; k < i; k++)
            told = told || same_values(own, &in->choice[k].axis[axis]);
        if (told)
            continue;
        text_add(out, "%s", exceptions++ ? "; " : " (");
        add_exception(in, axis, i, usual, out);
    }
    text_add(out, "%s", exceptions ? ")" : "");
}

/* Whether head counts were given several values of an axis: constraints may have left one. */
static bool is_varied(const struct verdict_input *in, int axis)
{
    const struct verdict_axis *usual = usual_axis(in, axis);
    bool varied = usual->values > 1;
    for (int i = 0; i < in->choices; i++)
        varied = varied || !same_values(&in->choice[i].axis[axis], usual);
    return varied;
}

bool tunes_rate(const struct verdict_input *in)
{
    bool rate = false;
    for (int a = 0; in->choices > 0 && a < in->choice[0].axes; a++)
        rate = rate || (strcmp(in->choice[0].axis[a].path, "train.lr") == 0 && is_varied(in, a));
    return rate;
}

void put_tuned(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    int told = 0;
    for (int a = 0; in->choices > 0 && a < in->choice[0].axes; a++) {
        if (!is_varied(in, a))
            continue;
        if (told++)
            put(w, ", and of ");
        else
            put(w, ", each%s at its own best of ", in->sides ? "" : " head count");
        put(w, "%s ", axis_name(&in->choice[0].axis[a]));
        verdict_text_values(in, a, w->out);
    }
}
