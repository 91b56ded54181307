/* The heads of one trial, one by one. */
#include <inttypes.h>

#include "sweep/report/report_heads_parts.h"

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

static const char legend[] =
    "slot: the place that the head looks at most, mass: the share of its attention there (sharp: "
    "at least " SHARP "). loss +: what its removal adds to the loss. confidence: mean largest "
    "attention weight. entropy: of the attention weights, 1 where all keys get the same. "
    "importance: of length 1 per layer (Michel et al. 2019). W_O: its share of the output "
    "projection. rank: effective rank of all heads' outputs. D_sub, D_pos, D_out: disagreement of "
    "values, attention and outputs (Li et al. 2018).";

static void write_people(struct scope *x, const struct heads_question *q,
                         const struct trial_heads *t, struct text_page page, FILE *out)
{
    struct document d = document_new(x, out, q->format == REPORT_MARKDOWN, page);
    document_title(&d, t->title, "");
    document_table(&d, t->heads);
    document_table(&d, t->layers);
    document_legend(&d, legend);
}

static void write_json(const struct heads_question *q, const struct trial_heads *t, FILE *out)
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

void heads_of_trial(struct scope *x, const struct heads_question *q, struct text_page page,
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
        write_json(q, t, out);
    else
        write_people(x, q, t, page, out);
}
