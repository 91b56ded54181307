/* Heads of a sweep: means over the trials of each head count. */
#include <inttypes.h>

#include "sweep/report/report_heads_parts.h"

/* By setting and head count: means over trials of means over heads (or layers). */
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
struct sweep_heads {
    char name[256];
    int64_t trials, completed, measured; /* of the plan, without those that only tune */
    struct table *table;
    bool slots; /* it is known where heads should look */
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
    enum { LABEL, HEADS, N, SHARP_HEADS };
    bool labels = false;
    while (scope_next(x, r)) {
        const char *label = rows_text(r, LABEL);
        labels = labels || (label && label[0]);
        h->slots = h->slots || !rows_null(r, SHARP_HEADS);
        rows_row(r, h->table);
    }
    if (!labels)
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
