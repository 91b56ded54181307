#include "sweep/report/report_heads.h"

#include <inttypes.h>
#include <string.h>

#include "sweep/report/document.h"
#include "sweep/report/table.h"

/* A head is sharp where at least this share of its attention lies on one slot. */
#define SHARP "0.5"

struct heads_names {
    int count;
    char **name;
};

/* How columns look to people. Those that are not here are for programs, but for measures of a
 * single trial, which are all shown. */
static const struct table_column looks[] = {
    {.name = "setting_label", .title = "setting"},
    {NAMED("heads"), PAGE("Heads")},
    {NAMED("n"), PAGE("n")},
    {NAMED("layer")},
    {NAMED("head")},
    {NAMED("sharp"), .decimals = 1,
     PAGE_ANY("Sharp", .hint = "at least half of its attention lies on one place")},
    {NAMED("places"), .decimals = 1,
     PAGE_ANY("Places", .hint = "different ones that sharp heads look at")},
    {NAMED("duplicates"), .decimals = 1, PAGE_ANY("Duplicates")},
    {.name = "main_slot", .title = "slot"},
    {.name = "main_mass", .title = "mass", .decimals = 2, PAGE_ANY("Mass on the main place")},
    {.name = "mean_rise",
     .title = "loss +",
     .decimals = 3,
     PAGE("Loss without one", .show = "signed")},
    {.name = "rise", .title = "loss +", .decimals = 3},
    {NAMED("confidence"), .decimals = 2, .leave_out = 5, PAGE("Confidence")},
    {NAMED("entropy"), .decimals = 2, .leave_out = 4, PAGE("Entropy")},
    {.name = "importance_spread", .title = "spread", .decimals = 2},
    {.name = "importance_norm", .title = "importance", .decimals = 2},
    {NAMED("distance"), .decimals = 1, .leave_out = 1},
    {.name = "wo_share", .title = "W_O", .decimals = 2, .leave_out = 1},
    {.name = "disagreement_subspace", .title = "D_sub", .decimals = 3, .leave_out = 2},
    {.name = "disagreement_position",
     .title = "D_pos",
     .decimals = 3,
     PAGE_ANY("Disagreement of positions")},
    {.name = "disagreement_output", .title = "D_out", .decimals = 3, .leave_out = 2},
    {.name = "effective_rank", .title = "rank", .decimals = 1, PAGE_ANY("Effective rank")},
    {0}};

void report_heads_page_columns(struct json_writer *w)
{
    table_page_columns(looks, ~0u, w, "heads");
}

/* A table with the columns that the query has; it may have failed. */
static struct table *heads_table(struct scope *x, const struct rows *r)
{
    static const struct table_column none = {0};
    struct table *t = table_new(x, &none);
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++) {
        const char *name = rows_name(r, i);
        const struct table_column *look = looks;
        while (look->name && strcmp(look->name, name) != 0)
            look++;
        struct table_column c = *look;
        c.right = strcmp(name, "setting_label") != 0;
        table_add_named(t, c, "%s", name);
    }
    return t;
}

/* The measures that a table of the file has. */
static struct heads_names heads_measures(struct scope *x, const char *table)
{
    struct heads_names n = {0};
    struct rows *r = scope_rows(x,
                                "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN"
                                " ('trial_id', 'step', 'split', 'layer', 'head') ORDER BY cid",
                                VALUES(TEXT(table)));
    while (scope_next(x, r)) {
        n.name = arena_grow(&x->arena, n.name, (size_t)n.count, sizeof *n.name);
        n.name[n.count++] = scope_given(x, r, 0);
    }
    return n;
}

/* What every query begins with: `one`, the trials whose answers count, each with the loss of its
 * whole model, and `main`, of each of their heads the slot that it looks at most. ?1: sweep, ?2:
 * trial (0: all), ?3: options of the study, ?4: split. */
static const char heads_measured_sql[] =
    "WITH one AS MATERIALIZED ("
    "    SELECT t.trial_id, t.setting, t.setting_label, c.heads, t.best_step AS step,"
    "           iif(?4 = 'test', t.test_loss, t.val_loss) AS loss"
    "      FROM trial AS t JOIN config AS c USING (config_id) JOIN study AS y USING (trial_id)"
    "     WHERE iif(?2 > 0, t.trial_id = ?2, t.sweep_id = ?1 AND t.in_plan = 1"
    "               AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen')"
    "       AND t.state = 'completed' AND y.name = 'heads' AND y.options = ?3"
    "       AND y.checkpoint_sha256 = t.checkpoint_sha256"
    "), main AS MATERIALIZED ("
    "    SELECT trial_id, layer, head, slot, max(mass) AS mass"
    "      FROM one JOIN head_slot USING (trial_id, step)"
    "     WHERE split = ?4 AND mass IS NOT NULL GROUP BY trial_id, layer, head"
    ")";

static struct rows *heads_query(struct scope *x, const struct heads_question *q, const char *sql)
{
    return scope_rows(x, sql,
                      VALUES(INTEGER(q->sweep_id), INTEGER(q->trial_id),
                             TEXT(q->on_test ? "{\"on\":\"test\"}" : "{\"on\":\"val\"}"),
                             TEXT(q->on_test ? "test" : "val")));
}

struct rows *report_heads_rows(struct scope *x, int64_t sweep_id, int64_t trial_id, long most)
{
    const struct heads_question q = {.sweep_id = sweep_id, .trial_id = trial_id};
    struct text_buffer sql = scope_text(x);
    text_add(&sql,
             "%s, ranked AS (SELECT *, row_number() OVER (PARTITION BY setting, heads"
             "                                            ORDER BY loss, trial_id) AS place"
             "                 FROM one),"
             " numbered AS (SELECT trial_id, layer, head, main.slot AS main_slot,"
             "        main.mass AS main_mass, ablation_loss - loss AS rise, importance_norm,"
             "        confidence, distance, entropy, wo_share,"
             "        row_number() OVER (ORDER BY place, trial_id, layer, head) AS n"
             "   FROM ranked JOIN head_metric USING (trial_id, step)"
             "   LEFT JOIN main USING (trial_id, layer, head) WHERE split = ?4),"
             " whole AS (SELECT *, max(n) OVER (PARTITION BY trial_id) AS last FROM numbered)"
             " SELECT trial_id, layer, head, main_slot, main_mass, rise, importance_norm,"
             "        confidence, distance, entropy, wo_share FROM whole"
             "  WHERE last <= %ld ORDER BY n",
             heads_measured_sql, most);
    return heads_query(x, &q, sql.text);
}

/* ---- a sweep: means over the trials of each head count ---- */

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
static const char legend_of_sweep[] =
    "loss +: what one head's removal adds to the loss. confidence: mean "
    "largest attention weight. entropy: of the attention weights, 1 where all keys get the same. "
    "spread: largest less smallest importance of a layer's heads. rank: effective rank of the "
    "heads' outputs. D_sub, D_pos, D_out: disagreement of values, attention and outputs (Li et al. "
    "2018). All are means over trials of means over heads or layers.";

static void write_sweep(struct scope *x, const struct heads_question *q, struct sweep_heads *h,
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
    text_add(&text, "n: trials. %s%s", h->slots ? legend_of_slots : "", legend_of_sweep);
    document_legend(&d, text.text);
}

static void write_sweep_json(struct sweep_heads *h, bool on_test, FILE *out)
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

static void heads_of_sweep(struct scope *x, const struct heads_question *q, struct text_page page,
                           FILE *out)
{
    struct sweep_heads *h = read_sweep(x, q);
    if (h->measured == 0)
        scope_fail(x, STATUS_BAD_INPUT, "no trial of sweep %s was measured", h->name);
    if (q->format == REPORT_CSV)
        table_write(h->table, TABLE_CSV, false, out);
    else if (q->format == REPORT_JSON)
        write_sweep_json(h, q->on_test, out);
    else
        write_sweep(x, q, h, page, out);
}

/* ---- a trial: its heads, one by one ---- */

static struct table *read_table(struct scope *x, const struct heads_question *q, const char *sql)
{
    struct rows *r = heads_query(x, q, sql);
    struct table *t = heads_table(x, r);
    rows_to_table(x, r, t);
    return t;
}

static void add_measures(struct scope *x, const char *table, struct text_buffer *sql)
{
    struct heads_names n = heads_measures(x, table);
    for (int i = 0; i < n.count; i++)
        text_add(sql, ", \"%s\"", n.name[i]);
}

/* All measures of each head, and the slot that it looks at most. */
static struct table *read_heads(struct scope *x, const struct heads_question *q)
{
    struct text_buffer sql = scope_text(x);
    text_add(&sql,
             "%s SELECT layer, head, main.slot AS main_slot, main.mass AS main_mass,"
             " ablation_loss - loss AS rise",
             heads_measured_sql);
    add_measures(x, "head_metric", &sql);
    text_add(&sql, " FROM one JOIN head_metric USING (trial_id, step)"
                   " LEFT JOIN main USING (trial_id, layer, head) WHERE split = ?4"
                   " ORDER BY layer, head");
    return read_table(x, q, sql.text);
}

static struct table *read_layers(struct scope *x, const struct heads_question *q)
{
    struct text_buffer sql = scope_text(x);
    text_add(&sql, "%s SELECT layer", heads_measured_sql);
    add_measures(x, "layer_metric", &sql);
    text_add(&sql, " FROM one JOIN layer_metric USING (trial_id, step) WHERE split = ?4"
                   " ORDER BY layer");
    return read_table(x, q, sql.text);
}

static struct table *read_slots(struct scope *x, const struct heads_question *q)
{
    struct text_buffer sql = scope_text(x);
    text_add(&sql,
             "%s SELECT layer, head, slot, mass FROM one"
             " JOIN head_slot USING (trial_id, step) WHERE split = ?4"
             " ORDER BY layer, head, slot",
             heads_measured_sql);
    return read_table(x, q, sql.text);
}

struct trial_heads {
    char title[400];
    struct table *heads, *layers, *slots;
};

/* "Heads of trial 3 of sweep gather: heads 4, seed 0" */
static void read_title(struct scope *x, const struct heads_question *q, struct trial_heads *t)
{
    enum { SWEEP, HEADS, LABEL, SEED, STEP };
    struct text_buffer sql = scope_text(x);
    text_add(&sql,
             "%s SELECT s.name, one.heads, t.setting_label, t.seed, step FROM one"
             " JOIN trial AS t USING (trial_id) JOIN sweep AS s USING (sweep_id)",
             heads_measured_sql);
    struct rows *r = heads_query(x, q, sql.text);
    while (scope_next(x, r)) {
        const char *label = rows_text(r, LABEL);
        snprintf(t->title, sizeof t->title,
                 "Heads of trial %" PRId64 " of sweep %s: heads %" PRId64 "%s%s, seed %" PRId64
                 ", with the weights of step %" PRId64 ", on the %s set",
                 q->trial_id, rows_given(r, SWEEP), rows_integer(r, HEADS),
                 label && label[0] ? ", " : "", label ? label : "", rows_integer(r, SEED),
                 rows_integer(r, STEP), q->on_test ? "test" : "validation");
    }
    if (!t->title[0])
        scope_fail(x, STATUS_BAD_INPUT, "trial %" PRId64 " was not measured", q->trial_id);
}

static const char legend_of_trial[] =
    "slot: the place that the head looks at most, mass: the share of its attention there (sharp: "
    "at least " SHARP "). loss +: what its removal adds to the loss. confidence: mean largest "
    "attention weight. entropy: of the attention weights, 1 where all keys get the same. "
    "importance: of length 1 per layer (Michel et al. 2019). W_O: its share of the output "
    "projection. rank: effective rank of all heads' outputs. D_sub, D_pos, D_out: disagreement of "
    "values, attention and outputs (Li et al. 2018).";

static void write_trial(struct scope *x, const struct heads_question *q,
                        const struct trial_heads *t, struct text_page page, FILE *out)
{
    struct document d = document_new(x, out, q->format == REPORT_MARKDOWN, page);
    document_title(&d, t->title, "");
    document_table(&d, t->heads);
    document_table(&d, t->layers);
    document_legend(&d, legend_of_trial);
}

static void write_trial_json(const struct heads_question *q, const struct trial_heads *t, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trial", q->trial_id);
    json_add_text(&w, "split", q->on_test ? "test" : "val");
    table_add_json(t->heads, &w, "heads");
    table_add_json(t->layers, &w, "layers");
    table_add_json(t->slots, &w, "slots");
    json_end_object(&w);
    fputc('\n', out);
}

static void heads_of_trial(struct scope *x, const struct heads_question *q, struct text_page page,
                           FILE *out)
{
    struct trial_heads *t = arena_alloc(&x->arena, 1, sizeof *t);
    read_title(x, q, t);
    t->heads = read_heads(x, q);
    t->layers = read_layers(x, q);
    t->slots = read_slots(x, q);
    if (q->format == REPORT_CSV)
        table_write(t->heads, TABLE_CSV, false, out);
    else if (q->format == REPORT_JSON)
        write_trial_json(q, t, out);
    else
        write_trial(x, q, t, page, out);
}

/* ---- the edge ---- */

enum status report_heads(struct store *s, const struct heads_question *q, struct text_page page,
                         FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the report", m);
    if (scope_enter(x)) {
        (q->trial_id ? heads_of_trial : heads_of_sweep)(x, q, page, out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
