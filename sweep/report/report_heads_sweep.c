/* Heads of a sweep: means over the trials of each head count, and a sentence. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sweep/report/report_heads_parts.h"

/* By setting and head count: means over trials of means over heads (or layers). Its first columns
 * are those of enum by_heads. */
static void sweep_sql(struct text_buffer *sql, const struct heads_names *head,
                      const struct heads_names *layer)
{
    text_add(sql, "%s", heads_measured_sql);
    text_add(sql, ", spread AS (SELECT trial_id, avg(wide) AS importance_spread FROM"
                  " (SELECT trial_id, max(importance_norm) - min(importance_norm) AS wide"
                  "    FROM one JOIN head_metric USING (trial_id, step) WHERE split = ?4"
                  "   GROUP BY trial_id, layer) GROUP BY trial_id)");
    text_add(sql, ", look AS (SELECT trial_id, avg(mass) AS main_mass, sum(mass >= " SHARP
                  ") AS sharp, count(*) AS seen,"
                  " count(DISTINCT iif(mass >= " SHARP ", layer || '/' || slot, NULL)) AS places"
                  " FROM main GROUP BY trial_id)");
    text_add(sql, ", heads AS (SELECT trial_id, avg(ablation_loss - loss) AS mean_rise,"
                  " max(ablation_loss - loss) AS largest_rise");
    for (int i = 0; i < head->count; i++)
        text_add(sql, ", avg(\"%s\") AS \"%s\"", head->name[i], head->name[i]);
    text_add(sql, " FROM one JOIN head_metric USING (trial_id, step) WHERE split = ?4"
                  " GROUP BY trial_id), layers AS (SELECT trial_id");
    for (int i = 0; i < layer->count; i++)
        text_add(sql, ", avg(\"%s\") AS \"%s\"", layer->name[i], layer->name[i]);
    text_add(sql, " FROM one JOIN layer_metric USING (trial_id, step) WHERE split = ?4"
                  " GROUP BY trial_id)"
                  " SELECT setting_label, one.heads, count(*) AS n, avg(sharp) AS sharp,"
                  " avg(places) AS places, avg(sharp - places) AS duplicates,"
                  " avg(main_mass) AS main_mass, avg(mean_rise) AS mean_rise,"
                  " avg(largest_rise) AS largest_rise, sum(sharp = seen AND places = seen) AS"
                  " all_apart, sum(sharp > 0) AS any_sharp,"
                  " avg(importance_spread) AS importance_spread");
    for (int i = 0; i < head->count; i++)
        text_add(sql, ", avg(heads.\"%s\") AS \"%s\"", head->name[i], head->name[i]);
    for (int i = 0; i < layer->count; i++)
        text_add(sql, ", avg(layers.\"%s\") AS \"%s\"", layer->name[i], layer->name[i]);
    text_add(sql, " FROM one LEFT JOIN spread USING (trial_id) LEFT JOIN look USING (trial_id)"
                  " LEFT JOIN heads USING (trial_id) LEFT JOIN layers USING (trial_id)"
                  " GROUP BY setting, one.heads ORDER BY setting_label COLLATE"
                  " setting_values, setting, one.heads");
}
enum by_heads {
    LABEL,
    HEADS,
    N,
    SHARP_HEADS,
    PLACES,
    DUPLICATES,
    MAIN_MASS,
    MEAN_RISE,
    LARGEST_RISE,
    ALL_APART,
    ANY_SHARP
};

/* ---- a sweep ---- */

/* What the sentence is made of: of one setting. */
struct seen {
    char label[256];
    bool slots; /* it is known where targets stand */
    int rows;
    int64_t apart_heads, apart, apart_n; /* the most heads that are sharp, each on a place of its
                                            own, in most trials */
    int64_t doubled_heads, doubled_n;    /* where duplicates are most */
    double doubled;
    char blurred[128]; /* head counts of which no head is sharp in any trial: "16, 32"; and ... */
    int64_t blurred_n; /* ... how many trials these are */
    int64_t costly_heads, cheap_heads, costly_n, cheap_n;
    double costly, cheap; /* mean rise of the loss without one head */
};

static void see_blurred(struct seen *s, int64_t heads, int64_t n)
{
    size_t used = strlen(s->blurred);
    snprintf(s->blurred + used, sizeof s->blurred - used, "%s%" PRId64, used ? ", " : "", heads);
    s->blurred_n += n;
}

static void see_row(struct seen *s, const struct rows *r)
{
    int64_t heads = rows_integer(r, HEADS), n = rows_integer(r, N);
    double rise = rows_real(r, MEAN_RISE);
    s->rows++;
    if (!rows_null(r, SHARP_HEADS)) {
        int64_t apart = rows_integer(r, ALL_APART);
        double doubled = rows_real(r, DUPLICATES);
        s->slots = true;
        if (2 * apart > n)
            s->apart_heads = heads, s->apart = apart, s->apart_n = n;
        if (doubled > s->doubled)
            s->doubled_heads = heads, s->doubled = doubled, s->doubled_n = n;
        if (rows_integer(r, ANY_SHARP) == 0)
            see_blurred(s, heads, n);
    }
    if (rise > s->costly || (isnan(s->costly) && !isnan(rise)))
        s->costly_heads = heads, s->costly = rise, s->costly_n = n;
    if (rise < s->cheap || (isnan(s->cheap) && !isnan(rise)))
        s->cheap_heads = heads, s->cheap = rise, s->cheap_n = n;
}

static void say_slots(const struct seen *s, struct text_buffer *text)
{
    if (s->apart > 0)
        text_add(text,
                 "with %" PRId64 " head%s each is sharp, on a place of its own, in %" PRId64
                 " of %" PRId64 " trial%s",
                 s->apart_heads, text_plural(s->apart_heads), s->apart, s->apart_n,
                 text_plural(s->apart_n));
    else
        text_add(
            text,
            "at no head count are all heads sharp, each on a place of its own, in most trials");
    if (s->doubled > 0)
        text_add(text, "; most duplicates: %" PRId64 " heads, %.1f a trial (%" PRId64 " trial%s)",
                 s->doubled_heads, s->doubled, s->doubled_n, text_plural(s->doubled_n));
    if (s->blurred_n > 0)
        text_add(text, "; with %s head%s none is sharp (%" PRId64 " trial%s)", s->blurred,
                 strcmp(s->blurred, "1") == 0 ? "" : "s", s->blurred_n, text_plural(s->blurred_n));
}

/* "Seen: with 4 heads each is sharp, ..." */
static void say_seen(const struct seen *s, struct text_buffer *text)
{
    char costly[32], cheap[32];
    text_add(text, "Seen%s%s: ", s->label[0] ? " at " : "", s->label);
    if (s->slots)
        say_slots(s, text);
    else if (!isnan(s->costly))
        text_add(text,
                 "without one of its heads the loss rises most with %" PRId64
                 " head%s, by %s on average"
                 " (%" PRId64 " trial%s), and least with %" PRId64 ", by %s (%" PRId64 " trial%s)",
                 s->costly_heads, text_plural(s->costly_heads),
                 text_fixed(s->costly, 3, costly, sizeof costly), s->costly_n,
                 text_plural(s->costly_n), s->cheap_heads,
                 text_fixed(s->cheap, 3, cheap, sizeof cheap), s->cheap_n, text_plural(s->cheap_n));
    else
        text_add(text, "nothing that these measures tell apart");
    text_add(text, ".");
}

struct sweep_heads {
    char name[256];
    int64_t trials, completed, measured; /* of the plan, without those that only tune */
    struct table *table;
    struct text_buffer sentences; /* one a line */
    bool slots;                   /* it is known where heads should look */
};

static void count_trials(struct scope *x, const struct heads_question *q, struct sweep_heads *h)
{
    struct text_buffer sql = scope_text(x);
    text_add(&sql,
             "%s SELECT s.name, count(t.trial_id), coalesce(sum(t.state = 'completed'), 0),"
             " (SELECT count(*) FROM one) FROM sweep AS s LEFT JOIN trial AS t"
             " ON t.sweep_id = s.sweep_id AND t.in_plan = 1 AND t.is_tuning = 0"
             " AND t.confirms = 0"
             " AND t.choice <> 'eliminated' WHERE s.sweep_id = ?1",
             heads_measured_sql);
    struct rows *r = heads_query(x, q, sql.text);
    while (scope_next(x, r)) {
        rows_copy(r, 0, h->name, sizeof h->name);
        h->trials = rows_integer(r, 1);
        h->completed = rows_integer(r, 2);
        h->measured = rows_integer(r, 3);
    }
}

/* Of a task that cannot say where heads should look, a text say. */
static void hide_slots(struct table *t)
{
    static const char *const names[] = {"sharp", "places", "duplicates", "main_mass"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        table_hide(t, names[i]);
}

static void read_rows(struct scope *x, struct sweep_heads *h, struct rows *r)
{
    const struct seen none = {.costly = NAN, .cheap = NAN};
    struct seen seen = none;
    while (scope_next(x, r)) {
        const char *label = rows_text(r, LABEL);
        if (seen.rows > 0 && strcmp(seen.label, label ? label : "") != 0) {
            say_seen(&seen, &h->sentences);
            text_add(&h->sentences, "\n");
            seen = none;
        }
        rows_copy(r, LABEL, seen.label, sizeof seen.label);
        see_row(&seen, r);
        h->slots = h->slots || seen.slots;
        rows_row(r, h->table);
    }
    if (seen.rows > 0)
        say_seen(&seen, &h->sentences);
    if (h->sentences.text && !strchr(h->sentences.text, '\n') && !seen.label[0])
        table_hide(h->table, "setting_label"); /* nothing but heads varies */
    table_hide(h->table, "importance_norm");   /* their means only say how many heads there are */
    table_hide(h->table, "wo_share");
    if (!h->slots)
        hide_slots(h->table);
}

static struct sweep_heads *read_sweep(struct scope *x, const struct heads_question *q)
{
    struct sweep_heads *h = arena_alloc(&x->arena, 1, sizeof *h);
    struct text_buffer sql = scope_text(x);
    count_trials(x, q, h);
    struct heads_names head = heads_measures(x, "head_metric");
    struct heads_names layer = heads_measures(x, "layer_metric");
    sweep_sql(&sql, &head, &layer);
    struct rows *r = heads_query(x, q, sql.text);
    h->table = heads_table(x, r);
    h->sentences = scope_text(x);
    read_rows(x, h, r);
    return h;
}

/* "Measured in 46 of 48 trials (validation set); 2 have not completed." */
static void say_measured(const struct sweep_heads *h, bool on_test, struct text_buffer *text)
{
    int64_t lack = h->completed - h->measured, open = h->trials - h->completed;
    text_add(text, "Measured in %" PRId64 " of %" PRId64 " trial%s, on the %s set", h->measured,
             h->trials, text_plural(h->trials), on_test ? "test" : "validation");
    if (open > 0)
        text_add(text, "; %" PRId64 " ha%s not completed", open, open == 1 ? "s" : "ve");
    if (lack > 0)
        text_add(text, "; %" PRId64 " could not be measured", lack);
    text_add(text, ".");
}

static const char legend_of_slots[] =
    "A head is sharp if at least half of its attention lies, on average, on one place "
    "that the task needs; places: different ones that sharp heads look at; duplicates: sharp heads "
    "beyond one for each place. ";
static const char legend[] =
    "loss +: what one head's removal adds to the loss. confidence: mean "
    "largest attention weight. entropy: of the attention weights, 1 where all keys get the same. "
    "spread: largest less smallest importance of a layer's heads. rank: effective rank of the "
    "heads' outputs. D_sub, D_pos, D_out: disagreement of values, attention and outputs (Li et al. "
    "2018). All are means over trials of means over heads or layers.";

static void write_sentences(struct document *d, char *lines)
{
    for (char *rest, *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        document_finding(d, line);
}

static void write_people(struct scope *x, const struct heads_question *q, struct sweep_heads *h,
                         struct text_page page, FILE *out)
{
    struct document d = document_new(x, out, q->format == REPORT_MARKDOWN, page);
    struct text_buffer text = scope_text(x);
    char title[300];
    snprintf(title, sizeof title, "Heads of sweep %s", h->name);
    document_title(&d, title, "");
    say_measured(h, q->on_test, &text);
    document_text(&d, DOCUMENT_PARAGRAPH, &text);
    document_table(&d, h->table);
    write_sentences(&d, h->sentences.text);
    text_add(&text, "n: trials. %s%s", h->slots ? legend_of_slots : "", legend);
    document_legend(&d, text.text);
}

static void write_json(struct sweep_heads *h, bool on_test, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", h->name);
    json_add_text(&w, "split", on_test ? "test" : "val");
    json_add_integer(&w, "trials", h->trials);
    json_add_integer(&w, "completed", h->completed);
    json_add_integer(&w, "measured", h->measured);
    table_add_json(h->table, &w, "by_heads");
    json_begin_list(&w, "seen");
    for (char *rest, *line = strtok_r(h->sentences.text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        json_add_text(&w, NULL, line);
    json_end_list(&w);
    json_end_object(&w);
    fputc('\n', out);
}

void heads_of_sweep(struct scope *x, const struct heads_question *q, struct text_page page,
                    FILE *out)
{
    struct sweep_heads *h = read_sweep(x, q);
    if (h->measured == 0)
        scope_fail(x, STATUS_BAD_INPUT, "no trial of sweep %s was measured", h->name);
    if (q->format == REPORT_CSV)
        table_write(h->table, TABLE_CSV, false, out);
    else if (q->format == REPORT_JSON)
        write_json(h, q->on_test, out);
    else
        write_people(x, q, h, page, out);
}
